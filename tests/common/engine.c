/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/engine.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/image/follow.h"
#include "core/map/plan.h"
#include "daemons/swman/program.h"

struct cell {
	struct graph_msg msg;
	uint64_t slot;
	bool called;
};

struct node_state { /* what the component of one node has as its state */
	struct engine *engine;
	int node;
};

enum { NODES = 2, DELAY_MAX = 8 };

/* What one node knows of the other: of its segments, and of the last index. */
struct word {
	uint64_t done[GRAPH_ROWS_MAX];
	uint32_t ended[GRAPH_ROWS_MAX];
	uint64_t last[NODES];
};

struct nodes {
	uint32_t delay;
	uint64_t slot;
	struct word sent[DELAY_MAX];                         /* by slot % delay */
	struct image_segment_state segments[GRAPH_ROWS_MAX]; /* as the other node sees them */
	struct image_run runs[NODES];
};

struct engine {
	const struct test_graph *graph;
	struct nodes *nodes; /* NULL: one node */
	int ender;           /* the source that ends the run; -1: it is known before */
	struct node_control control;
	struct image_view view;
	struct image_files files;
	/* longest: of all nodes, which run on beyond the sources' */
	uint64_t asked, length, longest, slot;
	struct aloe_component *components;
	struct arena arena;
	struct instance *instances;
	struct segment *segments;
	struct cell *cells; /* [node][port][index] */
	_Atomic uint32_t quit;
	_Atomic uint64_t twice;
	enum wf_clock clock;
	enum wf_late late;
};

static struct cell *cell_at(const struct engine *e, int node, int port, uint64_t index)
{
	return &e->cells[((uint64_t)(node * GRAPH_OUTPUTS_MAX + port)) * e->longest + index];
}

static void msg_read(const struct aloe_in *in, struct graph_msg *ret)
{
	*ret = (struct graph_msg){.state = in->state, .len = in->len};
	memcpy(&ret->value, in->data, in->len <= 8 ? in->len : 8);
}

/* The last index below `length` at which the source that ends the run is called. */
static uint64_t ender_index(const struct engine *e)
{
	uint64_t k = e->asked - 1;

	while (!graph_calls(e->graph, e->ender, k))
		k--;
	return k;
}

static int node_work(void *self, struct aloe_slot *slot)
{
	const struct node_state *state = self;
	struct engine *e = state->engine;
	const struct test_node *node = &e->graph->nodes[state->node];
	struct graph_msg in[GRAPH_INPUTS_MAX] = {0}, out[GRAPH_OUTPUTS_MAX] = {0};

	for (int p = 0; p < node->n_inputs; p++)
		if (node->in_link[p] >= 0)
			msg_read(&slot->in[p], &in[p]);
	graph_node(e->graph, state->node, slot->index, in, out);
	for (int p = 0; p < node->n_outputs; p++) {
		if (slot->out[p].max > 0) {
			memcpy(slot->out[p].data, &out[p].value, out[p].len);
			slot->out[p].len = out[p].len;
			slot->out[p].state = out[p].state;
		}
		if (slot->index >= e->longest) /* a source that nobody stops in time */
			continue;
		e->twice += cell_at(e, state->node, p, slot->index)->called;
		*cell_at(e, state->node, p, slot->index) = (struct cell){out[p], e->slot, true};
	}
	if (state->node == e->ender && slot->index == ender_index(e))
		aloe_end(slot);
	if (node->n_outputs == 0 && slot->index < e->longest) {
		e->twice += cell_at(e, state->node, 0, slot->index)->called;
		*cell_at(e, state->node, 0, slot->index) =
		    (struct cell){.slot = e->slot, .called = true};
	}
	return 0;
}

/* A row is a place of a node; the first places have the nodes' numbers. */
static int open_row(struct engine *e, const struct waveform *wf, int row)
{
	const struct aloe_entry entry = {ALOE_ABI, "node", &e->components[row]};
	const struct component_type *type = wf->instances[row].type;

	e->components[row] = (struct aloe_component){
	    .ports = {type->ports, (uint32_t)type->n_ports},
	    .state_size = sizeof(struct node_state),
	    .work = node_work,
	};
	if (instance_open(&e->instances[row], &e->view, (uint32_t)row, &entry, NULL, &e->arena) !=
	    0)
		return -1;
	*(struct node_state *)e->instances[row].state =
	    (struct node_state){e, waveform_named(wf, row)};
	return 0;
}

