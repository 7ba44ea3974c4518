/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/io.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int io_ring_init(struct io_ring *ring, uint32_t len, uint32_t max, uint32_t item_bytes)
{
	const size_t stride = ((size_t)max * item_bytes + 63) & ~(size_t)63;

	assert(len > 0);
	assert(item_bytes > 0);
	*ring = (struct io_ring){.len = len, .max = max};
	ring->records = calloc(len, sizeof(ring->records[0]));
	ring->data = calloc(len, stride > 0 ? stride : 64);
	if (ring->records == NULL || ring->data == NULL) {
		io_ring_fini(ring);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < len; i++)
		ring->records[i] =
		    (struct aloe_record){.data = ring->data + i * stride, .max = max};
	return 0;
}

void io_ring_fini(struct io_ring *ring)
{
	free(ring->records);
	free(ring->data);
	*ring = (struct io_ring){0};
}

/* The last record is the one that was kept back; if it was given away (ALOE_IO_LATER), one without
 * a message follows. */
static void fill_end(struct io_ring *ring)
{
	ring->ended = true;
	if (ring->waited && ring->filled == atomic_load(&ring->head)) {
		ring->records[ring->filled % ring->len].state = ALOE_IDLE;
		ring->filled++;
	}
	if (ring->filled > 0)
		ring->records[(ring->filled - 1) % ring->len].end = 1;
	atomic_store_explicit(&ring->head, ring->filled, memory_order_release);
}

/* fill_once asks for one record: what fill has returned, or 0 with the record before given away. */
static int fill_once(struct io_ring *ring, const struct aloe_component *component, void *self,
    struct aloe_setup *setup)
{
	struct aloe_record *record = &ring->records[ring->filled % ring->len];
	int status;

	assert(!ring->ended);
	assert(ring->filled - atomic_load(&ring->tail) < ring->len);
	record->index = ring->filled;
	record->end = 0;
	record->state = ALOE_VALID;
	if (!ring->later)
		record->len = 0;
	status = component->fill(self, record, setup);
	ring->later = status == ALOE_IO_LATER;
	ring->waited |= ring->later;
	if (status == 0 || ring->later)
		atomic_store_explicit(&ring->head, ring->filled, memory_order_release);
	return status;
}

int io_fill(struct io_ring *ring, const struct aloe_component *component, void *self,
    struct aloe_setup *setup)
{
	int moved = 0;

	assert(component->fill != NULL);
	assert(ring->len > 0);
	while (!ring->ended && !atomic_load(&ring->failed) &&
	    ring->filled - atomic_load_explicit(&ring->tail, memory_order_acquire) < ring->len) {
		const int status = fill_once(ring, component, self, setup);

		if (status < 0) {
			atomic_store(&ring->failed, 1);
			return status;
		}
		if (status == ALOE_FILL_END) {
			fill_end(ring);
			return moved + 1;
		}
		if (ring->later)
			break;
		ring->filled++;
		moved++;
	}
	return moved;
}

int io_drain(struct io_ring *ring, const struct aloe_component *component, void *self,
    struct aloe_setup *setup)
{
	uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
	int moved = 0;

	assert(component->drain != NULL);
	assert(ring->len > 0);
	while (!atomic_load(&ring->failed) &&
	    tail != atomic_load_explicit(&ring->head, memory_order_acquire)) {
		const int status = component->drain(self, &ring->records[tail % ring->len], setup);

		if (status < 0) {
			atomic_store(&ring->failed, 1);
			return status;
		}
		ring->later = status == ALOE_IO_LATER;
		if (ring->later)
			break;
		atomic_store_explicit(&ring->tail, ++tail, memory_order_release);
		moved++;
	}
	return moved;
}
