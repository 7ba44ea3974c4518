/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/umts/search.h - where in a radio frame's worth of chips does the frame of a known cell
 * begin?
 *
 * The common pilot, scrambled, repeats itself with every frame, so any 38400 chips in a row hold
 * all of it, turned round; one cyclic correlation (by Fourier transforms of 38400 items) shows its
 * beginning, 46 dB above the noise of a chip. A carrier offset blurs it, but offsets of whole
 * multiples of 100 Hz, the reciprocal of a frame, only move the spectrum by as many items: they are
 * tried in turn, 0, +1, -1, +2, ..., SEARCH_TRIES a call, and the other 50 Hz cost 4 dB at worst.
 *
 * By chance a point of the correlation exceeds SEARCH_RATIO times the mean of all in one try out of
 * 10^6.
 */
#ifndef ALOE_COMPONENTS_SEARCH_H
#define ALOE_COMPONENTS_SEARCH_H

#include <aloe/component.h>

#include <math.h>

#include "core/fft/fft.h"
#include "core/kernels/pulse.h"
#include "core/kernels/utran_codes.h"

#define SEARCH_RATIO 25.0f
#define SEARCH_STEP_HZ 100.0

enum { SEARCH_TRIES = 11 };

struct search {
	struct fft *forward, *inverse;
	cf32 *chips; /* to be filled by the caller; spoilt by search_try */
	cf32 *spectrum, *product, *correlation;
	cf32 *code;      /* conjugate spectrum of the code */
	int32_t offset;  /* to try next, in steps */
	int32_t offsets; /* the largest */
	double rolloff;
	double chip;      /* found: the frame begins here, [0, 38400) and a fraction */
	double offset_hz; /* found: within 50 Hz */
};

static inline void search_fini(struct search *search)
{
	fft_free(search->forward);
	fft_free(search->inverse);
	search->forward = search->inverse = NULL;
}

static inline int search_init(struct search *search, const int8_t *code, double rolloff,
    double largest_hz, struct aloe_setup *setup)
{
	cf32 **const buffers[] = {&search->chips, &search->spectrum, &search->product,
	    &search->correlation, &search->code};

	for (unsigned i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) {
		*buffers[i] = (cf32 *)aloe_alloc(setup, UTRAN_CHIPS * sizeof(cf32));
		if (!*buffers[i])
			return aloe_fail(setup, "no memory for the search");
	}
	if (fft_new(UTRAN_CHIPS, FFT_FORWARD, FFT_SAME, &search->forward) < 0 ||
	    fft_new(UTRAN_CHIPS, FFT_INVERSE, FFT_SAME, &search->inverse) < 0)
		return aloe_fail(
		    setup, "no Fourier transform of %d items can be planned", UTRAN_CHIPS);
	search->rolloff = rolloff;
	search->offset = 0;
	search->offsets = (int32_t)lrint(largest_hz / SEARCH_STEP_HZ);
	for (uint32_t i = 0; i < UTRAN_CHIPS; i++)
		search->chips[i] = (float)code[2 * i] + I * (float)code[2 * i + 1];
	fft_execute(search->forward, (float *)search->chips, (float *)search->code);
	for (uint32_t i = 0; i < UTRAN_CHIPS; i++)
		search->code[i] = conjf(search->code[i]);
	return 0;
}

static inline float search_power(cf32 x)
{
	return crealf(x) * crealf(x) + cimagf(x) * cimagf(x);
}

/* The fraction of a chip at which a raised cosine fits best to the peak and two neighbours on each
 * side. */
static inline double search_fraction(const struct search *search, uint32_t peak)
{
	double best = 0, best_delta = 0;

	for (int step = -40; step <= 40; step++) {
		const double delta = step / 64.0;
		double complex sum = 0;
		double energy = 0;

		for (int k = -2; k <= 2; k++) {
			const double weight = pulse_rc(k - delta, search->rolloff);

			sum += weight *
			    search->correlation[((int)peak + k + UTRAN_CHIPS) % UTRAN_CHIPS];
			energy += weight * weight;
		}
		if (creal(sum * conj(sum)) / energy > best) {
			best = creal(sum * conj(sum)) / energy;
			best_delta = delta;
		}
	}
	return best_delta;
}

/* The peak over the mean, and where. */
static inline float search_peak(const struct search *search, uint32_t *ret_peak)
{
	float best = 0, sum = 0;

	for (uint32_t i = 0; i < UTRAN_CHIPS; i++)
		sum += search_power(search->correlation[i]);
	for (uint32_t i = 0; i < UTRAN_CHIPS; i++)
		if (search_power(search->correlation[i]) > best) {
			best = search_power(search->correlation[i]);
			*ret_peak = i;
		}
	return best > 0 ? best * UTRAN_CHIPS / sum : 0;
}

/* What the spectrum says if the carrier is `offset` steps off. */
static inline void search_correlate(struct search *search, int32_t offset)
{
	const uint32_t shift = (uint32_t)((offset + UTRAN_CHIPS) % UTRAN_CHIPS),
	               rest = UTRAN_CHIPS - shift;

	for (uint32_t i = 0; i < rest; i++)
		search->product[i] = search->spectrum[i + shift] * search->code[i];
	for (uint32_t i = rest; i < UTRAN_CHIPS; i++)
		search->product[i] = search->spectrum[i - rest] * search->code[i];
	fft_execute(search->inverse, (float *)search->product, (float *)search->correlation);
}

/* search_try looks once, at the next SEARCH_TRIES carrier offsets: true if a frame begins at
 * `chip`. About 0.2 ms for each offset. [slot] */
static inline bool search_try(struct search *search)
{
	const int32_t all = 2 * search->offsets + 1;
	float best = SEARCH_RATIO;

	fft_execute(search->forward, (float *)search->chips, (float *)search->spectrum);
	for (int32_t i = 0; i < all && i < SEARCH_TRIES; i++) {
		const int32_t offset = search->offset;
		uint32_t peak = 0;
		float ratio;

		search_correlate(search, offset);
		ratio = search_peak(search, &peak);
		search->offset = offset > 0 ? -offset : 1 - offset;
		if (search->offset > search->offsets)
			search->offset = 0;
		if (ratio <= best)
			continue;
		best = ratio;
		search->chip = peak + search_fraction(search, peak);
		search->offset_hz = offset * SEARCH_STEP_HZ;
	}
	return best > SEARCH_RATIO;
}

#endif
