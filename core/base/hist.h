/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/hist.h - a log-linear histogram of nanoseconds that lives in shared memory.
 *
 *   ns     0 ... 63 | 64 ... 127 | 128 130 ... 254 | 256 260 ... 508 | ... | 2^31 ... 2^32 (4.3 s)
 *   width  1            | 1             | 2               | 4               |      | 2^25
 *
 * 64 cells to the octave: below 128 ns every value has its own cell, above it a cell is at most
 * 1/64 of its lowest value wide. A quantile is the middle of its cell, so it is wrong by at most
 * 1/128 (0.8 %) of the true sample; the smallest and the largest sample, the count and the sum are
 * exact. A value of 2^32 ns or more counts in the last cell. The size is constant, 10 kB, of which
 * those few lines of cache are touched where samples fall. A cell counts to 2^47: at a call every
 * 2.56 us, all of them in one cell, that is 22 years.
 *
 * One writer, any readers at the same time, no lock: every field is read and written whole
 * (relaxed), so a reader sees each field as it was at some moment, though perhaps not all at the
 * same one. A quantile looks at the cells from the smallest to the largest sample alone and is thus
 * consistent with itself. All zero bytes
 * are an empty histogram; there are no pointers, so a copy is a copy, in a file or on another node
 * too, and copies of any number of lanes and nodes are merged without loss.
 */
#ifndef ALOE_BASE_HIST_H
#define ALOE_BASE_HIST_H

#include <assert.h>
#include <stdint.h>

enum {
	HIST_SUB_BITS = 6,    /* cells to the octave: 2^6 */
	HIST_OCTAVE_MAX = 31, /* the last octave begins at 2^31 ns */
	HIST_CELLS = (HIST_OCTAVE_MAX - HIST_SUB_BITS + 2) << HIST_SUB_BITS,
};

/* Counts of 47 bits: what happens at every call touches the low parts alone. A high part counts how
 * often the top bit of the low one has changed, so that its own last bit says which of the two a
 * reader has seen first. */
struct hist_cells {
	uint32_t low[HIST_CELLS];
	uint16_t high[HIST_CELLS];
};

struct hist {
	uint64_t count;
	uint64_t sum;            /* ns */
	uint64_t least_inverted; /* ~smallest, so that zero means none yet */
	uint64_t largest;        /* ns */
	struct hist_cells cells;
};

static_assert(sizeof(struct hist) == 10400, "the size is part of the image");

