/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/http/http.h - HTTP/1.1 for this machine alone: the door to civetweb.
 *
 *   client --- GET or POST ---> one of HTTP_THREADS threads ---> answer(request)
 *          <-- status, type, body ------------------------- <---
 *   client --- GET, answered by a stream ---> a thread of its own ---> next(stream), repeatedly
 *          <-- events, or frames of a WebSocket ----------------- <---
 *
 * The threads are the server's own and have the priority of who opens it. All that a client may
 * take is bounded: HTTP_THREADS requests are read at a time, each within HTTP_CLIENT_MS, so is the
 * writing of the answer; a request has at most HTTP_REQUEST_BYTES, its body HTTP_BODY_BYTES;
 * there are at most `streams` streams, and who does not read one for HTTP_CLIENT_MS loses it;
 * further connections wait in the kernel. A request is refused if its Host is no name of this
 * machine or its Origin is another page than ours (guard.h), so that no page of a browser reads or
 * writes here under a name of its own. One request for a connection. What a client sends through a
 * WebSocket is read into a buffer of one frame, and dropped. The kernel keeps little of a stream
 * that is not read (HTTP_SEND_BYTES).
 */
#ifndef ALOE_HTTP_H
#define ALOE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

enum {
	HTTP_THREADS = 4,
	HTTP_CLIENT_MS = 3000,
	HTTP_REQUEST_BYTES = 8192,
	HTTP_BODY_BYTES = 8192,
	HTTP_FRAME_BYTES =
	    1024, /* of a client's frame; one that announces more ends the WebSocket */
};

struct http_request {
	bool post, socket;  /* socket: a WebSocket is wanted, at one of http_calls.sockets */
	bool head;          /* the headers alone are wanted: no stream answers that */
	const char *path;   /* decoded */
	const char *query;  /* as it came, without the question mark; NULL: none */
	const char *accept; /* headers, or NULL */
	const char *type, *token, *match;
	const char *body; /* of a POST */
	size_t len;
};

struct http_reply {
	int status;       /* 200, 404 ... */
	const char *type; /* Content-Type; not freed */
	char *body;       /* freed by free(); NULL: the status in words */
	size_t len;
	char etag[72]; /* "": none, and nobody may keep the answer */
	char file[80]; /* name for a browser that keeps the body as a file; "": none */
	char *note;    /* header X-Aloe-Text, one line; freed; may be NULL */
	void *stream;  /* instead of a body; of a request for a WebSocket, or `text/event-stream` */
};

struct http_message {
	char *bytes; /* freed by free() */
	size_t len;
	bool binary; /* of a WebSocket */
};

struct http_calls {
	/* A GET, HEAD or POST. Called in any of the threads, of several at a time. */
	void (*answer)(
	    void *self, const struct http_request *request, struct http_reply *ret_reply);
	/* Of a stream, in its thread: `next` waits for what is to be sent: true, or false at its
	 * end. `leave`, in any thread: the client has gone, and `next` is to return. `end` is the
	 * last of the stream; `failed`: the client is there, and did not read, or answered no
	 * ping. May be NULL if there are no streams. */
	bool (*next)(void *self, void *stream, struct http_message *ret);
	void (*leave)(void *self, void *stream);
	void (*end)(void *self, void *stream, bool failed);
	void *self;
	unsigned streams;
	const char *const *sockets; /* paths of WebSockets, up to NULL; NULL: none */
};

struct http;

/* http_open serves at `address` (IP:PORT, see address_local): 0; -EADDRINUSE, if another program
 * has the port or the address cannot be had; -ENOMEM. http_close waits for requests under way and
 * for the ends of streams, whose `next` the caller has made return; NULL is fine. */
int http_open(const char *address, const struct http_calls *calls, struct http **ret_http);
void http_close(struct http *http);

#endif
