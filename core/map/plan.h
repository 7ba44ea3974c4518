/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/plan.h - a plan is the schedule of one waveform on one platform. Pure functions, no I/O.
 *
 * 	parse --> validate --> shape   (core/waveform)
 * 	map: lanes --> lags: the least lags with which every link is legal --> order --> segments
 * 	--> buffers
 *
 * In slot n an instance with lag r works on index k = n - base - r. A link u -> v with declared
 * delay w has the distance d = w + lag(v) - lag(u) slots. Distance 0 is legal on one lane if the
 * writer is first in the order. Between lanes, and with `pipelined` on every link, the distance
 * must be at least 1.
 *
 * Lanes: pins are obeyed; the mappers (core/map/mapper.h) propose mappings of all other instances,
 * and core/map/map.h chooses one of them. A cycle whose declared delays do not cover each of its
 * links stays on one lane, and so does each copy of a waveform without pins. A waveform that takes
 * at most half of a lane (or the capacity of whose lanes is not known) uses only the lanes that its
 * pins name, unless the user named the lanes.
 *
 * Admission: measured costs and given budgets (budget_us) must fit, on every lane and on every link
 * between nodes (core/map/costs.h, admission.h). A waveform is not refused for guesses (the figures
 * of the components), on the virtual and step clocks, or with admit = "always"; a note says what
 * does not fit.
 *
 * Latency: on one node and without `pipelined`, the lag of an instance is at most the number of
 * times that the path to the instance changes lanes. So lag + 1 is at most the number of lanes on
 * the path, which is inside the published bound of 2 x the cores on the path; a core counts again
 * when the path comes back to it. A path comes back to a core only for pins, for cycles, or if no
 * other mapping fits.
 */
#ifndef ALOE_MAP_PLAN_H
#define ALOE_MAP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/diag.h"
#include "core/map/length.h"
#include "core/map/mapper.h"
#include "core/waveform/platform.h"
#include "core/waveform/waveform.h"

struct profile; /* core/map/profile.h */

struct plan_instance { /* same numbering as the waveform's instances */
	uint32_t lane; /* position in the platform's lanes */
	uint32_t lag;  /* slots */
	/* calls for indices after the last index of the waveform, see core/map/tails.h */
	uint32_t run_on;
	uint32_t holds; /* of a source: indices for which its message meets others; else 1 */
	bool waits;     /* on several nodes: waits for all sources, see core/map/tails.h */
	uint32_t order; /* position in its segment */
	uint32_t segment;
	uint32_t side; /* 1 + position among those that one call serves (core/map/side.h); or 0 */
	uint64_t budget_ns;   /* 0: not known */
	uint64_t admitted_ns; /* time with which the instance was admitted; 0: a guess */
	/* latest start in the slot: the lane's base and all budgets before; 0: not known */
	uint64_t start_ns;
	double kmac;
	bool guessed;              /* kmac is the component's own figure */
	uint64_t bytes;            /* length of the instance, see core/map/length.h */
	enum length_source length; /* how kmac comes from lengths that were measured */
};

struct plan_link {         /* same numbering as the waveform's links */
	uint32_t distance; /* slots */
};

/* One per connected output port, by instance and port: its links all read the same ring. */
struct plan_buffer {
	uint32_t instance, port;
	uint32_t type, max; /* item type, items */
	/* messages: a power of two, at least the largest distance + 2; between nodes at least
	 * distance + delay in both directions + 1 */
	uint32_t depth;
};

struct plan_segment { /* the part of a lane that one host runs */
	uint32_t lane;
	/* 0..n_hosts-1: first the shared hosts, then the waveform's own hosts, then one host for
	 * each instance with isolation "component"; a host is on one node */
	uint32_t host;
	uint32_t *instances; /* in order of execution */
	size_t n_instances;
};

struct plan_lane {
	char node[64];     /* of a platform file; "" here */
	char arch[16];     /* of that node; "": of this machine */
	double mmac_per_s; /* 0: not calibrated */
	double limit_ns;   /* time of a slot without the margin */
	double base_ns;    /* T_base, T_noise, hand-overs between hosts, and: */
	double carry_ns;   /* messages to and from other nodes, see core/map/resources.h */
	double taken_ns;   /* time of waveforms that were admitted before */
	double need_ns;    /* admitted time of the instances with T_module; guesses count */
	/* of need_ns: what stays however small the messages become; and of how many instances that
	 * is known */
	double fixed_ns;
	size_t n_lined;
	double reserve_ns; /* largest tail: the most by which a budget exceeds the admitted time */
	double typical_ns; /* time of the instances in a usual slot */
	size_t n_instances, n_guessed;
};

