/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench growth: what loading, running and unloading costs as there are more instances in a
 * waveform, and more waveforms on a node. Commands are timed from their start to their end, as a
 * user waits for them. And how long after the command the first slot of `aloe run` begins. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/image/node.h"
#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/figures.h"
#include "tools/bench/nodes.h"
#include "tools/bench/processes.h"
#include "tools/bench/run.h"

enum {
	ROWS_MAX = 16,
	PATH = 4096,
	INSTANCES_MIN = 3, /* a source, a copy and a sink */
	INSTANCES_MAX = 20000,
	SLOT_NS = 10000000,
	SLOTS_MAX = 1000000,
	FIRST_SLOT_NS = 1000000,
	FIRST_SLOTS = 100,
	FIRST_RUNS_MAX = 101,
	LOOKS_MAX = 600, /* 50 ms apart, at a run that does not go on */
	PROCESSES_MAX = NODE_WAVEFORMS_MAX + 64,
};

struct growth_row {
	double instances, waveforms;
	bool done;
	double load_s, unload_s, slot_ns, mb;
};

struct growth {
	struct bench *bench;
	struct growth_row rows[2 * ROWS_MAX];
	size_t n_rows;
	double slots;
	struct bench_node node;
	double runs; /* of `aloe run`; 0: none */
	double first_ms[FIRST_RUNS_MAX], whole_ms[FIRST_RUNS_MAX];
	size_t n_first;
};

/* ---- one row ------------------------------------------------------------------------ */

static int order_send(struct growth *growth, const char *verb, const char *object, bool load)
{
	struct words words = {0};

	words_add(&words, "%s", verb);
	words_add(&words, "%s", object);
	if (load) {
		words_add(&words, "--clock=virtual");
		words_add(&words, "--slots=%.0f", growth->slots);
	}
	const int status = node_do(growth->bench, &growth->node, &words, false, NULL);
	words_fini(&words);
	return status;
}

static void name_of(size_t number, char name[32])
{
	snprintf(name, 32, "w%zu", number);
}

/* All files are written before the clock starts. */
static int all_load(struct growth *growth, struct growth_row *row)
{
	const size_t n = (size_t)row->waveforms;
	char(*paths)[PATH] = calloc(n, sizeof(*paths));
	int status = paths ? CLI_OK : CLI_FAILED;
	char name[32];

	for (size_t i = 0; i < n && status == CLI_OK; i++) {
		name_of(i, name);
		status = conf_chain(growth->bench, name, (uint64_t)row->instances - 2, CONF_COUNTER,
		    SLOT_NS, paths[i], sizeof(paths[i]));
	}
	const uint64_t begin = clock_ns();
	for (size_t i = 0; i < n && status == CLI_OK; i++) {
		progress_show(&growth->bench->progress, "%.0f x %.0f: loading %zu of them",
		    row->waveforms, row->instances, i + 1);
		status = order_send(growth, "load", paths[i], true);
	}
	row->load_s = (double)(clock_ns() - begin) * 1e-9;
	free(paths);
	return status;
}

static void memory_take(struct growth *growth, struct growth_row *row)
{
	struct process *processes = calloc(PROCESSES_MAX, sizeof(*processes));
	const size_t n =
	    processes ? processes_below(growth->node.run.pid, processes, PROCESSES_MAX) : 0;

	row->mb = 0;
	for (size_t i = 0; i < n; i++) /* of an image each has its own pages touched */
		row->mb += (processes[i].private_kb + processes[i].image_kb) / 1024;
	free(processes);
}

/* However long it takes, as long as it goes on. *ret_report: the last there was, or NULL. */
static int end_await(struct growth *growth, const char *name, json_t **ret_report)
{
	int status = CLI_OK;
	double index = -1;

	for (int looks = 0; status == CLI_OK && looks < LOOKS_MAX; looks++) {
		json_decref(*ret_report);
		*ret_report = node_report(growth->bench, &growth->node, name);
		if (!*ret_report)
			return CLI_FAILED;
		if (json_is_true(json_object_get(*ret_report, "drained")))
			return CLI_OK;
		if (report_number(*ret_report, "index") != index)
			looks = 0;
		index = report_number(*ret_report, "index");
		status = node_wait(growth->bench, 0.05, "a run ends");
	}
	if (status != CLI_OK)
		return status;
	cli_fail(growth->bench->args,
	    "%s does not end: %.0f of %.0f slot%s have run, and none in the last 30 s; its state "
	    "is %s",
	    name, index, growth->slots, plural(growth->slots), report_text(*ret_report, "state"));
	return CLI_FAILED;
}

