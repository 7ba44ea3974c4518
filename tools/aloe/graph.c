/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph: a waveform as a picture, of its file and plan or as it runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/graph/graph.h"
#include "core/plot/picture.h"
#include "core/report/report.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/plan.h"

static const struct picture_tool graphviz = {
    .program = "dot",
    .package = "Graphviz",
    .debian = "graphviz",
    .instead = "--dot FILE and `aloe graph` without an option for a file need no Graphviz",
};

static const char *const formats[] = {"svg", "png"};

static char *dot_text(const struct graph *graph, size_t *ret_len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_len);

	if (!out)
		return NULL;
	graph_dot(graph, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static int pictures_write(const struct cli_args *args, const struct graph *graph)
{
	const char *path = cli_get(args, "dot");
	size_t len = 0;
	char *text = dot_text(graph, &len);
	int status = text ? CLI_OK : CLI_FAILED;

	if (status == CLI_OK && path)
		status = picture_write("aloe", path, text, len);
	for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
		char option[16];
		const char *const argv[] = {graphviz.program, option, NULL};

		path = cli_get(args, formats[f]);
		snprintf(option, sizeof(option), "-T%s", formats[f]);
		if (status == CLI_OK && path)
			status = picture_make("aloe", &graphviz, argv, text, len, path);
	}
	free(text);
	return status;
}

static bool wants_file(const struct cli_args *args)
{
	return cli_has(args, "dot") || cli_has(args, "svg") || cli_has(args, "png");
}

/* The exit status; the graph is freed. */
static int graph_show(const struct cli_args *args, int rc, struct graph *graph)
{
	const bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	int status = CLI_OK;

	if (rc == -E2BIG)
		fprintf(stderr,
		    "aloe: the waveform is too large for a picture: at most %d instances and %d "
		    "links of one copy are drawn; `aloe plan` lists all of them\n",
		    GRAPH_INSTANCES_MAX, GRAPH_LINKS_MAX);
	else if (rc == -ENODATA)
		fprintf(stderr,
		    "aloe: the node's report has no links, because the node is of an older ALOE; "
		    "restart the node, or draw the waveform file\n");
	else if (rc < 0)
		fprintf(stderr, "aloe: no picture: %s\n", strerror(-rc));
	if (rc < 0)
		return rc == -E2BIG ? CLI_USAGE : CLI_FAILED;
	if (wants_file(args))
		status = pictures_write(args, graph);
	else if (graph_text(graph, colour, stdout) < 0)
		status = CLI_FAILED;
	graph_free(graph);
	return status;
}

/* ---- a file ---- */

static int plan_draw(struct plan_request *request)
{
	struct graph *graph = NULL;
	const int rc = graph_of_plan(request->source->waveform, request->plan, &graph);

	request->status = graph_show(request->args, rc, graph);
	return 0;
}

static int file_draw(const struct cli_args *args)
{
	struct source source;
	int status = source_open(&source, args, args->args[0], true);

	if (status == CLI_OK)
		status = plan_with(args, &source, plan_draw);
	source_close(&source);
	return status;
}

/* ---- a waveform of the node that runs ---- */

static bool is_loaded(struct client *client, const char *waveform, int *ret_status)
{
	json_t *list = client_list(client, ret_status);
	const bool found = report_find(list, "name", waveform) != NULL;

	json_decref(list);
	return found;
}

static int report_draw(struct client *client, const struct cli_args *args)
{
	struct graph *graph = NULL;
	struct wire_view view;
	json_t *report;
	int status = client_waveform(client, WIRE_STATUS, args->args[0], &view), rc;

	if (status != CLI_OK)
		return status;
	report = client_json(&view);
	if (!report)
		return CLI_FAILED;
	rc = graph_of_report(report, &graph);
	status = graph_show(args, rc, graph);
	json_decref(report);
	return status;
}

/* What a plan is made with says that a file is meant. */
static bool is_file(const struct cli_args *args)
{
	static const char *const ours[] = {"dot", "svg", "png", "dir", "state"};
	bool others = strchr(args->args[0], '/') != NULL;

	for (size_t g = 0; g < args->n_given; g++) {
		bool known = false;

		for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
			known = known || strcmp(args->given[g].option->name, ours[i]) == 0;
		others = others || !known;
	}
	return others;
}

/* -ENOENT: no node has such a waveform. */
static int running_draw(const struct cli_args *args)
{
	struct client client;
	int status = CLI_OK;

	if (is_file(args) || client_find(&client, args) != 0)
		return -ENOENT;
	status = client_connect(&client);
	if (status == CLI_OK && is_loaded(&client, args->args[0], &status))
		status = report_draw(&client, args);
	else if (status == CLI_OK)
		status = -ENOENT;
	client_close(&client);
	return status;
}

int aloe_graph(const struct cli_args *args)
{
	const char *png = cli_get(args, "png");
	int status;

	if (png && strcmp(png, "-") == 0 && isatty(STDOUT_FILENO))
		return cli_fail(args, "--png -: a picture is no text for a terminal; give a file");
	status = running_draw(args);
	return status == -ENOENT ? file_draw(args) : status;
}
