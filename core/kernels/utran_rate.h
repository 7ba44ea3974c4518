/* SPDX-License-Identifier: BSD-3-Clause
 *
 * utran_rate - bits through a rate matching pattern (core/kernels/utran_rate_table.h), and soft
 * bits back.
 *
 * out[i] = in[table[i]] for bits; for soft bits the sum of all in[i] with table[i] = c is out[c],
 * saturated after each addition in the order of i: 0 where a bit was punctured. Entries of the
 * table never go down, and none jumps far in practice, so what is next to each other stays nearly
 * so, and a table can be made a plan of vector instructions:
 *
 *         const struct utran_rate_kernels *kernels = utran_rate_kernels((enum
 *         simd_level)setup->simd); struct utran_rate_plan plan;
 * 	size = utran_rate_plan_match(&plan, kernels, table, matched, coded);	// or ..._dematch
 * 	utran_rate_plan_fill(&plan, aloe_alloc(setup, size));
 * 	kernels->match(&plan, in, out);						// or ->dematch
 *
 * A step of a plan loads a vector of the input, moves its items to their places (-1: zero) and
 * stores it whole; the next step writes over what was too much. Matching takes one step after the
 * other; dematching one block of the output after the other, in as many steps, added up, as its
 * bits come again. AVX-512 has instructions for patterns where no bit comes twice: there a plan is
 * one mask bit for each coded bit.
 */
#ifndef CORE_KERNELS_UTRAN_RATE_H
#define CORE_KERNELS_UTRAN_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/simd.h"
#include "core/kernels/utran_rate_table.h"

struct utran_rate_step {
	uint32_t from; /* first item loaded */
	uint32_t len;  /* match: items made; dematch: 1 if the block is complete with this step */
};

struct utran_rate_plan {
	const uint32_t *table; /* the caller's */
	uint32_t matched, coded;
	uint32_t width; /* bytes of a vector; 0: no plan, all goes by table */
	bool soft;      /* dematch */
	bool once;      /* no bit comes twice */
	bool masks;     /* instead of steps */
	uint32_t len;   /* steps or masks */
	/* output items that the steps make (masks: coded bits that the masks cover); the rest is
	 * made by the table */
	uint32_t done;
	uint32_t rest; /* place in the table at which the rest begins */
	struct utran_rate_step *steps;
	uint8_t *places; /* width bytes a step, or a mask of width (dematch: width / 2) bits */
};

struct utran_rate_kernels {
	uint32_t width; /* of the plans that they take */
	bool masks;     /* where no bit comes twice */
	void (*match)(const struct utran_rate_plan *plan, const uint8_t *in, uint8_t *out);
	void (*dematch)(const struct utran_rate_plan *plan, const int16_t *in, int16_t *out);
};

/* utran_rate_kernels gives the functions of a level. */
const struct utran_rate_kernels *utran_rate_kernels(enum simd_level level);

/* utran_rate_plan_match and _dematch begin a plan for kernels->match or ->dematch: how many bytes
 * its steps need. `table` has `matched` entries less than `coded` and outlives the plan.
 * utran_rate_plan_fill completes it in `memory`, aligned to 64 bytes; nothing to undo. */
size_t utran_rate_plan_match(struct utran_rate_plan *plan, const struct utran_rate_kernels *kernels,
    const uint32_t *table, uint32_t matched, uint32_t coded);
size_t utran_rate_plan_dematch(struct utran_rate_plan *plan,
    const struct utran_rate_kernels *kernels, const uint32_t *table, uint32_t matched,
    uint32_t coded);
void utran_rate_plan_fill(struct utran_rate_plan *plan, void *memory);

/* The tables behind it; those with a level's name exist on its processors only. */
extern const struct utran_rate_kernels utran_rate_plain, utran_rate_sse41, utran_rate_avx2,
    utran_rate_avx512, utran_rate_neon;

/* The loops by table, over all of it. */
void utran_rate_match_plain(
    const uint32_t *table, uint32_t matched, const uint8_t *in, uint8_t *out);
void utran_rate_dematch_plain(
    const uint32_t *table, uint32_t matched, const int16_t *in, int16_t *out, uint32_t coded);

/* The same for what is left after the steps or masks of a plan. */
void utran_rate_match_rest(const struct utran_rate_plan *plan, const uint8_t *in, uint8_t *out);
void utran_rate_dematch_rest(const struct utran_rate_plan *plan, const int16_t *in, int16_t *out);

#endif
