/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the kept periods of a sounding say of the response (sound.h). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "tools/x310sim/sound.h"
#include "tools/x310sim/transform.h"

enum { IQ = 4 };

/* All buffers are of `length` complex numbers. */
struct work {
	uint32_t length;
	double *memory, *roots;
	double *sequence;     /* spectrum of 1 / x, with the factor of a transform there and back */
	double *h, *spectrum; /* of the response */
	double *product;      /* correlation, or what is being transformed */
	double *expected;     /* conjugate spectra of the responses */
};

static size_t reals_count(const struct work *work)
{
	return 2 * (size_t)work->length;
}

static void iq_unpack(const uint8_t *iq, uint32_t n, double *ret)
{
	for (size_t i = 0; i < 2 * (size_t)n; i++)
		ret[i] = (int16_t)get_le16(iq + 2 * i);
}

static void bins_multiply(const double *a, const double *b, uint32_t n, double *ret)
{
	for (size_t i = 0; i < 2 * (size_t)n; i += 2) {
		const double re = a[i] * b[i] - a[i + 1] * b[i + 1];

		ret[i + 1] = a[i] * b[i + 1] + a[i + 1] * b[i];
		ret[i] = re;
	}
}

static void invert_sequence(struct work *work, const uint8_t *sequence)
{
	double *x = work->sequence;

	iq_unpack(sequence, work->length, x);
	transform_forward(work->length, work->roots, x);
	for (size_t i = 0; i < reals_count(work); i += 2) {
		const double energy = x[i] * x[i] + x[i + 1] * x[i + 1];
		const double scale = energy > 0 ? 1 / (energy * work->length) : 0;

		x[i] *= scale;
		x[i + 1] *= -scale;
	}
}

static int work_init(struct work *work, const struct sound *sound, uint32_t n_expected)
{
	const uint32_t length = sound->options.length;
	const size_t buffer = 2 * (size_t)length;
	double **const buffers[] = {
	    &work->sequence, &work->h, &work->spectrum, &work->product, &work->roots};
	enum { BUFFERS = sizeof(buffers) / sizeof(buffers[0]) };

	*work = (struct work){.length = length};
	work->memory = calloc(BUFFERS + n_expected, buffer * sizeof(double));
	if (work->memory == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < BUFFERS; i++)
		*buffers[i] = work->memory + i * buffer;
	work->expected = work->memory + BUFFERS * buffer;
	transform_roots(length, work->roots);
	invert_sequence(work, sound->sequence);
	return 0;
}

static void work_fini(struct work *work)
{
	free(work->memory);
}

/* The response of a kept period into work->h, by its place in time and where the input's own
 * channel is heard. */
static void response_measure(
    struct work *work, const struct sound *sound, unsigned channel, uint32_t which)
{
	const struct sound_channel *c = &sound->channels[channel];
	const uint32_t length = work->length, early = channel * (length / SOUND_CHANNELS);
	const size_t place = (c->first[which] + early) & (length - 1);
	double *h = work->product;

	iq_unpack(c->iq + (size_t)which * length * IQ, length, h);
	transform_forward(length, work->roots, h);
	bins_multiply(h, work->sequence, length, h);
	transform_inverse(length, work->roots, h);
	memcpy(work->h + 2 * place, h, 2 * (length - place) * sizeof(*h));
	memcpy(work->h, h + 2 * (length - place), 2 * place * sizeof(*h));
}

int sound_response(const struct sound *sound, unsigned channel, uint32_t which, float *ret_h)
{
	struct work work;
	int rc;

	if (which >= sound->channels[channel].kept)
		return -ENOENT;
	rc = work_init(&work, sound, 0);
	if (rc < 0)
		return rc;
	response_measure(&work, sound, channel, which);
	for (size_t i = 0; i < reals_count(&work); i++)
		ret_h[i] = (float)work.h[i];
	work_fini(&work);
	return 0;
}

/* ---- comparing ------------------------------------------------------------------------ */

static const float *taps_of(const struct sound_expected *expected, uint32_t response)
{
	return expected->taps + 2 * (size_t)response * expected->n_taps;
}

static void transform_expected(struct work *work, const struct sound_expected *expected)
{
	for (uint32_t r = 0; r < expected->n; r++) {
		const float *taps = taps_of(expected, r);
		double *spectrum = work->expected + r * reals_count(work);

		for (size_t i = 0; i < 2 * (size_t)expected->n_taps; i++)
			spectrum[i] = taps[i];
		transform_forward(work->length, work->roots, spectrum);
		for (size_t i = 1; i < reals_count(work); i += 2)
			spectrum[i] = -spectrum[i];
	}
}

