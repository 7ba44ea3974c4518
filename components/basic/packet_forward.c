/* SPDX-License-Identifier: BSD-3-Clause
 * packet_forward - takes every packet of a message, one after another, looks at its length and
 * sequence number, and sends it on. Bytes that are no packet are counted and go no further, nor
 * does what is behind them in the message. */
#include "components/basic/packets.h"

struct packet_forward {
	uint64_t packets;
	uint64_t bytes;
	uint64_t gaps;
	uint64_t malformed;
	uint64_t next;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BYTE,
        "packets: each a head of 16 bytes (length, 0, sequence number) and its payload"),
    ALOE_OUT("out", ALOE_BYTE, "the same packets"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct packet_forward, packets, "", "packets sent on"),
    ALOE_VAR_U64(struct packet_forward, bytes, "", "bytes of payload sent on"),
    ALOE_VAR_U64(struct packet_forward, gaps, "",
        "packets whose sequence number does not follow that of the packet before"),
    ALOE_VAR_U64(struct packet_forward, malformed, "", "messages with bytes that are not a packet"),
};

static int packet_forward_work(void *self, struct aloe_slot *slot)
{
	struct packet_forward *forward = self;
	const uint32_t len = aloe_pass(slot, 0, 0);
	const uint8_t *in = aloe_in_byte(slot, 0);
	uint8_t *out = aloe_out_byte(slot, 0);
	struct item_packet packet;
	uint32_t at = 0, to = 0;

	while (packet_get(in, len, &at, &packet)) {
		to += packet_put(out + to, &packet);
		forward->packets++;
		forward->bytes += packet.length;
		forward->gaps += packet.sequence != forward->next;
		forward->next = packet.sequence + 1;
	}
	forward->malformed += at < len;
	slot->out[0].len = to;
	return 0;
}

/* The next packet is the first; what was counted stays counted. */
static int packet_forward_reset(void *self)
{
	((struct packet_forward *)self)->next = 0;
	return 0;
}

ALOE_COMPONENT(packet_forward) = {
    .summary = "send every packet on, one by one",
    .ports = ALOE_LIST(ports),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct packet_forward),
    .kmac = 1,
    .work = packet_forward_work,
    .reset = packet_forward_reset,
};
