/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/engine.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/image/follow.h"
#include "core/map/plan.h"
#include "daemons/common/program.h"

struct cell {
	struct graph_msg msg;
	uint64_t slot;
	bool called;
};

struct node_state { /* what the component of one node has as its state */
	struct engine *engine;
	int node;
};

struct engine {
	const struct test_graph *graph;
	struct node_control control;
	struct image_view view;
	int fd;
	uint64_t length, slot;
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
	return &e->cells[((uint64_t)(node * GRAPH_OUTPUTS_MAX + port)) * e->length + index];
}

static void msg_read(const struct aloe_in *in, struct graph_msg *ret)
{
	*ret = (struct graph_msg){.state = in->state, .len = in->len};
	memcpy(&ret->value, in->data, in->len <= 8 ? in->len : 8);
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
		e->twice += cell_at(e, state->node, p, slot->index)->called;
		*cell_at(e, state->node, p, slot->index) = (struct cell){out[p], e->slot, true};
	}
	if (node->n_outputs == 0) {
		e->twice += cell_at(e, state->node, 0, slot->index)->called;
		*cell_at(e, state->node, 0, slot->index) =
		    (struct cell){.slot = e->slot, .called = true};
	}
	return 0;
}

static int open_node(struct engine *e, const struct waveform *wf, int node)
{
	const struct aloe_entry entry = {ALOE_ABI, "node", &e->components[node]};

	e->components[node] = (struct aloe_component){
	    .ports = {wf->instances[node].type->ports, (uint32_t)wf->instances[node].type->n_ports},
	    .state_size = sizeof(struct node_state),
	    .work = node_work,
	};
	if (instance_open(&e->instances[node], &e->view, (uint32_t)node, &entry, NULL, &e->arena) !=
	    0)
		return -1;
	*(struct node_state *)e->instances[node].state = (struct node_state){e, node};
	return 0;
}

static int open_all(struct engine *e, const struct waveform *wf)
{
	e->components = calloc((size_t)e->graph->n_nodes, sizeof(*e->components));
	e->instances = calloc((size_t)e->graph->n_nodes, sizeof(*e->instances));
	e->segments = calloc(e->view.head->segments.count, sizeof(*e->segments));
	e->cells =
	    calloc((uint64_t)e->graph->n_nodes * GRAPH_OUTPUTS_MAX * e->length, sizeof(*e->cells));
	if (!e->components || !e->instances || !e->segments || !e->cells)
		return -1;
	for (int i = 0; i < e->graph->n_nodes; i++)
		if (open_node(e, wf, i) != 0)
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
	status = program_build(wf, plan, e->length, &diag, ret_program, ret_len);
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
	e->fd = image_create(program, len);
	free(program);
	if (e->fd < 0)
		return e->fd;
	status = image_open(e->fd, true, &e->view);
	return status != 0 ? status : open_all(e, wf);
}

static int plan_of(const struct test_graph *graph, struct waveform *wf, struct plan **ret)
{
	static const int cpus[GRAPH_LANES_MAX] = {0, 1, 0, 1};
	const struct platform_model platform = {
	    cpus, (size_t)graph->n_lanes, graph->seed % 3 ? 0 : 60};
	struct diag diag;
	int status;

	diag_init(&diag);
	status = plan_make(wf, &platform, NULL, &diag, ret);
	diag_fini(&diag);
	return status;
}

struct engine *engine_new(
    const struct test_graph *graph, uint64_t length, enum image_clock clock, enum image_late late)
{
	static const enum wf_clock clocks[] = {WF_CLOCK_TIMER, WF_CLOCK_VIRTUAL, WF_CLOCK_STEP};
	struct waveform *wf = graph_waveform(graph);
	struct engine *e = NULL;
	struct plan *plan;

	wf->clock = clocks[clock];
	wf->late = late == IMAGE_SKIP ? WF_LATE_SKIP : WF_LATE_SLIP;
	if (plan_of(graph, wf, &plan) == 0) {
		e = aligned_alloc(64, (sizeof(*e) + 63) & ~(size_t)63);
		memset(e, 0, sizeof(*e));
		e->graph = graph;
		e->length = length;
		e->clock = wf->clock;
		e->late = wf->late;
		e->fd = -1;
		atomic_store(&e->control.limit, IMAGE_FOREVER);
		atomic_store(&e->control.last, IMAGE_FOREVER);
		if (build(e, wf, plan) != 0)
			abort();
		plan_free(plan);
	}
	graph_waveform_free(wf);
	return e;
}

/* ---- remap ----------------------------------------------------------------------------------------------------------------- */

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

static void go_over(struct engine *e, struct image_view *after, int fd, uint64_t step)
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
	close(e->fd);
	e->view = *after;
	e->fd = fd;
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
	int fd, status = other_program(e, pins, &program, &len);

	if (status != 0)
		return status;
	if (image_follows(&e->view, program, why, sizeof(why)) != 0 ||
	    image_fit(&e->view, program) != 0)
		abort();
	fd = image_create(program, len);
	free(program);
	if (fd < 0 || image_open(fd, true, &after) != 0)
		abort();
	status = image_carry(&e->view, &after, &step);
	if (status != 0) {
		image_close(&after);
		close(fd);
		return status;
	}
	spoil_image(e, &after, spoil);
	go_over(e, &after, fd, step);
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
	for (int i = 0; i < e->graph->n_nodes; i++)
		instance_close(&e->instances[i]);
	arena_free(&e->arena);
	image_close(&e->view);
	close(e->fd);
	free(e->components);
	free(e->instances);
	free(e->segments);
	free(e->cells);
	free(e);
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
	const struct cell *cell = cell_at(e, node, port, index);

	*ret_called = cell->called;
	return &cell->msg;
}

uint64_t engine_when(const struct engine *e, int node, uint64_t index)
{
	return cell_at(e, node, 0, index)->slot;
}
