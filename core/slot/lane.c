/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/lane.h"

#include <errno.h>
#include <sched.h>

#include "core/base/clock.h"

enum {
	NAP_NS = 20000000,
	GUARD_FIRST_NS = 60000,
	GUARD_MIN_NS = 4096,
	GUARD_MAX_NS = 100000,
	WARM_NS = 2000,
	STIR_NS = 6000,
	STIR_PART = 16
};

enum { RADIO_NAP_NS = 1000000 };

static uint32_t live_from(const struct node_lane *lane, uint32_t first)
{
	uint32_t entries = atomic_load_explicit(&lane->entries, memory_order_acquire);

	if (entries > NODE_ENTRIES_MAX)
		entries = NODE_ENTRIES_MAX;
	for (uint32_t e = first; e < entries; e++)
		if (atomic_load_explicit(&lane->entry[e].live, memory_order_acquire))
			return e;
	return BATON_NOBODY;
}

uint64_t lane_next(const struct node_lane *lane, uint64_t baton)
{
	const uint64_t slot = baton_slot(baton);
	const uint32_t next = baton_entry(baton) == BATON_NOBODY
	    ? BATON_NOBODY
	    : live_from(lane, baton_entry(baton) + 1);

	if (baton &
	    BATON_FRESH) /* whoever waited for the pace is gone: the slot is still to begin */
		return baton_make(slot, BATON_FRESH, live_from(lane, 0));
	if (next != BATON_NOBODY)
		return baton_make(slot, 0, next);
	return baton_make(slot + 1, BATON_FRESH, live_from(lane, 0));
}

static void wake_seat(
    const struct node_lane *lane, struct lane_image *image, uint64_t baton, uint32_t but)
{
	const uint32_t entry = baton_entry(baton),
	               seat = entry < NODE_ENTRIES_MAX ? lane->entry[entry].seat : but;

	if (seat == but || seat >= NODE_ENTRIES_MAX)
		return;
	atomic_fetch_add(&image->go[seat], 1);
	futex_wake(&image->go[seat], 1);
}

int lane_pass(const struct node_lane *lane, struct lane_image *image, uint64_t from, uint64_t to,
    uint32_t seat)
{
	if (!atomic_compare_exchange_strong(&image->baton, &from, to))
		return -ESTALE;
	wake_seat(lane, image, to, seat);
	return 0;
}

void lane_wake(const struct node_lane *lane, struct lane_image *image)
{
	wake_seat(lane, image, atomic_load(&image->baton), IMAGE_NONE);
}

static bool leaves(const struct lane_thread *thread)
{
	return atomic_load_explicit(&thread->quit, memory_order_relaxed) != 0 ||
	    atomic_load_explicit(&thread->node->quit, memory_order_relaxed) != 0;
}

/* ---- pace --------------------------------------------------------------------------------------------------------------- */

uint64_t lane_guard(uint64_t guard, uint64_t late_ns)
{
	const uint64_t next = late_ns > guard ? guard + guard / 4 : guard - guard / 4096;
	const uint64_t least = next > GUARD_MIN_NS ? next : GUARD_MIN_NS;

	return least < GUARD_MAX_NS ? least : GUARD_MAX_NS;
}

static bool segment_enter(struct lane_thread *thread, uint32_t entry, struct segment **ret)
{
	atomic_store(&thread->inside, entry + 1);
	*ret = atomic_load(&thread->segments[entry]);
	return *ret != NULL && atomic_load(&thread->node->lane[thread->lane].entry[entry].live);
}

static void segment_leave(struct lane_thread *thread)
{
	atomic_store_explicit(&thread->inside, 0, memory_order_release);
}

static uint32_t entries_of(const struct lane_thread *thread)
{
	const uint32_t entries =
	    atomic_load_explicit(&thread->node->lane[thread->lane].entries, memory_order_acquire);

	return entries < NODE_ENTRIES_MAX ? entries : NODE_ENTRIES_MAX;
}

/* Whatever is left of the time before the edge is spun away. What comes first after it is fetched last. */
static void warm(struct lane_thread *thread, uint64_t until)
{
	struct segment *segment;

	for (uint32_t e = entries_of(thread); e-- > 0 && clock_ns() < until;) {
		if (segment_enter(thread, e, &segment))
			segment_warm(segment, until);
		segment_leave(thread);
	}
	if (thread->rehearsal != NULL && clock_ns() < until)
		rehearsal_run(thread->rehearsal);
}

