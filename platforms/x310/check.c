/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What speaks against a radio before it is started, and is refused when it is opened.
 *
 * Whether the device's port takes and gives packets of a size is asked as UHD does: its processor
 * answers on port 49158 with as many bytes as it is asked for, and says how many it got (UHD 4.3,
 * host/lib/usrp/x300/x300_eth_mgr.cpp, determine_max_frame_size; firmware/usrp3/x300/x300_main.c).
 * Where nothing answers there, nothing is known and nothing is refused. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "platforms/udp/udp.h"
#include "platforms/x310/antenna.h"

/* ---- sizes ------------------------------------------------------------------------ */

enum {
	SIZES_PORT = 49158,
	SIZES_REQUEST = 1,
	SIZES_REPLY = 2,
	SIZES_LEAST = 16, /* bytes that pass everywhere */
	TRIES = 5,
	PACKETS = 8
};
#define TRY_NS 200000000ull
#define NAP_NS 100000ull

static void ask_size(struct transport *transport, uint32_t ip, uint32_t there, uint32_t back)
{
	struct packet packet;

	if (transport_get(transport, &packet, 1) == 0)
		return;
	memset(packet.bytes, 0, there);
	put_be32(packet.bytes, SIZES_REQUEST);
	put_be32(packet.bytes + 4, back);
	packet.size = there;
	packet.peer = (struct transport_address){ip, SIZES_PORT};
	if (transport_send(transport, &packet, 1) == 0)
		transport_put(transport, &packet, 1);
}

/* So many bytes go there, and so many come back. */
static bool size_goes(struct transport *transport, uint32_t ip, uint32_t there, uint32_t back)
{
	struct packet packet;

	for (int i = 0; i < TRIES; i++) {
		const uint64_t end = clock_ns() + TRY_NS;
		bool went = false;

		ask_size(transport, ip, there, back);
		while (!went && clock_ns() < end) {
			if (transport_receive(transport, &packet, 1) == 0) {
				clock_sleep_until(clock_ns() + NAP_NS);
				continue;
			}
			went = packet.peer.ip == ip && packet.size == back &&
			    (get_be32(packet.bytes) & SIZES_REPLY) &&
			    get_be32(packet.bytes + 4) == there;
			transport_put(transport, &packet, 1);
		}
		if (went)
			return true;
	}
	return false;
}

/* What the other end says, by a socket of its own. */
static bool is_wide_there(
    const struct x310_channel *radio, uint32_t own, uint32_t bytes, char *ret_why, size_t size)
{
	const uint32_t ip = radio->options.device.ip;
	const struct transport_options options = {
	    .own = {own, 0}, .packets = PACKETS, .packet_bytes = bytes};
	char why[TRANSPORT_WHY] = "";
	struct transport *transport;
	bool is = true;

	if (transport_open(&transport_udp, &options, why, &transport) != 0)
		return true;
	if (!size_goes(transport, ip, bytes, bytes) &&
	    size_goes(transport, ip, SIZES_LEAST, SIZES_LEAST)) {
		const bool back = size_goes(transport, ip, bytes, SIZES_LEAST);

		is = false;
		x310_say(radio, ret_why, size,
		    "packets of %u bytes do not %s the device, smaller packets do; the network "
		    "port of the device (1472 bytes with 1 Gbit/s) or a switch on the way does not "
		    "take them: use a port with 10 Gbit/s and jumbo frames, or set spp to 364 or "
		    "less",
		    bytes, back ? "come back from" : "reach");
	}
	transport_close(transport);
	return is;
}

bool x310_is_wide(
    struct x310_antenna *channel, const struct x310_settings *settings, char *ret_why, size_t size)
{
	const struct x310_channel *radio = &channel->radio;
	const uint32_t bytes = X310_HEADER + RADIO_IQ * radio->spp;
	const int most = transport_most(channel->transport, radio->options.device.ip);

	if (most < 0) {
		x310_say(radio, ret_why, size,
		    "this machine has no route to the device (%s); give the network interface of "
		    "this cable an address in the network of the device",
		    strerror(-most));
		return false;
	}
	if (most > 0 && (uint32_t)most < bytes) {
		x310_say(radio, ret_why, size,
		    "MTU %d is too small for packets of %u bytes, which need MTU %u; set the MTU "
		    "of the network interface%s, or set spp to %u or less",
		    most + TRANSPORT_HEADERS, bytes, bytes + TRANSPORT_HEADERS,
		    settings->transport == X310_UDP ? " (ip link set DEV mtu 9000)" : "",
		    ((uint32_t)most - X310_HEADER) / RADIO_IQ);
		return false;
	}
	return settings->transport != X310_UDP || settings->listen ||
	    is_wide_there(radio, settings->own_address, bytes, ret_why, size);
}

/* ---- what the radio file says ---------------------------------------------------------------- */

/* One number that the radio file has (NAN: it has not) and the device says, too. */
static bool is_number_as_said(const struct x310_channel *radio, const char *key, double said,
    unsigned found, char *ret_why, size_t size)
{
	if (isnan(said) || said == found)
		return true;
	x310_say(radio, ret_why, size,
	    "the radio file says %s = %.0f, but the device says %u: the device has another FPGA "
	    "image or is reached by another cable than when the radio file was written; run "
	    "x310-init again",
	    key, said, found);
	return false;
}

