/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/faults/node.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/platform/platform.h"

enum {
	TRY_MS = 10,
	TRIES = 6000,
	STALLS_MAX = 65536,
	ADDED_MAX = 64,
	STALL_NS = 1000000,
	POLL_NS = 500000,
	REFERENCE_PRIORITY = 60
};

/* ---- up and down ------------------------------------------------------------------------ */

/* A crash is to look like one, also in a build with sanitizers. */
static void crashes_plain(void)
{
	const char *options = getenv("ASAN_OPTIONS");
	char all[512];

	snprintf(all, sizeof(all), "%s:handle_segv=0:handle_sigill=0:handle_sigtrap=0",
	    options != NULL ? options : "");
	setenv("ASAN_OPTIONS", all, 1);
}

int faults_init(void **state)
{
	char dirs[3 * PATH_MAX], build[PATH_MAX];

	if (aloe_init(state) != 0)
		return -1;
	snprintf(build, sizeof(build), "%s", aloe_program("aloe"));
	*strrchr(build, '/') = 0;
	*strrchr(build, '/') = 0;
	snprintf(dirs, sizeof(dirs), "%s/tests/components:%s/lib/aloe", build, build);
	setenv("ALOE_COMPONENTS", dirs, 1);
	crashes_plain();
	return 0;
}

int faults_fini(void **state)
{
	return aloe_fini(state);
}

int node_up(void **state)
{
	if (faults_init(state) != 0)
		return -1;
	ran_free(aloe_ok("up"));
	return 0;
}

static size_t files_in(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	size_t n = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.') {
			fprintf(stderr, "left behind: %s/%s\n", path, entry->d_name);
			n++;
		}
	if (dir != NULL)
		closedir(dir);
	return n;
}

int node_down(void **state)
{
	static const char *const programs[] = {"aloe-host", "aloe-exec", "aloe-stats",
	    "aloe-statsman", "aloe-swman", "aloe-frontend", "aloe"};

	ran_free(aloe_ok("down"));
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		processes_gone(programs[i]);
	if (files_in(aloe_path("run")) != 0)
		return -1;
	return faults_fini(state);
}

/* ---- processes ------------------------------------------------------------------------ */

static ssize_t proc_read(const char *pid, const char *what, char *ret, size_t size)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	len = read(fd, ret, size - 1);
	close(fd);
	if (len >= 0)
		ret[len] = 0;
	return len;
}

static bool is_ours(const char *pid, const char *program)
{
	char text[65536], mark[PATH_MAX + 32], state;
	ssize_t len;

	len = proc_read(pid, "stat", text, sizeof(text));
	if (len <= 0 || strrchr(text, ')') == NULL ||
	    sscanf(strrchr(text, ')') + 1, " %c", &state) != 1 || state == 'Z' || state == 'X')
		return false;
	*strrchr(text, ')') = 0;
	if (strcmp(strchr(text, '(') + 1, program) != 0)
		return false;
	snprintf(mark, sizeof(mark), "XDG_RUNTIME_DIR=%s", aloe_path("run"));
	len = proc_read(pid, "environ", text, sizeof(text));
	return len > 0 && memmem(text, (size_t)len, mark, strlen(mark)) != NULL;
}

size_t processes(const char *program, pid_t *ret_pids, size_t n)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	size_t found = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]) && is_ours(entry->d_name, program) &&
		    found < n)
			ret_pids[found++] = (pid_t)strtol(entry->d_name, NULL, 10);
	closedir(dir);
	return found;
}

static void pause_ms(int ms)
{
	clock_sleep_until(clock_ns() + (uint64_t)ms * 1000000);
}

pid_t process_other(const char *program, pid_t old)
{
	pid_t pids[2];

	for (int i = 0; i < TRIES; i++) {
		if (processes(program, pids, 2) == 1 && pids[0] != old)
			return pids[0];
		pause_ms(TRY_MS);
	}
	fail_msg("there is no one %s", program);
	return -1;
}

pid_t process_one(const char *program)
{
	return process_other(program, -1);
}

void processes_gone(const char *program)
{
	pid_t pids[16];

	for (int i = 0; i < TRIES; i++) {
		if (processes(program, pids, 16) == 0)
			return;
		pause_ms(TRY_MS);
	}
	fail_msg("%s (pid %d) is left behind", program, pids[0]);
}

static bool is_zombie_of(const char *pid, pid_t parent)
{
	char text[1024], state;
	const char *end;
	int of;

	if (proc_read(pid, "stat", text, sizeof(text)) <= 0)
		return false;
	end = strrchr(text, ')');
	return end != NULL && sscanf(end + 1, " %c %d", &state, &of) == 2 && state == 'Z' &&
	    of == parent;
}

static size_t zombies(pid_t parent)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	size_t n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL)
		n +=
		    isdigit((unsigned char)entry->d_name[0]) && is_zombie_of(entry->d_name, parent);
	closedir(dir);
	return n;
}

