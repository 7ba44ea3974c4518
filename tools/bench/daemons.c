/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench overhead --daemons: what the daemons of a node take for a slot, by the names of the
 * papers' Table II, by the clocks of their threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/figures.h"
#include "tools/bench/nodes.h"
#include "tools/bench/processes.h"
#include "tools/bench/published.h"

enum { PATH = 4096, SLOTS_MAX = 8, PROCESSES_MAX = 64, COPIES = 8 };

#define REACH_US 3.0
#define SETTLE_S 12.0 /* after the start, at most: a bridge asks often for ten seconds */

enum place { LANE_CPU, OTHER_CPU, PLACES };
enum setup { ALONE, IDLE, CARRYING, SETUPS };

/* KEEPER is `aloe up`; the papers' SWLOAD works at loads only, and is a part of aloe-frontend. */
enum daemon { EXEC, STATS, SWLOAD, BRIDGE, FRONTEND, KEEPER, TOTAL, SWMAN, STATSMAN, DAEMONS };

static const struct {
	const char *name, *process;
	double published_us;
} daemons[DAEMONS] = {
    [EXEC] = {"EXEC", "aloe-exec", PUBLISHED_EXEC_US},
    [STATS] = {"STATS", "aloe-stats", PUBLISHED_STATS_US},
    [SWLOAD] = {"SWLOAD", NULL, PUBLISHED_SWLOAD_US},
    [BRIDGE] = {"BRIDGE", "aloe-bridge", PUBLISHED_BRIDGE_US},
    [FRONTEND] = {"FRONTEND", "aloe-frontend", PUBLISHED_FRONTEND_US},
    [KEEPER] = {"node keeper", "aloe", NAN},
    [TOTAL] = {"TOTAL", NULL, PUBLISHED_BASE_US},
    [SWMAN] = {"SWMAN", "aloe-swman", PUBLISHED_SWMAN_US},
    [STATSMAN] = {"STATSMAN", "aloe-statsman", PUBLISHED_STATSMAN_US},
};

static const char *const place_names[PLACES] = {"the lane's", "another"};
static const char *const setup_names[SETUPS] = {
    "one node", "with a peer, idle", "with a peer, carrying"};

struct daemons_look {
	bool there[DAEMONS];
	struct process_spent spent[DAEMONS];
	double frames;
};

struct daemons_cell { /* of one node, for one slot length */
	double slots, slots_s;
	bool done, there[DAEMONS];
	double slot_us[DAEMONS], wakes[DAEMONS]; /* for a slot */
	double frames;                           /* for a slot, both ways */
};

struct daemons_bench {
	struct bench *bench;
	double slot_us[SLOTS_MAX];
	size_t n_slots;
	uint64_t slots;
	int cpus[PLACES]; /* of the lane, another one */
	bool used[PLACES];
	struct daemons_cell cells[PLACES][SETUPS][SLOTS_MAX];
};

/* ---- looking ------------------------------------------------------------------------ */

static enum daemon daemon_of(const struct process *process)
{
	int d = 0;

	while (d < DAEMONS &&
	    (!daemons[d].process || strncmp(daemons[d].process, process->name, 15) != 0))
		d++;
	return (enum daemon)d;
}

static double frames_of(struct bench *bench, const struct bench_node *node)
{
	json_t *report = node_report(bench, node, "chain");
	const json_t *peer = json_array_get(json_object_get(report, "peers"), 0);
	const double frames = report_number(peer, "sent") + report_number(peer, "received");

	json_decref(report);
	return frames;
}

static void look_at(const struct bench_node *node, struct daemons_look *look)
{
	struct process processes[PROCESSES_MAX];
	const size_t n = processes_below(node->run.pid, processes, PROCESSES_MAX);

	for (size_t i = 0; i < n; i++) {
		const enum daemon d = daemon_of(&processes[i]);

		if (d == DAEMONS)
			continue;
		look->spent[d] = process_spent(processes[i].pid);
		look->there[d] = true;
	}
}

static void daemons_bind(const struct bench_node *node, int cpu)
{
	struct process processes[PROCESSES_MAX];
	const size_t n = processes_below(node->run.pid, processes, PROCESSES_MAX);

	for (size_t i = 0; i < n; i++)
		if (daemon_of(&processes[i]) != DAEMONS)
			process_bind(processes[i].pid, cpu);
}

