/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/map.h"
#include "core/base/text.h"
#include "core/map/rank.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	STEPS = MAPPER_STEPS / 4, /* of each mapper, each time */
	EXACT_UNITS = 16,         /* with more `exact` is kept for the proof that nothing fits */
	PROOF_UNITS = 24,
	REFINE_UNITS = 64,
	REFINE_STEPS = 2000000, /* instances and links looked at */
	PROBES = 24,
	CUTS = 10,
	MEND_STEPS = 1000000,
};

static const double tiers[] = {0.5, 0.8, 1.0};

struct map_search {
	const struct units *units;
	const struct plan_options *options;
	struct ranker ranker;
	struct units_problem priced; /* what costs are counted in */
	struct mapping_graph graph;
	struct mapping_state state;
	double share;    /* of the lanes, at which mappers are asked */
	bool within;     /* only what fits at that share is taken */
	uint32_t *cores; /* being tried */
	uint32_t *best;
	bool found;
	struct rank rank; /* of the best */
	struct rank ranks[PLAN_CANDIDATES_MAX];
	struct plan_choice *choice;
};

int pins_check(const struct waveform *wf, size_t n_lanes, struct diag *diag)
{
	int rc = 0;

	assert(n_lanes > 0);
	for (size_t i = 0; i < wf->n_instances; i++)
		if (wf->instances[i].pin >= 0 && (size_t)wf->instances[i].pin >= n_lanes)
			rc = diag_error(diag, wf->file, wf->instances[i].line,
			    "%s.pin = %d is outside [0, %zu]: the platform has %zu lane%s",
			    wf->instances[i].name, wf->instances[i].pin, n_lanes - 1, n_lanes,
			    plural(n_lanes));
	return rc;
}

/* ---- what is proposed ------------------------------------------------------------------------ */

static struct plan_candidate *candidate_row(
    struct map_search *search, const char *name, struct rank **ret_rank)
{
	struct plan_choice *choice = search->choice;
	size_t i = 0;

	while (i < choice->n_candidates && strcmp(choice->candidates[i].name, name) != 0)
		i++;
	if (i == PLAN_CANDIDATES_MAX)
		i--;
	else if (i == choice->n_candidates)
		choice->candidates[choice->n_candidates++] = (struct plan_candidate){.name = name};
	*ret_rank = &search->ranks[i];
	return &choice->candidates[i];
}

static void candidate_missed(struct map_search *search, const char *name, bool proven)
{
	struct rank *rank;
	struct plan_candidate *row = candidate_row(search, name, &rank);

	row->proven |= proven;
	if (!row->found)
		row->share = search->share;
}

/* Takes search->cores if it is better than what there is. */
static int cores_offer(struct map_search *search, const char *name)
{
	struct rank rank, *before;
	int rc = rank_make(&search->ranker, search->cores, &rank);
	struct plan_candidate *row;

	if (rc)
		return rc;
	rank.cost = mapping_cost(&search->state, search->cores);
	if (search->within && (!rank.legal || !rank.joined || rank.cost == INFINITY)) {
		candidate_missed(search, name, false);
		return 0;
	}
	row = candidate_row(search, name, &before);
	if (!row->found || rank_better(&search->ranker, &rank, before)) {
		*before = rank;
		*row = (struct plan_candidate){.name = name,
		    .found = true,
		    .share = search->share,
		    .cost = rank.cost,
		    .peak = rank.peak,
		    .latency_slots = rank.latency,
		    .crossings = rank.crossings};
	}
	if (!search->found || rank_better(&search->ranker, &rank, &search->rank)) {
		search->found = true;
		search->rank = rank;
		search->choice->best = *row;
		memcpy(search->best, search->cores, search->units->n * sizeof(*search->best));
	}
	return 0;
}

static void priced_close(struct map_search *search)
{
	mapping_state_fini(&search->state);
	mapping_graph_fini(&search->graph);
	units_problem_fini(&search->priced);
	search->state = (struct mapping_state){0};
	search->graph = (struct mapping_graph){0};
	search->priced = (struct units_problem){0};
}

