/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/unit/test_grafana.c - the dashboard for Grafana, platforms/deploy/grafana.json: every name,
 * label and value of a label in it is one that /metrics writes. What /metrics writes is taken from
 * the code: a report is made in which every number of the table is there, and is written. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/file.h"
#include "daemons/statsman/metrics.h"

#define FILE_NAME "platforms/deploy/grafana.json"

/* ---- what /metrics writes ---- */

static json_t *level_object(json_t *report, enum metrics_level level)
{
	static const char *const keys[] = {[METRICS_LANE] = "lanes",
	    [METRICS_INSTANCE] = "instances",
	    [METRICS_PEER] = "peers",
	    [METRICS_CAUSE] = "causes"};

	if (level == METRICS_WAVEFORM || level == METRICS_PROGRAM)
		return report;
	if (level == METRICS_CHANNEL)
		return json_array_get(
		    json_object_get(json_object_get(report, "radio"), "channels"), 0);
	return json_array_get(json_object_get(report, keys[level]), 0);
}

/* `key` has dots between the names of objects. */
static void value_put(json_t *object, const char *key, json_t *value)
{
	char name[64];
	size_t len;

	for (; len = strcspn(key, "."), key[len] == '.'; key += len + 1) {
		snprintf(name, sizeof(name), "%.*s", (int)len, key);
		if (!json_object_get(object, name))
			json_object_set_new(object, name, json_object());
		object = json_object_get(object, name);
	}
	json_object_set_new(object, key, value);
}

static json_t *value_of(enum metrics_kind kind)
{
	return kind == METRICS_SUMMARY  ? json_pack("{s:i, s:f, s:f, s:f, s:f}", "count", 1, "mean",
	                                      1.0, "p50", 1.0, "p99", 1.0, "p999", 1.0)
	    : kind == METRICS_HISTOGRAM ? json_pack("[[i, i]]", 1, 1)
	    : kind == METRICS_STATES    ? json_string(metrics_states[0])
	                                : json_integer(1);
}

/* A report with all that the table asks for. */
static json_t *report_full(void)
{
	json_t *report =
	    json_pack("{s:s, s:[{s:i, s:i, s:s}], s:[{s:s, s:s, s:i}], s:[{s:s, s:s}], "
	              "s:[{s:s}], s:{s:[{}]}}",
	        "waveform", "w", "lanes", "lane", 0, "cpu", 0, "node", "n", "instances", "name",
	        "i", "component", "c", "lane", 0, "peers", "node", "n", "peer", "p", "causes",
	        "kind", "k", "radio", "channels");
	size_t n;
	const struct metrics_family *families = metrics_families(&n);

	assert_non_null(report);
	for (size_t i = 0; i < n; i++)
		for (size_t r = 0; r < families[i].n_rows; r++) {
			json_t *object = level_object(report, families[i].level);
			const struct metrics_row *row = &families[i].rows[r];

			assert_non_null(object);
			if (row->key)
				value_put(object, row->key, value_of(families[i].kind));
			if (row->mean)
				value_put(object, row->mean, json_real(1));
		}
	return report;
}

/* Every sample of a text: {NAME: {LABEL: {VALUE: true}}}. */
static json_t *samples_of(const char *text)
{
	json_t *names = json_object();
	char name[128], label[64], value[64];

	for (const char *at = text; *at; at += strcspn(at, "\n") + (strchr(at, '\n') != NULL)) {
		json_t *labels;
		size_t len = strcspn(at, "{ ");

		if (*at == '#')
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)len, at);
		labels = json_object_get(names, name);
		if (!labels)
			json_object_set_new(names, name, labels = json_object());
		for (const char *in = at + len; (*in == '{' || *in == ',') &&
		     sscanf(in + 1, "%63[a-z_]=\"%63[^\"]\"", label, value) == 2;) {
			if (!json_object_get(labels, label))
				json_object_set_new(labels, label, json_object());
			json_object_set_new(json_object_get(labels, label), value, json_true());
			in = strchr(strchr(in, '"') + 1, '"') + 1;
		}
	}
	return names;
}

static json_t *samples_written(void)
{
	json_t *reports = json_array(), *samples;
	char *text = NULL;
	size_t len = 0;

	json_array_append_new(reports, report_full());
	assert_int_equal(metrics_write(reports, "n", METRICS_TEXT, &text, &len), 0);
	samples = samples_of(text);
	free(text);
	json_decref(reports);
	return samples;
}

