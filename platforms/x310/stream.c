/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What both streams share, and the radio's messages. */
#include "platforms/x310/stream.h"

enum { NODE_ENDPOINT = 2, HAS_DATA = 2 };

bool stream_ask(struct request *request, const struct endpoint *endpoint, enum stream_phase phase)
{
	static void (*const write[])(struct request *, const struct endpoint *) = {
	    [STREAM_ADVERTISE] = request_advertise,
	    [STREAM_OWN] = request_route_own,
	    [STREAM_CLAIM] = request_claim,
	    [STREAM_DEVICE] = request_route_device,
	};

	if (phase < STREAM_ADVERTISE || phase > STREAM_DEVICE)
		return false;
	write[phase](request, endpoint);
	return true;
}

enum stream_phase stream_after(const struct endpoint *endpoint, enum stream_phase phase)
{
	return phase == STREAM_OWN && !endpoint->claim ? STREAM_DEVICE : phase + 1;
}

bool stream_is_endpoint(const struct chdr_mgmt *answer)
{
	struct chdr_node node;

	return chdr_mgmt_info(answer, &node) && node.type == NODE_ENDPOINT &&
	    (node.extended & HAS_DATA);
}

struct radio_message radio_message_parse(const struct chdr_ctrl *ctrl)
{
	static const enum radio_event tx[] = {
	    RADIO_OTHER, RADIO_TX_UNDERRUN, RADIO_TX_LATE, RADIO_TX_BURST_END};
	static const enum radio_event rx[] = {
	    RADIO_OTHER, RADIO_RX_LATE, RADIO_RX_OVERRUN, RADIO_OTHER};
	const uint32_t code = ctrl->n_data ? ctrl->data[0] : 0;
	struct radio_message message = {RADIO_OTHER, ctrl->address % 0x1000 / 0x40, ctrl->time};

	if (ctrl->op == CHDR_CTRL_WRITE && !ctrl->ack && code < 4 && ctrl->address < 0x2000)
		message.event = ctrl->address < 0x1000 ? tx[code] : rx[code];
	return message;
}

void radio_message_ack(struct chdr_ctrl *ctrl, uint16_t own, enum chdr_dialect dialect)
{
	const uint16_t port = ctrl->dst_port;

	ctrl->ack = true;
	ctrl->src = own;
	ctrl->dst_port = ctrl->src_port;
	ctrl->src_port = port;
	if (dialect == CHDR_V2 && ctrl->op == CHDR_CTRL_WRITE)
		ctrl->n_data = 0;
}
