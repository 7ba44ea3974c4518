/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/bench/limit.h"

#include "tools/bench/figures.h"

static int quick(const struct limit *limit, uint64_t *ret)
{
	struct figure_search search;
	int status = 0;

	search_init(&search, limit->max);
	for (uint64_t n = search_next(&search); n != 0; n = search_next(&search)) {
		bool held = false;
		status = limit->holds(limit->self, n, false, &held);
		if (status)
			return status;
		search_update(&search, n, held);
	}
	*ret = search.holds;
	return status;
}

static uint64_t step_of(const struct limit *limit, uint64_t n)
{
	return (uint64_t)((double)n * limit->tolerance) + 1;
}

/* Down from *n, by once, twice, four times ... the tolerance, until one holds or is known to;
 * *ret_fails: the last that did not. */
static int down(const struct limit *limit, uint64_t *n, uint64_t *ret_fails)
{
	for (uint64_t step = step_of(limit, *n); *n > limit->known; step *= 2) {
		bool held = false;
		const int status = limit->holds(limit->self, *n, true, &held);
		if (status || held)
			return status;
		*ret_fails = *n;
		*n = *n > step ? *n - step : *n > 1 ? 1 : 0;
		*n = *n > limit->known ? *n : limit->known;
	}
	return 0;
}

int limit_find(const struct limit *limit, uint64_t *ret)
{
	uint64_t n = 0, fails = 0;
	int status = quick(limit, &n);

	n = n > limit->known ? n : limit->known;
	if (status == 0)
		status = down(limit, &n, &fails);
	while (status == 0 && fails > n + step_of(limit, n)) {
		const uint64_t next = n + (fails - n) / 2;
		bool held = false;
		status = limit->holds(limit->self, next, true, &held);
		n = held ? next : n;
		fails = held ? fails : next;
	}
	*ret = n;
	return status;
}
