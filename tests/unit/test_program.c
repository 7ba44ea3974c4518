/* SPDX-License-Identifier: BSD-3-Clause
 * daemons/swman/program: the tables of the image say what waveform and plan say, for 1000 random
 * graphs and one made by hand; the gates are derived again here, from what a message is and when it
 * is made, read and written over. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/image/image.h"
#include "daemons/swman/program.h"
#include "tests/common/graph.h"
#include "tests/common/starve.h"
#include "tests/common/types.h"

enum { GRAPHS = 1000 };

static const int cpus[] = {2, 3, 5, 7};

/* A program, with its tables as pointers. */
struct tables {
	const struct image_head *head;
	const struct image_node *nodes;
	const struct image_lane *lanes;
	const struct image_host *hosts;
	const struct image_segment *segments;
	const uint32_t *order;
	const struct image_gate *gates;
	const struct image_instance *instances;
	const struct image_input *inputs;
	const struct image_output *outputs;
	const struct image_buffer *buffers;
	const struct image_param *params;
	const struct image_var *vars;
	const char *text;
	void *program;
};

static const void *rows(const void *program, struct image_table table)
{
	return (const uint8_t *)program + table.offset;
}

static void tables_of(void *program, struct tables *t)
{
	t->program = program;
	t->head = program;
	t->nodes = rows(program, t->head->nodes);
	t->lanes = rows(program, t->head->lanes);
	t->hosts = rows(program, t->head->hosts);
	t->segments = rows(program, t->head->segments);
	t->order = rows(program, t->head->order);
	t->gates = rows(program, t->head->gates);
	t->instances = rows(program, t->head->instances);
	t->inputs = rows(program, t->head->inputs);
	t->outputs = rows(program, t->head->outputs);
	t->buffers = rows(program, t->head->buffers);
	t->params = rows(program, t->head->params);
	t->vars = rows(program, t->head->vars);
	t->text = rows(program, t->head->text);
}

static void built(
    const struct waveform *wf, const struct plan *plan, uint64_t slots, struct tables *t)
{
	struct diag diag;
	const char *why;
	void *program;
	size_t len;

	diag_init(&diag);
	if (program_build(wf, plan, slots, 0, &diag, &program, &len) != 0)
		fail_msg("%s", diag.len > 0 ? diag.lines[0] : "no reason");
	assert_int_equal(diag.len, 0);
	diag_fini(&diag);
	assert_int_equal(image_check(program, len, &why), 0);
	tables_of(program, t);
	assert_int_equal(t->head->static_bytes, len);
}

/* ---- random graphs ------------------------------------------------------------------------ */

static void hosts_check(const struct plan *plan, const struct tables *t)
{
	assert_int_equal(t->head->nodes.count, 1);
	assert_string_equal(t->text + t->nodes[0].name, "");
	assert_int_equal(t->head->hosts.count, plan->n_hosts);
	for (uint32_t h = 0; h < plan->n_hosts; h++) {
		assert_int_equal(t->hosts[h].node, 0);
		assert_int_equal(t->hosts[h].shared, h < plan->n_shared);
	}
}

static void segments_check(const struct plan *plan, const struct tables *t)
{
	uint32_t seen = 0;

	assert_int_equal(t->head->lanes.count, plan->n_lanes);
	for (size_t l = 0; l < plan->n_lanes; l++)
		assert_int_equal(t->lanes[l].cpu, plan->cpus[l]);
	assert_int_equal(t->head->segments.count, plan->n_segments);
	for (size_t s = 0; s < plan->n_segments; s++) {
		const struct plan_segment *segment = &plan->segments[s];
		const struct image_segment *row = &t->segments[s];
		uint32_t lag_max = 0, end = 0;

		assert_int_equal(row->lane, segment->lane);
		assert_int_equal(row->host, segment->host);
		assert_int_equal(row->n_instances, segment->n_instances);
		for (uint32_t i = 0; i < row->n_instances; i++, seen++) {
			const uint32_t instance = t->order[row->order + i];

			assert_int_equal(instance, segment->instances[i]);
			assert_int_equal(t->instances[instance].segment, s);
			lag_max = plan->instances[instance].lag > lag_max
			    ? plan->instances[instance].lag
			    : lag_max;
			assert_int_equal(
			    t->instances[instance].run_on, plan->instances[instance].run_on);
			if (plan->instances[instance].lag + plan->instances[instance].run_on > end)
				end = plan->instances[instance].lag +
				    plan->instances[instance].run_on;
		}
		assert_int_equal(row->lag_max, lag_max);
		assert_int_equal(row->end, end);
		assert_true(row->n_events >= 96 * row->n_instances || row->n_events >= 1 << 17);
		assert_true(row->n_events >= 1024 && row->n_events >= 16 * row->n_instances);
	}
	assert_int_equal(seen, plan->n_instances); /* each in exactly one place */
}

