/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/baton.h"

#include <assert.h>

#include "core/base/clock.h"

static uint32_t entries_of(const struct node_lane *lane)
{
	const uint32_t entries = atomic_load_explicit(&lane->entries, memory_order_acquire);

	return entries < NODE_ENTRIES_MAX ? entries : NODE_ENTRIES_MAX;
}

static bool is_live(const struct node_lane *lane, uint32_t entry)
{
	return atomic_load_explicit(&lane->entry[entry].live, memory_order_acquire) != 0;
}

static uint32_t live_from(const struct node_lane *lane, uint32_t first, uint64_t but)
{
	const uint32_t entries = entries_of(lane);

	for (uint32_t e = first; e < entries; e++)
		if (is_live(lane, e) && !(but >> e & 1))
			return e;
	return BATON_NOBODY;
}

static bool seat_has(const struct node_lane *lane, uint32_t seat, uint32_t waveform)
{
	const uint32_t entries = entries_of(lane);

	for (uint32_t e = 0; e < entries; e++)
		if (atomic_load(&lane->entry[e].seat) == seat && is_live(lane, e) &&
		    lane->entry[e].waveform == waveform)
			return true;
	return false;
}

uint64_t baton_entries(const struct node_lane *lane, uint32_t seat)
{
	const uint32_t entries = entries_of(lane);
	uint64_t set = 0;

	static_assert(NODE_ENTRIES_MAX <= 64, "an entry is a bit of the set");
	assert(seat < NODE_ENTRIES_MAX);
	for (uint32_t e = 0; e < entries; e++)
		if (atomic_load(&lane->entry[e].seat) == seat ||
		    seat_has(lane, seat, lane->entry[e].waveform))
			set |= 1ull << e;
	return set;
}

uint64_t baton_since(const struct lane_image *image, uint64_t baton)
{
	const uint64_t since = atomic_load(&image->since);

	return since != 0 && (since & SINCE_ENTRY) == baton_entry(baton)
	    ? since | SINCE_AT_WORK | SINCE_ENTRY
	    : 0;
}

bool baton_at_work(const struct lane_image *image, uint64_t baton)
{
	const uint64_t since = atomic_load(&image->since);

	return !(baton & BATON_FRESH) && (since & SINCE_AT_WORK) &&
	    (since & SINCE_ENTRY) == baton_entry(baton);
}

bool baton_left(const struct node_lane *lane, const struct lane_image *image, uint64_t baton)
{
	const uint32_t entry = baton_entry(baton);

	static_assert(BATON_NOBODY >= NODE_ENTRIES_MAX, "no entry is nobody");
	assert(entry < NODE_ENTRIES_MAX);
	return !is_live(lane, entry) &&
	    (atomic_load(&lane->entry[entry].seat) >= NODE_ENTRIES_MAX ||
	        !baton_at_work(image, baton));
}

__attribute__((hot)) uint64_t baton_next(const struct node_lane *lane, uint64_t baton, uint64_t but)
{
	const uint64_t slot = baton_slot(baton);
	const uint32_t entry = baton_entry(baton);
	const uint32_t next =
	    entry >= NODE_ENTRIES_MAX ? BATON_NOBODY : live_from(lane, entry + 1, but);

	assert(next == BATON_NOBODY || next > entry);
	assert(next == BATON_NOBODY || !(but >> next & 1));
	/* the entry that waited for the pace has gone, and the slot has not begun yet */
	if (baton & BATON_FRESH)
		return baton_make(slot, BATON_FRESH, live_from(lane, 0, but));
	if (next != BATON_NOBODY)
		return baton_make(slot, 0, next);
	return baton_make(slot + 1, BATON_FRESH, live_from(lane, 0, but));
}

__attribute__((hot)) const struct node_timebase *baton_timebase(
    const struct node_image *node, uint32_t lane)
{
	const uint32_t number =
	    atomic_load_explicit(&node->lane[lane].timebase, memory_order_acquire);

	static_assert(
	    (uint32_t)IMAGE_NONE >= (uint32_t)NODE_TIMEBASES_MAX, "a free lane has no time base");
	assert(lane < NODE_LANES_MAX);
	return number < NODE_TIMEBASES_MAX ? &node->timebase[number] : NULL;
}

/* The number of slots that have begun. */
static uint64_t slots_begun(const struct node_timebase *base, uint64_t now)
{
	return timebase_slot(base, now) + 1;
}

/* The latest possible baton is the fresh baton of the slot that begins next. */
__attribute__((hot)) bool baton_possible(
    const struct node_image *node, uint32_t lane, uint64_t baton, uint64_t now)
{
	const struct node_timebase *base = baton_timebase(node, lane);
	const uint64_t slots = baton_slot(baton) + ((baton & BATON_FRESH) == 0);
	uint64_t slack;

	assert(lane < NODE_LANES_MAX);
	assert(now != 0);
	if (baton_entry(baton) == BATON_NOBODY)
		return true;
	if (baton_entry(baton) >= entries_of(&node->lane[lane]))
		return false;
	if (base != NULL && base->pace == IMAGE_TIMER) {
		slack = atomic_load_explicit(&base->slack_ns, memory_order_relaxed);
		return slots <= slots_begun(base, now + slack);
	}
	return base == NULL || base->pace != IMAGE_STEP || slots <= atomic_load(&base->allowed);
}

