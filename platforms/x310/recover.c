/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streams that are not as they should be.
 *
 * 	streams --overrun, late start--> started again
 * 	        --silent for STALL_NS, failed, time set back--> set up anew --ready--> started
 *                                                             |  ^ every RETRY_NS, counted
 *                                                             +--+
 *
 * Nothing is sent before the first packet has come after that (driver.c), for only that tells the
 * device's time. Of antennas that share a block the first one resets the block, unless another one
 * still receives, and the others wait until it has. */
#include <stdarg.h>
#include <stdio.h>

#include "platforms/x310/antenna.h"

#define AGAIN_NS 1000000ull /* of a start after an overrun */
#define AGAIN_LATER_NS 50000000ull
#define STALL_NS 2000000000ull
#define RETRY_NS 1000000000ull
#define BACK_NS 1000000000.0 /* a step back of the device's time: less mends itself */
/* between two devices: beyond it slots would jump from the time of one to that of the other */
#define APART_NS 500000000.0
#define FRESH_NS 50000000ull /* of what was heard of the first device, to compare with */
enum { WRONG_PACKETS = 8 /* in a row, until their rate is believed to be wrong */ };

uint64_t x310_complaints(const struct x310_antenna *channel)
{
	const uint64_t *events = channel->radio.control.events;

	return events[RADIO_RX_OVERRUN] + events[RADIO_RX_LATE];
}

/* At a slot's first tick, by the packet heard last; where that was too late already, later, and
 * then at once: packets lie across slots then. */
static void start_again(struct x310_radio *x310, struct x310_antenna *channel, uint64_t now_ns)
{
	const double ahead = (double)(now_ns - channel->heard_ns +
	    (channel->tries == 0 ? AGAIN_NS : AGAIN_LATER_NS));
	uint64_t ticks = channel->heard_ticks + (uint64_t)(ahead / x310->tick_ns);

	ticks = x310->origin + ((ticks - x310->origin) / x310->per_slot + 1) * x310->per_slot;
	x310_start(&channel->radio, channel->heard_ticks != 0 && channel->tries < 2 ? ticks : 0);
	channel->tries++;
}

/* ---- counts ------------------------------------------------------------------------ */

/* What has been counted since it was set up is added to *ret. */
static void add_counts(const struct x310_channel *radio, struct radio_counts *ret)
{
	ret->overruns += radio->control.events[RADIO_RX_OVERRUN];
	ret->late += radio->control.events[RADIO_TX_LATE];
	ret->underruns += radio->control.events[RADIO_TX_UNDERRUN];
	ret->sequence += radio->tx.counts.seqerr;
	ret->restarts += radio->rx.counts.restarts; /* heard, where we listen */
}

void x310_count(const struct x310_radio *x310, uint32_t c, struct radio_counts *ret)
{
	*ret = x310->antenna[c].before;
	add_counts(&x310->antenna[c].radio, ret);
}

/* ---- set up anew ------------------------------------------------------------------------ */

bool x310_same_device(const struct x310_radio *x310, uint32_t a, uint32_t b)
{
	return x310->antenna[a].radio.options.device.ip == x310->antenna[b].radio.options.device.ip;
}

static bool same_block(const struct x310_radio *x310, uint32_t a, uint32_t b)
{
	return x310_same_device(x310, a, b) &&
	    x310->antenna[a].radio.options.number / SURVEY_CHANNELS ==
	    x310->antenna[b].radio.options.number / SURVEY_CHANNELS;
}

uint32_t x310_owner(const struct x310_radio *x310, uint32_t c)
{
	uint32_t owner = 0;

	while (!same_block(x310, owner, c))
		owner++;
	return owner;
}

static bool channel_silent(const struct x310_antenna *channel, uint64_t now_ns)
{
	return channel->again || now_ns > channel->heard_ns + STALL_NS;
}

static bool may_reset(const struct x310_radio *x310, uint32_t c, uint64_t now_ns)
{
	for (uint32_t other = 0; other < x310->radio.channels; other++)
		if (other != c && same_block(x310, other, c) &&
		    !channel_silent(&x310->antenna[other], now_ns))
			return false;
	return x310_owner(x310, c) == c;
}

/* All of it, for a device that has been started again knows nothing of us. */
static void set_up_anew(struct x310_radio *x310, uint32_t c, uint64_t now_ns)
{
	struct x310_antenna *channel = &x310->antenna[c];
	struct x310_options options = channel->radio.options;

	options.reset = may_reset(x310, c, now_ns);
	add_counts(&channel->radio, &channel->before);
	if (channel->again || channel->heard_ticks == 0)
		channel->before.failed++;
	else
		channel->before.restarts++;
	channel->again = channel->anew = true;
	channel->tried_ns = now_ns;
	channel->heard_ticks = channel->events = 0;
	channel->next_ticks = 0;
	channel->bursting = channel->stale = false;
	x310_drop(&channel->radio);
	x310_open(&channel->radio, &options, channel->transport, now_ns);
	x310_configure(&channel->radio, x310->radio.rx_packet, x310->radio.ticks_per_sample);
}

