/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/upgrades.h - which builds instances of a waveform have got, or are to get, since
 * its load. The list lies in the folder of the run, written before exec is asked, with a copy of
 * each build, so that what is built anew under the same path is another build. Which of them are
 * in force says exec, in its report: a daemon that is killed over an upgrade leaves no doubt.
 */
#ifndef DAEMONS_SWMAN_UPGRADES_H
#define DAEMONS_SWMAN_UPGRADES_H

#include "daemons/swman/swman.h"

enum { UPGRADES_MAX = 64, UPGRADE_SETS_MAX = 64 };

struct swman_upgrades { /* while a waveform is mapped again */
	struct wf_upgrade items[UPGRADES_MAX];
	struct component_type *types[UPGRADES_MAX]; /* NULL: that of the file */
	json_t *entries[UPGRADES_MAX];
	size_t n;
};

/* upgrades_learn takes from a report which builds are in force, and on which lanes instances are.
 * */
void upgrades_learn(struct swman_run *run, const json_t *report);
/* upgrades_begin adds what an UPGRADE asks for to the list, of which it is the next that is tried:
 * 0, or -EINVAL with words in diag. */
int upgrades_begin(struct swman *swman, struct swman_run *run, const struct wire_view *request,
    const struct registry *registry, struct diag *diag);
/* upgrades_take gives the builds in force and, for an UPGRADE, the one that is tried, and adds
 * their parameters to sets (texts that the caller frees). upgrades_mark writes into a parsed
 * waveform which they are, and for an UPGRADE pins all instances to their lanes. */
int upgrades_take(struct swman_run *run, bool tries, char **sets, size_t *n_sets, size_t sets_max,
    struct diag *diag, struct swman_upgrades *ret);
void upgrades_mark(const struct swman_run *run, const struct swman_upgrades *upgrades, bool tries,
    struct waveform *waveform);
void upgrades_fini(struct swman_upgrades *upgrades);
/* upgrades_shadow gives the number of the instance's shadow run that was neither committed nor
 * dropped; 0: it has none. upgrades_shadow_begun: exec has this one, and no other (0: none at all).
 * upgrades_shadow_gone: exec has it no more. upgrades_refused: that one is not to be. upgrades_any:
 * builds were changed since the load, or that was tried. */
uint64_t upgrades_shadow(struct swman_run *run, const char *instance);
void upgrades_shadow_begun(struct swman_run *run, uint64_t number);
void upgrades_shadow_gone(struct swman_run *run, uint64_t number);
void upgrades_refused(struct swman_run *run, uint64_t number);
bool upgrades_any(struct swman_run *run);
void upgrades_forget(struct swman_run *run); /* with the files */

/* upgrade_send.c. upgrade_is tells whether a request has this STATE. upgrade_ask sends UPGRADE to
 * exec, with STATE and a program as far as given, and takes what the answer means for the list. */
bool upgrade_is(const struct wire_view *request, const char *state);
void upgrade_ask(struct swman *swman, const struct wire_view *request, const char *waveform,
    const char *state, const struct waveform *wf, const struct plan *plan, const void *program,
    size_t len);

#endif
