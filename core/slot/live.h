/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/live.h - arrays that are replaced while the slot runs.
 *
 *   control thread                              segment's thread
 *   live_prepare   a second copy, `prepare`
 *   live_offer     ------ by its sequence ----> live_swap: before the call of its index; no
 *                  allocation, no wait
 *   live_sweep     <----- since, until -------- what was in force stays for the step that sees the
 *                  new one
 *     shows what is in force to tools, releases what work has passed
 */
#ifndef ALOE_SLOT_LIVE_H
#define ALOE_SLOT_LIVE_H

#include "core/image/image.h"
#include "core/slot/arena.h"

#include <aloe/component.h>

enum { LIVE_OFFERED_MAX = NODE_CHANGES };

struct live_value {              /* one array of an instance */
	struct live_value *next; /* control thread's */
	uint64_t sequence;       /* of the change; 0: as loaded */
	uint32_t param;
	bool shown;
	struct aloe_reals reals;
	struct arena arena;     /* the copy, and what prepare took */
	_Atomic uint64_t since; /* step before which it came into force + 1; 0: not yet */
	/* nobody sees it once so many steps are done; 0: offered or in force */
	_Atomic uint64_t until;
};

struct live {
	const struct aloe_component *component;
	void *state;
	/* its instance, formats and level; not its error */
	const struct aloe_setup *setup;
	struct live_value *values;                            /* all, control thread's */
	struct live_value *_Atomic offered[LIVE_OFFERED_MAX]; /* in no order */
	/* by parameter; the segment's thread's once it runs */
	struct live_value *in_force[IMAGE_PARAMS_MAX];
};

/* live_new makes what a component with live arrays needs and prepares those in the state, after
 * init: 0, with NULL in *ret for a component without any; or negative with words in why. live_free
 * releases all, before close. [control] */
int live_new(const struct aloe_component *component, void *state, const struct aloe_setup *setup,
    char *why, size_t size, struct live **ret);
void live_free(struct live *live);

/* live_offer copies an array, holds it against the descriptor and has it prepared: 0, or negative
 * with words. It waits then for live_swap or live_forget. An older one of the same sequence is
 * forgotten. [control] */
int live_offer(struct live *live, uint32_t param, uint64_t sequence, const float *data,
    uint32_t len, char *why, size_t size);
/* live_forget takes back what will not be published. [control] */
void live_forget(struct live *live, uint64_t sequence);

/* live_sweep: `done` are the steps that the instance's segment has completed, `params` the
 * instance's rows in the image. How many values wait for something still. [control] */
uint32_t live_sweep(struct live *live, uint64_t done, const struct image_view *view,
    const struct image_param *params);

/* live_moved: the image is another now, and knows nothing of what is in force; the next sweep tells
 * it. [control] */
void live_moved(struct live *live);

/* live_swap puts the array of `sequence` in force before step `step`: false if there is none.
 * [slot] */
bool live_swap(struct live *live, uint32_t param, uint64_t sequence, uint64_t step);

#endif
