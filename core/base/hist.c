/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/hist.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

void hist_clear(struct hist *hist)
{
	hist_store(&hist->count, 0);
	hist_store(&hist->sum, 0);
	hist_store(&hist->least_inverted, 0);
	hist_store(&hist->largest, 0);
	for (uint32_t i = 0; i < HIST_CELLS; i++) {
		__atomic_store_n(&hist->cells.high[i], 0, __ATOMIC_RELAXED);
		__atomic_store_n(&hist->cells.low[i], 0, __ATOMIC_RELAXED);
	}
}

/* ---- cells ------------------------------------------------------------------------ */

/* The high part goes ahead: see hist_cells_get. */
void hist_carry(struct hist_cells *cells, uint32_t cell)
{
	const uint16_t high = __atomic_load_n(&cells->high[cell], __ATOMIC_RELAXED);

	__atomic_store_n(&cells->high[cell], (uint16_t)(high + 1), __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Of cells that nobody reads meanwhile. */
static void cell_raise(struct hist_cells *cells, uint32_t cell, uint64_t n)
{
	const uint64_t sum = hist_cells_get(cells, cell) + n;

	assert(cell < HIST_CELLS);
	__atomic_store_n(&cells->high[cell], (uint16_t)(sum >> 31), __ATOMIC_RELAXED);
	__atomic_store_n(&cells->low[cell], (uint32_t)sum, __ATOMIC_RELAXED);
}

static void cells_merge(
    struct hist_cells *into, const struct hist_cells *from, struct cell_range range)
{
	for (uint32_t i = range.first; i < range.end; i++) {
		const uint64_t n = hist_cells_get(from, i);

		if (n != 0)
			cell_raise(into, i, n);
	}
}

static void field_add(uint64_t *into, const uint64_t *from)
{
	hist_store(into, hist_load(into) + hist_load(from));
}

static void field_raise(uint64_t *into, const uint64_t *from)
{
	const uint64_t value = hist_load(from);

	if (value > hist_load(into))
		hist_store(into, value);
}

void hist_merge(struct hist *into, const struct hist *from)
{
	field_add(&into->count, &from->count);
	field_add(&into->sum, &from->sum);
	field_raise(&into->least_inverted, &from->least_inverted);
	field_raise(&into->largest, &from->largest);
	cells_merge(&into->cells, &from->cells, hist_range(from));
}

static bool eight_empty(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word == 0;
}

static void window_empty(struct hist_head *head, struct hist_cells *cells)
{
	for (uint32_t i = 0; i < HIST_WINDOW; i++) {
		const uint8_t n = head->window[i];

		if (i % 8 == 0 && eight_empty(&head->window[i])) {
			i += 7;
			continue;
		}
		if (n == 0)
			continue;
		__atomic_store_n(&head->window[i], 0, __ATOMIC_RELAXED);
		hist_cells_add(cells, head->first + i, n);
	}
}

void hist_head_visit(struct hist_head *head, struct hist_cells *cells, uint32_t cell)
{
	const uint32_t at = cell - head->first;

	hist_cells_add(cells, cell, 1);
	if (at < HIST_WINDOW) { /* full */
		__atomic_store_n(&head->window[at], 0, __ATOMIC_RELAXED);
		hist_cells_add(cells, cell, UINT8_MAX);
		head->beside = 0;
	} else if (++head->beside >= HIST_BESIDE_MAX) {
		const uint32_t first = cell > HIST_WINDOW / 2 ? cell - HIST_WINDOW / 2 : 0;

		window_empty(head, cells);
		__atomic_store_n(&head->first,
		    first < HIST_CELLS - HIST_WINDOW ? first : HIST_CELLS - HIST_WINDOW,
		    __ATOMIC_RELAXED);
		head->beside = 0;
	}
}

/* While the window moves a reader may see its last counts twice or not at all, never at a place
 * where there were none. */
void hist_head_merge(
    struct hist *into, const struct hist_head *head, const struct hist_cells *cells)
{
	const uint32_t first = __atomic_load_n(&head->first, __ATOMIC_RELAXED);

	field_add(&into->count, &head->count);
	field_add(&into->sum, &head->sum);
	field_raise(&into->least_inverted, &head->least_inverted);
	field_raise(&into->largest, &head->largest);
	cells_merge(&into->cells, cells,
	    (struct cell_range){hist_cell(~hist_load(&head->least_inverted)),
	        hist_cell(hist_load(&head->largest)) + 1});
	for (uint32_t i = 0; i < HIST_WINDOW && first <= HIST_CELLS - HIST_WINDOW; i++)
		hist_cells_add(
		    &into->cells, first + i, __atomic_load_n(&head->window[i], __ATOMIC_RELAXED));
}

uint64_t hist_count(const struct hist *hist)
{
	return hist_load(&hist->count);
}

uint64_t hist_min(const struct hist *hist)
{
	return hist_count(hist) ? ~hist_load(&hist->least_inverted) : 0;
}

uint64_t hist_max(const struct hist *hist)
{
	return hist_load(&hist->largest);
}

double hist_mean(const struct hist *hist)
{
	const uint64_t count = hist_count(hist);

	return count ? (double)hist_load(&hist->sum) / (double)count : 0;
}

uint64_t hist_cell_low(uint32_t cell)
{
	const uint32_t octave = cell >> HIST_SUB_BITS; /* 0: the values below 2^HIST_SUB_BITS */
	const uint64_t sub = cell & ((1u << HIST_SUB_BITS) - 1);

	assert(cell < HIST_CELLS);
	return octave ? (sub + (1u << HIST_SUB_BITS)) << (octave - 1) : sub;
}

uint64_t hist_cell_high(uint32_t cell)
{
	assert(cell < HIST_CELLS);
	return cell + 1 < HIST_CELLS ? hist_cell_low(cell + 1) - 1 : UINT64_MAX;
}

/* The middle of a cell, but never outside what was seen: the first and last cell are often only
 * partly used. */
static uint64_t cell_middle(const struct hist *hist, uint32_t cell)
{
	const uint64_t low = hist_cell_low(cell), high = hist_cell_high(cell);
	const uint64_t least = hist_min(hist), largest = hist_max(hist);
	const uint64_t middle = low + (high - low) / 2;

	assert(cell < HIST_CELLS);
	if (middle > largest)
		return largest;
	return middle < least ? least : middle;
}

/* Every cell is read once: a writer at work between two readings could otherwise carry the rank
 * past the end. */
uint64_t hist_quantile(const struct hist *hist, double q)
{
	const struct cell_range range = hist_range(hist);
	uint64_t cells[HIST_CELLS], total = 0, rank, seen = 0;

	for (uint32_t i = range.first; i < range.end; i++)
		total += cells[i] = hist_cells_get(&hist->cells, i);
	if (!total)
		return 0;
	if (q <= 0)
		return hist_min(hist);
	rank = q < 1 ? (uint64_t)ceil(q * (double)total) : total;
	if (rank >= total)
		return hist_max(hist);
	for (uint32_t i = range.first; i < range.end; i++) {
		seen += cells[i];
		if (seen >= rank)
			return cell_middle(hist, i);
	}
	return hist_max(hist);
}

uint64_t hist_above(const struct hist *hist, uint64_t ns)
{
	uint64_t above = 0;

	for (uint32_t i = hist_cell(ns); i < HIST_CELLS; i++)
		above += hist_cells_get(&hist->cells, i);
	return above;
}
