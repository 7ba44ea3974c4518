/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/radio_pace over a radio made here: packets that come when the test says so, by a clock
 * that only the looks at it move. Each sample is its own number, so that a test sees whether it
 * lies where its time says. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/slot/lane.h"
#include "core/slot/radio_pace.h"

enum { TICKS = 2, LOOK_NS = 50, PACKETS = 4096, SENT = 64, SAMPLES_MAX = 512 };

struct arrival {
	uint64_t at_ns, ticks;
	uint32_t samples;
	uint16_t channel, gap;
	int released, anew;
	uint8_t *iq;
};

struct fake {
	struct radio device; /* first */
	uint64_t now_ns, started;
	struct arrival arrivals[PACKETS];
	unsigned n, next[RADIO_CHANNELS_MAX];
	struct {
		uint32_t channel, samples;
		uint64_t ticks;
	} sent[SENT];
	unsigned n_sent, flushes, room, placed;
	uint8_t place[RADIO_CHANNELS_MAX][4 * SAMPLES_MAX];
};

static uint64_t fake_clock(struct radio *device)
{
	return ((struct fake *)device)->now_ns += LOOK_NS;
}

static void fake_start(struct radio *device)
{
	((struct fake *)device)->started++;
}

static unsigned fake_receive(
    struct radio *device, uint32_t channel, uint64_t now_ns, struct radio_packet *ret, unsigned n)
{
	struct fake *fake = (struct fake *)device;
	unsigned got = 0;

	assert_true(now_ns <= fake->now_ns && n <= TRANSPORT_BURST);
	fake->now_ns += now_ns < 1100000000 ? 0 : 19 * LOOK_NS; /* where seconds go by */
	for (unsigned i = fake->next[channel]; i < fake->n && got < n; i++) {
		struct arrival *a = &fake->arrivals[i];

		if (a->channel != channel)
			continue;
		if (a->at_ns > fake->now_ns)
			break;
		ret[got++] = (struct radio_packet){.packet.own = a,
		    .iq = a->iq,
		    .ticks = a->ticks,
		    .samples = a->samples,
		    .gap = a->gap,
		    .anew = a->anew};
		fake->next[channel] = i + 1;
	}
	return got;
}

static void fake_release(
    struct radio *device, uint32_t channel, const struct radio_packet *packets, unsigned n)
{
	(void)device;
	for (unsigned i = 0; i < n; i++) {
		struct arrival *a = packets[i].packet.own;

		assert_int_equal(a->channel, channel);
		a->released++;
	}
}

static uint8_t *fake_place(struct radio *device, uint32_t channel)
{
	struct fake *fake = (struct fake *)device;

	if (fake->room == 0)
		return NULL;
	fake->room--;
	fake->placed++;
	return fake->place[channel];
}

static void fake_send(struct radio *device, uint32_t channel, uint32_t samples, uint64_t ticks)
{
	struct fake *fake = (struct fake *)device;

	assert_true(fake->n_sent < SENT && fake->placed > 0);
	fake->placed--;
	fake->sent[fake->n_sent].channel = channel;
	fake->sent[fake->n_sent].samples = samples;
	fake->sent[fake->n_sent++].ticks = ticks;
}

static void fake_flush(struct radio *device)
{
	((struct fake *)device)->flushes++;
}

static void fake_count(struct radio *device, uint32_t channel, struct radio_counts *ret)
{
	(void)device;
	*ret = (struct radio_counts){
	    .overruns = 1 + channel, .late = 2, .underruns = 3, .sequence = 4};
}

static const struct radio_driver fake_driver = {.clock = fake_clock,
    .start = fake_start,
    .receive = fake_receive,
    .release = fake_release,
    .place = fake_place,
    .send = fake_send,
    .flush = fake_flush,
    .count = fake_count};

struct rig {
	struct fake fake;
	struct radio_pace pace;
	struct image_radio_state state;
	uint64_t slot, edge_ns;
};

