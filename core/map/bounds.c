/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/bounds.h"

#include <errno.h>
#include <string.h>

#include "core/map/stages_read.h"

/* One or two kinds, in the order of the node. */
static bool kinds_take(const struct platform_model *platform, struct plan_bounds *ret)
{
	const struct platform_node *node = platform->nodes;

	if (platform->n_nodes != 1 || node->n_kinds == 0 || node->n_kinds > STAGES_KINDS)
		return false;
	for (size_t k = 0; k < node->n_kinds; k++) {
		ret->kinds[k] = node->kinds[k].name;
		ret->cores[k] = node->kinds[k].n;
	}
	return true;
}

static int bound_take(const struct stages_problem *problem, struct plan_bound *ret)
{
	struct stages stages;
	const int rc = stages_solve(problem, &stages);

	ret->period_ns = stages_period_of(&stages.period);
	ret->slots = stages_slots(&stages);
	memcpy(ret->used, stages.used, sizeof(ret->used));
	stages_fini(&stages);
	return rc;
}

int plan_bounds(
    const struct waveform *wf, const struct platform_model *platform, struct plan_bounds *ret)
{
	struct stages_problem problem = {.spread = false};
	struct stages_chain chain = {0};
	int wrong, rc;

	*ret = (struct plan_bounds){.known = false};
	if (!kinds_take(platform, ret) || wf->n_lanes > 0)
		return 0;
	rc = stages_read(wf, ret->kinds, &chain, &wrong);
	problem.tasks = chain.tasks;
	problem.n_tasks = chain.n;
	memcpy(problem.cores, ret->cores, sizeof(problem.cores));
	if (rc == 0)
		rc = bound_take(&problem, &ret->alone);
	problem.spread = true;
	if (rc == 0)
		rc = bound_take(&problem, &ret->replicas);
	ret->known = rc == 0;
	stages_chain_fini(&chain);
	return rc == -ENOMEM ? rc : 0; /* no chain, or too large for stages.h: no bounds */
}
