/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph as text of Graphviz. Instances are nodes n0, n1 ... and all names stand in HTML-like
 * labels, so that a name is escaped in one place. A long chain is folded into rows, the second of
 * which goes back to the left, so that the picture of it is as wide as a page. */
#include <math.h>
#include <string.h>

#include "core/graph/graph.h"

/* Light boxes with dark text on a white ground, which stays white where the page is dark. */
static const char *const lane_colours[] = {
    "#cfe3f7", "#ffe0b8", "#cdebd2", "#f3d0e0", "#e3d7f5", "#f6efb0", "#c9eeee", "#e4dccf"};
static const char several_colour[] = "#e8e8e8", ink[] = "#1f2328", grey[] = "#57606a",
                  red[] = "#b3261e";

enum { COLOURS = sizeof(lane_colours) / sizeof(lane_colours[0]), CHAIN_MIN = 9 };

/* Names are ASCII; of anything else a picture shows a question mark. */
static void text_put(const char *text, FILE *out)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\\':
			fputs("&#92;", out);
			break;
		default:
			fputc(*text >= ' ' && *text <= '~' ? *text : '?', out);
		}
}

/* In HTML-like labels an empty element is an error. */
static void element_put(const char *open, const char *text, const char *close, FILE *out)
{
	if (!text[0])
		return;
	fputs(open, out);
	text_put(text, out);
	fputs(close, out);
}

static const char *lane_colour(int lane)
{
	return lane < 0 ? several_colour : lane_colours[lane % COLOURS];
}

static void lane_put(const struct graph *graph, uint32_t l, FILE *out)
{
	const struct graph_lane *lane = &graph->lanes[l];

	fprintf(out, "<TR><TD ALIGN=\"LEFT\" BGCOLOR=\"%s\">lane %u (", lane_colour((int)l),
	    lane->number);
	text_put(lane->node, out);
	fprintf(out, "%sCPU %d)", lane->node[0] ? " " : "", lane->cpu);
	element_put(": ", lane->figures, "", out);
	if (lane->trouble[0])
		fprintf(out, "<FONT COLOR=\"%s\"><B>", red);
	element_put("; ", lane->trouble, "</B></FONT>", out);
	fputs("</TD></TR>", out);
}

static void title_put(const struct graph *graph, FILE *out)
{
	fputs("\tlabel=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"2\">"
	      "<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"16\"><B>",
	    out);
	text_put(graph->waveform[0] ? graph->waveform : "?", out);
	fputs("</B></FONT>", out);
	element_put(": ", graph->head, "", out);
	fputs("</TD></TR>", out);
	element_put(
	    "<TR><TD ALIGN=\"LEFT\"><B>", graph->latency, "</B> (thick lines)</TD></TR>", out);
	for (uint32_t l = 0; l < graph->n_lanes; l++)
		lane_put(graph, l, out);
	fputs("</TABLE>>;\n", out);
}

static void instance_put(const struct graph *graph, uint32_t i, FILE *out)
{
	const struct graph_instance *instance = &graph->instances[i];

	fprintf(out, "\tn%u [fillcolor=\"%s\", penwidth=%s, label=<<B>", i,
	    lane_colour(instance->lane), instance->on_path ? "2.2" : "0.8");
	text_put(instance->name[0] ? instance->name : "?", out);
	fputs("</B>", out);
	element_put("<BR/><FONT POINT-SIZE=\"10\">", instance->component, "</FONT>", out);
	fputs("<BR/><FONT POINT-SIZE=\"9\">", out);
	if (instance->lane < 0)
		fputs("several lanes", out);
	else
		fprintf(
		    out, "lane %u, place %u", graph->lanes[instance->lane].number, instance->order);
	if (instance->lag > 0)
		fprintf(out, ", lag %u", instance->lag);
	fputs("</FONT>", out);
	element_put("<BR/><FONT POINT-SIZE=\"9\">", instance->figures, "</FONT>", out);
	if (instance->trouble[0])
		fprintf(out, "<BR/><FONT POINT-SIZE=\"10\" COLOR=\"%s\"><B>", red);
	element_put("", instance->trouble, "</B></FONT>", out);
	fputs(">];\n", out);
}

