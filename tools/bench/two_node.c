/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench two-node: the published chain on two nodes of one core each, over a link of 100
 * Mbit/s: what the plan predicts with the measured cost of the transport, and what runs. */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/measure/calibrate.h"
#include "core/report/report.h"
#include "tools/bench/brake.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/figures.h"
#include "tools/bench/nodes.h"
#include "tools/bench/processes.h"
#include "tools/bench/published.h"

enum {
	PATH = 4096,
	SLOTS_MAX = 32,
	PROCESSES_MAX = 64,
	ITEMS = 9600, /* soft bits, 2 bytes each, between the stages */
	CUT = 11,     /* stages on the first node: 1660.4 of 3260 kMAC */
	NODES = 2,
	PORT = 7300
};

#define LINK_MBIT 100.0
#define HOLDS_SHARE 0.01 /* of the slots may be late on a machine that others use */
#define QUIET_S 12.0     /* a bridge asks often for ten seconds */
#define COST_S 4.0       /* for each of the three measurements */
#define COST_SLOT_US 10000.0

enum way { TCP, UDP, WAYS };
static const char *const way_names[WAYS] = {"tcp", "udp"};

struct transport_cost {    /* of a core at one end, at its full speed */
	double base_share; /* of the time, whatever is sent */
	double message_us, byte_ns;
	bool known;
};

struct two_node_trial {
	double need_us, limit_us; /* of the fullest lane, by plan */
	bool planned, predicted;
	double slots, not_run;
	bool ran, holds;
};

struct two_node {
	struct bench *bench;
	double slot_us[SLOTS_MAX];
	size_t n_slots;
	uint64_t slots;
	bool used[WAYS], virtual, limited, netns;
	int cpus[NODES];
	double mmac, share; /* of a core here; what is left of it */
	char names[NODES][40], addresses[NODES][40], why_not[200];
	char platform[PATH], planned[PATH], chain[PATH];
	struct transport_cost costs[WAYS];
	struct two_node_trial trials[WAYS][SLOTS_MAX];
	struct bench_node nodes[NODES];
};

/* ---- the link ------------------------------------------------------------------------ */

static int shell_run(struct two_node *o, const char *script, char **ret_errors)
{
	struct words words = {.program = "/bin/sh"};
	struct bench_run run = {0};
	char *output = NULL;
	int status;

	words_add(&words, "-c");
	words_add(&words, "PATH=$PATH:/usr/sbin:/sbin; %s", script);
	if (run_start(o->bench, &words, simd_best(), &run) < 0)
		return CLI_FAILED;
	while (run_wait(o->bench, &run, 1, 100) != 0)
		;
	status = run_text(&run, &output, ret_errors);
	free(output);
	return status;
}

static void link_close(struct two_node *o)
{
	char script[256], *errors = NULL;

	if (!o->netns)
		return;
	snprintf(
	    script, sizeof(script), "ip netns del %s; ip netns del %s", o->names[0], o->names[1]);
	shell_run(o, script, &errors);
	free(errors);
	o->netns = false;
}

/* Two network namespaces, a veth between them, and a token bucket at each end; else loopback. */
static void link_open(struct two_node *o)
{
	static const char format[] =
	    "set -e; for n in %1$s %2$s; do ip netns add $n; ip -n $n link set lo up; done; "
	    "ip link add v0 netns %1$s type veth peer name v1 netns %2$s; "
	    "ip -n %1$s addr add 10.98.76.1/24 dev v0; ip -n %2$s addr add 10.98.76.2/24 dev v1; "
	    "ip -n %1$s link set v0 up; ip -n %2$s link set v1 up; "
	    "tc -n %1$s qdisc add dev v0 root tbf rate %3$smbit burst 32kb latency 50ms; "
	    "tc -n %2$s qdisc add dev v1 root tbf rate %3$smbit burst 32kb latency 50ms";
	const int port = nodes_port(NODES * 2);
	char script[1200], mbit[32], *errors = NULL;

	snprintf(mbit, sizeof(mbit), "%.0f", LINK_MBIT);
	snprintf(o->names[0], sizeof(o->names[0]), "aloe%da", (int)getpid());
	snprintf(o->names[1], sizeof(o->names[1]), "aloe%db", (int)getpid());
	snprintf(script, sizeof(script), format, o->names[0], o->names[1], mbit);
	o->netns = !o->virtual;
	o->limited = o->netns && shell_run(o, script, &errors) == CLI_OK;
	snprintf(o->why_not, sizeof(o->why_not), "%.*s", errors ? (int)strcspn(errors, "\n") : 0,
	    errors ? errors : "");
	free(errors);
	if (!o->limited)
		link_close(o);
	for (int n = 0; n < NODES; n++)
		if (o->limited)
			snprintf(o->addresses[n], sizeof(o->addresses[n]), "10.98.76.%d:%d", n + 1,
			    PORT);
		else
			snprintf(
			    o->addresses[n], sizeof(o->addresses[n]), "127.0.0.1:%d", port + n * 2);
}

