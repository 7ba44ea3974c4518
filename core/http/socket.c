/* SPDX-License-Identifier: BSD-3-Clause
 *
 * WebSockets: a thread of ours writes what `next` gives, and the thread of civetweb reads, by our
 * own code in socket_ready, so that the client's end is known at once. civetweb's own reading finds
 * the connection shut. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/http/frame.h"
#include "core/http/inside.h"

enum close_code { NORMAL = 1000, NO_FRAME = 1002, TOO_LONG = 1009 };

struct socket {
	const struct http *http;
	struct mg_connection *connection;
	void *stream;
	int fd;
	pthread_t writer;
	bool writes; /* there is a writer */
	bool failed; /* the client did not read; the writer's */
	bool silent; /* it left its last ping unanswered; the reader's */
	unsigned waits;
	atomic_bool closed; /* a CLOSE was sent; a second one is an error for browsers */
};

static void close_send(struct socket *socket, enum close_code code)
{
	const char bytes[2] = {(char)(code >> 8), (char)(code & 0xff)};

	if (!atomic_exchange(&socket->closed, true))
		mg_websocket_write(
		    socket->connection, MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, bytes, sizeof(bytes));
}

static void *socket_write(void *self)
{
	struct socket *socket = self;
	const struct http_calls *calls = &socket->http->calls;
	struct http_message message;
	bool sent = true;

	while (sent && calls->next(calls->self, socket->stream, &message)) {
		const int opcode =
		    message.binary ? MG_WEBSOCKET_OPCODE_BINARY : MG_WEBSOCKET_OPCODE_TEXT;

		sent = mg_websocket_write(socket->connection, opcode, message.bytes, message.len) ==
		    (int)message.len;
		free(message.bytes);
	}
	if (sent) {
		close_send(socket, NORMAL);
		return NULL;
	}
	socket->failed = http_connection_stands(socket->fd);
	shutdown(socket->fd, SHUT_RDWR); /* whoever reads is to end */
	return NULL;
}

/* ---- what the client sends ------------------------------------------------------------- */

/* False: it was the last. */
static bool frame_answer(struct socket *socket, const struct http_frame *frame)
{
	if (frame->opcode == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE)
		close_send(socket, NORMAL);
	if (frame->opcode == MG_WEBSOCKET_OPCODE_PING)
		mg_websocket_write(socket->connection, MG_WEBSOCKET_OPCODE_PONG,
		    (const char *)frame->bytes, frame->len);
	return frame->opcode != MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE;
}

/* False: the WebSocket ends. */
static bool frames_answer(struct socket *socket, uint8_t *bytes, size_t *have)
{
	struct http_frame frame;
	long took;

	while ((took = http_frame_take(bytes, *have, &frame)) > 0) {
		if (!frame_answer(socket, &frame))
			return false;
		*have -= (size_t)took;
		memmove(bytes, bytes + took, *have);
	}
	if (took < 0)
		close_send(socket, took == -EMSGSIZE ? TOO_LONG : NO_FRAME);
	return took == 0;
}

/* Nothing came for HTTP_LOOK_MS. False: the client is gone, or has had its time to answer the
 * CLOSE. */
static bool is_awaited(struct socket *socket, unsigned *looks)
{
	const unsigned each = HTTP_SOCKET_MS / HTTP_LOOK_MS;

	++*looks;
	if (atomic_load(&socket->closed))
		return ++socket->waits < 3;
	if (*looks % each == 0 && *looks / each <= HTTP_PINGS)
		mg_websocket_write(socket->connection, MG_WEBSOCKET_OPCODE_PING, "", 0);
	socket->silent = *looks / each > HTTP_PINGS;
	return !socket->silent;
}

static void socket_read(struct socket *socket)
{
	uint8_t bytes[HTTP_FRAME_HEAD + HTTP_FRAME_BYTES];
	struct pollfd look = {.fd = socket->fd, .events = POLLIN};
	unsigned looks = 0;
	size_t have = 0;
	bool goes_on = true;

	while (goes_on) {
		const int ready = poll(&look, 1, HTTP_LOOK_MS);
		ssize_t n;

		if (ready <= 0) {
			goes_on = ready == 0 ? is_awaited(socket, &looks) : errno == EINTR;
			continue;
		}
		n = recv(socket->fd, bytes + have, sizeof(bytes) - have, MSG_DONTWAIT);
		if (n > 0) {
			looks = 0;
			have += (size_t)n;
			goes_on = frames_answer(socket, bytes, &have);
		} else {
			goes_on = n < 0 && (errno == EAGAIN || errno == EINTR);
		}
	}
}

/* ---- its beginning and end --------------------------------------------------------------- */

/* 0: the WebSocket is accepted; 1: it was answered otherwise. */
static int socket_accept(const struct mg_connection *asked, void *self)
{
	struct mg_connection *connection = (struct mg_connection *)(uintptr_t)asked;
	const struct http *http = self;
	struct socket *socket = calloc(1, sizeof(*socket));
	const int fd = http_connection_fd(connection);
	struct http_reply reply = {.status = http_request_check(connection)};
	struct http_request request;

	http_request_take(connection, &request);
	request.socket = true;
	if (reply.status == 0 && (!socket || fd < 0))
		reply.status = 500;
	else if (reply.status == 0)
		http->calls.answer(http->calls.self, &request, &reply);
	if (socket && reply.stream) {
		*socket = (struct socket){
		    .http = http, .connection = connection, .stream = reply.stream, .fd = fd};
		http_connection_small(fd);
		mg_set_user_connection_data(connection, socket);
	} else {
		free(socket);
		http_reply_send(connection, &reply, false);
	}
	http_reply_fini(&reply);
	return reply.stream ? 0 : 1;
}

/* What has come and was not read is dropped; nothing more comes. */
static void socket_shut(int fd)
{
	char bytes[1024];

	shutdown(fd, SHUT_RDWR);
	while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}

static void socket_ready(struct mg_connection *connection, void *self)
{
	struct socket *socket = mg_get_user_connection_data(connection);
	const int fd = socket->fd;

	(void)self;
	socket->writes = pthread_create(&socket->writer, NULL, socket_write, socket) == 0;
	if (socket->writes)
		socket_read(socket);
	http_socket_end(connection);
	socket_shut(fd);
}

static void socket_closed(const struct mg_connection *connection, void *self)
{
	(void)self;
	http_socket_end(connection);
}

void http_socket_end(const struct mg_connection *connection)
{
	struct socket *socket = mg_get_user_connection_data(connection);

	if (!socket)
		return;
	mg_set_user_connection_data(connection, NULL);
	socket->http->calls.leave(socket->http->calls.self, socket->stream);
	if (socket->writes)
		pthread_join(socket->writer, NULL);
	socket->http->calls.end(
	    socket->http->calls.self, socket->stream, socket->failed || socket->silent);
	free(socket);
}

void http_socket_serve(struct http *http)
{
	for (const char *const *path = http->calls.sockets; *path; path++)
		mg_set_websocket_handler(
		    http->context, *path, socket_accept, socket_ready, NULL, socket_closed, http);
}
