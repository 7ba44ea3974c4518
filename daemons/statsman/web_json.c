/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/statsman/web_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/graph.h"
#include "core/report/report.h"

/* keys_copy puts those of the keys that `from` has into `to`; the list ends with NULL. */
static void keys_copy(json_t *to, const json_t *from, const char *const *keys)
{
	for (; *keys; keys++) {
		json_t *value = json_object_get(from, *keys);

		if (value)
			json_object_set(to, *keys, value);
	}
}

static json_t *keys_of(const json_t *from, const char *const *keys)
{
	json_t *to = json_object();

	keys_copy(to, from, keys);
	return to;
}

static json_t *array_or_empty(const json_t *object, const char *key)
{
	json_t *array = json_object_get(object, key);

	return json_is_array(array) ? json_incref(array) : json_array();
}

/* ---- the graph ------------------------------------------------------------------------ */

static json_t *instances_json(const json_t *report, const struct graph *graph)
{
	static const char *const keys[] = {"name", "component", "lane", "order", "lag", "calls",
	    "mean_us", "max_us", "share", "absent_in", "overruns", "io_lost", NULL};
	json_t *array = json_array(), *instance;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, instance)
	{
		const struct graph_instance *drawn = &graph->instances[n];
		json_t *json = keys_of(instance, keys);

		json_object_set_new(json, "row", json_integer(drawn->row));
		json_object_set_new(json, "on_path", json_boolean(drawn->on_path));
		json_object_set_new(json, "step", json_integer(drawn->on_path ? drawn->step : 0));
		json_array_append_new(array, json);
	}
	return array;
}

static json_t *links_json(const struct graph *graph)
{
	json_t *array = json_array();

	for (uint32_t l = 0; l < graph->n_links; l++) {
		const struct graph_link *link = &graph->links[l];

		json_array_append_new(array,
		    json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:b}", "from",
		        graph->instances[link->from].name, "from_port", link->from_port, "to",
		        graph->instances[link->to].name, "to_port", link->to_port, "type",
		        link->type, "items", (json_int_t)link->items, "delay",
		        (json_int_t)link->delay, "distance", (json_int_t)link->distance, "on_path",
		        link->on_path));
	}
	return array;
}

static json_t *path_json(const struct graph *graph)
{
	json_t *array = json_array();

	for (uint32_t step = 0; step < graph->path_steps; step++)
		for (uint32_t i = 0; i < graph->n_instances; i++)
			if (graph->instances[i].on_path && graph->instances[i].step == step)
				json_array_append_new(array, json_string(graph->instances[i].name));
	return array;
}

static json_t *lanes_json(const json_t *report)
{
	static const char *const keys[] = {
	    "lane", "node", "cpu", "slots", "load_mean", "load_p99", "missed", "skipped", NULL};
	json_t *array = json_array(), *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		json_array_append_new(array, keys_of(lane, keys));
	}
	return array;
}

json_t *web_graph_json(const json_t *report, char ret_why[WEB_WHY])
{
	struct graph *graph = NULL;
	const int rc = graph_of_report(report, &graph);
	json_t *json;

	if (rc < 0) {
		snprintf(ret_why, WEB_WHY, "%s",
		    rc == -E2BIG         ? "the waveform is too large for a picture"
		        : rc == -ENODATA ? "the report has no links, because an older ALOE made it"
		                         : "out of memory");
		return NULL;
	}
	snprintf(ret_why, WEB_WHY, "out of memory");
	json = json_pack("{s:i, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "schema", 1,
	    "waveform", graph->waveform, "head", graph->head, "latency", graph->latency, "copies",
	    (json_int_t)graph->copies, "path_steps", (json_int_t)graph->path_steps, "lanes",
	    lanes_json(report), "instances", instances_json(report, graph), "links",
	    links_json(graph), "path", path_json(graph));
	graph_free(graph);
	return json;
}

/* ---- histograms ------------------------------------------------------------------------ */

static json_t *histograms_of_instances(const json_t *report)
{
	static const char *const keys[] = {"name", "component", "lane", "calls", "mean_us",
	    "p50_us", "p99_us", "p999_us", "max_us", "budget_us", "budget_given", "overruns", NULL};
	json_t *array = json_array(), *instance;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, instance)
	{
		json_t *json = keys_of(instance, keys);

		json_object_set_new(json, "cells", array_or_empty(instance, "histogram_ns"));
		json_array_append_new(array, json);
	}
	return array;
}

