/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <aloe/component.h>

enum { IMAGE_ITEMS_MAX = 1 << 24 }; /* of one array */

/* ---- checking --------------------------------------------------------------------------------------------------------- */

static bool inside(uint64_t offset, uint64_t count, uint64_t size, uint64_t align, uint64_t limit)
{
	return offset % align == 0 && offset <= limit &&
	    (size == 0 || count <= (limit - offset) / size);
}

static bool part(const struct image_table *table, uint64_t first, uint64_t count)
{
	return first <= table->count && count <= table->count - first;
}

struct check {
	const uint8_t *bytes;
	const struct image_head *head;
};

static const void *rows(const struct check *c, const struct image_table *table)
{
	return c->bytes + table->offset;
}

static bool tables_sound(const struct image_head *h)
{
	const struct {
		const struct image_table *table;
		uint64_t size, max;
	} all[] = {
	    {&h->lanes, sizeof(struct image_lane), NODE_LANES_MAX},
	    {&h->segments, sizeof(struct image_segment), IMAGE_INSTANCES_MAX},
	    {&h->order, 4, IMAGE_INSTANCES_MAX},
	    {&h->gates, sizeof(struct image_gate), 1 << 20},
	    {&h->instances, sizeof(struct image_instance), IMAGE_INSTANCES_MAX},
	    {&h->inputs, sizeof(struct image_input), 1 << 20},
	    {&h->outputs, sizeof(struct image_output), 1 << 20},
	    {&h->buffers, sizeof(struct image_buffer), 1 << 20},
	    {&h->params, sizeof(struct image_param), 1 << 20},
	    {&h->vars, sizeof(struct image_var), 1 << 20},
	    {&h->reals, sizeof(float), 1 << 24},
	    {&h->radios, sizeof(struct image_radio), IMAGE_RADIOS_MAX},
	    {&h->text, 1, 1 << 26},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].table->count > all[i].max ||
		    !inside(
		        all[i].table->offset, all[i].table->count, all[i].size, 8, h->static_bytes))
			return false;
	return true;
}

static bool lanes_sound(const struct check *c)
{
	const struct image_lane *lane = rows(c, &c->head->lanes);

	for (uint64_t i = 0; i < c->head->lanes.count; i++)
		if ((lane[i].last != IMAGE_NONE && lane[i].last >= c->head->segments.count) ||
		    !inside(lane[i].state, 1, sizeof(struct image_lane_state), 64,
		        c->head->total_bytes))
			return false;
	return true;
}

static bool segment_sound(const struct check *c, const struct image_segment *s)
{
	const struct image_head *h = c->head;
	const struct image_segment *segments = rows(c, &h->segments);
	const struct image_instance *instances = rows(c, &h->instances);
	const struct image_gate *gates = rows(c, &h->gates);
	const uint32_t *order = rows(c, &h->order);

	if (s->lane >= h->lanes.count || s->host >= h->n_hosts ||
	    s->n_events - 1 >= IMAGE_EVENTS_MAX || !part(&h->order, s->order, s->n_instances) ||
	    !part(&h->gates, s->gates, s->n_gates) ||
	    !inside(s->state, 1, sizeof(struct image_segment_state), 64, h->total_bytes) ||
	    !inside(s->events, s->n_events, sizeof(struct image_event), 64, h->total_bytes))
		return false;
	for (uint32_t i = 0; i < s->n_gates; i++)
		if (gates[s->gates + i].segment >= h->segments.count)
			return false;
	for (uint32_t i = 0; i < s->n_instances; i++)
		if (order[s->order + i] >= h->instances.count ||
		    instances[order[s->order + i]].segment != s - segments)
			return false;
	return true;
}

