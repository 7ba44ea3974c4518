/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/bridge/datagrams.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/address.h"
#include "core/base/clock.h"
#include "platforms/transports/transports.h"

enum { PACKETS = 256 };

/* The first link of this kind that joins them counts. */
static bool is_reached(
    const struct machines *machines, uint32_t node, enum platform_transport transport)
{
	const struct platform_model *model = machines->model;
	bool reached = false;

	for (size_t l = 0; node != machines->self && l < model->n_links; l++)
		reached |= model->links[l].transport == transport &&
		    machines_joins(&model->links[l], node) &&
		    machines_joins(&model->links[l], machines->self);
	return reached;
}

/* Of the bridge of a node. Of IPv6 the list has the addresses of all nodes; NULL: it is IPv4. All
 * nodes that are reached so have addresses of one kind (machines.c). */
static struct transport_address address_of(
    const struct machines *machines, uint32_t node, const uint8_t (*v6)[TRANSPORT_V6])
{
	struct transport_address at;
	struct address address;

	(void)address_parse(
	    machines->model->nodes[node].address, &address); /* it was read before */
	at = (struct transport_address){.ip = (uint32_t)address.ip[12] << 24 |
	        (uint32_t)address.ip[13] << 16 | (uint32_t)address.ip[14] << 8 | address.ip[15],
	    .port = (uint16_t)(address.port + MACHINES_BRIDGE)};
	if (v6 != NULL) /* nodes may share a machine: the first one with this address */
		for (at.ip = 0; memcmp(v6[at.ip], address.ip, TRANSPORT_V6) != 0; at.ip++)
			;
	return at;
}

/* NULL: this node has an IPv4 address. */
static int addresses_list(const struct machines *machines, uint8_t (**ret)[TRANSPORT_V6])
{
	const struct platform_model *model = machines->model;
	struct address address;

	*ret = NULL;
	if (address_parse(model->nodes[machines->self].address, &address) < 0 || !address.v6)
		return 0;
	*ret = calloc(model->n_nodes, sizeof(**ret));
	if (*ret == NULL)
		return -ENOMEM;
	for (uint32_t n = 0; n < model->n_nodes; n++)
		if (address_parse(model->nodes[n].address, &address) == 0)
			memcpy((*ret)[n], address.ip, TRANSPORT_V6);
	return 0;
}

/* ---- receiving ---- */

static uint32_t peer_at(const struct datagrams_port *port, const struct transport_address *at)
{
	const struct datagrams *datagrams = port->of;

	for (uint32_t n = 0; n < datagrams->machines->model->n_nodes; n++)
		if (datagrams->peers[n].port == port && datagrams->peers[n].at.ip == at->ip &&
		    datagrams->peers[n].at.port == at->port)
			return n;
	return MACHINES_NONE;
}

static void dropped_log(struct datagrams *datagrams)
{
	const uint64_t n = ++datagrams->dropped;

	if (log_counted(n))
		log_note(datagrams->log,
		    "datagrams that no other node has sealed, or that came before, were dropped "
		    "(count so far: %llu)",
		    (unsigned long long)n);
}

static void packet_take(const struct datagrams_port *port, const struct packet *packet)
{
	struct datagrams *datagrams = port->of;
	const uint32_t node = peer_at(port, &packet->peer);
	struct seal *seal = node != MACHINES_NONE ? datagrams->peers[node].seal : NULL;
	uint16_t from = 0;
	size_t len;

	if (node != MACHINES_NONE)
		datagrams->peers[node].active_ns = clock_ns();
	if (!seal ||
	    seal_take(seal, packet->bytes, packet->size, datagrams->payload,
	        sizeof(datagrams->payload), &len, &from) < 0 ||
	    from != node)
		dropped_log(datagrams);
	else
		datagrams->frame(datagrams->self, node, datagrams->payload, len);
}

static unsigned port_take(struct datagrams_port *port)
{
	struct packet packets[TRANSPORT_BURST];
	const unsigned n = transport_receive(port->transport, packets, TRANSPORT_BURST);

	for (unsigned i = 0; i < n; i++)
		packet_take(port, &packets[i]);
	transport_put(port->transport, packets, n);
	return n;
}

static void port_ready(void *self, short revents)
{
	(void)revents;
	(void)port_take(self);
}

static void port_look(void *self);

