/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/bus.c - one ZeroMQ socket: ROUTER at the frontend, DEALER everywhere else. */
#include "core/bus/bus.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include "core/base/clock.h"
#include "core/bus/place.h"

enum { LINGER_MS = 200, RECONNECT_MS = 20, RECONNECT_MS_MAX = 80, KEPT_MAX = 256 };

struct kept { /* a request that arrived while bus_call waited for an answer */
	struct kept *next;
	size_t len;
	uint8_t bytes[];
};

struct bus {
	void *ctx, *socket;
	void *monitor; /* connected end: tells that the connection was lost */
	bool lost;     /* it was, and nobody has been told */
	enum wire_peer self;
	uint32_t seq;
	int poll_fd; /* epoll over ZMQ_FD and event_fd */
	int event_fd; /* set while there is something that ZMQ_FD, edge-triggered, does not show any more */
	struct place place; /* bound end: the directory and its lock */
	zmq_msg_t held;     /* what the last view points into */
	struct kept *lent;  /* the same, for one of the kept */
	struct kept *first, **last;
	unsigned n_kept;
	struct bus_counts counts;
};

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

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
	return bus->monitor && watch_socket(bus->poll_fd, bus->monitor) < 0 ? -errno : 0;
}

static int monitor_open(struct bus *bus)
{
	static const char endpoint[] = "inproc://monitor";

	if (zmq_socket_monitor(bus->socket, endpoint, ZMQ_EVENT_DISCONNECTED) < 0)
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
	if (bus->self == WIRE_FRONTEND)
		return result ? result : option_set(bus->socket, ZMQ_ROUTER_MANDATORY, 1);
	result = result ? result : option_set(bus->socket, ZMQ_RECONNECT_IVL, RECONNECT_MS);
	return result ? result : option_set(bus->socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MS_MAX);
}

