/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/nodes.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/file.h"

enum { WAIT_MS = 10000 };

void nodes_open(struct nodes *nodes)
{
	*nodes = (struct nodes){.dir = "/tmp/aloe-nodes-XXXXXX"};
	diag_init(&nodes->diag);
	assert_non_null(mkdtemp(nodes->dir));
	for (int i = 0; i < 3; i++) {
		const char name[] = {(char)('a' + i), 0};

		assert_int_equal(path_print(nodes->folder[i], sizeof(nodes->folder[i]), "%s/%s",
		                     nodes->dir, name),
		    0);
		assert_int_equal(keys_new(nodes->folder[i], name, false, &nodes->diag), 0);
		assert_int_equal(keys_own_load(nodes->folder[i], &nodes->diag, &nodes->own[i]), 0);
	}
	assert_int_equal(
	    keys_allow(nodes->folder[NODE_A], "b", nodes->own[NODE_B].key, &nodes->diag), 0);
	for (int i = NODE_B; i <= NODE_C; i++)
		assert_int_equal(
		    keys_allow(nodes->folder[i], "a", nodes->own[NODE_A].key, &nodes->diag), 0);
}

void nodes_pair_write(const char *file)
{
	const int port = 8000 + getpid() % 3000 * 4;
	char text[512];

	snprintf(text, sizeof(text),
	    "name = \"pair\"; secure = false; nodes: { a: { mmac_per_s = 1.0; address = "
	    "\"127.0.0.1:%d\"; manager = true; lanes = [0]; }; b: { mmac_per_s = 1.0; address = "
	    "\"127.0.0.1:%d\"; lanes = [1]; }; }; links = ( { nodes = [\"a\", \"b\"]; mbit_per_s = "
	    "1.0; } );",
	    port, port + 2);
	assert_int_equal(file_write(file, text, strlen(text)), 0);
}

void nodes_close(struct nodes *nodes)
{
	char path[128];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/node.key", nodes->folder[i]);
		unlink(path);
		snprintf(path, sizeof(path), "%s/allowed", nodes->folder[i]);
		unlink(path);
		rmdir(nodes->folder[i]);
	}
	rmdir(nodes->dir);
	diag_fini(&nodes->diag);
}

static struct bus *bus_check(struct nodes *nodes, struct bus *bus)
{
	if (!bus)
		fail_msg("%s", nodes->diag.len ? nodes->diag.lines[0] : "no reason");
	return bus;
}

struct bus *nodes_listen(
    struct nodes *nodes, const enum wire_type *types, size_t n_types, char ret_address[32])
{
	const struct bus_tcp tcp = {.node = "a",
	    .address = "127.0.0.1:0",
	    .own = &nodes->own[NODE_A],
	    .folder = nodes->folder[NODE_A],
	    .types = types,
	    .n_types = n_types};
	struct bus *bus = bus_check(nodes, bus_listen(&tcp, &nodes->diag));

	snprintf(ret_address, 32, "127.0.0.1:%u", bus_port(bus));
	return bus;
}

struct bus *nodes_join(struct nodes *nodes, int who, const char *address)
{
	const struct bus_tcp tcp = {
	    .address = address, .own = &nodes->own[who], .server_key = nodes->own[NODE_A].key};

	return bus_check(nodes, bus_join(&tcp, WIRE_CLIENT, &nodes->diag));
}

static void wait_both(struct bus *bus, struct bus *other)
{
	struct pollfd fds[] = {{.fd = bus_fd(bus), .events = POLLIN},
	    {.fd = other ? bus_fd(other) : -1, .events = POLLIN}};

	poll(fds, 2, 20);
}

int nodes_pump(struct bus *listener, struct bus *other, bool (*done)(void *context), void *context)
{
	const uint64_t until_ns = clock_ns() + WAIT_MS * 1000000ull;
	struct wire_view view;

	while (!done(context)) {
		if (clock_ns() > until_ns)
			return -ETIMEDOUT;
		wait_both(listener, other);
		(void)bus_recv(listener, &view, NULL);
		if (other)
			(void)bus_recv(other, &view, NULL);
	}
	return 0;
}

int nodes_recv(struct bus *bus, struct bus *other, struct wire_view *ret, struct bus_peer *from)
{
	const uint64_t until_ns = clock_ns() + WAIT_MS * 1000000ull;
	struct wire_view view;
	int result;

	while ((result = bus_recv(bus, ret, from)) == -EAGAIN) {
		if (clock_ns() > until_ns)
			return -ETIMEDOUT;
		wait_both(bus, other);
		if (other)
			(void)bus_recv(other, &view, NULL);
	}
	return result;
}
