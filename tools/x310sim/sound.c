/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/sound.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"

enum { IQ = 4 };

/* exp(-i pi r n^2 / N) with r odd and N a power of two: of period N, with a flat spectrum. */
static void write_sequence(uint8_t *iq, uint32_t length)
{
	const uint64_t root = (length * 3 / 8) | 1;

	for (uint64_t n = 0; n < length; n++) {
		const double phase = -M_PI * (double)(root * n * n % (2 * length)) / length;

		put_le16(iq + IQ * n, (uint16_t)lrint(SOUND_LEVEL * cos(phase)));
		put_le16(iq + IQ * n + 2, (uint16_t)lrint(SOUND_LEVEL * sin(phase)));
	}
}

int sound_open(struct sound *sound, const struct sound_options *options)
{
	*sound =
	    (struct sound){.options = *options, .sequence = malloc((size_t)options->length * IQ)};
	if (sound->sequence == NULL)
		return -ENOMEM;
	write_sequence(sound->sequence, options->length);
	return 0;
}

void sound_close(struct sound *sound)
{
	for (int i = 0; i < SOUND_CHANNELS; i++) {
		free(sound->channels[i].iq);
		free(sound->channels[i].first);
	}
	free(sound->sequence);
	*sound = (struct sound){.sequence = NULL};
}

void sound_receive(
    const struct sound *sound, unsigned channel, uint64_t sample, uint8_t *ret_iq, uint32_t n)
{
	const uint32_t length = sound->options.length, early = channel * (length / SOUND_CHANNELS);
	uint32_t at = (uint32_t)((sample + early) % length);

	while (n > 0) {
		const uint32_t part = length - at < n ? length - at : n;

		memcpy(ret_iq, sound->sequence + (size_t)IQ * at, (size_t)IQ * part);
		ret_iq += (size_t)IQ * part;
		n -= part;
		at = 0;
	}
}

static int begin(struct sound_channel *channel, const struct sound_options *options)
{
	channel->iq = calloc(options->keep, (size_t)options->length * IQ);
	channel->first = calloc(options->keep, sizeof(*channel->first));
	if (channel->iq != NULL && channel->first != NULL)
		return 0;
	free(channel->iq);
	free(channel->first);
	channel->iq = NULL;
	channel->first = NULL;
	return -ENOMEM;
}

/* What was played before does not belong to what is played now. */
static void seam(struct sound_channel *channel, uint64_t sample, uint32_t length)
{
	channel->seams += channel->next != 0;
	channel->at = 0;
	channel->wait = sample + length;
}

int sound_transmit(
    struct sound *sound, unsigned channel, uint64_t sample, const uint8_t *iq, uint32_t n)
{
	struct sound_channel *c = &sound->channels[channel];
	const uint32_t length = sound->options.length;

	if (c->iq == NULL && begin(c, &sound->options) < 0)
		return -ENOMEM;
	if (sample != c->next)
		seam(c, sample, length);
	c->next = sample + n;
	while (n > 0 && c->kept < sound->options.keep) {
		const uint32_t skip = sample >= c->wait ? 0
		    : c->wait - sample < n              ? (uint32_t)(c->wait - sample)
		                                        : n;
		const uint32_t room = length - c->at, part = n - skip < room ? n - skip : room;

		memcpy(c->iq + ((size_t)c->kept * length + c->at) * IQ, iq + (size_t)IQ * skip,
		    (size_t)IQ * part);
		c->first[c->kept] = c->at ? c->first[c->kept] : sample + skip;
		c->at += part;
		sample += skip + part;
		iq += (size_t)IQ * (skip + part);
		n -= skip + part;
		if (c->at < length)
			continue;
		c->wait = sample + (uint64_t)(sound->options.every - 1) * length;
		c->kept++;
		c->at = 0;
	}
	return 0;
}
