/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/http/http.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/http/inside.h"

/* ---- what is answered -------------------------------------------------------------------- */

static void events_send(struct mg_connection *connection, const struct http *http, void *stream)
{
	const int fd = http_connection_fd(connection);
	struct http_message message;
	bool sent;

	http_connection_small(fd);
	mg_printf(connection,
	    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n");
	http_policy_print(connection);
	sent = mg_printf(connection, "\r\n") > 0;
	while (sent && http->calls.next(http->calls.self, stream, &message)) {
		sent = mg_write(connection, message.bytes, message.len) == (int)message.len;
		free(message.bytes);
	}
	http->calls.end(http->calls.self, stream, !sent && http_connection_stands(fd));
}

/* ---- what comes ------------------------------------------------------------------------ */

/* 0, or the status that says what is wrong. */
static int body_read(struct mg_connection *connection, long long len, char *ret_body)
{
	int got = 0, n = 1;

	if (len < 0)
		return 411;
	if (len > HTTP_BODY_BYTES)
		return 413;
	for (; got < len && n > 0; got += n > 0 ? n : 0)
		n = mg_read(connection, ret_body + got, (size_t)(len - got));
	ret_body[got] = 0;
	return got == len ? 0 : 400;
}

static int method_check(const struct mg_request_info *info, bool *ret_head, bool *ret_post)
{
	*ret_head = strcmp(info->request_method, "HEAD") == 0;
	*ret_post = strcmp(info->request_method, "POST") == 0;
	return *ret_head || *ret_post || strcmp(info->request_method, "GET") == 0 ? 0 : 405;
}

/* A GET for a WebSocket goes on in socket.c. */
static bool is_socket(struct mg_connection *connection, const struct http *http)
{
	const char *upgrade = mg_get_header(connection, "Upgrade");
	const struct mg_request_info *info = mg_get_request_info(connection);
	const char *const *path = http->calls.sockets;

	if (!path || !upgrade || strcasecmp(upgrade, "websocket") != 0 || !info->local_uri ||
	    strcmp(info->request_method, "GET") != 0)
		return false;
	while (*path && strcmp(info->local_uri, *path) != 0)
		path++;
	return *path != NULL;
}

static int request_answer(struct mg_connection *connection)
{
	const struct mg_request_info *info = mg_get_request_info(connection);
	const struct http *http = info->user_data;
	struct http_reply reply = {.status = 200};
	struct http_request request;
	char body[HTTP_BODY_BYTES + 1] = "";
	bool head, post;
	int status;

	status = method_check(info, &head, &post);
	if (status == 0)
		status = http_request_check(connection);
	if (status == 0 && post)
		status = body_read(connection, info->content_length, body);
	http_request_take(connection, &request);
	request.post = post;
	request.head = head;
	request.body = body;
	request.len = status == 0 && post ? (size_t)info->content_length : 0;
	if (status == 0)
		http->calls.answer(http->calls.self, &request, &reply);
	else
		reply.status = status;
	if (reply.stream)
		events_send(connection, http, reply.stream);
	else
		http_reply_send(connection, &reply, head);
	http_reply_fini(&reply);
	return reply.status;
}

static int request_begin(struct mg_connection *connection)
{
	const struct http *http = mg_get_request_info(connection)->user_data;

	return is_socket(connection, http) ? 0 : request_answer(connection);
}

/* What a client did wrong is no line of our log. */
static int words_drop(const struct mg_connection *connection, const char *words)
{
	(void)connection;
	(void)words;
	return 1;
}

int http_open(const char *address, const struct http_calls *calls, struct http **ret_http)
{
	char threads[16], queue[16], client_ms[16], bytes[16];
	const char *const options[] = {"listening_ports", address, "num_threads", threads,
	    "request_timeout_ms", client_ms, "max_request_size", bytes, "enable_keep_alive", "no",
	    "connection_queue", queue, "linger_timeout_ms", client_ms, NULL};
	const struct mg_callbacks callbacks = {.begin_request = request_begin,
	    .connection_close = http_socket_end,
	    .log_message = words_drop};
	struct http *http = calloc(1, sizeof(*http));

	if (!http)
		return -ENOMEM;
	snprintf(threads, sizeof(threads), "%u", HTTP_THREADS + calls->streams);
	snprintf(queue, sizeof(queue), "%d", HTTP_THREADS);
	snprintf(client_ms, sizeof(client_ms), "%d", HTTP_CLIENT_MS);
	snprintf(bytes, sizeof(bytes), "%d", HTTP_REQUEST_BYTES);
	http->calls = *calls;
	mg_init_library(MG_FEATURES_WEBSOCKET);
	http->context = mg_start(&callbacks, http, (const char **)(uintptr_t)options);
	if (!http->context) {
		mg_exit_library();
		free(http);
		return -EADDRINUSE;
	}
	if (calls->sockets)
		http_socket_serve(http);
	*ret_http = http;
	return 0;
}

void http_close(struct http *http)
{
	if (!http)
		return;
	mg_stop(http->context);
	mg_exit_library();
	free(http);
}
