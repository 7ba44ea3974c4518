/* SPDX-License-Identifier: BSD-3-Clause
 *
 * two_node_result.c - what `aloe bench two-node` has measured, as tables. */
#include <math.h>

#include "tools/bench/figures.h"
#include "tools/bench/published.h"
#include "tools/bench/two_node.h"

const char *const two_node_ways[TWO_NODE_WAYS] = {"tcp", "udp"};

static const struct column cost_columns[] = {
    {"transport", "transport", COLUMN_TEXT},
    {"base_us", "base us a ms", 3},
    {"host_a_us", "host a us a slot", 3},
    {"host_b_us", "host b us a slot", 3},
    {"message_us", "us a message", 3},
    {"byte_ns", "ns a byte", 4},
    {"mmac_per_s", "MMAC/s", 0},
    {"scaled_mmac_per_s", "scaled", 1},
};

static const struct column trial_columns[] = {
    {"transport", "transport", COLUMN_TEXT},
    {"slot_us", "slot us", 0},
    {"need_us", "planned us", 0},
    {"share", "of the slot", 3},
    {"predicted", "predicted", COLUMN_TEXT},
    {"slots", "slots", 0},
    {"not_run", "late or not run", 0},
    {"touched", "machine stood", 0},
    {"stalls_ms", "for ms", 1},
    {"ran", "run", COLUMN_TEXT},
    {"agrees", "agrees", COLUMN_TEXT},
};

static const struct column shortest_columns[] = {
    {"transport", "transport", COLUMN_TEXT},
    {"predicted_us", "predicted us", 0},
    {"slot_us", "shortest stable slot us", 0},
};

static void cost_row(struct two_node *o, enum two_node_way way)
{
	const struct transport_cost *cost = &o->costs[way];

	if (cost->known)
		bench_row(o->bench,
		    json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "transport",
		        two_node_ways[way], "base_us", cost->base_share * 1e3, "host_a_us",
		        cost->host_us[0], "host_b_us", cost->host_us[1], "message_us",
		        cost->message_us, "byte_ns", cost->byte_ns, "mmac_per_s", o->mmac,
		        "scaled_mmac_per_s", fmin(o->scaled[0], o->scaled[1])));
}

static const char *const verdicts[] = {
    [TWO_NODE_VOID] = "void", [TWO_NODE_FAILS] = "fails", [TWO_NODE_HOLDS] = "holds"};

static enum two_node_verdict predicted_of(const struct two_node_trial *trial)
{
	return trial->predicted ? TWO_NODE_HOLDS : TWO_NODE_FAILS;
}

static void trial_row(struct two_node *o, enum two_node_way way, size_t s)
{
	const struct two_node_trial *trial = &o->trials[way][s];
	const bool agrees = trial->verdict == predicted_of(trial);

	if (!trial->ran)
		return;
	bench_row(o->bench,
	    json_pack("{s:s, s:f, s:f, s:f, s:s, s:f, s:f, s:f, s:f, s:s, s:s}", "transport",
	        two_node_ways[way], "slot_us", o->slot_us[s], "need_us", trial->need_us, "share",
	        trial->need_us / trial->limit_us, "predicted", verdicts[predicted_of(trial)],
	        "slots", trial->slots, "not_run", trial->not_run, "touched", trial->touched,
	        "stalls_ms", trial->stalls_ms, "ran", verdicts[trial->verdict], "agrees",
	        agrees ? "yes" : "no"));
	o->bench->missed |= !agrees && !o->virtual;
}

/* The shortest from which on all hold: by the plan, or by the runs; NAN: none does. */
static double shortest_of(const struct two_node *o, enum two_node_way way, bool by_plan)
{
	double shortest = NAN;

	for (size_t s = o->n_slots; s-- > 0;) {
		const struct two_node_trial *trial = &o->trials[way][s];

		if (!trial->ran ||
		    (by_plan ? predicted_of(trial) : trial->verdict) != TWO_NODE_HOLDS)
			break;
		shortest = o->slot_us[s];
	}
	return shortest;
}

/* How a run is judged. */
static void judge_notes_add(const struct two_node *o)
{
	bench_note(o->bench,
	    "run: a slot length holds if no more slots were late, skipped or put off, on both "
	    "nodes together, than %.0f %% of the slots and as many as the machine stood in; it "
	    "fails if more were, however long the machine stood",
	    TWO_NODE_LATE * 100);
	bench_note(o->bench,
	    "machine stood: slots, each once, that meet a time in which the thread above all "
	    "others did not have its CPU for %.2f ms or more, on either CPU, so that the kernel "
	    "or a hypervisor had it; what such a time S put off is worked off S / (1 - u) after "
	    "it began, where u is the share of that node by plan, and these slots count, too; "
	    "from u = %.1f on, the time itself alone",
	    BRAKE_STALL_NS / 1e6, TWO_NODE_FULL);
	bench_note(o->bench,
	    "void: slots were late and the machine stood in more than %.0f %% of the slots, or "
	    "fewer than %.0f %% of them were run or skipped, and so it was in %d tries; of these "
	    "the row shows that in which the machine stood least",
	    TWO_NODE_TOUCHED * 100, TWO_NODE_WENT * 100, TWO_NODE_TRIES);
}

