/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/image_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <aloe/component.h>

struct walk {
	const struct image_view *view;
	uint64_t sum;
};

static void insist(bool holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "image_walk: %s\n", what);
		abort();
	}
}

static void touch(struct walk *w, const void *at, uint64_t bytes, const uint8_t *base,
    uint64_t limit, const char *what)
{
	const uint64_t offset = (uint64_t)((const uint8_t *)at - base);

	if (bytes == 0)
		return;
	insist((const uint8_t *)at >= base && offset <= limit && bytes <= limit - offset, what);
	w->sum += ((const volatile uint8_t *)at)[0] + ((const volatile uint8_t *)at)[bytes - 1];
}

static void shared(struct walk *w, const void *at, uint64_t bytes, uint64_t align, const char *what)
{
	insist((uint64_t)((const uint8_t *)at - w->view->base) % align == 0, what);
	touch(w, at, bytes, w->view->base, w->view->bytes, what);
}

static void own(struct walk *w, const void *at, uint64_t bytes, const char *what)
{
	touch(w, at, bytes, w->view->program, w->view->head->static_bytes, what);
}

static void text(struct walk *w, uint64_t offset)
{
	const char *at = image_text(w->view, offset);

	w->sum += strlen(at);
	if (at[0] != 0)
		own(w, at, strlen(at) + 1, "text");
}

static void walk_segment(struct walk *w, uint32_t s)
{
	const struct image_view *v = w->view;
	const struct image_segment *row = &v->segments[s];

	own(w, row, sizeof(*row), "segment");
	own(w, &v->lanes[row->lane], sizeof(struct image_lane), "lane");
	shared(
	    w, image_lane_state(v, row->lane), sizeof(struct image_lane_state), 64, "lane state");
	insist(v->lanes[row->lane].last == IMAGE_NONE ||
	        v->lanes[row->lane].last < v->head->segments.count,
	    "the lane's last segment");
	insist(row->host < v->head->n_hosts, "host");
	for (uint32_t i = 0; i < row->n_instances; i++) {
		own(w, &v->order[row->order + i], 4, "order");
		insist(v->instances[v->order[row->order + i]].segment == s,
		    "order names an instance of another segment");
	}
	for (uint32_t g = 0; g < row->n_gates; g++) {
		own(w, &v->gates[row->gates + g], sizeof(struct image_gate), "gate");
		shared(w, image_segment_state(v, v->gates[row->gates + g].segment), 64, 64,
		    "gate state");
	}
	shared(
	    w, image_segment_state(v, s), sizeof(struct image_segment_state), 64, "segment state");
	shared(w, image_events(v, s), row->n_events * sizeof(struct image_event), 8, "events");
}

static void walk_buffer(struct walk *w, uint32_t b)
{
	const struct image_view *v = w->view;
	const struct image_buffer *row = &v->buffers[b];
	const uint64_t items = (uint64_t)aloe_item_bytes(row->type) * row->max;

	own(w, row, sizeof(*row), "buffer");
	insist(row->depth > 0 && (row->depth & (row->depth - 1)) == 0 && items > 0
	        ? items / row->max <= 8
	        : row->max == 0,
	    "buffer type");
	shared(w, image_messages(v, b), row->depth * sizeof(struct image_message), 8, "messages");
	for (uint32_t m = 0; m<row->depth; m += row->depth> 64 ? row->depth - 1 : 1) {
		const uint8_t *at = image_data(v, b) + m * row->stride;

		shared(w, at, items, 64, "items");
		shared(w, at - 8, 8, 1, "canary before");
		shared(w, at + row->canary, 8, 1, "canary");
		insist(row->canary >= items &&
		        (m == row->depth - 1 || row->canary + 16 <= row->stride),
		    "canary in items");
	}
}

static void walk_param(struct walk *w, const struct image_param *row)
{
	uint64_t at = row->names;

	own(w, row, sizeof(*row), "param");
	text(w, row->name);
	text(w, row->text);
	for (uint32_t i = 0; i < row->n_names; i++) {
		text(w, at);
		at += strlen(image_text(w->view, at)) + 1;
	}
	if (row->n_reals > 0)
		own(w, image_reals(w->view, row), row->n_reals * 4ull, "reals");
	if (row->array != 0) {
		shared(w, w->view->base + row->array,
		    sizeof(struct image_array) + 4ull * row->items_max, 64, "array");
		insist(row->n_reals <= row->items_max, "more items than an array holds");
	}
}

