/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/analog.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "platforms/x310/bytes.h"

enum { IQ = 4, TONE_LEVEL = 8192 };

static enum analog_kind kind_of(const char *source)
{
	if (strcmp(source, "zeros") == 0)
		return ANALOG_ZEROS;
	if (strcmp(source, "tone") == 0)
		return ANALOG_TONE;
	return strcmp(source, "loop") == 0 ? ANALOG_LOOP : ANALOG_FILE;
}

static FILE *open_file(struct analog *analog, const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);

	if (file == NULL)
		analog->failed = path;
	return file;
}

static void fill_tone(struct analog *analog)
{
	for (int i = 0; i < ANALOG_TONE_PERIOD; i++) {
		const double phase = 2 * M_PI * i / ANALOG_TONE_PERIOD;
		put_le16(analog->tone + IQ * i, (uint16_t)lrint(TONE_LEVEL * cos(phase)));
		put_le16(analog->tone + IQ * i + 2, (uint16_t)lrint(TONE_LEVEL * sin(phase)));
	}
}

int analog_open(struct analog *analog, const char *source, const char *record)
{
	int rc = 0;

	*analog = (struct analog){.kind = kind_of(source)};
	fill_tone(analog);
	if (analog->kind == ANALOG_LOOP && !(analog->loop = calloc(ANALOG_CHANNELS, (size_t)ANALOG_RING * IQ)))
		rc = -ENOMEM;
	if (analog->kind == ANALOG_FILE && !(analog->source = open_file(analog, source, "rbe")))
		rc = -errno;
	if (rc == 0 && record && !(analog->record = open_file(analog, record, "wbe")))
		rc = -errno;
	if (rc < 0)
		(void)analog_close(analog);
	return rc;
}

int analog_close(struct analog *analog)
{
	if (analog->source)
		fclose(analog->source);
	if (analog->record && fclose(analog->record) != 0 && !analog->write_error)
		analog->write_error = errno;
	free(analog->loop);
	return -analog->write_error;
}

static uint8_t *in_loop(struct analog *analog, unsigned channel, uint64_t sample)
{
	return analog->loop + ((size_t)channel * ANALOG_RING + sample % ANALOG_RING) * IQ;
}

void analog_transmit(struct analog *analog, unsigned channel, uint64_t tick, uint32_t divide, const uint8_t *iq,
		     uint32_t n)
{
	if (analog->record && channel == 0 && fwrite(iq, IQ, n, analog->record) != n && !analog->write_error)
		analog->write_error = errno;
	if (analog->kind != ANALOG_LOOP)
		return;
	for (uint32_t i = 0; i < n; i++)
		memcpy(in_loop(analog, channel, tick / divide + i), iq + IQ * i, IQ);
}

/* What was read from the loop is silence until it is written again. */
static void receive_loop(struct analog *analog, unsigned channel, uint64_t sample, uint8_t *ret_iq, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *at = in_loop(analog, channel, sample + i);
		memcpy(ret_iq + IQ * i, at, IQ);
		memset(at, 0, IQ);
	}
}

static void receive_file(struct analog *analog, uint8_t *ret_iq, uint32_t n)
{
	size_t got = fread(ret_iq, IQ, n, analog->source);

	if (got < n) { /* from its beginning again */
		rewind(analog->source);
		got += fread(ret_iq + IQ * got, IQ, n - got, analog->source);
	}
	memset(ret_iq + IQ * got, 0, (n - got) * IQ);
	analog->read_short += n - got;
}

static void receive_tone(const struct analog *analog, uint64_t sample, uint8_t *ret_iq, uint32_t n)
{
	uint32_t at = sample % ANALOG_TONE_PERIOD;

	while (n > 0) {
		const uint32_t part = ANALOG_TONE_PERIOD - at < n ? ANALOG_TONE_PERIOD - at : n;

		memcpy(ret_iq, analog->tone + IQ * at, IQ * part);
		ret_iq += IQ * part;
		n -= part;
		at = 0;
	}
}

void analog_receive(struct analog *analog, unsigned channel, uint64_t tick, uint32_t divide, uint8_t *ret_iq,
		    uint32_t n)
{
	const uint64_t sample = tick / divide;

	if (analog->kind == ANALOG_LOOP) {
		receive_loop(analog, channel, sample, ret_iq, n);
	} else if (analog->kind == ANALOG_FILE) {
		receive_file(analog, ret_iq, n);
	} else if (analog->kind == ANALOG_ZEROS) {
		memset(ret_iq, 0, (size_t)n * IQ);
	} else {
		receive_tone(analog, sample, ret_iq, n);
	}
}
