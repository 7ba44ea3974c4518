/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/align.h - slots of a clock that all nodes share, as arithmetic: no clock is read.
 *
 * Slot n begins at n slot lengths of the shared time. The epoch is what has to be added to
 * CLOCK_MONOTONIC to get the shared time, so slot 0 began at the time -epoch (modulo 2^64). When
 * the clock is set, the epoch changes, and with it the numbers of slots and their edges.
 */
#ifndef ALOE_IMAGE_ALIGN_H
#define ALOE_IMAGE_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

enum {
	ALIGN_STEP_NS = 1000,     /* a clock that was set by less was not moved */
	ALIGN_SLACK = 16,         /* part of a slot by which a followed edge may go back */
	ALIGN_SLEW = 32,          /* part of a slot by which an edge is moved at a time */
	ALIGN_SLEW_NS = 50000000, /* and not more than that: it is moved ten times a second */
	ALIGN_FAR = 4,            /* part of a slot: what is further off is moved at once */
	ALIGN_YEARS = 10,         /* for so long from now the number of a slot fits into a baton */
	ALIGN_DRIFT_PPM = 100,    /* by which two oscillators may differ */
};

/* What is known of the clock of another node: what has to be added to CLOCK_MONOTONIC here to get
 * the time there, by how much it may be wrong, and when that was so. */
struct align_offset {
	uint64_t epoch_ns, within_ns, at_ns;
};

static inline uint64_t align_drift(uint64_t age_ns)
{
	return age_ns / (1000000 / ALIGN_DRIFT_PPM);
}

/* align_within returns by how much it may be wrong now. */
static inline uint64_t align_within(const struct align_offset *offset, uint64_t now)
{
	return offset->within_ns + (now > offset->at_ns ? align_drift(now - offset->at_ns) : 0);
}

static inline uint64_t align_start(uint64_t epoch_ns)
{
	return -epoch_ns;
}

/* align_slot_least returns the shortest slot whose numbers fit into a baton, where the shared time
 * is `shared_ns`. */
uint64_t align_slot_least(uint64_t shared_ns);

/* align_base returns the slot of step 0 of a waveform after the epoch has changed. A waveform that
 * runs goes on with its next step in the next slot. A waveform that waits for its first slot waits
 * for the slot of that number. [base: IMAGE_FOREVER: not started] */
uint64_t align_base(uint64_t base, uint64_t slot_before, uint64_t slot_after);

/* Of a clock that follows another one and is `off_ns` behind: align_is_far tells whether the edges
 * have to be moved at once, align_slew by how much they are moved otherwise. */
bool align_is_far(int64_t off_ns, uint64_t slot_ns);
int64_t align_slew(int64_t off_ns, uint64_t slot_ns);

/* align_agrees tells whether clocks that are off_ns apart, or within_ns more or less, may run
 * slots of which none waits for the other: less than a quarter of a slot. */
bool align_agrees(int64_t off_ns, uint64_t within_ns, uint64_t slot_ns);

#endif
