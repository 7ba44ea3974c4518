/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stream from the device. */
#include "platforms/x310/stream.h"

#include <errno.h>
#include <string.h>

enum { CHECK_NS = 1000000 }; /* pending: asked again then */

static void stream_fail(struct rx_stream *rx, const char *why)
{
	rx->phase = STREAM_FAILED;
	rx->why = why;
	rx->request.open = false;
}

static void stream_configure(struct rx_stream *rx)
{
	const struct rx_options *o = &rx->options;
	struct request *request = &rx->request;

	rx->init_answered = rx->answer_init = false;
	rx->tries++;
	request_to_device(request, &o->endpoint);
	if (rx->tries > RX_TRIES_BEFORE_RESET)
		request_write(request, SEP_RESET, SEP_RESET_OUT);
	request_write(request, SEP_OUT_DST, o->endpoint.own);
	request_write(request, SEP_OUT_FREQ_BYTES, (uint32_t)o->frequency.bytes);
	request_write(request, SEP_OUT_FREQ_BYTES + 4, (uint32_t)(o->frequency.bytes >> 32));
	request_write(request, SEP_OUT_FREQ_PKTS, (uint32_t)o->frequency.pkts);
	request_write(request, SEP_OUT_HEADROOM, 0);
	request_write(
	    request, SEP_OUT_CTRL, SEP_OUT_START | SEP_SWAP_U16 | (o->lossy ? SEP_OUT_LOSSY : 0));
	request_end(request);
}

static void stream_check(struct rx_stream *rx)
{
	request_to_device(&rx->request, &rx->options.endpoint);
	request_read(&rx->request, SEP_OUT_CTRL);
	request_end(&rx->request);
}

/* Enters a phase and asks what belongs to it. */
static void stream_enter(struct rx_stream *rx, enum stream_phase phase, uint64_t now_ns)
{
	if (phase != rx->phase)
		rx->deadline_ns = now_ns + REQUEST_RETRY_NS;
	rx->phase = phase;
	if (phase == STREAM_CONFIGURE)
		stream_configure(rx);
	else if (phase == STREAM_CHECK)
		stream_check(rx);
	else if (!stream_ask(&rx->request, &rx->options.endpoint, phase))
		return;
	request_open(&rx->request, rx->request_seq++, now_ns);
}

void rx_open(struct rx_stream *rx, const struct rx_options *options, uint64_t now_ns)
{
	*rx = (struct rx_stream){
	    .options = *options, .phase = options->listen ? STREAM_READY : STREAM_IDLE};
	if (!options->listen)
		stream_enter(rx, STREAM_ADVERTISE, now_ns);
}

/* ---- what comes ------------------------------------------------------------------------ */

static void stream_begin(struct rx_stream *rx)
{
	rx->phase = STREAM_READY;
	rx->next_seq = 0;
	rx->received = rx->released = rx->reported = (struct stream_total){0, 0};
	memset(rx->missing, 0, sizeof(rx->missing));
}

/* INIT, or our answer to it, is lost: the device says and asks nothing more. */
static void configure_again(struct rx_stream *rx, uint64_t now_ns)
{
	if (rx->tries < REQUEST_TRIES)
		stream_enter(rx, STREAM_CONFIGURE, now_ns);
	else if (rx->phase == STREAM_INIT)
		stream_fail(rx, "the endpoint does not send INIT");
	else
		stream_fail(rx, "the endpoint does not accept the answer to INIT");
}

