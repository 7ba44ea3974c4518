/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/platform/front.h - how samples come from a radio and go to it: packets with time stamps, where they lie.
 *
 *	receive --> [packets] --> release            of each channel, in order
 *	place --> samples written --> send ... flush
 *
 * Platforms answer (platforms/x310 by daemons/host/front.c), core/slot/radio_pace asks. A front belongs to one thread, nothing
 * waits. Samples are complex, 16 bits each, low byte first.
 */
#ifndef ALOE_PLATFORM_FRONT_H
#define ALOE_PLATFORM_FRONT_H

#include "core/platform/door.h"

enum { FRONT_CHANNELS_MAX = 4 };

struct front_packet {
	struct packet packet;
	const uint8_t *iq;
	uint64_t ticks; /* of its first sample */
	uint32_t samples;
	uint32_t gap; /* packets before it that are missing */
};

/* Since it was started, of one channel. */
struct front_counts {
	uint64_t overruns;  /* it had to stop receiving, and was started again */
	uint64_t late;      /* packets that it got after their time, and left out */
	uint64_t underruns; /* it had nothing to send, and should have */
	uint64_t sequence;  /* reports of packets that are missing, or out of order */
	uint64_t restarts;  /* it was silent, and set up anew */
};

struct front {
	const struct front_kind *kind;
	uint32_t channels;
	uint32_t ticks_per_sample;
	uint64_t start_ticks; /* of the first sample asked for; 0: when it comes */
	bool
	    on_grid; /* slots begin at whole multiples of their length: others who hear the same have the same */
};

struct front_kind {
	uint64_t (*clock)(struct front *front); /* nanoseconds, in which packets are waited for */
	/* start asks for samples from now on, without end. */
	void (*start)(struct front *front);
	/* receive gives what has come, at most n (DOOR_BURST); to be called now and then whether samples are wanted or not. What
	 * is given back need not be all of it, nor of one call. */
	unsigned (*receive)(struct front *front, uint32_t channel, uint64_t now_ns,
	    struct front_packet *ret, unsigned n);
	void (*release)(
	    struct front *front, uint32_t channel, const struct front_packet *packets, unsigned n);
	/* place gives room for one packet's samples, NULL: there is none. What was placed is sent before the next is asked for.
	 * send puts it in line, with the time at which it is to be played; UINT64_MAX: at once. */
	uint8_t *(*place)(struct front *front, uint32_t channel);
	void (*send)(struct front *front, uint32_t channel, uint32_t samples, uint64_t ticks);
	void (*flush)(struct front *front);
	void (*count)(struct front *front, uint32_t channel, struct front_counts *ret);
};

#endif