static bool instance_sound(const struct check *c, const struct image_instance *i)
{
	const struct image_head *h = c->head;

	return i->segment < h->segments.count && i->n_inputs <= ALOE_PORTS_MAX &&
	    i->n_outputs <= ALOE_PORTS_MAX && i->period > 0 && i->phase < i->period &&
	    i->n_params <= IMAGE_PARAMS_MAX && i->n_vars <= IMAGE_VARS_MAX &&
	    i->sink <= h->instances.count && part(&h->inputs, i->inputs, i->n_inputs) &&
	    part(&h->outputs, i->outputs, i->n_outputs) &&
	    part(&h->params, i->params, i->n_params) && part(&h->vars, i->vars, i->n_vars) &&
	    inside(i->state, 1, sizeof(struct image_instance_state), 64, h->total_bytes) &&
	    inside(i->time, 1, sizeof(struct hist_head), 64, h->total_bytes) &&
	    (i->latency == 0 ||
	        inside(i->latency, 1, sizeof(struct image_latency), 64, h->total_bytes));
}

static bool shares_sound(const struct check *c, const struct image_buffer *b)
{
	const struct image_buffer *first = rows(c, &c->head->buffers), *other;

	if (b->shares == 0)
		return true;
	if (b->shares > (uint64_t)(b - first))
		return false;
	other = first + b->shares - 1;
	return other->type == b->type && other->max == b->max && other->depth == b->depth &&
	    other->data == b->data;
}

static bool buffer_sound(const struct check *c, const struct image_buffer *b)
{
	const struct image_head *h = c->head;
	const uint32_t item = aloe_item_bytes(b->type);

	return b->instance < h->instances.count && b->port < ALOE_PORTS_MAX && shares_sound(c, b) &&
	    item != 0 && b->depth >= 1 && b->depth <= 1 << 20 && (b->depth & (b->depth - 1)) == 0 &&
	    b->canary == image_canary(item, b->max) && b->stride >= b->canary + 8 &&
	    b->stride % 64 == 0 && b->stride <= 1ull << 32 &&
	    inside(b->messages, b->depth, sizeof(struct image_message), 64, h->total_bytes) &&
	    inside(b->data, b->depth, b->stride, 64, h->total_bytes);
}

/* A component that was told of `max` items of a type is never given more, nor others. */
static bool ports_sound(const struct check *c)
{
	const struct image_head *h = c->head;
	const struct image_buffer *buffers = rows(c, &h->buffers);
	const struct image_input *in = rows(c, &h->inputs);
	const struct image_output *out = rows(c, &h->outputs);

	for (uint64_t i = 0; i < h->inputs.count; i++)
		if (in[i].buffer != IMAGE_NONE &&
		    (in[i].buffer >= h->buffers.count || in[i].type != buffers[in[i].buffer].type ||
		        in[i].max < buffers[in[i].buffer].max))
			return false;
	for (uint64_t i = 0; i < h->outputs.count; i++)
		if (out[i].buffer != IMAGE_NONE &&
		    (out[i].buffer >= h->buffers.count ||
		        out[i].type != buffers[out[i].buffer].type ||
		        out[i].max != buffers[out[i].buffer].max))
			return false;
	return true;
}

static uint64_t array_bytes(const struct image_param *param)
{
	return sizeof(struct image_array) + 4ull * param->items_max;
}

static bool params_sound(const struct check *c)
{
	const struct image_head *h = c->head;
	const struct image_param *param = rows(c, &h->params);

	for (uint64_t i = 0; i < h->params.count; i++)
		if (param[i].n_names > h->text.count || /* each takes a byte at least */
		    (param[i].n_reals > 0 &&
		        !inside(param[i].reals, param[i].n_reals, 4, 4, h->static_bytes)) ||
		    (param[i].array != 0 &&
		        (param[i].items_max > IMAGE_ITEMS_MAX ||
		            param[i].n_reals > param[i].items_max ||
		            !inside(
		                param[i].array, 1, array_bytes(&param[i]), 64, h->total_bytes))))
			return false;
	return true;
}