static int open_all(struct engine *e, const struct waveform *wf)
{
	e->components = calloc(wf->n_instances, sizeof(*e->components));
	e->instances = calloc(wf->n_instances, sizeof(*e->instances));
	e->segments = calloc(e->view.head->segments.count, sizeof(*e->segments));
	e->length = e->ender < 0
	    ? atomic_load(&image_run(&e->view)->last) + 1
	    : image_last(e->view.holds, e->view.head->holds.count, ender_index(e)) + 1;
	e->longest = e->length;
	for (int i = 0; i < e->graph->n_nodes; i++)
		if (e->longest < e->length + e->view.instances[i].run_on)
			e->longest = e->length + e->view.instances[i].run_on;
	e->cells =
	    calloc((uint64_t)e->graph->n_nodes * GRAPH_OUTPUTS_MAX * e->longest, sizeof(*e->cells));
	if (!e->components || !e->instances || !e->segments || !e->cells)
		return -1;
	for (size_t i = 0; i < wf->n_instances; i++)
		if (open_row(e, wf, (int)i) != 0)
			return -1;
	for (uint32_t s = 0; s < e->view.head->segments.count; s++)
		if (segment_init(&e->segments[s], &e->view, s, e->instances, &e->control) != 0)
			return -1;
	return 0;
}

static int program_of(const struct engine *e, struct waveform *wf, struct plan *plan,
    void **ret_program, size_t *ret_len)
{
	struct diag diag;
	int status;

	diag_init(&diag);
	status =
	    program_build(wf, plan, e->ender < 0 ? e->length : 0, 0, &diag, ret_program, ret_len);
	diag_fini(&diag);
	return status;
}

static int build(struct engine *e, struct waveform *wf, struct plan *plan)
{
	void *program;
	size_t len;
	int status = program_of(e, wf, plan, &program, &len);

	if (status != 0)
		return status;
	status = image_create(program, len, &e->files);
	free(program);
	if (status != 0)
		return status;
	status = image_open(&e->files, true, &e->view);
	return status != 0 ? status : open_all(e, wf);
}

static int plan_on(struct waveform *wf, const struct platform_model *platform, struct plan **ret)
{
	struct diag diag;
	int status;

	diag_init(&diag);
	status = plan_make(wf, platform, NULL, &diag, ret);
	diag_fini(&diag);
	return status;
}

static int plan_of(const struct test_graph *graph, struct waveform *wf, struct plan **ret)
{
	static const int cpus[GRAPH_LANES_MAX] = {0, 1, 0, 1};
	const struct platform_model platform = {
	    cpus, (size_t)graph->n_lanes, graph->seed % 3 ? 0 : 60};

	return plan_on(wf, &platform, ret);
}