/* Gates by their meaning. In step t the writer u makes message t - lag(u), in place of message t -
 * lag(u) - depth; the reader v reads message t - lag(v) - w. Far from the start, so that nothing is
 * negative. */
static void gate_need(int64_t *need, int64_t steps)
{
	*need = steps > *need ? steps : *need;
}

static void gates_check(const struct waveform *wf, const struct tables *t)
{
	enum { T = 100000, NOTHING = 0 };
	const uint32_t n = (uint32_t)t->head->segments.count;
	int64_t *need = calloc((size_t)n * n, sizeof(*need));
	uint32_t wanted = 0, sources[64], n_sources = 0;

	assert_non_null(need);
	for (size_t l = 0; l < wf->n_links; l++) {
		const struct image_instance *u = &t->instances[wf->links[l].from],
		                            *v = &t->instances[wf->links[l].to];
		const struct image_buffer *ring =
		    &t->buffers[t->outputs[u->outputs + (uint32_t)wf->links[l].from_port].buffer];
		/* message that v reads in step T */
		const int64_t read = T - (int64_t)v->lag - wf->links[l].delay;
		/* message that u destroys in step T */
		const int64_t gone = T - (int64_t)u->lag - ring->depth;

		if (u->segment == v->segment)
			continue;
		gate_need(&need[v->segment * n + u->segment], read + u->lag + 1);
		gate_need(
		    &need[u->segment * n + v->segment], gone + wf->links[l].delay + v->lag + 1);
	}
	for (uint32_t i = 0; i < t->head->instances.count; i++)
		if (t->instances[i].source)
			sources[n_sources++] = t->instances[i].segment;
	for (uint32_t a = 0; a < n_sources; a++)
		for (uint32_t b = 0; b < n_sources; b++)
			if (sources[a] != sources[b])
				gate_need(&need[sources[a] * n + sources[b]], T);
	for (uint32_t s = 0; s < n; s++) {
		for (uint32_t g = 0; g < t->segments[s].n_gates; g++) {
			const struct image_gate *gate = &t->gates[t->segments[s].gates + g];

			assert_true(need[s * n + gate->segment] != NOTHING); /* and not twice */
			assert_int_equal(T + gate->offset, need[s * n + gate->segment]);
			need[s * n + gate->segment] = NOTHING;
			wanted++;
		}
		for (uint32_t o = 0; o < n; o++)
			if (need[s * n + o] != NOTHING)
				fail_msg("segment %u has no gate towards %u", s, o);
	}
	assert_int_equal(t->head->gates.count, wanted);
	free(need);
}

static bool leads_to(const struct waveform *wf, int from, int to, int hops)
{
	if (from == to)
		return true;
	for (size_t l = 0; l < wf->n_links && hops > 0; l++)
		if (wf->links[l].from == from && leads_to(wf, wf->links[l].to, to, hops - 1))
			return true;
	return false;
}

