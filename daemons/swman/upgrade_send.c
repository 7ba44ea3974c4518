/* SPDX-License-Identifier: BSD-3-Clause
 *
 * UPGRADE to exec, and what its answer means for the list of upgrades. */
#include <stdlib.h>
#include <string.h>

#include "daemons/swman/upgrades.h"

bool upgrade_is(const struct wire_view *request, const char *state)
{
	char *text = wire_get_text(request, WIRE_TAG_STATE, 0);
	const bool is = text && !strcmp(text, state);

	free(text);
	return is;
}

/* A build that was refused, or is in force now, has no shadow run. */
static void upgrade_done(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	struct swman_run *run = swman_run_find(swman, call->waveform);
	const bool ok = answer && answer->type == WIRE_OK;
	struct wire_view request;
	uint64_t slots, again;
	char *instance;

	if (run && wire_decode(call->request, call->request_len, &request) == 0 &&
	    !upgrade_is(&request, "status")) {
		const bool begins = wire_get_u64(&request, WIRE_TAG_SLOTS, &slots) == 0,
		           refused =
		               answer && !ok && wire_get_u64(answer, WIRE_TAG_AGAIN, &again) != 0;

		instance = wire_get_text(&request, WIRE_TAG_NAME, 0);
		run->learned_ns = 0;
		if (instance && (begins ? refused : ok))
			upgrades_settle(run, instance);
		if (ok && !begins && call->notes)
			swman_run_replan(swman, call->waveform, call->notes);
		free(instance);
	}
	swman_pass(swman, call, answer, NULL);
}

void upgrade_ask(struct swman *swman, const struct wire_view *request, const char *waveform,
    const char *state, const struct waveform *wf, const struct plan *plan, const void *program,
    size_t len)
{
	struct swman_call *call = swman_call_new(request, waveform);
	char *name = wire_get_text(request, WIRE_TAG_NAME, 0),
	     *within = wire_get_text(request, WIRE_TAG_VALUE, 0);
	uint64_t number;
	struct wire_msg msg;

	if (call) {
		call->notes = plan ? plan_print(wf, plan) : NULL;
		wire_init(&msg, WIRE_UPGRADE, WIRE_SWMAN, WIRE_EXEC, 0);
		wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
		wire_put_text(&msg, WIRE_TAG_NAME, name);
		wire_put_text(&msg, WIRE_TAG_STATE, state);
		wire_put_text(&msg, WIRE_TAG_VALUE, within);
		if (program)
			wire_put_bytes(&msg, WIRE_TAG_PROGRAM, program, len);
		if (wire_get_u64(request, WIRE_TAG_INDEX, &number) == 0)
			wire_put_u64(&msg, WIRE_TAG_INDEX, number);
		if (wire_get_u64(request, WIRE_TAG_SLOTS, &number) == 0)
			wire_put_u64(&msg, WIRE_TAG_SLOTS, number);
		swman->prepares++;
		swman_ask(swman, call, &msg, upgrade_done);
	} else {
		daemon_fail(&swman->daemon, request, 1, "out of memory");
	}
	free(name);
	free(within);
}

void swman_upgrade_send(struct swman *swman, const struct wire_view *request,
    const struct waveform *waveform, const struct plan *plan, const void *program, size_t len)
{
	upgrade_ask(swman, request, waveform->name, upgrade_is(request, "commit") ? "commit" : NULL,
	    waveform, plan, program, len);
}
