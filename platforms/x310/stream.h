/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/stream.h - the host's side of a device's two streams: set-up, flow control, loss,
 * recovery. Pure state machines: packets and time go in, packets come out; whoever calls sends
 * them.
 *
 * 	            advertise    route own   [claim]   route device    configure
 *         IDLE --open--> ADVERTISE --> OWN --> CLAIM --> DEVICE --> CONFIGURE --> INIT --> (Rx:
 *                           CHECK) --> READY
 *         any request that is not answered, an endpoint that is none, a refusal --> FAILED (`why`)
 *         INIT, CHECK (Rx) --no INIT, or still pending, after REQUEST_RETRY_NS--> CONFIGURE; after
 *                           RX_TRIES_BEFORE_RESET with a reset of the endpoint's output; after
 *                           REQUEST_TRIES --> FAILED
 *         INIT (Tx) --no answer to TX_INIT_TRIES--> CONFIGURE with a reset of the endpoint's
 *                           input; the second time --> FAILED
 *         READY --restart (a stall, a sequence error in stop mode)--> CONFIGURE (Rx), INIT (Tx)
 *
 * Rx: the device says INIT (STRC), perhaps before it answers the configuration; we answer with our
 * capacity (STRS); CHECK reads its register until it is no longer pending. Only then may the radio
 * be told to stream. The device waits for our answer without end and says INIT once: if either is
 * lost it is configured again. Tx: we say INIT (STRC) and are silent until the device answers with
 * its capacity (STRS); it takes at least 87.4 us. While its capacity is not known the first INIT
 * asks for no reports, a second one for a report each eighth of it.
 *
 * Totals count packets and bytes, each packet rounded up to 8 bytes. PING and RESYNC count as well,
 * INIT does not. Source: UHD 4.x (rx_flow_ctrl_state, tx_flow_ctrl_state, chdr_rx_data_xport,
 * chdr_tx_data_xport) and its FPGA (chdr_stream_input.v, chdr_stream_output.v).
 */
#ifndef PLATFORMS_X310_STREAM_H
#define PLATFORMS_X310_STREAM_H

#include "platforms/x310/request.h"

enum stream_phase {
	STREAM_IDLE,
	STREAM_ADVERTISE,
	STREAM_OWN,
	STREAM_CLAIM,
	STREAM_DEVICE,
	STREAM_CONFIGURE,
	STREAM_INIT,
	STREAM_CHECK,
	STREAM_READY,
	STREAM_FAILED
};

enum { STREAM_PACKET_MAX = CHDR_MGMT_BYTES_MAX }; /* room that a poll needs */

struct stream_total {
	uint64_t bytes, pkts;
};

/* For the two streams alone. stream_ask writes the request of ADVERTISE .. DEVICE; false: the phase
 * has none of those. stream_after gives the phase after one that was answered. stream_is_endpoint
 * reads the answer of DEVICE. */
bool stream_ask(struct request *request, const struct endpoint *endpoint, enum stream_phase phase);
enum stream_phase stream_after(const struct endpoint *endpoint, enum stream_phase phase);
bool stream_is_endpoint(const struct chdr_mgmt *answer);

/* ---- from the device ------------------------------------------------------------------------ */

struct rx_options {
	struct endpoint endpoint;
	struct stream_total capacity;  /* of what receives: 40 bit, 24 bit */
	struct stream_total frequency; /* how often we report; 0 and 0: the device runs free */
	bool lossy;                    /* the device says its totals (RESYNC) every `capacity` */
	bool listen;                   /* somebody else has the stream, and we hear it */
};

struct rx_counts {
	uint64_t packets, bytes;        /* data, as they came */
	uint64_t lost;                  /* gaps in the sequence */
	uint64_t reordered;             /* came behind their successors: not lost */
	uint64_t old;                   /* came again or too late: not to be used */
	uint64_t resyncs, resync_bytes; /* totals corrected by so much */
	uint64_t reports;               /* STRS sent */
	uint64_t restarts;              /* heard to begin anew */
};

enum rx_verdict {
	RX_NEXT, /* the next packet */
	RX_GAP,  /* it is good; `gap` packets before it are missing, or 65536 more */
	RX_LATE, /* it was missing: others have overtaken it; it is no longer counted as lost */
	RX_OLD,  /* less than RX_FAR behind, and not missing: it came twice; drop it */
	RX_EARLY /* the stream is not ready: drop it */
};

enum { RX_FAR = 1024, RX_LISTEN_FIRST = 64, RX_TRIES_BEFORE_RESET = 2 };

struct rx_stream {
	struct rx_options options;
	enum stream_phase phase;
	const char *why;
	struct request request;
	uint16_t request_seq, strs_seq, next_seq;
	uint16_t gap;         /* of the last RX_GAP */
	bool heard;           /* the first packet, where we listen */
	bool answer_init;     /* STRS is due in answer to INIT */
	bool init_answered;   /* it has been sent */
	unsigned tries;       /* configured so often */
	uint64_t deadline_ns; /* of INIT, of CHECK: configured again then */
	struct stream_total received, released, reported;
	uint64_t missing[RX_FAR / 64]; /* a bit for each of the last RX_FAR sequence numbers */
	struct rx_counts counts;
};

/* rx_open: also of one that is open already, for a window lost whole never opens again by itself.
 * One that listens is READY at once, says nothing, and begins with whatever packet it hears first.
 * It begins anew, for the stream did, with one that is RX_FAR or more behind, or as far ahead and
 * one of the first RX_LISTEN_FIRST. */
void rx_open(struct rx_stream *rx, const struct rx_options *options, uint64_t now_ns);

