/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/stages_read.h - a waveform that is a chain, as stages.h wants it.
 *
 * An instance may say by a real parameter KIND_us, 0 or more, what a call takes on a core of that
 * kind, and by a bool parameter `stateless` that it keeps nothing from one index to the next. A
 * time counts only where the file or --set gives it: a default is no statement, a 0 in the file is.
 */
#ifndef ALOE_MAP_STAGES_READ_H
#define ALOE_MAP_STAGES_READ_H

#include "core/map/stages.h"
#include "core/waveform/waveform.h"

/* stages_kind_ns gives the time of a call on a core of a kind; NAN: the instance does not say. */
double stages_kind_ns(const struct wf_instance *instance, const char *kind);

struct stages_chain {
	struct stages_task *tasks; /* in ns */
	int *instances;            /* number in the waveform of each */
	uint64_t *bytes;           /* of the message behind each task; 0: the last, or not shaped */
	size_t n;
};

/* stages_read: 0; -ENOENT: it is no chain of one instance behind the other, or an instance does not
 * say its time on one of the kinds (*ret_instance, -1 for no chain); -ENOMEM. A kind that is NULL
 * costs 0. End with stages_chain_fini in any case. */
int stages_read(const struct waveform *waveform, const char *const kinds[STAGES_KINDS],
    struct stages_chain *ret, int *ret_instance);
void stages_chain_fini(struct stages_chain *chain);

#endif
