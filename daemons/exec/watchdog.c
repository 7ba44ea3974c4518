/* SPDX-License-Identifier: BSD-3-Clause
 *
 * watchdog.c - the watchdog thread of one lane, on the lane's own CPU, one priority above it. It
 * holds the baton against the rule of core/slot/baton.h: an impossible one is reset; a holder that
 * is overdue is demoted and passed over, and the main thread stops its waveform (findings.c).
 *
 * Nobody is stopped who did not get to run. While the watchdog sleeps for BATON_DOUBT_NS, a holder
 * that is ready has the CPU; if it has not, a thread that did run then is looked for among the
 * hosts of the lane, and its waveform is stopped instead. A holder without real-time priority may
 * have to wait for the CPU longer than the watchdog, which has it: as long as it is ready to run
 * and does not get to, nothing is held against it.
 *
 * When the watchdog itself was not woken in time the machine stood still, for everybody, and nobody
 * knows for how long before: whoever has the baton begins anew, once; after that only the time by
 * which the watchdog was late is not held against anyone. It says in the node image when it looks
 * next; if it does not, the threads of the lane and the second watchdog (second.c) know that
 * something is wrong with it.
 *
 * While a holder can harm nobody but its own waveform, the lane's threads put off its timer
 * (core/slot/lane.h), so that it looks when they have stopped doing so: not later than it would
 * have found the holder overdue. They are not trusted: it looks once in a second anyway. */
#include <errno.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "core/slot/lane.h"
#include "daemons/exec/exec.h"
#include "daemons/exec/tasks.h"

enum { STALL_NS = 300000, AT_WORK_NS = 1000000, PUT_OFF_NS = 1000000000 };

struct watchdog {
	struct exec *exec;
	uint32_t number;
	struct exec_lane *mine;
	struct node_lane *lane;
	struct baton_watch watch;
	uint64_t ran_ns; /* CPU time of the holder when its baton was seen first */
	uint64_t anew;   /* baton that began anew after a stall */
	bool realtime;
};

uint32_t holder_seat(const struct exec *exec, uint32_t lane, uint64_t baton)
{
	const uint32_t entry = baton_entry(baton);
	const uint32_t seat = entry < NODE_ENTRIES_MAX
	    ? atomic_load(&exec->node->lane[lane].entry[entry].seat)
	    : IMAGE_NONE;

	return seat < NODE_ENTRIES_MAX ? seat : IMAGE_NONE;
}

/* All entries of its waveforms: the next one of a shared host would hang just the same. All threads
 * of its process: which of them has the lane's CPU only that process knows. */
void seat_found(struct exec *exec, uint32_t lane, uint32_t seat, enum exec_found what,
    uint32_t entry, uint64_t ns)
{
	struct exec_finding *found = &exec->lanes[lane].found[seat];
	const uint64_t set = baton_entries(&exec->node->lane[lane], seat);

	for (uint32_t e = 0; e < NODE_ENTRIES_MAX; e++)
		if (set >> e & 1)
			atomic_store(&exec->node->lane[lane].entry[e].live, 0);
	tasks_demote(atomic_load(&exec->lanes[lane].pid[seat]));
	atomic_store(&found->entry, entry);
	atomic_store(&found->ns, ns);
	atomic_store(&found->what, what);
	tell_ring(exec->bell);
}

/* ---- who is at fault ------------------------------------------------------------------------ */

/* The thread that has the baton, by the lane image's word for it, if that is one of the host's. */
static bool holder_look(const struct watchdog *watchdog, struct exec_task *ret)
{
	const uint32_t seat = holder_seat(watchdog->exec, watchdog->number, watchdog->watch.baton);
	pid_t pid, tid;

	if (seat == IMAGE_NONE)
		return false;
	pid = atomic_load(&watchdog->mine->pid[seat]);
	tid = (pid_t)atomic_load(&watchdog->mine->image->tid[seat]);
	return platform_has_thread(pid, tid) && task_look(pid, tid, ret);
}