/* ---- files ------------------------------------------------------------------------ */

/* scale: how many times slower the nodes are than this machine's cores. */
static int platform_write(struct two_node *o, enum way way, double scale, double slot_us)
{
	const struct transport_cost *cost = &o->costs[way];
	const bool plan = scale > 0;
	const char *shared = o->virtual ? "shared = true; " : "";
	char text[1200];

	snprintf(text, sizeof(text),
	    "name = \"two_node\"; secure = false;\nnodes: {\n"
	    "\ta: { mmac_per_s = %.3f; base_us = %.3f; manager = true; address = \"%s\"; %s"
	    "lanes = [%d]; };\n"
	    "\tb: { mmac_per_s = %.3f; base_us = %.3f; address = \"%s\"; %slanes = [%d]; };\n};\n"
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = %.1f; delay = 3; transport = "
	    "\"%s\"; message_us = %.3f; byte_ns = %.3f; } );\n",
	    o->mmac * o->share, plan ? cost->base_share * slot_us * scale : 0, o->addresses[0],
	    shared, o->cpus[0], o->mmac * o->share, plan ? cost->base_share * slot_us * scale : 0,
	    o->addresses[1], shared, o->cpus[1], LINK_MBIT, way_names[way],
	    plan ? cost->message_us * scale : 0, plan ? cost->byte_ns * scale : 0);
	return conf_write(
	    o->bench, plan ? "planned" : "platform", text, plan ? o->planned : o->platform, PATH);
}

/* A stage takes what was published for it, on a core of 200 MMAC/s; cheap: next to nothing. */
static void stage_write(FILE *out, size_t row, bool cheap)
{
	const double us = published_bearer(row)->arm_kmac * 1e3 / PUBLISHED_ARM_MMAC;

	fprintf(out,
	    "\ts%zu: { component = \"spin\"; mean_us = %.3f; budget_us = %.3f; node = \"%s\"; };\n",
	    row, cheap ? 0 : us, cheap ? 1.0 : us, row < CUT ? "a" : "b");
}

static int chain_write(
    struct two_node *o, const char *name, unsigned items, bool cheap, char *ret_path)
{
	struct conf conf;
	FILE *out = conf_begin(&conf);

	if (!out)
		return CLI_FAILED;
	fprintf(out, "name = \"%s\";\nslot_ns = 10000000;\ninstances: {\n", name);
	fprintf(out,
	    "\tsource: { component = \"counter_source\"; length = %u; budget_us = 10; node = "
	    "\"a\"; };\n",
	    items);
	for (size_t row = 0; row < PUBLISHED_BEARER; row++)
		stage_write(out, row, cheap);
	fputs("\tsink: { component = \"null_sink\"; budget_us = 10; node = \"b\"; };\n};\nlinks = "
	      "(\"source",
	    out);
	for (size_t row = 0; row < PUBLISHED_BEARER; row++)
		fprintf(out, " -> s%zu", row);
	fputs(" -> sink\");\n", out);
	return conf_end(&conf, o->bench, name, ret_path, PATH);
}

/* ---- nodes ------------------------------------------------------------------------ */

static void nodes_down(struct two_node *o)
{
	for (int n = NODES - 1; n >= 0; n--)
		node_down(o->bench, &o->nodes[n]);
}

/* All processes of a node on the CPU of its lane, before all other programs there. */
static void node_bind(const struct bench_node *node, int cpu)
{
	struct process processes[PROCESSES_MAX];
	const size_t n = processes_below(node->run.pid, processes, PROCESSES_MAX);

	for (size_t i = 0; i < n; i++) {
		process_bind(processes[i].pid, cpu);
		process_prefer(processes[i].pid);
	}
}