/* What has failed is tried again once a second; what goes on will fail or be ready. */
static bool is_due(const struct x310_antenna *channel, uint64_t now_ns)
{
	const bool again = channel->tried_ns > 0 && channel->heard_ticks == 0;

	if (x310_failed(&channel->radio) != NULL)
		return now_ns >= channel->tried_ns + RETRY_NS;
	return !channel->again && now_ns > channel->heard_ns + (again ? RETRY_NS : STALL_NS);
}

static void channel_started(struct x310_antenna *channel, uint64_t now_ns)
{
	channel->again = false;
	channel->heard_ns = now_ns;
	x310_start(&channel->radio, 0);
}

void x310_look_after(struct x310_radio *x310, uint32_t c, uint64_t now_ns)
{
	struct x310_antenna *channel = &x310->antenna[c];
	const uint32_t owner = x310_owner(x310, c);
	const uint64_t sum = x310_complaints(channel);

	if (!x310->running || x310->listen)
		return;
	if (sum != channel->events) {
		channel->events = sum;
		start_again(x310, channel, now_ns);
	} else if (channel->again && x310_ready(&channel->radio)) {
		channel_started(channel, now_ns);
	} else if (is_due(channel, now_ns)) {
		channel->before.trouble = x310_trouble_of(&channel->radio);
		if (owner == c || !channel_silent(&x310->antenna[owner], now_ns))
			set_up_anew(x310, c, now_ns);
	}
}

/* ---- what comes ------------------------------------------------------------------------ */

/* Packets that follow each other tell how long a sample is. Where a stream begins again its time
 * jumps, once. */
static void look_at_rate(
    const struct x310_radio *x310, struct x310_antenna *channel, const struct x310_packet *packet)
{
	const uint64_t ticks = (uint64_t)packet->n * x310->radio.ticks_per_sample;

	if (packet->overtaken)
		return;
	if (channel->next_ticks != 0 && packet->gap == 0)
		channel->wrong = packet->ticks == channel->next_ticks ? 0 : channel->wrong + 1;
	channel->next_ticks = packet->ticks + ticks;
}

static bool is_far(const struct x310_radio *x310, uint64_t ticks, uint64_t other)
{
	const double apart = (double)ticks - (double)other;

	return apart > APART_NS / x310->tick_ns || apart < -APART_NS / x310->tick_ns;
}

/* is_apart compares a channel of another device with the first device, whose time was heard now.
 * If the first device was not heard, a leap is not believed, and the last result holds. `before` is
 * the last time of this channel; 0: none. */
static bool is_apart(struct x310_radio *x310, uint32_t c, uint64_t now_ns, uint64_t before)
{
	const struct x310_antenna *first = &x310->antenna[0];
	struct x310_antenna *channel = &x310->antenna[c];

	if (c == 0 || x310_same_device(x310, 0, c))
		return false;
	if (first->heard_ticks != 0 && now_ns < first->heard_ns + FRESH_NS)
		channel->apart = is_far(x310, channel->heard_ticks, first->heard_ticks);
	else if (before != 0 && is_far(x310, channel->heard_ticks, before))
		channel->apart = true;
	return channel->apart;
}

static enum x310_trouble streams_as(const struct x310_antenna *channel, bool apart)
{
	if (apart)
		return X310_OTHER_TIME;
	return channel->wrong >= WRONG_PACKETS ? X310_OTHER_RATE : X310_WELL;
}

/* What the device still has to send would wait for a time that does not come: all its channels are
 * set up anew. */
static void time_back(struct x310_radio *x310, uint32_t c)
{
	for (uint32_t other = 0; other < x310->radio.channels; other++)
		if (x310_same_device(x310, other, c)) {
			x310->antenna[other].heard_ns = 0;
			x310->antenna[other].stale = true;
		}
}

bool x310_heard(struct x310_radio *x310, uint32_t c, uint64_t now_ns,
    const struct x310_packet *packets, unsigned n)
{
	struct x310_antenna *channel = &x310->antenna[c];
	const uint64_t before = channel->heard_ticks, ticks = packets[n - 1].ticks;
	bool apart;

	if (channel->stale)
		return false;
	channel->heard_ns = now_ns;
	channel->heard_ticks = ticks;
	channel->tries = 0;
	for (unsigned i = 0; i < n; i++)
		look_at_rate(x310, channel, &packets[i]);
	if (!x310->listen && (double)before - (double)ticks > BACK_NS / x310->tick_ns) {
		time_back(x310, c);
		return false;
	}
	apart = is_apart(x310, c, now_ns, before);
	if (!channel->again && x310_failed(&channel->radio) == NULL)
		channel->before.trouble = streams_as(channel, apart);
	return !apart;
}