/* Without real-time priority: it wants the CPU, and has not had half of the time. */
static bool holder_starves(const struct watchdog *watchdog, uint64_t bound)
{
	struct exec_task task;

	return holder_look(watchdog, &task) && platform_priority(task.tid) == 0 && task.ready &&
	    task.ran_ns - watchdog->ran_ns < bound / 2;
}

static size_t all_look(const struct watchdog *watchdog, struct exec_task *ret)
{
	size_t n = 0;

	for (uint32_t seat = 0; seat < NODE_ENTRIES_MAX; seat++) {
		const pid_t pid = atomic_load(&watchdog->mine->pid[seat]);

		if (pid > 0)
			n += tasks_look(pid, ret + n, TASKS_MAX - n);
	}
	return n;
}

static uint32_t seat_of_pid(const struct watchdog *watchdog, pid_t pid)
{
	for (uint32_t seat = 0; seat < NODE_ENTRIES_MAX; seat++)
		if (atomic_load(&watchdog->mine->pid[seat]) == pid)
			return seat;
	return IMAGE_NONE;
}

/* The seat whose process had the lane's CPU for most of the time in which the watchdog slept;
 * IMAGE_NONE: none of the hosts. */
static uint32_t who_runs(const struct watchdog *watchdog)
{
	struct exec_task before[TASKS_MAX], after[TASKS_MAX];
	const size_t n = all_look(watchdog, before);
	size_t m;

	clock_sleep_until(clock_ns() + BATON_DOUBT_NS);
	m = all_look(watchdog, after);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			if (before[i].tid == after[j].tid && after[j].cpu == watchdog->lane->cpu &&
			    after[j].ran_ns - before[i].ran_ns > BATON_DOUBT_NS / 2)
				return seat_of_pid(watchdog, after[j].pid);
	return IMAGE_NONE;
}

enum verdict { WENT_ON, HOLDS, EXCUSED, ANOTHER };

/* A stall of the machine shorter than STALL_NS beyond the bound looks like a hang, but for what
 * comes next: its victim goes on as soon as the watchdog lets it have the CPU. */
static enum verdict holder_judge(const struct watchdog *watchdog, uint32_t *ret_seat)
{
	const uint32_t seat = holder_seat(watchdog->exec, watchdog->number, watchdog->watch.baton);
	struct exec_task before, after;
	const bool known = holder_look(watchdog, &before);

	clock_sleep_until(clock_ns() + BATON_DOUBT_NS);
	if (atomic_load(&watchdog->mine->image->baton) != watchdog->watch.baton)
		return WENT_ON;
	if (!known || !holder_look(watchdog, &after) || !after.ready ||
	    after.cpu != watchdog->lane->cpu || after.ran_ns - before.ran_ns >= BATON_DOUBT_NS / 2)
		return HOLDS;
	*ret_seat = who_runs(watchdog);
	if (atomic_load(&watchdog->mine->image->baton) != watchdog->watch.baton)
		return WENT_ON;
	return *ret_seat == IMAGE_NONE ? EXCUSED : *ret_seat == seat ? HOLDS : ANOTHER;
}

static void pass_over(struct watchdog *watchdog, uint64_t held_ns)
{
	const uint64_t baton = watchdog->watch.baton;
	const uint32_t seat = holder_seat(watchdog->exec, watchdog->number, baton);
	const uint64_t next = baton_next(
	    watchdog->lane, baton, seat == IMAGE_NONE ? 0 : baton_entries(watchdog->lane, seat));

	if (lane_take_on(watchdog->lane, watchdog->mine->image, baton, next) == 0 &&
	    seat != IMAGE_NONE)
		seat_found(watchdog->exec, watchdog->number, seat, FOUND_HOLDS, baton_entry(baton),
		    held_ns);
}

