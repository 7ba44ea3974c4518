/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/map.h"
#include "core/map/side.h"
#include "core/waveform/neighbours.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

/* Links that order their ends: both on one lane at distance 0. */
static bool orders(const struct waveform *wf, const struct plan_instance *instances,
    const struct plan_link *links, size_t i)
{
	const struct wf_link *link = &wf->links[i];

	return links[i].distance == 0 && instances[link->from].lane == instances[link->to].lane;
}

/* What is known while a lane is put in order. */
struct ordering {
	const struct waveform *waveform;
	const struct plan_instance *instances;
	const struct plan_link *links;
	const uint32_t *hosts;
	struct neighbours readers;
	struct side side;
	uint32_t *open; /* by instance: writers that must go first and have not */
	bool *done;
};

/* The next instance of a lane: nothing before it is open; one of `host` if there is, else the first
 * of the file. None is before `begin`. */
static size_t next_of_lane(const struct ordering *o, uint32_t lane, uint32_t host, size_t begin)
{
	const size_t n = o->waveform->n_instances;
	size_t first = n;

	for (size_t i = begin; i < n; i++) {
		if (o->done[i] || o->open[i] || o->instances[i].lane != lane ||
		    !side_ready(&o->side, i))
			continue;
		if (o->hosts[i] == host)
			return i;
		if (first == n)
			first = i;
	}
	return first;
}

static void instance_place(struct ordering *o, size_t i)
{
	o->done[i] = true;
	for (int l = o->readers.first[i]; l >= 0; l = o->readers.next[l]) {
		const int to = o->waveform->links[l].to;

		if (orders(o->waveform, o->instances, o->links, (size_t)l) && --o->open[to] == 0)
			side_came(&o->side, (size_t)to);
	}
}

static size_t lane_order(struct ordering *o, uint32_t lane, uint32_t *ret_order, uint32_t *ret_side)
{
	const size_t n = o->waveform->n_instances;
	uint32_t host = UINT32_MAX;
	size_t placed = 0, begin = 0;

	for (;;) {
		uint32_t beside = 0;
		size_t i;

		while (begin < n && (o->done[begin] || o->instances[begin].lane != lane))
			begin++;
		i = next_of_lane(o, lane, host, begin);
		if (i == n && begin < n && side_drop(&o->side))
			continue;
		if (i == n)
			return placed;
		host = o->hosts[i];
		for (; i < n; i = side_next(&o->side, i)) {
			ret_order[i] = (uint32_t)placed++;
			ret_side[i] = o->side.of[i] != 0 ? ++beside : 0;
			instance_place(o, i);
		}
	}
}

static int ordering_init(struct ordering *o)
{
	const struct waveform *wf = o->waveform;

	o->open = calloc(wf->n_instances + 1, sizeof(*o->open));
	o->done = calloc(wf->n_instances + 1, sizeof(*o->done));
	if (!o->open || !o->done || neighbours_init(&o->readers, wf, true, NULL, NULL))
		return -ENOMEM;
	for (size_t l = 0; l < wf->n_links; l++)
		o->open[wf->links[l].to] += orders(wf, o->instances, o->links, l);
	return side_init(&o->side, wf, o->instances, o->hosts, o->open);
}

int order_lanes(const struct waveform *wf, const struct plan_instance *instances,
    const struct plan_link *links, const uint32_t *hosts, uint32_t *ret_order, uint32_t *ret_side)
{
	struct ordering o = {
	    .waveform = wf, .instances = instances, .links = links, .hosts = hosts};
	uint32_t lanes = 0;
	size_t placed = 0;
	int rc;

	assert(wf->n_instances > 0);
	rc = ordering_init(&o);
	for (size_t i = 0; i < wf->n_instances; i++)
		lanes = instances[i].lane >= lanes ? instances[i].lane + 1 : lanes;
	for (uint32_t lane = 0; lane < lanes && !rc; lane++)
		placed += lane_order(&o, lane, ret_order, ret_side);
	neighbours_fini(&o.readers);
	side_fini(&o.side);
	free(o.open);
	free(o.done);
	return rc ? rc : placed == wf->n_instances ? 0 : -ELOOP;
}
