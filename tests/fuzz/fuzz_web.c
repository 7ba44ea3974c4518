/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A request to the dashboard's server, of lines: method, path, query, Host, Origin, Content-Type,
 * token; the rest is the body. Whatever the bytes are, it is refused with a sentence, or what is
 * asked for is within its bounds. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/http/frame.h"
#include "core/http/guard.h"
#include "daemons/statsman/page.h"
#include "daemons/statsman/web_route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES = 7 };

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void target_check(const struct web_target *target, const struct http_request *request)
{
	insist(target->waveform[0] == 0 || text_is_waveform(target->waveform));
	insist(strlen(target->port) < WEB_PORT_NAME);
	for (const char *c = target->port; *c; c++)
		insist(*c > 0x20 && *c < 0x7f);
	insist(target->rate >= 1 && target->rate <= WEB_RATE_MAX);
	insist(target->bins >= WEB_BINS_MIN && target->bins <= WEB_BINS_MAX);
	insist((target->bins & (target->bins - 1)) == 0);
	insist(target->kind < WEB_KINDS && target->view < WEB_VIEWS);
	insist(target->changes == (target->kind == WEB_SET || target->kind == WEB_RING));
	insist(!target->changes || request->post);
	insist(target->kind != WEB_EVENTS || !request->head);
	insist(target->kind != WEB_TRACE ||
	    (target->number >= 1 && target->number <= WEB_TRACE_MS_MAX));
	insist(target->kind != WEB_SIGNAL || (target->port[0] && target->waveform[0]));
	insist(target->socket == request->socket);
	insist(target->kind != WEB_SIGNAL || target->socket);
	insist(!target->socket || target->kind == WEB_SIGNAL || target->kind == WEB_EVENTS);
}

static void body_check(const struct web_target *target)
{
	insist(target->n_sets <= WEB_SET_MAX);
	if (target->kind == WEB_RING)
		insist(target->port[0] && target->number >= 1 && target->number <= WEB_KEEP_MAX);
	else
		insist(target->n_sets > 0);
	for (size_t i = 0; i < target->n_sets; i++)
		insist(strchr(target->sets[i].name, '.') && target->sets[i].value[0] != '@');
}

static void request_try(const struct http_request *request, const char *host, const char *origin)
{
	char why[WEB_WHY];
	struct web_target target;
	int status = web_route(request, &target, why);

	insist((status == 0) == (why[0] == 0));
	insist(!http_host_local(host) || !strstr(host, "evil"));
	if (http_origin_own(origin, host))
		insist(strcasecmp(origin + strlen("http://"), host) == 0);
	insist(!http_token_same("0123456789abcdef", request->token) ||
	    strcmp(request->token, "0123456789abcdef") == 0);
	if (status == 0)
		target_check(&target, request);
	if (status == 0 && target.changes && web_route_body(request, &target, why) == 0)
		body_check(&target);
	if (status == 0 && target.kind == WEB_PAGE) {
		struct http_reply reply;

		page_answer(request, &reply);
		insist(reply.status != 200 || reply.len > 0);
		free(reply.body);
	}
	web_target_fini(&target);
}

/* The same bytes as frames of a WebSocket. */
static void frames_try(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + 1);
	struct http_frame frame;
	size_t at = 0;
	long took;

	if (!bytes)
		return;
	memcpy(bytes, data, size);
	while ((took = http_frame_take(bytes + at, size - at, &frame)) > 0) {
		insist(frame.opcode < 16 && frame.len <= HTTP_FRAME_BYTES);
		insist(took <= HTTP_FRAME_HEAD + HTTP_FRAME_BYTES && (size_t)took <= size - at);
		insist(frame.bytes + frame.len == bytes + at + took);
		at += (size_t)took;
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *lines[LINES], *at = text;
	struct http_request request = {.match = NULL};

	frames_try(data, size);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	for (int i = 0; i < LINES; i++) {
		const size_t len = strcspn(at, "\n");

		lines[i] = at;
		at += len;
		if (*at)
			*at++ = 0;
	}
	request.post = strcmp(lines[0], "POST") == 0;
	request.head = strcmp(lines[0], "HEAD") == 0;
	request.socket = strcmp(lines[0], "SOCKET") == 0;
	request.path = lines[1];
	request.query = lines[2];
	request.type = lines[5];
	request.token = lines[6];
	request.body = at;
	request.len = size - (size_t)(at - text);
	request_try(&request, lines[3], lines[4]);
	free(text);
	return 0;
}
