/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/map.h"
#include "core/map/cut.h"
#include "core/map/cycles.h"

#include <errno.h>
#include <stdlib.h>

enum { NOT_PLACED = 0xffffffff };

/* Everything that moves as one: a knot kept together, or a single instance. Numbered by its first instance. */
struct units {
	uint32_t *of;       /* by instance */
	int *pins;          /* by unit: lane, or -1 */
	double *loads;      /* by unit, kMAC */
	uint32_t *sequence; /* units without a pin, in topological order, ties by file order */
	uint32_t *position; /* by unit: place in the sequence */
	size_t n_sequence;
};

struct lanes { /* those that may be used */
	uint32_t *numbers;
	double *fixed; /* load of pinned units */
	size_t len;
};

static int units_init(struct units *units, const struct waveform *wf)
{
	const size_t n = wf->n_instances + 1;

	units->of = calloc(n, sizeof(*units->of));
	units->pins = calloc(n, sizeof(*units->pins));
	units->loads = calloc(n, sizeof(*units->loads));
	units->sequence = calloc(n, sizeof(*units->sequence));
	units->position = calloc(n, sizeof(*units->position));
	if (!units->of || !units->pins || !units->loads || !units->sequence || !units->position)
		return -ENOMEM;
	return 0;
}

static void units_fini(struct units *units)
{
	free(units->of);
	free(units->pins);
	free(units->loads);
	free(units->sequence);
	free(units->position);
}

/* Copies have no links between them: each lies on one lane, unless the file itself pins parts of it. */
static bool whole_copies(const struct waveform *wf)
{
	for (size_t i = 0; i < waveform_originals(wf); i++)
		if (wf->instances[i].pin >= 0)
			return false;
	return wf->copies > 1;
}

static void units_load(struct units *units, const struct waveform *wf, const struct knots *knots, const double *kmac)
{
	const size_t n = waveform_originals(wf);
	const bool whole = n > 0 && whole_copies(wf);

	for (size_t i = 0; i < wf->n_instances; i++) {
		units->of[i] = knots->together[knots->of[i]] ? knots->of[i] : (uint32_t)i;
		if (whole)
			units->of[i] = (uint32_t)(i / n * n);
		units->pins[i] = -1;
		units->position[i] = NOT_PLACED;
	}
	for (size_t i = 0; i < wf->n_instances; i++) {
		units->loads[units->of[i]] += kmac[i];
		if (knots->pins[i] >= 0)
			units->pins[units->of[i]] = knots->pins[i];
	}
}

/* Must the writer's unit stand before the reader's? Inside a knot that may be spread only links without delay say so:
 * the others close its cycles. */
static bool precedes(const struct knots *knots, const struct units *units, const struct wf_link *link)
{
	if (units->of[link->from] == units->of[link->to])
		return false;
	return knots->of[link->from] != knots->of[link->to] || link->delay == 0;
}

static int units_sort(struct units *units, const struct waveform *wf, const struct knots *knots)
{
	uint32_t *open = calloc(wf->n_instances + 1, sizeof(*open));
	bool *done = calloc(wf->n_instances + 1, sizeof(*done));
	size_t unit = 0, rest = 0;

	for (size_t i = 0; open && i < wf->n_links; i++)
		open[units->of[wf->links[i].to]] += precedes(knots, units, &wf->links[i]);
	while (open && done && unit < wf->n_instances) {
		if (units->of[unit] != unit || done[unit] || open[unit]) {
			unit++;
			continue;
		}
		done[unit] = true;
		if (units->pins[unit] < 0) {
			units->position[unit] = (uint32_t)units->n_sequence;
			units->sequence[units->n_sequence++] = (uint32_t)unit;
		}
		for (size_t i = 0; i < wf->n_links; i++)
			if (units->of[wf->links[i].from] == unit && precedes(knots, units, &wf->links[i]))
				open[units->of[wf->links[i].to]]--;
		unit = 0;
	}
	for (size_t i = 0; open && done && i < wf->n_instances; i++)
		rest += units->of[i] == i && !done[i];
	free(done);
	free(open);
	if (!open || !done)
		return -ENOMEM;
	return rest ? -ELOOP : 0; /* a cycle without delay: the caller refuses those before */
}

/* A waveform that one lane carries easily is not spread for nothing, unless the user named the lanes. */
static bool wants_few(const struct waveform *wf, const double *kmac, double capacity_kmac)
{
	double sum = 0;

	for (size_t i = 0; i < wf->n_instances; i++)
		sum += kmac[i];
	return !wf->n_lanes && (capacity_kmac <= 0 || sum <= capacity_kmac / 2);
}

