/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device put together: transport, crossbar, what reaches which endpoint. */
#include "tools/x310sim/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- queues and tables ----------------------------------------------------------------------------------------------- */

void sim_queue_init(struct sim_queue *queue)
{
	*queue = (struct sim_queue){.first = NULL};
	queue->last = &queue->first;
}

void sim_queue_clear(struct sim_queue *queue)
{
	struct sim_packet *packet;

	while ((packet = sim_queue_pop(queue)) != NULL)
		free(packet);
}

int sim_queue_push(struct sim_queue *queue, const uint8_t *bytes, size_t size)
{
	struct sim_packet *packet = malloc(sizeof(*packet) + size);

	if (packet == NULL)
		return -ENOMEM;
	packet->next = NULL;
	packet->size = (uint32_t)size;
	packet->missing = 0;
	memcpy(packet->bytes, bytes, size);
	*queue->last = packet;
	queue->last = &packet->next;
	queue->bytes += chdr_counted((uint32_t)size);
	return 0;
}

struct sim_packet *sim_queue_pop(struct sim_queue *queue)
{
	struct sim_packet *packet = queue->first;

	if (packet == NULL)
		return NULL;
	queue->first = packet->next;
	if (queue->first == NULL)
		queue->last = &queue->first;
	queue->bytes -= chdr_counted(packet->size);
	return packet;
}

void sim_table_set(struct sim_table *table, uint16_t key, uint64_t value)
{
	unsigned row = 0;

	while (row < table->n && table->rows[row].key != key)
		row++;
	if (row == DEVICE_TABLE) { /* full: the oldest goes */
		row = 0;
		for (unsigned i = 1; i < DEVICE_TABLE; i++)
			row = table->rows[i].age < table->rows[row].age ? i : row;
		table->rows[row].age = table->age++;
	} else if (row == table->n) {
		table->rows[table->n++].age = table->age++;
	}
	table->rows[row].key = key;
	table->rows[row].value = value;
}

bool sim_table_get(const struct sim_table *table, uint16_t key, uint64_t *ret_value)
{
	for (unsigned row = 0; row < table->n; row++) {
		if (table->rows[row].key != key)
			continue;
		*ret_value = table->rows[row].value;
		return true;
	}
	return false;
}

/* ---- the device ------------------------------------------------------------------------------------------------------- */

void device_init(
    struct device *device, const struct device_options *options, const struct device_io *io)
{
	*device = (struct device){.options = *options, .io = *io, .id = 1};
	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		sim_input_init(&device->endpoints[i].input);
		sim_output_init(&device->endpoints[i].output);
		sim_radio_init(&device->endpoints[i].radio, options->divide);
	}
}

void device_fini(struct device *device)
{
	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		sim_input_fini(&device->endpoints[i].input);
		sim_output_fini(&device->endpoints[i].output);
		sim_radio_fini(&device->endpoints[i].radio);
	}
}

void device_send(struct device *device, const uint8_t *bytes, size_t size)
{
	struct chdr_packet packet;
	uint64_t address;

	if (chdr_parse(bytes, size, &packet) == 0 &&
	    sim_table_get(&device->addresses, packet.header.dst, &address))
		device->io.send(device->io.self, address, bytes, size);
	else
		device->no_address++;
}

unsigned sim_channel(const struct device *device, const struct sim_endpoint *endpoint)
{
	return (unsigned)(endpoint - device->endpoints);
}

/* The crossbar: by its table of routes. */
struct sim_endpoint *device_endpoint(struct device *device, uint16_t epid)
{
	uint64_t port;

	if (!sim_table_get(&device->routes, epid, &port) || port < DEVICE_FIRST_PORT ||
	    port >= DEVICE_FIRST_PORT + DEVICE_ENDPOINTS)
		return NULL;
	return &device->endpoints[port - DEVICE_FIRST_PORT];
}

static void take_stream(
    struct device *device, const struct chdr_packet *packet, const uint8_t *bytes)
{
	struct sim_endpoint *endpoint = device_endpoint(device, packet->header.dst);
	struct chdr_strs strs;

	if (endpoint == NULL)
		device->unroutable++;
	else if (packet->header.type != CHDR_STRS)
		sim_input_take(device, endpoint, packet, bytes);
	else if (chdr_strs_parse(packet, &strs) == 0)
		sim_output_strs(device, endpoint, &strs);
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
