/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/side.h - copies of an instance that run side by side, so that one call of work_many
 * serves all of them (core/include/aloe/component.h).
 *
 * Groups are made of copies of one instance on one lane, in one host and with one lag, whose
 * parameters are the same but for those that change while they run. In the order of the lane all
 * writers of a group go first, then the group, then its readers. So the messages of its copies are
 * there at the same time, each in a place of its own.
 */
#ifndef ALOE_MAP_SIDE_H
#define ALOE_MAP_SIDE_H

#include "core/map/plan.h"

/* SIDE_USUAL copies make a group by default, and SIDE_LEAST at least: fewer gain nothing. */
enum { SIDE_USUAL = 8, SIDE_LEAST = 6 };

struct side {
	uint32_t *of;    /* by instance: its group, from 1 on; 0: none */
	uint32_t *waits; /* by group: instances of it that wait for their writers */
	size_t n;        /* instances */
	size_t apart;    /* from one copy of an instance to the next */
};

/* side_init makes the groups; `open` counts, by instance, the writers that it waits for. 0 or
 * -ENOMEM; side_fini in any case. */
int side_init(struct side *side, const struct waveform *waveform,
    const struct plan_instance *instances, const uint32_t *hosts, const uint32_t *open);
void side_fini(struct side *side);

/* side_ready tells whether instance i, which waits for no writer, waits for no other one of its
 * group either; side_came, that it waits for no writer any more. */
static inline bool side_ready(const struct side *side, size_t i)
{
	return side->waits[side->of[i]] == 0;
}

static inline void side_came(struct side *side, size_t i)
{
	side->waits[side->of[i]] -= side->of[i] != 0;
}

/* side_next gives the next instance of the group of i behind it; side->n: there is none. */
static inline size_t side_next(const struct side *side, size_t i)
{
	size_t next = i + side->apart;

	while (side->of[i] != 0 && next < side->n && side->of[next] != side->of[i])
		next += side->apart;
	return side->of[i] != 0 && next < side->n ? next : side->n;
}

/* side_drop gives up the groups that still wait; false: there are none. Only cycles whose copies
 * are not mapped alike need that. */
bool side_drop(struct side *side);

#endif