static void check_answered(struct rx_stream *rx, const struct chdr_mgmt *answer, uint64_t now_ns)
{
	const bool controlled = rx->options.frequency.bytes || rx->options.frequency.pkts;
	uint32_t status;

	if (!request_register(answer, SEP_OUT_CTRL, &status))
		stream_fail(rx, "the endpoint does not report the result of its configuration");
	else if ((status & SEP_OUT_PENDING) && now_ns >= rx->deadline_ns)
		configure_again(rx, now_ns);
	else if (status & SEP_OUT_PENDING)
		stream_enter(rx, STREAM_CHECK, now_ns + CHECK_NS);
	else if (status & SEP_OUT_FAILED)
		stream_fail(rx,
		    "the endpoint refused the configuration, because the STRS of this host came "
		    "from another endpoint or with a status");
	else if (!!(status & SEP_OUT_FLOW_CONTROL) != controlled)
		stream_fail(rx, "the endpoint has another flow control than was configured");
	else
		stream_begin(rx);
}

static void request_answered(struct rx_stream *rx, const struct chdr_mgmt *answer, uint64_t now_ns)
{
	switch (rx->phase) {
	case STREAM_DEVICE:
		if (!stream_is_endpoint(answer))
			stream_fail(
			    rx, "that port of the crossbar leads to no stream endpoint with data");
		else
			stream_enter(rx, STREAM_CONFIGURE, now_ns);
		break;
	case STREAM_CONFIGURE:
		stream_enter(
		    rx, rx->init_answered || rx->answer_init ? STREAM_CHECK : STREAM_INIT, now_ns);
		break;
	case STREAM_CHECK:
		check_answered(rx, answer, now_ns);
		break;
	default:
		stream_enter(rx, stream_after(&rx->options.endpoint, rx->phase), now_ns);
	}
}

/* What the device says it has sent and we have not got is lost: room for it is given back. */
static void totals_resync(struct rx_stream *rx, const struct chdr_strc *strc)
{
	const struct stream_total lost = {
	    strc->bytes - rx->received.bytes, strc->pkts - rx->received.pkts};

	rx->counts.resyncs++;
	rx->counts.resync_bytes += lost.bytes;
	rx->released.bytes += lost.bytes;
	rx->released.pkts += lost.pkts;
	rx->received = (struct stream_total){strc->bytes, strc->pkts};
}

static void command_take(struct rx_stream *rx, uint64_t now_ns, const struct chdr_strc *strc)
{
	if (strc->src != rx->options.endpoint.device)
		return;
	if (strc->op == CHDR_INIT && rx->phase >= STREAM_CONFIGURE && rx->phase < STREAM_READY) {
		rx->answer_init = true;
		if (rx->phase == STREAM_INIT)
			stream_enter(rx, STREAM_CHECK, now_ns);
	}
	if (rx->phase != STREAM_READY || strc->op == CHDR_INIT)
		return;
	if (strc->op == CHDR_RESYNC)
		totals_resync(rx, strc);
	rx->received.bytes += CHDR_STRC_BYTES;
	rx->received.pkts++;
	rx->released.bytes += CHDR_STRC_BYTES;
	rx->released.pkts++;
}

void rx_control(struct rx_stream *rx, uint64_t now_ns, const struct chdr_packet *packet)
{
	struct chdr_mgmt answer;
	struct chdr_strc strc;

	if (request_take(&rx->request, packet, &answer))
		request_answered(rx, &answer, now_ns);
	else if (packet->header.dst == rx->options.endpoint.own &&
	    chdr_strc_parse(packet, &strc) == 0)
		command_take(rx, now_ns, &strc);
}

/* By how many packets this one is ahead of the next; 0 where a stream that we listen to begins. */
static int16_t ahead_of(struct rx_stream *rx, uint16_t seq)
{
	const int16_t ahead = (int16_t)(seq - rx->next_seq);

	if (!rx->options.listen ||
	    (rx->heard && ahead > -RX_FAR && (ahead < RX_FAR || seq >= RX_LISTEN_FIRST)))
		return ahead;
	rx->counts.restarts += rx->heard;
	rx->heard = true;
	return 0;
}

static uint64_t *missing_of(struct rx_stream *rx, uint16_t seq, uint64_t *ret_bit)
{
	*ret_bit = 1ull << seq % 64;
	return &rx->missing[seq % RX_FAR / 64];
}

