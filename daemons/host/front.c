/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/host/front.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/registry/registry.h"
#include "core/waveform/radio.h"
#include "platforms/udp/udp.h"

enum {
	START_TRIES = 4,
	DEVICE_ENDPOINT =
	    2, /* of the first port behind the crossbar, as UHD numbers it; it alone takes register accesses */
	CLAIMED_ENDPOINT = 0x40, /* and port: the others */
	FIRST_PORT = 3,
	FIRST_BLOCK = 4,
	BLOCK_STEP = 3,
	OWN_ENDPOINT = 0x100,
	OWN_STEP = 0x10,
	CHDR_UDP_PORT = 49153,
	PACKET_LEAST = 2176,
	WINDOW_BYTES = 1 << 20, /* what any door holds */
	TIME_LOW = 4,
	TIME_HIGH = 8
};
#define OPEN_NS 10000000000ull
#define NAP_NS 1000000ull
#define CLOSE_NS 200000000ull
#define TIME_NS 500000000ull
#define AHEAD_NS                                                                                   \
	100000000ull /* of a start that all channels are to hear of in time; twice that when they did not */
#define AGAIN_NS 1000000ull /* of one after an overrun */
#define AGAIN_LATER_NS 50000000ull
#define STALL_NS 2000000000ull

static struct x310_front *front_of(struct front *front)
{
	return (struct x310_front *)front;
}

static uint64_t clock_of(struct front *front)
{
	(void)front;
	return clock_ns();
}

/* Takes and answers what comes, and throws samples away: so many packets. */
static unsigned turn(struct x310_front *front)
{
	struct radio_packet packets[DOOR_BURST];
	unsigned sum = 0;

	for (uint32_t c = 0; c < front->front.channels; c++) {
		struct radio *radio = &front->channel[c].radio;
		const unsigned n = radio_receive(radio, clock_ns(), packets, DOOR_BURST);

		radio_release(radio, packets, n);
		sum += n;
	}
	return sum;
}

static bool idle(const struct x310_front *front)
{
	for (uint32_t c = 0; c < front->front.channels; c++)
		if (!radio_idle(&front->channel[c].radio))
			return false;
	return true;
}

/* Until every channel has been told what it was to be. */
static void tell(struct x310_front *front, uint64_t patience_ns)
{
	const uint64_t until = clock_ns() + patience_ns;

	while (!idle(front) && clock_ns() < until)
		turn(front);
}

/* What the radio has said of Rx, which then does not go on. */
static uint64_t complaints(const struct front_channel *channel)
{
	const uint64_t *events = channel->radio.control.events;

	return events[RADIO_RX_OVERRUN] + events[RADIO_RX_LATE];
}

/* ---- start ------------------------------------------------------------------------------------------------------------------ */

/* One register of the first channel's radio; false: it was not told in time. */
static bool time_read(struct x310_front *front, uint32_t address, uint32_t *ret)
{
	struct control *control = &front->channel[0].radio.control;
	const uint64_t until = clock_ns() + TIME_NS;

	if (control_read(control, front->channel[0].radio.options.block, address) != 0)
		return false;
	while (!control_idle(control) && clock_ns() < until)
		turn(front);
	*ret = control->value;
	return control_idle(control);
}

static uint64_t time_of(struct x310_front *front)
{
	uint32_t high = 0, low = 0, again = 0;

	for (int i = 0; i < 3; i++)
		if (time_read(front, TIME_HIGH, &high) && time_read(front, TIME_LOW, &low) &&
		    time_read(front, TIME_HIGH, &again) && high == again)
			return (uint64_t)high << 32 | low;
	return 0;
}

static void start_at(struct x310_front *front, uint64_t ticks)
{
	front->front.start_ticks = ticks;
	front->origin = ticks;
	for (uint32_t c = 0; c < front->front.channels; c++) {
		front->channel[c].events = complaints(&front->channel[c]);
		radio_start(&front->channel[c].radio, ticks);
	}
}

