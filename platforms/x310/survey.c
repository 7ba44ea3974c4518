/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/survey.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

enum { NODE_CROSSBAR = 1, NODE_ENDPOINT = 2 };
enum { HAS_CONTROL = 1, PORT_ANSWERS = 3 /* a port is in doubt after so many requests */ };

/* Numbers of requests, so that a late answer to one of these is not taken for an answer to one of
 * who comes next. */
enum { SEQ_SURVEY = 0x4000, SEQ_CONTROL = 0x6000 };

/* Client zero: control port 0. */
enum {
	ZERO = 0,
	ZERO_PROTOCOL = 0x00,
	ZERO_COUNTS = 0x04,   /* .. transports 10 | blocks 10 | endpoints 10 */
	ZERO_CONTROLS = 0x10, /* endpoints that take register accesses */
	ZERO_SLOT = 0x40,
	ZERO_NOC_ID = 4,
	ZERO_EDGES = 0x10000,
	ZERO_MAGIC = 0x12c6
};

#define NOC_RADIO 0x12ad1000u
#define NOC_DDC 0xddc00000u
#define NOC_DUC 0xd0c00000u

__attribute__((format(printf, 2, 3))) static void survey_fail(
    struct survey *survey, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(survey->why, sizeof(survey->why), format, args);
	va_end(args);
	survey->phase = SURVEY_FAILED;
	survey->request.open = false;
}

static void survey_silent(struct survey *survey, const char *why)
{
	survey->silent_in = survey->phase;
	survey_fail(survey, "%s", why);
}

const struct x310_path *x310_layout_path(
    const struct x310_layout *layout, unsigned number, bool receives)
{
	const unsigned radio = number / SURVEY_CHANNELS, channel = number % SURVEY_CHANNELS;
	const struct x310_path *path;

	if (radio >= layout->n_radios)
		return NULL;
	path = receives ? &layout->radios[radio].rx[channel] : &layout->radios[radio].tx[channel];
	return path->endpoint_port ? path : NULL;
}

/* ---- nodes ------------------------------------------------------------------------ */

static void survey_ask(struct survey *survey, enum survey_phase phase, uint64_t now_ns)
{
	struct request *request = &survey->request;

	survey->phase = phase;
	survey->endpoint.device_port = survey->port;
	switch (phase) {
	case SURVEY_ADVERTISE:
		request_advertise(request, &survey->endpoint);
		break;
	case SURVEY_CROSSBAR:
	case SURVEY_ALIVE:
		request_crossbar(request, &survey->endpoint);
		break;
	case SURVEY_OWN:
		request_route_own(request, &survey->endpoint);
		break;
	default:
		request_to_device(request, &survey->endpoint);
		request_info(request);
		request_read(request, SEP_EPID);
		request_end(request);
	}
	request_open(request, survey->request_seq++, now_ns);
}

void survey_open(struct survey *survey, uint16_t own, uint64_t now_ns)
{
	*survey = (struct survey){.request_seq = SEQ_SURVEY, .silent_in = SURVEY_FAILED};
	survey->endpoint = (struct endpoint){.own = own, .version = x310_fpgas[0].protocol};
	survey_ask(survey, SURVEY_ADVERTISE, now_ns);
}

/* Registers are read by the endpoint of the lowest instance that takes accesses. */
static void begin_registers(struct survey *survey, uint64_t now_ns)
{
	const struct survey_endpoint *first = NULL;
	struct endpoint *endpoint = &survey->endpoint;

	for (uint16_t port = 0; port < survey->n_ports; port++) {
		const struct survey_endpoint *here = &survey->endpoints[port];

		if (!here->is_there || !(here->extended & HAS_CONTROL) ||
		    (first != NULL && here->instance > first->instance))
			continue;
		first = here;
		endpoint->device_port = port;
	}
	if (first == NULL) {
		survey_fail(survey,
		    "no stream endpoint of the device takes register accesses (of %u ports of its "
		    "crossbar)",
		    survey->n_ports);
		return;
	}
	endpoint->claim = first->number == 0;
	endpoint->device = first->number ? first->number : SURVEY_CONTROL;
	survey->layout.control_endpoint = endpoint->device;
	survey->layout.control_port = endpoint->device_port;
	survey->phase = SURVEY_REGISTERS;
	control_open(&survey->control, endpoint, endpoint,
	    (enum chdr_dialect)x310_ctrl_of(survey->layout.protocol), now_ns);
	survey->control.request.seq = SEQ_CONTROL;
	survey->control.request_seq = SEQ_CONTROL + 1;
}

