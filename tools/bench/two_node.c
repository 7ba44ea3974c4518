/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe bench two-node: the published chain on two nodes of one core each, over a link of 100
 * Mbit/s: what the plan predicts with the measured cost of the transport, and what runs. */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/measure/calibrate.h"
#include "core/report/report.h"
#include "tools/bench/brake.h"
#include "tools/bench/commands.h"
#include "tools/bench/conf.h"
#include "tools/bench/figures.h"
#include "tools/bench/nodes.h"
#include "tools/bench/processes.h"
#include "tools/bench/published.h"
#include "tools/bench/two_node.h"

enum {
	PROCESSES_MAX = 64,
	CUT = 11, /* stages on the first node: 1660.4 of 3260 kMAC */
	PORT = 7300,
	RATE_TRIES = 8
};

#define QUIET_S 12.0 /* a bridge asks often for ten seconds */
#define COST_S 4.0   /* for each of the three measurements */
#define COST_SLOT_US 10000.0
#define RATE_NEAR 0.01 /* how near a slower core should be to what is wanted */
#define RATE_FAR 0.1   /* and may be at most; the plan goes by what it is */

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
	const int port = nodes_port(TWO_NODES * 2);
	char script[1200], mbit[32], *errors = NULL;

	snprintf(mbit, sizeof(mbit), "%.0f", TWO_NODE_MBIT);
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
	for (int n = 0; n < TWO_NODES; n++)
		if (o->limited)
			snprintf(o->addresses[n], sizeof(o->addresses[n]), "10.98.76.%d:%d", n + 1,
			    PORT);
		else
			snprintf(
			    o->addresses[n], sizeof(o->addresses[n]), "127.0.0.1:%d", port + n * 2);
}

/* ---- files ------------------------------------------------------------------------ */

/* How many times slower a node is than this machine's cores. */
static double slowdown_of(const struct two_node *o, int node)
{
	return o->mmac / o->scaled[node];
}

/* Of a slot, at one node. */
static double base_us(const struct two_node *o, enum two_node_way way, int node, double slot_us)
{
	const struct transport_cost *cost = &o->costs[way];

	return (cost->base_share * slot_us + cost->host_us[node]) * slowdown_of(o, node);
}

static int platform_write(struct two_node *o, enum two_node_way way, bool plan, double slot_us)
{
	const struct transport_cost *cost = &o->costs[way];
	const double slowest = plan ? fmax(slowdown_of(o, 0), slowdown_of(o, 1)) : 0;
	const char *shared = o->virtual ? "shared = true; " : "";
	char text[1200];

	snprintf(text, sizeof(text),
	    "name = \"two_node\"; secure = false;\nnodes: {\n"
	    "\ta: { mmac_per_s = %.3f; base_us = %.3f; manager = true; address = \"%s\"; %s"
	    "lanes = [%d]; };\n"
	    "\tb: { mmac_per_s = %.3f; base_us = %.3f; address = \"%s\"; %slanes = [%d]; };\n};\n"
	    "links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = %.1f; delay = 3; transport = "
	    "\"%s\"; message_us = %.3f; byte_ns = %.3f; } );\n",
	    o->scaled[0], plan ? base_us(o, way, 0, slot_us) : 0, o->addresses[0], shared,
	    o->cpus[0], o->scaled[1], plan ? base_us(o, way, 1, slot_us) : 0, o->addresses[1],
	    shared, o->cpus[1], TWO_NODE_MBIT, two_node_ways[way], cost->message_us * slowest,
	    cost->byte_ns * slowest);
	return conf_write(o->bench, plan ? "planned" : "platform", text,
	    plan ? o->planned : o->platform, TWO_NODE_PATH);
}

