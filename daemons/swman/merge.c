/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/swman/merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/report.h"

/* That which the waveform as a whole is in: the first of these that one of its parts is in. */
static const char *const states[] = {
    "ABNSTOP", "LOADED", "INIT", "STEP", "PAUSE", "RUN", "STOP", NULL};

static int state_rank(const char *state)
{
	int i = 0;

	while (states[i] && strcmp(states[i], state) != 0)
		i++;
	return i;
}

static void state_merge(json_t *into, const json_t *one)
{
	if (state_rank(report_text(one, "state")) < state_rank(report_text(into, "state")))
		json_object_set(into, "state", json_object_get(one, "state"));
}

/* Parts that stopped for the sake of another one have its reason, which names its node; it is said
 * once. */
static void reason_add(json_t *into, const json_t *one, const char *node)
{
	const char *have = report_text(into, "reason"), *more = report_text(one, "reason");
	const bool names = strncmp(more, "node \"", strlen("node \"")) == 0;
	char *said = NULL, *text = NULL;

	if (more[0] && asprintf(&said, names ? "%.0s%s" : "node \"%s\": %s", node, more) < 0)
		said = NULL;
	if (said && !strstr(have, said) &&
	    asprintf(&text, "%s%s%s", have, have[0] ? "; " : "", said) < 0)
		text = NULL;
	if (text)
		json_object_set_new(into, "reason", json_string(text));
	free(said);
	free(text);
}

enum how { SUM, MOST, LEAST };

static void number_merge(json_t *into, const json_t *one, const char *key, enum how how)
{
	const json_t *a = json_object_get(into, key), *b = json_object_get(one, key);
	const double x = json_number_value(a), y = json_number_value(b);
	const double merged = how == SUM ? x + y : how == MOST ? fmax(x, y) : fmin(x, y);

	if (json_is_integer(a) && json_is_integer(b))
		json_object_set_new(into, key, json_integer((json_int_t)merged));
	else if (json_is_number(a) && json_is_number(b))
		json_object_set_new(into, key, json_real(merged));
}

static void truth_merge(json_t *into, const json_t *one, const char *key, bool all)
{
	const bool a = json_is_true(json_object_get(into, key)),
	           b = json_is_true(json_object_get(one, key));

	json_object_set_new(into, key, json_boolean(all ? a && b : a || b));
}

static void counts_merge(json_t *into, const json_t *one, const char *group)
{
	json_t *have = json_object_get(into, group), *value;
	const char *key;
	void *next;

	json_object_foreach_safe(have, next, key, value)
	{
		const bool same = strcmp(key, "run") == 0 || strcmp(key, "drain") == 0;

		number_merge(have, json_object_get(one, group), key, same ? MOST : SUM);
	}
}

/* One sink's latency, or that of sinks of one node. */
static void latency_merge(json_t *into, const json_t *one)
{
	const json_t *have = json_object_get(into, "latency"),
	             *more = json_object_get(one, "latency");

	if (report_number(more, "measured_slots_max") > report_number(have, "measured_slots_max"))
		json_object_set(into, "latency", json_object_get(one, "latency"));
}

static bool has_line(const json_t *list, const json_t *line)
{
	json_t *other;
	size_t n;

	json_array_foreach(list, n, other)
	{
		if (json_equal(other, line))
			return true;
	}
	return false;
}

static void lines_add(json_t *into, const json_t *one, const char *key)
{
	json_t *have = json_object_get(into, key), *line;
	size_t n;

	json_array_foreach(json_object_get(one, key), n, line)
	{
		if (!has_line(have, line))
			json_array_append(have, line);
	}
}

static void lanes_add(json_t *into, const json_t *one, const char *node)
{
	json_t *lane;
	size_t n;

	json_array_foreach(json_object_get(one, "lanes"), n, lane)
	{
		json_t *copy = json_copy(lane);

		json_object_set_new(copy, "node", json_string(node));
		json_array_append_new(into, copy);
	}
}

static bool has_lane(const json_t *report, json_int_t number)
{
	json_t *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		if (json_integer_value(json_object_get(lane, "lane")) == number)
			return true;
	}
	return false;
}

/* Every node says how its own clock stands, and what its own bridge has counted. */
static void list_add(json_t *into, const json_t *one, const char *key)
{
	json_t *more = json_object_get(one, key), *have = json_object_get(into, key);

	if (!json_is_array(have) && json_is_array(more))
		json_object_set_new(into, key, json_copy(more));
	else if (json_is_array(more))
		json_array_extend(have, more);
}

/* Each instance as the node has it that runs it. */
static void instances_merge(json_t *into, const json_t *one)
{
	json_t *have = json_object_get(into, "instances"), *instance;
	size_t n;

	json_array_foreach(json_object_get(one, "instances"), n, instance)
	{
		if (n < json_array_size(have) &&
		    has_lane(one, json_integer_value(json_object_get(instance, "lane"))))
			json_array_set(have, n, instance);
	}
}

static int lateness_compare(const void *a, const void *b)
{
	const double one = report_number(*(json_t *const *)a, "us"),
	             other = report_number(*(json_t *const *)b, "us");

	return (one < other) - (one > other);
}

