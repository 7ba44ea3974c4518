/* SPDX-License-Identifier: BSD-3-Clause
 *
 * keeper.c - the thread that watches one lane from its own CPU, one priority above it: a segment that keeps the baton for
 * longer than a guard time, or does not take it, is demoted and passed over; its host is killed afterwards, by the main
 * thread.
 *
 *   (n, fresh, e)  waits for the pace:   overdue from slot n's edge + guard on
 *   (n, e)         at work since `since`: overdue from since + guard on; a host that died before it had said so: from when
 *                  the keeper first saw it there
 *
 * A holder without real-time priority may have to wait for the CPU longer than the keeper, which has it: as long as it is
 * ready to run and does not get to, nothing is held against it.
 *
 * When the keeper itself was not woken in time the machine stood still, for everybody: that time is not held against
 * anyone, it looks again a guard time later. */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "core/slot/lane.h"
#include "daemons/exec/exec.h"

enum { GUARD_ALONE_NS = 100000000, GUARD_MIN_NS = 1000000, STALL_NS = 300000, DOUBT_NS = 100000 };

struct keeper {
	struct exec *exec;
	uint32_t number;
	struct exec_lane *mine;
	const struct node_lane *lane;
	uint64_t baton, seen_ns; /* as seen last, and since when */
	uint64_t ran_ns;         /* CPU time of its holder then */
	uint64_t excuse_ns;      /* what was before is not held against anyone */
	bool realtime;
};

/* One waveform at most has the lane: whoever holds it harms nobody else. */
static bool alone(const struct node_lane *lane)
{
	const uint32_t entries = atomic_load(&lane->entries);
	uint32_t waveform = IMAGE_NONE;

	for (uint32_t e = 0; e < entries && e < NODE_ENTRIES_MAX; e++) {
		if (atomic_load(&lane->entry[e].live) == 0)
			continue;
		if (waveform != IMAGE_NONE && waveform != lane->entry[e].waveform)
			return false;
		waveform = lane->entry[e].waveform;
	}
	return true;
}

static const struct node_timebase *timebase_of(const struct keeper *keeper)
{
	const uint32_t base = atomic_load(&keeper->lane->timebase);

	return base < NODE_TIMEBASES_MAX ? &keeper->exec->node->timebase[base] : NULL;
}

/* Without real-time rights a thread may well wait for its CPU for longer than a slot: no reason to kill it. */
static uint64_t guard_ns(const struct keeper *keeper)
{
	const struct node_timebase *base = timebase_of(keeper);
	const uint64_t slot_ns = base != NULL ? base->slot_ns : GUARD_ALONE_NS;
	const uint64_t least =
	    !keeper->realtime || alone(keeper->lane) ? GUARD_ALONE_NS : GUARD_MIN_NS;

	return slot_ns > least ? slot_ns : least;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Since when the holder of the baton has it, or should have taken it. */
static uint64_t held_since(const struct keeper *keeper, uint64_t baton)
{
	const struct node_timebase *base = timebase_of(keeper);
	const uint64_t since = atomic_load(&keeper->mine->image->since_ns);

	if ((baton & BATON_FRESH) && base != NULL && base->pace == IMAGE_RADIO)
		return clock_ns(); /* waits for a radio: as long as that takes */
	if ((baton & BATON_FRESH) && base != NULL)
		return later(keeper->seen_ns, base->start_ns + baton_slot(baton) * base->slot_ns);
	return since != 0 ? since : keeper->seen_ns;
}

/* All entries of its thread: the next one of a shared host would hang just the same. */
static void leave_seat(struct node_lane *lane, uint32_t seat)
{
	for (uint32_t e = 0; e < NODE_ENTRIES_MAX; e++)
		if (lane->entry[e].seat == seat)
			atomic_store(&lane->entry[e].live, 0);
}

static void pass_over(struct keeper *keeper, uint64_t baton, uint64_t held_ns)
{
	struct exec_lane *mine = keeper->mine;
	struct node_lane *lane = &keeper->exec->node->lane[keeper->number];
	const uint32_t seat = lane->entry[baton_entry(baton)].seat % NODE_ENTRIES_MAX;
	const pid_t tid = (pid_t)atomic_load(&mine->image->tid[seat]);
	uint64_t next;

	if (tid > 0)
		platform_demote(tid);
	leave_seat(lane, seat);
	atomic_store(&mine->image->since_ns, 0);
	next = lane_next(lane, baton);
	if (lane_pass(lane, mine->image, baton, next, IMAGE_NONE) != 0)
		return;
	keeper->baton = next;
	keeper->seen_ns = clock_ns();
	atomic_store(&mine->hung_ns, held_ns);
	atomic_store(&mine->hung, baton_entry(baton) + 1);
}

/* ---- holders without real-time priority ---------------------------------------------------------------------------------- */

static pid_t holder(const struct keeper *keeper, uint64_t baton)
{
	const uint32_t entry = baton_entry(baton) % NODE_ENTRIES_MAX;
	const uint32_t seat = atomic_load(&keeper->lane->entry[entry].seat) % NODE_ENTRIES_MAX;

	return (pid_t)atomic_load(&keeper->mine->image->tid[seat]);
}

/* A thread's CPU time, and whether it wants more; false where there is none. */
static bool thread_ran(pid_t tid, uint64_t *ret_ns, bool *ret_ready)
{
	char path[64];
	char state = 0;
	FILE *file;
	bool there;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)tid);
	file = fopen(path, "re");
	there = file != NULL && fscanf(file, "%" SCNu64, ret_ns) == 1;
	if (file != NULL)
		fclose(file);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	file = there ? fopen(path, "re") : NULL;
	there = file != NULL && fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
	if (file != NULL)
		fclose(file);
	*ret_ready = state == 'R';
	return there;
}

