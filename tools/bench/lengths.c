/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench lengths: what a component costs at one length of its messages, from what it took at
 * two others, as plans have it (core/map/length.h), beside what it took. */
#include "tools/bench/lengths.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/map/length.h"
#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/figures.h"
#include "tools/bench/run.h"

enum { ROUNDS_MAX = 999, PARTS_MAX = 128 };

static const double REACH = 0.1; /* of what was measured */

struct lengths_part {      /* a component, in one chain */
	char instance[40]; /* without the letter of a length */
	char component[40];
	const struct lengths_chain *chain;
	uint64_t bytes[LENGTHS];
	double us[LENGTHS][ROUNDS_MAX];
	size_t n; /* rounds */
};

struct lengths {
	struct bench *bench;
	uint64_t rounds;
	int cpu;
	enum simd_level level;
	struct lengths_part parts[PARTS_MAX];
	size_t n_parts;
};

/* ---- measuring ------------------------------------------------------------------------ */

static bool is_frame(const char *component)
{
	return strcmp(component, "random_source") == 0 || strcmp(component, "null_sink") == 0;
}

/* The part of an instance "NAME_a", new if the component has none; NULL: it is of another length,
 * has been seen in another chain, or only surrounds the others. */
static struct lengths_part *part_of(
    struct lengths *lengths, const struct lengths_chain *chain, const json_t *instance)
{
	const char *name = report_text(instance, "name"),
	           *component = report_text(instance, "component");
	const size_t len = strlen(name);
	struct lengths_part *part = &lengths->parts[lengths->n_parts];

	if (len < 3 || len - 2 >= sizeof(part->instance) ||
	    name[len - 1] != lengths_letter(LENGTHS_SHORT) || is_frame(component))
		return NULL;
	for (size_t i = 0; i < lengths->n_parts; i++) {
		struct lengths_part *old = &lengths->parts[i];

		if (strcmp(old->component, component) != 0)
			continue;
		return old->chain == chain && strlen(old->instance) == len - 2 &&
		        strncmp(old->instance, name, len - 2) == 0
		    ? old
		    : NULL;
	}
	if (lengths->n_parts == PARTS_MAX)
		return NULL;
	*part = (struct lengths_part){.chain = chain};
	snprintf(part->instance, sizeof(part->instance), "%.*s", (int)(len - 2), name);
	snprintf(part->component, sizeof(part->component), "%s", component);
	lengths->n_parts++;
	return part;
}

static void part_take(struct lengths_part *part, const json_t *report)
{
	char name[48];

	for (int length = 0; length < LENGTHS; length++) {
		const json_t *instance;

		snprintf(name, sizeof(name), "%s_%c", part->instance, lengths_letter(length));
		instance = report_instance(report, name);
		part->bytes[length] = (uint64_t)report_number(instance, "bytes");
		part->us[length][part->n] = report_number(instance, "p50_us");
	}
	part->n++;
}

/* All lengths in one run, slot by slot, so that what the machine does meanwhile strikes them
 * all. */
static int chain_run(struct lengths *lengths, const struct lengths_chain *chain, uint64_t round)
{
	struct words words = {0};
	json_t *report = NULL, *instance;
	char path[PATH_MAX], what[80];
	size_t i;
	int status = lengths_write(lengths->bench, chain, path, sizeof(path));

	if (status != CLI_OK)
		return status;
	words_add(&words, "%s", path);
	words_add(&words, "--slots=%u", chain->slots);
	words_add(&words, "--clock=virtual");
	words_add(&words, "--lanes=%d", lengths->cpu);
	snprintf(what, sizeof(what), "round %llu of %llu, %s", (unsigned long long)round + 1,
	    (unsigned long long)lengths->rounds, chain->name);
	status = run_only(lengths->bench, &words, lengths->level, what, &report, NULL);
	json_array_foreach(
	    status == CLI_OK ? json_object_get(report, "instances") : NULL, i, instance)
	{
		struct lengths_part *part = part_of(lengths, chain, instance);

		if (part)
			part_take(part, report);
	}
	json_decref(report);
	return status;
}

