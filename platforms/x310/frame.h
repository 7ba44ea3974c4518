/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/frame.h - Ethernet frames where no kernel does it for us: UDP over IPv4 to and
 * from the device, and the answers that a neighbour expects (ARP, ICMP echo). Pure; frames come
 * without FCS.
 *
 * Source: RFC 768 (UDP), RFC 791 (IPv4), RFC 792 (ICMP), RFC 826 (ARP). The device sends
 * identification 0, DF, no UDP checksum, and takes only frames without options and VLAN tag; it
 * does not look at checksums.
 */
#ifndef PLATFORMS_X310_FRAME_H
#define PLATFORMS_X310_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bytes in front of a UDP payload; of an ARP frame */
enum { FRAME_UDP = 42, FRAME_ARP = 42, FRAME_TTL = 64 };

struct frame_address {
	uint8_t mac[6];
	uint16_t port;
	uint32_t ip; /* host order: 192.168.40.2 = 0xc0a82802 */
};

enum frame_kind {
	FRAME_IS_UDP,
	FRAME_IS_ARP_REQUEST,
	FRAME_IS_ARP_REPLY,
	FRAME_IS_ECHO_REQUEST,
	FRAME_IS_OTHER
};

struct frame {
	enum frame_kind kind;
	/* ARP: from is the sender, to.ip the address asked for; no ports but with UDP */
	struct frame_address from, to;
	/* UDP: behind the UDP header; echo: behind the IPv4 header */
	const uint8_t *payload;
	size_t payload_bytes;
};

/* frame_parse: 0, or -EBADMSG for a frame that is cut short or whose IPv4 header does not add up.
 * Fragments, IPv4 options and protocols that nobody asked for are FRAME_IS_OTHER. */
int frame_parse(const uint8_t *bytes, size_t size, struct frame *ret);

/* frame_udp_write writes the FRAME_UDP bytes in front of a payload. */
void frame_udp_write(uint8_t *bytes, const struct frame_address *from,
    const struct frame_address *to, uint8_t ttl, size_t payload_bytes);

/* frame_answer writes what `own` answers to a frame that was just parsed (a reply to ARP for its
 * address, to an echo to it) and gives its length; 0: nothing, or it does not fit into `size`
 * bytes. */
size_t frame_answer(
    const struct frame *frame, const struct frame_address *own, uint8_t *ret_bytes, size_t size);

/* frame_arp_request asks who has `ip`: FRAME_ARP bytes, to everybody. */
size_t frame_arp_request(uint8_t *bytes, const struct frame_address *own, uint32_t ip);

/* RFC 1071, as it is put into a header */
uint16_t frame_checksum(const uint8_t *bytes, size_t size);

#endif