/* One lane-mate after another, each once: a thread that has several entries is known by the first. */
static uint32_t mate(const struct lane_thread *thread, uint32_t entry)
{
	const struct node_lane *lane = &thread->node->lane[thread->lane];
	const uint32_t seat = atomic_load_explicit(&lane->entry[entry].seat, memory_order_relaxed);

	if (!atomic_load_explicit(&lane->entry[entry].live, memory_order_relaxed) ||
	    seat >= NODE_ENTRIES_MAX)
		return thread->seat;
	for (uint32_t e = 0; e < entry; e++)
		if (atomic_load_explicit(&lane->entry[e].live, memory_order_relaxed) &&
		    atomic_load_explicit(&lane->entry[e].seat, memory_order_relaxed) == seat)
			return thread->seat;
	return seat;
}

/* The time that it takes to stir them; 0: it would be too much of the slot, or there is nobody. */
static uint64_t stir_time(const struct lane_thread *thread, uint64_t slot_ns)
{
	const uint32_t entries = thread->fifo ? entries_of(thread) : 0;
	uint64_t ns = 0;

	for (uint32_t e = 0; e < entries; e++)
		ns += mate(thread, e) != thread->seat ? STIR_NS : 0;
	return ns <= slot_ns / STIR_PART ? ns : 0;
}

static void stir(const struct lane_thread *thread)
{
	const uint32_t entries = entries_of(thread);

	for (uint32_t e = 0; e < entries; e++) {
		const uint32_t seat = mate(thread, e);

		if (seat == thread->seat)
			continue;
		atomic_fetch_add(&thread->image->go[seat], 1);
		futex_wake(&thread->image->go[seat], 1);
	}
	sched_yield();
}

static void timer_wait(struct lane_thread *thread, uint64_t slot_ns, uint64_t edge, uint64_t now)
{
	const uint64_t stirring = stir_time(thread, slot_ns);
	_Atomic uint64_t *guard_ns = &thread->image->guard_ns;
	const uint64_t known = atomic_load_explicit(guard_ns, memory_order_relaxed);
	const uint64_t guard = known > 0 && known <= GUARD_MAX_NS ? known : GUARD_FIRST_NS;

	if (now + guard + stirring < edge) {
		const uint64_t awake = edge - guard - stirring;

		clock_sleep_until(awake);
		now = clock_ns();
		atomic_store_explicit(
		    guard_ns, lane_guard(guard, now - awake), memory_order_relaxed);
		if (stirring > 0 && now + stirring < edge)
			stir(thread);
		warm(thread, edge - WARM_NS);
		now = clock_ns();
	}
	for (; now < edge; now = clock_ns())
		cpu_relax();
}

bool lane_polls(uint64_t slot_ns)
{
	return slot_ns <= GUARD_FIRST_NS;
}

/* The slot that may begin: `slot` at its edge, or the one under way when that has passed already. */
static uint64_t pace_timer(
    struct lane_thread *thread, const struct node_timebase *base, uint64_t slot, uint64_t *ret_edge)
{
	const uint64_t now = clock_ns();
	const uint64_t current = now < base->start_ns ? 0 : (now - base->start_ns) / base->slot_ns;

	if (current > slot)
		slot = current;
	*ret_edge = base->start_ns + slot * base->slot_ns;
	if (now < *ret_edge)
		timer_wait(thread, base->slot_ns, *ret_edge, now);
	return slot;
}

static uint64_t pace_step(
    const struct lane_thread *thread, const struct node_timebase *base, uint64_t slot)
{
	_Atomic uint64_t *allowed = (_Atomic uint64_t *)&base->allowed;
	uint64_t now = atomic_load(allowed);

	while (slot >= now && !leaves(thread)) {
		futex_wait(futex_low(allowed), (uint32_t)now, NAP_NS);
		now = atomic_load(allowed);
		if (slot >= now) /* let the caller look whether it still has the entry */
			return IMAGE_FOREVER;
	}
	return slot;
}

static uint64_t pace_wait(
    struct lane_thread *thread, uint64_t slot, uint64_t *ret_edge, uint64_t *ret_now)
{
	const struct node_lane *lane = &thread->node->lane[thread->lane];
	const uint32_t number = atomic_load_explicit(&lane->timebase, memory_order_acquire);
	const struct node_timebase *base;

	if (number >= NODE_TIMEBASES_MAX)
		return IMAGE_FOREVER;
	base = &thread->node->timebase[number];
	if (base->pace == IMAGE_TIMER)
		return pace_timer(thread, base, slot, ret_edge);
	if (base->pace == IMAGE_RADIO)
		return thread->radio != NULL
		    ? thread->radio->wait(thread->radio->self, slot, ret_edge, ret_now)
		    : IMAGE_FOREVER;
	slot = pace_step(thread, base, slot);
	*ret_edge = clock_ns();
	return slot;
}

