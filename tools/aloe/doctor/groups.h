/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/doctor/groups.h - control groups of version 1 and 2, and the quota on everybody but
 * ALOE.
 *
 * A process of ALOE is one whose name begins with "aloe"; so is a group. Where this process is in a
 * group named aloe-scope..., nothing outside of that group is touched.
 */
#ifndef TOOLS_ALOE_DOCTOR_GROUPS_H
#define TOOLS_ALOE_DOCTOR_GROUPS_H

#include <sys/types.h>

#include "tools/aloe/doctor/doctor.h"

struct groups {
	const struct machine *machine;
	char base[1024]; /* folder of the group below which all others are */
	char controller[16];
	bool v2;
};

struct cap {
	uint64_t period_us; /* wanted, then possible: 1 ms to 1 s */
	uint64_t quota_us;  /* of each of the groups in a period */
	unsigned groups;
};

/* groups_find finds the groups of a controller. 0; -ENOENT: this machine has none. */
int groups_find(const struct machine *machine, const char *controller, struct groups *ret);
/* groups_own gives the folder of the group that this process is in. 0 or -errno. */
int groups_own(const struct groups *groups, char *ret_path, size_t size);
/* groups_scope gives the name of the group named aloe-scope... that the base is, "": everything.
 * groups_in_scope tells whether a process is below that group, or for "" below no such group. */
const char *groups_scope(const struct groups *groups);
bool groups_in_scope(const struct machine *machine, pid_t pid, const char *scope);
/* groups_others tells whether it is the group of the programs that are limited. */
bool groups_others(const char *path);
/* groups_ours adds the change that brings the processes of ALOE to the base. */
void groups_ours(const struct groups *groups, struct finding *finding);
/* groups_cap adds the changes that leave all others together `percent` (above 0, at most 100) of
 * the time of all CPUs. 0; -ERANGE: the kernel knows no quota so small. */
int groups_cap(
    const struct groups *groups, double percent, struct cap *cap, struct finding *finding);

#endif
