/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/http/http.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct http {
	struct http_calls calls;
	struct mg_context *context;
};

static const char *status_text(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 503:
		return "Service Unavailable";
	default:
		return "Internal Server Error";
	}
}

/* Host without a port: [::1], 127.x.y.z or localhost. */
static bool host_is_local(const char *host)
{
	const bool v6 = host && host[0] == '[';
	char name[64];
	struct in_addr address;
	size_t len;

	if (!host) /* HTTP/1.0: no browser */
		return true;
	len = strcspn(host, v6 ? "]" : ":") + v6;
	if (len >= sizeof(name))
		return false;
	memcpy(name, host, len);
	name[len] = 0;
	if (inet_pton(AF_INET, name, &address) == 1)
		return ntohl(address.s_addr) >> 24 == 127;
	return strcasecmp(name, "localhost") == 0 || strcmp(name, "[::1]") == 0;
}

static void reply_send(
    struct mg_connection *connection, const struct http_reply *reply, bool head_only)
{
	char words[64];
	const char *body = reply->body ? reply->body : words;
	size_t len = reply->len;

	if (!reply->body)
		len = (size_t)snprintf(words, sizeof(words), "%s\n", status_text(reply->status));
	mg_printf(connection,
	    "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: "
	    "no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
	    reply->status, status_text(reply->status), reply->body ? reply->type : "text/plain",
	    len);
	if (!head_only)
		mg_write(connection, body, len);
}

static int request_take(struct mg_connection *connection)
{
	const struct mg_request_info *info = mg_get_request_info(connection);
	const struct http *http = info->user_data;
	const bool head = strcmp(info->request_method, "HEAD") == 0;
	struct http_reply reply = {.status = 200};

	if (!head && strcmp(info->request_method, "GET") != 0)
		reply.status = 405;
	else if (!host_is_local(mg_get_header(connection, "Host")))
		reply.status = 403;
	else if (!info->local_uri)
		reply.status = 404;
	else
		http->calls.answer(
		    http->calls.self, info->local_uri, mg_get_header(connection, "Accept"), &reply);
	reply_send(connection, &reply, head);
	free(reply.body);
	return reply.status;
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
	char threads[16], client_ms[16], bytes[16];
	const char *const options[] = {"listening_ports", address, "num_threads", threads,
	    "request_timeout_ms", client_ms, "max_request_size", bytes, "enable_keep_alive", "no",
	    "connection_queue", threads, "linger_timeout_ms", client_ms, NULL};
	const struct mg_callbacks callbacks = {
	    .begin_request = request_take, .log_message = words_drop};
	struct http *http = calloc(1, sizeof(*http));

	if (!http)
		return -ENOMEM;
	snprintf(threads, sizeof(threads), "%d", HTTP_THREADS);
	snprintf(client_ms, sizeof(client_ms), "%d", HTTP_CLIENT_MS);
	snprintf(bytes, sizeof(bytes), "%d", HTTP_REQUEST_BYTES);
	http->calls = *calls;
	mg_init_library(0);
	http->context = mg_start(&callbacks, http, (const char **)(uintptr_t)options);
	if (!http->context) {
		mg_exit_library();
		free(http);
		return -EADDRINUSE;
	}
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