/* The n before this one have not come: at most the last RX_FAR are remembered. */
static void note_missing(struct rx_stream *rx, uint16_t seq, uint16_t n)
{
	uint64_t bit, *word;

	for (uint16_t i = n < RX_FAR ? n : RX_FAR - 1; i > 0; i--) {
		word = missing_of(rx, (uint16_t)(seq - i), &bit);
		*word |= bit;
	}
	word = missing_of(rx, seq, &bit);
	*word &= ~bit;
}

/* One that is behind: it was missing, or it came already. */
static enum rx_verdict packet_behind(struct rx_stream *rx, uint16_t seq)
{
	uint64_t bit, *word = missing_of(rx, seq, &bit);

	if (!(*word & bit)) {
		rx->counts.old++;
		return RX_OLD;
	}
	*word &= ~bit;
	rx->counts.lost--;
	rx->counts.reordered++;
	return RX_LATE;
}

enum rx_verdict rx_data(struct rx_stream *rx, const struct chdr_header *header)
{
	int16_t ahead;

	if (rx->phase != STREAM_READY)
		return RX_EARLY;
	ahead = ahead_of(rx, header->seq);
	rx->received.bytes += chdr_counted(header->length);
	rx->received.pkts++;
	rx->counts.packets++;
	rx->counts.bytes += header->length;
	if (ahead < 0 && ahead > -RX_FAR)
		return packet_behind(rx, header->seq);
	rx->gap = (uint16_t)ahead;
	note_missing(rx, header->seq, rx->gap);
	rx->counts.lost += rx->gap;
	rx->next_seq = (uint16_t)(header->seq + 1);
	return ahead ? RX_GAP : RX_NEXT;
}

void rx_release(struct rx_stream *rx, uint32_t length)
{
	if (rx->released.pkts == rx->received.pkts) /* it came before the stream began anew */
		return;
	rx->released.bytes += chdr_counted(length);
	rx->released.pkts++;
}

/* ---- what goes ------------------------------------------------------------------------ */

static bool report_due(const struct rx_stream *rx)
{
	const struct stream_total *every = &rx->options.frequency;

	if (rx->phase != STREAM_READY || (!every->bytes && !every->pkts))
		return false;
	return (every->bytes && rx->released.bytes - rx->reported.bytes >= every->bytes) ||
	    (every->pkts && rx->released.pkts - rx->reported.pkts >= every->pkts);
}

static size_t report_write(struct rx_stream *rx, const struct stream_total *total, uint8_t *bytes)
{
	const struct rx_options *o = &rx->options;
	const struct chdr_strs strs = {
	    .src = o->endpoint.own,
	    .capacity_bytes = o->capacity.bytes,
	    .capacity_pkts = (uint32_t)o->capacity.pkts,
	    .xfer_bytes = total->bytes,
	    .xfer_pkts = total->pkts,
	};

	rx->counts.reports++;
	return chdr_strs_write(bytes, o->endpoint.device, rx->strs_seq++, &strs);
}

size_t rx_poll(struct rx_stream *rx, uint64_t now_ns, uint8_t *bytes)
{
	static const struct stream_total none = {0, 0};
	int rc;

	if (rx->answer_init) {
		rx->answer_init = false;
		rx->init_answered = true;
		rx->strs_seq = 0;
		return report_write(rx, &none, bytes);
	}
	if (rx->phase == STREAM_INIT && now_ns >= rx->deadline_ns)
		configure_again(rx, now_ns);
	rc = request_poll(&rx->request, now_ns, bytes);
	if (rc == -ETIMEDOUT)
		stream_fail(rx, "the device does not answer a management request");
	if (rc > 0)
		return (size_t)rc;
	if (!report_due(rx))
		return 0;
	rx->reported = rx->released;
	return report_write(rx, &rx->released, bytes);
}
