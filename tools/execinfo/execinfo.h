/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/execinfo/execinfo.h - where a profile comes from, and its histogram. */
#ifndef TOOLS_EXECINFO_EXECINFO_H
#define TOOLS_EXECINFO_EXECINFO_H

#include "core/cli/cli.h"
#include "core/image/state.h"
#include "core/json/json.h"
#include "core/plot/plot.h"

struct profile_source {
	char origin[4096]; /* report.json of a saved run; "" if it is live */
	size_t wanted;     /* samples of each instance; 0: the histograms of the whole run */
	json_t *report;
	struct image_event *events; /* in order of time within a segment */
	size_t n_events;
	uint64_t lost;
};

/* Both return the exit status, having said what is wrong. source_live also replaces, in the report,
 * the figures of each instance by those of the samples, if samples are wanted. */
int source_live(const struct cli_args *args, struct profile_source *source);
int source_saved(const struct cli_args *args, const char *run, struct profile_source *source);
void source_fini(struct profile_source *source);

/* samples_apply computes calls, mean, quantiles and maximum of every instance from the events. */
int samples_apply(struct profile_source *source);
/* hist_show draws one instance's times in 21 lines: of the samples if some were wanted, else of the
 * whole run; and makes a figure of them, with finer cells. */
int hist_show(const struct profile_source *source, const char *instance, struct plot *ret_plot);
/* margin_show draws how much time was left, in 21 lines: of the budget of an instance, at the ends
 * of the slots of a lane (its number), or until the radio transmits ("radio"); and makes a figure
 * of it. */
int margin_show(const struct profile_source *source, const char *what, struct plot *ret_plot);

#endif
