/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/main.c - aloe-statsman: variables and counts of all nodes of a platform, on its
 * manager. */
#include <stdlib.h>

#include "daemons/statsman/statsman.h"

/* On one node its aloe-stats answers whoever asked. */
static void values(struct statsman *statsman, const struct wire_view *request)
{
	if (statsman->daemon.args.platform && request->type == WIRE_SET)
		statsman_set(statsman, request);
	else if (statsman->daemon.args.platform)
		statsman_get(statsman, request);
	else if (daemon_forward(&statsman->daemon, request, WIRE_STATS) < 0)
		daemon_fail(&statsman->daemon, request, 1, "aloe-stats cannot be reached");
}

static void handle(void *self, const struct wire_view *view)
{
	struct statsman *statsman = self;

	switch (view->type) {
	case WIRE_OK:
	case WIRE_FAIL:
		statsman_answered(statsman, view);
		return;
	case WIRE_GET:
	case WIRE_SET:
	case WIRE_LOG:
	case WIRE_TAP:
		values(statsman, view);
		return;
	case WIRE_EVENT:
	case WIRE_DAEMON:
		return;
	default:
		daemon_fail(&statsman->daemon, view, 2, "aloe-statsman does not know %s",
		    wire_type_name(view->type));
	}
}

static void lost(void *self)
{
	statsman_asks_lose(self, "aloe-frontend has died; it is being started again");
}

static void fini(struct statsman *statsman)
{
	while (statsman->asks) /* one that is lost may ask again where its waveform is */
		statsman_asks_lose(statsman, "aloe-statsman ends");
	scrape_stop(statsman);
	web_close(statsman);
	scrape_close(statsman);
	loop_timer_stop(&statsman->daemon.loop, &statsman->late);
	json_decref(statsman->list);
	daemon_fini(&statsman->daemon);
}

int main(int argc, char **argv)
{
	static const struct daemon_role role = {
	    .program = "aloe-statsman", .peer = WIRE_STATSMAN, .handle = handle, .lost = lost};
	struct statsman statsman = {.scrape.want_fd = -1, .web.want_fd = -1};
	struct daemon_args args;
	int code = daemon_args_parse(
	    "aloe-statsman", argc, argv, DAEMON_NODE | DAEMON_PLATFORM | DAEMON_METRICS, &args);

	if (code)
		return code > 0 ? 0 : 2;
	if (daemon_init(&statsman.daemon, &role, &args, &statsman) < 0)
		return 1;
	code = scrape_open(&statsman) < 0 || web_open(&statsman) < 0 ? 1
	                                                             : daemon_run(&statsman.daemon);
	fini(&statsman);
	return code;
}
