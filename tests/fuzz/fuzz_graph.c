/* SPDX-License-Identifier: BSD-3-Clause
 * core/graph: a report of any bytes is refused, or drawn: as text of Graphviz in which no name ends
 * a label or a string, and as lines. */
#include <stdlib.h>
#include <string.h>

#include "core/graph/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

/* Every label opens and closes as many elements, and a quote opens none that stays open. */
static void dot_check(const char *text, size_t len, const struct graph *graph)
{
	size_t open = 0, close = 0, quotes = 0, lines = 0;

	for (size_t i = 0; i < len; i++) {
		insist((text[i] >= ' ' && text[i] <= '~') || text[i] == '\n' || text[i] == '\t');
		open += text[i] == '<';
		close += text[i] == '>' && (i == 0 || text[i - 1] != '-');
		quotes += text[i] == '"';
		lines += text[i] == '\n';
	}
	insist(open == close && quotes % 2 == 0);
	insist(lines >= 6u + graph->n_instances + graph->n_links);
}

static void graph_check(const struct graph *graph)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	insist(out != NULL);
	graph_dot(graph, out);
	insist(fclose(out) == 0);
	dot_check(text, len, graph);
	free(text);
	text = NULL;
	out = open_memstream(&text, &len);
	insist(out != NULL && graph_text(graph, true, out) == 0 && fclose(out) == 0);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *report = json_loadb((const char *)data, size, 0, NULL);
	struct graph *graph = NULL;

	if (graph_of_report(report, &graph) == 0) {
		graph_check(graph);
		graph_free(graph);
	}
	json_decref(report);
	return 0;
}
