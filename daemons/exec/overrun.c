/* SPDX-License-Identifier: BSD-3-Clause
 *
 * overrun.c - what follows a missed slot, as the waveform chose: `count` (nothing but the count and
 * its record in the report), `flag` (a line of log for each, and one for a row of slots that lack
 * the same input), and, when 3 of 16 slots were missed by its own doing, as the evidence shows
 * (`own` of their record), `conceal` (outputs beyond a budget are ABSENT until 1000
 * slots were in time), `mode` (parameters have other values as long) or `stop` (the waveform is
 * stopped).
 */
#include "core/image/follow.h"
#include "daemons/exec/end.h"
#include "daemons/exec/misses.h"
#include "daemons/exec/mode.h"
#include "daemons/exec/watch.h"

#include <stddef.h>
#include <string.h>

enum { OWN_MISSES = 3, OWN_SLOTS = 16, OWN_LOOK = 8 * OWN_SLOTS, GOOD_SLOTS = 1000 };

static bool must_act(const struct exec_wave *wave, const struct exec_miss *newest)
{
	const struct exec_misses *misses = wave->misses;
	const uint64_t slot = newest->miss.slot,
	               least = misses->n > OWN_LOOK ? misses->n - OWN_LOOK : 0;
	uint32_t n = 0;

	for (uint64_t m = misses->n; m-- > least && n < OWN_MISSES;) {
		const struct exec_miss *miss = &misses->kept[m % MISSES_KEPT];

		if (miss->segment == newest->segment && miss->miss.kind == IMAGE_MISS_LATE &&
		    miss->miss.slot + OWN_SLOTS > slot && miss->miss.slot <= slot)
			n += miss->own;
	}
	return n >= OWN_MISSES;
}

/* ---- what follows ------------------------------------------------------------------------ */

static void miss_flag(struct exec_wave *wave, const struct image_miss *miss, const char *why)
{
	log_warning(&wave->exec->daemon.log, "%s: slot %llu missed by %.1f us: %s", wave->name,
	    (unsigned long long)miss->slot, (double)miss->late_ns / 1e3, why);
}

static void miss_stop(struct exec_wave *wave, const struct image_miss *miss, const char *why)
{
	wave_abort(wave,
	    "%d of %d slots were missed (overrun = \"stop\"); the last, slot %llu, by %.1f us: "
	    "%.400s",
	    OWN_MISSES, OWN_SLOTS, (unsigned long long)miss->slot, (double)miss->late_ns / 1e3,
	    why);
}

static void miss_conceal(struct exec_wave *wave, const struct image_miss *miss, const char *why)
{
	if (atomic_exchange(&wave_control(wave)->conceal, miss->step + 1) != 0)
		return;
	log_warning(&wave->exec->daemon.log,
	    "%s: %d of %d slots were missed; outputs beyond a budget are ABSENT from now on, until "
	    "%d slots were in time (overrun = \"conceal\"); the last, slot %llu, by %.1f us: %s",
	    wave->name, OWN_MISSES, OWN_SLOTS, GOOD_SLOTS, (unsigned long long)miss->slot,
	    (double)miss->late_ns / 1e3, why);
}

static void conceal_over(struct exec_wave *wave)
{
	atomic_store(&wave_control(wave)->conceal, 0);
	log_note(&wave->exec->daemon.log,
	    "%s: %d slots were in time; nothing is concealed any more", wave->name, GOOD_SLOTS);
}

static void miss_mode(struct exec_wave *wave, const struct image_miss *miss, const char *why)
{
	_Atomic uint64_t *mode = &wave_control(wave)->mode;

	if (atomic_load(mode) != 0)
		atomic_store(mode, miss->step + 1);
	else if (mode_enter(wave, miss->step + 1))
		log_warning(&wave->exec->daemon.log,
		    "%s: %d of %d slots were missed; on_overrun is set until %d slots were in time "
		    "(overrun = \"mode\"); the last, slot %llu, by %.1f us: %s",
		    wave->name, OWN_MISSES, OWN_SLOTS, GOOD_SLOTS, (unsigned long long)miss->slot,
		    (double)miss->late_ns / 1e3, why);
}

struct overrun_step {
	const char *word; /* of `overrun`; `count` has none */
	bool every;       /* after each miss, not only when there are too many of its own */
	void (*act)(struct exec_wave *wave, const struct image_miss *miss, const char *why);
	/* what lasts: where in the control block is since when, and what is done when it is over */
	size_t since;
	void (*over)(struct exec_wave *wave);
};

static const struct overrun_step steps[] = {{"flag", true, miss_flag, 0, NULL},
    {"conceal", false, miss_conceal, offsetof(struct node_control, conceal), conceal_over},
    {"mode", false, miss_mode, offsetof(struct node_control, mode), mode_leave},
    {"stop", false, miss_stop, 0, NULL}};

static const struct overrun_step *step_of(const struct exec_wave *wave)
{
	const char *overrun = image_text(&wave->view, wave->view.head->overrun);

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (strcmp(overrun, steps[i].word) == 0)
			return &steps[i];
	return NULL;
}

/* Step + 1 of the last miss of its own, while what it has led to lasts; 0: nothing does. */
static uint64_t since_of(const struct exec_wave *wave, const struct overrun_step *step)
{
	const char *control = (const char *)wave_control(wave);

	return step->over == NULL
	    ? 0
	    : atomic_load((const _Atomic uint64_t *)(const void *)(control + step->since));
}

/* While it lasts, each miss of its own begins the count of good slots anew. */
static bool step_due(
    const struct exec_wave *wave, const struct overrun_step *step, const struct exec_miss *miss)
{
	return step->every || must_act(wave, miss) || (since_of(wave, step) != 0 && miss->own);
}

static void over_check(struct exec_wave *wave, const struct overrun_step *step)
{
	const uint64_t since = step != NULL ? since_of(wave, step) : 0;
	uint64_t done = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint64_t of = image_steps_done(&wave->view, s);

		done = of > done ? of : done;
	}
	if (since != 0 && done >= since + GOOD_SLOTS)
		step->over(wave);
	mode_tell(wave);
}

void overrun_check(struct exec_wave *wave)
{
	const struct overrun_step *step = step_of(wave);
	struct exec_misses *misses;
	char why[1024];

	misses_take(wave);
	misses = wave->misses;
	if (misses == NULL) {
		over_check(wave, step); /* of an exec that has died since */
		return;
	}
	if (misses->n - misses->looked > MISSES_KEPT)
		misses->looked = misses->n - MISSES_KEPT;
	for (; misses->looked < misses->n && wave->state != WAVE_ABNSTOP; misses->looked++) {
		const struct exec_miss *miss = &misses->kept[misses->looked % MISSES_KEPT];

		if (step == NULL || miss->miss.kind != IMAGE_MISS_LATE ||
		    !step_due(wave, step, miss))
			continue;
		misses_words(wave, miss, why, sizeof(why));
		step->act(wave, &miss->miss, why);
	}
	over_check(wave, step);
}