/* From here on costs are counted at this share of the lanes. */
static int priced_open(struct map_search *search, double share)
{
	int rc;

	priced_close(search);
	rc = units_problem_init(
	    &search->priced, search->units, search->ranker.demand, share, search->options->q);
	if (!rc)
		rc = mapping_graph_init(&search->graph, &search->priced.problem);
	if (!rc)
		rc = mapping_state_init(&search->state, &search->priced.problem, &search->graph);
	return rc;
}

/* What mappers are asked at one share of the lanes. */
struct mapper_question {
	struct units_problem made;
	struct mapper_run *run;
};

static void question_end(struct mapper_question *question)
{
	if (question->run)
		mapper_end(question->run);
	units_problem_fini(&question->made);
}

/* question_end in any case. */
static int question_begin(struct map_search *search, double share, struct mapper_question *question)
{
	int rc = units_problem_init(
	    &question->made, search->units, search->ranker.demand, share, search->options->q);

	assert(share > 0);
	search->share = share;
	question->run = rc ? NULL : mapper_begin(&question->made.problem);
	return rc ? rc : question->run ? 0 : -ENOMEM;
}

/* Asks one mapper; *ret_found: it has a mapping. */
static int mapper_ask(struct map_search *search, const struct mapper_question *question,
    enum mapper mapper, uint64_t steps, bool *ret_found)
{
	struct mapper_result result;
	int rc;

	*ret_found = false;
	if (steps && mapper_steps(mapper, &question->made.problem) > (double)steps)
		return 0;
	rc = mapper_go(question->run, mapper, steps, search->cores, &result);
	if (rc)
		return rc;
	*ret_found = result.cost < INFINITY;
	if (*ret_found)
		return cores_offer(search, mapper_name(mapper));
	candidate_missed(search, mapper_name(mapper), result.proven);
	return 0;
}

/* Asks all mappers at a share of the lanes, or the one that the user named. */
static int ask_all(struct map_search *search, double share)
{
	struct mapper_question question = {0};
	const enum mapper only = search->options->mapper;
	bool found;
	int rc = question_begin(search, share, &question);

	for (int mapper = 0; !rc && mapper < MAPPER_PORTFOLIO; mapper++)
		if (only == MAPPER_PORTFOLIO
		        ? mapper != MAPPER_EXACT || search->units->n <= EXACT_UNITS
		        : only == (enum mapper)mapper)
			rc = mapper_ask(search, &question, (enum mapper)mapper,
			    only == MAPPER_PORTFOLIO ? STEPS : 0, &found);
	question_end(&question);
	return rc;
}

/* ---- the smallest share at which a mapper finds something ---- */

static int share_probe(
    struct map_search *search, enum mapper mapper, double share, double *ret_peak)
{
	struct mapper_question question = {0};
	struct rank rank = {0};
	bool found = false;
	int rc = question_begin(search, share, &question);

	if (!rc)
		rc = mapper_ask(search, &question, mapper, STEPS / 4, &found);
	if (!rc && found)
		rc = rank_make(&search->ranker, search->cores, &rank);
	*ret_peak = !rc && found ? rank.peak : INFINITY;
	question_end(&question);
	return rc;
}

/* Between `low`, where it finds nothing, and `high`, where it did. */
static int share_squeeze(struct map_search *search, enum mapper mapper)
{
	double low = search->ranker.floor, high, peak;
	int rc = share_probe(search, mapper, low * (1 + 1e-9), &peak);

	if (rc || peak < INFINITY)
		return rc;
	for (high = 1.25 * low; peak == INFINITY && high < 1e4 * search->ranker.floor;
	     high *= 1.6) {
		rc = share_probe(search, mapper, high, &peak);
		if (rc)
			return rc;
		low = peak == INFINITY ? high : low;
	}
	high = peak;
	for (int i = 0; i < PROBES && high < INFINITY && high > low * 1.002; i++) {
		const double middle = (low + high) / 2;

		rc = share_probe(search, mapper, middle, &peak);
		if (rc)
			return rc;
		if (peak == INFINITY)
			low = middle;
		high = fmin(high, peak);
	}
	return 0;
}

/* ---- by hand ------------------------------------------------------------------------ */

