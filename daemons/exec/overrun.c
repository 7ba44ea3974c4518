/* SPDX-License-Identifier: BSD-3-Clause
 *
 * overrun.c - what follows a missed slot, as the waveform chose: `count` (nothing but the count and
 * its record in the report), `flag` (a line of log for each), `stop` (the waveform is stopped when
 * 3 of 16 slots were missed by its own doing, as the evidence shows; of a row of slots, that of the
 * first). */
#include "daemons/exec/end.h"
#include "daemons/exec/misses.h"
#include "daemons/exec/watch.h"

#include <string.h>

enum { STOP_MISSES = 3, STOP_SLOTS = 16 };

static bool must_stop(const struct exec_wave *wave, const struct exec_miss *newest)
{
	const struct exec_misses *misses = wave->misses;
	const uint64_t slot = newest->miss.slot,
	               least = misses->n > MISSES_KEPT ? misses->n - MISSES_KEPT : 0;
	uint32_t n = 0;

	for (uint64_t m = misses->n; m-- > least;) {
		const struct exec_miss *miss = &misses->kept[m % MISSES_KEPT];

		if (miss->segment == newest->segment && miss->miss.kind == IMAGE_MISS_LATE &&
		    miss->miss.slot + STOP_SLOTS > slot && miss->miss.slot <= slot)
			n += misses_own_doing(wave, miss);
	}
	return n >= STOP_MISSES;
}

static void look(struct exec_wave *wave, const struct exec_miss *miss, bool stop)
{
	char why[1024];

	misses_words(wave, miss, why, sizeof(why));
	if (!stop)
		log_warning(&wave->exec->daemon.log, "%s: slot %llu missed by %.1f us: %s",
		    wave->name, (unsigned long long)miss->miss.slot,
		    (double)miss->miss.late_ns / 1e3, why);
	else if (must_stop(wave, miss))
		wave_abort(wave,
		    "%d of %d slots were missed (overrun = \"stop\"); the last, slot %llu, "
		    "by %.1f us: %.400s",
		    STOP_MISSES, STOP_SLOTS, (unsigned long long)miss->miss.slot,
		    (double)miss->miss.late_ns / 1e3, why);
}

void overrun_check(struct exec_wave *wave)
{
	const char *overrun = image_text(&wave->view, wave->view.head->overrun);
	const bool stop = strcmp(overrun, "stop") == 0, flag = strcmp(overrun, "flag") == 0;
	struct exec_misses *misses;

	misses_take(wave);
	misses = wave->misses;
	if (misses == NULL)
		return;
	if (misses->n - misses->looked > MISSES_KEPT)
		misses->looked = misses->n - MISSES_KEPT;
	for (; misses->looked < misses->n && wave->state != WAVE_ABNSTOP; misses->looked++) {
		const struct exec_miss *miss = &misses->kept[misses->looked % MISSES_KEPT];

		if ((stop || flag) && miss->miss.kind == IMAGE_MISS_LATE)
			look(wave, miss, stop);
	}
}
