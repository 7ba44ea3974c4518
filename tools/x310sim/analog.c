/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/analog.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/bytes.h"

enum { IQ = 4, TONE_LEVEL = 8192 };

static enum analog_kind kind_of(const char *source)
{
	static const char *const names[] = {[ANALOG_ZEROS] = "zeros",
	    [ANALOG_TONE] = "tone",
	    [ANALOG_LOOP] = "loop",
	    [ANALOG_TICKS] = "ticks",
	    [ANALOG_SOUND] = "sound",
	    [ANALOG_FILE] = ""};
	unsigned kind = 0;

	while (kind < sizeof(names) / sizeof(names[0]) && strcmp(source, names[kind]) != 0)
		kind++;
	return kind < sizeof(names) / sizeof(names[0]) ? (enum analog_kind)kind : ANALOG_FILE;
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

int analog_open(struct analog *analog, const struct analog_options *options)
{
	int rc = 0;

	*analog = (struct analog){.kind = kind_of(options->source)};
	fill_tone(analog);
	if (analog->kind == ANALOG_LOOP &&
	    !(analog->loop = calloc(ANALOG_CHANNELS, (size_t)ANALOG_RING * IQ)))
		rc = -ENOMEM;
	if (analog->kind == ANALOG_FILE &&
	    !(analog->source = open_file(analog, options->source, "rbe")))
		rc = -errno;
	if (analog->kind == ANALOG_SOUND)
		rc = sound_open(&analog->sound, &options->sound);
	if (rc == 0 && options->record &&
	    !(analog->record = open_file(analog, options->record, "wbe")))
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
	sound_close(&analog->sound);
	analog->source = analog->record = NULL;
	analog->loop = NULL;
	return -analog->write_error;
}

static uint8_t *in_loop(struct analog *analog, unsigned channel, uint64_t sample)
{
	return analog->loop + ((size_t)channel * ANALOG_RING + sample % ANALOG_RING) * IQ;
}

static void transmit_loop(
    struct analog *analog, unsigned channel, uint64_t sample, const uint8_t *iq, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		memcpy(in_loop(analog, channel, sample + i), iq + IQ * i, IQ);
}

void analog_transmit(struct analog *analog, unsigned channel, uint64_t tick, uint32_t divide,
    const uint8_t *iq, uint32_t n)
{
	int rc = 0;

	if (analog->record && channel == 0 && fwrite(iq, IQ, n, analog->record) != n)
		rc = -errno;
	if (analog->kind == ANALOG_LOOP)
		transmit_loop(analog, channel, tick / divide, iq, n);
	else if (analog->kind == ANALOG_TICKS)
		latency_take(&analog->latency[channel], channel, tick, divide, iq, n);
	else if (analog->kind == ANALOG_SOUND && rc == 0)
		rc = sound_transmit(&analog->sound, channel, tick / divide, iq, n);
	if (rc < 0 && !analog->write_error)
		analog->write_error = -rc;
}

/* What was read from the loop is silence until it is written again. */
static void receive_loop(
    struct analog *analog, unsigned channel, uint64_t sample, uint8_t *ret_iq, uint32_t n)
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

void analog_receive(struct analog *analog, unsigned channel, uint64_t tick, uint32_t divide,
    uint8_t *ret_iq, uint32_t n)
{
	const uint64_t sample = tick / divide;

	switch (analog->kind) {
	case ANALOG_ZEROS:
		memset(ret_iq, 0, (size_t)n * IQ);
		break;
	case ANALOG_TONE:
		receive_tone(analog, sample, ret_iq, n);
		break;
	case ANALOG_LOOP:
		receive_loop(analog, channel, sample, ret_iq, n);
		break;
	case ANALOG_FILE:
		receive_file(analog, ret_iq, n);
		break;
	case ANALOG_TICKS:
		latency_mark(channel, tick, divide, ret_iq, n);
		break;
	case ANALOG_SOUND:
		sound_receive(&analog->sound, channel, sample, ret_iq, n);
		break;
	}
}
