/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/plan.h - a compiled schedule for one waveform on one platform: pure functions, no I/O.
 *
 * parse -> validate -> shape (core/waveform) -> map: lanes -> lags: the least that make every link
 * legal -> order -> segments -> buffers. In slot n an instance with lag r works on index k = n -
 * base - r; a link u -> v with declared delay w has distance d = w + lag(v) - lag(u) slots. Legal:
 * 0 on one lane with the writer first in the order; at least 1 between lanes, or everywhere with
 * `pipelined`.
 *
 * Lanes: pins; the rest is the mappers' (core/map/mapper.h) and the rule by which one of their
 * mappings is taken (core/map/map.h). A cycle whose declared delays do not cover each of its links
 * stays on one lane, and so does each copy of a waveform without pins. A waveform that takes at
 * most half of a lane (or whose lanes' capacity is not known) is not spread beyond the lanes that
 * its pins name, unless the user named the lanes.
 *
 * Admission: what is measured or given (budget_us) must fit, on every lane and every link between
 * nodes (core/map/costs.h, admission.h); nothing is refused for a guess (a component's own figure),
 * for the virtual and step clocks, or with admit = "always": then it is a note.
 *
 * Latency: not pipelined and on one node, the lag of an instance is at most the number of times
 * that the path to it changes lanes, so lag + 1 is at most the lanes that the path comes to: inside
 * the published bound of 2 x the cores on the path, where a core to which the path comes back
 * counts again. It comes back to a core only for pins, for cycles, or where nothing fits otherwise.
 */
#ifndef ALOE_MAP_PLAN_H
#define ALOE_MAP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/diag.h"
#include "core/map/mapper.h"
#include "core/waveform/platform.h"
#include "core/waveform/waveform.h"

struct profile; /* core/map/profile.h */

struct plan_instance { /* same numbering as the waveform's instances */
	uint32_t lane; /* position in the platform's lanes */
	uint32_t lag;  /* slots */
	/* indices beyond the waveform's last that it is called for, see core/map/tails.h */
	uint32_t run_on;
	uint32_t holds; /* a source's message meets others for so many indices; else 1 */
	bool waits;     /* for all sources, where there are several nodes; see core/map/tails.h */
	uint32_t order; /* position in its segment */
	uint32_t segment;
	uint64_t budget_ns;   /* 0: none known */
	uint64_t admitted_ns; /* what it was admitted with; 0: a guess */
	/* in its slot, at the latest: the lane's base and the budgets before it; 0: not known */
	uint64_t start_ns;
	double kmac;
	bool guessed; /* kmac is the component's own figure */
};

struct plan_link {         /* same numbering as the waveform's links */
	uint32_t distance; /* slots */
};

struct plan_buffer { /* one per connected output port: its links all read the same ring */
	uint32_t instance, port;
	uint32_t type, max; /* item type, items */
	/* messages; a power of two, at least largest distance + 2; between nodes distance + delay
	 * there and back + 1 */
	uint32_t depth;
};

struct plan_segment { /* the part of a lane that one host runs */
	uint32_t lane;
	/* 0..n_hosts-1: the shared ones, the waveform's own, one for each "component"; of one
	 * node */
	uint32_t host;
	uint32_t *instances; /* in order of execution */
	size_t n_instances;
};

struct plan_lane {
	char node[64];     /* of a platform file; "" here */
	double mmac_per_s; /* 0: not calibrated */
	double limit_ns;   /* of a slot: all but the margin */
	double base_ns;    /* T_base and T_noise; hand-overs between hosts */
	double taken_ns;   /* admitted before */
	double need_ns;    /* of its instances, with T_module, as admitted; guesses count */
	double reserve_ns; /* the largest tail: what one budget goes beyond what was admitted */
	double typical_ns; /* what a usual slot takes of its instances */
	size_t n_instances, n_guessed;
};

struct plan_candidate { /* a mapper, and the best that it proposed */
	const char *name;
	bool found;
	bool proven;  /* nothing found: there is nothing */
	double share; /* of the capacity, at which it was asked */
	double cost;  /* of core/map/mapping.h, at that share */
	double peak;  /* largest share of a lane's room that is used */
	uint32_t latency_slots, crossings;
};

enum plan_mode { PLAN_TIERS, PLAN_SPREAD, PLAN_OVER };
enum { PLAN_CANDIDATES_MAX = 16 };

struct plan_choice {         /* how the lanes came about */
	enum plan_mode mode; /* PLAN_OVER: nothing fits, this is the smallest largest load */
	double q;
	struct plan_candidate best;
	struct plan_candidate candidates[PLAN_CANDIDATES_MAX];
	size_t n_candidates;
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
	struct plan_lane *lanes;
	size_t n_lanes;
	struct plan_choice choice;
	uint32_t n_hosts;
	/* so many hosts, the first, are those that the waveforms of a node share: one on each node
	 * with an instance of isolation "none" */
	uint32_t n_shared;
	/* largest lag of an instance without readers + 1; of all, if each has some */
	uint32_t latency_slots;
	uint64_t hash; /* of the profile used; 0: descriptor defaults */
};

struct plan_options {
	double q; /* weight of processing against links in a mapping's cost, 0 .. 1 */
	/* MAPPER_PORTFOLIO: all of them, and the rule above; else this one alone, at 100 % */
	enum mapper mapper;
	bool admit; /* whatever does not fit is a note, not a refusal */
};
#define PLAN_OPTIONS ((struct plan_options){.q = 0.5, .mapper = MAPPER_PORTFOLIO})

/* plan_make maps, lags, orders, sizes and admits. -EINVAL with the reason in diag (a cycle whose
 * declared delays do not cover its crossings, a pin to a lane that is not there, a lane that does
 * not hold its budgets, ...). The same input gives the same plan. plan_make_with does so with other
 * options than PLAN_OPTIONS. */
int plan_make_with(const struct waveform *waveform, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, struct diag *diag,
    struct plan **ret);
int plan_make(const struct waveform *waveform, const struct platform_model *platform,
    const struct profile *profile, struct diag *diag, struct plan **ret);
/* plan_build is the step inside: -EINVAL with a plan in *ret where only admission refuses it. */
int plan_build(const struct waveform *waveform, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, struct diag *diag,
    struct plan **ret);
void plan_free(struct plan *plan);

/* plan_lags is the step inside: given a lane for each instance, the least lags that make every link
 * legal. */
int plan_lags(
    const struct waveform *waveform, const uint32_t *lanes, uint32_t *ret_lags, struct diag *diag);

/* `aloe plan`, for people */
char *plan_print(const struct waveform *waveform, const struct plan *plan);

#endif
