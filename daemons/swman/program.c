/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/swman/program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/image/image.h"
#include "daemons/common/hostlink.h"
#include "daemons/swman/tables.h"

enum { EVENTS_MIN = 1024, EVENTS_USUAL_MAX = 1 << 17, AHEAD = 16, AHEAD_BYTES = 256 * 1024 };

/* ---- gates ------------------------------------------------------------------------ */

/* The buffers of an instance lie together in the plan. All places of an instance write those of
 * the first. */
static uint32_t buffer_of(const struct build *b, int row, int port)
{
	const int instance = waveform_named(b->wf, row);

	for (uint32_t i = b->index.buffer[instance];
	     i < b->plan->n_buffers && (int)b->plan->buffers[i].instance == instance; i++)
		if ((int)b->plan->buffers[i].port == port)
			return i;
	return IMAGE_NONE;
}

/* Without a clock a segment may go ahead of its neighbours, so that what holds up one does not hold
 * up the other at once: as many messages as lie in a core's cache beside others. */
static uint32_t depth_of(const struct build *b, uint32_t i)
{
	const struct plan_buffer *buffer = &b->plan->buffers[i];
	const uint64_t bytes = (uint64_t)buffer->max * aloe_item_bytes(buffer->type);
	uint32_t depth = buffer->depth;

	while (
	    b->wf->clock == WF_CLOCK_VIRTUAL && depth < AHEAD && 2 * depth * bytes <= AHEAD_BYTES)
		depth *= 2;
	return depth;
}

static bool is_source(const struct build *b, uint32_t i)
{
	return b->index.first[i] == b->index.first[i + 1];
}

static bool has_source(const struct build *b, const struct plan_segment *segment)
{
	for (size_t i = 0; i < segment->n_instances; i++)
		if (is_source(b, segment->instances[i]))
			return true;
	return false;
}

static uint32_t node_of(const struct build *b, uint32_t segment)
{
	const struct image_lane *lanes = (const void *)b->lanes.bytes;

	return lanes[b->plan->segments[segment].lane].node;
}

static bool has_nodes(const struct build *b)
{
	for (uint32_t s = 1; s < b->plan->n_segments; s++)
		if (node_of(b, s) != node_of(b, 0))
			return true;
	return false;
}

/* The least lag of an instance that waits for sources; IMAGE_NONE: none does. */
static uint32_t waits_from(const struct build *b, const struct plan_segment *segment)
{
	uint32_t least = IMAGE_NONE;

	for (size_t i = 0; i < segment->n_instances; i++) {
		const struct plan_instance *place = &b->plan->instances[segment->instances[i]];

		if (place->waits && place->lag < least)
			least = place->lag;
	}
	return least;
}

/* The strictest gate of `segment` towards `other`; several links need only one. */
static void gate_note(int64_t *strictest, int64_t offset)
{
	if (offset > *strictest)
		*strictest = offset;
}

/* Sources of a node stay within one step of each other, so that the first to end is seen in time by
 * all. Where there are several nodes, whoever must know of an end waits at index k for index k - 1
 * of all sources (core/map/tails.h), whose lag is 0. */
static void sources_gate(
    const struct build *b, uint32_t segment, uint32_t other, int64_t *strictest)
{
	uint32_t lag;

	if (!has_source(b, &b->plan->segments[other]))
		return;
	if (node_of(b, segment) == node_of(b, other) && has_source(b, &b->plan->segments[segment]))
		gate_note(strictest, 0);
	lag = b->nodes_differ ? waits_from(b, &b->plan->segments[segment]) : IMAGE_NONE;
	if (lag != IMAGE_NONE)
		gate_note(strictest, -(int64_t)lag);
}

/* The strictest gate of `segment` towards each other one; INT32_MIN: none. Each link is looked at
 * once. */