static json_t *histograms_of_lanes(const json_t *report)
{
	static const char *const keys[] = {"lane", "node", "cpu", NULL},
	                         *const margins[] = {
	                             "count", "over", "least", "p01", "p1", "p50", NULL};
	json_t *array = json_array(), *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		const json_t *left = json_object_get(lane, "left_us");
		json_t *json = keys_of(lane, keys);

		json_object_set_new(json, "left_us", keys_of(left, margins));
		json_object_set_new(json, "cells", array_or_empty(left, "histogram_ns"));
		json_array_append_new(array, json);
	}
	return array;
}

static json_t *latency_json(const json_t *report)
{
	static const char *const keys[] = {
	    "slots", "us", "measured_slots_min", "measured_slots_max", "measured_us", NULL};
	const json_t *latency = json_object_get(report, "latency");
	json_t *json = keys_of(latency, keys);

	json_object_set_new(json, "cells", array_or_empty(latency, "histogram_ns"));
	return json;
}

json_t *web_histograms_json(const json_t *report)
{
	return json_pack("{s:i, s:s, s:f, s:o, s:o, s:o}", "schema", 1, "waveform",
	    report_text(report, "waveform"), "slot_ns", report_number(report, "slot_ns"),
	    "instances", histograms_of_instances(report), "latency", latency_json(report), "lanes",
	    histograms_of_lanes(report));
}

/* ---- the last second -------------------------------------------------------------------- */

/* What makes one object of an array another: the first key is always there. */
static const char *const lane_keys[] = {"lane", "node", NULL};
static const char *const instance_keys[] = {"name", NULL};
static const char *const miss_keys[] = {"slot", "lane", "node", NULL};

static bool is_same(const json_t *a, const json_t *b, const char *const *keys)
{
	if (!json_object_get(a, keys[0]))
		return false;
	for (; *keys; keys++) {
		const json_t *one = json_object_get(a, *keys), *other = json_object_get(b, *keys);

		if (one != other && !json_equal(one, other))
			return false;
	}
	return true;
}

/* The object of an array whose keys are those of `like`: most often at the same place. */
static const json_t *same_find(
    const json_t *array, size_t place, const json_t *like, const char *const *keys)
{
	const json_t *at = json_array_get(array, place);

	if (is_same(at, like, keys))
		return at;
	for (size_t i = 0; i < json_array_size(array); i++) {
		at = json_array_get(array, i);
		if (is_same(at, like, keys))
			return at;
	}
	return NULL;
}

/* A count of one of the objects went back. */
static bool is_back(
    const json_t *old, const json_t *now, const char *const *keys, const char *count)
{
	json_t *one;
	size_t n;

	json_array_foreach(now, n, one)
	{
		const json_t *was = same_find(old, n, one, keys);

		if (was && report_number(one, count) < report_number(was, count))
			return true;
	}
	return false;
}

/* Counts of one load never go back: otherwise it is another load of the same name. */
static bool is_other_load(const json_t *before, const json_t *report)
{
	static const char *const counts[] = {"index", "run_s", "misses_counted"};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (report_number(report, counts[i]) < report_number(before, counts[i]))
			return true;
	return is_back(json_object_get(before, "instances"), json_object_get(report, "instances"),
	           instance_keys, "calls") ||
	    is_back(json_object_get(before, "lanes"), json_object_get(report, "lanes"), lane_keys,
	        "slots");
}

/* The mean over what was counted since `before`, of two means over all; null: nothing was. */
static json_t *mean_since(
    const json_t *before, const json_t *now, const char *mean, const char *count)
{
	const double n = report_number(now, count), m = report_number(before, count);

	if (!before || !(n > m))
		return json_null();
	return json_real_or_null(
	    (report_number(now, mean) * n - report_number(before, mean) * m) / (n - m));
}

static double count_of(const json_t *cells, double low)
{
	json_t *cell;
	size_t n;

	json_array_foreach(cells, n, cell)
	{
		if (json_number_value(json_array_get(cell, 0)) == low)
			return json_number_value(json_array_get(cell, 1));
	}
	return 0;
}

/* The lowest cell that has counted since `before`. Cells are in order, the lowest first. */
static json_t *least_since(const json_t *before, const json_t *now)
{
	const json_t *cells = json_object_get(json_object_get(now, "left_us"), "histogram_ns"),
	             *old = json_object_get(json_object_get(before, "left_us"), "histogram_ns");
	json_t *cell;
	size_t n;

	if (!before)
		return json_null();
	json_array_foreach(cells, n, cell)
	{
		const double low = json_number_value(json_array_get(cell, 0));

		if (json_number_value(json_array_get(cell, 1)) > count_of(old, low))
			return json_real(low / 1000);
	}
	return json_null();
}

