/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/plan.h - the plan of a waveform file, for the commands that show it. */
#ifndef TOOLS_ALOE_PLAN_H
#define TOOLS_ALOE_PLAN_H

#include <limits.h>

#include "core/map/explain.h"
#include "core/map/profile.h"
#include "core/measure/local.h"
#include "tools/aloe/source.h"

struct plan_request { /* a plan, while it is made */
	const struct cli_args *args;
	struct source *source;
	char state[PATH_MAX];
	struct local_platform local;
	struct platform_model *file; /* of --platform, NULL: this machine */
	const struct platform_model *platform;
	struct plan_options options;
	struct profile profile;
	struct plan *plan;
	struct plan_whatif whatif;
	struct plan_why *why;
	int status; /* exit status that `show` wants; CLI_OK if it says nothing */
};

/* plan_with plans for the platform that the options name and calls `show`, which returns 0 or
 * -errno (-EINVAL: it has said why). It prints what is to be said. The exit status. */
int plan_with(
    const struct cli_args *args, struct source *source, int (*show)(struct plan_request *request));

#endif