static void instance_check(
    const struct waveform *wf, const struct plan *plan, const struct tables *t, uint32_t i)
{
	const struct wf_instance *instance = &wf->instances[i];
	const struct image_instance *row = &t->instances[i];
	bool read = false, written = false;

	assert_string_equal(t->text + row->name, instance->name);
	assert_string_equal(t->text + row->component, instance->type->name);
	assert_int_equal(row->lag, plan->instances[i].lag);
	assert_int_equal(row->segment, plan->instances[i].segment);
	assert_int_equal(row->budget_ns, plan->instances[i].budget_ns);
	assert_int_equal(row->period, instance->period ? instance->period : 1);
	assert_int_equal(row->phase, instance->phase);
	assert_int_equal(row->n_inputs, instance->n_in);
	assert_int_equal(row->n_outputs, instance->n_out);
	for (size_t l = 0; l < wf->n_links; l++) {
		read |= wf->links[l].from == (int)i;
		written |= wf->links[l].to == (int)i;
	}
	assert_int_equal(row->source, !written);
	assert_int_equal(row->sink != 0, !read && written);
	if (row->sink != 0)
		assert_true(leads_to(wf, (int)row->sink - 1, (int)i, 8));
}

static void links_check(const struct waveform *wf, const struct plan *plan, const struct tables *t)
{
	uint32_t connected = 0;

	for (uint32_t i = 0; i < wf->n_instances; i++)
		for (uint32_t p = 0; p < t->instances[i].n_inputs; p++)
			connected += t->inputs[t->instances[i].inputs + p].buffer != IMAGE_NONE;
	assert_int_equal(connected, wf->n_links);
	for (size_t l = 0; l < wf->n_links; l++) {
		const struct wf_link *link = &wf->links[l];
		const struct image_instance *u = &t->instances[link->from],
		                            *v = &t->instances[link->to];
		const struct image_input *in = &t->inputs[v->inputs + (uint32_t)link->to_port];
		const struct image_output *out =
		    &t->outputs[u->outputs + (uint32_t)link->from_port];
		const struct image_buffer *ring = &t->buffers[in->buffer];

		assert_int_equal(in->buffer, out->buffer); /* all readers read the same ring */
		assert_int_equal(in->delay, link->delay);
		assert_int_equal(in->crosses, u->segment != v->segment);
		assert_int_equal(ring->instance, link->from);
		assert_int_equal(ring->port, link->from_port);
		assert_int_equal(ring->depth & (ring->depth - 1), 0);
		assert_true(ring->depth >= plan->links[l].distance + (ring->depth == 1 ? 1 : 2));
		assert_int_equal(ring->type, in->type);
		assert_int_equal(ring->max, in->max);
		assert_int_equal(out->max, ring->max);
	}
}

/* From which instance to which, in the order of execution, a message of buffer b is needed; false:
 * beyond its step, too. */
static bool needed(const struct waveform *wf, const struct plan *plan, const struct tables *t,
    uint32_t b, uint32_t *ret_from, uint32_t *ret_to)
{
	const struct image_buffer *row = &t->buffers[b];
	const struct image_instance *writer = &t->instances[row->instance];

	*ret_from = *ret_to = plan->instances[row->instance].order;
	for (size_t l = 0; l < wf->n_links; l++) {
		const struct wf_link *link = &wf->links[l];
		const struct image_instance *reader = &t->instances[link->to];

		if (link->from != (int)row->instance || link->from_port != (int)row->port)
			continue;
		if (reader->segment != writer->segment || reader->lag != writer->lag ||
		    link->delay > 0)
			return false;
		if (plan->instances[link->to].order > *ret_to)
			*ret_to = plan->instances[link->to].order;
	}
	return true;
}

/* Messages that lie at one place are of one segment and alike, and none is written before the last
 * reader of another that was there is through: how many places were saved. */
