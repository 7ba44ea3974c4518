/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The spectrum by Welch. The transform is a plain one of this file: a program that is linked with
 * FFTW would be under the GPL. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/scope/scope.h"

/* Flat top: coefficients of ISO 18431-2 type, as in common use. */
static double window_at(enum scope_window window, uint32_t i, uint32_t n)
{
	static const double flat[] = {
	    0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368};
	const double c = cos(2 * M_PI * i / n), c2 = 2 * c * c - 1;

	if (window == SCOPE_HANN)
		return 0.5 - 0.5 * c;
	/* the cosines of two, three and four times the phase follow from that of the phase */
	return flat[0] - flat[1] * c + flat[2] * c2 - flat[3] * (2 * c * c2 - c) +
	    flat[4] * (2 * c2 * c2 - 1);
}

struct scope_welch {
	uint32_t fft;
	double *window;
	double *turns; /* cosine and sine of -2 pi k / fft, for k < fft / 2 */
	double *items; /* pairs of real and imaginary part */
	double *sum;
	double scale, rbw;
};

void scope_welch_free(struct scope_welch *welch)
{
	if (!welch)
		return;
	free(welch->window);
	free(welch->turns);
	free(welch->items);
	free(welch->sum);
	free(welch);
}

static void welch_fill(struct scope_welch *welch, enum scope_window window)
{
	const uint32_t fft = welch->fft;
	double sum = 0, squares = 0;

	for (uint32_t k = 0; k < fft / 2; k++) {
		welch->turns[2 * k] = cos(2 * M_PI * k / fft);
		welch->turns[2 * k + 1] = -sin(2 * M_PI * k / fft);
	}
	for (uint32_t i = 0; i < fft; i++) {
		welch->window[i] = window_at(window, i, fft);
		sum += welch->window[i];
		squares += welch->window[i] * welch->window[i];
	}
	welch->scale = 1 / (sum * sum);
	welch->rbw = squares / (sum * sum);
}

struct scope_welch *scope_welch_new(uint32_t fft, enum scope_window window)
{
	struct scope_welch *welch = calloc(1, sizeof(*welch));

	if (!welch)
		return NULL;
	*welch = (struct scope_welch){.fft = fft,
	    .window = calloc(fft, sizeof(double)),
	    .turns = calloc(fft, sizeof(double)),
	    .items = calloc(fft, 2 * sizeof(double)),
	    .sum = calloc(fft, sizeof(double))};
	if (!welch->window || !welch->turns || !welch->items || !welch->sum) {
		scope_welch_free(welch);
		return NULL;
	}
	welch_fill(welch, window);
	return welch;
}

/* Item i goes to the place whose bits are those of i from behind. */
static void items_shuffle(struct scope_welch *welch)
{
	for (uint32_t i = 1, j = 0; i < welch->fft; i++) {
		uint32_t bit = welch->fft / 2;

		for (; j & bit; bit /= 2)
			j ^= bit;
		j ^= bit;
		for (uint32_t part = 0; i < j && part < 2; part++) {
			const double kept = welch->items[2 * i + part];

			welch->items[2 * i + part] = welch->items[2 * j + part];
			welch->items[2 * j + part] = kept;
		}
	}
}

/* A transform of a power of two, in place. */
static void items_transform(struct scope_welch *welch)
{
	items_shuffle(welch);
	for (uint32_t half = 1; half < welch->fft; half *= 2)
		for (uint32_t at = 0; at < welch->fft; at += 2 * half)
			for (uint32_t k = 0; k < half; k++) {
				const double *turn =
				    &welch->turns[2 * (k * (welch->fft / 2 / half))];
				double *a = &welch->items[2 * (at + k)], *b = a + 2 * half;
				const double re = b[0] * turn[0] - b[1] * turn[1],
				             im = b[0] * turn[1] + b[1] * turn[0];

				b[0] = a[0] - re;
				b[1] = a[1] - im;
				a[0] += re;
				a[1] += im;
			}
}

/* Adds the powers of one block, in the order of the transform. */
static void block_add(struct scope_welch *welch, const float *iq, double *power)
{
	for (uint32_t i = 0; i < welch->fft; i++) {
		welch->items[2 * i] = iq[2 * i] * welch->window[i];
		welch->items[2 * i + 1] = iq[2 * i + 1] * welch->window[i];
	}
	items_transform(welch);
	for (uint32_t i = 0; i < welch->fft; i++) {
		const double re = welch->items[2 * i], im = welch->items[2 * i + 1];

		power[i] += (re * re + im * im) * welch->scale;
	}
}

/* From the lowest frequency on; of a real signal what is below 0 counts with what is above. */
static void lines_order(
    const double *sum, const struct scope_signal *signal, uint32_t fft, double blocks, double *ret)
{
	const uint32_t half = fft / 2;

	if (signal->is_complex) {
		for (uint32_t i = 0; i < fft; i++)
			ret[i] = sum[(i + fft - half) % fft] / blocks;
		return;
	}
	for (uint32_t i = 0; i <= half; i++)
		ret[i] = sum[i] * (i == 0 || 2 * i == fft ? 1 : 2) / blocks;
}

static bool is_finite(const float *iq, uint32_t n)
{
	for (uint32_t i = 0; i < 2 * n; i++)
		if (!isfinite(iq[i]))
			return false;
	return true;
}

void scope_welch_power(struct scope_welch *welch, const struct scope_signal *signal,
    double *ret_power, double *ret_rbw, size_t *ret_blocks)
{
	const uint32_t fft = welch->fft;
	size_t blocks = 0;

	memset(welch->sum, 0, fft * sizeof(*welch->sum));
	for (size_t at = 0; at + fft <= signal->n; at += fft / 2)
		if (is_finite(signal->iq + 2 * at, fft)) {
			block_add(welch, signal->iq + 2 * at, welch->sum);
			blocks++;
		}
	lines_order(welch->sum, signal, fft, (double)blocks, ret_power);
	*ret_rbw = welch->rbw;
	*ret_blocks = blocks;
}

int scope_power(const struct scope_signal *signal, uint32_t fft, enum scope_window window,
    double *ret_power, double *ret_rbw, size_t *ret_blocks)
{
	struct scope_welch *welch = scope_welch_new(fft, window);

	if (!welch)
		return -ENOMEM;
	scope_welch_power(welch, signal, ret_power, ret_rbw, ret_blocks);
	scope_welch_free(welch);
	return 0;
}