static int lengths_measure(void *self)
{
	struct lengths *lengths = self;

	for (uint64_t round = 0; round < lengths->rounds; round++)
		for (size_t c = 0; c < lengths_n_chains; c++) {
			const int status = chain_run(lengths, &lengths_chains[c], round);

			if (status == BENCH_INTERRUPTED && lengths->n_parts)
				return CLI_OK;
			if (status != CLI_OK)
				return status;
		}
	return CLI_OK;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column columns[] = {
    {"component", "component", COLUMN_TEXT},
    {"chain", "chain", COLUMN_TEXT},
    {"rounds", "rounds", 0},
    {"short_bytes", "bytes", 0},
    {"short_us", "us", 3},
    {"long_bytes", "bytes", 0},
    {"long_us", "us", 3},
    {"first_us", "first us", 3},
    {"kib_us", "us a KiB", 4},
    {"bytes", "third: bytes", 0},
    {"predicted_us", "predicted us", 3},
    {"measured_us", "measured us", 3},
    {"ratio", "ratio", 3},
    {"quarter", "25 %", 3},
    {"three_quarters", "75 %", 3},
    {"scaled_ratio", "in proportion", 3},
    {"reach", "reach", COLUMN_TEXT},
    {"reached", "reached", COLUMN_TEXT},
};

/* Of times in us in the place of kMAC: the line is the same. */
static struct length_cost part_predict(const struct lengths_part *part, const double us[LENGTHS])
{
	const struct length_point points[] = {
	    {part->bytes[LENGTHS_LONG], us[LENGTHS_LONG], us[LENGTHS_LONG]},
	    {part->bytes[LENGTHS_SHORT], us[LENGTHS_SHORT], us[LENGTHS_SHORT]},
	};

	return length_cost(points, 2, part->bytes[LENGTHS_THIRD]);
}

/* Returns whether the prediction is within reach. */
static bool part_row(struct lengths *lengths, struct lengths_part *part, json_t *spans)
{
	double ratios[ROUNDS_MAX], scaled[ROUNDS_MAX], us[LENGTHS], ratio;
	const double times = (double)part->bytes[LENGTHS_THIRD] / (double)part->bytes[LENGTHS_LONG];
	struct length_cost cost;
	bool reached;

	for (size_t r = 0; r < part->n; r++) {
		const double one[LENGTHS] = {part->us[LENGTHS_SHORT][r], part->us[LENGTHS_LONG][r],
		    part->us[LENGTHS_THIRD][r]};

		ratios[r] = part_predict(part, one).kmac_p50 / one[LENGTHS_THIRD];
		scaled[r] = one[LENGTHS_LONG] * times / one[LENGTHS_THIRD];
	}
	for (int length = 0; length < LENGTHS; length++)
		us[length] = median(part->us[length], part->n);
	ratio = median(ratios, part->n); /* sorts them */
	cost = part_predict(part, us);
	reached = fabs(ratio - 1) <= REACH;
	json_array_append_new(spans,
	    json_pack("[s, f, f]", part->component, ratios[part->n / 4], ratios[part->n * 3 / 4]));
	bench_row(lengths->bench,
	    json_pack("{s:s, s:s, s:I, s:I, s:f, s:I, s:f, s:f, s:f, s:I, s:f, s:f, s:f, s:f, s:f, "
	              "s:f, s:s, s:s}",
	        "component", part->component, "chain", part->chain->name, "rounds",
	        (json_int_t)part->n, "short_bytes", (json_int_t)part->bytes[LENGTHS_SHORT],
	        "short_us", us[LENGTHS_SHORT], "long_bytes", (json_int_t)part->bytes[LENGTHS_LONG],
	        "long_us", us[LENGTHS_LONG], "first_us", cost.fixed * cost.kmac_p50, "kib_us",
	        (1 - cost.fixed) * cost.kmac_p50 * 1024 / (double)part->bytes[LENGTHS_THIRD],
	        "bytes", (json_int_t)part->bytes[LENGTHS_THIRD], "predicted_us", cost.kmac_p50,
	        "measured_us", us[LENGTHS_THIRD], "ratio", ratio, "quarter", ratios[part->n / 4],
	        "three_quarters", ratios[part->n * 3 / 4], "scaled_ratio", median(scaled, part->n),
	        "reach", "0.9 .. 1.1", "reached", reached ? "yes" : "no"));
	return reached;
}

static void lengths_result(void *self)
{
	struct lengths *lengths = self;
	struct bench *bench = lengths->bench;
	json_t *spans = plot_series(
	    &bench->plot, PLOT_SPANS, "predicted over measured, 25 to 75 % of the rounds");
	size_t reached = 0;

	bench_table(bench, "lengths", "the time of a call at a third length, from two others",
	    columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < lengths->n_parts; i++)
		reached += part_row(lengths, &lengths->parts[i], spans);
	bench->missed = bench->missed || reached < lengths->n_parts;
	bench_note(bench,
	    "of %zu component%s %zu %s predicted within %.0f %% (median of the rounds); CPU %d, %s",
	    lengths->n_parts, plural(lengths->n_parts), reached, reached == 1 ? "is" : "are",
	    100 * REACH, lengths->cpu, simd_name(lengths->level));
	bench_note(bench,
	    "bytes are those of the largest messages of all ports; in each round the line first + "
	    "bytes x marginal goes through the median call at the first two lengths; ratio is its "
	    "time at the third over the median call there, in proportion the same from the longer "
	    "length alone");
	bench->plot.title = "Predicted over measured time of a call at a third length";
	bench->plot.x = "predicted time / measured time";
	bench->plot.y = "component";
}

static int options_parse(void *self)
{
	struct lengths *lengths = self;

	lengths->rounds = 20;
	if (cli_whole(lengths->bench->args, "rounds", 1, ROUNDS_MAX, &lengths->rounds) < 0 ||
	    bench_cpu(lengths->bench, &lengths->cpu) < 0 ||
	    bench_level(lengths->bench, &lengths->level) < 0)
		return CLI_USAGE;
	return CLI_OK;
}

int bench_lengths(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct lengths), options_parse, lengths_measure, lengths_result, NULL};

	return bench_main(args, &parts);
}
