/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looking at a node that is up: list, status, get, watch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/report/report.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/show.h"

static int json_show(const json_t *json)
{
	const int rc =
	    json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12) | JSON_ENCODE_ANY);

	printf("\n");
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

int show_list(const char *key, json_t *list)
{
	json_t *whole = json_pack("{s:i, s:O}", "schema", 1, key, list);
	const int status = whole ? json_show(whole) : CLI_FAILED;

	json_decref(whole);
	return status;
}

static void names_show(const json_t *list)
{
	json_t *waveform;
	size_t n;

	json_array_foreach(list, n, waveform)
	{
		printf("%s\n", report_text(waveform, "name"));
	}
}

static int list_show(struct client *client, const struct cli_args *args)
{
	int status;
	json_t *list = client_list(client, &status);

	if (!list)
		return status;
	if (cli_has(args, "json"))
		status = show_list("waveforms", list);
	else if (cli_has(args, "names"))
		names_show(list);
	else
		report_list(list, stdout);
	json_decref(list);
	return status;
}

/* with_client runs `act` on the node of --dir. */
static int with_client(
    const struct cli_args *args, int (*act)(struct client *client, const struct cli_args *args))
{
	struct client client;
	int status = client_open(&client, args);

	if (status)
		return status;
	status = act(&client, args);
	client_close(&client);
	return status;
}

static void node_line(const json_t *node)
{
	const bool joined = json_is_true(json_object_get(node, "joined"));
	const json_t *cpus = json_object_get(node, "cpus");
	size_t n;
	json_t *cpu;

	printf("%-12s %-21s %-8s %-8s %-8s", report_text(node, "name"),
	    report_text(node, "address"),
	    json_is_true(json_object_get(node, "manager")) ? "manager" : "",
	    joined ? "joined" : "missing",
	    json_is_true(json_object_get(node, "shared")) ? "shared" : "");
	if (joined)
		printf(" %s, CPU", report_text(node, "arch"));
	json_array_foreach(cpus, n, cpu)
	{
		if (joined)
			printf("%s%lld", n > 0 ? "," : " ", json_integer_value(cpu));
	}
	printf("\n");
}

static int nodes_show(struct client *client, const struct cli_args *args)
{
	struct wire_view view;
	struct wire_msg msg;
	json_t *list, *node;
	int status;
	size_t n;

	client_request(client, WIRE_NODES, WIRE_FRONTEND, &msg);
	status = client_call(client, &msg, &view);
	list = status == 0 ? client_json(&view) : NULL;
	if (!list)
		return status ? status : CLI_FAILED;
	if (cli_has(args, "json"))
		status = show_list("nodes", list);
	else if (json_array_size(list) == 0)
		printf("this node is alone: it was started without --platform\n");
	else
		json_array_foreach(list, n, node)
		{
			if (cli_has(args, "names"))
				printf("%s\n", report_text(node, "name"));
			else
				node_line(node);
		}
	json_decref(list);
	return status;
}

int aloe_list(const struct cli_args *args)
{
	if (args->n_args && strcmp(args->args[0], "nodes") == 0)
		return with_client(args, nodes_show);
	return args->n_args ? aloe_list_components(args) : with_client(args, list_show);
}

static json_t *status_ask(struct client *client, const char *waveform, int *ret_status)
{
	struct wire_view view;
	json_t *report = NULL;

	*ret_status = client_waveform(client, WIRE_STATUS, waveform, &view);
	if (*ret_status == 0) {
		report = client_json(&view);
		*ret_status = report ? CLI_OK : CLI_FAILED;
	}
	return report;
}

static int status_show(struct client *client, const struct cli_args *args)
{
	int status;
	json_t *report;

	if (!args->n_args)
		return list_show(client, args);
	report = status_ask(client, args->args[0], &status);
	if (!report)
		return status;
	if (cli_has(args, "json")) {
		status = json_show(report);
	} else {
		report_print(report, stdout);
		report_losses(report, stdout);
	}
	json_decref(report);
	return status;
}

