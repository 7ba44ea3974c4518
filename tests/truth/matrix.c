/* SPDX-License-Identifier: BSD-3-Clause
 *
 * matrix LOG RECORDS - joins what inject has written with what `aloe why --json` says, and prints
 * one line of the confusion matrix: the kind, how many trials, how many of them were explained
 * right, how many left no record (nothing was late), and what the others were taken for. Then of
 * all records how many blame the waveform. Of two kinds in one moment both have to be named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json/json.h"

enum { KINDS = 32, NAME = 24, CAUSES = 6 };

/* A trial has an effect from a little before it was written to a little after. */
#define BEFORE_NS 1000000.0
#define AFTER_NS 3000000.0
#define DRAIN_NS 20000000.0 /* until a pipe and the records of a source are empty */

struct verdict {
	char name[KINDS][NAME];
	double us[KINDS];
	size_t n;
};

static double number_of(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
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
		const double at = number_of(record, "at_ns"),
		             end = at + 1e3 * number_of(record, "late_us") + 1e6;

		if (end < from_ns || at > to_ns)
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
			found += strcmp(verdict.name[worst], kind) == 0;
		verdict.us[worst] = -1;
	}
	return found == (wanted > 0 ? wanted : 1);
}

static size_t blamed_count(const json_t *records)
{
	json_t *record;
	size_t n, blamed = 0;

	json_array_foreach(records, n, record)
	{
		blamed += json_is_true(json_object_get(record, "own"));
	}
	return blamed;
}

static void row_print(FILE *log, const json_t *records)
{
	unsigned long long begin, end;
	struct verdict others = {.n = 0};
	char kind[64] = "none";
	unsigned trials = 0, right = 0, none = 0;

	while (fscanf(log, "%63s %llu %llu", kind, &begin, &end) == 3) {
		const double drain = strstr(kind, "no-input") ? DRAIN_NS : 0;
		const struct verdict verdict =
		    verdict_of(records, (double)begin - BEFORE_NS, (double)end + AFTER_NS + drain);

		trials++;
		if (verdict.n == 0)
			none++;
		else if (is_right(verdict, kind))
			right++;
		else
			verdict_add(&others, verdict.name[verdict_worst(&verdict)], 1);
	}
	printf("%-24s trials %3u  right %3u  no-record %3u  others", kind, trials, right, none);
	for (size_t i = 0; i < others.n; i++)
		printf(" %s %.0f", others.name[i], others.us[i]);
	printf("%s  records %zu  blamed %zu\n", others.n ? "" : " none", json_array_size(records),
	    blamed_count(records));
}

int main(int argc, char **argv)
{
	FILE *log = argc == 3 ? fopen(argv[1], "r") : NULL;
	json_t *records = argc == 3 ? json_load_file(argv[2], 0, NULL) : NULL;

	if (!log || !json_is_array(records)) {
		fprintf(stderr, "matrix LOG RECORDS: they cannot be read\n");
		return 2;
	}
	row_print(log, records);
	json_decref(records);
	fclose(log);
	return 0;
}
