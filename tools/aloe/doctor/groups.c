/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Control groups: where a controller has its groups, and the quota on everybody else.
 *
 *   base                everything, or the group named aloe-scope... that this process is in
 *     cgroup.procs      ALOE
 *     aloe-others       the programs that were in base, with their part of the quota
 *     system.slice ...  every other group that holds processes, with its part */
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/text.h"
#include "tools/aloe/doctor/groups.h"

#define ROOT "/sys/fs/cgroup"
#define SCOPE "/aloe-scope"
#define OTHERS "aloe-others"

enum { QUOTA_MIN_US = 1000, PERIOD_MIN_US = 1000, PERIOD_MAX_US = 1000000 };

static bool is_there(const struct machine *machine, const char *path)
{
	char whole[PATH_MAX];

	return machine_path(machine, path, 0, whole, sizeof(whole)) == 0 &&
	    access(whole, F_OK) == 0;
}

static bool has_item(const char *list, const char *item, const char *between)
{
	const size_t len = strlen(item);

	for (const char *at = list; *at != 0; at += strcspn(at, between)) {
		at += strspn(at, between);
		if (strncmp(at, item, len) == 0 && (at[len] == 0 || strchr(between, at[len])))
			return true;
	}
	return false;
}

/* "9:cpu,cpuacct:/path", or "0::/path" of version 2: the path; NULL: another line. */
static char *line_path(char *line, const char *controller, bool v2)
{
	char *names = strchr(line, ':'), *path = names != NULL ? strchr(names + 1, ':') : NULL;

	if (path == NULL)
		return NULL;
	*path++ = 0;
	return (v2 ? names[1] == 0 : has_item(names + 1, controller, ",")) ? path : NULL;
}

/* own_path gives the path of this process' group below the root of a controller; "": not known. */
static void own_path(
    const struct machine *machine, const char *controller, bool v2, char *ret, size_t size)
{
	char *text = machine_text(machine, "/proc/self/cgroup"), *rest = text, *line, *path = NULL;

	while (rest != NULL && path == NULL && (line = strsep(&rest, "\n")) != NULL)
		path = line_path(line, controller, v2);
	snprintf(ret, size, "%s", path != NULL && strcmp(path, "/") != 0 ? path : "");
	free(text);
}

int groups_find(const struct machine *machine, const char *controller, struct groups *ret)
{
	char value[MACHINE_VALUE], scope[512], *at;

	*ret = (struct groups){.machine = machine};
	ret->v2 = machine_read(machine, ROOT "/cgroup.controllers", value) == 0 &&
	    has_item(value, controller, " ");
	snprintf(ret->controller, sizeof(ret->controller), "%s", controller);
	own_path(machine, controller, ret->v2, scope, sizeof(scope));
	at = strstr(scope, SCOPE);
	if (at != NULL)
		at[1 + strcspn(at + 1, "/")] = 0;
	snprintf(ret->base, sizeof(ret->base), ROOT "%s%s%s", ret->v2 ? "" : "/",
	    ret->v2 ? "" : controller, at != NULL ? scope : "");
	return is_there(machine, ret->base) ? 0 : -ENOENT;
}

const char *groups_scope(const struct groups *groups)
{
	const char *scope = strstr(groups->base, SCOPE);

	return scope != NULL ? scope + 1 : "";
}

bool groups_in_scope(const struct machine *machine, pid_t pid, const char *scope)
{
	const char *name = scope[0] != 0 ? scope : SCOPE;
	const size_t len = strlen(name);
	char path[64], *text;
	bool is = false;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	text = machine_text(machine, path);
	for (const char *at = text; at != NULL && (at = strstr(at, name)) != NULL; at += len)
		is |= scope[0] == 0 || strchr("/\n", at[len]) != NULL;
	is = text != NULL && is == (scope[0] != 0);
	free(text);
	return is;
}

bool groups_others(const char *path)
{
	const char *last = strrchr(path, '/');

	return last != NULL && strcmp(last + 1, OTHERS) == 0;
}

int groups_own(const struct groups *groups, char *ret_path, size_t size)
{
	char own[512];

	own_path(groups->machine, groups->controller, groups->v2, own, sizeof(own));
	return path_print(ret_path, size, ROOT "%s%s%s", groups->v2 ? "" : "/",
	    groups->v2 ? "" : groups->controller, own);
}

void groups_ours(const struct groups *groups, struct finding *finding)
{
	const char *scope = strstr(groups->base, SCOPE);
	char path[PATH_MAX];

	if (path_print(path, sizeof(path), "%s/cgroup.procs", groups->base) == 0)
		finding_change(finding, "ours", path, scope != NULL ? scope : "", "ALOE");
}

