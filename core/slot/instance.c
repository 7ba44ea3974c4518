/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/instance.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/simd.h"
#include "core/component/param.h"

static void *instance_alloc(struct aloe_setup *setup, size_t size)
{
	struct instance *instance = setup->arena;

	return arena_take(instance->arena, size);
}

/* The instances of a segment never run at the same time; the pieces of one instance are used together, so only the first
 * is shared. Where there are no copies there is little to gain, and an instance can go to another segment. */
static void *instance_scratch(struct aloe_setup *setup, size_t size)
{
	struct instance *instance = setup->arena;

	if (instance->has_scratch || !instance->shares_scratch)
		return arena_take(instance->arena, size);
	instance->has_scratch = true;
	return arena_scratch(instance->arena, instance->scratch_segment, size);
}

/* ---- open -------------------------------------------------------------------------------------------------------------- */

static void bind_inputs(
    struct instance *it, const struct image_view *view, const struct image_instance *row)
{
	it->n_in = row->n_inputs;
	for (uint32_t p = 0; p < row->n_inputs; p++) {
		const struct image_input *in = &view->inputs[row->inputs + p];
		const struct image_buffer *buffer;

		it->in_format[p] =
		    (struct aloe_format){in->buffer == IMAGE_NONE ? 0 : in->type, in->max};
		if (in->buffer == IMAGE_NONE)
			continue;
		buffer = &view->buffers[in->buffer];
		it->input[p] = (struct instance_input){
		    .messages = image_messages(view, in->buffer),
		    .data = image_data(view, in->buffer),
		    .mask = buffer->depth - 1,
		    .stride = buffer->stride,
		    .delay = in->delay,
		    .crosses = in->crosses != 0,
		};
	}
}

static void bind_outputs(
    struct instance *it, const struct image_view *view, const struct image_instance *row)
{
	it->n_out = row->n_outputs;
	for (uint32_t p = 0; p < row->n_outputs; p++) {
		const struct image_output *out = &view->outputs[row->outputs + p];
		const struct image_buffer *buffer;

		it->out_format[p] =
		    (struct aloe_format){out->buffer == IMAGE_NONE ? 0 : out->type, out->max};
		if (out->buffer == IMAGE_NONE)
			continue;
		buffer = &view->buffers[out->buffer];
		it->out[p].max = buffer->max;
		it->output[p] = (struct instance_output){
		    .messages = image_messages(view, out->buffer),
		    .data = image_data(view, out->buffer),
		    .mask = buffer->depth - 1,
		    .stride = buffer->stride,
		    .canary = buffer->canary,
		};
	}
}

static int set_param(struct instance *it, const struct image_view *view,
    const struct image_param *value, const struct aloe_param *param)
{
	switch (param->kind) {
	case ALOE_KIND_TEXT:
	case ALOE_KIND_PATH:
		return param_set_text(param, it->state, image_text(view, value->text));
	case ALOE_KIND_REALS:
		return param_set_reals(param, it->state, image_reals(view, value), value->n_reals);
	default:
		if (value->number != value->number) /* not set, as by default */
			return 0;
		return param_set_number(param, it->state, value->number);
	}
}

static int set_params(
    struct instance *it, const struct image_view *view, const struct image_instance *row)
{
	if (row->n_params != it->component->params.len)
		return aloe_fail(&it->setup, "the component has %u parameters, the plan %u",
		    it->component->params.len, row->n_params);
	param_defaults(it->component, it->state);
	for (uint32_t i = 0; i < row->n_params; i++) {
		const struct aloe_param *param = &it->component->params.items[i];

		if (set_param(it, view, &view->params[row->params + i], param) != 0)
			return aloe_fail(
			    &it->setup, "parameter %s does not fit the component", param->name);
	}
	return 0;
}

static void show_params(struct instance *it)
{
	for (uint32_t i = 0; i < it->component->params.len && i < IMAGE_PARAMS_MAX; i++) {
		const double number = param_get_number(&it->component->params.items[i], it->state);
		uint64_t bits;

		memcpy(&bits, &number, sizeof(bits));
		atomic_store_explicit(&it->stats->params[i], bits, memory_order_relaxed);
	}
}

