/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/slot/tell.h - what the threads of a host tell others who sleep until then.
 *
 *   bell        an eventfd of aloe-exec: a segment has ended, has met a fault, has missed a slot
 *               to which the waveform reacts (`overrun`), or finds memory overwritten
 *   io_sleeps   futex word of the host's I/O thread: 1 while the thread sleeps
 *
 * Both are the hand-over of a slot to somebody else and cost a system call only then. Exec believes
 * nothing of it: the bell says that there is something to look at, and exec looks.
 */
#ifndef ALOE_SLOT_TELL_H
#define ALOE_SLOT_TELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct image_view;
struct segment;

struct tell {             /* of a host */
	_Atomic int bell; /* -1: nobody hears it */
	_Atomic uint32_t io_sleeps;
};

struct teller {            /* of a segment */
	struct tell *host; /* NULL: tells nobody */
	const uint8_t *walls[2];
	uint32_t n_instances; /* of the waveform */
	bool reacts;          /* to a missed slot */
	bool over;            /* has ended or met a fault, which has been told */
	uint64_t done, misses, rung_ns;
};

/* tell_init: nobody hears it yet. tell_ring rings a bell: `fd` is an eventfd, or -1. */
void tell_init(struct tell *tell);
void tell_ring(int fd);

/* segment_tells lets a segment, initialised from the same view, tell `host` from now on.
 * [control] */
void segment_tells(
    struct segment *segment, const struct image_view *view, uint32_t number, struct tell *host);

/* segment_tell rings if there is something to look at, at most every few milliseconds; behind a
 * step. segment_tell_io wakes the I/O thread if it sleeps; behind a step that has moved records.
 * [slot] */
void segment_tell(struct segment *segment, uint64_t now_ns);
void segment_tell_io(const struct segment *segment);

#endif