/* ---- the baton ---------------------------------------------------------------------------------------------------------- */

static inline bool mine(const struct lane_thread *thread, uint64_t baton)
{
	const uint32_t entry = baton_entry(baton);

	return entry < NODE_ENTRIES_MAX &&
	    thread->node->lane[thread->lane].entry[entry].seat == thread->seat;
}

static void baton_await(struct lane_thread *thread)
{
	_Atomic uint32_t *go = &thread->image->go[thread->seat];
	const uint32_t seen = atomic_load(go);
	uint64_t baton;

	if (!mine(thread, atomic_load(&thread->image->baton)))
		futex_wait(go, seen, thread->radio != NULL ? RADIO_NAP_NS : 0);
	baton = atomic_load(&thread->image->baton);
	if (thread->fifo && (baton & BATON_FRESH) && !mine(thread, baton))
		warm(thread, clock_ns() + STIR_NS / 2);
	if (thread->radio != NULL && !mine(thread, atomic_load(&thread->image->baton)))
		thread->radio->idle(thread->radio->self);
}

static int begin_slot(
    struct lane_thread *thread, uint64_t *baton, uint64_t *ret_edge, uint64_t *ret_now)
{
	const struct node_lane *lane = &thread->node->lane[thread->lane];
	const uint64_t fresh = *baton;
	const uint64_t slot = pace_wait(thread, baton_slot(fresh), ret_edge, ret_now);
	const uint64_t first = lane_next(lane, fresh);
	uint64_t slots;

	if (!mine(thread, fresh)) /* while we waited the entry has become another's */
		return -EAGAIN;
	if (first !=
	    fresh) /* the table has changed since: a segment before ours has come, or ours has left */
		lane_pass(lane, thread->image, fresh, first, thread->seat);
	if (first != fresh || slot == IMAGE_FOREVER)
		return -EAGAIN;
	*baton = baton_make(slot, 0, baton_entry(fresh));
	if (lane_pass(lane, thread->image, fresh, *baton, thread->seat) != 0)
		return -EAGAIN;
	slots = atomic_load_explicit(&thread->image->slots, memory_order_relaxed);
	if (slot > baton_slot(fresh) && slots > 0)
		atomic_fetch_add_explicit(
		    &thread->image->skipped, slot - baton_slot(fresh), memory_order_relaxed);
	atomic_store_explicit(
	    &thread->image->slots, slots + 1, memory_order_relaxed); /* the baton is ours */
	return 0;
}

static void entry_run(struct lane_thread *thread, uint64_t baton, uint64_t edge, uint64_t *now)
{
	struct segment *segment;

	if (segment_enter(thread, baton_entry(baton), &segment))
		segment_slot(segment, baton_slot(baton), edge, now);
	segment_leave(thread);
}

static uint64_t edge_of(const struct lane_thread *thread, uint64_t slot)
{
	const uint32_t number =
	    atomic_load_explicit(&thread->node->lane[thread->lane].timebase, memory_order_acquire);
	const struct node_timebase *base =
	    &thread->node->timebase[number < NODE_TIMEBASES_MAX ? number : 0];

	return base->pace == IMAGE_TIMER ? base->start_ns + slot * base->slot_ns : clock_ns();
}

void lane_run(struct lane_thread *thread)
{
	const struct node_lane *lane = &thread->node->lane[thread->lane];
	uint64_t baton, next, edge = 0, now, since;

	while (!leaves(thread)) {
		now = 0;
		baton = atomic_load(&thread->image->baton);
		if (!mine(thread, baton)) {
			baton_await(thread);
			continue;
		}
		if (baton & BATON_FRESH) {
			if (begin_slot(thread, &baton, &edge, &now) != 0)
				continue;
		} else {
			edge = edge_of(thread, baton_slot(baton));
		}
		now = now != 0 ? now : clock_ns(); /* the radio has looked at it */
		since = now;
		atomic_store_explicit(&thread->image->since_ns, since, memory_order_release);
		entry_run(thread, baton, edge, &now);
		if (thread->radio != NULL)
			thread->radio->end(thread->radio->self);
		next = lane_next(lane, baton);
		if (baton_entry(next) == baton_entry(baton)) /* nobody else's in any case */
			atomic_store_explicit(&thread->image->since_ns, 0, memory_order_release);
		else
			atomic_compare_exchange_strong(&thread->image->since_ns, &since,
			    0); /* unless it is another's by now */
		lane_pass(lane, thread->image, baton, next,
		    thread->seat); /* or it has gone on without us */
	}
}
