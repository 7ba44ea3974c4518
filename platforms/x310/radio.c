/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/radio.h"

#include <assert.h>
#include <string.h>

/* Registers of the radio's channel (map v0), of DDC and DUC. */
enum {
	CHANNEL = 0x1000,
	CHANNEL_STEP = 0x80,
	RX_CMD = 0x14,
	RX_TIME_LOW = 0x20,
	RX_TIME_HIGH = 0x24,
	RX_SPP = 0x28,
	RX_ERROR = 0x2c, /* port, remote port, remote endpoint, address */
	TX_ERROR = 0x48,
	ERROR_STEP = 0x40,
	RATE_STEP = 0x800,
	DDC_RATE = 0x400, /* N */
	DUC_RATE = 0x408, /* M */
	CONTINUOUS = 2
};
#define RX_TIMED (1u << 31)

static struct endpoint endpoint_of(const struct radio_options *options, uint16_t which)
{
	struct endpoint endpoint = options->endpoint;

	endpoint.own = (uint16_t)(endpoint.own + which);
	endpoint.claim = which == 0 && endpoint.claim; /* once: it resets the streams */
	return endpoint;
}

/* The streams begin when the endpoint is ours: claiming it would reset them. */
static void open_streams(struct radio *radio, uint64_t now_ns)
{
	const struct radio_options *o = &radio->options;

	if (o->rx && radio->rx.phase == STREAM_IDLE) {
		const struct rx_options rx = {
		    endpoint_of(o, 1), o->window, o->frequency, o->lossy, o->listen};

		rx_open(&radio->rx, &rx, now_ns);
	}
	if (o->tx && radio->tx.phase == STREAM_IDLE) {
		const struct tx_options tx = {.endpoint = endpoint_of(o, 2),
		    .policy = o->policy,
		    .stop_on_seqerr = o->stop_on_seqerr};

		tx_open(&radio->tx, &tx, now_ns);
	}
}

void radio_open(
    struct radio *radio, const struct radio_options *options, struct door *door, uint64_t now_ns)
{
	const struct endpoint streams = endpoint_of(options, 0);
	const enum chdr_dialect dialect = streams.version >= 0x0200 ? CHDR_V2 : CHDR_V1;
	struct endpoint registers = streams;

	if (options->control_port) {
		registers.device = options->control_device;
		registers.device_port = options->control_port;
	}
	*radio = (struct radio){.options = *options, .door = door};
	if (options->listen)
		open_streams(radio, now_ns);
	else
		control_open(&radio->control, &registers, &streams, dialect, now_ns);
}

void radio_drop(struct radio *radio)
{
	door_put(radio->door, radio->out, radio->n_out);
	radio->n_out = radio->n_held = 0;
}

bool radio_idle(const struct radio *radio)
{
	return radio->options.listen || control_idle(&radio->control);
}

bool radio_ready(const struct radio *radio)
{
	return radio_idle(radio) && (!radio->options.rx || radio->rx.phase == STREAM_READY) &&
	    (!radio->options.tx || radio->tx.phase == STREAM_READY);
}

const char *radio_failed(const struct radio *radio)
{
	if (radio->control.phase == STREAM_FAILED)
		return radio->control.why;
	if (radio->rx.phase == STREAM_FAILED)
		return radio->rx.why;
	return radio->tx.phase == STREAM_FAILED ? radio->tx.why : NULL;
}

/* ---- registers ----------------------------------------------------------------------------------------------------------- */

/* The queue has room for all that is written here. */
static void set(struct radio *radio, uint32_t address, uint32_t value)
{
	(void)control_write(&radio->control, radio->options.block,
	    CHANNEL + CHANNEL_STEP * radio->options.channel + address, value);
}

static void set_errors(struct radio *radio, uint32_t address, uint32_t told)
{
	set(radio, address, 1);
	set(radio, address + 4, radio->options.block);
	set(radio, address + 8, radio->options.endpoint.own);
	set(radio, address + 12, told + ERROR_STEP * radio->options.channel);
}

void radio_configure(struct radio *radio, uint32_t spp, uint32_t ticks_per_sample)
{
	const uint16_t duc = (uint16_t)(radio->options.block - 2),
	               ddc = (uint16_t)(radio->options.block - 1);
	const uint32_t rate = RATE_STEP * radio->options.channel;

	radio->ticks_per_sample = ticks_per_sample;
	if (radio->options.listen)
		return;
	if (!radio->options.initialised) {
		(void)control_write(&radio->control, ddc, rate + DDC_RATE, ticks_per_sample);
		(void)control_write(&radio->control, duc, rate + DUC_RATE, ticks_per_sample);
	}
	set(radio, RX_SPP, spp);
	set_errors(radio, RX_ERROR, 0x1000);
	set_errors(radio, TX_ERROR, 0x0000);
}