static void stop(struct x310_front *front)
{
	const uint64_t until = clock_ns() + TIME_NS;

	for (uint32_t c = 0; c < front->front.channels; c++)
		radio_stop(&front->channel[c].radio);
	tell(front, TIME_NS);
	while (turn(front) > 0 && clock_ns() < until)
		; /* what it had sent by then */
}

static uint64_t packets_of(const struct x310_front *front)
{
	uint64_t sum = 0;

	for (uint32_t c = 0; c < front->front.channels; c++)
		sum += front->channel[c].radio.rx.counts.packets;
	return sum;
}

/* False: not every channel had heard of it when it was time, or we threw away what it began with. Of a device that does not say
 * its time no more can be asked. */
static bool start_together(struct x310_front *front, uint64_t ahead_ns)
{
	const uint64_t now = time_of(front), packets = packets_of(front);
	uint64_t ticks = now + (uint64_t)((double)ahead_ns / front->tick_ns);

	if (front->front.on_grid)
		ticks += (front->per_slot - ticks % front->per_slot) % front->per_slot;
	start_at(front, now != 0 ? ticks : 0);
	tell(front, TIME_NS);
	return now == 0 || (time_of(front) < ticks && idle(front) && packets_of(front) == packets);
}

/* Several channels have one first sample; their time is one (time_source). So have several nodes one first sample of a slot.
 * Where one of them heard of it too late, for this machine stood still, it is asked of all of them once more. */
static void start(struct front *self)
{
	struct x310_front *front = front_of(self);
	const bool timed = !front->listen && (self->channels > 1 || self->on_grid);

	if (!timed)
		start_at(front, 0);
	for (int i = 0; timed && !start_together(front, AHEAD_NS << i) && i < START_TRIES - 1; i++)
		stop(front);
	for (uint32_t c = 0; c < self->channels; c++)
		front->channel[c].heard_ns = clock_ns();
	front->running = true;
}

/* At a slot's first tick, by the packet heard last; where that was too late already, later, and then at once: packets lie across
 * slots then. */
static void start_again(struct x310_front *front, struct front_channel *channel, uint64_t now_ns)
{
	const double ahead = (double)(now_ns - channel->heard_ns +
	    (channel->tries == 0 ? AGAIN_NS : AGAIN_LATER_NS));
	uint64_t ticks = channel->heard_ticks + (uint64_t)(ahead / front->tick_ns);

	ticks = front->origin + ((ticks - front->origin) / front->per_slot + 1) * front->per_slot;
	radio_start(&channel->radio, channel->heard_ticks != 0 && channel->tries < 2 ? ticks : 0);
	channel->tries++;
}

/* What has been counted since it was set up is added to *ret. */
static void add_counts(const struct radio *radio, struct front_counts *ret)
{
	ret->overruns += radio->control.events[RADIO_RX_OVERRUN];
	ret->late += radio->control.events[RADIO_TX_LATE];
	ret->underruns += radio->control.events[RADIO_TX_UNDERRUN];
	ret->sequence += radio->tx.counts.seqerr;
	ret->restarts += radio->rx.counts.restarts; /* heard, where we listen */
}

/* All of it, for a device that has been started again knows nothing of us; and once more where nobody answers. */
static void set_up_anew(struct x310_front *front, struct front_channel *channel, uint64_t now_ns)
{
	const struct radio_options options = channel->radio.options;

	add_counts(&channel->radio, &channel->before);
	channel->before.restarts += !channel->again;
	channel->again = true;
	channel->heard_ns = now_ns;
	channel->heard_ticks = channel->events = 0;
	radio_drop(&channel->radio);
	radio_open(&channel->radio, &options, channel->door, now_ns);
	radio_configure(&channel->radio, channel->spp, front->front.ticks_per_sample);
}

/* What has to be done when the stream is not as it should be. */
static void look_after(struct x310_front *front, struct front_channel *channel, uint64_t now_ns)
{
	const uint64_t sum = complaints(channel);

	if (!front->running || front->listen)
		return;
	if (sum != channel->events) {
		channel->events = sum;
		start_again(front, channel, now_ns);
	} else if (channel->again && radio_ready(&channel->radio)) {
		channel->again = false;
		channel->heard_ns = now_ns;
		radio_start(&channel->radio, 0);
	} else if (now_ns > channel->heard_ns + STALL_NS) {
		set_up_anew(front, channel, now_ns);
	}
}

