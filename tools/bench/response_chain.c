/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/platform/platform.h"
#include "tools/bench/response_stalls.h"

#define CPU_GROUPS "/sys/fs/cgroup/cpu"
#define SCOPE "aloe-scope.response."
#define CAP_RECORDS "/run/aloe.cap"
#define PHYSICAL_SHARE 0.77 /* of the work; the rest is the higher layer's */
enum { LOOK_MS = 20 };
#define JUDGE_LOOKS 10 /* the kernel's records reach back some seconds */

enum { PROCESSES_MAX = 16, PRIORITY = PLATFORM_PRIORITY_LANE };

/* The word of each process counts the subframes that it may begin. */
struct response_shared {
	_Atomic uint32_t go[RESPONSE_STAGES];
	_Atomic uint64_t cpu_ns[RESPONSE_STAGES]; /* CPU time of each up to its last word */
	_Atomic int error;
	struct response_result result;
	struct stall_queue queue;
};

struct response_trial {
	const struct response_cell *cell;
	struct response_shared *shared;
	const struct response_core *core;
	uint64_t subframes;
	double work_us;
	int signal_fd;
	char group[128];
	pid_t pids[PROCESSES_MAX], chain[RESPONSE_STAGES];
	size_t n;
	struct stalls *stalls;
	struct response_result *verdict; /* the parent's part of the result */
};

/* ---- work ------------------------------------------------------------------------ */

/* Of the work in a subframe. */
static double stage_share(enum response_stage stage)
{
	return stage == RESPONSE_STAGE_PHYSICAL ? PHYSICAL_SHARE
	    : stage == RESPONSE_STAGE_HIGHER    ? 1 - PHYSICAL_SHARE
	                                        : 0;
}

static void stage_work(const struct response_trial *r, enum response_stage stage)
{
	response_work((uint64_t)((double)r->core->rounds * r->work_us * 1e-3 * stage_share(stage)));
}

/* ---- the chain ------------------------------------------------------------------------ */

static void word_raise(_Atomic uint32_t *word)
{
	atomic_fetch_add(word, 1);
	futex_wake(word, 1);
}

static void word_await(_Atomic uint32_t *word, uint32_t seen)
{
	while (atomic_load(word) == seen)
		futex_wait(word, seen, 0);
}

