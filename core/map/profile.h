/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/profile.h - the measured cost of a waveform's instances, as text: pure, whoever calls
 * reads and writes files.
 *
 * 	{"schema": 1,
 *          "platform": {"cpu": "...", "simd": "avx2", "governor": "performance", "version":
 *                       "0.1.0", "mmac_per_s": 1790.0, "classes_ns": {"call": 18.4, "scalar": 0.56,
 *                       ...}},
 * 	 "clock": "timer", "missed": 0,
 *          "profile": {"decoder": {"kmac_p50": 980.5, "kmac_p99": 1144.2, "bytes": 27016, "build":
 *          "9f86d081884c7d65...", "lengths": [{"bytes": 6776, "kmac_p50": 262.0, "kmac_p99":
 *          290.8, "missed": 3}]}, ...}}
 *
 * kMAC per slot in which the instance is called, of one build of its component (SHA-256 of its
 * file) on one clock: on the virtual clock nothing waits between slots, which is another cache and
 * another figure. `bytes`: the length at which it was measured (core/map/length.h); `lengths`: the
 * same of runs before with other lengths, the newest first. `missed`: slots that the run missed or
 * skipped; a cost has its own where it is of another run. `clock`, `missed`, `build` and `bytes`
 * may be absent: then they are not known. A profile is measured by execinfo or at the end of a run,
 * belongs to one waveform and one kind of machine ("platform": its rates, core/map/class.h; may be
 * absent), and is used by plan_make as it is: the same profile gives the same plan. On another kind
 * of machine it is converted first; one measured there is always better (core/report/store.h
 * chooses).
 */
#ifndef ALOE_MAP_PROFILE_H
#define ALOE_MAP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/diag.h"
#include "core/base/name_map.h"
#include "core/map/class.h"
#include "core/map/length.h"
#include "core/waveform/waveform.h"

struct profile_entry {
	char *instance;
	struct length_point points[LENGTH_POINTS_MAX]; /* the newest first */
	size_t n_points;                               /* at least 1 */
	char build[SHA256_TEXT];                       /* "": not known */
};
struct profile {
	struct profile_entry *entries;
	size_t len;
	struct name_map names;       /* of the entries, with their numbers */
	char clock[16];              /* "": not known */
	uint64_t missed;             /* slots of that run; of several, the most */
	struct class_rates platform; /* where it was measured; all zero: not known */
	bool elsewhere;              /* another kind of machine than it is used for */
	bool converted;              /* to that one */
};

/* plan_profile_load reads the text of `file` (only a name here). 0; -EINVAL with what is wrong in
 * diag; -ENOMEM. The entries are in order of instance name. */
int plan_profile_load(
    const char *file, const char *text, size_t len, struct diag *diag, struct profile *ret);

/* plan_profile_save gives the text, ending in a newline; the caller frees it. NULL without
 * memory. */
char *plan_profile_save(const struct profile *profile);

/* plan_profile_set adds an instance, or replaces all its figures by these, of one length (bytes 0:
 * not known). 0 or -ENOMEM. Start from a zeroed struct profile. */
int plan_profile_set(
    struct profile *profile, const char *instance, const struct length_point *point);
/* plan_profile_join adds to the entries of one run what another profile, of runs before, has of the
 * same builds at other lengths, the newest first, as far as there is room and their runs missed no
 * more slots. An entry of a run that missed slots becomes as it was before where a run that missed
 * none had the same length (one that is not known is the same as any). Gives the number of entries
 * that have figures of the new run. */
size_t plan_profile_join(struct profile *profile, const struct profile *before);
/* plan_profile_at gives what was measured at a length (0: a length that is not known); NULL:
 * nothing was. */
const struct length_point *plan_profile_at(const struct profile_entry *entry, uint64_t bytes);
/* plan_profile_set_build says of which build the instance's figures are; plan_profile_drop forgets
 * the entries that are marked in `drop`, by number. 0 or -ENOMEM. */
void plan_profile_set_build(struct profile *profile, const char *instance, const char *build);
int plan_profile_drop(struct profile *profile, const bool *drop);
void plan_profile_fini(struct profile *profile);

/* plan_profile_find gives the entry of an instance, or NULL; profile may be NULL. */
const struct profile_entry *plan_profile_find(const struct profile *profile, const char *instance);

/* plan_profile_convert makes the costs those of another machine, by the mixes of the waveform's
 * components; instances that it has not keep theirs. Nothing is converted if it is the same kind,
 * or if the rates of either are not known. */
void plan_profile_convert(
    struct profile *profile, const struct waveform *waveform, const struct class_rates *to);

/* plan_profile_origin says in a few words where the costs are from: "measured on this kind of
 * machine" (", in a run that missed 3 slots"), "measured on CPU, avx2, converted by classes of
 * work" or "..., not converted: this machine is not calibrated", "measured nobody knows where",
 * "none". */
void plan_profile_origin(const struct profile *profile, char *ret_text, size_t size);

/* plan_profile_hash continues a hash (0 at the beginning) by one entry, never giving 0. */
uint64_t plan_profile_hash(uint64_t hash, const struct profile_entry *entry);

#endif