static uint32_t io_records(const struct instance *it)
{
	double buffer_ms = 200;
	uint64_t records;

	for (uint32_t i = 0; i < it->component->params.len; i++)
		if (strcmp(it->component->params.items[i].name, "buffer_ms") == 0)
			buffer_ms = param_get_number(&it->component->params.items[i], it->state);
	records = (uint64_t)(buffer_ms * 1e6 / (double)it->setup.slot_ns);
	return records < 4 ? 4 : records > 4096 ? 4096 : (uint32_t)records;
}

static int open_io(struct instance *it)
{
	const struct aloe_format *format =
	    it->component->fill != NULL ? &it->out_format[0] : &it->in_format[0];
	int status;

	if (it->component->fill == NULL && it->component->drain == NULL)
		return 0;
	if (io_ring_init(&it->io, io_records(it), format->max,
	        format->type ? aloe_item_bytes(format->type) : 1) != 0)
		return aloe_fail(
		    &it->setup, "no memory for the ring of %u records", io_records(it));
	it->records = it->io.len;
	if (it->component->fill == NULL)
		return 0;
	status = io_fill(&it->io, it->component, it->state, &it->setup);
	if (status < 0)
		return status;
	if (it->io.ended && it->io.filled == 0)
		return aloe_fail(&it->setup, "there is nothing to read: the source is empty");
	return 0;
}

/* The ports' tables in one piece. */
static int alloc_ports(struct instance *it, const struct image_instance *row)
{
	const size_t one_in = sizeof(*it->in) + sizeof(*it->input) + sizeof(*it->in_format);
	const size_t one_out = sizeof(*it->out) + sizeof(*it->output) + sizeof(*it->out_format);
	uint8_t *piece =
	    arena_take(it->arena, row->n_inputs * one_in + row->n_outputs * one_out + 1);

	if (piece == NULL)
		return aloe_fail(
		    &it->setup, "no memory for %u ports", row->n_inputs + row->n_outputs);
	it->in = (void *)piece;
	it->out = (void *)(it->in + row->n_inputs);
	it->input = (void *)(it->out + row->n_outputs);
	it->output = (void *)(it->input + row->n_inputs);
	it->in_format = it->setup.in = (void *)(it->output + row->n_outputs);
	it->out_format = it->setup.out = (void *)(it->in_format + row->n_inputs);
	return 0;
}

static void bind_stats(
    struct instance *it, const struct image_view *view, const struct image_instance *row)
{
	it->stats = image_instance_state(view, it->number);
	it->time = image_time(view, it->number);
	it->lag = row->lag;
	it->first =
	    atomic_load(&it->stats->first) > row->lag ? atomic_load(&it->stats->first) : row->lag;
	it->period = row->period;
	it->phase = row->phase;
	it->budget_ns = row->budget_ns;
	it->vars = &view->vars[row->vars];
	it->n_vars = row->n_vars;
	it->latency = image_latency(view, it->number);
	if (row->sink != 0 && it->latency != NULL) {
		const struct image_instance *source = &view->instances[row->sink - 1];

		it->source_state = image_segment_state(view, source->segment);
		it->source_lag = source->lag;
	}
}

static bool ports_agree(const struct aloe_component *component, const struct image_instance *row)
{
	uint32_t n_outputs = 0;

	for (uint32_t i = 0; i < component->ports.len; i++)
		n_outputs += component->ports.items[i].output != 0;
	return row->n_outputs == n_outputs && row->n_inputs + n_outputs == component->ports.len;
}

/* What lies where in the state is the component's to say, not the image's. */
static bool vars_agree(const struct aloe_component *component, const struct image_view *view,
    const struct image_instance *row)
{
	if (row->n_vars > component->vars.len)
		return false;
	for (uint32_t i = 0; i < row->n_vars; i++)
		if (view->vars[row->vars + i].offset != component->vars.items[i].offset)
			return false;
	return true;
}

