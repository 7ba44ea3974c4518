/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/web_route.h - a request to the dashboard's server: what is wanted, or what is
 * wrong with it. Pure: text in, struct out. Every text is checked as a peer's is.
 */
#ifndef ALOE_STATSMAN_WEB_ROUTE_H
#define ALOE_STATSMAN_WEB_ROUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/http/http.h"

enum web_kind {
	WEB_PAGE, /* a file of page.h, or nothing that there is */
	WEB_METRICS,
	WEB_TOKEN,
	WEB_NODE,
	WEB_NODES,
	WEB_WAVEFORMS,
	WEB_REPORT,
	WEB_GRAPH,
	WEB_HISTOGRAMS,
	WEB_MISSES,
	WEB_MISS,
	WEB_VARIABLES,
	WEB_OUTPUTS,
	WEB_TRACE,
	WEB_SET,
	WEB_RING,
	WEB_EVENTS,
	WEB_SIGNAL,
	WEB_COMPONENT, /* `port` is its name */
	WEB_KINDS
};

enum web_view { WEB_SPECTRUM, WEB_WATERFALL, WEB_CONSTELLATION, WEB_TIME, WEB_VIEWS };

enum {
	WEB_NAME = 64,
	WEB_PORT_NAME = 256,
	WEB_SET_MAX = 64, /* parameters in one request */
	WEB_VALUE_MAX = 8192,
	WEB_RATE_MAX = 25,
	WEB_RATE_USUAL = 10,
	WEB_BINS_MIN = 64,
	WEB_BINS_MAX = 4096,
	WEB_BINS_USUAL = 512,
	WEB_TRACE_MS_MAX = 3600000,
	WEB_KEEP_MAX = 64,
	WEB_KEEP_USUAL = 8,
	WEB_WHY = 256,
};

struct web_set { /* one parameter; freed by web_target_fini */
	char *name, *value;
};

struct web_target {
	enum web_kind kind;
	bool changes; /* wants the token */
	bool socket;  /* by a WebSocket */
	char waveform[WEB_NAME], port[WEB_PORT_NAME];
	uint64_t number; /* slot of a miss; ms of a trace; messages that a ring keeps */
	bool json;       /* a trace for chrome://tracing */
	bool has_index;  /* of a SET: at this index */
	uint64_t index;
	enum web_view view;
	uint32_t rate, bins;
	struct web_set *sets;
	size_t n_sets;
};

/* web_route: 0; or a status of HTTP with a sentence in ret_why. End with web_target_fini in any
 * case. */
int web_route(const struct http_request *request, struct web_target *ret, char ret_why[WEB_WHY]);
/* web_route_body reads what a POST that web_route has let through brings: 0 or a status. */
int web_route_body(
    const struct http_request *request, struct web_target *target, char ret_why[WEB_WHY]);
void web_target_fini(struct web_target *target);

/* web_is_plain: visible ASCII alone. */
bool web_is_plain(const char *text);
const char *web_view_name(enum web_view view);

#endif
