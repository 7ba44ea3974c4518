/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stream to the device. */
#include "platforms/x310/stream.h"

#include <errno.h>

enum { SEQ_REACH = 0x4000 };

static void stream_fail(struct tx_stream *tx, const char *why)
{
	tx->phase = STREAM_FAILED;
	tx->why = why;
	tx->request.open = false;
}

/* Silence from here until the device's answer: every packet that comes prolongs its flush. */
static void init_begin(struct tx_stream *tx, uint64_t now_ns, bool asks_capacity)
{
	tx->phase = STREAM_INIT;
	tx->asks_capacity = asks_capacity;
	tx->tries = 0;
	tx->next_ns = now_ns;
}

static void stream_configure(struct tx_stream *tx)
{
	request_to_device(&tx->request, &tx->options.endpoint);
	if (tx->resets > 0)
		request_write(&tx->request, SEP_RESET, SEP_RESET_IN);
	request_write(&tx->request, SEP_IN_CTRL, SEP_SWAP_U16);
	request_end(&tx->request);
}

static void stream_enter(struct tx_stream *tx, enum stream_phase phase, uint64_t now_ns)
{
	tx->phase = phase;
	if (phase == STREAM_CONFIGURE)
		stream_configure(tx);
	else if (!stream_ask(&tx->request, &tx->options.endpoint, phase)) {
		init_begin(tx, now_ns, tx->capacity == 0);
		return;
	}
	request_open(&tx->request, tx->request_seq++, now_ns);
}

void tx_open(struct tx_stream *tx, const struct tx_options *options, uint64_t now_ns)
{
	*tx = (struct tx_stream){.options = *options, .capacity = options->capacity_bytes};
	stream_enter(tx, STREAM_ADVERTISE, now_ns);
}

void tx_restart(struct tx_stream *tx, uint64_t now_ns)
{
	init_begin(tx, now_ns, tx->options.policy == TX_REINIT_TWICE || tx->capacity == 0);
}

/* ---- what comes ------------------------------------------------------------------------ */

static void init_answered(struct tx_stream *tx, const struct chdr_strs *strs, uint64_t now_ns)
{
	if (strs->status != CHDR_OKAY || strs->xfer_bytes || strs->xfer_pkts)
		return; /* of before the flush */
	if (strs->capacity_bytes <= TX_COMMAND_ROOM) {
		stream_fail(tx, "the endpoint has no buffer for data");
		return;
	}
	tx->capacity = strs->capacity_bytes;
	tx->sent = tx->acked = (struct stream_total){0, 0};
	tx->since_resync = 0;
	tx->data_seq = tx->strc_seq = 0;
	tx_burst(tx);
	if (tx->asks_capacity) {
		init_begin(tx, now_ns, false);
		return;
	}
	tx->phase = STREAM_READY;
	tx->resets = 0;
	tx->next_ns = now_ns + TX_PING_NS;
	tx->heard_ns = now_ns;
}

/* The sum of all such differences is what is missing: a packet that comes late is one too many, and
 * there was one too few before it. */
static void count_slip(struct tx_stream *tx, uint64_t info)
{
	const int16_t missing = (int16_t)((uint16_t)info - (uint16_t)(info >> 16));

	if (tx->options.stop_on_seqerr || (info >> 32 & 7) < CHDR_DATA ||
	    (int16_t)((uint16_t)info - tx->burst_seq) <= 0)
		return;
	tx->slip += missing;
	tx->counts.slips += (uint64_t)(missing < 0 ? -missing : missing);
}

static bool begins_anew(const struct tx_options *options)
{
	return options->stop_on_seqerr || options->policy == TX_REINIT ||
	    options->policy == TX_REINIT_TWICE;
}

static void status_take(struct tx_stream *tx, const struct chdr_strs *strs, uint64_t now_ns)
{
	tx->counts.reports++;
	tx->next_ns = now_ns + TX_PING_NS;
	tx->heard_ns = now_ns;
	if (strs->xfer_bytes > tx->acked.bytes &&
	    strs->xfer_bytes <= tx->sent.bytes) /* an old one does not turn back */
		tx->acked = (struct stream_total){strs->xfer_bytes, strs->xfer_pkts};
	switch (strs->status) {
	case CHDR_OKAY:
		return;
	case CHDR_SEQERR:
		tx->counts.seqerr++;
		count_slip(tx, strs->info);
		break;
	case CHDR_RTERR:
		tx->counts.rterr++;
		break;
	default:
		tx->counts.other_errors++;
	}
	if (strs->status == CHDR_SEQERR && begins_anew(&tx->options))
		tx_restart(tx, now_ns);
}

void tx_control(struct tx_stream *tx, uint64_t now_ns, const struct chdr_packet *packet)
{
	struct chdr_mgmt answer;
	struct chdr_strs strs;

	if (request_take(&tx->request, packet, &answer)) {
		if (tx->phase == STREAM_DEVICE && !stream_is_endpoint(&answer))
			stream_fail(
			    tx, "that port of the crossbar leads to no stream endpoint with data");
		else
			stream_enter(tx, stream_after(&tx->options.endpoint, tx->phase), now_ns);
		return;
	}
	if (packet->header.dst != tx->options.endpoint.own || chdr_strs_parse(packet, &strs) < 0 ||
	    strs.src != tx->options.endpoint.device)
		return;
	if (tx->phase == STREAM_INIT && tx->tries)
		init_answered(tx, &strs, now_ns);
	else if (tx->phase == STREAM_READY)
		status_take(tx, &strs, now_ns);
}

