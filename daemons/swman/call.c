/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions to exec, and the answers to who asked us. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "daemons/swman/swman.h"

#define CALL_NS (90 * 1000000000ull) /* beyond exec's own limits */
enum { SWEEP_MS = 250 };

struct swman_call *swman_call_new(const struct wire_view *request, const char *waveform)
{
	struct swman_call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->waveform = strdup(waveform ? waveform : "");
	if (request) {
		call->request = malloc(request->len);
		call->request_len = request->len;
		if (call->request)
			memcpy(call->request, request->bytes, request->len);
	}
	if (call->waveform && (!request || call->request))
		return call;
	swman_call_free(call);
	return NULL;
}

void swman_call_free(struct swman_call *call)
{
	if (!call)
		return;
	free(call->request);
	free(call->waveform);
	free(call->notes);
	free(call);
}

static void calls_expire(void *self);

static void call_finish(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer, const char *lost)
{
	call->lost = lost;
	call->done(swman, call, answer);
	swman_call_free(call);
}

/* The timer is for whoever is due first. */
static void sweep_within(struct swman *swman, uint64_t ns)
{
	if (!swman->sweep.on || swman->sweep.at_ns > clock_ns() + ns)
		loop_timer_start(&swman->daemon.loop, &swman->sweep, ns, calls_expire, swman);
}

static void calls_sweep(struct swman *swman)
{
	const uint64_t now = clock_ns();
	struct swman_call **at = &swman->calls;

	while (*at) {
		struct swman_call *call = *at;
		if (clock_ns() < call->until_ns) {
			at = &call->next;
			continue;
		}
		*at = call->next;
		call_finish(swman, call, NULL, "aloe-exec does not answer");
		at = &swman->calls; /* the answer may have led to other questions */
	}
	for (const struct swman_call *call = swman->calls; call; call = call->next)
		sweep_within(swman, call->until_ns > now ? call->until_ns - now : 0);
}

static void calls_expire(void *self)
{
	struct swman *swman = self;

	calls_sweep(swman);
	swman->runs_sweep(swman);
}

void swman_sweep_start(struct swman *swman)
{
	sweep_within(swman, SWEEP_MS * 1000000ull);
}

void swman_ask(struct swman *swman, struct swman_call *call, struct wire_msg *msg,
    void (*done)(struct swman *swman, struct swman_call *call, const struct wire_view *answer))
{
	call->seq = bus_seq(swman->daemon.bus);
	call->until_ns = clock_ns() + CALL_NS;
	call->done = done;
	wire_put_seq(msg, call->seq);
	if (bus_send(swman->daemon.bus, msg) < 0) {
		call_finish(swman, call, NULL, "aloe-exec cannot be reached");
		return;
	}
	call->next = swman->calls;
	swman->calls = call;
	sweep_within(swman, CALL_NS);
}

void swman_answered(struct swman *swman, const struct wire_view *answer)
{
	for (struct swman_call **at = &swman->calls; *at; at = &(*at)->next) {
		struct swman_call *call = *at;
		if (call->seq != answer->seq)
			continue;
		*at = call->next;
		call_finish(swman, call, answer, NULL);
		return;
	}
}

void swman_calls_lose(struct swman *swman, const char *why)
{
	struct swman_call *calls = swman->calls, *next;

	swman->calls = NULL;
	for (; calls; calls = next) {
		next = calls->next;
		calls->again = true;
		call_finish(swman, calls, NULL, why);
	}
}

void swman_fail(struct swman *swman, const struct swman_call *call, int code, const char *text)
{
	struct wire_view request;

	if (call->request && wire_decode(call->request, call->request_len, &request) == 0)
		daemon_fail(&swman->daemon, &request, code, "%s", text);
}

/* fields_copy adds all fields of exec's answer but those that the reply has of its own. */
static void fields_copy(struct wire_msg *msg, const struct wire_view *answer)
{
	static const enum wire_tag texts[] = {WIRE_TAG_TEXT, WIRE_TAG_JSON, WIRE_TAG_STATE};
	static const enum wire_tag numbers[] = {
	    WIRE_TAG_CODE, WIRE_TAG_SLOT, WIRE_TAG_INDEX, WIRE_TAG_AGAIN};
	const void *bytes;
	uint64_t number;
	size_t len;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (wire_get_bytes(answer, texts[i], 0, &bytes, &len) == 0)
			wire_put_bytes(msg, texts[i], bytes, len);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (wire_get_u64(answer, numbers[i], &number) == 0)
			wire_put_u64(msg, numbers[i], number);
}

static void lost_send(
    struct swman *swman, const struct swman_call *call, const struct wire_view *request)
{
	struct wire_msg msg;

	bus_reply(swman->daemon.bus, request, WIRE_FAIL, &msg);
	wire_put_u64(&msg, WIRE_TAG_CODE, 1);
	wire_put_text(&msg, WIRE_TAG_TEXT, call->lost);
	if (call->again)
		wire_put_u64(&msg, WIRE_TAG_AGAIN, 1);
	bus_send(swman->daemon.bus, &msg);
}

void swman_pass(struct swman *swman, const struct swman_call *call, const struct wire_view *answer,
    const char *file)
{
	struct wire_view request;
	struct wire_msg msg;

	if (!call->request || wire_decode(call->request, call->request_len, &request) < 0)
		return;
	if (!answer) {
		lost_send(swman, call, &request);
		return;
	}
	bus_reply(swman->daemon.bus, &request, answer->type, &msg);
	fields_copy(&msg, answer);
	if (file)
		wire_put_text(&msg, WIRE_TAG_FILE, file);
	bus_send(swman->daemon.bus, &msg);
}
