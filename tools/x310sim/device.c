/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device put together: what reaches which endpoint, and when. */
#include <stdlib.h>

#include "tools/x310sim/device.h"

void device_init(
    struct device *device, const struct device_options *options, const struct device_io *io)
{
	*device =
	    (struct device){.options = *options, .io = *io, .id = 1, .tick_ns = DEVICE_TICK_NS};
	if (device->options.fpga == NULL)
		device->options.fpga = &x310_fpgas[0];
	device->map = device->options.fpga->radio; /* one that is not known has the latest */
	if (device->map == NULL)
		device->map = x310_fpgas[X310_FPGAS - 1].radio;
	if (options->layout_seed)
		layout_shuffle(&device->layout, options->layout_seed);
	else
		layout_stock(&device->layout);
	sim_queue_init(&device->within);
	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		sim_input_init(&device->endpoints[i].input);
		sim_output_init(&device->endpoints[i].output);
		sim_radio_init(&device->endpoints[i].radio, device->map, options->divide);
	}
}

void device_fini(struct device *device)
{
	sim_queue_clear(&device->within);
	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		sim_input_fini(&device->endpoints[i].input);
		sim_output_fini(&device->endpoints[i].output);
		sim_radio_fini(&device->endpoints[i].radio);
	}
}

static void take_stream(
    struct device *device, const struct chdr_packet *packet, const uint8_t *bytes)
{
	struct sim_endpoint *endpoint =
	    device_endpoint(device, packet->header.dst, packet->header.type == CHDR_STRS);
	struct chdr_strs strs;

	if (endpoint == NULL)
		device->unroutable++;
	else if (packet->header.type != CHDR_STRS)
		sim_input_take(device, endpoint, packet, bytes);
	else if (chdr_strs_parse(packet, &strs) == 0)
		sim_output_strs(device, endpoint, &strs);
}

/* The crossbar leads back to an endpoint of the device, which may answer at once. */
static void take_within(struct device *device)
{
	struct sim_packet *packet;
	struct chdr_packet parsed;

	while ((packet = sim_queue_pop(&device->within)) != NULL) {
		if (chdr_parse(packet->bytes, packet->size, &parsed) == 0)
			take_stream(device, &parsed, packet->bytes);
		free(packet);
	}
}

void device_take(struct device *device, uint64_t from, const uint8_t *bytes, size_t size)
{
	struct chdr_packet packet;

	if (chdr_parse(bytes, size, &packet) < 0) {
		device->malformed++;
		return;
	}
	device->from = from;
	if (packet.header.type == CHDR_MGMT)
		sim_mgmt(device, &packet);
	else if (packet.header.type == CHDR_CTRL)
		sim_ctrl(device, &packet);
	else
		take_stream(device, &packet, bytes);
	device_run(device, device->tick);
}

uint64_t device_next(const struct device *device)
{
	uint64_t next = UINT64_MAX;

	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		const uint64_t radio = sim_radio_next(device, &device->endpoints[i]);
		const struct sim_input *input = &device->endpoints[i].input;

		next = radio < next ? radio : next;
		if (input->phase == SIM_INPUT_FLUSH && input->silent_until < next)
			next = input->silent_until;
	}
	return next;
}

/* Event after event, so that one endpoint does not run ahead of another. */
void device_run(struct device *device, uint64_t tick)
{
	uint64_t next;

	do {
		next = device_next(device);
		if (next > tick)
			next = tick;
		device->tick = next > device->tick ? next : device->tick;
		for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
			sim_input_run(device, &device->endpoints[i], device->tick);
			sim_radio_run(device, &device->endpoints[i], device->tick);
			take_within(device);
		}
	} while (device_next(device) <= tick);
	device->tick = tick > device->tick ? tick : device->tick;
}

void device_set_time(struct device *device, uint64_t tick)
{
	const uint64_t by = tick - device->tick;

	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		device->endpoints[i].radio.rx.tick += by;
		device->endpoints[i].radio.tx.tick += by;
		device->endpoints[i].input.silent_until += by;
	}
	device->tick = tick;
}
