/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Control packets: each request is answered by one acknowledgement. */
#include "tools/x310sim/device.h"

/* An acknowledgement of one of our messages. */
static void acknowledged(struct device *device, const struct chdr_ctrl *ctrl)
{
	const unsigned radio = sim_block_radio(ctrl->dst_port);

	for (unsigned channel = 0; channel < 2; channel++) {
		struct sim_endpoint *endpoint = &device->endpoints[2 * radio + channel];
		if (endpoint->radio.awaits_ack &&
		    ctrl->data[0] == endpoint->radio.messages[0].code &&
		    ctrl->time == endpoint->radio.messages[0].tick) {
			sim_radio_acked(device, endpoint);
			return;
		}
	}
}

static void answer(struct device *device, struct chdr_ctrl *ctrl)
{
	const uint16_t to = ctrl->src, port = ctrl->dst_port;
	uint8_t bytes[CHDR_CTRL_BYTES_MAX];

	ctrl->ack = true;
	ctrl->src = device->endpoints[0].epid;
	ctrl->dst_port = ctrl->src_port;
	ctrl->src_port = port;
	device_send(device, bytes, chdr_ctrl_write(bytes, to, device->ctrl_seq++, CHDR_V1, ctrl));
}

static bool execute(struct device *device, struct chdr_ctrl *ctrl)
{
	if (ctrl->op == CHDR_CTRL_SLEEP)
		return true;
	if (ctrl->n_data != 1)
		return false;
	if (ctrl->op == CHDR_CTRL_READ)
		return sim_block_read(device, ctrl->dst_port, ctrl->address, &ctrl->data[0]);
	return ctrl->op == CHDR_CTRL_WRITE &&
	    sim_block_write(device, ctrl->dst_port, ctrl->address, ctrl->data[0]);
}

void sim_ctrl(struct device *device, const struct chdr_packet *packet)
{
	struct chdr_ctrl ctrl;

	if (chdr_ctrl_parse(packet, CHDR_V1, &ctrl) < 0) {
		device->malformed++;
		return;
	}
	if (packet->header.dst != device->endpoints[0].epid) {
		device->unroutable++;
		return;
	}
	if (ctrl.ack) {
		acknowledged(device, &ctrl);
		return;
	}
	if (!execute(device, &ctrl))
		ctrl.status = CHDR_CTRL_CMDERR;
	answer(device, &ctrl);
}
