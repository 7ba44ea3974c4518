/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/bus/samples/socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

static const char IPC[] = "ipc://";

enum { ASKED_QUEUE = 1000, LINGER_MS = 1000, RECONNECT_MS = 20, RECONNECT_MAX_MS = 500 };

const char *samples_address_check(const char *address)
{
	const char *port = strrchr(address, ':');
	char *end;
	unsigned long number;

	if (strncmp(address, "ipc://", 6) == 0)
		return address[6] ? NULL : "the path behind ipc:// is missing";
	if (strncmp(address, "tcp://", 6) != 0)
		return "tcp://HOST:PORT or ipc://PATH is needed";
	if (port < address + 6 || port == address + 6 || !port[1])
		return "tcp:// needs HOST:PORT";
	number = strtoul(port + 1, &end, 10);
	if (*end || number < 1 || number > 65535)
		return "the port must be a number, 1 .. 65535";
	return NULL;
}

static int int_set(struct samples_socket *socket, int option, int value)
{
	return zmq_setsockopt(socket->socket, option, &value, sizeof(value));
}

static int options_set(const struct samples_use *use, int type, struct samples_socket *socket)
{
	const int64_t bytes_max = SAMPLES_BYTES_MAX;
	/* Who asks has one answer on its way, so nothing more is needed to bound the memory. A REP
	 * socket drops an answer without a word when its queue seems full, and a short queue seems
	 * full until the other thread has said that it has read. */
	const int queue = use->pattern == SAMPLES_REQ_REP ? ASKED_QUEUE : use->queue;
	int rc = int_set(socket, ZMQ_LINGER, LINGER_MS);

	rc |= int_set(socket, ZMQ_SNDHWM, queue);
	rc |= int_set(socket, ZMQ_RCVHWM, queue);
	rc |= int_set(socket, ZMQ_RECONNECT_IVL, RECONNECT_MS);
	rc |= int_set(socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX_MS);
	rc |= zmq_setsockopt(socket->socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof(bytes_max));
	/* nothing waits for a peer that is not there; what cannot be sent is known, not lost */
	rc |= int_set(socket, ZMQ_IMMEDIATE, 1);
	if (type == ZMQ_PUB)
		rc |= int_set(socket, ZMQ_XPUB_NODROP, 1);
	if (type == ZMQ_SUB)
		rc |= zmq_setsockopt(socket->socket, ZMQ_SUBSCRIBE, use->key ? use->key : "",
		    use->key ? strlen(use->key) : 0);
	return rc;
}

static int monitor_open(struct samples_socket *socket)
{
	static const char name[] = "inproc://ends";

	if (zmq_socket_monitor(
	        socket->socket, name, ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED) < 0)
		return -1;
	socket->monitor = zmq_socket(socket->ctx, ZMQ_PAIR);
	return socket->monitor ? zmq_connect(socket->monitor, name) : -1;
}

/* libzmq removes whatever has the name of the socket that is to be bound. */
static int file_check(const char *address)
{
	struct stat st;

	if (strncmp(address, IPC, strlen(IPC)) != 0 || lstat(address + strlen(IPC), &st) < 0 ||
	    S_ISSOCK(st.st_mode))
		return 0;
	errno = EEXIST;
	return -1;
}

int socket_open(const struct samples_use *use, int type, bool monitored, struct samples_socket *ret,
    char ret_why[SAMPLES_WHY])
{
	struct samples_socket socket = {.ctx = zmq_ctx_new()};
	int rc = socket.ctx ? 0 : -1, error;

	if (rc == 0)
		socket.socket = zmq_socket(socket.ctx, type);
	rc = socket.socket ? options_set(use, type, &socket) : -1;
	if (rc == 0 && monitored)
		rc = monitor_open(&socket);
	if (rc == 0)
		rc = !use->bind                    ? zmq_connect(socket.socket, use->address)
		    : file_check(use->address) < 0 ? -1
		                                   : zmq_bind(socket.socket, use->address);
	if (rc == 0) {
		if (use->bind && strncmp(use->address, IPC, strlen(IPC)) == 0)
			socket.file = strdup(use->address + strlen(IPC));
		*ret = socket;
		return 0;
	}
	error = zmq_errno();
	snprintf(ret_why, SAMPLES_WHY, "%.120s cannot be %s: %s", use->address,
	    use->bind ? "bound" : "connected to", zmq_strerror(error));
	socket_close(&socket);
	return -error;
}

void socket_close(struct samples_socket *socket)
{
	if (socket->monitor) {
		zmq_socket_monitor(socket->socket, NULL, 0);
		int_set(&(struct samples_socket){.socket = socket->monitor}, ZMQ_LINGER, 0);
		zmq_close(socket->monitor);
	}
	if (socket->socket)
		zmq_close(socket->socket);
	if (socket->ctx)
		zmq_ctx_term(socket->ctx);
	if (socket->file) { /* libzmq leaves the file of a socket where nobody has connected */
		(void)unlink(socket->file);
		free(socket->file);
	}
	*socket = (struct samples_socket){0};
}

bool socket_changed(struct samples_socket *socket)
{
	char event[64];
	bool changed = false;

	while (
	    socket->monitor && zmq_recv(socket->monitor, event, sizeof(event), ZMQ_DONTWAIT) >= 0)
		changed = true; /* two frames each; which event it is does not matter */
	return changed;
}
