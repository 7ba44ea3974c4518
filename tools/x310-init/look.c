/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310-init/look.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "platforms/udp/udp.h"
#include "platforms/x310/firmware.h"

enum { PACKETS = 64, PACKET_BYTES = 2176 };
#define NAP_NS 100000ull
#define SURVEY_NS 5000000000ull

static void send_bytes(
    struct transport *transport, struct transport_address to, const uint8_t *bytes, size_t size)
{
	struct packet packet;

	if (transport_get(transport, &packet, 1) == 0)
		return;
	memcpy(packet.bytes, bytes, size);
	packet.size = (uint32_t)size;
	packet.peer = to;
	if (transport_send(transport, &packet, 1) == 0)
		transport_put(transport, &packet, 1);
}

/* ---- the FPGA ------------------------------------------------------------------------ */

static void ask_fpga(struct x310_look *look, struct transport *transport, uint32_t ip)
{
	const struct transport_address to = {ip, CHDR_PORT};
	const uint64_t end = clock_ns() + SURVEY_NS;
	struct survey *survey = &look->survey;
	uint8_t bytes[STREAM_PACKET_MAX];
	struct chdr_packet chdr;
	struct packet packet;
	size_t size;

	survey_open(survey, LOOK_OWN, clock_ns());
	while (survey->phase < SURVEY_DONE && clock_ns() < end) {
		while ((size = survey_poll(survey, clock_ns(), bytes)) > 0)
			send_bytes(transport, to, bytes, size);
		if (transport_receive(transport, &packet, 1) == 0) {
			clock_sleep_until(clock_ns() + NAP_NS);
			continue;
		}
		if (packet.peer.port == CHDR_PORT &&
		    chdr_parse(packet.bytes, packet.size, &chdr) == 0)
			survey_take(survey, clock_ns(), &chdr);
		transport_put(transport, &packet, 1);
	}
	look->found = survey->phase == SURVEY_DONE;
}

/* ---- numbers ------------------------------------------------------------------------ */

static bool is_told(
    struct transport *transport, struct transport_address to, struct request *request)
{
	uint8_t bytes[STREAM_PACKET_MAX];
	struct chdr_packet chdr;
	struct chdr_mgmt answer;
	struct packet packet;
	bool told = false;
	int size;

	while (!told && (size = request_poll(request, clock_ns(), bytes)) >= 0) {
		if (size > 0)
			send_bytes(transport, to, bytes, (size_t)size);
		if (transport_receive(transport, &packet, 1) == 0) {
			clock_sleep_until(clock_ns() + NAP_NS);
			continue;
		}
		told = packet.peer.port == CHDR_PORT &&
		    chdr_parse(packet.bytes, packet.size, &chdr) == 0 &&
		    request_take(request, &chdr, &answer);
		transport_put(transport, &packet, 1);
	}
	return told;
}

static bool number_all(struct transport *transport, struct transport_address to,
    const struct survey *survey, uint64_t ports)
{
	struct endpoint endpoint = survey->endpoint;
	struct request request = {.open = false};
	bool all;

	request_advertise(&request, &endpoint); /* of the socket that asks now */
	request_open(&request, 0, clock_ns());
	all = is_told(transport, to, &request);
	for (uint16_t port = 0; all && port < survey->n_ports; port++) {
		if (!survey->endpoints[port].is_there || port == survey->layout.control_port)
			continue;
		endpoint.device_port = port;
		request_to_device(&request, &endpoint);
		request_write(&request, SEP_EPID, ports >> port & 1 ? SURVEY_CLAIMED + port : 0);
		request_end(&request);
		request_open(&request, port, clock_ns());
		all = is_told(transport, to, &request);
	}
	return all;
}

bool look_number(uint32_t ip, uint32_t own, const struct x310_look *look, uint64_t ports)
{
	const struct transport_options options = {
	    .own = {own, 0}, .packets = PACKETS, .packet_bytes = PACKET_BYTES};
	struct transport *transport;
	char why[TRANSPORT_WHY];
	bool all;

	if (transport_open(&transport_udp, &options, why, &transport) != 0)
		return false;
	all =
	    number_all(transport, (struct transport_address){ip, CHDR_PORT}, &look->survey, ports);
	transport_close(transport);
	return all;
}

/* ---- both ------------------------------------------------------------------------ */

int look_at(uint32_t ip, uint32_t own, struct x310_look *ret, char *ret_why)
{
	const struct transport_options options = {
	    .own = {own, 0}, .packets = PACKETS, .packet_bytes = PACKET_BYTES};
	struct transport *transport = NULL;
	uint32_t rfnoc = 0;
	int status = transport_open(&transport_udp, &options, ret_why, &transport);

	*ret = (struct x310_look){.answers = false};
	if (status != 0)
		return status;
	ret->answers = x310_peek(transport, ip, FIRMWARE_RFNOC, &rfnoc);
	ret->protocol = (uint16_t)rfnoc;
	if (ret->answers)
		ask_fpga(ret, transport, ip);
	transport_close(transport);
	return 0;
}

/* ---- UHD ------------------------------------------------------------------------ */

/* The images that a UHD can have: those of its own row; NULL: it is none of these releases. */
static const struct x310_fpga *fpga_of(const char *uhd)
{
	unsigned major = 0, minor = 0;

	if (sscanf(uhd, "%u.%u", &major, &minor) != 2 || major != 4)
		return NULL;
	if (minor < 10)
		return &x310_fpgas[0];
	return minor - 9 < X310_FPGAS ? &x310_fpgas[minor - 9] : NULL;
}

/* What is known of its image: the latest with its protocol until the radio has been asked. */
static const struct x310_fpga *image_of(const struct x310_look *look)
{
	if (look->found)
		return look->survey.layout.fpga;
	for (int i = X310_FPGAS - 1; look->answers && i >= 0; i--)
		if (x310_fpgas[i].protocol >> 8 == look->protocol >> 8)
			return &x310_fpgas[i];
	return NULL;
}

bool look_refuses(
    const struct x310_look *look, const char *address, const char *uhd, char *ret_why, size_t size)
{
	const struct x310_fpga *needed = image_of(look), *installed = fpga_of(uhd);
	const uint32_t compat = look->found ? look->survey.layout.radio_compat
	    : needed != NULL                ? needed->radio_compat
	                                    : 0;

	if (look->survey.unknown_fpga) {
		snprintf(ret_why, size, "%s", look->survey.why);
		return true;
	}
	if (look->answers && x310_ctrl_of(look->protocol) == 0) {
		x310_fpga_unknown(look->protocol, 0, ret_why, size);
		return true;
	}
	if (needed == NULL || installed == NULL || needed == installed ||
	    (!look->found && needed->protocol == installed->protocol))
		return false;
	snprintf(ret_why, size,
	    "the FPGA image of the device is that of UHD %s (radio compat %u.%u, protocol %u.%u), "
	    "which needs UHD %s on this machine; installed is UHD %s. Install UHD %s, or load the "
	    "image of UHD %s (uhd_images_downloader, then uhd_image_loader --args "
	    "type=x300,addr=%s)",
	    needed->uhd, compat >> 16, compat & 0xffff, (unsigned)look->protocol >> 8,
	    look->protocol & 255u, needed->uhd, uhd, needed->uhd, installed->uhd, address);
	return true;
}
