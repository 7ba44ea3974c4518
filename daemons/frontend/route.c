/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/frontend/route.c - requests to daemons, answers back. */
#include "daemons/frontend/route.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "daemons/frontend/stock.h"

enum { MESSAGES_IN_A_ROW = 64, EXPIRY_NS = 100000000 };

/* What the identity of a peer begins with that came over another node: those of this machine begin
 * with 0, for libzmq makes them. */
enum { BY_NODE = 1 };

static bool peer_same(const struct bus_peer *a, const struct bus_peer *b)
{
	return a->len == b->len && memcmp(a->id, b->id, a->len) == 0;
}

/* Which daemon a peer is; WIRE_CLIENT when none. */
static enum wire_peer peer_kind(const struct route *route, const struct bus_peer *peer)
{
	for (int kind = 0; kind < WIRE_PEERS; kind++) {
		if (route->daemons[kind].len > 0 && peer_same(&route->daemons[kind], peer))
			return (enum wire_peer)kind;
	}
	return WIRE_CLIENT;
}

static bool is_answer(const struct wire_view *view)
{
	return view->type == WIRE_OK || view->type == WIRE_FAIL;
}

static bool is_event(const struct wire_view *view)
{
	return view->type == WIRE_EVENT || view->type == WIRE_DAEMON || view->type == WIRE_LEASE ||
	    view->type == WIRE_OFFSETS || view->type == WIRE_COUNTS;
}

static int bytes_send(
    struct route *route, const struct bus_peer *to, const uint8_t *bytes, size_t len)
{
	struct bus_peer peer = {.len = to->len - 1};

	if (to->len == 0 || to->id[0] != BY_NODE)
		return bus_send_to(route->bus, to, bytes, len);
	memcpy(peer.id, to->id + 1, peer.len);
	return nodes_reply(route->nodes, &peer, bytes, len);
}

static int msg_try(struct route *route, const struct bus_peer *to, struct wire_msg *msg)
{
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);
	const int result = bytes ? bytes_send(route, to, bytes, len) : msg->error;

	if (result < 0)
		log_debug(route->log, "a message could not be passed on: %s", strerror(-result));
	return result;
}

/* Sends and finishes a message. */
static void msg_send(struct route *route, const struct bus_peer *to, struct wire_msg *msg)
{
	msg_try(route, to, msg);
	wire_fini(msg);
}

static void failure_put(struct route *route, const struct bus_peer *to, uint32_t seq, uint64_t code,
    const char *text, struct wire_msg *msg)
{
	wire_init(msg, WIRE_FAIL, WIRE_FRONTEND, peer_kind(route, to), seq);
	wire_put_u64(msg, WIRE_TAG_CODE, code);
	wire_put_text(msg, WIRE_TAG_TEXT, text);
}

/* again: it has not been answered because a daemon has ended, the next one may be asked. */
static void failure_send(
    struct route *route, const struct bus_peer *to, uint32_t seq, const char *text, bool again)
{
	struct wire_msg msg;

	failure_put(route, to, seq, 1, text, &msg);
	if (again)
		wire_put_u64(&msg, WIRE_TAG_AGAIN, 1);
	msg_send(route, to, &msg);
}

__attribute__((format(printf, 5, 6))) static void fail_about(struct route *route,
    const struct bus_peer *to, uint32_t seq, enum wire_peer daemon, const char *format, ...)
{
	char what[100], text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(text, sizeof(text), "aloe-%s %s", wire_peer_name(daemon), what);
	failure_send(route, to, seq, text, false);
}

static void lost_fail(struct route *route, const struct route_pending *pending, const char *what)
{
	char text[160];

	snprintf(text, sizeof(text), "aloe-%s %s", wire_peer_name(pending->dest), what);
	failure_send(route, &pending->origin, pending->seq, text, true);
}

/* ---- requests without an answer yet ---- */

static void pending_remove(struct route *route, struct route_pending **at)
{
	struct route_pending *pending = *at;

	*at = pending->next;
	route->n_pending--;
	free(pending->parked);
	free(pending);
}

