/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/io/wav.h - the header of a RIFF/WAVE file: bytes in, struct or reason out; struct in,
 * bytes out.
 *
 * (Multimedia Programming Interface and Data Specifications 1.0, IBM and Microsoft, 1991;
 * WAVE_FORMAT_EXTENSIBLE of 2001.) libsndfile reads the samples, but it forgives too much: a header
 * that promises more data than the file holds is a truncated file, and the user should hear of it
 * before the run and not after.
 */
#ifndef ALOE_COMPONENTS_WAV_H
#define ALOE_COMPONENTS_WAV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WAV_HEADER_BYTES = 44, WAV_PCM = 1, WAV_FLOAT = 3, WAV_EXTENSIBLE = 0xfffe };

struct wav_format {
	uint16_t tag; /* WAV_PCM or WAV_FLOAT; of the sub-format if extensible */
	uint16_t channels;
	uint32_t rate_hz;
	uint16_t bits;
	uint32_t data_bytes;
};

static inline uint16_t wav_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t wav_get32(const uint8_t *p)
{
	return wav_get16(p) | (uint32_t)wav_get16(p + 2) << 16;
}

static inline void wav_put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
}

static inline void wav_put32(uint8_t *p, uint32_t value)
{
	wav_put16(p, value & 0xffff);
	wav_put16(p + 2, value >> 16);
}

/* wav_header_encode writes the canonical 44-byte header of 16-bit mono PCM. */
static inline void wav_header_encode(
    uint8_t header[WAV_HEADER_BYTES], uint32_t rate_hz, uint32_t data_bytes)
{
	memcpy(header, "RIFF....WAVEfmt ", 16);
	wav_put32(header + 4, WAV_HEADER_BYTES - 8 + data_bytes);
	wav_put32(header + 16, 16);
	wav_put16(header + 20, WAV_PCM);
	wav_put16(header + 22, 1);
	wav_put32(header + 24, rate_hz);
	wav_put32(header + 28, 2 * rate_hz);
	wav_put16(header + 32, 2);
	wav_put16(header + 34, 16);
	memcpy(header + 36, "data", 4);
	wav_put32(header + 40, data_bytes);
}

static inline const char *wav_tag_name(uint16_t tag)
{
	static const struct {
		uint16_t tag;
		const char *name;
	} names[] = {{2, "MS ADPCM"}, {6, "A-law"}, {7, "mu-law"}, {0x11, "IMA ADPCM"},
	    {0x14, "G.723"}, {0x31, "GSM 6.10"}, {0x40, "G.721"}, {0x50, "MPEG"}, {0x55, "MP3"},
	    {0xff, "AAC"}, {0xf1ac, "FLAC"}};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].tag == tag)
			return names[i].name;
	return "unknown";
}

/* wav_format_decode reads a "fmt " chunk of `size` bytes; NULL, or the reason (in `why`) for
 * refusing it. */
static inline const char *wav_format_decode(
    const uint8_t *chunk, uint32_t size, struct wav_format *format, char *why, size_t why_size)
{
	*format = (struct wav_format){0};
	if (size < 16)
		return "the format chunk is too short";
	format->tag = wav_get16(chunk);
	format->channels = wav_get16(chunk + 2);
	format->rate_hz = wav_get32(chunk + 4);
	format->bits = wav_get16(chunk + 14);
	if (format->tag == WAV_EXTENSIBLE) {
		if (size < 40)
			return "the format chunk is too short";
		format->tag = wav_get16(chunk + 24);
	}
	if (format->tag != WAV_PCM && format->tag != WAV_FLOAT)
		snprintf(why, why_size,
		    "the samples are compressed (%s, format 0x%04x); PCM or float is needed",
		    wav_tag_name(format->tag), format->tag);
	else if (format->channels < 1 || format->channels > 2)
		snprintf(why, why_size, "the file has %u channels; mono or stereo is needed",
		    format->channels);
	else if (format->rate_hz < 8000 || format->rate_hz > 192000)
		snprintf(why, why_size, "%u samples per second is outside [8000, 192000]",
		    format->rate_hz);
	else if (format->tag == WAV_PCM ? format->bits % 8 || format->bits < 8 || format->bits > 32
	                                : format->bits != 32 && format->bits != 64)
		snprintf(why, why_size,
		    "%u-bit %s; 8, 16, 24 or 32-bit integers or 32 or 64-bit floats are needed",
		    format->bits, format->tag == WAV_PCM ? "integers" : "floats");
	else
		return NULL;
	return why;
}

/* wav_scan walks the chunks of an open file of `file_bytes` and fills *ret_format; NULL, or the
 * reason for refusing it (a constant, or written to `why`). */
static inline const char *wav_scan(
    FILE *file, uint64_t file_bytes, struct wav_format *ret_format, char *why, size_t why_size)
{
	uint8_t head[12], chunk[40];
	uint64_t at = 12;
	bool formatted = false;

	if (fread(head, 1, 12, file) != 12 || memcmp(head, "RIFF", 4) ||
	    memcmp(head + 8, "WAVE", 4))
		return "not a WAV file (no RIFF/WAVE header)";
	while (fseek(file, (long)at, SEEK_SET) == 0 && fread(head, 1, 8, file) == 8) {
		const uint32_t size = wav_get32(head + 4);
		const uint32_t take = size < sizeof(chunk) ? size : (uint32_t)sizeof(chunk);

		at += 8;
		if (!memcmp(head, "data", 4)) {
			ret_format->data_bytes = size;
			if (!formatted)
				return "the data chunk comes before the format chunk";
			if (size > file_bytes - at) {
				snprintf(why, why_size,
				    "the file is truncated; the header promises %u bytes of "
				    "samples, but the file has %llu",
				    size, (unsigned long long)(file_bytes - at));
				return why;
			}
			return size < (uint32_t)ret_format->channels * ret_format->bits / 8
			    ? "the file holds no samples"
			    : NULL;
		}
		if (!memcmp(head, "fmt ", 4)) {
			const char *refused;
			if (fread(chunk, 1, take, file) != take)
				return "the file is truncated inside the header";
			refused = wav_format_decode(chunk, size, ret_format, why, why_size);
			if (refused)
				return refused;
			formatted = true;
		}
		at += size + (uint64_t)(size & 1);
	}
	return formatted ? "the file is truncated and has no samples"
	                 : "the file is truncated and has no format";
}

#endif
