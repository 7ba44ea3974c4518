/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all parts of the device stand on: queues, tables, and the crossbar that routes by them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/x310sim/device.h"

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

unsigned sim_sfp(uint64_t address)
{
	const uint64_t sfp = address >> DEVICE_SFP_BIT;

	return sfp < DEVICE_SFPS ? (unsigned)sfp : 0;
}

void sim_send(struct device *device, unsigned sfp, uint16_t epid, const uint8_t *bytes, size_t size)
{
	uint64_t address;

	if (sim_table_get(&device->addresses[sfp], epid, &address))
		device->io.send(device->io.self, address, bytes, size);
	else if (sim_table_get(&device->routes, epid, &address))
		device->no_address++;
	else
		device->no_route++;
}

void device_send(struct device *device, const uint8_t *bytes, size_t size)
{
	struct chdr_packet packet;
	uint64_t port = 0; /* by which leaves what has no route */

	if (chdr_parse(bytes, size, &packet) < 0)
		return;
	(void)sim_table_get(&device->routes, packet.header.dst, &port);
	if (port < DEVICE_SFPS)
		sim_send(device, (unsigned)port, packet.header.dst, bytes, size);
	else if (packet.header.type == CHDR_MGMT || packet.header.type == CHDR_CTRL)
		device->unroutable++;
	else
		(void)sim_queue_push(&device->within, bytes, size); /* no memory: lost */
}

unsigned sim_channel(const struct device *device, const struct sim_endpoint *endpoint)
{
	return (unsigned)(endpoint - device->endpoints);
}

/* The crossbar: by its table of routes. */
struct sim_endpoint *device_endpoint(struct device *device, uint16_t epid, bool receives)
{
	const struct layout_sep *sep;
	uint64_t port;
	int channel;

	if (!sim_table_get(&device->routes, epid, &port) || port < DEVICE_FIRST_PORT ||
	    port >= DEVICE_FIRST_PORT + device->layout.n_seps)
		return NULL;
	sep = &device->layout.seps[port - DEVICE_FIRST_PORT];
	channel = receives ? sep->out : sep->in;
	return channel >= 0 ? &device->endpoints[channel] : NULL;
}

uint16_t device_control(const struct device *device)
{
	unsigned i = 0;

	while (i + 1 < device->layout.n_seps && device->layout.seps[i].instance != 0)
		i++;
	return device->epids[i];
}