void radio_start(struct radio *radio, uint64_t ticks)
{
	if (radio->options.listen)
		return;
	if (ticks) {
		set(radio, RX_TIME_HIGH, (uint32_t)(ticks >> 32));
		set(radio, RX_TIME_LOW, (uint32_t)ticks);
	}
	set(radio, RX_CMD, CONTINUOUS | (ticks ? RX_TIMED : 0));
}

void radio_stop(struct radio *radio)
{
	if (!radio->options.listen)
		set(radio, RX_CMD, 0);
}

/* ---- out ------------------------------------------------------------------------------------------------------------------ */

void radio_flush(struct radio *radio)
{
	unsigned sent = 0, burst, taken = 0;

	for (burst = 0; sent < radio->n_out && taken == burst; sent += taken) {
		burst = radio->n_out - sent < DOOR_BURST ? radio->n_out - sent : DOOR_BURST;
		taken = door_send(radio->door, radio->out + sent, burst);
	}
	radio->n_out -= sent;
	radio->n_held = radio->n_out;
	if (radio->n_out)
		memmove(radio->out, radio->out + sent, radio->n_out * sizeof(radio->out[0]));
}

/* What the three have to say, into the line. */
static void poll(struct radio *radio, uint64_t now_ns)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	size_t size;

	for (;;) {
		struct packet *packet = &radio->out[radio->n_out];

		if (radio->n_out >= DOOR_BURST)
			return;
		size = control_poll(&radio->control, now_ns, bytes);
		if (size == 0 && radio->options.rx)
			size = rx_poll(&radio->rx, now_ns, bytes);
		if (size == 0 && radio->options.tx)
			size = tx_poll(&radio->tx, now_ns, bytes);
		if (size == 0)
			return;
		if (door_get(radio->door, packet, 1) == 0) {
			radio->counts.no_buffers++;
			return;
		}
		memcpy(packet->bytes, bytes, size);
		packet->size = (uint32_t)size;
		packet->peer = radio->options.device;
		radio->n_out++;
	}
}

static void line_up(
    struct radio *radio, struct packet *packet, uint32_t samples, uint64_t ticks, bool eob)
{
	const bool timed = ticks != UINT64_MAX;
	struct chdr_packet chdr = {
	    .header = {.type = timed ? CHDR_DATA_TS : CHDR_DATA, .eob = eob}, .timestamp = ticks};

	if (!timed) /* its header ends where the samples begin */
		packet->bytes += CHDR_TIMESTAMP;
	packet->size = (timed ? RADIO_HEADER : CHDR_HEADER) + RADIO_IQ * samples;
	packet->peer = radio->options.device;
	tx_data(&radio->tx, packet->size, &chdr.header);
	chdr_write(packet->bytes, &chdr, RADIO_IQ * (size_t)samples);
	assert(radio->n_out < 2 * DOOR_BURST);
	radio->out[radio->n_out++] = *packet;
}

/* One sample of silence with EOB; it has the room that is kept for commands. */
static void end_burst(struct radio *radio)
{
	const struct tx_stream *tx = &radio->tx;
	struct packet packet;

	if (tx->sent.bytes - tx->acked.bytes + chdr_counted(CHDR_HEADER + RADIO_IQ) >
	        tx->capacity ||
	    radio->n_out + 1 >= 2 * DOOR_BURST || door_get(radio->door, &packet, 1) == 0)
		return;
	memset(radio_iq(&packet), 0, RADIO_IQ);
	line_up(radio, &packet, 1, UINT64_MAX, true);
	tx_burst(&radio->tx);
	radio->counts.breaks++;
}

unsigned radio_get(struct radio *radio, uint32_t samples, struct packet *ret, unsigned n)
{
	const uint64_t room = tx_room(&radio->tx) / chdr_counted(RADIO_HEADER + RADIO_IQ * samples);
	const unsigned line = DOOR_BURST - radio->n_out;

	if (radio->n_held || radio->n_out >= DOOR_BURST)
		return 0;
	n = n < room ? n : (unsigned)room;
	return door_get(radio->door, ret, n < line ? n : line);
}

