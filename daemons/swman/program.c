/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/swman/program.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/image/image.h"
#include "daemons/common/hostlink.h"
#include "daemons/swman/rings.h"

enum { EVENTS_MIN = 1024, EVENTS_USUAL_MAX = 1 << 17 };
enum { SOURCES_APART = 128 }; /* steps between sources that never end: some ms */

/* ---- gates ------------------------------------------------------------------------ */

static bool is_source(const struct build *b, uint32_t i)
{
	return b->index.first[i] == b->index.first[i + 1];
}

static uint32_t stride_of(const struct build *b, const struct plan_segment *segment)
{
	return waveform_places(&b->wf->instances[segment->instances[0]]);
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

/* Whoever is in several places never calls aloe_end; a sink ends for itself. */
static bool has_ends(const struct waveform *wf)
{
	bool *reads = calloc(wf->n_instances + 1, sizeof(*reads)), found = reads == NULL;

	for (size_t l = 0; reads && l < wf->n_links; l++)
		reads[wf->links[l].to] = true;
	for (size_t l = 0; reads && l < wf->n_links; l++)
		found |= reads[wf->links[l].from] &&
		    waveform_places(&wf->instances[wf->links[l].from]) == 1;
	free(reads);
	return found;
}

/* Sources of a node stay within one step of each other, so that the first end is seen in time by
 * all; but nobody has to see an end of a source in several places, which has none, unless something
 * behind a source may end. Where there are several nodes, whoever must know of an end waits at
 * index k for index k - 1 of all sources (core/map/tails.h), whose lag is 0. */
static void sources_gate(
    const struct build *b, uint32_t segment, uint32_t other, int64_t *strictest)
{
	const uint32_t stride = stride_of(b, &b->plan->segments[other]);
	uint32_t lag;

	if (!has_source(b, &b->plan->segments[other]))
		return;
	if (node_of(b, segment) == node_of(b, other) && has_source(b, &b->plan->segments[segment]))
		gate_note(strictest,
		    stride == 1 ? 0 : -(int64_t)(stride + (b->can_end ? 0 : SOURCES_APART)));
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
			        (int64_t)rings_depth(
			            b, rings_buffer(b, link->from, link->from_port)));
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
	row->stride = stride_of(b, segment);
	row->turn = plan_turn(b->wf, b->plan, segment->instances[0]);
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

			in.buffer = rings_buffer(b, link->from, link->from_port);
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
		out.buffer = rings_buffer(b, number, (int)p);
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
		    .io = (instance->type->fills ? IMAGE_FILLS : 0) |
		        (instance->type->drains ? IMAGE_DRAINS : 0) |
		        (instance->budget_us > 0 ? IMAGE_BUDGET_GIVEN : 0),
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
		b.can_end = has_ends(waveform);
		segments_add(&b);
		instances_add(&b);
		rings_add(&b);
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
