/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench memory: what each process of a running waveform has for itself, and what an instance
 * takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/processes.h"
#include "tools/bench/published.h"
#include "tools/bench/run.h"

enum { PATH = 4096, PROCESSES_MAX = 512, LOOKS = 10, FEW = 10, MANY = 210, SLOT_NS = 1000000 };

#define REACH_DAEMON_KB (3 * 1024.0)
#define REACH_INSTANCE_KB 16.0

struct look { /* at the processes of a run: of each the most that it had */
	struct process seen[PROCESSES_MAX];
	size_t n;
	int looks; /* that had a host */
};

struct memory {
	struct bench *bench;
	enum isolation isolations[ISOLATIONS];
	int n_isolations, cpu;
	enum simd_level level;
	char path[PATH];  /* of the waveform */
	double instances; /* in it */
	struct look looks[ISOLATIONS];
	struct look few[ISOLATIONS], many[ISOLATIONS];
};

/* ---- runs ------------------------------------------------------------------------ */

static bool has_host(const struct look *look)
{
	for (size_t i = 0; i < look->n; i++)
		if (look->seen[i].n_components)
			return true;
	return false;
}

/* A process that was another program before, or had not loaded its components, begins anew. */
static void process_most(struct process *now, const struct look *before)
{
	for (size_t i = 0; i < before->n; i++) {
		const struct process *old = &before->seen[i];

		if (old->pid != now->pid || strcmp(old->name, now->name) != 0 ||
		    strcmp(old->components, now->components) != 0)
			continue;
		now->private_kb = fmax(now->private_kb, old->private_kb);
		now->image_kb = fmax(now->image_kb, old->image_kb);
		now->shared_kb = fmax(now->shared_kb, old->shared_kb);
	}
}

static bool look_at(void *self, pid_t pid)
{
	struct look *look = self, *now = calloc(1, sizeof(*now));

	if (!now)
		return false;
	now->n = processes_below(pid, now->seen, PROCESSES_MAX);
	for (size_t i = 0; i < now->n; i++)
		process_most(&now->seen[i], look);
	now->looks = look->looks + has_host(now);
	*look = *now;
	free(now);
	return look->looks >= LOOKS;
}

static int run_one(struct memory *memory, const char *path, enum isolation isolation,
    struct look *look, json_t **ret_report)
{
	const char *clock = cli_get(memory->bench->args, "clock");
	const struct watcher watcher = {look_at, look};
	struct words words = {0};
	char what[80];
	int status;

	words_add(&words, "%s", path);
	words_add(&words, "--clock=%s", clock ? clock : "timer");
	words_add(&words, "--lanes=%d", memory->cpu);
	words_add(&words, "--isolation=%s", isolation_name(isolation));
	snprintf(what, sizeof(what), "isolation %s", isolation_name(isolation));
	status =
	    run_watched(memory->bench, &words, memory->level, what, &watcher, ret_report, NULL);
	if (status != CLI_OK)
		look->n = 0;
	return status;
}

static int waveform_runs(struct memory *memory)
{
	int status = CLI_OK;

	for (int i = 0; i < memory->n_isolations && status == CLI_OK; i++) {
		const enum isolation isolation = memory->isolations[i];
		json_t *report;
		status =
		    run_one(memory, memory->path, isolation, &memory->looks[isolation], &report);
		memory->instances = (double)json_array_size(json_object_get(report, "instances"));
		json_decref(report);
	}
	return status;
}

/* Few and many small instances in one process: what is between them is theirs. */
static int chain_runs(struct memory *memory)
{
	char few[PATH], many[PATH];
	int status = conf_chain(memory->bench, "few", FEW, CONF_COUNTER, SLOT_NS, few, sizeof(few));

	if (status == CLI_OK)
		status = conf_chain(
		    memory->bench, "many", MANY, CONF_COUNTER, SLOT_NS, many, sizeof(many));
	for (int i = 0; i < memory->n_isolations && status == CLI_OK; i++) {
		const enum isolation isolation = memory->isolations[i];
		json_t *report = NULL;
		if (isolation == ISOLATION_COMPONENT)
			continue;
		status = run_one(memory, few, isolation, &memory->few[isolation], &report);
		json_decref(report);
		report = NULL;
		if (status == CLI_OK)
			status =
			    run_one(memory, many, isolation, &memory->many[isolation], &report);
		json_decref(report);
	}
	return status;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column process_columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"process", "process", COLUMN_TEXT},
    {"components", "components", COLUMN_TEXT},
    {"samples", "processes", 0},
    {"private_kb", "private kB", 0},
    {"image_kb", "images kB", 0},
    {"shared_kb", "libraries kB", 0},
    {"reach_kb", "reach kB", 0},
    {"reached", "reached", COLUMN_TEXT},
    {"published_kb", "published kB", 0},
    {"published_ti_kb", "TI", 0},
    {"times", "times smaller", 1},
    {"in_process_kb", "in process, an instance, kB", 0},
};

