/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph of a waveform that runs or has run, by its report: what time its instances took, and
 * what went wrong where. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/graph/graph.h"

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : 0;
}

/* What is negative or too large for a picture is drawn as 0. */
static uint32_t count_of(const json_t *object, const char *key)
{
	const double value = number_of(object, key);

	return value >= 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* word_add appends ", NUMBER WORDS" if the number is not 0. */
static void word_add(char *text, size_t size, double number, const char *words)
{
	const size_t len = strlen(text);
	char digits[NUMBER_TEXT];

	if (number > 0 && len < size)
		snprintf(text + len, size - len, "%s%s %s", len > 0 ? ", " : "",
		    number_text(number, 6, digits), words);
}

/* Three digits or more, and no exponent. */
static int digits_of(double us)
{
	return us < 10 ? 2 : us < 100 ? 1 : 0;
}

static void lane_make(struct graph_lane *lane, const json_t *json)
{
	*lane = (struct graph_lane){.number = count_of(json, "lane"),
	    .node = text_of(json, "node"),
	    .cpu = (int)fmin(number_of(json, "cpu"), 1e6)};
	snprintf(lane->figures, sizeof(lane->figures), "load %.1f %%, 1 %% of slots above %.1f %%",
	    100 * number_of(json, "load_mean"), 100 * number_of(json, "load_p99"));
	word_add(lane->trouble, sizeof(lane->trouble), number_of(json, "missed"), "missed");
	word_add(lane->trouble, sizeof(lane->trouble), number_of(json, "skipped"), "skipped");
}

/* -1: the copies are on several, or the report has no such lane. */
static int lane_find(const struct graph *graph, const json_t *instance)
{
	const uint32_t number = count_of(instance, "lane");

	for (uint32_t l = 0;
	     json_is_number(json_object_get(instance, "lane")) && l < graph->n_lanes; l++)
		if (graph->lanes[l].number == number)
			return (int)l;
	return -1;
}

static void instance_make(
    const struct graph *graph, struct graph_instance *instance, const json_t *json)
{
	const double mean = number_of(json, "mean_us"), most = number_of(json, "max_us");

	*instance = (struct graph_instance){.name = text_of(json, "name"),
	    .component = text_of(json, "component"),
	    .lane = lane_find(graph, json),
	    .order = count_of(json, "order"),
	    .lag = count_of(json, "lag")};
	if (json_timed(json) > 0)
		snprintf(instance->figures, sizeof(instance->figures),
		    "%.*f us, most %.*f us, %.2f %%", digits_of(mean), mean, digits_of(most), most,
		    100 * number_of(json, "share"));
	word_add(
	    instance->trouble, sizeof(instance->trouble), number_of(json, "absent_in"), "ABSENT");
	word_add(instance->trouble, sizeof(instance->trouble), number_of(json, "overruns"),
	    "over budget");
	word_add(instance->trouble, sizeof(instance->trouble), number_of(json, "io_lost"), "lost");
}

static bool instance_find(const struct graph *graph, const char *name, uint32_t *ret)
{
	for (uint32_t i = 0; i < graph->n_instances; i++)
		if (strcmp(graph->instances[i].name, name) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

static void links_make(struct graph *graph, const json_t *links)
{
	uint32_t n = 0;
	json_t *json;
	size_t i;

	json_array_foreach(links, i, json)
	{
		struct graph_link *link = &graph->links[n];

		if (!instance_find(graph, text_of(json, "from"), &link->from) ||
		    !instance_find(graph, text_of(json, "to"), &link->to))
			continue;
		link->from_port = text_of(json, "from_port");
		link->to_port = text_of(json, "to_port");
		link->type = text_of(json, "type");
		link->items = count_of(json, "items");
		link->delay = count_of(json, "delay");
		link->distance = count_of(json, "distance");
		n++;
	}
	graph->n_links = n;
}

static void head_make(struct graph *graph, const json_t *report)
{
	const json_t *latency = json_object_get(report, "latency"),
	             *measured = json_object_get(latency, "measured_us");
	const uint32_t slots = count_of(latency, "slots");
	int len;

	graph->waveform = text_of(report, "waveform");
	graph->copies = count_of(report, "copies");
	len = snprintf(graph->head, sizeof(graph->head), "%.16s at index %.0f, slots of %g us",
	    text_of(report, "state"), number_of(report, "index"),
	    number_of(report, "slot_ns") / 1e3);
	if (len < 0 || (size_t)len >= sizeof(graph->head)) /* a number of 300 digits */
		len = (int)strlen(graph->head);
	if (graph->copies > 1)
		snprintf(graph->head + len, sizeof(graph->head) - (size_t)len, ", %u copies",
		    graph->copies);
	len = snprintf(graph->latency, sizeof(graph->latency), "latency %u slot%s = %g us", slots,
	    plural(slots), number_of(latency, "us"));
	if (len < 0 || (size_t)len >= sizeof(graph->latency))
		len = (int)strlen(graph->latency);
	if (number_of(measured, "count") > 0)
		snprintf(graph->latency + len, sizeof(graph->latency) - (size_t)len,
		    ", measured %.4g us", number_of(measured, "mean"));
}

int graph_of_report(const json_t *report, struct graph **ret)
{
	const json_t *lanes = json_object_get(report, "lanes"),
	             *instances = json_object_get(report, "instances"),
	             *links = json_object_get(report, "links");
	const size_t n_lanes = json_array_size(lanes), n_instances = json_array_size(instances),
	             n_links = json_array_size(links);
	struct graph *graph;
	int rc;

	if (!json_is_array(links))
		return -ENODATA;
	if (n_lanes > GRAPH_LANES_MAX || n_instances > GRAPH_INSTANCES_MAX ||
	    n_links > GRAPH_LINKS_MAX)
		return -E2BIG;
	rc = graph_new((uint32_t)n_instances, (uint32_t)n_links, (uint32_t)n_lanes, &graph);
	if (rc < 0)
		return rc;
	for (uint32_t l = 0; l < n_lanes; l++)
		lane_make(&graph->lanes[l], json_array_get(lanes, l));
	for (uint32_t i = 0; i < n_instances; i++)
		instance_make(graph, &graph->instances[i], json_array_get(instances, i));
	links_make(graph, links);
	head_make(graph, report);
	rc = graph_path_find(graph);
	if (rc == 0)
		*ret = graph;
	else
		graph_free(graph);
	return rc;
}
