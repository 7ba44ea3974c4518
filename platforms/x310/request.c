/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/request.h"

#include <errno.h>

void request_open(struct request *request, uint16_t seq, uint64_t now_ns)
{
	request->seq = seq;
	request->tries = 0;
	request->next_ns = now_ns;
	request->open = true;
}

int request_poll(struct request *request, uint64_t now_ns, uint8_t *bytes)
{
	if (!request->open || now_ns < request->next_ns)
		return 0;
	if (request->tries == REQUEST_TRIES) {
		request->open = false;
		return -ETIMEDOUT;
	}
	request->tries++;
	request->next_ns = now_ns + REQUEST_RETRY_NS;
	return (int)chdr_mgmt_write(bytes, 0, request->seq, &request->message);
}

bool request_take(
    struct request *request, const struct chdr_packet *packet, struct chdr_mgmt *ret_answer)
{
	if (!request->open || request->tries == 0 || packet->header.type != CHDR_MGMT ||
	    packet->header.dst != request->message.src || packet->header.seq != request->seq)
		return false;
	if (chdr_mgmt_parse(packet, ret_answer) < 0)
		return false;
	request->open = false;
	return true;
}

static void begin(struct request *request, const struct endpoint *endpoint)
{
	request->message = (struct chdr_mgmt){.src = endpoint->own, .version = endpoint->version};
}

static void add(struct request *request, enum chdr_mgmt_op op, uint64_t payload, bool last)
{
	/* the longest message that is put together here has 12 steps */
	(void)chdr_mgmt_add(&request->message, op, payload, last);
}

void request_end(struct request *request)
{
	add(request, CHDR_RETURN, 0, true);
	add(request, CHDR_NOP, 0, true);
}

void request_advertise(struct request *request, const struct endpoint *endpoint)
{
	begin(request, endpoint);
	add(request, CHDR_ADVERTISE, 0, false);
	request_end(request);
}

void request_crossbar(struct request *request, const struct endpoint *endpoint)
{
	begin(request, endpoint);
	add(request, CHDR_NOP, 0, true);
	request_info(request);
	request_end(request);
}

void request_route_own(struct request *request, const struct endpoint *endpoint)
{
	begin(request, endpoint);
	add(request, CHDR_NOP, 0, true);
	add(request, CHDR_CFG_WR, chdr_mgmt_register(endpoint->own, endpoint->own_port), false);
	request_end(request);
}

void request_to_device(struct request *request, const struct endpoint *endpoint)
{
	begin(request, endpoint);
	add(request, CHDR_NOP, 0, true);
	add(request, CHDR_SEL_DEST, endpoint->device_port, true);
}

void request_claim(struct request *request, const struct endpoint *endpoint)
{
	request_to_device(request, endpoint);
	request_write(request, SEP_RESET, SEP_RESET_OUT | SEP_RESET_IN | SEP_RESET_CTRL);
	request_write(request, SEP_EPID, endpoint->device);
	request_end(request);
}

void request_route_device(struct request *request, const struct endpoint *endpoint)
{
	begin(request, endpoint);
	add(request, CHDR_NOP, 0, true);
	add(request, CHDR_CFG_WR, chdr_mgmt_register(endpoint->device, endpoint->device_port),
	    false);
	add(request, CHDR_SEL_DEST, endpoint->device_port, true);
	request_info(request);
	request_end(request);
}

void request_info(struct request *request)
{
	add(request, CHDR_INFO_REQ, 0, false);
}

void request_write(struct request *request, uint16_t address, uint32_t data)
{
	add(request, CHDR_CFG_WR, chdr_mgmt_register(address, data), false);
}

void request_read(struct request *request, uint16_t address)
{
	add(request, CHDR_CFG_RD, address, false);
}

bool request_register(const struct chdr_mgmt *answer, uint16_t address, uint32_t *ret_data)
{
	for (size_t i = 0; i < answer->n_steps; i++) {
		const struct chdr_mgmt_step *step = &answer->steps[i];
		if (step->op != CHDR_CFG_RD_RESP || (step->payload & 0xffff) != address)
			continue;
		*ret_data = (uint32_t)(step->payload >> 16);
		return true;
	}
	return false;
}