/* ---- what goes ------------------------------------------------------------------------ */

static size_t command_write(
    struct tx_stream *tx, enum chdr_op op, const struct stream_total *total, uint8_t *bytes)
{
	const struct endpoint *endpoint = &tx->options.endpoint;
	const bool stop = op == CHDR_INIT && tx->options.stop_on_seqerr;
	const struct chdr_strc strc = {
	    .src = endpoint->own,
	    .op = (uint8_t)op,
	    .op_data = stop ? CHDR_INIT_STOP_ON_SEQERR : 0,
	    .bytes = total->bytes,
	    .pkts = total->pkts,
	};

	return chdr_strc_write(
	    bytes, endpoint->device, op == CHDR_INIT ? 0 : tx->strc_seq++, &strc);
}

static size_t poll_init(struct tx_stream *tx, uint64_t now_ns, uint8_t *bytes)
{
	struct stream_total every = {
	    (tx->capacity + TX_REPORTS - 1) / TX_REPORTS, 0x1000000 / TX_REPORTS};

	if (now_ns < tx->next_ns)
		return 0;
	if (tx->tries == TX_INIT_TRIES && tx->resets < TX_RESETS) {
		tx->resets++;
		stream_enter(tx, STREAM_CONFIGURE, now_ns);
		return 0;
	}
	if (tx->tries == TX_INIT_TRIES) {
		stream_fail(tx, "the endpoint does not answer INIT");
		return 0;
	}
	if (tx->asks_capacity)
		every = (struct stream_total){0, 0};
	tx->tries++;
	tx->next_ns = now_ns + TX_INIT_RETRY_NS;
	tx->counts.inits++;
	return command_write(tx, CHDR_INIT, &every, bytes);
}

static void count_command(struct tx_stream *tx)
{
	tx->sent.bytes += CHDR_STRC_BYTES;
	tx->sent.pkts++;
}

/* Reports were lost, or the device is gone: asked, and at last begun anew. */
static size_t poll_shut(struct tx_stream *tx, uint64_t now_ns, bool room, uint8_t *bytes)
{
	static const struct stream_total none = {0, 0};

	if (now_ns - tx->heard_ns >= TX_SILENCE_NS) {
		tx->counts.stalls++;
		tx_restart(tx, now_ns);
		return poll_init(tx, now_ns, bytes);
	}
	if (!room)
		return 0;
	tx->next_ns = now_ns + TX_PING_NS;
	tx->counts.pings++;
	count_command(tx);
	return command_write(tx, CHDR_PING, &none, bytes);
}

static size_t poll_ready(struct tx_stream *tx, uint64_t now_ns, uint8_t *bytes)
{
	const uint64_t out = tx->sent.bytes - tx->acked.bytes;
	const bool room = out + CHDR_STRC_BYTES <= tx->capacity;
	size_t size = 0;

	if (out == 0) /* nothing to hear of */
		tx->heard_ns = now_ns;
	if (tx->since_resync >= tx->capacity && room) {
		size = command_write(tx, CHDR_RESYNC, &tx->sent, bytes);
		tx->since_resync = 0;
		tx->counts.resyncs++;
		count_command(tx);
	} else if (out && tx_room(tx) < CHDR_PACKET_MAX && now_ns >= tx->next_ns) {
		size = poll_shut(tx, now_ns, room, bytes);
	}
	return size;
}

static size_t poll_stream(struct tx_stream *tx, uint64_t now_ns, uint8_t *bytes)
{
	if (tx->phase == STREAM_INIT)
		return poll_init(tx, now_ns, bytes);
	return tx->phase == STREAM_READY ? poll_ready(tx, now_ns, bytes) : 0;
}

/* The stream may open a request instead: that is asked last. */
size_t tx_poll(struct tx_stream *tx, uint64_t now_ns, uint8_t *bytes)
{
	const size_t size = poll_stream(tx, now_ns, bytes);
	const int rc = size == 0 ? request_poll(&tx->request, now_ns, bytes) : 0;

	if (rc == -ETIMEDOUT)
		stream_fail(tx, "the device does not answer a management request");
	return rc > 0 ? (size_t)rc : size;
}

void tx_data(struct tx_stream *tx, uint32_t length, struct chdr_header *header)
{
	const uint32_t counted = chdr_counted(length);

	header->dst = tx->options.endpoint.device;
	header->seq = tx->data_seq++;
	if ((uint16_t)(tx->data_seq - tx->burst_seq) > SEQ_REACH)
		tx->burst_seq++;
	tx->sent.bytes += counted;
	tx->sent.pkts++;
	tx->since_resync += counted;
	tx->counts.packets++;
	tx->counts.bytes += length;
}
