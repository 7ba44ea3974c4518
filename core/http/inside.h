/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/http/inside.h - between the files of this room. */
#ifndef ALOE_HTTP_INSIDE_H
#define ALOE_HTTP_INSIDE_H

#include <civetweb.h>

#include "core/http/http.h"

enum {
	HTTP_SOCKET_MS = 5000, /* a client of a WebSocket that is silent so long is asked */
	HTTP_PINGS = 3,        /* that it leaves unanswered, and is gone */
	HTTP_LOOK_MS = 500,
	HTTP_SEND_BYTES = 16384, /* in the kernel, of a stream */
};

struct http {
	struct http_calls calls;
	struct mg_context *context;
};

/* exchange.c. http_policy_print: the headers that each answer has. http_request_check: Host, Origin
 * and path: 0, or the status that says what is wrong. */
void http_policy_print(struct mg_connection *connection);
int http_request_check(struct mg_connection *connection);
void http_request_take(struct mg_connection *connection, struct http_request *ret);
void http_reply_send(
    struct mg_connection *connection, const struct http_reply *reply, bool head_only);
void http_reply_fini(struct http_reply *reply);

/* connection.c. http_connection_fd: the descriptor of a connection; -1: not found. Nobody but
 * civetweb closes it. http_connection_small: little is kept in the kernel of what a client does not
 * read, so that it is noticed. http_connection_stands: the client has not gone. */
int http_connection_fd(const struct mg_connection *connection);
void http_connection_small(int fd);
bool http_connection_stands(int fd);

/* socket.c: what is at calls.sockets. */
void http_socket_serve(struct http *http);
/* http_socket_end is called when a connection ends: whose client had gone before the WebSocket
 * began is no more closed by civetweb than it was opened. */
void http_socket_end(const struct mg_connection *connection);

#endif