static int nodes_up(struct two_node *o, enum way way)
{
	static const char *const names[NODES] = {"a", "b"};
	int status = platform_write(o, way, 0, 0);

	for (int n = 0; n < NODES && status == CLI_OK; n++) {
		status = node_up(
		    o->bench, names[n], o->platform, o->limited ? o->names[n] : NULL, &o->nodes[n]);
		if (status == CLI_OK)
			node_bind(&o->nodes[n], o->cpus[n]);
	}
	if (status == CLI_OK)
		status = nodes_join(o->bench, &o->nodes[0], NODES);
	return status;
}

static int waveform_do(struct two_node *o, const char *command, const char *word, const char *more)
{
	struct words words = {0};

	words_add(&words, "%s", command);
	words_add(&words, "%s", word);
	if (more)
		words_add(&words, "%s", more);
	return node_do(o->bench, &o->nodes[0], &words, false, NULL);
}

static int waveform_start(struct two_node *o, const char *name, const char *path, double slot_us)
{
	struct words words = {0};
	int status;

	words_add(&words, "load");
	words_add(&words, "%s", path);
	words_add(&words, "--slot-us=%.9g", slot_us);
	words_add(&words, "--clock=%s", o->virtual ? "virtual" : "timer");
	words_add(&words, "--force");
	status = node_do(o->bench, &o->nodes[0], &words, false, NULL);
	return status == CLI_OK ? waveform_do(o, "start", name, NULL) : status;
}

/* ---- what the transport costs ------------------------------------------------------------- */

/* Time of the daemons of both nodes so far, us. */
static double daemons_us(const struct two_node *o)
{
	double us = 0;

	for (int n = 0; n < NODES; n++) {
		struct process processes[PROCESSES_MAX];
		const size_t found = processes_below(o->nodes[n].run.pid, processes, PROCESSES_MAX);

		for (size_t i = 0; i < found; i++)
			if (strcmp(processes[i].name, "aloe-host") != 0)
				us += process_spent(processes[i].pid).cpu_us;
	}
	return us;
}

/* Of a slot, at one end. */
static int slot_cost(struct two_node *o, unsigned items, double slot_us, double *ret_us)
{
	const double seconds = fmin(COST_S, (double)o->slots * slot_us / 1e6);
	char path[PATH];
	double before;
	int status = chain_write(o, "cost", items, true, path);

	if (status == CLI_OK)
		status = waveform_start(o, "cost", path, slot_us);
	if (status == CLI_OK)
		status = node_wait(o->bench, 0.5, "the cost of the transport is measured");
	before = daemons_us(o);
	if (status == CLI_OK)
		status = node_wait(o->bench, seconds, "the cost of the transport is measured");
	*ret_us = (daemons_us(o) - before) / NODES / (seconds * 1e6 / slot_us);
	return status == CLI_OK ? waveform_do(o, "unload", "cost", "--force") : status;
}

/* A short message in slots of 10 ms and of 20 ms: what grows with the slot does not come with the
 * message. A long message: what grows with its bytes. */
static int cost_measure(struct two_node *o, enum way way)
{
	struct transport_cost *cost = &o->costs[way];
	double once, twice, length;
	int status = node_wait(o->bench, o->virtual ? 0 : QUIET_S,
	    "the bridges have found out how long a message takes");

	if (status == CLI_OK)
		status = slot_cost(o, 1, COST_SLOT_US, &once);
	if (status == CLI_OK)
		status = slot_cost(o, 1, 2 * COST_SLOT_US, &twice);
	if (status == CLI_OK)
		status = slot_cost(o, ITEMS, COST_SLOT_US, &length);
	if (status != CLI_OK)
		return status;
	cost->message_us = fmax(0, 2 * once - twice);
	cost->base_share = fmax(0, once - cost->message_us) / COST_SLOT_US;
	cost->byte_ns = fmax(0, length - once) * 1e3 / (2.0 * (ITEMS - 1));
	cost->known = true;
	return CLI_OK;
}

/* ---- prediction and run -------------------------------------------------------------------- */

static int plan_ask(struct two_node *o, double slot_us, bool force, char **ret_text)
{
	struct words words = {0};

	words_add(&words, "plan");
	words_add(&words, "%s", o->chain);
	words_add(&words, "--platform=%s", o->planned);
	words_add(&words, "--slot-us=%.9g", slot_us);
	words_add(&words, "--json");
	if (force)
		words_add(&words, "--force");
	return node_do(o->bench, &o->nodes[0], &words, true, ret_text);
}

