/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/profile.h - the measured cost of a waveform's instances, as text: pure, whoever calls reads and writes
 *files.
 *
 *	{"schema": 1, "profile": {"decoder": {"kmac_p50": 980.5, "kmac_p99": 1144.2}, ...}}
 *
 * kMAC per slot in which the instance is called. A profile comes from execinfo, belongs to one waveform, and is used by
 * plan_make as it is: the same profile gives the same plan.
 */
#ifndef ALOE_MAP_PROFILE_H
#define ALOE_MAP_PROFILE_H

#include "core/map/plan.h"

/* plan_profile_load reads the text of `file` (only a name here). 0; -EINVAL with what is wrong in diag. The entries are
 * in order of instance name. */
int plan_profile_load(const char *file, const char *text, size_t len, struct diag *diag, struct profile *ret);

/* plan_profile_save gives the text, ending in a newline; the caller frees it. NULL without memory. */
char *plan_profile_save(const struct profile *profile);

/* plan_profile_set adds an instance or replaces its figures. 0 or -ENOMEM. Start from a zeroed struct profile. */
int plan_profile_set(struct profile *profile, const char *instance, double kmac_p50, double kmac_p99);
void plan_profile_fini(struct profile *profile);

/* plan_profile_find gives the entry of an instance, or NULL; profile may be NULL. */
const struct profile_entry *plan_profile_find(const struct profile *profile, const char *instance);

/* plan_profile_hash continues a hash (0 at the beginning) by one entry, never giving 0. */
uint64_t plan_profile_hash(uint64_t hash, const struct profile_entry *entry);

#endif