static void pending_answered(struct route *route, const struct bus_peer *origin, uint32_t seq)
{
	for (struct route_pending **at = &route->first; *at; at = &(*at)->next) {
		if ((*at)->seq == seq && peer_same(&(*at)->origin, origin)) {
			pending_remove(route, at);
			return;
		}
	}
}

/* Makes room by forgetting the oldest: whoever asked has long given up. */
static struct route_pending *pending_add(struct route *route, const struct bus_peer *origin,
    const struct wire_view *view, enum wire_peer dest)
{
	struct route_pending *pending = calloc(1, sizeof(*pending)), **at;

	/* passed on by another daemon: now it is this one's */
	pending_answered(route, origin, view->seq);
	if (route->n_pending >= ROUTE_PENDING_MAX)
		pending_remove(route, &route->first);
	if (!pending)
		return NULL;
	pending->origin = *origin;
	pending->seq = view->seq;
	pending->type = view->type;
	pending->dest = dest;
	for (at = &route->first; *at; at = &(*at)->next)
		;
	*at = pending;
	route->n_pending++;
	return pending;
}

static void parked_expire(void *self)
{
	struct route *route = self;
	const uint64_t now = clock_ns();
	bool left = false;

	for (struct route_pending **at = &route->first; *at;) {
		if ((*at)->parked && (*at)->until_ns <= now) {
			lost_fail(route, *at, "is not running (restarting)");
			pending_remove(route, at);
			continue;
		}
		left = left || (*at)->parked;
		at = &(*at)->next;
	}
	if (left)
		loop_timer_start(route->loop, &route->expiry, EXPIRY_NS, parked_expire, route);
}

static void pending_park(struct route *route, struct route_pending *pending, struct wire_msg *msg)
{
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);

	pending->parked = bytes ? malloc(len) : NULL;
	if (!pending->parked) {
		failure_send(
		    route, &pending->origin, pending->seq, "aloe-frontend: out of memory", false);
		pending_answered(route, &pending->origin, pending->seq);
		return;
	}
	memcpy(pending->parked, bytes, len);
	pending->len = len;
	pending->until_ns = clock_ns() + ROUTE_PARK_MS * 1000000ull;
	loop_timer_start(route->loop, &route->expiry, EXPIRY_NS, parked_expire, route);
}

static void parked_send(struct route *route, enum wire_peer daemon)
{
	for (struct route_pending *pending = route->first; pending; pending = pending->next) {
		if (pending->dest != daemon || !pending->parked)
			continue;
		bus_send_to(route->bus, &route->daemons[daemon], pending->parked, pending->len);
		free(pending->parked);
		pending->parked = NULL;
	}
}

/* ---- passing on ------------------------------------------------------------------------ */

/* Who is to have the answer: the sender, or, where a daemon passes a request on, the one that it
 * names. */
static struct bus_peer origin_of(
    const struct wire_view *view, enum wire_peer sender, const struct bus_peer *from)
{
	struct bus_peer origin = *from;
	const void *bytes;
	size_t len;

	if (sender != WIRE_CLIENT && wire_get_bytes(view, WIRE_TAG_ORIGIN, 0, &bytes, &len) == 0 &&
	    len <= sizeof(origin.id)) {
		memcpy(origin.id, bytes, len);
		origin.len = len;
	}
	return origin;
}

static void request_send(struct route *route, struct wire_msg *msg, const struct wire_view *view,
    const struct bus_peer *origin)
{
	const enum wire_peer dest = view->dest;
	const uint32_t seq = view->seq;
	struct route_pending *pending = pending_add(route, origin, view, dest);
	int result;

	if (!pending) {
		wire_fini(msg);
		failure_send(route, origin, seq, "aloe-frontend: out of memory", false);
		return;
	}
	result = route->daemons[dest].len == 0 ? -EHOSTUNREACH
	                                       : msg_try(route, &route->daemons[dest], msg);
	if (result == -EHOSTUNREACH) { /* it has died, whether that is known here yet or not */
		pending_park(route, pending, msg);
	} else if (result < 0) {
		pending_answered(route, origin, seq);
		fail_about(route, origin, seq, dest, "does not take messages");
	}
	wire_fini(msg);
}

