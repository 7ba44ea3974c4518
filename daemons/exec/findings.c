/* SPDX-License-Identifier: BSD-3-Clause
 *
 * findings.c - what the watchdogs have found, and whose waveform is stopped for it: in the main
 * thread, off the lanes. */
#include "core/base/clock.h"
#include "daemons/exec/end.h"
#include "daemons/exec/lanes.h"
#include "daemons/exec/watch.h"

/* The instance in work, or the segment's first. */
static void call_of(
    const struct exec_wave *wave, uint32_t segment, char ret_whose[BLAME_CALL_BYTES])
{
	const struct image_view *view = &wave->view;
	const uint32_t current = atomic_load(&image_segment_state(view, segment)->current);

	blame_call(view,
	    current > 0 && current <= view->head->instances.count
	        ? current - 1
	        : view->order[view->segments[segment].order],
	    NULL, ret_whose, BLAME_CALL_BYTES);
}

/* ---- what was found of a seat ---- */

static void stop_for(
    struct exec_wave *wave, uint32_t segment, uint32_t lane, enum exec_found what, double ms)
{
	char name[LANE_NAME], whose[BLAME_CALL_BYTES];

	call_of(wave, segment, whose);
	lane_name(wave, lane, name); /* while the waveform has its places */
	lanes_leave(wave); /* first: if exec is killed now, nobody waits for hosts that are dead */
	if (what == FOUND_HOLDS && wave->state != WAVE_ABNSTOP) {
		damage_check(wave, true); /* what was overwritten says more than that it hangs */
		if (wave->state == WAVE_ABNSTOP)
			return;
	}
	hosts_kill(wave);
	if (what == FOUND_HOLDS)
		wave_abort(wave, "%s hangs: it held %s for %.1f ms, and a slot has %.3f ms", whose,
		    name, ms, (double)wave->view.head->slot_ns / 1e6);
	else if (what == FOUND_TAKES_CPU)
		wave_abort(wave,
		    "a thread of the waveform's host ran out of turn: %s stood still for %.1f ms, "
		    "and the segments whose turn it was could not run",
		    name, ms);
	else
		wave_abort(wave,
		    "a thread of the waveform's host had a higher priority than the watchdog of "
		    "%s, so the watchdog was late by %.1f ms",
		    name, ms);
	hosts_leave(wave, true);
}

/* Of what held the baton the segment that did, of anything else all that the thread has. */
static void check_found(struct exec *exec, uint32_t lane, uint32_t seat)
{
	struct exec_finding *found = &exec->lanes[lane].found[seat];
	const uint32_t what = atomic_load(&found->what) != FOUND_NOTHING
	    ? atomic_exchange(&found->what, FOUND_NOTHING)
	    : FOUND_NOTHING;
	const uint32_t entry = atomic_load(&found->entry);

	for (struct exec_wave *wave = exec->waves; wave != NULL && what != FOUND_NOTHING;
	     wave = wave->next)
		for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
			const struct exec_place *place = &wave->places[s];

			if (place->lane == lane && place->seat == seat &&
			    (what != FOUND_HOLDS || place->entry == entry))
				stop_for(wave, s, lane, (enum exec_found)what,
				    (double)atomic_load(&found->ns) / 1e6);
		}
}

/* ---- a baton that could not be ---- */

/* When the segment began its last step before `until`. 0: it has not run. */
static uint64_t began_before(const struct exec_wave *wave, uint32_t segment, uint64_t until)
{
	const struct image_segment_state *state = image_segment_state(&wave->view, segment);
	uint64_t last = 0;

	for (uint32_t i = 0; i < IMAGE_STEPS; i++) {
		const uint64_t began = atomic_load(&state->start_ns[i]);

		last = began <= until && began > last ? began : last;
	}
	return last;
}

/* Whoever had the lane last before the baton was found to be impossible: lanes stand still from
 * then on. By what each segment says of itself, in an image that nobody else writes. */
static struct exec_wave *last_at_work(
    const struct exec *exec, uint32_t lane, uint64_t until, uint32_t *ret_segment)
{
	struct exec_wave *last = NULL;
	uint64_t latest = 0;

	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
			const uint64_t began =
			    wave->places[s].lane == lane ? began_before(wave, s, until) : 0;

			if (began <= latest)
				continue;
			latest = began;
			last = wave;
			*ret_segment = s;
		}
	return last;
}

static void check_reset(struct exec *exec, uint32_t lane)
{
	const uint64_t at = atomic_load(&exec->lanes[lane].bad_ns),
	               baton = atomic_load(&exec->lanes[lane].bad_baton);
	struct exec_wave *wave;
	char name[LANE_NAME], whose[BLAME_CALL_BYTES];
	uint32_t segment = 0;

	if (at == 0)
		return;
	atomic_store(&exec->lanes[lane].bad_ns, 0);
	wave = last_at_work(exec, lane, at, &segment);
	log_warning(&exec->daemon.log,
	    "the baton of the lane on CPU %d named entry %u in slot %llu, which is impossible; "
	    "the baton was reset",
	    exec->node->lane[lane].cpu, baton_entry(baton), (unsigned long long)baton_slot(baton));
	if (wave == NULL || wave->state == WAVE_ABNSTOP)
		return;
	lane_name(wave, lane, name);
	call_of(wave, segment, whose);
	lanes_leave(wave);
	hosts_kill(wave);
	wave_abort(wave,
	    "the memory of %s was overwritten (the baton named entry %u in slot %llu, which is "
	    "impossible); %s was at work there last",
	    name, baton_entry(baton), (unsigned long long)baton_slot(baton), whose);
	hosts_leave(wave, true);
}

void findings_check(struct exec *exec)
{
	for (uint32_t l = 0; l < exec->node->n_lanes; l++) {
		for (uint32_t seat = 0; seat < NODE_ENTRIES_MAX; seat++)
			check_found(exec, l, seat);
		check_reset(exec, l);
	}
}