/* The most lateness first, as in the report of one node. */
static void causes_sort(json_t *causes)
{
	const size_t n = json_array_size(causes);
	json_t **sorted = n > 1 ? calloc(n, sizeof(json_t *)) : NULL;

	if (!sorted)
		return;
	for (size_t i = 0; i < n; i++)
		sorted[i] = json_incref(json_array_get(causes, i));
	qsort(sorted, n, sizeof(json_t *), lateness_compare);
	json_array_clear(causes);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(causes, sorted[i]);
	free(sorted);
}

/* Of one kind the worst slot is the worst of all nodes. */
static void causes_merge(json_t *into, const json_t *one)
{
	json_t *have = json_object_get(into, "causes"), *more;
	size_t n;

	if (!have)
		json_object_set_new(into, "causes", have = json_array());
	json_array_foreach(json_object_get(one, "causes"), n, more)
	{
		json_t *cause = report_find(have, "kind", report_text(more, "kind"));

		if (!cause) {
			json_array_append_new(have, json_copy(more));
			continue;
		}
		number_merge(cause, more, "count", SUM);
		number_merge(cause, more, "slots", SUM);
		number_merge(cause, more, "us", SUM);
		if (report_number(more, "worst_us") <= report_number(cause, "worst_us"))
			continue;
		json_object_set(cause, "worst_us", json_object_get(more, "worst_us"));
		json_object_set(cause, "worst_slot", json_object_get(more, "worst_slot"));
	}
	causes_sort(have);
}

static void one_merge(json_t *into, const json_t *one)
{
	static const char *const lists[] = {"misses", "notes", "losses"};

	state_merge(into, one);
	number_merge(into, one, "index", LEAST);
	number_merge(into, one, "run_s", MOST);
	truth_merge(into, one, "started", false);
	truth_merge(into, one, "ended", true);
	truth_merge(into, one, "drained", true);
	counts_merge(into, one, "slots");
	counts_merge(into, one, "messages");
	latency_merge(into, one);
	list_add(into, one, "clocks");
	list_add(into, one, "peers");
	causes_merge(into, one);
	instances_merge(into, one);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		lines_add(into, one, lists[i]);
}

json_t *merge_report(json_t *const *reports, const char *const *nodes, size_t n)
{
	json_t *into = json_deep_copy(reports[0]), *lanes = json_array();

	json_object_set_new(into, "reason", json_string(""));
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			one_merge(into, reports[i]);
		lanes_add(lanes, reports[i], nodes[i]);
		reason_add(into, reports[i], nodes[i]);
	}
	json_object_set_new(into, "lanes", lanes);
	return into;
}

static json_t *waveform_new(const json_t *from, const char *node)
{
	json_t *waveform = json_deep_copy(from);

	json_object_set_new(waveform, "reason", json_string(""));
	json_object_set_new(waveform, "lanes", json_array());
	if (!json_is_array(json_object_get(waveform, "nodes"))) /* it is on one node */
		json_object_set_new(waveform, "nodes", json_pack("[s]", node));
	return waveform;
}

void merge_list(json_t *list, const json_t *one, const char *node)
{
	json_t *waveform;
	size_t n;

	json_array_foreach(one, n, waveform)
	{
		json_t *have = report_find(list, "name", report_text(waveform, "name"));

		if (!have) {
			have = waveform_new(waveform, node);
			json_array_append_new(list, have);
		}
		state_merge(have, waveform);
		number_merge(have, waveform, "index", LEAST);
		truth_merge(have, waveform, "drained", true);
		truth_merge(have, waveform, "held", false);
		lanes_add(json_object_get(have, "lanes"), waveform, node);
		reason_add(have, waveform, node);
	}
}

/* ---- late slots ------------------------------------------------------------------------ */

/* What has no lane says that the slot was on time, or that nobody knows. */
bool merge_is_late(const json_t *slot)
{
	return json_object_get(slot, "lane") != NULL;
}

static bool is_unknown(const json_t *slot)
{
	return strcmp(report_text(slot, "what"), "no record") == 0;
}

static void record_name(json_t *record, const char *node)
{
	json_t *other;
	size_t i;

	if (merge_is_late(record) || is_unknown(record))
		json_object_set_new(record, "node", json_string(node));
	json_array_foreach(json_object_get(record, "others"), i, other)
	{
		json_object_set_new(other, "node", json_string(node));
	}
}

json_t *merge_misses(json_t *all, json_t *one, const char *node)
{
	json_t *record;
	size_t i;

	json_array_foreach(one, i, record)
	{
		record_name(record, node);
	}
	record_name(one, node);
	if (!all)
		return json_incref(one);
	if (json_is_array(all)) {
		json_array_extend(all, one);
	} else if (merge_is_late(one) && merge_is_late(all)) {
		json_t *others = json_object_get(all, "others");

		if (!others)
			json_object_set_new(all, "others", others = json_array());
		json_array_append(others, one);
		json_array_extend(others, json_object_get(one, "others"));
		json_object_del(one, "others");
	} else if (merge_is_late(one) ||
	    (is_unknown(one) && !merge_is_late(all) && !is_unknown(all))) {
		json_decref(all);
		return json_incref(one);
	}
	return all;
}