/* Runs one to its end, and gives the time of a slot and instance. */
static int one_run(struct growth *growth, const char *name, double instances, double *ret_ns)
{
	int status = order_send(growth, "start", name, false);
	json_t *report = NULL;

	if (status == CLI_OK)
		status = end_await(growth, name, &report);
	*ret_ns = report_number(report, "run_s") * 1e9 / growth->slots / instances;
	json_decref(report);
	return status;
}

/* Of many waveforms the last ten are run: they lie behind all others. */
static int some_run(struct growth *growth, struct growth_row *row)
{
	const size_t n = (size_t)row->waveforms, first = n > 10 ? n - 10 : 0;
	int status = CLI_OK;
	double sum = 0, ns;
	char name[32];

	for (size_t i = first; i < n && status == CLI_OK; i++) {
		name_of(i, name);
		status = one_run(growth, name, row->instances, &ns);
		sum += status == CLI_OK ? ns : 0;
	}
	row->slot_ns = sum / (double)(n - first);
	return status;
}

static int all_unload(struct growth *growth, struct growth_row *row)
{
	const uint64_t begin = clock_ns();
	int status = CLI_OK;
	char name[32];

	for (size_t i = 0; i < (size_t)row->waveforms && status == CLI_OK; i++) {
		name_of(i, name);
		progress_show(&growth->bench->progress, "%.0f x %.0f: unloading %zu of them",
		    row->waveforms, row->instances, i + 1);
		status = order_send(growth, "unload", name, false);
	}
	row->unload_s = (double)(clock_ns() - begin) * 1e-9;
	return status;
}

/* What a node does once, which is to measure the machine and to read the components, is not part of
 * a row. */
static int node_warm(struct growth *growth)
{
	char path[PATH];
	int status =
	    conf_chain(growth->bench, "warm", 1, CONF_COUNTER, SLOT_NS, path, sizeof(path));

	progress_show(&growth->bench->progress, "the node measures the machine");
	if (status == CLI_OK)
		status = order_send(growth, "load", path, true);
	return status == CLI_OK ? order_send(growth, "unload", "warm", false) : status;
}

static int row_measure(struct growth *growth, struct growth_row *row)
{
	char name[32];
	int status;

	snprintf(name, sizeof(name), "node%zu", (size_t)(row - growth->rows));
	status = node_up(growth->bench, name, NULL, NULL, &growth->node);
	if (status == CLI_OK)
		status = node_warm(growth);
	if (status == CLI_OK)
		status = all_load(growth, row);
	if (status == CLI_OK)
		status = some_run(growth, row);
	if (status == CLI_OK)
		memory_take(growth, row);
	if (status == CLI_OK)
		status = all_unload(growth, row);
	row->done = status == CLI_OK;
	node_down(growth->bench, &growth->node);
	return status;
}

/* ---- the first slot ------------------------------------------------------------------- */

static int first_run(struct growth *growth, const char *path, double *ret_first_ms)
{
	struct words words = {0};
	json_t *report = NULL;
	const uint64_t begin = clock_ns();
	int status;

	words_add(&words, "%s", path);
	words_add(&words, "--slots=%d", FIRST_SLOTS);
	status = run_only(growth->bench, &words, simd_best(), "first slot", &report, NULL);
	*ret_first_ms = (report_number(report, "first_slot_ns") - (double)begin) * 1e-6;
	json_decref(report);
	return status;
}

/* The run before those that count measures the machine, once for all. */
static int first_measure(struct growth *growth)
{
	char path[PATH];
	double ms;
	int status =
	    conf_chain(growth->bench, "first", 0, CONF_COUNTER, FIRST_SLOT_NS, path, sizeof(path));

	if (status == CLI_OK && growth->runs > 0)
		status = first_run(growth, path, &ms);
	while (status == CLI_OK && growth->n_first < (size_t)growth->runs) {
		const uint64_t begin = clock_ns();

		status = first_run(growth, path, &ms);
		if (status != CLI_OK)
			break;
		growth->first_ms[growth->n_first] = ms;
		growth->whole_ms[growth->n_first++] = (double)(clock_ns() - begin) * 1e-6;
	}
	return status;
}

/* ---- the whole ------------------------------------------------------------------------ */

static int growth_measure(void *self)
{
	struct growth *growth = self;
	int status = first_measure(growth);

	for (size_t i = 0; i < growth->n_rows && status == CLI_OK; i++)
		status = row_measure(growth, &growth->rows[i]);
	return status;
}

static const struct column columns[] = {
    {"instances", "instances", 0},
    {"waveforms", "waveforms", 0},
    {"load_s", "load s", 3},
    {"unload_s", "unload s", 3},
    {"load_ms_each", "load ms a waveform", 1},
    {"load_us_instance", "load us an instance", 1},
    {"slot_ns", "ns a slot and instance", 1},
    {"mb", "MB", 1},
};

