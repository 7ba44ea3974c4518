/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/run.h - one run of a waveform in a node of its own.
 */
#ifndef TOOLS_ALOE_RUN_H
#define TOOLS_ALOE_RUN_H

#include "core/cli/cli.h"
#include "core/json/json.h"
#include "tools/aloe/client.h"

/* What is to happen when the waveform is loaded, before it starts: an exit status. */
struct run_hook {
	int (*loaded)(void *self, struct client *client, const char *waveform);
	void *self;
};

/* run_waveform runs the waveform file args->args[0] with the options of `aloe run` in `args`, and
 * returns the exit status. `hook` may be NULL. ret_report (may be NULL) gets the last report, or
 * NULL, which the caller gives back by json_decref; then no keyboard steps. */
int run_waveform(const struct cli_args *args, const struct run_hook *hook, json_t **ret_report);

#endif
