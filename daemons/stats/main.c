/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/stats/main.c - aloe-stats: values of variables and parameters of what runs on this node. */
#include <string.h>

#include "daemons/stats/stats.h"

static void handle(void *self, const struct wire_view *view)
{
	struct stats *stats = self;

	stats_waves_settle(stats);
	switch (view->type) {
	case WIRE_GET:
		stats_get(stats, view);
		return;
	case WIRE_SET:
		stats_set(stats, view);
		return;
	case WIRE_OK:
	case WIRE_FAIL:
	case WIRE_EVENT:
	case WIRE_DAEMON:
		return;
	default:
		daemon_fail(&stats->daemon, view, 1, "aloe-stats does not know message %u (%s)", view->type,
			    wire_type_name(view->type));
	}
}

static void keep_ready(void *self, short revents)
{
	struct stats *stats = self;

	(void)revents;
	if (stats_waves_settle(stats) < 0) /* closed: the leash says so too */
		loop_watch_stop(&stats->daemon.loop, &stats->keep_watch);
}

static int stats_run(struct stats *stats, const struct daemon_args *args)
{
	int result;

	if (daemon_init(&stats->daemon, "aloe-stats", WIRE_STATS, args, handle, stats) < 0)
		return 1;
	result = stats_waves_load(stats, args->keep);
	if (result < 0) {
		log_error(&stats->daemon.log, "the frontend does not say what is loaded: %s", strerror(-result));
		return 1;
	}
	loop_watch_start(&stats->daemon.loop, &stats->keep_watch, args->keep, POLLIN, keep_ready, stats);
	return daemon_run(&stats->daemon);
}

int main(int argc, char **argv)
{
	struct stats stats = {.first = NULL};
	struct daemon_args args;
	const int result = daemon_args_parse("aloe-stats", argc, argv, DAEMON_KEEP, &args);
	int status;

	if (result)
		return result > 0 ? 0 : 2;
	status = stats_run(&stats, &args);
	daemon_fini(&stats.daemon);
	stats_waves_close(&stats);
	registry_close(stats.registry);
	return status;
}
