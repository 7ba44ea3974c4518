/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/clock.h"

/* Everything of a program, in arrays large enough for any rig. */
struct tables {
	struct image_head head;
	struct image_node nodes[RIG_MACHINES_MAX];
	struct image_lane lanes[RIG_SEGMENTS_MAX];
	struct image_segment segments[RIG_SEGMENTS_MAX];
	uint32_t order[RIG_NODES_MAX];
	struct image_gate gates[RIG_GATES_MAX];
	struct image_instance instances[RIG_NODES_MAX];
	struct image_input inputs[RIG_NODES_MAX * RIG_PORTS_MAX];
	struct image_output outputs[RIG_NODES_MAX * RIG_PORTS_MAX];
	struct image_host hosts[RIG_SEGMENTS_MAX];
	struct image_buffer buffers[RIG_NODES_MAX * RIG_PORTS_MAX];
	struct image_param params[RIG_NODES_MAX * RIG_PARAMS_MAX];
	struct image_var vars[RIG_NODES_MAX * IMAGE_VARS_MAX];
	float reals[1024];
	char text[1 << 16];
	uint32_t buffer_of[RIG_NODES_MAX][RIG_PORTS_MAX];
};

static void insist(bool holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "rig: %s\n", what);
		abort();
	}
}

struct rig *rig_new(enum image_clock clock, enum image_late late)
{
	struct rig *rig = aligned_alloc(64, (sizeof(*rig) + 63) & ~(size_t)63);

	insist(rig != NULL, "no memory");
	memset(rig, 0, sizeof(*rig));
	rig->clock = clock;
	rig->late = late;
	rig->slot_ns = 1000000;
	rig->slots = IMAGE_FOREVER;
	rig->files = (struct image_files){-1, -1};
	return rig;
}

int rig_add(struct rig *rig, const struct aloe_component *component, uint32_t segment, uint32_t lag)
{
	const int number = (int)rig->n_nodes++;
	struct rig_node *node = &rig->nodes[number];

	insist(number < RIG_NODES_MAX && segment < RIG_SEGMENTS_MAX, "too many nodes or segments");
	*node = (struct rig_node){
	    component, segment, lag, .period = 1, .max = 8, .depth = 4, .source = -1};
	for (int p = 0; p < RIG_PORTS_MAX; p++)
		node->in[p].from = -1;
	if (segment >= rig->n_segments)
		rig->n_segments = segment + 1;
	return number;
}

void rig_link(struct rig *rig, int from, int from_port, int to, int to_port, uint32_t delay)
{
	rig->nodes[to].in[to_port] = (struct rig_input){from, from_port, delay};
}

void rig_gate(struct rig *rig, uint32_t segment, uint32_t other, int32_t offset)
{
	insist(rig->n_gates < RIG_GATES_MAX, "too many gates");
	rig->gates[rig->n_gates].segment = segment;
	rig->gates[rig->n_gates++].gate = (struct image_gate){other, offset};
}

void rig_gates(struct rig *rig)
{
	for (uint32_t n = 0; n < rig->n_nodes; n++)
		for (int p = 0; p < RIG_PORTS_MAX; p++) {
			const struct rig_node *to = &rig->nodes[n], *from;
			int32_t d;

			if (to->in[p].from < 0 || rig->nodes[to->in[p].from].segment == to->segment)
				continue;
			from = &rig->nodes[to->in[p].from];
			d = (int32_t)(to->in[p].delay + to->lag) - (int32_t)from->lag;
			rig_gate(rig, to->segment, from->segment, 1 - d);
			rig_gate(rig, from->segment, to->segment, 1 + d - (int32_t)from->depth);
		}
}

/* ---- tables ------------------------------------------------------------------------ */

static uint32_t text_add(struct tables *t, const char *text)
{
	const uint32_t at = (uint32_t)t->head.text.count;

	insist(at + strlen(text) + 1 <= sizeof(t->text), "too much text");
	memcpy(t->text + at, text, strlen(text) + 1);
	t->head.text.count += strlen(text) + 1;
	return at;
}

