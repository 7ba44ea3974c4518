/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/driver.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "platforms/transports/transports.h"
#include "platforms/x310/antenna.h"
#include "platforms/x310/examine.h"

enum {
	START_TRIES = 4,
	OWN_ENDPOINT = 0x100,
	OWN_STEP = 0x10,
	CHDR_UDP_PORT = 49153,
	PACKET_LEAST = 2176,
	WINDOW_BYTES = 1 << 20 /* what any transport holds */
};
#define OPEN_NS 10000000000ull
/* A device that says nothing is asked anew for so long: a program that plays a device has no CPU
 * while real-time threads have it, up to .95 s each second (sched_rt_runtime_us). */
#define SILENT_NS 2000000000ull
#define NAP_NS 1000000ull
#define CLOSE_NS 200000000ull
#define TIME_NS 500000000ull
/* of a start that all channels are to hear of in time; twice that when they did not */
#define AHEAD_NS 100000000ull
/* what the radio says of the last samples comes so long after their time, at most */
#define REPORTS_NS 100000000ull

static struct x310_radio *x310_of(struct radio *x310)
{
	return (struct x310_radio *)x310;
}

static bool radio_idle(const struct x310_radio *x310)
{
	for (uint32_t c = 0; c < x310->radio.channels; c++)
		if (!x310_idle(&x310->antenna[c].radio))
			return false;
	return true;
}

/* Until every channel has been told what it was to be. */
static void settings_tell(struct x310_radio *x310, uint64_t patience_ns)
{
	const uint64_t asked_ns = clock_ns();

	while (!radio_idle(x310) && clock_ns() < asked_ns + patience_ns)
		x310_attend(x310, asked_ns);
}

/* ---- start ------------------------------------------------------------------------ */

static void start_at(struct x310_radio *x310, uint64_t ticks)
{
	x310->radio.start_ticks = ticks;
	x310->origin = ticks;
	for (uint32_t c = 0; c < x310->radio.channels; c++) {
		x310->antenna[c].events = x310_complaints(&x310->antenna[c]);
		x310_start(&x310->antenna[c].radio, ticks);
	}
}

static void streams_stop(struct x310_radio *x310)
{
	const uint64_t until = clock_ns() + TIME_NS;

	for (uint32_t c = 0; c < x310->radio.channels; c++)
		x310_stop(&x310->antenna[c].radio);
	settings_tell(x310, TIME_NS);
	while (x310_turn(x310) > 0 && clock_ns() < until)
		; /* what it had sent by then */
}

static uint64_t packets_of(const struct x310_radio *x310)
{
	uint64_t sum = 0;

	for (uint32_t c = 0; c < x310->radio.channels; c++)
		sum += x310->antenna[c].radio.rx.counts.packets;
	return sum;
}

/* False: not every channel had heard of it when it was time, or we threw away what it began with.
 * Of a device that does not say its time no more can be asked. */
static bool start_together(struct x310_radio *x310, uint64_t ahead_ns)
{
	const uint64_t now = x310_time_of(x310, 0), packets = packets_of(x310);
	uint64_t ticks = now + (uint64_t)((double)ahead_ns / x310->tick_ns);

	if (x310->radio.on_grid)
		ticks += (x310->per_slot - ticks % x310->per_slot) % x310->per_slot;
	start_at(x310, now != 0 ? ticks : 0);
	settings_tell(x310, TIME_NS);
	return now == 0 ||
	    (x310_time_of(x310, 0) < ticks && radio_idle(x310) && packets_of(x310) == packets);
}

/* Several channels have one first sample; their time is one (time_source). So have several nodes
 * one first sample of a slot. Where one of them heard of it too late, for this machine stood still,
 * it is asked of all of them once more. */
static void x310_driver_start(struct radio *self)
{
	struct x310_radio *x310 = x310_of(self);
	const bool timed = !x310->listen && (self->channels > 1 || self->on_grid);

	if (!timed)
		start_at(x310, 0);
	for (int i = 0; timed && !start_together(x310, AHEAD_NS << i) && i < START_TRIES - 1; i++)
		streams_stop(x310);
	for (uint32_t c = 0; c < self->channels; c++)
		x310->antenna[c].heard_ns = clock_ns();
	x310->running = true;
}

/* ---- in and out ------------------------------------------------------------------------ */

