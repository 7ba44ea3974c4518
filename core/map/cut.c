/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/cut.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>

/* best[lane][n]: units 0..n-1 lie on lanes 0..lane; begin[lane][n]: the first unit of the run on `lane`. */
struct table {
	double *best;
	uint32_t *begin;
	double *sums;    /* load of units 0..n-1 */
	uint32_t *first; /* of each unit's links in `links` */
	uint32_t *links;
	size_t width; /* n_units + 1 */
};

static void links_sort(const struct cut *cut, struct table *table)
{
	for (size_t i = 0; i < cut->n_links; i++) {
		table->first[cut->links[i].a + 1]++;
		if (cut->links[i].b != CUT_FIXED)
			table->first[cut->links[i].b + 1]++;
	}
	for (size_t i = 1; i < table->width; i++)
		table->first[i] += table->first[i - 1];
	for (size_t i = cut->n_links; i-- > 0;) { /* each list is filled from its front; `first` is set right below */
		table->links[table->first[cut->links[i].a]++] = (uint32_t)i;
		if (cut->links[i].b != CUT_FIXED)
			table->links[table->first[cut->links[i].b]++] = (uint32_t)i;
	}
	for (size_t i = table->width - 1; i > 0; i--)
		table->first[i] = table->first[i - 1];
	table->first[0] = 0;
}

static int table_init(struct table *table, const struct cut *cut)
{
	table->width = cut->n_units + 1;
	table->best = calloc(cut->n_lanes * table->width, sizeof(*table->best));
	table->begin = calloc(cut->n_lanes * table->width, sizeof(*table->begin));
	table->sums = calloc(table->width, sizeof(*table->sums));
	table->first = calloc(table->width + 1, sizeof(*table->first));
	table->links = calloc(2 * cut->n_links + 1, sizeof(*table->links));
	if (!table->best || !table->begin || !table->sums || !table->first || !table->links)
		return -ENOMEM;
	links_sort(cut, table);
	for (size_t i = 0; i < cut->n_units; i++)
		table->sums[i + 1] = table->sums[i] + cut->loads[i];
	return 0;
}

static void table_fini(struct table *table)
{
	free(table->best);
	free(table->begin);
	free(table->sums);
	free(table->first);
	free(table->links);
}

static double best_before(const struct table *table, size_t lane, size_t n)
{
	if (lane)
		return table->best[(lane - 1) * table->width + n];
	return n ? DBL_MAX : 0;
}

static double load_of(const struct cut *cut, const struct table *table, size_t lane, size_t begin, size_t end)
{
	return cut->fixed[lane] + table->sums[end] - table->sums[begin];
}

/* The smallest possible largest load. */
static double load_least(const struct cut *cut, struct table *table)
{
	for (size_t lane = 0; lane < cut->n_lanes; lane++) {
		for (size_t end = 0; end <= cut->n_units; end++) {
			double *best = &table->best[lane * table->width + end];

			*best = DBL_MAX;
			for (size_t begin = 0; begin <= end; begin++) {
				const double before = best_before(table, lane, begin);
				const double load = load_of(cut, table, lane, begin, end);
				const double larger = before > load ? before : load;

				if (larger < *best)
					*best = larger;
			}
		}
	}
	return table->best[cut->n_lanes * table->width - 1];
}

/* Twice the links between lanes that unit `begin` adds when it joins the run begin + 1 .. end - 1 on `lane` (a link
 * inside is no longer one; a link to a fixed end counts once, so twice here; any other will be seen from its other end
 * too). */
static int64_t crossings_added(const struct cut *cut, const struct table *table, size_t lane, size_t begin, size_t end)
{
	int64_t added = 0;

	for (uint32_t i = table->first[begin]; i < table->first[begin + 1]; i++) {
		const struct cut_link *link = &cut->links[table->links[i]];
		const size_t other = link->a == begin ? link->b : link->a;

		if (link->b == CUT_FIXED)
			added += link->lane == lane ? 0 : 2;
		else if (link->a != link->b)
			added += other > begin && other < end ? -1 : 1;
	}
	return added;
}

/* Among cuts that load no lane beyond `most`: the cost of a cut is its links between lanes, then its lanes. */
static void crossings_least(const struct cut *cut, struct table *table, double most)
{
	const double scale = (double)cut->n_lanes + 1;

	for (size_t lane = 0; lane < cut->n_lanes; lane++) {
		for (size_t end = 0; end <= cut->n_units; end++) {
			double *best = &table->best[lane * table->width + end];
			int64_t crossings = 0;

			*best = DBL_MAX;
			for (size_t begin = end + 1; begin-- > 0;) {
				const double before = best_before(table, lane, begin);
				double cost;

				if (begin < end)
					crossings += crossings_added(cut, table, lane, begin, end);
				if (load_of(cut, table, lane, begin, end) > most && begin < end)
					break;
				cost = before + (double)crossings * scale + (begin < end);
				if (before < DBL_MAX && cost < *best) {
					*best = cost;
					table->begin[lane * table->width + end] = (uint32_t)begin;
				}
			}
		}
	}
}

static void lanes_write(const struct cut *cut, const struct table *table, uint32_t *ret_lanes)
{
	size_t end = cut->n_units;

	for (size_t lane = cut->n_lanes; lane-- > 0;) {
		const size_t begin = table->begin[lane * table->width + end];

		for (size_t i = begin; i < end; i++)
			ret_lanes[i] = (uint32_t)lane;
		end = begin;
	}
}

int cut_make(const struct cut *cut, uint32_t *ret_lanes)
{
	struct table table = {0};
	const int rc = table_init(&table, cut);

	if (!rc) {
		/* sums are taken in another order than loads were added: leave room for rounding */
		crossings_least(cut, &table, load_least(cut, &table) * (1 + 1e-9));
		lanes_write(cut, &table, ret_lanes);
	}
	table_fini(&table);
	return rc;
}
