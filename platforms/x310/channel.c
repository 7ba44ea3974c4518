/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/channel.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

enum {
	ERROR_STEP = 0x40,
	/* of DDC and DUC */
	RATE_STEP = 0x800,
	DDC_RATE = 0x400, /* N */
	DUC_RATE = 0x408, /* M */
	CONTINUOUS = 2
};
#define RX_TIMED (1u << 31)

enum { OWN_CONTROL, OWN_RX, OWN_TX };

/* UHD has the endpoint that takes accesses, and may not lose it. */
static struct endpoint endpoint_of(
    const struct x310_channel *radio, uint16_t which, const struct x310_path *path)
{
	const struct x310_layout *layout = &radio->survey.layout;
	const bool first = path->endpoint_port == layout->control_port;

	return (struct endpoint){.own = (uint16_t)(radio->options.own + which),
	    .own_port = layout->own_port,
	    .device =
	        first ? layout->control_endpoint : (uint16_t)(SURVEY_CLAIMED + path->endpoint_port),
	    .device_port = path->endpoint_port,
	    .claim = !first || !radio->options.initialised,
	    .version = layout->protocol};
}

/* The streams begin when the endpoint is ours: claiming it would reset them. That of Tx claims its
 * own where it is another than that of Rx. */
static void open_streams(struct x310_channel *radio, uint64_t now_ns)
{
	const struct x310_options *o = &radio->options;

	if (o->rx && radio->rx.phase == STREAM_IDLE) {
		struct rx_options rx = {.endpoint = endpoint_of(radio, OWN_RX, &radio->rx_path),
		    .capacity = o->window,
		    .frequency = o->frequency,
		    .lossy = o->lossy,
		    .listen = o->listen};

		rx.endpoint.claim = false;
		rx_open(&radio->rx, &rx, now_ns);
	}
	if (o->tx && radio->tx.phase == STREAM_IDLE) {
		struct tx_options tx = {.endpoint = endpoint_of(radio, OWN_TX, &radio->tx_path),
		    .policy = o->policy,
		    .stop_on_seqerr = o->stop_on_seqerr};

		tx.endpoint.claim &=
		    o->rx && radio->tx_path.endpoint_port != radio->rx_path.endpoint_port;
		tx_open(&radio->tx, &tx, now_ns);
	}
}

void x310_open(struct x310_channel *radio, const struct x310_options *options,
    struct transport *transport, uint64_t now_ns)
{
	*radio = (struct x310_channel){.options = *options, .transport = transport};
	if (options->listen)
		open_streams(radio, now_ns);
	else
		survey_open(&radio->survey, options->own, now_ns);
}

void x310_drop(struct x310_channel *radio)
{
	transport_put(radio->transport, radio->out, radio->n_out);
	radio->n_out = radio->n_held = 0;
}

bool x310_idle(const struct x310_channel *radio)
{
	return radio->options.listen || (radio->surveyed && control_idle(&radio->control));
}

bool x310_ready(const struct x310_channel *radio)
{
	return x310_idle(radio) && (!radio->options.rx || radio->rx.phase == STREAM_READY) &&
	    (!radio->options.tx || radio->tx.phase == STREAM_READY);
}

const char *x310_failed(const struct x310_channel *radio)
{
	if (radio->survey.phase == SURVEY_FAILED)
		return radio->survey.why;
	if (radio->control.phase == STREAM_FAILED)
		return radio->control.why;
	if (radio->rx.phase == STREAM_FAILED)
		return radio->rx.why;
	return radio->tx.phase == STREAM_FAILED ? radio->tx.why : NULL;
}

/* ---- registers ------------------------------------------------------------------------ */

static const struct radio_registers *registers_of(const struct x310_channel *radio)
{
	return radio->survey.layout.fpga->radio;
}

/* The queue has room for all that is written here. */
static void register_set(struct x310_channel *radio, uint32_t address, uint32_t value)
{
	(void)control_write(&radio->control, radio->block,
	    RADIO_CHANNELS + registers_of(radio)->step * radio->channel + address, value);
}

static void set_errors(struct x310_channel *radio, uint32_t address, uint32_t told)
{
	register_set(radio, address, 1); /* port of the first endpoint on the control crossbar */
	register_set(radio, address + 4, radio->block);
	register_set(radio, address + 8, radio->options.own);
	register_set(radio, address + 12, told + ERROR_STEP * radio->channel);
}

static void set_rate(struct x310_channel *radio, const struct x310_path *path, uint32_t address)
{
	if (!radio->options.initialised && path->rate_port)
		(void)control_write(&radio->control, path->rate_port,
		    RATE_STEP * path->rate_channel + address, radio->ticks_per_sample);
}