static void gates_find(const struct build *b, uint32_t segment, int64_t *strictest)
{
	for (uint32_t other = 0; other < b->plan->n_segments; other++)
		strictest[other] = INT32_MIN;
	for (size_t l = 0; l < b->wf->n_links; l++) {
		const struct wf_link *link = &b->wf->links[l];
		const uint32_t from = b->plan->instances[link->from].segment,
		               to = b->plan->instances[link->to].segment;
		const int64_t d = b->plan->links[l].distance;

		if (to == segment)
			gate_note(&strictest[from], 1 - d);
		if (from == segment)
			gate_note(&strictest[to],
			    1 + d -
			        (int64_t)depth_of(b, buffer_of(b, link->from, link->from_port)));
	}
	for (uint32_t other = 0; other < b->plan->n_segments; other++)
		sources_gate(b, segment, other, &strictest[other]);
}

/* strictest: scratch of a number for each segment */
static void gates_add(
    struct build *b, uint32_t segment, int64_t *strictest, struct image_segment *row)
{
	row->gates = (uint32_t)b->gates.count;
	gates_find(b, segment, strictest);
	for (uint32_t other = 0; other < b->plan->n_segments; other++)
		if (other != segment && strictest[other] != INT32_MIN)
			rows_add(b, &b->gates,
			    &(struct image_gate){other, (int32_t)strictest[other]}, 1);
	row->n_gates = (uint32_t)b->gates.count - row->gates;
}

/* The last 96 steps, more of a very small segment, fewer of a very large one, never less than 16:
 * 2.3 kB for an instance. */
static uint32_t events_of(size_t n_instances)
{
	size_t n = 96 * n_instances;

	n = n > EVENTS_MIN ? n : EVENTS_MIN;
	n = n < EVENTS_USUAL_MAX ? n : EVENTS_USUAL_MAX;
	n = n > 16 * n_instances ? n : 16 * n_instances;
	return (uint32_t)(n < IMAGE_EVENTS_MAX ? n : IMAGE_EVENTS_MAX);
}

static void turn_set(
    const struct build *b, const struct plan_segment *segment, struct image_segment *row)
{
	const struct wf_instance *first = &b->wf->instances[segment->instances[0]];

	row->stride = waveform_places(first);
	row->turn = (b->plan->instances[segment->instances[0]].lag + first->place) % row->stride;
}

static void segments_add(struct build *b)
{
	static_assert((int)PLAN_HOST_SEGMENTS_MAX <= (int)HOSTLINK_SEGMENTS_MAX,
	    "a host is told of all its segments");
	int64_t *strictest = calloc(b->plan->n_segments + 1, sizeof(*strictest));

	b->failed |= strictest == NULL;
	for (uint32_t s = 0; strictest != NULL && s < b->plan->n_segments; s++) {
		const struct plan_segment *segment = &b->plan->segments[s];
		struct image_segment row = {
		    .lane = segment->lane,
		    .host = segment->host,
		    .order = (uint32_t)b->order.count,
		    .n_instances = (uint32_t)segment->n_instances,
		    .n_events = events_of(segment->n_instances),
		};

		for (size_t i = 0; i < segment->n_instances; i++) {
			const struct plan_instance *place =
			    &b->plan->instances[segment->instances[i]];

			row.lag_max = place->lag > row.lag_max ? place->lag : row.lag_max;
			row.end = place->lag + place->run_on > row.end ? place->lag + place->run_on
			                                               : row.end;
		}
		turn_set(b, segment, &row);
		rows_add(b, &b->order, segment->instances, segment->n_instances);
		gates_add(b, s, strictest, &row);
		rows_add(b, &b->segments, &row, 1);
	}
	free(strictest);
}

/* ---- instances ------------------------------------------------------------------------ */

static void inputs_add(
    struct build *b, int number, const struct wf_instance *instance, struct image_instance *row)
{
	const struct plan_instance *me = &b->plan->instances[number];
	uint32_t p = 0;

