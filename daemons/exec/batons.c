/* SPDX-License-Identifier: BSD-3-Clause
 *
 * batons.c - the entries of a waveform become live, and are not any more; the baton of a lane goes
 * on from where nobody takes it. */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/slot/lane.h"
#include "daemons/exec/exec.h"

static bool is_live(const struct node_lane *lane, uint32_t entry)
{
	return entry < NODE_ENTRIES_MAX && atomic_load(&lane->entry[entry].live) != 0;
}

/* The baton goes on from where nobody takes it any more. */
static void baton_advance(struct exec *exec, uint32_t number, uint64_t baton)
{
	const struct node_lane *lane = &exec->node->lane[number];

	lane_take_on(lane, exec->lanes[number].image, baton, baton_next(lane, baton, 0));
}

/* An impossible baton was replaced: findings.c stops whoever worked on the lane before `ns`. */
static void baton_was_reset(struct exec *exec, uint32_t number, uint64_t baton, uint64_t ns)
{
	atomic_fetch_add(&exec->node->lane[number].resets, 1);
	atomic_store(&exec->lanes[number].bad_baton, baton);
	atomic_store(&exec->lanes[number].bad_ns, ns);
	tell_ring(exec->bell);
}

/* Replaces an impossible baton. Whoever waits for the baton finds the lane where its clock is. */
static void baton_reset(struct exec *exec, uint32_t number, uint64_t baton)
{
	struct exec_lane *mine = &exec->lanes[number];
	const uint64_t fresh = baton_fresh(exec->node, number, atomic_load(&mine->slot)),
	               now = clock_ns();

	if (lane_take_on(&exec->node->lane[number], mine->image, baton, fresh) == 0)
		baton_was_reset(exec, number, baton, now);
}

/* Lane-mates replace an impossible baton if exec was dead or late. What they leave is as little to
 * be believed as the baton itself: it stops nobody who has not worked on the lane. */
static void baton_hear(struct exec *exec, uint32_t number)
{
	struct lane_image *image = exec->lanes[number].image;
	const uint64_t now = clock_ns(), baton = atomic_exchange(&image->bad_baton, 0),
	               at = atomic_load(&image->bad_ns);

	if (baton != 0)
		baton_was_reset(exec, number, baton, at != 0 && at < now ? at : now);
}

/* The slot under way; -1, hence none, before the first. */
static uint64_t timer_slot(const struct node_timebase *base)
{
	return timebase_slot(base, clock_ns());
}

/* A lane that stood still skips nothing: its next slot is the clock's. On the step clock no slot
 * is lost: one that became live while the last one left has its turn in slots that were allowed
 * since. */
static void baton_start(struct exec *exec, uint32_t number, uint64_t baton)
{
	const struct node_lane *lane = &exec->node->lane[number];
	const uint32_t in_use = atomic_load(&lane->timebase);
	const struct node_timebase *base =
	    in_use < NODE_TIMEBASES_MAX ? &exec->node->timebase[in_use] : NULL;
	uint64_t slot;

	if (base == NULL)
		return;
	slot = base->pace == IMAGE_TIMER ? timer_slot(base) + 1
	    /* goes on from where its host knows to be */
	    : base->pace == IMAGE_RADIO ? baton_slot(baton)
	                                : atomic_load(&base->allowed);
	if (base->pace == IMAGE_STEP && baton_slot(baton) < slot)
		slot = baton_slot(baton);
	lane_take_on(lane, exec->lanes[number].image, baton,
	    baton_next(lane, baton_make(slot, BATON_FRESH, BATON_NOBODY), 0));
}

/* ---- where watchdogs sleep ---- */

int bed_make(struct exec_bed *bed)
{
	if (bed->bell <= 0)
		bed->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (bed->bell < 0)
		return -errno;
	if (bed->timer <= 0)
		bed->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return bed->timer < 0 ? -errno : 0;
}

void bed_ring(const struct exec_bed *bed)
{
	if (bed->bell > 0)
		eventfd_write(bed->bell, 1);
}

void bed_set(const struct exec_bed *bed, uint64_t at_ns)
{
	lane_timer_set(bed->timer, at_ns);
}

static uint64_t ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

uint64_t bed_late(const struct exec_bed *bed)
{
	struct pollfd timer = {.fd = bed->timer, .events = POLLIN};
	struct itimerspec left;

	if (poll(&timer, 1, 0) <= 0 || timerfd_gettime(bed->timer, &left) != 0)
		return 0;
	return ns_of(&left.it_interval) - ns_of(&left.it_value);
}

void bed_sleep(const struct exec_bed *bed, const int *timers, size_t n, uint64_t until_ns)
{
	struct pollfd fds[NODE_LANES_MAX + 2] = {{.fd = bed->bell, .events = POLLIN}};
	const uint64_t now = clock_ns();
	const struct timespec limit = clock_timespec(until_ns > now ? until_ns - now : 0);
	eventfd_t times;

	for (size_t i = 0; i < n; i++)
		fds[i + 1] = (struct pollfd){.fd = timers[i], .events = POLLIN};
	if (ppoll(fds, n + 1, &limit, NULL) > 0 && (fds[0].revents & POLLIN))
		eventfd_read(bed->bell, &times);
}

void bed_close(struct exec_bed *bed)
{
	if (bed->bell > 0)
		close(bed->bell);
	if (bed->timer > 0)
		close(bed->timer);
	bed->bell = bed->timer = 0;
}

/* ---- the second watchdog's ---- */

