/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shield: control groups keep everybody else off the lanes' CPUs. All groups below the root are
 * confined to the other CPUs, and what runs in the root itself, where no service manager has sorted
 * it, moves to a group of its own. ALOE is started from the root, or from a group made later. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cpulist.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "tools/aloe/doctor/groups.h"

#define OTHERS "aloe-others"

struct shield {
	const struct machine *machine;
	struct finding *finding;
	struct groups groups; /* of cpuset */
	char rest[MACHINE_VALUE];
	unsigned open; /* groups that may use lanes' CPUs */
};

static void change_add(
    struct shield *shield, const char *kind, const char *name, const char *from, const char *to)
{
	char path[PATH_MAX];

	if (path_print(path, sizeof(path), "%s/%s", shield->groups.base, name) == 0)
		finding_change(shield->finding, kind, path, from, to);
}

/* A group without CPUs of its own has its parent's; before the controller is switched on none has a
 * file for them. */
static void group_judge(struct shield *shield, const char *path, const char *name)
{
	const struct machine *machine = shield->machine;
	char file[PATH_MAX], value[MACHINE_VALUE];
	cpu_set_t cpus;

	snprintf(file, sizeof(file), "%s/cpuset.cpus", path);
	if (machine_read(machine, file, value) < 0)
		value[0] = 0;
	if (cpulist_parse(value, &cpus) < 0)
		return;
	CPU_AND(&cpus, &cpus, &machine->lanes);
	if (value[0] != 0 && CPU_COUNT(&cpus) == 0)
		return;
	shield->open++;
	snprintf(file, sizeof(file), "%s/cpuset.cpus", name);
	change_add(shield, "value", file, value, shield->rest);
}

static void groups_judge(struct shield *shield)
{
	const size_t root = strlen(shield->machine->root);
	char whole[PATH_MAX];
	glob_t found;

	if (path_print(
	        whole, sizeof(whole), "%s%s/*/", shield->machine->root, shield->groups.base) < 0 ||
	    glob(whole, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *path = found.gl_pathv[i];
		const char *name;

		path[strlen(path) - 1] = 0;
		name = strrchr(path, '/') + 1;
		if (strncmp(name, "aloe", 4) != 0 || strcmp(name, OTHERS) == 0)
			group_judge(shield, path + root, name);
	}
	globfree(&found);
}

static unsigned programs_in_root(const struct shield *shield)
{
	char path[PATH_MAX], *text, *rest, *pid;
	unsigned n = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", shield->groups.base);
	text = rest = machine_text(shield->machine, path);
	while (rest != NULL && (pid = strsep(&rest, "\n")) != NULL)
		n += pid[0] != 0 && machine_program(shield->machine, pid);
	free(text);
	return n;
}

static void others_make(struct shield *shield)
{
	char from[PATH_MAX], value[MACHINE_VALUE], path[PATH_MAX];

	snprintf(from, sizeof(from), "%s/cgroup.procs", shield->groups.base);
	snprintf(path, sizeof(path), "%s/cpuset.mems", shield->groups.base);
	change_add(shield, "directory", OTHERS, "", "made");
	change_add(shield, "value", OTHERS "/cpuset.cpus", "", shield->rest);
	if (!shield->groups.v2 && machine_read(shield->machine, path, value) == 0)
		change_add(shield, "value", OTHERS "/cpuset.mems", "", value);
	change_add(shield, "tasks", OTHERS "/cgroup.procs", from, "moved");
}

/* From then on who is in the root is there because he was put there: ALOE. */
static bool others_there(const struct shield *shield)
{
	char path[PATH_MAX], value[MACHINE_VALUE];

	snprintf(path, sizeof(path), "%s/" OTHERS "/cpuset.cpus", shield->groups.base);
	return machine_read(shield->machine, path, value) == 0;
}

static void shield_judge(struct shield *shield)
{
	struct finding *finding = shield->finding;
	unsigned programs = 0;
	char path[PATH_MAX], value[MACHINE_VALUE], how[FINDING_TEXT];

	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", shield->groups.base);
	if (shield->groups.v2 && machine_read(shield->machine, path, value) == 0 &&
	    strstr(value, "cpuset") == NULL)
		change_add(shield, "controller", "cgroup.subtree_control", "-cpuset", "+cpuset");
	groups_judge(shield);
	if (!others_there(shield))
		programs = programs_in_root(shield);
	if (programs > 0)
		others_make(shield);
	snprintf(how, sizeof(how),
	    "start ALOE from the root control group: echo $$ > "
	    "%.150s/cgroup.procs",
	    shield->groups.base);
	finding_now(finding,
	    "%u control group%s, and %u program%s in no group, may use the lanes' CPUs",
	    shield->open, plural(shield->open), programs, plural(programs));
	finding_is(finding, FIXABLE, "only ALOE may use the lanes' CPUs", how);
	if (shield->open > 0 || programs > 0)
		return;
	finding_now(finding, "control groups keep other programs away");
	finding_is(finding, GOOD, "", how);
	json_array_clear(finding->changes);
}

void knob_shield(const struct machine *machine, const struct knob *knob, struct finding *finding)
{
	static const char *const isolated[] = {
	    "/sys/devices/system/cpu/isolated", "/sys/fs/cgroup/cpuset.cpus.isolated"};
	struct shield shield = {.machine = machine, .finding = finding};
	char value[MACHINE_VALUE];
	cpu_set_t cpus;

	(void)knob;
	for (size_t i = 0; i < 2; i++) {
		if (machine_read(machine, isolated[i], value) < 0 ||
		    cpulist_parse(value, &cpus) < 0)
			continue;
		CPU_AND(&cpus, &cpus, &machine->lanes);
		if (CPU_EQUAL(&cpus, &machine->lanes)) {
			finding_now(finding, "isolated");
			return;
		}
	}
	if (groups_find(machine, "cpuset", &shield.groups) == 0) {
		cpulist_print(&machine->rest, shield.rest, sizeof(shield.rest));
		shield_judge(&shield);
		return;
	}
	finding_now(finding, "not present");
	finding_is(finding, UNAVAILABLE, "", "this machine has no control groups with cpuset");
}