static void cell_fill(
    struct daemons_cell *cell, const struct daemons_look *before, const struct daemons_look *after)
{
	for (int d = 0; d < DAEMONS; d++) {
		cell->there[d] = before->there[d] && after->there[d];
		if (!cell->there[d])
			continue;
		cell->slot_us[d] = (after->spent[d].cpu_us - before->spent[d].cpu_us) / cell->slots;
		cell->wakes[d] = (after->spent[d].wakes - before->spent[d].wakes) / cell->slots;
		if (d < TOTAL) {
			cell->slot_us[TOTAL] += cell->slot_us[d];
			cell->wakes[TOTAL] += cell->wakes[d];
		}
	}
	cell->there[TOTAL] = true;
	cell->frames = (after->frames - before->frames) / cell->slots;
	cell->done = true;
}

/* ---- runs ------------------------------------------------------------------------ */

static int platform_write(const struct daemons_bench *o, char *ret_path, size_t size)
{
	const int port = nodes_port(4);
	char text[800];

	snprintf(text, sizeof(text),
	    "name = \"pair\"; secure = false;\nnodes: {\n"
	    "\ta: { mmac_per_s = 1000.0; manager = true; address = \"127.0.0.1:%d\"; "
	    "lanes = [%d]; };\n"
	    "\tb: { mmac_per_s = 1000.0; address = \"127.0.0.1:%d\"; shared = true; "
	    "lanes = [%d]; };\n};\n"
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = 1000.0; delay = 4; } );\n",
	    port, o->cpus[LANE_CPU], port + 2, o->cpus[OTHER_CPU]);
	return conf_write(o->bench, "pair", text, ret_path, size);
}

static int waveform_write(
    const struct daemons_bench *o, enum setup setup, char *ret_path, size_t size)
{
	const char *a = setup == ALONE ? "" : "node = \"a\"; ",
	           *b = setup == CARRYING ? "node = \"b\"; " : a;
	struct conf conf;
	FILE *out = conf_begin(&conf);

	if (!out)
		return CLI_FAILED;
	fprintf(out, "name = \"chain\";\nslot_ns = 1000000;\ninstances: {\n");
	fprintf(out, "\tsource: { " CONF_COUNTER " %s};\n", a);
	for (int i = 0; i < COPIES; i++)
		fprintf(out, "\tc%d: { component = \"copy\"; %s};\n", i, a);
	fprintf(out, "\tsink: { component = \"null_sink\"; %s};\n};\nlinks = (\"source", b);
	for (int i = 0; i < COPIES; i++)
		fprintf(out, " -> c%d", i);
	fputs(" -> sink\");\n", out);
	return conf_end(&conf, o->bench, "chain", ret_path, size);
}

static int chain_start(struct daemons_bench *o, const struct bench_node *node, enum setup setup,
    double slot_us, const char *path)
{
	const char *clock = cli_get(o->bench->args, "clock");
	struct words load = {0}, start = {0};
	int status;

	words_add(&load, "load");
	words_add(&load, "%s", path);
	words_add(&load, "--clock=%s", clock ? clock : "timer");
	words_add(&load, "--slot-us=%.9g", slot_us);
	if (setup == ALONE)
		words_add(&load, "--lanes=%d", o->cpus[LANE_CPU]);
	status = node_do(o->bench, node, &load, false, NULL);
	words_add(&start, "start");
	words_add(&start, "chain");
	if (status == CLI_OK)
		status = node_do(o->bench, node, &start, false, NULL);
	words_fini(&start);
	return status;
}

static int cell_measure(struct daemons_bench *o, const struct bench_node *node, enum setup setup,
    struct daemons_cell *cell)
{
	struct daemons_look before = {.frames = 0}, after = {.frames = 0};
	int status = node_wait(o->bench, fmin(SETTLE_S, cell->slots_s), "the waveform has begun");

	if (setup == CARRYING)
		before.frames = frames_of(o->bench, node);
	look_at(node, &before);
	if (status == CLI_OK)
		status = node_wait(o->bench, cell->slots_s, setup_names[setup]);
	if (status != CLI_OK)
		return status;
	look_at(node, &after);
	if (setup == CARRYING)
		after.frames = frames_of(o->bench, node);
	cell_fill(cell, &before, &after);
	return CLI_OK;
}

static int slots_measure(struct daemons_bench *o, const struct bench_node *node, enum place place,
    enum setup setup, const char *path)
{
	int status = CLI_OK;