static void write_configuration(struct x310_channel *radio)
{
	set_rate(radio, &radio->rx_path, DDC_RATE);
	set_rate(radio, &radio->tx_path, DUC_RATE);
	register_set(radio, registers_of(radio)->rx_spp, radio->spp);
	set_errors(radio, registers_of(radio)->rx_error, 0x1000);
	set_errors(radio, registers_of(radio)->tx_error, 0x0000);
}

/* Client zero, control port 0: a slot for itself, for each stream endpoint and each block (UHD 4.3,
 * host/lib/rfnoc/client_zero.cpp). The axis_ctrl_master that waits for the acknowledgement of a
 * message is reset with radio_rst, which comes of the block's CHDR reset and not of its CTRL reset
 * (UHD 4.3 to 4.11, noc_shell_radio.v, ctrlport_endpoint.v). Before that reset nothing may be on
 * its way through the block: DUC and radio drop whole packets until then. */
enum {
	ZERO_PORT = 0,
	ZERO_SLOT = 0x40,
	ZERO_FLUSH_CYCLES = 0,
	ZERO_CONTROL = 4, /* bit 0 flush, 1 CTRL reset, 2 CHDR reset, both at the rising edge */
	ZERO_FLUSH = 1,
	ZERO_RESET_CHDR = 4,
	FLUSH_CYCLES = 100 /* as UHD has it */
};

/* `port`: of the block */
static void register_zero(
    struct x310_channel *radio, uint16_t port, uint32_t address, uint32_t value)
{
	(void)control_write(&radio->control, ZERO_PORT,
	    ZERO_SLOT * survey_slot(&radio->survey, port) + address, value);
}

static void block_flush(struct x310_channel *radio, uint16_t port)
{
	register_zero(radio, port, ZERO_FLUSH_CYCLES, FLUSH_CYCLES);
	register_zero(radio, port, ZERO_CONTROL, ZERO_FLUSH);
}

/* In the DUCs of both channels. */
static void chains_hold(struct x310_channel *radio, bool on)
{
	const struct x310_radio_layout *layout =
	    &radio->survey.layout.radios[radio->options.number / SURVEY_CHANNELS];

	for (unsigned c = 0; c < SURVEY_CHANNELS; c++) {
		if (layout->tx[c].rate_port && on)
			block_flush(radio, layout->tx[c].rate_port);
		else if (layout->tx[c].rate_port)
			register_zero(radio, layout->tx[c].rate_port, ZERO_CONTROL, 0);
	}
}

static void reset_block(struct x310_channel *radio)
{
	block_flush(radio, radio->block);
	register_zero(radio, radio->block, ZERO_CONTROL, 0);
	register_zero(radio, radio->block, ZERO_CONTROL, ZERO_RESET_CHDR);
	register_zero(radio, radio->block, ZERO_CONTROL, 0);
}

void x310_configure(struct x310_channel *radio, uint32_t spp, uint32_t ticks_per_sample)
{
	radio->ticks_per_sample = ticks_per_sample;
	radio->spp = spp;
	if (radio->surveyed)
		write_configuration(radio);
}

/* What the options name is looked for in what there is. False: there is no such thing. */
static bool find_paths(struct x310_channel *radio)
{
	const struct x310_layout *layout = &radio->survey.layout;
	const struct x310_options *o = &radio->options;
	const struct x310_path *in = x310_layout_path(layout, o->number, true),
	                       *out = x310_layout_path(layout, o->number, false);

	radio->channel = o->number % SURVEY_CHANNELS;
	if (in != NULL)
		radio->rx_path = *in;
	if (out != NULL)
		radio->tx_path = *out;
	if (o->number / SURVEY_CHANNELS >= layout->n_radios || (o->rx && in == NULL))
		snprintf(radio->survey.why, sizeof(radio->survey.why),
		    "channel %u of the device (radio %u) leads to no stream endpoint; the "
		    "device has %u radio%s",
		    o->number, (unsigned)(o->number / SURVEY_CHANNELS), layout->n_radios,
		    plural(layout->n_radios));
	else if (o->tx && !o->rx && out == NULL)
		snprintf(radio->survey.why, sizeof(radio->survey.why),
		    "channel %u of the device cannot transmit: no stream endpoint leads to it",
		    o->number);
	else if (o->initialised && o->rx && in->endpoint == 0)
		snprintf(radio->survey.why, sizeof(radio->survey.why),
		    "nobody has set the channel up: the stream endpoint behind port %u of the "
		    "crossbar, where its samples leave, lacks its number; run x310-init with "
		    "--subdev for this channel",
		    in->endpoint_port);
	else
		radio->block = layout->radios[o->number / SURVEY_CHANNELS].port;
	radio->options.tx &= out != NULL;
	return radio->block != 0;
}

