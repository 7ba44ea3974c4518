/* SPDX-License-Identifier: BSD-3-Clause
 * tools/aloe/doctor: knobs of made-up machines, and what gaps mean for slots. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/cpulist.h"
#include "tests/common/world.h"
#include "tools/aloe/doctor/measure.h"
#include "tools/aloe/doctor/report.h"

/* `changes`: "PATH FROM>TO" for each, with blanks between. */
static void found(const struct world *world, const char *name, enum verdict verdict,
    const char *now, const char *want, const char *changes)
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

/* ---- sets of CPUs ------------------------------------------------------------------------ */

static void test_cpu_sets(void **state)
{
	static const char *const lists[] = {"", "0", "0-2,5", "1,3,5-1023"},
	                         *const masks[] = {"0", "27", "1,00000000"};
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

/* ---- knobs ------------------------------------------------------------------------ */

#define CPU "/sys/devices/system/cpu/"

static void test_values(void **state)
{
	struct world *world = *state;

	found(world, "rt-throttling", UNAVAILABLE, "not present", "", "");
	world_put(world, "/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	found(world, "rt-throttling", FIXABLE, "950000", "-1",
	    "/proc/sys/kernel/sched_rt_runtime_us 950000>-1");
	world_put(world, "/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
	found(world, "rt-throttling", GOOD, "-1", "", "");
	world_put(world, "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	found(world, "huge-pages", FIXABLE, "always", "madvise",
	    "/sys/kernel/mm/transparent_hugepage/enabled always>madvise");
	world_put(world, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	found(world, "huge-pages", GOOD, "madvise", "", "");
	world_folder(world, "/proc/sys/kernel/watchdog");
	found(world, "watchdog", UNAVAILABLE, "Is a directory", "", "");
}

static void test_lanes_values(void **state)
{
	struct world *world = *state;

	found(world, "governor", UNAVAILABLE, "not present", "", "");
	world_put(world, CPU "cpu0/cpufreq/scaling_governor", "powersave\n"); /* no lane's */
	world_put(world, CPU "cpu2/cpufreq/scaling_governor", "performance\n");
	world_put(world, CPU "cpu3/cpufreq/scaling_governor", "schedutil\n");
	found(world, "governor", FIXABLE, "schedutil (CPU 3)", "performance",
	    CPU "cpu3/cpufreq/scaling_governor schedutil>performance");
	world_put(world, CPU "cpu3/cpufreq/scaling_governor", "performance\n");
	found(world, "governor", GOOD, "performance", "", "");
	world_put(world, CPU "cpu2/cpufreq/scaling_max_freq", "1800000\n");
	world_put(world, CPU "cpu2/cpufreq/cpuinfo_max_freq", "3200000\n");
	found(world, "frequency-limit", FIXABLE, "1800000 (CPU 2)", "3200000",
	    CPU "cpu2/cpufreq/scaling_max_freq 1800000>3200000");
}

static void test_fair_server(void **state)
{
	struct world *world = *state;

	world_put(world, "/proc/sys/kernel/osrelease", "6.18.4\n");
	found(world, "fair-server", UNAVAILABLE, "not present", "", "");
	world_put(world, "/proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
	found(world, "fair-server", GOOD, "Linux 6.1 has no deadline server", "", "");
	world_put(world, "/sys/kernel/debug/sched/fair_server/cpu2/runtime", "50000000\n");
	found(world, "fair-server", FIXABLE, "50000000 (CPU 2)", "0",
	    "/sys/kernel/debug/sched/fair_server/cpu2/runtime 50000000>0");
}

static void test_interrupts(void **state)
{
	struct world *world = *state;

	found(world, "irq-affinity", UNAVAILABLE, "not present", "", "");
	world_put(world, "/proc/irq/1/smp_affinity_list", "0-1\n");
	found(world, "irq-affinity", GOOD, "0 of 1 interrupt may come to lanes", "", "");
	world_put(world, "/proc/irq/7/smp_affinity_list", "1-2\n");
	world_put(world, "/proc/irq/9/smp_affinity_list", "3\n");
	found(world, "irq-affinity", FIXABLE, "2 of 3 interrupts may come to lanes", "none",
	    "/proc/irq/7/smp_affinity_list 1-2>1 /proc/irq/9/smp_affinity_list 3>0-1");
	world_put(world, "/proc/irq/default_smp_affinity", "f\n");
	found(world, "new-irqs", FIXABLE, "CPUs 0-3", "0-1", "/proc/irq/default_smp_affinity f>3");
	world_put(world, "/sys/devices/virtual/workqueue/cpumask", "1\n");
	found(world, "workqueues", GOOD, "CPUs 0", "", "");
	found(world, "irqbalance", GOOD, "not running", "", "");
	world_put(world, "/proc/77/comm", "irqbalance\n");
	found(world, "irqbalance", FIXABLE, "running", "not running", "");
}

static void test_boot(void **state)
{
	struct world *world = *state;
	struct finding finding;

	found(world, "nohz_full", UNAVAILABLE, "not present", "", "");
	world_put(world, CPU "isolated", "\n");
	world_put(world, CPU "nohz_full", "(null)\n");
	world_put(world, "/proc/cmdline", "quiet preempt=full rcu_nocbs=3\n");
	found(world, "isolcpus", FIXABLE, "no CPU", "2-3", "");
	found(world, "nohz_full", FIXABLE, "no CPU", "2-3", "");
	found(world, "rcu_nocbs", FIXABLE, "3", "2-3", "");
	found(world, "preemption", GOOD, "full", "", "");
	knob_find(&world->machine, knob_named("isolcpus"), &finding);
	assert_string_equal(finding.how,
	    "isolcpus=managed_irq,domain,2-3 on the kernel's command line; start ALOE with taskset "
	    "-c 0-3");
	finding_fini(&finding);
	world_put(world, CPU "isolated", "1-3\n");
	world_put(world, CPU "nohz_full", "2-3\n");
	found(world, "isolcpus", GOOD, "1-3", "", "");
	found(world, "rcu_nocbs", GOOD, "2-3", "", "");
	found(world, "shield", GOOD, "isolated", "", "");
}

static void test_kernel(void **state)
{
	struct world *world = *state;

	world_put(world, "/proc/version", "Linux version 6.1 #1 SMP PREEMPT_DYNAMIC Debian\n");
	found(
	    world, "preemption", FIXABLE, "as the kernel was built (PREEMPT_DYNAMIC)", "full", "");
	world_put(world, "/sys/kernel/debug/sched/preempt", "none (voluntary) full\n");
	found(world, "preemption", FIXABLE, "voluntary", "full",
	    "/sys/kernel/debug/sched/preempt voluntary>full");
	world_put(world, "/sys/kernel/realtime", "1\n");
	found(world, "preemption", GOOD, "PREEMPT_RT", "", "");
	world_put(world, "/proc/cpuinfo", "processor : 0\nflags\t: fpu hypervisor lahf\nbugs\t:\n");
	world_put(world, "/proc/stat", "cpu  10 0 10 60 0 0 0 20 0 0\ncpu0 1 1 1 1\n");
	found(world, "hypervisor", UNAVAILABLE,
	    "a virtual machine, 20.00 % stolen since it started", "", "");
	world_put(world, "/proc/cpuinfo", "flags\t: fpu lahf\nbugs\t: hypervisor\n");
	found(world, "hypervisor", GOOD, "none seen", "", "");
}

static void test_clock(void **state)
{
	static const char current[] =
	    "/sys/devices/system/clocksource/clocksource0/current_clocksource";
	struct world *world = *state;

	world_put(world, current, "tsc\n");
	found(world, "clocksource", GOOD, "tsc", "", "");
	world_put(world, current, "hpet\n");
	found(world, "clocksource", UNAVAILABLE, "hpet", "", "");
	world_put(world, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
	    "tsc hpet acpi_pm \n");
	found(world, "clocksource", FIXABLE, "hpet", "tsc",
	    "/sys/devices/system/clocksource/clocksource0/current_clocksource hpet>tsc");
}

static void test_rights(void **state)
{
	struct world *world = *state;

	world->machine.rights =
	    (struct machine_rights){.fifo = -EPERM, .memlock_kb = 8192, .slack_ns = 50000};
	world_put(world, "/proc/swaps", "Filename Type Size\n/dev/vda2 partition 99\n");
	found(world, "real-time", FIXABLE, "SCHED_FIFO refused (Operation not permitted)",
	    "allowed", "");
	found(world, "locked-memory", FIXABLE, "8192 kB", "unlimited", "");
	found(world, "timer-slack", GOOD, "50000 ns", "", "");
	found(world, "swap", FIXABLE, "in use", "none, or unlimited locked memory", "");
	world->machine.rights = (struct machine_rights){.root = true, .lock_all = true};
	found(world, "real-time", GOOD, "SCHED_FIFO allowed", "", "");
	found(world, "locked-memory", GOOD, "no limit", "", "");
	found(world, "swap", GOOD, "in use", "", "");
	found(world, "cpu-wake-up", UNAVAILABLE, "not present", "", "");
	world_put(world, "/dev/cpu_dma_latency", "");
	found(world, "cpu-wake-up", GOOD, "allowed", "", "");
}

static void test_siblings_and_pages(void **state)
{
	struct world *world = *state;

	world_put(world, CPU "cpu2/topology/thread_siblings_list", "2\n");
	found(world, "smt-siblings", GOOD, "every lane has a core of its own", "", "");
	world_put(world, CPU "cpu3/topology/thread_siblings_list", "1,3\n");
	found(world, "smt-siblings", FIXABLE, "CPUs 1,3 belong to one core",
	    "only one of these CPUs used", "");
	world_put(world, "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "64\n");
	found(world, "dpdk-huge-pages", FIXABLE, "64 of 2 MB free", "128", "");
}

/* Where every CPU is a lane's nothing is taken from anybody. */
static void test_no_rest(void **state)
{
	struct world *world = *state;

	CPU_ZERO(&world->machine.rest);
	world_put(world, "/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	world_put(world, "/proc/irq/9/smp_affinity_list", "3\n");
	found(world, "rt-throttling", FIXABLE, "950000", "-1", "");
	found(world, "irq-affinity", FIXABLE, "1 of 1 interrupt may come to lanes", "none", "");
}

/* On a machine of which nothing can be read nothing is to be changed, and every line has its
 * words. */
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

	found(world, "shield", UNAVAILABLE, "not present", "", "");
	world_put(world, GROUP "cgroup.controllers", "cpuset cpu io\n");
	world_put(world, GROUP "cgroup.subtree_control", "cpu\n");
	world_put(world, GROUP "cgroup.procs", "2\n50\n");
	world_put(world, "/proc/2/cmdline", "");
	world_put(world, "/proc/50/cmdline", "sh");
	world_folder(world, GROUP "system.slice");
	world_folder(world, GROUP "aloe.slice");
	found(world, "shield", FIXABLE,
	    "1 control group, and 1 program in no group, may use the lanes' CPUs",
	    "only ALOE may use the lanes' CPUs",
	    GROUP "cgroup.subtree_control -cpuset>+cpuset " GROUP
	          "system.slice/cpuset.cpus >0-1 " GROUP "aloe-others >made " GROUP
	          "aloe-others/cpuset.cpus >0-1 " GROUP "aloe-others/cgroup.procs " GROUP
	          "cgroup.procs>moved");
	world_put(world, GROUP "cgroup.subtree_control", "cpu cpuset\n");
	world_put(world, GROUP "system.slice/cpuset.cpus", "0\n");
	world_put(world, GROUP "cgroup.procs", "2\n");
	found(world, "shield", GOOD, "control groups keep other programs away", "", "");
}

static void test_shield_v1(void **state)
{
	struct world *world = *state;

	world_put(world, GROUP "cpuset/cpuset.cpus", "0-3\n");
	world_put(world, GROUP "cpuset/cpuset.mems", "0\n");
	world_put(world, GROUP "cpuset/cgroup.procs", "50\n");
	world_put(world, "/proc/50/cmdline", "sh");
	world_put(world, GROUP "cpuset/docker/cpuset.cpus", "0-3\n");
	found(world, "shield", FIXABLE,
	    "1 control group, and 1 program in no group, may use the lanes' CPUs",
	    "only ALOE may use the lanes' CPUs",
	    GROUP "cpuset/docker/cpuset.cpus 0-3>0-1 " GROUP "cpuset/aloe-others >made " GROUP
	          "cpuset/aloe-others/cpuset.cpus >0-1 " GROUP
	          "cpuset/aloe-others/cpuset.mems >0 " GROUP
	          "cpuset/aloe-others/cgroup.procs " GROUP "cpuset/cgroup.procs>moved");
}

/* Other lanes than the first time: the group moves, who is in the root by now stays. */
static void test_shield_again(void **state)
{
	struct world *world = *state;

	world_put(world, GROUP "cpuset/cpuset.cpus", "0-3\n");
	world_put(world, GROUP "cpuset/cgroup.procs", "50\n");
	world_put(world, "/proc/50/cmdline", "aloe-frontend");
	world_put(world, GROUP "cpuset/aloe-others/cpuset.cpus", "0,3\n");
	world_put(world, GROUP "cpuset/aloe/cpuset.cpus", "0-3\n");
	found(world, "shield", FIXABLE,
	    "1 control group, and 0 programs in no group, may use the lanes' CPUs",
	    "only ALOE may use the lanes' CPUs", GROUP "cpuset/aloe-others/cpuset.cpus 0,3>0-1");
	world_put(world, GROUP "cpuset/aloe-others/cpuset.cpus", "0\n");
	found(world, "shield", GOOD, "control groups keep other programs away", "", "");
}

/* ---- slots ------------------------------------------------------------------------ */

static void test_missed(void **state)
{
	struct measure_loop *loop = calloc(1, sizeof(*loop));

	(void)state;
	loop->watched_ns = 1000000000;
	assert_true(measure_missed(loop, 1000000) == 0);
	for (int i = 0; i < 10; i++)
		hist_add(&loop->gaps, 1000000); /* 1 % of the time, 1 ms each */
	assert_true(measure_missed(loop, 2100000) == 0);
	assert_true(
	    measure_missed(loop, 1000000) > 0.0099 && measure_missed(loop, 1000000) < 0.0101);
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

		assert_int_equal(measure(&one, 0.1, -1, &all, &n), 0);
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
	of = json_object_get(
	    json_object_get(json_object_get(report, "measured"), "shortest_us"), "timer");
	assert_int_equal(json_integer_value(json_object_get(of, "one_in_1000")), 10);
	assert_int_equal(json_integer_value(json_object_get(of, "none_seen")), 1000);
	doctor_print(report, out);
	fclose(out);
	assert_non_null(
	    strstr(text, "CPU 0   polling  not measured: a lane is running on this CPU"));
	assert_non_null(strstr(
	    text, "on the timer   1 in 100 missed: 10 us  1 in 1000: 10 us  no slot missed: 1 ms"));
	free(text);
	json_decref(report);
	free(one);
}

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
	    IN_WORLD(test_shield_again),
	    cmocka_unit_test(test_missed),
	    cmocka_unit_test(test_measure),
	    cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
