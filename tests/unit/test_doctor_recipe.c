/* SPDX-License-Identifier: BSD-3-Clause
 * tools/aloe/doctor/knobs_recipe: timers, control groups, network cards, limits, threads of the
 * kernel and its command line, on made-up machines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/common/world.h"
#include "tools/aloe/doctor/doctor.h"

static void found(const struct world *world, const char *name, enum verdict verdict,
    const char *now, const char *want, const char *how)
{
	struct finding finding;

	knob_find(&world->machine, knob_named(name), &finding);
	assert_string_equal(finding.now, now);
	assert_string_equal(finding.want, want);
	if (how != NULL)
		assert_non_null(strstr(finding.how, how));
	assert_int_equal(finding.verdict, verdict);
	assert_int_equal(json_array_size(finding.changes), 0);
	finding_fini(&finding);
}

static void test_timers(void **state)
{
	struct world *world = *state;
	struct machine_rights *rights = &world->machine.rights;

	found(world, "timers", UNAVAILABLE, "not known", "", NULL);
	rights->tick_ns = 4000000;
	rights->timer_ns = 1;
	found(world, "timers", GOOD, "high resolution, HZ 250", "", NULL);
	rights->timer_ns = rights->tick_ns = 10000000;
	found(world, "timers", FIXABLE, "steps of 10000 us, HZ 100", "high resolution",
	    "highres=off");
}

static void test_rtprio(void **state)
{
	struct world *world = *state;
	struct machine_rights *rights = &world->machine.rights;

	found(world, "rtprio-limit", FIXABLE, "0", "51", "limits.conf");
	rights->rtprio = 51;
	found(world, "rtprio-limit", GOOD, "51", "", NULL);
	rights->rtprio = 50; /* lanes, but no watchdog above them */
	found(world, "rtprio-limit", FIXABLE, "50", "51", "limits.conf");
	rights->rtprio = UINT64_MAX;
	found(world, "rtprio-limit", GOOD, "no limit", "", NULL);
	rights->rtprio = 0;
	rights->root = true;
	found(world, "rtprio-limit", GOOD, "no limit", "", NULL);
}

static void test_evidence(void **state)
{
	struct world *world = *state;
	int *evidence = world->machine.rights.evidence;

	for (int s = PERF_IRQ; s < PERF_SOURCES; s++)
		evidence[s] = -ENODEV;
	found(world, "evidence", UNAVAILABLE,
	    "context switches, page faults, moves of threads between CPUs", "all sources",
	    "interrupts of devices, soft interrupts");
	for (int s = 0; s < PERF_SOURCES; s++)
		evidence[s] = -EACCES;
	found(world, "evidence", FIXABLE, "nothing", "all sources", "CAP_PERFMON");
	memset(evidence, 0, sizeof(world->machine.rights.evidence));
	evidence[PERF_FAULTS] = -ENOENT;
	found(world, "evidence", UNAVAILABLE,
	    "context switches, moves of threads between CPUs, interrupts of devices, soft "
	    "interrupts, timer interrupts, interrupts of other CPUs, calls of other CPUs, wake-ups "
	    "of lanes, changes of a CPU's clock, work queues, non-maskable interrupts",
	    "all sources", "page faults: this kernel does not count them");
}

