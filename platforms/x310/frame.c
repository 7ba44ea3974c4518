/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/frame.h"

#include <assert.h>
#include <errno.h>

#include "core/base/bytes.h"

enum {
	ETHERNET = 14,
	IPV4 = 20,
	UDP = 8,
	ICMP = 8,
	TYPE_IPV4 = 0x0800,
	TYPE_ARP = 0x0806,
	PROTOCOL_ICMP = 1,
	PROTOCOL_UDP = 17,
	DONT_FRAGMENT = 0x4000,
	ECHO_REPLY = 0,
	ECHO_REQUEST = 8
};

static_assert(FRAME_UDP == ETHERNET + IPV4 + UDP, "headers in front of a payload");
static_assert(FRAME_ARP == ETHERNET + 28, "RFC 826: IPv4 over Ethernet");

uint16_t frame_checksum(const uint8_t *bytes, size_t size)
{
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < size; i += 2)
		sum += get_be16(bytes + i);
	if (size % 2)
		sum += (uint32_t)bytes[size - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* ---- reading ------------------------------------------------------------------------ */

static int parse_udp(const uint8_t *udp, size_t size, struct frame *frame)
{
	const size_t length = size >= UDP ? get_be16(udp + 4) : 0;

	if (length < UDP || length > size)
		return -EBADMSG;
	frame->kind = FRAME_IS_UDP;
	frame->from.port = get_be16(udp);
	frame->to.port = get_be16(udp + 2);
	frame->payload = udp + UDP;
	frame->payload_bytes = length - UDP;
	return 0;
}

static int parse_icmp(const uint8_t *icmp, size_t size, struct frame *frame)
{
	if (size < ICMP)
		return -EBADMSG;
	if (icmp[0] == ECHO_REQUEST && icmp[1] == 0)
		frame->kind = FRAME_IS_ECHO_REQUEST;
	frame->payload = icmp;
	frame->payload_bytes = size;
	return 0;
}

static int parse_ipv4(const uint8_t *ip, size_t size, struct frame *frame)
{
	size_t length;

	if (size < IPV4)
		return -EBADMSG;
	length = get_be16(ip + 2);
	if (ip[0] >> 4 != 4 || (ip[0] & 15) < 5 || length < IPV4 || length > size)
		return -EBADMSG;
	if ((ip[0] & 15) > 5 || (get_be16(ip + 6) & 0x3fff))
		return 0; /* options, a fragment */
	if (frame_checksum(ip, IPV4) != 0)
		return -EBADMSG;
	frame->from.ip = get_be32(ip + 12);
	frame->to.ip = get_be32(ip + 16);
	if (ip[9] == PROTOCOL_UDP)
		return parse_udp(ip + IPV4, length - IPV4, frame);
	return ip[9] == PROTOCOL_ICMP ? parse_icmp(ip + IPV4, length - IPV4, frame) : 0;
}

static int parse_arp(const uint8_t *arp, size_t size, struct frame *frame)
{
	if (size < FRAME_ARP - ETHERNET)
		return -EBADMSG;
	if (get_be16(arp) != 1 || get_be16(arp + 2) != TYPE_IPV4 || arp[4] != 6 || arp[5] != 4)
		return 0;
	memcpy(frame->from.mac, arp + 8, 6);
	frame->from.ip = get_be32(arp + 14);
	frame->to.ip = get_be32(arp + 24);
	if (get_be16(arp + 6) == 1)
		frame->kind = FRAME_IS_ARP_REQUEST;
	else if (get_be16(arp + 6) == 2)
		frame->kind = FRAME_IS_ARP_REPLY;
	return 0;
}

int frame_parse(const uint8_t *bytes, size_t size, struct frame *ret)
{
	struct frame frame = {.kind = FRAME_IS_OTHER};
	int rc = 0;

	if (size < ETHERNET)
		return -EBADMSG;
	memcpy(frame.to.mac, bytes, 6);
	memcpy(frame.from.mac, bytes + 6, 6);
	if (get_be16(bytes + 12) == TYPE_IPV4)
		rc = parse_ipv4(bytes + ETHERNET, size - ETHERNET, &frame);
	else if (get_be16(bytes + 12) == TYPE_ARP)
		rc = parse_arp(bytes + ETHERNET, size - ETHERNET, &frame);
	if (rc == 0)
		*ret = frame;
	return rc;
}

/* ---- writing ------------------------------------------------------------------------ */

static void write_ethernet(uint8_t *bytes, const uint8_t *from, const uint8_t *to, uint16_t type)
{
	memcpy(bytes, to, 6);
	memcpy(bytes + 6, from, 6);
	put_be16(bytes + 12, type);
}

static void write_ipv4(
    uint8_t *ip, uint32_t from, uint32_t to, uint8_t protocol, uint8_t ttl, size_t payload_bytes)
{
	ip[0] = 0x45;
	ip[1] = 0;
	put_be16(ip + 2, (uint16_t)(IPV4 + payload_bytes));
	put_be16(ip + 4, 0);
	put_be16(ip + 6, DONT_FRAGMENT);
	ip[8] = ttl;
	ip[9] = protocol;
	put_be16(ip + 10, 0);
	put_be32(ip + 12, from);
	put_be32(ip + 16, to);
	put_be16(ip + 10, frame_checksum(ip, IPV4));
}

void frame_udp_write(uint8_t *bytes, const struct frame_address *from,
    const struct frame_address *to, uint8_t ttl, size_t payload_bytes)
{
	uint8_t *udp = bytes + ETHERNET + IPV4;

	write_ethernet(bytes, from->mac, to->mac, TYPE_IPV4);
	write_ipv4(bytes + ETHERNET, from->ip, to->ip, PROTOCOL_UDP, ttl, UDP + payload_bytes);
	put_be16(udp, from->port);
	put_be16(udp + 2, to->port);
	put_be16(udp + 4, (uint16_t)(UDP + payload_bytes));
	put_be16(udp + 6, 0);
}

static size_t write_arp(
    uint8_t *bytes, const struct frame_address *own, const uint8_t *mac, uint32_t ip, uint16_t op)
{
	static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, nobody[6] = {0};
	uint8_t *arp = bytes + ETHERNET;

	write_ethernet(bytes, own->mac, mac ? mac : everybody, TYPE_ARP);
	put_be16(arp, 1);
	put_be16(arp + 2, TYPE_IPV4);
	arp[4] = 6;
	arp[5] = 4;
	put_be16(arp + 6, op);
	memcpy(arp + 8, own->mac, 6);
	put_be32(arp + 14, own->ip);
	memcpy(arp + 18, mac ? mac : nobody, 6);
	put_be32(arp + 24, ip);
	return FRAME_ARP;
}

size_t frame_arp_request(uint8_t *bytes, const struct frame_address *own, uint32_t ip)
{
	return write_arp(bytes, own, NULL, ip, 1);
}

static size_t write_echo_reply(
    const struct frame *frame, const struct frame_address *own, uint8_t *bytes)
{
	uint8_t *icmp = bytes + ETHERNET + IPV4;

	write_ethernet(bytes, own->mac, frame->from.mac, TYPE_IPV4);
	write_ipv4(bytes + ETHERNET, own->ip, frame->from.ip, PROTOCOL_ICMP, FRAME_TTL,
	    frame->payload_bytes);
	memmove(icmp, frame->payload, frame->payload_bytes);
	icmp[0] = ECHO_REPLY;
	put_be16(icmp + 2, 0);
	put_be16(icmp + 2, frame_checksum(icmp, frame->payload_bytes));
	return ETHERNET + IPV4 + frame->payload_bytes;
}

size_t frame_answer(
    const struct frame *frame, const struct frame_address *own, uint8_t *ret_bytes, size_t size)
{
	if (frame->to.ip != own->ip)
		return 0;
	if (frame->kind == FRAME_IS_ARP_REQUEST && size >= FRAME_ARP)
		return write_arp(ret_bytes, own, frame->from.mac, frame->from.ip, 2);
	if (frame->kind == FRAME_IS_ECHO_REQUEST && size >= ETHERNET + IPV4 + frame->payload_bytes)
		return write_echo_reply(frame, own, ret_bytes);
	return 0;
}
