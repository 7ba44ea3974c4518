/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/x310loop/loop.h - what is heard is played again `advance` later, in a loop over
 * platforms/x310 that does nothing else: what a host can do at best.
 *
 * 	look --> packets? --> those that can still be in time --> copied --> sent --> given back
 * 	  ^       |
 * 	  +-------+ none: a packet is held ready for the answer and its way looked at, as ALOE does
 * 	            before the edge; the time between two looks is what the machine itself costs
 */
#ifndef TOOLS_BENCH_X310LOOP_LOOP_H
#define TOOLS_BENCH_X310LOOP_LOOP_H

#include "core/base/hist.h"
#include "platforms/x310/channel.h"

#define LOOP_LONG_NS 6200 /* a look: the longest host delay that was published */

/* what is done with a packet's samples on the way; complex int16, low byte first */
struct loop_work {
	void (*pass)(void *self, const uint8_t *iq, uint8_t *ret_iq, uint32_t n);
	void *self;
};

struct loop_options {
	struct transport_address device, own;
	const char *port, *eal; /* DPDK; NULL: kernel UDP */
	uint32_t samples;       /* in a packet */
	uint32_t ticks_per_sample;
	uint64_t advance_ticks; /* from when a packet was heard to when it is played */
	uint64_t ns;
	bool initialised;             /* by UHD */
	const struct loop_work *work; /* NULL: they are copied */
};

struct x310_loop {
	struct loop_options options;
	struct transport *transport;
	struct x310_channel radio;
	struct packet held; /* for the next answer */
	bool holds;
	uint64_t ns; /* streamed */
	uint64_t packets, samples;
	/* packets that could not be played in time any more, and were not sent */
	uint64_t skipped;
	uint64_t shut;     /* for which there was no room in the device, or on the way to it */
	struct hist delay; /* from when a packet was in hand to when it had been sent */
	struct hist whole; /* from the beginning of the look that found it */
	uint64_t looks, looks_long, look_max_ns;
	uint64_t starts;
};

/* loop_open: 0, or -errno with the reason in ret_why (TRANSPORT_WHY bytes); to be closed in either
 * case. */
int loop_open(struct x310_loop *loop, const struct loop_options *options, char *ret_why);
void loop_pass(struct x310_loop *loop);
void loop_close(struct x310_loop *loop);

#endif