static bool radios_sound(const struct check *c)
{
	const struct image_head *h = c->head;
	const struct image_radio *radio = rows(c, &h->radios);
	uint64_t channels = 0;

	if (h->clock == IMAGE_RADIO &&
	    (h->slot_samples == 0 || !(h->rate_hz > 0) || h->radios.count == 0))
		return false;
	for (uint64_t i = 0; i < h->radios.count; i++) {
		if (radio[i].n_channels == 0 || radio[i].n_channels > 2 || radio[i].spp == 0 ||
		    radio[i].spp > 2000 || radio[i].ticks_per_sample == 0 ||
		    !(radio[i].clock_rate > 0) || radio[i].group_port > UINT16_MAX)
			return false;
		channels += radio[i].n_channels;
	}
	return channels <= IMAGE_RADIO_CHANNELS_MAX;
}

int image_check(const void *bytes, size_t len, const char **ret_why)
{
	const struct image_head *h = bytes;
	const struct check c = {bytes, h};

	*ret_why = "too short, or no image of this version";
	if (len < sizeof(*h) || h->magic != IMAGE_MAGIC || h->version != IMAGE_VERSION)
		return -EBADMSG;
	*ret_why = "sizes do not agree";
	if (h->static_bytes < sizeof(*h) || h->static_bytes > len ||
	    h->total_bytes < h->static_bytes || h->total_bytes > 1ull << 40)
		return -EBADMSG;
	*ret_why = "a number in the head makes no sense";
	if (h->slot_ns == 0 || h->slots == 0 || h->latency_slots == 0 ||
	    h->n_hosts > IMAGE_INSTANCES_MAX || h->clock > IMAGE_RADIO || h->late > IMAGE_SKIP ||
	    h->copies == 0 || h->instances.count % h->copies != 0)
		return -EBADMSG;
	*ret_why = "a table lies outside the program";
	if (!tables_sound(h) || !inside(h->run, 1, sizeof(struct image_run), 64, h->total_bytes))
		return -EBADMSG;
	*ret_why = "text is not terminated";
	if (h->text.count == 0 || c.bytes[h->text.offset + h->text.count - 1] != 0)
		return -EBADMSG;
	*ret_why = "a table names something that is not there";
	for (uint64_t i = 0; i < h->segments.count; i++)
		if (!segment_sound(&c, (const struct image_segment *)rows(&c, &h->segments) + i))
			return -EBADMSG;
	for (uint64_t i = 0; i < h->instances.count; i++)
		if (!instance_sound(&c, (const struct image_instance *)rows(&c, &h->instances) + i))
			return -EBADMSG;
	for (uint64_t i = 0; i < h->buffers.count; i++)
		if (!buffer_sound(&c, (const struct image_buffer *)rows(&c, &h->buffers) + i))
			return -EBADMSG;
	if (!lanes_sound(&c) || !ports_sound(&c) || !params_sound(&c) || !radios_sound(&c))
		return -EBADMSG;
	*ret_why = NULL;
	return 0;
}

/* ---- making ----------------------------------------------------------------------------------------------------------- */

static uint64_t place(uint64_t *top, uint64_t bytes)
{
	const uint64_t at = (*top + 63) & ~63ull;

	*top = at + bytes;
	return at;
}