static bool is_host(const struct process *process)
{
	return !strcmp(process->name, "aloe-host");
}

/* `aloe` is the command that the user runs, no part of the node. */
static bool is_daemon(const struct process *process)
{
	return !is_host(process) && strcmp(process->name, "aloe") != 0;
}

static double hosts_kb(const struct look *look)
{
	double sum = 0;

	for (size_t i = 0; i < look->n; i++)
		sum += is_host(&look->seen[i]) ? look->seen[i].private_kb : 0;
	return sum;
}

static void process_row(
    struct memory *memory, enum isolation isolation, const struct process *process)
{
	const bool host = is_host(process), apart = isolation == ISOLATION_COMPONENT;
	const double published = is_daemon(process)    ? PUBLISHED_DAEMON_KB
	    : host && (apart || memory->instances < 2) ? PUBLISHED_COMPONENT_KB
	                                               : NAN;
	const double inside = hosts_kb(&memory->looks[ISOLATION_WAVEFORM]) / memory->instances;
	const double reach = is_daemon(process) ? REACH_DAEMON_KB : NAN;
	char many[32];
	json_t *row;

	snprintf(
	    many, sizeof(many), "%u type%s", process->n_components, plural(process->n_components));
	row = json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:o, s:o, s:o, s:o}", "isolation",
	    isolation_name(isolation), "process", process->name, "components",
	    process->n_components > 2       ? many
	        : process->n_components > 0 ? process->components
	                                    : "-",
	    "samples", 1, "private_kb", process->private_kb, "image_kb", process->image_kb,
	    "shared_kb", process->shared_kb, "reach_kb", json_real_or_null(reach), "published_kb",
	    json_real_or_null(published), "times",
	    json_real_or_null(apart ? published / process->private_kb : NAN), "in_process_kb",
	    json_real_or_null(apart && host && inside > 0 ? inside : NAN));
	if (row && reach > 0)
		json_object_set_new(
		    row, "reached", json_string(process->private_kb <= reach ? "yes" : "no"));
	memory->bench->missed = memory->bench->missed || process->private_kb > reach;
	bench_row(memory->bench, row);
}

static const struct column instance_columns[] = {
    {"isolation", "isolation", COLUMN_TEXT},
    {"samples", "instances", 0},
    {"private_kb", "private kB each", 2},
    {"image_kb", "in the image kB each", 2},
    {"sum_kb", "together", 2},
    {"reach_kb", "reach kB", 0},
    {"reached", "reached", COLUMN_TEXT},
    {"published_kb", "published kB", 0},
    {"published_ti_kb", "TI", 0},
};

/* Hosts have the image in common: the largest of them has all of it. */
static double hosts_image_kb(const struct look *look)
{
	double most = 0;

	for (size_t i = 0; i < look->n; i++)
		most = is_host(&look->seen[i]) ? fmax(most, look->seen[i].image_kb) : most;
	return most;
}

static void instance_row(struct memory *memory, enum isolation isolation)
{
	const struct look *few = &memory->few[isolation], *many = &memory->many[isolation];
	const double private_kb = (hosts_kb(many) - hosts_kb(few)) / (MANY - FEW);
	const double image_kb = (hosts_image_kb(many) - hosts_image_kb(few)) / (MANY - FEW),
	             sum = private_kb + image_kb;

	if (!few->n || !many->n)
		return;
	bench_row(memory->bench,
	    json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:s, s:f, s:n}", "isolation",
	        isolation_name(isolation), "samples", MANY - FEW, "private_kb", private_kb,
	        "image_kb", image_kb, "sum_kb", sum, "reach_kb", REACH_INSTANCE_KB, "reached",
	        sum <= REACH_INSTANCE_KB ? "yes" : "no", "published_kb", PUBLISHED_COMPONENT_KB,
	        "published_ti_kb"));
	memory->bench->missed = memory->bench->missed || sum > REACH_INSTANCE_KB;
}

