/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The knobs of Linux real time, and those of them that belong to the machine as a whole. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tools/aloe/doctor/doctor.h"

enum { HUGE_PAGES = 128 }; /* 256 MB: the rings and buffers of a radio at 100 MSa/s each way */

void knob_find(const struct machine *machine, const struct knob *knob, struct finding *ret)
{
	*ret = (struct finding){.verdict = GOOD, .changes = json_array()};
	knob->judge(machine, knob, ret);
	if (ret->verdict != FIXABLE || !knob->needs_rest || CPU_COUNT(&machine->rest) > 0)
		return;
	json_array_clear(ret->changes);
	snprintf(ret->how, sizeof(ret->how), "needs --lanes");
}

/* ---- judges ------------------------------------------------------------------------ */

static void not_there(const struct knob *knob, int error, struct finding *finding)
{
	finding_now(finding, "%s", error == -ENOENT ? "not present" : strerror(-error));
	finding_is(finding, UNAVAILABLE, "", knob->missing != NULL ? knob->missing : "");
}

void knob_value(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char value[MACHINE_VALUE];
	const int rc = machine_read(machine, knob->path, value);

	if (rc < 0) {
		not_there(knob, rc, finding);
		return;
	}
	finding_now(finding, "%s", value);
	if (strcmp(value, knob->want) == 0)
		return;
	finding_is(finding, FIXABLE, knob->want, "");
	finding_change(finding, "value", knob->path, value, knob->want);
}

static void judge_fifo(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	(void)knob;
	finding_now(finding, "SCHED_FIFO allowed");
	if (machine->rights.fifo == 0)
		return;
	finding_now(finding, "SCHED_FIFO refused (%s)", strerror(-machine->rights.fifo));
	finding_is(finding, FIXABLE, "allowed",
	    machine->rights.root
	        ? "cpu.rt_runtime_us of this control group is 0, or CAP_SYS_NICE was dropped"
	        : "`USER - rtprio 51` in /etc/security/limits.conf, or CAP_SYS_NICE");
}

static void judge_memlock(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	(void)knob;
	finding_now(finding, "no limit");
	finding_is(finding, GOOD, "", "hosts lock only the memory that they use");
	if (machine->rights.lock_all)
		return;
	finding_now(finding, "%llu kB", (unsigned long long)machine->rights.memlock_kb);
	finding_is(finding, FIXABLE, "unlimited",
	    "`USER - memlock unlimited` in /etc/security/limits.conf, or CAP_IPC_LOCK");
}

static void judge_slack(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	(void)knob;
	finding_now(finding, "%u ns", machine->rights.slack_ns);
	finding_is(finding, GOOD, "", "lanes set theirs to 1 ns");
}

static void judge_wake(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char path[PATH_MAX];

	if (machine_path(machine, knob->path, 0, path, sizeof(path)) < 0 ||
	    access(path, F_OK) != 0) {
		not_there(knob, -ENOENT, finding);
		return;
	}
	finding_now(finding, "allowed");
	finding_is(finding, GOOD, "",
	    "aloe-exec holds the file at 0 while a waveform runs in real "
	    "time");
	if (access(path, W_OK) == 0)
		return;
	finding_now(finding, "refused (%s)", strerror(errno));
	finding_is(finding, FIXABLE, "allowed",
	    "a udev rule that gives /dev/cpu_dma_latency to ALOE's group");
}

static void judge_clock(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	static const char *const quick[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
	    "arch_sys_counter", "riscv_clocksource"};
	char value[MACHINE_VALUE], path[PATH_MAX];
	const int rc = machine_read(machine, knob->path, value);
	char *others;

	if (rc < 0) {
		not_there(knob, rc, finding);
		return;
	}
	finding_now(finding, "%s", value);
	for (size_t i = 0; i < sizeof(quick) / sizeof(quick[0]); i++)
		if (strcmp(value, quick[i]) == 0)
			return;
	snprintf(path, sizeof(path), "%.*savailable_clocksource",
	    (int)(strrchr(knob->path, '/') + 1 - knob->path), knob->path);
	others = machine_text(machine, path);
	finding_is(finding, UNAVAILABLE, "",
	    "the kernel does not trust the time stamp counter of this "
	    "machine");
	if (others != NULL && strstr(others, "tsc") != NULL) {
		finding_is(finding, FIXABLE, "tsc", "");
		finding_change(finding, "value", knob->path, value, "tsc");
	}
	free(others);
}

