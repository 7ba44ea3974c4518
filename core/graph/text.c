/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph for a terminal. An instance is a line, its writers stand above it. An output is a
 * vertical line in a column of its own, from the line that names it to its last reader:
 *
 *	      1 source  random_source
 *	+---- out: 100 bit
 *	`-->  2 mod  bpsk_mod */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/graph.h"

enum { NONE = UINT32_MAX };

struct text_output {   /* an output that has readers further down */
	uint32_t link; /* the first of its links */
	uint32_t from_row, last_row, column;
};

struct text_drawing {
	const struct graph *graph;
	FILE *out;
	bool colour;
	uint32_t *order; /* instances by row */
	struct text_output *outputs;
	uint32_t n_outputs, n_columns;
	int name_width, component_width;
};

static bool is_down(const struct graph *graph, const struct graph_link *link)
{
	return graph->instances[link->to].row > graph->instances[link->from].row;
}

static bool is_same_output(const struct graph_link *a, const struct graph_link *b)
{
	return a->from == b->from && strcmp(a->from_port, b->from_port) == 0;
}

static struct text_output *output_of(struct text_drawing *drawing, uint32_t link)
{
	for (uint32_t o = 0; o < drawing->n_outputs; o++)
		if (is_same_output(&drawing->graph->links[drawing->outputs[o].link],
		        &drawing->graph->links[link]))
			return &drawing->outputs[o];
	return NULL;
}

static void outputs_find(struct text_drawing *drawing)
{
	const struct graph *graph = drawing->graph;

	for (uint32_t l = 0; l < graph->n_links; l++) {
		const struct graph_link *link = &graph->links[l];
		struct text_output *output = output_of(drawing, l);

		if (!output) {
			output = &drawing->outputs[drawing->n_outputs++];
			*output = (struct text_output){.link = l,
			    .from_row = graph->instances[link->from].row,
			    .column = NONE};
		}
		if (is_down(graph, link) && graph->instances[link->to].row > output->last_row)
			output->last_row = graph->instances[link->to].row;
	}
}

static bool is_free(
    const struct text_drawing *drawing, const struct text_output *for_output, uint32_t column)
{
	for (uint32_t o = 0; o < drawing->n_outputs; o++) {
		const struct text_output *other = &drawing->outputs[o];

		if (other->column == column && other->last_row > for_output->from_row &&
		    other->from_row < for_output->last_row)
			return false;
	}
	return true;
}

/* Long lines stand to the left, so that short ones do not cross them. */
static void columns_choose(struct text_drawing *drawing)
{
	for (;;) {
		struct text_output *longest = NULL;
		uint32_t column = 0;

		for (uint32_t o = 0; o < drawing->n_outputs; o++) {
			struct text_output *output = &drawing->outputs[o];

			if (output->column == NONE && output->last_row > output->from_row &&
			    (!longest ||
			        output->last_row - output->from_row >
			            longest->last_row - longest->from_row))
				longest = output;
		}
		if (!longest)
			return;
		while (!is_free(drawing, longest, column))
			column++;
		longest->column = column;
		if (column >= drawing->n_columns)
			drawing->n_columns = column + 1;
	}
}

static void bold_put(const struct text_drawing *drawing, bool bold)
{
	if (drawing->colour)
		fputs(bold ? "\033[1m" : "\033[0m", drawing->out);
}

/* The columns in front of a line: `starts` begins there; of a row's instance (starts NULL) the
 * columns that it reads end there or go on. */
static void columns_put(
    const struct text_drawing *drawing, uint32_t row, const struct text_output *starts)
{
	const struct graph *graph = drawing->graph;
	bool across = false;

	for (uint32_t c = 0; c < drawing->n_columns; c++) {
		char mark = across ? '-' : ' ';

		for (uint32_t o = 0; o < drawing->n_outputs; o++) {
			const struct text_output *output = &drawing->outputs[o];
			bool reads = false;

			if (output->column != c ||
			    (starts ? output->last_row <= row || output->from_row > row
			            : output->last_row < row || output->from_row >= row))
				continue;
			for (uint32_t l = 0; !starts && l < graph->n_links; l++)
				reads = reads ||
				    (graph->instances[graph->links[l].to].row == row &&
				        is_same_output(
				            &graph->links[l], &graph->links[output->link]));
			if (output == starts)
				mark = '+';
			else if (starts && output->from_row == row && output > starts)
				mark = across ? '-' : ' '; /* begins below */
			else
				mark = reads ? output->last_row == row ? '`' : '+' : '|';
			across = across || reads || output == starts;
		}
		fputc(mark, drawing->out);
		fputc(across ? '-' : ' ', drawing->out);
	}
	fputs(across ? starts ? "- " : "> " : "  ", drawing->out);
}

