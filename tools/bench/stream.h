/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/stream.h - messages of one length from this process to another one, by a bridge or by
 * a bare socket, for as long as it takes to know how many a second.
 *
 * Both ends have a ring of `depth` messages: every way takes a message out of the ring of the
 * sender, and puts the message into the ring of the receiver. A message begins with its number, by
 * which the receiver checks it.
 */
#ifndef TOOLS_BENCH_STREAM_H
#define TOOLS_BENCH_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STREAM_DEPTH_MAX = 64, /* steps that a bridge may have on their way */
	STREAM_BYTES_MIN = 8,
	STREAM_BYTES_MAX = 1 << 24,
	STREAM_WHY = 256
};

struct stream_count {
	_Atomic uint64_t received; /* messages that came whole */
	_Atomic uint64_t newest;   /* 1 + the number of the newest one of which something came */
	_Atomic uint64_t wrong;    /* messages with another number than theirs */
};

struct stream {
	const char *dir;            /* for files of its own */
	size_t bytes;               /* of a message */
	uint32_t depth;             /* of the rings, a power of two */
	uint8_t *ring;              /* depth x bytes, of either end after they have parted */
	struct stream_count *count; /* both ends have it */
	char why[STREAM_WHY];       /* it failed: the reason */
	void *own;                  /* of the way */
};

struct stream_way {
	const char *key, *name;
	/* open is called before the processes part, close after all, also when open has failed */
	int (*open)(struct stream *stream);
	void (*receive)(struct stream *stream); /* until it is killed */
	int (*connect)(struct stream *stream);  /* of the sender */
	int (*send)(struct stream *stream, uint64_t until_ns);
	void (*close)(struct stream *stream);
};

struct stream_speed {
	double messages, seconds;
	double cpu_s; /* of both processes, with their threads */
	double wrong;
};

/* stream_measure sends for `seconds`, after a while in which everything gets going. 0, or -errno
 * with the reason in stream->why. The caller fills dir, bytes and depth. */
int stream_measure(
    const struct stream_way *way, struct stream *stream, double seconds, struct stream_speed *ret);

static inline uint8_t *stream_place(const struct stream *stream, uint64_t number)
{
	return stream->ring + (number & (stream->depth - 1)) * stream->bytes;
}

/* stream_put writes the number of a message to its place in the ring. stream_got counts a message
 * that has come whole. */
void stream_put(const struct stream *stream, uint64_t number);
void stream_got(const struct stream *stream, uint64_t number, const uint8_t *bytes);

/* Bare sockets (stream_bare.c), and bridges (stream_bridge.c). */
extern const struct stream_way stream_tcp, stream_udp, stream_udp_sealed, stream_zeromq,
    stream_zeromq_curve, stream_bridge_tcp, stream_bridge_curve, stream_bridge_udp;

#endif
