/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The contiguous cut: best[c][n] is how units 0 .. n - 1 lie best on cores 0 .. c: in the fewest
 * runs, then with the smallest largest load.
 *
 * More units need as many runs or more, and of prefixes that need as many runs a longer one has as
 * large a load or larger. A run that begins later has less load. So the best begin of a run lies
 * where the load of what is before it reaches that of the run, and is found by halving: steps grow
 * with n_units x n_cores x log n_units. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/map/mapper.h"

static const double SLACK = 1e-12; /* of rounding */

struct lane_run {
	uint32_t runs;
	uint32_t begin; /* of the run on core c */
	double load;    /* largest, of its core's capacity */
};

/* A sum to twice the digits of a double: the demand of a run is the difference of two such sums,
 * rounded once, so that runs of as many equal units have the same demand wherever they begin. */
struct wide {
	double high, low;
};

struct chain_cut { /* the cut, with one more core */
	struct mapping_state *state;
	uint32_t core;
	const struct lane_run *before;
	struct lane_run *now;
	struct wide *sums; /* of the demands of units 0 .. n - 1 on the core */
	/* by n: the last prefix that needs as many runs, or that has the same load, too */
	uint32_t *same_runs, *same_load;
};

static struct wide wide_add(struct wide a, struct wide b)
{
	const double high = a.high + b.high, part = high - a.high;
	const double low = (a.high - (high - part)) + (b.high - part) + (a.low + b.low);
	const double sum = high + low;

	return (struct wide){sum, low - (sum - high)};
}

static bool run_better(const struct lane_run *a, const struct lane_run *b)
{
	return a->runs != b->runs ? a->runs < b->runs : a->load < b->load;
}

static bool load_fits(const struct chain_cut *chain, double load)
{
	return load <= chain->state->problem->capacity[chain->core] * (1 + SLACK);
}

static double demand_of(const struct chain_cut *chain, uint32_t unit)
{
	const struct mapping_problem *problem = chain->state->problem;

	return problem->demand[unit * problem->n_cores + chain->core];
}

static double run_load(const struct chain_cut *chain, uint32_t begin, uint32_t end)
{
	const struct wide less = {-chain->sums[begin].high, -chain->sums[begin].low};

	chain->state->looks++;
	return wide_add(chain->sums[end], less).high;
}

static double run_share(const struct chain_cut *chain, uint32_t begin, uint32_t end)
{
	const double capacity = chain->state->problem->capacity[chain->core];

	return capacity > 0 ? run_load(chain, begin, end) / capacity : 0;
}

/* A unit that does not fit alone is in no run; as nothing it keeps the sums finite. */
static void sums_make(const struct chain_cut *chain)
{
	chain->sums[0] = (struct wide){0, 0};
	for (uint32_t n = 0; n < chain->state->problem->n_units; n++) {
		const double demand = demand_of(chain, n);

		chain->sums[n + 1] = wide_add(
		    chain->sums[n], (struct wide){load_fits(chain, demand) ? demand : 0, 0});
	}
}

static void same_make(const struct chain_cut *chain)
{
	const struct lane_run *before = chain->before;

	for (uint32_t n = (uint32_t)chain->state->problem->n_units + 1; n-- > 0;) {
		const bool last = n == chain->state->problem->n_units,
		           runs = !last && before[n].runs == before[n + 1].runs;

		chain->same_runs[n] = runs ? chain->same_runs[n + 1] : n;
		chain->same_load[n] =
		    runs && !(before[n].load < before[n + 1].load) ? chain->same_load[n + 1] : n;
	}
}

/* The best run up to `end` of those that begin at `first` or later; of several, the shortest. */
static struct lane_run run_best(const struct chain_cut *chain, uint32_t first, uint32_t end)
{
	const struct lane_run *before = chain->before;
	const uint32_t same = chain->same_runs[first], last = same < end ? same : end - 1;
	uint32_t low = first, high = last + 1, begin;

	while (low < high) { /* the first that has less load than what is before it, or as much */
		const uint32_t middle = low + (high - low) / 2;

		if (before[middle].load >= run_share(chain, middle, end))
			high = middle;
		else
			low = middle + 1;
	}
	if (low <= last && (low == first || before[low].load <= run_share(chain, low - 1, end)))
		begin = chain->same_load[low] < last ? chain->same_load[low] : last;
	else
		begin = low - 1;
	return (struct lane_run){.runs = before[begin].runs + 1,
	    .begin = begin,
	    .load = fmax(before[begin].load, run_share(chain, begin, end))};
}

static void core_cut(const struct chain_cut *chain)
{
	uint32_t first = 0; /* of the longest run to `end` that fits */

	sums_make(chain);
	same_make(chain);
	for (uint32_t end = 0; end <= chain->state->problem->n_units; end++) {
		struct lane_run run;

		chain->now[end] = chain->before[end];
		chain->now[end].begin = end;
		if (end > 0 && !load_fits(chain, demand_of(chain, end - 1)))
			first = end;
		while (first < end && !load_fits(chain, run_load(chain, first, end)))
			first++;
		if (first == end || chain->before[first].runs == MAPPING_NONE)
			continue;
		run = run_best(chain, first, end);
		if (run_better(&run, &chain->now[end]))
			chain->now[end] = run;
	}
}

static bool cuts_take(
    const struct mapping_problem *problem, const struct lane_run *runs, uint32_t *ret_cores)
{
	const size_t width = problem->n_units + 1;
	uint32_t end = (uint32_t)problem->n_units;

	if (runs[problem->n_cores * width + end].runs == MAPPING_NONE)
		return false;
	for (size_t core = problem->n_cores; core-- > 0;) {
		const uint32_t begin = runs[(core + 1) * width + end].begin;

		while (end > begin)
			ret_cores[--end] = (uint32_t)core;
	}
	return true;
}

int mapper_chain(struct mapping_state *state, uint32_t *ret_cores)
{
	const struct mapping_problem *problem = state->problem;
	const size_t width = problem->n_units + 1;
	struct lane_run *runs = calloc((problem->n_cores + 1) * width, sizeof(*runs));
	struct wide *sums = calloc(width, sizeof(*sums));
	uint32_t *same = calloc(2 * width, sizeof(*same));
	bool found = runs && sums && same;
	int rc = found ? -ENOENT : -ENOMEM;

	for (size_t n = 1; found && n < width; n++)
		runs[n].runs = MAPPING_NONE;
	for (uint32_t core = 0; found && core < problem->n_cores; core++)
		core_cut(&(struct chain_cut){.state = state,
		    .core = core,
		    .before = &runs[core * width],
		    .now = &runs[(core + 1) * width],
		    .sums = sums,
		    .same_runs = same,
		    .same_load = same + width});
	found = found && cuts_take(problem, runs, ret_cores);
	free(runs);
	free(sums);
	free(same);
	return found && mapping_cost(state, ret_cores) < INFINITY ? 0 : rc;
}
