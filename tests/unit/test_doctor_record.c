/* SPDX-License-Identifier: BSD-3-Clause
 * tools/aloe/doctor: what apply changes, and that revert puts exactly that back. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/cpulist.h"
#include "core/base/file.h"
#include "tests/common/world.h"
#include "tools/aloe/doctor/bench.h"
#include "tools/aloe/doctor/report.h"

/* ---- apply and revert ------------------------------------------------------------------------ */

static void opened(struct world *world, struct record *record)
{
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(
	    record_open(record, &world->machine, world->state, "doctor", true, &diag), 0);
	assert_int_equal(diag.len, 0);
	diag_fini(&diag);
}

/* What one result says of a path; asserts whether it is as asked. */
static void said(const json_t *done, const char *path, bool good, const char *words)
{
	json_t *one;
	size_t n;

	json_array_foreach(done, n, one)
	{
		if (strcmp(json_string_value(json_object_get(one, "path")), path) != 0)
			continue;
		assert_string_equal(json_string_value(json_object_get(one, "said")), words);
		assert_int_equal(json_is_true(json_object_get(one, "done")), good);
		return;
	}
	fail_msg("nothing was said of %s", path);
}

static json_t *change(
    json_t *changes, const char *kind, const char *path, const char *from, const char *to)
{
	json_array_append_new(changes,
	    json_pack("{s:s, s:s, s:s, s:s}", "kind", kind, "path", path, "from", from, "to", to));
	return changes;
}

/* Takes the changes over. */
static json_t *apply(struct world *world, json_t *changes)
{
	struct record record;
	json_t *done = NULL;

	opened(world, &record);
	assert_int_equal(record_apply(&record, changes, &done), 0);
	record_close(&record);
	json_decref(changes);
	return done;
}

/* What is left in the record. */
static size_t revert(struct world *world, json_t **ret_done)
{
	struct record record;
	size_t left;

	opened(world, &record);
	assert_int_equal(record_revert(&record, ret_done), 0);
	left = json_array_size(record.changes);
	record_close(&record);
	return left;
}

static bool recorded(const struct world *world)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/doctor.json", world->state);
	return access(path, F_OK) == 0;
}

