/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rate.h - what utran_rate_match and utran_rate_dematch have in common: the patterns of one
 * transport channel, one for the TTI in the downlink, one for each of its radio frames in the
 * uplink.
 */
#ifndef COMPONENTS_UTRAN_RATE_H
#define COMPONENTS_UTRAN_RATE_H

#include <aloe/component.h>

#include "components/utran/tti.h"
#include "core/kernels/utran_rate.h"

enum rate_direction { RATE_DOWNLINK, RATE_UPLINK };

static const char *const rate_directions[] = {
    [RATE_DOWNLINK] = "downlink", [RATE_UPLINK] = "uplink", NULL};
static const char *const rate_codings[] = {
    [UTRAN_TURBO] = "turbo", [UTRAN_CONVOLUTIONAL] = "convolutional", NULL};

/* Parameters and variables, for the tables of a component whose state S has them. */
#define RATE_PARAMS(S)                                                                             \
	ALOE_PARAM_INT(S, tti_phase, 0, 0, 7, "slot", 0,                                           \
	    "index of the first radio frame of a TTI (uplink only)"),                              \
	    ALOE_PARAM_ENUM(S, coding, rate_codings, "turbo", 0, "code that the bits come from"),  \
	    ALOE_PARAM_ENUM(S, direction, rate_directions, "downlink", 0,                          \
	        "direction of transmission, which sets the order of the steps")
#define RATE_VARS(S)                                                                               \
	ALOE_VAR_U64(S, short_blocks, "block",                                                     \
	    "messages that were not one whole TTI (uplink: one whole radio frame)")

struct rate_patterns {
	uint32_t coded, matched; /* bits of a message */
	uint32_t len;            /* patterns: 1, or the radio frames of a TTI */
	uint32_t *tables;        /* one after the other, by radio frame */
	const struct utran_rate_kernels *kernels;
	/* of them, for the one direction that the component goes */
	struct utran_rate_plan plans[8];
	size_t bytes[8]; /* of their steps or masks */
};

typedef size_t rate_plan(struct utran_rate_plan *plan, const struct utran_rate_kernels *kernels,
    const uint32_t *table, uint32_t matched, uint32_t coded);

/* rate_plans_init makes of each table a plan for the kernels: 0, or negative after aloe_fail. */
static inline int rate_plans_init(
    struct rate_patterns *p, rate_plan *plan, struct aloe_setup *setup)
{
	p->kernels = utran_rate_kernels((enum simd_level)setup->simd);
	for (uint32_t n = 0; n < p->len; n++) {
		const size_t size = plan(
		    &p->plans[n], p->kernels, p->tables + n * p->matched, p->matched, p->coded);
		void *memory = aloe_alloc(setup, size + 1);

		if (!memory)
			return aloe_fail(setup, "no memory for the %zu bytes of a plan", size);
		p->bytes[n] = size;
		utran_rate_plan_fill(&p->plans[n], memory);
	}
	return 0;
}

/* rate_patterns_init makes `len` patterns of so many bits, for utran_rate_plan_match or _dematch:
 * 0, or negative after aloe_fail. */
static inline int rate_patterns_init(struct rate_patterns *p, enum utran_coding coding,
    enum rate_direction direction, rate_plan *plan, struct aloe_setup *setup)
{
	int rc = 0;

	p->tables = aloe_alloc(setup, (size_t)p->len * p->matched * sizeof(*p->tables));
	if (!p->tables)
		return aloe_fail(setup, "no memory for a table of %u bits", p->len * p->matched);
	if (direction == RATE_DOWNLINK)
		rc = utran_rate_table(p->coded, p->matched, coding, p->tables);
	for (uint32_t n = 0; direction == RATE_UPLINK && rc == 0 && n < p->len; n++)
		rc = utran_rate_table_uplink(
		    p->coded, p->matched, coding, p->len, n, p->tables + n * p->matched);
	if (rc < 0)
		return aloe_fail(setup, "no pattern makes %u bits of %u", p->matched, p->coded);
	return rate_plans_init(p, plan, setup);
}

/* rate_warm names the plans, and what of the tables they leave to be done by table. */
static inline void rate_warm(const struct rate_patterns *p, struct aloe_warm *warm)
{
	for (uint32_t n = 0; n < p->len; n++) {
		const struct utran_rate_plan *plan = &p->plans[n];

		aloe_warm(warm, plan->places, p->bytes[n]);
		aloe_warm(warm, plan->table + plan->rest,
		    (p->matched - plan->rest) * sizeof(*plan->table));
	}
}

/* rate_plan_at gives the plan for the message of an index. */
static inline const struct utran_rate_plan *rate_plan_at(
    const struct rate_patterns *p, uint64_t index, int32_t tti_phase)
{
	return &p->plans[p->len == 1 ? 0 : tti_frame(index, p->len, tti_phase)];
}

#endif
