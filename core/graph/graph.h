/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/graph/graph.h - a waveform as a picture: what is drawn, and the drawing as text of Graphviz
 * or for a terminal. Pure functions.
 *
 *      waveform and plan --graph_of_plan----.
 *                                           |--> struct graph --> graph_dot, graph_text
 *      report of a run   --graph_of_report--'
 *
 * Copies of a waveform are drawn once. A graph points into the waveform or the report that it was
 * made of, which must outlive the graph.
 */
#ifndef ALOE_GRAPH_H
#define ALOE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/json/json.h"
#include "core/map/plan.h"
#include "core/waveform/waveform.h"

/* A larger graph is no picture: both makers refuse it with -E2BIG. */
enum { GRAPH_INSTANCES_MAX = 2000, GRAPH_LINKS_MAX = 20000, GRAPH_LANES_MAX = 1024 };

struct graph_instance {
	const char *name, *component;
	int lane;       /* position in the graph's lanes; -1: copies on several lanes */
	uint32_t order; /* place in the order of the lane, from 1 */
	uint32_t lag;
	bool on_path;
	char figures[64]; /* of a run: time and share; "": none */
	char trouble[96]; /* of a run: what went wrong here; "": nothing */
	/* set by graph_path_find */
	uint32_t row;  /* place in an order in which writers stand before their readers */
	uint32_t step; /* on the path: place on the path, from 0 */
};

struct graph_link {
	uint32_t from, to; /* instances */
	const char *from_port, *to_port, *type;
	uint32_t items, delay, distance;
	bool on_path;
};

struct graph_lane {
	uint32_t number;
	const char *node; /* "": this machine */
	int cpu;
	char figures[128];
	char trouble[96];
};

struct graph {
	const char *waveform;
	char head[192]; /* how many instances, lanes and copies; of a run also its state */
	char latency[96];
	struct graph_instance *instances;
	uint32_t n_instances;
	struct graph_link *links;
	uint32_t n_links;
	struct graph_lane *lanes; /* those with instances */
	uint32_t n_lanes;
	uint32_t copies;
	uint32_t path_steps; /* instances on the path from source to sink that gives the latency */
};

/* 0, -E2BIG or -ENOMEM; end with graph_free. */
int graph_of_plan(const struct waveform *waveform, const struct plan *plan, struct graph **ret);
/* graph_of_report takes any report, also a malformed one: links whose ends are not among its
 * instances are left out. -ENODATA: the report has no links, because an older ALOE has made it. */
int graph_of_report(const json_t *report, struct graph **ret);
void graph_free(struct graph *graph);

/* For the two makers: memory for so many, and the path from source to sink that gives the latency
 * (path.c), once all else is filled in. */
int graph_new(uint32_t n_instances, uint32_t n_links, uint32_t n_lanes, struct graph **ret);
int graph_path_find(struct graph *graph);

/* graph_dot writes the text that Graphviz draws. The same graph gives the same text. */
void graph_dot(const struct graph *graph, FILE *out);
/* graph_text draws with plain characters, an instance on a line; `colour`: lanes in colours, the
 * path in bold. 0 or -ENOMEM. */
int graph_text(const struct graph *graph, bool colour, FILE *out);

#endif
