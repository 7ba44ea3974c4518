/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/common/machines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/address.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"

enum { PLATFORM_BYTES_MAX = 1 << 20 };

void machines_tell(const struct log *log, const struct diag *diag)
{
	for (size_t i = 0; i < diag->len; i++)
		log_error(log, "%s", diag->lines[i]);
}

void machines_shown(const void *text, size_t len, char *ret, size_t size)
{
	const size_t n = len < size ? len : size - 1;

	memcpy(ret, text, n);
	ret[n] = 0;
	for (char *c = ret; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
}

uint32_t machines_find(const struct machines *machines, const void *name, size_t len)
{
	for (uint32_t n = 0; machines->model && n < machines->model->n_nodes; n++)
		if (strlen(machines_name(machines, n)) == len &&
		    memcmp(machines_name(machines, n), name, len) == 0)
			return n;
	return MACHINES_NONE;
}

static int names_error(const struct machines *machines, const char *name, struct diag *diag)
{
	char all[512] = "";
	size_t len = 0;

	for (size_t n = 0; n < machines->model->n_nodes && len < sizeof(all); n++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", n > 0 ? ", " : "",
		    machines->model->nodes[n].name);
	return diag_error(
	    diag, NULL, 0, "the platform has no node \"%s\", there are %s", name ? name : "", all);
}

/* A port that the kernel does not see has no other names than these. */
static int port_check(const struct platform_node *node, const char *file, struct diag *diag)
{
	struct address address = {.v6 = false};

	(void)address_parse(node->address, &address);
	if (address.v6 || address.any)
		return diag_error(diag, file, 0,
		    "a link has transport = \"dpdk\", and its node \"%s\" (%s) needs an IPv4 "
		    "address, which is that of its port, too",
		    node->name, node->address);
	return node->port[0] ? 0
	                     : diag_error(diag, file, 0,
	                           "a link has transport = \"dpdk\", and its node \"%s\" has no "
	                           "port; port = \"net_memif0,...\" or a PCI address is needed",
	                           node->name);
}

/* One socket of a bridge sends to all. */
static int datagrams_check(const struct machines *machines, const struct platform_link *link,
    const char *file, struct diag *diag)
{
	const struct platform_node *nodes = machines->model->nodes, *first = &nodes[link->nodes[0]];
	struct address a = {.v6 = false}, b = {.v6 = false};

	(void)address_parse(first->address, &a);
	for (size_t i = 1; i < link->n_nodes; i++) {
		const struct platform_node *node = &nodes[link->nodes[i]];

		(void)address_parse(node->address, &b);
		if (a.v6 != b.v6)
			return diag_error(diag, file, 0,
			    "a link has transport = \"udp\", and its nodes \"%s\" (%s) and \"%s\" "
			    "(%s) need addresses of one kind, IPv4 or IPv6",
			    first->name, first->address, node->name, node->address);
	}
	return 0;
}

bool machines_joins(const struct platform_link *link, uint32_t node)
{
	bool joined = false;

	for (size_t i = 0; i < link->n_nodes; i++)
		joined |= link->nodes[i] == node;
	return joined;
}

/* memif joins two ports: the link of this one and all others of its node by DPDK have one neighbour
 * together. */
static int neighbours_check(
    const struct machines *machines, uint32_t node, const char *file, struct diag *diag)
{
	const struct platform_model *model = machines->model;
	uint32_t first = MACHINES_NONE;

	if (strncmp(model->nodes[node].port, "net_memif", 9) != 0)
		return 0;
	for (size_t l = 0; l < model->n_links; l++) {
		const struct platform_link *link = &model->links[l];

		if (link->transport != PLATFORM_DPDK || !machines_joins(link, node))
			continue;
		for (size_t i = 0; i < link->n_nodes; i++) {
			if (link->nodes[i] == node)
				continue;
			if (first != MACHINES_NONE && first != link->nodes[i])
				return diag_error(diag, file, link->line,
				    "links with transport = \"dpdk\" join node "
				    "\"%s\" to \"%s\" and to \"%s\", and its port is "
				    "net_memif, which has one neighbour; a card, or another "
				    "transport for one of the links, is needed",
				    model->nodes[node].name, model->nodes[first].name,
				    model->nodes[link->nodes[i]].name);
			first = link->nodes[i];
		}
	}
	return 0;
}

/* A bridge sends by the first of them, so the other one would be there for nothing. */
static int transports_check(
    const struct machines *machines, size_t l, const char *file, struct diag *diag)
{
	const struct platform_model *model = machines->model;
	const struct platform_link *link = &model->links[l];

	for (size_t k = 0; k < l; k++) {
		const struct platform_link *other = &model->links[k];
		uint32_t both[2];
		size_t n = 0;

		for (size_t i = 0; i < link->n_nodes && n < 2; i++)
			if (machines_joins(other, link->nodes[i]))
				both[n++] = link->nodes[i];
		if (n == 2 && other->transport != link->transport)
			return diag_error(diag, file, link->line,
			    "nodes \"%s\" and \"%s\" are joined by a link with "
			    "transport = \"%s\" in line %d and by one with "
			    "\"%s\" here; all links of two nodes have one transport",
			    model->nodes[both[0]].name, model->nodes[both[1]].name,
			    platform_transports[other->transport], other->line,
			    platform_transports[link->transport]);
	}
	return 0;
}

static int links_check(const struct machines *machines, const char *file, struct diag *diag)
{
	const struct platform_model *model = machines->model;

	for (size_t l = 0; l < model->n_links; l++) {
		if (transports_check(machines, l, file, diag) < 0)
			return -EINVAL;
		if (model->links[l].transport == PLATFORM_UDP &&
		    datagrams_check(machines, &model->links[l], file, diag) < 0)
			return -EINVAL;
		for (size_t i = 0;
		     model->links[l].transport == PLATFORM_DPDK && i < model->links[l].n_nodes; i++)
			if (port_check(&model->nodes[model->links[l].nodes[i]], file, diag) < 0 ||
			    neighbours_check(machines, model->links[l].nodes[i], file, diag) < 0)
				return -EINVAL;
	}
	return 0;
}

static int ports_check(const struct machines *machines, const char *file, struct diag *diag)
{
	const struct platform_model *model = machines->model;
	struct address a, b;

	for (size_t i = 0; i < model->n_nodes; i++) {
		if (model->nodes[i].lanes.n == 0)
			return diag_error(diag, file, 0,
			    "node \"%s\" has an address and no lanes; lanes = [CPU, ...] is needed "
			    "of a node that is to run",
			    model->nodes[i].name);
		if (address_parse(model->nodes[i].address, &a) < 0 || a.port == UINT16_MAX)
			return diag_error(diag, file, 0,
			    "node \"%s\" at %s has no port after that one, which its bridge needs",
			    model->nodes[i].name, model->nodes[i].address);
		for (size_t k = 0; k < model->n_nodes; k++)
			if (address_parse(model->nodes[k].address, &b) == 0 &&
			    memcmp(a.ip, b.ip, sizeof(a.ip)) == 0 && b.port == a.port + 1)
				return diag_error(diag, file, 0,
				    "node \"%s\" has the port after that of node \"%s\" (%s), "
				    "which the bridge of the latter needs; leave one port between",
				    model->nodes[k].name, model->nodes[i].name,
				    model->nodes[i].address);
	}
	return 0;
}

static int model_take(struct machines *machines, const char *file, const char *name,
    const char *text, size_t len, struct diag *diag)
{
	int rc = platform_parse(file, text, len, diag, &machines->model);

	if (rc < 0)
		return rc;
	machines->print = hash_bytes(HASH_START, text, len);
	machines->self = machines_find(machines, name ? name : "", name ? strlen(name) : 0);
	if (machines->self == MACHINES_NONE)
		return names_error(machines, name, diag);
	for (uint32_t n = 0; n < machines->model->n_nodes; n++)
		if (machines->model->nodes[n].manager)
			machines->manager = n;
	if (!machines->model->nodes[0].address)
		return diag_error(diag, file, 0,
		    "the nodes of %s have no addresses, so they can be planned for, but not run",
		    machines->model->name);
	return links_check(machines, file, diag) < 0 ? -EINVAL : ports_check(machines, file, diag);
}

static int keys_take(struct machines *machines, const struct daemon_args *args, struct diag *diag)
{
	int rc = keys_folder(NULL, args->state, machines->folder);

	if (rc < 0 || machines->model->insecure)
		return rc;
	rc = keys_own_load(machines->folder, diag, &machines->own);
	if (rc == -ENOENT)
		return diag_error(diag, NULL, 0,
		    "node \"%s\" has no key in %s, so no other node can trust it; `aloe keys new "
		    "%s` makes one, and `aloe keys allow` on each side lets the other in; `secure "
		    "= false` in the platform file opens the addresses to everybody",
		    machines_name(machines, machines->self), machines->folder,
		    machines_name(machines, machines->self));
	return rc < 0 ? rc : keys_list_load(machines->folder, diag, &machines->allowed);
}

int machines_open(struct machines *machines, const struct daemon_args *args, const struct log *log)
{
	const char *file = args->platform;
	struct diag diag;
	char *text = NULL;
	size_t len;
	int rc;

	memset(machines, 0, sizeof(*machines));
	if (!file)
		return 0;
	diag_init(&diag);
	rc = file_read(file, PLATFORM_BYTES_MAX, &text, &len);
	if (rc < 0)
		diag_error(&diag, NULL, 0, "%s: %s", file, file_reason(rc));
	else
		rc = model_take(machines, file, args->node, text, len, &diag);
	if (rc == 0)
		rc = keys_take(machines, args, &diag);
	machines_tell(log, &diag);
	free(text);
	diag_fini(&diag);
	return rc < 0 ? -EINVAL : 0;
}

void machines_close(struct machines *machines)
{
	keys_own_wipe(&machines->own);
	platform_free(machines->model);
	machines->model = NULL;
}

/* As it is known here: from the platform file, or from who is let in. */
static const char *key_of(const struct machines *machines, uint32_t node)
{
	const struct platform_node *other = &machines->model->nodes[node];
	const struct keys_node *allowed =
	    other->key ? NULL : keys_by_name(&machines->allowed, other->name);

	return allowed ? allowed->key : other->key;
}

void machines_tcp(const struct machines *machines, uint32_t node, enum machines_port port,
    char ret_address[MACHINES_ADDRESS], struct bus_tcp *ret)
{
	const char *address = machines->model->nodes[node].address, *colon = strrchr(address, ':');
	const bool secure = !machines->model->insecure;

	snprintf(ret_address, MACHINES_ADDRESS, "%.*s:%d", (int)(colon - address), address,
	    atoi(colon + 1) + (int)port);
	*ret = (struct bus_tcp){.node = machines_name(machines, machines->self),
	    .address = ret_address,
	    .own = secure ? &machines->own : NULL,
	    .folder = machines->folder,
	    .server_key = secure && node != machines->self ? key_of(machines, node) : NULL,
	    .insecure = !secure};
}