/* 1 MSa/s: a sample takes 1 us. */
static struct rig *rig_new(
    uint32_t channels, uint32_t slot_samples, uint32_t packet, int64_t advance)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	rig->fake.device = (struct radio){.driver = &fake_driver,
	    .channels = channels,
	    .ticks_per_sample = TICKS,
	    .rx_packet = packet,
	    .tx_packet = packet,
	    .tx_advance = advance,
	    .patience_ns = 1000000,
	    .end_ticks = UINT64_MAX};
	rig->fake.now_ns = 1000000000;
	rig->fake.room = 1000;
	assert_int_equal(radio_pace_init(&rig->pace, &rig->fake.device, 1e6, slot_samples), 0);
	rig->pace.state = &rig->state;
	return rig;
}

/* Everything that came and is behind the slot that is next was given back once. */
static void rig_free(struct rig *rig)
{
	for (unsigned i = 0; i < rig->fake.n; i++) {
		const struct arrival *a = &rig->fake.arrivals[i];
		const uint64_t end = a->ticks + (uint64_t)a->samples * TICKS;

		assert_true(a->released <= 1);
		if (i < rig->fake.next[a->channel] && end <= rig->pace.slot_ticks)
			assert_int_equal(a->released, 1);
		free(a->iq);
	}
	radio_pace_fini(&rig->pace);
	free(rig);
}

/* A packet whose first sample is number `sample`, at its nominal time `late_ns` late. */
static struct arrival *arrive(
    struct rig *rig, uint16_t channel, uint64_t sample, uint32_t samples, uint64_t late_ns)
{
	struct arrival *a = &rig->fake.arrivals[rig->fake.n++];

	assert_true(rig->fake.n <= PACKETS && samples <= SAMPLES_MAX);
	*a = (struct arrival){.at_ns = 1000000000 + (sample + samples) * 1000 + late_ns,
	    .ticks = sample * TICKS,
	    .samples = samples,
	    .channel = channel,
	    .iq = malloc(4 * samples)};
	assert_non_null(a->iq);
	for (uint32_t i = 0; i < samples; i++) {
		const uint32_t number = (uint32_t)(sample + i) << 4 | channel;

		memcpy(a->iq + 4 * i, &number, 4);
	}
	return a;
}

static void arrive_all(
    struct rig *rig, uint16_t channel, uint64_t first, uint32_t samples, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		arrive(rig, channel, first + (uint64_t)i * samples, samples, 0);
}

/* The next slot; how often it had to be asked. */
static unsigned next(struct rig *rig)
{
	unsigned asked = 0;
	uint64_t now;

	do {
		const uint64_t slot = radio_pace_wait(&rig->pace, rig->slot, &rig->edge_ns, &now);

		asked++;
		assert_true(asked < 10000);
		if (slot == IMAGE_FOREVER)
			continue;
		rig->slot = slot;
		return asked;
	} while (true);
}

static void done(struct rig *rig)
{
	radio_pace_end(&rig->pace, rig->pace.looked_ns);
	rig->slot++;
}

/* Samples of the slot that runs: those there are number first, first + 1, ...; returns how many are
 * missing. */
static uint32_t look(struct rig *rig, uint32_t channel, uint64_t first)
{
	struct aloe_radio *radio = &rig->pace.radio;
	uint32_t missing = 0, n = 0;

	for (uint32_t from = 0; from < radio->slot_samples; from += n) {
		const uint8_t *iq = radio->received(radio, channel, from, &n);

		assert_true(n > 0 && n <= radio->slot_samples - from);
		missing += iq == NULL ? n : 0;
		for (uint32_t i = 0; iq != NULL && i < n; i++) {
			uint32_t number;

			memcpy(&number, iq + 4 * i, 4);
			assert_int_equal(number, (uint32_t)(first + from + i) << 4 | channel);
		}
	}
	return missing;
}

/* ---- in order ------------------------------------------------------------------------ */