/* ---- in words ------------------------------------------------------------------------ */

static enum x310_trouble not_surveyed(const struct survey *survey)
{
	const enum survey_phase in =
	    survey->phase == SURVEY_FAILED ? survey->silent_in : survey->phase;

	if (in == SURVEY_ADVERTISE)
		return X310_NO_ANSWER;
	if (in < SURVEY_REGISTERS)
		return X310_NO_ROUTE;
	return in == SURVEY_REGISTERS ? X310_NO_REGISTERS : X310_NO_USE;
}

enum x310_trouble x310_trouble_of(const struct x310_channel *radio)
{
	const enum stream_phase asked =
	    radio->control.phase == STREAM_FAILED ? radio->control.failed_in : radio->control.phase;

	if (!radio->surveyed && !radio->options.listen)
		return not_surveyed(&radio->survey);
	if (asked <= STREAM_ADVERTISE)
		return X310_NO_ANSWER;
	if (asked < STREAM_READY)
		return X310_NO_ROUTE;
	if (!control_idle(&radio->control))
		return X310_NO_REGISTERS;
	if (radio->options.rx && radio->rx.phase != STREAM_READY)
		return X310_NO_RX;
	if (radio->options.tx && radio->tx.phase != STREAM_READY)
		return X310_NO_TX;
	return X310_NO_DATA;
}

void x310_say(const struct x310_channel *radio, char *ret, size_t size, const char *format, ...)
{
	const uint32_t a = radio->options.device.ip;
	va_list args;
	const int n =
	    snprintf(ret, size, "%u.%u.%u.%u port %u, channel %u: ", a >> 24, a >> 16 & 255,
	        a >> 8 & 255, a & 255, radio->options.device.port, radio->options.number);

	if (n < 0 || (size_t)n >= size)
		return;
	va_start(args, format);
	vsnprintf(ret + n, size - (size_t)n, format, args);
	va_end(args);
}

static void say_no_stream(
    const struct x310_channel *radio, const struct x310_path *path, const char *which, char *ret)
{
	x310_say(radio, ret, RADIO_TROUBLE,
	    "control answers, but the endpoint behind port %u of the crossbar does not begin the "
	    "%s stream, also after a reset; switch the device off and on",
	    path->endpoint_port, which);
}

void x310_trouble_texts(const struct x310_channel *radio, char ret[][RADIO_TROUBLE])
{
	const unsigned bytes = X310_HEADER + RADIO_IQ * radio->spp;

	x310_say(radio, ret[X310_NO_ANSWER], RADIO_TROUBLE,
	    "no answer from the device; check its power, the cable, `address` in the radio file "
	    "and the route to this address; after it was switched on, run x310-init");
	x310_say(radio, ret[X310_NO_ROUTE], RADIO_TROUBLE,
	    "the network port answers, the crossbar behind the port does not; switch the device "
	    "off and on, then run x310-init");
	x310_say(radio, ret[X310_NO_REGISTERS], RADIO_TROUBLE,
	    "management is answered, register accesses are not; check that x310-init still runs, "
	    "or run x310-init again");
	x310_say(radio, ret[X310_NO_USE], RADIO_TROUBLE,
	    "the device answers, but what it says of its FPGA image or wiring cannot be used; run "
	    "x310-init, which says why");
	say_no_stream(radio, &radio->rx_path, "receive", ret[X310_NO_RX]);
	say_no_stream(radio, &radio->tx_path, "transmit", ret[X310_NO_TX]);
	x310_say(radio, ret[X310_NO_DATA], RADIO_TROUBLE,
	    "control answers, stream set up, no data packets; check that every switch on the way "
	    "takes packets of %u bytes (MTU %u or more), or set a smaller spp",
	    bytes, bytes + TRANSPORT_HEADERS);
	x310_say(radio, ret[X310_OTHER_RATE], RADIO_TROUBLE,
	    "samples come, but not one every %u ticks of the device: the rate of this channel was "
	    "not set; run x310-init with --subdev for this channel",
	    radio->ticks_per_sample);
	x310_say(radio, ret[X310_OTHER_TIME], RADIO_TROUBLE,
	    "samples come, but their time is not that of the first device, which was set or "
	    "started again; run x310-init with the addresses of both devices");
}
