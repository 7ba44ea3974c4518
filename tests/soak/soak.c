/* SPDX-License-Identifier: BSD-3-Clause
 * Endurance: a node under changes and kills for as long as SOAK_SECONDS says, half of it on the
 * virtual clock and half on the timer. `make soak HOURS=8`.
 *
 *   round   20 changes (tests/faults/changes.h: set, set at an index, arrays, remap, pause, load,
 *           unload); each fifth one the host of `extras` is killed as well; `aloe upgrade` where
 *           there is one; then memory and descriptors of each process are read
 *   era     an hour, or all of a shorter run: after its first round exec is killed in the midst of
 *           a remap, and then each daemon, one after another; on the timer a slot is made late
 *   calm    the last third of a clock's time, and CALM_ROUNDS rounds at least: nothing is killed
 *
 * What `steady`, `marks` and `noisy` must show is that of changes.h. Memory (Rss of smaps_rollup)
 * and descriptors of a process must not grow after it is warm: after ten rounds and ten minutes, or
 * a tenth of this clock's time if that is less than ten minutes. No descriptor is allowed then, and
 * 1 % of memory at most; in less than ten minutes 512 kB if that is more, because what a process
 * does for the first time takes pages. The slot that is made late is such a first time: of it
 * aloe-exec copies the kernel's records and names. What it keeps of slots that are late is no
 * growth, because how many come is the machine's doing: of each waveform the records of the last
 * ones, and the calls of fewer (daemons/exec/misses.h). A process that seems to grow is read again
 * after a second. Of each program one process at least must have been watched for long enough.
 *
 * Round r and era e draw from seeds that follow from SEED, r and e alone: a run with the same SEED
 * makes the same changes in the same order. SOAK_ROUND=r begins with round r. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"
#include "daemons/exec/misses.h"
#include "tests/faults/changes.h"

enum {
	ROUND_CHANGES = 20,
	HOST_KILL_EVERY = 5,
	LIVES_MAX = 512,
	WARM_S = 600,
	WARM_ROUNDS = 10,
	CALM_ROUNDS = WARM_ROUNDS + 5,
	ERA_S = 3600,
	SHORT_KB = 512,
	RECORD_KB = (sizeof(struct exec_miss) + 1023) / 1024,
	CALLS_KB = (sizeof(struct exec_calls) + 1023) / 1024,
	THEFTS = 50,
	THEFT_PRIORITY = 80, /* above lanes, watchdogs, and those who look for stalls */
	THEFT_NS = CHANGES_SLOT_NS + CHANGES_SLOT_NS / 2,
	NAP_US = 2000,
};

#define SECOND_NS 1000000000ull

/* The daemons are killed. */
static const char *const programs[] = {
    "aloe-exec", "aloe-frontend", "aloe-stats", "aloe-swman", "aloe-statsman", "aloe-host", "aloe"};
enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]), DAEMONS = PROGRAMS - 2 };

/* A process, from its first reading on. A pid alone may be that of one that has ended. */
struct life {
	pid_t pid;
	uint64_t started; /* ticks after the machine's start */
	const char *program;
	uint32_t readings;
	uint64_t began_ns, last_ns;
	uint64_t warm_kept_kb, last_kept_kb; /* by aloe-exec, of late slots, at most */
	struct size {
		uint64_t rss_kb, fds;
	} warm, last; /* warm: the most that was read before it was old enough */
};

struct soak {
	struct changes changes;
	uint64_t seed, warm_ns;
	uint32_t round, rounds, eras, host_kills, daemon_kills, remap_kills, upgrades;
	uint32_t calm;            /* rounds since the last era began */
	bool timer, upgrade;      /* upgrade: this build has the command */
	struct stalls *stalls[2]; /* of the lanes' CPUs, on the timer */
	size_t sets, seen;        /* of `marks`, to the last time that it was loaded */
	uint64_t noisy;           /* indices that were held against a run that nobody disturbed */
	uint64_t kept_kb;         /* by the aloe-exec of now, of late slots, at most */
	struct life lives[LIVES_MAX];
	size_t n_lives;
};