static void run_whole(uint32_t slot_samples, uint32_t packet, unsigned packets)
{
	struct rig *rig = rig_new(1, slot_samples, packet, 0);
	const uint64_t slots = (uint64_t)packets * packet / slot_samples;

	arrive_all(rig, 0, 7000, packet, packets);
	rig->slot = 17;
	for (uint64_t s = 0; s < slots; s++) {
		const uint64_t first = 7000 + s * slot_samples;

		next(rig);
		assert_int_equal(rig->slot, 17 + s);
		assert_int_equal(look(rig, 0, first), 0);
		/* begins when its last sample has come, and is seen at once */
		if (slot_samples >= packet)
			assert_in_range(rig->fake.now_ns,
			    1000000000 + (first + slot_samples) * 1000,
			    1000000000 + (first + slot_samples + packet) * 1000 + 4 * LOOK_NS);
		done(rig);
	}
	radio_pace_show(&rig->pace);
	assert_int_equal(rig->fake.started, 1);
	assert_int_equal(rig->state.channel[0][RADIO_COUNT_PACKETS], rig->fake.next[0]);
	assert_int_equal(rig->state.caught_up + rig->state.flywheeled + rig->state.partial, 0);
	assert_int_equal(rig->state.channel[0][RADIO_COUNT_BEHIND], 0);
	rig_free(rig);
}

static void test_slot_is_a_packet(void **state)
{
	(void)state;
	run_whole(64, 64, 300);
}

static void test_slot_of_several_packets(void **state)
{
	(void)state;
	run_whole(256, 64, 400);
}

static void test_packet_of_several_slots(void **state)
{
	(void)state;
	run_whole(32, 128, 100);
}

static void test_packets_across_slots(void **state)
{
	(void)state;
	run_whole(100, 64, 400);
	run_whole(64, 100, 400);
}

/* ---- what is missing ------------------------------------------------------------------------ */

static void test_lost_packet(void **state)
{
	struct rig *rig = rig_new(1, 64, 64, 0);

	(void)state;
	arrive_all(rig, 0, 0, 64, 3);
	arrive(rig, 0, 5 * 64, 64, 0)->gap = 2; /* 3 and 4 are lost */
	arrive_all(rig, 0, 6 * 64, 64, 3);
	for (uint64_t s = 0; s < 9; s++) {
		next(rig);
		assert_int_equal(rig->slot, s);
		assert_int_equal(look(rig, 0, s * 64), s == 3 || s == 4 ? 64 : 0);
		if (s == 3 || s == 4) /* known when the next comes, not before */
			assert_true(rig->fake.now_ns >= rig->fake.arrivals[3].at_ns);
		done(rig);
	}
	radio_pace_show(&rig->pace);
	assert_int_equal(rig->pace.counts[0].rx_lost, 2);
	assert_int_equal(rig->state.channel[0][RADIO_COUNT_LOST], 2);
	assert_int_equal(rig->state.partial, 2);
	assert_int_equal(rig->state.flywheeled, 0);
	rig_free(rig);
}

static void test_lost_in_the_middle(void **state)
{
	struct rig *rig = rig_new(1, 256, 64, 0);

	(void)state;
	arrive_all(rig, 0, 0, 64, 5);
	arrive_all(rig, 0, 7 * 64, 64, 9); /* 5 and 6, of slot 1, are lost */
	for (uint64_t s = 0; s < 4; s++) {
		next(rig);
		assert_int_equal(look(rig, 0, s * 256), s == 1 ? 128 : 0);
		done(rig);
	}
	assert_int_equal(rig->pace.partial, 1);
	rig_free(rig);
}

/* The radio says nothing for 20 ms: slots go on at the nominal rate, a patience late. Each begins
 * twice, as after a step that had to wait, and is counted once. */
