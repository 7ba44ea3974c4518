/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the published schedulers do not know: two nodes, what a link carries and what a message
 * costs the cores at its ends, and the latency that follows. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "tools/bench/map_published.h"
#include "tools/bench/random.h"
#include "tools/bench/run.h"
#include "tools/bench/stages_random.h"

/* Of a core at either end, for each message and for each byte of it: a call and a copy. */
#define MESSAGE_NS 10000.0
#define BYTE_NS 0.25
#define DELAY 2 /* slots of a link */

enum { TASKS = 20, CONFIGS = 3, SHARES = 3 };

struct pair_links {
	uint64_t wire[DVBS2_TASKS_MAX], send[DVBS2_TASKS_MAX], receive[DVBS2_TASKS_MAX];
};

/* Nothing is left to end if it fails. */
static int pair_solve(const struct stages_pair *pair, struct stages_split *ret, double *ret_us)
{
	const double begin = map_cpu_us();
	const int rc = stages_pair_solve(pair, ret);

	*ret_us = map_cpu_us() - begin;
	if (rc < 0)
		stages_split_fini(ret);
	return rc;
}

/* ---- the receiver ----------------------------------------------------------------------- */

static const struct column pair_columns[] = {
    {"platform", "two nodes of", COLUMN_TEXT},
    {"replicas", "replicas", COLUMN_TEXT},
    {"mbit_s", "link Mbit/s", 0},
    {"period_us", "period us", 2},
    {"bound_us", "bound us", 2},
    {"behind", "crosses behind", COLUMN_TEXT},
    {"bytes", "bytes", 0},
    {"big_before", "big", 0},
    {"little_before", "little", 0},
    {"big_behind", "big behind", 0},
    {"little_behind", "little behind", 0},
    {"slots", "slots", 0},
    {"latency_us", "latency us", 1},
    {"solve_us", "solve us", 0},
    {"answer", "answer", COLUMN_TEXT},
};

static void links_make(const struct dvbs2_chain *chain, double mbit_s, struct pair_links *ret)
{
	for (size_t i = 0; i < chain->n; i++) {
		const double bytes = (double)chain->bytes[i];

		ret->wire[i] = (uint64_t)llround(8e3 * bytes / mbit_s);
		ret->send[i] = ret->receive[i] = (uint64_t)llround(MESSAGE_NS + BYTE_NS * bytes);
	}
}

/* No schedule at all is better, or none that crosses the link once. */
static const char *split_answer(const struct stages_split *split)
{
	return stages_compare(&split->bound, &split->period) == 0 ? "optimal"
	                                                          : "best of one crossing";
}

static void pair_row(struct map_published *published, const struct dvbs2_platform *platform,
    const struct dvbs2_chain *chain, bool spread, double mbit_s, const struct stages_split *split,
    double us)
{
	const double period_us = stages_period_of(&split->period) / 1e3;
	const bool crosses = split->cut < chain->n;
	const struct stages *sides = split->sides;

	bench_row(published->bench,
	    json_pack(
	        "{s:s, s:s, s:f, s:f, s:f, s:s?, s:I, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:s}",
	        "platform", platform->name, "replicas", spread ? "yes" : "no", "mbit_s", mbit_s,
	        "period_us", period_us, "bound_us", stages_period_of(&split->bound) / 1e3, "behind",
	        crosses ? chain->names[split->cut - 1] : NULL, "bytes",
	        (json_int_t)(crosses ? chain->bytes[split->cut - 1] : 0), "big_before",
	        (int)sides[0].used[STAGES_BIG], "little_before", (int)sides[0].used[STAGES_LITTLE],
	        "big_behind", (int)sides[1].used[STAGES_BIG], "little_behind",
	        (int)sides[1].used[STAGES_LITTLE], "slots", (int)split->slots, "latency_us",
	        split->slots * period_us, "solve_us", us, "answer", split_answer(split)));
}

static int pair_rows(struct map_published *published, const struct dvbs2_platform *platform,
    const struct dvbs2_chain *chain, double mbit_s)
{
	struct pair_links links;

	links_make(chain, mbit_s, &links);
	for (int spread = 1; spread >= 0; spread--) {
		struct stages_pair pair = {.tasks = chain->tasks,
		    .n_tasks = chain->n,
		    .wire = links.wire,
		    .send = links.send,
		    .receive = links.receive,
		    .delay = DELAY,
		    .spread = spread};
		struct stages_split split;
		double us;
		int rc;

		memcpy(pair.cores[0], platform->cores, sizeof(pair.cores[0]));
		memcpy(pair.cores[1], platform->cores, sizeof(pair.cores[1]));
		rc = pair_solve(&pair, &split, &us);
		if (rc < 0)
			return map_failed(published, "dvbs2-costs.conf on two nodes", rc);
		pair_row(published, platform, chain, spread, mbit_s, &split, us);
		stages_split_fini(&split);
	}
	return CLI_OK;
}

/* ---- random chains ---------------------------------------------------------------------- */

static const struct column random_columns[] = {
    {"big", "big of a node", 0},
    {"little", "little of a node", 0},
    {"stateless", "stateless", 1},
    {"cases", "cases", 0},
    {"crossed", "on two nodes", 0},
    {"optimal", "proven optimal", 0},
    {"ratio_mean", "mean period/bound", 4},
    {"ratio_worst", "worst", 3},
    {"gain_mean", "one node/two nodes", 3},
    {"slots_mean", "mean slots", 1},
    {"solve_us", "solve us", 1},
};

