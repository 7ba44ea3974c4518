/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Knobs of CPUs: one file for each, or a set of them in a file. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cpulist.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "tools/aloe/doctor/doctor.h"

static int path_of(const struct knob *knob, int cpu, char ret_path[PATH_MAX])
{
	return machine_path(&(struct machine){.root = ""}, knob->path, cpu, ret_path, PATH_MAX);
}

/* The value of the knob's file for a CPU. */
static int lane_read(const struct machine *machine, const struct knob *knob, int cpu,
    char ret_path[PATH_MAX], char ret_value[MACHINE_VALUE])
{
	const int rc = path_of(knob, cpu, ret_path);

	return rc < 0 ? rc : machine_read(machine, ret_path, ret_value);
}

static bool is_lane(const struct machine *machine, int cpu)
{
	return CPU_ISSET((size_t)cpu, &machine->lanes);
}

static void knob_missing(const struct knob *knob, struct finding *finding)
{
	finding_now(finding, "not present");
	finding_is(finding, UNAVAILABLE, "", knob->missing);
}

/* What one lane's file holds, and what it should. */
static void lane_judge(
    struct finding *finding, int cpu, const char *path, const char *value, const char *want)
{
	const bool good = strcmp(value, want) == 0;

	if (finding->now[0] == 0 || (!good && finding->verdict == GOOD))
		finding_now(finding, good ? "%s" : "%s (CPU %d)", value, cpu);
	if (good)
		return;
	finding_is(finding, FIXABLE, want, "");
	finding_change(finding, "value", path, value, want);
}

void knob_lanes(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char path[PATH_MAX], value[MACHINE_VALUE];

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (is_lane(machine, cpu) && lane_read(machine, knob, cpu, path, value) == 0)
			lane_judge(finding, cpu, path, value, knob->want);
	if (finding->now[0] == 0)
		knob_missing(knob, finding);
}

void knob_frequency(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char path[PATH_MAX], able[PATH_MAX], value[MACHINE_VALUE], want[MACHINE_VALUE];

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!is_lane(machine, cpu) || lane_read(machine, knob, cpu, path, value) < 0)
			continue;
		snprintf(able, sizeof(able), "%.*scpuinfo_max_freq",
		    (int)(strrchr(path, '/') + 1 - path), path);
		if (machine_read(machine, able, want) == 0)
			lane_judge(finding, cpu, path, value, want);
	}
	if (finding->now[0] == 0)
		knob_missing(knob, finding);
}

void knob_fair_server(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char release[MACHINE_VALUE];
	int major = 0, minor = 0;

	knob_lanes(machine, knob, finding);
	if (finding->verdict != UNAVAILABLE ||
	    machine_read(machine, "/proc/sys/kernel/osrelease", release) < 0 ||
	    sscanf(release, "%d.%d", &major, &minor) != 2 || major > 6 ||
	    (major == 6 && minor >= 12))
		return;
	finding_now(finding, "Linux %d.%d has no deadline server", major, minor);
	finding_is(finding, GOOD, "", "");
}

void knob_siblings(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char path[PATH_MAX], value[MACHINE_VALUE];
	cpu_set_t core;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!is_lane(machine, cpu) || lane_read(machine, knob, cpu, path, value) < 0 ||
		    cpulist_parse(value, &core) < 0)
			continue;
		if (finding->verdict == GOOD && CPU_COUNT(&core) > 1) {
			finding_now(finding, "CPUs %.100s belong to one core", value);
			finding_is(finding, FIXABLE, "only one of these CPUs used",
			    "name one CPU of each core with --lanes, and take the other CPU off "
			    "line (/sys/devices/system/cpu/cpuN/online)");
		} else if (finding->now[0] == 0) {
			finding_now(finding, "every lane has a core of its own");
		}
	}
	if (finding->now[0] == 0)
		knob_missing(knob, finding);
}

/* ---- away from lanes ------------------------------------------------------------------------ */

/* What a set is to be without the lanes' CPUs: false if it has none of them. */
static bool without_lanes(const struct machine *machine, cpu_set_t *cpus)
{
	cpu_set_t both;

	CPU_AND(&both, cpus, &machine->lanes);
	if (CPU_COUNT(&both) == 0)
		return false;
	CPU_XOR(cpus, cpus, &both);
	if (CPU_COUNT(cpus) == 0)
		*cpus = machine->rest;
	return true;
}