/* ---- in and out --------------------------------------------------------------------------------------------------------------- */

static unsigned receive(
    struct front *self, uint32_t c, uint64_t now_ns, struct front_packet *ret, unsigned n)
{
	struct x310_front *front = front_of(self);
	struct front_channel *channel = &front->channel[c];
	struct radio_packet packets[DOOR_BURST];
	const unsigned got = radio_receive(&channel->radio, now_ns, packets, n);

	for (unsigned i = 0; i < got; i++)
		ret[i] = (struct front_packet){.packet = packets[i].packet,
		    .iq = packets[i].iq,
		    .ticks = packets[i].ticks,
		    .samples = packets[i].n,
		    .gap = packets[i].gap};
	if (got > 0) {
		channel->heard_ns = now_ns;
		channel->heard_ticks = packets[got - 1].ticks;
		channel->tries = 0;
		if (front->origin == 0 || packets[0].ticks < front->origin)
			front->origin = packets[0].ticks -
			    (self->on_grid ? packets[0].ticks % front->per_slot : 0);
	}
	look_after(front, channel, now_ns);
	return got;
}

static void release(struct front *self, uint32_t c, const struct front_packet *packets, unsigned n)
{
	struct front_channel *channel = &front_of(self)->channel[c];
	struct packet back[DOOR_BURST];
	unsigned held = 0;

	for (unsigned i = 0; i < n; i++) {
		back[held++] = packets[i].packet;
		rx_release(&channel->radio.rx, packets[i].packet.size);
		if (held == DOOR_BURST || i + 1 == n) {
			door_put(channel->door, back, held);
			held = 0;
		}
	}
}

static uint8_t *place(struct front *self, uint32_t c)
{
	struct front_channel *channel = &front_of(self)->channel[c];

	if (!channel->has_place)
		channel->has_place =
		    radio_get(&channel->radio, channel->spp, &channel->placed, 1) == 1;
	return channel->has_place ? radio_iq(&channel->placed) : NULL;
}

static void send_placed(struct front *self, uint32_t c, uint32_t samples, uint64_t ticks)
{
	struct front_channel *channel = &front_of(self)->channel[c];

	radio_send(&channel->radio, &channel->placed, samples, ticks, false);
	channel->has_place = false;
	channel->bursting = true;
}

static void flush(struct front *self)
{
	for (uint32_t c = 0; c < self->channels; c++)
		radio_flush(&front_of(self)->channel[c].radio);
}

static void count(struct front *self, uint32_t c, struct front_counts *ret)
{
	const struct front_channel *channel = &front_of(self)->channel[c];

	*ret = channel->before;
	add_counts(&channel->radio, ret);
}

static const struct front_kind x310_kind = {
    clock_of, start, receive, release, place, send_placed, flush, count};

/* ---- open -------------------------------------------------------------------------------------------------------------------- */

static const struct door_kind *kind_of(uint32_t transport, char *ret_why, size_t size)
{
	const void *symbol = NULL;
	char path[PATH_MAX];
	struct diag diag;

	if (transport == WF_TRANSPORT_UDP)
		return &door_udp;
	diag_init(&diag);
	if (library_path("dpdk", path, sizeof(path)) == 0)
		(void)library_open(path, "door_dpdk", &diag, &symbol);
	if (symbol == NULL)
		snprintf(ret_why, size,
		    "transport \"dpdk\": %s; it is built where libdpdk-dev is installed",
		    diag.len > 0 ? diag.lines[0] : "its library cannot be loaded");
	diag_fini(&diag);
	return symbol;
}