/* On two nodes. */
static int plan_far(
    const struct test_graph *graph, struct waveform *wf, uint32_t delay, struct plan **ret)
{
	static const int cpus[GRAPH_LANES_MAX] = {0, 1, 2, 3};
	static const struct platform_core cores[GRAPH_LANES_MAX] = {
	    {0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
	static const struct platform_node nodes[NODES] = {{.name = "a"}, {.name = "b"}};
	static uint32_t both[NODES] = {0, 1};
	const struct platform_link link = {PLATFORM_FULL, both, NODES, 1e6, delay};
	const struct platform_model platform = {.cpus = cpus,
	    .n_lanes = (size_t)graph->n_lanes,
	    .cores = cores,
	    .name = "pair",
	    .nodes = nodes,
	    .n_nodes = NODES,
	    .links = &link,
	    .n_links = 1};

	return plan_on(wf, &platform, ret);
}

static struct engine *engine_make(const struct test_graph *graph, uint64_t length,
    enum image_clock clock, enum image_late late, uint32_t delay, int ender,
    const struct platform_model *platform)
{
	static const enum wf_clock clocks[] = {WF_CLOCK_TIMER, WF_CLOCK_VIRTUAL, WF_CLOCK_STEP};
	struct waveform *wf = graph_waveform(graph);
	struct engine *e = NULL;
	struct plan *plan;
	int status;

	wf->clock = clocks[clock];
	wf->late = late == IMAGE_SKIP ? WF_LATE_SKIP : WF_LATE_SLIP;
	if (platform != NULL)
		status = plan_on(wf, platform, &plan);
	else
		status = delay ? plan_far(graph, wf, delay, &plan) : plan_of(graph, wf, &plan);
	if (status == 0) {
		e = aligned_alloc(64, (sizeof(*e) + 63) & ~(size_t)63);
		memset(e, 0, sizeof(*e));
		e->graph = graph;
		e->asked = e->length = length;
		e->ender = ender;
		e->clock = wf->clock;
		e->late = wf->late;
		e->files = (struct image_files){-1, -1};
		atomic_store(&e->control.limit, IMAGE_FOREVER);
		atomic_store(&e->control.last, IMAGE_FOREVER);
		if (build(e, wf, plan) != 0)
			abort();
		plan_free(plan);
	}
	graph_waveform_free(wf);
	return e;
}

struct engine *engine_new(
    const struct test_graph *graph, uint64_t length, enum image_clock clock, enum image_late late)
{
	return engine_make(graph, length, clock, late, 0, -1, NULL);
}

struct engine *engine_new_on(const struct test_graph *graph, uint64_t length,
    enum image_clock clock, enum image_late late, const struct platform_model *platform)
{
	return engine_make(graph, length, clock, late, 0, -1, platform);
}

void engine_ends(struct engine *e, int node)
{
	e->ender = node;
	atomic_store(&image_run(&e->view)->last, IMAGE_FOREVER);
}

/* ---- two nodes ------------------------------------------------------------------------ */

static uint32_t node_of(const struct engine *e, uint32_t segment)
{
	return image_node_of(&e->view, segment);
}

struct engine *engine_new_nodes(
    const struct test_graph *graph, uint64_t length, uint32_t delay, int ender)
{
	struct engine *e = engine_make(graph, length, IMAGE_STEP, IMAGE_SLIP, delay, ender, NULL);

	if (e == NULL)
		return NULL;
	e->nodes = aligned_alloc(64, (sizeof(*e->nodes) + 63) & ~(size_t)63);
	memset(e->nodes, 0, sizeof(*e->nodes));
	e->nodes->delay = delay;
	for (uint32_t n = 0; n < NODES; n++)
		e->nodes->runs[n].last = IMAGE_FOREVER;
	for (uint32_t d = 0; d < DELAY_MAX; d++)
		e->nodes->sent[d].last[0] = e->nodes->sent[d].last[1] = IMAGE_FOREVER;
	for (uint32_t s = 0; s < engine_segments(e); s++) {
		struct segment *segment = &e->segments[s];

		segment->run = &e->nodes->runs[node_of(e, s)];
		for (uint32_t g = 0; g < segment->n_gates; g++) {
			const uint32_t other = e->view.gates[e->view.segments[s].gates + g].segment;

			if (node_of(e, s) != node_of(e, other)) {
				segment->gates[g].state = &e->nodes->segments[other];
				segment->gates[g].done = &e->nodes->segments[other].done;
			}
		}
	}
	return e;
}

void engine_gate(struct engine *e, uint32_t number, uint32_t other, int32_t offset)
{
	struct segment *segment = &e->segments[number];
	struct image_segment_state *state = node_of(e, number) != node_of(e, other)
	    ? &e->nodes->segments[other]
	    : image_segment_state(&e->view, other);
	struct segment_gate *gates =
	    realloc(segment->gates, (segment->n_gates + 1) * sizeof(*gates));

	if (gates == NULL)
		abort();
	gates[segment->n_gates++] = (struct segment_gate){&state->done, state, offset};
	segment->gates = gates;
}

static void word_send(const struct engine *e, struct word *word)
{
	for (uint32_t s = 0; s < engine_segments(e); s++) {
		word->done[s] = image_segment_state(&e->view, s)->done;
		word->ended[s] = image_segment_state(&e->view, s)->ended;
	}
	for (uint32_t n = 0; n < NODES; n++)
		word->last[n] = e->nodes->runs[n].last;
}

static void word_take(struct engine *e, const struct word *word)
{
	for (uint32_t n = 0; n < NODES; n++)
		if (word->last[1 - n] < e->nodes->runs[n].last)
			e->nodes->runs[n].last = word->last[1 - n];
	for (uint32_t s = 0; s < engine_segments(e); s++) {
		e->nodes->segments[s].done = word->done[s];
		e->nodes->segments[s].ended = word->ended[s];
	}
}

/* What was so before slot n is known after delay - 1 more. */
void engine_word(struct engine *e)
{
	struct nodes *nodes = e->nodes;

	word_send(e, &nodes->sent[nodes->slot % nodes->delay]);
	nodes->slot++;
	word_take(e, &nodes->sent[nodes->slot % nodes->delay]);
}

/* ---- remap ------------------------------------------------------------------------ */

bool engine_stands(const struct engine *e)
{
	for (uint32_t s = 1; s < engine_segments(e); s++)
		if (atomic_load(&e->segments[s].state->done) !=
		    atomic_load(&e->segments[0].state->done))
			return false;
	return true;
}

static int other_program(struct engine *e, const int *pins, void **ret_program, size_t *ret_len)
{
	struct waveform *wf = graph_waveform(e->graph);
	struct plan *plan;
	int status;

	wf->clock = e->clock;
	wf->late = e->late;
	for (int i = 0; i < e->graph->n_nodes; i++)
		wf->instances[i].pin = pins[i];
	status = plan_of(e->graph, wf, &plan);
	if (status == 0) {
		status = program_of(e, wf, plan, ret_program, ret_len);
		plan_free(plan);
	}
	graph_waveform_free(wf);
	return status;
}

/* What a test leaves out, to see that it is missed. */
static void spoil_image(struct engine *e, const struct image_view *after, enum engine_spoil spoil)
{
	for (uint32_t b = 0; b < after->head->buffers.count && spoil == ENGINE_NO_MESSAGES; b++)
		for (uint32_t m = 0; m < after->buffers[b].depth; m++)
			atomic_store(&image_messages(after, b)[m].stamp, 0);
	for (int i = 0; i < e->graph->n_nodes && spoil == ENGINE_NO_REST; i++)
		atomic_store(&image_instance_state(after, (uint32_t)i)->first, 0);
}

static void go_over(
    struct engine *e, struct image_view *after, const struct image_files *files, uint64_t step)
{
	struct segment *segments = calloc(after->head->segments.count, sizeof(*segments));

	for (uint32_t s = 0; s < after->head->segments.count; s++) {
		if (segments == NULL ||
		    segment_init(&segments[s], after, s, e->instances, &e->control) != 0)
			abort();
		for (uint32_t b = 0; b < engine_segments(e); b++)
			segment_follow(
			    &segments[s], &e->segments[b], atomic_load(&e->control.changes));
	}
	for (uint32_t s = 0; s < engine_segments(e); s++)
		segment_fini(&e->segments[s]);
	free(e->segments);
	e->segments = segments;
	for (int i = 0; i < e->graph->n_nodes; i++)
		instance_follow(&e->instances[i], after);
	image_close(&e->view);
	image_files_close(&e->files);
	e->view = *after;
	e->files = *files;
	if (e->control.limit != IMAGE_FOREVER)
		atomic_store(&e->control.limit, step);
}

int engine_remap(struct engine *e, const int *pins, enum engine_spoil spoil)
{
	struct image_view after;
	void *program;
	char why[256];
	size_t len;
	uint64_t step;
	struct image_files files;
	int status = other_program(e, pins, &program, &len);

	if (status != 0)
		return status;
	if (image_follows(&e->view, program, false, why, sizeof(why)) != 0 ||
	    image_fit(&e->view, program) != 0)
		abort();
	status = image_create(program, len, &files);
	free(program);
	if (status != 0 || image_open(&files, true, &after) != 0)
		abort();
	status = image_carry(&e->view, &after, &step);
	if (status != 0) {
		image_close(&after);
		image_files_close(&files);
		return status;
	}
	spoil_image(e, &after, spoil);
	go_over(e, &after, &files, step);
	return 0;
}

uint64_t engine_twice(const struct engine *e)
{
	return e->twice;
}

void engine_free(struct engine *e)
{
	for (uint32_t s = 0; s < e->view.head->segments.count; s++)
		segment_fini(&e->segments[s]);
	for (uint32_t i = 0; i < e->view.head->instances.count; i++)
		instance_close(&e->instances[i], 0);
	arena_free(&e->arena);
	image_close(&e->view);
	image_files_close(&e->files);
	free(e->components);
	free(e->instances);
	free(e->segments);
	free(e->cells);
	free(e->nodes);
	free(e);
}

uint64_t engine_length(const struct engine *engine)
{
	return engine->length;
}

uint32_t engine_segments(const struct engine *e)
{
	return (uint32_t)e->view.head->segments.count;
}

struct segment *engine_segment(struct engine *e, uint32_t number)
{
	return &e->segments[number];
}

const struct image_view *engine_view(const struct engine *e)
{
	return &e->view;
}

struct node_control *engine_control(struct engine *e)
{
	return &e->control;
}

enum segment_status engine_slot(struct engine *e, uint32_t number, uint64_t slot)
{
	uint64_t now = clock_ns();

	e->slot = slot;
	return segment_slot(&e->segments[number], slot, now, &now);
}

struct free_thread {
	struct engine *engine;
	struct segment *segment;
	pthread_t id;
};

static void *free_main(void *self)
{
	struct free_thread *thread = self;

	segment_run_virtual(thread->segment, &thread->engine->quit);
	return NULL;
}

void engine_run_free(struct engine *e)
{
	struct free_thread *threads = calloc(engine_segments(e), sizeof(*threads));

	for (uint32_t s = 0; s < engine_segments(e); s++) {
		threads[s] = (struct free_thread){.engine = e, .segment = &e->segments[s]};
		if (pthread_create(&threads[s].id, NULL, free_main, &threads[s]) != 0)
			abort();
	}
	for (uint32_t s = 0; s < engine_segments(e); s++)
		pthread_join(threads[s].id, NULL);
	free(threads);
}

const struct graph_msg *engine_message(
    const struct engine *e, int node, int port, uint64_t index, bool *ret_called)
{
	static const struct cell none = {.called = false};
	const struct cell *cell = index < e->longest ? cell_at(e, node, port, index) : &none;

	*ret_called = cell->called;
	return &cell->msg;
}

uint64_t engine_when(const struct engine *e, int node, uint64_t index)
{
	return cell_at(e, node, 0, index)->slot;
}
