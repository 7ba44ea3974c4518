/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/bus/bus.c - messages over one ZeroMQ socket: ROUTER at the end that is bound, DEALER at the
 * others. */
#include "core/bus/bus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/bus/inside.h"

enum { KEPT_MAX = 256, LONG_BYTES = 4096 };

/* ---- waiting ------------------------------------------------------------------------ */

int bus_fd(const struct bus *bus)
{
	return bus->poll_fd;
}

/* What went wrong first is what the caller is told. */
static void lost_set(struct bus *bus, int error)
{
	if (!bus->bound && !bus->lost)
		bus->lost = error;
}

/* libzmq tells of a failed handshake, and then of the end of that connection. */
static void handshake_failed(struct bus *bus, unsigned event, uint32_t value)
{
	const bool mismatch = event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL &&
	    value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH;

	bus->remote->failed = true;
	bus->counts.mechanism += mismatch;
	bus->counts.handshake += !mismatch;
	if (mismatch)
		lost_set(bus, -EPROTO);
}

static void event_take(struct bus *bus, unsigned event, uint32_t value)
{
	struct bus_remote *remote = bus->remote;

	if (event == ZMQ_EVENT_DISCONNECTED) {
		if (remote && !remote->failed && remote->refused == 0)
			bus->counts.ended++;
		else if (remote && !remote->failed)
			remote->refused--;
		lost_set(bus, -ECONNRESET);
	} else if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
		bus->counts.joined++;
	} else if (event != ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
		handshake_failed(bus, event, value);
		return;
	} else if (bus->bound) { /* the stranger is told, and goes */
		remote->refused++;
	} else { /* does not try again by itself */
		lost_set(bus, -EACCES);
		remote->refused_ns = clock_ns();
	}
	if (remote)
		remote->failed = false;
}

/* An event is two parts, of which the second is an address that is known. */
static void monitor_take(struct bus *bus)
{
	zmq_msg_t part;

	zmq_msg_init(&part);
	while (bus->monitor && zmq_msg_recv(&part, bus->monitor, ZMQ_DONTWAIT) >= 0) {
		uint16_t event = 0;
		uint32_t value = 0;

		if (!zmq_msg_more(&part) || zmq_msg_size(&part) != sizeof(event) + sizeof(value))
			continue;
		memcpy(&event, zmq_msg_data(&part), sizeof(event));
		memcpy(&value, (const char *)zmq_msg_data(&part) + sizeof(event), sizeof(value));
		event_take(bus, event, value);
	}
	zmq_msg_close(&part);
}

static void remote_serve(struct bus *bus)
{
	struct bus_remote *remote = bus->remote;

	guard_serve(&remote->guard);
	if (!remote->refused_ns ||
	    clock_ns() - remote->refused_ns < TCP_CONNECT_AGAIN_MS * 1000000ull)
		return;
	remote->refused_ns = 0;
	zmq_disconnect(bus->socket, remote->endpoint);
	zmq_connect(bus->socket, remote->endpoint);
}

/* After every use of the socket: ZMQ_FD tells of a message once, event_fd goes on as long as there
 * is one. */
static void watch_update(struct bus *bus)
{
	uint64_t count = 1;
	int events = 0;
	size_t size = sizeof(events);
	bool set;

	if (zmq_getsockopt(bus->socket, ZMQ_EVENTS, &events, &size) < 0)
		events = ZMQ_POLLIN; /* interrupted: look again */
	monitor_take(bus);
	if (bus->remote)
		remote_serve(bus);
	set = (events & ZMQ_POLLIN) || bus->first || bus->lost;
	if (set == bus->event_set)
		return;
	if (set ? write(bus->event_fd, &count, sizeof(count)) == sizeof(count)
	        : read(bus->event_fd, &count, sizeof(count)) == sizeof(count))
		bus->event_set = set;
}

/* ---- receiving ------------------------------------------------------------------------ */

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

/* The part before the body: nothing of a message without one is taken. */
static int stamp_recv(struct bus *bus, uint8_t ret[STAMP_BYTES])
{
	int result = part_recv(bus, &bus->held);

	if (result < 0)
		return result;
	if (zmq_msg_size(&bus->held) == STAMP_BYTES && zmq_msg_more(&bus->held)) {
		memcpy(ret, zmq_msg_data(&bus->held), STAMP_BYTES);
		return 0;
	}
	while (zmq_msg_more(&bus->held) && part_recv(bus, &bus->held) == 0)
		;
	return -EBADMSG;
}