/* ---- the quota ------------------------------------------------------------------------ */

static bool is_populated(const struct groups *groups, const char *path)
{
	char file[PATH_MAX], *text;
	bool is;

	if (path_print(file, sizeof(file), "%s/%s", path,
	        groups->v2 ? "cgroup.events" : "cgroup.procs") < 0)
		return false;
	text = machine_text(groups->machine, file);
	is = text != NULL && (groups->v2 ? strstr(text, "populated 1") != NULL : text[0] != 0);
	free(text);
	return is;
}

/* Calls `each` for every group that is not ALOE's: how many. */
static unsigned groups_each(const struct groups *groups, const struct cap *cap,
    void (*each)(const struct groups *, const struct cap *, const char *path, struct finding *),
    struct finding *finding)
{
	const size_t root = strlen(groups->machine->root);
	char whole[PATH_MAX];
	unsigned n = 0;
	glob_t found;

	if (path_print(whole, sizeof(whole), "%s%s/*/", groups->machine->root, groups->base) < 0 ||
	    glob(whole, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *path = found.gl_pathv[i];

		path[strlen(path) - 1] = 0;
		if (strncmp(strrchr(path, '/') + 1, "aloe", 4) == 0 ||
		    !is_populated(groups, path + root))
			continue;
		n++;
		if (each != NULL)
			each(groups, cap, path + root, finding);
	}
	globfree(&found);
	return n;
}

static void value_change(const struct groups *groups, const char *group, const char *file,
    const char *first, const char *to, struct finding *finding)
{
	char path[PATH_MAX], now[MACHINE_VALUE];

	if (path_print(path, sizeof(path), "%s/%s", group, file) < 0)
		return;
	if (machine_read(groups->machine, path, now) < 0)
		snprintf(now, sizeof(now), "%s", first);
	if (strcmp(now, to) != 0)
		finding_change(finding, "value", path, now, to);
}

static void group_cap(
    const struct groups *groups, const struct cap *cap, const char *group, struct finding *finding)
{
	char quota[64], period[32];

	snprintf(period, sizeof(period), "%llu", (unsigned long long)cap->period_us);
	snprintf(quota, sizeof(quota), "%llu", (unsigned long long)cap->quota_us);
	if (groups->v2) {
		snprintf(quota, sizeof(quota), "%llu %llu", (unsigned long long)cap->quota_us,
		    (unsigned long long)cap->period_us);
		value_change(groups, group, "cpu.max", "max 100000", quota, finding);
		return;
	}
	value_change(groups, group, "cpu.cfs_period_us", "100000", period, finding);
	value_change(groups, group, "cpu.cfs_quota_us", "-1", quota, finding);
}

/* The quota of a group has a minimum in the kernel, so the period may have to be longer. */
static int cap_fit(struct cap *cap, double percent, unsigned cpus, unsigned groups)
{
	const double share = percent / 100 * cpus / groups; /* of one CPU */
	const double period = fmax(ceil(QUOTA_MIN_US / share), (double)cap->period_us);

	cap->period_us = (uint64_t)fmax(period, PERIOD_MIN_US);
	cap->quota_us = (uint64_t)fmax((double)cap->period_us * share, QUOTA_MIN_US);
	cap->groups = groups;
	return cap->period_us <= PERIOD_MAX_US ? 0 : -ERANGE;
}

int groups_cap(
    const struct groups *groups, double percent, struct cap *cap, struct finding *finding)
{
	const unsigned cpus =
	    (unsigned)(CPU_COUNT(&groups->machine->lanes) + CPU_COUNT(&groups->machine->rest));
	char from[PATH_MAX], path[PATH_MAX], value[MACHINE_VALUE];
	int rc = cap_fit(cap, percent, cpus, 1 + groups_each(groups, NULL, NULL, NULL));

	if (rc < 0)
		return rc;
	snprintf(path, sizeof(path), "%.2000s/cgroup.subtree_control", groups->base);
	if (groups->v2 && machine_read(groups->machine, path, value) == 0 &&
	    !has_item(value, "cpu", " "))
		finding_change(finding, "controller", path, "-cpu", "+cpu");
	snprintf(path, sizeof(path), "%.2000s/" OTHERS, groups->base);
	if (!is_there(groups->machine, path))
		finding_change(finding, "directory", path, "", "made");
	group_cap(groups, cap, path, finding);
	groups_each(groups, cap, group_cap, finding);
	snprintf(from, sizeof(from), "%.2000s/cgroup.procs", groups->base);
	snprintf(path, sizeof(path), "%.2000s/" OTHERS "/cgroup.procs", groups->base);
	groups_ours(groups, finding);
	finding_change(finding, "others", path, from, "moved");
	return 0;
}