/* Everything on one lane: the first that holds it. */
static int lane_ask(struct map_search *search, double share)
{
	const struct units *units = search->units;
	const size_t n = units->resources->n_lanes;

	for (uint32_t lane = 0; lane < n && !search->found; lane++) {
		double sum = units->resources->lanes[lane].taken_ns;
		int rc;

		for (size_t unit = 0; unit < units->n; unit++)
			sum += search->ranker.demand[unit * n + lane];
		if (sum == INFINITY ||
		    sum > share * units->resources->lanes[lane].room_ns * (1 + 1e-9))
			continue;
		for (size_t unit = 0; unit < units->n; unit++)
			search->cores[unit] = lane;
		search->share = fmin(share, 1);
		rc = cores_offer(search, "one lane");
		if (rc)
			return rc;
	}
	return 0;
}

static bool may_be(const struct map_search *search, uint32_t unit, uint32_t lane)
{
	assert(unit < search->units->n);
	assert(lane < search->units->resources->n_lanes);
	return search->units->need[unit * search->units->resources->n_lanes + lane] < INFINITY;
}

/* Offers the mapping in search->cores; *ret_better: it was taken, and is the best now. */
static int step_try(struct map_search *search, bool *ret_better)
{
	int rc = cores_offer(search, "refined");

	*ret_better = !rc &&
	    memcmp(search->cores, search->best, search->units->n * sizeof(*search->best)) == 0;
	if (!*ret_better)
		memcpy(search->cores, search->best, search->units->n * sizeof(*search->best));
	return rc;
}

/* One step from the best: a unit moved, or two exchanged. */
static int best_step(struct map_search *search, size_t *steps, bool *ret_better)
{
	const size_t n = search->units->resources->n_lanes;
	int rc = 0;

	*ret_better = false;
	for (uint32_t unit = 0; unit < search->units->n; unit++) {
		for (uint32_t lane = 0; lane<n && * steps> 0 && !rc && !*ret_better; lane++) {
			if (lane == search->best[unit] || !may_be(search, unit, lane))
				continue;
			search->cores[unit] = lane;
			rc = step_try(search, ret_better);
			--*steps;
		}
		for (uint32_t other = 0; other<unit && * steps> 0 && !rc && !*ret_better; other++) {
			const uint32_t mine = search->best[unit], theirs = search->best[other];

			if (mine == theirs || !may_be(search, unit, theirs) ||
			    !may_be(search, other, mine))
				continue;
			search->cores[unit] = theirs;
			search->cores[other] = mine;
			rc = step_try(search, ret_better);
			--*steps;
		}
		if (rc || *ret_better)
			break;
	}
	return rc;
}

/* Walks on from the best of all by what counts here, which is not what the mappers count. */
static int best_refine(struct map_search *search)
{
	const struct waveform *wf = search->units->waveform;
	size_t steps = REFINE_STEPS / (wf->n_instances + wf->n_links + 1);
	bool better = search->found && search->units->n <= REFINE_UNITS &&
	    search->options->mapper == MAPPER_PORTFOLIO;
	int rc = 0;

	if (better)
		memcpy(search->cores, search->best, search->units->n * sizeof(*search->best));
	while (!rc && better && steps > 0)
		rc = best_step(search, &steps, &better);
	return rc;
}

/* ---- the two ways to choose ---- */

/* Nothing can be better: as even as can be, and not later than on one lane. */
static bool is_perfect(const struct map_search *search)
{
	return search->found && search->rank.bucket == 0 && search->rank.latency == 1 &&
	    !search->rank.crossings && (search->rank.fits || !search->units->resources->known);
}

/* Beyond the published bound. */
static bool is_late(const struct map_search *search)
{
	return !search->units->waveform->pipelined && search->rank.latency > 2 * search->rank.lanes;
}

/* The contiguous cut of the least share at which there is one, into search->cores: 0, -ENOENT,
 * -ENOMEM. */