static void test_flywheel(void **state)
{
	struct rig *rig = rig_new(1, 100, 100, 0);
	uint64_t before = 0;

	(void)state;
	arrive_all(rig, 0, 0, 100, 10);
	arrive_all(rig, 0, 21000, 100, 10);
	for (uint64_t s = 0; s < 220; s++) {
		const uint64_t due = 1000000000 + (s + 1) * 100000;

		next(rig), radio_pace_rest(&rig->pace), next(rig);
		assert_int_equal(rig->slot, s);
		assert_int_equal(look(rig, 0, s * 100), s >= 10 && s < 210 ? 100 : 0);
		if (s >= 10 && s < 199)
			assert_in_range(rig->fake.now_ns - due, 1000000, 1000000 + 100 * LOOK_NS);
		if (s > 10 && s < 199)
			assert_in_range(rig->fake.now_ns - before, 99000, 101000);
		before = rig->fake.now_ns;
		done(rig);
	}
	/* Slot 199's patience ends where packet 210 comes: nothing is waited for from there on. */
	assert_in_range(rig->pace.flywheeled, 188, 202);
	assert_in_range(rig->state.flywheeled, 100, 202); /* shown: waits count as ends do */
	assert_int_equal(rig->pace.partial, 200);
	rig_free(rig);
}

/* Packets that come when their slots have run. */
static void test_behind(void **state)
{
	struct rig *rig = rig_new(1, 100, 100, 0);

	(void)state;
	arrive_all(rig, 0, 0, 100, 5);
	for (uint64_t i = 5; i < 10; i++)
		arrive(rig, 0, i * 100, 100, 3000000);
	arrive_all(rig, 0, 4000, 100, 10);
	for (uint64_t s = 0; s < 50; s++) {
		next(rig);
		assert_int_equal(rig->slot, s);
		assert_int_equal(look(rig, 0, s * 100), s >= 5 && s < 40 ? 100 : 0);
		done(rig);
	}
	assert_int_equal(rig->pace.behind[0], 5);
	rig_free(rig);
}

/* All that the radio sends takes 3 ms longer from some time on: that costs as many slots, once. */
static void test_later_for_good(void **state)
{
	struct rig *rig = rig_new(1, 100, 100, 0);
	uint64_t missing = 0;

	(void)state;
	arrive_all(rig, 0, 0, 100, 10);
	for (uint64_t i = 10; i < 300; i++)
		arrive(rig, 0, i * 100, 100, 3000000);
	for (uint64_t s = 0; s < 300; s++) {
		next(rig);
		assert_int_equal(rig->slot, s);
		if (look(rig, 0, s * 100) > 0) {
			assert_in_range(s, 10, 35);
			missing++;
		}
		done(rig);
	}
	assert_in_range(missing, 18, 22);
	assert_int_equal(rig->pace.behind[0], missing);
	rig_free(rig);
}

/* ---- this machine stands still ---- */

static void test_catches_up(void **state)
{
	struct rig *rig = rig_new(1, 100, 100, 0);

	(void)state;
	arrive_all(rig, 0, 0, 100, 200);
	for (uint64_t s = 0; s < 200; s++) {
		const uint64_t due = 1000000000 + (s + 1) * 100000;

		next(rig);
		assert_int_equal(rig->slot, s);
		assert_int_equal(look(rig, 0, s * 100), 0);
		/* whenever it runs */
		assert_in_range(rig->edge_ns, due - 1000, due + 1000);
		/* and it was not the radio's fault */
		assert_int_equal(rig->state.late[s % IMAGE_RADIO_LATES].slot, 0);
		if (s == 50)
			rig->fake.now_ns += 5000000;
		done(rig);
	}
	assert_in_range(rig->pace.caught_up, 47, 50);
	assert_int_equal(rig->pace.flywheeled + rig->pace.partial + rig->pace.behind[0], 0);
	rig_free(rig);
}

