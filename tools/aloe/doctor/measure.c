/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/doctor/measure.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "tools/aloe/progress.h"

enum { GAP_NS = 1000, SLOT_NS = 1009000, GUARD_NS = 100000, NICE = -20 };

const unsigned measure_slots_us[] = {10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 20000};
const size_t n_measure_slots = sizeof(measure_slots_us) / sizeof(measure_slots_us[0]);

struct measure_watch { /* a thread's */
	pthread_t thread;
	bool started;
	struct measured *measured;
	uint64_t until_ns;
};

/* Reads the clock until then, and counts the gaps from `last` on: the last reading. */
static uint64_t read_until(struct measure_loop *loop, uint64_t last, uint64_t until_ns)
{
	uint64_t now;

	for (; last < until_ns; last = now) {
		now = clock_ns();
		if (now - last < loop->reading_ns)
			loop->reading_ns = now - last;
		if (now - last > GAP_NS)
			hist_add(&loop->gaps, now - last);
	}
	return last;
}

static bool loop_pinned(struct measure_loop *loop, int cpu)
{
	loop->reading_ns = UINT64_MAX;
	loop->error = platform_pin(cpu);
	return loop->error == 0;
}

static void *poll_main(void *self)
{
	const struct measure_watch *watch = self;
	struct measure_loop *loop = &watch->measured->loops[MEASURE_POLLING];
	uint64_t began;

	if (!loop_pinned(loop, watch->measured->cpu))
		return NULL;
	if (platform_may_poll(watch->measured->cpu, &loop->why_not))
		loop->why_not = NULL;
	loop->fifo = loop->why_not == NULL && platform_realtime(0, PLATFORM_PRIORITY_LANE) == 0;
	loop->nice = !loop->fifo && platform_nice(0, 0, NICE) == 0;
	began = clock_ns();
	loop->watched_ns = read_until(loop, began, watch->until_ns) - began;
	return NULL;
}

static void *timer_main(void *self)
{
	const struct measure_watch *watch = self;
	struct measure_loop *loop = &watch->measured->loops[MEASURE_TIMER];
	uint64_t edge = (clock_ns() / SLOT_NS + 2) * SLOT_NS;

	if (!loop_pinned(loop, watch->measured->cpu))
		return NULL;
	loop->fifo = platform_realtime(0, PLATFORM_PRIORITY_LANE) == 0;
	platform_no_slack();
	while (edge < watch->until_ns) {
		uint64_t now;

		clock_sleep_until(edge - GUARD_NS);
		now = clock_ns();
		hist_add(&loop->woken, now - (edge - GUARD_NS));
		while (now < edge)
			now = clock_ns();
		hist_add(&loop->late, now - edge);
		loop->watched_ns += read_until(loop, now, now + SLOT_NS / 2) - now;
		now = clock_ns();
		edge = now > edge + SLOT_NS ? (now / SLOT_NS + 1) * SLOT_NS : edge + SLOT_NS;
	}
	return NULL;
}

static void *(*const mains[MEASURE_KINDS])(void *) = {timer_main, poll_main};
static const char *const names[MEASURE_KINDS] = {"waking by the timer", "polling"};

static void loops_run(struct measure_watch *watches, size_t n, enum measure_kind kind, uint64_t ns,
    struct progress *progress)
{
	const uint64_t until_ns = clock_ns() + ns;

	for (size_t i = 0; i < n; i++) {
		struct measure_loop *loop = &watches[i].measured->loops[kind];

		loop->error = watches[i].measured->error;
		watches[i].until_ns = until_ns;
		if (loop->error == 0)
			loop->error =
			    -pthread_create(&watches[i].thread, NULL, mains[kind], &watches[i]);
		watches[i].started = loop->error == 0;
	}
	while (clock_ns() < until_ns) {
		const uint64_t next = clock_ns() + 200000000;

		clock_sleep_until(next < until_ns ? next : until_ns);
		progress_show(progress, "measuring the lanes' CPUs, %s", names[kind]);
	}
	for (size_t i = 0; i < n; i++)
		if (watches[i].started)
			pthread_join(watches[i].thread, NULL);
}