/* A stage computes what was published for it, in the unit of account; cheap: nothing. */
static void stage_write(FILE *out, const struct two_node *o, size_t row, bool cheap)
{
	const double kmac = cheap ? 0 : published_bearer(row)->arm_kmac;
	const int node = row < CUT ? 0 : 1;

	fprintf(out,
	    "\ts%zu: { component = \"spin\"; kmac = %.3f; budget_us = %.3f; node = \"%c\"; };\n",
	    row, kmac, cheap ? 1.0 : kmac * 1e3 / o->scaled[node], 'a' + node);
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
	    "\tsource: { component = \"counter_source\"; length = %u; budget_us = 1; node = "
	    "\"a\"; };\n",
	    items);
	for (size_t row = 0; row < PUBLISHED_BEARER; row++)
		stage_write(out, o, row, cheap);
	fputs("\tsink: { component = \"null_sink\"; budget_us = 1; node = \"b\"; };\n};\nlinks = "
	      "(\"source",
	    out);
	for (size_t row = 0; row < PUBLISHED_BEARER; row++)
		fprintf(out, " -> s%zu", row);
	fputs(" -> sink\");\n", out);
	return conf_end(&conf, o->bench, name, ret_path, TWO_NODE_PATH);
}

/* ---- nodes ------------------------------------------------------------------------ */

static void nodes_down(struct two_node *o)
{
	for (int n = TWO_NODES - 1; n >= 0; n--)
		node_down(o->bench, &o->nodes[n]);
}

/* All processes of a node on the CPU of its lane, before all other programs there: but not where
 * lanes never rest, and nobody else would get anything. */
static void node_bind(const struct bench_node *node, int cpu, bool rests)
{
	struct process processes[PROCESSES_MAX];
	const size_t n = processes_below(node->run.pid, processes, PROCESSES_MAX);

	for (size_t i = 0; i < n; i++) {
		process_bind(processes[i].pid, cpu);
		if (rests)
			process_prefer(processes[i].pid);
	}
}

static int nodes_up(struct two_node *o, enum two_node_way way)
{
	static const char *const names[TWO_NODES] = {"a", "b"};
	int status = platform_write(o, way, false, 0);

	for (int n = 0; n < TWO_NODES && status == CLI_OK; n++) {
		status = node_up(
		    o->bench, names[n], o->platform, o->limited ? o->names[n] : NULL, &o->nodes[n]);
		if (status == CLI_OK)
			node_bind(&o->nodes[n], o->cpus[n], !o->virtual);
	}
	if (status == CLI_OK)
		status = nodes_join(o->bench, &o->nodes[0], TWO_NODES);
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
	for (int n = 0; n < TWO_NODES && status == CLI_OK; n++)
		node_bind(&o->nodes[n], o->cpus[n], !o->virtual); /* its hosts */
	return status == CLI_OK ? waveform_do(o, "start", name, NULL) : status;
}

/* ---- what the transport costs ------------------------------------------------------------- */

struct spent {
	double daemons_us, hosts_us[TWO_NODES]; /* daemons: of both nodes */
};

static struct spent spent_now(const struct two_node *o)
{
	struct spent spent = {0};

	for (int n = 0; n < TWO_NODES; n++) {
		struct process processes[PROCESSES_MAX];
		const size_t found = processes_below(o->nodes[n].run.pid, processes, PROCESSES_MAX);

		for (size_t i = 0; i < found; i++)
			*(strcmp(processes[i].name, "aloe-host") == 0 ? &spent.hosts_us[n]
			                                              : &spent.daemons_us) +=
			    process_spent(processes[i].pid).cpu_us;
	}
	return spent;
}

static double slots_run(const json_t *report)
{
	return report_number(json_object_get(report, "slots"), "run");
}

struct slots_count { /* of slots that have run */
	bool known;
	double slots;
	uint64_t ns; /* when */
};

static struct slots_count count_now(struct two_node *o, const char *name)
{
	json_t *report = node_report(o->bench, &o->nodes[0], name);
	const struct slots_count count = {report != NULL, slots_run(report), clock_ns()};

	json_decref(report);
	return count;
}