/* The radio stands still and then sends all at once: that is not our lateness. */
static void test_late_radio(void **state)
{
	struct rig *rig = rig_new(1, 100, 100, 0);

	(void)state;
	arrive_all(rig, 0, 0, 100, 10);
	for (uint64_t i = 10; i < 15; i++)
		arrive(rig, 0, i * 100, 100, 100000 * (15 - i));
	arrive_all(rig, 0, 1500, 100, 10);
	for (uint64_t s = 0; s < 25; s++) {
		next(rig);
		assert_int_equal(look(rig, 0, s * 100), 0);
		assert_true(rig->fake.now_ns - rig->edge_ns < 20 * LOOK_NS);
		assert_int_equal(rig->pace.came_late_ns != 0, s >= 10 && s < 14);
		assert_int_equal(rig->state.late[s].slot, s >= 10 && s < 15 ? s + 1 : 0);
		if (s >= 10 && s < 15)
			assert_in_range(rig->state.late[s].late_ns,
			    100000 * (15 - s) - 20 * LOOK_NS, 100000 * (15 - s));
		done(rig);
	}
	assert_int_equal(rig->pace.caught_up + rig->pace.flywheeled, 0);
	rig_free(rig);
}

/* ---- the radio's time jumps ---- */

static void test_jump_forward(void **state)
{
	struct rig *rig = rig_new(1, 100, 100, 0);

	(void)state;
	arrive_all(rig, 0, 0, 100, 5);
	for (uint64_t i = 0; i < 5; i++) /* 3 s on, at once */
		arrive(rig, 0, 3000000 + i * 100, 100, 0)->at_ns = 1000000000 + (6 + i) * 100000;
	for (uint64_t s = 0; s < 10; s++) {
		next(rig);
		assert_int_equal(rig->slot, s < 5 ? s : 30000 + s - 5);
		assert_int_equal(look(rig, 0, rig->slot * 100), 0);
		done(rig);
	}
	rig_free(rig);
}

static void jump_back(bool burst)
{
	struct rig *rig = rig_new(1, 100, 100, 0);

	arrive_all(rig, 0, 1500000, 100, 5);
	if (burst) /* one more of before, and all at once: it is dropped */
		arrive(rig, 0, 1500500, 100, 100000);
	for (uint64_t i = 0; i < 5; i++)
		arrive(rig, 0, 40 + i * 100, 100, 0)->at_ns =
		    rig->fake.arrivals[4].at_ns + (burst ? 200000 : (1 + i) * 100000);
	for (uint64_t s = 0; s < 10; s++) {
		next(rig);
		assert_int_equal(rig->slot, s);
		assert_int_equal(look(rig, 0, s < 5 ? 1500000 + s * 100 : 40 + (s - 5) * 100), 0);
		done(rig);
	}
	for (unsigned i = 0; i < rig->fake.n; i++)
		assert_int_equal(rig->fake.arrivals[i].released, 1);
	rig_free(rig);
}

static void test_jump_back(void **state)
{
	(void)state;
	jump_back(false);
	jump_back(true);
}

/* ---- several channels ------------------------------------------------------------------------ */

static void test_two_channels(void **state)
{
	struct rig *rig = rig_new(2, 100, 100, 0);

	(void)state;
	rig->fake.device.start_ticks = 1000 * TICKS;
	for (uint64_t i = 0; i < 50; i++) {
		/* its first one is lost, too: the first slot is where it was asked for */
		if (i != 0 && i != 20)
			arrive(rig, 0, 1000 + i * 100, 100, 0);
		if (i != 30)
			arrive(rig, 1, 1000 + i * 100, 100, 150000);
	}
	for (uint64_t s = 0; s < 49; s++) {
		next(rig);
		assert_int_equal(rig->slot, s);
		assert_int_equal(look(rig, 0, 1000 + s * 100), s == 0 || s == 20 ? 100 : 0);
		assert_int_equal(look(rig, 1, 1000 + s * 100), s == 30 ? 100 : 0);
		done(rig);
	}
	assert_int_equal(rig->pace.partial, 3);
	rig_free(rig);
}

/* The time of both goes back, and the second one is heard of it later: the slot waits for it. */
static void test_two_jump_back(void **state)
{
	struct rig *rig = rig_new(2, 100, 100, 0);

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		for (uint16_t c = 0; c < 2; c++)
			arrive(rig, c, i < 5 ? 1500000 + i * 100 : 40 + (i - 5) * 100, 100, 0)
			    ->at_ns = 2600000000 + i * 100000 + c * 50000;
	for (uint64_t s = 0; s < 10; s++, done(rig)) {
		next(rig);
		assert_int_equal(rig->slot, s);
		for (uint16_t c = 0; c < 2; c++)
			look(rig, c, s < 5 ? 1500000 + s * 100 : 40 + (s - 5) * 100);
	}
	assert_int_equal(rig->pace.partial, 0);
	rig_free(rig);
}