/* Where the stops are the kernel's because of what the bench does itself. */
static void throttled_note_add(const struct two_node *o)
{
	char rows[TWO_NODE_WAYS * TWO_NODE_LENGTHS * 20] = "";
	size_t len = 0;

	for (int way = 0; way < TWO_NODE_WAYS; way++)
		for (size_t s = 0; s < o->n_slots; s++)
			if (o->trials[way][s].ran && o->trials[way][s].throttled)
				len += (size_t)snprintf(rows + len, sizeof(rows) - len, "%s%s %.0f",
				    len ? ", " : "", two_node_ways[way], o->slot_us[s]);
	if (len)
		bench_note(o->bench,
		    "the kernel leaves real-time threads %.1f %% of a CPU "
		    "(kernel.sched_rt_runtime_us), and by plan the thread above all others and "
		    "what a node computes take more than that: the kernel stops them for the "
		    "rest, which the bench itself causes, so where the machine stood counts for "
		    "this time alone, and excuses nothing, at %s us",
		    o->realtime * 100, rows);
}

static void notes_add(const struct two_node *o)
{
	bench_note(o->bench,
	    "the UTRAN chain of 384 kbit/s, each stage computing what was published for it on a "
	    "core of %.0f MMAC/s, in the unit of account: 16.3 ms of 20 ms of two such nodes, "
	    "which is 81.5 %%, in slots of 10 ms; 11 stages on node a, 3 stages on node b; "
	    "messages of %d bytes between them",
	    PUBLISHED_ARM_MMAC, 2 * TWO_NODE_ITEMS);
	if (o->virtual)
		bench_note(o->bench,
		    "clock virtual: a slot has no length, so the cost is that of nothing in "
		    "particular, and no run can fail");
	else
		bench_note(o->bench,
		    "the nodes have one CPU each, CPU %d and CPU %d, for lane, daemons and "
		    "hosts; the lane has real-time priority, the others come before other programs "
		    "there (nice -20); a thread above all others leaves %.1f %% and %.1f %% of "
		    "them, in parts of %.2f ms, so that a thread computes %.1f and %.1f MMAC/s "
		    "there, as measured, and lanes, daemons and kernel are as slow",
		    o->cpus[0], o->cpus[1], o->shares[0] * 100, o->shares[1] * 100,
		    BRAKE_PERIOD_NS / 1e6, o->scaled[0], o->scaled[1]);
	if (o->limited)
		bench_note(o->bench,
		    "link: veth between two network namespaces, tbf of %.0f Mbit/s at each end",
		    TWO_NODE_MBIT);
	else
		bench_note(o->bench, "link: loopback, whose rate is not limited%s%s",
		    o->why_not[0] ? ", because no namespace could be made: " : "", o->why_not);
	bench_note(o->bench,
	    "cost of the transport: CPU time of all daemons of a node, at full speed; base: for "
	    "each ms, whatever is sent; host: what the stages and their lane take of a slot that "
	    "ran, on node a and on node b, where they compute nothing; the plan has the same "
	    "times as many times longer as the nodes are slower");
	judge_notes_add(o);
	throttled_note_add(o);
}

static void shortest_row(struct two_node *o, enum two_node_way way)
{
	for (int measured = 0; measured < 2; measured++) {
		const double us = shortest_of(o, way, !measured);

		if (isfinite(us))
			json_array_append_new(plot_named(&o->bench->plot, PLOT_ROWS,
			                          measured ? "measured" : "predicted"),
			    json_pack("[s, f]", two_node_ways[way], us));
	}
	bench_row(o->bench,
	    json_pack("{s:s, s:o, s:o}", "transport", two_node_ways[way], "predicted_us",
	        json_real_or_null(shortest_of(o, way, true)), "slot_us",
	        json_real_or_null(shortest_of(o, way, false))));
}

void two_node_result(void *self)
{
	struct two_node *o = self;

	bench_table(o->bench, "trials", "the chain on two nodes", trial_columns,
	    sizeof(trial_columns) / sizeof(trial_columns[0]));
	for (int way = 0; way < TWO_NODE_WAYS; way++)
		for (size_t s = 0; s < o->n_slots; s++)
			trial_row(o, (enum two_node_way)way, s);
	bench_table(o->bench, "costs", "what the transport costs", cost_columns,
	    sizeof(cost_columns) / sizeof(cost_columns[0]));
	for (int way = 0; way < TWO_NODE_WAYS; way++)
		cost_row(o, (enum two_node_way)way);
	bench_table(o->bench, "shortest", "the shortest slot that holds", shortest_columns,
	    sizeof(shortest_columns) / sizeof(shortest_columns[0]));
	for (int way = 0; way < TWO_NODE_WAYS; way++)
		if (o->costs[way].known)
			shortest_row(o, (enum two_node_way)way);
	o->bench->plot.title = "Shortest slot in which the UTRAN chain holds on two nodes";
	o->bench->plot.x = "length of the slot [us]";
	o->bench->plot.y = "transport";
	o->bench->plot.log_x = true;
	notes_add(o);
}
