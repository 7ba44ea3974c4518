/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/bridge/links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"

/* In a row: what the peer waits to hear of is sent after so many. */
enum { MESSAGES_IN_A_ROW = 16, MORE_BYTES = 512 };

static const enum wire_type types[] = {WIRE_FRAME};

/* Whose frame it is: by its key, and without keys by what it says. */
static uint32_t sender_of(
    const struct bridge_links *links, const struct wire_view *view, const struct bus_peer *from)
{
	const void *name;
	size_t len;
	uint32_t node;

	if (wire_get_bytes(view, WIRE_TAG_NAME, 0, &name, &len) < 0)
		return MACHINES_NONE;
	node = machines_find(links->machines, name, len);
	if (node == MACHINES_NONE || node == links->machines->self)
		return MACHINES_NONE;
	return from->node[0] && strcmp(from->node, machines_name(links->machines, node)) != 0
	    ? MACHINES_NONE
	    : node;
}

/* ---- keys of datagrams ---- */

static int bytes_send(struct bridge_link *one, enum wire_tag tag, const void *bytes, size_t len);

/* Whoever has connected anew has no key that was ever used. */
static void key_give(struct bridge_links *links, uint32_t node)
{
	uint8_t key[SEAL_KEY_BYTES];

	if (!datagrams_reach(&links->datagrams, node))
		return;
	if (seal_key_new(key) < 0 || datagrams_key(&links->datagrams, node, key) < 0)
		log_error(links->log, "no key can be made for the datagrams to node \"%s\"",
		    machines_name(links->machines, node));
	else
		bytes_send(&links->one[node], WIRE_TAG_KEY, key, sizeof(key));
	seal_key_wipe(key, sizeof(key));
}

/* By whom we have connected to. */
static void key_take(struct bridge_links *links, const struct wire_view *view, uint32_t node)
{
	const void *key;
	size_t len;

	if (wire_get_bytes(view, WIRE_TAG_KEY, 0, &key, &len) == 0 && len == SEAL_KEY_BYTES &&
	    datagrams_reach(&links->datagrams, node) &&
	    datagrams_key(&links->datagrams, node, key) < 0)
		log_error(links->log, "the key of node \"%s\" cannot be used",
		    machines_name(links->machines, node));
}

/* Of whatever transport. */
static void frame_come(void *self, uint32_t node, const void *bytes, size_t len)
{
	struct bridge_links *links = self;

	links->one[node].heard_ns = clock_ns();
	links->frame(links->self, node, bytes, len);
}

uint64_t links_heard_ns(const struct bridge_links *links, uint32_t node)
{
	return links->one[node].heard_ns;
}

/* ---- messages ---- */

static void message_take(struct bridge_links *links, const struct wire_view *view, uint32_t node)
{
	const void *bytes;
	size_t len;

	if (wire_get_bytes(view, WIRE_TAG_BYTES, 0, &bytes, &len) == 0)
		frame_come(links, node, bytes, len);
	else
		datagrams_wake(&links->datagrams, node);
}

static void strange_log(struct bridge_links *links, const struct bus_peer *from)
{
	const uint64_t n = ++links->strange;

	if (log_counted(n))
		log_warning(links->log,
		    "messages with the name of no other node, or of another one than their key "
		    "says, were dropped, the last with the key of node \"%s\" (count so far: %llu)",
		    from->node, (unsigned long long)n);
}

static void peer_take(
    struct bridge_links *links, const struct wire_view *view, const struct bus_peer *from)
{
	const uint32_t node = sender_of(links, view, from);
	struct bridge_link *one = node != MACHINES_NONE ? &links->one[node] : NULL;
	bool is_new;

	if (!one || one->bus) {
		strange_log(links, from);
		return;
	}
	is_new = one->peer.len != from->len || memcmp(one->peer.id, from->id, from->len) != 0;
	one->peer = *from;
	if (is_new)
		key_give(links, node);
	message_take(links, view, node);
}

