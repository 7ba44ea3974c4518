/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/sound.h - the impulse response of what lies between receiver and transmitter, to
 * the sample: a known sequence is heard over and over, what is played in answer is kept, and at the
 * end it is told apart from the sequence.
 *
 *         sequence x, period N --> ADC --> host: y = h * x --> DAC --> every so many periods one of
 *         them is kept at the end, of each: h = IDFT(DFT(y) / DFT(x)), all N lags; its best place
 *         among the responses expected
 *
 * The sequence is a Zadoff-Chu sequence (constant envelope, flat spectrum: Chu, IEEE Trans. Inf.
 * Theory 18, 1972) of level SOUND_LEVEL, so what is not its own echo is spread evenly; rounding to
 * int16 costs about -86 dB of error. Response and delay together have to be shorter than the
 * period: delays are modulo the period.
 *
 * Channel c hears the sequence c N / SOUND_CHANNELS samples early, so that what crosses from one
 * channel to another is seen in a place of its own: the response from channel c to transmitter t
 * begins (t - c) N / SOUND_CHANNELS lags after the delay.
 *
 * Samples are complex int16. Kept periods follow each other without a seam in time; after one
 * nothing is kept until a period has gone by.
 */
#ifndef TOOLS_X310SIM_SOUND_H
#define TOOLS_X310SIM_SOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SOUND_CHANNELS = 8,
	SOUND_LEVEL = 8192,
	SOUND_LENGTH_MIN = 256,
	SOUND_LENGTH_MAX = 1 << 17,
	SOUND_KEPT_MAX = 1 << 16
};

struct sound_options {
	uint32_t length; /* period, a power of two, SOUND_LENGTH_MIN .. SOUND_LENGTH_MAX */
	uint32_t every;  /* periods from one that is kept to the next, 1 .. */
	uint32_t keep;   /* periods of each channel, 1 .. SOUND_KEPT_MAX */
};

struct sound_channel {
	uint8_t *iq;     /* `keep` periods, one after another; NULL: nothing was played */
	uint64_t *first; /* of each, the sample that it begins with */
	uint32_t kept;
	uint32_t at;   /* samples of the next one that are there */
	uint64_t next; /* sample: what is played goes on there */
	uint64_t wait; /* sample that the next one may begin at */
	uint64_t seams;
};

struct sound {
	struct sound_options options;
	uint8_t *sequence;
	struct sound_channel channels[SOUND_CHANNELS];
};

int sound_open(struct sound *sound, const struct sound_options *options); /* 0 or -ENOMEM */
/* also of one that is all zeros */
void sound_close(struct sound *sound);

/* Samples are numbered by their tick: sample = tick / ticks per sample. */
void sound_receive(
    const struct sound *sound, unsigned channel, uint64_t sample, uint8_t *ret_iq, uint32_t n);
/* -ENOMEM: nothing is kept of this channel. */
int sound_transmit(
    struct sound *sound, unsigned channel, uint64_t sample, const uint8_t *iq, uint32_t n);

/* ---- at the end ------------------------------------------------------------------------ */

/* Responses, `taps` complex floats (re, im) each, one after another. */
struct sound_expected {
	const float *taps;
	uint32_t n_taps;
	uint32_t n; /* responses, any of which may be found */
	double limit_db;
};

struct sound_found {
	uint64_t kept, seams;
	uint64_t within; /* nearer than limit_db to one of the responses */
	/* error of all that were kept: |h - expected|^2 / |expected|^2 over all lags */
	double median_db;
	double worst_db;        /* of all */
	double worst_within_db; /* of those within the limit */
	uint32_t delay;         /* samples: of the one with the least error */
	uint32_t delays;        /* how many different ones there are within the limit */
	uint32_t responses;     /* how many of those expected were found within the limit */
	uint64_t changes;       /* how often another one was found than before */
};

/* sound_response gives what was measured in the kept period `which`: `length` complex floats, lag 0
 * (no delay) first, an input's own channel at its place. 0, -ENOMEM or -ENOENT: there is no such
 * period. */
int sound_response(const struct sound *sound, unsigned channel, uint32_t which, float *ret_h);

/* sound_find looks for the responses in every kept period. Without any kept: all zeros. 0 or
 * -ENOMEM. */
int sound_find(const struct sound *sound, unsigned channel, const struct sound_expected *expected,
    struct sound_found *ret);

#endif