	row->inputs = (uint32_t)b->inputs.count;
	for (size_t i = 0; i < instance->type->n_ports; i++) {
		const struct wf_port *port;
		struct image_input in = {.buffer = IMAGE_NONE};

		if (instance->type->ports[i].output)
			continue;
		port = &instance->in[p++];
		in.name = text_add(b, instance->type->ports[i].name);
		if (port->link >= 0) {
			const struct wf_link *link = &b->wf->links[port->link];

			in.buffer = buffer_of(b, link->from, link->from_port);
			in.type = port->type;
			in.max = port->max;
			in.delay = link->delay;
			in.crosses = b->plan->instances[link->from].segment != me->segment;
		}
		rows_add(b, &b->inputs, &in, 1);
	}
	row->n_inputs = p;
}

static void outputs_add(
    struct build *b, int number, const struct wf_instance *instance, struct image_instance *row)
{
	uint32_t p = 0;

	row->outputs = (uint32_t)b->outputs.count;
	for (size_t i = 0; i < instance->type->n_ports; i++) {
		struct image_output out;

		if (!instance->type->ports[i].output)
			continue;
		out.name = text_add(b, instance->type->ports[i].name);
		out.buffer = buffer_of(b, number, (int)p);
		out.type = instance->out[p].type;
		out.max = out.buffer == IMAGE_NONE ? 0 : b->plan->buffers[out.buffer].max;
		rows_add(b, &b->outputs, &out, 1);
		p++;
	}
	row->n_outputs = p;
}

/* One behind the other; those of the types added last are there already. */
static uint32_t names_add(struct build *b, const struct wf_instance *instance, size_t i)
{
	const char *const *names = instance->type->params[i].names;
	struct names *known =
	    &b->names[(uintptr_t)instance->type->params[i].names / 16 % NAMES_KNOWN];

	if (names == NULL)
		return 0;
	if (known->names != names) {
		known->names = names;
		known->at = (uint32_t)b->text.count;
		for (; *names != NULL; names++)
			text_append(b, *names);
	}
	return known->at;
}

/* The copies of an array are one. */
static uint64_t reals_add(struct build *b, const struct wf_instance *instance, size_t i)
{
	const struct wf_value *value = &instance->values[i];
	const size_t originals = waveform_originals(b->wf);
	const size_t number = (size_t)(instance - b->wf->instances);

	if (originals > 0 && number >= originals && value->n_reals > 0 &&
	    b->instances.bytes != NULL && b->params.bytes != NULL) {
		const struct wf_instance *original = &b->wf->instances[number % originals];
		const struct image_instance *rows = (const void *)b->instances.bytes;
		const struct image_param *params = (const void *)b->params.bytes;

		if (original->values[i].n_reals == value->n_reals &&
		    memcmp(original->values[i].reals, value->reals,
		        value->n_reals * sizeof(float)) == 0)
			return params[rows[number % originals].params + i].reals;
	}
	rows_add(b, &b->reals, value->reals, value->n_reals);
	return b->reals.count - value->n_reals; /* position, an offset once the tables are placed */
}

static void params_add(
    struct build *b, const struct wf_instance *instance, struct image_instance *row)
{
	row->params = (uint32_t)b->params.count;
	row->n_params = (uint32_t)instance->type->n_params;
	for (size_t i = 0; i < instance->type->n_params; i++) {
		const struct aloe_param *param = &instance->type->params[i];
		const struct wf_value *value = &instance->values[i];
		struct image_param out = {.name = text_add(b, param->name),
		    .kind = param->kind,
		    .flags = param->flags,
		    .number = value->number,
		    .mode = value->has_mode ? value->mode : NAN,
		    .min = param->min,
		    .max = param->max,
		    .unit = text_add(b, param->unit),
		    .names = names_add(b, instance, i)};

		while (param->names != NULL && param->names[out.n_names] != NULL)
			out.n_names++;
		if (param->kind == ALOE_KIND_TEXT || param->kind == ALOE_KIND_PATH)
			out.text = text_add(b, value->text);
		if (param->kind == ALOE_KIND_REALS) {
			out.n_reals = value->n_reals;
			out.items_max = param->items_max;
			out.reals = reals_add(b, instance, i);
		}
		rows_add(b, &b->params, &out, 1);
	}
}

