/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/common/capacity.h"

#include "core/report/local.h"
#include "core/slot/cost.h"

int capacity_keep(const char *state)
{
	struct lane_cost cost;
	int rc = local_calibrate(state);

	if (rc < 0 || local_lane_known(state))
		return rc;
	rc = lane_cost_measure(&cost);
	return rc < 0 ? rc : local_lane_keep(state, cost.base_ns, cost.handover_ns);
}
