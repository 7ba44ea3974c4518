/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the parts of `aloe bench map` share. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "tools/bench/map_published.h"

double map_cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

const char *map_judge(struct map_published *published, bool met)
{
	published->bench->missed = published->bench->missed || !met;
	return met ? "met" : "missed";
}

int map_stages(const struct stages_problem *problem, struct stages *ret, double *ret_us)
{
	const double begin = map_cpu_us();
	const int rc = stages_solve(problem, ret);

	*ret_us = map_cpu_us() - begin;
	return rc;
}

int map_failed(const struct map_published *published, const char *what, int rc)
{
	if (rc == -EINVAL)
		return cli_fail(published->bench->args,
		    "%s: at most %d tasks, which cost less than %g together, and 1 to %d cores are "
		    "possible",
		    what, STAGES_TASKS_MAX, (double)STAGES_COST_MAX, STAGES_CORES_MAX);
	cli_fail(published->bench->args, "%s: %s", what, strerror(-rc));
	return CLI_FAILED;
}
