/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/slot/instance.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/simd.h"
#include "core/base/text.h"
#include "core/component/param.h"

static void *instance_alloc(struct aloe_setup *setup, size_t size)
{
	struct instance *instance = setup->arena;

	return arena_take(instance->arena, size);
}

/* The instances of a segment never run at the same time; the pieces of one instance are used
 * together, so only the first is shared. Where there are no copies there is little to gain, and an
 * instance can go to another segment. */
static void *instance_scratch(struct aloe_setup *setup, size_t size)
{
	struct instance *instance = setup->arena;

	if (instance->has_scratch || !instance->shares_scratch)
		return arena_take(instance->arena, size);
	instance->has_scratch = true;
	return arena_scratch(instance->arena, instance->scratch_segment, size);
}

/* ---- open ------------------------------------------------------------------------ */

static void inputs_bind(
    struct instance *it, const struct image_view *view, const struct image_instance *row)
{
	assert(row->n_inputs <= ALOE_PORTS_MAX);
	it->n_in = (uint8_t)row->n_inputs;
	for (uint32_t p = 0; p < row->n_inputs; p++) {
		const struct image_input *in = &view->inputs[row->inputs + p];
		const struct image_buffer *buffer;

		it->setup.in[p] =
		    (struct aloe_format){in->buffer == IMAGE_NONE ? 0 : in->type, in->max};
		if (in->buffer == IMAGE_NONE)
			continue;
		buffer = &view->buffers[in->buffer];
		assert((buffer->depth & (buffer->depth - 1)) == 0 && buffer->max <= in->max);
		it->input[p] = (struct instance_input){
		    .messages = image_messages(view, in->buffer),
		    .data = image_data(view, in->buffer),
		    .mask = buffer->depth - 1,
		    .lines = (uint32_t)(buffer->stride / INSTANCE_LINE),
		    .delay = in->delay,
		    .max = buffer->max,
		    .run_on = view->instances[buffer->instance].run_on,
		    .crosses = in->crosses != 0,
		};
	}
}

static void outputs_bind(
    struct instance *it, const struct image_view *view, const struct image_instance *row)
{
	assert(row->n_outputs <= ALOE_PORTS_MAX);
	it->n_out = (uint8_t)row->n_outputs;
	for (uint32_t p = 0; p < row->n_outputs; p++) {
		const struct image_output *out = &view->outputs[row->outputs + p];
		const struct image_buffer *buffer;

		it->setup.out[p] =
		    (struct aloe_format){out->buffer == IMAGE_NONE ? 0 : out->type, out->max};
		if (out->buffer == IMAGE_NONE)
			continue;
		buffer = &view->buffers[out->buffer];
		assert(buffer->canary >= buffer->max); /* items have a byte at least */
		assert(buffer->stride >= buffer->canary + 2 * sizeof(uint64_t));
		it->out[p].max = buffer->max;
		it->output[p] = (struct instance_output){
		    .messages = image_messages(view, out->buffer),
		    .data = image_data(view, out->buffer),
		    .mask = buffer->depth - 1,
		    .lines = (uint32_t)(buffer->stride / INSTANCE_LINE),
		    .canary = buffer->canary,
		};
	}
}