void zombies_gone(pid_t parent)
{
	size_t n = 0;

	for (int i = 0; i < TRIES; i++) {
		n = zombies(parent);
		if (n == 0)
			return;
		pause_ms(TRY_MS);
	}
	fail_msg("%zu children of %d have ended and nobody reaps them", n, parent);
}

/* ---- waveforms ------------------------------------------------------------------------ */

const char *conf_write(const char *name, const char *format)
{
	char file[64], text[8192], out[64];
	const char *path;

	snprintf(file, sizeof(file), "%s.conf", name);
	snprintf(out, sizeof(out), "%s.out", name);
	path = aloe_path(out);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	assert_true(snprintf(text, sizeof(text), format, path) < (int)sizeof(text));
#pragma GCC diagnostic pop
	file_make(aloe_path(file), text, strlen(text));
	return path;
}

pid_t wave_ready(const char *name, const char *options)
{
	pid_t before[64], after[64];
	size_t n = processes("aloe-host", before, 64), m, b;
	char file[64];

	snprintf(file, sizeof(file), "%s.conf", name);
	ran_free(aloe_ok("load '%s' --force %s", aloe_path(file), options));
	m = processes("aloe-host", after, 64);
	for (size_t a = 0; a < m; a++) {
		for (b = 0; b < n && before[b] != after[a]; b++)
			;
		if (b == n)
			return after[a];
	}
	return 0;
}

pid_t wave_begin(const char *name, const char *options)
{
	const pid_t host = wave_ready(name, options);

	ran_free(aloe_ok("start %s", name));
	return host;
}

struct ran *wave_await(const char *name, const char *state)
{
	const uint64_t until = clock_ns() + PATIENCE_NS;

	for (;;) {
		struct ran *ran = aloe("status %s --json", name);

		if (ran->status == 0 && ran->report != NULL &&
		    strcmp(ran_text(ran, "state"), state) == 0 &&
		    (strcmp(state, "ABNSTOP") != 0 ||
		        json_is_true(json_object_get(ran->report, "drained"))))
			return ran;
		if (clock_ns() > until)
			fail_msg("%s does not get to %s:\n%s%s", name, state, ran->out, ran->err);
		ran_free(ran);
		pause_ms(TRY_MS);
	}
}

void wave_end(const char *name)
{
	ran_free(aloe_ok("stop %s", name));
	ran_free(aloe_ok("unload %s", name));
}

bool is_death(const char *reason, const char *word)
{
	return strstr(reason, word) != NULL || strstr(reason, "hangs: it held lane") != NULL;
}

/* ---- stalls ------------------------------------------------------------------------ */

struct stalls {
	pthread_t thread;
	int cpu;
	_Atomic bool quit;
	_Atomic size_t n;
	struct stall all[STALLS_MAX];
	size_t n_added; /* by the test's own thread */
	struct stall added[ADDED_MAX];
};

static void *stalls_main(void *self)
{
	struct stalls *stalls = self;

	platform_pin(stalls->cpu);
	platform_realtime(0, REFERENCE_PRIORITY);
	platform_no_slack();
	while (!stalls->quit) {
		const uint64_t wanted = clock_ns() + POLL_NS;
		uint64_t now;

		clock_sleep_until(wanted);
		now = clock_ns();
		if (now <= wanted + STALL_NS || stalls->n == STALLS_MAX)
			continue;
		stalls->all[stalls->n] = (struct stall){wanted, now};
		if (++stalls->n == STALLS_MAX)
			fprintf(stderr,
			    "stalls: CPU %d stalled %d times, later stalls are not noted and "
			    "excuse nothing\n",
			    stalls->cpu, STALLS_MAX);
	}
	return NULL;
}

struct stalls *stalls_watch(int cpu)
{
	struct stalls *stalls = calloc(1, sizeof(*stalls));

	assert_non_null(stalls);
	stalls->cpu = cpu;
	assert_int_equal(pthread_create(&stalls->thread, NULL, stalls_main, stalls), 0);
	return stalls;
}

void stalls_end(struct stalls *stalls)
{
	stalls->quit = true;
	pthread_join(stalls->thread, NULL);
	free(stalls);
}

size_t stalls_count(const struct stalls *stalls)
{
	return stalls->n;
}

void stalls_add(struct stalls *stalls, uint64_t from_ns, uint64_t to_ns)
{
	assert_true(stalls->n_added < ADDED_MAX);
	stalls->added[stalls->n_added++] = (struct stall){from_ns, to_ns};
}

static bool overlaps(const struct stall *all, size_t n, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].from_ns < to_ns && all[i].to_ns > from_ns)
			return true;
	return false;
}

bool stalls_within(const struct stalls *stalls, uint64_t from_ns, uint64_t to_ns)
{
	return stalls != NULL &&
	    (overlaps(stalls->all, stalls->n, from_ns, to_ns) ||
	        overlaps(stalls->added, stalls->n_added, from_ns, to_ns));
}

/* ---- records ------------------------------------------------------------------------ */

struct record {
	uint64_t index, ns;
};

