/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/map.h"
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

/* The next instance of a lane: nothing before it is open; one of `host` if there is, else the first
 * of the file. None is before `begin`. */
static size_t next_of_lane(size_t n, const struct plan_instance *instances, const uint32_t *open,
    const bool *done, const uint32_t *hosts, uint32_t lane, uint32_t host, size_t begin)
{
	size_t first = n;

	for (size_t i = begin; i < n; i++) {
		if (done[i] || open[i] || instances[i].lane != lane)
			continue;
		if (hosts[i] == host)
			return i;
		if (first == n)
			first = i;
	}
	return first;
}

static size_t lane_order(const struct waveform *wf, const struct plan_instance *instances,
    const struct plan_link *links, const struct neighbours *readers, const uint32_t *hosts,
    uint32_t lane, uint32_t *open, bool *done, uint32_t *ret_order)
{
	uint32_t host = UINT32_MAX;
	size_t placed = 0, begin = 0;

	for (;;) {
		size_t i;

		while (begin < wf->n_instances && (done[begin] || instances[begin].lane != lane))
			begin++;
		i = next_of_lane(wf->n_instances, instances, open, done, hosts, lane, host, begin);
		if (i == wf->n_instances)
			return placed;
		done[i] = true;
		host = hosts[i];
		ret_order[i] = (uint32_t)placed++;
		for (int l = readers->first[i]; l >= 0; l = readers->next[l])
			if (orders(wf, instances, links, (size_t)l))
				open[wf->links[l].to]--;
	}
}

int order_lanes(const struct waveform *wf, const struct plan_instance *instances,
    const struct plan_link *links, const uint32_t *hosts, uint32_t *ret_order)
{
	assert(wf->n_instances > 0);
	/* writers that must go first and have not */
	uint32_t *open = calloc(wf->n_instances + 1, sizeof(*open));
	bool *done = calloc(wf->n_instances + 1, sizeof(*done));
	struct neighbours readers = {0};
	uint32_t lanes = 0;
	size_t placed = 0;

	if (neighbours_init(&readers, wf, true, NULL, NULL) || !open || !done) {
		neighbours_fini(&readers);
		free(open);
		free(done);
		return -ENOMEM;
	}
	for (size_t l = 0; l < wf->n_links; l++)
		open[wf->links[l].to] += orders(wf, instances, links, l);
	for (size_t i = 0; i < wf->n_instances; i++)
		lanes = instances[i].lane >= lanes ? instances[i].lane + 1 : lanes;
	for (uint32_t lane = 0; lane < lanes; lane++)
		placed +=
		    lane_order(wf, instances, links, &readers, hosts, lane, open, done, ret_order);
	neighbours_fini(&readers);
	free(open);
	free(done);
	return placed == wf->n_instances ? 0 : -ELOOP;
}
