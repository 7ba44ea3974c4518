/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench overhead --web: what it costs that somebody looks at the dashboard: a lane, which is
 * not to notice, and aloe-statsman, which serves the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/report/report.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/figures.h"
#include "tools/bench/nodes.h"
#include "tools/bench/processes.h"
#include "tools/bench/web_client.h"

enum {
	PATH = 4096,
	SLOTS_MAX = 8,
	ROUNDS_MAX = 64,
	PROCESSES_MAX = 64,
	COPIES = 8,
	ITEMS = 4096,
	CLIENTS_MAX = 4,
	READ_MS = 50
};
enum crowd { NOBODY, ONE, FOUR, CROWDS };

static const unsigned crowd_clients[CROWDS] = {0, 1, CLIENTS_MAX};

#define WINDOW_S 5.0 /* of a round, where --slots is not given */
#define SETTLE_S 1.0 /* before it, at most */
#define REACH_SHARE 0.01
#define REACH_KBIT_S 200.0

struct window { /* one round */
	double slots, missed, load_p50_us, left_p1_us, left_min_us;
	double sum_p50_us, sum_p99_us; /* the quantile of the lateness and that of the latency */
	double share, kbit_s;          /* of a core; of one client */
};

struct dashboard {
	struct bench *bench;
	double slot_us[SLOTS_MAX];
	size_t n_slots;
	uint64_t slots, rounds; /* slots 0: as many as take WINDOW_S */
	int cpu, port;
	char path[PATH];
	struct bench_node node;
	struct web_client clients[CLIENTS_MAX];
	struct window samples[SLOTS_MAX][CROWDS][ROUNDS_MAX];
	size_t n[SLOTS_MAX][CROWDS];
};

/* ---- who looks ------------------------------------------------------------------------ */

static void crowd_close(struct dashboard *o)
{
	for (int i = 0; i < CLIENTS_MAX; i++)
		web_client_close(&o->clients[i]);
}

static int crowd_open(struct dashboard *o, unsigned n)
{
	int rc = 0;

	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = web_client_open(&o->clients[i], (uint16_t)o->port, "chain", "mod.out");
	if (rc < 0)
		return cli_fail(
		           o->bench->args, "the dashboard cannot be looked at: %s", strerror(-rc)),
		       CLI_FAILED;
	return CLI_OK;
}

/* So many seconds, while the clients read. */
static int crowd_look(struct dashboard *o, unsigned n, double seconds, const char *what)
{
	const uint64_t until_ns = clock_ns() + (uint64_t)(seconds * 1e9);

	while (clock_ns() < until_ns) {
		progress_show(&o->bench->progress, "%s", what);
		if (run_wait(o->bench, NULL, 0, READ_MS) == -EINTR)
			return BENCH_INTERRUPTED;
		for (unsigned i = 0; i < n; i++)
			if (!web_client_read(&o->clients[i]))
				return cli_fail(o->bench->args,
				           "aloe-statsman has ended what a client looks at"),
				       CLI_FAILED;
	}
	return CLI_OK;
}

static double crowd_bytes(const struct dashboard *o)
{
	double sum = 0;

	for (int i = 0; i < CLIENTS_MAX; i++)
		sum += (double)o->clients[i].bytes;
	return sum;
}

/* ---- rounds ------------------------------------------------------------------------ */

static double statsman_us(const struct dashboard *o)
{
	struct process processes[PROCESSES_MAX];
	const size_t n = processes_below(o->node.run.pid, processes, PROCESSES_MAX);

	for (size_t i = 0; i < n; i++)
		if (strcmp(processes[i].name, "aloe-statsman") == 0)
			return process_spent(processes[i].pid).cpu_us;
	return NAN;
}

static void report_take(const struct dashboard *o, size_t s, struct window *ret)
{
	json_t *report = node_report(o->bench, &o->node, "chain");
	const json_t *lane = json_array_get(json_object_get(report, "lanes"), 0),
	             *time = json_object_get(json_object_get(report, "latency"), "measured_us"),
	             *late = json_object_get(lane, "late_us"),
	             *left = json_object_get(lane, "left_us");

	ret->slots = report_number(time, "count");
	ret->missed = report_missed(report);
	ret->sum_p50_us = report_number(late, "p50") + report_number(time, "p50");
	ret->sum_p99_us = report_number(late, "p99") + report_number(time, "p99");
	ret->load_p50_us = report_number(lane, "load_p50") * o->slot_us[s];
	ret->left_p1_us = report_number(left, "p1");
	ret->left_min_us = report_number(left, "min");
	json_decref(report);
}

static int chain_do(struct dashboard *o, const char *word)
{
	struct words words = {0};

	words_add(&words, "%s", word);
	words_add(&words, "chain");
	return node_do(o->bench, &o->node, &words, false, NULL);
}

