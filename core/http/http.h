/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/http/http.h - answers to GET over HTTP/1.1, for this machine alone: the door to civetweb.
 *
 *   client --- GET /path ---> one of HTTP_THREADS threads ---> answer(path, accept)
 *          <-- status, type, body ------------------------ <---
 *
 * The threads are the server's own and have the priority of who opens it. All that a client may
 * take is bounded: HTTP_THREADS requests are read at a time, each within HTTP_CLIENT_MS, so is the
 * writing of the answer; a request has at most HTTP_REQUEST_BYTES; further connections wait in the
 * kernel. A request is refused if its Host is no name of this machine, so that no page of a browser
 * reads here under a name of its own. One request for a connection.
 */
#ifndef ALOE_HTTP_H
#define ALOE_HTTP_H

#include <stddef.h>

enum { HTTP_THREADS = 4, HTTP_CLIENT_MS = 3000, HTTP_REQUEST_BYTES = 8192 };

struct http_reply {
	int status;       /* 200, 404 ... */
	const char *type; /* Content-Type; not freed */
	char *body;       /* freed by free(); NULL: the status in words */
	size_t len;
};

struct http_calls {
	/* A GET or HEAD of `path`; `accept` is its Accept header, or NULL. Called in any of the
	 * threads, of several at a time. */
	void (*answer)(
	    void *self, const char *path, const char *accept, struct http_reply *ret_reply);
	void *self;
};

struct http;

/* http_open serves at `address` (IP:PORT, see address_local): 0; -EADDRINUSE, if another program
 * has the port or the address cannot be had; -ENOMEM. http_close waits for requests under way; NULL
 * is fine. */
int http_open(const char *address, const struct http_calls *calls, struct http **ret_http);
void http_close(struct http *http);

#endif
