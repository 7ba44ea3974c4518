/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/bench/peers/plain.h - a channel as one would write it with FFTW and care, and nothing of
 * ALOE: uniformly partitioned overlap-save. Plans are measured patiently and leave their input as
 * it is, so nothing is copied for them; all memory is aligned; each bin of the taps lies twice, so
 * that the products are two multiply-adds of vectors that the compiler finds; the first product
 * clears the sum. For C and C++; compiled with -O3 and, where the file is not, for the vectors that
 * the machine has.
 *
 * 	struct plain_channel channel;
 * 	plain_open(&channel, &plans, 256, 2, response);
 * 	in = plain_place(&channel);
 * 	... 256 samples are written ...
 * 	out = plain_work(&channel);
 */
#ifndef TESTS_BENCH_PEERS_PLAIN_H
#define TESTS_BENCH_PEERS_PLAIN_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <fftw3.h>

#if defined(__x86_64__) && !defined(__clang__)
#define PLAIN_FAST                                                                                 \
	__attribute__((unused, target_clones("avx512f", "fma", "default"), optimize("O3")))
#else
#define PLAIN_FAST __attribute__((unused))
#endif

struct plain_plans { /* of frames of two blocks */
	fftwf_plan there, back;
};

struct plain_channel {
	const struct plain_plans *plans;
	uint32_t block, parts, newest;
	float *frame;   /* the block before, then the newest: two blocks of re, im */
	float *spectra; /* of the last frames, a ring of `parts` */
	float *same;    /* taps, for each re and im of a spectrum: re, re */
	float *crossed; /* -im, im */
	float *sum, *out;
};

/* plain_floats: aligned and zeroed; NULL without memory. */
static inline float *plain_floats(size_t n)
{
	float *x = (float *)fftwf_malloc(n * sizeof(*x));

	if (x != NULL)
		memset(x, 0, n * sizeof(*x));
	return x;
}

/* plain_plan takes a while: FFTW tries out what is fastest. 0, or -1. */
static inline int plain_plan(uint32_t block, struct plain_plans *ret)
{
	fftwf_complex *in = (fftwf_complex *)plain_floats(4 * (size_t)block),
	              *out = (fftwf_complex *)plain_floats(4 * (size_t)block);
	const unsigned how = FFTW_PATIENT | FFTW_PRESERVE_INPUT;

	ret->there = ret->back = NULL;
	if (in != NULL && out != NULL) {
		ret->there = fftwf_plan_dft_1d((int)(2 * block), in, out, FFTW_FORWARD, how);
		ret->back = fftwf_plan_dft_1d((int)(2 * block), in, out, FFTW_BACKWARD, how);
	}
	fftwf_free(in);
	fftwf_free(out);
	return ret->there != NULL && ret->back != NULL ? 0 : -1;
}

static inline void plain_plan_free(struct plain_plans *plans)
{
	fftwf_destroy_plan(plans->there);
	fftwf_destroy_plan(plans->back);
}

static inline void plain_execute(fftwf_plan plan, float *in, float *out)
{
	fftwf_execute_dft(plan, (fftwf_complex *)in, (fftwf_complex *)out);
}

/* `response`: block * parts taps, re and im. Transforms are not scaled: the taps are. */
static inline void plain_taps(struct plain_channel *channel, const float *response)
{
	const size_t size = 4 * (size_t)channel->block; /* floats of a frame */

	for (uint32_t p = 0; p < channel->parts; p++) {
		float *same = channel->same + size * p, *crossed = channel->crossed + size * p;

		memset(channel->sum, 0, size * sizeof(float));
		for (size_t i = 0; i < size / 2; i++)
			channel->sum[i] = response[size / 2 * p + i] * 2 / (float)size;
		plain_execute(channel->plans->there, channel->sum, channel->out);
		for (size_t i = 0; i < size; i += 2) {
			same[i] = same[i + 1] = channel->out[i];
			crossed[i] = -channel->out[i + 1];
			crossed[i + 1] = channel->out[i + 1];
		}
	}
}

