/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/soapy/track.h - which sample of the device's time comes next. Pure.
 *
 * A tick is a sample: tick = llround(time_ns * rate / 1e9), computed without loss for any time of
 * 63 bits and any rate up to 1e9. Times are compared as ticks, because a time in whole nanoseconds
 * is rounded at most rates.
 *
 * 	n samples were read  -> track_samples: their first tick, and what is missing before them
 * 	"samples were lost"  -> track_lost: the next time tells how many, or nobody knows
 */
#ifndef PLATFORMS_SOAPY_TRACK_H
#define PLATFORMS_SOAPY_TRACK_H

#include <stdbool.h>
#include <stdint.h>

enum { TRACK_FAR_S = 10 };

struct track {
	double rate;
	uint64_t next; /* tick of the next sample */
	bool begun, lost;
};

enum track_step {
	TRACK_ON,      /* the samples follow those before */
	TRACK_GAP,     /* *ret_missing samples are missing */
	TRACK_UNSIZED, /* samples are missing, and nothing tells how many */
	TRACK_JUMP     /* the time has gone back, or forward by more than TRACK_FAR_S: it was set */
};

uint64_t track_ticks(int64_t time_ns, double rate);
int64_t track_time_ns(uint64_t ticks, double rate);

void track_lost(struct track *track);
/* track_samples takes n samples, whose first has the time `time_ns` (timed), and writes their first
 * tick. After TRACK_UNSIZED the caller decides where they lie, by track_skip. A time that is off by
 * one tick without a loss is the rounding of a driver, and the samples are counted on. */
enum track_step track_samples(struct track *track, uint32_t n, bool timed, int64_t time_ns,
    uint64_t *ret_ticks, uint64_t *ret_missing);
/* track_skip moves the next tick forward by so many samples of which nothing is known. */
void track_skip(struct track *track, uint64_t samples);

#endif
