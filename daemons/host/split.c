/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/host/split.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4 * DOOR_BURST };

struct end {
	struct door door; /* first */
	struct split *split;
	uint16_t first, n_endpoints;
	struct packet packets[ROOM]; /* for it, not asked for yet */
	unsigned n;
	bool open;
};

struct split {
	struct door *door;
	struct end ends[SPLIT_ENDS_MAX];
	unsigned n, n_open;
	uint64_t nobodys; /* packets for no end that is open */
};

static struct end *end_of(struct door *door)
{
	return (struct end *)door;
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
static void deal(struct split *split)
{
	struct packet packets[DOOR_BURST];
	unsigned most = DOOR_BURST, got;

	for (unsigned i = 0; i < split->n; i++)
		if (split->ends[i].open && ROOM - split->ends[i].n < most)
			most = ROOM - split->ends[i].n;
	got = most > 0 ? door_receive(split->door, packets, most) : 0;
	for (unsigned i = 0; i < got; i++) {
		struct end *end = end_for(split, &packets[i]);

		if (end != NULL) {
			end->packets[end->n++] = packets[i];
			continue;
		}
		split->nobodys++;
		door_put(split->door, &packets[i], 1);
	}
}

static unsigned end_receive(struct door *door, struct packet *ret, unsigned n)
{
	struct end *end = end_of(door);

	if (end->n == 0)
		deal(end->split);
	n = n < end->n ? n : end->n;
	memcpy(ret, end->packets, n * sizeof(*ret));
	end->n -= n;
	if (end->n > 0)
		memmove(end->packets, end->packets + n, end->n * sizeof(*ret));
	return n;
}

static void end_put(struct door *door, const struct packet *packets, unsigned n)
{
	door_put(end_of(door)->split->door, packets, n);
}

static unsigned end_get(struct door *door, struct packet *ret, unsigned n)
{
	return door_get(end_of(door)->split->door, ret, n);
}

static unsigned end_send(struct door *door, const struct packet *packets, unsigned n)
{
	return door_send(end_of(door)->split->door, packets, n);
}

static void end_count(struct door *door)
{
	door_count(end_of(door)->split->door);
	door->counts = end_of(door)->split->door->counts;
	door->counts.foreign += end_of(door)->split->nobodys;
}

static int end_fd(const struct door *door)
{
	return door_fd(((const struct end *)door)->split->door);
}

static bool end_up(const struct door *door)
{
	return door_up(((const struct end *)door)->split->door);
}

static int end_open(const struct door_options *options, char *ret_why, struct door **ret)
{
	(void)options;
	(void)ret;
	snprintf(ret_why, DOOR_WHY, "an end of another door is not opened by itself");
	return -ENOTSUP;
}

static void end_close(struct door *door)
{
	struct end *end = end_of(door);
	struct split *split = end->split;

	door_put(split->door, end->packets, end->n);
	end->n = 0;
	end->open = false;
	if (--split->n_open > 0)
		return;
	door_close(split->door);
	free(split);
}

static const struct door_kind end_kind = {"split", end_open, end_close, end_receive, end_put,
    end_get, end_send, end_count, end_fd, end_up};

struct split *split_new(struct door *door)
{
	struct split *split = calloc(1, sizeof(*split));

	if (split != NULL)
		split->door = door;
	return split;
}

struct door *split_end(struct split *split, uint16_t first, uint16_t n)
{
	struct end *end = &split->ends[split->n];

	if (split->n == SPLIT_ENDS_MAX)
		return NULL;
	split->n++;
	split->n_open++;
	*end = (struct end){.door = {.kind = &end_kind, .own = split->door->own},
	    .split = split,
	    .first = first,
	    .n_endpoints = n,
	    .open = true};
	memcpy(end->door.note, split->door->note, sizeof(end->door.note));
	return &end->door;
}
