/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stream endpoint's side towards the radio (chdr_stream_input): a buffer in order of arrival,
 * in which commands wait behind data, and the sequence that is checked where it is read. */
#include <stdlib.h>

#include "tools/x310sim/device.h"

void sim_input_init(struct sim_input *input)
{
	*input = (struct sim_input){.first_data = true, .first_strc = true};
	sim_queue_init(&input->queue);
}

void sim_input_fini(struct sim_input *input)
{
	sim_queue_clear(&input->queue);
}

static uint64_t state_info(const struct device *device, const struct sim_input *input)
{
	if (!device->options.stop_supported)
		return 0;
	return (input->stop_on_seqerr ? CHDR_INFO_STOP_ON_SEQERR : 0) |
	    (input->latched ? CHDR_INFO_SEQERR_LATCHED : 0);
}

static void status_send(
    struct device *device, struct sim_endpoint *endpoint, enum chdr_status status, uint64_t info)
{
	struct sim_input *input = &endpoint->input;
	const struct chdr_strs strs = {
	    .src = input->own,
	    .status = (uint8_t)status,
	    .capacity_bytes = device->options.capacity,
	    .capacity_pkts = 0xffffff,
	    .xfer_bytes = input->consumed.bytes,
	    .xfer_pkts = input->consumed.pkts,
	    .fill = (uint16_t)(32768 * input->queue.bytes / (device->options.capacity + 1)),
	    .info = info | state_info(device, input),
	};
	uint8_t bytes[CHDR_STRS_BYTES];

	input->reported = input->consumed;
	device_send(
	    device, bytes, chdr_strs_write(bytes, input->report_to, input->strs_seq++, &strs));
}

static uint64_t okay_info(const struct device *device, const struct sim_input *input)
{
	if (!device->options.stop_supported)
		return 0;
	return (uint16_t)(input->strc_seq - 1) | (uint64_t)input->data_seq << 16;
}

static void packet_discard(struct sim_input *input, const struct sim_packet *packet)
{
	input->discarded++;
	input->discarded_bytes += packet->size;
}

static void input_flush(struct sim_input *input, uint64_t tick)
{
	struct sim_packet *packet;

	while ((packet = sim_queue_pop(&input->queue)) != NULL) {
		packet_discard(input, packet);
		free(packet);
		input->silent_until = tick + DEVICE_FLUSH_TICKS;
	}
}

static void execute_init(struct device *device, struct sim_endpoint *endpoint,
    const struct chdr_packet *packet, const struct chdr_strc *strc)
{
	struct sim_input *input = &endpoint->input;

	input->every = (struct sim_total){strc->bytes, strc->pkts};
	input->own = packet->header.dst;
	input->report_to = strc->src;
	input->controlled = false;
	input->data_seq = 0;
	input->first_data = !device->options.stop_supported;
	input->stop_on_seqerr =
	    device->options.stop_supported && (strc->op_data & CHDR_INIT_STOP_ON_SEQERR);
	input->latched = false;
	input->phase = SIM_INPUT_FLUSH;
	input->silent_until = device->tick + DEVICE_FLUSH_TICKS;
	input_flush(input, device->tick);
}

static uint64_t seqerr_info(const struct chdr_header *header, uint16_t expected)
{
	return header->seq | (uint64_t)expected << 16 | (uint64_t)header->type << 32;
}

static void packet_execute(
    struct device *device, struct sim_endpoint *endpoint, const struct chdr_packet *packet)
{
	struct sim_input *input = &endpoint->input;
	struct chdr_strc strc;

	if (chdr_strc_parse(packet, &strc) < 0)
		return;
	if (!input->first_strc && strc.op != CHDR_INIT && packet->header.seq != input->strc_seq) {
		input->seqerr++;
		status_send(
		    device, endpoint, CHDR_SEQERR, seqerr_info(&packet->header, input->strc_seq));
	}
	input->first_strc = strc.op == CHDR_INIT;
	input->strc_seq = (uint16_t)(strc.op == CHDR_INIT ? 0 : packet->header.seq + 1);
	if (strc.op == CHDR_INIT) {
		execute_init(device, endpoint, packet, &strc);
		return;
	}
	input->consumed.bytes += CHDR_STRC_BYTES;
	input->consumed.pkts++;
	if (strc.op == CHDR_RESYNC)
		input->consumed = (struct sim_total){strc.bytes, strc.pkts};
	status_send(device, endpoint, CHDR_OKAY, okay_info(device, input));
}