static void look_in(struct datagrams_port *port, uint64_t ns)
{
	loop_timer_start(port->of->loop, &port->look, ns, port_look, port);
}

/* A burst that is full has more behind it. */
static void port_look(void *self)
{
	struct datagrams_port *port = self;
	const uint64_t most = port->of->busy ? DATAGRAMS_LOOK_MOST_NS : DATAGRAMS_LOOK_IDLE_NS;
	const unsigned n = port_take(port);

	assert(port->pause_ns > 0);
	port->pause_ns = n > 0          ? DATAGRAMS_LOOK_NS
	    : 2 * port->pause_ns < most ? 2 * port->pause_ns
	                                : most;
	look_in(port, n == TRANSPORT_BURST ? 0 : port->pause_ns);
}

/* The next look is due in `ns` if the one that was due is further away. */
static void port_wake(struct datagrams_port *port, uint64_t ns)
{
	if (port->pause_ns <= DATAGRAMS_LOOK_MOST_NS)
		return;
	port->pause_ns = ns;
	look_in(port, ns);
}

void datagrams_busy(struct datagrams *datagrams, bool busy)
{
	datagrams->busy = busy;
	for (int k = 0; busy && k < DATAGRAMS_KINDS; k++)
		port_wake(&datagrams->ports[k], DATAGRAMS_LOOK_NS);
}

void datagrams_wake(struct datagrams *datagrams, uint32_t node)
{
	if (datagrams_reach(datagrams, node))
		port_wake(datagrams->peers[node].port, DATAGRAMS_LOOK_MOST_NS);
}

bool datagrams_asleep(const struct datagrams *datagrams, uint32_t node)
{
	const struct datagrams_peer *peer = &datagrams->peers[node];

	return !datagrams->busy && peer->port->pause_ns > 0 &&
	    clock_ns() - peer->active_ns > DATAGRAMS_LOOK_MOST_NS;
}

/* ---- sending ---- */

bool datagrams_reach(const struct datagrams *datagrams, uint32_t node)
{
	return datagrams->peers && datagrams->peers[node].port != NULL;
}

int datagrams_key(struct datagrams *datagrams, uint32_t node, const uint8_t key[SEAL_KEY_BYTES])
{
	struct seal_use use = {.node = (uint16_t)datagrams->machines->self};
	struct seal *seal = NULL;
	int rc;

	memcpy(use.key, key, SEAL_KEY_BYTES);
	rc = seal_new(&use, &seal);
	seal_key_wipe(use.key, SEAL_KEY_BYTES);
	if (rc < 0)
		return rc;
	seal_free(datagrams->peers[node].seal);
	datagrams->peers[node].seal = seal;
	return 0;
}

/* What the output has no room for is lost. */
static void port_flush(struct datagrams_port *port)
{
	const unsigned n = port->n_out,
	               sent = n ? transport_send(port->transport, port->out, n) : 0;

	if (sent < n)
		transport_put(port->transport, port->out + sent, n - sent);
	port->n_out = 0;
}

int datagrams_send(struct datagrams *datagrams, uint32_t node, const void *bytes, size_t len)
{
	struct datagrams_peer *peer = &datagrams->peers[node];
	struct datagrams_port *port = peer->port;
	struct packet *packet = &port->out[port->n_out];
	size_t size = 0;
	int rc;

	if (!peer->seal)
		return -ENOKEY;
	if (transport_get(port->transport, packet, 1) != 1)
		return -EAGAIN;
	packet->peer = peer->at;
	rc = seal_put(peer->seal, (uint16_t)node, bytes, len, packet->bytes,
	    DATAGRAMS_FRAME_BYTES + SEAL_MORE_BYTES, &size);
	if (rc < 0) {
		transport_put(port->transport, packet, 1);
		return rc;
	}
	packet->size = (uint32_t)size;
	if (port->pause_ns > 0 && !datagrams->busy)
		peer->active_ns = clock_ns();
	port_wake(port, DATAGRAMS_LOOK_NS); /* for the answer */
	if (++port->n_out == TRANSPORT_BURST)
		port_flush(port);
	return 0;
}

void datagrams_flush(struct datagrams *datagrams)
{
	for (int k = 0; k < DATAGRAMS_KINDS; k++)
		port_flush(&datagrams->ports[k]);
}

/* ---- life ---- */

