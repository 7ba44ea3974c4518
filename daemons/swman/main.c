/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/swman/main.c - aloe-swman: waveforms are validated, planned and handed to exec here, and
 * their reports kept. */
#include <malloc.h>
#include <string.h>

#include "core/base/file.h"
#include "daemons/swman/swman.h"

static int state_find(struct swman *swman, const struct daemon_args *args)
{
	int rc = args->state ? path_print(swman->state, sizeof(swman->state), "%s", args->state)
	                     : dir_state(swman->state, sizeof(swman->state));

	if (rc == 0)
		rc = dir_make(swman->state);
	if (rc < 0)
		log_warning(&swman->daemon.log,
		    "%s cannot be used (%s); no run and no profile will be kept", swman->state,
		    strerror(-rc));
	return rc;
}

int main(int argc, char **argv)
{
	static const struct daemon_role role = {.program = "aloe-swman",
	    .peer = WIRE_SWMAN,
	    .handle = swman_handle,
	    .ready = swman_ready,
	    .lost = swman_lost};
	struct swman swman = {.runs_sweep = swman_runs_sweep,
	    .remap = swman_remap,
	    .prepare_on = several_prepare,
	    .ending_on = several_ending};
	struct daemon_args args;
	int code = daemon_args_parse(
	    "aloe-swman", argc, argv, DAEMON_STATE | DAEMON_NODE | DAEMON_PLATFORM, &args);

	if (code)
		return code > 0 ? 0 : 2;
	mallopt(M_ARENA_MAX, 1); /* before there are threads: malloc_trim then trims all there is */
	if (daemon_init(&swman.daemon, &role, &args, &swman))
		return 1;
	state_find(&swman, &args);
	code = machines_open(&swman.machines, &args, &swman.daemon.log) < 0
	    ? 2
	    : daemon_run(&swman.daemon);
	swman_fini(&swman);
	machines_close(&swman.machines);
	daemon_fini(&swman.daemon);
	return code;
}