static void judge_preemption(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char value[MACHINE_VALUE] = "";
	char *version;

	if (machine_read(machine, "/sys/kernel/realtime", value) == 0 && strcmp(value, "1") == 0) {
		finding_now(finding, "PREEMPT_RT");
		return;
	}
	if (machine_read(machine, knob->path, value) == 0) {
		knob_value(machine, knob, finding);
		return;
	}
	version = machine_text(machine, "/proc/version");
	if (machine_option(machine, "preempt", value))
		finding_now(finding, "%s", value);
	else if (version != NULL && strstr(version, " PREEMPT ") != NULL)
		finding_now(finding, "full");
	else if (version != NULL && strstr(version, " PREEMPT_DYNAMIC ") != NULL)
		finding_now(finding, "as the kernel was built (PREEMPT_DYNAMIC)");
	else
		finding_now(finding, "none");
	if (strcmp(finding->now, knob->want) != 0)
		finding_is(
		    finding, FIXABLE, knob->want, "preempt=full on the kernel's command line");
	free(version);
}

static void judge_swap(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char *text = machine_text(machine, knob->path);
	const char *line = text != NULL ? strchr(text, '\n') : NULL;
	const bool swap = line != NULL && line[1] != 0;

	finding_now(finding, swap ? "in use" : "none");
	if (swap && machine->rights.lock_all)
		finding_is(finding, GOOD, "", "hosts lock their memory");
	else if (swap)
		finding_is(finding, FIXABLE, "none, or unlimited locked memory", "swapoff -a");
	free(text);
}

static void judge_huge(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char value[MACHINE_VALUE], want[32];
	const int rc = machine_read(machine, knob->path, value);

	if (rc < 0) {
		not_there(knob, rc, finding);
		return;
	}
	finding_now(finding, "%s of 2 MB free", value);
	snprintf(want, sizeof(want), "%d", HUGE_PAGES);
	if (atoi(value) < HUGE_PAGES)
		finding_is(finding, FIXABLE, want,
		    "sysctl vm.nr_hugepages=128, if a radio is connected through DPDK");
}

static void judge_vfio(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	judge_wake(machine, knob, finding);
	if (finding->verdict == GOOD)
		finding_is(finding, GOOD, "", "");
	else if (finding->verdict == FIXABLE)
		finding_is(finding, FIXABLE, "allowed",
		    "chgrp and chmod /dev/vfio/*, if DPDK drives the network card of a radio");
}

static double steal_percent(const struct machine *machine)
{
	char *text = machine_text(machine, "/proc/stat");
	double sum = 0, steal = 0, value;
	int len;

	/* user nice system idle iowait irq softirq steal; guests are in user already */
	const char *at = text != NULL && strncmp(text, "cpu ", 4) == 0 ? text + 4 : "";
	for (int i = 0; i < 8 && sscanf(at, "%lf%n", &value, &len) == 1; i++, at += len) {
		sum += value;
		steal = i == 7 ? value : 0;
	}
	free(text);
	return sum > 0 ? 100 * steal / sum : 0;
}