static int transport_new(struct datagrams_port *port, enum datagrams_kind kind,
    const struct transport_options *options, char *ret_why)
{
	const struct transport_kind *transport =
	    transports_find(kind == DATAGRAMS_UDP ? "udp" : "dpdk", ret_why, TRANSPORT_WHY);

	return transport ? transport_open(transport, options, ret_why, &port->transport) : -ENOENT;
}

/* Of IPv6 only a socket of the kernel; ports of nodes have IPv4 (machines.c). */
static int port_open(struct datagrams *datagrams, enum datagrams_kind kind)
{
	const struct machines *machines = datagrams->machines;
	const struct platform_node *self = &machines->model->nodes[machines->self];
	struct datagrams_port *port = &datagrams->ports[kind];
	struct transport_options options = {.packets = PACKETS,
	    .packet_bytes = DATAGRAMS_FRAME_BYTES + SEAL_MORE_BYTES,
	    .port = self->port,
	    .eal = self->eal,
	    .unlocked = true};
	char why[TRANSPORT_WHY] = "out of memory";
	uint8_t(*v6)[TRANSPORT_V6];
	int rc = addresses_list(machines, &v6);

	options.v6 = (const uint8_t(*)[TRANSPORT_V6])v6;
	options.n_v6 = (uint32_t)machines->model->n_nodes;
	options.own = address_of(machines, machines->self, options.v6);
	for (uint32_t n = 0; n < machines->model->n_nodes; n++)
		if (datagrams->peers[n].port == port)
			datagrams->peers[n].at = address_of(machines, n, options.v6);
	rc = rc ? rc : transport_new(port, kind, &options, why);
	free(v6);
	if (rc < 0) {
		log_error(datagrams->log, "%s", why);
		return rc;
	}
	if (port->transport->note[0])
		log_note(datagrams->log, "%s", port->transport->note);
	if (transport_fd(port->transport) >= 0)
		loop_watch_start(datagrams->loop, &port->watch, transport_fd(port->transport),
		    POLLIN, port_ready, port);
	else
		look_in(port, port->pause_ns = DATAGRAMS_LOOK_NS);
	return 0;
}

int datagrams_open(struct datagrams *datagrams, const struct machines *machines,
    const struct log *log, struct loop *loop,
    void (*frame)(void *self, uint32_t node, const void *bytes, size_t len), void *self)
{
	bool any[DATAGRAMS_KINDS] = {false};
	int rc = 0;

	*datagrams = (struct datagrams){
	    .machines = machines, .log = log, .loop = loop, .frame = frame, .self = self};
	datagrams->peers = calloc(machines->model->n_nodes, sizeof(*datagrams->peers));
	if (!datagrams->peers)
		return -ENOMEM;
	for (uint32_t n = 0; n < machines->model->n_nodes; n++)
		for (int k = 0; k < DATAGRAMS_KINDS && !datagrams->peers[n].port; k++) {
			if (!is_reached(
			        machines, n, k == DATAGRAMS_UDP ? PLATFORM_UDP : PLATFORM_DPDK))
				continue;
			datagrams->peers[n].port = &datagrams->ports[k];
			any[k] = true;
		}
	for (int k = 0; k < DATAGRAMS_KINDS && rc == 0; k++) {
		datagrams->ports[k].of = datagrams;
		rc = any[k] ? port_open(datagrams, (enum datagrams_kind)k) : 0;
	}
	return rc;
}

static void port_close(struct datagrams_port *port)
{
	if (port->transport) {
		log_debug(port->of->log, "%s: datagrams sent: %llu, received: %llu",
		    port->transport->kind->name, (unsigned long long)port->transport->counts.sent,
		    (unsigned long long)port->transport->counts.received);
		loop_watch_stop(port->of->loop, &port->watch);
		loop_timer_stop(port->of->loop, &port->look);
	}
	transport_close(port->transport);
	port->transport = NULL;
}

void datagrams_close(struct datagrams *datagrams)
{
	for (uint32_t n = 0; datagrams->peers && n < datagrams->machines->model->n_nodes; n++)
		seal_free(datagrams->peers[n].seal);
	free(datagrams->peers);
	datagrams->peers = NULL;
	for (int k = 0; k < DATAGRAMS_KINDS; k++)
		port_close(&datagrams->ports[k]);
}