static void next_port(struct survey *survey, uint64_t now_ns)
{
	if (++survey->port < survey->n_ports)
		survey_ask(survey, SURVEY_ENDPOINT, now_ns);
	else
		begin_registers(survey, now_ns);
}

static void take_protocol(struct survey *survey, const struct chdr_mgmt *answer, uint64_t now_ns)
{
	survey->layout.protocol = survey->endpoint.version = answer->version;
	if (x310_ctrl_of(answer->version)) {
		survey_ask(survey, SURVEY_CROSSBAR, now_ns);
		return;
	}
	x310_fpga_unknown(answer->version, 0, survey->why, sizeof(survey->why));
	survey->phase = SURVEY_FAILED;
	survey->unknown_fpga = true;
}

static void take_crossbar(struct survey *survey, const struct chdr_mgmt *answer, uint64_t now_ns)
{
	struct chdr_node node;

	if (!chdr_mgmt_info(answer, &node) || node.type != NODE_CROSSBAR) {
		survey_fail(survey, "the device has no crossbar behind its network port");
		return;
	}
	survey->n_ports = (uint16_t)(node.extended & 255);
	survey->port = (uint16_t)(node.extended >> 8 & 255);
	if (survey->n_ports > SURVEY_PORTS || survey->port >= survey->n_ports) {
		survey_fail(survey,
		    "the crossbar of the device has %u ports, %u of them to networks",
		    survey->n_ports, survey->port);
		return;
	}
	survey->layout.own_port = survey->endpoint.own_port = node.instance;
	survey_ask(survey, SURVEY_OWN, now_ns);
}

static void take_endpoint(struct survey *survey, const struct chdr_mgmt *answer, uint64_t now_ns)
{
	struct chdr_node node;
	uint32_t number;

	if (chdr_mgmt_info(answer, &node) && node.type == NODE_ENDPOINT &&
	    request_register(answer, SEP_EPID, &number))
		survey->endpoints[survey->port] = (struct survey_endpoint){
		    true, node.instance, (uint16_t)number, (uint16_t)node.extended};
	next_port(survey, now_ns);
}

/* A device that stood still answers in the order in which it was asked: the port, if there is one,
 * and then the crossbar. */
static bool is_port_late(
    const struct survey *survey, const struct chdr_packet *packet, struct chdr_mgmt *ret_answer)
{
	struct request port = survey->request;

	port.seq--;
	return survey->phase == SURVEY_ALIVE && request_take(&port, packet, ret_answer);
}

static void take_answer(struct survey *survey, const struct chdr_mgmt *answer, uint64_t now_ns)
{
	if (survey->phase == SURVEY_ADVERTISE)
		take_protocol(survey, answer, now_ns);
	else if (survey->phase == SURVEY_CROSSBAR)
		take_crossbar(survey, answer, now_ns);
	else if (survey->phase == SURVEY_OWN)
		survey_ask(survey, SURVEY_ENDPOINT, now_ns);
	else if (survey->phase == SURVEY_ALIVE)
		next_port(survey, now_ns);
	else
		take_endpoint(survey, answer, now_ns);
}

/* ---- registers ------------------------------------------------------------------------ */

/* In this order: what client zero is, the counts, how many endpoints take accesses, the kind of
 * each block, how many edges, the edges, the compat number of each radio. */
enum { READ_PROTOCOL, READ_COUNTS, READ_CONTROLS, READ_BLOCKS };

static uint16_t block_port(const struct survey *survey, unsigned block)
{
	return (uint16_t)(1 + survey->n_controls + block);
}