static void vars_add(
    struct build *b, const struct wf_instance *instance, struct image_instance *row)
{
	row->vars = (uint32_t)b->vars.count;
	row->n_vars = (uint32_t)(instance->type->n_vars < IMAGE_VARS_MAX ? instance->type->n_vars
	                                                                 : IMAGE_VARS_MAX);
	for (uint32_t i = 0; i < row->n_vars; i++) {
		const struct aloe_var *var = &instance->type->vars[i];
		const struct image_var out = {text_add(b, var->name), var->real, var->offset, 0};

		rows_add(b, &b->vars, &out, 1);
	}
}

/* The source instance upstream of `i` whose index it ends: the first found going back along first
 * inputs. */
static uint32_t source_of(const struct build *b, uint32_t i)
{
	for (size_t hops = 0; hops <= b->wf->n_instances && !is_source(b, i); hops++)
		i = (uint32_t)b->wf->links[b->index.links[b->index.first[i]]].from;
	return i;
}

static bool is_sink(const struct build *b, uint32_t i)
{
	return !b->index.has_reader[i] && !is_source(b, i);
}

/* The nodes that have lanes of the plan, each once, as their lanes come. */
static uint32_t node_add(struct build *b, const char *name)
{
	const struct image_node row = {.name = text_add(b, name)};
	const struct image_node *nodes = (const void *)b->nodes.bytes;

	for (uint32_t n = 0; n < b->nodes.count; n++)
		if (nodes[n].name == row.name)
			return n;
	rows_add(b, &b->nodes, &row, 1);
	return (uint32_t)b->nodes.count - 1;
}

static void lanes_add(struct build *b)
{
	for (size_t i = 0; i < b->plan->n_lanes; i++) {
		const struct plan_lane *lane = &b->plan->lanes[i];
		const struct image_lane row = {.cpu = b->plan->cpus[i],
		    .typical_ns = lane->n_guessed > 0 ? 0 : (uint64_t)lane->typical_ns,
		    .node = node_add(b, lane->node)};

		rows_add(b, &b->lanes, &row, 1);
	}
}

/* What is whose in the image is image_layout's to say. */
static void hosts_add(struct build *b)
{
	const struct image_lane *lanes = (const void *)b->lanes.bytes;
	struct image_host *hosts;

	for (uint32_t h = 0; h < b->plan->n_hosts; h++)
		rows_add(b, &b->hosts, &(struct image_host){.shared = h < b->plan->n_shared}, 1);
	hosts = (void *)b->hosts.bytes;
	for (size_t s = 0; s < b->plan->n_segments && !b->failed; s++)
		hosts[b->plan->segments[s].host].node = lanes[b->plan->segments[s].lane].node;
}

/* The sources whose messages hold the run, those alike once. */
static void hold_add(struct build *b, uint32_t i)
{
	const struct wf_instance *instance = &b->wf->instances[i];
	const struct image_hold row = {
	    instance->period, instance->phase, b->plan->instances[i].holds, 0};

	if (row.holds <= 1)
		return;
	for (size_t h = 0; h < b->holds.count; h++)
		if (memcmp((const struct image_hold *)(const void *)b->holds.bytes + h, &row,
		        sizeof(row)) == 0)
			return;
	rows_add(b, &b->holds, &row, 1);
}

static const char *arch_of(const struct build *b, uint32_t i)
{
	return b->plan->lanes[b->plan->segments[b->plan->instances[i].segment].lane].arch;
}

/* For the node that runs the instance. Instances of one type on machines of one kind have one
 * build, which is read once. */
static uint32_t build_of(struct build *b, uint32_t i)
{
	const struct image_instance *rows = (const void *)b->instances.bytes;
	char sha256[SHA256_TEXT];

	for (uint32_t k = 0; k < i; k++)
		if (b->wf->instances[k].type == b->wf->instances[i].type &&
		    strcmp(arch_of(b, k), arch_of(b, i)) == 0)
			return rows[k].build;
	component_build_for(b->wf->instances[i].type, arch_of(b, i), sha256);
	return text_add(b, sha256);
}