static int trial_predict(struct two_node *o, enum way way, size_t s)
{
	struct two_node_trial *trial = &o->trials[way][s];
	int status = platform_write(o, way, 1 / o->share, o->slot_us[s]);
	char *text = NULL;
	json_t *plan, *lane;
	size_t l;

	if (status == CLI_OK)
		status = plan_ask(o, o->slot_us[s], true, &text);
	if (status != CLI_OK) {
		free(text);
		return status;
	}
	plan = text ? json_loads(text, 0, NULL) : NULL;
	json_array_foreach(json_object_get(plan, "lanes"), l, lane)
	{
		const double need = report_number(lane, "need_us") + report_number(lane, "base_us");

		trial->limit_us = report_number(lane, "limit_us");
		trial->need_us = fmax(trial->need_us, need);
	}
	trial->planned = plan != NULL;
	trial->predicted = plan_ask(o, o->slot_us[s], false, NULL) == CLI_OK;
	json_decref(plan);
	free(text);
	return o->bench->interrupts ? BENCH_INTERRUPTED : CLI_OK;
}

static double not_run(const json_t *report)
{
	const json_t *slots = json_object_get(report, "slots");

	return report_number(slots, "skipped") + report_number(slots, "missed") +
	    report_number(slots, "slipped");
}

static double slots_run(const json_t *report)
{
	return report_number(json_object_get(report, "slots"), "run");
}

/* The chain begins at full speed, and is loaded and looked at so. */
static int braked_wait(struct two_node *o, double seconds, const char *what)
{
	struct brake brake = {.n = 0};
	int status;

	if (!o->virtual && brake_start(&brake, o->cpus, NODES, o->share) < 0)
		return cli_fail(o->bench->args,
		           "a slower machine needs real-time priority (root, or a limit for it)"),
		       CLI_FAILED;
	status = node_wait(o->bench, seconds, what);
	brake_stop(&brake);
	return status;
}

static int trial_run(struct two_node *o, enum way way, size_t s)
{
	struct two_node_trial *trial = &o->trials[way][s];
	const double seconds = (double)o->slots * o->slot_us[s] / 1e6;
	json_t *before = NULL, *after = NULL;
	char what[80];
	int status = waveform_start(o, "two_node", o->chain, o->slot_us[s]);

	snprintf(what, sizeof(what), "%s, slots of %.1f ms", way_names[way], o->slot_us[s] / 1e3);
	if (status == CLI_OK)
		status = node_wait(o->bench, 0.5, what);
	if (status == CLI_OK) {
		before = node_report(o->bench, &o->nodes[0], "two_node");
		status = braked_wait(o, seconds, what);
		after = node_report(o->bench, &o->nodes[0], "two_node");
	}
	if (status == CLI_OK && before && after) {
		trial->slots = slots_run(after) - slots_run(before);
		trial->not_run = not_run(after) - not_run(before);
		trial->ran = true;
		trial->holds = trial->not_run <= HOLDS_SHARE * (trial->slots + trial->not_run);
	}
	json_decref(before);
	json_decref(after);
	return status == CLI_OK ? waveform_do(o, "unload", "two_node", "--force") : status;
}

static int way_measure(struct two_node *o, enum way way)
{
	int status = nodes_up(o, way);

	if (status == CLI_OK)
		status = cost_measure(o, way);
	for (size_t s = 0; s < o->n_slots && status == CLI_OK; s++) {
		status = trial_predict(o, way, s);
		if (status == CLI_OK)
			status = trial_run(o, way, s);
	}
	nodes_down(o);
	return status;
}

/* Of the fastest block: what others take of the core meanwhile does not make it slower. */
static double capacity_of(int cpu)
{
	struct calibration capacity = {.mmac_per_s_best = 0};
	cpu_set_t before, one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	sched_getaffinity(0, sizeof(before), &before);
	sched_setaffinity(0, sizeof(one), &one);
	if (calibrate_mmac(&capacity) < 0)
		capacity.mmac_per_s_best = 0;
	sched_setaffinity(0, sizeof(before), &before);
	return capacity.mmac_per_s_best;
}

static int capacity_measure(struct two_node *o)
{
	struct brake brake = {.n = 0};

	o->mmac = capacity_of(o->cpus[0]);
	if (o->mmac <= 0)
		return cli_fail(o->bench->args, "the capacity of a core could not be measured"),
		       CLI_FAILED;
	o->share = fmin(1, PUBLISHED_ARM_MMAC / o->mmac);
	if (o->virtual || brake_start(&brake, o->cpus, NODES, o->share) < 0)
		return CLI_OK;
	o->share = fmin(o->share, fmax(0.01, brake_share(o->cpus[0])));
	brake_stop(&brake);
	return CLI_OK;
}