/* The lag at which work->h, whose spectrum is in work->spectrum, is most like a response. */
static uint32_t best_lag(struct work *work, uint32_t response)
{
	const double *like = work->product;
	uint32_t best = 0;

	bins_multiply(work->spectrum, work->expected + response * reals_count(work), work->length,
	    work->product);
	transform_inverse(work->length, work->roots, work->product);
	for (uint32_t lag = 1; lag < work->length; lag++)
		best = like[2 * (size_t)lag] > like[2 * (size_t)best] ? lag : best;
	return best;
}

/* |h - e|^2 / |e|^2 over all lags, e beginning at `lag`. */
static double error_db(const struct work *work, const float *taps, uint32_t n_taps, uint32_t lag)
{
	double error = 0, energy = 0;

	for (uint32_t i = 0; i < work->length; i++) {
		const double *h = work->h + 2 * (size_t)((lag + i) % work->length);
		const double re = i < n_taps ? taps[2 * (size_t)i] : 0,
		             im = i < n_taps ? taps[2 * (size_t)i + 1] : 0;

		error += (h[0] - re) * (h[0] - re) + (h[1] - im) * (h[1] - im);
		energy += re * re + im * im;
	}
	return 10 * log10(error / energy);
}

struct match {
	double db;
	uint32_t response, lag;
};

static struct match best_match(struct work *work, const struct sound_expected *expected)
{
	struct match best = {.db = INFINITY};

	memcpy(work->spectrum, work->h, reals_count(work) * sizeof(*work->h));
	transform_forward(work->length, work->roots, work->spectrum);
	for (uint32_t r = 0; r < expected->n; r++) {
		const uint32_t lag = best_lag(work, r);
		const double db = error_db(work, taps_of(expected, r), expected->n_taps, lag);

		if (db < best.db)
			best = (struct match){db, r, lag};
	}
	return best;
}

static int by_db(const void *a, const void *b)
{
	const double x = ((const struct match *)a)->db, y = ((const struct match *)b)->db;

	return (x > y) - (x < y);
}

static int by_lag(const void *a, const void *b)
{
	const uint32_t x = ((const struct match *)a)->lag, y = ((const struct match *)b)->lag;

	return (x > y) - (x < y);
}

static int by_response(const void *a, const void *b)
{
	const uint32_t x = ((const struct match *)a)->response,
	               y = ((const struct match *)b)->response;

	return (x > y) - (x < y);
}

static uint32_t count_different(
    struct match *matches, uint64_t n, int (*by)(const void *, const void *))
{
	uint32_t different = n > 0;

	qsort(matches, n, sizeof(*matches), by);
	for (uint64_t i = 1; i < n; i++)
		different += by(&matches[i - 1], &matches[i]) != 0;
	return different;
}

/* matches[kept], in the order of time; they are put into another one. */
static void matches_summarise(
    struct match *matches, const struct sound_expected *expected, struct sound_found *found)
{
	const struct match *last = NULL;

	for (uint64_t i = 0; i < found->kept; i++) {
		if (matches[i].db > expected->limit_db)
			continue;
		found->changes += last != NULL && last->response != matches[i].response;
		last = &matches[i];
	}
	qsort(matches, found->kept, sizeof(*matches), by_db);
	while (found->within < found->kept && matches[found->within].db <= expected->limit_db)
		found->within++;
	found->median_db = matches[found->kept / 2].db;
	found->worst_db = matches[found->kept - 1].db;
	found->worst_within_db = found->within ? matches[found->within - 1].db : 0;
	found->delay = matches[0].lag;
	found->delays = count_different(matches, found->within, by_lag);
	found->responses = count_different(matches, found->within, by_response);
}

int sound_find(const struct sound *sound, unsigned channel, const struct sound_expected *expected,
    struct sound_found *ret)
{
	const struct sound_channel *c = &sound->channels[channel];
	struct match *matches;
	struct work work;
	int rc;

	*ret = (struct sound_found){.kept = c->kept, .seams = c->seams};
	if (c->kept == 0)
		return 0;
	matches = calloc(c->kept, sizeof(*matches));
	if (matches == NULL)
		return -ENOMEM;
	rc = work_init(&work, sound, expected->n);
	if (rc == 0) {
		transform_expected(&work, expected);
		for (uint32_t i = 0; i < c->kept; i++) {
			response_measure(&work, sound, channel, i);
			matches[i] = best_match(&work, expected);
		}
		matches_summarise(matches, expected, ret);
		work_fini(&work);
	}
	free(matches);
	return rc;
}
