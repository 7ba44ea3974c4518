/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/statsman/serve.h"

#include <string.h>

static void serve_try(void *self)
{
	struct served *serve = self;
	const int result = http_open(serve->address, &serve->calls, &serve->http);

	if (serve->tried)
		serve->tried(serve, result == 0);
	if (result == 0) {
		log_note(serve->log, "%s is served at http://%s%s", serve->what, serve->address,
		    serve->what[0] == '/' ? serve->what : "/");
		return;
	}
	if (!serve->told)
		log_error(serve->log,
		    "%s cannot be listened at (%s), so %s is not served; it is tried again every "
		    "second",
		    serve->address, strerror(-result), serve->what);
	serve->told = true;
	loop_timer_start(serve->loop, &serve->retry, SERVE_RETRY_MS * 1000000ull, serve_try, serve);
}

void serve_begin(struct served *serve)
{
	serve_try(serve);
}

void serve_end(struct served *serve)
{
	http_close(serve->http);
	serve->http = NULL;
	if (serve->loop)
		loop_timer_stop(serve->loop, &serve->retry);
}