static void instances_add(struct build *b)
{
	for (uint32_t i = 0; i < b->wf->n_instances; i++) {
		const struct wf_instance *instance = &b->wf->instances[i];
		const struct plan_instance *place = &b->plan->instances[i];
		struct image_instance row = {
		    .name = text_add(b, instance->name),
		    .original = text_add(
		        b, instance->original != NULL ? instance->original : instance->name),
		    .component = text_add(b, instance->type->name),
		    .path = text_add(b, instance->type->path),
		    .file_line = (uint32_t)instance->line,
		    .digest = instance->type->digest,
		    .segment = place->segment,
		    .lag = place->lag,
		    .period = instance->period > 0 ? instance->period : 1,
		    .phase = instance->phase,
		    .budget_ns = place->budget_ns,
		    .admitted_ns = (uint32_t)(place->admitted_ns < UINT32_MAX ? place->admitted_ns
		                                                              : UINT32_MAX),
		    .kmac = (uint32_t)(place->kmac + 0.5),
		    .run_on = place->run_on,
		    .io = (instance->type->fills ? 1u : 0) | (instance->type->drains ? 2u : 0) |
		        (instance->budget_us > 0 ? 4u : 0),
		    .build = build_of(b, i),
		    .source = is_source(b, i),
		    .sink = is_sink(b, i) ? source_of(b, i) + 1 : 0,
		    .upgrade = instance->upgrade,
		    .given = instance->given,
		    .places = waveform_places(instance),
		    .place = instance->place,
		    .named = (uint32_t)waveform_named(b->wf, (int)i),
		    .rest = (uint32_t)instance->rest,
		    .side = place->side,
		};

		inputs_add(b, (int)i, instance, &row);
		outputs_add(b, (int)i, instance, &row);
		params_add(b, instance, &row);
		vars_add(b, instance, &row);
		rows_add(b, &b->instances, &row, 1);
		hold_add(b, i);
	}
}

/* ---- buffers ------------------------------------------------------------------------
 * A message that is written and read in one step of one segment needs its place no longer than from
 * its writer to its last reader, and one place is enough. The next writer with a buffer alike takes
 * the place over, which thus stays in the core's cache: a chain of any length works in two places,
 * and so do copies that run one after another. */

/* How many messages the ring of a buffer keeps for taps; 0: no tap. */
static uint32_t tap_of(const struct build *b, uint32_t i)
{
	const struct plan_buffer *buffer = &b->plan->buffers[i];
	const uint32_t tap = b->wf->instances[buffer->instance].out[buffer->port].tap;

	return tap == WF_TAP_USUAL ? image_tap_keep(b->wf->slot_ns) : tap;
}

/* All readers run behind the writer in the same step, in its segment, and no tap reads later. */
static bool *used_at_once(const struct build *b)
{
	bool *at_once = calloc(b->plan->n_buffers + 1, sizeof(*at_once));

	for (uint32_t i = 0; at_once != NULL && i < b->plan->n_buffers; i++)
		at_once[i] = tap_of(b, i) == 0;
	for (size_t l = 0; at_once != NULL && l < b->wf->n_links; l++) {
		const struct wf_link *link = &b->wf->links[l];
		const struct plan_instance *places = b->plan->instances;

		if (link->delay > 0 || b->plan->links[l].distance > 0 ||
		    places[link->from].segment != places[link->to].segment)
			at_once[buffer_of(b, link->from, link->from_port)] = false;
	}
	return at_once;
}

struct places {
	uint32_t *last;    /* by buffer: where in its segment's order its last reader runs */
	uint32_t *of;      /* by buffer: its place */
	uint32_t *holder;  /* by place: the buffer that has it now */
	uint32_t *first;   /* by place: the buffer of the lowest number that has had it */
	uint32_t n, begin; /* begin: the first place of this segment */
};

