/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/statsman/web_route.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

enum { QUERY_MAX = 6, KEY_MAX = 16 };

/* What may be in the query of an address. */
enum {
	ASK_WAVEFORM = 1,
	ASK_PORT = 2,
	ASK_VIEW = 4,
	ASK_RATE = 8,
	ASK_BINS = 16,
	ASK_MS = 32,
	ASK_FORMAT = 64,
	ASK_INDEX = 128
};

static const char *const views[] = {"spectrum", "waterfall", "constellation", "time"};

static const struct {
	const char *path;
	enum web_kind kind;
	bool post;
	unsigned asks;
} wholes[] = {{"/metrics", WEB_METRICS, false, 0}, {"/api/token", WEB_TOKEN, false, 0},
    {"/api/node", WEB_NODE, false, 0}, {"/api/nodes", WEB_NODES, false, 0},
    {"/api/waveforms", WEB_WAVEFORMS, false, 0}, {"/api/events", WEB_EVENTS, false, ASK_WAVEFORM},
    {"/api/signal", WEB_SIGNAL, false, ASK_WAVEFORM | ASK_PORT | ASK_VIEW | ASK_RATE | ASK_BINS}},
  parts[] = {{"", WEB_REPORT, false, 0}, {"graph", WEB_GRAPH, false, 0},
      {"histograms", WEB_HISTOGRAMS, false, 0}, {"misses", WEB_MISSES, false, 0},
      {"variables", WEB_VARIABLES, false, 0}, {"outputs", WEB_OUTPUTS, false, 0},
      {"trace", WEB_TRACE, false, ASK_MS | ASK_FORMAT}, {"set", WEB_SET, true, ASK_INDEX},
      {"ring", WEB_RING, true, 0}};

static const char below[] = "/api/waveforms/", components[] = "/api/components/";

const char *web_view_name(enum web_view view)
{
	return views[view];
}

__attribute__((format(printf, 3, 4))) static int request_refuse(
    char ret_why[WEB_WHY], int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(ret_why, WEB_WHY, format, args);
	va_end(args);
	return status;
}

/* ---- the path ------------------------------------------------------------------------ */

bool web_is_plain(const char *text)
{
	for (; *text; text++)
		if (*text < 0x21 || *text > 0x7e)
			return false;
	return true;
}

static bool whole_read(const char *text, uint64_t most, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0 && *ret <= most;
}

/* Of /api/waveforms/W/misses/SLOT what follows W/. */
static int part_find(
    const char *part, bool post, struct web_target *ret, unsigned *ret_asks, char ret_why[WEB_WHY])
{
	static const char miss[] = "misses/";

	if (strncmp(part, miss, sizeof(miss) - 1) == 0 && !post) {
		ret->kind = WEB_MISS;
		return whole_read(part + sizeof(miss) - 1, UINT64_MAX >> 16, &ret->number)
		    ? 0
		    : request_refuse(ret_why, 400, "a slot is a whole number");
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcmp(part, parts[i].path) != 0)
			continue;
		if (parts[i].post != post)
			return request_refuse(ret_why, 405, "this address takes only %s",
			    parts[i].post ? "POST" : "GET");
		ret->kind = parts[i].kind;
		ret->changes = post;
		*ret_asks = parts[i].asks;
		return 0;
	}
	return request_refuse(
	    ret_why, 404, "a waveform has no \"%.40s\" here", web_is_plain(part) ? part : "?");
}

static int waveform_take(const char *name, size_t len, struct web_target *ret, char *ret_why)
{
	if (len >= WEB_NAME)
		return request_refuse(
		    ret_why, 404, "a waveform's name has at most %d letters", WEB_NAME - 1);
	memcpy(ret->waveform, name, len);
	ret->waveform[len] = 0;
	return text_is_waveform(ret->waveform)
	    ? 0
	    : request_refuse(ret_why, 404, "no waveform can have this name; " TEXT_WAVEFORM_RULE);
}

