/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/evidence/ring.h - the kernel's records of one CPU, read from the bytes of its ring
 * (core/platform/perf.h). Pure: bytes in, records out. The layout of the bytes is that of
 * <linux/perf_event.h> (perf_event_open(2), "Overwritable ring buffer").
 */
#ifndef ALOE_EVIDENCE_RING_H
#define ALOE_EVIDENCE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/platform/perf.h"

enum evidence_kind {
	EVIDENCE_IN,   /* thread `tid` runs from now on; before it ran `other` */
	EVIDENCE_OUT,  /* thread `tid` runs no longer; `other` is next */
	EVIDENCE_NAME, /* thread `tid` has changed its name */
	EVIDENCE_EVENT /* of `source`, while `tid` ran */
};

struct evidence_record {
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint8_t kind, source;
	bool preempted; /* EVIDENCE_OUT: the thread wanted to run on */
	int32_t pid, tid, other;
	uint64_t value; /* EVIDENCE_EVENT: of those sources that have one, see perf.h */
	char name[16];  /* EVIDENCE_NAME */
};

/* What could not be read. */
struct evidence_losses {
	uint64_t lost;    /* records that the kernel dropped, as it says itself */
	uint64_t corrupt; /* records that make no sense; what is older is not read either */
};

/* A copy of the newest `copied` bytes of a ring of `size` bytes (a power of two), each at its place
 * in the ring, which is written backwards. `head`: position of the newest record; `after`: that
 * position at the end of the copy, so that the oldest head - after bytes are not to be believed. */
struct evidence_bytes {
	const uint8_t *bytes;
	size_t size, copied;
	uint64_t head, after;
	const uint64_t *ids;    /* of the sources whose bit in `valid` is set */
	const uint16_t *fields; /* of these sources: where the value lies; 0: they have none */
	uint32_t valid;
};

/* evidence_read gives the records in the order of time, at most `max` of the newest, none before
 * from_ns. Returns how many there are; *ret_whole: they reach back to from_ns. What is wrong is
 * added to `losses`. */
size_t evidence_read(const struct evidence_bytes *from, uint64_t from_ns,
    struct evidence_record *ret, size_t max, struct evidence_losses *losses, bool *ret_whole);

#endif
