/* SPDX-License-Identifier: BSD-3-Clause
 *
 * matrix LOG RECORDS - joins what inject has written with what `aloe why --json` says, and prints a
 * line for each trial, and one for the rest (tests/truth/table.awk makes a table of them):
 *
 *     trial KIND RESULT FIRST SECOND BLAMED
 *     records KIND ALL BLAMED OUTSIDE BLAMED-OUTSIDE
 *
 * RESULT: `right`, `wrong`, or `not-late` where the records have nothing at that time. FIRST and
 * SECOND: the largest causes. Of two kinds in one moment both have to be the two largest. BLAMED: 1
 * if the largest is the waveform's own doing. OUTSIDE: records of no trial. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json/json.h"

enum { KINDS = 32, NAME = 24, TRIALS = 1000 };

/* A trial has an effect from a little before it was written to a little after. */
#define BEFORE_NS 1000000.0
#define AFTER_NS 3000000.0
#define DRAIN_NS 20000000.0 /* until a pipe and the records of a source are empty */

struct trial {
	double from_ns, to_ns;
};

struct verdict {
	char name[KINDS][NAME];
	double us[KINDS];
	size_t n;
};

static double number_of(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* Of a slot of 1 ms. */
static double end_of(const json_t *record)
{
	return number_of(record, "at_ns") + 1e3 * number_of(record, "late_us") + 1e6;
}

static void verdict_add(struct verdict *verdict, const char *name, double us)
{
	for (size_t i = 0; i < verdict->n; i++)
		if (strcmp(verdict->name[i], name) == 0) {
			verdict->us[i] += us;
			return;
		}
	if (verdict->n == KINDS)
		return;
	snprintf(verdict->name[verdict->n], NAME, "%s", name);
	verdict->us[verdict->n++] = us;
}

/* Causes of the records of a span of time. A slot that was late after another has no cause of its
 * own. */
static struct verdict verdict_of(const json_t *records, double from_ns, double to_ns)
{
	struct verdict verdict = {.n = 0};
	json_t *record, *cause;
	size_t n, c;

	json_array_foreach(records, n, record)
	{
		if (end_of(record) < from_ns || number_of(record, "at_ns") > to_ns)
			continue;
		json_array_foreach(json_object_get(record, "causes"), c, cause)
		{
			const char *kind = json_string_value(json_object_get(cause, "kind"));

			if (kind && strcmp(kind, "slot-before") != 0)
				verdict_add(&verdict, kind, number_of(cause, "us"));
		}
	}
	return verdict;
}

static size_t verdict_worst(const struct verdict *verdict)
{
	size_t worst = 0;

	for (size_t i = 1; i < verdict->n; i++)
		if (verdict->us[i] > verdict->us[worst])
			worst = i;
	return worst;
}

/* `timer-idle` is a timer, too, and `other-cpu-tlb` comes from another CPU. */
static int is_cause(const char *cause, const char *kind)
{
	const size_t len = strlen(cause);

	return strncmp(cause, kind, len) == 0 && (kind[len] == 0 || kind[len] == '-');
}

/* The kind, or of two kinds each, is the largest, or the second. */
static int is_right(struct verdict verdict, const char *kinds)
{
	char text[64], *rest = NULL;
	size_t wanted = 0, found = 0;
	const size_t named = strchr(kinds, '+') ? 2 : 1;

	for (size_t i = 0; i < named && verdict.n > 0; i++) {
		const size_t worst = verdict_worst(&verdict);

		snprintf(text, sizeof(text), "%s", kinds);
		wanted = 0;
		for (char *kind = strtok_r(text, "+", &rest); kind;
		     kind = strtok_r(NULL, "+", &rest), wanted++)
			found += is_cause(verdict.name[worst], kind);
		verdict.us[worst] = -1;
	}
	return found == (wanted > 0 ? wanted : 1);
}

static int is_own(const char *cause)
{
	return strcmp(cause, "component") == 0 || strcmp(cause, "new-memory") == 0 ||
	    strcmp(cause, "slot-too-short") == 0;
}

static void trial_print(const char *kind, struct verdict verdict)
{
	const size_t worst = verdict_worst(&verdict);
	const char *first = verdict.n > 0 ? verdict.name[worst] : "-", *second = "-";
	const char *result = verdict.n == 0 ? "not-late"
	    : is_right(verdict, kind)       ? "right"
	                                    : "wrong";

	if (verdict.n > 1) {
		verdict.us[worst] = -1;
		second = verdict.name[verdict_worst(&verdict)];
	}
	printf("trial %s %s %s %s %d\n", kind, result, first, second, is_own(first));
}

static int is_among(const json_t *record, const struct trial *trials, size_t n)
{
	while (n > 0 &&
	    (end_of(record) < trials[n - 1].from_ns ||
	        number_of(record, "at_ns") > trials[n - 1].to_ns))
		n--;
	return n > 0;
}

static void records_print(
    const char *kind, const json_t *records, const struct trial *trials, size_t n)
{
	unsigned all = 0, blamed = 0, outside = 0, outside_blamed = 0;
	json_t *record;
	size_t i;

	json_array_foreach(records, i, record)
	{
		const unsigned own = json_is_true(json_object_get(record, "own")),
		               is_outside = !is_among(record, trials, n);

		all++;
		blamed += own;
		outside += is_outside;
		outside_blamed += is_outside && own;
	}
	printf("records %s %u %u %u %u\n", kind, all, blamed, outside, outside_blamed);
}

static void rows_print(FILE *log, const json_t *records)
{
	static struct trial trials[TRIALS];
	unsigned long long begin, end;
	char kind[64] = "none";
	size_t n = 0;

	while (n < TRIALS && fscanf(log, "%63s %llu %llu", kind, &begin, &end) == 3) {
		trials[n] = (struct trial){(double)begin - BEFORE_NS,
		    (double)end + AFTER_NS + (strstr(kind, "no-input") ? DRAIN_NS : 0)};
		trial_print(kind, verdict_of(records, trials[n].from_ns, trials[n].to_ns));
		n++;
	}
	records_print(kind, records, trials, n);
}

int main(int argc, char **argv)
{
	FILE *log = argc == 3 ? fopen(argv[1], "r") : NULL;
	json_t *records = argc == 3 ? json_load_file(argv[2], 0, NULL) : NULL;

	if (!log || !json_is_array(records)) {
		fprintf(stderr, "matrix LOG RECORDS: they cannot be read\n");
		return 2;
	}
	rows_print(log, records);
	json_decref(records);
	fclose(log);
	return 0;
}