/* ---- memory and descriptors ------------------------------------------------------------------ */

static uint64_t fds_of(pid_t pid)
{
	char path[64];
	uint64_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (dir == NULL)
		return 0;
	for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static bool size_read(pid_t pid, struct size *ret)
{
	char path[64], line[256];
	FILE *file;

	*ret = (struct size){0};
	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	file = fopen(path, "r");
	if (file == NULL)
		return false;
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "Rss:", 4) == 0)
			ret->rss_kb = strtoull(line + 4, NULL, 10);
	fclose(file);
	ret->fds = fds_of(pid);
	return ret->rss_kb > 0;
}

/* The 22nd field of /proc/PID/stat; 0: no such process. */
static uint64_t started_of(pid_t pid)
{
	char path[64], text[1024], *at;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file == NULL)
		return 0;
	len = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[len] = 0;
	at = strrchr(text, ')');
	for (int field = 2; at != NULL && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at != NULL ? strtoull(at, NULL, 10) : 0;
}

static struct life *life_of(struct soak *s, pid_t pid, const char *program, uint64_t now)
{
	const uint64_t started = started_of(pid);
	struct life *life;

	for (size_t i = 0; i < s->n_lives; i++)
		if (s->lives[i].pid == pid && s->lives[i].started == started)
			return &s->lives[i];
	assert_true(s->n_lives < LIVES_MAX);
	life = &s->lives[s->n_lives++];
	*life = (struct life){.pid = pid, .started = started, .program = program, .began_ns = now};
	return life;
}

static bool is_judged(const struct soak *s, const struct life *life)
{
	return life->readings > WARM_ROUNDS && life->last_ns > life->began_ns + s->warm_ns;
}

static double grown_kb(const struct life *life)
{
	return (double)life->last.rss_kb - (double)life->warm.rss_kb;
}

static double grown_percent(const struct life *life)
{
	return 100 * grown_kb(life) / (double)life->warm.rss_kb;
}

/* What aloe-exec has kept of late slots since it was warm. */
static double late_kb(const struct life *life)
{
	if (life->program != programs[0] || life->last_kept_kb < life->warm_kept_kb)
		return 0;
	return (double)(life->last_kept_kb - life->warm_kept_kb);
}

static bool grows(const struct soak *s, const struct life *life)
{
	const double kb = grown_kb(life) - late_kb(life);
	const bool is_short = s->warm_ns < WARM_S * SECOND_NS;

	return is_judged(s, life) &&
	    (life->last.fds > life->warm.fds ||
	        (kb >= (double)life->warm.rss_kb / 100 && (!is_short || kb > SHORT_KB)));
}

static void life_read(struct soak *s, struct life *life, const struct size *size, uint64_t now)
{
	life->last = *size;
	life->last_ns = now;
	life->last_kept_kb = s->kept_kb;
	life->readings++;
	if (is_judged(s, life))
		return;
	life->warm_kept_kb = s->kept_kb;
	if (size->rss_kb > life->warm.rss_kb)
		life->warm.rss_kb = size->rss_kb;
	if (size->fds > life->warm.fds)
		life->warm.fds = size->fds;
}

/* Whether one of them seems to grow. */
static bool program_read(struct soak *s, const char *program, uint64_t now)
{
	pid_t pids[8];
	const size_t n = processes(program, pids, 8);
	bool one_grows = false;

	for (size_t i = 0; i < n; i++) {
		struct size size;
		struct life *life;

		if (!size_read(pids[i], &size))
			continue;
		life = life_of(s, pids[i], program, now);
		life_read(s, life, &size, now);
		one_grows |= grows(s, life);
	}
	return one_grows;
}

static bool programs_read(struct soak *s)
{
	const uint64_t now = clock_ns();
	bool one_grows = false;

	for (int p = 0; p < PROGRAMS; p++)
		one_grows |= program_read(s, programs[p], now);
	return one_grows;
}

static uint64_t below(uint64_t n, uint64_t most)
{
	return n < most ? n : most;
}