static void test_rt_groups(void **state)
{
	struct world *world = *state;

	found(world, "rt-groups", GOOD, "control groups have no real-time budget", "", NULL);
	world_put(world, "/proc/self/cgroup", "3:cpu:/box/in\n");
	world_put(world, "/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "950000\n");
	world_put(world, "/sys/fs/cgroup/cpu/box/in/cpu.rt_runtime_us", "0\n");
	found(world, "rt-groups", FIXABLE, "this control group has 0 us of each second",
	    "more than 0", "/sys/fs/cgroup/cpu/box/in/cpu.rt_runtime_us");
	world_put(world, "/proc/self/cgroup", "3:cpu:/\n");
	found(
	    world, "rt-groups", GOOD, "this control group has 950000 us of each second", "", NULL);
}

static void test_controllers(void **state)
{
	struct world *world = *state;

	found(world, "group-cpu", UNAVAILABLE, "not present", "", "used: --cap");
	world_folder(world, "/sys/fs/cgroup/memory");
	found(world, "group-memory", GOOD, "control groups v1", "", "not used");
	world_put(world, "/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io\n");
	found(world, "group-cpu", GOOD, "control groups v2", "", "used: --cap");
	found(world, "group-blkio", UNAVAILABLE, "not present", "", "io");
}

static void test_coalescing(void **state)
{
	struct world *world = *state;
	struct machine *machine = &world->machine;

	found(
	    world, "irq-coalescing", UNAVAILABLE, "0 network cards, 0 with this setting", "", NULL);
	machine->nics[machine->n_nics++] = (struct machine_nic){"eth0", -EOPNOTSUPP};
	found(
	    world, "irq-coalescing", UNAVAILABLE, "1 network card, 0 with this setting", "", NULL);
	machine->nics[machine->n_nics++] = (struct machine_nic){"eth1", 0};
	found(world, "irq-coalescing", GOOD, "2 network cards, 1 with this setting", "", NULL);
	machine->nics[machine->n_nics++] = (struct machine_nic){"eth2", 3};
	machine->nics[machine->n_nics++] = (struct machine_nic){"eth3", 250};
	found(world, "irq-coalescing", FIXABLE, "eth3 waits up to 250 us for more packets", "0 us",
	    "ethtool -C eth3");
}

static void test_threads(void **state)
{
	struct world *world = *state;

	found(world, "kernel-threads", UNAVAILABLE, "not present", "", NULL);
	/* bound (0x04000000), of the kernel (0x00200000): on a lane's CPU, on another, neither */
	world_put(world, "/proc/7/stat", "7 (a) b) S 2 0 0 0 -1 69238848 0 0\n");
	world_put(world, "/proc/7/status", "Name:\ta\nCpus_allowed_list:\t3\nMems:\t0\n");
	world_put(world, "/proc/8/stat", "8 (b) S 2 0 0 0 -1 69206016 0 0\n");
	world_put(world, "/proc/8/status", "Name:\tb\nCpus_allowed_list:\t0-1\n");
	world_put(world, "/proc/9/stat", "9 (c) S 2 0 0 0 -1 2129984 0 0\n");
	world_put(world, "/proc/50/stat", "50 (sh) S 1 50 50 0 -1 4194560 0 0\n");
	world_put(world, "/proc/51/stat", "51 nonsense\n");
	found(world, "kernel-threads", GOOD,
	    "3 threads of the kernel, 2 bound to CPUs, 1 of these on lanes' CPUs", "", NULL);
}

static void test_line(void **state)
{
	struct world *world = *state;

	world_put(world, "/proc/version", "Linux version 6.1 #1 SMP PREEMPT \n");
	world_put(world, "/sys/kernel/debug/sched/preempt", "none voluntary (full)\n");
	found(world, "kernel-line", GOOD, "nothing is missing", "", NULL);
	world_put(world, "/sys/devices/system/cpu/isolated", "\n");
	world_put(world, "/sys/devices/system/cpu/nohz_full", "(null)\n");
	found(world, "kernel-line", FIXABLE, "lacks words",
	    "isolcpus=managed_irq,domain,2-3 nohz_full=2-3 rcu_nocbs=2-3", "no file is here");
	world_put(world, "/boot/cmdline.txt", "x\n");
	found(world, "kernel-line", FIXABLE, "lacks words",
	    "isolcpus=managed_irq,domain,2-3 nohz_full=2-3 rcu_nocbs=2-3", "/boot/cmdline.txt");
	world_put(world, "/etc/default/grub", "GRUB_CMDLINE_LINUX=\n");
	world_put(world, "/sys/devices/system/cpu/isolated", "2-3\n");
	found(world, "kernel-line", FIXABLE, "lacks words", "nohz_full=2-3 rcu_nocbs=2-3",
	    "in GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    IN_WORLD(test_timers),
	    IN_WORLD(test_rtprio),
	    IN_WORLD(test_evidence),
	    IN_WORLD(test_rt_groups),
	    IN_WORLD(test_controllers),
	    IN_WORLD(test_coalescing),
	    IN_WORLD(test_threads),
	    IN_WORLD(test_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
