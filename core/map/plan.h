/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/plan.h - a compiled schedule for one waveform on one platform: pure functions, no I/O.
 *
 * parse -> validate -> shape (core/waveform) -> map: lanes -> lags: the least that make every link legal -> order ->
 * segments -> buffers. In slot n an instance with lag r works on index k = n - base - r; a link u -> v with declared
 * delay w has distance d = w + lag(v) - lag(u) slots. Legal: 0 on one lane with the writer first in the order; at least 1
 * between lanes, or everywhere with `pipelined`.
 *
 * Lanes: pins; the rest is one contiguous cut of the topological order (ties by file order) over the lanes in ascending
 * order, with the smallest largest load, then the fewest links between lanes, then the fewest lanes. A cycle whose declared
 * delays do not cover each of its links stays on one lane. A waveform that takes at most half of a lane (or whose
 * capacity is not known) is not spread beyond the lanes that its pins name, unless the user named the lanes. Copies of a
 * waveform without pins lie on one lane each.
 *
 * Latency: not pipelined, the lag of an instance is at most the number of times that the path to it changes lanes, so
 * lag + 1 is at most the lanes that the path comes to: inside the published bound of 2 x the cores on the path, where a
 * core to which pins lead the path back counts again.
 */
#ifndef ALOE_MAP_PLAN_H
#define ALOE_MAP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/diag.h"
#include "core/waveform/waveform.h"

/* One node here; more of it belongs to the resource manager. Lanes that the waveform names itself replace these. */
struct platform_model {
	const int *cpus; /* CPU of each lane */
	size_t n_lanes;
	double mmac_per_s; /* capacity of a core; 0: not calibrated */
};

/* Measured cost of components: kMAC per slot by instance name, from a stored profile; absent -> descriptor default. */
struct profile_entry {
	char *instance;
	double kmac_p50, kmac_p99;
};
struct profile {
	struct profile_entry *entries;
	size_t len;
};

struct plan_instance {  /* same numbering as the waveform's instances */
	uint32_t lane;  /* position in the platform's lanes */
	uint32_t lag;   /* slots */
	uint32_t order; /* position in its segment */
	uint32_t segment;
	uint64_t budget_ns; /* 0: none known */
	double kmac;
};

struct plan_link {         /* same numbering as the waveform's links */
	uint32_t distance; /* slots */
};

struct plan_buffer { /* one per connected output port: its links all read the same ring */
	uint32_t instance, port;
	uint32_t type, max; /* item type, items */
	uint32_t depth;     /* messages; a power of two, at least largest distance + 2 */
};

struct plan_segment { /* the part of a lane that one host runs */
	uint32_t lane;
	uint32_t host;       /* 0..n_hosts-1: the shared one, the waveform's own, one for each "component" */
	uint32_t *instances; /* in order of execution */
	size_t n_instances;
};

struct plan {
	struct plan_instance *instances;
	size_t n_instances;
	struct plan_link *links;
	size_t n_links;
	struct plan_buffer *buffers;
	size_t n_buffers;
	struct plan_segment *segments; /* in order within each lane */
	size_t n_segments;
	int *cpus; /* by lane */
	size_t n_lanes;
	uint32_t n_hosts;
	bool shared_host;       /* some instance has isolation "none": host 0 is the node's shared one */
	uint32_t latency_slots; /* largest lag of an instance without readers + 1; of all, if each has some */
	uint64_t hash;          /* of the profile used; 0: descriptor defaults */
};

/* plan_make maps, lags, orders and sizes. -EINVAL with the reason in diag (a cycle whose declared delays do not cover
 * its crossings, a pin to a lane that is not there, ...). The same input gives the same plan. */
int plan_make(const struct waveform *waveform, const struct platform_model *platform, const struct profile *profile,
	      struct diag *diag, struct plan **ret);
void plan_free(struct plan *plan);

/* plan_lags is the step inside: given a lane for each instance, the least lags that make every link legal. */
int plan_lags(const struct waveform *waveform, const uint32_t *lanes, uint32_t *ret_lags, struct diag *diag);

char *plan_print(const struct waveform *waveform, const struct plan *plan); /* `aloe plan`, for people */
char *plan_json(const struct waveform *waveform, const struct plan *plan);  /* `aloe plan --json` */

#endif