static void request_pass(struct route *route, const struct wire_view *view, enum wire_peer sender,
    const struct bus_peer *from)
{
	const struct bus_peer origin = origin_of(view, sender, from);
	const enum wire_peer dest = view->dest;
	struct wire_msg msg;

	if (dest == WIRE_CLIENT) {
		failure_send(route, from, view->seq, "the request names no daemon", false);
		return;
	}
	/* meant for a frontend that was killed */
	if (sender == WIRE_CLIENT && view->source != WIRE_CLIENT) {
		failure_send(
		    route, from, view->seq, "a daemon must send HELLO before a request", false);
		return;
	}
	if (route->daemons[dest].len == 0 && route->ending) {
		fail_about(
		    route, &origin, view->seq, dest, "has ended, because the node is going down");
		return;
	}
	wire_init_copy(&msg, view, WIRE_TAG_ORIGIN);
	wire_put_peers(&msg, sender, dest);
	wire_put_bytes(&msg, WIRE_TAG_ORIGIN, origin.id, origin.len);
	request_send(route, &msg, view, &origin);
}

static void event_to_manager(struct route *route, const struct wire_view *view);

static void event_pass(struct route *route, const struct wire_view *view, enum wire_peer sender)
{
	struct wire_msg msg;
	uint64_t lease_ms = 0;

	if (view->type == WIRE_LEASE) {
		wire_get_u64(view, WIRE_TAG_LEASE_MS, &lease_ms);
		if (sender == WIRE_EXEC && lease_ms < UINT32_MAX)
			nodes_lease(route->nodes, lease_ms * 1000000u);
		return;
	}
	if (sender != WIRE_CLIENT && view->dest == WIRE_SWMAN &&
	    !machines_managed(route->nodes->machines)) {
		event_to_manager(route, view);
		return;
	}
	if (sender == WIRE_CLIENT || view->dest == WIRE_CLIENT ||
	    route->daemons[view->dest].len == 0)
		return;
	wire_init_copy(&msg, view, WIRE_TAG_ORIGIN);
	wire_put_peers(&msg, sender, view->dest);
	msg_send(route, &route->daemons[view->dest], &msg);
}

static void answer_pass(struct route *route, const struct wire_view *view, enum wire_peer sender)
{
	struct bus_peer origin;
	struct wire_msg msg;
	const void *bytes;
	size_t len;

	if (sender == WIRE_CLIENT || wire_get_bytes(view, WIRE_TAG_ORIGIN, 0, &bytes, &len) < 0 ||
	    len > sizeof(origin.id)) {
		log_debug(route->log, "an answer to no request was dropped");
		return;
	}
	memcpy(origin.id, bytes, len);
	origin.len = len;
	pending_answered(route, &origin, view->seq);
	route->owner.answers(route->owner.self, sender);
	wire_init_copy(&msg, view, WIRE_TAG_ORIGIN);
	wire_put_peers(&msg, sender, peer_kind(route, &origin));
	if (peer_kind(route, &origin) == WIRE_CLIENT)
		wire_put_text(&msg, WIRE_TAG_NOTE, route->owner.note(route->owner.self));
	msg_send(route, &origin, &msg);
}

/* ---- what is for the frontend itself ---- */

static void ok_send(struct route *route, const struct wire_view *view, const struct bus_peer *from)
{
	struct wire_msg msg;

	bus_reply(route->bus, view, WIRE_OK, &msg);
	if (view->type == WIRE_PING) {
		wire_put_u64(&msg, WIRE_TAG_PID, (uint64_t)getpid());
		wire_put_text(&msg, WIRE_TAG_TEXT, ALOE_VERSION);
	}
	msg_send(route, from, &msg);
}