static int measure_all(void *self)
{
	struct two_node *o = self;
	int status = capacity_measure(o);

	if (status == CLI_OK)
		status = chain_write(o, "two_node", ITEMS, false, o->chain);
	if (status == CLI_OK)
		link_open(o);
	for (int way = 0; way < WAYS && status == CLI_OK; way++)
		if (o->used[way])
			status = way_measure(o, (enum way)way);
	return status;
}

static void two_node_fini(void *self)
{
	struct two_node *o = self;

	if (o->bench)
		link_close(o);
}

/* ---- result ------------------------------------------------------------------------ */

static const struct column cost_columns[] = {
    {"transport", "transport", COLUMN_TEXT},
    {"base_us", "base us a ms", 3},
    {"message_us", "us a message", 3},
    {"byte_ns", "ns a byte", 4},
    {"mmac_per_s", "MMAC/s", 0},
    {"scaled_mmac_per_s", "scaled", 0},
};

static const struct column trial_columns[] = {
    {"transport", "transport", COLUMN_TEXT},
    {"slot_us", "slot us", 0},
    {"need_us", "planned us", 0},
    {"share", "of the slot", 3},
    {"predicted", "predicted", COLUMN_TEXT},
    {"slots", "slots", 0},
    {"not_run", "late or not run", 0},
    {"ran", "run", COLUMN_TEXT},
    {"agrees", "agrees", COLUMN_TEXT},
};

static const struct column shortest_columns[] = {
    {"transport", "transport", COLUMN_TEXT},
    {"predicted_us", "predicted us", 0},
    {"slot_us", "shortest stable slot us", 0},
};

static void cost_row(struct two_node *o, enum way way)
{
	const struct transport_cost *cost = &o->costs[way];

	if (cost->known)
		bench_row(o->bench,
		    json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "transport", way_names[way],
		        "base_us", cost->base_share * 1e3, "message_us", cost->message_us,
		        "byte_ns", cost->byte_ns, "mmac_per_s", o->mmac, "scaled_mmac_per_s",
		        o->mmac * o->share));
}

static const char *verdict_text(bool holds)
{
	return holds ? "holds" : "fails";
}

static void trial_row(struct two_node *o, enum way way, size_t s)
{
	const struct two_node_trial *trial = &o->trials[way][s];
	const bool agrees = trial->predicted == trial->holds;

	if (!trial->planned || !trial->ran)
		return;
	bench_row(o->bench,
	    json_pack("{s:s, s:f, s:f, s:f, s:s, s:f, s:f, s:s, s:s}", "transport", way_names[way],
	        "slot_us", o->slot_us[s], "need_us", trial->need_us, "share",
	        trial->need_us / trial->limit_us, "predicted", verdict_text(trial->predicted),
	        "slots", trial->slots, "not_run", trial->not_run, "ran", verdict_text(trial->holds),
	        "agrees", agrees ? "yes" : "no"));
	o->bench->missed |= !agrees && !o->virtual;
}

/* The shortest from which on all hold: by the plan, or by the runs; NAN: none does. */
static double shortest_of(const struct two_node *o, enum way way, bool by_plan)
{
	double shortest = NAN;

	for (size_t s = o->n_slots; s-- > 0;) {
		const struct two_node_trial *trial = &o->trials[way][s];

		if (!trial->ran || !(by_plan ? trial->predicted : trial->holds))
			break;
		shortest = o->slot_us[s];
	}
	return shortest;
}

static void notes_add(const struct two_node *o)
{
	bench_note(o->bench,
	    "the UTRAN chain of 384 kbit/s with the published times on a core of %.0f MMAC/s, each "
	    "stage computing for that long: 16.3 ms of 20 ms of two nodes, which is 81.5 %%, in "
	    "slots of 10 ms; 11 stages on node a, 3 stages on node b; messages of %d bytes between "
	    "them",
	    PUBLISHED_ARM_MMAC, 2 * ITEMS);
	if (o->virtual)
		bench_note(o->bench,
		    "clock virtual: a slot has no length, so the cost is that of nothing in "
		    "particular, and no run can fail");
	else
		bench_note(o->bench,
		    "the nodes have one CPU each, CPU %d and CPU %d, for lane and daemons, which "
		    "come before other programs there (nice -20); a thread above all others "
		    "leaves %.1f %% of each CPU, in parts of %.1f ms, so that lanes, daemons and "
		    "kernel are as slow as on a core of %.0f MMAC/s",
		    o->cpus[0], o->cpus[1], o->share * 100, BRAKE_PERIOD_NS / 1e6,
		    o->mmac * o->share);
	if (o->limited)
		bench_note(o->bench,
		    "link: veth between two network namespaces, tbf of %.0f Mbit/s at each end",
		    LINK_MBIT);
	else
		bench_note(o->bench, "link: loopback, whose rate is not limited%s%s",
		    o->why_not[0] ? ", because no namespace could be made: " : "", o->why_not);
	bench_note(o->bench,
	    "cost of the transport: CPU time of all daemons of a node, at full speed; base: for "
	    "each ms, whatever is sent; the plan has the same times as many times longer as the "
	    "nodes are slower");
	bench_note(o->bench,
	    "a slot length holds if at most %.0f %% of the slots were late, skipped or put off",
	    HOLDS_SHARE * 100);
}

