/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/statsman/metrics.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/report/report.h"

enum { LABELS_BYTES = 1024, KEY_BYTES = 64 };

/* ---- which format ------------------------------------------------------------------------ */

static bool format_refused(const char *parameters)
{
	const char *q = strcasestr(parameters, "q=");

	return q && q < parameters + strcspn(parameters, ",") && strtod(q + 2, NULL) <= 0;
}

enum metrics_format metrics_accepted(const char *accept)
{
	static const char open[] = "application/openmetrics-text";
	const char *at = accept ? strcasestr(accept, open) : NULL;

	return at && !format_refused(at + sizeof(open) - 1) ? METRICS_OPEN : METRICS_TEXT;
}

const char *metrics_type(enum metrics_format format)
{
	return format == METRICS_OPEN ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
	                              : "text/plain; version=0.0.4; charset=utf-8";
}

/* ---- labels ------------------------------------------------------------------------ */

struct metrics_out {
	FILE *out;
	enum metrics_format format;
	const struct metrics_family *family;
	char labels[LABELS_BYTES]; /* of the object of the level, without braces */
};

/* What does not fit is cut: ALOE's names are short. */
static void label_add(char *labels, const char *name, const char *value)
{
	size_t at = strlen(labels);

	if (at + strlen(name) + 8 > LABELS_BYTES)
		return;
	at += (size_t)snprintf(labels + at, LABELS_BYTES - at, "%s%s=\"", at > 0 ? "," : "", name);
	for (; *value && at + 4 < LABELS_BYTES; value++) {
		if (*value == '\\' || *value == '"' || *value == '\n')
			labels[at++] = '\\';
		labels[at++] = *value == '\n' ? 'n' : *value;
	}
	snprintf(labels + at, LABELS_BYTES - at, "\"");
}

static void label_number(char *labels, const char *name, const json_t *object, const char *key)
{
	char text[32];

	snprintf(text, sizeof(text), "%.0f", report_number(object, key));
	label_add(labels, name, text);
}

/* ---- samples ------------------------------------------------------------------------ */

static const json_t *value_find(const json_t *object, const char *path)
{
	char key[KEY_BYTES];
	const size_t len = strcspn(path, ".");

	snprintf(key, sizeof(key), "%.*s", (int)len, path);
	object = json_object_get(object, key);
	return path[len] ? value_find(object, path + len + 1) : object;
}

/* more: a label and its value that the sample has beside the others, or NULL. */
static void sample_head(
    const struct metrics_out *text, const char *suffix, const char *more, const char *value)
{
	char labels[LABELS_BYTES];

	snprintf(labels, sizeof(labels), "%s", text->labels);
	if (more)
		label_add(labels, more, value);
	fprintf(text->out, "%s%s%s%s%s ", text->family->name, suffix, labels[0] ? "{" : "", labels,
	    labels[0] ? "}" : "");
}

static void number_write(const struct metrics_out *text, const json_t *number)
{
	const double scale = text->family->scale;

	if (json_is_integer(number) && scale == 0)
		fprintf(text->out, "%lld\n", json_integer_value(number));
	else
		fprintf(text->out, "%.15g\n", json_number_value(number) * (scale == 0 ? 1 : scale));
}

static void numbers_write(const struct metrics_out *text, const json_t *object, const char *suffix)
{
	for (size_t r = 0; r < text->family->n_rows; r++) {
		const struct metrics_row *row = &text->family->rows[r];
		const json_t *number = value_find(object, row->key);

		if (!json_is_number(number))
			continue;
		sample_head(text, suffix, text->family->label, row->value);
		number_write(text, number);
	}
}

static void states_write(const struct metrics_out *text, const json_t *object)
{
	const char *state = json_string_value(value_find(object, text->family->rows[0].key));

	for (size_t i = 0; state && metrics_states[i]; i++) {
		sample_head(text, "", text->family->name, metrics_states[i]);
		fprintf(text->out, "%d\n", strcmp(state, metrics_states[i]) == 0);
	}
}

