/* SPDX-License-Identifier: BSD-3-Clause
 * daemons/exec/watchdog.c, while its timer is put off: nobody is stopped for a stall of the
 * machine, and who hangs beside a stall is found all the same. The machine that stalls is a process
 * of its own, which is stopped and goes on. A try on a machine that is too busy for it is void:
 * what was to happen before the stall came too late, or the holder itself did after it. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/slot/lane.h"
#include "daemons/exec/exec.h"

enum { MS = 1000000, SLOT_NS = 400 * MS, SLOTS = 100, WATCHDOG_S = 60 };

enum end { UNHARMED = 1, FOUND, LOST, VOID };

/* From the edge on; the bound is a slot. */
enum { LANE_LOOK_NS = 100 * MS, GO_ON_NS = SLOT_NS + 200 * MS };

struct world { /* both processes have it */
	struct node_image node;
	struct exec exec;
	struct lane_image image;
	uint64_t edge;
	_Atomic uint64_t at_work, goes_on_ns; /* != 0: so far it is */
};

static void at_work(struct world *w)
{
	atomic_store(&w->image.since, since_make(w->edge + 128, SINCE_AT_WORK, 0));
	atomic_store(&w->image.baton, baton_make(SLOTS, 0, 0));
}

/* Entry 0 waits for its slot. */
static struct world *world_new(void)
{
	struct world *w =
	    mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(w != MAP_FAILED);
	w->edge = clock_ns() + 100 * MS;
	w->exec.node = &w->node;
	w->exec.daemon.args.shared = true;
	w->exec.lanes[0].image = &w->image;
	w->node.n_lanes = 1;
	w->node.timebase[0].pace = IMAGE_TIMER;
	w->node.timebase[0].slot_ns = SLOT_NS;
	atomic_store(&w->node.timebase[0].start_ns, w->edge - (uint64_t)SLOTS * SLOT_NS);
	atomic_store(&w->node.lane[0].entries, 1);
	atomic_store(&w->node.lane[0].entry[0].live, 1);
	atomic_store(&w->image.baton, baton_make(SLOTS, BATON_FRESH, 0));
	return w;
}

static uint64_t looks(const struct world *w)
{
	return atomic_load(&w->exec.lanes[0].looks);
}

static bool found(const struct world *w)
{
	return atomic_load(&w->exec.lanes[0].found[0].what) != FOUND_NOTHING;
}

/* Until the watchdog has looked so often and sleeps: after a look it says when the next one is. Who
 * has found a holder, because this thread had no CPU meanwhile, looks again and again. */
static void looks_await(const struct world *w, uint64_t n)
{
	while (looks(w) < n ||
	    (!found(w) && atomic_load(&w->node.lane[0].watched_ns) < clock_ns() + 10 * MS))
		clock_sleep_until(clock_ns() + MS);
}

/* by_lane: the watchdog slept when the slot began, and the lane's thread has put off its timer;
 * otherwise it has looked since and set the timer itself. */
static bool slot_begin(struct world *w, bool by_lane)
{
	if (by_lane) {
		if (watchdog_start(&w->exec, 0) != 0)
			return false;
		looks_await(w, 1);
	}
	clock_sleep_until(w->edge);
	if (by_lane)
		lane_timer_set(w->exec.lanes[0].bed.timer, w->edge + LANE_LOOK_NS);
	at_work(w);
	if (!by_lane) {
		if (watchdog_start(&w->exec, 0) != 0)
			return false;
		looks_await(w, 1);
	}
	atomic_store(&w->at_work, 1);
	return true;
}

/* The machine. hangs: after the stall, too; if not, the holder goes on in half of its time. */
static enum end machine(struct world *w, bool by_lane, bool hangs)
{
	alarm(WATCHDOG_S);
	if (!slot_begin(w, by_lane))
		return LOST;
	while (atomic_load(&w->goes_on_ns) == 0)
		clock_sleep_until(clock_ns() + MS);
	looks_await(w, 2);
	while (hangs && !found(w))
		clock_sleep_until(clock_ns() + MS);
	if (hangs)
		return FOUND;
	atomic_store(&w->image.baton, baton_make(SLOTS + 1, BATON_FRESH, 0));
	if (clock_ns() > atomic_load(&w->goes_on_ns) + SLOT_NS / 2)
		return VOID;
	return found(w) ? FOUND : UNHARMED;
}

/* Stopped while the watchdog sleeps for the first time in the slot; false: it was too late. */
static bool machine_stop(const struct world *w, pid_t pid)
{
	int status;

	while (atomic_load(&w->at_work) == 0 && waitpid(pid, &status, WNOHANG) == 0)
		clock_sleep_until(clock_ns() + MS);
	assert_int_equal(atomic_load(&w->at_work), 1);
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	return looks(w) == 1;
}

static enum end machine_try(bool by_lane, bool hangs)
{
	struct world *w = world_new();
	const pid_t pid = fork();
	enum end end = VOID;
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(machine(w, by_lane, hangs));
	if (machine_stop(w, pid)) {
		clock_sleep_until(w->edge + GO_ON_NS);
		atomic_store(&w->goes_on_ns, clock_ns());
		kill(pid, SIGCONT);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		end = (enum end)WEXITSTATUS(status);
	} else {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	munmap(w, sizeof(*w));
	return end;
}

static enum end machine_run(bool by_lane, bool hangs)
{
	enum end end;

	do
		end = machine_try(by_lane, hangs);
	while (end == VOID);
	return end;
}

static void test_a_stall(void **state)
{
	(void)state;
	assert_int_equal(machine_run(false, false), UNHARMED);
	assert_int_equal(machine_run(true, false), UNHARMED);
}

static void test_a_hang_beside_a_stall(void **state)
{
	(void)state;
	assert_int_equal(machine_run(false, true), FOUND);
	assert_int_equal(machine_run(true, true), FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_stall),
	    cmocka_unit_test(test_a_hang_beside_a_stall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
