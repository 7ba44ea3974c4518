/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/steady.h"

#define PACED 1.03

/* Samples of all channels, so far. */
struct sums {
	uint64_t heard, taken, played;
	uint64_t packet,
	    /* of those that hear now: one packet each; heard in a window if nothing is left out */
	    nominal;
	uint64_t ticks; /* of the longest packet */
};

static void add(struct sums *sums, const struct sim_radio *radio, uint64_t ticks)
{
	const uint64_t packet_ticks = (uint64_t)radio->spp * radio->divide;

	sums->heard += radio->rx.samples;
	sums->played += radio->tx.samples;
	sums->taken += radio->tx.samples + radio->tx.late * radio->spp;
	if (!radio->rx.running)
		return;
	sums->packet += radio->spp;
	sums->nominal += ticks / radio->divide;
	sums->ticks = packet_ticks > sums->ticks ? packet_ticks : sums->ticks;
}

static void judge(
    struct steady *steady, const struct sums *sums, uint64_t ticks, double tick_ns, uint64_t ns)
{
	const uint64_t heard = sums->heard - steady->heard, slack = sums->packet + heard / 500;
	const uint64_t taken = sums->taken - steady->taken, played = sums->played - steady->played;
	const bool paced = (double)ns <= (double)ticks * tick_ns * PACED;
	/* else it overran, and was not begun again yet */
	const bool whole = sums->packet > 0 && heard + slack >= sums->nominal;

	steady->pending.all++;
	steady->pending.paced += paced;
	steady->pending.answered += paced && whole && taken + slack >= heard;
	steady->pending.in_time += whole && played + slack >= heard;
	steady->pending.heard += paced ? heard : 0;
	steady->pending.late += paced ? taken - played : 0;
}

static void settle(struct steady *steady)
{
	steady->counts.all += steady->pending.all;
	steady->counts.paced += steady->pending.paced;
	steady->counts.answered += steady->pending.answered;
	steady->counts.in_time += steady->pending.in_time;
	steady->counts.heard += steady->pending.heard;
	steady->counts.late += steady->pending.late;
	steady->pending = (struct steady_counts){0};
}

void steady_look(struct steady *steady, const struct device *device, uint64_t now_ns)
{
	const uint64_t ticks = device->tick - steady->begin;
	struct sums sums = {0};

	for (int i = 0; i < DEVICE_ENDPOINTS; i++)
		add(&sums, &device->endpoints[i].radio, ticks);
	if (steady->open)
		judge(steady, &sums, ticks, device->tick_ns, now_ns - steady->begin_ns);
	if (sums.packet > 0 && sums.taken > steady->taken) {
		settle(steady);
		steady->open = true;
		steady->answer_tick = device->tick;
	} else if (device->tick - steady->answer_tick > STEADY_PAUSE) {
		steady->pending = (struct steady_counts){0};
		steady->open = false;
	}
	steady->begin = device->tick;
	steady->begin_ns = now_ns;
	steady->heard = sums.heard;
	steady->taken = sums.taken;
	steady->played = sums.played;
	steady->until = device->tick +
	    (sums.ticks * STEADY_PACKETS > STEADY_TICKS ? sums.ticks * STEADY_PACKETS
	                                                : STEADY_TICKS);
}

void steady_set_time(struct steady *steady)
{
	steady->pending = (struct steady_counts){0};
	steady->open = false;
	steady->until = 0;
}