struct pair_tally {
	unsigned cases, crossed, optimal;
	double ratio, worst, gain, slots, us;
};

/* What one of the two nodes alone takes. */
static int one_node(const struct stages_pair *pair, double *ret)
{
	struct stages_problem problem = {.tasks = pair->tasks,
	    .n_tasks = pair->n_tasks,
	    .cores = {pair->cores[0][0], pair->cores[0][1]},
	    .spread = pair->spread};
	struct stages stages;
	const int rc = stages_solve(&problem, &stages);

	*ret = stages_period_of(&stages.period);
	stages_fini(&stages);
	return rc;
}

static int random_case(uint64_t seed, double share, const uint32_t *cores, struct pair_tally *tally)
{
	struct stages_task tasks[TASKS];
	struct pair_links links;
	struct stages_pair pair = {.tasks = tasks,
	    .n_tasks = TASKS,
	    .cores = {{cores[0], cores[1]}, {cores[0], cores[1]}},
	    .wire = links.wire,
	    .send = links.send,
	    .receive = links.receive,
	    .delay = DELAY,
	    .spread = true};
	struct stages_split split;
	uint64_t state = ~seed;
	double us = 0, alone, ratio;
	int rc;

	stages_random(seed, share, tasks, TASKS);
	for (int i = 0; i < TASKS; i++) {
		links.wire[i] = random_whole(&state, 1, 200);
		links.send[i] = links.receive[i] = random_whole(&state, 1, 10);
	}
	rc = one_node(&pair, &alone);
	if (rc == 0)
		rc = pair_solve(&pair, &split, &us);
	if (rc < 0)
		return rc;
	ratio = stages_period_of(&split.period) / stages_period_of(&split.bound);
	tally->cases++;
	tally->crossed += split.cut < TASKS;
	tally->optimal += stages_compare(&split.period, &split.bound) == 0;
	tally->ratio += ratio;
	tally->worst = fmax(tally->worst, ratio);
	tally->gain += alone / stages_period_of(&split.period);
	tally->slots += split.slots;
	tally->us += us;
	stages_split_fini(&split);
	return 0;
}

static void random_row(struct map_published *published, const uint32_t *cores, double share,
    const struct pair_tally *tally)
{
	const double n = tally->cases;

	bench_row(published->bench,
	    json_pack("{s:i, s:i, s:f, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f}", "big",
	        (int)cores[STAGES_BIG], "little", (int)cores[STAGES_LITTLE], "stateless", share,
	        "cases", (int)tally->cases, "crossed", (int)tally->crossed, "optimal",
	        (int)tally->optimal, "ratio_mean", tally->ratio / n, "ratio_worst", tally->worst,
	        "gain_mean", tally->gain / n, "slots_mean", tally->slots / n, "solve_us",
	        tally->us / n));
}

static int random_pairs(struct map_published *published)
{
	static const uint32_t cores[CONFIGS][STAGES_KINDS] = {{8, 2}, {5, 5}, {2, 8}};
	static const double shares[SHARES] = {0.2, 0.5, 0.8};
	const struct range *seeds = &published->seeds;

	for (int i = 0; i < CONFIGS * SHARES; i++) {
		struct pair_tally tally = {0};

		progress_show(
		    &published->bench->progress, "two nodes: %d of %d", i + 1, CONFIGS * SHARES);
		for (uint64_t seed = (uint64_t)seeds->from; seed <= (uint64_t)seeds->to; seed++) {
			const int rc =
			    random_case(seed, shares[i % SHARES], cores[i / SHARES], &tally);

			if (rc < 0)
				return map_failed(published, "random chains on two nodes", rc);
			if (seed % 100 == 0 && run_wait(published->bench, NULL, 0, 0) == -EINTR)
				return BENCH_INTERRUPTED;
		}
		random_row(published, cores[i / SHARES], shares[i % SHARES], &tally);
	}
	return CLI_OK;
}

int map_pairs(struct map_published *published)
{
	static const double rates[] = {1000, 10000};
	int status = CLI_OK;

	bench_table(published->bench, "pairs", "the receiver on two nodes", pair_columns,
	    sizeof(pair_columns) / sizeof(pair_columns[0]));
	for (size_t i = 0; i < DVBS2_PLATFORMS && status == CLI_OK; i++) {
		struct dvbs2_chain chain;

		status = dvbs2_read(published, dvbs2_platform(i), &chain);
		for (int r = 0; r < 2 && status == CLI_OK; r++)
			status = pair_rows(published, dvbs2_platform(i), &chain, rates[r]);
	}
	if (status != CLI_OK)
		return status;
	bench_table(published->bench, "random_pairs", "random chains of 20 tasks on two nodes",
	    random_columns, sizeof(random_columns) / sizeof(random_columns[0]));
	bench_note(published->bench,
	    "two nodes: a message takes its bytes of the link, and %g us and %g ns a byte of a "
	    "core at each end; the link takes %d slots; random chains have messages that take 1 to "
	    "200 of the link and 1 to 10 of a core, in the unit of their costs; the answer is "
	    "exact for schedules that cross the link at most once; the bound is the optimum with "
	    "all cores in one node, so a period that equals the bound is optimal with any number "
	    "of crossings; slots are the latency: one for each stage, one for each replica beyond "
	    "the first, and the link's",
	    MESSAGE_NS * 1e-3, BYTE_NS, DELAY);
	return random_pairs(published);
}