/* A radio that was set up anew has another time, by less than a second: no slot waits for the time
 * of before, or runs without samples because of it. */
static void set_up_anew(uint16_t channels, uint64_t first, uint64_t slot)
{
	struct rig *rig = rig_new(channels, 100, 100, 0);

	for (uint64_t i = 0; i < 10; i++)
		for (uint16_t c = 0; c < channels; c++) {
			struct arrival *a = arrive(
			    rig, c, i < 5 ? 500000 + i * 100 : first + (i - 5) * 100, 100, 0);

			a->at_ns = i < 5 ? a->at_ns : 3000000000 + i * 100000 + c * 20000;
			a->anew = i == 5;
		}
	rig->pace.patience_ns = 1000000000000;
	for (uint64_t s = 0; s < 10; s++) {
		next(rig);
		assert_int_equal(rig->slot, s < 5 ? s : slot + s - 5);
		for (uint16_t c = 0; c < channels; c++)
			assert_int_equal(
			    look(rig, c, s < 5 ? 500000 + s * 100 : first + (s - 5) * 100), 0);
		done(rig);
	}
	assert_int_equal(rig->pace.partial + rig->pace.flywheeled, 0);
	rig_free(rig);
}

static void test_set_up_anew(void **state)
{
	(void)state;
	for (uint32_t channels = 1; channels <= 2; channels++) {
		set_up_anew(channels, 700000, 2000);
		set_up_anew(channels, 300040, 5);
	}
}

/* One of two says nothing any more: the other's samples are not lost, whatever our patience. */
static void one_dies(uint64_t patience_ns, uint64_t slots)
{
	struct rig *rig = rig_new(2, 100, 100, 0);

	rig->pace.patience_ns = patience_ns;
	arrive_all(rig, 0, 0, 100, 1500);
	arrive_all(rig, 1, 0, 100, 20);
	for (uint64_t s = 0; s < slots; s++) {
		next(rig);
		assert_int_equal(rig->slot, s);
		assert_int_equal(look(rig, 0, s * 100), 0);
		assert_int_equal(look(rig, 1, s * 100), s < 20 ? 0 : 100);
		done(rig);
	}
	assert_int_equal(rig->pace.behind[0], 0);
	rig_free(rig);
}

static void test_one_channel_dies(void **state)
{
	(void)state;
	one_dies(1000000, 1400);
	one_dies(1000000000000, 900);
}

/* ---- what is sent ------------------------------------------------------------------------ */

static void test_send(void **state)
{
	struct rig *rig = rig_new(1, 150, 100, 500);
	struct aloe_radio *radio = &rig->pace.radio;
	uint32_t n;

	(void)state;
	arrive_all(rig, 0, 0, 100, 9);
	for (uint64_t s = 0; s < 3; s++) {
		next(rig);
		assert_ptr_equal(radio->place(radio, 0, &n), rig->fake.place[0]);
		assert_int_equal(n, 100);
		radio->send(radio, 0, 100);
		assert_int_equal(rig->fake.flushes, s);
		assert_non_null(radio->place(radio, 0, &n));
		assert_int_equal(n, 50);
		radio->send(radio, 0, 50);
		assert_int_equal(rig->fake.flushes,
		    /* the slot's last: gone before anybody else takes his time */
		    s + 1);
		assert_null(radio->place(radio, 0, &n));
		assert_int_equal(n, 0);
		done(rig);
	}
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(rig->fake.sent[i].samples, i % 2 == 0 ? 100 : 50);
		assert_int_equal(
		    rig->fake.sent[i].ticks, TICKS * (i / 2 * 150 + i % 2 * 100 + 500));
	}
	assert_int_equal(rig->pace.counts[0].tx_no_room, 0);
	rig_free(rig);
}