static void holder_overdue(struct watchdog *watchdog, uint64_t bound)
{
	const uint64_t held =
	    clock_ns() - baton_held(watchdog->exec->node, watchdog->number, &watchdog->watch);
	uint32_t seat = IMAGE_NONE;
	enum verdict verdict;

	if (holder_starves(watchdog, bound))
		return;
	verdict = holder_judge(watchdog, &seat);
	if (verdict == HOLDS)
		pass_over(watchdog, held);
	else if (verdict == ANOTHER)
		seat_found(
		    watchdog->exec, watchdog->number, seat, FOUND_TAKES_CPU, BATON_NOBODY, held);
	if (verdict == ANOTHER || verdict == EXCUSED) /* whoever has the baton begins anew */
		watchdog->watch.stalled_ns += held;
}

/* ---- the thread ------------------------------------------------------------------------ */

static enum baton_state holder_see(struct watchdog *watchdog, uint64_t bound)
{
	return baton_look(
	    watchdog->exec->node, watchdog->number, watchdog->mine->image, &watchdog->watch, bound);
}

static void stall_excuse(struct watchdog *watchdog, uint64_t late_ns)
{
	struct baton_watch *watch = &watchdog->watch;
	const uint64_t held = baton_held(watchdog->exec->node, watchdog->number, watch),
	               now = clock_ns();

	if (watchdog->anew == watch->baton)
		watch->stalled_ns += late_ns;
	else if (now > held)
		watch->stalled_ns += now - held;
	watchdog->anew = watch->baton;
}

/* late_ns: by which it was not woken in time; 0: it was. */
static void holder_watch(struct watchdog *watchdog, uint64_t bound, uint64_t late_ns)
{
	const uint64_t before = watchdog->watch.baton;
	enum baton_state state = holder_see(watchdog, bound);

	if (late_ns > 0) {
		stall_excuse(watchdog, late_ns);
		state = holder_see(watchdog, bound);
	}
	if (before != watchdog->watch.baton) {
		struct exec_task task = {.ran_ns = 0};

		if (!watchdog->realtime) /* this runs on the lane's own CPU */
			holder_look(watchdog, &task);
		watchdog->ran_ns = task.ran_ns;
	}
	/* Whoever handed it on may have died before the wake, or somebody has written over the
	 * word. A thread that is alone may sleep with a fresh baton of its own, whose slot did not
	 * exist yet (core/slot/lane.c): nobody hands it on, so a second look wakes it. */
	if ((atomic_load(&watchdog->lane->entries) > 1 ||
	        (before == watchdog->watch.baton && before & BATON_FRESH)) &&
	    !baton_at_work(watchdog->mine->image, watchdog->watch.baton))
		lane_rouse(watchdog->exec, watchdog->number);
	if (state == BATON_OVERDUE)
		holder_overdue(watchdog, bound);
	else
		lane_tend(watchdog->exec, watchdog->number);
}

/* When the time of the one at work is over, not a whole bound later. */
static uint64_t next_look(const struct watchdog *watchdog, uint64_t bound)
{
	const uint64_t now = clock_ns();
	const uint64_t due =
	    baton_held(watchdog->exec->node, watchdog->number, &watchdog->watch) + bound + 10000;

	return due > now && due < now + bound ? due : now + bound;
}

/* Where slots are too short to sleep between them, and with a radio, nobody puts it off. */
static bool may_be_put_off(const struct watchdog *watchdog)
{
	const struct node_timebase *base = baton_timebase(watchdog->exec->node, watchdog->number);

	return base != NULL && base->pace == IMAGE_TIMER && !lane_polls(base->slot_ns) &&
	    baton_harmless(watchdog->exec->node, watchdog->number,
	        atomic_load(&watchdog->mine->image->baton), watchdog->realtime) &&
	    lane_has_live(watchdog->lane);
}

/* The second watchdog has to know whose timers it looks at. */
static void put_off_tell(const struct watchdog *watchdog, bool put_off)
{
	if (atomic_exchange(&watchdog->mine->put_off, put_off) != put_off)
		second_look(watchdog->exec);
}