void image_layout(void *program)
{
	struct image_head *h = program;
	struct image_lane *lanes = (void *)((uint8_t *)program + h->lanes.offset);
	struct image_segment *segments = (void *)((uint8_t *)program + h->segments.offset);
	struct image_instance *instances = (void *)((uint8_t *)program + h->instances.offset);
	const uint32_t *order = (const void *)((uint8_t *)program + h->order.offset);
	struct image_buffer *buffers = (void *)((uint8_t *)program + h->buffers.offset);
	struct image_param *params = (void *)((uint8_t *)program + h->params.offset);
	uint64_t top = h->static_bytes;

	h->run = place(&top, sizeof(struct image_run));
	for (uint64_t i = 0; i < h->segments.count; i++) {
		segments[i].state = place(&top, sizeof(struct image_segment_state));
		segments[i].events =
		    place(&top, (uint64_t)segments[i].n_events * sizeof(struct image_event));
	}
	for (uint64_t i = 0; i < h->lanes.count; i++) {
		lanes[i].state = place(&top, sizeof(struct image_lane_state));
		lanes[i].last = IMAGE_NONE;
	}
	for (uint32_t i = 0; i < h->segments.count; i++)
		if (segments[i].lane < h->lanes.count)
			lanes[segments[i].lane].last = i;
	for (uint64_t i = 0; i < h->order.count; i++)
		if (order[i] < h->instances.count)
			instances[order[i]].time = place(&top, sizeof(struct hist_head));
	for (uint64_t i = 0; i < h->instances.count; i++) {
		instances[i].state = place(&top, sizeof(struct image_instance_state));
		instances[i].latency =
		    instances[i].sink != 0 ? place(&top, sizeof(struct image_latency)) : 0;
	}
	for (uint64_t i = 0; i < h->params.count; i++)
		if (params[i].kind == ALOE_KIND_REALS && (params[i].flags & ALOE_LIVE))
			params[i].array = place(&top, array_bytes(&params[i]));
	for (uint64_t i = 0; i < h->buffers.count; i++) {
		struct image_buffer *b = &buffers[i];

		b->canary = image_canary(aloe_item_bytes(b->type), b->max);
		b->stride = (b->canary + 8 + 63) & ~63ull;
		b->messages = place(&top, b->depth * sizeof(struct image_message));
		b->data = b->shares > 0 && b->shares <= i ? buffers[b->shares - 1].data
		                                          : place(&top, b->depth * b->stride);
	}
	h->total_bytes = (top + 4095) & ~4095ull;
}

int image_memfd(const char *name, size_t bytes)
{
	const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int error;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)bytes) != 0)
		error = errno;
	else
		error = posix_fallocate(fd, 0, (off_t)bytes);
	if (error == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		error = errno;
	if (error != 0) {
		close(fd);
		return -error;
	}
	return fd;
}