static int by_name(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	const int order = is_host(x) - is_host(y);

	return order                   ? order
	    : strcmp(x->name, y->name) ? strcmp(x->name, y->name)
	                               : strcmp(x->components, y->components);
}

static void isolation_rows(struct memory *memory, enum isolation isolation)
{
	struct look *look = &memory->looks[isolation];
	json_t *bars = look->n
	    ? plot_series(&memory->bench->plot, PLOT_ROWS, isolation_name(isolation))
	    : NULL;

	qsort(look->seen, look->n, sizeof(look->seen[0]), by_name);
	for (size_t i = 0; i < look->n; i++) {
		const struct process *process = &look->seen[i];
		process_row(memory, isolation, process);
		if (bars && is_host(process) && (i == 0 || !is_host(process - 1)))
			json_array_append_new(
			    bars, json_pack("[s, f]", "all hosts", hosts_kb(look)));
		if (bars && (!is_host(process) || isolation == ISOLATION_COMPONENT))
			json_array_append_new(bars,
			    json_pack("[s, f]",
			        is_host(process) ? process->components : process->name,
			        process->private_kb));
	}
}

static void memory_result(void *self)
{
	struct memory *memory = self;
	struct bench *bench = memory->bench;

	bench_table(bench, "processes", "resident memory of each process", process_columns,
	    sizeof(process_columns) / sizeof(process_columns[0]));
	for (int i = 0; i < memory->n_isolations; i++)
		isolation_rows(memory, memory->isolations[i]);
	bench_table(bench, "instances", "what an instance adds", instance_columns,
	    sizeof(instance_columns) / sizeof(instance_columns[0]));
	for (int i = 0; i < memory->n_isolations; i++)
		instance_row(memory, memory->isolations[i]);
	bench_note(bench,
	    "%s, %.0f instance%s; private counts pages of no other process and of no image; images "
	    "counts the resident part of the memory that processes of the node share; each number "
	    "is the largest of %d readings in the first seconds of a run; reports grow while "
	    "histograms fill, and so does the memory of daemons that forward reports",
	    memory->path, memory->instances, plural(memory->instances), LOOKS);
	bench_note(bench,
	    "the memory of an instance is the difference between a host with %d copy components "
	    "and a host with %d, divided by the difference of the numbers; the image holds the "
	    "histogram of the instance, its part of the event ring, and its link with %d bytes a "
	    "message",
	    MANY, FEW, CONF_COUNTER_BYTES);
	bench_note(bench,
	    "the published figures are about 3 MB a daemon and 260 kB a component on Linux, one "
	    "process per component, so `times smaller` is shown for isolation component only; no "
	    "figure for TI is known");
	bench->plot.title = "Resident private memory of each process, by isolation";
	bench->plot.x = "memory [kB]";
	bench->plot.y = "process, or its component";
	bench->plot.log_x = true;
}

static int options_parse(void *self)
{
	struct memory *memory = self;
	memory->n_isolations = bench_isolations(memory->bench, memory->isolations);
	if (memory->n_isolations < 0 || bench_level(memory->bench, &memory->level) < 0 ||
	    bench_cpu(memory->bench, &memory->cpu) < 0)
		return CLI_USAGE;
	return CLI_OK;
}

static int memory_measure(void *self)
{
	struct memory *memory = self;
	const struct cli_args *args = memory->bench->args;
	int status = CLI_OK;

	if (args->n_args)
		snprintf(memory->path, sizeof(memory->path), "%s", args->args[0]);
	else
		status = bench_file(
		    memory->bench, "utran384-random.conf", memory->path, sizeof(memory->path));
	if (status == CLI_OK)
		status = waveform_runs(memory);
	return status == CLI_OK ? chain_runs(memory) : status;
}

int bench_memory(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct memory), options_parse, memory_measure, memory_result, NULL};

	return bench_main(args, &parts);
}