/* ---- what the dashboard asks for ---- */

struct asked {
	const json_t *samples;
	json_t *labels; /* of the samples that the expression names */
	const char *text;
	size_t n; /* samples named */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The values that a matcher names: a list between bars, or a variable of the dashboard. */
static void values_check(
    const struct asked *asked, const json_t *values, const char *list, const char *label)
{
	char value[64];

	for (; *list; list += *list == '|') {
		const size_t len = strcspn(list, "|");

		snprintf(value, sizeof(value), "%.*s", (int)len, list);
		if (value[0] != '$' && !json_object_get(values, value))
			fail_msg("%s: /metrics has no %s=\"%s\"", asked->text, label, value);
		list += len;
	}
}

static const char *matchers_check(
    const struct asked *asked, const json_t *labels, const char *name, const char *at)
{
	char label[64], value[256];
	int n = 0;

	while (sscanf(at, "%63[a-z_]%*[=!~]\"%255[^\"]\"%n", label, value, &n) == 2) {
		const json_t *values = json_object_get(labels, label);

		if (!values)
			fail_msg("%s: %s has no label %s", asked->text, name, label);
		values_check(asked, values, value, label);
		at += n;
		at += *at == ',';
	}
	if (*at != '}')
		fail_msg("%s: cannot be read from `%s` on", asked->text, at);
	return at;
}

static const char *name_check(struct asked *asked, const char *at)
{
	char name[128];
	const json_t *labels;

	assert_int_equal(sscanf(at, "%127[a-z0-9_]", name), 1);
	labels = json_object_get(asked->samples, name);
	if (!labels)
		fail_msg("%s: /metrics has no %s", asked->text, name);
	json_object_update(asked->labels, (json_t *)labels);
	asked->n++;
	at += strlen(name);
	return *at == '{' ? matchers_check(asked, labels, name, at + 1) : at;
}

/* The labels between these brackets are of the samples. */
static void list_check(const struct asked *asked, const char *at, const char *ends)
{
	char label[64];
	int n = 0;

	while (sscanf(at, " %63[a-z_]%n", label, &n) == 1) {
		if (!json_object_get(asked->labels, label))
			fail_msg("%s: its samples have no label %s", asked->text, label);
		at += n;
		at += *at == ',';
	}
	assert_non_null(strchr(ends, *at));
}

static void expression_check(struct asked *asked)
{
	static const char *const lists[] = {"by (", "ignoring("};

	for (const char *at = asked->text; *at; at++)
		if (strncmp(at, "aloe_", 5) == 0 && (at == asked->text || !is_word(at[-1])))
			at = name_check(asked, at) - 1;
	if (asked->n == 0)
		fail_msg("%s: names nothing of /metrics", asked->text);
	for (size_t i = 0; i < 2; i++)
		for (const char *at = strstr(asked->text, lists[i]); at;
		     at = strstr(at + 1, lists[i]))
			list_check(asked, at + strlen(lists[i]), ")");
}

static void target_check(const json_t *samples, const json_t *target)
{
	struct asked asked = {.samples = samples,
	    .labels = json_object(),
	    .text = json_string_value(json_object_get(target, "expr"))};
	const char *legend = json_string_value(json_object_get(target, "legendFormat"));

	assert_non_null(asked.text);
	assert_non_null(legend);
	expression_check(&asked);
	for (const char *at = strstr(legend, "{{"); at; at = strstr(at + 1, "{{"))
		list_check(&asked, at + 2, "}");
	json_decref(asked.labels);
}

/* ---- what Grafana takes ---- */

static json_t *dashboard(void)
{
	char *text = NULL;
	size_t len = 0;
	struct diag diag;
	json_t *json;

	assert_int_equal(file_read(FILE_NAME, 1 << 20, &text, &len), 0);
	diag_init(&diag);
	json = json_read(FILE_NAME, text, len, &diag); /* no key twice */
	if (!json)
		fail_msg("%s", diag.lines[0]);
	diag_fini(&diag);
	free(text);
	return json;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text || !text[0])
		fail_msg("no text `%s`", key);
	return text;
}

static json_int_t number_of(const json_t *object, const char *key)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	return json_integer_value(json_object_get(object, key));
}