static void instance_put(const struct text_drawing *drawing, uint32_t row)
{
	const struct graph *graph = drawing->graph;
	const struct graph_instance *instance = &graph->instances[drawing->order[row]];

	columns_put(drawing, row, NULL);
	bold_put(drawing, instance->on_path);
	if (drawing->colour && instance->lane >= 0)
		fprintf(drawing->out, "\033[%dm", 31 + (instance->lane + 3) % 6);
	fprintf(drawing->out, "%-*s", drawing->name_width, instance->name);
	bold_put(drawing, false);
	fprintf(drawing->out, "  %-*s  ", drawing->component_width, instance->component);
	if (instance->lane < 0)
		fputs("several lanes", drawing->out);
	else
		fprintf(drawing->out, "lane %u, place %u", graph->lanes[instance->lane].number,
		    instance->order);
	if (instance->lag > 0)
		fprintf(drawing->out, ", lag %u", instance->lag);
	if (instance->figures[0])
		fprintf(drawing->out, "  %s", instance->figures);
	bold_put(drawing, instance->trouble[0] != 0);
	if (instance->trouble[0])
		fprintf(drawing->out, "  %s", instance->trouble);
	bold_put(drawing, false);
	fputc('\n', drawing->out);
}

/* What is not seen from the lines: readers further up, inputs of another name than "in", declared
 * delays, and distances. */
static void readers_put(const struct text_drawing *drawing, const struct text_output *output)
{
	const struct graph *graph = drawing->graph;

	for (uint32_t l = 0; l < graph->n_links; l++) {
		const struct graph_link *link = &graph->links[l];

		if (!is_same_output(link, &graph->links[output->link]) ||
		    (is_down(graph, link) && link->delay == 0 && link->distance == 0 &&
		        strcmp(link->to_port, "in") == 0))
			continue;
		fprintf(drawing->out, ", to %s.%s", graph->instances[link->to].name, link->to_port);
		if (link->delay > 0)
			fprintf(drawing->out, " delay %u", link->delay);
		if (link->distance > 0)
			fprintf(drawing->out, " distance %u", link->distance);
	}
}

static void output_put(
    const struct text_drawing *drawing, uint32_t row, const struct text_output *output)
{
	const struct graph_link *link = &drawing->graph->links[output->link];
	bool on_path = false;

	for (uint32_t l = 0; l < drawing->graph->n_links; l++)
		on_path = on_path ||
		    (drawing->graph->links[l].on_path &&
		        is_same_output(link, &drawing->graph->links[l]));
	columns_put(drawing, row, output);
	bold_put(drawing, on_path);
	fprintf(drawing->out, "%s: %u %s", link->from_port, link->items, link->type);
	bold_put(drawing, false);
	readers_put(drawing, output);
	fputc('\n', drawing->out);
}

static void head_put(const struct text_drawing *drawing)
{
	const struct graph *graph = drawing->graph;

	bold_put(drawing, true);
	fprintf(drawing->out, "%s", graph->waveform);
	bold_put(drawing, false);
	fprintf(drawing->out, ": %s\n", graph->head);
	bold_put(drawing, true);
	fprintf(drawing->out, "%s\n", graph->latency);
	bold_put(drawing, false);
	for (uint32_t l = 0; l < graph->n_lanes; l++) {
		const struct graph_lane *lane = &graph->lanes[l];

		fprintf(drawing->out, "lane %u (%s%sCPU %d)%s%s%s%s\n", lane->number, lane->node,
		    lane->node[0] ? " " : "", lane->cpu, lane->figures[0] ? ": " : "",
		    lane->figures, lane->trouble[0] ? "; " : "", lane->trouble);
	}
	fputc('\n', drawing->out);
}

static void drawing_put(struct text_drawing *drawing)
{
	const struct graph *graph = drawing->graph;

	for (uint32_t i = 0; i < graph->n_instances; i++) {
		const struct graph_instance *instance = &graph->instances[i];
		const int name = (int)strnlen(instance->name, 40),
		          component = (int)strnlen(instance->component, 40);

		drawing->order[instance->row] = i;
		drawing->name_width = name > drawing->name_width ? name : drawing->name_width;
		if (component > drawing->component_width)
			drawing->component_width = component;
	}
	outputs_find(drawing);
	columns_choose(drawing);
	head_put(drawing);
	for (uint32_t row = 0; row < graph->n_instances; row++) {
		instance_put(drawing, row);
		for (uint32_t o = 0; o < drawing->n_outputs; o++)
			if (drawing->outputs[o].from_row == row)
				output_put(drawing, row, &drawing->outputs[o]);
	}
}

int graph_text(const struct graph *graph, bool colour, FILE *out)
{
	struct text_drawing drawing = {.graph = graph,
	    .out = out,
	    .colour = colour,
	    .order = calloc(graph->n_instances + 1u, sizeof(*drawing.order)),
	    .outputs = calloc(graph->n_links + 1u, sizeof(*drawing.outputs))};
	const bool ok = drawing.order && drawing.outputs;

	if (ok)
		drawing_put(&drawing);
	free(drawing.order);
	free(drawing.outputs);
	return ok ? 0 : -ENOMEM;
}
