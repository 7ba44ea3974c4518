/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/swman/gather.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gather *gather_new(
    const struct wire_view *request, const char *waveform, const uint32_t *nodes, uint32_t n)
{
	struct gather *gather = calloc(1, sizeof(*gather));

	if (!gather)
		return NULL;
	snprintf(gather->waveform, sizeof(gather->waveform), "%s", waveform ? waveform : "");
	gather->answers = calloc(n + 1, sizeof(*gather->answers));
	gather->n = gather->answers ? n : 0;
	for (uint32_t i = 0; i < gather->n; i++)
		gather->answers[i].node = nodes[i];
	gather->request = request ? malloc(request->len) : NULL;
	if (gather->request) {
		gather->request_len = request->len;
		memcpy(gather->request, request->bytes, request->len);
	}
	if (gather->answers && (!request || gather->request))
		return gather;
	gather_free(gather);
	return NULL;
}

static void answer_clear(struct gather_answer *answer)
{
	free(answer->bytes);
	free(answer->why);
	*answer = (struct gather_answer){.node = answer->node};
}

void gather_free(struct gather *gather)
{
	for (uint32_t i = 0; i < gather->n; i++)
		answer_clear(&gather->answers[i]);
	free(gather->answers);
	free(gather->request);
	free(gather->text);
	free(gather->program);
	free(gather);
}

static void answer_take(struct gather_answer *to, const struct wire_view *answer)
{
	const void *name;
	uint64_t again;
	size_t len;

	to->bytes = malloc(answer->len);
	if (!to->bytes)
		return;
	memcpy(to->bytes, answer->bytes, answer->len);
	wire_decode(to->bytes, answer->len, &to->view);
	to->ok = answer->type == WIRE_OK;
	to->again = wire_get_u64(answer, WIRE_TAG_AGAIN, &again) == 0;
	wire_get_u64(answer, WIRE_TAG_CODE, &to->code);
	to->away = !to->ok && wire_get_bytes(answer, WIRE_TAG_NODE, 0, &name, &len) == 0;
	to->why = to->ok ? NULL : wire_get_text(answer, WIRE_TAG_TEXT, 0);
}

static void gather_answered(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	struct gather *gather = call->gather;
	struct gather_answer *to = &gather->answers[call->gather_at];

	to->code = 1;
	if (answer) {
		answer_take(to, answer);
	} else {
		to->why = strdup(call->lost ? call->lost : "there is no answer");
		to->again = call->again;
	}
	if (--gather->left == 0)
		gather->done(swman, gather);
}

static void one_ask(
    struct swman *swman, struct gather *gather, const struct wire_view *question, uint32_t at)
{
	struct swman_call *call = swman_call_new(NULL, gather->waveform);
	struct gather_answer *to = &gather->answers[at];
	struct wire_msg msg;

	if (!call) {
		to->why = strdup("out of memory");
		to->code = 1;
		if (--gather->left == 0)
			gather->done(swman, gather);
		return;
	}
	call->gather = gather;
	call->gather_at = at;
	wire_init_copy(&msg, question, WIRE_TAG_NODE);
	wire_put_text(&msg, WIRE_TAG_NODE, machines_name(&swman->machines, to->node));
	swman_ask(swman, call, &msg, gather_answered);
}

static void range_ask(struct swman *swman, struct gather *gather, struct wire_msg *msg,
    uint32_t from, uint32_t to, void (*done)(struct swman *swman, struct gather *gather))
{
	struct wire_view question = {0};
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);
	const bool sound = bytes && wire_decode(bytes, len, &question) == 0;

	for (uint32_t i = from; i < to; i++)
		answer_clear(&gather->answers[i]);
	gather->done = done;
	gather->left =
	    to - from + 1; /* one for us: the last answer may come while others are asked */
	for (uint32_t i = from; sound && i < to; i++)
		one_ask(swman, gather, &question, i);
	for (uint32_t i = from; !sound && i < to; i++) {
		gather->answers[i].why = strdup("out of memory");
		gather->answers[i].code = 1;
		gather->left--;
	}
	wire_fini(msg);
	if (--gather->left == 0)
		done(swman, gather);
}

void gather_ask(struct swman *swman, struct gather *gather, struct wire_msg *msg,
    void (*done)(struct swman *swman, struct gather *gather))
{
	range_ask(swman, gather, msg, 0, gather->n, done);
}

void gather_ask_one(struct swman *swman, struct gather *gather, struct wire_msg *msg, uint32_t at,
    void (*done)(struct swman *swman, struct gather *gather))
{
	range_ask(swman, gather, msg, at, at + 1, done);
}

const struct gather_answer *gather_failed(const struct gather *gather)
{
	for (uint32_t i = 0; i < gather->n; i++)
		if (!gather->answers[i].ok)
			return &gather->answers[i];
	return NULL;
}

json_t *gather_json(const struct gather_answer *answer)
{
	const void *text;
	size_t len;

	if (!answer->ok || wire_get_bytes(&answer->view, WIRE_TAG_JSON, 0, &text, &len) < 0)
		return NULL;
	return json_loadb(text, len, 0, NULL);
}

/* ---- who asked ---- */

static bool request_of(const struct gather *gather, struct wire_view *ret)
{
	return gather->request && wire_decode(gather->request, gather->request_len, ret) == 0;
}

void gather_ok(struct swman *swman, const struct gather *gather, struct wire_msg *ret_msg)
{
	struct wire_view request;

	if (request_of(gather, &request))
		bus_reply(swman->daemon.bus, &request, WIRE_OK, ret_msg);
	else
		*ret_msg = (struct wire_msg){.error = -EINVAL};
}

void gather_send(struct swman *swman, struct wire_msg *msg)
{
	if (msg->error)
		wire_fini(msg);
	else
		bus_send(swman->daemon.bus, msg);
}

void gather_refuse(
    struct swman *swman, const struct gather *gather, int code, const char *format, ...)
{
	struct wire_view request;
	char text[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (request_of(gather, &request))
		daemon_fail(&swman->daemon, &request, code, "%s", text);
	else
		log_error(&swman->daemon.log, "%s: %s", gather->waveform, text);
}

/* What its frontend says of a node that is not there names the node already. */
void gather_why(
    const struct swman *swman, const struct gather_answer *answer, char *ret, size_t size)
{
	const char *why = answer->why ? answer->why
	    : answer->ok              ? "its answer cannot be read"
	                              : "it gives no reason";

	if (strncmp(why, "node \"", 6) == 0)
		snprintf(ret, size, "%s", why);
	else
		snprintf(ret, size, "node \"%s\": %s",
		    machines_name(&swman->machines, answer->node), why);
}

void gather_fail(
    struct swman *swman, const struct gather *gather, const struct gather_answer *answer)
{
	struct wire_view request;
	struct wire_msg msg;
	uint64_t newest;
	char text[1200];

	gather_why(swman, answer, text, sizeof(text));
	if (!request_of(gather, &request)) {
		log_error(&swman->daemon.log, "%s: %s", gather->waveform, text);
		return;
	}
	bus_reply(swman->daemon.bus, &request, WIRE_FAIL, &msg);
	wire_put_u64(&msg, WIRE_TAG_CODE, answer->code);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	if (answer->bytes && wire_get_u64(&answer->view, WIRE_TAG_NEWEST, &newest) == 0)
		wire_put_u64(&msg, WIRE_TAG_NEWEST, newest);
	if (answer->again)
		wire_put_u64(&msg, WIRE_TAG_AGAIN, 1);
	bus_send(swman->daemon.bus, &msg);
}