static int bus_open(struct bus *bus, const char *endpoint)
{
	int result;

	bus->ctx = zmq_ctx_new();
	bus->socket = bus->ctx
	    ? zmq_socket(bus->ctx, bus->self == WIRE_FRONTEND ? ZMQ_ROUTER : ZMQ_DEALER)
	    : NULL;
	if (!bus->socket)
		return -errno;
	result = options_set(bus);
	if (!result && bus->self != WIRE_FRONTEND)
		result = monitor_open(bus);
	if (!result)
		result = watch_open(bus);
	if (result)
		return result;
	if (bus->self == WIRE_FRONTEND)
		return zmq_bind(bus->socket, endpoint) < 0 ? -errno : 0;
	return zmq_connect(bus->socket, endpoint) < 0 ? -errno : 0;
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

/* seq 0 is its alone: bus_seq begins at 1 */
int bus_hello(struct bus *bus)
{
	struct wire_msg msg;

	wire_init(&msg, WIRE_HELLO, bus->self, WIRE_FRONTEND, 0);
	wire_put_u64(&msg, WIRE_TAG_PID, (uint64_t)getpid());
	return bus_send(bus, &msg);
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

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

int bus_fd(const struct bus *bus)
{
	return bus->poll_fd;
}

/* An event is two parts, of which nothing but that it came is of interest. */
static void monitor_take(struct bus *bus)
{
	zmq_msg_t part;

	zmq_msg_init(&part);
	while (bus->monitor && zmq_msg_recv(&part, bus->monitor, ZMQ_DONTWAIT) >= 0)
		bus->lost = true;
	zmq_msg_close(&part);
}

/* After every use of the socket: ZMQ_FD tells of a message once, event_fd goes on as long as there is one. */
static void watch_update(struct bus *bus)
{
	uint64_t count = 1;
	int events = 0;
	size_t size = sizeof(events);

	if (zmq_getsockopt(bus->socket, ZMQ_EVENTS, &events, &size) < 0)
		events = ZMQ_POLLIN; /* interrupted: look again */
	monitor_take(bus);
	if ((events & ZMQ_POLLIN) || bus->first || bus->lost) {
		if (write(bus->event_fd, &count, sizeof(count)) < 0)
			return; /* full: set already */
	} else if (read(bus->event_fd, &count, sizeof(count)) < 0) {
		return; /* not set */
	}
}

/* ---- receiving --------------------------------------------------------------------------------------------------- */

static int part_recv(struct bus *bus, zmq_msg_t *ret_part)
{
	int result;

	zmq_msg_close(ret_part);
	zmq_msg_init(ret_part);
	do {
		result = zmq_msg_recv(ret_part, bus->socket, ZMQ_DONTWAIT);
	} while (result < 0 && errno == EINTR);
	return result < 0 ? -errno : 0;
}

/* Takes all parts of a message, the body into bus->held: -EBADMSG unless there are exactly as many as there should be.
 */
static int parts_recv(struct bus *bus, struct bus_peer *ret_from)
{
	int result;

	if (bus->self == WIRE_FRONTEND) {
		result = part_recv(bus, &bus->held);
		if (result < 0)
			return result;
		if (zmq_msg_size(&bus->held) > sizeof(ret_from->id) || !zmq_msg_more(&bus->held))
			ret_from->len = 0;
		else
			ret_from->len = zmq_msg_size(&bus->held);
		memcpy(ret_from->id, zmq_msg_data(&bus->held), ret_from->len);
	}
	result = part_recv(bus, &bus->held);
	if (result < 0 || !zmq_msg_more(&bus->held))
		return result;
	while (zmq_msg_more(&bus->held) && part_recv(bus, &bus->held) == 0)
		;
	return -EBADMSG;
}

static int socket_recv(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from)
{
	struct bus_peer from = {.len = 0};
	int result = parts_recv(bus, &from);

	if (result == 0)
		result = wire_decode(zmq_msg_data(&bus->held), zmq_msg_size(&bus->held), ret_view);
	if (result == -EBADMSG)
		bus->counts.bad++;
	if (result == 0 && ret_from)
		*ret_from = from;
	return result;
}

/* A message that bus_call came across and somebody else waits for. */
static void kept_push(struct bus *bus, const struct wire_view *view)
{
	const bool request = view->type != WIRE_OK && view->type != WIRE_FAIL;
	struct kept *kept =
	    request && bus->n_kept < KEPT_MAX ? malloc(sizeof(*kept) + view->len) : NULL;

	if (!kept) {
		bus->counts.dropped++;
		return;
	}
	kept->next = NULL;
	kept->len = view->len;
	memcpy(kept->bytes, view->bytes, view->len);
	*bus->last = kept;
	bus->last = &kept->next;
	bus->n_kept++;
}

static int kept_pop(struct bus *bus, struct wire_view *ret_view)
{
	struct kept *kept = bus->first;

	bus->first = kept->next;
	if (!bus->first)
		bus->last = &bus->first;
	bus->n_kept--;
	bus->lent = kept;
	return wire_decode(kept->bytes, kept->len, ret_view);
}

/* When nothing has come: what was sent to us before the loss is taken first. */
static int loss_take(struct bus *bus)
{
	const bool lost = bus->lost;

	bus->lost = false;
	return lost ? -ECONNRESET : -EAGAIN;
}

int bus_recv(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from)
{
	int result;

	free(bus->lent);
	bus->lent = NULL;
	result = bus->first ? kept_pop(bus, ret_view) : socket_recv(bus, ret_view, ret_from);
	if (result == -EAGAIN)
		result = loss_take(bus);
	watch_update(bus);
	return result;
}

/* ---- sending ----------------------------------------------------------------------------------------------------- */

static int bytes_send(struct bus *bus, const void *bytes, size_t len, int flags)
{
	int result;

	do {
		result = zmq_send(bus->socket, bytes, len, ZMQ_DONTWAIT | flags);
	} while (result < 0 && errno == EINTR);
	return result < 0 ? -errno : 0;
}

int bus_send(struct bus *bus, struct wire_msg *msg)
{
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);
	int result = bytes ? bytes_send(bus, bytes, len, 0) : msg->error;

	wire_fini(msg);
	watch_update(bus);
	return result;
}

int bus_send_to(struct bus *bus, const struct bus_peer *to, const void *bytes, size_t len)
{
	int result = bytes_send(bus, to->id, to->len, ZMQ_SNDMORE);

	if (result == 0)
		result = bytes_send(bus, bytes, len, 0);
	watch_update(bus);
	return result;
}

static int answer_wait(struct bus *bus, uint32_t seq, uint64_t until_ns, struct wire_view *ret_view)
{
	for (;;) {
		zmq_pollitem_t items[] = {{.socket = bus->socket, .events = ZMQ_POLLIN},
		    {.socket = bus->monitor, .events = ZMQ_POLLIN}};
		uint64_t now;
		int result = socket_recv(bus, ret_view, NULL);

		if (result == 0 && (ret_view->type == WIRE_OK || ret_view->type == WIRE_FAIL) &&
		    ret_view->seq == seq)
			return 0;
		if (result == 0)
			kept_push(bus, ret_view);
		if (result == 0 || result == -EBADMSG)
			continue;
		if (result == -EAGAIN)
			result = loss_take(bus);
		if (result != -EAGAIN)
			return result;
		monitor_take(bus);
		if (bus->lost)
			continue; /* the answer may have come before that */
		now = clock_ns();
		if (now >= until_ns)
			return -ETIMEDOUT;
		if (zmq_poll(items, 2, (long)((until_ns - now) / 1000000 + 1)) < 0 &&
		    errno != EINTR)
			return -errno;
	}
}

int bus_call(struct bus *bus, struct wire_msg *msg, int timeout_ms, struct wire_view *ret_view)
{
	const uint64_t until_ns =
	    clock_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000000;
	struct wire_view sent = {.seq = 0};
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);
	int result = bytes ? wire_decode(bytes, len, &sent) : msg->error;
	const uint32_t seq = sent.seq;

	monitor_take(bus);
	bus->lost = false; /* of an earlier question */
	if (result == 0)
		result = bus_send(bus, msg);
	wire_fini(msg);
	if (result == 0)
		result = answer_wait(bus, seq, until_ns, ret_view);
	watch_update(bus);
	return result;
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

uint32_t bus_seq(struct bus *bus)
{
	return ++bus->seq;
}

enum wire_peer bus_self(const struct bus *bus)
{
	return bus->self;
}

struct bus_counts bus_counts(const struct bus *bus)
{
	return bus->counts;
}

void bus_reply(
    struct bus *bus, const struct wire_view *request, enum wire_type type, struct wire_msg *ret_msg)
{
	const void *origin;
	size_t len;

	wire_init(ret_msg, type, bus->self, request->source, request->seq);
	if (wire_get_bytes(request, WIRE_TAG_ORIGIN, 0, &origin, &len) == 0)
		wire_put_bytes(ret_msg, WIRE_TAG_ORIGIN, origin, len);
}