/* A radio that was started again may give samples that lie between those of before: what is sent is
 * as old as ever. */
static void test_send_between(void **state)
{
	struct rig *rig = rig_new(1, 100, 100, 500);
	struct aloe_radio *radio = &rig->pace.radio;
	uint32_t n;

	(void)state;
	arrive_all(rig, 0, 0, 100, 2);
	for (uint64_t i = 0; i < 2; i++)
		arrive(rig, 0, 230 + i * 100, 100, 0)->ticks++;
	for (uint64_t s = 0; s < 4; s++) {
		uint32_t missing = 0;

		next(rig);
		for (uint32_t from = 0; from < 100; from += n)
			missing += radio->received(radio, 0, from, &n) == NULL ? n : 0;
		assert_int_equal(missing, s == 2 ? 30 : 0);
		assert_non_null(radio->place(radio, 0, &n));
		radio->send(radio, 0, n);
		assert_int_equal(rig->fake.sent[s].ticks, TICKS * (s * 100 + 500) + (s >= 2));
		done(rig);
		if (s == 2) /* the last slot has one packet more */
			arrive(rig, 0, 430, 100, 0)->ticks++;
	}
	rig_free(rig);
}

/* Slots that several nodes have in common begin at multiples of their length. */
static void test_on_grid(void **state)
{
	struct rig *rig = rig_new(1, 200, 100, 0);

	(void)state;
	rig->fake.device.on_grid = true;
	arrive_all(rig, 0, 700, 100, 5);
	next(rig);
	assert_int_equal(rig->pace.slot_ticks, 600 * TICKS);
	done(rig);
	for (uint64_t s = 0; s < 2; s++) {
		next(rig);
		assert_int_equal(look(rig, 0, 800 + s * 200), 0);
		done(rig);
	}
	rig_free(rig);
}

static void test_send_some(void **state)
{
	struct rig *rig = rig_new(1, 300, 100, -1);
	struct aloe_radio *radio = &rig->pace.radio;
	uint32_t n;

	(void)state;
	arrive_all(rig, 0, 0, 100, 9);
	next(rig);
	assert_non_null(radio->place(radio, 0, &n));
	radio->send(radio, 0, 60);
	/* and nothing sent: it is there for the next slot */
	assert_non_null(radio->place(radio, 0, &n));
	done(rig);
	assert_int_equal(rig->fake.flushes, 1);
	assert_int_equal(rig->fake.sent[0].ticks, UINT64_MAX);
	next(rig);
	rig->fake.room = 0;
	assert_non_null(radio->place(radio, 0, &n));
	assert_int_equal(n, 100);
	radio->send(radio, 0, 100);
	assert_null(radio->place(radio, 0, &n)); /* the rest of this slot: two packets */
	assert_null(radio->place(radio, 0, &n));
	assert_int_equal(rig->pace.counts[0].tx_no_room, 2);
	rig->fake.room = 10;
	assert_null(radio->place(radio, 0, &n)); /* not a part of it either */
	done(rig);
	next(rig);
	assert_non_null(radio->place(radio, 0, &n));
	radio_pace_show(&rig->pace);
	assert_int_equal(rig->state.channel[0][RADIO_COUNT_NO_ROOM], 2);
	assert_int_equal(rig->state.channel[0][RADIO_COUNT_SENT], 2);
	assert_int_equal(rig->state.channel[0][RADIO_COUNT_OVERRUNS], 1);
	assert_int_equal(rig->state.channel[0][RADIO_COUNT_TX_LATE], 2);
	assert_int_equal(rig->state.channel[0][RADIO_COUNT_UNDERRUNS], 3);
	assert_int_equal(rig->state.channel[0][RADIO_COUNT_SEQUENCE], 4);
	rig_free(rig);
}

