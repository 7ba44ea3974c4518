/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/zmq/zmq.h - what sources and sinks over ZeroMQ share: a source's state and its fill, a
 * sink's state and its drain. The variables are counted on the I/O thread and shown by work.
 */
#ifndef ALOE_COMPONENTS_ZMQ_H
#define ALOE_COMPONENTS_ZMQ_H

#include <aloe/component.h>

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "core/bus/samples/samples.h"

enum { ZMQ_ADDRESS_MAX = 256, ZMQ_KEY_MAX = 64 };

static const char *const zmq_types[] = {"bit", "byte", "i16", "llr16", "f32", "cf32", "ci16", NULL};

static inline int address_check(const char *address, struct aloe_setup *setup)
{
	const char *why = samples_address_check(address);

	return why ? aloe_fail(setup, "address = \"%.100s\": %s", address, why) : 0;
}

static inline uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- sources --------------------------------------------------------------------------------- */

struct zmq_in {
	struct samples_in *in;
	uint32_t length;   /* items of a message */
	uint32_t done;     /* of the record that is being filled */
	uint32_t type;     /* item type */
	uint64_t idle_ms;  /* 0: no end */
	uint64_t heard_ms; /* when something came last */
	/* counts on the I/O thread, which is ahead of work */
	_Atomic uint64_t messages, refused, lost, tags;
	_Atomic uint64_t rx_rate, rx_freq, rx_time; /* bits of a double */
};

static inline int zmq_in_open(
    struct zmq_in *zmq, const struct samples_use *use, struct aloe_setup *setup)
{
	char why[SAMPLES_WHY] = "no memory";

	zmq->heard_ms = now_ms();
	return samples_in_open(use, &zmq->in, why) < 0 ? aloe_fail(setup, "%s", why) : 0;
}

static inline void real_show(_Atomic uint64_t *to, double from)
{
	uint64_t bits;

	memcpy(&bits, &from, sizeof(bits));
	atomic_store_explicit(to, bits, memory_order_relaxed);
}

static inline double real_shown(const _Atomic uint64_t *from)
{
	const uint64_t bits = atomic_load_explicit(from, memory_order_relaxed);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline void zmq_in_show(struct zmq_in *zmq)
{
	const struct samples_in_counts *counts = samples_in_counts(zmq->in);

	atomic_store_explicit(&zmq->messages, counts->messages, memory_order_relaxed);
	atomic_store_explicit(&zmq->refused, counts->refused, memory_order_relaxed);
	atomic_store_explicit(&zmq->lost, counts->lost, memory_order_relaxed);
	atomic_store_explicit(&zmq->tags, counts->tags, memory_order_relaxed);
	real_show(&zmq->rx_rate, counts->rx_rate);
	real_show(&zmq->rx_freq, counts->rx_freq);
	real_show(&zmq->rx_time, counts->rx_time);
}

/* A bit is 0 or 1, whatever another program has sent: what is neither would spread through every
 * table behind. */
static inline void bits_limit(uint8_t *bits, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		bits[i] &= 1;
}

static inline int zmq_in_fill(
    struct zmq_in *zmq, struct aloe_record *record, struct aloe_setup *setup)
{
	const uint32_t before = zmq->done;
	const int rc = samples_in_take(zmq->in, record->data, zmq->length, &zmq->done);
	bool over;

	zmq_in_show(zmq);
	if (zmq->type == ALOE_BIT && zmq->done > before)
		bits_limit((uint8_t *)record->data + before, zmq->done - before);
	if (rc < 0 && rc != -EAGAIN && rc != -EINTR)
		return aloe_fail(setup, "the socket has failed: %s", strerror(-rc));
	if (zmq->done != before)
		zmq->heard_ms = now_ms();
	over = rc < 0 && zmq->idle_ms > 0 && now_ms() - zmq->heard_ms >= zmq->idle_ms;
	if (rc < 0 && !over)
		return ALOE_IO_LATER;
	if (over && zmq->done == 0)
		return ALOE_FILL_END;
	record->len = zmq->done;
	record->state = ALOE_VALID;
	zmq->done = 0;
	return 0;
}

/* ---- sinks ----------------------------------------------------------------------------------- */

struct zmq_out {
	struct samples_out *out;
	uint32_t done; /* items of the record that is being sent */
	uint32_t item_bytes, length;
	bool drop;      /* else wait */
	bool started;   /* a message has come */
	uint64_t taken; /* VALID messages, by work */
	uint64_t gone;  /* of these, sent or dropped by the I/O thread */
	_Atomic uint64_t items_sent, dropped, requests, refused;
};

static inline int zmq_out_open(
    struct zmq_out *zmq, const struct samples_use *use, struct aloe_setup *setup)
{
	char why[SAMPLES_WHY] = "no memory";

	zmq->item_bytes = use->item_bytes;
	zmq->length = setup->in[0].max;
	return samples_out_open(use, &zmq->out, why) < 0 ? aloe_fail(setup, "%s", why) : 0;
}

static inline void zmq_out_work(struct zmq_out *zmq, struct aloe_slot *slot)
{
	const struct aloe_in *in = &slot->in[0];

	zmq->started |= in->state == ALOE_VALID;
	zmq->taken += in->state == ALOE_VALID && slot->record;
	if (!slot->record)
		return;
	slot->record->state = zmq->started ? in->state : (uint32_t)ALOE_IDLE;
	slot->record->len = in->len;
	if (in->len)
		memcpy(slot->record->data, in->data, (size_t)in->len * zmq->item_bytes);
}

static inline void zmq_out_show(struct zmq_out *zmq)
{
	const struct samples_out_counts *counts = samples_out_counts(zmq->out);

	atomic_store_explicit(&zmq->items_sent, counts->items, memory_order_relaxed);
	atomic_store_explicit(&zmq->requests, counts->requests, memory_order_relaxed);
	atomic_store_explicit(&zmq->refused, counts->refused, memory_order_relaxed);
}

/* An ABSENT message is a gap of the largest message: its items are left out and said so. */
static inline int zmq_out_drain(
    struct zmq_out *zmq, const struct aloe_record *record, struct aloe_setup *setup)
{
	int rc;

	if (record->state == ALOE_ABSENT)
		samples_out_lost(zmq->out, zmq->length);
	if (record->state != ALOE_VALID)
		return 0;
	rc = samples_out_put(zmq->out, record->data, record->len, &zmq->done);
	zmq_out_show(zmq);
	if (rc < 0 && rc != -EAGAIN && rc != -EINTR)
		return aloe_fail(setup, "the socket has failed: %s", strerror(-rc));
	if (rc < 0 && !zmq->drop)
		return ALOE_IO_LATER;
	if (rc < 0) {
		samples_out_lost(zmq->out, record->len - zmq->done);
		atomic_fetch_add_explicit(&zmq->dropped, 1, memory_order_relaxed);
	}
	zmq->gone++;
	zmq->done = 0;
	return 0;
}

/* What the other end has not taken at the end of the run is dropped, too. */
static inline uint64_t zmq_out_close(struct zmq_out *zmq, struct aloe_setup *setup)
{
	const uint64_t left = zmq->taken - zmq->gone;

	if (zmq->out && left > 0)
		aloe_note(setup,
		    "messages that nobody took before the end of the run were dropped: %llu",
		    (unsigned long long)left);
	samples_out_close(zmq->out);
	zmq->out = NULL;
	return atomic_load(&zmq->dropped) + left;
}

#endif
