/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/wav_bytes.h - WAV files of a tone, byte by byte, in every format that is read. For
 * one test program each. */
#ifndef TESTS_COMMON_WAV_BYTES_H
#define TESTS_COMMON_WAV_BYTES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wav {
	uint16_t tag, channels, bits;
	uint32_t rate_hz;
	uint32_t frames;
	double amplitude, tone_hz; /* left; the right channel has half of it */
	bool extensible;
};

static void put(uint8_t **at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*(*at)++ = (uint8_t)(value >> 8 * i);
}

static void put_bytes(uint8_t **at, const char *bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		*(*at)++ = (uint8_t)bytes[i];
}

static void put_sample(uint8_t **at, const struct wav *wav, double x)
{
	const double whole = nearbyint(x * ldexp(1, wav->bits - 1));
	const float single = (float)x;
	uint64_t bits = 0;

	if (wav->tag == 3 && wav->bits == 64)
		memcpy(&bits, &x, 8);
	else if (wav->tag == 3)
		memcpy(&bits, &single, 4);
	else
		bits = (uint64_t)((int64_t)whole + (wav->bits == 8 ? 128 : 0));
	put(at, bits, wav->bits / 8);
}

static double tone(const struct wav *wav, double rate_hz, double n)
{
	return wav->amplitude * sin(2 * M_PI * wav->tone_hz * n / rate_hz);
}

static size_t wav_encode(const struct wav *wav, uint8_t *bytes)
{
	const uint32_t block = wav->channels * wav->bits / 8, data = wav->frames * block;
	const uint32_t format = wav->extensible ? 40 : 16;
	uint8_t *at = bytes;

	put_bytes(&at, "RIFF", 4);
	put(&at, 20 + format + data, 4);
	put_bytes(&at, "WAVEfmt ", 8);
	put(&at, format, 4);
	put(&at, wav->extensible ? 0xfffe : wav->tag, 2);
	put(&at, wav->channels, 2);
	put(&at, wav->rate_hz, 4);
	put(&at, wav->rate_hz * block, 4);
	put(&at, block, 2);
	put(&at, wav->bits, 2);
	if (wav->extensible) {
		put(&at, 22, 2);
		put(&at, wav->bits, 2);
		put(&at, wav->channels == 1 ? 4 : 3, 4);
		put(&at, wav->tag, 2);
		put_bytes(&at, "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71", 14);
	}
	put_bytes(&at, "data", 4);
	put(&at, data, 4);
	for (uint32_t n = 0; n < wav->frames; n++)
		for (uint16_t c = 0; c < wav->channels; c++)
			put_sample(&at, wav, tone(wav, wav->rate_hz, n) * (c ? 0.5 : 1));
	return (size_t)(at - bytes);
}

#endif
