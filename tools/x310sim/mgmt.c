/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Management packets on their way through transport, crossbar and endpoint. Each node does what its
 * hop says; RETURN turns the packet round, with the answers of all nodes in one hop. Where nothing
 * lies behind a port nobody answers. */
#include "tools/x310sim/device.h"

enum { NODE_CROSSBAR = 1, NODE_ENDPOINT = 2, NODE_TRANSPORT = 3 };

enum {
	IPV4_64 = 1,
	HAS_CTRL = 1,
	HAS_DATA = 2,
	ONE_INPUT = 1 << 2,
	ONE_OUTPUT = 1 << 8,
	ERRORS = 1 << 14
};

struct walk {
	struct device *device;
	const struct chdr_mgmt *message;
	struct chdr_mgmt answer;
	uint32_t step;
	unsigned node, port; /* where the packet is; the port behind which an endpoint lies */
	bool returned;
};

static void walk_answer(struct walk *walk, enum chdr_mgmt_op op, uint64_t payload)
{
	(void)chdr_mgmt_add(&walk->answer, op, payload, false);
}

/* The first channel of each radio has a DUC. */
static uint32_t about_endpoint(const struct layout_sep *sep)
{
	return HAS_DATA | ONE_OUTPUT | ERRORS | (sep->instance == 0 ? HAS_CTRL : 0) |
	    (sep->in >= 0 && sep->in % 2 == 0 ? ONE_INPUT : 0);
}

/* The instance of transport and crossbar is the port by which the packet came in. */
static void node_info(struct walk *walk)
{
	const struct sim_layout *layout = &walk->device->layout;
	uint32_t extended, instance = sim_sfp(walk->device->from);

	if (walk->node == NODE_TRANSPORT) {
		extended = IPV4_64;
	} else if (walk->node == NODE_CROSSBAR) {
		extended = (DEVICE_FIRST_PORT + layout->n_seps) | LAYOUT_TRANSPORTS << 8;
	} else {
		const struct layout_sep *sep = &layout->seps[walk->port - DEVICE_FIRST_PORT];

		extended = about_endpoint(sep);
		instance = sep->instance;
	}
	walk_answer(walk, CHDR_INFO_RESP,
	    walk->device->id | (uint64_t)walk->node << 16 | (uint64_t)instance << 20 |
	        (uint64_t)extended << 30);
}

/* The channel whose samples leave by the endpoint, or enter by it; NULL: none. */
static struct sim_endpoint *channel_of(const struct walk *walk, bool receives)
{
	const struct layout_sep *sep = &walk->device->layout.seps[walk->port - DEVICE_FIRST_PORT];
	const int channel = receives ? sep->out : sep->in;

	return channel >= 0 ? &walk->device->endpoints[channel] : NULL;
}

static void walk_reset(struct walk *walk, uint32_t what)
{
	struct sim_endpoint *out = channel_of(walk, true), *in = channel_of(walk, false);

	if (out != NULL && what & 1) {
		sim_output_fini(&out->output);
		sim_output_init(&out->output);
	}
	if (in != NULL && what & 2) {
		sim_input_fini(&in->input);
		sim_input_init(&in->input);
	}
}

static void write_output(struct walk *walk, uint16_t address, uint32_t data)
{
	struct sim_endpoint *channel = channel_of(walk, true);
	struct sim_output *out = channel != NULL ? &channel->output : NULL;

	if (out == NULL)
		return; /* nothing comes from there */
	switch (address) {
	case SEP_OUT_CTRL:
		sim_output_control(walk->device, channel, data);
		break;
	case SEP_OUT_DST:
		out->dst = (uint16_t)data;
		break;
	case SEP_OUT_FREQ_BYTES:
		out->every_low = data;
		break;
	case SEP_OUT_FREQ_BYTES + 4:
		out->every_high = data & 0xff;
		break;
	case SEP_OUT_FREQ_PKTS:
		out->every_pkts = data & 0xffffff;
		break;
	case SEP_OUT_HEADROOM:
		out->headroom = data & 0xffffff;
		break;
	default: /* the swap units of the input: samples are taken as sc16 */
		break;
	}
}

static void write_endpoint(struct walk *walk, uint16_t address, uint32_t data)
{
	if (address == SEP_EPID)
		walk->device->epids[walk->port - DEVICE_FIRST_PORT] = (uint16_t)data;
	else if (address == SEP_RESET)
		walk_reset(walk, data);
	else
		write_output(walk, address, data);
}