struct plan_candidate { /* a mapper and its best mapping */
	const char *name;
	bool found;
	bool proven;  /* the mapper has proven that no mapping exists */
	double share; /* share of the capacity at which the mapper was asked */
	double cost;  /* at that share, see core/map/mapping.h */
	double peak;  /* largest used share of the room of a lane */
	uint32_t latency_slots, crossings;
};

enum plan_mode { PLAN_TIERS, PLAN_SPREAD, PLAN_OVER };
enum { PLAN_CANDIDATES_MAX = 16 };

struct plan_choice {         /* how the lanes were chosen */
	enum plan_mode mode; /* PLAN_OVER: no mapping fits; this one has the smallest peak */
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
	/* the first n_shared hosts are shared by the waveforms of a node: one host on each node
	 * with an instance of isolation "none" */
	uint32_t n_shared;
	/* largest lag of the instances without readers (of all instances, if each has readers)
	 * + 1 */
	uint32_t latency_slots;
	/* instances that state their time for the kind of core that they are on */
	size_t n_stated;
	uint64_t hash; /* of the profile that was used; 0: the components' own figures */
};

struct plan_options {
	double q; /* weight of processing against links in a mapping's cost, 0 .. 1 */
	/* MAPPER_PORTFOLIO: all mappers; else only this mapper, at 100 % of the capacity */
	enum mapper mapper;
	bool admit; /* a waveform that does not fit gets a note and is not refused */
};
#define PLAN_OPTIONS ((struct plan_options){.q = 0.5, .mapper = MAPPER_PORTFOLIO})

/* Segments of one process: runs of its instances on a lane that have the same steps. */
enum { PLAN_HOST_SEGMENTS_MAX = 128 };

/* plan_spread chooses how many places instances with replicas = "auto" get, and gives each place of
 * an instance its row (waveform_spread). Before plan_make. 0, or -EINVAL with the reason in
 * diag, or another negative number. */
int plan_spread(struct waveform *waveform, const struct platform_model *platform,
    const struct profile *profile, struct diag *diag);

/* plan_make chooses lanes, lags, order and buffers, and admits the waveform. Returns -EINVAL with
 * the reason in diag (a cycle whose declared delays do not cover its changes of lanes, a pin to a
 * lane that does not exist, a lane that cannot hold its budgets, ...). The same input gives the
 * same plan. plan_make uses PLAN_OPTIONS, plan_make_with other options. */
int plan_make_with(const struct waveform *waveform, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, struct diag *diag,
    struct plan **ret);
int plan_make(const struct waveform *waveform, const struct platform_model *platform,
    const struct profile *profile, struct diag *diag, struct plan **ret);
/* plan_build is the inner step. If only admission refuses the waveform, it returns -EINVAL with the
 * plan in *ret. */
int plan_build(const struct waveform *waveform, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, struct diag *diag,
    struct plan **ret);
void plan_free(struct plan *plan);

/* plan_link_more returns how many slots a link needs for the places of its writer: what an instance
 * in r places makes is there r - 1 slots later, but for the place on its lane that has r slots for
 * the same index, too: that one runs behind it. */
static inline uint32_t plan_link_more(
    const struct waveform *waveform, const struct wf_link *link, bool one_lane)
{
	return one_lane && waveform_aligned(waveform, link)
	    ? 0
	    : waveform_places(&waveform->instances[link->from]) - 1;
}

/* plan_turn returns the turn of a row, once its lag is known: it has those steps s of its segment
 * for which s % places = turn. */
static inline uint32_t plan_turn(
    const struct waveform *waveform, const struct plan *plan, uint32_t row)
{
	return (uint32_t)(((uint64_t)plan->instances[row].lag + waveform->instances[row].place) %
	    waveform_places(&waveform->instances[row]));
}

/* plan_print returns the text of `aloe plan`. */
char *plan_print(const struct waveform *waveform, const struct plan *plan);

#endif