static void hello_take(
    struct route *route, const struct wire_view *view, const struct bus_peer *from)
{
	const enum wire_peer kind = view->source;
	const pid_t pid = kind > WIRE_FRONTEND ? route->owner.pid(route->owner.self, kind) : 0;
	uint64_t said;

	if (pid == 0 || wire_get_u64(view, WIRE_TAG_PID, &said) < 0 || said != (uint64_t)pid) {
		fail_about(route, from, view->seq, kind, "is started only by the frontend");
		return;
	}
	if (!route->owner.attached(route->owner.self, kind)) {
		/* said to a frontend that was killed, and brought here by libzmq: the daemon says
		 * HELLO again when it has attached */
		log_debug(route->log, "a HELLO of aloe-%s to a frontend that is gone was dropped",
		    wire_peer_name(kind));
		return;
	}
	ok_send(route, view, from);
	if (peer_same(&route->daemons[kind], from))
		return;
	route->daemons[kind] = *from;
	log_debug(route->log, "aloe-%s is up (pid %d)", wire_peer_name(kind), pid);
	route_announce(route, kind, pid, "up");
	parked_send(route, kind);
}

static void nodes_send_list(
    struct route *route, const struct wire_view *view, const struct bus_peer *from)
{
	char *text = nodes_list(route->nodes);
	struct wire_msg msg;

	bus_reply(route->bus, view, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_JSON, text);
	msg_send(route, from, &msg);
	free(text);
}

static void builds_answer(
    struct route *route, const struct wire_view *view, const struct bus_peer *from)
{
	struct wire_msg msg;

	stock_answer(route->bus, route->builds, view, &msg);
	msg_send(route, from, &msg);
}

/* Of a client or daemon of this machine; another node may not say HELLO or DOWN here. */
static void own_take(struct route *route, const struct wire_view *view, const struct bus_peer *from)
{
	const bool by_manager = !machines_managed(route->nodes->machines) &&
	    (view->type == WIRE_BUILDS || view->type == WIRE_BUILD);

	if (from->id[0] == BY_NODE && view->type != WIRE_PING && view->type != WIRE_NODES &&
	    !by_manager) {
		failure_send(route, from, view->seq, "no other node may ask this", false);
		return;
	}
	switch (view->type) {
	case WIRE_HELLO:
		hello_take(route, view, from);
		return;
	case WIRE_PING:
		ok_send(route, view, from);
		return;
	case WIRE_DOWN:
		ok_send(route, view, from);
		route->owner.down(route->owner.self);
		return;
	case WIRE_NODES:
		nodes_send_list(route, view, from);
		return;
	case WIRE_BUILDS:
	case WIRE_BUILD:
		builds_answer(route, view, from);
		return;
	default:
		fail_about(route, from, view->seq, WIRE_FRONTEND, "does not know message %u (%s)",
		    view->type, wire_type_name(view->type));
	}
}

/* ---- other nodes ---- */

/* The name comes from a peer: no more of it is given back than a name can have, and nothing that a
 * terminal would obey. */
static void no_node(
    struct route *route, const struct bus_peer *from, uint32_t seq, const void *name, size_t len)
{
	const struct platform_model *model = route->nodes->machines->model;
	char shown[NODE_NAME], text[512];
	struct wire_msg msg;
	size_t at;

	machines_shown(name, len, shown, sizeof(shown));
	at = (size_t)snprintf(text, sizeof(text), "no node \"%s\", there %s %s", shown,
	    model && model->n_nodes > 1 ? "are" : "is", model ? model->nodes[0].name : route->node);
	for (size_t n = 1; model && n < model->n_nodes && at < sizeof(text); n++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, ", %s", model->nodes[n].name);
	failure_put(route, from, seq, 2, text, &msg);
	msg_send(route, from, &msg);
}

/* For which node a request is: MACHINES_NONE for this one. False: for none, which has been
 * answered. */
