/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two runs beside each other. */
#include <math.h>
#include <string.h>

#include "core/report/runs.h"

struct run_pair { /* the same place in two reports */
	const json_t *a, *b;
};

struct figure {
	const char *group; /* object of the report; NULL: the report */
	const char *key, *label;
	double scale;
	int digits;
};

static const struct figure figures[] = {
    {NULL, "run_s", "length s", 1, 3},
    {"slots", "run", "slots", 1, 0},
    {"slots", "missed", "slots missed", 1, 0},
    {"slots", "skipped", "slots skipped", 1, 0},
    {"slots", "slipped", "slots slipped", 1, 0},
    {"messages", "absent", "messages absent", 1, 0},
    {"messages", "late", "messages late", 1, 0},
    {"messages", "overwritten", "messages overwritten", 1, 0},
    {"messages", "lost", "messages lost", 1, 0},
    {"latency", "slots", "latency slots", 1, 0},
    {NULL, "capacity_mmac", "capacity MMAC/s", 1, 0},
};
static const struct figure latencies[] = {
    {"measured_us", "p50", "latency p50 us", 1, 1},
    {"measured_us", "p99", "latency p99 us", 1, 1},
    {"measured_us", "max", "latency most us", 1, 1},
};
static const struct figure lane_figures[] = {
    {NULL, "load_mean", "load %", 100, 2},
    {NULL, "load_p99", "load p99 %", 100, 2},
    {NULL, "missed", "missed", 1, 0},
    {"left_us", "least", "least time left us", 1, 1},
};
static const struct figure instance_figures[] = {
    {NULL, "mean_us", "mean us", 1, 3},
    {NULL, "p99_us", "p99 us", 1, 3},
    {NULL, "max_us", "most us", 1, 3},
    {NULL, "overruns", "over budget", 1, 0},
    {"variables", "block_errors", "block errors", 1, 0},
    {"variables", "bit_errors", "bit errors", 1, 0},
};
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static const json_t *value_of(const json_t *at, const struct figure *figure)
{
	const json_t *value =
	    json_object_get(figure->group ? json_object_get(at, figure->group) : at, figure->key);

	return json_is_number(value) ? value : NULL;
}

static void number_print(const json_t *value, const struct figure *figure, FILE *out)
{
	if (value)
		fprintf(out, " %14.*f", figure->digits, figure->scale * json_number_value(value));
	else
		fprintf(out, " %14s", "-");
}

/* A count by its difference, as the figures beside it have it; a measured figure in percent of the
 * first. */
static void change_print(double a, double b, const struct figure *figure, FILE *out)
{
	const double more = rint(figure->scale * b) - rint(figure->scale * a);

	if (a == b || (figure->digits == 0 && more == 0))
		fprintf(out, "         =\n");
	else if (figure->digits == 0)
		fprintf(out, " %+9.0f\n", more);
	else if (a != 0 && fabs(b / a) < 1000)
		fprintf(out, " %+7.1f %%\n", 100 * (b - a) / fabs(a));
	else
		fprintf(out, "         -\n");
}

/* A row that neither run has, or in which both are 0, is left out. */
static void figure_print(
    const char *of, const struct run_pair *pair, const struct figure *figure, FILE *out)
{
	const json_t *a = value_of(pair->a, figure), *b = value_of(pair->b, figure);
	char label[80];

	if ((!a || json_number_value(a) == 0) && (!b || json_number_value(b) == 0))
		return;
	snprintf(label, sizeof(label), "%s%s%s", of, of[0] ? ": " : "", figure->label);
	fprintf(out, "%-40.40s", label);
	number_print(a, figure, out);
	number_print(b, figure, out);
	if (a && b)
		change_print(json_number_value(a), json_number_value(b), figure, out);
	else
		fprintf(out, "\n");
}

static void figures_print(
    const char *of, const struct run_pair *pair, const struct figure *list, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		figure_print(of, pair, &list[i], out);
}

static const json_t *instance_named(const json_t *report, const char *name)
{
	return report_find(json_object_get(report, "instances"), "name", name);
}

