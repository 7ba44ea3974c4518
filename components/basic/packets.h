/* SPDX-License-Identifier: BSD-3-Clause
 *
 * components/basic/packets.h - many packets in one message of bytes, each with a length and a
 * sequence number of its own.
 *
 * 	0   4    length of the payload, bytes
 * 	4   4    0
 * 	8   8    sequence number
 * 	16  n    payload, then zeros up to a multiple of 8
 *
 * Numbers in the machine's own order: they do not leave it. The last packet of a source is
 * PACKET_DONE.
 */
#ifndef COMPONENTS_BASIC_PACKETS_H
#define COMPONENTS_BASIC_PACKETS_H

#include <aloe/component.h>

#define PACKET_DONE "done"

enum { PACKET_HEAD = 16, PACKET_MAX = 1 << 20 };

struct item_packet {
	uint32_t length, zero;
	uint64_t sequence;
	const uint8_t *payload;
};

static inline uint32_t packet_bytes(uint32_t length)
{
	return PACKET_HEAD + ((length + 7) & ~7u);
}

static inline bool packet_is_done(const struct item_packet *packet)
{
	return packet->length == sizeof(PACKET_DONE) - 1 &&
	    !memcmp(packet->payload, PACKET_DONE, packet->length);
}

/* packet_get reads the packet that begins at *at of a message of `len` bytes and moves *at behind
 * it. False at the end, and where what is left is no packet: *at then stays below len. */
static inline bool packet_get(
    const uint8_t *bytes, uint32_t len, uint32_t *at, struct item_packet *ret)
{
	if (len - *at < PACKET_HEAD)
		return false;
	memcpy(ret, bytes + *at, PACKET_HEAD);
	if (ret->length > PACKET_MAX || packet_bytes(ret->length) > len - *at)
		return false;
	ret->payload = bytes + *at + PACKET_HEAD;
	*at += packet_bytes(ret->length);
	return true;
}

/* packet_put writes one where there is room for packet_bytes of it, and returns these. */
static inline uint32_t packet_put(uint8_t *bytes, const struct item_packet *packet)
{
	const uint64_t zero = 0;

	memcpy(bytes + packet_bytes(packet->length) - 8, &zero, 8);
	memcpy(bytes, packet, PACKET_HEAD);
	memcpy(bytes + PACKET_HEAD, packet->payload, packet->length);
	return packet_bytes(packet->length);
}

#endif
