/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/stats/main.c - aloe-stats: values of variables and parameters of what runs on this
 * node. */
#include "daemons/stats/stats.h"

static void handle(void *self, const struct wire_view *view)
{
	struct stats *stats = self;

	attach_settle(&stats->daemon.attach);
	switch (view->type) {
	case WIRE_GET:
		stats_get(stats, view);
		return;
	case WIRE_SET:
		stats_set(stats, view);
		return;
	case WIRE_TAP:
		stats_tap(stats, view);
		return;
	case WIRE_LOG:
		stats_log(stats, view);
		return;
	case WIRE_OK:
	case WIRE_FAIL:
	case WIRE_EVENT:
	case WIRE_DAEMON:
		return;
	default:
		daemon_fail(&stats->daemon, view, 1, "aloe-stats does not know message %u (%s)",
		    view->type, wire_type_name(view->type));
	}
}

int main(int argc, char **argv)
{
	static const struct daemon_role role = {"aloe-stats", WIRE_STATS, handle, stats_waves_entry,
	    stats_waves_ready, stats_waves_lost};
	struct stats stats = {.first = NULL};
	struct daemon_args args;
	int status = daemon_args_parse("aloe-stats", argc, argv, DAEMON_NODE, &args);

	if (status)
		return status > 0 ? 0 : 2;
	status =
	    daemon_init(&stats.daemon, &role, &args, &stats) < 0 ? 1 : daemon_run(&stats.daemon);
	stats_logs_close(&stats);
	daemon_fini(&stats.daemon);
	stats_waves_close(&stats);
	return status;
}
