/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report_links.c - the graph of the waveform, as the program has it: the links of one copy, and the
 * place of each instance in the order of its lane. */
#include <stdlib.h>

#include "core/registry/registry.h"
#include "daemons/exec/report.h"

static json_t *link_json(
    const struct image_view *view, uint32_t reader, const struct image_input *input)
{
	const struct image_buffer *buffer = &view->buffers[input->buffer];
	const struct image_instance *from = &view->instances[buffer->instance],
	                            *to = &view->instances[reader];
	const char *type = item_type_name(buffer->type);
	json_t *o = json_object();

	put_text(o, "from", image_text(view, from->original));
	put_text(
	    o, "from_port", image_text(view, view->outputs[from->outputs + buffer->port].name));
	put_text(o, "to", image_text(view, to->original));
	put_text(o, "to_port", image_text(view, input->name));
	put_u64(o, "delay", input->delay);
	json_object_set_new(o, "distance",
	    json_integer((json_int_t)input->delay + (json_int_t)to->lag - (json_int_t)from->lag));
	put_text(o, "type", type != NULL ? type : "?");
	put_u64(o, "items", buffer->max);
	return o;
}

json_t *report_links(const struct exec_wave *wave)
{
	const struct image_view *view = &wave->view;
	json_t *array = json_array();

	for (uint32_t i = 0; i < view->head->instances.count / view->head->copies; i++) {
		const struct image_instance *row = &view->instances[i];

		for (uint32_t p = 0; row->place == 0 && p < row->n_inputs; p++)
			if (view->inputs[row->inputs + p].buffer != IMAGE_NONE)
				json_array_append_new(
				    array, link_json(view, i, &view->inputs[row->inputs + p]));
	}
	return array;
}

uint32_t *report_places(const struct exec_wave *wave)
{
	const struct image_view *view = &wave->view;
	uint32_t *places = calloc(view->head->instances.count + 1, sizeof(*places)),
	         *lane = calloc(view->head->lanes.count + 1, sizeof(*lane));

	for (uint32_t s = 0; places != NULL && lane != NULL && s < view->head->segments.count;
	     s++) {
		const struct image_segment *segment = &view->segments[s];

		for (uint32_t i = 0; i < segment->n_instances; i++)
			places[view->order[segment->order + i]] = ++lane[segment->lane];
	}
	free(lane);
	return places;
}