static bool node_of(struct route *route, const struct wire_view *view, const struct bus_peer *from,
    uint32_t *ret_node)
{
	const struct machines *machines = route->nodes->machines;
	const bool managers =
	    view->dest == WIRE_SWMAN || view->dest == WIRE_STATSMAN || view->type == WIRE_NODES;
	const void *name;
	bool given, own;
	size_t len;

	given = wire_get_bytes(view, WIRE_TAG_NODE, 0, &name, &len) == 0;
	own = given && len == strlen(route->node) && memcmp(name, route->node, len) == 0;
	*ret_node = given && !own ? machines_find(machines, name, len) : MACHINES_NONE;
	if (given && !own && *ret_node == MACHINES_NONE) {
		no_node(route, from, view->seq, name, len);
		return false;
	}
	if (managers) /* there is one, whatever node is named */
		*ret_node = machines_managed(machines) ? MACHINES_NONE : machines->manager;
	return true;
}

static void msg_to_node(struct route *route, uint32_t node, struct wire_msg *msg, int *ret)
{
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);

	*ret = bytes ? nodes_send(route->nodes, node, bytes, len) : msg->error;
	wire_fini(msg);
}

/* The field NODE says to whoever asked that the node has not heard of it. */
static void away_send(struct route *route, const struct bus_peer *to, uint32_t seq, uint32_t node,
    const char *text, bool again)
{
	struct wire_msg msg;

	failure_put(route, to, seq, 1, text, &msg);
	wire_put_text(&msg, WIRE_TAG_NODE, machines_name(route->nodes->machines, node));
	if (again)
		wire_put_u64(&msg, WIRE_TAG_AGAIN, 1);
	msg_send(route, to, &msg);
}

static void relay_fail(struct route *route, const struct bus_peer *to, uint32_t seq, uint32_t node)
{
	char text[700];

	nodes_missing(route->nodes, node, text, sizeof(text));
	away_send(route, to, seq, node, text, false);
}

/* A request for another node. */
static void node_pass(struct route *route, const struct wire_view *view, enum wire_peer sender,
    const struct bus_peer *from, uint32_t node)
{
	const struct bus_peer origin = origin_of(view, sender, from);
	struct route_pending *pending = pending_add(route, &origin, view, view->dest);
	const uint32_t next = nodes_next(route->nodes, node);
	struct wire_msg msg;
	const void *home;
	size_t len;
	int result;

	if (!pending) {
		failure_send(route, &origin, view->seq, "aloe-frontend: out of memory", false);
		return;
	}
	pending->node = next + 1;
	pending->relay = ++route->relays;
	wire_init_copy(&msg, view, WIRE_TAG_ORIGIN);
	wire_put_peers(&msg, WIRE_CLIENT, view->dest);
	wire_put_seq(&msg, pending->relay);
	if (view->type == WIRE_LOAD && wire_get_bytes(view, WIRE_TAG_HOME, 0, &home, &len) < 0)
		wire_put_text(&msg, WIRE_TAG_HOME, route->node);
	msg_to_node(route, next, &msg, &result);
	if (result == 0)
		return;
	pending_answered(route, &origin, view->seq);
	relay_fail(route, &origin, view->seq, next);
}

static void node_answer(struct route *route, const struct wire_view *view, uint32_t node)
{
	for (struct route_pending **at = &route->first; *at; at = &(*at)->next) {
		struct route_pending *pending = *at;
		struct bus_peer origin = pending->origin;
		struct wire_msg msg;

		if (pending->node != node + 1 || pending->relay != view->seq)
			continue;
		wire_init_copy(&msg, view, WIRE_TAG_ORIGIN);
		wire_put_peers(&msg, WIRE_FRONTEND, peer_kind(route, &origin));
		wire_put_seq(&msg, pending->seq);
		pending_remove(route, at);
		msg_send(route, &origin, &msg);
		return;
	}
	log_debug(route->log, "an answer of a node to no request was dropped");
}

/* What a daemon of this node tells swman, where that is on another one. */
static void event_to_manager(struct route *route, const struct wire_view *view)
{
	struct wire_msg msg;
	int result;

	wire_init_copy(&msg, view, WIRE_TAG_ORIGIN);
	wire_put_text(&msg, WIRE_TAG_NODE, route->node);
	msg_to_node(route, route->nodes->machines->manager, &msg, &result);
}