/* Of a slot that runs, at one end: of the daemons, and of each host. To ask how many have run takes
 * time of the daemons, so this is done before and after. */
static int cost_take(struct two_node *o, double seconds, struct spent *ret)
{
	const struct slots_count first = count_now(o, "cost");
	const struct spent before = spent_now(o);
	const int status = node_wait(o->bench, seconds, "the cost of the transport is measured");
	const struct spent after = spent_now(o);
	const struct slots_count last = count_now(o, "cost");
	const double slots =
	    (last.slots - first.slots) * seconds * 1e9 / (double)(last.ns - first.ns);

	if (status != CLI_OK)
		return status;
	if (!first.known || !last.known || slots <= 0)
		return cli_fail(o->bench->args,
		           "no slot has run while the cost of the transport was measured"),
		       CLI_FAILED;
	ret->daemons_us = (after.daemons_us - before.daemons_us) / TWO_NODES / slots;
	for (int n = 0; n < TWO_NODES; n++)
		ret->hosts_us[n] = (after.hosts_us[n] - before.hosts_us[n]) / slots;
	return CLI_OK;
}

static int slot_cost(struct two_node *o, unsigned items, double slot_us, struct spent *ret)
{
	const double seconds = fmin(COST_S, (double)o->slots * slot_us / 1e6);
	char path[TWO_NODE_PATH];
	int status = chain_write(o, "cost", items, true, path);

	if (status == CLI_OK)
		status = waveform_start(o, "cost", path, slot_us);
	if (status == CLI_OK)
		status = node_wait(o->bench, 0.5, "the cost of the transport is measured");
	if (status == CLI_OK)
		status = cost_take(o, seconds, ret);
	return status == CLI_OK ? waveform_do(o, "unload", "cost", "--force") : status;
}

/* A short message in slots of 10 ms and of 20 ms: what grows with the slot does not come with the
 * message. A long message: what grows with its bytes. */
