/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/frontend/nodes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/cluster/loss.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/measure/local.h"
#include "core/platform/platform.h"
#include "core/registry/registry.h"

enum { MESSAGES_IN_A_ROW = 64, NODE_BYTES_MAX = 64 << 20, FACTS_MAX = 8192, LEASE_S_MAX = 60 };

static const char *name_of(const struct nodes *nodes, uint32_t node)
{
	return machines_name(nodes->machines, node);
}

static bool nodes_managed(const struct nodes *nodes)
{
	return machines_managed(nodes->machines);
}

/* ---- what this node is ---- */

static int64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

static int tai_offset(void)
{
	struct timex timex = {.modes = 0};

	return adjtimex(&timex) < 0 ? 0 : timex.tai;
}

static void boot_id(char *ret, size_t size)
{
	char *text;
	size_t len;

	ret[0] = 0;
	if (file_read("/proc/sys/kernel/random/boot_id", 256, &text, &len) < 0)
		return;
	snprintf(ret, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

/* Which one it is: the kernel that it runs on, and its directory there. */
static void seat_of(const struct nodes *nodes, char *ret, size_t size)
{
	char boot[64];

	boot_id(boot, sizeof(boot));
	snprintf(ret, size, "%s:%s", boot, nodes->dir);
}

static json_t *cpus_json(void)
{
	json_t *cpus = json_array();
	int all[LOCAL_CPUS_MAX];
	const size_t n = platform_cpus(all, LOCAL_CPUS_MAX);

	for (size_t i = 0; i < n; i++)
		json_array_append_new(cpus, json_integer(all[i]));
	return cpus;
}

static json_t *facts_new(const struct nodes *nodes)
{
	struct local_platform *local = malloc(sizeof(*local));
	char seat[160], print[32];
	json_t *facts;

	if (!local)
		return NULL;
	local_platform(nodes->state, local);
	seat_of(nodes, seat, sizeof(seat));
	snprintf(print, sizeof(print), "%016llx", (unsigned long long)nodes->machines->print);
	facts = json_pack("{s:s, s:s, s:o, s:f, s:s, s:s}", "version", ALOE_VERSION, "arch",
	    component_arch_name(component_arch_here()), "cpus", json_deep_copy(nodes->cpus),
	    "mmac_per_s", local->model.mmac_per_s, "seat", seat, "platform", print);
	free(local);
	return facts;
}

/* What does not change is found out once, the speed of its cores as soon as it is known. */
static char *facts_make(struct nodes *nodes)
{
	json_t *facts = nodes->facts;

	if (json_real_value(json_object_get(facts, "mmac_per_s")) <= 0) {
		json_decref(facts);
		facts = nodes->facts = facts_new(nodes);
	}
	json_object_set_new(facts, "tai_offset_s", json_integer(tai_offset()));
	json_object_set_new(facts, "realtime_ns", json_integer(realtime_ns()));
	json_object_set_new(
	    facts, "lease_ms", json_integer((json_int_t)(nodes->lease_ns / CLUSTER_MS)));
	return facts ? json_dumps(facts, JSON_COMPACT) : NULL;
}

/* ---- who may join ---- */

static const char *text_in(const json_t *facts, const char *key)
{
	const char *text = json_string_value(json_object_get(facts, key));

	return text ? text : "";
}

__attribute__((format(printf, 3, 4))) static bool facts_refuse(
    char *ret_why, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(ret_why, size, format, args);
	va_end(args);
	return false;
}

static bool facts_fit(
    const struct nodes *nodes, const char *name, const json_t *facts, char *why, size_t size)
{
	const json_int_t theirs = json_integer_value(json_object_get(facts, "tai_offset_s"));
	char print[32];

	snprintf(print, sizeof(print), "%016llx", (unsigned long long)nodes->machines->print);
	if (strcmp(text_in(facts, "version"), ALOE_VERSION) != 0)
		return facts_refuse(why, size,
		    "node \"%s\" has version %.32s of ALOE, and the manager \"%s\" has %s; one "
		    "version on all nodes is needed",
		    name, text_in(facts, "version"), name_of(nodes, nodes->machines->self),
		    ALOE_VERSION);
	if (strcmp(text_in(facts, "platform"), print) != 0)
		return facts_refuse(why, size,
		    "node \"%s\" was given another platform file than the manager \"%s\"; the "
		    "same file on all nodes is needed",
		    name, name_of(nodes, nodes->machines->self));
	if (theirs != tai_offset())
		return facts_refuse(why, size,
		    "node \"%s\" counts %lld s between UTC and TAI, and the manager \"%s\" counts "
		    "%d s, so their slots would have other numbers; the same offset is needed "
		    "(adjtimex, or the leap seconds of the time daemon)",
		    name, (long long)theirs, name_of(nodes, nodes->machines->self), tai_offset());
	return true;
}

/* Whether who says to be that node is let in. */
static bool may_join(const struct nodes *nodes, uint32_t node, const char *name,
    const struct bus_peer *from, const json_t *facts, char *why, size_t size)
{
	const struct nodes_one *one = node != MACHINES_NONE ? &nodes->one[node] : NULL;

	if (!one)
		return facts_refuse(why, size, "the platform %s has no node \"%s\"",
		    nodes->machines->model->name, name);
	if (from->node[0] && strcmp(from->node, name) != 0)
		return facts_refuse(why, size, "the key of node \"%s\" says that it is node \"%s\"",
		    from->node, name);
	if (node == nodes->machines->self)
		return facts_refuse(
		    why, size, "the name \"%s\" is taken: it is the manager's", name);
	if (!facts_fit(nodes, name, facts, why, size))
		return false;
	if (one->peer.len > 0 && strcmp(one->seat, text_in(facts, "seat")) != 0)
		return facts_refuse(why, size,
		    "the name \"%s\" is taken by a node in another place (%s)", name, one->seat);
	return true;
}

/* ---- joining: the manager's end ---- */

static void node_gone(struct nodes *nodes, uint32_t node)
{
	nodes->one[node].peer.len = 0;
	nodes->owner.changed(nodes->owner.self, node, false);
}

/* What a node says is checked: its lease only decides how soon it is missed. */
static uint64_t lease_of(const json_t *facts)
{
	const json_int_t ms = json_integer_value(json_object_get(facts, "lease_ms"));

	return ms > 0 && ms <= LEASE_S_MAX * 1000 ? (uint64_t)ms * CLUSTER_MS : 0;
}

/* A frontend that was killed is followed by one that knows nothing of what was asked. */
static void node_joins(
    struct nodes *nodes, uint32_t node, const struct bus_peer *from, const json_t *facts)
{
	struct nodes_one *one = &nodes->one[node];
	const bool same =
	    one->peer.len == from->len && memcmp(one->peer.id, from->id, from->len) == 0;

	if (one->peer.len > 0 && !same)
		node_gone(nodes, node);
	one->heard_ns = clock_ns();
	one->lease_ns = lease_of(facts);
	free(one->facts);
	one->facts = json_dumps(facts, JSON_COMPACT);
	if (same)
		return;
	one->peer = *from;
	machines_shown(
	    text_in(facts, "seat"), strlen(text_in(facts, "seat")), one->seat, sizeof(one->seat));
	log_note(nodes->log, "node \"%s\" has joined", name_of(nodes, node));
	nodes->owner.changed(nodes->owner.self, node, true);
}

static void join_answer(
    struct nodes *nodes, const struct wire_view *view, const struct bus_peer *from, const char *why)
{
	struct wire_msg msg;
	const uint8_t *bytes;
	size_t len;

	bus_reply(nodes->bus, view, why ? WIRE_FAIL : WIRE_OK, &msg);
	if (why) {
		wire_put_u64(&msg, WIRE_TAG_CODE, 2);
		wire_put_text(&msg, WIRE_TAG_TEXT, why);
	}
	bytes = wire_bytes(&msg, &len);
	if (bytes)
		bus_send_to(nodes->bus, from, bytes, len);
	wire_fini(&msg);
}

static void join_take(
    struct nodes *nodes, const struct wire_view *view, const struct bus_peer *from)
{
	char name[NODE_NAME] = "", why[512] = "JOIN needs NAME and JSON";
	const void *text = "", *json = "";
	size_t text_len = 0, json_len = 0;
	json_t *facts;
	uint32_t node;
	bool in;

	wire_get_bytes(view, WIRE_TAG_NAME, 0, &text, &text_len);
	wire_get_bytes(view, WIRE_TAG_JSON, 0, &json, &json_len);
	machines_shown(text, text_len, name, sizeof(name));
	node = machines_find(nodes->machines, text, text_len);
	facts =
	    json_len <= FACTS_MAX ? json_loadb(json, json_len, JSON_REJECT_DUPLICATES, NULL) : NULL;
	in = json_is_object(facts) && may_join(nodes, node, name, from, facts, why, sizeof(why));
	if (in)
		node_joins(nodes, node, from, facts);
	else if (strcmp(nodes->refused, why) != 0)
		log_warning(nodes->log, "refused: %s", why);
	if (!in)
		snprintf(nodes->refused, sizeof(nodes->refused), "%s", why);
	join_answer(nodes, view, from, in ? NULL : why);
	json_decref(facts);
}

static uint32_t node_from(const struct nodes *nodes, const struct bus_peer *from)
{
	for (uint32_t n = 0; n < nodes->machines->model->n_nodes; n++)
		if (nodes->one[n].peer.len > 0 && nodes->one[n].peer.len == from->len &&
		    memcmp(nodes->one[n].peer.id, from->id, from->len) == 0)
			return n;
	return MACHINES_NONE;
}

/* ---- joining: the node's end ---- */

static void join_answered(struct nodes *nodes, const struct wire_view *view)
{
	const uint32_t manager = nodes->machines->manager;
	const bool in = view->type == WIRE_OK, was = nodes->joined;
	const void *text = "";
	char why[sizeof(nodes->refused)];
	size_t len = 0;

	nodes->one[manager].heard_ns = clock_ns();
	nodes->joined = in;
	if (in) {
		nodes->word_ns = nodes->asked_ns;
		nodes->owner.word(nodes->owner.self, nodes->word_ns);
	}
	if (in && !was) {
		log_note(nodes->log, "joined the manager \"%s\"", name_of(nodes, manager));
		nodes->owner.changed(nodes->owner.self, manager, true);
	}
	if (in)
		return;
	wire_get_bytes(view, WIRE_TAG_TEXT, 0, &text, &len);
	machines_shown(text, len, why, sizeof(why));
	if (strcmp(why, nodes->refused) != 0)
		log_error(nodes->log, "the manager \"%s\" does not let this node join: %s",
		    name_of(nodes, manager), why);
	memcpy(nodes->refused, why, sizeof(why));
	if (was)
		nodes->owner.changed(nodes->owner.self, manager, false);
}

static void join_send(struct nodes *nodes)
{
	char *facts = facts_make(nodes);
	struct wire_msg msg;

	if (!facts)
		return;
	nodes->join_seq = bus_seq(nodes->bus);
	nodes->asked_ns = clock_ns();
	wire_init(&msg, WIRE_JOIN, WIRE_FRONTEND, WIRE_FRONTEND, nodes->join_seq);
	wire_put_text(&msg, WIRE_TAG_NAME, name_of(nodes, nodes->machines->self));
	wire_put_text(&msg, WIRE_TAG_JSON, facts);
	bus_send(nodes->bus, &msg);
	free(facts);
}

/* ---- both ---- */

static void silence_check(struct nodes *nodes, uint64_t now)
{
	const bool manages = nodes_managed(nodes);

	for (uint32_t n = 0; n < nodes->machines->model->n_nodes; n++) {
		const struct nodes_one *one = &nodes->one[n];
		const bool there =
		    manages ? one->peer.len > 0 : nodes->joined && n == nodes->machines->manager;

		if (!there || now < one->heard_ns + cluster_lost_ns(one->lease_ns))
			continue;
		log_warning(
		    nodes->log, "nothing is heard of node \"%s\" any more", name_of(nodes, n));
		nodes->joined = false;
		nodes->refused[0] = 0;
		node_gone(nodes, n);
	}
}

/* The manager looks as often as those of its nodes join that do so most often. */
static uint64_t next_ns(const struct nodes *nodes)
{
	uint64_t next = cluster_join_ns(nodes->lease_ns);

	for (uint32_t n = 0; nodes_managed(nodes) && n < nodes->machines->model->n_nodes; n++) {
		const uint64_t theirs = cluster_join_ns(nodes->one[n].lease_ns);

		next = theirs < next ? theirs : next;
	}
	return next;
}

static void second_passed(void *self)
{
	struct nodes *nodes = self;
	const uint64_t now = clock_ns();
	char news[400];

	if (!nodes_managed(nodes))
		join_send(nodes);
	silence_check(nodes, now);
	if (bus_news(nodes->bus, now, news, sizeof(news)))
		log_note(nodes->log, "other nodes: %s", news);
	loop_timer_start(nodes->loop, &nodes->second, next_ns(nodes), second_passed, nodes);
}

void nodes_lease(struct nodes *nodes, uint64_t lease_ns)
{
	if (!nodes->bus)
		return;
	nodes->lease_ns = lease_ns;
	nodes->owner.word(nodes->owner.self, nodes_managed(nodes) ? CLUSTER_NEVER : nodes->word_ns);
	if (!nodes_managed(nodes))
		second_passed(nodes);
}

static bool is_answer(const struct wire_view *view)
{
	return view->type == WIRE_OK || view->type == WIRE_FAIL;
}

static void strange_log(
    struct nodes *nodes, const struct wire_view *view, const struct bus_peer *from)
{
	const uint64_t n = ++nodes->strange;

	if (log_counted(n))
		log_warning(nodes->log,
		    "messages of a node that has not joined were dropped, the last %s with the key "
		    "of node \"%s\" (count so far: %llu)",
		    wire_type_name(view->type), from->node, (unsigned long long)n);
}

static void message_take(
    struct nodes *nodes, const struct wire_view *view, const struct bus_peer *from)
{
	const uint32_t node =
	    nodes_managed(nodes) ? node_from(nodes, from) : nodes->machines->manager;

	if (nodes_managed(nodes) && view->type == WIRE_JOIN)
		join_take(nodes, view, from);
	else if (!nodes_managed(nodes) && is_answer(view) && view->dest == WIRE_FRONTEND &&
	    view->seq == nodes->join_seq)
		join_answered(nodes, view);
	else if (node != MACHINES_NONE && view->type != WIRE_JOIN)
		nodes->owner.message(nodes->owner.self, view, from, node);
	else if (nodes_managed(nodes))
		strange_log(nodes, view, from);
}

static void manager_lost(struct nodes *nodes, int result)
{
	if (result == -EACCES)
		snprintf(nodes->refused, sizeof(nodes->refused),
		    "the manager does not know the key of this node; `aloe keys allow` there");
	else if (result == -EPROTO)
		snprintf(nodes->refused, sizeof(nodes->refused),
		    "one of the two has keys, and the other has not");
	else
		return;
	log_error(nodes->log, "%s", nodes->refused);
}

static void bus_ready(void *self, short revents)
{
	struct nodes *nodes = self;

	(void)revents;
	for (int i = 0; i < MESSAGES_IN_A_ROW; i++) {
		struct bus_peer from = {.len = 0};
		struct wire_view view;
		const int result = bus_recv(nodes->bus, &view, &from);

		if (result == -EAGAIN)
			return;
		if (result == 0)
			message_take(nodes, &view, &from);
		else if (result != -EBADMSG && !nodes_managed(nodes))
			manager_lost(nodes, result);
	}
}

/* ---- sending ---- */

uint32_t nodes_next(const struct nodes *nodes, uint32_t node)
{
	return nodes_managed(nodes) ? node : nodes->machines->manager;
}

int nodes_reply(struct nodes *nodes, const struct bus_peer *to, const void *bytes, size_t len)
{
	struct wire_view view;
	struct wire_msg msg;

	if (nodes_managed(nodes))
		return bus_send_to(nodes->bus, to, bytes, len);
	if (wire_decode(bytes, len, &view) < 0)
		return -EBADMSG;
	wire_init_copy(&msg, &view, (enum wire_tag)0);
	return bus_send(nodes->bus, &msg);
}

int nodes_send(struct nodes *nodes, uint32_t node, const void *bytes, size_t len)
{
	if (nodes_managed(nodes) ? nodes->one[node].peer.len == 0 : !nodes->joined)
		return -EHOSTUNREACH;
	return nodes_reply(nodes, &nodes->one[node].peer, bytes, len);
}

void nodes_missing(const struct nodes *nodes, uint32_t node, char *ret, size_t size)
{
	const char *manager = name_of(nodes, nodes->machines->manager);

	if (nodes_managed(nodes))
		snprintf(ret, size,
		    "node \"%s\" is not there: it has not joined, or nothing is heard of it",
		    name_of(nodes, node));
	else
		snprintf(ret, size, "this node has not joined the manager \"%s\"%s%s", manager,
		    nodes->refused[0] ? ": " : ", which does not answer", nodes->refused);
}

/* ---- the list ---- */

static json_t *one_json(struct nodes *nodes, uint32_t node, uint64_t now)
{
	const struct platform_node *row = &nodes->machines->model->nodes[node];
	const struct nodes_one *one = &nodes->one[node];
	const bool self = node == nodes->machines->self;
	char *own = self ? facts_make(nodes) : NULL;
	json_t *facts =
	    own || one->facts ? json_loads(own ? own : one->facts, 0, NULL) : json_object();

	json_object_set_new(facts, "name", json_string(row->name));
	json_object_set_new(facts, "address", json_string(row->address));
	json_object_set_new(facts, "manager", json_boolean(row->manager));
	json_object_set_new(facts, "shared", json_boolean(row->shared));
	json_object_set_new(facts, "joined", json_boolean(self || one->peer.len > 0));
	json_object_set_new(facts, "heard_s",
	    self                ? json_real(0)
	        : one->heard_ns ? json_real((double)(now - one->heard_ns) * 1e-9)
	                        : json_null());
	free(own);
	return facts;
}

char *nodes_list(struct nodes *nodes)
{
	json_t *list = json_array();
	char *text;

	for (uint32_t n = 0; nodes->bus && n < nodes->machines->model->n_nodes; n++)
		json_array_append_new(list, one_json(nodes, n, clock_ns()));
	text = json_dumps(list, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
	json_decref(list);
	return text;
}

/* ---- life ---- */

/* What one node may ask of another: not what belongs to a machine alone. */
static const enum wire_type types[] = {WIRE_OK, WIRE_FAIL, WIRE_PING, WIRE_JOIN, WIRE_NODES,
    WIRE_LOAD, WIRE_START, WIRE_PAUSE, WIRE_STEP, WIRE_STOP, WIRE_UNLOAD, WIRE_LIST, WIRE_STATUS,
    WIRE_REMAP, WIRE_SAMPLES, WIRE_MISSES, WIRE_TRACE, WIRE_GET, WIRE_SET, WIRE_LOG, WIRE_TAP,
    WIRE_EVENT, WIRE_DAEMON};

int nodes_init(struct nodes *nodes, const struct machines *machines, const struct log *log,
    struct loop *loop, const char *dir, const char *state, const struct nodes_owner *owner)
{
	char address[MACHINES_ADDRESS];
	struct bus_tcp tcp;
	struct diag diag;

	*nodes = (struct nodes){.machines = machines,
	    .log = log,
	    .loop = loop,
	    .dir = dir,
	    .state = state,
	    .owner = *owner};
	if (!machines->model)
		return 0;
	nodes->cpus = cpus_json();
	nodes->one = calloc(machines->model->n_nodes, sizeof(*nodes->one));
	if (!nodes->one)
		return -ENOMEM;
	machines_tcp(machines, machines->manager, MACHINES_FRONTEND, address, &tcp);
	tcp.bytes_max = NODE_BYTES_MAX;
	tcp.types = types;
	tcp.n_types = sizeof(types) / sizeof(types[0]);
	if (!nodes_managed(nodes))
		tcp.types = NULL; /* the manager may ask anything */
	diag_init(&diag);
	nodes->bus =
	    nodes_managed(nodes) ? bus_listen(&tcp, &diag) : bus_join(&tcp, WIRE_FRONTEND, &diag);
	machines_tell(log, &diag);
	diag_fini(&diag);
	if (!nodes->bus)
		return -EINVAL;
	loop_watch_start(loop, &nodes->watch, bus_fd(nodes->bus), POLLIN, bus_ready, nodes);
	second_passed(nodes);
	return 0;
}

void nodes_fini(struct nodes *nodes)
{
	if (nodes->bus) {
		loop_watch_stop(nodes->loop, &nodes->watch);
		loop_timer_stop(nodes->loop, &nodes->second);
	}
	bus_close(nodes->bus);
	for (size_t n = 0; nodes->one && n < nodes->machines->model->n_nodes; n++)
		free(nodes->one[n].facts);
	free(nodes->one);
	json_decref(nodes->facts);
	json_decref(nodes->cpus);
	nodes->one = NULL;
	nodes->bus = NULL;
}
