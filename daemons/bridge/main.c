/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/bridge/main.c - aloe-bridge: the segments of other nodes, in the images of the waveforms
 * of this one. */
#include <stdio.h>
#include <stdlib.h>

#include "daemons/bridge/carried.h"

enum { TELL_MS = 1000 };

struct bridge_daemon {
	struct daemon daemon;
	struct machines machines;
	struct carried carried;
	struct loop_timer tell;
};

/* swman plans with what messages take to the other nodes, and says which of them is silent: an
 * EVENT without a waveform. exec reports what was counted. */
static void tell(void *self)
{
	struct bridge_daemon *bridge = self;
	struct wire_msg msg;

	loop_timer_start(&bridge->daemon.loop, &bridge->tell, TELL_MS * 1000000ull, tell, bridge);
	if (!bridge->daemon.greeted)
		return;
	wire_init(&msg, WIRE_EVENT, WIRE_BRIDGE, WIRE_SWMAN, 0);
	for (uint32_t n = 0; n < bridge->machines.model->n_nodes; n++) {
		char ns[24];

		snprintf(ns, sizeof(ns), "%llu",
		    (unsigned long long)offsets_one_way(&bridge->carried.offsets, n));
		wire_put_text(&msg, WIRE_TAG_NAME, machines_name(&bridge->machines, n));
		wire_put_text(&msg, WIRE_TAG_VALUE, ns);
		wire_put_text(
		    &msg, WIRE_TAG_STATE, carried_silent(&bridge->carried, n) ? "silent" : "heard");
	}
	bus_send(bridge->daemon.bus, &msg);
	carried_tell(&bridge->carried, bridge->daemon.bus);
}

static void handle(void *self, const struct wire_view *view)
{
	struct bridge_daemon *bridge = self;

	if (view->type != WIRE_OK && view->type != WIRE_FAIL && view->type != WIRE_EVENT &&
	    view->type != WIRE_DAEMON)
		daemon_fail(&bridge->daemon, view, 2, "aloe-bridge does not know %s",
		    wire_type_name(view->type));
}

static void entry(void *self, struct keep_entry *entry)
{
	carried_entry(&((struct bridge_daemon *)self)->carried, entry);
}

static int ready(void *self)
{
	carried_settled(&((struct bridge_daemon *)self)->carried);
	return 0;
}

static void lost(void *self)
{
	carried_lost(&((struct bridge_daemon *)self)->carried);
}

static int run(struct bridge_daemon *bridge, const struct daemon_args *args)
{
	static const struct daemon_role role = {
	    "aloe-bridge", WIRE_BRIDGE, handle, entry, ready, lost};
	int status = daemon_init(&bridge->daemon, &role, args, bridge);

	if (status == 0)
		status = machines_open(&bridge->machines, args, &bridge->daemon.log);
	if (status == 0)
		status = carried_open(
		    &bridge->carried, &bridge->machines, &bridge->daemon, tell, bridge);
	if (status == 0)
		tell(bridge);
	status = status < 0 ? 1 : daemon_run(&bridge->daemon);
	loop_timer_stop(&bridge->daemon.loop, &bridge->tell);
	if (bridge->carried.loop)
		carried_close(&bridge->carried);
	machines_close(&bridge->machines);
	daemon_fini(&bridge->daemon);
	return status;
}

int main(int argc, char **argv)
{
	struct bridge_daemon *bridge;
	struct daemon_args args;
	int status = daemon_args_parse(
	    "aloe-bridge", argc, argv, DAEMON_STATE | DAEMON_NODE | DAEMON_PLATFORM, &args);

	if (status)
		return status > 0 ? 0 : 2;
	if (!args.platform) {
		daemon_args_parse(
		    "aloe-bridge", 1, argv, DAEMON_STATE | DAEMON_NODE | DAEMON_PLATFORM, &args);
		return 2;
	}
	bridge = calloc(1, sizeof(*bridge));
	status = bridge ? run(bridge, &args) : 1;
	free(bridge);
	return status;
}