/* False if it may not come to lanes. */
static bool interrupt_judge(
    const struct machine *machine, const char *path, struct finding *finding)
{
	char value[MACHINE_VALUE], want[MACHINE_VALUE];
	cpu_set_t cpus;

	if (machine_read(machine, path, value) < 0 || cpulist_parse(value, &cpus) < 0 ||
	    !without_lanes(machine, &cpus))
		return false;
	if (cpulist_print(&cpus, want, sizeof(want)) == 0)
		finding_change(finding, "value", path, value, want);
	return true;
}

void knob_interrupts(
    const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char whole[PATH_MAX];
	size_t total = 0, bad = 0;
	glob_t found;

	if (path_print(whole, sizeof(whole), "%s%s", machine->root, knob->path) == 0 &&
	    glob(whole, 0, NULL, &found) == 0) {
		total = found.gl_pathc;
		for (size_t i = 0; i < total; i++)
			bad += interrupt_judge(
			    machine, found.gl_pathv[i] + strlen(machine->root), finding);
		globfree(&found);
	}
	if (total == 0) {
		knob_missing(knob, finding);
		return;
	}
	finding_now(finding, "%zu of %zu interrupt%s may come to lanes", bad, total, plural(total));
	if (bad > 0)
		finding_is(finding, FIXABLE, "none",
		    "interrupts that a driver spreads itself (virtio, nvme) cannot be moved");
}

void knob_mask(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char value[MACHINE_VALUE], want[MACHINE_VALUE], list[MACHINE_VALUE];
	cpu_set_t cpus;

	if (machine_read(machine, knob->path, value) < 0 || cpumask_parse(value, &cpus) < 0) {
		finding_now(finding, "not present");
		finding_is(finding, UNAVAILABLE, "", "");
		return;
	}
	cpulist_print(&cpus, list, sizeof(list));
	finding_now(finding, "CPUs %.100s", list);
	if (!without_lanes(machine, &cpus))
		return;
	cpulist_print(&cpus, list, sizeof(list));
	finding_is(finding, FIXABLE, list, "");
	if (cpumask_print(&cpus, want, sizeof(want)) == 0)
		finding_change(finding, "value", knob->path, value, want);
}

/* ---- the kernel's command line ---- */

static bool has_lanes(const struct machine *machine, const char *list)
{
	cpu_set_t cpus;

	if (cpulist_parse(list, &cpus) < 0)
		return false;
	CPU_AND(&cpus, &cpus, &machine->lanes);
	return CPU_EQUAL(&cpus, &machine->lanes);
}

static void at_boot(const struct machine *machine, const struct knob *knob, const char *value,
    struct finding *finding)
{
	char lanes[FINDING_TEXT / 3] = "", how[FINDING_TEXT];

	finding_now(
	    finding, "%.100s", value[0] == 0 || strcmp(value, "null") == 0 ? "no CPU" : value);
	if (has_lanes(machine, value))
		return;
	cpulist_print(&machine->lanes, lanes, sizeof(lanes));
	snprintf(how, sizeof(how), "%s%s on the kernel's command line", knob->want, lanes);
	finding_is(finding, FIXABLE, lanes, how);
}

void knob_isolated(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char value[MACHINE_VALUE];

	if (machine_read(machine, knob->path, value) < 0)
		knob_missing(knob, finding);
	else
		at_boot(machine, knob, value, finding);
}

/* Nobody has them by birth. */
void knob_isolcpus(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	const size_t len = (knob_isolated(machine, knob, finding), strlen(finding->how));
	char all[FINDING_TEXT / 3] = "";
	cpu_set_t cpus;

	CPU_OR(&cpus, &machine->lanes, &machine->rest);
	cpulist_print(&cpus, all, sizeof(all));
	snprintf(finding->how + len, sizeof(finding->how) - len, "%sstart ALOE with taskset -c %s",
	    len > 0 ? "; " : "", all);
}

/* nohz_full brings it along. */
void knob_rcu(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	char value[MACHINE_VALUE];
	const bool full = machine_read(machine, knob->path, value) == 0;

	if (full && has_lanes(machine, value))
		at_boot(machine, knob, value, finding);
	else if (machine_option(machine, "rcu_nocbs", value))
		at_boot(machine, knob, strcmp(value, "all") == 0 ? "0-1023" : value, finding);
	else if (full)
		at_boot(machine, knob, "", finding);
	else
		knob_missing(knob, finding);
}