static uint32_t places_check(
    const struct waveform *wf, const struct plan *plan, const struct tables *t)
{
	uint32_t saved = 0, from[2], to[2];

	for (uint32_t a = 0; a < t->head->buffers.count; a++) {
		const struct image_buffer *x = &t->buffers[a];
		const bool at_once = needed(wf, plan, t, a, &from[0], &to[0]);

		assert_int_equal(x->depth == 1, at_once);
		assert_true(at_once || x->shares == 0);
		saved += x->shares != 0;
		for (uint32_t b = 0; b < a; b++) {
			const struct image_buffer *y = &t->buffers[b];

			assert_int_equal(x->data == y->data,
			    x->data < y->data + y->depth * y->stride &&
			        y->data < x->data + x->depth * x->stride);
			assert_true(x->messages != y->messages);
			if (x->data != y->data)
				continue;
			assert_true(at_once && needed(wf, plan, t, b, &from[1], &to[1]));
			assert_int_equal(
			    t->instances[x->instance].segment, t->instances[y->instance].segment);
			assert_true(x->type == y->type && x->max == y->max);
			assert_true(from[0] > to[1] || from[1] > to[0]);
		}
	}
	return saved;
}

static void test_graphs(void **state)
{
	uint32_t planned = 0, gates = 0, saved = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct test_graph graph;
		struct waveform *wf;
		struct plan *plan;
		struct tables t;
		struct diag diag;

		graph_random(seed, &graph);
		wf = graph_waveform(&graph);
		diag_init(&diag);
		if (plan_make(wf, &(struct platform_model){cpus, (size_t)graph.n_lanes, 60}, NULL,
		        &diag, &plan) == 0) {
			built(wf, plan, seed, &t);
			segments_check(plan, &t);
			gates_check(wf, &t);
			links_check(wf, plan, &t);
			saved += places_check(wf, plan, &t);
			for (uint32_t i = 0; i < wf->n_instances; i++)
				instance_check(wf, plan, &t, i);
			assert_int_equal(t.head->slots, seed);
			assert_int_equal(t.head->latency_slots, plan->latency_slots);
			assert_int_equal(t.head->n_hosts, plan->n_hosts);
			hosts_check(plan, &t);
			gates += (uint32_t)t.head->gates.count;
			planned++;
			free(t.program);
			plan_free(plan);
		}
		diag_fini(&diag);
		graph_waveform_free(wf);
	}
	assert_true(planned > GRAPHS / 2 && gates > GRAPHS && saved > GRAPHS / 10);
}

/* ---- by hand ------------------------------------------------------------------------ */

static const char hand[] =
    "name = \"hand\";\n"
    "slot_ns = 250000;\n"
    "late = \"skip\";\n"
    "overrun = \"flag\";\n"
    "instances: {\n"
    "	src: { component = \"source\"; length = 100; };\n"
    "	both: { component = \"mux\"; period = 4; phase = 1; budget_us = 12.5; };\n"
    "	map: { component = \"mod\"; output = \"ci16\"; };\n"
    "	end: { component = \"sink\"; path = \"o.bin\"; };\n"
    "	every: { component = \"all\"; taps = [0.5, -0.25]; mode = \"fast\"; text = \"abc\"; whole "
    "= 7; };\n"
    "	again: { component = \"all\"; taps = [1.0]; };\n"
    "};\n"
    "links = ( \"src -> both.in0\", \"both.out -> map -> end\" );\n";

struct hand {
	struct registry *registry;
	struct waveform *wf;
	struct plan *plan;
	struct tables t;
};

static void sizes_set(struct waveform *wf)
{
	for (size_t i = 0; i < wf->n_instances; i++)
		for (uint32_t p = 0; p < ALOE_PORTS_MAX; p++)
			wf->instances[i].in[p].max = wf->instances[i].out[p].max = 100;
}

static void hand_open_on(struct hand *h, const char *text, const struct platform_model *platform)
{
	struct wf_overrides overrides = {.cwd = "/here", .pipelined = -1};
	struct diag diag;

	diag_init(&diag);
	h->registry = test_registry_open();
	assert_non_null(h->registry);
	if (waveform_parse(
	        "hand.conf", text, strlen(text), h->registry, &overrides, &diag, &h->wf) != 0)
		fail_msg("%s", diag.lines[0]);
	sizes_set(h->wf);
	if (plan_make(h->wf, platform, NULL, &diag, &h->plan) != 0)
		fail_msg("%s", diag.lines[0]);
	diag_fini(&diag);
}

