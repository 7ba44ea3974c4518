/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/image/radio.h - the radio that is a waveform's clock: the program's row for each device, and
 * what its pace counts.
 */
#ifndef ALOE_IMAGE_RADIO_H
#define ALOE_IMAGE_RADIO_H

#include <stdatomic.h>
#include <stdint.h>

#include "core/image/margin.h"

enum {
	IMAGE_RADIOS_MAX = 2,
	IMAGE_RADIO_CHANNELS_MAX = 4, /* of all radios together */
	IMAGE_RADIO_LATES = 64,
	IMAGE_RADIO_TROUBLES = 12, /* texts of a channel; the first stands for none */
	IMAGE_RADIO_TROUBLE = 256, /* bytes of a text */
};

/* A device of the radio that is the clock. Its settings are the driver's, in radio_text. */
struct image_radio {
	uint32_t claim; /* text: what only one waveform may have at a time; "" */
	uint32_t n_channels;
};

/* Of the radio that is the clock: written by the host's lane, now and then. */
enum image_radio_count {
	RADIO_COUNT_PACKETS,   /* received in time */
	RADIO_COUNT_LOST,      /* missing by their numbers */
	RADIO_COUNT_REORDERED, /* came behind their successors */
	RADIO_COUNT_BEHIND,    /* came when their slot had run already */
	RADIO_COUNT_OVERRUNS,  /* the device stopped receiving, and was started again */
	RADIO_COUNT_UNSIZED,   /* losses of samples whose number the device does not say */
	RADIO_COUNT_SENT,      /* packets */
	RADIO_COUNT_NO_ROOM,   /* not sent: the way out was full */
	RADIO_COUNT_TX_LATE,   /* came to the device after their time */
	RADIO_COUNT_UNDERRUNS, /* the device had nothing to send */
	RADIO_COUNT_SEQUENCE,  /* the device missed some, or got them out of order */
	RADIO_COUNT_RESTARTS,  /* the device was silent, and set up anew */
	RADIO_COUNT_FAILED,    /* attempts to set it up that led to nothing */
	RADIO_COUNTS
};

struct image_radio_late {
	_Atomic uint64_t slot, late_ns; /* slot + 1 */
};

struct image_radio_state {
	_Atomic uint64_t channel[IMAGE_RADIO_CHANNELS_MAX][RADIO_COUNTS];
	_Atomic uint64_t n_channels;
	_Atomic uint64_t caught_up; /* slots that ran at once, as their samples had been waiting */
	/* slots that ran because time had passed, without all of their samples */
	_Atomic uint64_t flywheeled;
	_Atomic uint64_t partial; /* slots in which samples were missing */
	/* of a channel that does not stream: which of its texts says why; 0: it does */
	_Atomic uint64_t trouble[IMAGE_RADIO_CHANNELS_MAX];
	/* by slot: its samples had not come so long after they should have, by more than a quarter
	 * of a slot */
	struct image_radio_late late[IMAGE_RADIO_LATES];
	/* Time left when the lane is done with a slot of which samples were sent, until the radio
	 * transmits the first of them, by the clock of this machine. The way of samples from and to
	 * the radio is not known; both ways together have to fit in. */
	struct image_margin margin;
	/* written when the radio is opened */
	char troubles[IMAGE_RADIO_CHANNELS_MAX][IMAGE_RADIO_TROUBLES][IMAGE_RADIO_TROUBLE];
};

#endif