/* Takes all parts of a message, the body into bus->held: -EBADMSG unless there are exactly as many
 * as there should be.
 */
static int parts_recv(struct bus *bus, struct bus_peer *ret_from, uint8_t ret_stamp[STAMP_BYTES])
{
	int result;

	if (bus->bound) {
		result = part_recv(bus, &bus->held);
		if (result < 0)
			return result;
		if (zmq_msg_size(&bus->held) > sizeof(ret_from->id) || !zmq_msg_more(&bus->held))
			ret_from->len = 0;
		else
			ret_from->len = zmq_msg_size(&bus->held);
		memcpy(ret_from->id, zmq_msg_data(&bus->held), ret_from->len);
	}
	result = bus->remote ? stamp_recv(bus, ret_stamp) : 0;
	result = result ? result : part_recv(bus, &bus->held);
	if (result < 0 || !zmq_msg_more(&bus->held))
		return result;
	while (zmq_msg_more(&bus->held) && part_recv(bus, &bus->held) == 0)
		;
	return -EBADMSG;
}

static bool type_allowed(const struct bus_remote *remote, enum wire_type type)
{
	bool allowed = !remote->types;

	for (size_t i = 0; remote->types && i < remote->n_types; i++)
		allowed |= remote->types[i] == type;
	return allowed;
}

/* What came whole from a node: whether that node is still let in, sends it for the first time, and
 * may send it at all. -EBADMSG if not, counted. */
static int remote_check(struct bus *bus, const struct wire_view *view,
    const uint8_t stamp[STAMP_BYTES], struct bus_peer *ret_from)
{
	struct bus_remote *remote = bus->remote;
	const char *key = remote->key;

	if (remote->guarded) {
		const struct keys_node *node;

		key = zmq_msg_gets(&bus->held, GUARD_KEY);
		node = key ? guard_find(&remote->guard, key) : NULL;
		if (!node) {
			bus->counts.revoked++;
			return -EBADMSG;
		}
		memcpy(ret_from->node, node->name, sizeof(ret_from->node));
	}
	if (!stamp_take(&remote->stamp, key, stamp)) {
		bus->counts.replayed++;
		return -EBADMSG;
	}
	if (!type_allowed(remote, view->type)) {
		bus->counts.unknown++;
		return -EBADMSG;
	}
	return 0;
}

static int socket_recv(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from)
{
	struct bus_peer from = {.len = 0};
	uint8_t stamp[STAMP_BYTES];
	int result = parts_recv(bus, &from, stamp);

	if (result == 0)
		result = wire_decode(zmq_msg_data(&bus->held), zmq_msg_size(&bus->held), ret_view);
	if (result == -EBADMSG)
		bus->counts.bad++;
	if (result == 0 && bus->remote)
		result = remote_check(bus, ret_view, stamp, &from);
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
	const int lost = bus->lost;

	bus->lost = 0;
	return lost ? lost : -EAGAIN;
}

int bus_recv_next(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from)
{
	int result;

	free(bus->lent);
	bus->lent = NULL;
	result = bus->first ? kept_pop(bus, ret_view) : socket_recv(bus, ret_view, ret_from);
	return result == -EAGAIN ? loss_take(bus) : result;
}

int bus_recv(struct bus *bus, struct wire_view *ret_view, struct bus_peer *ret_from)
{
	const int result = bus_recv_next(bus, ret_view, ret_from);

	watch_update(bus);
	return result;
}

void bus_settle(struct bus *bus)
{
	watch_update(bus);
}

/* ---- sending ------------------------------------------------------------------------ */

static int bytes_send(struct bus *bus, const void *bytes, size_t len, int flags)
{
	int result;

	do {
		result = zmq_send(bus->socket, bytes, len, ZMQ_DONTWAIT | flags);
	} while (result < 0 && errno == EINTR);
	return result < 0 ? -errno : 0;
}

static int body_send(struct bus *bus, zmq_msg_t *body)
{
	int result;

	do {
		result = zmq_msg_send(body, bus->socket, ZMQ_DONTWAIT);
	} while (result < 0 && errno == EINTR);
	return result < 0 ? -errno : 0;
}