/* hist_cell gives the cell of a value. */
static inline uint32_t hist_cell(uint64_t ns)
{
	const uint32_t last = HIST_CELLS - 1;
	uint32_t octave, cell;

	if (ns < 1u << HIST_SUB_BITS)
		return (uint32_t)ns;
	octave = 63u - (uint32_t)__builtin_clzll(ns);
	cell = ((octave - HIST_SUB_BITS) << HIST_SUB_BITS) +
	    (uint32_t)(ns >> (octave - HIST_SUB_BITS));
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

/* hist_carry adds one to the high part of a cell. [slot] Once in 2^31. */
void hist_carry(struct hist_cells *cells, uint32_t cell);

/* hist_cells_add counts n values of a cell, below 2^31. [slot] Only the one writer calls it. */
static inline void hist_cells_add(struct hist_cells *cells, uint32_t cell, uint32_t n)
{
	const uint32_t before = __atomic_load_n(&cells->low[cell], __ATOMIC_RELAXED),
	               low = before + n;

	if (__builtin_expect((before ^ low) >> 31, 0))
		hist_carry(cells, cell);
	__atomic_store_n(&cells->low[cell], low, __ATOMIC_RELAXED);
}

/* hist_cells_get gives the count of a cell. The low part is read first, so the high one belongs to
 * it, or is ahead by one: then its last bit is not the other's top bit. */
static inline uint64_t hist_cells_get(const struct hist_cells *cells, uint32_t cell)
{
	const uint32_t low = __atomic_load_n(&cells->low[cell], __ATOMIC_ACQUIRE);
	const uint32_t high = __atomic_load_n(&cells->high[cell], __ATOMIC_RELAXED);
	const uint32_t changes = (high - ((high ^ low >> 31) & 1)) & UINT16_MAX;

	return (uint64_t)changes << 31 | (low & INT32_MAX);
}

/* The cells in which values of a histogram can lie, by its least and its largest value: the others
 * need no look. In memory that others write `end` may be before `first`; both are cells, and end
 * may be the one behind the last. */
struct cell_range {
	uint32_t first, end;
};

static inline struct cell_range hist_range(const struct hist *hist)
{
	return (struct cell_range){
	    hist_cell(~hist_load(&hist->least_inverted)), hist_cell(hist_load(&hist->largest)) + 1};
}

/* hist_add counts one value. [slot] A few nanoseconds; only the one writer calls it. */
static inline void hist_add(struct hist *hist, uint64_t ns)
{
	hist_cells_add(&hist->cells, hist_cell(ns), 1);
	hist_store(&hist->sum, hist_load(&hist->sum) + ns);
	hist_store(&hist->count, hist_load(&hist->count) + 1);
	if (ns > hist_load(&hist->largest))
		hist_store(&hist->largest, ns);
	if (~ns > hist_load(&hist->least_inverted))
		hist_store(&hist->least_inverted, ~ns);
}

/* A histogram in two parts, for thousands of writers one after another, whose cells would each time
 * be found in the cold: a head of four lines of cache, that can lie among its like, and cells
 * elsewhere. The head counts in a window of bytes around the usual value and visits its cells when
 * a byte is full or a value falls beside the window, which moves there when several have done so in
 * a row. */
enum { HIST_WINDOW = 216, HIST_BESIDE_MAX = 8 };
struct hist_head {
	_Alignas(64) uint64_t count;
	uint64_t sum, least_inverted, largest; /* as in struct hist */
	uint32_t first;                        /* cell of window[0] */
	/* values beside the window since the last one in it */
	uint32_t beside;
	uint8_t window[HIST_WINDOW];
};

static_assert(sizeof(struct hist_head) == 256, "the size is part of the image");

/* hist_head_add is hist_add for these; but where it returns another cell than HIST_NO_CELL the
 * value counts only when hist_head_visit has been called with it. [slot] */
enum { HIST_NO_CELL = HIST_CELLS };
static inline uint32_t hist_head_add(struct hist_head *head, uint64_t ns)
{
	const uint32_t cell = hist_cell(ns), at = cell - head->first;

	hist_store(&head->sum, hist_load(&head->sum) + ns);
	hist_store(&head->count, hist_load(&head->count) + 1);
	if (ns > hist_load(&head->largest))
		hist_store(&head->largest, ns);
	if (~ns > hist_load(&head->least_inverted))
		hist_store(&head->least_inverted, ~ns);
	if (at >= HIST_WINDOW || head->window[at] == UINT8_MAX)
		return cell;
	__atomic_store_n(&head->window[at], head->window[at] + 1, __ATOMIC_RELAXED);
	head->beside = 0;
	return HIST_NO_CELL;
}

/* hist_head_visit counts a value that fell beside the window, or where that is full. [slot] */
void hist_head_visit(struct hist_head *head, struct hist_cells *cells, uint32_t cell);

/* hist_head_merge is hist_merge from these. */
void hist_head_merge(
    struct hist *into, const struct hist_head *head, const struct hist_cells *cells);

/* hist_clear makes it empty again; the writer's. */
void hist_clear(struct hist *hist);

/* hist_merge adds what `from` has counted to `into`, as if into had counted it. The caller is
 * into's writer. */
void hist_merge(struct hist *into, const struct hist *from);

uint64_t hist_count(const struct hist *hist);
uint64_t hist_min(const struct hist *hist); /* ns, exact; 0 when empty */
uint64_t hist_max(const struct hist *hist); /* ns, exact; 0 when empty */
double hist_mean(const struct hist *hist);  /* ns, exact; 0 when empty */

/* hist_quantile gives the sample below or at which the share q of all samples lies, in ns: q 0.5 is
 * the median, q 0.99 the 99th percentile, 0.99999 that of one sample in 100 000 (the sample of rank
 * ceil(q x count)); q <= 0 the smallest, q >= 1 the largest. Within 1/128 of the true sample; 0
 * when empty. */
uint64_t hist_quantile(const struct hist *hist, double q);

/* hist_above counts the samples in cells that begin at or after the cell of ns: those >= ns, to
 * within one cell. */
uint64_t hist_above(const struct hist *hist, uint64_t ns);

/* hist_cell_low and hist_cell_high give the smallest and largest value of a cell, in ns, for
 * drawing. The last cell's highest is UINT64_MAX. */
uint64_t hist_cell_low(uint32_t cell);
uint64_t hist_cell_high(uint32_t cell);

#endif
