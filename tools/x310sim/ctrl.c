/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Control packets: each request is answered by one acknowledgement. */
#include "tools/x310sim/device.h"

/* An acknowledgement of one of our messages: it has the address and the time of that. */
static void acknowledged(struct device *device, const struct chdr_ctrl *ctrl)
{
	const int radio = sim_block_radio(device, ctrl->dst_port);

	for (int channel = 0; radio >= 0 && channel < 2; channel++) {
		struct sim_endpoint *endpoint = &device->endpoints[2 * radio + channel];
		if (endpoint->radio.awaits_ack &&
		    ctrl->address == sim_radio_told(&endpoint->radio) &&
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
	ctrl->src = device_control(device);
	ctrl->dst_port = ctrl->src_port;
	ctrl->src_port = port;
	device_send(device, bytes,
	    chdr_ctrl_write(bytes, to, device->ctrl_seq++, device->options.fpga->ctrl, ctrl));
}

/* Layout 1: one word at a time (axis_ctrl_slave.v). */
static bool execute_v1(struct device *device, struct chdr_ctrl *ctrl)
{
	if (ctrl->n_data != 1)
		return false;
	if (ctrl->op == CHDR_CTRL_READ)
		return sim_block_read(device, ctrl->dst_port, ctrl->address, &ctrl->data[0]);
	return ctrl->op == CHDR_CTRL_WRITE &&
	    sim_block_write(device, ctrl->dst_port, ctrl->address, ctrl->data[0]);
}

/* Layout 2 (axis_ctrl_slave.sv of UHD-4.11): any number of words, at one address or one after the
 * other; what a read asks for comes back, what was written does not. POLL is not played. */
static bool execute_v2(struct device *device, struct chdr_ctrl *ctrl)
{
	const bool reads = ctrl->op == CHDR_CTRL_READ || ctrl->op == CHDR_CTRL_BLOCK_READ,
	           block = ctrl->op == CHDR_CTRL_BLOCK_READ || ctrl->op == CHDR_CTRL_BLOCK_WRITE;
	const uint8_t n = reads ? ctrl->request : ctrl->n_data;
	bool done = reads || block || ctrl->op == CHDR_CTRL_WRITE;

	for (uint32_t i = 0; done && i < n; i++) {
		const uint32_t address = ctrl->address + (block ? 4 * i : 0);

		done = reads ? sim_block_read(device, ctrl->dst_port, address, &ctrl->data[i])
		             : sim_block_write(device, ctrl->dst_port, address, ctrl->data[i]);
	}
	ctrl->n_data = reads ? n : 0;
	return done;
}

static bool execute(struct device *device, struct chdr_ctrl *ctrl)
{
	if (ctrl->op == CHDR_CTRL_SLEEP)
		return true;
	return (device->options.fpga->ctrl == CHDR_V1 ? execute_v1 : execute_v2)(device, ctrl);
}

void sim_ctrl(struct device *device, const struct chdr_packet *packet)
{
	struct chdr_ctrl ctrl;

	if (chdr_ctrl_parse(packet, device->options.fpga->ctrl, &ctrl) < 0) {
		device->malformed++;
		return;
	}
	if (packet->header.dst != device_control(device)) {
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