static int component_take(const char *name, bool post, struct web_target *ret, char *ret_why)
{
	if (post)
		return request_refuse(ret_why, 405, "this address takes only GET");
	if (strlen(name) >= sizeof(ret->port) || !text_is_name(name))
		return request_refuse(ret_why, 404, "no component can have this name");
	ret->kind = WEB_COMPONENT;
	snprintf(ret->port, sizeof(ret->port), "%s", name);
	return 0;
}

static int path_find(const struct http_request *request, struct web_target *ret, unsigned *ret_asks,
    char ret_why[WEB_WHY])
{
	const char *path = request->path, *name = path + sizeof(below) - 1;
	size_t len;
	int status;

	for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++)
		if (strcmp(path, wholes[i].path) == 0) {
			ret->kind = wholes[i].kind;
			*ret_asks = wholes[i].asks;
			return request->post
			    ? request_refuse(ret_why, 405, "this address takes only GET")
			    : 0;
		}
	if (strncmp(path, components, sizeof(components) - 1) == 0)
		return component_take(path + sizeof(components) - 1, request->post, ret, ret_why);
	if (strncmp(path, below, sizeof(below) - 1) != 0) {
		ret->kind = WEB_PAGE;
		return request->post ? request_refuse(ret_why, 405, "this address takes only GET")
		                     : 0;
	}
	len = strcspn(name, "/");
	status = waveform_take(name, len, ret, ret_why);
	return status
	    ? status
	    : part_find(name + len + (name[len] == '/'), request->post, ret, ret_asks, ret_why);
}

/* ---- the query ------------------------------------------------------------------------ */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0'
	    : c >= 'a' && c <= 'f'  ? c - 'a' + 10
	    : c >= 'A' && c <= 'F'  ? c - 'A' + 10
	                            : -1;
}

/* Decodes one value, up to & or the end; the number of characters that it took, or 0 if it is too
 * long, wrong, or holds what no name holds. */
static size_t value_decode(const char *text, char *ret, size_t size)
{
	size_t at = 0, len = 0;

	for (; text[at] && text[at] != '&'; len++) {
		int c = (unsigned char)text[at++];

		if (c == '%') {
			const int high = hex_digit(text[at]),
			          low = high < 0 ? -1 : hex_digit(text[at + 1]);

			c = low < 0 ? 0 : high * 16 + low;
			at += low < 0 ? 0 : 2;
		}
		if (c < 0x21 || c > 0x7e || len + 1 >= size)
			return 0;
		ret[len] = (char)c;
	}
	ret[len] = 0;
	return at;
}

static int view_take(const char *value, struct web_target *ret, char ret_why[WEB_WHY])
{
	for (unsigned v = 0; v < WEB_VIEWS; v++)
		if (strcmp(value, views[v]) == 0) {
			ret->view = (enum web_view)v;
			return 0;
		}
	return request_refuse(ret_why, 400,
	    "view %.40s: there are spectrum, waterfall, constellation and time", value);
}

static int bins_take(const char *value, struct web_target *ret, char ret_why[WEB_WHY])
{
	uint64_t bins;

	if (!whole_read(value, WEB_BINS_MAX, &bins) || bins < WEB_BINS_MIN || (bins & (bins - 1)))
		return request_refuse(ret_why, 400,
		    "bins %.40s: a power of two from %d to %d is needed", value, WEB_BINS_MIN,
		    WEB_BINS_MAX);
	ret->bins = (uint32_t)bins;
	return 0;
}

static int number_take(const char *key, const char *value, uint64_t least, uint64_t most,
    uint64_t *ret, char ret_why[WEB_WHY])
{
	return whole_read(value, most, ret) && *ret >= least
	    ? 0
	    : request_refuse(ret_why, 400,
	          "%s %.40s: a whole number %" PRIu64 " .. %" PRIu64 " is needed", key, value,
	          least, most);
}

