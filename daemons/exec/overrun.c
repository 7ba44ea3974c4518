/* SPDX-License-Identifier: BSD-3-Clause
 *
 * overrun.c - what follows a missed slot, as the waveform chose: `count` (nothing but the count and
 * its record in the report), `flag` (a line of log for each), `stop` (the waveform is stopped when
 * 3 of 16 slots were missed by its own doing). A miss whose slot began late is not its doing,
 * unless the slot before was missed. */
#include "daemons/exec/end.h"
#include "daemons/exec/report.h"
#include "daemons/exec/watch.h"

#include <string.h>

enum { STOP_MISSES = 3, STOP_SLOTS = 16 };

static bool own_doing(const struct exec_wave *wave, const struct image_miss *miss)
{
	return miss->follows || miss->start_late_ns <= wave->view.head->slot_ns / 4;
}

static bool must_stop(
    const struct exec_wave *wave, const struct image_segment_state *state, uint64_t newest)
{
	const uint64_t slot = state->miss[newest % IMAGE_MISSES].slot;
	uint32_t n = 0;

	for (uint64_t m = newest + 1;
	     m-- > 0 && newest - m < STOP_SLOTS && newest - m < IMAGE_MISSES;) {
		const struct image_miss miss = state->miss[m % IMAGE_MISSES];

		n += miss.slot + STOP_SLOTS > slot && miss.slot <= slot && own_doing(wave, &miss);
	}
	return n >= STOP_MISSES;
}

static void look(struct exec_wave *wave, uint32_t segment, bool stop)
{
	const struct image_segment_state *state = image_segment_state(&wave->view, segment);
	const uint64_t misses = atomic_load(&state->misses);
	uint64_t seen = wave->progress[segment].misses;
	char why[256];

	wave->progress[segment].misses = misses;
	if (misses - seen > IMAGE_MISSES / 2)
		seen = misses - IMAGE_MISSES / 2;
	for (; seen < misses && wave->state != WAVE_ABNSTOP; seen++) {
		const struct image_miss miss = state->miss[seen % IMAGE_MISSES];

		wave_miss_cause(wave, &miss, why, sizeof(why));
		if (!stop)
			log_warning(&wave->exec->daemon.log, "%s: slot %llu missed by %.1f us: %s",
			    wave->name, (unsigned long long)miss.slot, (double)miss.late_ns / 1e3,
			    why);
		else if (must_stop(wave, state, seen))
			wave_abort(wave,
			    "%d of %d slots were missed (overrun = \"stop\"); the last, slot %llu, "
			    "by %.1f us: %s",
			    STOP_MISSES, STOP_SLOTS, (unsigned long long)miss.slot,
			    (double)miss.late_ns / 1e3, why);
	}
}

void overrun_check(struct exec_wave *wave)
{
	const char *overrun = image_text(&wave->view, wave->view.head->overrun);
	const bool stop = strcmp(overrun, "stop") == 0;

	if (!stop && strcmp(overrun, "flag") != 0)
		return;
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		look(wave, s, stop);
}
