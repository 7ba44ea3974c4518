/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/soapy/track.h"

#include <math.h>

#define NS_PER_S 1000000000
#define ROUNDING 1 /* ticks */

/* Seconds apart from their rest, and whole samples a second apart from their rest: no product has
 * more digits than its type. */
uint64_t track_ticks(int64_t time_ns, double rate)
{
	const uint64_t ns = time_ns > 0 ? (uint64_t)time_ns : 0, seconds = ns / NS_PER_S,
	               rest_ns = ns % NS_PER_S, whole = (uint64_t)rate;
	const double part = (double)seconds * (rate - (double)whole) + (double)rest_ns * rate / 1e9;

	return seconds * whole + (uint64_t)llround(part);
}

int64_t track_time_ns(uint64_t ticks, double rate)
{
	const uint64_t seconds = (uint64_t)((double)ticks / rate);
	const uint64_t whole = (uint64_t)rate;
	const double part =
	    (double)(int64_t)(ticks - seconds * whole) - (double)seconds * (rate - (double)whole);

	return (int64_t)(seconds * NS_PER_S) + llround(part * 1e9 / rate);
}

void track_lost(struct track *track)
{
	track->lost = track->begun;
}

void track_skip(struct track *track, uint64_t samples)
{
	track->next += samples;
}

static enum track_step step_of(
    const struct track *track, bool timed, uint64_t ticks, uint64_t *ret_missing)
{
	const uint64_t off = ticks > track->next ? ticks - track->next : track->next - ticks;

	if (!timed)
		return track->lost ? TRACK_UNSIZED : TRACK_ON;
	if (off == 0 || (off <= ROUNDING && !track->lost))
		return TRACK_ON;
	if (ticks < track->next || (double)off > TRACK_FAR_S * track->rate)
		return TRACK_JUMP;
	*ret_missing = off;
	return TRACK_GAP;
}

enum track_step track_samples(struct track *track, uint32_t n, bool timed, int64_t time_ns,
    uint64_t *ret_ticks, uint64_t *ret_missing)
{
	const uint64_t ticks = timed ? track_ticks(time_ns, track->rate) : track->next;
	enum track_step step = TRACK_ON;

	*ret_missing = 0;
	if (!track->begun)
		track->next = ticks;
	else
		step = step_of(track, timed, ticks, ret_missing);
	if (step != TRACK_ON)
		track->next = ticks;
	*ret_ticks = track->next;
	if (step != TRACK_UNSIZED)
		track->next += n;
	track->begun = true;
	track->lost = false;
	return step;
}