static void walk_ports(struct walk *w, const struct image_instance *row)
{
	const struct image_view *v = w->view;

	for (uint32_t p = 0; p < row->n_inputs; p++) {
		const struct image_input *in = &v->inputs[row->inputs + p];

		own(w, in, sizeof(*in), "input");
		text(w, in->name);
		if (in->buffer != IMAGE_NONE)
			insist(v->buffers[in->buffer].max <= in->max &&
			        v->buffers[in->buffer].type == in->type,
			    "more than the input was told of");
	}
	for (uint32_t p = 0; p < row->n_outputs; p++) {
		const struct image_output *out = &v->outputs[row->outputs + p];

		own(w, out, sizeof(*out), "output");
		text(w, out->name);
		if (out->buffer != IMAGE_NONE)
			insist(v->buffers[out->buffer].max == out->max &&
			        v->buffers[out->buffer].type == out->type,
			    "an output of another size");
	}
}

static void walk_instance(struct walk *w, uint32_t i)
{
	const struct image_view *v = w->view;
	const struct image_instance *row = &v->instances[i];

	own(w, row, sizeof(*row), "instance");
	text(w, row->name);
	text(w, row->component);
	text(w, row->path);
	own(w, &v->segments[row->segment], sizeof(struct image_segment), "instance segment");
	insist(row->n_inputs <= ALOE_PORTS_MAX && row->n_outputs <= ALOE_PORTS_MAX &&
	        row->n_vars <= IMAGE_VARS_MAX && row->n_params <= IMAGE_PARAMS_MAX &&
	        row->period > 0,
	    "numbers of an instance");
	walk_ports(w, row);
	for (uint32_t p = 0; p < row->n_params; p++)
		walk_param(w, &v->params[row->params + p]);
	for (uint32_t p = 0; p < row->n_vars; p++) {
		own(w, &v->vars[row->vars + p], sizeof(struct image_var), "var");
		text(w, v->vars[row->vars + p].name);
	}
	if (row->sink != 0)
		own(w, &v->instances[row->sink - 1], sizeof(*row), "source of a sink");
	shared(w, image_instance_state(v, i), sizeof(struct image_instance_state), 64,
	    "instance state");
	shared(w, image_time(v, i), sizeof(struct hist_head), 64, "times");
}

uint64_t image_walk(const struct image_view *view)
{
	struct walk w = {view, 0};

	insist(view->bytes >= view->head->total_bytes, "the file is shorter than the image");
	own(&w, view->head, sizeof(struct image_head), "head");
	text(&w, view->head->name);
	text(&w, view->head->isolation);
	text(&w, view->head->overrun);
	shared(&w, image_run(view), sizeof(struct image_run), 8, "run");
	for (uint64_t s = 0; s < view->head->segments.count; s++)
		walk_segment(&w, (uint32_t)s);
	for (uint64_t i = 0; i < view->head->instances.count; i++)
		walk_instance(&w, (uint32_t)i);
	for (uint64_t b = 0; b < view->head->buffers.count; b++)
		walk_buffer(&w, (uint32_t)b);
	w.sum += image_find_instance(view, "n1", 2) != IMAGE_NONE;
	return w.sum;
}

/* Not allocated in full. */
static int sealed_file(uint64_t total)
{
	const int fd = memfd_create("image", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	insist(fd >= 0 && ftruncate(fd, (off_t)total) == 0, "memfd");
	insist(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0, "seal");
	return fd;
}

int image_try(const void *program, size_t len, uint64_t total_max, const char **ret_why)
{
	const struct image_head *head = program;
	const int status = image_check(program, len, ret_why);
	struct image_files files;
	struct image_view view;

	if (status != 0 || head->total_bytes > total_max)
		return status;
	files.program = image_memfd_sealed("program", program, head->static_bytes);
	files.image = sealed_file(head->total_bytes);
	insist(image_open(&files, false, &view) == 0, "what passed the check does not open");
	image_walk(&view);
	image_close(&view);
	image_files_close(&files);
	return 0;
}