static int param_set(struct instance *it, const struct image_view *view,
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

static int params_set(
    struct instance *it, const struct image_view *view, const struct image_instance *row)
{
	if (row->n_params != it->component->params.len)
		return aloe_fail(&it->setup,
		    "the component has %u parameter%s, but the plan has %u",
		    it->component->params.len, plural(it->component->params.len), row->n_params);
	assert(it->state != NULL);
	assert(row->n_params <= IMAGE_PARAMS_MAX);
	param_defaults(it->component, it->state);
	for (uint32_t i = 0; i < row->n_params; i++) {
		const struct aloe_param *param = &it->component->params.items[i];

		if (param_set(it, view, &view->params[row->params + i], param) != 0)
			return aloe_fail(
			    &it->setup, "parameter %s does not fit the component", param->name);
	}
	return 0;
}

void instance_show_params(struct instance *it)
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

static int io_open(struct instance *it)
{
	const struct aloe_format *format =
	    it->component->fill != NULL ? &it->setup.out[0] : &it->setup.in[0];
	int status;

	assert(it->state != NULL);
	assert(it->initialised);
	if (it->component->fill == NULL && it->component->drain == NULL)
		return 0;
	if (io_ring_init(&it->io, io_records(it), format->max,
	        format->type ? aloe_item_bytes(format->type) : 1) != 0)
		return aloe_fail(&it->setup, "no memory for the ring of %u record%s",
		    io_records(it), plural(io_records(it)));
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
static int ports_alloc(struct instance *it, const struct image_instance *row)
{
	const size_t one_in = sizeof(*it->in) + sizeof(*it->input) + sizeof(*it->setup.in);
	const size_t one_out = sizeof(*it->out) + sizeof(*it->output) + sizeof(*it->setup.out);
	uint8_t *piece =
	    arena_take(it->arena, row->n_inputs * one_in + row->n_outputs * one_out + 1);

	assert(row->n_inputs <= ALOE_PORTS_MAX && row->n_outputs <= ALOE_PORTS_MAX);
	if (piece == NULL)
		return aloe_fail(&it->setup, "no memory for %u port%s",
		    row->n_inputs + row->n_outputs, plural(row->n_inputs + row->n_outputs));
	it->in = (void *)piece;
	it->out = (void *)(it->in + row->n_inputs);
	it->input = (void *)(it->out + row->n_outputs);
	it->output = (void *)(it->input + row->n_inputs);
	it->setup.in = (void *)(it->output + row->n_outputs);
	it->setup.out = (void *)(it->setup.in + row->n_inputs);
	assert((uint8_t *)(it->setup.out + row->n_outputs) ==
	    piece + row->n_inputs * one_in + row->n_outputs * one_out);
	return 0;
}

static void stats_bind(
    struct instance *it, const struct image_view *view, const struct image_instance *row)
{
	uint64_t first;

	assert(row->period > 0);
	assert(row->phase < row->period);
	it->stats = image_instance_state(view, it->number);
	first = atomic_load(&it->stats->first);
	it->time = image_time(view, it->number);
	it->lag = row->lag;
	it->first = first > row->lag ? first : row->lag;
	it->run_on = row->run_on;
	it->period = row->side > 0 ? INSTANCE_BESIDE : row->period;
	it->phase = row->side > 0 ? row->side - 1 : row->phase;
	it->budget_ns = row->budget_ns;
	it->vars = &view->vars[row->vars];
	it->n_vars = (uint8_t)row->n_vars;
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

static int level_choose(struct aloe_setup *setup)
{
	enum simd_level level = SIMD_PLAIN;
	const int rc = simd_choose(&level, setup->error, sizeof(setup->error));

	setup->simd = level;
	return rc;
}

/* What the component names to be warm, which stays as it is. */
static int warm_ask(struct instance *it)
{
	struct aloe_warm warm = {.len = 0};
	struct aloe_range *ranges;

	if (it->component->warm == NULL)
		return 0;
	assert(it->initialised);
	it->component->warm(it->state, &warm);
	assert(it->warm == NULL);
	ranges = arena_take(it->arena, warm.len * sizeof(*ranges) + 1);
	if (ranges == NULL)
		return aloe_fail(&it->setup, "no memory for the list of what is to be warm");
	memcpy(ranges, warm.ranges, warm.len * sizeof(*ranges));
	it->warm = ranges;
	it->n_warm = warm.len;
	return 0;
}

int instance_open(struct instance *it, const struct image_view *view, uint32_t number,
    const struct aloe_entry *entry, struct aloe_radio *radio, struct arena *arena)
{
	const struct image_instance *row = &view->instances[number];

	assert(number < view->head->instances.count);
	assert(entry->component != NULL && arena != NULL);
	*it = (struct instance){.component = entry->component,
	    .work = entry->component->work,
	    .number = number,
	    .named = row->named,
	    .last = IMAGE_FOREVER,
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
	if (level_choose(&it->setup) < 0)
		return -1;
	if (!ports_agree(it->component, row))
		return aloe_fail(&it->setup, "the component's ports are not those of the plan");
	if (row->side > 0 && (it->component->fill != NULL || it->component->drain != NULL))
		return aloe_fail(
		    &it->setup, "one call cannot serve several that read or write files");
	if (!vars_agree(it->component, view, row))
		return aloe_fail(&it->setup, "the component's variables are not those of the plan");
	it->state = arena_take(it->arena, it->component->state_size + 1);
	if (it->state == NULL)
		return aloe_fail(&it->setup, "no memory for %u byte%s of state",
		    it->component->state_size, plural(it->component->state_size));
	if (ports_alloc(it, row) != 0)
		return -1;
	inputs_bind(it, view, row);
	outputs_bind(it, view, row);
	stats_bind(it, view, row);
	if (params_set(it, view, row) != 0)
		return -1;
	instance_show_params(it);
	if (it->component->check != NULL && it->component->check(it->state, &it->setup) < 0)
		return -1;
	if (it->component->init != NULL && it->component->init(it->state, &it->setup) < 0)
		return -1;
	it->initialised = true;
	if (warm_ask(it) != 0)
		return -1;
	if (live_new(it->component, it->state, &it->setup, it->setup.error, sizeof(it->setup.error),
	        &it->live) != 0)
		return -1;
	it->slot.in = it->in;
	it->slot.out = it->out;
	return io_open(it);
}

void instance_follow(struct instance *it, const struct image_view *view)
{
	const struct image_instance *row = &view->instances[it->number];

	assert(it->component != NULL);
	assert(it->number < view->head->instances.count);
	inputs_bind(it, view, row);
	outputs_bind(it, view, row);
	stats_bind(it, view, row);
}

/* What another program has to take first may be waited for, but not for ever. */
static int drain_last(struct instance *it, uint64_t until_ns)
{
	enum { DRAIN_NAP_NS = 1000000 };
	int status = io_drain(&it->io, it->component, it->state, &it->setup);

	while (status >= 0 && it->io.later && clock_ns() < until_ns) {
		clock_sleep_until(clock_ns() + DRAIN_NAP_NS);
		status = io_drain(&it->io, it->component, it->state, &it->setup);
	}
	return status;
}

int instance_close(struct instance *it, uint64_t until_ns)
{
	int status = 0;

	assert(it->component != NULL);
	assert(!it->initialised || it->state != NULL);
	if (it->initialised && it->component->drain != NULL && it->records > 0)
		status = drain_last(it, until_ns);
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
		instance_show_vars(it);
	io_ring_fini(&it->io);
	it->state = NULL;
	it->n_warm = 0;
	it->initialised = false;
	return status < 0 ? status : 0;
}