	for (size_t s = 0; s < o->n_slots && status == CLI_OK; s++) {
		struct daemons_cell *cell = &o->cells[place][setup][s];
		struct words unload = {0};

		cell->slots = (double)o->slots;
		cell->slots_s = cell->slots * o->slot_us[s] / 1e6;
		status = chain_start(o, node, setup, o->slot_us[s], path);
		if (status == CLI_OK)
			status = cell_measure(o, node, setup, cell);
		words_add(&unload, "unload");
		words_add(&unload, "chain");
		if (status == CLI_OK)
			status = node_do(o->bench, node, &unload, false, NULL);
		words_fini(&unload);
	}
	return status;
}

static int peer_up(
    struct daemons_bench *o, const char *platform, struct bench_node *a, struct bench_node *b)
{
	int status = node_up(o->bench, "a", platform, NULL, a);

	if (status == CLI_OK)
		status = node_up(o->bench, "b", platform, NULL, b);
	return status == CLI_OK ? nodes_join(o->bench, a, 2) : status;
}

static int setup_measure(struct daemons_bench *o, enum place place, enum setup setup)
{
	struct bench_node a = {.run = {0}}, b = {.run = {0}};
	char platform[PATH], path[PATH];
	int status = waveform_write(o, setup, path, sizeof(path));

	if (status == CLI_OK && setup != ALONE)
		status = platform_write(o, platform, sizeof(platform));
	if (status == CLI_OK)
		status = setup == ALONE ? node_up(o->bench, "a", NULL, NULL, &a)
		                        : peer_up(o, platform, &a, &b);
	if (status == CLI_OK) {
		daemons_bind(&a, o->cpus[place]);
		status = slots_measure(o, &a, place, setup, path);
	}
	node_down(o->bench, &b);
	node_down(o->bench, &a);
	return status;
}

