/* SPDX-License-Identifier: BSD-3-Clause
 * utran_turbo_many - layout for every level, and which blocks are decoded side by side. */
#include "core/kernels/utran_turbo_many.h"
#include "core/kernels/levels.h"
#include "core/kernels/utran_turbo.h"
#include "core/kernels/utran_turbo_many_parts.h"

#include <assert.h>
#include <string.h>

enum {
	ABREAST = UTRAN_TURBO_ABREAST,
	STATES = UTRAN_TURBO_STATES,
	SORTED_MAX = 256, /* blocks among which those of one warm-up are looked for */
	TAKEN = 0         /* instead of a block's warm-up: the block is in a group */
};
static_assert((int)UTRAN_WARM_MIN > (int)TAKEN, "no block wants a warm-up of no step");

/* 16-bit values, each array in whole cache lines. */
struct many_layout {
	size_t stream, beta, edge, last, decided;
};

static size_t lines_of(size_t values)
{
	return (values + 31) / 32 * 32;
}

static struct many_layout layout_of(uint32_t windows, uint32_t steps)
{
	const size_t positions = (size_t)steps * windows;

	return (struct many_layout){
	    .stream = lines_of(positions * ABREAST),
	    .beta = (size_t)MANY_KEPT * MANY_LANES_MAX * steps,
	    .edge = lines_of((size_t)STATES * windows * ABREAST),
	    .last = lines_of((size_t)3 * steps * ABREAST),
	    .decided = lines_of((positions + 1) / 2),
	};
}

size_t utran_turbo_many_work_size(const struct utran_turbo_decoder_plan *plan)
{
	const uint32_t windows = utran_turbo_decoder_windows(plan->metrics, plan->windows, plan->k);
	const struct many_layout at = layout_of(windows, (plan->k + windows - 1) / windows);

	if (windows == 1 || plan->metrics != 16)
		return 0;
	return sizeof(int16_t) *
	    (5 * at.stream + at.beta + 2 * (1 + UTRAN_TURBO_SECTIONS_MAX) * at.edge + at.last +
	        at.decided);
}

static const struct utran_turbo_many_kernels *kernels_of(enum simd_level level)
{
	static const struct utran_turbo_many_kernels *const tables[SIMD_LEVELS] =
	    KERNEL_LEVELS(&utran_turbo_many_plain, &utran_turbo_many_sse41, &utran_turbo_many_avx2,
	        &utran_turbo_many_avx512, &utran_turbo_many_neon);

	return tables[level];
}

void utran_turbo_many_init(struct utran_turbo_many *many, enum simd_level level,
    struct utran_turbo_decoder *one, void *work)
{
	const struct many_layout at = layout_of(one->windows, one->steps);
	int16_t *next = work;

	*many = (struct utran_turbo_many){.one = one};
	if (one->windows == 1 || one->kernels->metrics != 16)
		return;
	many->kernels = kernels_of(level);
	many->systematic = next;
	many->extrinsic[0] = next + at.stream;
	many->extrinsic[1] = next + 2 * at.stream;
	many->y[0] = next + 3 * at.stream;
	many->y[1] = next + 4 * at.stream;
	many->beta = next + 5 * at.stream;
	next = many->beta + at.beta;
	for (int coder = 0; coder < 2; coder++, next += (1 + UTRAN_TURBO_SECTIONS_MAX) * at.edge) {
		many->edge[coder][0] = next;
		many->edge[coder][1] = next + at.edge;
	}
	many->last = next;
	many->decided = (uint8_t *)(next + at.last);
}

typedef int16_t piece __attribute__((vector_size(16)));

/* One for each parity that is known in eight steps; `llr` are their soft bits. */
static inline piece known_of(const int16_t *llr)
{
	static const piece parities[] = {
	    {0, 1, 1, 0, 1, 1, 0, 1}, {1, 0, 1, 1, 0, 1, 1, 0}, {1, 1, 0, 1, 1, 0, 1, 1}};
	piece known = {0};

	for (int i = 0; i < 3; i++) {
		piece v;
		memcpy(&v, llr + 8 * i, sizeof(v));
		known += (piece)(v != 0) & parities[i];
	}
	return known;
}