static uint64_t later_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Later than its timer was due or its time was over, and not before it slept: the lane's threads
 * can set the timer to any time. */
static uint64_t late_by(
    const struct watchdog *watchdog, bool put_off, uint64_t slept_ns, uint64_t wake)
{
	const uint64_t due = put_off ? bed_late(&watchdog->mine->bed) : 0, now = clock_ns(),
	               late = later_of(due, now > wake ? now - wake : 0);

	if (late <= STALL_NS)
		return 0;
	return late < now - slept_ns ? late : now - slept_ns;
}

static void *watchdog_main(void *self)
{
	struct watchdog watchdog = *(struct watchdog *)self;
	uint64_t late_ns = 0;

	free(self);
	/* in this order: on the CPU of a holder that does not let go of it a thread without
	 * priority would not get to ask for one */
	watchdog.realtime = !watchdog.exec->daemon.args.shared &&
	    platform_realtime(0, PLATFORM_PRIORITY_WATCHDOG) == 0;
	platform_pin(watchdog.lane->cpu);
	platform_no_slack();
	while (!atomic_load(&watchdog.mine->watchdog_ends)) {
		const uint64_t bound = baton_bound(watchdog.exec->node, watchdog.number,
		    atomic_load(&watchdog.mine->image->baton), watchdog.realtime);
		uint64_t wake, slept_ns;
		bool put_off;
		int timer;

		/* before it says for how long nobody else needs to: the holder that it finds may
		 * have been overdue since an earlier exec was killed */
		atomic_store(&watchdog.lane->watched_ns, clock_ns() + AT_WORK_NS);
		atomic_fetch_add(&watchdog.mine->looks, 1);
		holder_watch(&watchdog, bound, late_ns);
		wake = lane_has_live(watchdog.lane) ? next_look(&watchdog, bound)
		                                    : clock_ns() + NOBODY_NS;
		put_off = may_be_put_off(&watchdog);
		if (put_off) {
			bed_set(&watchdog.mine->bed, wake);
			wake = later_of(wake, clock_ns() + PUT_OFF_NS);
		}
		put_off_tell(&watchdog, put_off);
		atomic_store(&watchdog.lane->watched_ns, wake);
		second_put_off(watchdog.exec);
		timer = watchdog.mine->bed.timer;
		slept_ns = clock_ns();
		bed_sleep(&watchdog.mine->bed, &timer, put_off, wake);
		late_ns = late_by(&watchdog, put_off, slept_ns, wake);
	}
	return NULL;
}

int watchdog_start(struct exec *exec, uint32_t lane)
{
	struct exec_lane *mine = &exec->lanes[lane];
	struct watchdog *watchdog;
	pthread_attr_t attr;
	int status = bed_make(&mine->bed);

	if (status != 0)
		return status;
	watchdog = malloc(sizeof(*watchdog));
	if (watchdog == NULL)
		return -ENOMEM;
	*watchdog = (struct watchdog){.exec = exec,
	    .number = lane,
	    .mine = mine,
	    .lane = &exec->node->lane[lane],
	    .anew = IMAGE_FOREVER};
	atomic_store(&mine->watchdog_ends, false);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 * 1024);
	status = pthread_create(&mine->watchdog, &attr, watchdog_main, watchdog);
	pthread_attr_destroy(&attr);
	mine->has_watchdog = status == 0;
	if (status != 0)
		free(watchdog);
	return -status;
}

void watchdog_stop(struct exec *exec, uint32_t lane)
{
	struct exec_lane *mine = &exec->lanes[lane];

	if (!mine->has_watchdog)
		return;
	atomic_store(&mine->watchdog_ends, true);
	bed_ring(&mine->bed);
	pthread_join(mine->watchdog, NULL);
	mine->has_watchdog = false;
	atomic_store(&mine->put_off, false);
	atomic_store(&exec->node->lane[lane].watched_ns, 0);
}
