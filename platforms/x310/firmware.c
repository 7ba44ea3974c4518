/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/firmware.h"

#include <string.h>

#include "core/base/bytes.h"
#include "core/base/clock.h"

enum { ACK = 1, PEEK = 8, ECHO_REQUEST = 1, ECHO_REPLY = 2, TRIES = 3 };
#define TRY_NS 150000000ull
#define NAP_NS 50000ull

struct firmware_question {
	struct transport_address to;
	uint8_t head[FIRMWARE_BYTES]; /* zeros follow */
	uint32_t size;
	bool (*is_answer)(const struct firmware_question *question, const struct packet *packet);
	uint32_t wanted; /* bytes of the answer */
	uint32_t value;  /* that the answer gave */
};

static void ask(struct transport *transport, const struct firmware_question *question)
{
	const size_t head = question->size < FIRMWARE_BYTES ? question->size : FIRMWARE_BYTES;
	struct packet packet;

	if (transport_get(transport, &packet, 1) == 0)
		return;
	memset(packet.bytes, 0, question->size);
	memcpy(packet.bytes, question->head, head);
	packet.size = question->size;
	packet.peer = question->to;
	if (transport_send(transport, &packet, 1) == 0)
		transport_put(transport, &packet, 1);
}

static bool answered(struct transport *transport, struct firmware_question *question)
{
	const uint64_t end = clock_ns() + TRY_NS;
	struct packet packet;
	bool found = false;

	while (!found && clock_ns() < end) {
		if (transport_receive(transport, &packet, 1) == 0) {
			clock_sleep_until(clock_ns() + NAP_NS);
			continue;
		}
		found =
		    packet.peer.port == question->to.port && question->is_answer(question, &packet);
		if (found && packet.size >= FIRMWARE_BYTES)
			question->value = get_be32(packet.bytes + 12);
		transport_put(transport, &packet, 1);
	}
	return found;
}

static bool get_answer(struct transport *transport, struct firmware_question *question)
{
	for (int i = 0; i < TRIES; i++) {
		ask(transport, question);
		if (answered(transport, question))
			return true;
	}
	return false;
}

static bool is_register(const struct firmware_question *question, const struct packet *packet)
{
	return packet->size == FIRMWARE_BYTES && memcmp(packet->bytes, question->head, 12) == 0;
}

bool x310_peek(struct transport *transport, uint32_t ip, uint32_t address, uint32_t *ret)
{
	struct firmware_question question = {
	    .to = {ip, FIRMWARE_PORT}, .size = FIRMWARE_BYTES, .is_answer = is_register};

	put_be32(question.head, ACK | PEEK);
	put_be32(question.head + 4, address); /* of the sequence: any number */
	put_be32(question.head + 8, address);
	if (!get_answer(transport, &question))
		return false;
	*ret = question.value;
	return true;
}

static bool is_echo(const struct firmware_question *question, const struct packet *packet)
{
	return packet->size == question->wanted && (get_be32(packet->bytes) & ECHO_REPLY) &&
	    get_be32(packet->bytes + 4) == question->size;
}

bool x310_passes(struct transport *transport, uint32_t ip, uint32_t out, uint32_t in)
{
	struct firmware_question question = {
	    .to = {ip, MTU_PORT}, .size = out, .is_answer = is_echo, .wanted = in};

	put_be32(question.head, ECHO_REQUEST);
	put_be32(question.head + 4, in);
	return get_answer(transport, &question);
}