/* Where in its segment's order the instance is called first, and last: those side by side are
 * called together, so that none may write where another one reads. */
static uint32_t called_from(const struct build *b, uint32_t i)
{
	const struct plan_instance *row = &b->plan->instances[i];

	return row->side > 0 ? row->order - (row->side - 1) : row->order;
}

static uint32_t called_to(const struct build *b, uint32_t i)
{
	const struct plan_segment *segment = &b->plan->segments[b->plan->instances[i].segment];
	uint32_t order = b->plan->instances[i].order;

	for (; b->plan->instances[i].side > 0 && order + 1 < segment->n_instances; order++)
		if (b->plan->instances[segment->instances[order + 1]].side <= 1)
			break;
	return order;
}

static bool places_init(struct places *places, const struct build *b)
{
	const size_t n = b->plan->n_buffers + 1;
	uint32_t *all = calloc(4 * n, sizeof(*all));

	if (all == NULL)
		return false;
	*places = (struct places){
	    .last = all, .of = all + n, .holder = all + 2 * n, .first = all + 3 * n};
	for (size_t l = 0; l < b->wf->n_links; l++) {
		const struct wf_link *link = &b->wf->links[l];
		uint32_t *last = &places->last[buffer_of(b, link->from, link->from_port)];
		const uint32_t order = called_to(b, (uint32_t)link->to);

		*last = order > *last ? order : *last;
	}
	return true;
}

/* A place whose last reader runs before this writer, the same for all copies of an instance; a new
 * one where there is none. So what an instance reads and what it writes are never in one place. */
static uint32_t place_for(const struct build *b, struct places *places, uint32_t buffer)
{
	const struct plan_buffer *mine = &b->plan->buffers[buffer];
	uint32_t p;

	for (p = places->begin; p < places->n; p++) {
		const struct plan_buffer *theirs = &b->plan->buffers[places->holder[p]];

		if (places->last[places->holder[p]] < called_from(b, mine->instance) &&
		    theirs->type == mine->type && theirs->max == mine->max &&
		    theirs->depth == mine->depth)
			break;
	}
	if (p == places->n)
		places->first[places->n++] = buffer;
	else if (buffer < places->first[p])
		places->first[p] = buffer;
	places->holder[p] = buffer;
	return p;
}

static void buffers_share(struct build *b)
{
	struct image_buffer *rows = (void *)b->buffers.bytes;
	bool *at_once = used_at_once(b);
	struct places places = {0};

	b->failed |= at_once == NULL || !places_init(&places, b);
	for (size_t s = 0; !b->failed && s < b->plan->n_segments; s++) {
		const struct plan_segment *segment = &b->plan->segments[s];

		places.begin = places.n;
		for (size_t i = 0; i < segment->n_instances; i++)
			for (uint32_t k = b->index.buffer[segment->instances[i]];
			     k < b->plan->n_buffers &&
			     b->plan->buffers[k].instance == segment->instances[i];
			     k++)
				if (at_once[k])
					places.of[k] = place_for(b, &places, k);
	}
	for (uint32_t i = 0; !b->failed && i < b->plan->n_buffers; i++) {
		if (!at_once[i])
			continue;
		rows[i].depth = 1;
		if (places.first[places.of[i]] != i)
			rows[i].shares = places.first[places.of[i]] + 1;
	}
	free(at_once);
	free(places.last);
}

static void buffers_add(struct build *b)
{
	for (uint32_t i = 0; i < b->plan->n_buffers; i++) {
		const struct plan_buffer *buffer = &b->plan->buffers[i];
		struct image_buffer row = {.instance = buffer->instance,
		    .port = buffer->port,
		    .type = buffer->type,
		    .max = buffer->max,
		    .depth = depth_of(b, i),
		    .tap = tap_of(b, i)};

		if (row.tap > 0 && image_tap_depth(row.tap) > row.depth)
			row.depth = image_tap_depth(row.tap);
		rows_add(b, &b->buffers, &row, 1);
	}
	buffers_share(b);
}