/* Who has a CPU's lock runs lanes there. */
static void lock_all(const cpu_set_t *cpus, struct measured *all, int *locks)
{
	struct platform_holder holder;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((size_t)cpu, cpus))
			continue;
		*locks = platform_lock_cpu(cpu, &holder);
		*all++ = (struct measured){.cpu = cpu, .error = *locks < 0 ? *locks : 0};
		locks++;
	}
}

static void run_all(struct measured *all, size_t n, double seconds, struct measure_watch *watches)
{
	const int awake = platform_wake_fast();
	struct progress progress;

	for (size_t i = 0; i < n; i++)
		watches[i].measured = &all[i];
	progress_init(&progress, false);
	for (int kind = 0; kind < MEASURE_KINDS; kind++)
		loops_run(watches, n, kind, (uint64_t)(seconds * 1e9 / MEASURE_KINDS), &progress);
	progress_clear(&progress);
	if (awake >= 0)
		close(awake);
}

/* Waits for the process; kills it where stop_fd can be read first. Its status. */
static int process_wait(pid_t pid, int stop_fd, bool *ret_stopped)
{
	struct pollfd fds[] = {
	    {.fd = pidfd_open(pid, 0), .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
	int status = 0;

	*ret_stopped = false;
	while (fds[0].fd >= 0 && poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (fds[0].fd >= 0 && fds[0].revents == 0 && fds[1].revents != 0) {
		*ret_stopped = true;
		kill(pid, SIGKILL);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (fds[0].fd >= 0)
		close(fds[0].fd);
	return status;
}

/* In a session of its own, as hosts are: there nice -20 counts against everybody (sched_autogroup),
 * and what threads are given ends with them. */
static int run_apart(
    const cpu_set_t *cpus, struct measured *all, size_t n, double seconds, int stop_fd)
{
	struct measure_watch *watches = calloc(n, sizeof(*watches));
	int *locks = calloc(n, sizeof(*locks)), status = 0;
	bool stopped = false;
	const pid_t pid = watches != NULL && locks != NULL ? fork() : -1;

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0ul, 0ul, 0ul);
		setsid();
		lock_all(cpus, all, locks);
		run_all(all, n, seconds, watches);
		_exit(0);
	}
	if (pid > 0)
		status = process_wait(pid, stop_fd, &stopped);
	free(locks);
	free(watches);
	return pid < 0 ? -ENOMEM : stopped ? -EINTR : status == 0 ? 0 : -ECHILD;
}

int measure(
    const cpu_set_t *cpus, double seconds, int stop_fd, struct measured **ret, size_t *ret_n)
{
	const size_t n = (size_t)CPU_COUNT(cpus), bytes = n * sizeof(struct measured);
	void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct measured *all = malloc(bytes);
	int rc = shared != MAP_FAILED && all != NULL ? run_apart(cpus, shared, n, seconds, stop_fd)
	                                             : -ENOMEM;

	if (rc == 0) {
		memcpy(all, shared, bytes);
		*ret = all;
		*ret_n = n;
	} else {
		free(all);
	}
	if (shared != MAP_FAILED)
		munmap(shared, bytes);
	return rc;
}

/* ---- what follows from it ---- */

static double middle_ns(uint32_t cell)
{
	return ((double)hist_cell_low(cell) + (double)hist_cell_high(cell)) / 2;
}

double measure_missed(const struct measure_loop *loop, uint64_t slot_ns)
{
	const uint64_t wakes = hist_count(&loop->late);
	double lost_ns = 0, share;

	for (uint32_t cell = hist_cell(slot_ns / 2) + 1; cell < HIST_CELLS; cell++)
		lost_ns += (double)hist_cells_get(&loop->gaps.cells, cell) *
		    (cell + 1 < HIST_CELLS ? middle_ns(cell) : (double)hist_max(&loop->gaps));
	share = loop->watched_ns > 0 ? lost_ns / (double)loop->watched_ns : 0;
	if (wakes > 0)
		share += (double)hist_above(&loop->late, slot_ns / 2) / (double)wakes;
	return share < 1 ? share : 1;
}

double measure_slots(const struct measure_loop *loop, uint64_t slot_ns)
{
	return (double)loop->watched_ns / (double)slot_ns;
}