/* 0, or -1 without memory; to be closed in either case. */
static inline int plain_open(struct plain_channel *channel, const struct plain_plans *plans,
    uint32_t block, uint32_t parts, const float *response)
{
	const size_t size = 4 * (size_t)block;

	memset(channel, 0, sizeof(*channel));
	channel->plans = plans;
	channel->block = block;
	channel->parts = parts;
	channel->frame = plain_floats(size);
	channel->spectra = plain_floats(size * parts);
	channel->same = plain_floats(size * parts);
	channel->crossed = plain_floats(size * parts);
	channel->sum = plain_floats(size);
	channel->out = plain_floats(size);
	if (!channel->frame || !channel->spectra || !channel->same || !channel->crossed ||
	    !channel->sum || !channel->out)
		return -1;
	plain_taps(channel, response);
	return 0;
}

static inline void plain_close(struct plain_channel *channel)
{
	fftwf_free(channel->frame);
	fftwf_free(channel->spectra);
	fftwf_free(channel->same);
	fftwf_free(channel->crossed);
	fftwf_free(channel->sum);
	fftwf_free(channel->out);
}

PLAIN_FAST static void plain_product(const float *__restrict spectrum, const float *__restrict same,
    const float *__restrict crossed, float *__restrict sum, size_t n)
{
	for (size_t i = 0; i < n; i += 2) {
		sum[i] = spectrum[i] * same[i] + spectrum[i + 1] * crossed[i];
		sum[i + 1] = spectrum[i + 1] * same[i + 1] + spectrum[i] * crossed[i + 1];
	}
}

PLAIN_FAST static void plain_product_add(const float *__restrict spectrum,
    const float *__restrict same, const float *__restrict crossed, float *__restrict sum, size_t n)
{
	for (size_t i = 0; i < n; i += 2) {
		sum[i] += spectrum[i] * same[i] + spectrum[i + 1] * crossed[i];
		sum[i + 1] += spectrum[i + 1] * same[i + 1] + spectrum[i] * crossed[i + 1];
	}
}

/* plain_place is where a block of input is to be written (re, im), when the block before has been
 * through. */
static inline float *plain_place(struct plain_channel *channel)
{
	const size_t half = 2 * (size_t)channel->block;

	memcpy(channel->frame, channel->frame + half, half * sizeof(float));
	return channel->frame + half;
}

/* plain_work convolves what was written there: a block, until the next call. */
static inline const float *plain_work(struct plain_channel *channel)
{
	const size_t size = 4 * (size_t)channel->block;

	channel->newest = channel->newest != 0 ? channel->newest - 1 : channel->parts - 1;
	plain_execute(
	    channel->plans->there, channel->frame, channel->spectra + size * channel->newest);
	for (uint32_t p = 0; p < channel->parts; p++)
		(p == 0 ? plain_product : plain_product_add)(
		    channel->spectra + size * ((channel->newest + p) % channel->parts),
		    channel->same + size * p, channel->crossed + size * p, channel->sum, size);
	plain_execute(channel->plans->back, channel->sum, channel->out);
	return channel->out + size / 2;
}

/* plain_to_floats and plain_from_floats: complex int16 in this machine's order, of which 32768 is
 * 1; what does not fit is limited. n values, re and im counted apart. */
PLAIN_FAST static void plain_to_floats(
    const int16_t *__restrict in, float *__restrict out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (float)in[i] * (1.0f / 32768);
}

/* 1.5 * 2^23 leaves the rounded integer in the low bits. */
PLAIN_FAST static void plain_from_floats(
    const float *__restrict in, int16_t *__restrict out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const float x = in[i] * 32768, low = x > -32768.0f ? x : -32768.0f;
		const float rounded = (low < 32767.0f ? low : 32767.0f) + 12582912.0f;
		int32_t bits;

		memcpy(&bits, &rounded, sizeof(bits));
		out[i] = (int16_t)bits;
	}
}

#endif