/* True if at most one waveform has the lane, counting that of the holder, which may have been taken
 * off the lane. Then a holder harms no other waveform. */
static bool lane_is_single(const struct node_lane *lane, uint64_t baton)
{
	const uint32_t entries = entries_of(lane), holder = baton_entry(baton);
	uint32_t waveform = holder < entries ? lane->entry[holder].waveform : IMAGE_NONE;

	for (uint32_t e = 0; e < entries; e++) {
		if (!is_live(lane, e))
			continue;
		if (waveform != IMAGE_NONE && waveform != lane->entry[e].waveform)
			return false;
		waveform = lane->entry[e].waveform;
	}
	return true;
}

/* The slots that the holder may take for a call. */
static uint32_t slots_promised(const struct node_lane *lane, uint64_t baton)
{
	const uint32_t holder = baton_entry(baton);
	const uint32_t slots =
	    holder < entries_of(lane) ? atomic_load(&lane->entry[holder].slots) : 1;

	return slots > 1 ? slots : 1;
}

/* Without real-time rights a thread may wait for its CPU for longer than a slot, which is no reason
 * to stop the thread. */
bool baton_harmless(const struct node_image *node, uint32_t lane, uint64_t baton, bool realtime)
{
	return !realtime || lane_is_single(&node->lane[lane], baton);
}

uint64_t baton_bound(const struct node_image *node, uint32_t lane, uint64_t baton, bool realtime)
{
	const struct node_timebase *base = baton_timebase(node, lane);
	const uint64_t slot_ns = base != NULL ? base->slot_ns : BATON_BOUND_ALONE_NS,
	               promised = slots_promised(&node->lane[lane], baton) * slot_ns;
	uint64_t least = BATON_BOUND_ALONE_NS;

	assert(node != NULL);
	assert(lane < NODE_LANES_MAX);
	if (!baton_harmless(node, lane, baton, realtime))
		least = BATON_BOUND_NS;
	return promised > least ? promised : least;
}

static uint64_t time_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The edge of the baton's slot; 0: not known. For a possible baton only. */
static uint64_t baton_edge(const struct node_timebase *base, uint64_t baton)
{
	return base != NULL && base->pace == IMAGE_TIMER
	    ? base->start_ns + baton_slot(baton) * base->slot_ns
	    : 0;
}

uint64_t baton_held(const struct node_image *node, uint32_t lane, const struct baton_watch *watch)
{
	const uint64_t from = watch->since_ns != 0 ? watch->since_ns : watch->seen_ns;

	assert(lane < NODE_LANES_MAX);
	assert(watch->since_ns <= watch->seen_ns);
	return time_later(from, baton_edge(baton_timebase(node, lane), watch->baton)) +
	    watch->stalled_ns;
}

/* Whether the bound counts: not on the step clock, which stands still between steps, and not for a
 * thread that waits for a radio. */
static bool is_timed(const struct node_timebase *base, uint64_t baton)
{
	return base != NULL &&
	    (base->pace == IMAGE_TIMER || (base->pace == IMAGE_RADIO && !(baton & BATON_FRESH)));
}

enum baton_state baton_look(const struct node_image *node, uint32_t lane,
    const struct lane_image *image, struct baton_watch *watch, uint64_t bound_ns)
{
	const struct node_timebase *base = baton_timebase(node, lane);
	const uint64_t baton = atomic_load(&image->baton), since = baton_since(image, baton),
	               now = clock_ns();
	const uint32_t entry = baton_entry(baton);

	assert(lane < NODE_LANES_MAX);
	assert(bound_ns > 0);
	if (baton != watch->baton || watch->seen_ns == 0)
		*watch = (struct baton_watch){.baton = baton, .seen_ns = now};
	if (!baton_possible(node, lane, baton, now))
		return BATON_IMPOSSIBLE;
	if (entry == BATON_NOBODY)
		return live_from(&node->lane[lane], 0, 0) != BATON_NOBODY ? BATON_LEFT : BATON_GOES;
	if (since != 0 && ((baton & BATON_FRESH) || since >= baton_edge(base, baton)) &&
	    since <= (watch->since_ns ? watch->since_ns : watch->seen_ns))
		watch->since_ns = since;
	if (baton_left(&node->lane[lane], image, baton))
		return BATON_LEFT;
	return is_timed(base, baton) && now >= baton_held(node, lane, watch) + bound_ns
	    ? BATON_OVERDUE
	    : BATON_GOES;
}

uint64_t baton_fresh(const struct node_image *node, uint32_t lane, uint64_t slot)
{
	const struct node_timebase *base = baton_timebase(node, lane);
	const uint64_t slots =
	    base != NULL && base->pace == IMAGE_TIMER ? slots_begun(base, clock_ns()) : 0;
	const uint64_t allowed =
	    base != NULL && base->pace == IMAGE_STEP ? atomic_load(&base->allowed) : IMAGE_FOREVER;

	assert(lane < NODE_LANES_MAX);
	assert(slot <= BATON_SLOT_MAX);
	if (base != NULL && base->pace == IMAGE_TIMER)
		slot = slots > 0 ? slots - 1 : 0;
	return baton_make(
	    slot < allowed ? slot : allowed, BATON_FRESH, live_from(&node->lane[lane], 0, 0));
}
