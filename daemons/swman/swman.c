/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/swman/swman.h"

#include <stdlib.h>
#include <string.h>

int swman_ready(void *self)
{
	struct swman *swman = self;

	if (swman->machines.model)
		several_learn(swman);
	else
		swman_runs_learn(swman);
	return 0;
}

void swman_lost(void *self)
{
	swman_calls_lose(self, "aloe-frontend has died; it is being started again");
}

void swman_fini(struct swman *swman)
{
	loop_timer_stop(&swman->daemon.loop, &swman->sweep);
	loop_timer_stop(&swman->daemon.loop, &swman->learn);
	loop_timer_stop(&swman->daemon.loop, &swman->loss);
	swman_calls_lose(swman, "aloe-swman ends");
	while (swman->runs)
		swman_run_drop(swman, swman->runs->waveform, swman->runs->saved);
	if (swman->registry)
		registry_close(swman->registry);
	free(swman->ways);
}

/* exec finds its waveforms again when it is back. What the last one was asked is answered by the
 * frontend: failed, or kept for the next one. Nothing is given up here, or it would be asked
 * twice. */
static void daemon_event(struct swman *swman, const struct wire_view *event)
{
	char *state = wire_get_text(event, WIRE_TAG_STATE, 0);
	uint64_t peer = 0;

	wire_get_u64(event, WIRE_TAG_DAEMON, &peer);
	if (peer == WIRE_EXEC && state && !strcmp(state, "up"))
		swman_runs_learn(swman);
	free(state);
}

static void forward(struct swman *swman, const struct wire_view *request)
{
	if (daemon_forward(&swman->daemon, request, WIRE_EXEC) < 0)
		daemon_fail(&swman->daemon, request, 1, "aloe-exec cannot be reached");
}

void swman_handle(void *self, const struct wire_view *view)
{
	struct swman *swman = self;

	if (swman->machines.model && view->type != WIRE_OK && view->type != WIRE_FAIL) {
		several_handle(swman, view);
		return;
	}
	switch (view->type) {
	case WIRE_OK:
	case WIRE_FAIL:
		swman_answered(swman, view);
		break;
	case WIRE_LOAD:
		swman_load(swman, view);
		break;
	case WIRE_STATUS:
		swman_status(swman, view);
		break;
	case WIRE_RECORD:
		swman_record(swman, view);
		break;
	case WIRE_UNLOAD:
		swman_unload(swman, view);
		break;
	case WIRE_REMAP:
		swman_remap(swman, view);
		break;
	case WIRE_UPGRADE:
		swman_upgrade(swman, view);
		break;
	case WIRE_START:
	case WIRE_PAUSE:
	case WIRE_STEP:
	case WIRE_STOP:
	case WIRE_LIST:
	case WIRE_SAMPLES:
	case WIRE_MISSES:
	case WIRE_TRACE:
		forward(swman, view);
		break;
	case WIRE_EVENT:
		swman_event(swman, view);
		break;
	case WIRE_DAEMON:
		daemon_event(swman, view);
		break;
	default:
		daemon_fail(&swman->daemon, view, 2, "aloe-swman does not know %s",
		    wire_type_name(view->type));
	}
}
