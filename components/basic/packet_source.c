/* SPDX-License-Identifier: BSD-3-Clause
 * packet_source - sends packets that are all there before the start, `per_slot` of them in a
 * message, then one that says "done" and ends the run. Byte j of the payload of packet s is s + j,
 * so that packet_sink knows what it should hold. */
#include "components/basic/packets.h"

struct packet_source {
	uint32_t packets;
	uint32_t bytes;
	uint32_t per_slot;
	uint64_t sent;
	uint8_t *queue; /* one behind the other */
};

static const struct aloe_port ports[] = {
    ALOE_OUT("out", ALOE_BYTE,
        "packets: each a head of 16 bytes (length, 0, sequence number) and its payload"),
};

static const struct aloe_param params[] = {
    ALOE_PARAM_INT(struct packet_source, packets, 1000, 1, 1e7, "", 0,
        "packets sent before the packet \"done\""),
    ALOE_PARAM_INT(
        struct packet_source, bytes, 500, 4, 65536, "bytes", 0, "payload of each packet"),
    ALOE_PARAM_INT(struct packet_source, per_slot, 30, 1, 4096, "", 0,
        "largest number of packets in a message"),
};

static const struct aloe_var vars[] = {
    ALOE_VAR_U64(struct packet_source, sent, "", "packets sent, the packet \"done\" included"),
};

static int packet_source_shape(void *self, struct aloe_setup *setup)
{
	const struct packet_source *source = self;

	if (source->per_slot > (1u << 26) / packet_bytes(source->bytes))
		return aloe_fail(setup, "%u packets of %u bytes in a message are more than 64 MiB",
		    source->per_slot, source->bytes);
	setup->out[0].max = source->per_slot * packet_bytes(source->bytes);
	return 0;
}

static int packet_source_init(void *self, struct aloe_setup *setup)
{
	struct packet_source *source = self;
	const uint32_t one = packet_bytes(source->bytes);
	const size_t size = (size_t)(source->packets + 1) * one;

	source->queue = aloe_alloc(setup, size);
	if (!source->queue)
		return aloe_fail(setup, "no memory for a queue of %zu bytes", size);
	for (uint32_t p = 0; p < source->packets; p++) {
		const struct item_packet head = {.length = source->bytes, .sequence = p};
		uint8_t *at = source->queue + (size_t)p * one;

		memcpy(at, &head, PACKET_HEAD);
		for (uint32_t j = 0; j < source->bytes; j++)
			at[PACKET_HEAD + j] = (uint8_t)(p + j);
	}
	packet_put(source->queue + (size_t)source->packets * one,
	    &(struct item_packet){
	        sizeof(PACKET_DONE) - 1, 0, source->packets, (const uint8_t *)PACKET_DONE});
	return 0;
}

static int packet_source_work(void *self, struct aloe_slot *slot)
{
	struct packet_source *source = self;
	const uint32_t one = packet_bytes(source->bytes), len = source->per_slot * one;
	const size_t begin = (size_t)source->sent * one;
	const size_t end = (size_t)source->packets * one + packet_bytes(sizeof(PACKET_DONE) - 1);
	const uint32_t n = end - begin < len ? (uint32_t)(end - begin) : len;

	if (source->sent > source->packets) {
		aloe_end(slot);
		return 0;
	}
	memcpy(slot->out[0].data, source->queue + begin, n);
	aloe_put(slot, 0, n);
	source->sent += (n + one - 1) / one;
	if (begin + n == end)
		aloe_end(slot);
	return 0;
}

static int packet_source_reset(void *self)
{
	((struct packet_source *)self)->sent = 0;
	return 0;
}

ALOE_COMPONENT(packet_source) = {
    .summary = "send packets from a queue that is filled before the start",
    .ports = ALOE_LIST(ports),
    .params = ALOE_LIST(params),
    .vars = ALOE_LIST(vars),
    .state_size = sizeof(struct packet_source),
    .kmac = 1,
    .shape = packet_source_shape,
    .init = packet_source_init,
    .work = packet_source_work,
    .reset = packet_source_reset,
};
