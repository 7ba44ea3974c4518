/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/tell.h - how the threads of lanes wake exec and the I/O thread of their host.
 *
 *   bell        an eventfd of aloe-exec. A segment rings the bell when it has ended, has met a
 *               fault, has written a record of a slot (core/slot/miss.h), or finds memory
 *               overwritten.
 *   io_sleeps   futex word of the host's I/O thread: 1 while the thread sleeps
 *
 * A system call is made only if the other thread sleeps. The bell says only that exec should look;
 * exec trusts nothing else of it.
 */
#ifndef ALOE_SLOT_TELL_H
#define ALOE_SLOT_TELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct image_view;
struct segment;

struct tell {             /* of a host */
	_Atomic int bell; /* -1: nobody listens */
	_Atomic uint32_t io_sleeps;
};

struct teller {            /* of a segment */
	struct tell *host; /* NULL: tells nobody */
	const uint8_t *walls[2];
	uint32_t n_instances; /* of the waveform */
	bool over;            /* the end or the fault has been reported */
	uint64_t done, misses, rung_ns;
};

/* tell_init sets up a host to which nobody listens yet. tell_ring rings a bell: `fd` is an eventfd,
 * or -1. */
void tell_init(struct tell *tell);
void tell_ring(int fd);

/* segment_tells makes a segment, which was initialised from the same view, report to `host` from
 * now on. [control] */
void segment_tells(
    struct segment *segment, const struct image_view *view, uint32_t number, struct tell *host);

/* segment_tell is called after a step and rings the bell if exec should look, at most every few
 * milliseconds. segment_tell_io is called after a step that has moved records and wakes the I/O
 * thread if it sleeps. [slot] */
void segment_tell(struct segment *segment, uint64_t now_ns);
void segment_tell_io(const struct segment *segment);

#endif