static void test_idle(void **state)
{
	struct rig *rig = rig_new(1, 100, 100, 0);

	(void)state;
	arrive_all(rig, 0, 0, 100, 200);
	rig->fake.now_ns += 1000000000;
	radio_pace_idle(&rig->pace);
	assert_int_equal(rig->fake.next[0], 200);
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(rig->fake.arrivals[i].released, 1);
	assert_int_equal(rig->fake.started, 0);
	rig_free(rig);
}

/* A radio that ends tells how much is left of it, slot by slot. */
static void test_ends(void **state)
{
	struct rig *rig = rig_new(1, 100, 100, 0);

	(void)state;
	arrive_all(rig, 0, 1000, 100, 4);
	next(rig);
	assert_true(rig->pace.radio.left == UINT64_MAX);
	done(rig);
	rig->fake.device.end_ticks = 1230 * TICKS;
	next(rig);
	assert_int_equal(rig->pace.radio.left, 130);
	done(rig);
	next(rig);
	assert_int_equal(rig->pace.radio.left, 30);
	done(rig);
	next(rig);
	assert_int_equal(rig->pace.radio.left, 0);
	rig_free(rig);
}

/* ---- the lane's thread ---- */

static void *lane_main(void *self)
{
	lane_run(self);
	return NULL;
}

/* Slots of a lane are those of its radio, with their numbers. */
static void test_lane(void **state)
{
	struct rig *rig = rig_new(1, 100, 100, 0);
	struct node_image *node = calloc(1, sizeof(*node));
	struct lane_image *image = aligned_alloc(64, (sizeof(*image) + 63) & ~(size_t)63);
	struct lane_thread thread = {.node = node, .image = image, .radio = &rig->pace};
	pthread_t id;

	(void)state;
	assert_true(node != NULL && image != NULL);
	memset(image, 0, sizeof(*image));
	node->n_lanes = 1;
	node->timebase[0].pace = IMAGE_RADIO;
	node->lane[0].entries = 1;
	node->lane[0].entry[0].live = 1;
	atomic_store(&image->baton, baton_make(40, BATON_FRESH, 0));
	arrive_all(rig, 0, 0, 100, 50);
	for (uint64_t i = 0; i < 50; i++) /* 2 s on: 20 000 slots are left out */
		arrive(rig, 0, 2000000 + i * 100, 100, 0)->at_ns = 1000000000 + (60 + i) * 100000;
	assert_int_equal(pthread_create(&id, NULL, lane_main, &thread), 0);
	while (baton_slot(atomic_load(&image->baton)) < 40 + 20000 + 50)
		;
	atomic_store(&thread.quit, 1);
	pthread_join(id, NULL);
	assert_true(atomic_load(&image->slots) >= 100);
	assert_in_range(atomic_load(&image->skipped), 20000 - 50 - 1, 20000 - 50);
	assert_int_equal(rig->pace.behind[0], 0);
	free(node);
	free(image);
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_slot_is_a_packet),
	    cmocka_unit_test(test_slot_of_several_packets),
	    cmocka_unit_test(test_packet_of_several_slots),
	    cmocka_unit_test(test_packets_across_slots),
	    cmocka_unit_test(test_lost_packet),
	    cmocka_unit_test(test_lost_in_the_middle),
	    cmocka_unit_test(test_flywheel),
	    cmocka_unit_test(test_behind),
	    cmocka_unit_test(test_later_for_good),
	    cmocka_unit_test(test_catches_up),
	    cmocka_unit_test(test_late_radio),
	    cmocka_unit_test(test_jump_forward),
	    cmocka_unit_test(test_jump_back),
	    cmocka_unit_test(test_two_channels),
	    cmocka_unit_test(test_two_jump_back),
	    cmocka_unit_test(test_set_up_anew),
	    cmocka_unit_test(test_one_channel_dies),
	    cmocka_unit_test(test_send),
	    cmocka_unit_test(test_send_between),
	    cmocka_unit_test(test_on_grid),
	    cmocka_unit_test(test_send_some),
	    cmocka_unit_test(test_idle),
	    cmocka_unit_test(test_ends),
	    cmocka_unit_test(test_lane),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
