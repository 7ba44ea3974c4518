/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/neighbours.h - a waveform's links by one of their ends, so that nobody looks at all
 * of them again and again.
 *
 * 	for (int l = lists.first[instance]; l >= 0; l = lists.next[l])
 */
#ifndef ALOE_WAVEFORM_NEIGHBOURS_H
#define ALOE_WAVEFORM_NEIGHBOURS_H

#include <stdbool.h>

#include "core/waveform/waveform.h"

struct neighbours {
	int *first, *next; /* by instance, by link; -1 ends */
};

/* neighbours_init lists the links by writer (`forward`) or by reader, the first of the file
 * first; with `of`, by what that is for the instance. Links whose ends are not both known are left
 * out, and so are those that `counts` (NULL: all count) does not count. 0 or -ENOMEM; end with
 * neighbours_fini in any case. */
int neighbours_init(struct neighbours *lists, const struct waveform *waveform, bool forward,
    const uint32_t *of, bool (*counts)(const struct wf_link *));
void neighbours_fini(struct neighbours *lists);

#endif