static const struct column first_columns[] = {
    {"runs", "runs", 0},
    {"first_slot_ms", "first slot ms", 1},
    {"least_ms", "least", 1},
    {"most_ms", "most", 1},
    {"whole_ms", "whole command ms", 1},
};

static void first_result(struct growth *growth)
{
	const size_t n = growth->n_first;

	if (n == 0)
		return;
	bench_table(growth->bench, "first", "from the command `aloe run` to the first slot",
	    first_columns, sizeof(first_columns) / sizeof(first_columns[0]));
	const double middle = median(growth->first_ms, n), whole = median(growth->whole_ms, n);

	bench_row(growth->bench,
	    json_pack("{s:I, s:f, s:f, s:f, s:f}", "runs", (json_int_t)n, "first_slot_ms", middle,
	        "least_ms", growth->first_ms[0], "most_ms", growth->first_ms[n - 1], "whole_ms",
	        whole));
	bench_note(growth->bench,
	    "first slot and whole command are medians, of a source and a sink on the timer with "
	    "slots of %g ms, %d slots a run; the machine was measured before",
	    FIRST_SLOT_NS * 1e-6, FIRST_SLOTS);
}

static void growth_result(void *self)
{
	struct growth *growth = self;

	bench_table(growth->bench, "growth", "cost by instances and waveforms", columns,
	    sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < growth->n_rows; i++) {
		const struct growth_row *row = &growth->rows[i];

		if (row->done)
			bench_row(growth->bench,
			    json_pack("{s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f}", "instances",
			        (json_int_t)row->instances, "waveforms", (json_int_t)row->waveforms,
			        "load_s", row->load_s, "unload_s", row->unload_s, "load_ms_each",
			        row->load_s * 1e3 / row->waveforms, "load_us_instance",
			        row->load_s * 1e6 / row->waveforms / row->instances, "slot_ns",
			        row->slot_ns, "mb", row->mb));
	}
	bench_note(growth->bench,
	    "instances are those of one waveform: a chain of copies on the virtual clock, with %d "
	    "B a message and runs of %.0f slot%s; each row has a node of its own; load and unload "
	    "are the times of the commands, one after another",
	    CONF_COUNTER_BYTES, growth->slots, plural(growth->slots));
	bench_note(growth->bench,
	    "ns a slot and instance is the time of a run by slots and instances, of the ten "
	    "waveforms that were loaded last; MB is resident memory of all processes of the node, "
	    "their own and that of images");
	first_result(growth);
}

/* Whole numbers, at most `most` of them. */
static int numbers_parse(const struct growth *growth, const char *option, const char *usual,
    double min, double max, int most, double *ret)
{
	const char *text = cli_get(growth->bench->args, option);
	int n = list_parse(text ? text : usual, min, max, (size_t)most, ret);

	for (int i = 0; i < n; i++)
		if (ret[i] != (double)(uint64_t)ret[i])
			n = -EINVAL;
	if (n < 0 && most == 1)
		cli_fail(growth->bench->args, "--%s %s: a whole number from %.0f to %.0f is needed",
		    option, text, min, max);
	else if (n < 0)
		cli_fail(growth->bench->args,
		    "--%s %s: at most %d different whole numbers from %.0f to %.0f, separated by "
		    "commas, are needed",
		    option, text, most, min, max);
	return n;
}

static int options_parse(void *self)
{
	struct growth *growth = self;
	double instances[ROWS_MAX], waveforms[ROWS_MAX];
	const int n = numbers_parse(growth, "instances", "10,100,1000,10000", INSTANCES_MIN,
	              INSTANCES_MAX, ROWS_MAX, instances),
	          m = n < 0 ? n
	                    : numbers_parse(growth, "waveforms", "1,10,100,1000", 1,
	                          NODE_WAVEFORMS_MAX, ROWS_MAX, waveforms);

	if (m < 0 || numbers_parse(growth, "slots", "5000", 1, SLOTS_MAX, 1, &growth->slots) < 0 ||
	    numbers_parse(growth, "runs", "15", 0, FIRST_RUNS_MAX, 1, &growth->runs) < 0)
		return CLI_USAGE;
	for (int i = 0; i < n; i++)
		growth->rows[growth->n_rows++] =
		    (struct growth_row){.instances = instances[i], .waveforms = 1};
	for (int i = 0; i < m; i++)
		growth->rows[growth->n_rows++] =
		    (struct growth_row){.instances = INSTANCES_MIN, .waveforms = waveforms[i]};
	return CLI_OK;
}

int bench_growth(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct growth), options_parse, growth_measure, growth_result, NULL};

	return bench_main(args, &parts);
}
