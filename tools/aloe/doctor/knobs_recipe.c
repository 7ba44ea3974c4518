/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Knobs of the recipe: timers, control groups, interrupts of network cards, limits and threads
 * of the kernel. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cpulist.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/platform/platform.h"
#include "tools/aloe/doctor/groups.h"

/* Without high-resolution timers every timed sleep ends at a tick. */
void knob_timers(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	const unsigned tick_ns = machine->rights.tick_ns, step_ns = machine->rights.timer_ns;

	(void)knob;
	if (tick_ns == 0) {
		finding_now(finding, "not known");
		finding_is(finding, UNAVAILABLE, "", "the kernel does not tell its tick");
		return;
	}
	finding_now(finding, "high resolution, HZ %.0f", 1e9 / tick_ns);
	if (step_ns < 1000)
		return;
	finding_now(finding, "steps of %.0f us, HZ %.0f", step_ns / 1e3, 1e9 / tick_ns);
	finding_is(finding, FIXABLE, "high resolution",
	    "no highres=off on the kernel's command line, a kernel with CONFIG_HIGH_RES_TIMERS");
}

/* A new group of version 1 has no real-time budget: FIFO is refused in it. */
void knob_rt_groups(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char own[PATH_MAX], path[PATH_MAX], value[MACHINE_VALUE], how[FINDING_TEXT];
	struct groups groups;

	(void)knob;
	if (groups_find(machine, "cpu", &groups) < 0 || groups_own(&groups, own, sizeof(own)) < 0 ||
	    path_print(path, sizeof(path), "%s/cpu.rt_runtime_us", own) < 0 ||
	    machine_read(machine, path, value) < 0) {
		finding_now(finding, "control groups have no real-time budget");
		return;
	}
	finding_now(finding, "this control group has %.20s us of each second", value);
	finding_is(finding, GOOD, "", "a new control group has 0 us, and FIFO is refused in it");
	if (strcmp(value, "0") != 0)
		return;
	snprintf(how, sizeof(how),
	    "start ALOE from the root control group, or echo 500000 > %.120s", path);
	finding_is(finding, FIXABLE, "more than 0", how);
}

void knob_controller(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	struct groups groups;

	if (groups_find(machine, knob->path, &groups) < 0) {
		finding_now(finding, "not present");
		finding_is(finding, UNAVAILABLE, "", knob->missing);
		return;
	}
	finding_now(finding, "control groups v%d", groups.v2 ? 2 : 1);
	finding_is(finding, GOOD, "", knob->missing);
}

void knob_coalescing(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	const struct machine_nic *worst = NULL;
	char how[FINDING_TEXT];
	unsigned told = 0;

	(void)knob;
	for (unsigned n = 0; n < machine->n_nics; n++) {
		const struct machine_nic *nic = &machine->nics[n];

		told += nic->rx_us >= 0;
		if (nic->rx_us > 0 && (worst == NULL || nic->rx_us > worst->rx_us))
			worst = nic;
	}
	finding_now(finding, "%u network card%s, %u with this setting", machine->n_nics,
	    plural(machine->n_nics), told);
	if (told == 0)
		finding_is(finding, UNAVAILABLE, "", "no driver here tells of coalescing");
	if (worst == NULL)
		return;
	finding_now(finding, "%s waits up to %d us for more packets", worst->name, worst->rx_us);
	snprintf(how, sizeof(how),
	    "ethtool -C %s adaptive-rx off rx-usecs 0, if a radio or a node is connected there",
	    worst->name);
	finding_is(finding, FIXABLE, "0 us", how);
}

void knob_rtprio(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	const uint64_t limit = machine->rights.rtprio;

	(void)knob;
	if (machine->rights.root || limit > 99) {
		finding_now(finding, "no limit");
		return;
	}
	finding_now(finding, "%llu", (unsigned long long)limit);
	if (limit < PLATFORM_PRIORITY_WATCHDOG)
		finding_is(finding, FIXABLE, "51",
		    "`USER - rtprio 51` in /etc/security/limits.conf, or CAP_SYS_NICE");
}

/* ---- threads of the kernel ---- */

struct kernel_threads {
	unsigned all, bound, lanes; /* lanes: bound, and allowed on a lane's CPU */
};

/* A process is a thread of the kernel by a flag, and bound by another: PF_KTHREAD and
 * PF_NO_SETAFFINITY of the kernel's include/linux/sched.h, in field 9 of /proc/PID/stat. */