static void hand_open(struct hand *h, const char *text)
{
	hand_open_on(h, text, &(struct platform_model){cpus, 2, 0});
}

static void hand_close(struct hand *h)
{
	plan_free(h->plan);
	waveform_free(h->wf);
	registry_close(h->registry);
}

static void head_check(const struct tables *t)
{
	const struct image_head *head = t->head;

	assert_string_equal(t->text + head->name, "hand");
	assert_string_equal(t->text + head->isolation, "waveform");
	assert_string_equal(t->text + head->overrun, "flag");
	assert_int_equal(head->slot_ns, 250000);
	assert_int_equal(head->late, IMAGE_SKIP);
	assert_int_equal(head->clock, IMAGE_TIMER);
	assert_true(head->slots == IMAGE_FOREVER);
	assert_int_equal(head->instances.count, 6);
	assert_int_equal(head->buffers.count, 3);
}

static const struct image_param *param_of(
    const struct tables *t, uint32_t instance, const char *name)
{
	const struct image_instance *row = &t->instances[instance];

	for (uint32_t p = 0; p < row->n_params; p++)
		if (strcmp(t->text + t->params[row->params + p].name, name) == 0)
			return &t->params[row->params + p];
	fail_msg("no parameter %s", name);
	return NULL;
}

static void params_check(const struct tables *t)
{
	const struct image_param *p;
	const float *reals;

	assert_int_equal(t->instances[4].n_params, 8);
	assert_true(param_of(t, 0, "length")->number == 100);
	assert_true(param_of(t, 4, "narrow")->number == 0.5);
	assert_int_equal(param_of(t, 4, "narrow")->flags, ALOE_LIVE);
	assert_true(param_of(t, 4, "narrow")->min == -1 && param_of(t, 4, "narrow")->max == 1);
	assert_true(isnan(param_of(t, 4, "wide")->number));
	assert_true(param_of(t, 4, "whole")->number == 7);
	assert_true(param_of(t, 4, "truth")->number == 1);
	p = param_of(t, 4, "mode");
	assert_int_equal(p->kind, ALOE_KIND_ENUM);
	assert_true(p->number == 2);
	assert_int_equal(p->n_names, 3);
	assert_string_equal(t->text + p->names, "slow");
	assert_string_equal(t->text + p->names + 5, "medium");
	assert_string_equal(t->text + p->names + 12, "fast");
	assert_string_equal(t->text + param_of(t, 4, "text")->text, "abc");
	assert_string_equal(t->text + param_of(t, 3, "path")->text, "/here/o.bin");
	p = param_of(t, 4, "taps");
	reals = (const void *)((const uint8_t *)t->program + p->reals);
	assert_int_equal(p->n_reals, 2);
	assert_true(reals[0] == 0.5f && reals[1] == -0.25f);
	p = param_of(t, 5, "taps");
	reals = (const void *)((const uint8_t *)t->program + p->reals);
	assert_int_equal(p->n_reals, 1);
	assert_true(reals[0] == 1);
}

static void vars_check(const struct tables *t)
{
	const struct image_instance *row = &t->instances[4];

	assert_int_equal(row->n_vars, 2);
	assert_string_equal(t->text + t->vars[row->vars].name, "counted");
	assert_int_equal(t->vars[row->vars].real, 0);
	assert_string_equal(t->text + t->vars[row->vars + 1].name, "measured");
	assert_int_equal(t->vars[row->vars + 1].real, 1);
	assert_int_equal(t->vars[row->vars + 1].offset, t->vars[row->vars].offset + 8);
}

