/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/lane.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <sys/timerfd.h>

#include "core/base/clock.h"

enum {
	NAP_NS = 1000000000,
	GUARD_FIRST_NS = 60000,
	GUARD_MIN_NS = 4096,
	GUARD_MAX_NS = 100000,
	WARM_NS = 2000,
	AGAIN_NS = 3000, /* for what comes after the bulk */
	STIR_NS = 6000,
	STIR_PART = 16,
	WARM_PART = 64,
	WARM_BYTES = 512 * 1024, /* half of a core's second cache */
	CALL_NS = 1500
};

#define TIMER_NS 3600000000000ull

enum { RADIO_NAP_NS = 1000000, FILES_NAP_NS = 50000 };

/* How long a thread passes over a holder that it found overdue. A watchdog that has come back in
 * the meantime finds a dead host by itself; after this time it gets to see a host that hangs. */
enum { PASSED_NS = 1000000000 };

/* For a thread that watches in the place of the watchdog: how late the watchdog may look; the
 * delay from which the machine counts as stalled; and the time between two looks at a lane on which
 * an entry is passed over. */
enum { WATCH_LATE_NS = 100000, STALL_NS = 300000, RESCUE_NS = 100000 };

/* True if the thread slept although its word said that it does not. */
static bool seat_wake(
    const struct node_lane *lane, struct lane_image *image, uint64_t baton, uint32_t but)
{
	const uint32_t entry = baton_entry(baton),
	               seat = entry < NODE_ENTRIES_MAX ? lane->entry[entry].seat : but;
	bool says_so;

	assert(image != NULL);
	assert(but == IMAGE_NONE || but < NODE_ENTRIES_MAX);
	if (seat == but || seat >= NODE_ENTRIES_MAX)
		return false;
	/* a lane's thread believes its lane-mate that it does not sleep, and then the lane-mate
	 * looks at the baton before it sleeps; exec, and who takes the baton on in the place of
	 * another, does not */
	if (but != IMAGE_NONE && !(atomic_load(&image->go[seat]) & GO_ASLEEP))
		return false;
	says_so = atomic_fetch_add(&image->go[seat], 1) & GO_ASLEEP;
	return futex_wake(&image->go[seat], 1) > 0 && !says_so;
}

__attribute__((hot)) int lane_pass(const struct node_lane *lane, struct lane_image *image,
    uint64_t from, uint64_t to, uint32_t seat)
{
	if (!atomic_compare_exchange_strong(&image->baton, &from, to))
		return -ESTALE;
	seat_wake(lane, image, to, seat);
	return 0;
}

int lane_take_on(const struct node_lane *lane, struct lane_image *image, uint64_t from, uint64_t to)
{
	uint64_t had = atomic_load(&image->since);
	const uint32_t entry = baton_entry(to);

	if (lane_pass(lane, image, from, to, IMAGE_NONE) != 0)
		return -ESTALE;
	/* unless the new holder has written its own time already */
	atomic_compare_exchange_strong(&image->since, &had, since_make(clock_ns(), 0, entry));
	return 0;
}

bool lane_wake(const struct node_lane *lane, struct lane_image *image)
{
	return seat_wake(lane, image, atomic_load(&image->baton), IMAGE_NONE);
}

static bool thread_leaves(const struct lane_thread *thread)
{
	return atomic_load_explicit(&thread->quit, memory_order_relaxed) != 0 ||
	    atomic_load_explicit(&thread->node->quit, memory_order_relaxed) != 0;
}

void lane_alone(struct lane_thread *thread, bool alone)
{
	atomic_store(&thread->alone, alone);
	atomic_fetch_add(&thread->image->go[thread->seat], 1);
	futex_wake(&thread->image->go[thread->seat], 1);
}

/* ---- pace ------------------------------------------------------------------------ */

