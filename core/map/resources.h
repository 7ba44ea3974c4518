/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/resources.h - what a platform offers to one waveform: its lanes, what is left of each,
 * what joins them.
 *
 * A lane has room for
 *
 * 	sum over its instances of (need + T_module)  <=  T x (1 - margin) - T_base - T_noise - taken
 *
 * nanoseconds of a slot of length T; `taken` is what waveforms loaded before were admitted with,
 * whether they use it or not, so that loading one never breaks another's admission. Lanes of one
 * node are joined by its memory, which holds whatever the waveform sends; lanes of different nodes
 * by the links of the platform, or not at all.
 *
 * A message between nodes takes time of the core that sends it and of the core that receives it:
 * message_us + byte_ns x bytes of the link. It is charged to the lanes of the writer and of the
 * reader, which are the cores of a node whose daemons have no others.
 */
#ifndef ALOE_MAP_RESOURCES_H
#define ALOE_MAP_RESOURCES_H

#include "core/map/mapping.h"
#include "core/waveform/platform.h"
#include "core/waveform/waveform.h"

struct lane_resource {
	int cpu;
	uint32_t node;
	const char *arch;  /* components need a build for it; NULL: they have one */
	const char *kind;  /* of core; NULL: not named */
	double mmac_per_s; /* 0: not calibrated */
	double room_ns;    /* of a slot, before `taken` */
	double taken_ns;
	double base_ns, module_ns, handover_ns;
};

struct resources {
	const struct platform_model *platform;
	struct lane_resource *lanes;
	size_t n_lanes;
	bool named;    /* by the waveform: the user wants these lanes used */
	bool known;    /* the capacity of all lanes */
	double margin; /* in force */
	/* n_lanes x n_lanes: slots that a message between these lanes takes at least */
	uint32_t *delay;
	uint32_t *pool;       /* n_lanes x n_lanes, as in struct mapping_problem */
	double *kbit;         /* by pool, in a slot; INFINITY: memory */
	uint32_t *pool_links; /* by pool: link of the platform; MAPPING_NONE: memory */
	size_t n_pools;
};

/* resources_init: 0; -EINVAL with the reason in diag (a CPU that the platform does not have, no
 * lane at all); -ENOMEM. End with resources_fini in any case. */
int resources_init(struct resources *resources, const struct waveform *waveform,
    const struct platform_model *platform, struct diag *diag);
void resources_fini(struct resources *resources);

/* resources_carry gives the time of a slot that so many messages, together so many kbit, take of a
 * core at each end, sent from one lane to another: 0 inside a node. Where the daemons of a node
 * have CPUs of their own (housekeeping), resources_carries is false, and no lane pays for it. */
double resources_carry(
    const struct resources *resources, size_t from, size_t to, double messages, double kbit);
bool resources_carries(const struct resources *resources, size_t lane);

/* resources_rate is the rate that times are made with: a lane that was never calibrated counts 1000
 * MMAC/s, which says nothing of the slot but weighs loads against each other. */
double resources_rate(const struct lane_resource *lane);

/* resources_most is the largest delay between two lanes; resources_node names the node of a lane
 * ("" here). */
uint32_t resources_most(const struct resources *resources);
const char *resources_node(const struct resources *resources, size_t lane);
/* resources_arch is the instruction set of the node of a lane; "": this machine's. */
const char *resources_arch(const struct resources *resources, size_t lane);

#endif