static void listener_ready(void *self, short revents)
{
	struct bridge_links *links = self;
	int result = 0;

	(void)revents;
	for (int i = 0; i < MESSAGES_IN_A_ROW && result != -EAGAIN; i++) {
		struct bus_peer from = {.len = 0};
		struct wire_view view;

		result = bus_recv_next(links->bus, &view, &from);
		if (result == 0)
			peer_take(links, &view, &from);
	}
	bus_settle(links->bus);
}

/* Whom we have connected to has shown its key. */
static void link_ready(void *self, short revents)
{
	struct bridge_link *one = self;
	int result = 0;

	(void)revents;
	for (int i = 0; i < MESSAGES_IN_A_ROW && result != -EAGAIN; i++) {
		struct wire_view view;

		result = bus_recv_next(one->bus, &view, NULL);
		if (result != 0 || view.type != WIRE_FRAME)
			continue;
		key_take(one->of, &view, one->node);
		message_take(one->of, &view, one->node);
	}
	bus_settle(one->bus);
}

static void message_begin(const struct bridge_links *links, struct wire_msg *msg)
{
	const struct machines *machines = links->machines;

	wire_init(msg, WIRE_FRAME, WIRE_BRIDGE, WIRE_BRIDGE, 1);
	wire_put_text(msg, WIRE_TAG_NAME, machines_name(machines, machines->self));
}

/* By bus_send_next or bus_copy_next. */
static int message_send(struct bridge_link *one, struct wire_msg *msg,
    int (*send)(struct bus *bus, const struct bus_peer *to, struct wire_msg *msg))
{
	one->sent_ns = clock_ns();
	if (one->bus) {
		one->unsettled = true;
		return send(one->bus, NULL, msg);
	}
	if (one->peer.len == 0)
		return -EHOSTUNREACH;
	one->of->unsettled = true;
	return send(one->of->bus, &one->peer, msg);
}

static int bytes_send(struct bridge_link *one, enum wire_tag tag, const void *some, size_t some_len)
{
	struct wire_msg msg;
	int rc;

	message_begin(one->of, &msg);
	if (some_len > 0)
		wire_put_bytes(&msg, tag, some, some_len);
	rc = message_send(one, &msg, bus_send_next);
	wire_fini(&msg);
	return rc;
}

uint8_t *links_room(struct bridge_links *links, uint32_t node)
{
	if (datagrams_reach(&links->datagrams, node))
		return links->spare;
	if (!links->room) {
		wire_fini(&links->msg);
		message_begin(links, &links->msg);
		links->room = wire_put_room(&links->msg, WIRE_TAG_BYTES, LINKS_FRAME_BYTES);
	}
	return links->room ? links->room : links->spare;
}

int links_send_room(struct bridge_links *links, uint32_t node, size_t len)
{
	if (datagrams_reach(&links->datagrams, node))
		return links_send(links, node, links->spare, len);
	if (!links->room)
		return -ENOMEM;
	wire_room_used(&links->msg, links->room, len);
	if (len < LINKS_COPY_BYTES)
		return message_send(&links->one[node], &links->msg, bus_copy_next);
	links->room = NULL; /* it goes with the message */
	return message_send(&links->one[node], &links->msg, bus_send_next);
}

int links_send(struct bridge_links *links, uint32_t node, const void *bytes, size_t len)
{
	if (!datagrams_reach(&links->datagrams, node))
		return bytes_send(&links->one[node], WIRE_TAG_BYTES, bytes, len);
	if (datagrams_asleep(&links->datagrams, node))
		bytes_send(&links->one[node], WIRE_TAG_BYTES, NULL, 0);
	return datagrams_send(&links->datagrams, node, bytes, len);
}

uint32_t links_frame_bytes(const struct bridge_links *links, uint32_t node)
{
	return datagrams_reach(&links->datagrams, node) ? DATAGRAMS_FRAME_BYTES : LINKS_FRAME_BYTES;
}

