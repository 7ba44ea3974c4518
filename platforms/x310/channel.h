/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/channel.h - a channel of the device over a transport: its registers and its two
 * streams put together. Bursts of data packets come out and go in, where they lie; everything else
 * is done inside. No clock, no socket, no thread.
 *
 * 	            x310_receive -> data packets -> x310_release
 * 	transport <----> control, STRC, STRS, MGMT        (answered, sent when due)
 * 	            x310_get -> samples written -> x310_send ... x310_flush
 *
 * Two directions may differ in samples per packet. A packet that the way out does not take stays
 * first in line, and x310_get gives nothing until it has gone: nothing else is kept on the host's
 * side.
 */
#ifndef PLATFORMS_X310_CHANNEL_H
#define PLATFORMS_X310_CHANNEL_H

#include "core/platform/radio.h"
#include "platforms/x310/survey.h"

enum { X310_HEADER = CHDR_HEADER + CHDR_TIMESTAMP };

struct x310_options {
	struct transport_address device;
	uint16_t own; /* the first of our three endpoints: for control, Rx and Tx */
	/* by UHD: the rates and the endpoint that takes accesses stay as they are */
	bool initialised;
	uint16_t number; /* of the channel: 2 x radio + channel of the radio */
	/* tx beside rx: only if something leads to the channel's transmitter, else it
	 * becomes false */
	bool rx, tx;
	/* rx alone, that another host has set up: nothing is said to the device */
	bool listen;
	/* what another host has left in the radio's block is cleared first, on both channels of the
	 * radio: packets that wait for a time that is not to come, a receiver that runs, a message
	 * that nobody will acknowledge (and behind which all others wait) */
	bool reset;
	struct stream_total window;    /* Rx: what the transport can hold */
	struct stream_total frequency; /* Rx: how often we report */
	bool lossy;
	enum tx_policy policy;
	bool stop_on_seqerr;
};

struct x310_counts {
	uint64_t malformed; /* no CHDR packet */
	/* for an endpoint that is none of ours, or where we listen to another device */
	uint64_t nobodys;
	uint64_t no_buffers; /* control packets that found no buffer; they are sent again */
	/* bursts that were ended because the device is out of time (TX_REALIGN) */
	uint64_t realigned;
	uint64_t breaks; /* bursts that were ended because the next packet does not follow */
};

struct x310_channel {
	struct x310_options options;
	struct transport *transport;
	struct survey survey; /* of the device: first of all */
	bool surveyed;        /* its control and its streams have begun */
	struct x310_path rx_path, tx_path;
	uint16_t block, channel; /* control port of the radio, and its channel */
	uint32_t spp;            /* to be written, with ticks_per_sample; 0: not known yet */
	struct control control;
	struct rx_stream rx;
	struct tx_stream tx;
	struct packet out[2 * TRANSPORT_BURST]; /* control, and what was got before */
	unsigned n_out, n_held;                 /* the first n_held were not taken last time */
	uint32_t ticks_per_sample;
	bool bursting;         /* a timed packet was sent, and no end of its burst */
	uint32_t last_samples; /* of the last packet sent */
	uint64_t last_ticks;
	struct x310_counts counts;
};

struct x310_packet {
	struct packet packet;
	uint64_t ticks; /* of its first sample */
	const uint8_t *iq;
	uint32_t n;     /* samples */
	uint16_t gap;   /* packets before it that are missing */
	bool overtaken; /* it was counted in the gap of one before it: it is not missing any more */
	bool eob;
};

/* x310_open: what the device consists of is found first (survey.h), then its streams are set up. */
void x310_open(struct x310_channel *radio, const struct x310_options *options,
    struct transport *transport, uint64_t now_ns);

/* x310_drop gives back what is in line, before the radio is opened once more. */
void x310_drop(struct x310_channel *radio);

/* x310_ready: all streams that were asked for stand and every register has been written.
 * x310_failed: why not, or NULL. */
bool x310_ready(const struct x310_channel *radio);
/* x310_idle: every register has been written. */
bool x310_idle(const struct x310_channel *radio);
const char *x310_failed(const struct x310_channel *radio);
/* x310_layout: what the device consists of; NULL: it is not known (yet). */
static inline const struct x310_layout *x310_layout(const struct x310_channel *radio)
{
	return radio->surveyed ? &radio->survey.layout : NULL;
}

/* x310_configure writes samples per packet (Rx), ticks per sample (both ways, unless UHD has) and
 * who is to hear of errors: us. */
void x310_configure(struct x310_channel *radio, uint32_t spp, uint32_t ticks_per_sample);
/* x310_start: continuous, at `ticks`, or at once (0). After an overrun, or a command that was
 * late, again. */
void x310_start(struct x310_channel *radio, uint64_t ticks);
void x310_stop(struct x310_channel *radio);

/* x310_receive takes what has come and sends what is due: data packets as they came, at most n
 * (TRANSPORT_BURST). Also to be called when none are expected, at least every 10 ms. x310_release
 * gives them back, any number, of one burst or several. */
unsigned x310_receive(
    struct x310_channel *radio, uint64_t now_ns, struct x310_packet *ret, unsigned n);
void x310_release(struct x310_channel *radio, const struct x310_packet *packets, unsigned n);

/* x310_has_room: window and line have room for another packet. x310_get gives packets to be filled,
 * as many as window and transport have room for: samples are written at x310_iq. All of them are
 * sent before it is called again. x310_send puts one in line. With ticks it is played then;
 * UINT64_MAX: at once. A device looks at the time of a burst's first packet alone: where one does
 * not follow the one before it, the burst is ended. */
bool x310_has_room(const struct x310_channel *radio, uint32_t samples);
unsigned x310_get(struct x310_channel *radio, uint32_t samples, struct packet *ret, unsigned n);
static inline uint8_t *x310_iq(const struct packet *packet)
{
	return packet->bytes + X310_HEADER;
}
void x310_send(
    struct x310_channel *radio, struct packet *packet, uint32_t samples, uint64_t ticks, bool eob);
void x310_flush(struct x310_channel *radio);

#endif