/* The node says its name; who has joined under which one is known here. */
static void node_event(struct route *route, const struct wire_view *view, uint32_t node)
{
	struct wire_msg msg;

	if (view->dest != WIRE_SWMAN || route->daemons[WIRE_SWMAN].len == 0)
		return;
	wire_init_copy(&msg, view, WIRE_TAG_NODE);
	wire_put_peers(&msg, WIRE_FRONTEND, WIRE_SWMAN);
	wire_put_text(&msg, WIRE_TAG_NODE, machines_name(route->nodes->machines, node));
	msg_send(route, &route->daemons[WIRE_SWMAN], &msg);
}

static void own_take(
    struct route *route, const struct wire_view *view, const struct bus_peer *from);

static void request_route(struct route *route, const struct wire_view *view, enum wire_peer sender,
    const struct bus_peer *from)
{
	uint32_t node;

	if (!node_of(route, view, from, &node))
		return;
	if (node != MACHINES_NONE)
		node_pass(route, view, sender, from, node);
	else if (view->dest == WIRE_FRONTEND)
		own_take(route, view, from);
	else
		request_pass(route, view, sender, from);
}

void route_node(
    struct route *route, const struct wire_view *view, const struct bus_peer *from, uint32_t node)
{
	struct bus_peer tagged = {.len = from->len + 1, .id = {BY_NODE}};

	if (from->len >= sizeof(tagged.id))
		return;
	memcpy(tagged.id + 1, from->id, from->len);
	if (is_answer(view))
		node_answer(route, view, node);
	else if (is_event(view))
		node_event(route, view, node);
	else
		request_route(route, view, WIRE_CLIENT, &tagged);
}

void route_node_changed(struct route *route, uint32_t node, bool there)
{
	char text[700];
	struct wire_msg msg;

	nodes_missing(route->nodes, node, text, sizeof(text));
	for (struct route_pending **at = &route->first; *at;) {
		if (there || (*at)->node != node + 1) {
			at = &(*at)->next;
			continue;
		}
		away_send(route, &(*at)->origin, (*at)->seq, node, text, true);
		pending_remove(route, at);
	}
	if (route->daemons[WIRE_SWMAN].len == 0)
		return;
	wire_init(&msg, WIRE_DAEMON, WIRE_FRONTEND, WIRE_SWMAN, 0);
	wire_put_u64(&msg, WIRE_TAG_DAEMON, WIRE_FRONTEND);
	wire_put_text(&msg, WIRE_TAG_STATE, there ? "up" : "down");
	wire_put_text(&msg, WIRE_TAG_NODE, machines_name(route->nodes->machines, node));
	if (!there)
		wire_put_u64(&msg, WIRE_TAG_WORD_NS, route->nodes->one[node].heard_ns);
	msg_send(route, &route->daemons[WIRE_SWMAN], &msg);
}

void route_word(struct route *route, uint64_t asked_ns)
{
	struct wire_msg msg;

	if (route->daemons[WIRE_EXEC].len == 0 || route->nodes->lease_ns == 0)
		return;
	wire_init(&msg, WIRE_LEASE, WIRE_FRONTEND, WIRE_EXEC, 0);
	wire_put_u64(&msg, WIRE_TAG_WORD_NS, asked_ns);
	msg_send(route, &route->daemons[WIRE_EXEC], &msg);
}

static void message_take(
    struct route *route, const struct wire_view *view, const struct bus_peer *from)
{
	const enum wire_peer sender = peer_kind(route, from);

	if (from->len > 0 && from->id[0] == BY_NODE) /* its own choice: libzmq makes none such */
		return;
	if (sender != WIRE_CLIENT)
		route->owner.heard(route->owner.self, sender);
	if (is_answer(view))
		answer_pass(route, view, sender);
	else if (is_event(view))
		event_pass(route, view, sender);
	else
		request_route(route, view, sender, from);
}