void links_flush(struct bridge_links *links)
{
	datagrams_flush(&links->datagrams);
	if (links->unsettled)
		bus_settle(links->bus);
	links->unsettled = false;
	for (uint32_t n = 0; n < links->machines->self; n++) {
		if (links->one[n].unsettled)
			bus_settle(links->one[n].bus);
		links->one[n].unsettled = false;
	}
}

static void news_log(struct bridge_links *links, struct bus *bus)
{
	char news[400];

	if (bus && bus_news(bus, clock_ns(), news, sizeof(news)))
		log_note(links->log, "other nodes: %s", news);
}

static void word_send(void *self)
{
	struct bridge_links *links = self;

	news_log(links, links->bus);
	for (uint32_t n = 0; n < links->machines->model->n_nodes; n++) {
		struct bridge_link *one = &links->one[n];

		if (one->bus && clock_ns() - one->sent_ns >= LINKS_WORD_MS * 1000000ull)
			bytes_send(one, WIRE_TAG_BYTES, NULL, 0);
	}
	links_flush(links);
	loop_timer_start(links->loop, &links->word, LINKS_WORD_MS * 1000000ull, word_send, links);
}

/* ---- life ---- */

static struct bus *bus_new(struct bridge_links *links, uint32_t node, struct diag *diag)
{
	const bool listens = node == links->machines->self;
	char address[MACHINES_ADDRESS];
	struct bus_tcp tcp;

	machines_tcp(links->machines, node, MACHINES_BRIDGE, address, &tcp);
	tcp.bytes_max = LINKS_FRAME_BYTES + MORE_BYTES;
	tcp.types = types;
	tcp.n_types = sizeof(types) / sizeof(types[0]);
	return listens ? bus_listen(&tcp, diag) : bus_join(&tcp, WIRE_BRIDGE, diag);
}

static int all_open(struct bridge_links *links, struct diag *diag)
{
	const struct machines *machines = links->machines;

	links->bus = bus_new(links, machines->self, diag);
	for (uint32_t n = 0; links->bus && n < machines->model->n_nodes; n++) {
		struct bridge_link *one = &links->one[n];

		*one = (struct bridge_link){.of = links, .node = n};
		if (n >= machines->self)
			continue;
		one->bus = bus_new(links, n, diag);
		if (!one->bus)
			return -EINVAL;
		loop_watch_start(
		    links->loop, &one->watch, bus_fd(one->bus), POLLIN, link_ready, one);
	}
	return links->bus ? 0 : -EINVAL;
}

int links_open(struct bridge_links *links, const struct machines *machines, const struct log *log,
    struct loop *loop, void (*frame)(void *self, uint32_t node, const void *bytes, size_t len),
    void *self)
{
	struct diag diag;
	int rc;

	*links = (struct bridge_links){
	    .machines = machines, .log = log, .loop = loop, .frame = frame, .self = self};
	links->one = calloc(machines->model->n_nodes, sizeof(*links->one));
	links->spare = malloc(LINKS_FRAME_BYTES);
	if (!links->one || !links->spare)
		return -ENOMEM;
	diag_init(&diag);
	rc = all_open(links, &diag);
	machines_tell(log, &diag);
	diag_fini(&diag);
	rc = rc ? rc : datagrams_open(&links->datagrams, machines, log, loop, frame_come, links);
	if (rc < 0)
		return rc;
	loop_watch_start(loop, &links->watch, bus_fd(links->bus), POLLIN, listener_ready, links);
	word_send(links);
	return 0;
}

void links_close(struct bridge_links *links)
{
	for (uint32_t n = 0; links->one && n < links->machines->model->n_nodes; n++) {
		if (links->one[n].bus)
			loop_watch_stop(links->loop, &links->one[n].watch);
		bus_close(links->one[n].bus);
	}
	if (links->bus) {
		loop_watch_stop(links->loop, &links->watch);
		loop_timer_stop(links->loop, &links->word);
	}
	bus_close(links->bus);
	datagrams_close(&links->datagrams);
	wire_fini(&links->msg);
	free(links->spare);
	free(links->one);
	links->spare = NULL;
	links->one = NULL;
	links->bus = NULL;
}