static bool kernel_thread(const struct machine *machine, const char *pid, bool *ret_bound)
{
	enum { PF_KTHREAD = 0x00200000, PF_NO_SETAFFINITY = 0x04000000 };
	char path[64], line[MACHINE_VALUE];
	unsigned long flags;
	char *text;
	const char *end;
	bool is;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	text = machine_text(machine, path);
	end = text != NULL ? strrchr(text, ')') : NULL;
	snprintf(line, sizeof(line), "%s", end != NULL ? end : "");
	free(text);
	is = sscanf(line, ") %*c %*d %*d %*d %*d %*d %lu", &flags) == 1 && (flags & PF_KTHREAD);
	*ret_bound = is && (flags & PF_NO_SETAFFINITY);
	return is;
}

static bool on_lanes(const struct machine *machine, const char *pid)
{
	static const char key[] = "Cpus_allowed_list:";
	char path[64], list[MACHINE_VALUE] = "";
	cpu_set_t cpus;
	char *text, *at;

	snprintf(path, sizeof(path), "/proc/%.20s/status", pid);
	text = machine_text(machine, path);
	at = text != NULL ? strstr(text, key) : NULL;
	if (at != NULL)
		sscanf(at + sizeof(key) - 1, " %1023s", list);
	free(text);
	if (cpulist_parse(list, &cpus) < 0)
		return false;
	CPU_AND(&cpus, &cpus, &machine->lanes);
	return CPU_COUNT(&cpus) > 0;
}

static int threads_count(const struct machine *machine, struct kernel_threads *ret)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	bool bound;
	DIR *dir;

	*ret = (struct kernel_threads){0};
	if (machine_path(machine, "/proc", 0, path, sizeof(path)) < 0 || !(dir = opendir(path)))
		return -ENOENT;
	while ((entry = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !kernel_thread(machine, entry->d_name, &bound))
			continue;
		ret->all++;
		ret->bound += bound;
		ret->lanes += bound && on_lanes(machine, entry->d_name);
	}
	closedir(dir);
	return 0;
}

void knob_threads(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	struct kernel_threads threads;

	(void)knob;
	if (threads_count(machine, &threads) < 0 || threads.all == 0) {
		finding_now(finding, "not present");
		finding_is(finding, UNAVAILABLE, "", "/proc shows no threads of the kernel");
		return;
	}
	finding_now(finding,
	    "%u thread%s of the kernel, %u bound to CPUs, %u of these on lanes' CPUs", threads.all,
	    plural(threads.all), threads.bound, threads.lanes);
	finding_is(finding, GOOD, "",
	    "bound threads cannot be moved; they work when the kernel has work for that CPU, which "
	    "isolcpus, nohz_full and rcu_nocbs keep away");
}

static bool evidence_here(const struct machine *machine, int source)
{
	return machine->rights.evidence[source] == 0;
}

/* The first of a name stands for its begin and end. */
static bool evidence_first(int source)
{
	return source == 0 ||
	    strcmp(platform_perf_name((enum perf_source)source),
	        platform_perf_name((enum perf_source)(source - 1))) != 0;
}

static void evidence_names(
    const struct machine *machine, bool here, char *ret, size_t size, int *ret_first)
{
	size_t len = 0;

	*ret_first = -1;
	ret[0] = 0;
	for (int s = 0; s < PERF_SOURCES; s++) {
		if (!evidence_first(s) || evidence_here(machine, s) != here)
			continue;
		if (len < size)
			len += (size_t)snprintf(ret + len, size - len, "%s%s", len ? ", " : "",
			    platform_perf_name((enum perf_source)s));
		*ret_first = *ret_first < 0 ? s : *ret_first;
	}
}

/* What the kernel records beside a lane (core/platform/perf.h), and why the rest is not here. */
void knob_evidence(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char here[FINDING_TEXT], missing[FINDING_TEXT], how[2 * FINDING_TEXT];
	int first, lacks;

	(void)knob;
	evidence_names(machine, true, here, sizeof(here), &first);
	evidence_names(machine, false, missing, sizeof(missing), &lacks);
	finding_now(finding, "%s", first < 0 ? "nothing" : here);
	if (lacks < 0)
		return;
	snprintf(how, sizeof(how), "%.120s: %s", missing,
	    platform_perf_reason((enum perf_source)lacks, machine->rights.evidence[lacks]));
	finding_is(finding,
	    machine->rights.evidence[lacks] == -EACCES || machine->rights.evidence[lacks] == -EPERM
	        ? FIXABLE
	        : UNAVAILABLE,
	    "all sources", how);
}