void *image_map(int fd, size_t bytes, bool writable)
{
	struct stat stat;
	void *base;

	if (fstat(fd, &stat) != 0 || (uint64_t)stat.st_size < bytes)
		return NULL;
	base = mmap(NULL, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
	return base == MAP_FAILED ? NULL : base;
}

static void canaries_write(const struct image_view *view)
{
	const uint64_t canary = IMAGE_CANARY;

	for (uint32_t b = 0; b < view->head->buffers.count; b++)
		for (uint32_t m = 0; m < view->buffers[b].depth; m++)
			memcpy(image_data(view, b) + m * view->buffers[b].stride +
			        view->buffers[b].canary,
			    &canary, 8);
}

static void state_init(const struct image_view *view)
{
	atomic_store(&image_run(view)->last,
	    view->head->slots == IMAGE_FOREVER ? IMAGE_FOREVER : view->head->slots - 1);
	for (uint32_t i = 0; i < view->head->instances.count; i++)
		if (view->instances[i].latency != 0)
			atomic_store(&image_latency(view, i)->slots_min, UINT64_MAX);
}

int image_create(const void *program, size_t len)
{
	const struct image_head *h = program;
	const char *why;
	struct image_view view = {0};
	int error, fd;

	if (image_check(program, len, &why) != 0)
		return -EBADMSG;
	fd = image_memfd("aloe-waveform", h->total_bytes);
	if (fd < 0)
		return fd;
	error = pwrite(fd, program, h->static_bytes, 0) == (ssize_t)h->static_bytes ? 0 : -EIO;
	if (error == 0)
		error = image_open(fd, true, &view);
	if (error != 0) {
		close(fd);
		return error;
	}
	canaries_write(&view);
	state_init(&view);
	image_close(&view);
	return fd;
}

/* ---- opening ---------------------------------------------------------------------------------------------------------- */

static void view_bind(struct image_view *v)
{
	const uint8_t *copy = v->copy;

	v->head = v->copy;
	v->lanes = (const void *)(copy + v->head->lanes.offset);
	v->segments = (const void *)(copy + v->head->segments.offset);
	v->order = (const void *)(copy + v->head->order.offset);
	v->gates = (const void *)(copy + v->head->gates.offset);
	v->instances = (const void *)(copy + v->head->instances.offset);
	v->inputs = (const void *)(copy + v->head->inputs.offset);
	v->outputs = (const void *)(copy + v->head->outputs.offset);
	v->buffers = (const void *)(copy + v->head->buffers.offset);
	v->params = (const void *)(copy + v->head->params.offset);
	v->vars = (const void *)(copy + v->head->vars.offset);
	v->radios = (const void *)(copy + v->head->radios.offset);
}

void image_bind(void *program, struct image_view *ret)
{
	*ret = (struct image_view){.copy = program};
	view_bind(ret);
}

/* Another process may write to it at this moment: each byte is read once, and judged in the copy. */
static int view_copy(struct image_view *v)
{
	const volatile struct image_head *shared = (const void *)v->base;
	const uint64_t static_bytes = shared->static_bytes;
	const char *why;

	if (static_bytes < sizeof(*shared) || static_bytes > v->bytes)
		return -EBADMSG;
	v->copy = malloc(static_bytes);
	if (v->copy == NULL)
		return -ENOMEM;
	memcpy(v->copy, v->base, static_bytes);
	if (image_check(v->copy, static_bytes, &why) != 0)
		return -EBADMSG;
	view_bind(v);
	return v->head->total_bytes <= v->bytes ? 0 : -EBADMSG;
}

int image_open(int fd, bool writable, struct image_view *ret)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct image_view v = {0};
	struct stat stat;
	int error;

	/* Sealed: it must not end while it is mapped. */
	if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &stat) != 0)
		return -EBADMSG;
	v.bytes = (size_t)stat.st_size;
	if (v.bytes < sizeof(struct image_head))
		return -EBADMSG;
	v.base = image_map(fd, v.bytes, writable);
	if (v.base == NULL)
		return -ENOMEM;
	error = view_copy(&v);
	if (error != 0) {
		image_close(&v);
		return error;
	}
	*ret = v;
	return 0;
}

void image_close(struct image_view *view)
{
	if (view->base != NULL)
		munmap(view->base, view->bytes);
	free(view->copy);
	*view = (struct image_view){0};
}

const char *image_text(const struct image_view *view, uint64_t offset)
{
	const struct image_table *text = &view->head->text;

	return offset < text->count ? (const char *)view->copy + text->offset + offset : "";
}

struct image_run *image_run(const struct image_view *view)
{
	return (void *)(view->base + view->head->run);
}

struct image_segment_state *image_segment_state(const struct image_view *view, uint32_t segment)
{
	return (void *)(view->base + view->segments[segment].state);
}

struct image_instance_state *image_instance_state(const struct image_view *view, uint32_t instance)
{
	return (void *)(view->base + view->instances[instance].state);
}

struct hist_head *image_time(const struct image_view *view, uint32_t instance)
{
	return (void *)(view->base + view->instances[instance].time);
}

void image_time_merge(const struct image_view *view, uint32_t instance, struct hist *into)
{
	hist_head_merge(
	    into, image_time(view, instance), &image_instance_state(view, instance)->time_cells);
}

uint64_t image_time_quantile(const struct image_view *view, uint32_t instance, double q)
{
	struct hist time = {0};

	image_time_merge(view, instance, &time);
	return hist_quantile(&time, q);
}

struct image_latency *image_latency(const struct image_view *view, uint32_t instance)
{
	const uint64_t at = view->instances[instance].latency;

	return at != 0 ? (void *)(view->base + at) : NULL;
}

struct image_lane_state *image_lane_state(const struct image_view *view, uint32_t lane)
{
	return (void *)(view->base + view->lanes[lane].state);
}

