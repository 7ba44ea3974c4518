/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/digests.h - a digest of each message of each link, and where two runs part.
 *
 *   digesters_list -> a run -> digests_read of it and of another run -> digests_judge
 */
#ifndef TOOLS_ALOE_DIGESTS_H
#define TOOLS_ALOE_DIGESTS_H

#include "core/base/diag.h"
#include "core/json/json.h"
#include "core/recording/digests.h"
#include "core/waveform/print.h"

enum { DIGESTERS_PARAMS = 4400 };

/* Digesters beside every output that has a link, in the order of the graph. */
struct digesters {
	struct wf_graft *grafts;
	char (*params)[DIGESTERS_PARAMS];
	size_t n;
};

/* digesters_list makes those that write DIR/INSTANCE.PORT.digests. 0, or a negative errno.
 * digesters_fini in any case. */
int digesters_list(const struct waveform *waveform, const char *dir, struct digesters *ret);
/* digesters_only leaves out those that are not among `names`. */
void digesters_only(
    struct digesters *digesters, const struct waveform *waveform, const json_t *names);
void digesters_fini(struct digesters *digesters);
/* digesters_names gives "INSTANCE.PORT" of each. */
json_t *digesters_names(const struct digesters *digesters, const struct waveform *waveform);
/* digesters_join gives `grafts` and then the digesters, for waveform_print; the caller frees the
 * array. NULL without memory. */
struct wf_graft *digesters_join(
    const struct digesters *digesters, const struct wf_graft *grafts, size_t n_grafts);

/* The digests of one run. */
struct digests {
	const char *dir;
	const json_t *names; /* "INSTANCE.PORT", in the order of the graph */
	struct digest_table *tables;
	size_t n;
};

/* digests_read reads DIR/NAME.digests of all names; `whole`: none may be cut short. 0, -ENOMEM, or
 * -EINVAL with all that is wrong in diag. digests_close in any case. */
int digests_read(
    const char *dir, const json_t *names, bool whole, struct diag *diag, struct digests *ret);
void digests_close(struct digests *digests);

/* digests_judge prints the first index and the first output whose messages differ between runs of
 * one waveform, `label` being what they are called, and returns how many outputs differ. */
size_t digests_judge(const struct digests run[2], const char *const label[2], FILE *out);

#endif