static void add_outputs(const struct rig *rig, struct tables *t, uint32_t number)
{
	const struct rig_node *node = &rig->nodes[number];
	struct image_instance *row = &t->instances[number];

	row->outputs = (uint32_t)t->head.outputs.count;
	for (uint32_t i = 0; i < node->component->ports.len; i++) {
		const struct aloe_port *port = &node->component->ports.items[i];
		struct image_output *out = &t->outputs[t->head.outputs.count];

		if (!port->output)
			continue;
		*out = (struct image_output){text_add(t, port->name), IMAGE_NONE, port->types, 0};
		if (node->depth > 0) {
			out->buffer = (uint32_t)t->head.buffers.count++;
			out->max = node->max;
			t->buffers[out->buffer] = (struct image_buffer){number, row->n_outputs,
			    port->types, node->max, node->depth, 0, node->tap, 0, 0, 0, 0, 0};
		}
		t->buffer_of[number][row->n_outputs++] = out->buffer;
		t->head.outputs.count++;
	}
}

static void add_inputs(const struct rig *rig, struct tables *t, uint32_t number)
{
	const struct rig_node *node = &rig->nodes[number];
	struct image_instance *row = &t->instances[number];

	row->inputs = (uint32_t)t->head.inputs.count;
	for (uint32_t i = 0; i < node->component->ports.len; i++) {
		const struct aloe_port *port = &node->component->ports.items[i];
		struct image_input *in = &t->inputs[t->head.inputs.count];
		const struct rig_input *link = &node->in[row->n_inputs];

		if (port->output)
			continue;
		*in = (struct image_input){text_add(t, port->name), IMAGE_NONE, 0, 0, 0, 0};
		if (link->from >= 0) {
			in->buffer = t->buffer_of[link->from][link->port];
			in->type = t->buffers[in->buffer].type;
			in->max = t->buffers[in->buffer].max;
			in->delay = link->delay;
			in->crosses = rig->nodes[link->from].segment != node->segment;
		}
		row->n_inputs++;
		t->head.inputs.count++;
	}
}

static void add_param(
    struct tables *t, const struct aloe_param *param, const struct rig_value *value)
{
	struct image_param *row = &t->params[t->head.params.count++];
	const char *text = value->text != NULL ? value->text
	    : param->text != NULL              ? param->text
	                                       : "";

	*row = (struct image_param){
	    .name = text_add(t, param->name), .kind = param->kind, .flags = param->flags};
	row->min = param->min;
	row->max = param->max;
	row->number = value->set ? value->number : param->def;
	row->names = (uint32_t)t->head.text.count;
	while (param->names != NULL && param->names[row->n_names] != NULL)
		text_add(t, param->names[row->n_names++]);
	if (param->kind == ALOE_KIND_TEXT || param->kind == ALOE_KIND_PATH)
		row->text = text_add(t, text);
	if (param->kind == ALOE_KIND_REALS) {
		row->n_reals = value->n_reals;
		row->items_max = param->items_max;
		row->reals = t->head.reals.count;
		memcpy(t->reals + row->reals, value->reals, value->n_reals * sizeof(float));
		t->head.reals.count += value->n_reals;
	}
}

static void add_instance(const struct rig *rig, struct tables *t, uint32_t number)
{
	const struct rig_node *node = &rig->nodes[number];
	struct image_instance *row = &t->instances[number];
	char name[16];

	snprintf(name, sizeof(name), "n%u", number);
	*row = (struct image_instance){
	    .name = text_add(t, name), .component = text_add(t, "c"), .path = text_add(t, "")};
	row->segment = node->segment;
	row->lag = node->lag;
	row->run_on = node->run_on;
	row->places = 1;
	row->named = number;
	row->period = node->period;
	row->phase = node->phase;
	row->budget_ns = node->budget_ns;
	row->io = node->budget_ns > 0 ? IMAGE_BUDGET_GIVEN : 0;
	row->sink = (uint32_t)(node->source + 1);
	row->params = (uint32_t)t->head.params.count;
	row->n_params = node->component->params.len;
	for (uint32_t i = 0; i < row->n_params; i++)
		add_param(t, &node->component->params.items[i], &node->values[i]);
	row->vars = (uint32_t)t->head.vars.count;
	row->n_vars = node->component->vars.len;
	for (uint32_t i = 0; i < row->n_vars; i++) {
		const struct aloe_var *var = &node->component->vars.items[i];

		t->vars[t->head.vars.count++] =
		    (struct image_var){text_add(t, var->name), var->real, var->offset, 0};
	}
}