static int lanes_init(struct lanes *lanes, const struct waveform *wf, const struct units *units, size_t n_lanes,
		      bool few)
{
	lanes->numbers = calloc(n_lanes, sizeof(*lanes->numbers));
	lanes->fixed = calloc(n_lanes, sizeof(*lanes->fixed));
	if (!lanes->numbers || !lanes->fixed)
		return -ENOMEM;
	for (size_t lane = 0; lane < n_lanes; lane++) {
		double load = 0;
		bool pinned = false;

		for (size_t i = 0; i < wf->n_instances; i++) {
			if (units->of[i] == i && units->pins[i] == (int)lane) {
				pinned = true;
				load += units->loads[i];
			}
		}
		if (few && !pinned)
			continue;
		lanes->numbers[lanes->len] = (uint32_t)lane;
		lanes->fixed[lanes->len++] = load;
	}
	lanes->len += !lanes->len; /* few, and no pin: lane 0 */
	return 0;
}

static struct cut_link cut_link(const struct units *units, const struct lanes *lanes, const struct wf_link *link)
{
	const uint32_t from = units->of[link->from], to = units->of[link->to];
	const uint32_t free_end = units->pins[from] < 0 ? from : to, other = free_end == from ? to : from;
	struct cut_link ret = {units->position[free_end], CUT_FIXED, CUT_FIXED};

	if (units->pins[other] < 0)
		ret.b = units->position[other];
	for (uint32_t i = 0; i < lanes->len; i++)
		if ((int)lanes->numbers[i] == units->pins[other])
			ret.lane = i;
	return ret;
}

static int units_cut(const struct units *units, const struct waveform *wf, const struct lanes *lanes,
		     uint32_t *ret_lanes)
{
	struct cut_link *links = calloc(wf->n_links + 1, sizeof(*links));
	uint32_t *cut_lanes = calloc(units->n_sequence + 1, sizeof(*cut_lanes));
	double *loads = calloc(units->n_sequence + 1, sizeof(*loads));
	struct cut cut = {units->n_sequence, loads, lanes->len, lanes->fixed, links, 0};
	int rc = -ENOMEM;

	if (links && cut_lanes && loads) {
		for (size_t i = 0; i < units->n_sequence; i++)
			loads[i] = units->loads[units->sequence[i]];
		for (size_t i = 0; i < wf->n_links; i++)
			if (units->pins[units->of[wf->links[i].from]] < 0 ||
			    units->pins[units->of[wf->links[i].to]] < 0)
				links[cut.n_links++] = cut_link(units, lanes, &wf->links[i]);
		rc = cut_make(&cut, cut_lanes);
	}
	for (size_t i = 0; !rc && i < wf->n_instances; i++) {
		const uint32_t unit = units->of[i];

		ret_lanes[i] = units->pins[unit] >= 0 ? (uint32_t)units->pins[unit]
						      : lanes->numbers[cut_lanes[units->position[unit]]];
	}
	free(loads);
	free(cut_lanes);
	free(links);
	return rc;
}

static int pins_check(const struct waveform *wf, size_t n_lanes, struct diag *diag)
{
	int rc = 0;

	for (size_t i = 0; i < wf->n_instances; i++)
		if (wf->instances[i].pin >= 0 && (size_t)wf->instances[i].pin >= n_lanes)
			rc = diag_error(diag, wf->file, wf->instances[i].line,
					"%s.pin = %d is outside [0, %zu]: there %s %zu lane%s", wf->instances[i].name,
					wf->instances[i].pin, n_lanes - 1, n_lanes == 1 ? "is" : "are", n_lanes,
					n_lanes == 1 ? "" : "s");
	return rc;
}

int map_lanes(const struct waveform *wf, size_t n_lanes, const double *kmac, double capacity_kmac, struct diag *diag,
	      uint32_t *ret_lanes)
{
	struct knots *knots = NULL;
	struct units units = {0};
	struct lanes lanes = {0};
	int rc = pins_check(wf, n_lanes, diag);

	if (!rc)
		rc = knots_new(wf, &knots);
	if (!rc)
		rc = units_init(&units, wf);
	if (!rc) {
		units_load(&units, wf, knots, kmac);
		rc = units_sort(&units, wf, knots);
	}
	if (!rc)
		rc = lanes_init(&lanes, wf, &units, n_lanes, wants_few(wf, kmac, capacity_kmac));
	if (!rc)
		rc = units_cut(&units, wf, &lanes, ret_lanes);
	free(lanes.numbers);
	free(lanes.fixed);
	units_fini(&units);
	knots_free(knots);
	return rc;
}