static void judge_hypervisor(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char *text = machine_text(machine, knob->path), value[MACHINE_VALUE] = "";
	const char *flags = text != NULL ? strstr(text, "\nflags") : NULL;
	const char *end = flags != NULL ? strchr(flags + 1, '\n') : NULL;
	const char *found = flags != NULL ? strstr(flags, " hypervisor") : NULL;

	finding_now(finding, "none seen");
	if ((found != NULL && (end == NULL || found < end)) ||
	    machine_read(machine, "/sys/hypervisor/type", value) == 0 ||
	    machine_read(machine, "/proc/device-tree/hypervisor/compatible", value) == 0) {
		finding_now(finding, "a virtual machine%s%s, %.2f %% stolen since it started",
		    *value ? " of " : "", value, steal_percent(machine));
		finding_is(finding, UNAVAILABLE, "",
		    "the stolen time shows only as gaps; reserve and pin this machine's CPUs on "
		    "the host");
	}
	free(text);
}

static void judge_irqbalance(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char whole[PATH_MAX], name[MACHINE_VALUE];
	const size_t root = strlen(machine->root);
	bool runs = false;
	glob_t found;

	if (path_print(whole, sizeof(whole), "%s/proc/[0-9]*/comm", machine->root) < 0)
		return;
	if (glob(whole, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && !runs; i++)
			runs = machine_read(machine, found.gl_pathv[i] + root, name) == 0 &&
			    strcmp(name, knob->name) == 0;
		globfree(&found);
	}
	finding_now(finding, runs ? "running" : "not running");
	if (runs)
		finding_is(finding, FIXABLE, "not running", "systemctl disable --now irqbalance");
}

/* ---- the kernel's command line, whole ---- */

static const char at_boot[] = " on the kernel's command line";

/* What a knob wants there: the word before `at_boot`. */
static void line_add(const struct machine *machine, const char *name, char *line, size_t size)
{
	for (size_t k = 0; k < n_knobs; k++) {
		struct finding finding;
		const size_t len = strlen(line);
		const char *end;

		if (strcmp(knobs[k].name, name) != 0)
			continue;
		knob_find(machine, &knobs[k], &finding);
		end = strstr(finding.how, at_boot);
		if (finding.verdict == FIXABLE && end != NULL)
			snprintf(line + len, size - len, "%s%.*s", len > 0 ? " " : "",
			    (int)(end - finding.how), finding.how);
		finding_fini(&finding);
	}
}

static const char *line_file(const struct machine *machine)
{
	static const struct {
		const char *path, *how;
	} files[] = {
	    {"/etc/default/grub", "GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub"},
	    {"/etc/kernel/cmdline", "/etc/kernel/cmdline, then kernel-install"},
	    {"/boot/firmware/cmdline.txt", "/boot/firmware/cmdline.txt"},
	    {"/boot/cmdline.txt", "/boot/cmdline.txt"}};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (machine_path(machine, files[i].path, 0, path, sizeof(path)) == 0 &&
		    access(path, F_OK) == 0)
			return files[i].how;
	return "the boot loader's settings, of which no file is here";
}

static void judge_line(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	static const char *const names[] = {"isolcpus", "nohz_full", "rcu_nocbs", "preemption"};
	char line[FINDING_TEXT] = "", how[FINDING_TEXT];

	(void)knob;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		line_add(machine, names[i], line, sizeof(line));
	finding_now(finding, "nothing is missing");
	if (line[0] == 0)
		return;
	finding_now(finding, "lacks words");
	snprintf(how, sizeof(how), "in %s", line_file(machine));
	finding_is(finding, FIXABLE, line, how);
}

/* ---- the table ------------------------------------------------------------------------ */

#define CPU_DIR "/sys/devices/system/cpu/"
#define MM_DIR "/sys/kernel/mm/"