static int chain_load(struct dashboard *o, size_t s)
{
	const char *clock = cli_get(o->bench->args, "clock");
	struct words words = {0};

	words_add(&words, "load");
	words_add(&words, "%s", o->path);
	words_add(&words, "--clock=%s", clock ? clock : "timer");
	words_add(&words, "--slot-us=%.9g", o->slot_us[s]);
	words_add(&words, "--lanes=%d", o->cpu);
	words_add(&words, "--tap=mod.out");
	return node_do(o->bench, &o->node, &words, false, NULL);
}

static int window_measure(struct dashboard *o, size_t s, enum crowd crowd, struct window *ret)
{
	const unsigned n = crowd_clients[crowd];
	const double seconds = o->slots ? (double)o->slots * o->slot_us[s] / 1e6 : WINDOW_S;
	char what[80];
	double spent, bytes;
	uint64_t began;
	int status;

	snprintf(what, sizeof(what), "slots of %.0f us, %u client%s", o->slot_us[s], n, plural(n));
	status = crowd_look(o, n, fmin(SETTLE_S, seconds), what);
	spent = statsman_us(o);
	bytes = crowd_bytes(o);
	began = clock_ns();
	if (status == CLI_OK)
		status = crowd_look(o, n, seconds, what);
	spent = statsman_us(o) - spent;
	bytes = crowd_bytes(o) - bytes;
	if (status == CLI_OK) {
		const double passed_us = (double)(clock_ns() - began) / 1e3;

		ret->share = spent / passed_us;
		ret->kbit_s = n > 0 ? bytes * 8e3 / passed_us / n : NAN;
		report_take(o, s, ret);
	}
	return status;
}

static int round_measure(struct dashboard *o, size_t s, enum crowd crowd)
{
	struct window *sample = &o->samples[s][crowd][o->n[s][crowd]];
	int status = chain_load(o, s);

	if (status == CLI_OK)
		status = crowd_open(o, crowd_clients[crowd]);
	if (status == CLI_OK)
		status = chain_do(o, "start");
	if (status == CLI_OK)
		status = window_measure(o, s, crowd, sample);
	crowd_close(o);
	if (status == CLI_OK) {
		o->n[s][crowd]++;
		status = chain_do(o, "unload");
	}
	return status;
}

/* Each round has all crowds, another one first each time: what the machine does meanwhile falls to
 * all of them alike. */
static int rounds_measure(struct dashboard *o)
{
	int status = CLI_OK;

	for (size_t s = 0; s < o->n_slots; s++)
		for (uint64_t r = 0; r < o->rounds; r++)
			for (int c = 0; c < CROWDS && status == CLI_OK; c++)
				status =
				    round_measure(o, s, (enum crowd)(((uint64_t)c + r) % CROWDS));
	return status;
}

static int chain_write(struct dashboard *o)
{
	struct conf conf;
	FILE *out = conf_begin(&conf);

	if (!out)
		return CLI_FAILED;
	fprintf(out,
	    "name = \"chain\";\nslot_ns = 1000000;\ninstances: {\n"
	    "\tsource: { component = \"random_source\"; length = %d; };\n"
	    "\tmod: { component = \"bpsk_mod\"; output = \"cf32\"; };\n",
	    ITEMS);
	for (int i = 0; i < COPIES; i++)
		fprintf(out, "\tc%d: { component = \"copy\"; };\n", i);
	fputs("\tsink: { component = \"null_sink\"; };\n};\nlinks = (\"source -> mod", out);
	for (int i = 0; i < COPIES; i++)
		fprintf(out, " -> c%d", i);
	fputs(" -> sink\");\n", out);
	return conf_end(&conf, o->bench, "chain", o->path, sizeof(o->path));
}

