/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bridge/offset.h - how far the clock of another node is off, from four times: pure functions.
 *
 *   this node    asked ------------------------------ heard     CLOCK_MONOTONIC here
 *                      \                             /
 *   the other           took ------------- answered             the time that all nodes share
 *
 * The middle of asked and heard is the middle of took and answered, unless one way is slower than
 * the other. So one exchange says what has to be added to CLOCK_MONOTONIC here to get the time
 * there, its epoch, and the error is at most half of the round trip: (heard - asked) - (answered -
 * took). Queues only make a round trip longer. Therefore the exchange with the shortest round trip
 * counts, of the last OFFSET_SAMPLES; the error of an older one grows, because the two oscillators
 * may differ by ALIGN_DRIFT_PPM.
 *
 * An exchange that the one that counts cannot explain shows that the clock there was set, or that
 * this machine has slept: then what was known is forgotten.
 */
#ifndef ALOE_BRIDGE_OFFSET_H
#define ALOE_BRIDGE_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OFFSET_SAMPLES = 64,
	OFFSET_ROUND_MAX_NS = 1000000000, /* what takes longer says nothing */
};

struct offset_times {
	uint64_t asked, took, answered, heard;
};

struct offset_sample {
	uint64_t at_ns, epoch_ns, round_ns;
};

struct offset {
	struct offset_sample samples[OFFSET_SAMPLES];
	uint64_t n;     /* exchanges so far; the last ones are kept */
	uint64_t first; /* of those that count: what came before is forgotten */
	uint64_t jumps; /* times that it was forgotten */
};

struct offset_is {
	uint64_t epoch_ns;
	uint64_t within_ns; /* half of the best round trip, and the drift since then */
	uint64_t round_ns;
};

/* offset_add takes an exchange: 0; -EBADMSG: times that cannot be, nothing is taken. */
int offset_add(struct offset *offset, const struct offset_times *times);
/* offset_best gives what is known at `now` (CLOCK_MONOTONIC): false: nothing. */
bool offset_best(const struct offset *offset, uint64_t now, struct offset_is *ret);

/* ---- the messages ---- */

/* A question is {magic, asked}, an answer {magic, asked, took, answered}. Little endian. */
#define OFFSET_ASKS 0x31514341u    /* "ACQ1" */
#define OFFSET_ANSWERS 0x31414341u /* "ACA1" */

enum { OFFSET_BYTES = 32, OFFSET_NONE = 0, OFFSET_ASK = 1, OFFSET_ANSWER = 2 };

/* offset_kind: OFFSET_ASK, OFFSET_ANSWER, or OFFSET_NONE: it is something else. */
int offset_kind(const uint8_t *bytes, size_t len);
void offset_ask_put(uint8_t ret[OFFSET_BYTES], uint64_t asked);
void offset_answer_put(
    uint8_t ret[OFFSET_BYTES], const uint8_t *ask, uint64_t took, uint64_t answered);
/* offset_answer_get gives the times of an answer, but for `heard`. */
void offset_answer_get(const uint8_t *bytes, struct offset_times *ret);

#endif