/* The indices between are missing, since was->ns at the earliest. */
static void excuse(const char *path, const struct stalls *stalls, const struct record *was,
    const struct record *is)
{
	if (!stalls_within(stalls, was->ns, is->ns))
		fail_msg("%s: indices %llu to %llu are missing, %.3f ms to %.3f s, and the machine "
		         "did not stall",
		    path, (unsigned long long)was->index + 1, (unsigned long long)is->index - 1,
		    (double)(is->ns - was->ns) / 1e6, (double)is->ns / 1e9);
	print_message("excused: indices %llu to %llu, the machine stalled\n",
	    (unsigned long long)was->index + 1, (unsigned long long)is->index - 1);
}

struct records records_check(const char *path, uint64_t slot_ns, const struct stalls *stalls)
{
	return records_bounded(path, slot_ns, 0, stalls);
}

struct records records_bounded(
    const char *path, uint64_t slot_ns, uint64_t bound_ns, const struct stalls *stalls)
{
	struct records sum = {0};
	uint64_t first_ns;
	size_t len;
	struct record *all = file_take(path, &len);

	assert_int_equal(len % sizeof(*all), 0);
	assert_true(len > 0);
	sum.count = len / sizeof(*all);
	first_ns = all[0].ns - all[0].index * slot_ns;
	if (all[0].index > 0)
		excuse(path, stalls, &(struct record){(uint64_t)-1, first_ns}, &all[0]);
	sum.excused = all[0].index > 0;
	for (size_t i = 1; i < sum.count; i++) {
		const struct record *was = &all[i - 1], *is = &all[i];
		const uint64_t due = first_ns + is->index * slot_ns,
		               was_due = first_ns + was->index * slot_ns;
		/* it may be the first that was late */
		const uint64_t from = was->ns < was_due ? was->ns : was_due;

		if (is->index == was->index + 1) {
			if (is->ns > due && is->ns - due > sum.late_ns_max &&
			    !stalls_within(stalls, due, is->ns))
				sum.late_ns_max = is->ns - due;
			continue;
		}
		if (is->index > was->index && is->ns <= was_due + slot_ns + bound_ns) {
			print_message("%llu indices after %llu are missing, within the bound: %.3f "
			              "ms to %.3f s\n",
			    (unsigned long long)(is->index - was->index - 1),
			    (unsigned long long)was->index,
			    (double)(is->ns - was_due - slot_ns) / 1e6, (double)is->ns / 1e9);
			sum.bounded++;
			if (is->ns - was_due - slot_ns > sum.gap_ns_max)
				sum.gap_ns_max = is->ns - was_due - slot_ns;
			continue;
		}
		excuse(path, stalls, &(struct record){was->index, from}, is);
		sum.excused++;
	}
	free(all);
	return sum;
}

/* ---- steady ------------------------------------------------------------------------ */

#define STEADY(slows)                                                                              \
	"name = \"steady\"; slot_ns = 10000000; late = \"skip\";\n"                                \
	"instances: {\n"                                                                           \
	"  source: { component = \"counter\"; };\n"                                                \
	"  work: { component = \"faulty\"; " slows " = 300.0; };\n"                                \
	"  sink: { component = \"file_sink\"; path = \"%s\"; };\n"                                 \
	"};\nlinks = ( \"source -> work -> sink\" );\n"

pid_t steady_begin(const char *options)
{
	/* without a clock it would take a CPU from all other tests */
	if (strstr(options, "virtual") != NULL)
		conf_write("steady", STEADY("nap_us"));
	else
		conf_write("steady", STEADY("spin_us"));
	return wave_begin("steady", options);
}

struct records steady_end(uint64_t bound_ns, const struct stalls *stalls)
{
	struct records records;
	struct ran *ran;

	ran_free(aloe_ok("stop steady"));
	ran = wave_await("steady", "STOP");
	assert_int_equal(ran_number(ran, "messages.absent"), 0);
	assert_int_equal(ran_number(ran, "messages.lost"), 0);
	assert_string_equal(ran_text(ran, "reason"), "");
	records = records_bounded(aloe_path("steady.out"), STEADY_SLOT_NS, bound_ns, stalls);
	assert_true(ran_number(ran, "slots.skipped") == 0 || records.excused + records.bounded > 0);
	print_message("%llu indices, latest start %.3f ms after its edge, %llu gaps within the "
	              "bound, %llu excused\n",
	    (unsigned long long)records.count, (double)records.late_ns_max / 1e6,
	    (unsigned long long)records.bounded, (unsigned long long)records.excused);
	ran_free(ran);
	ran_free(aloe_ok("unload steady"));
	return records;
}

unsigned number_of(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);

	return text != NULL ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

void slot_random_point(uint64_t slot_ns, unsigned *seed)
{
	const uint64_t until = clock_ns() + slot_ns + (uint64_t)rand_r(seed) * slot_ns / RAND_MAX;

	if (until > clock_ns() + 200000)
		clock_sleep_until(until - 100000);
	while (clock_ns() < until)
		;
}