static void shortest_row(struct two_node *o, enum way way)
{
	for (int measured = 0; measured < 2; measured++) {
		const double us = shortest_of(o, way, !measured);

		if (isfinite(us))
			json_array_append_new(plot_named(&o->bench->plot, PLOT_ROWS,
			                          measured ? "measured" : "predicted"),
			    json_pack("[s, f]", way_names[way], us));
	}
	bench_row(o->bench,
	    json_pack("{s:s, s:o, s:o}", "transport", way_names[way], "predicted_us",
	        json_real_or_null(shortest_of(o, way, true)), "slot_us",
	        json_real_or_null(shortest_of(o, way, false))));
}

static void two_node_result(void *self)
{
	struct two_node *o = self;

	bench_table(o->bench, "trials", "the chain on two nodes", trial_columns,
	    sizeof(trial_columns) / sizeof(trial_columns[0]));
	for (int way = 0; way < WAYS; way++)
		for (size_t s = 0; s < o->n_slots; s++)
			trial_row(o, (enum way)way, s);
	bench_table(o->bench, "costs", "what the transport costs", cost_columns,
	    sizeof(cost_columns) / sizeof(cost_columns[0]));
	for (int way = 0; way < WAYS; way++)
		cost_row(o, (enum way)way);
	bench_table(o->bench, "shortest", "the shortest slot that holds", shortest_columns,
	    sizeof(shortest_columns) / sizeof(shortest_columns[0]));
	for (int way = 0; way < WAYS; way++)
		if (o->costs[way].known)
			shortest_row(o, (enum way)way);
	o->bench->plot.title = "Shortest slot in which the UTRAN chain holds on two nodes";
	o->bench->plot.x = "length of the slot [us]";
	o->bench->plot.y = "transport";
	o->bench->plot.log_x = true;
	notes_add(o);
}

/* ---- options ------------------------------------------------------------------------ */

static int by_length(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int slots_parse(struct two_node *o)
{
	static const double usual[] = {10000, 11000, 12000, 13000, 14000, 16000, 20000};
	int n = sizeof(usual) / sizeof(usual[0]);

	memcpy(o->slot_us, usual, sizeof(usual));
	if (cli_has(o->bench->args, "slot-us"))
		n = bench_slot_lengths(o->bench, SLOTS_MAX, o->slot_us);
	if (n < 0)
		return CLI_USAGE;
	o->n_slots = (size_t)n;
	qsort(o->slot_us, o->n_slots, sizeof(o->slot_us[0]), by_length);
	return CLI_OK;
}

static int options_parse(void *self)
{
	struct two_node *o = self;
	const char *clock = cli_get(o->bench->args, "clock"),
	           *transport = cli_get(o->bench->args, "transport");

	o->slots = 300;
	o->virtual = clock && strcmp(clock, "virtual") == 0;
	if (cli_whole(o->bench->args, "slots", 10, 1e6, &o->slots) < 0)
		return CLI_USAGE;
	for (int way = 0; way < WAYS; way++)
		o->used[way] = !transport || strcmp(transport, way_names[way]) == 0;
	if (o->bench->n_cpus < NODES && !o->virtual)
		return cli_fail(o->bench->args, "two CPUs are needed, one for each node");
	for (int n = 0; n < NODES; n++)
		o->cpus[n] = o->bench->cpus[o->bench->n_cpus > (size_t)n ? n : 0];
	return slots_parse(o);
}

int bench_two_node(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct two_node), options_parse, measure_all, two_node_result, two_node_fini};

	return bench_main(args, &parts);
}