static void ports_check(const struct tables *t)
{
	const struct image_input *in = &t->inputs[t->instances[1].inputs];
	const struct image_output *out = &t->outputs[t->instances[1].outputs];

	assert_string_equal(t->text + in[0].name, "in0");
	assert_string_equal(t->text + in[1].name, "in1");
	assert_int_equal(in[0].type, ALOE_BIT);
	assert_int_equal(in[0].max, 100);
	assert_int_equal(in[1].buffer, IMAGE_NONE);
	assert_int_equal(in[1].max, 0);
	assert_string_equal(t->text + out[0].name, "out");
	assert_string_equal(t->text + out[1].name, "side");
	assert_int_equal(out[1].buffer, IMAGE_NONE);
	assert_int_equal(out[1].max, 0);
	assert_int_equal(t->buffers[out[0].buffer].type, ALOE_BIT);
	assert_int_equal(t->buffers[t->outputs[t->instances[2].outputs].buffer].type, ALOE_CI16);
	assert_int_equal(t->buffers[t->outputs[t->instances[2].outputs].buffer].canary, 400);
}

static void test_hand(void **state)
{
	struct hand h;

	(void)state;
	hand_open(&h, hand);
	built(h.wf, h.plan, 0, &h.t);
	head_check(&h.t);
	params_check(&h.t);
	vars_check(&h.t);
	ports_check(&h.t);
	assert_int_equal(h.t.instances[1].period, 4);
	assert_int_equal(h.t.instances[1].phase, 1);
	assert_int_equal(h.t.instances[1].budget_ns, 12500);
	assert_int_equal(h.t.instances[3].sink, 0 + 1);
	assert_int_equal(h.t.instances[4].sink, 0);
	assert_int_equal(h.t.instances[4].source, 1);
	assert_int_equal(h.t.instances[4].file_line, 10);
	assert_true(h.t.instances[4].digest == registry_find(h.registry, "all")->digest);
	assert_int_equal(h.t.instances[0].io, 0);
	free(h.t.program);
	hand_close(&h);
}

static void test_clocks(void **state)
{
	static const enum image_clock clocks[] = {IMAGE_TIMER, IMAGE_VIRTUAL, IMAGE_STEP};
	static const char *const isolations[] = {"waveform", "component", "none"};
	static const char *const overruns[] = {"count", "flag", "conceal", "mode", "stop"};
	struct hand h;

	(void)state;
	hand_open(&h, hand);
	for (int i = 0; i < 3; i++) {
		h.wf->clock = (enum wf_clock)i;
		h.wf->late = i % 2 ? WF_LATE_SKIP : WF_LATE_SLIP;
		h.wf->isolation = (enum wf_isolation)i;
		h.wf->overrun = (enum wf_overrun)i;
		built(h.wf, h.plan, 0, &h.t);
		assert_int_equal(h.t.head->clock, clocks[i]);
		assert_int_equal(h.t.head->late, i % 2 ? IMAGE_SKIP : IMAGE_SLIP);
		assert_string_equal(h.t.text + h.t.head->isolation, isolations[i]);
		assert_string_equal(h.t.text + h.t.head->overrun, overruns[i]);
		free(h.t.program);
	}
	hand_close(&h);
}

static void test_refused(void **state)
{
	struct hand h;
	struct diag diag;
	void *program = NULL;
	size_t len = 0;

	(void)state;
	hand_open(&h, hand);
	diag_init(&diag);
	starve_after(0);
	assert_true(program_build(h.wf, h.plan, 0, 0, &diag, &program, &len) < 0);
	starve_over();
	assert_string_equal(diag.lines[0], "hand.conf: no memory for the program");
	h.plan->buffers[0].type = 0; /* as no plan is */
	assert_true(program_build(h.wf, h.plan, 0, 0, &diag, &program, &len) < 0);
	assert_string_equal(diag.lines[1],
	    "hand.conf: the program is not sound: a table names something that is not there");
	assert_null(program);
	assert_int_equal(len, 0);
	diag_fini(&diag);
	hand_close(&h);
}

/* ---- several nodes ------------------------------------------------------------------------ */