static unsigned x310_driver_receive(
    struct radio *self, uint32_t c, uint64_t now_ns, struct radio_packet *ret, unsigned n)
{
	struct x310_radio *x310 = x310_of(self);
	struct x310_antenna *channel = &x310->antenna[c];
	struct x310_packet packets[TRANSPORT_BURST];
	unsigned got = x310_receive(&channel->radio, now_ns, packets, n);

	if (got > 0 && !x310_heard(x310, c, now_ns, packets, got)) {
		x310_release(&channel->radio, packets, got);
		got = 0;
	}
	for (unsigned i = 0; i < got; i++)
		ret[i] = (struct radio_packet){.packet = packets[i].packet,
		    .iq = packets[i].iq,
		    .ticks = packets[i].ticks,
		    .samples = packets[i].n,
		    .gap = packets[i].gap,
		    .overtaken = packets[i].overtaken};
	if (got > 0) {
		ret[0].anew = channel->anew;
		channel->anew = false;
	}
	if (got > 0 && (x310->origin == 0 || packets[0].ticks < x310->origin))
		x310->origin =
		    packets[0].ticks - (self->on_grid ? packets[0].ticks % x310->per_slot : 0);
	x310_look_after(x310, c, now_ns);
	return got;
}

static void x310_driver_release(
    struct radio *self, uint32_t c, const struct radio_packet *packets, unsigned n)
{
	struct x310_antenna *channel = &x310_of(self)->antenna[c];
	struct packet back[TRANSPORT_BURST];
	unsigned held = 0;

	for (unsigned i = 0; i < n; i++) {
		back[held++] = packets[i].packet;
		rx_release(&channel->radio.rx, packets[i].packet.size);
		if (held == TRANSPORT_BURST || i + 1 == n) {
			transport_put(channel->transport, back, held);
			held = 0;
		}
	}
}

static uint8_t *x310_driver_place(struct radio *self, uint32_t c)
{
	struct x310_antenna *channel = &x310_of(self)->antenna[c];

	if (channel->heard_ticks == 0) /* nobody knows its time */
		return NULL;
	if (!channel->has_place)
		channel->has_place =
		    x310_get(&channel->radio, self->tx_packet, &channel->placed, 1) == 1;
	else if (!x310_has_room(&channel->radio, self->tx_packet))
		return NULL; /* the room for what was asked for early has gone */
	return channel->has_place ? x310_iq(&channel->placed) : NULL;
}

static void x310_driver_ready(struct radio *self, uint32_t c)
{
	struct x310_antenna *channel = &x310_of(self)->antenna[c];

	if (x310_driver_place(self, c) != NULL)
		transport_warm(channel->transport, &channel->placed);
}

static void send_placed(struct radio *self, uint32_t c, uint32_t samples, uint64_t ticks)
{
	struct x310_antenna *channel = &x310_of(self)->antenna[c];

	x310_send(&channel->radio, &channel->placed, samples, ticks, false);
	channel->has_place = false;
	channel->bursting = true;
}

static void x310_driver_flush(struct radio *self)
{
	for (uint32_t c = 0; c < self->channels; c++)
		x310_flush(&x310_of(self)->antenna[c].radio);
}

static void x310_driver_count(struct radio *self, uint32_t c, struct radio_counts *ret)
{
	x310_count(x310_of(self), c, ret);
}

/* ---- open ------------------------------------------------------------------------ */

static int new_transport(const struct x310_radio *x310, const struct x310_settings *settings,
    uint32_t packets, struct transport **ret, char *ret_why, size_t size)
{
	const uint32_t bytes = X310_HEADER + RADIO_IQ * x310->radio.rx_packet;
	const struct transport_options options = {
	    .own = {settings->own_address, 0},
	    .packets = packets + 4 * TRANSPORT_BURST,
	    .packet_bytes = bytes > PACKET_LEAST ? bytes : PACKET_LEAST,
	    .port = settings->port,
	    .eal = settings->eal,
	    .ports = x310->port_names,
	    .group = {settings->group, settings->group_port},
	    .listen = settings->listen,
	};
	const struct transport_kind *kind =
	    transports_find(settings->transport == X310_UDP ? "udp" : "dpdk", ret_why, size);
	char why[TRANSPORT_WHY] = "";
	int status;

	if (kind == NULL)
		return -ENOENT;
	status = transport_open(kind, &options, why, ret);
	if (status != 0)
		snprintf(ret_why, size, "%s", why[0] ? why : strerror(-status));
	return status;
}