/* Late slots of the waveforms that last, as far as the aloe-exec of now has seen them. */
static uint64_t late_slots(uint64_t *ret_kept_kb)
{
	static const char *const names[] = {"steady", "marks", "noisy"};
	uint64_t late = 0;

	*ret_kept_kb = 0;
	for (int i = 0; i < 3; i++) {
		struct ran *ran = wave_await(names[i], "RUN");
		const uint64_t n = (uint64_t)ran_number(ran, "misses_counted");

		late += n;
		*ret_kept_kb +=
		    RECORD_KB * below(n, MISSES_KEPT) + CALLS_KB * below(n, CALLS_SLOTS);
		ran_free(ran);
	}
	return late;
}

/* With nothing there but what stays. Who answers somebody just then has more. */
static void sizes_read(struct soak *s)
{
	if (s->changes.extra)
		changes_extra(&s->changes);
	late_slots(&s->kept_kb);
	if (!programs_read(s))
		return;
	clock_sleep_until(clock_ns() + SECOND_NS);
	programs_read(s);
}

static void sizes_print(const struct soak *s)
{
	print_message("  %-14s %9s %8s %9s %9s %7s %5s %5s\n", "process", "read for", "readings",
	    "warm kB", "last kB", "grown", "fds", "last");
	for (size_t i = 0; i < s->n_lives; i++) {
		const struct life *life = &s->lives[i];

		print_message("  %-14s %7.0f s %8u %9llu %9llu %6.2f%% %5llu %5llu%s\n",
		    life->program, (double)(life->last_ns - life->began_ns) / 1e9, life->readings,
		    (unsigned long long)life->warm.rss_kb, (unsigned long long)life->last.rss_kb,
		    grown_percent(life), (unsigned long long)life->warm.fds,
		    (unsigned long long)life->last.fds,
		    grows(s, life)           ? "  GROWS"
		        : is_judged(s, life) ? ""
		                             : "  too short to tell");
	}
}

static void sizes_check(const struct soak *s)
{
	unsigned grown = 0;

	sizes_print(s);
	for (size_t i = 0; i < s->n_lives; i++)
		grown += grows(s, &s->lives[i]);
	for (int p = 0; p < PROGRAMS; p++) {
		bool judged = false;

		for (size_t i = 0; i < s->n_lives; i++)
			judged |= s->lives[i].program == programs[p] && is_judged(s, &s->lives[i]);
		if (!judged)
			fail_msg("no %s was watched for long enough", programs[p]);
	}
	assert_int_equal(grown, 0);
}

/* ---- harm ------------------------------------------------------------------------------------ */

static void all_run(struct soak *s)
{
	static const char *const names[] = {"steady", "marks", "noisy"};

	for (int i = 0; i < 3; i++)
		ran_free(wave_await(names[i], "RUN"));
	client_close(&s->changes.client);
	assert_int_equal(client_connect(&s->changes.client), 0);
}

static void daemon_kill(struct soak *s, const char *program)
{
	const pid_t pid = process_one(program);

	clock_sleep_until(clock_ns() + changes_below(&s->changes, CHANGES_SLOT_NS));
	kill(pid, SIGKILL);
	process_other(program, pid);
	all_run(s);
	s->daemon_kills++;
}

static void host_kill(struct soak *s)
{
	pid_t host;

	if (s->changes.extra)
		changes_extra(&s->changes);
	host = wave_begin("extras", s->changes.options);
	clock_sleep_until(clock_ns() + changes_below(&s->changes, CHANGES_SLOT_NS));
	kill(host, SIGKILL);
	ran_free(wave_await("extras", "ABNSTOP"));
	ran_free(aloe_ok("unload extras"));
	s->host_kills++;
}

/* Another process asks for it, and asks again for what was lost. */
static void remap_kill(struct soak *s)
{
	const pid_t exec = process_one("aloe-exec");
	const uint32_t lane = changes_below(&s->changes, 2);
	const uint64_t at = clock_ns() + changes_below(&s->changes, 40) * 1000000ull;
	const pid_t child = fork();
	int status = -1;

	assert_true(child >= 0);
	if (child == 0) {
		struct ran *ran = aloe("remap noisy --pin noise=%u", lane);

		if (ran->status != 0)
			print_message("%s", ran->err);
		_exit(ran->status);
	}
	clock_sleep_until(at);
	kill(exec, SIGKILL);
	process_other("aloe-exec", exec);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	all_run(s);
	s->remap_kills++;
}

