/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/analog.h - what lies behind the antenna connectors of all devices: a tone, nothing,
 * a file, a wire from transmitter to receiver, or one of two probes, by which what is played tells
 * of what was heard (latency.h, sound.h); and a file of all that was transmitted. Samples are
 * complex int16.
 */
#ifndef TOOLS_X310SIM_ANALOG_H
#define TOOLS_X310SIM_ANALOG_H

#include <stdint.h>
#include <stdio.h>

#include "tools/x310sim/latency.h"
#include "tools/x310sim/sound.h"

enum { ANALOG_CHANNELS = 8, ANALOG_RING = 1 << 20, ANALOG_TONE_PERIOD = 16 };

enum analog_kind {
	ANALOG_ZEROS,
	ANALOG_TONE,
	ANALOG_LOOP,
	ANALOG_FILE,
	ANALOG_TICKS,
	ANALOG_SOUND
};

struct analog_options {
	/* zeros, tone, loop, ticks, sound, or the path of a file of complex int16 */
	const char *source;
	const char *record; /* path, or NULL */
	struct sound_options sound;
};

struct analog {
	enum analog_kind kind;
	/* record: what channel 0 transmits, without the silence between bursts */
	FILE *source, *record;
	uint8_t *loop; /* ANALOG_RING samples of each channel */
	uint8_t tone[ANALOG_TONE_PERIOD * 4];
	struct latency latency[ANALOG_CHANNELS];
	struct sound sound;
	uint64_t read_short; /* samples that the file did not have */
	const char *failed;  /* path that analog_open could not open */
	int write_error;     /* errno: of the record, of what a sounding keeps */
};

/* analog_open: 0; or -errno with analog->failed (NULL: no memory), and nothing need be closed. */
int analog_open(struct analog *analog, const struct analog_options *options);
int analog_close(struct analog *analog); /* 0, or -errno of what could not be written */

/* n samples of a channel, the first at `tick`, the others `divide` ticks apart. */
void analog_transmit(struct analog *analog, unsigned channel, uint64_t tick, uint32_t divide,
    const uint8_t *iq, uint32_t n);
void analog_receive(struct analog *analog, unsigned channel, uint64_t tick, uint32_t divide,
    uint8_t *ret_iq, uint32_t n);

#endif