static int cost_measure(struct two_node *o, enum two_node_way way)
{
	struct transport_cost *cost = &o->costs[way];
	struct spent once, twice, length;
	int status = node_wait(o->bench, o->virtual ? 0 : QUIET_S,
	    "the bridges have found out how long a message takes");

	if (status == CLI_OK)
		status = slot_cost(o, 1, COST_SLOT_US, &once);
	if (status == CLI_OK)
		status = slot_cost(o, 1, 2 * COST_SLOT_US, &twice);
	if (status == CLI_OK)
		status = slot_cost(o, TWO_NODE_ITEMS, COST_SLOT_US, &length);
	if (status != CLI_OK)
		return status;
	memcpy(cost->host_us, length.hosts_us, sizeof(cost->host_us));
	cost->message_us = fmax(0, 2 * once.daemons_us - twice.daemons_us);
	cost->base_share = fmax(0, once.daemons_us - cost->message_us) / COST_SLOT_US;
	cost->byte_ns =
	    fmax(0, length.daemons_us - once.daemons_us) * 1e3 / (2.0 * (TWO_NODE_ITEMS - 1));
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

static void trial_plan(struct two_node *o, struct two_node_trial *trial, const json_t *plan)
{
	const json_t *lane;
	size_t l;

	json_array_foreach(json_object_get(plan, "lanes"), l, lane)
	{
		const double need = report_number(lane, "need_us") + report_number(lane, "base_us");
		double *used = &trial->used[strcmp(report_text(lane, "node"), "b") == 0];

		trial->limit_us = report_number(lane, "limit_us");
		trial->need_us = fmax(trial->need_us, need);
		*used = fmax(*used, need / trial->limit_us);
	}
	for (int n = 0; n < TWO_NODES && !o->virtual; n++)
		trial->throttled |= two_node_throttled(o->shares[n], trial->used[n], o->realtime);
}

static int trial_predict(struct two_node *o, enum two_node_way way, size_t s)
{
	struct two_node_trial *trial = &o->trials[way][s];
	int status = platform_write(o, way, true, o->slot_us[s]);
	char *text = NULL;
	json_t *plan;

	if (status == CLI_OK)
		status = plan_ask(o, o->slot_us[s], true, &text);
	if (status != CLI_OK) {
		free(text);
		return status;
	}
	plan = text ? json_loads(text, 0, NULL) : NULL;
	free(text);
	if (!plan)
		return cli_fail(o->bench->args, "the plan could not be read"), CLI_FAILED;
	trial_plan(o, trial, plan);
	json_decref(plan);
	trial->predicted = plan_ask(o, o->slot_us[s], false, NULL) == CLI_OK;
	return o->bench->interrupts ? BENCH_INTERRUPTED : CLI_OK;
}

static double slots_skipped(const json_t *report)
{
	return report_number(json_object_get(report, "slots"), "skipped");
}

static double not_run(const json_t *report)
{
	const json_t *slots = json_object_get(report, "slots");

	return slots_skipped(report) + report_number(slots, "missed") +
	    report_number(slots, "slipped");
}

static int brake_refused(const struct two_node *o)
{
	return cli_fail(o->bench->args,
	           "a slower machine needs real-time priority (root, or a limit for it)"),
	       CLI_FAILED;
}

/* The chain begins at full speed, and is loaded and looked at so. */
static int braked_wait(struct two_node *o, double seconds, const char *what)
{
	int status;

	if (!o->virtual && brake_start(&o->brake, o->cpus, o->shares, TWO_NODES) < 0)
		return brake_refused(o);
	status = node_wait(o->bench, seconds, what);
	brake_stop(&o->brake);
	return status;
}

static void trial_count(struct two_node_trial *trial, const json_t *before, const json_t *after)
{
	trial->slots = slots_run(after) - slots_run(before);
	trial->skipped = slots_skipped(after) - slots_skipped(before);
	trial->not_run = not_run(after) - not_run(before);
}

static void trial_judge(struct two_node *o, struct two_node_trial *trial, double slot_us)
{
	double longer[TWO_NODES];

	for (int n = 0; n < TWO_NODES; n++)
		longer[n] = two_node_longer(trial->used[n], trial->throttled);
	trial->touched =
	    (double)brake_touched(&o->brake, longer, (uint64_t)(slot_us * 1e3), (size_t)o->slots);
	trial->stalls_ms = (double)brake_stalled_ns(&o->brake) / 1e6;
	trial->verdict = two_node_verdict(trial, (double)o->slots);
	trial->ran = true;
}

/* Without a report, no slot has run as far as is known. */
static int trial_try(
    struct two_node *o, enum two_node_way way, double slot_us, struct two_node_trial *trial)
{
	json_t *before = NULL, *after = NULL;
	char what[80];
	int status = waveform_start(o, "two_node", o->chain, slot_us);

	snprintf(what, sizeof(what), "%s, slots of %.1f ms", two_node_ways[way], slot_us / 1e3);
	if (status == CLI_OK)
		status = node_wait(o->bench, 0.5, what);
	if (status == CLI_OK) {
		before = node_report(o->bench, &o->nodes[0], "two_node");
		status = braked_wait(o, (double)o->slots * slot_us / 1e6, what);
		after = node_report(o->bench, &o->nodes[0], "two_node");
	}
	if (before && after)
		trial_count(trial, before, after);
	if (status == CLI_OK)
		trial_judge(o, trial, slot_us);
	json_decref(before);
	json_decref(after);
	return status == CLI_OK ? waveform_do(o, "unload", "two_node", "--force") : status;
}

/* Again while it says nothing; if no try says anything, that in which the machine stood least. */
static int trial_run(struct two_node *o, enum two_node_way way, size_t s)
{
	struct two_node_trial *kept = &o->trials[way][s];
	const struct two_node_trial planned = *kept;
	int status = CLI_OK;

	for (int i = 0; i < TWO_NODE_TRIES && status == CLI_OK && kept->verdict == TWO_NODE_VOID;
	     i++) {
		struct two_node_trial trial = planned;

		status = trial_try(o, way, o->slot_us[s], &trial);
		if (trial.ran &&
		    (!kept->ran || trial.verdict != TWO_NODE_VOID || trial.touched < kept->touched))
			*kept = trial;
	}
	return status;
}

static int way_measure(struct two_node *o, enum two_node_way way)
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

/* What a thread gets of each CPU while both are slowed down: a switch to and fro takes its part.
 * Returns how far the farther one is from what is wanted. */
static double scaled_measure(struct two_node *o)
{
	double far = 0;

	for (int n = 0; n < TWO_NODES; n++) {
		o->scaled[n] = brake_rate(o->cpus[n]);
		if (o->shares[n] < 1)
			far = fmax(far, fabs(o->scaled[n] / PUBLISHED_ARM_MMAC - 1));
	}
	return far;
}

static int shares_find(struct two_node *o)
{
	double far = 1;

	for (int i = 0; i < RATE_TRIES && far > RATE_NEAR; i++) {
		for (int n = 0; n < TWO_NODES && i > 0; n++)
			o->shares[n] = fmin(1,
			    o->shares[n] * fmax(0.5, fmin(2, PUBLISHED_ARM_MMAC / o->scaled[n])));
		if (brake_start(&o->brake, o->cpus, o->shares, TWO_NODES) < 0)
			return brake_refused(o);
		far = scaled_measure(o);
		brake_stop(&o->brake);
	}
	if (far <= RATE_FAR)
		return CLI_OK;
	return cli_fail(o->bench->args,
	           "no core here could be made as slow as one of %.0f MMAC/s: they give %.0f and "
	           "%.0f, and change",
	           PUBLISHED_ARM_MMAC, o->scaled[0], o->scaled[1]),
	       CLI_FAILED;
}

static int capacity_measure(struct two_node *o)
{
	o->realtime = brake_realtime_share();
	o->mmac = capacity_of(o->cpus[0]);
	if (o->mmac <= 0)
		return cli_fail(o->bench->args, "the capacity of a core could not be measured"),
		       CLI_FAILED;
	for (int n = 0; n < TWO_NODES; n++) {
		o->shares[n] = fmin(1, PUBLISHED_ARM_MMAC / o->mmac);
		o->scaled[n] = o->mmac * o->shares[n];
	}
	return o->virtual ? CLI_OK : shares_find(o);
}

static int measure_all(void *self)
{
	struct two_node *o = self;
	int status = capacity_measure(o);

	if (status == CLI_OK)
		status = chain_write(o, "two_node", TWO_NODE_ITEMS, false, o->chain);
	if (status == CLI_OK)
		link_open(o);
	for (int way = 0; way < TWO_NODE_WAYS && status == CLI_OK; way++)
		if (o->used[way])
			status = way_measure(o, (enum two_node_way)way);
	return status;
}

static void two_node_fini(void *self)
{
	struct two_node *o = self;

	if (o->bench)
		link_close(o);
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
		n = bench_slot_lengths(o->bench, TWO_NODE_LENGTHS, o->slot_us);
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
	for (int way = 0; way < TWO_NODE_WAYS; way++)
		o->used[way] = !transport || strcmp(transport, two_node_ways[way]) == 0;
	if (o->bench->n_cpus < TWO_NODES && !o->virtual)
		return cli_fail(o->bench->args, "two CPUs are needed, one for each node");
	for (int n = 0; n < TWO_NODES; n++)
		o->cpus[n] = o->bench->cpus[o->bench->n_cpus > (size_t)n ? n : 0];
	return slots_parse(o);
}

int bench_two_node(const struct cli_args *args)
{
	static const struct bench_parts parts = {
	    sizeof(struct two_node), options_parse, measure_all, two_node_result, two_node_fini};

	return bench_main(args, &parts);
}