/* rx_poll writes the next packet that is due, at most STREAM_PACKET_MAX bytes, and gives its
 * length; 0: none. Call it until it gives 0, after each packet taken and at least every 10 ms while
 * the stream is being opened. */
size_t rx_poll(struct rx_stream *rx, uint64_t now_ns, uint8_t *bytes);

/* rx_control takes a MGMT or STRC packet for our endpoint; anything else it leaves alone. */
void rx_control(struct rx_stream *rx, uint64_t now_ns, const struct chdr_packet *packet);

/* rx_data counts a data packet, from its header alone; its buffer is given back with rx_release,
 * when nobody needs it. */
enum rx_verdict rx_data(struct rx_stream *rx, const struct chdr_header *header);
void rx_release(struct rx_stream *rx, uint32_t length);

/* ---- to the device ------------------------------------------------------------------------ */

/* What a sequence error that the device reports leads to. With stop_on_seqerr the device goes on
 * only after INIT, so that the first two are TX_REINIT. */
enum tx_policy {
	TX_GO_ON, /* nothing: the samples after it play early by what was lost */
	/* the burst is ended: the next one is played at its timestamp, and nothing is discarded */
	TX_REALIGN,
	TX_REINIT,      /* one INIT: all that is on its way is discarded, then it begins anew */
	TX_REINIT_TWICE /* INIT for the capacity, INIT for the reports: as published for UHD */
};

#define TX_INIT_RETRY_NS 200000000ull
#define TX_PING_NS 1000000ull      /* the window is shut for so long: a report was lost */
#define TX_SILENCE_NS 200000000ull /* and no PING was answered for so long: INIT */
enum { TX_INIT_TRIES = 5, TX_RESETS = 1 /* of an endpoint that does not answer so many INITs */ };
enum {
	TX_COMMAND_ROOM = 128, /* of the window, for PING and RESYNC alone */
	TX_REPORTS = 8         /* the device says what it has consumed so often in a window */
};

struct tx_options {
	struct endpoint endpoint;
	uint64_t capacity_bytes; /* if known beforehand; 0: asked for */
	bool stop_on_seqerr;     /* FPGA of UHD 4.9 and later: it discards from the error on */
	enum tx_policy policy;
};

struct tx_counts {
	uint64_t packets, bytes; /* data */
	uint64_t reports, seqerr, rterr, other_errors;
	uint64_t resyncs, pings, inits;
	uint64_t stalls; /* INIT because the device said nothing any more */
	/* packets by which the device's reports say that it was too early or too late */
	uint64_t slips;
};

struct tx_stream {
	struct tx_options options;
	enum stream_phase phase;
	const char *why;
	struct request request;
	uint16_t request_seq, strc_seq, data_seq;
	uint64_t capacity;  /* bytes, as the device says */
	bool asks_capacity; /* INIT that waits for an answer asks for no reports */
	unsigned tries, resets;
	uint64_t next_ns; /* INIT again; PING */
	uint64_t heard_ns;
	struct stream_total sent, acked;
	uint64_t since_resync; /* bytes */
	/* packets missing (< 0: too many) since the device last looked at a timestamp */
	int32_t slip;
	/* sequence of the first packet of the burst, or of a later one; packets that are missing
	 * before it do not count */
	uint16_t burst_seq;
	struct tx_counts counts;
};

void tx_open(struct tx_stream *tx, const struct tx_options *options, uint64_t now_ns);
void tx_restart(struct tx_stream *tx, uint64_t now_ns);
size_t tx_poll(struct tx_stream *tx, uint64_t now_ns, uint8_t *bytes);
void tx_control(struct tx_stream *tx, uint64_t now_ns, const struct chdr_packet *packet);

/* tx_room gives the bytes that may be sent now, 0 unless READY. tx_data takes a packet of `length`
 * bytes (header included) out of it and writes sequence and destination into the header. */
static inline uint64_t tx_room(const struct tx_stream *tx)
{
	const uint64_t out = tx->sent.bytes - tx->acked.bytes + TX_COMMAND_ROOM;

	return tx->phase == STREAM_READY && out < tx->capacity ? tx->capacity - out : 0;
}
void tx_data(struct tx_stream *tx, uint32_t length, struct chdr_header *header);

/* tx_aligned is to be called when the radio says that a burst has ended, by underrun or as it
 * should: the next packet is played at its timestamp. tx_burst: the next packet begins one, because
 * that before it has EOB. */
static inline void tx_aligned(struct tx_stream *tx)
{
	tx->slip = 0;
}
static inline void tx_burst(struct tx_stream *tx)
{
	tx->slip = 0;
	tx->burst_seq = tx->data_seq;
}

/* ---- what the radio says of itself ---- */

enum radio_event {
	RADIO_OTHER,
	RADIO_TX_UNDERRUN,
	RADIO_TX_LATE,
	RADIO_TX_BURST_END,
	RADIO_RX_LATE,
	RADIO_RX_OVERRUN
};

struct radio_message {
	enum radio_event event;
	unsigned channel;
	uint64_t time; /* ticks; 0 if it has none */
};

/* radio_message_parse reads an asynchronous message by the addresses that UHD has it sent to:
 * 0x0000 + 0x40 x channel for Tx, 0x1000 + 0x40 x channel for Rx. radio_message_ack turns it into
 * the acknowledgement that each must have: until then the radio says nothing more, and after an Rx
 * error it stays stopped. */
struct radio_message radio_message_parse(const struct chdr_ctrl *ctrl);
void radio_message_ack(struct chdr_ctrl *ctrl, uint16_t own, enum chdr_dialect dialect);

#endif