static int chain_over(struct map_search *search)
{
	double low = 1, high = INFINITY, share = 1.02;
	int rc = 0;

	for (int i = 0; i < CUTS && !rc && high > low * 1.002; i++) {
		struct units_problem made = {0};
		struct mapper_result result;

		rc = units_problem_init(
		    &made, search->units, search->ranker.demand, share, search->options->q);
		rc = rc ? rc
		        : mapper_run(MAPPER_CHAIN, &made.problem, STEPS, search->cores, &result);
		units_problem_fini(&made);
		*(!rc && result.cost < INFINITY ? &high : &low) = share;
		share = high < INFINITY ? (low + high) / 2 : low * 1.1;
	}
	return rc ? rc : high < INFINITY ? 0 : -ENOENT;
}

/* Where no cut of the chain fits, and what fits goes to and fro: the cut that is over by the least,
 * mended between lanes next to each other. */
static int chain_mend(struct map_search *search)
{
	int rc;

	if (search->options->mapper != MAPPER_PORTFOLIO ||
	    search->units->n < search->units->resources->n_lanes)
		return 0;
	rc = chain_over(search);
	if (!rc) {
		search->state.steps = 0;
		search->state.steps_limit = MEND_STEPS;
		rc = mapper_mend_near(&search->state, search->cores);
		search->state.steps_limit = 0;
	}
	return rc == -ENOENT ? 0 : rc ? rc : cores_offer(search, "mended");
}

/* May any unit be there? */
static size_t lanes_usable(const struct map_search *search)
{
	size_t usable = 0;

	for (uint32_t lane = 0; lane < search->units->resources->n_lanes; lane++) {
		uint32_t unit = 0;

		while (unit < search->units->n && !may_be(search, unit, lane))
			unit++;
		usable += unit < search->units->n;
	}
	return usable;
}

/* As even as it can be, whatever the lanes hold. */
static int units_spread(struct map_search *search, const double *demand, enum plan_mode mode)
{
	static const enum mapper linked[] = {MAPPER_CHAIN, MAPPER_WORST_FIT, MAPPER_LOCAL};
	static const enum mapper apart[] = {MAPPER_WORST_FIT, MAPPER_CHAIN, MAPPER_LOCAL};
	const enum mapper *even = search->units->n_links ? linked : apart;
	const enum mapper only = search->options->mapper;
	int rc;

	search->choice->mode = mode;
	search->within = false;
	ranker_use(&search->ranker, demand, true);
	rc = priced_open(search, fmax(1, 2 * search->ranker.floor));
	if (!rc && lanes_usable(search) == 1)
		rc = lane_ask(search, INFINITY);
	if (rc || search->found)
		return rc;
	if (only != MAPPER_PORTFOLIO)
		return share_squeeze(search, only);
	for (size_t i = 0; !rc && !is_perfect(search) && i < 3; i++)
		rc = share_squeeze(search, even[i]);
	if (rc || !search->found || is_perfect(search))
		return rc;
	rc = ask_all(search, 1.05 * search->rank.peak);
	return rc ? rc : best_refine(search);
}

static int tier_choose(struct map_search *search, double share)
{
	int rc = 0;

	assert(share > 0);
	if (search->ranker.floor > share * (1 + 1e-9))
		return 0;
	search->within = true;
	search->share = share;
	rc = priced_open(search, share);
	if (!rc && search->options->mapper == MAPPER_PORTFOLIO && !search->found)
		rc = lane_ask(search, share);
	if (rc || (search->found && !is_late(search)))
		return rc;
	rc = ask_all(search, share);
	if (!rc && share == 1 && (!search->found || is_late(search)))
		rc = chain_mend(search);
	return rc ? rc : best_refine(search);
}

/* Nothing fits as far as the others know: does exact? */
static int misfit_prove(struct map_search *search)
{
	struct mapper_question question = {0};
	bool found;
	int rc;

	if (search->options->mapper != MAPPER_PORTFOLIO || search->units->n > PROOF_UNITS)
		return 0;
	rc = question_begin(search, 1, &question);
	if (!rc)
		rc = mapper_ask(search, &question, MAPPER_EXACT, MAPPER_STEPS, &found);
	question_end(&question);
	return rc;
}

