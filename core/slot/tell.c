/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/tell.h"

#include <assert.h>
#include <unistd.h>

#include "core/image/damage.h"
#include "core/slot/steps.h"

enum { RING_NS = 5000000 };

void tell_init(struct tell *tell)
{
	atomic_store(&tell->bell, -1);
	atomic_store(&tell->io_sleeps, 0);
}

/* A bell whose counter is full has been rung already. */
void tell_ring(int fd)
{
	const uint64_t one = 1;

	if (fd >= 0 && write(fd, &one, sizeof(one)) < 0)
		return;
}

void segment_tells(
    struct segment *segment, const struct image_view *view, uint32_t number, struct tell *host)
{
	const struct image_host *mine = &view->hosts[view->segments[number].host];

	assert(number < view->head->segments.count);
	assert(segment->state == image_segment_state(view, number));
	segment->teller = (struct teller){
	    .host = host,
	    .walls = {view->base + mine->offset, view->base + mine->links - IMAGE_WALL},
	    .n_instances = (uint32_t)view->head->instances.count,
	    .done = segment_done(segment),
	    .misses = atomic_load(&segment->state->misses),
	};
}

static bool damaged(const struct segment *segment)
{
	const struct teller *teller = &segment->teller;

	return image_wall_broken(teller->walls[0]) || image_wall_broken(teller->walls[1]) ||
	    segment_done(segment) < teller->done ||
	    image_segment_damaged(segment->state, teller->n_instances);
}

/* True once, when the segment runs no further step. */
static bool is_over_now(struct segment *segment)
{
	const uint64_t last = segment_last(segment);

	if (segment->teller.over ||
	    (atomic_load_explicit(&segment->run->fault, memory_order_relaxed) == 0 &&
	        (last == IMAGE_FOREVER || segment_done(segment) <= last + segment->end)))
		return false;
	segment->teller.over = true;
	return true;
}

static bool misses(const struct segment *segment)
{
	return atomic_load_explicit(&segment->state->misses, memory_order_relaxed) !=
	    segment->teller.misses;
}

__attribute__((hot)) void segment_tell(struct segment *segment, uint64_t now_ns)
{
	struct teller *teller = &segment->teller;

	if (teller->host == NULL)
		return;
	if (!is_over_now(segment)) {
		if (!misses(segment) && !damaged(segment)) {
			teller->done = segment_done(segment);
			return;
		}
		if (now_ns < teller->rung_ns + RING_NS)
			return;
	}
	teller->rung_ns = now_ns;
	teller->misses = atomic_load_explicit(&segment->state->misses, memory_order_relaxed);
	tell_ring(atomic_load_explicit(&teller->host->bell, memory_order_relaxed));
}

/* The fence stands between moving the record ring and reading the word. The I/O thread has the same
 * fence between writing the word and looking at the ring, so one of the two threads sees what the
 * other thread has done. */
__attribute__((hot)) void segment_tell_io(const struct segment *segment)
{
	struct tell *host = segment->teller.host;

	if (host == NULL || segment->n_io == 0)
		return;
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&host->io_sleeps, memory_order_relaxed) != 0 &&
	    atomic_exchange(&host->io_sleeps, 0) != 0)
		futex_wake(&host->io_sleeps, 1);
}