static bool is_path_as_said(const struct x310_channel *radio, const char *key, double said,
    bool receives, char *ret_why, size_t size)
{
	const struct x310_path *path =
	    x310_layout_path(x310_layout(radio), radio->options.number, receives);

	return is_number_as_said(
	    radio, key, said, path != NULL ? path->endpoint_port : 0, ret_why, size);
}

/* What x310-init found is still so. */
static bool is_layout_as_said(const struct x310_settings *settings, uint32_t c,
    const struct x310_channel *radio, char *ret_why, size_t size)
{
	const struct x310_layout *layout = x310_layout(radio);

	if (layout == NULL)
		return true;
	if (settings->fpga >= 0 && layout->fpga != &x310_fpgas[settings->fpga]) {
		x310_say(radio, ret_why, size,
		    "the radio file says fpga = \"%s\", but the device has an image of UHD %s: run "
		    "x310-init again",
		    x310_fpgas[settings->fpga].name, layout->fpga->uhd);
		return false;
	}
	return is_number_as_said(radio, "sfp", settings->sfp < 0 ? NAN : (double)settings->sfp,
	           layout->own_port, ret_why, size) &&
	    is_number_as_said(radio, "endpoint",
	        settings->control_endpoint < 0 ? NAN : (double)settings->control_endpoint,
	        layout->control_endpoint, ret_why, size) &&
	    is_number_as_said(
	        radio, "block", settings->block.item[c], radio->block, ret_why, size) &&
	    is_path_as_said(radio, "rx_port", settings->rx_port.item[c], true, ret_why, size) &&
	    is_path_as_said(radio, "tx_port", settings->tx_port.item[c], false, ret_why, size);
}

/* What is sent when a slot has run is played tx_advance samples after its own samples came: so many
 * are in the device then. It tells of room in steps of a part of its buffer. */
static bool is_held(
    const struct x310_radio *x310, const struct x310_channel *radio, char *ret_why, size_t size)
{
	const uint32_t spp = x310->radio.tx_packet;
	const uint64_t packet = chdr_counted(X310_HEADER + RADIO_IQ * spp),
	               used = radio->tx.capacity / TX_REPORTS + TX_COMMAND_ROOM,
	               room = radio->tx.capacity > used ? radio->tx.capacity - used : 0;
	const int64_t most = (int64_t)(room / packet * spp);

	if (!radio->options.tx || x310->radio.tx_advance <= most)
		return true;
	x310_say(radio, ret_why, size,
	    "tx_advance = %" PRId64 " is too large: the device buffers %" PRIu64
	    " bytes, which hold %" PRId64 " samples in packets of %u; set tx_advance to %" PRId64
	    " or less",
	    x310->radio.tx_advance, radio->tx.capacity, most, spp, most);
	return false;
}

bool x310_is_as_said(const struct x310_radio *x310, uint32_t nth,
    const struct x310_settings *settings, uint32_t c, char *ret_why, size_t size)
{
	const struct x310_channel *radio = &x310->antenna[nth].radio;

	return is_layout_as_said(settings, c, radio, ret_why, size) &&
	    is_held(x310, radio, ret_why, size);
}

/* ---- time ------------------------------------------------------------------------ */

enum { LOOKS = 5 };

struct x310_times {
	uint64_t first, other, apart; /* ticks */
};

/* The other one's time lies between two of the first one's, or so far before or behind. */
static bool look_at_times(struct x310_radio *x310, uint32_t c, struct x310_times *ret)
{
	const uint64_t before = x310_time_of(x310, 0), other = x310_time_of(x310, c),
	               after = x310_time_of(x310, 0);
	const uint64_t apart = other < before ? before - other : other > after ? other - after : 0;

	if (before == 0 || other == 0 || after == 0)
		return false;
	if (apart < ret->apart)
		*ret = (struct x310_times){before + (after - before) / 2, other, apart};
	return true;
}

static void say_times(const struct x310_radio *x310, uint32_t c, const struct x310_times *times,
    char *ret, size_t size)
{
	const double s = x310->tick_ns * 1e-9;
	const uint32_t a = x310->antenna[0].radio.options.device.ip,
	               b = x310->antenna[c].radio.options.device.ip;

	snprintf(ret, size,
	    "the times of the two devices differ by %.6f s, and a slot has %.6f s: "
	    "%u.%u.%u.%u has %.6f s, %u.%u.%u.%u has %.6f s; set one time with "
	    "x310-init %u.%u.%u.%u %u.%u.%u.%u, or join their pulses (PPS)",
	    (double)times->apart * s, (double)x310->per_slot * s, a >> 24, a >> 16 & 255,
	    a >> 8 & 255, a & 255, (double)times->first * s, b >> 24, b >> 16 & 255, b >> 8 & 255,
	    b & 255, (double)times->other * s, a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255,
	    b >> 24, b >> 16 & 255, b >> 8 & 255, b & 255);
}

bool x310_is_one_time(struct x310_radio *x310, char *ret_why, size_t size)
{
	for (uint32_t c = 1; c < x310->radio.channels && !x310->listen; c++) {
		struct x310_times times = {.apart = UINT64_MAX};

		if (x310_same_device(x310, 0, c))
			continue;
		for (int i = 0; i < LOOKS && times.apart > x310->per_slot; i++)
			if (!look_at_times(x310, c, &times)) {
				x310_say(&x310->antenna[c].radio, ret_why, size,
				    "the device does not say its time, which must be that of the "
				    "first device");
				return false;
			}
		if (times.apart <= x310->per_slot)
			continue;
		say_times(x310, c, &times, ret_why, size);
		return false;
	}
	return true;
}