/* The device is known: its registers, then its streams. */
static void channel_begin(struct x310_channel *radio, uint64_t now_ns)
{
	const struct x310_layout *layout = &radio->survey.layout;
	struct endpoint data, registers;

	if (!find_paths(radio)) {
		radio->survey.phase = SURVEY_FAILED;
		return;
	}
	radio->surveyed = true;
	data =
	    endpoint_of(radio, OWN_CONTROL, radio->options.rx ? &radio->rx_path : &radio->tx_path);
	registers = data;
	registers.device = layout->control_endpoint;
	registers.device_port = layout->control_port;
	control_open(&radio->control, &registers, &data, layout->fpga->ctrl, now_ns);
	if (radio->options.reset) {
		chains_hold(radio, true);
		reset_block(radio);
	}
	if (radio->spp)
		write_configuration(radio);
	if (radio->options.reset) /* whoever is late now is told to us */
		chains_hold(radio, false);
}

void x310_start(struct x310_channel *radio, uint64_t ticks)
{
	const struct radio_registers *registers;

	if (!radio->surveyed)
		return;
	registers = registers_of(radio);
	if (ticks) {
		register_set(radio, registers->rx_time + 4u, (uint32_t)(ticks >> 32));
		register_set(radio, registers->rx_time, (uint32_t)ticks);
	}
	register_set(radio, registers->rx_cmd, CONTINUOUS | (ticks ? RX_TIMED : 0));
}

void x310_stop(struct x310_channel *radio)
{
	if (radio->surveyed)
		register_set(radio, registers_of(radio)->rx_cmd, 0);
}

/* ---- out ------------------------------------------------------------------------ */

void x310_flush(struct x310_channel *radio)
{
	unsigned sent = 0, burst, taken = 0;

	for (burst = 0; sent < radio->n_out && taken == burst; sent += taken) {
		burst =
		    radio->n_out - sent < TRANSPORT_BURST ? radio->n_out - sent : TRANSPORT_BURST;
		taken = transport_send(radio->transport, radio->out + sent, burst);
	}
	radio->n_out -= sent;
	radio->n_held = radio->n_out;
	if (radio->n_out)
		memmove(radio->out, radio->out + sent, radio->n_out * sizeof(radio->out[0]));
}

static size_t poll_parts(struct x310_channel *radio, uint64_t now_ns, uint8_t *bytes)
{
	size_t size;

	if (!radio->surveyed && !radio->options.listen)
		return survey_poll(&radio->survey, now_ns, bytes);
	size = control_poll(&radio->control, now_ns, bytes);
	if (size == 0 && radio->options.rx)
		size = rx_poll(&radio->rx, now_ns, bytes);
	if (size == 0 && radio->options.tx)
		size = tx_poll(&radio->tx, now_ns, bytes);
	return size;
}