static int tiers_choose(struct map_search *search, double least)
{
	int rc = 0;

	search->choice->mode = PLAN_TIERS;
	ranker_use(&search->ranker, search->units->need, false);
	for (size_t i = 0; !rc && i < sizeof(tiers) / sizeof(tiers[0]); i++) {
		if (tiers[i] < least)
			continue;
		if (search->found && !is_late(search))
			break;
		rc = tier_choose(search, tiers[i]);
	}
	if (!rc && !search->found)
		rc = misfit_prove(search);
	return rc;
}

/* Named lanes are used evenly; if needs do not fit so, however they fit. */
static int named_choose(struct map_search *search)
{
	int rc = units_spread(search, search->units->typical, PLAN_SPREAD);

	if (rc || !search->found || search->rank.fits || !search->units->resources->known)
		return rc;
	search->found = false;
	rc = tiers_choose(search, 1);
	if (rc || search->found || search->options->mapper != MAPPER_PORTFOLIO)
		return rc;
	return units_spread(search, search->units->need, PLAN_OVER);
}

static int mapping_choose(struct map_search *search)
{
	const bool portfolio = search->options->mapper == MAPPER_PORTFOLIO;
	int rc;

	if (search->units->resources->named)
		return named_choose(search);
	if (!search->units->resources->known)
		return units_spread(search, search->units->typical, PLAN_SPREAD);
	rc = tiers_choose(search, portfolio ? 0 : 1);
	if (rc || search->found || !portfolio)
		return rc;
	return units_spread(search, search->units->need, PLAN_OVER);
}

/* ---- all of it ------------------------------------------------------------------------ */

/* One of the lanes that are allowed, or else the first on which it may be. */
static void some_lane(const struct units *units, size_t unit, bool *allowed)
{
	const size_t n = units->resources->n_lanes;
	size_t first = n;

	for (size_t lane = n; lane-- > 0;)
		if (units->need[unit * n + lane] < INFINITY) {
			if (allowed[lane])
				return;
			first = lane;
		}
	if (first < n)
		allowed[first] = true;
}

/* Without a capacity there is no telling how many lanes are needed: those of pins, or the first;
 * and those for units that may be on none of these. */
static int lanes_fewest(struct units *units)
{
	const struct resources *resources = units->resources;
	bool *allowed, any = false;

	if (resources->known || resources->named)
		return 0;
	allowed = calloc(resources->n_lanes, sizeof(*allowed));
	if (!allowed)
		return -ENOMEM;
	for (size_t unit = 0; unit < units->n; unit++)
		if (units->pins[unit] >= 0)
			allowed[units->pins[unit]] = any = true;
	allowed[0] |= !any;
	for (size_t unit = 0; unit < units->n; unit++)
		some_lane(units, unit, allowed);
	units_restrict(units, allowed);
	free(allowed);
	return 0;
}

static int search_init(struct map_search *search)
{
	const size_t n = search->units->n + 1;

	search->cores = calloc(n, sizeof(*search->cores));
	search->best = calloc(n, sizeof(*search->best));
	if (!search->cores || !search->best)
		return -ENOMEM;
	return ranker_init(&search->ranker, search->units);
}

static void search_fini(struct map_search *search)
{
	priced_close(search);
	ranker_fini(&search->ranker);
	free(search->cores);
	free(search->best);
}

int map_lanes(struct units *units, const struct plan_options *options, struct diag *diag,
    uint32_t *ret_lanes, struct plan_choice *ret)
{
	struct map_search search = {.units = units, .options = options, .choice = ret};
	int rc = lanes_fewest(units);

	*ret = (struct plan_choice){.q = options->q};
	if (!rc)
		rc = search_init(&search);
	if (!rc)
		rc = mapping_choose(&search);
	if (!rc && !search.found && options->mapper != MAPPER_PORTFOLIO)
		rc = diag_error(diag, units->waveform->file, 0, "%s found no mapping that fits",
		    mapper_name(options->mapper));
	else if (!rc && (!search.found || !search.rank.joined))
		rc = diag_error(diag, units->waveform->file, 0,
		    "no mapping exists: pins and instruction sets need nodes that no link joins");
	for (size_t i = 0; !rc && i < units->waveform->n_instances; i++)
		ret_lanes[i] = search.best[units->of[i]];
	search_fini(&search);
	return rc;
}