static void test_apply_and_revert(void **state)
{
	struct world *world = *state;
	json_t *found_all, *done;

	world_put(world, "/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	world_put(world, "/proc/irq/7/smp_affinity_list", "1-2\n");
	world_put(world, "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "schedutil\n");
	found_all = doctor_knobs(&world->machine);
	done = apply(world, doctor_changes(found_all));
	json_decref(found_all);
	assert_int_equal(json_array_size(done), 3);
	said(done, "/proc/irq/7/smp_affinity_list", true, "1-2 -> 1");
	json_decref(done);
	world_holds(world, "/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
	world_holds(world, "/proc/irq/7/smp_affinity_list", "1\n");
	world_holds(
	    world, "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "performance\n");
	assert_true(recorded(world));

	assert_int_equal(revert(world, &done), 0);
	said(done, "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", true,
	    "performance -> schedutil");
	json_decref(done);
	world_holds(world, "/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	world_holds(world, "/proc/irq/7/smp_affinity_list", "1-2\n");
	world_holds(world, "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "schedutil\n");
	assert_false(recorded(world));
	assert_int_equal(revert(world, &done), 0);
	assert_int_equal(json_array_size(done), 0);
	json_decref(done);
}

/* Other lanes the second time: what goes back is the value before the first. */
static void test_apply_twice(void **state)
{
	struct world *world = *state;
	json_t *done;

	world_put(world, "/a", "1\n");
	json_decref(apply(world, change(json_array(), "value", "/a", "1", "2")));
	json_decref(apply(world, change(json_array(), "value", "/a", "2", "3")));
	world_holds(world, "/a", "3\n");
	assert_int_equal(revert(world, &done), 0);
	said(done, "/a", true, "3 -> 1");
	json_decref(done);
	/* But not where someone else had a say between: then it is his. */
	json_decref(apply(world, change(json_array(), "value", "/a", "1", "2")));
	world_put(world, "/a", "7\n");
	json_decref(apply(world, change(json_array(), "value", "/a", "7", "2")));
	assert_int_equal(revert(world, &done), 0);
	json_decref(done);
	world_holds(world, "/a", "7\n");
}

static void test_changed_since(void **state)
{
	struct world *world = *state;
	json_t *done;

	world_put(world, "/a", "1\n");
	world_put(world, "/b", "1\n");
	world_put(world, "/c", "1\n");
	done =
	    change(change(change(json_array(), "value", "/a", "1", "2"), "value", "/b", "1", "2"),
	        "value", "/c", "1", "2");
	json_decref(apply(world, done));
	world_put(world, "/b", "9\n");
	world_put(world, "/c", "1\n");
	assert_int_equal(revert(world, &done), 1);
	said(done, "/a", true, "2 -> 1");
	said(done, "/b", false,
	    "was left at 9: --apply changed 1 to 2, and someone else changed it again since");
	said(done, "/c", true, "is 1 already");
	json_decref(done);
	world_holds(world, "/b", "9\n");
	assert_true(recorded(world));
	world_put(world, "/b", "1\n");
	assert_int_equal(revert(world, &done), 0);
	json_decref(done);
	assert_false(recorded(world));
}

static void test_refused(void **state)
{
	struct world *world = *state;
	json_t *done;

	world_put(world, "/a", "1\n");
	world_folder(world, "/b");
	done = apply(
	    world, change(change(json_array(), "value", "/b", "1", "2"), "value", "/a", "1", "2"));
	said(done, "/b", false, "stays 1: Is a directory");
	said(done, "/a", true, "1 -> 2");
	json_decref(done);
	assert_int_equal(revert(world, &done), 0);
	assert_int_equal(json_array_size(done), 1);
	json_decref(done);
}

/* Gone meanwhile: a device, an interrupt, a group. */
static void test_gone(void **state)
{
	struct world *world = *state;
	char path[PATH_MAX];
	json_t *done;

	world_put(world, "/a", "1\n");
	json_decref(apply(world, change(json_array(), "value", "/a", "1", "2")));
	snprintf(path, sizeof(path), "%s/a", world->root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(revert(world, &done), 0);
	said(done, "/a", true, "no longer exists, and its setting with it");
	json_decref(done);
}

/* Killed in the midst of the second of three: a named pipe keeps it there. */
static void test_crash(void **state)
{
	struct world *world = *state;
	char pipe_path[PATH_MAX], *now = NULL;
	json_t *done;
	pid_t pid;

	world_put(world, "/a", "1\n");
	world_put(world, "/c", "1\n");
	snprintf(pipe_path, sizeof(pipe_path), "%s/b", world->root);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	done =
	    change(change(change(json_array(), "value", "/a", "1", "2"), "value", "/b", "1", "2"),
	        "value", "/c", "1", "2");
	pid = fork();
	if (pid == 0) {
		apply(world, done);
		_exit(0);
	}
	json_decref(done);
	while (now == NULL || strcmp(now, "2\n") != 0) {
		free(now);
		now = machine_text(&world->machine, "/a");
		clock_sleep_until(clock_ns() + 1000000);
	}
	free(now);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	unlink(pipe_path);
	world_put(world, "/b", "1\n");
	assert_true(recorded(world));
	assert_int_equal(revert(world, &done), 0);
	said(done, "/a", true, "2 -> 1");
	said(done, "/b", true, "is 1 already");
	said(done, "/c", true, "is 1 already");
	json_decref(done);
	world_holds(world, "/a", "1\n");
}

static void test_groups_and_controllers(void **state)
{
	struct world *world = *state;
	char path[PATH_MAX];
	json_t *done;

	world_put(world, "/g/cgroup.procs", "17\n");
	world_put(world, "/g/x/cgroup.procs", "");
	world_put(world, "/g/control", "cpu\n");
	done = change(json_array(), "controller", "/g/control", "-cpuset", "+cpuset");
	change(done, "directory", "/g/new", "", "made");
	change(done, "tasks", "/g/x/cgroup.procs", "/g/cgroup.procs", "moved");
	json_decref(apply(world, done));
	world_holds(world, "/g/x/cgroup.procs", "17\n");
	world_holds(world, "/g/control", "+cpuset\n");
	world_put(world, "/g/control", "cpu cpuset\n"); /* as the kernel would show it */
	world_put(world, "/g/cgroup.procs", "");
	snprintf(path, sizeof(path), "%s/g/new", world->root);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(revert(world, &done), 0);
	assert_int_equal(json_array_size(done), 3);
	json_decref(done);
	world_holds(world, "/g/cgroup.procs", "17\n");
	world_holds(world, "/g/control", "-cpuset\n");
	assert_int_equal(access(path, F_OK), -1);
}

static void test_started_anew(void **state)
{
	struct world *world = *state;
	struct record record;
	json_t *done;

	world_put(world, "/proc/sys/kernel/random/boot_id", "one\n");
	world_put(world, "/a", "1\n");
	json_decref(apply(world, change(json_array(), "value", "/a", "1", "2")));
	world_put(world, "/proc/sys/kernel/random/boot_id", "two\n");
	opened(world, &record);
	assert_true(record.stale);
	assert_int_equal(record_revert(&record, &done), 0);
	assert_int_equal(json_array_size(done), 0);
	json_decref(done);
	record_close(&record);
	world_holds(world, "/a", "2\n");
	assert_false(recorded(world));
}

static void test_damaged_record(void **state)
{
	static const char other[] =
	    "{\"boot\": \"\", \"changes\": [{\"kind\": \"x\", \"path\": \"/a\"}]}";
	static const char *const bad[] = {
	    "",
	    "{",
	    "[]",
	    "{\"boot\": \"\"}",
	    "{\"boot\": \"\", \"changes\": [7]}",
	    other,
	};
	struct world *world = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct record record;
		struct diag diag;

		world_put(world, "/state/doctor.json", bad[i]);
		diag_init(&diag);
		assert_int_equal(
		    record_open(&record, &world->machine, world->state, "doctor", true, &diag),
		    -EINVAL);
		assert_true(diag.errors > 0);
		diag_fini(&diag);
		record_close(&record);
	}
}

static void test_one_at_a_time(void **state)
{
	struct world *world = *state;
	struct record first, second;
	struct diag diag;

	opened(world, &first);
	diag_init(&diag);
	assert_int_equal(record_open(&second, &world->machine, world->state, "doctor", true, &diag),
	    -EWOULDBLOCK);
	record_close(&second);
	record_close(&first);
	diag_fini(&diag);
	opened(world, &second);
	record_close(&second);
}

/* Nothing is changed that could not be written down. */
static void test_no_record_no_change(void **state)
{
	struct world *world = *state;
	json_t *changes = change(json_array(), "value", "/a", "1", "2"), *done;
	struct record record;

	world_put(world, "/a", "1\n");
	opened(world, &record);
	snprintf(record.path, sizeof(record.path), "%s/a/doctor.json", world->root);
	assert_int_equal(record_apply(&record, changes, &done), -ENOTDIR);
	world_holds(world, "/a", "1\n");
	json_decref(changes);
	record_close(&record);
}

/* ---- the kernel's own control groups ---- */

#define CPUSET "/sys/fs/cgroup/cpuset"

struct corner { /* of the kernel's control groups: one process in its root, one in a group */
	struct world *world;
	char path[64], *all;
	pid_t pids[2];
};

static bool corner_put(const struct corner *corner, const char *name, const char *value)
{
	const struct machine kernel = {.root = corner->path};

	return machine_write(&kernel, name, value) == 0;
}

static pid_t corner_child(const struct corner *corner, const char *procs)
{
	char text[32];
	const pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0ul, 0ul, 0ul);
		pause();
		_exit(0);
	}
	snprintf(text, sizeof(text), "%d", pid);
	assert_true(corner_put(corner, procs, text));
	return pid;
}

static bool corner_make(struct corner *corner)
{
	struct world *world = corner->world;
	const struct machine kernel = {.root = ""};
	char value[MACHINE_VALUE], whole[PATH_MAX];
	cpu_set_t mine;

	snprintf(corner->path, sizeof(corner->path), CPUSET "/test-%d", getpid());
	snprintf(whole, sizeof(whole), "%s/users", corner->path);
	if (machine_read(&kernel, CPUSET "/cpuset.cpus", value) < 0 ||
	    cpulist_parse(value, &mine) < 0 || CPU_COUNT(&mine) < 2 ||
	    mkdir(corner->path, 0755) != 0 || mkdir(whole, 0755) != 0)
		return false;
	corner->all = strdup(value);
	for (int i = 0; i < 2; i++)
		assert_true(corner_put(corner, i ? "/users/cpuset.cpus" : "/cpuset.cpus", value));
	assert_int_equal(machine_read(&kernel, CPUSET "/cpuset.mems", value), 0);
	for (int i = 0; i < 2; i++)
		assert_true(corner_put(corner, i ? "/users/cpuset.mems" : "/cpuset.mems", value));
	for (int i = 0; i < 2; i++)
		corner->pids[i] = corner_child(corner, i ? "/users/cgroup.procs" : "/cgroup.procs");
	world_folder(world, "/sys/fs/cgroup");
	snprintf(whole, sizeof(whole), "%s" CPUSET, world->root);
	assert_int_equal(symlink(corner->path, whole), 0);
	snprintf(whole, sizeof(whole), "%s/proc", world->root);
	assert_int_equal(symlink("/proc", whole), 0);
	CPU_ZERO(&world->machine.lanes);
	for (size_t cpu = 0; CPU_COUNT(&world->machine.lanes) == 0; cpu++)
		if (CPU_ISSET(cpu, &mine))
			CPU_SET(cpu, &world->machine.lanes);
	CPU_XOR(&world->machine.rest, &mine, &world->machine.lanes);
	return true;
}

static int corner_setup(void **state)
{
	struct corner *corner = calloc(1, sizeof(*corner));

	world_setup(state);
	corner->world = *state;
	*state = corner;
	return 0;
}

static int corner_teardown(void **state)
{
	static const char *const names[] = {"/users", "/aloe-others", ""};
	struct corner *corner = *state;
	char path[PATH_MAX];

	for (int i = 0; i < 2 && corner->pids[i] != 0; i++) {
		kill(corner->pids[i], SIGKILL);
		waitpid(corner->pids[i], NULL, 0);
	}
	for (size_t i = 0; i < 3 && corner->path[0] != 0; i++) {
		snprintf(path, sizeof(path), "%s%s", corner->path, names[i]);
		rmdir(path);
	}
	*state = corner->world;
	free(corner->all);
	free(corner);
	return world_teardown(state);
}

static void both_on(const struct corner *corner, const char *list)
{
	char text[MACHINE_VALUE];
	cpu_set_t cpus;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(sched_getaffinity(corner->pids[i], sizeof(cpus), &cpus), 0);
		assert_int_equal(cpulist_print(&cpus, text, sizeof(text)), 0);
		assert_string_equal(text, list);
	}
}

static void shield_is(const struct world *world, const char *now, json_t **ret_changes)
{
	struct finding finding;

	knob_find(&world->machine, knob_named("shield"), &finding);
	assert_string_equal(finding.now, now);
	*ret_changes = json_incref(finding.changes);
	finding_fini(&finding);
}

static void test_shield_in_the_kernel(void **state)
{
	static const char open[] =
	    "1 control group, and 1 program in no group, may use the lanes' CPUs";
	struct corner *corner = *state;
	json_t *changes, *done;
	char rest[MACHINE_VALUE];

	if (!corner_make(corner)) {
		printf("skip: needs root, two CPUs and control groups v1 with cpuset\n");
		skip();
	}
	both_on(corner, corner->all);
	shield_is(corner->world, open, &changes);
	done = apply(corner->world, changes);
	assert_int_equal(json_array_size(done), 5);
	json_decref(done);
	cpulist_print(&corner->world->machine.rest, rest, sizeof(rest));
	both_on(corner, rest);
	shield_is(corner->world, "control groups keep other programs away", &changes);
	json_decref(changes);
	assert_int_equal(revert(corner->world, &done), 0);
	json_decref(done);
	both_on(corner, corner->all);
	shield_is(corner->world, open, &changes);
	json_decref(changes);
}

/* A process that is born in a control group after all others were moved does not keep it. */
static void test_born_in_the_kernel(void **state)
{
	struct corner *corner = *state;
	char pid[32], mems[MACHINE_VALUE], path[128];
	json_t *done;

	if (!corner_make(corner)) {
		printf("skip: needs root, two CPUs and control groups v1 with cpuset\n");
		skip();
	}
	done = apply(corner->world,
	    json_pack("[{s:s, s:s, s:s, s:s}]", "kind", "directory", "path", CPUSET "/born", "from",
	        "", "to", "made"));
	json_decref(done);
	machine_read(&corner->world->machine, CPUSET "/cpuset.mems", mems);
	assert_true(corner_put(corner, "/born/cpuset.mems", mems));
	assert_true(corner_put(corner, "/born/cpuset.cpus", corner->all));
	snprintf(pid, sizeof(pid), "%d", (int)corner->pids[0]);
	assert_true(corner_put(corner, "/born/cgroup.procs", pid));
	assert_int_equal(revert(corner->world, &done), 0);
	assert_int_equal(json_array_size(done), 1);
	assert_true(json_is_true(json_object_get(json_array_get(done, 0), "done")));
	json_decref(done);
	snprintf(path, sizeof(path), "%s/born", corner->path);
	assert_int_not_equal(access(path, F_OK), 0);
	both_on(corner, corner->all);
}

/* ---- what knobs are worth ---- */

struct turns { /* counts measurements, and what was in force at each */
	const struct world *world;
	unsigned n, with_watchdog, with_numa, failing, killed;
	int error; /* of the one that fails */
};

static int turn_measure(void *self, double ret[BENCH_FIGURES])
{
	struct turns *turns = self;
	char value[MACHINE_VALUE];

	turns->n++;
	if (turns->n == turns->killed)
		raise(SIGKILL);
	machine_read(&turns->world->machine, "/proc/sys/kernel/watchdog", value);
	turns->with_watchdog += value[0] == '0';
	ret[BENCH_MISSED] = value[0] == '0' ? 0 : (turns->n % 8 < 4 ? 0 : 3);
	ret[BENCH_LATE] = value[0] == '0' ? 10 : 30 + turns->n % 3;
	machine_read(&turns->world->machine, "/proc/sys/kernel/numa_balancing", value);
	turns->with_numa += value[0] == '0';
	ret[BENCH_GAPS] = 1;
	return turns->n == turns->failing ? turns->error : 0;
}

static double part_of(const json_t *bench, const char *knob, const char *figure, const char *part)
{
	json_t *row;
	size_t n;

	json_array_foreach(bench, n, row)
	{
		if (strcmp(json_string_value(json_object_get(row, "knob")), knob) == 0)
			return json_number_value(
			    json_object_get(json_object_get(row, figure), part));
	}
	fail();
	return 0;
}

static void bench_world(struct world *world)
{
	world_put(world, "/proc/sys/kernel/watchdog", "1\n");
	world_put(world, "/proc/sys/kernel/numa_balancing", "1\n");
}

static void bench_undone(const struct world *world)
{
	world_holds(world, "/proc/sys/kernel/watchdog", "1\n");
	world_holds(world, "/proc/sys/kernel/numa_balancing", "1\n");
}

/* none, two knobs, all: each in every round; the files are then as they were. */
static void test_bench(void **state)
{
	struct world *world = *state;
	struct turns turns = {.world = world};
	struct record record;
	json_t *bench;

	bench_world(world);
	opened(world, &record);
	assert_int_equal(doctor_bench(&record, 1, turn_measure, &turns, &bench), 0);
	assert_int_equal(json_array_size(bench), n_knobs + 2);
	assert_int_equal(turns.n, 4 * BENCH_ROUNDS);
	assert_int_equal(turns.with_watchdog, 2 * BENCH_ROUNDS);
	assert_int_equal(turns.with_numa, 2 * BENCH_ROUNDS);
	assert_true(part_of(bench, "watchdog", "late_p99_us", "mean") == 10);
	assert_true(part_of(bench, "all", "late_p99_us", "high") == 10);
	assert_true(part_of(bench, "none", "late_p99_us", "low") > 10);
	assert_true(part_of(bench, "none", "late_p99_us", "low") <
	    part_of(bench, "none", "late_p99_us", "mean"));
	assert_true(part_of(bench, "all", "missed_per_million", "high") == 0);
	assert_true(part_of(bench, "none", "missed_per_million", "low") == 0);
	assert_true(part_of(bench, "none", "missed_per_million", "high") > 0);
	json_decref(bench);
	bench_undone(world);
	record_close(&record);
}

/* A measurement that fails, or that the user ends, leaves nothing behind. */
static void test_bench_ended(void **state)
{
	struct world *world = *state;
	struct record record;
	json_t *bench;

	bench_world(world);
	opened(world, &record);
	for (int i = 0; i < 2; i++) {
		struct turns turns = {
		    .world = world, .failing = 6, .error = i == 0 ? -EIO : -EINTR};

		assert_int_equal(
		    doctor_bench(&record, 1, turn_measure, &turns, &bench), turns.error);
		assert_null(bench);
		assert_int_equal(turns.n, 6);
		assert_int_equal(json_array_size(record.changes), 0);
		bench_undone(world);
	}
	record_close(&record);
}

/* What is in force when it is killed is in the record, so that --revert puts it back; until then
 * nothing is measured. */
static void test_bench_killed(void **state)
{
	struct world *world = *state;
	struct turns turns = {.world = world, .killed = 4};
	struct record record;
	json_t *bench, *done;
	pid_t pid;
	int status;

	bench_world(world);
	pid = fork();
	if (pid == 0) {
		opened(world, &record);
		doctor_bench(&record, 1, turn_measure, &turns, &bench);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	world_holds(world, "/proc/sys/kernel/watchdog", "0\n"); /* the fourth: all */
	world_holds(world, "/proc/sys/kernel/numa_balancing", "0\n");
	opened(world, &record);
	assert_int_equal(doctor_bench(&record, 1, turn_measure, &turns, &bench), -EBUSY);
	assert_null(bench);
	assert_int_equal(turns.n, 0);
	assert_int_equal(record_revert(&record, &done), 0);
	assert_int_equal(json_array_size(done), 2);
	json_decref(done);
	bench_undone(world);
	record_close(&record);
}

/* What holds them is its own process: what they have held stays so. 0: all right. */
static int signals_try(bool allowed)
{
	static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
	struct rlimit none = {0, 0};
	struct pollfd look = {.events = POLLIN};
	struct signalfd_siginfo got;

	if (!allowed)
		return setrlimit(RLIMIT_NOFILE, &none) == 0 && doctor_bench_signals() == -EMFILE
		    ? 0
		    : 1;
	look.fd = doctor_bench_signals();
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		if (look.fd < 0 || poll(&look, 1, 0) != 0)
			return 2;
		raise(held[i]);
		if (poll(&look, 1, 0) != 1 || read(look.fd, &got, sizeof(got)) != sizeof(got) ||
		    got.ssi_signo != (uint32_t)held[i])
			return 3;
	}
	return 0;
}

/* A program that is stopped would leave the machine changed for as long. */
static void test_bench_signals(void **state)
{
	(void)state;
	for (int allowed = 0; allowed < 2; allowed++) {
		const pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (pid == 0)
			_exit(signals_try(allowed != 0));
		assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
		if (WIFSTOPPED(status))
			kill(pid, SIGKILL);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    IN_WORLD(test_apply_and_revert),
	    IN_WORLD(test_apply_twice),
	    IN_WORLD(test_changed_since),
	    IN_WORLD(test_refused),
	    IN_WORLD(test_gone),
	    IN_WORLD(test_crash),
	    IN_WORLD(test_groups_and_controllers),
	    IN_WORLD(test_started_anew),
	    IN_WORLD(test_damaged_record),
	    IN_WORLD(test_one_at_a_time),
	    IN_WORLD(test_no_record_no_change),
	    IN_WORLD(test_bench),
	    IN_WORLD(test_bench_ended),
	    IN_WORLD(test_bench_killed),
	    cmocka_unit_test(test_bench_signals),
	    cmocka_unit_test_setup_teardown(
	        test_shield_in_the_kernel, corner_setup, corner_teardown),
	    cmocka_unit_test_setup_teardown(test_born_in_the_kernel, corner_setup, corner_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
