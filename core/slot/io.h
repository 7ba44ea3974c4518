/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/io.h - the ring of records between work in the slot and a file. Every I/O component has
 * one ring; a record holds one message.
 *
 *   source:  fill [io]   --> record ring --> work [slot]
 *   sink:    work [slot] --> record ring --> drain [io]
 *
 * A ring has one producer, one consumer and no lock. The producer of a source keeps one record back
 * until it knows whether another record follows, so that the last record can be marked. Under slip
 * a step waits while the ring of a source is empty or the ring of a sink is full. Under skip the
 * step runs, the message of that index is ABSENT (source) or lost (sink), and it is counted.
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
	uint32_t max;            /* items in a record */
	_Atomic uint64_t head;   /* records produced */
	_Atomic uint64_t tail;   /* records consumed */
	uint64_t filled;         /* source: head, or head + 1 with the record kept back */
	bool ended;              /* source: fill has returned ALOE_FILL_END */
	bool later;              /* the last answer of fill or drain was ALOE_IO_LATER */
	bool waited;             /* one of them was */
	_Atomic uint32_t failed; /* fill or drain has failed; the text is in setup->error */
};

/* io_ring_init makes a ring of `len` records of `max` items. Returns 0 or -ENOMEM. [control] */
int io_ring_init(struct io_ring *ring, uint32_t len, uint32_t max, uint32_t item_bytes);
void io_ring_fini(struct io_ring *ring);

/* io_fill and io_drain move the records that can be moved now. They return how many, or once a
 * negative number after a failure. After ALOE_IO_LATER they are to be called again soon. [io] */
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