static int choose_simd(struct aloe_setup *setup)
{
	enum simd_level level = SIMD_PLAIN;
	const int rc = simd_choose(&level, setup->error, sizeof(setup->error));

	setup->simd = level;
	return rc;
}

int instance_open(struct instance *it, const struct image_view *view, uint32_t number,
    const struct aloe_entry *entry, struct aloe_radio *radio, struct arena *arena)
{
	const struct image_instance *row = &view->instances[number];

	*it = (struct instance){.component = entry->component,
	    .work = entry->component->work,
	    .number = number,
	    .segment = row->segment,
	    .shares_scratch = view->head->copies > 1,
	    .scratch_segment = row->segment,
	    .arena = arena};
	it->setup = (struct aloe_setup){
	    .instance = image_text(view, row->name),
	    .slot_ns = view->head->slot_ns,
	    .slot_samples = view->head->slot_samples,
	    .radio = radio,
	    .alloc = instance_alloc,
	    .scratch = instance_scratch,
	    .arena = it,
	};
	if (choose_simd(&it->setup) < 0)
		return -1;
	if (!ports_agree(it->component, row))
		return aloe_fail(&it->setup, "the component's ports are not those of the plan");
	if (!vars_agree(it->component, view, row))
		return aloe_fail(&it->setup, "the component's variables are not those of the plan");
	it->state = arena_take(it->arena, it->component->state_size + 1);
	if (it->state == NULL)
		return aloe_fail(
		    &it->setup, "no memory for %u bytes of state", it->component->state_size);
	if (alloc_ports(it, row) != 0)
		return -1;
	bind_inputs(it, view, row);
	bind_outputs(it, view, row);
	bind_stats(it, view, row);
	if (set_params(it, view, row) != 0)
		return -1;
	show_params(it);
	if (it->component->check != NULL && it->component->check(it->state, &it->setup) < 0)
		return -1;
	if (it->component->init != NULL && it->component->init(it->state, &it->setup) < 0)
		return -1;
	it->initialised = true;
	if (live_new(it->component, it->state, &it->setup, it->setup.error, sizeof(it->setup.error),
	        &it->live) != 0)
		return -1;
	it->slot.in = it->in;
	it->slot.out = it->out;
	return open_io(it);
}

void instance_follow(struct instance *it, const struct image_view *view)
{
	const struct image_instance *row = &view->instances[it->number];

	it->segment = row->segment;
	bind_inputs(it, view, row);
	bind_outputs(it, view, row);
	bind_stats(it, view, row);
}

static inline void show_vars(struct instance *it)
{
	for (uint32_t i = 0; i < it->n_vars; i++) {
		uint64_t bits;

		memcpy(&bits, (const uint8_t *)it->state + it->vars[i].offset, sizeof(bits));
		atomic_store_explicit(&it->stats->vars[i], bits, memory_order_relaxed);
	}
}

int instance_close(struct instance *it)
{
	int status = 0;

	if (it->initialised && it->component->drain != NULL && it->records > 0)
		status = io_drain(&it->io, it->component, it->state, &it->setup);
	if (status >= 0 && atomic_load(&it->io.failed))
		status = -EIO;
	live_free(it->live);
	it->live = NULL;
	if (it->initialised && it->component->close != NULL) {
		char before[sizeof(it->setup.error)];

		memcpy(before, it->setup.error, sizeof(before));
		if (it->component->close(it->state, &it->setup) < 0 && status >= 0)
			status = -EIO;
		else if (status < 0)
			memcpy(it->setup.error, before, sizeof(before));
	}
	if (it->state != NULL && it->stats != NULL)
		show_vars(it);
	io_ring_fini(&it->io);
	it->state = NULL;
	it->initialised = false;
	return status < 0 ? status : 0;
}

/* ---- [slot] ------------------------------------------------------------------------------------------------------------ */