/* ---- a chain in rows ------------------------------------------------------------------ */

/* How many instances a row has; 0: the graph is not folded. */
static uint32_t row_length(const struct graph *graph)
{
	const uint32_t steps = graph->path_steps;

	if (steps < CHAIN_MIN || 2 * (graph->n_instances - steps) > steps)
		return 0;
	return (uint32_t)ceil(sqrt(1.2 * steps));
}

static void rows_put(const struct graph *graph, uint32_t row, FILE *out)
{
	for (uint32_t first = 0; row > 0 && first < graph->path_steps; first += row) {
		fputs("\t{ rank=same;", out);
		for (uint32_t i = 0; i < graph->n_instances; i++) {
			const struct graph_instance *instance = &graph->instances[i];

			if (instance->on_path && instance->step >= first &&
			    instance->step < first + row)
				fprintf(out, " n%u;", i);
		}
		fputs(" }\n", out);
	}
}

/* An odd row goes to the left: its links are drawn from their ends. */
static bool is_turned(const struct graph *graph, const struct graph_link *link, uint32_t row)
{
	const struct graph_instance *from = &graph->instances[link->from],
	                            *to = &graph->instances[link->to];

	return row > 0 && from->on_path && to->on_path && from->step / row == to->step / row &&
	    (from->step / row) % 2 == 1;
}

static bool is_usual(const struct graph_link *link)
{
	return strcmp(link->from_port, "out") == 0 && strcmp(link->to_port, "in") == 0;
}

static void link_put(
    const struct graph *graph, const struct graph_link *link, uint32_t row, FILE *out)
{
	const bool turned = is_turned(graph, link, row);
	/* what is not of the chain stands below its last row, not between its instances */
	const bool below = row > 0 && !graph->instances[link->to].on_path;

	fprintf(out, "\tn%u -> n%u [%spenwidth=%s, color=\"%s\"%s, label=<&#160;%u ",
	    turned ? link->to : link->from, turned ? link->from : link->to,
	    turned ? "dir=back, " : "", link->on_path ? "2.2" : "0.8", link->on_path ? ink : grey,
	    link->delay > 0 ? ", style=dashed, constraint=false"
	        : below     ? ", minlen=2"
	                    : "",
	    link->items);
	text_put(link->type, out);
	fputs("&#160;", out);
	if (!is_usual(link)) {
		fputs("<BR/>", out);
		text_put(link->from_port, out);
		fputs(" to ", out);
		text_put(link->to_port, out);
	}
	if (link->delay > 0)
		fprintf(out, "<BR/>delay %u", link->delay);
	if (link->distance > 0)
		fprintf(out, "<BR/><B>distance %u</B>", link->distance);
	fputs(">];\n", out);
}

void graph_dot(const struct graph *graph, FILE *out)
{
	const uint32_t row = row_length(graph);

	fprintf(out,
	    "digraph waveform {\n"
	    "\tgraph [rankdir=TB, bgcolor=white, pad=0.2, nodesep=0.3, ranksep=0.35, labelloc=t, "
	    "labeljust=l, fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, "
	    "fontcolor=\"%s\"];\n"
	    "\tnode [shape=box, style=\"rounded,filled\", margin=\"0.1,0.05\", color=\"%s\", "
	    "fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, fontcolor=\"%s\"];\n"
	    "\tedge [arrowsize=0.7, fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, "
	    "fontcolor=\"%s\"];\n",
	    ink, grey, ink, ink);
	title_put(graph, out);
	for (uint32_t i = 0; i < graph->n_instances; i++)
		instance_put(graph, i, out);
	rows_put(graph, row, out);
	for (uint32_t l = 0; l < graph->n_links; l++)
		link_put(graph, &graph->links[l], row, out);
	fputs("}\n", out);
}
