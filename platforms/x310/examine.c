/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/examine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "platforms/udp/route.h"
#include "platforms/udp/udp.h"
#include "platforms/x310/antenna.h"
#include "platforms/x310/firmware.h"

enum {
	IP_UDP = 28,        /* bytes of headers before a datagram */
	ETHERNET = 38,      /* of preamble, header, checksum and gap, around an IPv4 packet */
	SPP_USUAL = 256,    /* where the radio file does not say */
	TRIAL_DIVIDE = 200, /* of clock_rate, where it has no rate */
	PACKETS = 16,
	BITS = 8
};
#define GIGABIT 1e9

enum { IP_TEXT = 16 };

static const char *ip_text(uint32_t ip, char ret[IP_TEXT])
{
	snprintf(ret, IP_TEXT, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
	return ret;
}

/* ---- the way ------------------------------------------------------------------------ */

static uint32_t spp_of(const struct x310_settings *settings)
{
	return settings->spp > 0 ? (uint32_t)settings->spp : SPP_USUAL;
}

static uint32_t chdr_bytes(const struct x310_settings *settings)
{
	return X310_HEADER + RADIO_IQ * spp_of(settings);
}

static double rate_of(const struct x310_settings *settings)
{
	return settings->rate > 0 ? settings->rate : settings->clock_rate / TRIAL_DIVIDE;
}

static bool look_route(
    const struct x310_settings *settings, struct radio_look *look, struct udp_route *ret)
{
	const int rc = udp_route_find(settings->address, settings->own_address, ret);
	char to[IP_TEXT], own[IP_TEXT];

	ip_text(settings->address, to);
	if (rc == 0)
		radio_found(look, "route", RADIO_GOOD, "to %s by %s, from %s", to,
		    ret->interface.name, ip_text(ret->own, own));
	else if (rc == -EADDRNOTAVAIL)
		radio_found(look, "route", RADIO_BAD,
		    "own_address = %s is no address of this machine; give it to the interface of "
		    "the device's cable (ip addr add %s/24 dev DEV), or leave own_address out",
		    ip_text(settings->own_address, own), own);
	else
		radio_found(look, "route", RADIO_BAD,
		    "no way to %s: %s; give the interface of the device's cable an address of the "
		    "same network (ip addr add A.B.C.D/24 dev DEV)",
		    to, strerror(-rc));
	return rc == 0;
}

/* Bits a second of all channels on the cable, in one direction. */
static double wire_rate(const struct x310_settings *settings)
{
	const double packets = rate_of(settings) * settings->channel.n / spp_of(settings);

	return packets * BITS * (chdr_bytes(settings) + IP_UDP + ETHERNET);
}

static bool look_link(
    const struct x310_settings *settings, const struct udp_route *route, struct radio_look *look)
{
	const double needed = wire_rate(settings) / GIGABIT,
	             has = route->interface.mbit_per_s / 1e3;

	if (!route->interface.carrier)
		radio_found(look, "link", RADIO_BAD,
		    "%s has no carrier; check the cable, the module in the SFP, and that the FPGA "
		    "image has this SFP at the rate of the card",
		    route->interface.name);
	else if (route->interface.mbit_per_s >= 0 && has < needed)
		radio_found(look, "link", RADIO_BAD,
		    "%s has %g Gbit/s, but %" PRIu32
		    " channels of %g samples/s need %.2f Gbit/s; use a port with more, or a lower "
		    "rate",
		    route->interface.name, has, settings->channel.n, rate_of(settings), needed);
	else if (route->interface.mbit_per_s < 0)
		radio_found(look, "link", RADIO_GOOD, "%s is up and does not say its rate",
		    route->interface.name);
	else
		radio_found(look, "link", RADIO_GOOD,
		    "%s is up at %g Gbit/s; %.2f Gbit/s are needed", route->interface.name, has,
		    needed);
	return route->interface.carrier;
}

static void look_mtu(
    const struct x310_settings *settings, const struct udp_route *route, struct radio_look *look)
{
	const uint32_t needed = chdr_bytes(settings) + IP_UDP;
	const uint32_t most =
	    route->mtu > IP_UDP + X310_HEADER ? (route->mtu - IP_UDP - X310_HEADER) / RADIO_IQ : 0;

	if (route->mtu < needed)
		radio_found(look, "mtu", RADIO_BAD,
		    "the MTU towards the device is %" PRIu32 ", but packets of %" PRIu32
		    " samples need %" PRIu32
		    "; raise it (ip link set %s mtu 9000), or set spp to %" PRIu32 " or less",
		    route->mtu, spp_of(settings), needed, route->interface.name, most);
	else
		radio_found(look, "mtu", RADIO_GOOD,
		    "%" PRIu32 " towards the device; packets of %" PRIu32 " samples need %" PRIu32,
		    route->mtu, spp_of(settings), needed);
}

/* ---- the device, as anybody may ask it ---------------------------------------------------- */

static bool look_firmware(
    const struct x310_settings *settings, struct transport *transport, struct radio_look *look)
{
	uint32_t compat = 0, rfnoc = 0;
	char text[X310_FPGA_TEXT];

	if (!x310_peek(transport, settings->address, FIRMWARE_COMPAT, &compat) ||
	    !x310_peek(transport, settings->address, FIRMWARE_RFNOC, &rfnoc)) {
		radio_found(look, "firmware", RADIO_BAD,
		    "no answer from UDP port %d of the device; check its power, the cable, and "
		    "that `address` is the address of this SFP",
		    FIRMWARE_PORT);
		return false;
	}
	if (x310_ctrl_of((uint16_t)rfnoc) == 0) {
		x310_fpga_unknown((uint16_t)rfnoc, 0, text, sizeof(text));
		radio_found(look, "firmware", RADIO_BAD, "%s", text);
		return false;
	}
	radio_found(look, "firmware", RADIO_GOOD, "answers: FPGA compat %u.%u, protocol %u.%u",
	    compat >> 16, compat & 0xffff, rfnoc >> 8 & 255, rfnoc & 255);
	return true;
}

/* The largest datagram that passes in one direction, below `bad`, which does not. */
static uint32_t datagram_largest(
    struct transport *transport, uint32_t ip, uint32_t bad, bool towards_device)
{
	uint32_t good = MTU_BYTES;

	while (bad - good > RADIO_IQ) {
		const uint32_t size = (good + (bad - good) / 2) / RADIO_IQ * RADIO_IQ;

		if (x310_passes(transport, ip, towards_device ? size : MTU_BYTES,
		        towards_device ? MTU_BYTES : size))
			good = size;
		else
			bad = size;
	}
	return good;
}

static void look_frame(
    const struct x310_settings *settings, struct transport *transport, struct radio_look *look)
{
	const uint32_t needed = chdr_bytes(settings), ip = settings->address;
	const bool out = x310_passes(transport, ip, needed, MTU_BYTES),
	           in = x310_passes(transport, ip, MTU_BYTES, needed);
	const uint32_t most_out = out ? needed : datagram_largest(transport, ip, needed, true),
	               most_in = in ? needed : datagram_largest(transport, ip, needed, false);
	const uint32_t most = most_out < most_in ? most_out : most_in;

	if (out && in)
		radio_found(look, "frame", RADIO_GOOD,
		    "packets of %" PRIu32 " bytes pass in both directions", needed);
	else if (most <= X310_HEADER)
		radio_found(look, "frame", RADIO_UNKNOWN,
		    "UDP port %d of the device does not answer; which packets pass is not known",
		    MTU_PORT);
	else
		radio_found(look, "frame", RADIO_BAD,
		    "packets of %" PRIu32 " samples (%" PRIu32
		    " bytes) do not pass; at most %" PRIu32 " bytes reach the device and %" PRIu32
		    " come back; let every switch on the way take jumbo frames, or set spp to "
		    "%" PRIu32 " or less",
		    spp_of(settings), needed, most_out, most_in, (most - X310_HEADER) / RADIO_IQ);
}

static void look_device(const struct x310_settings *settings, struct radio_look *look)
{
	const struct transport_options options = {
	    .own = {settings->own_address, 0}, .packets = PACKETS, .packet_bytes = CHDR_PACKET_MAX};
	struct transport *transport = NULL;
	char why[TRANSPORT_WHY] = "";

	if (transport_open(&transport_udp, &options, why, &transport) != 0) {
		radio_found(look, "firmware", RADIO_BAD, "no socket: %s", why);
		return;
	}
	if (look_firmware(settings, transport, look))
		look_frame(settings, transport, look);
	transport_close(transport);
}

static void examine_one(const struct x310_settings *settings, struct radio_look *look)
{
	struct udp_route route;

	if (settings->transport == X310_DPDK) {
		radio_found(look, "route", RADIO_UNKNOWN,
		    "the port \"%s\" is not the kernel's; opening it tells what it carries",
		    settings->port);
		return;
	}
	if (settings->listen) {
		radio_found(look, "route", RADIO_UNKNOWN,
		    "listen = true: nothing is said to the device; run the doctor on the node that "
		    "controls it");
		return;
	}
	if (!look_route(settings, look, &route) || !look_link(settings, &route, look))
		return;
	look_mtu(settings, &route, look);
	look_device(settings, look);
}

void x310_examine(
    const void *const *all, uint32_t n, struct radio_look *look, struct radio_use *ret_use)
{
	const struct x310_settings *first = all[0];

	for (uint32_t i = 0; i < n; i++)
		examine_one(all[i], look);
	ret_use->rate_hz = rate_of(first);
	ret_use->slot_samples = spp_of(first);
}

/* ---- the device, open ------------------------------------------------------------------ */

static void tell_fpga(const struct x310_antenna *antenna, struct radio_look *look)
{
	const struct x310_layout *layout = x310_layout(&antenna->radio);
	char text[IP_TEXT];

	if (layout != NULL)
		radio_found(look, "fpga", RADIO_GOOD,
		    "%s has the image of UHD %s (radio compat %u.%u, protocol %u.%u), reached by "
		    "SFP%u",
		    ip_text(antenna->radio.options.device.ip, text), layout->fpga->uhd,
		    layout->radio_compat >> 16, layout->radio_compat & 0xffff,
		    layout->protocol >> 8u, layout->protocol & 255u, layout->own_port);
}

/* The device's time was read between these two moments of ours. */
struct reading {
	uint64_t ticks; /* 0: no answer */
	uint64_t after_ns, before_ns;
};

static struct reading read_time(struct x310_radio *x310, uint32_t c)
{
	struct reading reading = {.after_ns = clock_ns()};

	reading.ticks = x310_time_of(x310, c);
	reading.before_ns = clock_ns();
	return reading;
}

#define WATCHED_NS 300000000ull
#define TOLERANCE 0.02

/* Of one device: that its time goes on, as fast as clock_rate says. */
static bool tell_time(struct x310_radio *x310, uint32_t c, struct radio_look *look)
{
	const struct reading first = read_time(x310, c);
	const double s = x310->tick_ns * 1e-9;
	struct reading last;
	char ip[IP_TEXT];
	double counted, least, most;

	clock_sleep_until(first.before_ns + WATCHED_NS);
	last = read_time(x310, c);
	ip_text(x310->antenna[c].radio.options.device.ip, ip);
	counted = (double)(int64_t)(last.ticks - first.ticks) * s;
	least = (double)(last.after_ns - first.before_ns) * 1e-9 * (1 - TOLERANCE);
	most = (double)(last.before_ns - first.after_ns) * 1e-9 * (1 + TOLERANCE);
	if (first.ticks == 0 || last.ticks == 0)
		radio_found(look, "time", RADIO_BAD, "%s does not say its time", ip);
	else if (counted < least || counted > most)
		radio_found(look, "time", RADIO_BAD,
		    "%s counts %.3f s in %.3f s; clock_rate = %.10g is not the rate of its clock; "
		    "run x310-init again",
		    ip, counted, (least + most) / 2, 1 / s);
	else
		radio_found(look, "time", RADIO_GOOD, "%s: %.6f s, at %.10g ticks/s", ip,
		    (double)last.ticks * s, 1 / s);
	return first.ticks != 0 && last.ticks != 0;
}

#define APART_S 0.001 /* that two readings one after the other cannot explain */

/* The time of `c` is read between two readings of that of the first device. */
static void tell_apart(struct x310_radio *x310, uint32_t c, struct radio_look *look)
{
	const uint64_t before = x310_time_of(x310, 0), other = x310_time_of(x310, c),
	               after = x310_time_of(x310, 0);
	const double s = x310->tick_ns * 1e-9, half = (double)(after - before) * s / 2,
	             apart = (double)(int64_t)(other - before) * s - half;

	if (fabs(apart) > half + APART_S)
		radio_found(look, "times", RADIO_BAD,
		    "the devices' times are %.6f s apart (%.6f s and %.6f s); run x310-init with "
		    "both addresses and a common clock_source and time_source",
		    fabs(apart), (double)before * s, (double)other * s);
	else
		radio_found(look, "times", RADIO_GOOD,
		    "both devices have one time, to %.0f us, which is as near as they can be read",
		    (half + fabs(apart)) * 1e6);
}

void x310_tell(struct radio *self, struct radio_look *look)
{
	struct x310_radio *x310 = (struct x310_radio *)self;
	bool told = true;

	for (uint32_t c = 0; c < self->channels && !x310->listen; c++) {
		const uint32_t ip = x310->antenna[c].radio.options.device.ip;

		if (c > 0 && ip == x310->antenna[c - 1].radio.options.device.ip)
			continue;
		tell_fpga(&x310->antenna[c], look);
		told &= tell_time(x310, c, look);
		if (told && c > 0)
			tell_apart(x310, c, look);
	}
}
