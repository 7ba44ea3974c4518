/* SPDX-License-Identifier: BSD-3-Clause */
#include "platforms/x310/split.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4 * TRANSPORT_BURST };

struct end {
	struct transport transport; /* first */
	struct split *split;
	uint16_t first, n_endpoints;
	struct packet packets[ROOM]; /* for it, not asked for yet */
	unsigned n;
	bool open;
};

struct split {
	struct transport *transport;
	struct end ends[SPLIT_ENDS_MAX];
	unsigned n, n_open;
	uint64_t nobodys; /* packets for no end that is open */
};

static struct end *end_of(struct transport *transport)
{
	return (struct end *)transport;
}

static struct end *end_for(struct split *split, const struct packet *packet)
{
	const uint16_t endpoint = (uint16_t)(packet->bytes[0] | packet->bytes[1] << 8);

	for (unsigned i = 0; packet->size >= 2 && i < split->n; i++)
		if ((uint16_t)(endpoint - split->ends[i].first) < split->ends[i].n_endpoints &&
		    split->ends[i].open)
			return &split->ends[i];
	return NULL;
}

/* Only what all have room for: the rest waits in the port's ring. */
static void packets_deal(struct split *split)
{
	struct packet packets[TRANSPORT_BURST];
	unsigned most = TRANSPORT_BURST, got;

	for (unsigned i = 0; i < split->n; i++)
		if (split->ends[i].open && ROOM - split->ends[i].n < most)
			most = ROOM - split->ends[i].n;
	got = most > 0 ? transport_receive(split->transport, packets, most) : 0;
	for (unsigned i = 0; i < got; i++) {
		struct end *end = end_for(split, &packets[i]);

		if (end != NULL) {
			end->packets[end->n++] = packets[i];
			continue;
		}
		split->nobodys++;
		transport_put(split->transport, &packets[i], 1);
	}
}

static unsigned end_receive(struct transport *transport, struct packet *ret, unsigned n)
{
	struct end *end = end_of(transport);

	if (end->n == 0)
		packets_deal(end->split);
	n = n < end->n ? n : end->n;
	memcpy(ret, end->packets, n * sizeof(*ret));
	end->n -= n;
	if (end->n > 0)
		memmove(end->packets, end->packets + n, end->n * sizeof(*ret));
	return n;
}

static void end_put(struct transport *transport, const struct packet *packets, unsigned n)
{
	transport_put(end_of(transport)->split->transport, packets, n);
}

static unsigned end_get(struct transport *transport, struct packet *ret, unsigned n)
{
	return transport_get(end_of(transport)->split->transport, ret, n);
}

static void end_warm(struct transport *transport, const struct packet *packet)
{
	transport_warm(end_of(transport)->split->transport, packet);
}

static unsigned end_send(struct transport *transport, const struct packet *packets, unsigned n)
{
	return transport_send(end_of(transport)->split->transport, packets, n);
}

static void end_count(struct transport *transport)
{
	transport_count(end_of(transport)->split->transport);
	transport->counts = end_of(transport)->split->transport->counts;
	transport->counts.foreign += end_of(transport)->split->nobodys;
}

static int end_fd(const struct transport *transport)
{
	return transport_fd(((const struct end *)transport)->split->transport);
}

static bool end_up(const struct transport *transport)
{
	return transport_up(((const struct end *)transport)->split->transport);
}

static int end_most(const struct transport *transport, uint32_t ip)
{
	return transport_most(((const struct end *)transport)->split->transport, ip);
}

static int end_open(const struct transport_options *options, char *ret_why, struct transport **ret)
{
	(void)options;
	(void)ret;
	snprintf(ret_why, TRANSPORT_WHY, "a part of another transport cannot be opened alone");
	return -ENOTSUP;
}

static void end_close(struct transport *transport)
{
	struct end *end = end_of(transport);
	struct split *split = end->split;

	transport_put(split->transport, end->packets, end->n);
	end->n = 0;
	end->open = false;
	if (--split->n_open > 0)
		return;
	transport_close(split->transport);
	free(split);
}

static const struct transport_kind end_kind = {.name = "split",
    .open = end_open,
    .close = end_close,
    .receive = end_receive,
    .put = end_put,
    .get = end_get,
    .warm = end_warm,
    .send = end_send,
    .count = end_count,
    .fd = end_fd,
    .up = end_up,
    .most = end_most};

struct split *split_new(struct transport *transport)
{
	struct split *split = calloc(1, sizeof(*split));

	if (split != NULL)
		split->transport = transport;
	return split;
}

struct transport *split_end(struct split *split, uint16_t first, uint16_t n)
{
	struct end *end = &split->ends[split->n];

	if (split->n == SPLIT_ENDS_MAX)
		return NULL;
	split->n++;
	split->n_open++;
	*end = (struct end){.transport = {.kind = &end_kind, .own = split->transport->own},
	    .split = split,
	    .first = first,
	    .n_endpoints = n,
	    .open = true};
	memcpy(end->transport.note, split->transport->note, sizeof(end->transport.note));
	return &end->transport;
}