static int new_door(const struct image_view *view, const struct image_radio *row, uint32_t packets,
    struct door **ret, char *ret_why, size_t size)
{
	const uint32_t bytes = RADIO_HEADER + RADIO_IQ * row->spp;
	const struct door_options options = {
	    .own = {row->own_address, 0},
	    .packets = packets + 4 * DOOR_BURST,
	    .packet_bytes = bytes > PACKET_LEAST ? bytes : PACKET_LEAST,
	    .port = image_text(view, row->port),
	    .eal = image_text(view, row->eal),
	    .group = {row->group, (uint16_t)row->group_port},
	    .listen = row->listen != 0,
	};
	const struct door_kind *kind = kind_of(row->transport, ret_why, size);
	char why[DOOR_WHY] = "";
	int status;

	if (kind == NULL)
		return -ENOENT;
	status = door_open(kind, &options, why, ret);
	if (status != 0)
		snprintf(ret_why, size, "%s", why[0] ? why : strerror(-status));
	return status;
}

/* One door for both: a port that the kernel does not see, or a group. */
static bool same_port(
    const struct image_view *view, const struct image_radio *a, const struct image_radio *b)
{
	return a->transport == b->transport &&
	    strcmp(image_text(view, a->port), image_text(view, b->port)) == 0 &&
	    a->group == b->group && a->group_port == b->group_port;
}

/* Such a door is there once, for all radios that name it. */
static int port_door(struct x310_front *front, const struct image_view *view,
    const struct image_radio *row, uint32_t packets, char *ret_why, size_t size)
{
	const uint16_t own = (uint16_t)(OWN_ENDPOINT + OWN_STEP * front->front.channels);
	struct front_port *port = front->ports;
	struct door *door;
	int status;

	while (port < front->ports + front->n_ports && !same_port(view, port->row, row))
		port++;
	if (port == front->ports + front->n_ports) {
		status =
		    new_door(view, row, IMAGE_RADIO_CHANNELS_MAX * packets, &door, ret_why, size);
		if (status != 0)
			return status;
		*port = (struct front_port){row, split_new(door)};
		if (port->split == NULL) {
			door_close(door);
			return -ENOMEM;
		}
		front->n_ports++;
	}
	front->channel[front->front.channels].door = split_end(port->split, own, OWN_STEP);
	return 0;
}

/* Each channel has a socket of its own, or its part of a port or group that several have. */
static int open_door(struct x310_front *front, const struct image_view *view,
    const struct image_radio *row, uint32_t packets, char *ret_why, size_t size)
{
	uint32_t channels = 0;

	for (uint32_t r = 0; r < view->head->radios.count; r++)
		channels += view->radios[r].n_channels;
	if ((row->transport == WF_TRANSPORT_UDP && row->group == 0) || channels == 1)
		return new_door(
		    view, row, packets, &front->channel[front->front.channels].door, ret_why, size);
	return port_door(front, view, row, packets, ret_why, size);
}

static struct radio_options options_of(const struct image_radio *row, uint32_t c, uint32_t nth)
{
	const uint32_t number = row->channels[c], port = FIRST_PORT + number;
	const bool first = number == 0;

	return (struct radio_options){
	    .device = {row->address, CHDR_UDP_PORT},
	    .endpoint = {.own = (uint16_t)(OWN_ENDPOINT + OWN_STEP * nth),
	        .own_port = (uint16_t)row->sfp,
	        .device = (uint16_t)(first ? DEVICE_ENDPOINT : CLAIMED_ENDPOINT + port),
	        .device_port = (uint16_t)port,
	        .claim = !first || !row->initialised,
	        .version = 0x0100},
	    .control_device = DEVICE_ENDPOINT,
	    .control_port = first ? 0 : FIRST_PORT,
	    .initialised = row->initialised != 0,
	    .block = (uint16_t)(FIRST_BLOCK + BLOCK_STEP * (number / 2)),
	    .channel = (uint16_t)(number % 2),
	    .rx = true,
	    .tx = number % 2 == 0 && !row->listen,
	    .listen = row->listen != 0,
	    .window = {WINDOW_BYTES, 0xffffff},
	    .frequency = {row->flow_control ? WINDOW_BYTES / 8 : 0,
	        row->flow_control ? 0xffffff : 0},
	    .lossy = row->flow_control != 0,
	    .policy = row->tx_advance < 0 ? TX_GO_ON : TX_REALIGN,
	};
}

