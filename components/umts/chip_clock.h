/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/umts/chip_clock.h - the loop of a chip clock: pilot symbols, taken early, in time and
 * late, say where the next chips are to be taken.
 *
 * Two things move the place of a chip. The sender's clock is not the receiver's: the difference is
 * nearly constant, a few parts in 10^6, for ever. And the paths of the radio channel fade: the
 * strongest place moves by a part of a chip, to and fro, within some frames. Each has its filter,
 * and both take the same measurement, weighed by its variance, which follows from the power of the
 * pilot and of its noise:
 *         clock   a Kalman filter of offset and rate: a constant difference leaves no offset. It
 *                 starts with what a search leaves open, and is bold until the rate is known. From
 *                 then on it is steady, with a gain of `bandwidth` a frame, and takes a measurement
 *                 for no better than CLOCK_SPREAD, because paths fade.
 *         finger  the strongest place, counted from the clock: a walk of CLOCK_FINGER_WALK a frame.
 *                 So it follows a strong pilot at once, and stays where it is in a fade.
 *
 *      chip_clock_start(&clock, ahead);                           // locked, on chips `ahead` of
 *                                                                 those that were searched
 * 	chip_look_add(&look, pilots, power);                       // for some of the blocks
 *      at += chip_clock_steer(&clock, &look, chips, bandwidth);   // `chips` after the last time;
 *                                                                 at + clock.finger is best
 */
#ifndef ALOE_COMPONENTS_CHIP_CLOCK_H
#define ALOE_COMPONENTS_CHIP_CLOCK_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/kernels/pulse.h"
#include "core/kernels/utran_codes.h"

#define CLOCK_MAX 40e-6   /* the largest rate that is followed */
#define CLOCK_FOUND 0.1   /* chips: standard deviation of what a search finds */
#define CLOCK_KNOWN 0.005 /* chips a frame: standard deviation of a rate that is known */
/* chips: standard deviation of the strongest place in a channel that fades */
#define CLOCK_SPREAD 0.2
#define CLOCK_FINGER_WALK 2e-3 /* chips squared a frame: variance that the strongest place gains */
/* power of a pilot symbol over that of its noise: weak, one block in ten may be lost */
#define CLOCK_WEAK 5.0
/* standard deviations of noise: a pilot that exceeds it by less is not seen */
#define CLOCK_SEEN 4.0

enum {
	CLOCK_BLOCK = 256, /* chips of a pilot symbol */
	CLOCK_LOOKS = 30,  /* looks a frame, once the rate is known */
	CLOCK_LAGS = 5,    /* places to look at */
};

struct chip_look {
	/* powers of the symbols, taken 1 and 1/2 chip early, in time, 1/2 and 1 late */
	double pilot[CLOCK_LAGS];
	/* symbol 1/2 chip later, less 1/2 earlier, times the conjugate */
	double difference[CLOCK_LAGS];
	double power; /* mean power of the chips of a symbol, pilot and all */
	double off;   /* chips that "in time" came after the clock */
	uint32_t looks;
};

struct chip_clock {
	double slope; /* of the pulse half a chip from its peak */
	double rate;  /* chips a chip; less than 0: the sender's clock is fast */
	double offset_var, both_var, rate_var;
	double finger, finger_var;
	bool known; /* the rate is */
};

/* chip_clock_init takes the rolloff of the pulses. [control] */
static inline void chip_clock_init(struct chip_clock *clock, double rolloff)
{
	clock->slope = (pulse_rc(0.499, rolloff) - pulse_rc(0.501, rolloff)) / 0.002;
}

/* chip_clock_start begins `ahead` chips behind the middle of those that were searched: the clock
 * may be off by as much as the largest rate makes of it. [slot] */
static inline void chip_clock_start(struct chip_clock *clock, double ahead)
{
	clock->rate_var = CLOCK_MAX * CLOCK_MAX / 4;
	clock->both_var = ahead * clock->rate_var;
	clock->offset_var = CLOCK_FOUND * CLOCK_FOUND + ahead * clock->both_var;
	clock->rate = clock->finger = clock->finger_var = 0;
	clock->known = false;
}

/* chip_look_add takes the pilot symbol of a block of chips at each lag, and the power of the block.
 * [slot] */
static inline void chip_look_add(
    struct chip_look *look, const float complex *pilots, double power, double off)
{
	for (int lag = 0; lag < CLOCK_LAGS; lag++) {
		const float complex at = pilots[lag];

		look->pilot[lag] += crealf(at * conjf(at));
		if (lag > 0 && lag < CLOCK_LAGS - 1)
			look->difference[lag] +=
			    crealf((pilots[lag + 1] - pilots[lag - 1]) * conjf(at));
	}
	look->power += power;
	look->off += off;
	look->looks++;
}