static const json_t *lane_numbered(const json_t *report, double number)
{
	const json_t *lane;
	size_t n;

	json_array_foreach(json_object_get(report, "lanes"), n, lane)
	{
		if (report_number(lane, "lane") == number)
			return lane;
	}
	return NULL;
}

static void lanes_print(const json_t *a, const json_t *b, FILE *out)
{
	const json_t *lane;
	char label[32];
	size_t n;

	json_array_foreach(json_object_get(a, "lanes"), n, lane)
	{
		const struct run_pair pair = {lane, lane_numbered(b, report_number(lane, "lane"))};

		snprintf(label, sizeof(label), "lane %.0f", report_number(lane, "lane"));
		figures_print(label, &pair, lane_figures, LEN(lane_figures), out);
	}
	json_array_foreach(json_object_get(b, "lanes"), n, lane)
	{
		const struct run_pair pair = {NULL, lane};

		snprintf(label, sizeof(label), "lane %.0f", report_number(lane, "lane"));
		if (!lane_numbered(a, report_number(lane, "lane")))
			figures_print(label, &pair, lane_figures, LEN(lane_figures), out);
	}
}

static void instances_print(const json_t *a, const json_t *b, FILE *out)
{
	const json_t *instance;
	size_t n;

	json_array_foreach(json_object_get(a, "instances"), n, instance)
	{
		const char *name = report_text(instance, "name");
		const struct run_pair pair = {instance, instance_named(b, name)};

		if (pair.b)
			figures_print(name, &pair, instance_figures, LEN(instance_figures), out);
		else
			fprintf(out, "%-40.40s only in the first run\n", name);
	}
	json_array_foreach(json_object_get(b, "instances"), n, instance)
	{
		if (!instance_named(a, report_text(instance, "name")))
			fprintf(out, "%-40.40s only in the second run\n",
			    report_text(instance, "name"));
	}
}

static void builds_print(const json_t *a, const json_t *b, FILE *out)
{
	const char *name = report_text(a, "name"), *type = report_text(a, "component"),
	           *other = report_text(b, "component");

	if (type[0] && other[0] && strcmp(type, other) != 0)
		fprintf(out, "differs: %s is of the component %s, and of %s\n", name, type, other);
	else if (strcmp(report_text(a, "build"), report_text(b, "build")) != 0)
		fprintf(out, "differs: %s is of another build of %s\n", name, other);
}

/* What makes figures of two runs hard to compare is said before them. */
static void differences_print(const json_t *a, const json_t *b, FILE *out)
{
	static const char *const texts[] = {"waveform", "clock", "late", "isolation", "state"};
	static const char *const numbers[] = {"slot_ns", "copies"};
	const json_t *instance;
	size_t n;

	for (size_t i = 0; i < LEN(texts); i++)
		if (strcmp(report_text(a, texts[i]), report_text(b, texts[i])) != 0)
			fprintf(out, "differs: %s is %s, and %s\n", texts[i],
			    report_text(a, texts[i]), report_text(b, texts[i]));
	for (size_t i = 0; i < LEN(numbers); i++)
		if (report_number(a, numbers[i]) != report_number(b, numbers[i]))
			fprintf(out, "differs: %s is %.0f, and %.0f\n", numbers[i],
			    report_number(a, numbers[i]), report_number(b, numbers[i]));
	json_array_foreach(json_object_get(a, "instances"), n, instance)
	{
		const json_t *other = instance_named(b, report_text(instance, "name"));

		if (other)
			builds_print(instance, other, out);
	}
}

void runs_compare(
    const char *name_a, const json_t *a, const char *name_b, const json_t *b, FILE *out)
{
	const struct run_pair whole = {a, b},
	                      latency = {
	                          json_object_get(a, "latency"), json_object_get(b, "latency")};

	fprintf(out, "first:  %s\nsecond: %s\n", name_a, name_b);
	differences_print(a, b, out);
	fprintf(out, "\n%-40s %14s %14s %9s\n", "", "first", "second", "change");
	figures_print("", &whole, figures, LEN(figures), out);
	figures_print("", &latency, latencies, LEN(latencies), out);
	lanes_print(a, b, out);
	instances_print(a, b, out);
}