/* One transport for both: a port that the kernel does not see, or a group. */
static bool same_port(const struct x310_settings *a, const struct x310_settings *b)
{
	return a->transport == b->transport && strcmp(a->port, b->port) == 0 &&
	    a->group == b->group && a->group_port == b->group_port;
}

/* Such a transport is there once, for all radios that name it. */
static int port_transport(struct x310_radio *x310, const struct x310_settings *settings,
    struct transport **ret, char *ret_why, size_t size)
{
	const uint16_t own = (uint16_t)(OWN_ENDPOINT + OWN_STEP * x310->radio.channels);
	struct x310_port *port = x310->ports;
	struct transport *transport;
	int status;

	while (port < x310->ports + x310->n_ports && !same_port(port->settings, settings))
		port++;
	if (port == x310->ports + x310->n_ports) {
		status = new_transport(
		    x310, settings, RADIO_CHANNELS_MAX * x310->packets, &transport, ret_why, size);
		if (status != 0)
			return status;
		*port = (struct x310_port){settings, split_new(transport)};
		if (port->split == NULL) {
			transport_close(transport);
			return -ENOMEM;
		}
		x310->n_ports++;
	}
	*ret = split_end(port->split, own, OWN_STEP);
	return 0;
}

static struct x310_options options_of(
    const struct x310_settings *settings, uint32_t c, uint32_t nth)
{
	return (struct x310_options){
	    .device = {settings->address, CHDR_UDP_PORT},
	    .own = (uint16_t)(OWN_ENDPOINT + OWN_STEP * nth),
	    .initialised = settings->initialised,
	    .number = (uint16_t)settings->channel.item[c],
	    .rx = true,
	    .tx = !settings->listen,
	    .listen = settings->listen,
	    .window = {WINDOW_BYTES, 0xffffff},
	    .frequency = {settings->flow_control ? WINDOW_BYTES / 8 : 0,
	        settings->flow_control ? 0xffffff : 0},
	    .lossy = settings->flow_control,
	    .policy = settings->tx_advance < 0 ? TX_GO_ON : TX_REALIGN,
	};
}

/* Why it did not come to stand. What cannot be used says so itself. */
static int not_standing(
    const struct x310_radio *x310, const struct x310_antenna *channel, char *ret_why, size_t size)
{
	const struct x310_channel *radio = &channel->radio;
	const enum x310_trouble trouble = x310_trouble_of(radio);

	if (trouble == X310_NO_USE)
		x310_say(radio, ret_why, size, "%s", radio->survey.why);
	else
		snprintf(ret_why, size, "%s (%s%s)",
		    x310->radio.trouble[channel - x310->antenna][trouble],
		    x310_failed(radio) ? x310_failed(radio)
		                       : "the radio's streams were not established in time",
		    transport_up(channel->transport)
		        ? ""
		        : "; no device is at the other end of the wire");
	return radio->survey.unknown_fpga ? -ENOTSUP : -EIO;
}

static void streams_ask(
    struct x310_radio *x310, struct x310_antenna *channel, const struct x310_options *options)
{
	x310_open(&channel->radio, options, channel->transport, clock_ns());
	x310_configure(&channel->radio, x310->radio.rx_packet, x310->radio.ticks_per_sample);
}

/* Until its streams stand. */
static int streams_stand(struct x310_radio *x310, struct x310_antenna *channel,
    const struct x310_options *options, char *ret_why, size_t size)
{
	const uint64_t begin_ns = clock_ns();
	struct x310_channel *radio = &channel->radio;

	while (!x310_ready(radio) && clock_ns() < begin_ns + OPEN_NS) {
		x310_attend(x310, begin_ns);
		if (x310_failed(radio) == NULL)
			continue;
		if (x310_trouble_of(radio) > X310_NO_REGISTERS || clock_ns() > begin_ns + SILENT_NS)
			break;
		x310_drop(radio);
		streams_ask(x310, channel, options);
	}
	x310_trouble_texts(radio, x310->radio.trouble[channel - x310->antenna]);
	if (!x310_ready(radio))
		return not_standing(x310, channel, ret_why, size);
	if (radio->control.refused > 0) {
		x310_say(radio, ret_why, size,
		    "the device refused accesses to its registers (%llu in all)",
		    (unsigned long long)radio->control.refused);
		return -EIO;
	}
	return 0;
}

