/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/open.c - opening and closing a bus, of this machine or over TCP. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/bus/inside.h"

enum { LINGER_MS = 200, RECONNECT_MS = 20, RECONNECT_MS_MAX = 80, FILES_NEEDED = 16 };

static int watch_add(int poll_fd, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int watch_socket(int poll_fd, void *socket)
{
	int fd;
	size_t size = sizeof(fd);

	return zmq_getsockopt(socket, ZMQ_FD, &fd, &size) < 0 ? -1 : watch_add(poll_fd, fd);
}

static int watch_open(struct bus *bus)
{
	bus->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	bus->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (bus->poll_fd < 0 || bus->event_fd < 0 || watch_add(bus->poll_fd, bus->event_fd) < 0)
		return -errno;
	if (watch_socket(bus->poll_fd, bus->socket) < 0)
		return -errno;
	if (bus->remote && bus->remote->guard.zap &&
	    watch_socket(bus->poll_fd, bus->remote->guard.zap) < 0)
		return -errno;
	return bus->monitor && watch_socket(bus->poll_fd, bus->monitor) < 0 ? -errno : 0;
}

static int monitor_open(struct bus *bus)
{
	static const char endpoint[] = "inproc://monitor";
	const int handshakes = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
	    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;

	if (zmq_socket_monitor(
	        bus->socket, endpoint, ZMQ_EVENT_DISCONNECTED | (bus->remote ? handshakes : 0)) < 0)
		return -errno;
	bus->monitor = zmq_socket(bus->ctx, ZMQ_PAIR);
	return bus->monitor && zmq_connect(bus->monitor, endpoint) == 0 ? 0 : -errno;
}

static int option_set(void *socket, int option, int value)
{
	return zmq_setsockopt(socket, option, &value, sizeof(value)) < 0 ? -errno : 0;
}

static int options_set(struct bus *bus)
{
	const int64_t bytes_max = WIRE_BYTES_MAX;
	int result = option_set(bus->socket, ZMQ_LINGER, LINGER_MS);

	if (!result &&
	    zmq_setsockopt(bus->socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof(bytes_max)) < 0)
		result = -errno;
	if (bus->bound)
		return result ? result : option_set(bus->socket, ZMQ_ROUTER_MANDATORY, 1);
	result = result ? result : option_set(bus->socket, ZMQ_RECONNECT_IVL, RECONNECT_MS);
	return result ? result : option_set(bus->socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MS_MAX);
}

/* libzmq ends the process where it cannot open what it needs: a context with its two threads, the
 * sockets, a connection. */
static int files_check(void)
{
	int fds[FILES_NEEDED], n = 0, result = 0;

	while (n < FILES_NEEDED && (fds[n] = eventfd(0, EFD_CLOEXEC)) >= 0)
		n++;
	if (n < FILES_NEEDED)
		result = -errno;
	while (n > 0)
		close(fds[--n]);
	return result;
}

static int socket_open(struct bus *bus)
{
	int result = files_check();

	if (result)
		return result;
	bus->ctx = zmq_ctx_new();
	bus->socket = bus->ctx ? zmq_socket(bus->ctx, bus->bound ? ZMQ_ROUTER : ZMQ_DEALER) : NULL;
	return bus->socket ? 0 : -errno;
}

static int socket_start(struct bus *bus, const char *endpoint)
{
	int result = bus->bound && !bus->remote ? 0 : monitor_open(bus);

	if (!result)
		result = watch_open(bus);
	if (result)
		return result;
	if (bus->bound)
		return zmq_bind(bus->socket, endpoint) < 0 ? -errno : 0;
	return zmq_connect(bus->socket, endpoint) < 0 ? -errno : 0;
}

static int bus_open(struct bus *bus, const char *endpoint)
{
	int result = socket_open(bus);

	result = result ? result : options_set(bus);
	return result ? result : socket_start(bus, endpoint);
}

static struct bus *bus_new(enum wire_peer self)
{
	struct bus *bus = calloc(1, sizeof(*bus));

	if (!bus)
		return NULL;
	bus->self = self;
	bus->poll_fd = -1;
	bus->event_fd = -1;
	bus->last = &bus->first;
	place_init(&bus->place);
	zmq_msg_init(&bus->held);
	return bus;
}

static struct bus *bus_fail(struct bus *bus, int result)
{
	bus_close(bus);
	errno = -result;
	return NULL;
}

struct bus *bus_bind(const char *dir)
{
	char endpoint[PLACE_ENDPOINT_BYTES];
	int result = place_endpoint(dir, endpoint);
	struct bus *bus;

	if (result) {
		errno = -result;
		return NULL;
	}
	bus = bus_new(WIRE_FRONTEND);
	if (!bus)
		return NULL;
	bus->bound = true;
	result = place_take(&bus->place, dir);
	if (!result)
		result = bus_open(bus, endpoint);
	if (!result)
		result = place_close_to_others(&bus->place);
	return result ? bus_fail(bus, result) : bus;
}

struct bus *bus_connect(const char *dir, enum wire_peer self)
{
	char endpoint[PLACE_ENDPOINT_BYTES];
	int result = place_endpoint(dir, endpoint);
	struct bus *bus;

	if (!result)
		result = place_check(dir);
	if (result) {
		errno = -result;
		return NULL;
	}
	bus = bus_new(self);
	if (!bus)
		return NULL;
	result = bus_open(bus, endpoint);
	return result ? bus_fail(bus, result) : bus;
}

/* ---- over TCP ---- */

static int remote_open(struct bus *bus, const struct bus_tcp *tcp)
{
	struct bus_remote *remote = calloc(1, sizeof(*remote));
	int result;

	bus->remote = remote;
	result = remote ? stamp_init(&remote->stamp) : -ENOMEM;
	if (result)
		return result;
	snprintf(remote->endpoint, sizeof(remote->endpoint), "tcp://%s", tcp->address);
	snprintf(remote->key, sizeof(remote->key), "%s", tcp->server_key ? tcp->server_key : "");
	remote->bytes_max = tcp_bytes_max(tcp);
	remote->n_types = tcp->types ? tcp->n_types : 0;
	remote->types = tcp->types ? calloc(tcp->n_types + 1, sizeof(*tcp->types)) : NULL;
	if (tcp->types && !remote->types)
		return -ENOMEM;
	if (tcp->types)
		memcpy(remote->types, tcp->types, tcp->n_types * sizeof(*tcp->types));
	result = socket_open(bus);
	return result ? result : tcp_options(bus->socket, tcp);
}

/* The handler stands before the socket is bound. */
static int listen_open(struct bus *bus, const struct bus_tcp *tcp)
{
	char endpoint[TCP_ENDPOINT];
	size_t size = sizeof(endpoint);
	const char *port;
	int result = remote_open(bus, tcp);

	result = result ? result : option_set(bus->socket, ZMQ_ROUTER_MANDATORY, 1);
	if (!result && tcp->own) {
		bus->remote->guarded = true;
		result = guard_open(&bus->remote->guard, bus->ctx, tcp->folder, &bus->counts);
		result = result ? result : guard_server(bus->socket, tcp->own);
	}
	result = result ? result : socket_start(bus, bus->remote->endpoint);
	if (!result && zmq_getsockopt(bus->socket, ZMQ_LAST_ENDPOINT, endpoint, &size) < 0)
		result = -errno;
	if (result)
		return result;
	port = strrchr(endpoint, ':');
	bus->remote->port = port ? (uint16_t)atoi(port + 1) : 0;
	return 0;
}

static int join_open(struct bus *bus, const struct bus_tcp *tcp)
{
	int result = remote_open(bus, tcp);

	if (!result && tcp->own)
		result = guard_client(bus->socket, tcp->own, tcp->server_key);
	return result ? result : socket_start(bus, bus->remote->endpoint);
}

/* A bus that is open, or NULL and the reason in words. */
static struct bus *tcp_result(
    struct bus *bus, int result, const struct bus_tcp *tcp, struct diag *diag)
{
	if (!result)
		return bus;
	diag_error(diag, NULL, 0, "%s cannot be %s: %s", tcp->address,
	    bus && bus->bound ? "listened at" : "connected to", zmq_strerror(-result));
	return bus_fail(bus, result);
}

static struct bus *tcp_new(
    const struct bus_tcp *tcp, enum wire_peer self, bool bound, struct diag *diag)
{
	struct bus *bus = NULL;

	if (tcp_check(tcp, bound, diag) < 0) {
		errno = EINVAL;
		return NULL;
	}
	bus = bus_new(self);
	if (!bus)
		return tcp_result(NULL, -ENOMEM, tcp, diag);
	bus->bound = bound;
	return bus;
}

struct bus *bus_listen(const struct bus_tcp *tcp, struct diag *diag)
{
	struct bus *bus = tcp_new(tcp, WIRE_FRONTEND, true, diag);

	return bus ? tcp_result(bus, listen_open(bus, tcp), tcp, diag) : NULL;
}

struct bus *bus_join(const struct bus_tcp *tcp, enum wire_peer self, struct diag *diag)
{
	struct bus *bus = tcp_new(tcp, self, false, diag);

	return bus ? tcp_result(bus, join_open(bus, tcp), tcp, diag) : NULL;
}

uint16_t bus_port(const struct bus *bus)
{
	return bus->remote ? bus->remote->port : 0;
}

/* ---- closing ---- */

static void kept_drop(struct bus *bus)
{
	free(bus->lent);
	bus->lent = NULL;
	while (bus->first) {
		struct kept *next = bus->first->next;

		free(bus->first);
		bus->first = next;
	}
}

void bus_close(struct bus *bus)
{
	if (!bus)
		return;
	zmq_msg_close(&bus->held);
	if (bus->poll_fd >= 0)
		close(bus->poll_fd);
	if (bus->event_fd >= 0)
		close(bus->event_fd);
	if (bus->socket)
		zmq_close(bus->socket);
	if (bus->monitor)
		zmq_close(bus->monitor);
	if (bus->remote) {
		guard_close(&bus->remote->guard);
		free(bus->remote->types);
	}
	free(bus->remote);
	while (bus->ctx && zmq_ctx_term(bus->ctx) < 0 && errno == EINTR)
		;
	place_leave(&bus->place);
	kept_drop(bus);
	free(bus);
}

void bus_abandon(struct bus *bus)
{
	if (bus && bus->socket)
		option_set(bus->socket, ZMQ_LINGER, 0);
	bus_close(bus);
}

void bus_leave(struct bus *bus)
{
	place_leave(&bus->place);
}