const struct knob knobs[] = {
    {.name = "real-time",
        .why = "without real-time priority any other program can delay a slot by milliseconds",
        .judge = judge_fifo},
    {.name = "locked-memory",
        .why = "a page fault in a slot costs from 1 us to several milliseconds",
        .judge = judge_memlock},
    {.name = "timer-slack",
        .why = "a timed sleep takes longer by the timer slack",
        .judge = judge_slack},
    {.name = "timers",
        .why = "without high-resolution timers a sleep ends at the next tick, milliseconds late",
        .judge = knob_timers},
    {.name = "rtprio-limit",
        .why = "an ordinary user has real-time priority only up to this limit",
        .judge = knob_rtprio},
    {.name = "evidence",
        .why = "`aloe why` tells who delayed a slot by what the kernel records of its CPU",
        .judge = knob_evidence},
    {.name = "rt-groups",
        .why = "with CONFIG_RT_GROUP_SCHED each control group has a budget for real time",
        .judge = knob_rt_groups},
    {.name = "cpu-wake-up",
        .why = "a CPU in deep sleep needs 20 us and more to wake",
        .judge = judge_wake,
        .path = "/dev/cpu_dma_latency",
        .missing = "the kernel offers no such setting"},
    {.name = "rt-throttling",
        .why = "the kernel stops a lane that never sleeps for 50 ms of every second",
        .judge = knob_value,
        .path = "/proc/sys/kernel/sched_rt_runtime_us",
        .want = "-1",
        .needs_rest = true},
    {.name = "fair-server",
        .why = "the deadline server gives 5 % of a lane that never sleeps to waiting programs",
        .judge = knob_fair_server,
        .path = "/sys/kernel/debug/sched/fair_server/cpu*/runtime",
        .want = "0",
        .missing = "debugfs does not show the deadline server; keep other programs off the "
                   "lanes' CPUs (isolcpus)",
        .needs_rest = true},
    {.name = "shield",
        .why = "other programs take caches from a lane, and CPU time from a lane that polls",
        .judge = knob_shield,
        .needs_rest = true},
    {.name = "isolcpus",
        .why = "a lane that polls is real-time only on a CPU on which the kernel schedules "
               "nothing else",
        .judge = knob_isolcpus,
        .path = CPU_DIR "isolated",
        .want = "isolcpus=managed_irq,domain,",
        .needs_rest = true},
    {.name = "nohz_full",
        .why = "the timer tick costs a busy lane 1 to 60 us, 100 to 1000 times a second",
        .judge = knob_isolated,
        .path = CPU_DIR "nohz_full",
        .want = "nohz_full=",
        .missing = "this kernel was built without CONFIG_NO_HZ_FULL",
        .needs_rest = true},
    {.name = "rcu_nocbs",
        .why = "the kernel runs deferred work (RCU callbacks) on the lane's CPU",
        .judge = knob_rcu,
        .path = CPU_DIR "nohz_full",
        .want = "rcu_nocbs=",
        .missing = "this kernel was built without CONFIG_RCU_NOCB_CPU",
        .needs_rest = true},
    {.name = "kernel-threads",
        .why = "bound threads of the kernel take time from lanes now and then",
        .judge = knob_threads},
    {.name = "kernel-line",
        .why = "the words that the kernel's command line lacks, in one line",
        .judge = judge_line,
        .needs_rest = true},
    {.name = "group-cpu",
        .why = "a quota limits the other programs together",
        .judge = knob_controller,
        .path = "cpu",
        .missing = "used: --cap and `aloe cap`"},
    {.name = "group-cpuset",
        .why = "sets of CPUs keep the other programs off the lanes",
        .judge = knob_controller,
        .path = "cpuset",
        .missing = "used: --shield, and shield of --apply"},
    {.name = "group-memory",
        .why = "a limit keeps other programs from taking all memory",
        .judge = knob_controller,
        .path = "memory",
        .missing = "not used: hosts lock the memory that they use, so none of it can be taken"},
    {.name = "group-devices",
        .why = "a list keeps other programs from opening the radio",
        .judge = knob_controller,
        .path = "devices",
        .missing = "not used: who may open a device is decided by its file, and ALOE claims its "
                   "radio with a lock; v2 has no such controller"},
    {.name = "group-blkio",
        .why = "a share keeps other programs from filling the disk's queue",
        .judge = knob_controller,
        .path = "blkio",
        .missing =
            "not used: lanes read and write no file, I/O threads are ahead of them; the name "
            "in v2 is io"},
    {.name = "preemption",
        .why = "work of the kernel delays a wake-up",
        .judge = judge_preemption,
        .path = "/sys/kernel/debug/sched/preempt",
        .want = "full"},
    {.name = "irq-affinity",
        .why = "an interrupt costs a lane 2 to 50 us",
        .judge = knob_interrupts,
        .path = "/proc/irq/*/smp_affinity_list",
        .missing = "/proc shows no interrupts",
        .needs_rest = true},
    {.name = "new-irqs",
        .why = "devices that are added later interrupt lanes too",
        .judge = knob_mask,
        .path = "/proc/irq/default_smp_affinity",
        .needs_rest = true},
    {.name = "irq-coalescing",
        .why = "a network card that waits for more packets delays those of a radio or a node",
        .judge = knob_coalescing},
    {.name = "irqbalance",
        .why = "irqbalance moves interrupts back to the lanes' CPUs",
        .judge = judge_irqbalance},
    {.name = "workqueues",
        .why = "work of the kernel runs on a lane's CPU",
        .judge = knob_mask,
        .path = "/sys/devices/virtual/workqueue/cpumask",
        .needs_rest = true},
    {.name = "governor",
        .why = "a CPU that lowers its clock makes slots take longer",
        .judge = knob_lanes,
        .path = CPU_DIR "cpu*/cpufreq/scaling_governor",
        .want = "performance",
        .missing = "this machine does not let Linux set the clock"},
    {.name = "frequency-limit",
        .why = "a limit below the maximum clock makes slots take longer",
        .judge = knob_frequency,
        .path = CPU_DIR "cpu*/cpufreq/scaling_max_freq",
        .missing = "this machine does not let Linux set the clock"},
    {.name = "smt-siblings",
        .why = "two threads of one core take up to half of the core from each other",
        .judge = knob_siblings,
        .path = CPU_DIR "cpu*/topology/thread_siblings_list",
        .missing = "/sys shows no CPU topology"},
    {.name = "clocksource",
        .why = "each reading of a slow clock is a system call",
        .judge = judge_clock,
        .path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {.name = "huge-pages",
        .why = "hosts request their own huge pages; with \"always\" the kernel also builds huge "
               "pages in the middle of a slot",
        .judge = knob_value,
        .path = MM_DIR "transparent_hugepage/enabled",
        .want = "madvise"},
    {.name = "numa-balancing",
        .why = "NUMA balancing unmaps pages to see who uses them, which causes page faults in "
               "slots",
        .judge = knob_value,
        .path = "/proc/sys/kernel/numa_balancing",
        .want = "0",
        .missing = "this kernel has no NUMA balancing"},
    {.name = "watchdog",
        .why = "the watchdog interrupts every CPU every few seconds, above any priority",
        .judge = knob_value,
        .path = "/proc/sys/kernel/watchdog",
        .want = "0",
        .missing = "this kernel has no watchdog"},
    {.name = "swap",
        .why = "reading swapped-out memory back costs milliseconds",
        .judge = judge_swap,
        .path = "/proc/swaps"},
    {.name = "dpdk-huge-pages",
        .why = "without huge pages DPDK copies packets between processes",
        .judge = judge_huge,
        .path = MM_DIR "hugepages/hugepages-2048kB/free_hugepages",
        .missing = "this machine has no pages of 2 MB"},
    {.name = "dpdk-vfio",
        .why = "needed only for a network card that DPDK takes from the kernel; other DPDK ports "
               "need no VFIO",
        .judge = judge_vfio,
        .path = "/dev/vfio/vfio",
        .missing = "the vfio driver is not loaded"},
    {.name = "hypervisor",
        .why = "the virtual machine's host takes CPUs away for milliseconds",
        .judge = judge_hypervisor,
        .path = "/proc/cpuinfo"},
};

const size_t n_knobs = sizeof(knobs) / sizeof(knobs[0]);