/* The whole message or nothing of it: once the first part is taken, the others are. */
static int parts_send(struct bus *bus, const struct bus_peer *to, zmq_msg_t *body)
{
	const size_t len = zmq_msg_size(body);
	struct bus_remote *remote = bus->remote;
	uint8_t stamp[STAMP_BYTES];
	int result = 0;

	if (remote && len > remote->bytes_max)
		return -EMSGSIZE; /* for which the other end would cut the connection */
	if (to)
		result = bytes_send(bus, to->id, to->len, ZMQ_SNDMORE);
	if (!result && remote) {
		stamp_next(&remote->stamp, stamp);
		result = bytes_send(bus, stamp, sizeof(stamp), ZMQ_SNDMORE);
	}
	return result ? result : body_send(bus, body);
}

static int copy_send(struct bus *bus, const struct bus_peer *to, const void *bytes, size_t len)
{
	zmq_msg_t body;
	int result;

	if (zmq_msg_init_size(&body, len) < 0)
		return -errno;
	memcpy(zmq_msg_data(&body), bytes, len);
	result = parts_send(bus, to, &body);
	zmq_msg_close(&body);
	return result;
}

static void body_free(void *bytes, void *hint)
{
	(void)hint;
	free(bytes);
}

/* Takes the bytes over, also on failure. */
static int whole_send(struct bus *bus, const struct bus_peer *to, uint8_t *bytes, size_t len)
{
	zmq_msg_t body;
	int result;

	if (zmq_msg_init_data(&body, bytes, len, body_free, NULL) < 0) {
		result = -errno;
		free(bytes);
		return result;
	}
	result = parts_send(bus, to, &body);
	zmq_msg_close(&body);
	return result;
}

int bus_send_next(struct bus *bus, const struct bus_peer *to, struct wire_msg *msg)
{
	const int error = msg->error;
	size_t len = 0;
	uint8_t *bytes = wire_take(msg, &len);
	int result = bytes ? 0 : error;

	if (bytes && len >= LONG_BYTES) {
		result = whole_send(bus, to, bytes, len);
	} else if (bytes) {
		result = copy_send(bus, to, bytes, len);
		free(bytes);
	}
	return result;
}

int bus_copy_next(struct bus *bus, const struct bus_peer *to, struct wire_msg *msg)
{
	size_t len = 0;
	const uint8_t *bytes = wire_bytes(msg, &len);

	return bytes ? copy_send(bus, to, bytes, len) : msg->error;
}

int bus_send_msg(struct bus *bus, const struct bus_peer *to, struct wire_msg *msg)
{
	const int result = bus_send_next(bus, to, msg);

	watch_update(bus);
	return result;
}

int bus_send(struct bus *bus, struct wire_msg *msg)
{
	return bus_send_msg(bus, NULL, msg);
}

int bus_send_to(struct bus *bus, const struct bus_peer *to, const void *bytes, size_t len)
{
	int result = copy_send(bus, to, bytes, len);

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
	if (bus->remote)
		remote_serve(bus);
	bus->lost = 0; /* of an earlier question */
	if (result == 0 && bus->remote && bus->remote->refused_ns)
		result = -EACCES; /* and not tried again yet */
	if (result == 0)
		result = bus_send(bus, msg);
	wire_fini(msg);
	if (result == 0)
		result = answer_wait(bus, seq, until_ns, ret_view);
	watch_update(bus);
	return result;
}

/* seq 0 is its alone: bus_seq begins at 1 */
int bus_hello(struct bus *bus)
{
	struct wire_msg msg;

	wire_init(&msg, WIRE_HELLO, bus->self, WIRE_FRONTEND, 0);
	wire_put_u64(&msg, WIRE_TAG_PID, (uint64_t)getpid());
	return bus_send(bus, &msg);
}

/* ---- the rest ------------------------------------------------------------------------ */

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

bool bus_news(struct bus *bus, uint64_t now_ns, char *ret_text, size_t size)
{
	struct bus_remote *remote = bus->remote;

	return remote &&
	    tcp_tell(&remote->news, &bus->counts, remote->guard.last, now_ns, ret_text, size);
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
