/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/io.h - between work in the slot and files: a ring of records, one message each, per I/O
 * component.
 *
 *   source:  fill [io] -> record ring -> work [slot]          sink:  work [slot] -> record ring ->
 *                                                                    drain [io]
 *
 * One producer, one consumer, no lock. The producer of a source keeps one record back until it
 * knows whether another follows, so that the last one can be marked. Under slip an empty (full)
 * ring is one more condition of the gate; under skip the message is ABSENT (lost) and counted.
 */
#ifndef ALOE_SLOT_IO_H
#define ALOE_SLOT_IO_H

#include <aloe/component.h>
#include <stdatomic.h>
#include <stdbool.h>

struct io_ring {
	struct aloe_record *records;
	uint8_t *data;
	uint32_t len;            /* records */
	uint32_t max;            /* items of one */
	_Atomic uint64_t head;   /* records produced */
	_Atomic uint64_t tail;   /* records consumed */
	uint64_t filled;         /* source: head or, with the one kept back, head + 1 */
	bool ended;              /* source: fill has said that there is no more */
	_Atomic uint32_t failed; /* fill or drain returned an error: the text is in setup->error */
};

/* io_ring_init makes a ring of `len` records of `max` items. 0 or -ENOMEM. [control] */
int io_ring_init(struct io_ring *ring, uint32_t len, uint32_t max, uint32_t item_bytes);
void io_ring_fini(struct io_ring *ring);

/* io_fill and io_drain move what can be moved now: how many records, or negative after a failure
 * (once). [io] */
int io_fill(struct io_ring *ring, const struct aloe_component *component, void *self,
    struct aloe_setup *setup);
int io_drain(struct io_ring *ring, const struct aloe_component *component, void *self,
    struct aloe_setup *setup);

static inline bool io_has_record(const struct io_ring *ring)
{
	return atomic_load_explicit(&ring->head, memory_order_acquire) !=
	    atomic_load_explicit(&ring->tail, memory_order_relaxed);
}

static inline bool io_has_space(const struct io_ring *ring)
{
	return atomic_load_explicit(&ring->head, memory_order_relaxed) -
	    atomic_load_explicit(&ring->tail, memory_order_acquire) <
	    ring->len;
}

#endif