static void *theft(void *cpu)
{
	uint64_t until;

	platform_pin(*(const int *)cpu);
	platform_realtime(0, THEFT_PRIORITY);
	for (until = clock_ns() + THEFT_NS; clock_ns() < until;)
		;
	return NULL;
}

/* What aloe-exec does for the first slot that is late it has done then. A stall, for all who look
 * for stalls. */
static void slot_made_late(void)
{
	static const int cpus[] = {0, 1};
	uint64_t kept_kb;
	const uint64_t before = late_slots(&kept_kb);
	pthread_t threads[2];

	for (int i = 0; i < THEFTS; i++) {
		for (int t = 0; t < 2; t++)
			assert_int_equal(
			    pthread_create(&threads[t], NULL, theft, (void *)&cpus[t]), 0);
		for (int t = 0; t < 2; t++)
			pthread_join(threads[t], NULL);
		clock_sleep_until(clock_ns() + SECOND_NS / 5);
		if (late_slots(&kept_kb) > before)
			return;
	}
	fail_msg("the lanes' CPUs were taken %d times, and no slot was late", THEFTS);
}

/* On the virtual clock hours of it must fit into files. */
static void naps(const struct soak *s)
{
	if (s->timer)
		return;
	ran_free(aloe_ok("set marks slow.nap_us=%d", NAP_US));
	ran_free(aloe_ok("set noisy slow.nap_us=%d", NAP_US));
}

static void era_begin(struct soak *s)
{
	uint32_t first;

	s->changes.seed = (unsigned)(s->seed * 7919 + s->eras);
	first = changes_below(&s->changes, DAEMONS);
	remap_kill(s);
	for (uint32_t d = 0; d < DAEMONS; d++)
		daemon_kill(s, programs[(first + d) % DAEMONS]);
	s->sets += s->changes.n_sets;
	if (s->changes.extra)
		changes_extra(&s->changes);
	changes_again(&s->changes, s->timer ? s->stalls : NULL, &s->seen, &s->noisy);
	naps(s);
	if (s->timer)
		slot_made_late();
	s->eras++;
	s->calm = 0;
}

