/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/live.h - parameters that are arrays and are replaced while the waveform runs.
 *
 *   control thread                            segment's thread
 *   live_offer   copies the array and calls
 *                `prepare` of the component
 *                ------ sequence ----------->   live_swap, before the call for the named index:
 *                                               swaps pointers; no allocation, no wait
 *   live_sweep   <----- since, until ---------
 *                shows the new array to tools, and releases the old array after the first step
 *                that saw the new array
 */
#ifndef ALOE_SLOT_LIVE_H
#define ALOE_SLOT_LIVE_H

#include "core/image/image.h"
#include "core/slot/arena.h"

#include <aloe/component.h>

enum { LIVE_OFFERED_MAX = NODE_CHANGES };

struct live_value {              /* one array of an instance */
	struct live_value *next; /* used by the control thread only */
	uint64_t sequence;       /* of the change; 0: as loaded */
	uint32_t param;
	bool shown;
	struct aloe_reals reals;
	struct arena arena;     /* the copy, and the memory that prepare took */
	_Atomic uint64_t since; /* first step that sees the array + 1; 0: none yet */
	/* number of done steps after which no step sees the array; 0: offered or in force */
	_Atomic uint64_t until;
};

struct live {
	const struct aloe_component *component;
	void *state;
	/* for instance, formats and level; `error` is not used */
	const struct aloe_setup *setup;
	struct live_value *values; /* all values; used by the control thread only */
	struct live_value *_Atomic offered[LIVE_OFFERED_MAX]; /* in no order */
	/* by parameter; used by the segment's thread only, once this thread runs */
	struct live_value *in_force[IMAGE_PARAMS_MAX];
};

/* live_new is called after init. It makes a struct live for a component with live arrays and
 * prepares the arrays that are in the state. Returns 0, with NULL in *ret if the component has no
 * live array; or a negative number with the reason in why. live_free is called before close and
 * releases everything. [control] */
int live_new(const struct aloe_component *component, void *state, const struct aloe_setup *setup,
    char *why, size_t size, struct live **ret);
void live_free(struct live *live);

/* live_offer checks an array against the descriptor, copies it and calls `prepare`. Returns 0, or a
 * negative number with the reason in why. The array then waits for live_swap or live_forget. An
 * older array of the same sequence is forgotten. [control] */
int live_offer(struct live *live, uint32_t param, uint64_t sequence, const float *data,
    uint32_t len, char *why, size_t size);
/* live_forget frees an offered array that will not be used. [control] */
void live_forget(struct live *live, uint64_t sequence);

/* live_sweep shows arrays that came into force to tools, and releases arrays that no step sees any
 * more. `done` is the number of steps that the instance's segment has completed, `params` are the
 * instance's rows in the image. Returns how many arrays still need a sweep. [control] */
uint32_t live_sweep(struct live *live, uint64_t done, const struct image_view *view,
    const struct image_param *params);

/* live_moved is called after the image was replaced. The next live_sweep shows the arrays that are
 * in force in the new image. [control] */
void live_moved(struct live *live);

/* live_swap puts the array of `sequence` in force before step `step`. Returns false if no such
 * array is offered. [slot] */
bool live_swap(struct live *live, uint32_t param, uint64_t sequence, uint64_t step);

#endif