/* Each channel has a socket of its own, or its part of a port or group that several have. */
static int device_reach(struct x310_radio *x310, struct x310_antenna *channel,
    const struct x310_settings *settings, char *ret_why, size_t size)
{
	const bool alone =
	    (settings->transport == X310_UDP && settings->group == 0) || x310->channels_wanted == 1;
	const uint64_t until = clock_ns() + OPEN_NS;
	char why[RADIO_NOTE] = "";
	const int status = alone
	    ? new_transport(x310, settings, x310->packets, &channel->transport, why, sizeof(why))
	    : port_transport(x310, settings, &channel->transport, why, sizeof(why));

	if (status != 0) {
		x310_say(&channel->radio, ret_why, size, "%s%s", why,
		    status == -EADDRNOTAVAIL ? "; own_address must be an address of this machine"
		                             : "");
		return status;
	}
	if (channel->transport->note[0])
		snprintf(
		    x310->radio.note, sizeof(x310->radio.note), "%s", channel->transport->note);
	while (!transport_up(channel->transport) && clock_ns() < until) {
		x310_turn(x310);
		clock_sleep_until(clock_ns() + NAP_NS);
	}
	return x310_is_wide(channel, settings, ret_why, size) ? 0 : -EMSGSIZE;
}

static int open_antenna(struct x310_radio *x310, const struct x310_settings *settings, uint32_t c,
    char *ret_why, size_t size)
{
	const uint32_t nth = x310->radio.channels;
	struct x310_options options = options_of(settings, c, nth);
	struct x310_antenna *channel = &x310->antenna[nth];
	int status;

	channel->radio.options = options;
	channel->radio.spp = x310->radio.rx_packet;
	status = device_reach(x310, channel, settings, ret_why, size);
	if (status != 0)
		return status;
	x310->radio.channel[nth] = (struct aloe_radio_channel){settings->rx_frequency.item[c],
	    settings->rx_gain.item[c], settings->tx_frequency.item[c], settings->tx_gain.item[c]};
	x310->radio.channels++;
	/* a host that was killed may have left its messages unacknowledged, and packets */
	options.reset = !options.listen && x310_owner(x310, nth) == nth;
	streams_ask(x310, channel, &options);
	status = streams_stand(x310, channel, &options, ret_why, size);
	if (status == 0 && !x310_is_as_said(x310, nth, settings, c, ret_why, size))
		status = -EINVAL;
	return status;
}

static const char *source_of(int choice)
{
	return choice < 0 ? NULL : x310_sources[choice];
}

/* What the first device says holds for both. */
static void take_settings(
    struct x310_radio *x310, const struct x310_settings *first, const struct radio_use *use)
{
	struct radio *radio = &x310->radio;

	radio->ticks_per_sample = (uint32_t)(first->clock_rate / use->rate_hz + 0.5);
	radio->rx_packet = x310_packet_samples(first, use->slot_samples);
	radio->tx_packet = first->listen ? 0 : radio->rx_packet;
	radio->tx_advance = first->tx_advance;
	radio->patience_ns = use->fast ? UINT64_MAX / 8 : (uint64_t)(first->patience_ms * 1e6);
	radio->end_ticks = UINT64_MAX;
	radio->clock_source = source_of(first->clock_source);
	radio->time_source = source_of(first->time_source);
	x310->tick_ns = 1e9 / first->clock_rate;
	x310->per_slot = (uint64_t)use->slot_samples * radio->ticks_per_sample;
	x310->packets = radio_queue(use->slot_samples, radio->rx_packet);
	x310->listen = first->listen;
}

static void close_all(struct radio *self);

static int open_all(const void *const *all, uint32_t n, const struct radio_use *use,
    struct radio **ret, char *ret_why, size_t size)
{
	struct x310_radio *x310 = calloc(1, sizeof(*x310));
	uint32_t names = 0;
	int status = 0;

