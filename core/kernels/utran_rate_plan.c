/* SPDX-License-Identifier: BSD-3-Clause
 * utran_rate_plan - from a table to vector steps. Each plan is made twice by the same code: without
 * memory it only counts.
 */
#include "core/kernels/utran_rate.h"

#include <string.h>

/* The places of the step to be added, all zero; NULL while only counting. */
static uint8_t *step_begin(const struct utran_rate_plan *plan)
{
	uint8_t *places = plan->steps ? plan->places + (size_t)plan->len * plan->width : NULL;

	if (places)
		memset(places, 0xff, plan->width);
	return places;
}

static void step_end(struct utran_rate_plan *plan, uint32_t from, uint32_t len)
{
	if (plan->steps)
		plan->steps[plan->len] = (struct utran_rate_step){from, len};
	plan->len++;
}

/* A vector of `room` items that begins with item `first`, or earlier where it would reach behind
 * the last of n. */
static uint32_t begin_of(uint32_t first, uint32_t room, uint32_t n)
{
	return first + room <= n ? first : n - room;
}

static void steps_match(struct utran_rate_plan *plan)
{
	const uint32_t width = plan->width, *table = plan->table;
	uint32_t at = 0;

	while (plan->coded >= width && at + width <= plan->matched) {
		const uint32_t from = begin_of(table[at], width, plan->coded);
		uint8_t *places = step_begin(plan);
		uint32_t len = 0;

		for (; len < width && table[at + len] - from < width; len++)
			if (places)
				places[len] = (uint8_t)(table[at + len] - from);
		step_end(plan, from, len);
		at += len;
	}
	plan->done = plan->rest = at;
}

/* Items are 16 bits. A vector of 16 bytes is shuffled by bytes, a longer one by items. */
static void place_write(uint8_t *places, uint32_t width, uint32_t to, uint32_t from)
{
	const uint16_t item = (uint16_t)from;

	if (width == 16) {
		places[2 * to] = (uint8_t)(2 * from);
		places[2 * to + 1] = (uint8_t)(2 * from + 1);
	} else {
		memcpy(places + 2 * to, &item, sizeof(item));
	}
}

/* One step of the block of coded bits from `first` on: of each the next copy that the vector holds.
 * next[c] is that copy, ends[c] the one behind its last. Returns whether the block is complete. */
static bool step_dematch(
    struct utran_rate_plan *plan, uint32_t room, uint32_t *next, const uint32_t *ends)
{
	uint32_t from = UINT32_MAX;
	uint8_t *places = step_begin(plan);
	bool complete = true;

	for (uint32_t c = 0; c < room; c++)
		from = next[c] < ends[c] && next[c] < from ? next[c] : from;
	from = from == UINT32_MAX ? 0 : begin_of(from, room, plan->matched);
	for (uint32_t c = 0; c < room; c++) {
		if (next[c] < ends[c] && next[c] - from < room) {
			if (places)
				place_write(places, plan->width, c, next[c] - from);
			next[c]++;
		}
		complete = complete && next[c] == ends[c];
	}
	step_end(plan, from, complete);
	return complete;
}

static void steps_dematch(struct utran_rate_plan *plan)
{
	const uint32_t room = plan->width / 2;
	uint32_t next[32], ends[32], at = 0, block = 0;

	for (; plan->matched >= room && block + room <= plan->coded; block += room) {
		for (uint32_t c = 0; c < room; c++) {
			next[c] = at;
			while (at < plan->matched && plan->table[at] == block + c)
				at++;
			ends[c] = at;
		}
		while (!step_dematch(plan, room, next, ends)) {
		}
	}
	plan->done = block;
	plan->rest = at;
}

/* One mask bit for each coded bit, in blocks as long as a vector has items. */
static void mask_steps(struct utran_rate_plan *plan)
{
	const uint32_t room = plan->soft ? plan->width / 2 : plan->width;
	uint32_t at = 0;

	for (plan->done = 0; plan->done + room <= plan->coded; plan->done += room) {
		uint8_t *mask = plan->places ? plan->places + (size_t)plan->len * room / 8 : NULL;

		for (; at < plan->matched && plan->table[at] < plan->done + room; at++)
			if (mask)
				mask[(plan->table[at] - plan->done) / 8] |=
				    (uint8_t)(1u << plan->table[at] % 8);
		plan->len++;
	}
	plan->rest = at;
}

static void plan_fill(struct utran_rate_plan *plan)
{
	plan->len = plan->done = plan->rest = 0;
	if (plan->masks)
		mask_steps(plan);
	else if (plan->width && plan->soft)
		steps_dematch(plan);
	else if (plan->width)
		steps_match(plan);
}

static size_t places_size(const struct utran_rate_plan *plan)
{
	const size_t each = !plan->masks ? plan->width
	    : plan->soft                 ? plan->width / 16
	                                 : plan->width / 8;

	return (plan->len * each + 63) / 64 * 64;
}

static size_t plan_begin(struct utran_rate_plan *plan, const struct utran_rate_kernels *kernels)
{
	plan->once = true;
	for (uint32_t i = 1; i < plan->matched; i++)
		plan->once = plan->once && plan->table[i] != plan->table[i - 1];
	plan->width = kernels->width;
	plan->masks = kernels->masks && plan->once;
	plan_fill(plan);
	return places_size(plan) + (plan->masks ? 0 : plan->len * sizeof(*plan->steps));
}

size_t utran_rate_plan_match(struct utran_rate_plan *plan, const struct utran_rate_kernels *kernels,
    const uint32_t *table, uint32_t matched, uint32_t coded)
{
	*plan = (struct utran_rate_plan){.table = table, .matched = matched, .coded = coded};
	return plan_begin(plan, kernels);
}

size_t utran_rate_plan_dematch(struct utran_rate_plan *plan,
    const struct utran_rate_kernels *kernels, const uint32_t *table, uint32_t matched,
    uint32_t coded)
{
	*plan = (struct utran_rate_plan){
	    .table = table, .matched = matched, .coded = coded, .soft = true};
	return plan_begin(plan, kernels);
}

void utran_rate_plan_fill(struct utran_rate_plan *plan, void *memory)
{
	plan->places = memory;
	if (plan->masks)
		memset(memory, 0, places_size(plan));
	else
		plan->steps = (struct utran_rate_step *)((uint8_t *)memory + places_size(plan));
	plan_fill(plan);
}