static inline void count(_Atomic uint64_t *counter)
{
	atomic_store_explicit(
	    counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* A message that was absent and has been completed by the next call came late. */
static void look_back(struct instance *it, struct instance_input *input)
{
	const struct image_message *message = &input->messages[(input->missed - 1) & input->mask];

	if (atomic_load_explicit(&message->stamp, memory_order_relaxed) == input->missed)
		count(&it->stats->late);
	input->missed = 0;
}

__attribute__((always_inline)) static inline void bind_input(
    struct instance *it, uint32_t p, uint64_t k)
{
	struct instance_input *input = &it->input[p];
	struct aloe_in *in = &it->in[p];
	const uint64_t m = k - input->delay;
	struct image_message *message;
	uint64_t stamp;

	*in = (struct aloe_in){input->data, 0, ALOE_ABSENT};
	input->bound = NULL;
	if (input->messages == NULL || k < input->delay)
		return;
	if (input->missed != 0)
		look_back(it, input);
	message = &input->messages[m & input->mask];
	stamp = atomic_load_explicit(&message->stamp, memory_order_acquire);
	if (stamp != m + 1) {
		count(stamp > m + 1 ? &it->stats->overwritten : &it->stats->absent);
		input->missed = stamp > m + 1 ? 0 : m + 1;
		return;
	}
	input->bound = message;
	in->data = input->data + (m & input->mask) * input->stride;
	in->state = atomic_load_explicit(&message->state, memory_order_relaxed);
	in->len =
	    in->state == ALOE_VALID ? atomic_load_explicit(&message->len, memory_order_relaxed) : 0;
}

static inline void bind_output(struct instance *it, uint32_t p, uint64_t k)
{
	struct instance_output *output = &it->output[p];
	struct aloe_out *out = &it->out[p];

	out->len = 0;
	out->state = ALOE_ABSENT;
	if (output->messages == NULL)
		return;
	output->bound = &output->messages[k & output->mask];
	atomic_store_explicit(&output->bound->stamp, 0, memory_order_relaxed);
	out->data = output->data + (k & output->mask) * output->stride;
}

static inline int publish_output(struct instance *it, uint32_t p, uint64_t k)
{
	struct instance_output *output = &it->output[p];
	const struct aloe_out *out = &it->out[p];
	uint64_t canary;

	if (output->messages == NULL)
		return 0;
	memcpy(&canary, (const uint8_t *)out->data + output->canary, sizeof(canary));
	if (canary != IMAGE_CANARY) {
		it->slot.why = "wrote past the end of an output message";
		return -EOVERFLOW;
	}
	if (out->len > out->max) {
		it->slot.why = "claims more items than an output message holds";
		return -EOVERFLOW;
	}
	atomic_store_explicit(
	    &output->bound->len, out->state == ALOE_VALID ? out->len : 0, memory_order_relaxed);
	atomic_store_explicit(&output->bound->state, out->state, memory_order_relaxed);
	atomic_store_explicit(&output->bound->stamp, k + 1, memory_order_release);
	return 0;
}

static inline void record_take(struct instance *it, uint64_t k)
{
	struct io_ring *io = &it->io;

	it->slot.record = NULL;
	if (it->component->fill != NULL) {
		if (io_has_record(io))
			it->slot.record =
			    &io->records[atomic_load_explicit(&io->tail, memory_order_relaxed) %
			        io->len];
	} else if (io_has_space(io)) {
		it->slot.record =
		    &io->records[atomic_load_explicit(&io->head, memory_order_relaxed) % io->len];
		it->slot.record->index = k;
		it->slot.record->len = 0;
		it->slot.record->state = ALOE_ABSENT;
	}
}

static inline void record_give(struct instance *it)
{
	struct io_ring *io = &it->io;
	_Atomic uint64_t *mine = it->component->fill != NULL ? &io->tail : &io->head;

	if (it->component->fill != NULL && it->slot.record->end)
		it->slot.flags |= ALOE_SLOT_END;
	atomic_store_explicit(
	    mine, atomic_load_explicit(mine, memory_order_relaxed) + 1, memory_order_release);
}

static int copy_record(struct instance *it)
{
	struct aloe_record *record = it->slot.record;

	if (it->component->fill != NULL) {
		if (it->output[0].messages == NULL)
			return 0;
		memcpy(it->out[0].data, record->data,
		    (size_t)record->len * aloe_item_bytes(it->out_format[0].type));
		aloe_put(&it->slot, 0, record->len);
		return 0;
	}
	record->state = it->in[0].state;
	record->len = it->in[0].len;
	memcpy(record->data, it->in[0].data,
	    (size_t)record->len * aloe_item_bytes(it->in_format[0].type));
	return 0;
}

static inline int call_io(struct instance *it, uint64_t k)
{
	int status;

	record_take(it, k);
	if (it->slot.record == NULL) { /* only under skip: the gate waits for it under slip */
		count(&it->stats->io_lost);
		return 0;
	}
	status = it->work != NULL ? it->work(it->state, &it->slot) : copy_record(it);
	record_give(it);
	return status;
}

static inline int call_work(struct instance *it, uint64_t k)
{
	it->slot.index = k;
	it->slot.flags = 0;
	it->slot.why = NULL;
	if (it->records > 0)
		return call_io(it, k);
	return it->work(it->state, &it->slot);
}

static inline void recheck_inputs(struct instance *it, uint64_t k)
{
	bool sound = true;

	atomic_thread_fence(memory_order_acquire);
	for (uint32_t p = 0; p < it->n_in; p++) {
		const struct instance_input *input = &it->input[p];

		if (!input->crosses || input->bound == NULL ||
		    atomic_load_explicit(&input->bound->stamp, memory_order_relaxed) ==
		        k - input->delay + 1)
			continue;
		count(&it->stats->overwritten);
		sound = false;
	}
	for (uint32_t p = 0; p < it->n_out && !sound; p++) {
		it->out[p].state = ALOE_ABSENT;
		it->out[p].len = 0;
	}
}

int instance_call(struct instance *it, uint64_t k, bool recheck)
{
	int status;

	for (uint32_t p = 0; p < it->n_in; p++)
		bind_input(it, p, k);
	for (uint32_t p = 0; p < it->n_out; p++)
		bind_output(it, p, k);
	atomic_thread_fence(memory_order_release);
	status = call_work(it, k);
	if (recheck)
		recheck_inputs(it, k);
	for (uint32_t p = 0; p < it->n_out; p++)
		if (publish_output(it, p, k) != 0)
			return -EOVERFLOW;
	show_vars(it);
	return status;
}

static inline uint64_t port_time(struct instance *it, uint32_t port, uint64_t since)
{
	const uint64_t now = clock_ns();
	_Atomic uint64_t *sum = &it->stats->port_ns[port];

	atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + now - since,
	    memory_order_relaxed);
	return now;
}

int instance_call_sampled(struct instance *it, uint64_t k, bool recheck)
{
	uint64_t now = clock_ns(), begin;
	int status;

	for (uint32_t p = 0; p < it->n_in; p++) {
		bind_input(it, p, k);
		now = port_time(it, p, now);
	}
	for (uint32_t p = 0; p < it->n_out; p++) {
		bind_output(it, p, k);
		now = port_time(it, ALOE_PORTS_MAX + p, now);
	}
	atomic_thread_fence(memory_order_release);
	begin = now;
	status = call_work(it, k);
	now = clock_ns();
	it->work_ns = now - begin;
	if (recheck)
		recheck_inputs(it, k);
	for (uint32_t p = 0; p < it->n_out; p++) {
		if (publish_output(it, p, k) != 0)
			return -EOVERFLOW;
		now = port_time(it, ALOE_PORTS_MAX + p, now);
	}
	count(&it->stats->port_count);
	show_vars(it);
	return status;
}

void instance_idle(struct instance *it, uint64_t k)
{
	for (uint32_t p = 0; p < it->n_out; p++) {
		if (it->output[p].messages == NULL)
			continue;
		bind_output(it, p, k);
		it->out[p].state = ALOE_IDLE;
		publish_output(it, p, k);
	}
	count(&it->stats->idle);
}