static void datasource_check(const json_t *object)
{
	const json_t *source = json_object_get(object, "datasource");

	assert_string_equal(text_of(source, "type"), "prometheus");
	assert_string_equal(text_of(source, "uid"), "${datasource}");
}

/* Whoever imports it chooses the source of its data. */
static void test_templating(void **state)
{
	json_t *json = dashboard(), *one, *samples = samples_written();
	const json_t *list = json_object_get(json_object_get(json, "templating"), "list");
	size_t i, sources = 0;

	(void)state;
	assert_true(number_of(json, "schemaVersion") >= 36);
	assert_string_equal(text_of(json, "uid"), "aloe");
	text_of(json, "title");
	assert_true(json_object_get(json, "id") == NULL);
	json_array_foreach(list, i, one)
	{
		char name[128], label[64];

		if (strcmp(text_of(one, "type"), "datasource") == 0) {
			assert_string_equal(text_of(one, "name"), "datasource");
			assert_string_equal(text_of(one, "query"), "prometheus");
			sources++;
			continue;
		}
		datasource_check(one);
		assert_int_equal(sscanf(text_of(one, "definition"),
		                     "label_values(%127[a-z0-9_], %63[a-z_])", name, label),
		    2);
		if (!json_object_get(json_object_get(samples, name), label))
			fail_msg("%s has no label %s", name, label);
		assert_string_equal(text_of(one, "name"), label);
	}
	assert_int_equal(sources, 1);
	json_decref(samples);
	json_decref(json);
}

static bool cells_take(bool taken[400][24], const json_t *panel)
{
	const json_t *at = json_object_get(panel, "gridPos");
	const json_int_t x = number_of(at, "x"), y = number_of(at, "y"), w = number_of(at, "w"),
	                 h = number_of(at, "h");

	if (x < 0 || y < 0 || w < 1 || h < 1 || x + w > 24 || y + h > 400)
		return false;
	for (json_int_t row = y; row < y + h; row++)
		for (json_int_t column = x; column < x + w; column++) {
			if (taken[row][column])
				return false;
			taken[row][column] = true;
		}
	return true;
}

static void test_panels(void **state)
{
	json_t *json = dashboard(), *samples = samples_written(), *panel, *ids = json_object(),
	       *named = json_object(), *target;
	bool taken[400][24] = {{false}};
	size_t i, t, n = 0;

	(void)state;
	json_array_foreach(json_object_get(json, "panels"), i, panel)
	{
		char id[32];

		snprintf(id, sizeof(id), "%lld", (long long)number_of(panel, "id"));
		if (json_object_get(ids, id) || json_object_get(named, text_of(panel, "title")))
			fail_msg("two panels with the id %s, or one title", id);
		json_object_set_new(ids, id, json_true());
		json_object_set_new(named, text_of(panel, "title"), json_true());
		if (!cells_take(taken, panel))
			fail_msg("%s: over another panel, or beyond 24 columns",
			    text_of(panel, "title"));
		if (strcmp(text_of(panel, "type"), "row") == 0)
			continue;
		n++;
		text_of(panel, "description");
		datasource_check(panel);
		assert_true(json_array_size(json_object_get(panel, "targets")) > 0);
		json_array_foreach(json_object_get(panel, "targets"), t, target)
		{
			assert_int_equal(text_of(target, "refId")[0], 'A' + (int)t);
			datasource_check(target);
			target_check(samples, target);
		}
	}
	assert_true(n >= 15);
	json_decref(named);
	json_decref(ids);
	json_decref(samples);
	json_decref(json);
}

/* What the table has for each of these words is on the dashboard. */
static void test_what_is_shown(void **state)
{
	static const char *const families[] = {"aloe_lane_load_ratio", "aloe_lane_margin_seconds",
	    "aloe_late_slots_total", "aloe_instance_blocks_total",
	    "aloe_instance_absent_inputs_total", "aloe_bridge_messages_lost_total",
	    "aloe_waveform_state", "aloe_lane_slots_total"};
	json_t *json = dashboard(), *samples = samples_written();
	char *text = json_dumps(json_object_get(json, "panels"), 0);

	(void)state;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		assert_non_null(json_object_get(samples, families[i]));
		assert_non_null(strstr(text, families[i]));
	}
	free(text);
	json_decref(samples);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_templating),
	    cmocka_unit_test(test_panels),
	    cmocka_unit_test(test_what_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
