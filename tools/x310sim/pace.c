/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/pace.h"

#include "core/base/clock.h"

enum { CATCH_UP = 4 }; /* a quarter faster than it should go */
enum { PULSE_NS = 1000000000 };

void pace_init(struct pace *pace, const struct pace_options *options, uint64_t now_ns)
{
	const uint64_t since = options->is_virtual ? 0 : now_ns % PULSE_NS;

	*pace = (struct pace){.options = *options,
	    .last_ns = now_ns - since,
	    .ref = since / DEVICE_TICK_NS,
	    .looked = since / DEVICE_TICK_NS};
}

uint64_t pace_now(struct pace *pace)
{
	uint64_t now;

	if (pace->options.is_virtual || pace->is_behind)
		return pace->ref;
	now = (clock_ns() - pace->last_ns) / DEVICE_TICK_NS;
	/* while it streams, whatever a turn takes */
	return !pace->streams || now - pace->ref < PACE_STEP ? now : pace->ref + PACE_STEP;
}

/* As this machine's clock goes, but not past what may begin to stream. */
static void follow(struct pace *pace, uint64_t now_ns, uint64_t next)
{
	const uint64_t ticks = (now_ns - pace->last_ns) / DEVICE_TICK_NS;

	pace->last_ns += ticks * DEVICE_TICK_NS;
	if (next > pace->ref && next - pace->ref < ticks)
		pace->ref = next;
	else
		pace->ref += ticks;
}

/* Time stands. True: for too long. */
static bool stand(struct pace *pace, struct unit *units, unsigned n, uint64_t now_ns)
{
	pace->last_ns = now_ns;
	if (pace->since_ns == 0)
		pace->since_ns = now_ns;
	if (now_ns - pace->since_ns < PACE_PATIENCE_NS)
		return false;
	pace->since_ns = 0;
	pace->excused++;
	for (unsigned i = 0; i < n; i++)
		unit_excuse(&units[i]);
	return true;
}

static bool turn_real(struct pace *pace, const struct unit *units, unsigned n, uint64_t now_ns)
{
	const uint64_t now = (now_ns - pace->last_ns) / DEVICE_TICK_NS, behind = now - pace->ref;
	const uint64_t step =
	    behind > PACE_BEHIND ? PACE_STEP : (now - pace->looked) * (CATCH_UP + 1) / CATCH_UP;

	pace->looked = now;
	pace->behind_max = behind > pace->behind_max ? behind : pace->behind_max;
	pace->streams = false;
	for (unsigned i = 0; i < n; i++)
		pace->streams |= unit_streams(&units[i]);
	pace->is_behind = pace->streams && behind > PACE_STEP;
	pace->ref = pace->is_behind ? pace->ref + (step < PACE_STEP ? step : PACE_STEP) : now;
	return pace->is_behind;
}

bool pace_turn(struct pace *pace, struct unit *units, unsigned n, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX, until = UINT64_MAX;
	bool streams = false, waits = false, unanswered = false;

	if (!pace->options.is_virtual)
		return turn_real(pace, units, n, now_ns);
	for (unsigned i = 0; i < n; i++) {
		const uint64_t own = unit_next(&units[i]), starves = unit_starves(&units[i]);

		streams |= unit_streams(&units[i]);
		waits |= unit_waits(&units[i], pace->options.lead);
		unanswered |= unit_unanswered(&units[i]);
		next = own < next ? own : next;
		until = starves < until ? starves : until;
	}
	if (!streams || next == UINT64_MAX) {
		follow(pace, now_ns, next);
		pace->since_ns = 0;
		return false;
	}
	if ((waits || next > until) && !stand(pace, units, n, now_ns))
		return false;
	if (unanswered &&
	    (now_ns - pace->last_ns) / (PACE_SLOWLY * DEVICE_TICK_NS) + pace->ref < next)
		return false;
	pace->last_ns = now_ns;
	pace->since_ns = 0;
	pace->ref = next > pace->ref ? next : pace->ref;
	return true;
}