static int measure_all(void *self)
{
	struct dashboard *o = self;
	int status = chain_write(o);

	o->port = nodes_port(1);
	if (status == CLI_OK)
		status = node_up_web(o->bench, "a", o->port, &o->node);
	if (status == CLI_OK)
		status = rounds_measure(o);
	node_down(o->bench, &o->node);
	return status;
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column columns[] = {
    {"slot_us", "slot us", 0},
    {"clients", "clients", 0},
    {"slots", "slots", 0},
    {"sum_p50_us", "late p50 + time p50 us", 2},
    {"sum_p50_ratio", "ratio", 3},
    {"sum_p99_us", "late p99 + time p99 us", 2},
    {"sum_p99_ratio", "ratio", 3},
    {"load_us", "components us", 2},
    {"load_ratio", "ratio", 3},
    {"left_p1_us", "left p1 us", 0},
    {"missed", "missed", 0},
    {"share", "statsman of a core", 4},
    {"kbit_s", "kbit/s a client", 0},
    {"reached", "reached", COLUMN_TEXT},
};

static double of_rounds(
    const struct dashboard *o, size_t s, enum crowd crowd, size_t offset, bool ratio)
{
	double values[ROUNDS_MAX];
	size_t n = 0;

	for (; n < o->n[s][crowd] && n < o->n[s][NOBODY]; n++) {
		const struct window *own = &o->samples[s][crowd][n],
		                    *none = &o->samples[s][NOBODY][n];
		const double value = *(const double *)(const void *)((const char *)own + offset);

		values[n] = value;
		if (ratio)
			values[n] /= *(const double *)(const void *)((const char *)none + offset);
	}
	return median(values, n);
}

/* Medians over the rounds; a ratio is the median of those of the pairs. */
#define ROUNDS(field) of_rounds(o, s, crowd, offsetof(struct window, field), false)
#define RATIO(field) json_real_or_null(of_rounds(o, s, crowd, offsetof(struct window, field), true))

static double sum_of(const struct dashboard *o, size_t s, enum crowd crowd, bool missed)
{
	double sum = 0;

	for (size_t r = 0; r < o->n[s][crowd]; r++)
		sum += missed ? o->samples[s][crowd][r].missed : o->samples[s][crowd][r].slots;
	return sum;
}

static void crowd_row(struct dashboard *o, size_t s, enum crowd crowd)
{
	const double share = ROUNDS(share), kbit_s = ROUNDS(kbit_s);
	const bool is_reached = share <= REACH_SHARE && (crowd == NOBODY || kbit_s <= REACH_KBIT_S);

	bench_row(o->bench,
	    json_pack("{s:f, s:i, s:f, s:f, s:o, s:f, s:o, s:f, s:o, s:f, s:f, s:o, s:o, s:s}",
	        "slot_us", o->slot_us[s], "clients", (int)crowd_clients[crowd], "slots",
	        sum_of(o, s, crowd, false), "sum_p50_us", ROUNDS(sum_p50_us), "sum_p50_ratio",
	        RATIO(sum_p50_us), "sum_p99_us", ROUNDS(sum_p99_us), "sum_p99_ratio",
	        RATIO(sum_p99_us), "load_us", ROUNDS(load_p50_us), "load_ratio", RATIO(load_p50_us),
	        "left_p1_us", ROUNDS(left_p1_us), "missed", sum_of(o, s, crowd, true), "share",
	        json_real_or_null(share), "kbit_s", json_real_or_null(kbit_s), "reached",
	        is_reached ? "yes" : "no"));
	o->bench->missed |= !is_reached;
}

static void dashboard_notes(const struct dashboard *o)
{
	const char *clock = cli_get(o->bench->args, "clock");

	bench_note(o->bench,
	    "a node with a dashboard, clock %s, CPU %d; a chain of %d components with messages of "
	    "%d items; a client looks at the events of the waveform and at the spectrum of an "
	    "output, 10 times a second; %llu round%s, each with no client, one and four in turn, "
	    "another one first each time",
	    clock ? clock : "timer", o->cpu, COPIES + 3, ITEMS, (unsigned long long)o->rounds,
	    plural(o->rounds));
	bench_note(o->bench,
	    "late: from the slot's edge to the lane's start; time: from the source's start to "
	    "the end of the last component; a sum of two p99 is no p99 of the sum, and mostly "
	    "more; components: the median of what they take of a slot; of each figure of a round "
	    "the median over the rounds; a ratio is the median of the ratios to the same round "
	    "without a client");
	bench_note(o->bench,
	    "statsman: time of all its threads on a CPU (schedstat); kbit/s: bytes of both "
	    "WebSockets with their frames; the reach is %.0f %% of a core and %.0f kbit/s a client",
	    REACH_SHARE * 100, REACH_KBIT_S);
}

static void dashboard_result(void *self)
{
	struct dashboard *o = self;

	bench_table(o->bench, "dashboard", "what it costs that somebody looks", columns,
	    sizeof(columns) / sizeof(columns[0]));
	for (size_t s = 0; s < o->n_slots; s++)
		for (int c = 0; c < CROWDS; c++)
			if (o->n[s][c] && o->n[s][NOBODY])
				crowd_row(o, s, (enum crowd)c);
	dashboard_notes(o);
}

/* ---- options ------------------------------------------------------------------------ */

static int options_parse(void *self)
{
	struct dashboard *o = self;
	int n;

	o->rounds = 5;
	o->slot_us[0] = 10000;
	o->slot_us[1] = 1000;
	o->n_slots = 2;
	if (bench_cpu(o->bench, &o->cpu) < 0 ||
	    cli_whole(o->bench->args, "rounds", 1, ROUNDS_MAX, &o->rounds) < 0 ||
	    cli_whole(o->bench->args, "slots", 10, 1e7, &o->slots) < 0)
		return CLI_USAGE;
	if (cli_has(o->bench->args, "slot-us")) {
		n = bench_slot_lengths(o->bench, SLOTS_MAX, o->slot_us);
		if (n < 0)
			return CLI_USAGE;
		o->n_slots = (size_t)n;
	}
	return CLI_OK;
}

int bench_overhead_web(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct dashboard), options_parse, measure_all, dashboard_result, NULL};

	return bench_main(args, &parts);
}