/* The same of who has the baton; false also of a thread with real-time priority, about which nobody needs to ask: this runs on
 * the lane's own CPU. */
static bool holder_ran(
    const struct keeper *keeper, uint64_t baton, uint64_t *ret_ns, bool *ret_ready)
{
	const pid_t tid = holder(keeper, baton);

	return tid > 0 && sched_getscheduler(tid) == SCHED_OTHER &&
	    thread_ran(tid, ret_ns, ret_ready);
}

static bool starves(const struct keeper *keeper, uint64_t baton, uint64_t guard)
{
	uint64_t ran = 0;
	bool ready = false;

	return holder_ran(keeper, baton, &ran, &ready) && ready && ran - keeper->ran_ns < guard / 2;
}

/* A stall of the machine shorter than STALL_NS beyond the guard looks like a hang, but for what comes next: its victim goes
 * on as soon as the keeper lets it have the CPU. */
static bool stays(const struct keeper *keeper, uint64_t baton)
{
	if (baton != atomic_load(&keeper->mine->image->baton))
		return false;
	clock_sleep_until(clock_ns() + DOUBT_NS);
	return baton == atomic_load(&keeper->mine->image->baton);
}

static void look(struct keeper *keeper, uint64_t guard)
{
	const uint64_t baton = atomic_load(&keeper->mine->image->baton), now = clock_ns();
	const uint32_t entry = baton_entry(baton);
	uint64_t from;

	if (baton != keeper->baton) {
		bool ready;

		keeper->baton = baton;
		keeper->seen_ns = now;
		if (!holder_ran(keeper, baton, &keeper->ran_ns, &ready))
			keeper->ran_ns = 0;
		/* Whoever handed it on may have died before the wake. */
		if (atomic_load(&keeper->mine->image->since_ns) == 0)
			lane_wake(keeper->lane, keeper->mine->image);
	}
	from = later(held_since(keeper, baton), keeper->excuse_ns);
	if (entry >= NODE_ENTRIES_MAX || !atomic_load(&keeper->lane->entry[entry].live))
		lane_tend(keeper->exec, keeper->number);
	else if (now >= from + guard && !starves(keeper, baton, guard) && stays(keeper, baton))
		pass_over(keeper, baton, now - from);
}

/* When the time of the one at work is over, not a whole guard later. */
static uint64_t next_look(const struct keeper *keeper, uint64_t guard)
{
	const uint64_t baton = atomic_load(&keeper->mine->image->baton), now = clock_ns();
	const uint64_t due = later(held_since(keeper, baton), keeper->excuse_ns) + guard + 10000;

	return due > now && due < now + guard ? due : now + guard;
}

static void *keeper_main(void *self)
{
	struct keeper keeper = *(struct keeper *)self;

	free(self);
	platform_pin(keeper.lane->cpu);
	keeper.realtime = platform_realtime(0, PLATFORM_PRIORITY_KEEPER) == 0;
	platform_no_slack();
	while (!atomic_load(&keeper.mine->keeper_quit)) {
		const uint64_t guard = guard_ns(&keeper), wake = next_look(&keeper, guard),
		               now = clock_ns();

		if (wake > now)
			futex_wait(&keeper.mine->keeper_quit, 0, wake - now);
		if (clock_ns() > wake + STALL_NS)
			keeper.excuse_ns = clock_ns();
		look(&keeper, guard);
	}
	return NULL;
}

int keeper_start(struct exec *exec, uint32_t lane)
{
	struct exec_lane *mine = &exec->lanes[lane];
	struct keeper *keeper = malloc(sizeof(*keeper));
	pthread_attr_t attr;
	int status;

	if (keeper == NULL)
		return -ENOMEM;
	*keeper = (struct keeper){
	    .exec = exec, .number = lane, .mine = mine, .lane = &exec->node->lane[lane]};
	atomic_store(&mine->keeper_quit, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 * 1024);
	status = pthread_create(&mine->keeper, &attr, keeper_main, keeper);
	pthread_attr_destroy(&attr);
	mine->has_keeper = status == 0;
	if (status != 0)
		free(keeper);
	return -status;
}

void keeper_stop(struct exec *exec, uint32_t lane)
{
	struct exec_lane *mine = &exec->lanes[lane];

	if (!mine->has_keeper)
		return;
	atomic_store(&mine->keeper_quit, 1);
	futex_wake(&mine->keeper_quit, 1);
	pthread_join(mine->keeper, NULL);
	mine->has_keeper = false;
}
