/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/analog.h - what lies behind the antenna connectors: a tone, nothing, a file, or a wire from transmitter to
 * receiver; and a file of all that was transmitted. Samples are complex int16.
 */
#ifndef TOOLS_X310SIM_ANALOG_H
#define TOOLS_X310SIM_ANALOG_H

#include <stdint.h>
#include <stdio.h>

enum { ANALOG_CHANNELS = 4, ANALOG_RING = 1 << 20, ANALOG_TONE_PERIOD = 16 };

enum analog_kind { ANALOG_ZEROS, ANALOG_TONE, ANALOG_LOOP, ANALOG_FILE };

struct analog {
	enum analog_kind kind;
	FILE *source, *record; /* record: what channel 0 transmits, without the silence between bursts */
	uint8_t *loop;         /* ANALOG_RING samples of each channel */
	uint8_t tone[ANALOG_TONE_PERIOD * 4];
	uint64_t read_short; /* samples that the file did not have */
	const char *failed;  /* path that analog_open could not open */
	int write_error;     /* errno */
};

/* analog_open: "zeros", "tone", "loop" or the path of a file of complex int16; record may be NULL. 0; or -errno with
 * analog->failed, nothing to close. */
int analog_open(struct analog *analog, const char *source, const char *record);
int analog_close(struct analog *analog); /* 0, or -errno of what could not be written */

void analog_transmit(struct analog *analog, unsigned channel, uint64_t tick, uint32_t divide, const uint8_t *iq,
		     uint32_t n);
void analog_receive(struct analog *analog, unsigned channel, uint64_t tick, uint32_t divide, uint8_t *ret_iq,
		    uint32_t n);

#endif