	if (x310 == NULL)
		return -ENOMEM;
	x310->radio.driver = &x310_driver;
	take_settings(x310, all[0], use);
	for (uint32_t i = 0; i < n; i++) {
		const struct x310_settings *settings = all[i];

		x310->radio.on_grid |= settings->group != 0;
		x310->channels_wanted += settings->channel.n;
		if (settings->transport == X310_DPDK)
			x310->port_names[names++] = settings->port;
	}
	for (uint32_t i = 0; i < n && status == 0; i++) {
		const struct x310_settings *settings = all[i];

		for (uint32_t c = 0; c < settings->channel.n && status == 0; c++)
			status = open_antenna(x310, settings, c, ret_why, size);
	}
	if (status == 0 && !x310_is_one_time(x310, ret_why, size))
		status = -EINVAL;
	if (status != 0)
		close_all(&x310->radio);
	else
		*ret = &x310->radio;
	return status;
}

/* ---- close ------------------------------------------------------------------------ */

/* An end of the burst, as one sample of silence. */
static void end_burst(struct radio *x310, uint32_t c)
{
	struct x310_antenna *channel = &x310_of(x310)->antenna[c];
	uint8_t *iq = channel->bursting ? x310_driver_place(x310, c) : NULL;

	if (iq == NULL)
		return;
	memset(iq, 0, RADIO_IQ);
	x310_send(&channel->radio, &channel->placed, 1, UINT64_MAX, true);
	x310_flush(&channel->radio);
	channel->has_place = false;
}

/* Of every burst the radio says that it has ended, behind all else that it has to say of it. */
static bool bursts_reported(const struct x310_antenna *channel)
{
	const struct x310_channel *radio = &channel->radio;

	return !channel->bursting || !x310_ready(radio) ||
	    radio->control.events[RADIO_TX_BURST_END] >
	    radio->counts.breaks + radio->counts.realigned;
}

static bool all_reported(const struct x310_radio *x310)
{
	for (uint32_t c = 0; c < x310->radio.channels; c++)
		if (!bursts_reported(&x310->antenna[c]))
			return false;
	return true;
}

/* The samples sent last are played so long after the slot. */
static uint64_t ahead_ns(const struct x310_radio *x310)
{
	const struct radio *radio = &x310->radio;

	return radio->tx_advance > 0
	    ? (uint64_t)((double)radio->tx_advance * radio->ticks_per_sample * x310->tick_ns)
	    : 0;
}

static void end_all(struct radio *self)
{
	struct x310_radio *x310 = x310_of(self);
	uint64_t asked_ns;

	for (uint32_t c = 0; c < self->channels; c++) {
		end_burst(self, c);
		if (x310->running)
			x310_stop(&x310->antenna[c].radio);
	}
	settings_tell(x310, CLOSE_NS);
	asked_ns = clock_ns();
	while (!all_reported(x310) && clock_ns() < asked_ns + REPORTS_NS + ahead_ns(x310))
		x310_attend(x310, asked_ns);
	settings_tell(x310, CLOSE_NS); /* acknowledgements */
	x310->ended = true;
}

static void close_all(struct radio *self)
{
	struct x310_radio *x310 = x310_of(self);

	if (!x310->ended)
		end_all(self);
	for (uint32_t c = 0; c < RADIO_CHANNELS_MAX; c++)
		transport_close(x310->antenna[c].transport);
	free(x310);
}

/* ---- the driver ------------------------------------------------------------------------ */

static uint32_t channels_of(const void *settings)
{
	return ((const struct x310_settings *)settings)->channel.n;
}

/* Who opens a device's streams ends those of whoever has them. */
static void claim_of(const void *self, char *ret, size_t size)
{
	const struct x310_settings *settings = self;
	const uint32_t a = settings->address;

	snprintf(ret, settings->listen ? 1 : size, "%u.%u.%u.%u", a >> 24, a >> 16 & 255,
	    a >> 8 & 255, a & 255);
}

const struct radio_driver x310_driver = {
    .type = "x310",
    .summary = "a USRP X310, or x310sim",
    .manual = x310_manual,
    .keys = x310_keys,
    .n_keys = X310_KEYS,
    .settings_size = sizeof(struct x310_settings),
    .fast = true,
    .check = x310_check,
    .channels = channels_of,
    .claim = claim_of,
    .examine = x310_examine,
    .tell = x310_tell,
    .open = open_all,
    .end = end_all,
    .close = close_all,
    .clock = radio_host_clock,
    .start = x310_driver_start,
    .receive = x310_driver_receive,
    .release = x310_driver_release,
    .ready = x310_driver_ready,
    .place = x310_driver_place,
    .send = send_placed,
    .flush = x310_driver_flush,
    .count = x310_driver_count,
};
