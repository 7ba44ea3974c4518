/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/bus/tcp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#include "core/base/address.h"
#include "core/base/text.h"

enum {
	LINGER_MS = 200,
	HANDSHAKE_MS = 5000, /* nobody holds a connection open without a key for longer */
	RECONNECT_MS = 100,
	RECONNECT_MS_MAX = 5000,
	HEARTBEAT_MS = 1000,
	SILENT_MS = 3000,
	BACKLOG = 64,
	MESSAGES_MAX = 1000 /* that wait for a node, or for us */
};

/* ---- what may be opened ---- */

static int keys_missing(
    const struct bus_tcp *tcp, const struct address *address, bool listens, struct diag *diag)
{
	const char *node = tcp->node ? tcp->node : "NAME";

	if (!listens)
		return diag_error(diag, NULL, 0,
		    "node \"%s\" has no key to connect to %s with; `aloe keys new %s` makes one, "
		    "and `aloe keys allow` on each side lets the other in",
		    node, tcp->address, node);
	return diag_error(diag, NULL, 0,
	    "node \"%s\" has no key, so everybody who reaches %s%s could control it; nothing was "
	    "opened. `aloe keys new %s` makes a key, and `aloe keys allow` lets each other node "
	    "in; `secure = false` in the platform file opens the address to everybody",
	    node, tcp->address, address->loopback ? " (each user and program of this machine)" : "",
	    node);
}

int tcp_check(const struct bus_tcp *tcp, bool listens, struct diag *diag)
{
	const size_t errors = diag->errors;
	struct address address;

	if (address_parse(tcp->address, &address) < 0)
		return diag_error(diag, NULL, 0,
		    "the address \"%.80s\" is not understood; " ADDRESS_FORM, tcp->address);
	if (!listens && (address.any || !address.port))
		diag_error(diag, NULL, 0,
		    "nobody can connect to %s; the address of one machine and its port are needed",
		    tcp->address);
	if (tcp->insecure && tcp->own)
		diag_error(diag, NULL, 0,
		    "node \"%s\" has a key, but the platform file says secure = false; remove one "
		    "of the two",
		    tcp->own->name);
	if (!tcp->insecure && !tcp->own)
		keys_missing(tcp, &address, listens, diag);
	if (tcp->own && tcp->node && strcmp(tcp->own->name, tcp->node) != 0)
		diag_error(diag, NULL, 0,
		    "the key in this folder belongs to node \"%s\", but this is node \"%s\"; `aloe "
		    "keys new %s --keys DIR` makes a key for node \"%s\" in another folder",
		    tcp->own->name, tcp->node, tcp->node, tcp->node);
	if (tcp->own && !listens && !tcp->server_key)
		diag_error(diag, NULL, 0,
		    "the key of the node at %s is not known; `aloe keys allow` with its public key "
		    "is needed",
		    tcp->address);
	return diag->errors > errors ? -EINVAL : 0;
}

/* ---- options ---- */

size_t tcp_bytes_max(const struct bus_tcp *tcp)
{
	return tcp->bytes_max ? tcp->bytes_max : BUS_TCP_BYTES_MAX;
}

int tcp_options(void *socket, const struct bus_tcp *tcp)
{
	const int64_t bytes_max = (int64_t)tcp_bytes_max(tcp);
	const struct {
		int option, value;
	} options[] = {{ZMQ_LINGER, LINGER_MS}, {ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS},
	    {ZMQ_RECONNECT_IVL, RECONNECT_MS}, {ZMQ_RECONNECT_IVL_MAX, RECONNECT_MS_MAX},
	    {ZMQ_HEARTBEAT_IVL, HEARTBEAT_MS}, {ZMQ_HEARTBEAT_TIMEOUT, SILENT_MS},
	    {ZMQ_HEARTBEAT_TTL, SILENT_MS}, {ZMQ_BACKLOG, BACKLOG}, {ZMQ_SNDHWM, MESSAGES_MAX},
	    {ZMQ_RCVHWM, MESSAGES_MAX}, {ZMQ_IPV6, tcp->address[0] == '['}};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (zmq_setsockopt(socket, options[i].option, &options[i].value, sizeof(int)) < 0)
			return -errno;
	return zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &bytes_max, sizeof(bytes_max)) < 0 ? -errno
	                                                                                 : 0;
}

/* ---- what is said ---- */

/* "N thing(s) that ...", of each count. */
static const struct {
	size_t at;
	const char *thing, *what;
} kinds[] = {
    {offsetof(struct bus_counts, strangers), "connection", "with a key that is not allowed"},
    {offsetof(struct bus_counts, mechanism), "connection", "without CURVE on one side"},
    {offsetof(struct bus_counts, handshake), "connection", "whose handshake failed"},
    {offsetof(struct bus_counts, revoked), "message", "of a revoked node"},
    {offsetof(struct bus_counts, replayed), "message", "sent again"},
    {offsetof(struct bus_counts, unknown), "message", "of a type that is not allowed here"},
    {offsetof(struct bus_counts, bad), "message", "not well formed"},
    {offsetof(struct bus_counts, ended), "connection",
        "that ended (a node left, or its bytes were too long or no message)"},
};

static uint64_t count_of(const struct bus_counts *counts, size_t kind)
{
	return *(const uint64_t *)((const char *)counts + kinds[kind].at);
}

bool tcp_tell(struct tcp_news *news, const struct bus_counts *counts, const char *last,
    uint64_t now_ns, char *ret_text, size_t size)
{
	const bool strangers = counts->strangers > news->told.strangers;
	size_t len = 0;

	if (news->at_ns && now_ns - news->at_ns < 1000000000)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && len < size; i++) {
		const uint64_t n = count_of(counts, i) - count_of(&news->told, i);

		if (n)
			len += (size_t)snprintf(ret_text + len, size - len, "%s%llu %s%s %s",
			    len ? ", " : "dropped: ", (unsigned long long)n, kinds[i].thing,
			    plural((double)n), kinds[i].what);
	}
	if (!len)
		return false;
	if (strangers && last && last[0] && len < size)
		snprintf(ret_text + len, size - len, "; the last was %s", last);
	news->told = *counts;
	news->at_ns = now_ns;
	return true;
}