static void bad_log(const struct route *route)
{
	const uint64_t n = bus_counts(route->bus).bad;

	if (log_counted(n))
		log_warning(route->log,
		    "bytes that are not a message came over the bus and were dropped (count so "
		    "far: %llu)",
		    (unsigned long long)n);
}

static void bus_ready(void *self, short revents)
{
	struct route *route = self;

	(void)revents;
	for (int i = 0; i < MESSAGES_IN_A_ROW; i++) {
		struct wire_view view;
		struct bus_peer from;
		const int result = bus_recv(route->bus, &view, &from);

		if (result == 0)
			message_take(route, &view, &from);
		else if (result == -EBADMSG)
			bad_log(route);
		else if (result == -EAGAIN)
			return;
		else
			log_error(route->log, "cannot receive from the bus: %s", strerror(-result));
	}
}

/* ---- life ------------------------------------------------------------------------ */

void route_init(struct route *route, const char *node, const struct log *log, struct loop *loop,
    struct bus *bus, struct nodes *nodes, const struct route_owner *owner)
{
	*route = (struct route){
	    .node = node, .log = log, .loop = loop, .bus = bus, .nodes = nodes, .owner = *owner};
	loop_watch_start(loop, &route->watch, bus_fd(bus), POLLIN, bus_ready, route);
}

void route_fini(struct route *route)
{
	loop_watch_stop(route->loop, &route->watch);
	loop_timer_stop(route->loop, &route->expiry);
	while (route->first)
		pending_remove(route, &route->first);
}

void route_lost(struct route *route, enum wire_peer daemon)
{
	const struct bus_peer gone = route->daemons[daemon];

	route->daemons[daemon].len = 0;
	for (struct route_pending **at = &route->first; *at;) {
		struct route_pending *pending = *at;
		const bool asked = gone.len > 0 && peer_same(&pending->origin, &gone);
		const bool unanswered =
		    pending->dest == daemon && pending->node == 0 && !pending->parked;

		if (unanswered && !asked)
			lost_fail(route, pending, "ended before it had answered");
		if (unanswered || asked)
			pending_remove(route, at);
		else
			at = &pending->next;
	}
}

/* LOAD, REMAP and UPGRADE: components are shaped and a plan made; PREPARE and UNLOAD: memory is
 * taken and given back. */
bool route_busy(const struct route *route, enum wire_peer daemon)
{
	for (const struct route_pending *pending = route->first; pending; pending = pending->next) {
		if (pending->dest == daemon && pending->node == 0 && !pending->parked &&
		    (pending->type == WIRE_LOAD || pending->type == WIRE_PREPARE ||
		        pending->type == WIRE_UNLOAD || pending->type == WIRE_REMAP ||
		        pending->type == WIRE_UPGRADE))
			return true;
	}
	return false;
}

void route_announce(struct route *route, enum wire_peer daemon, pid_t pid, const char *state)
{
	for (int kind = 0; kind < WIRE_PEERS; kind++) {
		struct wire_msg msg;

		if (kind == (int)daemon || route->daemons[kind].len == 0)
			continue;
		wire_init(&msg, WIRE_DAEMON, WIRE_FRONTEND, (enum wire_peer)kind, 0);
		wire_put_u64(&msg, WIRE_TAG_DAEMON, daemon);
		wire_put_u64(&msg, WIRE_TAG_PID, (uint64_t)pid);
		wire_put_text(&msg, WIRE_TAG_STATE, state);
		msg_send(route, &route->daemons[kind], &msg);
	}
	if (!machines_managed(route->nodes->machines)) {
		struct wire_view view = {0};
		struct wire_msg msg;
		size_t len;

		wire_init(&msg, WIRE_DAEMON, WIRE_FRONTEND, WIRE_SWMAN, 0);
		wire_put_u64(&msg, WIRE_TAG_DAEMON, daemon);
		wire_put_text(&msg, WIRE_TAG_STATE, state);
		if (wire_bytes(&msg, &len) && wire_decode(msg.bytes, len, &view) == 0)
			event_to_manager(route, &view);
		wire_fini(&msg);
	}
}