static void add_segment(const struct rig *rig, struct tables *t, uint32_t number)
{
	struct image_segment *row = &t->segments[number];

	*row = (struct image_segment){.lane = rig->segment_lane[number],
	    .host = rig->segment_host[number],
	    .n_events = 250,
	    .stride = 1};
	if (row->host >= t->head.n_hosts)
		t->head.n_hosts = row->host + 1;
	t->head.hosts.count = t->head.n_hosts;
	t->lanes[row->lane].node = t->hosts[row->host].node = rig->segment_node[number];
	if (rig->segment_node[number] >= t->head.nodes.count)
		t->head.nodes.count = rig->segment_node[number] + 1;
	row->order = (uint32_t)t->head.order.count;
	row->gates = (uint32_t)t->head.gates.count;
	for (uint32_t n = 0; n < rig->n_nodes; n++) {
		if (rig->nodes[n].segment != number)
			continue;
		t->order[t->head.order.count++] = n;
		row->n_instances++;
		row->lag_max = rig->nodes[n].lag > row->lag_max ? rig->nodes[n].lag : row->lag_max;
		row->end = rig->nodes[n].lag + rig->nodes[n].run_on > row->end
		    ? rig->nodes[n].lag + rig->nodes[n].run_on
		    : row->end;
	}
	for (uint32_t g = 0; g < rig->n_gates; g++)
		if (rig->gates[g].segment == number) {
			t->gates[t->head.gates.count++] = rig->gates[g].gate;
			row->n_gates++;
		}
}

static void *assemble(struct tables *t, size_t *ret_len)
{
	const struct {
		struct image_table *table;
		const void *rows;
		size_t size;
	} all[] = {
	    {&t->head.nodes, t->nodes, sizeof(t->nodes[0])},
	    {&t->head.lanes, t->lanes, sizeof(t->lanes[0])},
	    {&t->head.hosts, t->hosts, sizeof(t->hosts[0])},
	    {&t->head.segments, t->segments, sizeof(t->segments[0])},
	    {&t->head.order, t->order, sizeof(t->order[0])},
	    {&t->head.gates, t->gates, sizeof(t->gates[0])},
	    {&t->head.instances, t->instances, sizeof(t->instances[0])},
	    {&t->head.inputs, t->inputs, sizeof(t->inputs[0])},
	    {&t->head.outputs, t->outputs, sizeof(t->outputs[0])},
	    {&t->head.buffers, t->buffers, sizeof(t->buffers[0])},
	    {&t->head.params, t->params, sizeof(t->params[0])},
	    {&t->head.vars, t->vars, sizeof(t->vars[0])},
	    {&t->head.reals, t->reals, sizeof(t->reals[0])},
	    {&t->head.text, t->text, 1},
	};
	uint64_t top = sizeof(t->head);
	uint8_t *bytes;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		all[i].table->offset = top;
		top = (top + all[i].table->count * all[i].size + 7) & ~7ull;
	}
	for (uint64_t i = 0; i < t->head.params.count; i++)
		t->params[i].reals = t->head.reals.offset + 4 * t->params[i].reals;
	t->head.static_bytes = (top + 63) & ~63ull;
	bytes = calloc(1, t->head.static_bytes);
	insist(bytes != NULL, "no memory");
	memcpy(bytes, &t->head, sizeof(t->head));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		memcpy(
		    bytes + all[i].table->offset, all[i].rows, all[i].table->count * all[i].size);
	image_layout(bytes);
	*ret_len = t->head.static_bytes;
	return bytes;
}