/* How long a warm-up the block asks for, counted as `start` of one block alone counts: in every
 * eighth window, the last eight steps perhaps twice. */
static uint32_t warm_of(const struct utran_turbo_decoder *one, const int16_t *llr)
{
	const uint32_t last = one->steps - 8;
	uint32_t sum = 0;
	piece known = {0};

	for (uint32_t window = 0; window < one->windows; window += 8) {
		const int16_t *at = llr + (size_t)3 * window * one->steps;
		for (uint32_t t = 0; t < last; t += 8)
			known += known_of(at + 3 * t);
		known += known_of(at + 3 * last);
	}
	for (int i = 0; i < 8; i++)
		sum += (uint32_t)known[i];
	return utran_turbo_warm_of(sum, 2 * ((one->steps + 7) / 8) * one->windows);
}

/* Blocks that want one warm-up. */
struct turbo_group {
	uint32_t warm, blocks;
	const int16_t *llr[ABREAST];
	uint8_t *bits[ABREAST];
};

/* Takes up to eight blocks that want the warm-up of block `first`, which is the first one left. */
static void group_take(struct turbo_group *ret_group, uint32_t first, uint32_t blocks,
    uint32_t *warm, const int16_t *const *llr, uint8_t *const *bits)
{
	struct turbo_group group = {.warm = warm[first]};

	for (uint32_t b = first; b < blocks && group.blocks < ABREAST; b++) {
		if (warm[b] != group.warm)
			continue;
		group.llr[group.blocks] = llr[b];
		group.bits[group.blocks++] = bits[b];
		warm[b] = TAKEN;
	}
	*ret_group = group;
}

static void alone_decode(struct utran_turbo_many *many, unsigned iterations, uint32_t blocks,
    const int16_t *const *llr, uint8_t *const *bits)
{
	for (uint32_t b = 0; b < blocks; b++)
		utran_turbo_decode(many->one, iterations, llr[b], bits[b]);
}

static void abreast_decode(
    struct utran_turbo_many *many, unsigned iterations, struct turbo_group *group)
{
	for (uint32_t b = group->blocks; b < ABREAST; b++)
		group->llr[b] = group->llr[0];
	utran_turbo_warm_use(many->one, group->warm, sizeof(int16_t));
	many->kernels->start(many, group->llr);
	for (unsigned i = 1; i <= iterations; i++)
		many->kernels->iterate(many, i == iterations);
	many->kernels->hand_out(many, group->bits);
}

/* Up to SORTED_MAX blocks: those that want one warm-up go together, wherever they stand. */
static uint32_t groups_decode(struct utran_turbo_many *many, unsigned iterations, uint32_t blocks,
    const int16_t *const *llr, uint8_t *const *bits)
{
	uint32_t warm[SORTED_MAX], together = 0;
	struct turbo_group group;

	for (uint32_t b = 0; b < blocks; b++)
		warm[b] = warm_of(many->one, llr[b]);
	for (uint32_t b = 0; b < blocks; b++) {
		if (warm[b] == TAKEN)
			continue;
		group_take(&group, b, blocks, warm, llr, bits);
		if (group.blocks < many->kernels->least) {
			alone_decode(many, iterations, group.blocks, group.llr, group.bits);
		} else {
			abreast_decode(many, iterations, &group);
			together += group.blocks;
		}
	}
	return together;
}

uint32_t utran_turbo_many_decode(struct utran_turbo_many *many, unsigned iterations,
    uint32_t blocks, const int16_t *const *llr, uint8_t *const *bits)
{
	uint32_t together = 0, done = 0;

	assert(iterations > 0);
	while (many->kernels && blocks - done >= many->kernels->least) {
		const uint32_t n = blocks - done < SORTED_MAX ? blocks - done : SORTED_MAX;
		together += groups_decode(many, iterations, n, llr + done, bits + done);
		done += n;
	}
	alone_decode(many, iterations, blocks - done, llr + done, bits + done);
	return together;
}