/* ---- radios ------------------------------------------------------------------------ */

static void radios_add(struct build *b)
{
	const struct wf_radios *radios = b->wf->clock == WF_CLOCK_RADIO ? b->wf->radios : NULL;

	b->head.radio_file = text_add(b, radios != NULL ? radios->file : NULL);
	b->head.radio_text = text_add(b, radios != NULL ? radios->text : NULL);
	b->head.radio_cwd = text_add(b, radios != NULL ? radios->cwd : NULL);
	for (uint32_t i = 0; radios != NULL && i < radios->n; i++) {
		const struct radio_driver *driver = radios->driver[i];
		struct image_radio row = {.n_channels = driver->channels(radios->settings[i])};
		char claim[RADIO_NOTE] = "";

		driver->claim(radios->settings[i], claim, sizeof(claim));
		row.claim = text_add(b, claim);
		rows_add(b, &b->radios, &row, 1);
	}
}

/* ---- putting it together ---- */

static void table_place(struct image_table *table, const struct rows *rows, uint64_t *top)
{
	table->offset = (*top + 7) & ~7ull;
	table->count = rows->count;
	*top = table->offset + rows->count * rows->size;
}

static void head_fill(struct build *b)
{
	static const char *const isolation[] = {"waveform", "component", "none"};
	static const char *const overrun[] = {"count", "flag", "conceal", "mode", "stop"};
	static const enum image_clock clocks[] = {[WF_CLOCK_TIMER] = IMAGE_TIMER,
	    [WF_CLOCK_VIRTUAL] = IMAGE_VIRTUAL,
	    [WF_CLOCK_STEP] = IMAGE_STEP,
	    [WF_CLOCK_RADIO] = IMAGE_RADIO};
	static const enum image_node_loss losses[] = {[WF_NODE_LOSS_HOLD] = IMAGE_LOSS_HOLD,
	    [WF_NODE_LOSS_STOP] = IMAGE_LOSS_STOP,
	    [WF_NODE_LOSS_RESTART] = IMAGE_LOSS_RESTART};
	struct image_head *h = &b->head;

	h->magic = IMAGE_MAGIC;
	h->version = IMAGE_VERSION;
	h->late = b->wf->late == WF_LATE_SKIP ? IMAGE_SKIP : IMAGE_SLIP;
	h->clock = clocks[b->wf->clock];
	h->n_hosts = b->plan->n_hosts;
	h->latency_slots = b->plan->latency_slots;
	h->copies = b->wf->copies > 1 ? b->wf->copies : 1;
	h->slot_ns = b->wf->slot_ns;
	h->slot_samples = b->wf->clock == WF_CLOCK_RADIO ? b->wf->slot_samples : 0;
	h->rate_hz = b->wf->clock == WF_CLOCK_RADIO ? b->wf->rate_hz : 0;
	h->radio_fast = b->wf->radio_fast;
	h->name = text_add(b, b->wf->name);
	h->isolation = text_add(b, isolation[b->wf->isolation]);
	h->overrun = text_add(b, overrun[b->wf->overrun]);
	h->round_robin = b->wf->scheduler == WF_SCHEDULER_RR;
	h->on_node_loss = losses[b->wf->on_node_loss];
	h->lease_ms = b->wf->lease_ms;
	h->record = text_add(b, waveform_lapses(b->wf) ? b->wf->record : NULL);
	h->replay = text_add(b, b->wf->replay);
}