/* A component that keeps nothing from one index to the next, by itself: the bits stay the same. */
static void upgrade(struct soak *s)
{
	ran_free(aloe_ok("upgrade noisy demod --component bpsk_demod"));
	s->upgrades++;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void round_run(struct soak *s, bool kills)
{
	s->changes.seed = (unsigned)(s->seed * 1000003 + s->round);
	for (int i = 0; i < ROUND_CHANGES; i++)
		changes_draw(&s->changes, s->timer ? 60 : 0);
	if (kills && s->round % HOST_KILL_EVERY == HOST_KILL_EVERY - 1)
		host_kill(s);
	if (s->upgrade)
		upgrade(s);
	sizes_read(s);
	changes_absent(&s->changes, s->timer ? s->stalls : NULL);
	s->round++;
	s->rounds++;
	s->calm++;
}

static void soak_run(struct soak *s, uint64_t total_ns)
{
	const uint64_t began = clock_ns(), calm = began + total_ns * 2 / 3;

	while (clock_ns() < began + total_ns || s->calm < CALM_ROUNDS) {
		const bool kills = clock_ns() < calm;

		round_run(s, kills);
		if (s->eras == 0 || (kills && clock_ns() >= began + s->eras * ERA_S * SECOND_NS))
			era_begin(s);
	}
	s->sets += s->changes.n_sets;
}

static void soak_told(const struct soak *s, const struct records *steady, double seconds)
{
	print_message("soak: SEED=%llu, the %s, %.0f s: rounds %u to %u in %u eras, %zu values set "
	              "(%zu seen), %llu remaps, %llu loads and unloads, %u upgrades; killed: %u "
	              "daemons, %u hosts, %u times exec in a remap; steady %llu indices without a "
	              "gap (but %llu, in which the machine stalled), noisy %llu the same bits\n",
	    (unsigned long long)s->seed, s->timer ? "timer" : "virtual clock", seconds,
	    s->round - s->rounds, s->round - 1, s->eras, s->sets, s->seen,
	    (unsigned long long)s->changes.remaps, (unsigned long long)s->changes.extras,
	    s->upgrades, s->daemon_kills, s->host_kills, s->remap_kills,
	    (unsigned long long)steady->count, (unsigned long long)steady->excused,
	    (unsigned long long)s->noisy);
	print_message(
	    "soak: memory and descriptors against the most of a process's first %d rounds "
	    "and %.1f s\n",
	    WARM_ROUNDS, (double)s->warm_ns / 1e9);
}

static void soak_begin(struct soak *s, bool timer, uint64_t total_ns)
{
	struct ran *help = aloe("help upgrade");

	*s = (struct soak){
	    .timer = timer, .seed = number_of("SEED", 1), .round = number_of("SOAK_ROUND", 0)};
	s->upgrade = help->status == 0 && strstr(help->out, "usage: aloe upgrade") != NULL;
	ran_free(help);
	s->warm_ns = total_ns / 10 < WARM_S * SECOND_NS ? total_ns / 10 : WARM_S * SECOND_NS;
	print_message("soak: SEED=%llu, %s, %.0f s%s\n", (unsigned long long)s->seed,
	    timer ? "the timer" : "the virtual clock", (double)total_ns / 1e9,
	    s->upgrade ? "" : "; this build has no `aloe upgrade`");
	for (int cpu = 0; timer && cpu < 2; cpu++)
		s->stalls[cpu] = stalls_watch(cpu);
	changes_begin(&s->changes, timer ? "skip" : "slip", timer ? "spin_us" : "nap_us",
	    timer ? "--clock timer --lanes 0,1" : "--clock virtual --lanes 0,1");
	if (!timer)
		ran_free(aloe_ok("set steady work.nap_us=%d", NAP_US));
}

static void soak(bool timer)
{
	const uint64_t total_ns = number_of("SOAK_SECONDS", 60) * SECOND_NS / 2, began = clock_ns();
	struct soak *s = malloc(sizeof(*s));
	struct records steady;

	assert_non_null(s);
	soak_begin(s, timer, total_ns);
	soak_run(s, total_ns);
	changes_finish(&s->changes, timer ? s->stalls : NULL);
	steady = records_check(aloe_path("steady.out"), CHANGES_SLOT_NS, s->stalls[0]);
	s->seen += changes_marks_check(&s->changes);
	s->noisy += changes_noisy_check();
	soak_told(s, &steady, (double)(clock_ns() - began) / 1e9);
	sizes_check(s);
	assert_true(s->seen > 0 && s->changes.remaps > 0);
	changes_fini(&s->changes);
	for (int cpu = 0; timer && cpu < 2; cpu++)
		stalls_end(s->stalls[cpu]);
	free(s);
}

static void soak_on_the_virtual_clock(void **state)
{
	(void)state;
	soak(false);
}

/* The same thread has ordinary priority again. */
static bool may_realtime(void)
{
	const bool may = platform_realtime(0, THEFT_PRIORITY) == 0;
	const struct sched_param none = {0};

	sched_setscheduler(0, SCHED_OTHER, &none);
	return may;
}

/* Without real-time priority a slot may be late whenever the kernel likes, and nobody sees stalls.
 */
static void soak_on_the_timer(void **state)
{
	(void)state;
	if (!may_realtime()) {
		print_message("skip: this user may have no real-time priority (see `ulimit -r`), "
		              "and without it lanes promise nothing\n");
		skip();
	}
	soak(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(soak_on_the_virtual_clock, node_up, node_down),
	    cmocka_unit_test_setup_teardown(soak_on_the_timer, node_up, node_down),
	};

	cmocka_set_test_filter(getenv("ONLY"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