/* The control port and the address that are read in this step. False: that was all. */
static bool register_of(const struct survey *survey, uint16_t *ret_port, uint32_t *ret_address)
{
	static const uint32_t heads[] = {ZERO_PROTOCOL, ZERO_COUNTS, ZERO_CONTROLS};
	unsigned step = survey->step;

	*ret_port = ZERO;
	if (step < READ_BLOCKS) {
		*ret_address = heads[step];
		return true;
	}
	step -= READ_BLOCKS;
	if (step < survey->n_blocks) {
		*ret_address = ZERO_SLOT * (1 + survey->n_endpoints + step) + ZERO_NOC_ID;
		return true;
	}
	step -= survey->n_blocks;
	if (step <= survey->n_edges) { /* first their number */
		*ret_address = ZERO_EDGES + 4 * step;
		return true;
	}
	step -= survey->n_edges + 1;
	*ret_address = RADIO_COMPAT;
	if (step < survey->layout.n_radios)
		*ret_port = survey->layout.radios[step].port;
	return step < survey->layout.n_radios;
}

static void take_counts(struct survey *survey, uint32_t value)
{
	survey->n_endpoints = value & 1023;
	survey->n_blocks = value >> 10 & 1023;
	if (survey->n_blocks > SURVEY_BLOCKS)
		survey_fail(survey, "the device reports %u blocks; ALOE supports at most %d",
		    survey->n_blocks, SURVEY_BLOCKS);
}

static void take_block(struct survey *survey, unsigned block, uint32_t noc_id)
{
	struct x310_layout *layout = &survey->layout;

	survey->noc_ids[block] = noc_id;
	if (noc_id == NOC_RADIO && layout->n_radios < SURVEY_RADIOS)
		layout->radios[layout->n_radios++].port = block_port(survey, block);
}

static void take_compat(struct survey *survey, uint32_t value)
{
	struct x310_layout *layout = &survey->layout;

	layout->radio_compat = value;
	layout->fpga = x310_fpga_find(layout->protocol, value);
	if (layout->fpga != NULL)
		return;
	x310_fpga_unknown(layout->protocol, value, survey->why, sizeof(survey->why));
	survey->phase = SURVEY_FAILED;
	survey->unknown_fpga = true;
}

static void take_value(struct survey *survey, uint32_t value)
{
	unsigned step = survey->step++;

	if (step == READ_PROTOCOL && value >> 16 != ZERO_MAGIC)
		survey_fail(survey,
		    "the device has no client zero: register 0 holds 0x%08x, so the device has "
		    "another FPGA image",
		    value);
	else if (step == READ_COUNTS)
		take_counts(survey, value);
	else if (step == READ_CONTROLS)
		survey->n_controls = value & 1023;
	if (step < READ_BLOCKS)
		return;
	step -= READ_BLOCKS;
	if (step < survey->n_blocks) {
		take_block(survey, step, value);
		return;
	}
	step -= survey->n_blocks;
	if (step == 0 && (value & 0x3fff) > SURVEY_EDGES)
		survey_fail(survey, "the device reports %u edges; ALOE supports at most %d",
		    value & 0x3fff, SURVEY_EDGES);
	else if (step == 0)
		survey->n_edges = value & 0x3fff;
	else if (step <= survey->n_edges)
		survey->edges[step - 1] = value;
	else
		take_compat(survey, value);
}

/* ---- from a radio to the endpoints ---------------------------------------------------------- */

struct survey_place {
	uint32_t slot, port; /* 1 and on: endpoints, then the blocks */
};

/* Where the edge from (or to) this place leads. False: there is none. */
static bool edge_follow(const struct survey *survey, bool receives, struct survey_place *place)
{
	for (uint32_t i = 0; i < survey->n_edges; i++) {
		const uint32_t edge = survey->edges[i];
		const struct survey_place from = {edge >> 22, edge >> 16 & 63},
		                          to = {edge >> 6 & 1023, edge & 63};
		const struct survey_place here = receives ? from : to, there = receives ? to : from;

		if (here.slot != place->slot || here.port != place->port)
			continue;
		*place = there;
		return true;
	}
	return false;
}

