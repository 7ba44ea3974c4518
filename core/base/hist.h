/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/hist.h - a log-linear histogram of nanoseconds that lives in shared memory.
 *
 *   ns     0 1 2 ... 15 | 16 17 ... 31 | 32 34 ... 62 | 64 68 ... 124 | ...  | 2^33 ... 2^34 (17.2 s)
 *   width  1            | 1            | 2            | 4             |      | 2^29
 *
 * 16 cells to the octave: below 32 ns every value has its own cell, above it a cell is at most 1/16 of its lowest value
 * wide. A quantile is the middle of its cell, so it is wrong by at most 1/32 (3.2 %) of the true sample; the smallest
 * and the largest sample, the count and the sum are exact. A value of 2^34 ns or more counts in the last cell.
 *
 * One writer, any readers at the same time, no lock: every field is read and written whole (relaxed), so a reader sees
 * each field as it was at some moment, though perhaps not all at the same one. A quantile looks at the cells alone and
 * is thus consistent with itself. All zero bytes are an empty histogram; there are no pointers, so a copy is a copy.
 */
#ifndef ALOE_BASE_HIST_H
#define ALOE_BASE_HIST_H

#include <assert.h>
#include <stdint.h>

enum {
	HIST_SUB_BITS = 4,    /* cells to the octave: 2^4 */
	HIST_OCTAVE_MAX = 33, /* the last octave begins at 2^33 ns */
	HIST_CELLS = (HIST_OCTAVE_MAX - HIST_SUB_BITS + 2) << HIST_SUB_BITS,
};

struct hist {
	uint64_t count;
	uint64_t sum;            /* ns */
	uint64_t least_inverted; /* ~smallest, so that zero means none yet */
	uint64_t largest;        /* ns */
	uint64_t cells[HIST_CELLS];
};

static_assert(sizeof(struct hist) == 4000, "the size is part of the image");

/* hist_cell gives the cell of a value. */
static inline uint32_t hist_cell(uint64_t ns)
{
	const uint32_t last = HIST_CELLS - 1;
	uint32_t octave, cell;

	if (ns < 1u << HIST_SUB_BITS)
		return (uint32_t)ns;
	octave = 63u - (uint32_t)__builtin_clzll(ns);
	cell = ((octave - HIST_SUB_BITS) << HIST_SUB_BITS) + (uint32_t)(ns >> (octave - HIST_SUB_BITS));
	return octave <= HIST_OCTAVE_MAX ? cell : last;
}

static inline uint64_t hist_load(const uint64_t *field)
{
	return __atomic_load_n(field, __ATOMIC_RELAXED);
}

static inline void hist_store(uint64_t *field, uint64_t value)
{
	__atomic_store_n(field, value, __ATOMIC_RELAXED);
}

/* hist_add counts one value. [slot] A few nanoseconds; only the one writer calls it. */
static inline void hist_add(struct hist *hist, uint64_t ns)
{
	uint64_t *cell = &hist->cells[hist_cell(ns)];

	hist_store(cell, hist_load(cell) + 1);
	hist_store(&hist->sum, hist_load(&hist->sum) + ns);
	hist_store(&hist->count, hist_load(&hist->count) + 1);
	if (ns > hist_load(&hist->largest))
		hist_store(&hist->largest, ns);
	if (~ns > hist_load(&hist->least_inverted))
		hist_store(&hist->least_inverted, ~ns);
}

/* hist_clear makes it empty again; the writer's. */
void hist_clear(struct hist *hist);

/* hist_merge adds what `from` has counted to `into`, as if into had counted it. The caller is into's writer. */
void hist_merge(struct hist *into, const struct hist *from);

uint64_t hist_count(const struct hist *hist);
uint64_t hist_min(const struct hist *hist); /* ns, exact; 0 when empty */
uint64_t hist_max(const struct hist *hist); /* ns, exact; 0 when empty */
double hist_mean(const struct hist *hist);  /* ns, exact; 0 when empty */

/* hist_quantile gives the sample below or at which the share q of all samples lies, in ns: q 0.5 is the median, q 0.99
 * the 99th percentile (the sample of rank ceil(q x count)); q <= 0 the smallest, q >= 1 the largest. Within 1/32 of the
 * true sample; 0 when empty. */
uint64_t hist_quantile(const struct hist *hist, double q);

/* hist_above counts the samples in cells that begin at or after the cell of ns: those >= ns, to within one cell. */
uint64_t hist_above(const struct hist *hist, uint64_t ns);

/* hist_cell_low and hist_cell_high give the smallest and largest value of a cell, in ns, for drawing. The last cell's
 * highest is UINT64_MAX. */
uint64_t hist_cell_low(uint32_t cell);
uint64_t hist_cell_high(uint32_t cell);

#endif