static int program_assemble(struct build *b, void **ret_bytes, size_t *ret_len)
{
	const struct {
		struct image_table *table;
		const struct rows *rows;
	} all[] = {
	    {&b->head.nodes, &b->nodes},
	    {&b->head.hosts, &b->hosts},
	    {&b->head.lanes, &b->lanes},
	    {&b->head.segments, &b->segments},
	    {&b->head.order, &b->order},
	    {&b->head.gates, &b->gates},
	    {&b->head.instances, &b->instances},
	    {&b->head.inputs, &b->inputs},
	    {&b->head.outputs, &b->outputs},
	    {&b->head.buffers, &b->buffers},
	    {&b->head.params, &b->params},
	    {&b->head.vars, &b->vars},
	    {&b->head.reals, &b->reals},
	    {&b->head.radios, &b->radios},
	    {&b->head.holds, &b->holds},
	    {&b->head.text, &b->text},
	};
	uint64_t top = sizeof(b->head);
	uint8_t *bytes;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		table_place(all[i].table, all[i].rows, &top);
	b->head.static_bytes = (top + 63) & ~63ull;
	bytes = b->failed ? NULL : calloc(1, b->head.static_bytes);
	if (bytes == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < b->params.count; i++)
		((struct image_param *)b->params.bytes)[i].reals =
		    b->head.reals.offset + 4 * ((struct image_param *)b->params.bytes)[i].reals;
	memcpy(bytes, &b->head, sizeof(b->head));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].rows->count > 0)
			memcpy(bytes + all[i].table->offset, all[i].rows->bytes,
			    all[i].rows->count * all[i].rows->size);
	image_layout(bytes);
	*ret_bytes = bytes;
	*ret_len = b->head.static_bytes;
	return 0;
}

int program_build(const struct waveform *waveform, const struct plan *plan, uint64_t slots,
    uint64_t load_id, struct diag *diag, void **ret_bytes, size_t *ret_len)
{
	struct build b = {
	    .wf = waveform,
	    .plan = plan,
	    .head.slots = slots == 0 ? IMAGE_FOREVER : slots,
	    .head.load_id = load_id,
	    .nodes.size = sizeof(struct image_node),
	    .lanes.size = sizeof(struct image_lane),
	    .hosts.size = sizeof(struct image_host),
	    .segments.size = sizeof(struct image_segment),
	    .order.size = sizeof(uint32_t),
	    .gates.size = sizeof(struct image_gate),
	    .instances.size = sizeof(struct image_instance),
	    .inputs.size = sizeof(struct image_input),
	    .outputs.size = sizeof(struct image_output),
	    .buffers.size = sizeof(struct image_buffer),
	    .params.size = sizeof(struct image_param),
	    .vars.size = sizeof(struct image_var),
	    .reals.size = sizeof(float),
	    .radios.size = sizeof(struct image_radio),
	    .holds.size = sizeof(struct image_hold),
	    .text.size = 1,
	};
	struct rows *all[] = {&b.nodes, &b.lanes, &b.hosts, &b.segments, &b.order, &b.gates,
	    &b.instances, &b.inputs, &b.outputs, &b.buffers, &b.params, &b.vars, &b.reals,
	    &b.radios, &b.holds, &b.text};
	const char *why;
	void *bytes = NULL;
	size_t len = 0;
	int status;

	if (waveform->clock == WF_CLOCK_RADIO && waveform->radios == NULL)
		return diag_error(diag, waveform->file, 0,
		    "clock \"radio\" needs a radio; give --radio FILE with a group radio: { ... "
		    "};, or another clock (--clock virtual)");
	status = index_init(&b);
	if (status == 0) {
		head_fill(&b);
		lanes_add(&b);
		hosts_add(&b);
		b.nodes_differ = !b.failed && has_nodes(&b);
		segments_add(&b);
		instances_add(&b);
		buffers_add(&b);
		radios_add(&b);
		status = program_assemble(&b, &bytes, &len);
	}
	index_fini(&b.index);
	free(b.words);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]->bytes);
	if (status != 0)
		return diag_error(diag, waveform->file, 0, "no memory for the program");
	status = image_check(bytes, len, &why);
	if (status != 0) {
		free(bytes);
		return diag_error(diag, waveform->file, 0, "the program is not sound: %s", why);
	}
	*ret_bytes = bytes;
	*ret_len = len;
	return 0;
}
