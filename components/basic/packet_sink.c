/* SPDX-License-Identifier: BSD-3-Clause
 * packet_sink - the end of a chain of packets: counts them, and those that are out of order; with
 * `check` also those that do not hold what packet_source has put into them. */
#include "components/basic/packets.h"

struct packet_sink {
	bool check;
	uint64_t packets;
	uint64_t gaps;
	uint64_t wrong;
	uint64_t malformed;
	uint64_t done;
	uint64_t next;
};

static const struct aloe_port ports[] = {
    ALOE_IN("in", ALOE_BYTE,
        "packets: each a head of 16 bytes (length, 0, sequence number) and its payload"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_BOOL(struct packet_sink, check, false, 0, "look at every byte of the payload"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct packet_sink, packets, "", "packets seen, without the packets \"done\""),
    ALOE_VAR_U64(struct packet_sink, gaps, "",
        "packets whose sequence number does not follow that of the packet before"),
    ALOE_VAR_U64(
        struct packet_sink, wrong, "", "packets whose payload is wrong; needs check = true"),
    ALOE_VAR_U64(struct packet_sink, malformed, "", "messages with bytes that are not a packet"),
    ALOE_VAR_U64(struct packet_sink, done, "", "packets \"done\" seen"),
};

static bool is_wrong(const struct item_packet *packet)
{
	uint8_t differ = 0;

	for (uint32_t j = 0; j < packet->length; j++)
		differ |= (uint8_t)(packet->payload[j] ^ (uint8_t)(packet->sequence + j));
	return differ != 0;
}

static void take(struct packet_sink *sink, const struct item_packet *packet)
{
	const bool done = packet_is_done(packet);

	sink->done += done;
	sink->packets += !done;
	sink->gaps += packet->sequence != sink->next;
	sink->wrong += sink->check && !done && is_wrong(packet);
	sink->next = packet->sequence + 1;
}

static int packet_sink_work(void *self, struct aloe_slot *slot)
{
	struct packet_sink *sink = self;
	const uint32_t len = aloe_in_len(slot, 0);
	struct item_packet packet;
	uint32_t at = 0;

	while (packet_get(aloe_in_byte(slot, 0), len, &at, &packet))
		take(sink, &packet);
	sink->malformed += at < len;
	return 0;
}

/* The next packet is the first; what was counted stays counted. */
static int packet_sink_reset(void *self)
{
	((struct packet_sink *)self)->next = 0;
	return 0;
}

ALOE_COMPONENT(packet_sink) = {
    .summary = "count packets, and packets that differ from what was sent",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct packet_sink),
    .kmac = 1,
    .work = packet_sink_work,
    .reset = packet_sink_reset,
};