static json_t *count_since(const json_t *was, const json_t *now, const char *key)
{
	return was ? json_real(report_number(now, key) - report_number(was, key)) : json_null();
}

static json_t *second_lanes(const json_t *before, const json_t *report)
{
	static const char *const keys[] = {
	    "lane", "node", "cpu", "load_p99", "missed", "skipped", NULL};
	const json_t *old = json_object_get(before, "lanes");
	json_t *array = json_array(), *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		const json_t *was = same_find(old, n, lane, lane_keys);
		json_t *json = keys_of(lane, keys);

		json_object_set_new(json, "slots", count_since(was, lane, "slots"));
		json_object_set_new(json, "load", mean_since(was, lane, "load_mean", "slots"));
		json_object_set_new(json, "least_us", least_since(was, lane));
		json_array_append_new(array, json);
	}
	return array;
}

static json_t *second_instances(const json_t *before, const json_t *report)
{
	static const char *const keys[] = {
	    "name", "share", "absent_in", "overruns", "io_lost", NULL};
	const json_t *old = json_object_get(before, "instances");
	json_t *array = json_array(), *instance;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, instance)
	{
		const json_t *was = same_find(old, n, instance, instance_keys);
		json_t *json = keys_of(instance, keys);

		json_object_set_new(json, "calls", count_since(was, instance, "calls"));
		json_object_set_new(json, "mean_us", mean_since(was, instance, "mean_us", "timed"));
		json_array_append_new(array, json);
	}
	return array;
}

static json_t *second_misses(const json_t *before, const json_t *report)
{
	static const char *const keys[] = {
	    "slot", "at_ns", "what", "lane", "late_us", "instance", "cause", "own", NULL};
	const json_t *old = json_object_get(before, "misses");
	json_t *array = json_array(), *miss;
	size_t n;

	json_array_foreach(json_object_get(report, "misses"), n, miss)
	{
		if (!same_find(old, n, miss, miss_keys))
			json_array_append_new(array, keys_of(miss, keys));
	}
	return array;
}

static void values_add(json_t *values, const char *instance, const json_t *variables)
{
	char name[WEB_PORT_NAME];
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)variables, key, value)
	{
		if (!json_is_number(value))
			continue;
		snprintf(name, sizeof(name), "%s.%s", instance, key);
		json_object_set(values, name, value);
	}
}

static json_t *second_values(const json_t *report)
{
	json_t *values = json_object(), *instance;
	size_t n;

	json_array_foreach(json_object_get(report, "instances"), n, instance)
	{
		values_add(
		    values, report_text(instance, "name"), json_object_get(instance, "variables"));
	}
	return values;
}

size_t web_size(const json_t *json)
{
	return json_dumpb(json, NULL, 0, JSON_COMPACT | JSON_REAL_PRECISION(9));
}

static void second_fit(json_t *json, size_t most)
{
	static const char *const parts[] = {
	    "values", "instances", "causes", "misses", "lanes", "reason"};
	json_t *left_out = json_array();

	json_object_set_new(json, "left_out", left_out);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && web_size(json) > most; i++) {
		json_array_append_new(left_out, json_string(parts[i]));
		json_object_set_new(json, parts[i],
		    i == 0       ? json_object()
		        : i == 5 ? json_string("")
		                 : json_array());
	}
}

json_t *web_second_json(const json_t *before, const json_t *report, double seconds, size_t most)
{
	static const char *const keys[] = {"state", "reason", "index", "slot_ns", "slots",
	    "misses_counted", "causes", "messages", NULL};
	json_t *json;

	if (before && is_other_load(before, report))
		before = NULL;
	json = json_pack("{s:s, s:f}", "name", report_text(report, "waveform"), "seconds",
	    before ? seconds : 0.0);

	if (!json)
		return NULL;
	keys_copy(json, report, keys);
	json_object_set_new(json, "lanes", second_lanes(before, report));
	json_object_set_new(json, "misses", second_misses(before, report));
	json_object_set_new(json, "instances", second_instances(before, report));
	json_object_set_new(json, "values", second_values(report));
	second_fit(json, most);
	return json;
}

json_t *web_list_json(const json_t *list, size_t most, size_t *ret_left_out)
{
	static const char *const keys[] = {"name", "state", "reason", "index", "clock", NULL};
	json_t *array = json_array(), *entry;
	size_t n, len = 2;

	*ret_left_out = 0;
	json_array_foreach(list, n, entry)
	{
		json_t *json = keys_of(entry, keys);

		len += web_size(json) + 1;
		if (len <= most)
			json_array_append(array, json);
		else
			++*ret_left_out;
		json_decref(json);
	}
	return array;
}