int aloe_status(const struct cli_args *args)
{
	return with_client(args, status_show);
}

/* ---- variables ------------------------------------------------------------------------ */

/* value_flatten prints a JSON value as lines "name.name value". */
static void value_flatten(const char *prefix, const json_t *value)
{
	char *text, name[512];
	const char *key;
	json_t *item;

	if (json_is_object(value)) {
		json_object_foreach((json_t *)value, key, item)
		{
			snprintf(name, sizeof(name), "%s%s%s", prefix, prefix[0] ? "." : "", key);
			value_flatten(name, item);
		}
		return;
	}
	text = json_is_string(value)
	    ? strdup(json_string_value(value))
	    : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
	printf("%s%s%s\n", prefix, prefix[0] ? " " : "", text ? text : "?");
	free(text);
}

/* ret_index (may be NULL): how many indices all instances are done with. */
static json_t *get_ask(
    struct client *client, const struct cli_args *args, uint64_t *ret_index, int *ret_status)
{
	struct wire_view view;
	struct wire_msg msg;
	json_t *values = NULL;

	client_request(client, WIRE_GET, client_values(client), &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, args->args[0]);
	if (args->n_args > 1)
		wire_put_text(&msg, WIRE_TAG_NAME, args->args[1]);
	*ret_status = client_call(client, &msg, &view);
	if (*ret_status == 0) {
		values = client_json(&view);
		if (ret_index)
			wire_get_u64(&view, WIRE_TAG_INDEX, ret_index);
		*ret_status = values ? CLI_OK : CLI_FAILED;
	}
	return values;
}

/* time_text writes the time of day as 2026-01-31T12:00:00.123456Z. */
static void time_text(char *ret_text, size_t size)
{
	struct timespec now;
	struct tm tm;
	char date[32];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(ret_text, size, "%s.%06ldZ", date, now.tv_nsec / 1000);
}

/* What was asked, when, and the values; on one line, or several. */
static int values_show(struct client *client, const struct cli_args *args, size_t flags)
{
	uint64_t index = 0;
	char time[64];
	int status, rc;
	json_t *values = get_ask(client, args, &index, &status), *line;

	if (!values)
		return status;
	time_text(time, sizeof(time));
	line = json_pack("{s:i, s:s, s:I, s:s, s:o}", "schema", 1, "waveform", args->args[0],
	    "index", (json_int_t)index, "time", time, "values", values);
	rc = line ? json_dumpf(line, stdout, flags | JSON_REAL_PRECISION(17)) : -1;
	printf("\n");
	json_decref(line);
	return rc < 0 ? CLI_FAILED : CLI_OK;
}

static int get_show(struct client *client, const struct cli_args *args)
{
	int status;
	json_t *values;

	if (cli_has(args, "json"))
		return values_show(client, args, JSON_INDENT(1));
	values = get_ask(client, args, NULL, &status);
	if (!values)
		return status;
	value_flatten("", values);
	json_decref(values);
	return status;
}

int aloe_get(const struct cli_args *args)
{
	return with_client(args, get_show);
}

static int watch_show(struct client *client, const struct cli_args *args)
{
	uint64_t interval_ms = 1000, count = 0;
	int status = CLI_OK;

	if (cli_whole(args, "interval", 10, 3600000, &interval_ms) < 0 ||
	    cli_whole(args, "count", 1, UINT32_MAX, &count) < 0 || client_signals(client) < 0)
		return CLI_USAGE;
	for (uint64_t n = 0; status == CLI_OK && (!count || n < count); n++) {
		if (n && client_wait(client, (int)interval_ms) < 0)
			break;
		status = cli_has(args, "json") ? values_show(client, args, JSON_COMPACT)
		                               : get_show(client, args);
		fflush(stdout);
	}
	return status == 130 ? CLI_OK : status;
}

int aloe_watch(const struct cli_args *args)
{
	return with_client(args, watch_show);
}