/* The lag with most power, of those with two neighbours. */
static inline int chip_look_best(const struct chip_look *look)
{
	int best = CLOCK_LAGS / 2;

	for (int lag = 1; lag < CLOCK_LAGS - 1; lag++)
		if (look->pilot[lag] > look->pilot[best])
			best = lag;
	return best;
}

/* chip_look_pilot gives the power of the pilot symbols where it is largest. [slot] */
static inline double chip_look_pilot(const struct chip_look *look)
{
	return look->pilot[chip_look_best(look)];
}

/* The variance of a measurement: from the noise of the difference, and of the symbol that it is
 * multiplied by. */
static inline double chip_clock_variance(const struct chip_clock *clock, double snr, double looks)
{
	return (1 / snr) * (1 + 1 / snr) / (4 * clock->slope * clock->slope * looks);
}

/* How far behind the clock the strongest place is, and the variance of that: infinite where there
 * is nothing to be seen. */
static inline double chip_clock_measure(
    const struct chip_clock *clock, const struct chip_look *look, double *ret_variance)
{
	const int best = chip_look_best(look);
	const double ratio = CLOCK_BLOCK * look->pilot[best] / look->power, snr = ratio - 1;
	const double late =
	    look->difference[best] / (look->pilot[best] * snr / ratio) / (2 * clock->slope);

	*ret_variance = INFINITY;
	if (!(snr > CLOCK_SEEN / sqrt(look->looks)) || !isfinite(late))
		return 0;
	*ret_variance = chip_clock_variance(clock, snr, look->looks);
	return 0.5 * (best - CLOCK_LAGS / 2) + fmax(-0.5, fmin(0.5, late)) +
	    look->off / look->looks;
}

/* The variance that the rate gains in a frame: as much as it takes for a gain of `bandwidth` at a
 * weak pilot. */
static inline double chip_clock_walk(const struct chip_clock *clock, double bandwidth)
{
	const double variance =
	    chip_clock_variance(clock, CLOCK_WEAK, CLOCK_LOOKS) + CLOCK_SPREAD * CLOCK_SPREAD;
	const double rate_gain = (2 * (2 - bandwidth) - 4 * sqrt(1 - bandwidth)) / UTRAN_CHIPS;

	return variance * rate_gain * rate_gain / (1 - bandwidth);
}

/* How far the clock is to be moved. */
static inline double chip_clock_follow(
    struct chip_clock *clock, double chips, double bandwidth, double late, double variance)
{
	double all, offset_gain, rate_gain;

	clock->offset_var += chips * (2 * clock->both_var + chips * clock->rate_var);
	clock->both_var += chips * clock->rate_var;
	clock->rate_var += chip_clock_walk(clock, bandwidth) * chips / UTRAN_CHIPS;
	all = clock->offset_var + variance + (clock->known ? CLOCK_SPREAD * CLOCK_SPREAD : 0);
	offset_gain = clock->offset_var / all;
	rate_gain = clock->both_var / all;
	clock->rate_var -= rate_gain * clock->both_var;
	clock->both_var -= offset_gain * clock->both_var;
	clock->offset_var -= offset_gain * clock->offset_var;
	clock->rate = fmax(-CLOCK_MAX, fmin(CLOCK_MAX, clock->rate + rate_gain * late));
	return offset_gain * late;
}

/* chip_clock_steer takes what was seen in the last `chips`; returns how many the clock is to be
 * moved by. [slot] */
static inline double chip_clock_steer(
    struct chip_clock *clock, const struct chip_look *look, double chips, double bandwidth)
{
	double variance, gain;
	const double late = chip_clock_measure(clock, look, &variance);
	const double move = chip_clock_follow(clock, chips, bandwidth, late, variance);

	if (clock->known) {
		clock->finger_var =
		    fmin(clock->finger_var + CLOCK_FINGER_WALK * chips / UTRAN_CHIPS,
		        CLOCK_SPREAD * CLOCK_SPREAD);
		gain = clock->finger_var / (clock->finger_var + variance);
		clock->finger_var -= gain * clock->finger_var;
		clock->finger += gain * (late - clock->finger) - move;
		clock->finger = fmax(-1, fmin(1, clock->finger));
	}
	clock->known |= clock->rate_var * UTRAN_CHIPS * UTRAN_CHIPS < CLOCK_KNOWN * CLOCK_KNOWN;
	return move;
}

#endif