static void cpu_tell(struct response_trial *r, enum response_stage stage)
{
	struct timespec cpu;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	atomic_store(
	    &r->shared->cpu_ns[stage], (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec);
}

/* The CPU time of the whole chain; the interface asks. Between two of its questions the others may
 * have fallen asleep and woken up beside their work. */
static uint64_t chain_cpu_ns(struct response_trial *r)
{
	uint64_t sum = 0;

	cpu_tell(r, RESPONSE_STAGE_INTERFACE);
	for (int stage = 0; stage < RESPONSE_STAGES; stage++)
		sum += atomic_load(&r->shared->cpu_ns[stage]);
	return sum;
}

static void stage_loop(struct response_trial *r, enum response_stage stage)
{
	const enum response_stage next =
	    stage == RESPONSE_STAGE_PHYSICAL ? RESPONSE_STAGE_HIGHER : RESPONSE_STAGE_INTERFACE;

	for (uint32_t seen = 0;; seen++) {
		word_await(&r->shared->go[stage], seen);
		stage_work(r, stage);
		cpu_tell(r, stage);
		word_raise(&r->shared->go[next]);
	}
}

static uint64_t work_ns(const struct response_trial *r)
{
	return (uint64_t)(r->work_us * 1e3);
}

static uint64_t tick_after(uint64_t ns, unsigned hz)
{
	const uint64_t tick = hz > 0 ? 1000000000ull / hz : 1;

	return (ns + tick - 1) / tick * tick;
}

/* One subframe that begins at edge_ns; true: it was answered. An interface that comes when the
 * answer is due already has not answered: it is late as if the work were done. */
static bool subframe_answer(
    struct response_trial *r, uint64_t edge_ns, uint32_t seen, struct stall_late *late)
{
	const uint64_t due = edge_ns + RESPONSE_DUE_NS - RESPONSE_TRANSFER_NS;

	if (clock_ns() < late->wake_ns)
		clock_sleep_until(late->wake_ns);
	late->woke_ns = late->end_ns = clock_ns();
	if (late->end_ns >= due) {
		late->late_ns = late->end_ns - due + work_ns(r) + 1;
		return false;
	}
	word_raise(&r->shared->go[RESPONSE_STAGE_PHYSICAL]);
	word_await(&r->shared->go[RESPONSE_STAGE_INTERFACE], seen);
	late->end_ns = clock_ns();
	late->late_ns = late->end_ns > due ? late->end_ns - due : 0;
	hist_add(&r->shared->result.ns, late->end_ns + RESPONSE_TRANSFER_NS - edge_ns);
	return true;
}

/* true: it was answered. */
static bool subframe_run(struct response_trial *r, uint64_t n, uint64_t edge_ns, uint32_t seen)
{
	struct response_result *result = &r->shared->result;
	const uint64_t due = edge_ns + RESPONSE_DUE_NS - RESPONSE_TRANSFER_NS;
	struct stall_late late = {.subframe = n,
	    .from_ns = clock_ns(),
	    .wake_ns = tick_after(edge_ns + RESPONSE_TRANSFER_NS, r->cell->hz),
	    .work_ns = work_ns(r),
	    .slowed = r->core->slowed,
	    .apart = r->cell->shield};
	const uint64_t cpu_ns = chain_cpu_ns(r);
	bool ran;

	if (due > late.wake_ns + work_ns(r))
		late.slack_ns = due - late.wake_ns - work_ns(r);
	ran = subframe_answer(r, edge_ns, seen, &late);
	late.cpu_ns = chain_cpu_ns(r) - cpu_ns;
	result->failed += late.late_ns > 0;
	result->subframes++;
	if (late.late_ns > 0)
		stall_put(&r->shared->queue, &late);
	return ran;
}

static void interface_loop(struct response_trial *r)
{
	const uint64_t first = clock_ns() + 4 * RESPONSE_SUBFRAME_NS;
	uint32_t seen = 0;

	platform_no_slack();
	for (uint64_t n = 0; n < r->subframes; n++)
		seen += subframe_run(r, n, first + n * RESPONSE_SUBFRAME_NS, seen);
}

/* ---- processes ------------------------------------------------------------------------ */

static void cpu_keep(bool last)
{
	const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int cpu = 0; cpu < cpus; cpu++)
		if ((cpu == cpus - 1) == last)
			CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void busy_loop(const struct response_trial *r)
{
	prctl(PR_SET_NAME, "disturber", 0ul, 0ul, 0ul); /* none of ALOE: the cap is for it */
	if (r->cell->shield)
		cpu_keep(false);
	for (;;)
		response_work(1 << 20);
}

static void stage_main(struct response_trial *r, enum response_stage stage)
{
	const bool fifo = r->cell->fifo == RESPONSE_CHAIN ||
	    (r->cell->fifo == RESPONSE_INTERFACE && stage == RESPONSE_STAGE_INTERFACE);

	if (r->cell->shield)
		cpu_keep(true);
	if (fifo && platform_realtime(0, PRIORITY) < 0)
		atomic_store(&r->shared->error, EPERM);
	else if (stage == RESPONSE_STAGE_INTERFACE)
		interface_loop(r);
	else
		stage_loop(r, stage);
	_exit(0);
}

/* The parent gets the pid; a child does not come back. */
static pid_t process_start(struct response_trial *r, int stage)
{
	const pid_t pid = fork();

	if (pid != 0) {
		if (pid > 0)
			r->pids[r->n++] = pid;
		if (pid > 0 && stage >= 0)
			r->chain[stage] = pid;
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0ul, 0ul, 0ul);
	if (stage < 0)
		busy_loop(r);
	stage_main(r, (enum response_stage)stage);
	_exit(0);
}

/* ---- the cap: that of `aloe cap`, in a control group of our own ---- */

static int pid_put(const char *group, pid_t pid)
{
	char path[PATH_MAX], text[32];
	FILE *file;
	int rc = path_print(path, sizeof(path), "%s/cgroup.procs", group);

	if (rc < 0 || !(file = fopen(path, "we")))
		return rc < 0 ? rc : -errno;
	snprintf(text, sizeof(text), "%d\n", (int)pid);
	rc = fputs(text, file) < 0 ? -EIO : 0;
	return fclose(file) != 0 ? -errno : rc;
}

/* In the group, so that the command sees it as the bound of what it may touch. */
static int cap_command(const struct response_trial *r, const char *what)
{
	char aloe[PATH_MAX], period[32];
	int rc = child_path("aloe", aloe, sizeof(aloe)), status = -1;
	pid_t pid;

	if (rc < 0)
		return rc;
	snprintf(period, sizeof(period), "%u", r->cell->period_us > 0 ? r->cell->period_us : 1000);
	pid = fork();
	if (pid == 0) {
		if (pid_put(r->group, getpid()) < 0 || !freopen("/dev/null", "w", stdout))
			_exit(1);
		execl(aloe, "aloe", "cap", what, "--slot-us", period, (char *)NULL);
		_exit(1);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ENOTSUP;
}

/* The record of the cap has the name of the group. */
static void cap_off(struct response_trial *r)
{
	static const char *const endings[] = {"json", "lock"};
	char path[PATH_MAX];

	if (r->group[0] == 0)
		return;
	cap_command(r, "off");
	rmdir(r->group);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (path_print(path, sizeof(path), CAP_RECORDS "%s.%s", strrchr(r->group, '/'),
		        endings[i]) == 0)
			unlink(path);
}

/* What a run has left that was killed. */
static void scopes_sweep(void)
{
	DIR *all = opendir(CPU_GROUPS);
	const struct dirent *one;

	while (all && (one = readdir(all))) {
		struct response_trial killed = {.cell = &(struct response_cell){.loops = 0}};
		pid_t pid = 0;

		if (strncmp(one->d_name, SCOPE, strlen(SCOPE)) == 0)
			pid = (pid_t)strtol(one->d_name + strlen(SCOPE), NULL, 10);
		if (pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(killed.group, sizeof(killed.group), CPU_GROUPS "/" SCOPE "%d", (int)pid);
		cap_off(&killed);
	}
	if (all)
		closedir(all);
}

static int cap_on(struct response_trial *r)
{
	char percent[32];

	scopes_sweep();
	snprintf(r->group, sizeof(r->group), CPU_GROUPS "/" SCOPE "%d", (int)getpid());
	if (mkdir(r->group, 0755) < 0)
		return r->group[0] = 0, -ENOTSUP;
	for (size_t i = 0; i < r->n; i++) /* so far there are only the loops */
		if (pid_put(r->group, r->pids[i]) < 0)
			return -ENOTSUP;
	snprintf(percent, sizeof(percent), "%g", r->cell->quota);
	return cap_command(r, percent);
}

/* ---- a cell ------------------------------------------------------------------------ */

static void processes_end(struct response_trial *r)
{
	for (size_t i = 0; i < r->n; i++)
		kill(r->pids[i], SIGKILL);
	for (size_t i = 0; i < r->n; i++)
		while (waitpid(r->pids[i], NULL, 0) < 0 && errno == EINTR)
			;
}

/* CPU time of the loops, which were started first. */
static double loops_ns(const struct response_trial *r)
{
	double sum = 0;

	for (unsigned i = 0; i < r->cell->loops && i < r->n; i++) {
		struct timespec used;
		clockid_t clock;

		if (clock_getcpuclockid(r->pids[i], &clock) == 0 &&
		    clock_gettime(clock, &used) == 0)
			sum += (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
	}
	return sum;
}

/* One of the processes that has ended, which is then none of those that are to be ended; 0: none
 * has. */
static pid_t ended_take(struct response_trial *r, int *ret_status)
{
	for (size_t i = 0; i < r->n; i++) {
		const pid_t pid = r->pids[i];

		if (waitpid(pid, ret_status, WNOHANG) == 0)
			continue;
		memmove(&r->pids[i], &r->pids[i + 1], (--r->n - i) * sizeof(r->pids[0]));
		return pid;
	}
	return 0;
}

/* The interface writes its part of the shared result, so this part is the parent's. */
static void stalls_judge(struct response_trial *r)
{
	stalls_take(r->stalls, r->chain, &r->shared->queue, r->verdict);
}

/* The interface, the last process, ends when all subframes are over. It would wait for another one
 * that has ended. */
static int chain_wait(struct response_trial *r)
{
	const pid_t interface = r->pids[r->n - 1];
	struct pollfd signal = {.fd = r->signal_fd, .events = POLLIN};
	int status = 0;
	pid_t ended;

	for (unsigned looks = 1; (ended = ended_take(r, &status)) == 0; looks++) {
		if (poll(&signal, 1, LOOK_MS) > 0)
			return -EINTR;
		if (looks % JUDGE_LOOKS == 0)
			stalls_judge(r);
	}
	stalls_judge(r);
	if (atomic_load(&r->shared->error) != 0)
		return -atomic_load(&r->shared->error);
	return ended == interface && WIFEXITED(status) ? 0 : -ECHILD;
}

static int cell_run(struct response_trial *r)
{
	uint64_t began;
	double had;
	int rc = 0;

	for (unsigned i = 0; i < r->cell->loops && rc == 0; i++)
		rc = process_start(r, -1) < 0 ? -errno : 0;
	if (rc == 0 && r->cell->quota > 0)
		rc = cap_on(r);
	if (rc < 0)
		return rc;
	if (process_start(r, RESPONSE_STAGE_PHYSICAL) < 0 ||
	    process_start(r, RESPONSE_STAGE_HIGHER) < 0)
		return -EAGAIN;
	if (process_start(r, RESPONSE_STAGE_INTERFACE) < 0)
		return -EAGAIN;
	had = loops_ns(r);
	began = clock_ns();
	rc = chain_wait(r);
	r->shared->result.loops_ns = loops_ns(r) - had;
	r->shared->result.all_ns =
	    (double)(clock_ns() - began) * (double)sysconf(_SC_NPROCESSORS_ONLN);
	return rc;
}

static void chain_result_take(const struct response_trial *r, struct response_result *ret)
{
	ret->subframes = r->shared->result.subframes;
	ret->failed = r->shared->result.failed;
	ret->loops_ns = r->shared->result.loops_ns;
	ret->all_ns = r->shared->result.all_ns;
	ret->ns = r->shared->result.ns;
}

int response_run(const struct response_cell *cell, const struct response_core *core, double work_us,
    uint64_t subframes, int signal_fd, struct response_result *ret)
{
	struct response_trial r = {.cell = cell,
	    .core = core,
	    .work_us = work_us,
	    .subframes = subframes,
	    .signal_fd = signal_fd,
	    .verdict = ret};
	int rc;

	r.shared = mmap(
	    NULL, sizeof(*r.shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.shared == MAP_FAILED)
		return -errno;
	*ret = (struct response_result){0};
	r.stalls = stalls_open(&ret->why_not);
	rc = cell_run(&r);
	processes_end(&r);
	cap_off(&r);
	stalls_close(r.stalls);
	chain_result_take(&r, ret);
	munmap(r.shared, sizeof(*r.shared));
	return rc;
}