static uint32_t read_endpoint(const struct walk *walk, uint16_t address)
{
	const struct sim_endpoint *channel = channel_of(walk, true);
	const struct sim_output *out = channel != NULL ? &channel->output : NULL;

	if (address == SEP_EPID)
		return walk->device->epids[walk->port - DEVICE_FIRST_PORT];
	if (out == NULL)
		return 0;
	switch (address) {
	case SEP_OUT_CTRL:
		return sim_output_status(out);
	case SEP_OUT_DST:
		return out->dst;
	case SEP_OUT_CAPACITY_BYTES:
		return (uint32_t)out->capacity.bytes;
	case SEP_OUT_CAPACITY_BYTES + 4:
		return (uint32_t)(out->capacity.bytes >> 32);
	case SEP_OUT_CAPACITY_PKTS:
		return (uint32_t)out->capacity.pkts;
	default:
		return 0;
	}
}

static void write_register(struct walk *walk, uint64_t payload)
{
	const uint16_t address = (uint16_t)payload;
	const uint32_t data = (uint32_t)(payload >> 16);

	if (walk->node == NODE_CROSSBAR)
		sim_table_set(&walk->device->routes, address, data & 1023);
	else if (walk->node == NODE_ENDPOINT)
		write_endpoint(walk, address, data);
}

/* Goes through the operations of one hop. False: the packet ends here. */
static bool walk_hop(struct walk *walk)
{
	bool last = false;

	while (!last) {
		const struct chdr_mgmt_step *step = &walk->message->steps[walk->step++];

		last = step->last;
		if (step->op == CHDR_ADVERTISE && walk->node == NODE_TRANSPORT)
			sim_table_set(&walk->device->addresses[sim_sfp(walk->device->from)],
			    walk->message->src, walk->device->from);
		else if (step->op == CHDR_SEL_DEST && walk->node == NODE_CROSSBAR)
			walk->port = (unsigned)(step->payload & 1023);
		else if (step->op == CHDR_INFO_REQ)
			node_info(walk);
		else if (step->op == CHDR_CFG_WR)
			write_register(walk, step->payload);
		else if (step->op == CHDR_CFG_RD && walk->node == NODE_ENDPOINT)
			walk_answer(walk, CHDR_CFG_RD_RESP,
			    chdr_mgmt_register((uint16_t)step->payload,
			        read_endpoint(walk, (uint16_t)step->payload)));
		else if (step->op == CHDR_RETURN)
			walk->returned = true;
	}
	return !walk->returned;
}

/* The next node. False: there is none. */
static bool walk_onward(struct walk *walk)
{
	if (walk->node == NODE_TRANSPORT) {
		walk->node = NODE_CROSSBAR;
		return true;
	}
	if (walk->node == NODE_ENDPOINT || walk->port < DEVICE_FIRST_PORT ||
	    walk->port >= DEVICE_FIRST_PORT + walk->device->layout.n_seps)
		return false;
	walk->node = NODE_ENDPOINT;
	return true;
}

void sim_mgmt(struct device *device, const struct chdr_packet *packet)
{
	struct chdr_mgmt message;
	struct walk walk = {.device = device, .message = &message, .node = NODE_TRANSPORT};
	uint8_t bytes[CHDR_MGMT_BYTES_MAX];
	size_t size;

	if (chdr_mgmt_parse(packet, &message) < 0) {
		device->malformed++;
		return;
	}
	/* the FPGA looks at no version, and answers with its own (PROTOVER) */
	walk.answer = (struct chdr_mgmt){.version = device->options.fpga->protocol};
	walk_answer(&walk, CHDR_NOP, 0);
	while (walk.step < message.n_steps && walk_hop(&walk))
		if (!walk_onward(&walk))
			break;
	if (!walk.returned)
		return;
	walk.answer.steps[walk.answer.n_steps - 1].last = true;
	walk.answer.n_hops = 1;
	size = chdr_mgmt_write(bytes, message.src, packet->header.seq, &walk.answer);
	if (walk.node == NODE_TRANSPORT) /* turned round before the table of addresses is asked */
		device->io.send(device->io.self, device->from, bytes, size);
	else if (walk.node ==
	    NODE_CROSSBAR) /* by the port that it came in, whatever the routes say */
		sim_send(device, sim_sfp(device->from), message.src, bytes, size);
	else
		device_send(device, bytes, size);
}
