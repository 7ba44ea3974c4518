/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/samples/samples.h - items of a stream to and from programs of others over ZeroMQ,
 * without waiting and in bounded memory. A room under the door to ZeroMQ that components link; it
 * knows nothing of control messages. [control] to open and close, [io] for the rest.
 *
 * One message is [key] [tag header] items: the key is a frame of its own (PUB and SUB), the header
 * is that of GNU Radio (core/gnuradio/tags.h), both only if both ends have them. Items are in the
 * order of bytes of the machine; nothing in the message says what they are.
 */
#ifndef ALOE_BUS_SAMPLES_H
#define ALOE_BUS_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum samples_pattern { SAMPLES_PUB_SUB, SAMPLES_PUSH_PULL, SAMPLES_REQ_REP };

/* What a request for items says: four bytes, little endian, how many at most (GNU Radio); or one
 * byte that means "some" (srsRAN). */
enum samples_request { SAMPLES_REQUEST_ITEMS, SAMPLES_REQUEST_BYTE };

enum {
	SAMPLES_BYTES_MAX = 64 << 20, /* of a message that is received */
	SAMPLES_WHY = 200
};

struct samples_use {
	const char *address; /* tcp://HOST:PORT or ipc://PATH */
	enum samples_pattern pattern;
	enum samples_request request;
	bool bind;       /* else connect */
	bool tags;       /* messages have a tag header */
	const char *key; /* PUB and SUB; "" or NULL: no frame for it */
	int queue;       /* most messages that wait in ZeroMQ at this end */
	uint32_t item_bytes;
};

/* samples_address_check says what is wrong with an address, NULL if nothing is. Pure. */
const char *samples_address_check(const char *address);

/* ---- in: SUB, PULL or REQ ---- */

struct samples_in_counts {
	uint64_t messages; /* taken */
	uint64_t items;    /* in them */
	uint64_t refused;  /* messages whose length is no multiple of an item, or whose header or
	                      frames are not as agreed */
	uint64_t lost;     /* items that the offsets of tag headers leave out */
	uint64_t tags;
	double rx_rate, rx_freq, rx_time; /* the last ones that tags have said; 0: none */
};

struct samples_in;

/* samples_in_open: 0, or -errno with the reason in ret_why. samples_in_close: NULL does nothing. */
int samples_in_open(
    const struct samples_use *use, struct samples_in **ret, char ret_why[SAMPLES_WHY]);
void samples_in_close(struct samples_in *in);
/* samples_in_take adds items to the *done that are there already, up to `n`: 0 when all are there,
 * -EAGAIN when more have to come first, -errno. */
int samples_in_take(struct samples_in *in, void *items, uint32_t n, uint32_t *done);
const struct samples_in_counts *samples_in_counts(const struct samples_in *in);

/* ---- out: PUB, PUSH or REP ---- */

struct samples_out_counts {
	uint64_t messages; /* given to ZeroMQ */
	uint64_t items;
	uint64_t requests; /* REP: answered */
	uint64_t refused;  /* REP: requests that are none */
};

struct samples_out;

int samples_out_open(
    const struct samples_use *use, struct samples_out **ret, char ret_why[SAMPLES_WHY]);
/* samples_out_close waits at most 1 s until all is sent. */
void samples_out_close(struct samples_out *out);
/* samples_out_put sends the items from *done on, of `n`: 0 when all are sent, -EAGAIN when the
 * other end has to take or to ask first, -errno. */
int samples_out_put(struct samples_out *out, const void *items, uint32_t n, uint32_t *done);
/* samples_out_lost counts `n` items of the stream that will not be sent; the next tag header says
 * so by its offset and by a tag aloe_lost. */
void samples_out_lost(struct samples_out *out, uint64_t n);
const struct samples_out_counts *samples_out_counts(const struct samples_out *out);

#endif