/* What they have to say, into the line. */
static void parts_poll(struct x310_channel *radio, uint64_t now_ns)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	size_t size;

	for (;;) {
		struct packet *packet = &radio->out[radio->n_out];

		if (radio->n_out >= TRANSPORT_BURST)
			return;
		size = poll_parts(radio, now_ns, bytes);
		if (size == 0)
			return;
		if (transport_get(radio->transport, packet, 1) == 0) {
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
    struct x310_channel *radio, struct packet *packet, uint32_t samples, uint64_t ticks, bool eob)
{
	const bool timed = ticks != UINT64_MAX;
	struct chdr_packet chdr = {
	    .header = {.type = timed ? CHDR_DATA_TS : CHDR_DATA, .eob = eob}, .timestamp = ticks};

	if (!timed) /* its header ends where the samples begin */
		packet->bytes += CHDR_TIMESTAMP;
	packet->size = (timed ? X310_HEADER : CHDR_HEADER) + RADIO_IQ * samples;
	packet->peer = radio->options.device;
	tx_data(&radio->tx, packet->size, &chdr.header);
	chdr_write(packet->bytes, &chdr, RADIO_IQ * (size_t)samples);
	assert(radio->n_out < 2 * TRANSPORT_BURST);
	radio->out[radio->n_out++] = *packet;
}

/* One sample of silence with EOB; it has the room that is kept for commands. */
static void end_burst(struct x310_channel *radio)
{
	const struct tx_stream *tx = &radio->tx;
	struct packet packet;

	if (tx->sent.bytes - tx->acked.bytes + chdr_counted(CHDR_HEADER + RADIO_IQ) >
	        tx->capacity ||
	    radio->n_out + 1 >= 2 * TRANSPORT_BURST ||
	    transport_get(radio->transport, &packet, 1) == 0)
		return;
	memset(x310_iq(&packet), 0, RADIO_IQ);
	line_up(radio, &packet, 1, UINT64_MAX, true);
	tx_burst(&radio->tx);
	radio->counts.breaks++;
}

bool x310_has_room(const struct x310_channel *radio, uint32_t samples)
{
	return radio->n_held == 0 && radio->n_out < TRANSPORT_BURST &&
	    tx_room(&radio->tx) >= chdr_counted(X310_HEADER + RADIO_IQ * samples);
}

unsigned x310_get(struct x310_channel *radio, uint32_t samples, struct packet *ret, unsigned n)
{
	const uint64_t room = tx_room(&radio->tx) / chdr_counted(X310_HEADER + RADIO_IQ * samples);
	const unsigned line = TRANSPORT_BURST - radio->n_out;

	if (radio->n_held || radio->n_out >= TRANSPORT_BURST)
		return 0;
	n = n < room ? n : (unsigned)room;
	return transport_get(radio->transport, ret, n < line ? n : line);
}

void x310_send(
    struct x310_channel *radio, struct packet *packet, uint32_t samples, uint64_t ticks, bool eob)
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

/* ---- in ------------------------------------------------------------------------ */

static bool is_aligned(enum radio_event event)
{
	return event == RADIO_TX_UNDERRUN || event == RADIO_TX_LATE || event == RADIO_TX_BURST_END;
}

static void take_control(
    struct x310_channel *radio, uint64_t now_ns, const struct chdr_packet *chdr)
{
	const uint16_t which = (uint16_t)(chdr->header.dst - radio->options.own);
	struct radio_message message;

	if (which == OWN_CONTROL && !radio->surveyed) {
		survey_take(&radio->survey, now_ns, chdr);
		if (radio->survey.phase == SURVEY_DONE)
			channel_begin(radio, now_ns);
	} else if (which == OWN_CONTROL) {
		if (control_take(&radio->control, now_ns, chdr, &message) &&
		    is_aligned(message.event))
			tx_aligned(&radio->tx);
	} else if (which == OWN_RX && radio->options.rx) {
		rx_control(&radio->rx, now_ns, chdr);
	} else if (which == OWN_TX && radio->options.tx) {
		tx_control(&radio->tx, now_ns, chdr);
	} else {
		radio->counts.nobodys++;
	}
	if (radio->surveyed && radio->control.phase == STREAM_READY)
		open_streams(radio, now_ns);
}

/* Who listens takes samples of its device and channel alone. */
static bool is_heard(
    const struct x310_channel *radio, const struct packet *packet, const struct chdr_packet *chdr)
{
	return packet->peer.ip == radio->options.device.ip && chdr->header.type >= CHDR_DATA &&
	    chdr->header.dst == radio->rx.options.endpoint.own;
}

/* True: data that have not come before. */
static bool packet_take(struct x310_channel *radio, uint64_t now_ns, const struct packet *packet,
    struct x310_packet *ret)
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
	if (verdict != RX_NEXT && verdict != RX_GAP && verdict != RX_LATE)
		return false;
	*ret = (struct x310_packet){.packet = *packet,
	    .ticks = chdr.timestamp,
	    .iq = chdr.payload,
	    .n = (uint32_t)(chdr.payload_bytes / RADIO_IQ),
	    .gap = verdict == RX_GAP ? radio->rx.gap : 0,
	    .overtaken = verdict == RX_LATE,
	    .eob = chdr.header.eob};
	ret->packet.size = chdr.header.length; /* what was counted */
	return true;
}

unsigned x310_receive(
    struct x310_channel *radio, uint64_t now_ns, struct x310_packet *ret, unsigned n)
{
	struct packet packets[TRANSPORT_BURST];
	const unsigned got =
	    transport_receive(radio->transport, packets, n < TRANSPORT_BURST ? n : TRANSPORT_BURST);
	unsigned data = 0, rest = 0;

	for (unsigned i = 0; i < got; i++) {
		if (packet_take(radio, now_ns, &packets[i], &ret[data]))
			data++;
		else
			packets[rest++] = packets[i];
	}
	if (rest)
		transport_put(radio->transport, packets, rest);
	parts_poll(radio, now_ns);
	x310_flush(radio);
	return data;
}

void x310_release(struct x310_channel *radio, const struct x310_packet *packets, unsigned n)
{
	struct packet back[TRANSPORT_BURST];
	unsigned held = 0;

	for (unsigned i = 0; i < n; i++) {
		back[held++] = packets[i].packet;
		rx_release(&radio->rx, packets[i].packet.size);
		if (held == TRANSPORT_BURST || i + 1 == n) {
			transport_put(radio->transport, back, held);
			held = 0;
		}
	}
}
