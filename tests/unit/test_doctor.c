/* SPDX-License-Identifier: BSD-3-Clause
 * tools/aloe/doctor: knobs of made-up machines, what apply changes and revert puts back, and what gaps mean for slots. */
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/cpulist.h"
#include "core/base/file.h"
#include "tools/aloe/doctor/measure.h"
#include "tools/aloe/doctor/record.h"
#include "tools/aloe/doctor/report.h"

/* ---- a machine in a folder ---------------------------------------------------------------------------------------------- */

struct world {
	char root[64], state[128];
	struct machine machine;
};

static int world_setup(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	strcpy(world->root, "/tmp/aloe-doctor-XXXXXX");
	assert_non_null(mkdtemp(world->root));
	snprintf(world->state, sizeof(world->state), "%s/state", world->root);
	world->machine.root = world->root;
	cpulist_parse("2-3", &world->machine.lanes);
	cpulist_parse("0-1", &world->machine.rest);
	world->machine.rights.lock_all = true;
	*state = world;
	return 0;
}

static int drop(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

static int world_teardown(void **state)
{
	struct world *world = *state;

	assert_int_equal(nftw(world->root, drop, 8, FTW_DEPTH | FTW_PHYS), 0);
	free(world);
	return 0;
}

static void folder(const struct world *world, const char *path)
{
	char whole[PATH_MAX];

	assert_int_equal(path_print(whole, sizeof(whole), "%s%s", world->root, path), 0);
	assert_int_equal(dir_make(whole), 0);
}

static void put(const struct world *world, const char *path, const char *text)
{
	char whole[PATH_MAX], *slash;

	assert_int_equal(path_print(whole, sizeof(whole), "%s%s", world->root, path), 0);
	slash = strrchr(whole, '/');
	*slash = 0;
	assert_int_equal(dir_make(whole), 0);
	*slash = '/';
	assert_int_equal(file_write(whole, text, strlen(text)), 0);
}

static void holds(const struct world *world, const char *path, const char *text)
{
	char *got = machine_text(&world->machine, path);

	assert_non_null(got);
	assert_string_equal(got, text);
	free(got);
}

static const struct knob *knob_named(const char *name)
{
	for (size_t i = 0; i < n_knobs; i++)
		if (strcmp(knobs[i].name, name) == 0)
			return &knobs[i];
	fail_msg("no knob %s", name);
	return NULL;
}

/* `changes`: "PATH FROM>TO" for each, with blanks between. */
static void found(const struct world *world, const char *name, enum verdict verdict, const char *now, const char *want,
		  const char *changes)
{
	char said[4096] = "";
	struct finding finding;
	json_t *change;
	size_t n;

	knob_find(&world->machine, knob_named(name), &finding);
	json_array_foreach(finding.changes, n, change)
	{
		const size_t len = strlen(said);

		snprintf(said + len, sizeof(said) - len, "%s%s %s>%s", len ? " " : "",
			 json_string_value(json_object_get(change, "path")),
			 json_string_value(json_object_get(change, "from")),
			 json_string_value(json_object_get(change, "to")));
	}
	assert_string_equal(finding.now, now);
	assert_string_equal(finding.want, want);
	assert_string_equal(said, changes);
	assert_int_equal(finding.verdict, verdict);
	finding_fini(&finding);
}

/* ---- sets of CPUs --------------------------------------------------------------------------------------------------------- */

static void test_cpu_sets(void **state)
{
	static const char *const lists[] = {"", "0", "0-2,5", "1,3,5-1023"}, *const masks[] = {"0", "27", "1,00000000"};
	static const char *const bad[] = {"x", "1-", "1,", "-1", "1024", "1 2", "1-x"};
	char text[4096];
	cpu_set_t cpus;

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_int_equal(cpulist_parse(lists[i], &cpus), 0);
		assert_int_equal(cpulist_print(&cpus, text, sizeof(text)), 0);
		assert_string_equal(text, lists[i]);
	}
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		assert_int_equal(cpumask_parse(masks[i], &cpus), 0);
		assert_int_equal(cpumask_print(&cpus, text, sizeof(text)), 0);
		assert_string_equal(text, masks[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cpulist_parse(bad[i], &cpus), -EINVAL);
	assert_int_equal(cpumask_parse("0x3", &cpus), -EINVAL);
	cpumask_parse("00000000,00000026\n", &cpus);
	cpulist_print(&cpus, text, sizeof(text));
	assert_string_equal(text, "1-2,5");
	assert_int_equal(cpulist_print(&cpus, text, 5), -ENAMETOOLONG);
	assert_int_equal(cpumask_print(&cpus, text, 2), -ENAMETOOLONG);
}

/* ---- knobs ------------------------------------------------------------------------------------------------------------------ */

#define CPU "/sys/devices/system/cpu/"

static void test_values(void **state)
{
	struct world *world = *state;

	found(world, "rt-throttling", UNAVAILABLE, "not there", "", "");
	put(world, "/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	found(world, "rt-throttling", FIXABLE, "950000", "-1", "/proc/sys/kernel/sched_rt_runtime_us 950000>-1");
	put(world, "/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
	found(world, "rt-throttling", GOOD, "-1", "", "");
	put(world, "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	found(world, "huge-pages", FIXABLE, "always", "madvise",
	      "/sys/kernel/mm/transparent_hugepage/enabled always>madvise");
	put(world, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	found(world, "huge-pages", GOOD, "madvise", "", "");
	folder(world, "/proc/sys/kernel/watchdog");
	found(world, "watchdog", UNAVAILABLE, "Is a directory", "", "");
}

static void test_lanes_values(void **state)
{
	struct world *world = *state;

	found(world, "governor", UNAVAILABLE, "not there", "", "");
	put(world, CPU "cpu0/cpufreq/scaling_governor", "powersave\n"); /* no lane's */
	put(world, CPU "cpu2/cpufreq/scaling_governor", "performance\n");
	put(world, CPU "cpu3/cpufreq/scaling_governor", "schedutil\n");
	found(world, "governor", FIXABLE, "schedutil (CPU 3)", "performance",
	      CPU "cpu3/cpufreq/scaling_governor schedutil>performance");
	put(world, CPU "cpu3/cpufreq/scaling_governor", "performance\n");
	found(world, "governor", GOOD, "performance", "", "");
	put(world, CPU "cpu2/cpufreq/scaling_max_freq", "1800000\n");
	put(world, CPU "cpu2/cpufreq/cpuinfo_max_freq", "3200000\n");
	found(world, "frequency-limit", FIXABLE, "1800000 (CPU 2)", "3200000",
	      CPU "cpu2/cpufreq/scaling_max_freq 1800000>3200000");
}

static void test_fair_server(void **state)
{
	struct world *world = *state;

	put(world, "/proc/sys/kernel/osrelease", "6.18.4\n");
	found(world, "fair-server", UNAVAILABLE, "not there", "", "");
	put(world, "/proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
	found(world, "fair-server", GOOD, "none in Linux 6.1", "", "");
	put(world, "/sys/kernel/debug/sched/fair_server/cpu2/runtime", "50000000\n");
	found(world, "fair-server", FIXABLE, "50000000 (CPU 2)", "0",
	      "/sys/kernel/debug/sched/fair_server/cpu2/runtime 50000000>0");
}

static void test_interrupts(void **state)
{
	struct world *world = *state;

	found(world, "irq-affinity", UNAVAILABLE, "not there", "", "");
	put(world, "/proc/irq/1/smp_affinity_list", "0-1\n");
	found(world, "irq-affinity", GOOD, "0 of 1 may come to lanes", "", "");
	put(world, "/proc/irq/7/smp_affinity_list", "1-2\n");
	put(world, "/proc/irq/9/smp_affinity_list", "3\n");
	found(world, "irq-affinity", FIXABLE, "2 of 3 may come to lanes", "none",
	      "/proc/irq/7/smp_affinity_list 1-2>1 /proc/irq/9/smp_affinity_list 3>0-1");
	put(world, "/proc/irq/default_smp_affinity", "f\n");
	found(world, "new-irqs", FIXABLE, "CPUs 0-3", "0-1", "/proc/irq/default_smp_affinity f>3");
	put(world, "/sys/devices/virtual/workqueue/cpumask", "1\n");
	found(world, "workqueues", GOOD, "CPUs 0", "", "");
	found(world, "irqbalance", GOOD, "not running", "", "");
	put(world, "/proc/77/comm", "irqbalance\n");
	found(world, "irqbalance", FIXABLE, "running", "not running", "");
}

static void test_boot(void **state)
{
	struct world *world = *state;
	struct finding finding;

	found(world, "nohz_full", UNAVAILABLE, "not there", "", "");
	put(world, CPU "isolated", "\n");
	put(world, CPU "nohz_full", "(null)\n");
	put(world, "/proc/cmdline", "quiet preempt=full rcu_nocbs=3\n");
	found(world, "isolcpus", FIXABLE, "no CPU", "2-3", "");
	found(world, "nohz_full", FIXABLE, "no CPU", "2-3", "");
	found(world, "rcu_nocbs", FIXABLE, "3", "2-3", "");
	found(world, "preemption", GOOD, "full", "", "");
	knob_find(&world->machine, knob_named("isolcpus"), &finding);
	assert_string_equal(finding.how, "isolcpus=managed_irq,domain,2-3 on the kernel's command line");
	finding_fini(&finding);
	put(world, CPU "isolated", "1-3\n");
	put(world, CPU "nohz_full", "2-3\n");
	found(world, "isolcpus", GOOD, "1-3", "", "");
	found(world, "rcu_nocbs", GOOD, "2-3", "", "");
	found(world, "shield", GOOD, "isolated", "", "");
}

static void test_kernel(void **state)
{
	struct world *world = *state;

	put(world, "/proc/version", "Linux version 6.1 #1 SMP PREEMPT_DYNAMIC Debian\n");
	found(world, "preemption", FIXABLE, "as the kernel was built (PREEMPT_DYNAMIC)", "full", "");
	put(world, "/sys/kernel/debug/sched/preempt", "none (voluntary) full\n");
	found(world, "preemption", FIXABLE, "voluntary", "full", "/sys/kernel/debug/sched/preempt voluntary>full");
	put(world, "/sys/kernel/realtime", "1\n");
	found(world, "preemption", GOOD, "PREEMPT_RT", "", "");
	put(world, "/proc/cpuinfo", "processor : 0\nflags\t: fpu hypervisor lahf\nbugs\t:\n");
	put(world, "/proc/stat", "cpu  10 0 10 60 0 0 0 20 0 0\ncpu0 1 1 1 1\n");
	found(world, "hypervisor", UNAVAILABLE, "a virtual machine, 20.00 % stolen since it started", "", "");
	put(world, "/proc/cpuinfo", "flags\t: fpu lahf\nbugs\t: hypervisor\n");
	found(world, "hypervisor", GOOD, "none seen", "", "");
}

static void test_clock(void **state)
{
	static const char current[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
	struct world *world = *state;

	put(world, current, "tsc\n");
	found(world, "clocksource", GOOD, "tsc", "", "");
	put(world, current, "hpet\n");
	found(world, "clocksource", UNAVAILABLE, "hpet", "", "");
	put(world, "/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm \n");
	found(world, "clocksource", FIXABLE, "hpet", "tsc",
	      "/sys/devices/system/clocksource/clocksource0/current_clocksource hpet>tsc");
}

static void test_rights(void **state)
{
	struct world *world = *state;

	world->machine.rights = (struct machine_rights){.fifo = -EPERM, .memlock_kb = 8192, .slack_ns = 50000};
	put(world, "/proc/swaps", "Filename Type Size\n/dev/vda2 partition 99\n");
	found(world, "real-time", FIXABLE, "Operation not permitted", "allowed up to 51", "");
	found(world, "locked-memory", FIXABLE, "8192 kB", "unlimited", "");
	found(world, "timer-slack", GOOD, "50000 ns", "", "");
	found(world, "swap", FIXABLE, "in use", "none, or locked-memory without limit", "");
	world->machine.rights = (struct machine_rights){.root = true, .lock_all = true};
	found(world, "real-time", GOOD, "allowed", "", "");
	found(world, "locked-memory", GOOD, "no limit", "", "");
	found(world, "swap", GOOD, "in use", "", "");
	found(world, "cpu-wake-up", UNAVAILABLE, "not there", "", "");
	put(world, "/dev/cpu_dma_latency", "");
	found(world, "cpu-wake-up", GOOD, "allowed", "", "");
}

static void test_siblings_and_pages(void **state)
{
	struct world *world = *state;

	put(world, CPU "cpu2/topology/thread_siblings_list", "2\n");
	found(world, "smt-siblings", GOOD, "every lane has a core", "", "");
	put(world, CPU "cpu3/topology/thread_siblings_list", "1,3\n");
	found(world, "smt-siblings", FIXABLE, "CPUs 1,3 are one core", "one of them used", "");
	put(world, "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "64\n");
	found(world, "dpdk-huge-pages", FIXABLE, "64 of 2 MB free", "128", "");
}

/* Where every CPU is a lane's nothing is taken from anybody. */
static void test_no_rest(void **state)
{
	struct world *world = *state;

	CPU_ZERO(&world->machine.rest);
	put(world, "/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	put(world, "/proc/irq/9/smp_affinity_list", "3\n");
	found(world, "rt-throttling", FIXABLE, "950000", "-1", "");
	found(world, "irq-affinity", FIXABLE, "1 of 1 may come to lanes", "none", "");
}

/* On a machine of which nothing can be read nothing is to be changed, and every line has its words. */
static void test_nothing_there(void **state)
{
	struct world *world = *state;
	json_t *all = doctor_knobs(&world->machine), *changes = doctor_changes(all), *one;
	size_t n;

	assert_int_equal(json_array_size(all), n_knobs);
	assert_int_equal(json_array_size(changes), 0);
	json_array_foreach(all, n, one)
	{
		assert_true(json_string_length(json_object_get(one, "now")) > 0);
		assert_true(json_string_length(json_object_get(one, "why")) > 0);
	}
	json_decref(changes);
	json_decref(all);
}

#define GROUP "/sys/fs/cgroup/"

static void test_shield_v2(void **state)
{
	struct world *world = *state;

	found(world, "shield", UNAVAILABLE, "not there", "", "");
	put(world, GROUP "cgroup.controllers", "cpuset cpu io\n");
	put(world, GROUP "cgroup.subtree_control", "cpu\n");
	put(world, GROUP "cgroup.procs", "2\n50\n");
	put(world, "/proc/2/cmdline", "");
	put(world, "/proc/50/cmdline", "sh");
	folder(world, GROUP "system.slice");
	folder(world, GROUP "aloe.slice");
	found(world, "shield", FIXABLE, "the lanes' CPUs are open to 1 control groups and 1 programs in none",
	      "to ALOE alone",
	      GROUP "cgroup.subtree_control -cpuset>+cpuset " GROUP "system.slice/cpuset.cpus >0-1 " GROUP
		    "aloe-others >made " GROUP "aloe-others/cpuset.cpus >0-1 " GROUP "aloe-others/cgroup.procs " GROUP
		    "cgroup.procs>moved");
	put(world, GROUP "cgroup.subtree_control", "cpu cpuset\n");
	put(world, GROUP "system.slice/cpuset.cpus", "0\n");
	put(world, GROUP "cgroup.procs", "2\n");
	found(world, "shield", GOOD, "control groups keep others away", "", "");
}

static void test_shield_v1(void **state)
{
	struct world *world = *state;

	put(world, GROUP "cpuset/cpuset.cpus", "0-3\n");
	put(world, GROUP "cpuset/cpuset.mems", "0\n");
	put(world, GROUP "cpuset/cgroup.procs", "50\n");
	put(world, "/proc/50/cmdline", "sh");
	put(world, GROUP "cpuset/docker/cpuset.cpus", "0-3\n");
	found(world, "shield", FIXABLE, "the lanes' CPUs are open to 1 control groups and 1 programs in none",
	      "to ALOE alone",
	      GROUP "cpuset/docker/cpuset.cpus 0-3>0-1 " GROUP "cpuset/aloe-others >made " GROUP
		    "cpuset/aloe-others/cpuset.cpus >0-1 " GROUP "cpuset/aloe-others/cpuset.mems >0 " GROUP
		    "cpuset/aloe-others/cgroup.procs " GROUP "cpuset/cgroup.procs>moved");
}

/* ---- apply and revert --------------------------------------------------------------------------------------------------------- */

static void opened(struct world *world, struct record *record)
{
	struct diag diag;

	diag_init(&diag);
	assert_int_equal(record_open(record, &world->machine, world->state, true, &diag), 0);
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

static json_t *change(json_t *changes, const char *kind, const char *path, const char *from, const char *to)
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

	put(world, "/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	put(world, "/proc/irq/7/smp_affinity_list", "1-2\n");
	put(world, CPU "cpu3/cpufreq/scaling_governor", "schedutil\n");
	found_all = doctor_knobs(&world->machine);
	done = apply(world, doctor_changes(found_all));
	json_decref(found_all);
	assert_int_equal(json_array_size(done), 3);
	said(done, "/proc/irq/7/smp_affinity_list", true, "1-2 -> 1");
	json_decref(done);
	holds(world, "/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
	holds(world, "/proc/irq/7/smp_affinity_list", "1\n");
	holds(world, CPU "cpu3/cpufreq/scaling_governor", "performance\n");
	assert_true(recorded(world));

	assert_int_equal(revert(world, &done), 0);
	said(done, CPU "cpu3/cpufreq/scaling_governor", true, "performance -> schedutil");
	json_decref(done);
	holds(world, "/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	holds(world, "/proc/irq/7/smp_affinity_list", "1-2\n");
	holds(world, CPU "cpu3/cpufreq/scaling_governor", "schedutil\n");
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

	put(world, "/a", "1\n");
	json_decref(apply(world, change(json_array(), "value", "/a", "1", "2")));
	json_decref(apply(world, change(json_array(), "value", "/a", "2", "3")));
	holds(world, "/a", "3\n");
	assert_int_equal(revert(world, &done), 0);
	said(done, "/a", true, "3 -> 1");
	json_decref(done);
	/* But not where someone else had a say between: then it is his. */
	json_decref(apply(world, change(json_array(), "value", "/a", "1", "2")));
	put(world, "/a", "7\n");
	json_decref(apply(world, change(json_array(), "value", "/a", "7", "2")));
	assert_int_equal(revert(world, &done), 0);
	json_decref(done);
	holds(world, "/a", "7\n");
}

static void test_changed_since(void **state)
{
	struct world *world = *state;
	json_t *done;

	put(world, "/a", "1\n");
	put(world, "/b", "1\n");
	put(world, "/c", "1\n");
	done = change(change(change(json_array(), "value", "/a", "1", "2"), "value", "/b", "1", "2"), "value", "/c",
		      "1", "2");
	json_decref(apply(world, done));
	put(world, "/b", "9\n");
	put(world, "/c", "1\n");
	assert_int_equal(revert(world, &done), 1);
	said(done, "/a", true, "2 -> 1");
	said(done, "/b", false, "is 9, left as it is: was 1, set to 2, changed by someone else since");
	said(done, "/c", true, "1 already");
	json_decref(done);
	holds(world, "/b", "9\n");
	assert_true(recorded(world));
	put(world, "/b", "1\n");
	assert_int_equal(revert(world, &done), 0);
	json_decref(done);
	assert_false(recorded(world));
}

static void test_refused(void **state)
{
	struct world *world = *state;
	json_t *done;

	put(world, "/a", "1\n");
	folder(world, "/b");
	done = apply(world, change(change(json_array(), "value", "/b", "1", "2"), "value", "/a", "1", "2"));
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

	put(world, "/a", "1\n");
	json_decref(apply(world, change(json_array(), "value", "/a", "1", "2")));
	snprintf(path, sizeof(path), "%s/a", world->root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(revert(world, &done), 0);
	said(done, "/a", true, "is gone, with what was set there");
	json_decref(done);
}

/* Killed in the midst of the second of three: a named pipe keeps it there. */
static void test_crash(void **state)
{
	struct world *world = *state;
	char pipe_path[PATH_MAX], *now = NULL;
	json_t *done;
	pid_t pid;

	put(world, "/a", "1\n");
	put(world, "/c", "1\n");
	snprintf(pipe_path, sizeof(pipe_path), "%s/b", world->root);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	done = change(change(change(json_array(), "value", "/a", "1", "2"), "value", "/b", "1", "2"), "value", "/c",
		      "1", "2");
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
	put(world, "/b", "1\n");
	assert_true(recorded(world));
	assert_int_equal(revert(world, &done), 0);
	said(done, "/a", true, "2 -> 1");
	said(done, "/b", true, "1 already");
	said(done, "/c", true, "1 already");
	json_decref(done);
	holds(world, "/a", "1\n");
}

static void test_groups_and_controllers(void **state)
{
	struct world *world = *state;
	char path[PATH_MAX];
	json_t *done;

	put(world, "/g/cgroup.procs", "17\n");
	put(world, "/g/x/cgroup.procs", "");
	put(world, "/g/control", "cpu\n");
	done = change(json_array(), "controller", "/g/control", "-cpuset", "+cpuset");
	change(done, "directory", "/g/new", "", "made");
	change(done, "tasks", "/g/x/cgroup.procs", "/g/cgroup.procs", "moved");
	json_decref(apply(world, done));
	holds(world, "/g/x/cgroup.procs", "17\n");
	holds(world, "/g/control", "+cpuset\n");
	put(world, "/g/control", "cpu cpuset\n"); /* as the kernel would show it */
	put(world, "/g/cgroup.procs", "");
	snprintf(path, sizeof(path), "%s/g/new", world->root);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(revert(world, &done), 0);
	assert_int_equal(json_array_size(done), 3);
	json_decref(done);
	holds(world, "/g/cgroup.procs", "17\n");
	holds(world, "/g/control", "-cpuset\n");
	assert_int_equal(access(path, F_OK), -1);
}

static void test_started_anew(void **state)
{
	struct world *world = *state;
	struct record record;
	json_t *done;

	put(world, "/proc/sys/kernel/random/boot_id", "one\n");
	put(world, "/a", "1\n");
	json_decref(apply(world, change(json_array(), "value", "/a", "1", "2")));
	put(world, "/proc/sys/kernel/random/boot_id", "two\n");
	opened(world, &record);
	assert_true(record.stale);
	assert_int_equal(record_revert(&record, &done), 0);
	assert_int_equal(json_array_size(done), 0);
	json_decref(done);
	record_close(&record);
	holds(world, "/a", "2\n");
	assert_false(recorded(world));
}

static void test_damaged_record(void **state)
{
	static const char *const bad[] = {
	    "",
	    "{",
	    "[]",
	    "{\"boot\": \"\"}",
	    "{\"boot\": \"\", \"changes\": [7]}",
	    "{\"boot\": \"\", \"changes\": [{\"kind\": \"x\", \"path\": \"/a\", \"from\": "
	    "\"1\", \"to\": \"2\"}]}"};
	struct world *world = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct record record;
		struct diag diag;

		put(world, "/state/doctor.json", bad[i]);
		diag_init(&diag);
		assert_int_equal(record_open(&record, &world->machine, world->state, true, &diag), -EINVAL);
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
	assert_int_equal(record_open(&second, &world->machine, world->state, true, &diag), -EWOULDBLOCK);
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

	put(world, "/a", "1\n");
	opened(world, &record);
	snprintf(record.path, sizeof(record.path), "%s/a/doctor.json", world->root);
	assert_int_equal(record_apply(&record, changes, &done), -ENOTDIR);
	holds(world, "/a", "1\n");
	json_decref(changes);
	record_close(&record);
}

/* ---- slots ------------------------------------------------------------------------------------------------------------------ */

static void test_missed(void **state)
{
	struct measure_loop *loop = calloc(1, sizeof(*loop));

	(void)state;
	loop->watched_ns = 1000000000;
	assert_true(measure_missed(loop, 1000000) == 0);
	for (int i = 0; i < 10; i++)
		hist_add(&loop->gaps, 1000000); /* 1 % of the time, 1 ms each */
	assert_true(measure_missed(loop, 2100000) == 0);
	assert_true(measure_missed(loop, 1000000) > 0.0099 && measure_missed(loop, 1000000) < 0.0101);
	assert_true(measure_missed(loop, 100000) > 0.0099 && measure_missed(loop, 100000) < 0.0101);
	assert_true(measure_slots(loop, 100000) == 10000);
	for (int i = 0; i < 99; i++)
		hist_add(&loop->late, 50);
	hist_add(&loop->late, 400000);
	assert_true(measure_missed(loop, 500000) > 0.0199 && measure_missed(loop, 500000) < 0.0201);
	assert_true(measure_missed(loop, 1000000) < 0.0101);
	loop->watched_ns = 1000000;
	assert_true(measure_missed(loop, 500000) == 1);
	free(loop);
}

/* On a real CPU, if no lane of somebody's runs there; where others keep it from us, once more. */
static void test_measure(void **state)
{
	uint64_t least_ns = 0;
	cpu_set_t one, mine;
	int cpu = 0;

	(void)state;
	sched_getaffinity(0, sizeof(mine), &mine);
	while (!CPU_ISSET((size_t)cpu, &mine))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	for (int i = 0; i < 50 && least_ns == 0; i++) {
		struct measured *all;
		size_t n;

		assert_int_equal(measure(&one, 0.1, true, &all, &n), 0);
		assert_true(n == 1 && all->cpu == cpu);
		least_ns = UINT64_MAX;
		for (int kind = 0; kind < MEASURE_KINDS; kind++) {
			const struct measure_loop *loop = &all->loops[kind];

			assert_int_equal(loop->error, all->error);
			if (loop->watched_ns < least_ns && all->error == 0)
				least_ns = loop->watched_ns;
			assert_true(loop->watched_ns == 0 || loop->reading_ns < 1000000);
		}
		free(all);
	}
	assert_true(least_ns > 0);
}

static void test_report(void **state)
{
	struct measured *one = calloc(1, sizeof(*one));
	struct measure_loop *timer = &one->loops[MEASURE_TIMER];
	json_t *report, *of;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	one->loops[MEASURE_POLLING].error = -EADDRINUSE;
	timer->watched_ns = 1000000000;
	hist_add(&timer->gaps, 300000); /* 0.03 % */
	hist_add(&timer->late, 20);
	report = json_pack("{s:o}", "measured", doctor_measured(one, 1));
	of = json_object_get(json_object_get(json_object_get(report, "measured"), "shortest_us"), "timer");
	assert_int_equal(json_integer_value(json_object_get(of, "one_in_1000")), 10);
	assert_int_equal(json_integer_value(json_object_get(of, "none_seen")), 1000);
	doctor_print(report, out);
	fclose(out);
	assert_non_null(strstr(text, "CPU 0   polling  not measured: a lane runs there now"));
	assert_non_null(
	    strstr(text, "on the timer   1 in 100 missed: 10 us  1 in 1000: 10 us  none seen missed: 1 ms"));
	free(text);
	json_decref(report);
	free(one);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, world_setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cpu_sets),
	    IN_WORLD(test_values),
	    IN_WORLD(test_lanes_values),
	    IN_WORLD(test_fair_server),
	    IN_WORLD(test_interrupts),
	    IN_WORLD(test_boot),
	    IN_WORLD(test_kernel),
	    IN_WORLD(test_clock),
	    IN_WORLD(test_rights),
	    IN_WORLD(test_siblings_and_pages),
	    IN_WORLD(test_no_rest),
	    IN_WORLD(test_nothing_there),
	    IN_WORLD(test_shield_v2),
	    IN_WORLD(test_shield_v1),
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
	    cmocka_unit_test(test_missed),
	    cmocka_unit_test(test_measure),
	    cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