void sim_input_take(struct device *device, struct sim_endpoint *endpoint,
    const struct chdr_packet *packet, const uint8_t *bytes)
{
	struct sim_input *input = &endpoint->input;

	if (input->phase == SIM_INPUT_FLUSH) {
		input->discarded++;
		input->discarded_bytes += packet->header.length;
		input->silent_until = device->tick + DEVICE_FLUSH_TICKS;
	} else if (input->queue.bytes + chdr_counted(packet->header.length) >
	        device->options.capacity ||
	    sim_queue_push(&input->queue, bytes, packet->header.length) < 0) {
		/* the real one would block the crossbar: the host has sent beyond its window */
		input->overflowed++;
	}
}

/* The sequence of a data packet at the head. False: it is to be discarded. */
static bool in_sequence(struct device *device, struct sim_endpoint *endpoint,
    const struct chdr_header *header, uint32_t *ret_missing)
{
	struct sim_input *input = &endpoint->input;
	const uint16_t expected = input->data_seq;
	const bool wrong = !input->first_data && (header->seq != expected || input->latched);

	input->first_data = false;
	if (wrong) {
		input->seqerr++;
		input->latched |= input->stop_on_seqerr;
		status_send(device, endpoint, CHDR_SEQERR, seqerr_info(header, expected));
	}
	if (wrong && input->stop_on_seqerr)
		return false;
	*ret_missing =
	    wrong && (int16_t)(header->seq - expected) > 0 ? (uint16_t)(header->seq - expected) : 0;
	input->data_seq = (uint16_t)(header->seq + 1);
	return true;
}

static void packet_consumed(struct device *device, struct sim_endpoint *endpoint, uint32_t size)
{
	struct sim_input *input = &endpoint->input;
	const struct sim_total *every = &input->every;

	input->consumed.bytes += chdr_counted(size);
	input->consumed.pkts++;
	if (input->controlled &&
	    ((every->bytes && input->consumed.bytes - input->reported.bytes >= every->bytes) ||
	        (every->pkts && input->consumed.pkts - input->reported.pkts >= every->pkts)))
		status_send(device, endpoint, CHDR_OKAY,
		    okay_info(device, input) |
		        (device->options.stop_supported ? CHDR_INFO_FLOW_CONTROL : 0));
}

/* The data packet at the head, if it is for the radio. */
static struct sim_packet *take_data(
    struct device *device, struct sim_endpoint *endpoint, struct sim_packet *packet)
{
	struct sim_input *input = &endpoint->input;
	struct chdr_packet parsed;
	bool good = chdr_parse(packet->bytes, packet->size, &parsed) == 0;

	if (good && parsed.header.dst != input->own) {
		input->rterr++;
		status_send(
		    device, endpoint, CHDR_RTERR, parsed.header.dst | (uint64_t)input->own << 16);
	}
	good = good && in_sequence(device, endpoint, &parsed.header, &packet->missing);
	packet_consumed(device, endpoint, packet->size);
	input->wedged = ++input->taken == device->options.wedge && !device->has_wedged;
	device->has_wedged |= input->wedged;
	if (good && !endpoint->drops)
		return packet;
	packet_discard(input, packet);
	free(packet);
	return NULL;
}

static bool head_is_data(const struct sim_input *input)
{
	struct chdr_packet parsed;

	return chdr_parse(input->queue.first->bytes, input->queue.first->size, &parsed) == 0 &&
	    parsed.header.type >= CHDR_DATA;
}

struct sim_packet *sim_input_next(
    struct device *device, struct sim_endpoint *endpoint, uint64_t tick)
{
	struct sim_input *input = &endpoint->input;
	struct sim_packet *packet = NULL;

	sim_input_run(device, endpoint, tick);
	while (packet == NULL && input->phase == SIM_INPUT_IDLE && !input->wedged &&
	    input->queue.first != NULL && head_is_data(input)) {
		packet = take_data(device, endpoint, sim_queue_pop(&input->queue));
		sim_input_run(device, endpoint, tick);
	}
	return packet;
}

void sim_input_run(struct device *device, struct sim_endpoint *endpoint, uint64_t tick)
{
	struct sim_input *input = &endpoint->input;

	if (input->phase == SIM_INPUT_FLUSH && tick >= input->silent_until) {
		input->phase = SIM_INPUT_IDLE;
		input->controlled = true;
		input->consumed = input->reported = (struct sim_total){0, 0};
		input->strs_seq = 0;
		status_send(device, endpoint, CHDR_OKAY, okay_info(device, input));
	}
	while (input->phase == SIM_INPUT_IDLE && !input->wedged && input->queue.first != NULL &&
	    !head_is_data(input)) {
		struct sim_packet *packet = sim_queue_pop(&input->queue);
		struct chdr_packet parsed;

		if (chdr_parse(packet->bytes, packet->size, &parsed) == 0)
			packet_execute(device, endpoint, &parsed);
		free(packet);
	}
}