uint64_t lane_guard(uint64_t guard, uint64_t late_ns)
{
	const uint64_t next = late_ns > guard ? guard + guard / 4 : guard - guard / 4096;
	const uint64_t least = next > GUARD_MIN_NS ? next : GUARD_MIN_NS;

	static_assert(GUARD_MIN_NS / 4096 > 0, "every guard can shrink");
	assert(guard <= GUARD_MAX_NS);
	return least < GUARD_MAX_NS ? least : GUARD_MAX_NS;
}

uint64_t lane_warm_time(uint64_t known, uint64_t took_ns, uint64_t slot_ns)
{
	const uint64_t most = slot_ns / WARM_PART, less = known - known / WARM_PART,
	               wanted = took_ns + took_ns / 4;
	const uint64_t next = wanted > less ? wanted : less;

	assert(known <= UINT64_MAX / 2);
	assert(took_ns <= UINT64_MAX / 2);
	return next < most ? next : most;
}

static bool segment_enter(struct lane_thread *thread, uint32_t entry, struct segment **ret)
{
	assert(entry < NODE_ENTRIES_MAX);
	assert(atomic_load_explicit(&thread->inside, memory_order_relaxed) == 0);
	atomic_store(&thread->inside, entry + 1);
	*ret = atomic_load(&thread->segments[entry]);
	if (*ret != NULL)
		(*ret)->witness = &thread->witness;
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

/* The memory that the slot touches first is fetched last. */
static void segments_warm(struct lane_thread *thread, uint64_t until)
{
	struct segment *segment;

	for (uint32_t e = entries_of(thread); e-- > 0 && clock_ns() < until;) {
		if (segment_enter(thread, e, &segment))
			segment_warm(segment, until);
		segment_leave(thread);
	}
}

/* What runs first comes first, for not all may find room. */
static void segments_warm_bulk(struct lane_thread *thread, uint64_t until)
{
	const uint32_t entries = entries_of(thread);
	struct segment *segment;
	size_t room = WARM_BYTES;

	for (uint32_t e = 0; e < entries && room > 0 && clock_ns() < until; e++) {
		if (segment_enter(thread, e, &segment))
			segment_warm_bulk(segment, &room, until);
		segment_leave(thread);
	}
}

static void lane_warm(struct lane_thread *thread, uint64_t until)
{
	segments_warm(thread, until);
	if (thread->rehearsal != NULL && clock_ns() < until)
		rehearsal_run(thread->rehearsal);
}

/* The thread spins for the rest of the time before the edge. The engine's own memory comes first,
 * for a slot needs it before all else, and once more when the bulk may have pushed it out of the
 * first cache: the bulk leaves time for that. */
static void lane_warm_all(struct lane_thread *thread, uint64_t until)
{
	segments_warm(thread, until);
	segments_warm_bulk(thread, until - AGAIN_NS);
	lane_warm(thread, until);
}

/* The seat of an entry, once for each thread: for a thread with several entries the first entry
 * counts. Own seat: no lane-mate to stir. */
static uint32_t mate_seat(const struct lane_thread *thread, uint32_t entry)
{
	const struct node_lane *lane = &thread->node->lane[thread->lane];
	const uint32_t seat = atomic_load_explicit(&lane->entry[entry].seat, memory_order_relaxed);

	assert(entry < NODE_ENTRIES_MAX);
	assert(thread->seat < NODE_ENTRIES_MAX);
	if (!atomic_load_explicit(&lane->entry[entry].live, memory_order_relaxed) ||
	    seat >= NODE_ENTRIES_MAX)
		return thread->seat;
	for (uint32_t e = 0; e < entry; e++)
		if (atomic_load_explicit(&lane->entry[e].live, memory_order_relaxed) &&
		    atomic_load_explicit(&lane->entry[e].seat, memory_order_relaxed) == seat)
			return thread->seat;
	return seat;
}

static uint32_t mates_of(const struct lane_thread *thread)
{
	const uint32_t entries = thread->fifo ? entries_of(thread) : 0;
	uint32_t n = 0;

	assert(entries <= NODE_ENTRIES_MAX);
	for (uint32_t e = 0; e < entries; e++)
		n += mate_seat(thread, e) != thread->seat;
	assert(n <= entries);
	return n;
}

/* The time for something that takes `each` of every lane-mate; 0: it is too much of the slot, or
 * there are none. */
static uint64_t mates_time(uint32_t mates, uint64_t each, uint64_t slot_ns)
{
	return mates * each <= slot_ns / STIR_PART ? mates * each : 0;
}

static void mates_stir(const struct lane_thread *thread)
{
	const uint32_t entries = entries_of(thread);

	assert(entries <= NODE_ENTRIES_MAX);
	for (uint32_t e = 0; e < entries; e++) {
		const uint32_t seat = mate_seat(thread, e);

		assert(seat < NODE_ENTRIES_MAX);
		if (seat == thread->seat)
			continue;
		atomic_fetch_add(&thread->image->go[seat], 1);
		futex_wake(&thread->image->go[seat], 1);
	}
	sched_yield();
}

/* Right before the edge the lane-mates are woken in their order: they want the CPU, which this
 * thread has until it sleeps, and so have nobody to wake them when their turn comes. A word says
 * that its thread sleeps until that thread is woken, for this one may be killed before it wakes it;
 * and if the thread ran in between, and sleeps again, its word is another one. */
static void mates_call(const struct lane_thread *thread, uint64_t edge)
{
	const uint32_t entries = entries_of(thread);

	assert(entries <= NODE_ENTRIES_MAX);
	for (uint32_t e = 0; e < entries && clock_ns() + CALL_NS < edge; e++) {
		const uint32_t seat = mate_seat(thread, e);
		_Atomic uint32_t *go;
		uint32_t word;

		assert(seat < NODE_ENTRIES_MAX);
		go = &thread->image->go[seat];
		if (seat == thread->seat || !(atomic_load(go) & GO_ASLEEP))
			continue;
		word = atomic_fetch_add(go, 1) + 1;
		futex_wake(go, 1);
		atomic_compare_exchange_strong(go, &word, word & ~GO_ASLEEP);
	}
}

void lane_timer_set(int timer, uint64_t at_ns)
{
	const struct itimerspec at = {
	    .it_value = clock_timespec(at_ns), .it_interval = clock_timespec(TIMER_NS)};

	timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

/* The watchdog looks when the holder of this slot would be overdue; no later slot is overdue
 * sooner. */
static void watchdog_put_off(struct lane_thread *thread, uint64_t edge)
{
	const int timer = atomic_load_explicit(&thread->timer, memory_order_relaxed);
	const uint64_t baton = atomic_load_explicit(&thread->image->baton, memory_order_relaxed);

	assert(thread->lane < NODE_LANES_MAX);
	assert(edge >= thread->put_off_ns);
	if (timer <= 0 || !baton_harmless(thread->node, thread->lane, baton, thread->fifo))
		return;
	lane_timer_set(timer, edge + BATON_BOUND_ALONE_NS);
	thread->put_off_ns = edge + BATON_BOUND_ALONE_NS / 2;
}

static void timer_wait(struct lane_thread *thread, uint64_t slot_ns, uint64_t edge, uint64_t now)
{
	const uint32_t mates = mates_of(thread);
	const uint64_t stirring = mates_time(mates, STIR_NS, slot_ns),
	               calling = mates_time(mates, CALL_NS, slot_ns);
	_Atomic uint64_t *guard_ns = &thread->image->guard_ns;
	const uint64_t known = atomic_load_explicit(guard_ns, memory_order_relaxed);
	const uint64_t guard = known > 0 && known <= GUARD_MAX_NS ? known : GUARD_FIRST_NS;
	/* most wake-ups are far less late than the guard allows, so warming needs no time of its
	 * own beside it */
	const uint64_t warming = thread->warm_ns + WARM_NS,
	               lead = guard > warming ? guard : warming;

	assert(now < edge);
	assert(guard > 0 && guard <= GUARD_MAX_NS);
	if (now + lead + stirring + calling < edge) {
		const uint64_t awake = edge - lead - stirring - calling;

		if (edge >= thread->put_off_ns)
			watchdog_put_off(thread, edge);
		clock_sleep_until(awake);
		now = clock_ns();
		atomic_store_explicit(
		    guard_ns, lane_guard(guard, now - awake), memory_order_relaxed);
		witness_wait(&thread->witness, now, edge, slot_ns, true);
		if (stirring > 0 && now + stirring + calling < edge)
			mates_stir(thread);
		now = clock_ns();
		lane_warm_all(thread, edge - WARM_NS - calling);
		thread->warm_ns = lane_warm_time(thread->warm_ns, clock_ns() - now, slot_ns);
		if (calling > 0)
			mates_call(thread, edge);
		now = clock_ns();
	} else {
		witness_wait(&thread->witness, now, edge, slot_ns, false);
	}
	for (; now < edge; now = clock_ns())
		cpu_relax();
}

bool lane_polls(uint64_t slot_ns)
{
	return slot_ns <= GUARD_FIRST_NS;
}

/* Returns the slot that may begin: `slot` at its edge, or the present slot if that edge has
 * passed. */
static uint64_t pace_timer(
    struct lane_thread *thread, const struct node_timebase *base, uint64_t slot, uint64_t *ret_edge)
{
	/* once: exec may move it meanwhile, and slot and edge are of one clock */
	const uint64_t start_ns = atomic_load_explicit(&base->start_ns, memory_order_relaxed);
	const uint64_t now = clock_ns();
	const uint64_t under_way = timebase_slot_from(base, start_ns, now),
	               current = under_way == IMAGE_FOREVER ? 0 : under_way;

	/* no lane-mate writes such a slot, so nobody waits for it; but for one whose edge has just
	 * been moved back (slack_ns) */
	if (slot > current + 1 && !(slot == current + 2 && base->slack_ns != 0))
		return IMAGE_FOREVER;
	if (current > slot)
		slot = current;
	assert(slot >= current && slot <= current + 2);
	assert(base->slot_ns > 0);
	*ret_edge = start_ns + slot * base->slot_ns;
	if (now < *ret_edge)
		timer_wait(thread, base->slot_ns, *ret_edge, now);
	return slot;
}

static uint64_t pace_step(
    const struct lane_thread *thread, const struct node_timebase *base, uint64_t slot)
{
	_Atomic uint64_t *allowed = (_Atomic uint64_t *)&base->allowed;
	uint64_t now = atomic_load(allowed);

	while (slot >= now && !thread_leaves(thread)) {
		futex_wait(futex_low(allowed), (uint32_t)now, NAP_NS);
		now = atomic_load(allowed);
		if (slot >= now) /* the caller checks whether it still has the entry */
			return IMAGE_FOREVER;
	}
	return slot;
}

static uint64_t pace_wait(
    struct lane_thread *thread, uint64_t slot, uint64_t *ret_edge, uint64_t *ret_now)
{
	const struct node_timebase *base = baton_timebase(thread->node, thread->lane);

	assert(slot <= BATON_SLOT_MAX);
	assert(thread->lane < NODE_LANES_MAX);
	if (base == NULL)
		return IMAGE_FOREVER;
	if (base->pace == IMAGE_TIMER)
		return pace_timer(thread, base, slot, ret_edge);
	if (base->pace == IMAGE_RADIO) {
		witness_poll(&thread->witness, slot);
		return thread->radio != NULL
		    ? radio_pace_wait(thread->radio, slot, ret_edge, ret_now)
		    : IMAGE_FOREVER;
	}
	slot = pace_step(thread, base, slot);
	*ret_edge = clock_ns();
	return slot;
}

/* ---- the baton ------------------------------------------------------------------------ */

static inline bool baton_is_mine(const struct lane_thread *thread, uint64_t baton)
{
	const uint32_t entry = baton_entry(baton);

	return entry < NODE_ENTRIES_MAX &&
	    thread->node->lane[thread->lane].entry[entry].seat == thread->seat;
}

/* The lane's watchdog writes when it will look again, and the host learns when exec dies. */
static bool is_watched(const struct lane_thread *thread, uint64_t now)
{
	return now <= atomic_load_explicit(
	                  &thread->node->lane[thread->lane].watched_ns, memory_order_relaxed) +
	    WATCH_LATE_NS;
}

static bool is_alone(const struct lane_thread *thread)
{
	return atomic_load_explicit(&thread->alone, memory_order_relaxed) ||
	    !is_watched(thread, thread->now_ns);
}

/* An entry that was taken off the lane belongs to another waveform when it is live again. */
static void passed_forget(struct lane_thread *thread)
{
	const struct node_lane *lane = &thread->node->lane[thread->lane];

	for (uint32_t e = 0; e < NODE_ENTRIES_MAX; e++)
		if (!atomic_load_explicit(&lane->entry[e].live, memory_order_relaxed))
			thread->passed &= ~(1ull << e);
	if (thread->now_ns >= thread->passed_ns + PASSED_NS)
		thread->passed = 0;
}

static uint64_t next_of(struct lane_thread *thread, uint64_t baton)
{
	if (thread->passed != 0)
		passed_forget(thread);
	return baton_next(&thread->node->lane[thread->lane], baton, thread->passed);
}

/* The rescue is counted first, so that the next holder sees the count. */
static bool take_on(struct lane_thread *thread, uint64_t next)
{
	atomic_fetch_add(&thread->image->rescued, 1);
	if (lane_take_on(
	        &thread->node->lane[thread->lane], thread->image, thread->watch.baton, next) == 0)
		return true;
	atomic_fetch_sub(&thread->image->rescued, 1);
	return false;
}

/* Exec learns which baton was impossible, and when, and stops whoever worked there last. */
static void baton_replace(struct lane_thread *thread)
{
	const uint64_t now = clock_ns();

	if (!take_on(thread, baton_fresh(thread->node, thread->lane, thread->slot)))
		return;
	atomic_store(&thread->image->bad_ns, now);
	atomic_store(&thread->image->bad_baton, thread->watch.baton);
}

/* Only this thread knows the entries that it passes over, and forgets them after a time. */
static void pass_by(struct lane_thread *thread, uint64_t set)
{
	const uint64_t now = clock_ns();

	if (now > thread->passed_ns + PASSED_NS)
		thread->passed = 0;
	thread->passed |= set;
	thread->passed_ns = now;
}

/* The entries that are passed over together with `entry`. */
static uint64_t entries_with(const struct lane_thread *thread, uint32_t entry)
{
	const struct node_lane *lane = &thread->node->lane[thread->lane];
	const uint32_t seat = entry < NODE_ENTRIES_MAX
	    ? atomic_load_explicit(&lane->entry[entry].seat, memory_order_relaxed)
	    : IMAGE_NONE;

	return seat < NODE_ENTRIES_MAX ? baton_entries(lane, seat) : 0;
}

/* The baton has left the holder that this thread found overdue. If a lane-mate took it on, this
 * thread passes the holder over as well. Otherwise all lane-mates would wait for the holder again,
 * one after another. */
static void doubt_ends(struct lane_thread *thread)
{
	assert(thread->doubted != 0);
	assert(thread->radio == NULL);
	if (atomic_load(&thread->image->rescued) != thread->rescues)
		pass_by(thread, entries_with(thread, baton_entry(thread->doubted)));
	thread->doubted = 0;
}

/* An overdue holder gets BATON_DOUBT_NS to go on. Then the baton moves on without the holder, in
 * this slot and in every slot until the lane is watched again. The threads of the holder's own
 * waveforms leave this to the others: they are passed over with the holder and could not remember
 * it. Returns the time until the next look. */
static uint64_t baton_rescue(struct lane_thread *thread, uint64_t bound)
{
	struct baton_watch *watch = &thread->watch;
	const struct node_lane *lane = &thread->node->lane[thread->lane];
	const enum baton_state state =
	    baton_look(thread->node, thread->lane, thread->image, watch, bound);
	const uint32_t entry = baton_entry(watch->baton);
	const uint64_t overdue = state == BATON_OVERDUE ? entries_with(thread, entry) : 0;
	const bool passed = entry < NODE_ENTRIES_MAX && (thread->passed >> entry & 1);
	uint64_t now, due;

	assert(bound > 0);
	assert(thread->radio == NULL);
	if (overdue & baton_entries(lane, thread->seat))
		return RESCUE_NS;
	if (state == BATON_IMPOSSIBLE) {
		baton_replace(thread);
	} else if (state == BATON_LEFT && entry == BATON_NOBODY) {
		take_on(thread, baton_fresh(thread->node, thread->lane, thread->slot));
	} else if (overdue != 0 && !passed && thread->doubted != watch->baton) {
		thread->doubted = watch->baton;
		thread->rescues = atomic_load(&thread->image->rescued);
		return BATON_DOUBT_NS;
	} else if ((state != BATON_GOES || passed) && !baton_is_mine(thread, watch->baton)) {
		pass_by(thread, overdue);
		take_on(thread, baton_next(lane, watch->baton, thread->passed));
	}
	now = clock_ns();
	due = baton_held(thread->node, thread->lane, watch) + bound;
	return thread->passed != 0 || due <= now ? RESCUE_NS : due - now;
}

/* The thread has waited as long as it may. wanted_ns: the time at which it wanted to be awake.
 * Until the time that the watchdog has written, only the watchdog acts. */
static void look_around(struct lane_thread *thread, uint64_t wanted_ns)
{
	const uint64_t now = clock_ns();
	uint64_t due;
	const uint64_t bound = baton_bound(
	    thread->node, thread->lane, atomic_load(&thread->image->baton), thread->fifo);

	assert(thread->radio == NULL); /* the thread of a radio looks at the radio instead */
	assert(bound >= BATON_BOUND_NS);
	thread->now_ns = now;
	if (now > wanted_ns + STALL_NS)
		thread->watch.stalled_ns += now - wanted_ns;
	/* the promise of a watchdog ends with its process */
	if (is_alone(thread)) {
		thread->patience_ns = baton_rescue(thread, bound);
		return;
	}
	baton_look(thread->node, thread->lane, thread->image, &thread->watch, bound);
	due = baton_held(thread->node, thread->lane, &thread->watch) + bound;
	thread->patience_ns = RESCUE_NS + WATCH_LATE_NS - now +
	    atomic_load_explicit(
	        &thread->node->lane[thread->lane].watched_ns, memory_order_relaxed);
	if (due > now && due - now < thread->patience_ns)
		thread->patience_ns = due - now;
}

/* How long the thread may sleep; 0: until it is woken. Setting and cancelling a timer takes a sixth
 * of a hand-over, so on a watched lane only the threads that begin and end the slot have a timer;
 * one of them is left if the other dies. A thread without a watchdog looks soon at a baton that it
 * has not seen yet. */
static uint64_t wait_limit(const struct lane_thread *thread, uint64_t baton)
{
	if (thread->radio != NULL)
		return RADIO_NAP_NS;
	if (thread->watch.baton == baton)
		return thread->patience_ns;
	return is_alone(thread) ? RESCUE_NS : thread->guard_ns;
}

/* If slots are short, no thread has a timer as long as the lane is watched. */
static uint64_t guard_time(const struct lane_thread *thread, bool guards)
{
	const struct node_timebase *base =
	    guards ? baton_timebase(thread->node, thread->lane) : NULL;
	uint64_t bound;

	assert(thread->lane < NODE_LANES_MAX);
	assert(thread->seat < NODE_ENTRIES_MAX);
	if (base == NULL || base->pace != IMAGE_TIMER || base->slot_ns < BATON_BOUND_NS)
		return 0;
	bound = baton_bound(
	    thread->node, thread->lane, atomic_load(&thread->image->baton), thread->fifo);
	return bound + bound / 8;
}

/* Returns the word. Each sleep has a word of its own (mates_call). Whoever hands the baton on after
 * this wakes the thread; what was handed on before, the thread sees. The word may have been written
 * over. */
static uint32_t asleep_say(_Atomic uint32_t *go)
{
	const uint32_t seen = atomic_fetch_add(go, GO_ASLEEP + 1) + GO_ASLEEP + 1;

	return seen & GO_ASLEEP ? seen : atomic_fetch_or(go, GO_ASLEEP) | GO_ASLEEP;
}

/* Sleeps until the baton is no longer `baton`, which is not this thread's or is impossible. */
__attribute__((hot)) static void baton_await(struct lane_thread *thread, uint64_t baton)
{
	_Atomic uint32_t *go = &thread->image->go[thread->seat];
	const uint32_t seen = asleep_say(go); /* before the limit is read, see lane_alone */
	const uint64_t limit = wait_limit(thread, baton),
	               wanted = limit != 0 ? clock_ns() + limit : 0;
	int status = 0;

	assert(thread->seat < NODE_ENTRIES_MAX);
	assert(thread->radio == NULL || limit > 0); /* packets come to a thread that sleeps, too */
	if (atomic_load(&thread->image->baton) == baton)
		status = futex_wait(go, seen, limit);
	if (atomic_load(go) & GO_ASLEEP) /* not so if the lane-mate has called it (mates_call) */
		atomic_fetch_and(go, ~GO_ASLEEP);
	if (status == -ETIMEDOUT && thread->radio == NULL)
		look_around(thread, wanted);
	baton = atomic_load(&thread->image->baton);
	if (thread->fifo && (baton & BATON_FRESH) && status == 0 && !baton_is_mine(thread, baton)) {
		witness_read(&thread->witness);
		lane_warm(thread, clock_ns() + STIR_NS / 2);
	}
	if (thread->radio != NULL && !baton_is_mine(thread, atomic_load(&thread->image->baton)))
		radio_pace_idle(thread->radio);
}

static int slot_begin(
    struct lane_thread *thread, uint64_t *baton, uint64_t *ret_edge, uint64_t *ret_now)
{
	const struct node_lane *lane = &thread->node->lane[thread->lane];
	const uint64_t fresh = *baton;
	const uint64_t slot = pace_wait(thread, baton_slot(fresh), ret_edge, ret_now);
	const uint64_t first = next_of(thread, fresh);
	uint64_t slots;

	assert(fresh & BATON_FRESH);
	if (!baton_is_mine(thread, fresh)) /* the entry was given away while this thread waited */
		return -EAGAIN;
	/* the table has changed: a segment was added before this one, or this one was removed */
	if (first != fresh)
		lane_pass(lane, thread->image, fresh, first, thread->seat);
	if (first != fresh || slot == IMAGE_FOREVER)
		return -EAGAIN;
	assert(thread->radio != NULL || slot >= baton_slot(fresh)); /* a radio's time may jump */
	*baton = baton_make(slot, 0, baton_entry(fresh));
	if (lane_pass(lane, thread->image, fresh, *baton, thread->seat) != 0)
		return -EAGAIN;
	slots = atomic_load_explicit(&thread->image->slots, memory_order_relaxed);
	if (slot > baton_slot(fresh) && slots > 0)
		atomic_fetch_add_explicit(
		    &thread->image->skipped, slot - baton_slot(fresh), memory_order_relaxed);
	/* this thread has the baton */
	atomic_store_explicit(&thread->image->slots, slots + 1, memory_order_relaxed);
	return 0;
}

static inline void radio_record(
    const struct lane_thread *thread, struct segment *segment, uint64_t slot, uint64_t edge)
{
	if (thread->radio != NULL && thread->radio->came_late_ns != 0)
		miss_radio(segment, slot, edge, thread->radio->came_late_ns);
}

static enum segment_status entry_run(
    struct lane_thread *thread, uint64_t baton, uint64_t edge, uint64_t *now)
{
	struct segment *segment;
	const enum segment_status status = segment_enter(thread, baton_entry(baton), &segment)
	    ? segment_slot(segment, baton_slot(baton), edge, now)
	    : SEGMENT_PAUSED;

	assert(segment != NULL || status == SEGMENT_PAUSED);
	assert(*now >= edge || thread->radio == NULL);
	if (status != SEGMENT_PAUSED) {
		radio_record(thread, segment, baton_slot(baton), edge);
		segment_tell(segment, *now);
		segment_tell_io(segment);
	}
	segment_leave(thread);
	return status;
}

/* A radio whose samples wait for the slots keeps the samples of a step that had to wait, for a file
 * or for another segment: the step is due again in the next slot. */
static void radio_end(struct lane_thread *thread, enum segment_status status, uint64_t now)
{
	if (status != SEGMENT_WAITS || !thread->radio->device->waits) {
		radio_pace_end(thread->radio, now);
		return;
	}
	radio_pace_rest(thread->radio);
	clock_sleep_until(now + FILES_NAP_NS);
}

static uint64_t edge_of(const struct lane_thread *thread, uint64_t slot)
{
	const struct node_timebase *base = baton_timebase(thread->node, thread->lane);

	return base != NULL && base->pace == IMAGE_TIMER ? base->start_ns + slot * base->slot_ns
	                                                 : clock_ns();
}

/* True if this thread has the baton; returns the edge of its slot and the time. False: the thread
 * does not have the baton, or no longer has it. */
static bool turn_begin(
    struct lane_thread *thread, uint64_t *baton, uint64_t *ret_edge, uint64_t *ret_now)
{
	const uint64_t had = *baton;

	assert(baton_entry(had) < NODE_ENTRIES_MAX);
	*ret_now = 0;
	if (had & BATON_FRESH) {
		if (slot_begin(thread, baton, ret_edge, ret_now) == 0) {
			/* the radio has read the clock already */
			*ret_now = *ret_now != 0 ? *ret_now : clock_ns();
			assert(!(*baton & BATON_FRESH));
			return true;
		}
		/* the slot does not exist, or the lane has no time base: wait for another baton */
		if (baton_timebase(thread->node, thread->lane) == NULL ||
		    !baton_possible(thread->node, thread->lane, had, clock_ns()))
			baton_await(thread, had);
		return false;
	}
	*ret_edge = edge_of(thread, baton_slot(had));
	*ret_now = clock_ns();
	if (baton_possible(thread->node, thread->lane, had, *ret_now))
		return true;
	baton_await(thread, had);
	return false;
}

__attribute__((hot)) void lane_run(struct lane_thread *thread)
{
	const struct node_lane *lane = &thread->node->lane[thread->lane];
	uint64_t baton, next, edge = 0, now, since, passed;
	enum segment_status status;
	bool begins;

	assert(thread->lane < NODE_LANES_MAX);
	assert(thread->seat < NODE_ENTRIES_MAX);
	thread->patience_ns = RESCUE_NS;
	while (!thread_leaves(thread)) {
		baton = atomic_load(&thread->image->baton);
		if (thread->doubted != 0 && thread->doubted != baton)
			doubt_ends(thread);
		if (!baton_is_mine(thread, baton)) {
			baton_await(thread, baton);
			continue;
		}
		begins = (baton & BATON_FRESH) != 0;
		if (!turn_begin(thread, &baton, &edge, &now))
			continue;
		since = since_make(now, SINCE_AT_WORK, baton_entry(baton));
		thread->slot = baton_slot(baton);
		atomic_store_explicit(&thread->image->since, since, memory_order_release);
		status = entry_run(thread, baton, edge, &now);
		thread->now_ns = now;
		if (thread->radio != NULL)
			radio_end(thread, status, now);
		next = next_of(thread, baton);
		thread->guard_ns = guard_time(thread, begins || (next & BATON_FRESH));
		passed = since_make(now, 0, baton_entry(next));
		if (baton_entry(next) == baton_entry(baton)) /* no other entry can have it */
			atomic_store_explicit(&thread->image->since, passed, memory_order_release);
		else
			/* unless another entry has it by now */
			atomic_compare_exchange_strong(&thread->image->since, &since, passed);
		/* fails if the lane has gone on without this thread */
		lane_pass(lane, thread->image, baton, next, thread->seat);
	}
}