static void end_at(const struct survey *survey, uint32_t instance, struct x310_path *path)
{
	for (uint16_t port = 0; port < survey->n_ports; port++) {
		const struct survey_endpoint *endpoint = &survey->endpoints[port];

		if (!endpoint->is_there || endpoint->instance != instance)
			continue;
		path->endpoint_port = port;
		path->endpoint = port == survey->layout.control_port
		    ? survey->layout.control_endpoint
		    : endpoint->number;
	}
}

/* A block gives on at the same port what it takes at one. */
static void path_trace(
    const struct survey *survey, bool receives, struct survey_place place, struct x310_path *path)
{
	const uint32_t rate = receives ? NOC_DDC : NOC_DUC;

	for (uint32_t i = 0; i < survey->n_blocks && edge_follow(survey, receives, &place); i++) {
		const uint32_t block = place.slot - 1 - survey->n_endpoints;

		if (place.slot >= 1 && place.slot <= survey->n_endpoints) {
			end_at(survey, place.slot - 1, path);
			return;
		}
		if (block < survey->n_blocks && survey->noc_ids[block] == rate) {
			path->rate_port = block_port(survey, block);
			path->rate_channel = (uint16_t)place.port;
		}
	}
}

static void survey_finish(struct survey *survey)
{
	struct x310_layout *layout = &survey->layout;

	survey->phase = SURVEY_DONE;
	for (unsigned r = 0; r < layout->n_radios; r++) {
		struct x310_radio_layout *radio = &layout->radios[r];
		struct survey_place place = {survey_slot(survey, radio->port), 0};

		for (; place.port < SURVEY_CHANNELS; place.port++) {
			path_trace(survey, true, place, &radio->rx[place.port]);
			path_trace(survey, false, place, &radio->tx[place.port]);
		}
	}
	if (layout->n_radios == 0)
		survey_fail(survey, "the device has no radio (of %u blocks)", survey->n_blocks);
}

/* ---- both ------------------------------------------------------------------------ */

static void read_next(struct survey *survey)
{
	uint32_t address;
	uint16_t port;

	if (survey->phase != SURVEY_REGISTERS || !control_idle(&survey->control))
		return;
	if (register_of(survey, &port, &address))
		(void)control_read(&survey->control, port, address);
	else
		survey_finish(survey);
}

static void take_register(struct survey *survey, uint64_t now_ns, const struct chdr_packet *packet)
{
	struct control *control = &survey->control;
	const unsigned before = control->n;
	struct radio_message message;

	(void)control_take(control, now_ns, packet, &message);
	if (control->refused > 0)
		survey_fail(
		    survey, "the device refused to let its register %u be read", survey->step);
	else if (control->n < before)
		take_value(survey, control->value);
	read_next(survey);
}

void survey_take(struct survey *survey, uint64_t now_ns, const struct chdr_packet *packet)
{
	struct chdr_mgmt answer;

	if (survey->phase == SURVEY_REGISTERS)
		take_register(survey, now_ns, packet);
	else if (is_port_late(survey, packet, &answer))
		take_endpoint(survey, &answer, now_ns);
	else if (survey->phase < SURVEY_REGISTERS &&
	    request_take(&survey->request, packet, &answer))
		take_answer(survey, &answer, now_ns);
}

static size_t poll_registers(struct survey *survey, uint64_t now_ns, uint8_t *bytes)
{
	const size_t size = control_poll(&survey->control, now_ns, bytes);

	if (survey->control.phase == STREAM_FAILED)
		survey_silent(survey, survey->control.why);
	return size;
}

size_t survey_poll(struct survey *survey, uint64_t now_ns, uint8_t *bytes)
{
	int rc;

	if (survey->phase == SURVEY_REGISTERS)
		return poll_registers(survey, now_ns, bytes);
	if (survey->phase > SURVEY_REGISTERS)
		return 0;
	if (survey->phase == SURVEY_ENDPOINT && survey->request.tries == PORT_ANSWERS &&
	    now_ns >= survey->request.next_ns)
		survey_ask(survey, SURVEY_ALIVE, now_ns);
	rc = request_poll(&survey->request, now_ns, bytes);
	if (rc == -ETIMEDOUT)
		survey_silent(survey, "the device does not answer a management request");
	return rc > 0 ? (size_t)rc : 0;
}