static const char on_nodes[] =
    "name = \"nodes\";\n"
    "slot_ns = 1000000;\n"
    "instances: {\n"
    "	a: { component = \"source\"; length = 100; pin = 0; isolation = \"none\"; };\n"
    "	b: { component = \"source\"; length = 100; pin = 1; };\n"
    "	c: { component = \"mod\"; pin = 2; isolation = \"none\"; };\n"
    "	d: { component = \"sink\"; pin = 3; path = \"o.bin\"; };\n"
    "	e: { component = \"source\"; length = 100; pin = 2; isolation = \"component\"; };\n"
    "	f: { component = \"sink\"; pin = 1; path = \"f.bin\"; };\n"
    "	g: { component = \"sink\"; pin = 3; path = \"g.bin\"; };\n"
    "};\n"
    "links = ( \"b -> c\", \"c -> d\", \"a -> f\", \"e -> g\" );\n";

/* A host is of one node: what would be one host on one node is one on each here. */
static void test_nodes(void **state)
{
	static const struct platform_core cores[] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}};
	static const struct platform_node nodes[] = {{.name = "x"}, {.name = "y"}};
	static uint32_t both[] = {0, 1};
	static const struct platform_link links[] = {{PLATFORM_FULL, both, 2, 1000, 2}};
	static const struct platform_model platform = {.cpus = cpus,
	    .n_lanes = 4,
	    .cores = cores,
	    .name = "pair",
	    .nodes = nodes,
	    .n_nodes = 2,
	    .links = links,
	    .n_links = 1};
	static const uint32_t hosts[] = {0, 2, 1, 3, 4}, node_of[] = {0, 1, 0, 1, 1};
	struct image_view view;
	struct hand h;

	(void)state;
	hand_open_on(&h, on_nodes, &platform);
	built(h.wf, h.plan, 0, &h.t);
	image_bind(h.t.program, &view);
	assert_int_equal(h.t.head->nodes.count, 2);
	assert_int_equal(image_find_node(&view, "x"), 0);
	assert_int_equal(image_find_node(&view, "y"), 1);
	assert_int_equal(image_find_node(&view, "z"), IMAGE_NONE);
	assert_int_equal(h.t.head->hosts.count, 5);
	for (uint32_t i = 0; i < 5; i++) {
		const struct image_segment *row = &h.t.segments[h.t.instances[i].segment];

		assert_int_equal(row->host, hosts[i]);
		assert_int_equal(h.t.hosts[i].node, node_of[i]);
		assert_int_equal(h.t.hosts[i].shared, i < 2);
		assert_int_equal(
		    image_node_of(&view, h.t.instances[i].segment), i == 0 || i == 1 ? 0 : 1);
	}
	for (uint32_t l = 0; l < 4; l++)
		assert_int_equal(h.t.lanes[l].node, l / 2);
	free(h.t.program);
	hand_close(&h);
}

/* A tapped output has a ring of its own, of 100 ms or as long as was asked; the gates of others do
 * not see it. */
static void test_taps(void **state)
{
	static const char text[] =
	    "name = \"hand\"; slot_ns = 250000;\n"
	    "instances: {\n"
	    "	src: { component = \"source\"; length = 100; tap = true; };\n"
	    "	a: { component = \"mod\"; output = \"ci16\"; tap = 20; };\n"
	    "	b: { component = \"sink\"; path = \"o.bin\"; };\n"
	    "};\n"
	    "links = ( \"src -> a -> b\" );\n";
	struct hand h;

	(void)state;
	hand_open(&h, text);
	built(h.wf, h.plan, 0, &h.t);
	assert_int_equal(h.t.head->buffers.count, 2);
	assert_int_equal(h.t.buffers[0].tap, 400);
	assert_int_equal(h.t.buffers[0].depth, 512);
	assert_int_equal(h.t.buffers[1].tap, 20);
	assert_int_equal(h.t.buffers[1].depth, 32);
	assert_int_equal(h.t.buffers[0].shares + h.t.buffers[1].shares, 0);
	free(h.t.program);
	hand_close(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nodes),
	    cmocka_unit_test(test_graphs),
	    cmocka_unit_test(test_hand),
	    cmocka_unit_test(test_clocks),
	    cmocka_unit_test(test_taps),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