void second_look(struct exec *exec)
{
	atomic_fetch_add(&exec->second_word, WATCHDOG_LOOK);
	bed_ring(&exec->second_bed);
}

uint64_t second_due(const struct exec *exec)
{
	uint64_t first = clock_ns() + NOBODY_NS;

	for (uint32_t l = 0; l < exec->node->n_lanes; l++) {
		const uint64_t watched = atomic_load(&exec->node->lane[l].watched_ns);

		if (watched != 0 && watched + SECOND_LATE_NS < first)
			first = watched + SECOND_LATE_NS;
	}
	return first + 1;
}

void second_set(struct exec *exec, uint64_t at_ns)
{
	atomic_store(&exec->second_ns, at_ns);
	bed_set(&exec->second_bed, at_ns);
}

/* Of two at a time each has told its own time before it looks for the first. */
void second_put_off(struct exec *exec)
{
	if (exec->second_bed.timer > 0)
		second_set(exec, second_due(exec));
}

bool lane_has_live(const struct node_lane *lane)
{
	for (uint32_t e = 0; e < NODE_ENTRIES_MAX; e++)
		if (is_live(lane, e))
			return true;
	return false;
}

/* Whoever hands the baton on looks at the table first: an entry may come or go between the look and
 * the hand-on. */
void lane_tend(struct exec *exec, uint32_t number)
{
	const struct node_lane *lane = &exec->node->lane[number];
	struct lane_image *image = exec->lanes[number].image;
	uint64_t baton;

	if (image == NULL)
		return;
	baton_hear(exec, number);
	baton = atomic_load(&image->baton);
	if (!baton_possible(exec->node, number, baton, clock_ns())) {
		baton_reset(exec, number, baton);
	} else if (baton_entry(baton) == BATON_NOBODY) {
		if (lane_has_live(lane))
			baton_start(exec, number, baton);
	} else {
		atomic_store(&exec->lanes[number].slot, baton_slot(baton));
		if (baton_left(lane, image, baton))
			baton_advance(exec, number, baton);
	}
}

/* Whoever hands a baton on may have read the table before: exec looks after the lanes a few times
 * more. */
static void tables_changed(struct exec *exec)
{
	exec->tables_ns = clock_ns();
	exec_look_within(exec, EXEC_LOOK_NS);
}

void lane_rouse(struct exec *exec, uint32_t number)
{
	struct exec_lane *lane = &exec->lanes[number];

	if (lane_wake(&exec->node->lane[number], lane->image))
		atomic_fetch_add(&lane->roused, 1);
}

void lanes_leave_host(struct exec_wave *wave, uint32_t host)
{
	for (uint32_t s = 0; wave->places != NULL && s < wave->view.head->segments.count; s++) {
		const struct exec_place *place = &wave->places[s];
		uint64_t baton;

		if (wave->view.segments[s].host != host || place->lane == IMAGE_NONE)
			continue;
		atomic_store(&wave->exec->node->lane[place->lane].entry[place->entry].live, 0);
		baton = atomic_load(&wave->exec->lanes[place->lane].image->baton);
		if (baton_entry(baton) == place->entry)
			baton_advance(wave->exec, place->lane, baton);
		else
			lane_rouse(wave->exec, place->lane);
	}
	tables_changed(wave->exec);
}

/* The watchdog may have gone to sleep for as long as a waveform may have its lane alone, or until
 * somebody is on it. What it has promised is over: the second watchdog reckons with that, too. */
static void look_now(struct exec *exec, uint32_t number)
{
	struct exec_lane *lane = &exec->lanes[number];

	if (!lane->has_watchdog)
		return;
	atomic_store(&exec->node->lane[number].watched_ns, clock_ns() + EXEC_LOOK_NS);
	bed_ring(&lane->bed);
}

void lanes_live(struct exec_wave *wave)
{
	struct exec *exec = wave->exec;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct exec_place *place = &wave->places[s];

		if (place->lane != IMAGE_NONE)
			atomic_store(&exec->node->lane[place->lane].entry[place->entry].live, 1);
	}
	for (uint32_t l = 0; l < exec->node->n_lanes; l++) {
		lane_tend(exec, l);
		look_now(exec, l);
	}
	second_look(exec);
	wave->rests = false;
	tables_changed(exec);
}

void lanes_leave(struct exec_wave *wave)
{
	for (uint32_t s = 0; wave->places != NULL && s < wave->view.head->segments.count; s++) {
		const struct exec_place *place = &wave->places[s];

		if (place->lane != IMAGE_NONE)
			atomic_store(
			    &wave->exec->node->lane[place->lane].entry[place->entry].live, 0);
	}
	tables_changed(wave->exec);
}

struct node_timebase *wave_timebase(const struct exec_wave *wave)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (wave->places[s].lane != IMAGE_NONE) {
			const uint32_t base =
			    atomic_load(&wave->exec->node->lane[wave->places[s].lane].timebase);

			return base < NODE_TIMEBASES_MAX ? &wave->exec->node->timebase[base] : NULL;
		}
	return NULL;
}

uint64_t lanes_slot(const struct exec_wave *wave)
{
	const struct node_timebase *base = wave_timebase(wave);
	uint64_t slot;

	if (base == NULL)
		return 0;
	if (base->pace == IMAGE_RADIO)
		return baton_slot(
		    atomic_load(&wave->exec->lanes[wave->places[0].lane].image->baton));
	if (base->pace != IMAGE_TIMER)
		return atomic_load(&base->allowed);
	slot = timebase_slot(base, clock_ns());
	return slot == IMAGE_FOREVER ? 0 : slot;
}
