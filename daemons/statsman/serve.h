/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/serve.h - a server of core/http that is tried again each SERVE_RETRY_MS while
 * another program has its port.
 */
#ifndef ALOE_STATSMAN_SERVE_H
#define ALOE_STATSMAN_SERVE_H

#include "core/base/address.h"
#include "core/base/log.h"
#include "core/base/loop.h"
#include "core/http/http.h"

enum { SERVE_RETRY_MS = 1000 };

struct served {
	struct loop *loop;
	const struct log *log;
	const char *what; /* "/metrics" */
	char address[ADDRESS_TEXT];
	struct http_calls calls;
	struct http *http; /* NULL: the address cannot be had, yet */
	bool told;         /* of that */
	struct loop_timer retry;
	/* each time that it was tried; may be NULL */
	void (*tried)(struct served *serve, bool served);
};

/* serve_begin: the caller has set loop, log, what, address and calls. serve_end may be called
 * without it. */
void serve_begin(struct served *serve);
void serve_end(struct served *serve);

#endif