static int ask_take(unsigned ask, const char *value, struct web_target *ret, char ret_why[WEB_WHY])
{
	uint64_t number = 0;
	int status = 0;

	switch (ask) {
	case ASK_WAVEFORM:
		return waveform_take(value, strlen(value), ret, ret_why);
	case ASK_PORT:
		snprintf(ret->port, sizeof(ret->port), "%s", value);
		return 0;
	case ASK_VIEW:
		return view_take(value, ret, ret_why);
	case ASK_RATE:
		status = number_take("rate", value, 1, WEB_RATE_MAX, &number, ret_why);
		ret->rate = (uint32_t)number;
		return status;
	case ASK_BINS:
		return bins_take(value, ret, ret_why);
	case ASK_MS:
		return number_take("ms", value, 1, WEB_TRACE_MS_MAX, &ret->number, ret_why);
	case ASK_INDEX:
		ret->has_index = true;
		return number_take("index", value, 0, UINT64_MAX >> 1, &ret->index, ret_why);
	default:
		ret->json = strcmp(value, "json") == 0;
		return ret->json
		    ? 0
		    : request_refuse(ret_why, 400, "format %.40s: only json is known", value);
	}
}

static unsigned ask_find(const char *key, size_t len)
{
	static const struct {
		const char *key;
		unsigned ask;
	} keys[] = {{"waveform", ASK_WAVEFORM}, {"port", ASK_PORT}, {"view", ASK_VIEW},
	    {"rate", ASK_RATE}, {"bins", ASK_BINS}, {"ms", ASK_MS}, {"format", ASK_FORMAT},
	    {"index", ASK_INDEX}};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].key) == len && strncmp(key, keys[i].key, len) == 0)
			return keys[i].ask;
	return 0;
}

static int query_take(
    const char *query, unsigned asks, struct web_target *ret, char ret_why[WEB_WHY])
{
	char value[WEB_PORT_NAME];
	unsigned seen = 0;

	while (query && *query) {
		const size_t len = strcspn(query, "=&");
		const unsigned ask = query[len] == '=' ? ask_find(query, len) : 0;
		size_t took;
		int status;

		if ((ask & asks) == 0 || (ask & seen))
			return request_refuse(ret_why, 400,
			    "the query has a part that this address does not take, or takes once");
		took = value_decode(query + len + 1, value, sizeof(value));
		if (took == 0)
			return request_refuse(
			    ret_why, 400, "the query has a value that is no name and no number");
		status = ask_take(ask, value, ret, ret_why);
		if (status)
			return status;
		seen |= ask;
		query += len + 1 + took;
		query += *query == '&';
	}
	if (ret->kind == WEB_SIGNAL && (~seen & (ASK_WAVEFORM | ASK_PORT)))
		return request_refuse(ret_why, 400, "a signal needs waveform= and port=");
	return 0;
}

int web_route(const struct http_request *request, struct web_target *ret, char ret_why[WEB_WHY])
{
	unsigned asks = 0;
	int status;

	*ret = (struct web_target){.rate = WEB_RATE_USUAL, .bins = WEB_BINS_USUAL};
	ret_why[0] = 0;
	status = path_find(request, ret, &asks, ret_why);
	if (status == 0 && ret->kind == WEB_TRACE)
		ret->number = 2000;
	if (status == 0 && ret->kind != WEB_PAGE)
		status = query_take(request->query, asks, ret, ret_why);
	if (status == 0 && ret->kind == WEB_EVENTS && request->head)
		return request_refuse(ret_why, 405, "events have no end, so this takes only GET");
	if (status == 0 && ret->kind == WEB_SIGNAL && !request->socket)
		return request_refuse(ret_why, 400, "/api/signal is a WebSocket");
	if (status == 0 && ret->kind != WEB_SIGNAL && ret->kind != WEB_EVENTS && request->socket)
		return request_refuse(
		    ret_why, 400, "only /api/events and /api/signal are WebSockets");
	ret->socket = request->socket;
	return status;
}

void web_target_fini(struct web_target *target)
{
	for (size_t i = 0; i < target->n_sets; i++) {
		free(target->sets[i].name);
		free(target->sets[i].value);
	}
	free(target->sets);
	target->sets = NULL;
	target->n_sets = 0;
}