static int measure_all(void *self)
{
	struct daemons_bench *o = self;
	int status = CLI_OK;

	for (int place = 0; place < PLACES; place++)
		for (int setup = 0; setup < SETUPS && o->used[place] && status == CLI_OK; setup++)
			status = setup_measure(o, (enum place)place, (enum setup)setup);
	return status;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column columns[] = {
    {"daemon", "daemon", COLUMN_TEXT},
    {"node", "node", COLUMN_TEXT},
    {"on_cpu", "on CPU", COLUMN_TEXT},
    {"slot_us", "slot us", 0},
    {"slots", "slots", 0},
    {"us_per_slot", "us a slot", 3},
    {"wakes_per_slot", "wake-ups a slot", 4},
    {"frames_per_slot", "frames a slot", 2},
    {"published_us", "published us", 1},
    {"times", "times smaller", 1},
    {"reach_us", "reach us", 1},
    {"reached", "reached", COLUMN_TEXT},
};

static json_t *row_new(enum place place, enum setup setup, double slot_us, const char *name,
    const struct daemons_cell *cell)
{
	return json_pack("{s:s, s:s, s:s, s:f, s:f}", "daemon", name, "node", setup_names[setup],
	    "on_cpu", place_names[place], "slot_us", slot_us, "slots", cell->slots);
}

static void reach_put(struct daemons_bench *o, json_t *row, double us)
{
	json_object_set_new(row, "reach_us", json_real(REACH_US));
	json_object_set_new(row, "reached", json_string(us <= REACH_US ? "yes" : "no"));
	o->bench->missed |= us > REACH_US;
}

/* A curve for each place and setup: of all daemons of the node, against the slot. */
static void total_draw(
    struct daemons_bench *o, enum place place, enum setup setup, size_t s, double us)
{
	char title[80];

	snprintf(title, sizeof(title), "%s, on %s CPU", setup_names[setup], place_names[place]);
	json_array_append_new(plot_named(&o->bench->plot, PLOT_LINE, title),
	    json_pack("[f, f, f, f]", o->slot_us[s], us, us, us));
}

static void daemon_row(
    struct daemons_bench *o, enum place place, enum setup setup, size_t s, enum daemon d)
{
	const struct daemons_cell *cell = &o->cells[place][setup][s];
	const double us = cell->there[d] ? cell->slot_us[d] : NAN,
	             published = daemons[d].published_us;
	json_t *row = row_new(place, setup, o->slot_us[s], daemons[d].name, cell);

	if (!row || (!cell->there[d] && d != SWLOAD)) {
		json_decref(row);
		return;
	}
	json_object_set_new(row, "us_per_slot", json_real_or_null(us));
	json_object_set_new(
	    row, "wakes_per_slot", json_real_or_null(cell->there[d] ? cell->wakes[d] : NAN));
	json_object_set_new(row, "published_us", json_real_or_null(published));
	json_object_set_new(row, "times", json_real_or_null(us > 0 ? published / us : NAN));
	if (d == TOTAL && setup == ALONE)
		reach_put(o, row, us);
	if (d == TOTAL && us > 0)
		total_draw(o, place, setup, s, us);
	bench_row(o->bench, row);
}

/* What the bridge takes more than when it is idle, by the frames that go and come. */
static void frame_row(struct daemons_bench *o, enum place place, size_t s)
{
	const struct daemons_cell *idle = &o->cells[place][IDLE][s],
	                          *cell = &o->cells[place][CARRYING][s];
	const double frames = cell->frames, more = cell->slot_us[BRIDGE] - idle->slot_us[BRIDGE];
	json_t *row = row_new(place, CARRYING, o->slot_us[s], "a frame", cell);

	if (!row || !idle->done || !cell->done || !cell->there[BRIDGE]) {
		json_decref(row);
		return;
	}
	json_object_set_new(
	    row, "us_per_slot", json_real_or_null(frames > 0 ? more / frames : NAN));
	json_object_set_new(row, "frames_per_slot", json_real(frames));
	bench_row(o->bench, row);
}

static void notes_add(const struct daemons_bench *o)
{
	bench_note(o->bench,
	    "time of all threads of a process on a CPU (schedstat), and times that they slept and "
	    "were woken, divided by the number of slots, which is %llu; a chain of ten components, "
	    "clock %s; lane CPU %d, other CPU %d; the daemons run on one CPU only, as the column "
	    "says",
	    (unsigned long long)o->slots,
	    cli_has(o->bench->args, "clock") ? cli_get(o->bench->args, "clock") : "timer",
	    o->cpus[LANE_CPU], o->cpus[OTHER_CPU]);
	bench_note(o->bench,
	    "TOTAL is the sum of the rows above it; EXEC has the watchdog threads of the lanes; "
	    "SWLOAD works at loads only and is a part of aloe-frontend, so it has no time of its "
	    "own; the node keeper is `aloe up`");
	bench_note(o->bench,
	    "with a peer: node a of two nodes on this machine; idle: the waveform is on node a "
	    "alone; carrying: its sink is on node b; the row `a frame` has what the bridge takes "
	    "more than an idle one, for each frame that it sends or receives");
	bench_note(o->bench,
	    "published: one core of a 2.27 GHz Centrino, so `times smaller` is across machines");
}

static void daemons_result(void *self)
{
	struct daemons_bench *o = self;

	bench_table(o->bench, "daemons", "what the daemons take for a slot", columns,
	    sizeof(columns) / sizeof(columns[0]));
	for (int place = 0; place < PLACES; place++)
		for (size_t s = 0; s < o->n_slots; s++) {
			for (int setup = 0; setup < SETUPS; setup++)
				for (int d = 0; d < DAEMONS; d++)
					if (o->cells[place][setup][s].done)
						daemon_row(o, (enum place)place, (enum setup)setup,
						    s, (enum daemon)d);
			frame_row(o, (enum place)place, s);
		}
	notes_add(o);
	o->bench->plot.title = "Time that all daemons of a node take for a slot";
	o->bench->plot.x = "slot length [us]";
	o->bench->plot.y = "time for a slot [us]";
	o->bench->plot.log_x = o->bench->plot.log_y = true;
}

/* ---- options ------------------------------------------------------------------------ */

static int options_parse(void *self)
{
	struct daemons_bench *o = self;
	int n;

	o->slots = 10000;
	o->slot_us[0] = 10000;
	o->slot_us[1] = 1000;
	o->n_slots = 2;
	if (bench_cpu(o->bench, &o->cpus[LANE_CPU]) < 0 ||
	    cli_whole(o->bench->args, "slots", 10, 1e7, &o->slots) < 0)
		return CLI_USAGE;
	if (cli_has(o->bench->args, "slot-us")) {
		n = bench_slot_lengths(o->bench, SLOTS_MAX, o->slot_us);
		if (n < 0)
			return CLI_USAGE;
		o->n_slots = (size_t)n;
	}
	o->cpus[OTHER_CPU] = o->cpus[LANE_CPU];
	for (size_t i = 0; i < o->bench->n_cpus; i++)
		if (o->bench->cpus[i] != o->cpus[LANE_CPU])
			o->cpus[OTHER_CPU] = o->bench->cpus[i];
	o->used[LANE_CPU] = true;
	o->used[OTHER_CPU] = o->cpus[OTHER_CPU] != o->cpus[LANE_CPU];
	return CLI_OK;
}

int bench_overhead_daemons(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct daemons_bench), options_parse, measure_all, daemons_result, NULL};

	return bench_main(args, &parts);
}
