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

/* exec has no such shadow run, nor an upgrade that waits. */
static bool is_none(const struct wire_view *answer)
{
	return answer && answer->type == WIRE_FAIL && upgrade_is(answer, "none");
}

/* One that began: a shadow run, or a build that is in force now, which ends shadow runs. */
static void begin_done(struct swman *swman, struct swman_run *run, const struct swman_call *call,
    const struct wire_view *request, const struct wire_view *answer)
{
	uint64_t number;
	const bool ok = answer && answer->type == WIRE_OK,
	           shadow = wire_get_u64(request, WIRE_TAG_SLOTS, &number) == 0,
	           refused = answer && !ok && wire_get_u64(answer, WIRE_TAG_AGAIN, &number) != 0;

	run->learned_ns = 0;
	if (ok)
		upgrades_shadow_begun(run, shadow ? call->number : 0);
	else if (refused)
		upgrades_refused(run, call->number);
	if (ok && !shadow)
		swman_run_replan(swman, call->waveform, call->notes);
}

static void upgrade_done(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	struct swman_run *run = swman_run_find(swman, call->waveform);
	struct wire_view request;
	bool back = false;

	if (run && wire_decode(call->request, call->request_len, &request) == 0) {
		back = !call->notes && upgrade_is(&request, "rollback") && is_none(answer);
		if (is_none(answer))
			upgrades_shadow_gone(run, call->number);
		else if (call->notes)
			begin_done(swman, run, call, &request, answer);
		else if (answer && answer->type == WIRE_OK && upgrade_is(&request, "rollback"))
			upgrades_shadow_begun(run, 0);
	}
	if (back)
		swman->remap(swman, &request);
	else
		swman_pass(swman, call, answer, NULL);
}

void upgrade_ask(struct swman *swman, const struct wire_view *request, const char *waveform,
    const char *state, const struct waveform *wf, const struct plan *plan, const void *program,
    size_t len)
{
	struct swman_call *call = swman_call_new(request, waveform);
	struct swman_run *run = swman_run_find(swman, waveform);
	char *name = wire_get_text(request, WIRE_TAG_NAME, 0),
	     *within = wire_get_text(request, WIRE_TAG_VALUE, 0);
	uint64_t number;
	struct wire_msg msg;

	if (call) {
		call->notes = plan ? plan_print(wf, plan) : NULL;
		if (run && name)
			call->number = program ? run->tried : upgrades_shadow(run, name);
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
		if (call->number != 0)
			wire_put_u64(&msg, WIRE_TAG_COUNT, call->number);
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
