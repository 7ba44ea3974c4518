/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/bridge/datagrams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/address.h"
#include "platforms/udp/udp.h"

enum { PACKETS = 256 };

static bool link_joins(const struct platform_link *link, uint32_t node)
{
	bool joined = false;

	for (size_t i = 0; i < link->n_nodes; i++)
		joined |= link->nodes[i] == node;
	return joined;
}

static bool over_udp(const struct machines *machines, uint32_t node)
{
	const struct platform_model *model = machines->model;
	bool udp = false;

	for (size_t l = 0; node != machines->self && l < model->n_links; l++)
		udp |= model->links[l].transport == PLATFORM_UDP &&
		    link_joins(&model->links[l], node) &&
		    link_joins(&model->links[l], machines->self);
	return udp;
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

static uint32_t peer_at(const struct datagrams *datagrams, const struct transport_address *at)
{
	for (uint32_t n = 0; n < datagrams->machines->model->n_nodes; n++)
		if (datagrams->peers[n].used && datagrams->peers[n].at.ip == at->ip &&
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

static void packet_take(struct datagrams *datagrams, const struct packet *packet)
{
	const uint32_t node = peer_at(datagrams, &packet->peer);
	struct seal *seal = node != MACHINES_NONE ? datagrams->peers[node].seal : NULL;
	uint16_t from = 0;
	size_t len;

	if (!seal ||
	    seal_take(seal, packet->bytes, packet->size, datagrams->payload,
	        sizeof(datagrams->payload), &len, &from) < 0 ||
	    from != node)
		dropped_log(datagrams);
	else
		datagrams->frame(datagrams->self, node, datagrams->payload, len);
}

static void socket_ready(void *self, short revents)
{
	struct datagrams *datagrams = self;
	struct packet packets[TRANSPORT_BURST];
	const unsigned n = transport_receive(datagrams->transport, packets, TRANSPORT_BURST);

	(void)revents;
	for (unsigned i = 0; i < n; i++)
		packet_take(datagrams, &packets[i]);
	transport_put(datagrams->transport, packets, n);
}

/* ---- sending ---- */

bool datagrams_reach(const struct datagrams *datagrams, uint32_t node)
{
	return datagrams->peers && datagrams->peers[node].used;
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

void datagrams_send(struct datagrams *datagrams, uint32_t node, const void *bytes, size_t len)
{
	struct datagrams_peer *peer = &datagrams->peers[node];
	struct packet *packet = &datagrams->out[datagrams->n_out];
	size_t size = 0;

	if (!peer->seal || transport_get(datagrams->transport, packet, 1) != 1)
		return;
	packet->peer = peer->at;
	if (seal_put(peer->seal, (uint16_t)node, bytes, len, packet->bytes,
	        DATAGRAMS_FRAME_BYTES + SEAL_MORE_BYTES, &size) < 0) {
		transport_put(datagrams->transport, packet, 1);
		return;
	}
	packet->size = (uint32_t)size;
	if (++datagrams->n_out == TRANSPORT_BURST)
		datagrams_flush(datagrams);
}

/* What the socket has no room for is lost. */
void datagrams_flush(struct datagrams *datagrams)
{
	const unsigned n = datagrams->n_out,
	               sent = n ? transport_send(datagrams->transport, datagrams->out, n) : 0;

	if (sent < n)
		transport_put(datagrams->transport, datagrams->out + sent, n - sent);
	datagrams->n_out = 0;
}

/* ---- life ---- */

static int socket_open(struct datagrams *datagrams, const struct log *log)
{
	struct transport_options options = {
	    .packets = PACKETS, .packet_bytes = DATAGRAMS_FRAME_BYTES + SEAL_MORE_BYTES};
	const struct machines *machines = datagrams->machines;
	char why[TRANSPORT_WHY] = "out of memory";
	uint8_t(*v6)[TRANSPORT_V6];
	int rc = addresses_list(machines, &v6);

	options.v6 = (const uint8_t(*)[TRANSPORT_V6])v6;
	options.n_v6 = (uint32_t)machines->model->n_nodes;
	options.own = address_of(machines, machines->self, options.v6);
	for (uint32_t n = 0; n < machines->model->n_nodes; n++)
		if (datagrams->peers[n].used)
			datagrams->peers[n].at = address_of(machines, n, options.v6);
	rc = rc ? rc : transport_open(&transport_udp, &options, why, &datagrams->transport);
	free(v6);
	if (rc < 0) {
		log_error(log, "%s", why);
		return rc;
	}
	loop_watch_start(datagrams->loop, &datagrams->watch, transport_fd(datagrams->transport),
	    POLLIN, socket_ready, datagrams);
	return 0;
}

int datagrams_open(struct datagrams *datagrams, const struct machines *machines,
    const struct log *log, struct loop *loop,
    void (*frame)(void *self, uint32_t node, const void *bytes, size_t len), void *self)
{
	bool any = false;

	*datagrams = (struct datagrams){
	    .machines = machines, .log = log, .loop = loop, .frame = frame, .self = self};
	datagrams->peers = calloc(machines->model->n_nodes, sizeof(*datagrams->peers));
	if (!datagrams->peers)
		return -ENOMEM;
	for (uint32_t n = 0; n < machines->model->n_nodes; n++) {
		datagrams->peers[n].used = over_udp(machines, n);
		any |= datagrams->peers[n].used;
	}
	return any ? socket_open(datagrams, log) : 0;
}

void datagrams_close(struct datagrams *datagrams)
{
	for (uint32_t n = 0; datagrams->peers && n < datagrams->machines->model->n_nodes; n++)
		seal_free(datagrams->peers[n].seal);
	free(datagrams->peers);
	datagrams->peers = NULL;
	if (datagrams->transport)
		loop_watch_stop(datagrams->loop, &datagrams->watch);
	transport_close(datagrams->transport);
	datagrams->transport = NULL;
}