static void summary_write(const struct metrics_out *text, const json_t *object)
{
	static const char *const quantiles[][2] = {
	    {"p50", "0.5"}, {"p99", "0.99"}, {"p999", "0.999"}};
	const json_t *summary = value_find(object, text->family->rows[0].key);
	const double count = report_number(summary, "count");

	if (!json_is_object(summary))
		return;
	for (size_t i = 0; i < 3; i++) {
		const json_t *number = json_object_get(summary, quantiles[i][0]);

		if (!json_is_number(number))
			continue;
		sample_head(text, "", "quantile", quantiles[i][1]);
		number_write(text, number);
	}
	sample_head(text, "_sum", NULL, NULL);
	fprintf(text->out, "%.15g\n", report_number(summary, "mean") * count * text->family->scale);
	sample_head(text, "_count", NULL, NULL);
	fprintf(text->out, "%.0f\n", count);
}

/* Limits in ns, and in seconds as OpenMetrics writes them. */
static const struct {
	double ns;
	const char *le;
} limits[] = {{1e2, "1e-07"}, {2.5e2, "2.5e-07"}, {5e2, "5e-07"}, {1e3, "1e-06"},
    {2.5e3, "2.5e-06"}, {5e3, "5e-06"}, {1e4, "1e-05"}, {2.5e4, "2.5e-05"}, {5e4, "5e-05"},
    {1e5, "0.0001"}, {2.5e5, "0.00025"}, {5e5, "0.0005"}, {1e6, "0.001"}, {2.5e6, "0.0025"},
    {5e6, "0.005"}, {1e7, "0.01"}, {2.5e7, "0.025"}, {1e8, "0.1"}, {1e9, "1.0"}};

/* A cell is known by its lowest value, which is within 0.8 % of its highest. The cells are in
 * order. Gives the first cell that is beyond the limit. */
static size_t cells_sum(const json_t *cells, size_t at, double limit_ns, json_int_t *sum)
{
	for (; at < json_array_size(cells); at++) {
		const json_t *cell = json_array_get(cells, at);

		if (json_number_value(json_array_get(cell, 0)) > limit_ns)
			break;
		*sum += json_integer_value(json_array_get(cell, 1));
	}
	return at;
}

static void histogram_write(const struct metrics_out *text, const json_t *object)
{
	const struct metrics_row *row = &text->family->rows[0];
	const json_t *cells = value_find(object, row->key);
	json_int_t sum = 0;
	size_t at = 0;

	if (!json_is_array(cells))
		return;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		at = cells_sum(cells, at, limits[i].ns, &sum);
		sample_head(text, "_bucket", "le", limits[i].le);
		fprintf(text->out, "%lld\n", sum);
	}
	cells_sum(cells, at, 1e300, &sum);
	sample_head(text, "_bucket", "le", "+Inf");
	fprintf(text->out, "%lld\n", sum);
	sample_head(text, "_sum", NULL, NULL);
	fprintf(text->out, "%.15g\n",
	    json_number_value(value_find(object, row->mean)) * (double)sum * 1e-6);
	sample_head(text, "_count", NULL, NULL);
	fprintf(text->out, "%lld\n", sum);
}

static void object_write(const struct metrics_out *text, const json_t *object)
{
	if (text->family->needs && !value_find(object, text->family->needs))
		return;
	switch (text->family->kind) {
	case METRICS_COUNTER:
		numbers_write(text, object, "_total");
		return;
	case METRICS_GAUGE:
		numbers_write(text, object, "");
		return;
	case METRICS_SUMMARY:
		summary_write(text, object);
		return;
	case METRICS_HISTOGRAM:
		histogram_write(text, object);
		return;
	case METRICS_STATES:
		states_write(text, object);
		return;
	case METRICS_INFO:
		sample_head(text, "_info", "version", ALOE_VERSION);
		fprintf(text->out, "1\n");
		return;
	}
}

/* ---- the objects of a report ---- */

static const char *lane_node(const json_t *lane, const char *node)
{
	const char *own = report_text(lane, "node");

	return own[0] ? own : node;
}

/* Of the lane of that number; copies of an instance may be on several, and then it has none. */
static const char *instance_node(const json_t *report, const json_t *instance, const char *node)
{
	const json_t *number = json_object_get(instance, "lane");
	json_t *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		if (json_is_integer(number) && json_equal(json_object_get(lane, "lane"), number))
			return lane_node(lane, node);
	}
	return node;
}

static const json_t *objects_of(const json_t *report, enum metrics_level level)
{
	switch (level) {
	case METRICS_LANE:
		return json_object_get(report, "lanes");
	case METRICS_INSTANCE:
		return json_object_get(report, "instances");
	case METRICS_CHANNEL:
		return value_find(report, "radio.channels");
	case METRICS_PEER:
		return json_object_get(report, "peers");
	case METRICS_CAUSE:
		return json_object_get(report, "causes");
	default:
		return NULL;
	}
}