struct image_message *image_messages(const struct image_view *view, uint32_t buffer)
{
	return (void *)(view->base + view->buffers[buffer].messages);
}

uint8_t *image_data(const struct image_view *view, uint32_t buffer)
{
	return view->base + view->buffers[buffer].data;
}

struct image_event *image_events(const struct image_view *view, uint32_t segment)
{
	return (void *)(view->base + view->segments[segment].events);
}

const float *image_reals(const struct image_view *view, const struct image_param *param)
{
	return (const void *)((const uint8_t *)view->copy + param->reals);
}

static struct image_array *array_of(const struct image_view *view, const struct image_param *param)
{
	return (void *)(view->base + param->array);
}

void image_array_show(
    const struct image_view *view, const struct image_param *param, const float *data, uint32_t len)
{
	struct image_array *array = array_of(view, param);
	const uint64_t edits = atomic_load(&array->edits);
	uint32_t bits;

	if (len > param->items_max)
		return;
	atomic_store(&array->edits, edits + 1);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&array->len, len, memory_order_relaxed);
	for (uint32_t i = 0; i < len; i++) {
		memcpy(&bits, &data[i], sizeof(bits));
		atomic_store_explicit(&array->items[i], bits, memory_order_relaxed);
	}
	atomic_store_explicit(&array->edits, edits + 2, memory_order_release);
}

void image_array_seen(
    const struct image_view *view, const struct image_param *param, uint64_t sequence)
{
	struct image_array *array = array_of(view, param);

	if (sequence > atomic_load_explicit(&array->sequence, memory_order_relaxed))
		atomic_store_explicit(&array->sequence, sequence, memory_order_release);
}

static uint32_t array_copy(
    const struct image_array *array, const struct image_param *param, float *ret)
{
	uint32_t len = atomic_load_explicit(&array->len, memory_order_relaxed), bits;

	if (len > param->items_max)
		len = param->items_max;
	for (uint32_t i = 0; i < len; i++) {
		bits = atomic_load_explicit(&array->items[i], memory_order_relaxed);
		memcpy(&ret[i], &bits, sizeof(bits));
	}
	atomic_thread_fence(memory_order_acquire);
	return len;
}

uint32_t image_array_read(
    const struct image_view *view, const struct image_param *param, float *ret)
{
	enum { TRIES = 1000 }; /* the writer may have died in the middle */
	const struct image_array *array = array_of(view, param);
	uint64_t edits = atomic_load_explicit(&array->edits, memory_order_acquire);
	uint32_t len = 0;

	if (edits == 0) {
		memcpy(ret, image_reals(view, param), param->n_reals * sizeof(*ret));
		return param->n_reals;
	}
	for (int i = 0; i < TRIES; i++) {
		len = array_copy(array, param, ret);
		if (edits % 2 == 0 &&
		    atomic_load_explicit(&array->edits, memory_order_relaxed) == edits)
			break;
		edits = atomic_load_explicit(&array->edits, memory_order_acquire);
	}
	return len;
}

uint64_t image_array_sequence(const struct image_view *view, const struct image_param *param)
{
	return atomic_load_explicit(&array_of(view, param)->sequence, memory_order_acquire);
}

bool image_taken_index(
    const struct image_view *view, uint32_t segment, uint64_t sequence, uint64_t *ret_index)
{
	const struct image_taken *taken =
	    &image_segment_state(view, segment)->taken[sequence % NODE_CHANGES];

	if (atomic_load_explicit(&taken->sequence, memory_order_acquire) < sequence)
		return false;
	*ret_index = atomic_load_explicit(&taken->index, memory_order_relaxed);
	return true;
}

uint32_t image_find_instance(const struct image_view *view, const char *name, size_t len)
{
	for (uint32_t i = 0; i < view->head->instances.count; i++) {
		const char *have = image_text(view, view->instances[i].name);

		if (strlen(have) == len && memcmp(have, name, len) == 0)
			return i;
	}
	return IMAGE_NONE;
}
