/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/whatif.h"

#include <errno.h>

/* A plan that was refused is looked at once more, for what would fit. */
int plan_make_with(const struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, const struct plan_options *options, struct diag *diag,
    struct plan **ret)
{
	struct plan_whatif whatif;
	struct plan *plan = NULL;
	const int rc = plan_build(wf, platform, profile, options, diag, &plan);

	if (!rc) {
		*ret = plan;
		return 0;
	}
	if (plan && plan_whatif(wf, platform, profile, options, plan, &whatif) == 0)
		plan_whatif_note(wf, &whatif, diag);
	plan_free(plan);
	return rc;
}

int plan_make(const struct waveform *wf, const struct platform_model *platform,
    const struct profile *profile, struct diag *diag, struct plan **ret)
{
	const struct plan_options options = PLAN_OPTIONS;

	return plan_make_with(wf, platform, profile, &options, diag, ret);
}