void radio_send(
    struct radio *radio, struct packet *packet, uint32_t samples, uint64_t ticks, bool eob)
{
	const bool timed = ticks != UINT64_MAX;
	const bool realign = timed && radio->tx.slip != 0 && radio->options.policy == TX_REALIGN;

	if (radio->bursting && timed &&
	    ticks != radio->last_ticks + (uint64_t)radio->last_samples * radio->ticks_per_sample)
		end_burst(radio);
	line_up(radio, packet, samples, ticks, eob || realign);
	if (realign)
		tx_burst(&radio->tx);
	radio->counts.realigned += realign;
	radio->bursting = timed && !eob && !realign;
	radio->last_samples = samples;
	radio->last_ticks = ticks;
}

/* ---- in ------------------------------------------------------------------------------------------------------------------- */

static bool is_aligned(enum radio_event event)
{
	return event == RADIO_TX_UNDERRUN || event == RADIO_TX_LATE || event == RADIO_TX_BURST_END;
}

static void take_control(struct radio *radio, uint64_t now_ns, const struct chdr_packet *chdr)
{
	const uint16_t which = (uint16_t)(chdr->header.dst - radio->options.endpoint.own);
	struct radio_message message;

	if (which == 0) {
		if (control_take(&radio->control, now_ns, chdr, &message) &&
		    is_aligned(message.event))
			tx_aligned(&radio->tx);
	} else if (which == 1 && radio->options.rx)
		rx_control(&radio->rx, now_ns, chdr);
	else if (which == 2 && radio->options.tx)
		tx_control(&radio->tx, now_ns, chdr);
	else
		radio->counts.nobodys++;
	if (radio->control.phase == STREAM_READY)
		open_streams(radio, now_ns);
}

/* Who listens takes samples of its device and channel alone. */
static bool is_heard(
    const struct radio *radio, const struct packet *packet, const struct chdr_packet *chdr)
{
	return packet->peer.ip == radio->options.device.ip && chdr->header.type >= CHDR_DATA &&
	    chdr->header.dst == radio->rx.options.endpoint.own;
}

/* True: data, and the next in order. */
static bool take(
    struct radio *radio, uint64_t now_ns, const struct packet *packet, struct radio_packet *ret)
{
	struct chdr_packet chdr;
	enum rx_verdict verdict;

	if (chdr_parse(packet->bytes, packet->size, &chdr) < 0) {
		radio->counts.malformed++;
		return false;
	}
	if (radio->options.listen && !is_heard(radio, packet, &chdr)) {
		radio->counts.nobodys++;
		return false;
	}
	if (chdr.header.type < CHDR_DATA || chdr.header.dst != radio->rx.options.endpoint.own) {
		take_control(radio, now_ns, &chdr);
		return false;
	}
	verdict = rx_data(&radio->rx, &chdr.header);
	if (verdict == RX_OLD)
		rx_release(&radio->rx, chdr.header.length);
	if (verdict != RX_NEXT && verdict != RX_GAP)
		return false;
	*ret = (struct radio_packet){.packet = *packet,
	    .ticks = chdr.timestamp,
	    .iq = chdr.payload,
	    .n = (uint32_t)(chdr.payload_bytes / RADIO_IQ),
	    .gap = verdict == RX_GAP ? radio->rx.gap : 0,
	    .eob = chdr.header.eob};
	ret->packet.size = chdr.header.length; /* what was counted */
	return true;
}

unsigned radio_receive(struct radio *radio, uint64_t now_ns, struct radio_packet *ret, unsigned n)
{
	struct packet packets[DOOR_BURST];
	const unsigned got = door_receive(radio->door, packets, n < DOOR_BURST ? n : DOOR_BURST);
	unsigned data = 0, rest = 0;

	for (unsigned i = 0; i < got; i++) {
		if (take(radio, now_ns, &packets[i], &ret[data]))
			data++;
		else
			packets[rest++] = packets[i];
	}
	if (rest)
		door_put(radio->door, packets, rest);
	poll(radio, now_ns);
	radio_flush(radio);
	return data;
}

void radio_release(struct radio *radio, const struct radio_packet *packets, unsigned n)
{
	struct packet back[DOOR_BURST];
	unsigned held = 0;

	for (unsigned i = 0; i < n; i++) {
		back[held++] = packets[i].packet;
		rx_release(&radio->rx, packets[i].packet.size);
		if (held == DOOR_BURST || i + 1 == n) {
			door_put(radio->door, back, held);
			held = 0;
		}
	}
}
