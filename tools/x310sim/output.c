/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stream endpoint's side towards the host (chdr_stream_output): a window that the host's
 * reports keep open. */
#include <stdlib.h>

#include "core/base/bytes.h"
#include "tools/x310sim/device.h"

void sim_output_init(struct sim_output *output)
{
	*output = (struct sim_output){0};
	sim_queue_init(&output->queue);
}

void sim_output_fini(struct sim_output *output)
{
	sim_queue_clear(&output->queue);
}

uint32_t sim_output_status(const struct sim_output *output)
{
	return (output->control & 0x7e) | (output->pending ? SEP_OUT_PENDING : 0) |
	    (output->failed ? SEP_OUT_FAILED : 0) | (output->controlled ? SEP_OUT_FLOW_CONTROL : 0);
}

static void command(struct device *device, struct sim_endpoint *endpoint, enum chdr_op op,
    uint64_t bytes_total, uint64_t pkts)
{
	struct sim_output *output = &endpoint->output;
	const unsigned sep = layout_sep_of(&device->layout, sim_channel(device, endpoint), true);
	const struct chdr_strc strc = {
	    .src = device->epids[sep], .op = (uint8_t)op, .bytes = bytes_total, .pkts = pkts};
	uint8_t bytes[CHDR_STRC_BYTES];

	device_send(device, bytes, chdr_strc_write(bytes, output->dst, output->strc_seq++, &strc));
}

static uint64_t every_bytes(const struct sim_output *output)
{
	return output->every_low | (uint64_t)output->every_high << 32;
}

void sim_output_control(struct device *device, struct sim_endpoint *endpoint, uint32_t value)
{
	struct sim_output *output = &endpoint->output;

	output->control = value;
	if (!(value & SEP_OUT_START))
		return;
	output->pending = true;
	output->started = output->failed = output->controlled = false;
	command(device, endpoint, CHDR_INIT, every_bytes(output), output->every_pkts);
}

static bool window_open(const struct sim_output *output)
{
	const uint64_t headroom_bytes = output->headroom & 0xffff,
	               headroom_pkts = output->headroom >> 16;

	if (!output->started)
		return false;
	return !output->controlled ||
	    (output->sent.bytes - output->acked.bytes + headroom_bytes < output->capacity.bytes &&
	        output->sent.pkts - output->acked.pkts + headroom_pkts < output->capacity.pkts);
}

static void count(struct sim_output *output, uint32_t size)
{
	output->sent.bytes += chdr_counted(size);
	output->sent.pkts++;
	output->since_resync_bytes += chdr_counted(size);
	output->since_resync_pkts++;
}

/* Lossy transport: after as much as the host can hold it is told what was sent. */
static bool resync_due(const struct sim_output *output)
{
	return output->controlled && (output->control & SEP_OUT_LOSSY) &&
	    (output->since_resync_bytes > output->capacity.bytes ||
	        output->since_resync_pkts > output->capacity.pkts);
}

static void drain(struct device *device, struct sim_endpoint *endpoint)
{
	struct sim_output *output = &endpoint->output;

	while (output->queue.first != NULL && window_open(output)) {
		struct sim_packet *packet;

		if (resync_due(output)) {
			command(
			    device, endpoint, CHDR_RESYNC, output->sent.bytes, output->sent.pkts);
			count(output, CHDR_STRC_BYTES);
			output->since_resync_bytes = output->since_resync_pkts = 0;
			continue;
		}
		packet = sim_queue_pop(&output->queue);
		output->waiting--;
		output->packets++;
		put_le16(packet->bytes, output->dst);
		put_le16(packet->bytes + 4, output->data_seq++);
		count(output, packet->size);
		device_send(device, packet->bytes, packet->size);
		free(packet);
	}
}

void sim_output_strs(
    struct device *device, struct sim_endpoint *endpoint, const struct chdr_strs *strs)
{
	struct sim_output *output = &endpoint->output;
	const bool agreed = strs->src == output->dst && strs->status == CHDR_OKAY;

	output->acked = (struct sim_total){strs->xfer_bytes, strs->xfer_pkts};
	output->capacity = (struct sim_total){strs->capacity_bytes, strs->capacity_pkts};
	if (output->pending) {
		output->pending = false;
		output->started = true;
		output->failed = !agreed;
		output->controlled = agreed && (every_bytes(output) || output->every_pkts);
		output->data_seq = output->strc_seq = 0;
		output->sent = output->acked;
		output->since_resync_bytes = output->since_resync_pkts = 0;
	}
	drain(device, endpoint);
}

bool sim_output_data(
    struct device *device, struct sim_endpoint *endpoint, const uint8_t *bytes, size_t size)
{
	struct sim_output *output = &endpoint->output;

	if (output->waiting == DEVICE_RX_PACKETS || sim_queue_push(&output->queue, bytes, size) < 0)
		return false;
	output->waiting++;
	drain(device, endpoint);
	return true;
}