void *rig_program(const struct rig *rig, size_t *ret_len)
{
	struct tables *t = calloc(1, sizeof(*t));
	void *program;

	insist(t != NULL, "no memory");
	t->head = (struct image_head){
	    .magic = IMAGE_MAGIC,
	    .version = IMAGE_VERSION,
	    .late = rig->late,
	    .clock = rig->clock,
	    .n_hosts = 1,
	    .hosts.count = 1,
	    .copies = rig->copies > 1 ? rig->copies : 1,
	    .latency_slots = 1,
	    .slot_ns = rig->slot_ns,
	    .slots = rig->slots,
	    .nodes.count = 1,
	    .lanes.count = RIG_SEGMENTS_MAX,
	    .segments.count = rig->n_segments,
	    .instances.count = rig->n_nodes,
	};
	t->head.name = text_add(t, "rig");
	t->head.isolation = t->head.overrun = text_add(t, "");
	for (uint32_t s = 0; s < rig->n_segments; s++)
		add_segment(rig, t, s);
	for (uint32_t n = 0; n < rig->n_nodes; n++) {
		add_instance(rig, t, n);
		add_outputs(rig, t, n);
	}
	for (uint32_t n = 0; n < rig->n_nodes; n++)
		add_inputs(rig, t, n);
	program = assemble(t, ret_len);
	free(t);
	return program;
}

/* ---- opening ------------------------------------------------------------------------ */

void rig_image(struct rig *rig)
{
	const char *why = NULL;
	size_t len;
	void *program = rig_program(rig, &len);

	if (image_check(program, len, &why) != 0)
		insist(false, why);
	insist(image_create(program, len, &rig->files) == 0, "image_create");
	free(program);
	insist(image_open(&rig->files, true, &rig->view) == 0, "image_open");
	atomic_store(&rig->control.limit, IMAGE_FOREVER);
	atomic_store(&rig->control.last, IMAGE_FOREVER);
}

void rig_open(struct rig *rig)
{
	if (rig->n_gates == 0)
		rig_gates(rig);
	rig_image(rig);
	for (uint32_t n = 0; n < rig->n_nodes; n++) {
		const struct aloe_entry entry = {ALOE_ABI, "c", rig->nodes[n].component};

		if (instance_open(&rig->instances[n], &rig->view, n, &entry, NULL, &rig->arena) !=
		    0)
			insist(false, rig->instances[n].setup.error);
	}
	for (uint32_t s = 0; s < rig->n_segments; s++)
		insist(segment_init(
		           &rig->segments[s], &rig->view, s, rig->instances, &rig->control) == 0,
		    "segment_init");
}

void rig_close(struct rig *rig)
{
	for (uint32_t s = 0; s < rig->n_segments; s++)
		segment_fini(&rig->segments[s]);
	for (uint32_t n = 0; n < rig->n_nodes; n++)
		if (rig->instances[n].component != NULL)
			instance_close(&rig->instances[n], 0);
	arena_free(&rig->arena);
	image_close(&rig->view);
	image_files_close(&rig->files);
	free(rig);
}

/* ---- looking ------------------------------------------------------------------------ */

enum segment_status rig_slot(struct rig *rig, uint32_t segment, uint64_t slot)
{
	uint64_t now = clock_ns();

	return segment_slot(&rig->segments[segment], slot, now, &now);
}

struct image_segment_state *rig_state(const struct rig *rig, uint32_t segment)
{
	return image_segment_state(&rig->view, segment);
}

const struct image_message *rig_message(
    const struct rig *rig, int node, int port, uint64_t k, const void **ret_data)
{
	const uint32_t b =
	    rig->view.outputs[rig->view.instances[node].outputs + (uint32_t)port].buffer;
	const struct image_buffer *buffer = &rig->view.buffers[b];
	const struct image_message *message = &image_messages(&rig->view, b)[k % buffer->depth];

	*ret_data = image_data(&rig->view, b) + k % buffer->depth * buffer->stride;
	return atomic_load(&message->stamp) == k + 1 ? message : NULL;
}