static void labels_make(struct metrics_out *text, const json_t *report, const json_t *object,
    size_t nth, const char *node)
{
	char number[32];

	text->labels[0] = 0;
	label_add(text->labels, "waveform", report_text(report, "waveform"));
	switch (text->family->level) {
	case METRICS_LANE:
		label_add(text->labels, "node", lane_node(object, node));
		label_number(text->labels, "lane", object, "lane");
		label_number(text->labels, "cpu", object, "cpu");
		return;
	case METRICS_INSTANCE:
		label_add(text->labels, "node", instance_node(report, object, node));
		label_add(text->labels, "instance", report_text(object, "name"));
		label_add(text->labels, "component", report_text(object, "component"));
		return;
	case METRICS_CHANNEL:
		snprintf(number, sizeof(number), "%zu", nth);
		label_add(text->labels, "channel", number);
		return;
	case METRICS_PEER:
		label_add(text->labels, "node", report_text(object, "node"));
		label_add(text->labels, "peer", report_text(object, "peer"));
		return;
	case METRICS_CAUSE:
		label_add(text->labels, "cause", report_text(object, "kind"));
		return;
	default:
		return;
	}
}

static void report_write(struct metrics_out *text, const json_t *report, const char *node)
{
	const json_t *objects = objects_of(report, text->family->level);

	if (text->family->level == METRICS_WAVEFORM) {
		labels_make(text, report, report, 0, node);
		object_write(text, report);
	}
	for (size_t n = 0; n < json_array_size(objects); n++) {
		const json_t *object = json_array_get(objects, n);

		labels_make(text, report, object, n, node);
		object_write(text, object);
	}
}

/* ---- families ------------------------------------------------------------------------ */

/* The old format knows neither info nor states, and names a counter with its _total. */
static const char *kind_name(const struct metrics_out *text)
{
	const bool open = text->format == METRICS_OPEN;

	switch (text->family->kind) {
	case METRICS_COUNTER:
		return "counter";
	case METRICS_SUMMARY:
		return "summary";
	case METRICS_HISTOGRAM:
		return "histogram";
	case METRICS_STATES:
		return open ? "stateset" : "gauge";
	case METRICS_INFO:
		return open ? "info" : "gauge";
	default:
		return "gauge";
	}
}

static void head_write(const struct metrics_out *text)
{
	const struct metrics_family *family = text->family;
	const char *suffix = text->format == METRICS_OPEN ? ""
	    : family->kind == METRICS_COUNTER             ? "_total"
	    : family->kind == METRICS_INFO                ? "_info"
	                                                  : "";

	fprintf(text->out, "# TYPE %s%s %s\n", family->name, suffix, kind_name(text));
	if (family->unit && text->format == METRICS_OPEN)
		fprintf(text->out, "# UNIT %s %s\n", family->name, family->unit);
	fprintf(text->out, "# HELP %s%s %s\n", family->name, suffix, family->help);
}

static void family_write(struct metrics_out *text, const json_t *reports, const char *node)
{
	json_t *report;
	size_t n;

	head_write(text);
	text->labels[0] = 0;
	if (text->family->level == METRICS_PROGRAM)
		object_write(text, NULL);
	json_array_foreach(reports, n, report)
	{
		report_write(text, report, node);
	}
}

int metrics_write(const json_t *reports, const char *node, enum metrics_format format,
    char **ret_text, size_t *ret_len)
{
	char *bytes = NULL;
	size_t len = 0, n;
	struct metrics_out text = {.out = open_memstream(&bytes, &len), .format = format};
	const struct metrics_family *families = metrics_families(&n);
	bool failed;

	if (!text.out)
		return -ENOMEM;
	for (size_t f = 0; f < n; f++) {
		text.family = &families[f];
		family_write(&text, reports, node);
	}
	if (format == METRICS_OPEN)
		fprintf(text.out, "# EOF\n");
	failed = ferror(text.out) != 0;
	if (fclose(text.out) != 0 || failed) {
		free(bytes);
		return -ENOMEM;
	}
	*ret_text = bytes;
	*ret_len = len;
	return 0;
}
