/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/radio.h - a channel of the device over a door: its registers and its two streams put together. Bursts of
 * data packets come out and go in, where they lie; everything else is done inside. No clock, no socket, no thread.
 *
 *	            radio_receive -> data packets -> radio_release
 *	door <----> control, STRC, STRS, MGMT        (answered, sent when due)
 *	            radio_get -> samples written -> radio_send ... radio_flush
 *
 * Two directions may differ in samples per packet. A packet that the way out does not take stays first in line, and
 * radio_get gives nothing until it has gone: nothing else is kept on the host's side.
 */
#ifndef PLATFORMS_X310_RADIO_H
#define PLATFORMS_X310_RADIO_H

#include "core/platform/door.h"
#include "platforms/x310/control.h"

enum { RADIO_HEADER = CHDR_HEADER + CHDR_TIMESTAMP, RADIO_IQ = 4 /* bytes of a sample, sc16 */ };

struct radio_options {
	struct door_address device;
	struct endpoint
	    endpoint; /* of the streams; own: the first of three, for control, Rx and Tx */
	uint16_t
	    control_device;    /* the endpoint that takes register accesses, the device's first, */
	uint16_t control_port; /* if that is another; port 0: it is the same */
	bool initialised;      /* by UHD: the rates stay as they are */
	uint16_t block;        /* control port of the radio: 4, 7; its DUC and DDC lie before it */
	uint16_t channel;      /* of the radio: 0, 1 */
	bool rx, tx;
	bool listen; /* rx alone, that another host has set up: nothing is said to the device */
	struct stream_total window;    /* Rx: what the door can hold */
	struct stream_total frequency; /* Rx: how often we report */
	bool lossy;
	enum tx_policy policy;
	bool stop_on_seqerr;
};

struct radio_counts {
	uint64_t malformed; /* no CHDR packet */
	uint64_t
	    nobodys; /* for an endpoint that is none of ours, or where we listen to another device */
	uint64_t no_buffers; /* control packets that found no buffer; they are sent again */
	uint64_t
	    realigned;   /* bursts that were ended because the device is out of time (TX_REALIGN) */
	uint64_t breaks; /* bursts that were ended because the next packet does not follow */
};

struct radio {
	struct radio_options options;
	struct door *door;
	struct control control;
	struct rx_stream rx;
	struct tx_stream tx;
	struct packet out[2 * DOOR_BURST]; /* control, and what was got before */
	unsigned n_out, n_held;            /* the first n_held were not taken last time */
	uint32_t ticks_per_sample;
	bool bursting;         /* a timed packet was sent, and no end of its burst */
	uint32_t last_samples; /* of the last packet sent */
	uint64_t last_ticks;
	struct radio_counts counts;
};

struct radio_packet {
	struct packet packet;
	uint64_t ticks; /* of its first sample */
	const uint8_t *iq;
	uint32_t n;   /* samples */
	uint16_t gap; /* packets before it that are missing */
	bool eob;
};

void radio_open(
    struct radio *radio, const struct radio_options *options, struct door *door, uint64_t now_ns);

/* radio_drop gives back what is in line, before the radio is opened once more. */
void radio_drop(struct radio *radio);

/* radio_ready: all streams that were asked for stand and every register has been written. radio_failed: why not, or NULL. */
bool radio_ready(const struct radio *radio);
/* radio_idle: every register has been written. */
bool radio_idle(const struct radio *radio);
const char *radio_failed(const struct radio *radio);

/* radio_configure writes samples per packet (Rx), ticks per sample (both ways, unless UHD has) and who is to hear of errors:
 * us. */
void radio_configure(struct radio *radio, uint32_t spp, uint32_t ticks_per_sample);
/* radio_start: continuous, at `ticks`, or at once (0). After an overrun, or a command that was late, again. */
void radio_start(struct radio *radio, uint64_t ticks);
void radio_stop(struct radio *radio);

/* radio_receive takes what has come and sends what is due: data packets in order, at most n (DOOR_BURST). Also to be called
 * when none are expected, at least every 10 ms. radio_release gives them back, any number, of one burst or several. */
unsigned radio_receive(struct radio *radio, uint64_t now_ns, struct radio_packet *ret, unsigned n);
void radio_release(struct radio *radio, const struct radio_packet *packets, unsigned n);

/* radio_get gives packets to be filled, as many as window and door have room for: samples are written at radio_iq. All of
 * them are sent before it is called again. radio_send puts one in line. With ticks it is played then; UINT64_MAX: at once. A device
 * looks at the time of a burst's first packet alone: where one does not follow the one before it, the burst is ended. */
unsigned radio_get(struct radio *radio, uint32_t samples, struct packet *ret, unsigned n);
static inline uint8_t *radio_iq(const struct packet *packet)
{
	return packet->bytes + RADIO_HEADER;
}
void radio_send(
    struct radio *radio, struct packet *packet, uint32_t samples, uint64_t ticks, bool eob);
void radio_flush(struct radio *radio);

#endif
