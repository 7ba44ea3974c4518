/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Register accesses: the blocks behind endpoint 0, each request answered by one acknowledgement. */
#include "tools/x310sim/device.h"

/* Control ports of the stock image. */
enum { PORT_DUC0 = 2, PORT_DDC0 = 3, PORT_RADIO0 = 4, PORT_DUC1 = 5, PORT_DDC1 = 6, PORT_RADIO1 = 7 };

enum { RADIO_CHANNELS = 0x1000, RADIO_CHANNEL = 0x80, DDC_CHANNEL = 0x800, DDC_RATE = 0x400, DUC_RATE = 0x408 };

/* The channel that a radio's register belongs to, NULL: it is the radio's own. */
static struct sim_endpoint *radio_channel(struct device *device, unsigned radio, uint32_t address)
{
	const uint32_t channel = (address - RADIO_CHANNELS) / RADIO_CHANNEL;

	return address >= RADIO_CHANNELS && channel < 2 ? &device->endpoints[2 * radio + channel] : NULL;
}

static uint32_t radio_own(const struct device *device, uint32_t address)
{
	switch (address) {
	case 0x0:
		return 1; /* register map v0 */
	case 0x4:
		return (uint32_t)device->tick;
	case 0x8:
		return (uint32_t)(device->tick >> 32);
	default:
		return 0;
	}
}

static uint32_t read_rate_block(uint32_t address)
{
	switch (address % DDC_CHANNEL) {
	case 0x0:
		return 1;
	case 0x8:
		return 3;
	case 0x10:
		return 255;
	default:
		return 0;
	}
}

static void write_rate_block(struct device *device, unsigned radio, uint32_t rate_register,
			     const struct chdr_ctrl *ctrl)
{
	const uint32_t channel = ctrl->address / DDC_CHANNEL;

	if (channel < 2 && ctrl->address % DDC_CHANNEL == rate_register && ctrl->data[0] >= 1 && ctrl->data[0] <= 2040)
		device->endpoints[2 * radio + channel].radio.divide = ctrl->data[0];
}

static uint32_t read_block(struct device *device, unsigned radio, const struct chdr_ctrl *ctrl)
{
	const struct sim_endpoint *channel = radio_channel(device, radio, ctrl->address);

	if (ctrl->dst_port != PORT_RADIO0 && ctrl->dst_port != PORT_RADIO1)
		return read_rate_block(ctrl->address);
	if (channel == NULL)
		return radio_own(device, ctrl->address);
	return sim_radio_read(&channel->radio, ctrl->address % RADIO_CHANNEL);
}

static void write_block(struct device *device, unsigned radio, const struct chdr_ctrl *ctrl)
{
	struct sim_endpoint *channel = radio_channel(device, radio, ctrl->address);

	if (ctrl->dst_port == PORT_DDC0 || ctrl->dst_port == PORT_DDC1)
		write_rate_block(device, radio, DDC_RATE, ctrl);
	else if (ctrl->dst_port == PORT_DUC0 || ctrl->dst_port == PORT_DUC1)
		write_rate_block(device, radio, DUC_RATE, ctrl);
	else if (channel != NULL)
		sim_radio_write(&channel->radio, ctrl->address % RADIO_CHANNEL, ctrl->data[0]);
}

/* An acknowledgement of one of our messages. */
static void acknowledged(struct device *device, const struct chdr_ctrl *ctrl)
{
	const unsigned radio = ctrl->dst_port == PORT_RADIO1;

	for (unsigned channel = 0; channel < 2; channel++) {
		struct sim_endpoint *endpoint = &device->endpoints[2 * radio + channel];
		if (endpoint->radio.awaits_ack && ctrl->data[0] == endpoint->radio.messages[0].code &&
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

void sim_ctrl(struct device *device, const struct chdr_packet *packet)
{
	struct chdr_ctrl ctrl;
	unsigned radio;

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
	radio = ctrl.dst_port >= PORT_DUC1;
	if (ctrl.dst_port < PORT_DUC0 || ctrl.dst_port > PORT_RADIO1 || ctrl.n_data != 1)
		ctrl.status = CHDR_CTRL_CMDERR;
	else if (ctrl.op == CHDR_CTRL_READ)
		ctrl.data[0] = read_block(device, radio, &ctrl);
	else if (ctrl.op == CHDR_CTRL_WRITE)
		write_block(device, radio, &ctrl);
	else if (ctrl.op != CHDR_CTRL_SLEEP)
		ctrl.status = CHDR_CTRL_CMDERR;
	answer(device, &ctrl);
}