/* Until its streams stand. */
static int stand(
    struct x310_front *front, struct front_channel *channel, char *ret_why, size_t size)
{
	const uint64_t until = clock_ns() + OPEN_NS;
	struct radio *radio = &channel->radio;

	while (!radio_ready(radio)) {
		if (radio_failed(radio) == NULL && clock_ns() < until) {
			turn(front);
			continue;
		}
		snprintf(ret_why, size, "%s%s",
		    radio_failed(radio) ? radio_failed(radio) : "its streams do not stand",
		    door_up(channel->door) ? ""
		                           : " (there is nobody at the other end of the wire)");
		return -EIO;
	}
	if (radio->control.refused > 0) {
		snprintf(ret_why, size, "the device refused %llu register accesses",
		    (unsigned long long)radio->control.refused);
		return -EIO;
	}
	return 0;
}

static int open_channel(struct x310_front *front, const struct image_view *view,
    const struct image_radio *row, uint32_t c, uint32_t packets, char *ret_why, size_t size)
{
	const uint32_t nth = front->front.channels;
	struct front_channel *channel = &front->channel[nth];
	const struct radio_options options = options_of(row, c, nth);
	int status = open_door(front, view, row, packets, ret_why, size);

	if (status != 0)
		return status;
	if (channel->door->note[0])
		snprintf(front->note, sizeof(front->note), "%s", channel->door->note);
	for (const uint64_t until = clock_ns() + OPEN_NS;
	     !door_up(channel->door) && clock_ns() < until;) {
		turn(front);
		clock_sleep_until(clock_ns() + NAP_NS);
	}
	front->front.channels++;
	channel->spp = row->spp;
	radio_open(&channel->radio, &options, channel->door, clock_ns());
	radio_configure(&channel->radio, row->spp, row->ticks_per_sample);
	return stand(front, channel, ret_why, size);
}

int front_open(struct x310_front *front, const struct image_view *view, uint32_t packets,
    char *ret_why, size_t size)
{
	const struct image_head *head = view->head;
	int status = 0;

	*front = (struct x310_front){
	    .front = {.kind = &x310_kind, .ticks_per_sample = view->radios[0].ticks_per_sample}};
	front->channel = calloc(IMAGE_RADIO_CHANNELS_MAX, sizeof(*front->channel));
	if (front->channel == NULL)
		return -ENOMEM;
	front->tick_ns = 1e9 / view->radios[0].clock_rate;
	front->per_slot = (uint64_t)head->slot_samples * view->radios[0].ticks_per_sample;
	for (uint32_t r = 0; r < head->radios.count; r++) {
		front->front.on_grid |= view->radios[r].group != 0;
		front->listen |= view->radios[r].listen != 0;
	}
	for (uint32_t r = 0; r < head->radios.count && status == 0; r++)
		for (uint32_t c = 0; c < view->radios[r].n_channels && status == 0; c++)
			status =
			    open_channel(front, view, &view->radios[r], c, packets, ret_why, size);
	if (status != 0)
		front_close(front);
	return status;
}

/* ---- close --------------------------------------------------------------------------------------------------------------------- */

/* An end of the burst, as one sample of silence. */
static void end_burst(struct front *front, uint32_t c)
{
	struct front_channel *channel = &front_of(front)->channel[c];
	uint8_t *iq = channel->bursting ? place(front, c) : NULL;

	if (iq == NULL)
		return;
	memset(iq, 0, RADIO_IQ);
	radio_send(&channel->radio, &channel->placed, 1, UINT64_MAX, true);
	radio_flush(&channel->radio);
	channel->has_place = false;
}

void front_close(struct x310_front *front)
{
	for (uint32_t c = 0; c < front->front.channels; c++) {
		end_burst(&front->front, c);
		if (front->running)
			radio_stop(&front->channel[c].radio);
	}
	front->running = false;
	tell(front, CLOSE_NS);
	for (uint32_t c = 0; front->channel != NULL && c < IMAGE_RADIO_CHANNELS_MAX; c++)
		door_close(front->channel[c].door);
	free(front->channel);
	front->channel = NULL;
	front->front.channels = 0;
}
