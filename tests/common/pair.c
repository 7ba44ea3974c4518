/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/common/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bulk {
	struct pair_seen seen;
	uint8_t *want; /* room for a message */
};

uint32_t pair_length(uint64_t index, uint32_t max)
{
	return max - (uint32_t)(index % 7 < max ? index % 7 : 0);
}

void pair_fill(uint64_t index, uint8_t *bytes, uint32_t n)
{
	uint64_t x = (index + 1) * 0x9e3779b97f4a7c15u;

	for (uint32_t i = 0; i < n; i++) {
		if (i % 8 == 0)
			x = x * 6364136223846793005u + 1442695040888963407u;
		bytes[i] = (uint8_t)(x >> 8 * (i % 8));
	}
}

static int source_work(void *self, struct aloe_slot *slot)
{
	const uint32_t n = pair_length(slot->index, slot->out[0].max);

	(void)self;
	pair_fill(slot->index, slot->out[0].data, n);
	aloe_put(slot, 0, n);
	return 0;
}

static int relay_work(void *self, struct aloe_slot *slot)
{
	(void)self;
	memcpy(slot->out[0].data, slot->in[0].data, slot->in[0].len);
	slot->out[0].len = slot->in[0].len;
	slot->out[0].state = slot->in[0].state;
	return 0;
}

static int sink_work(void *self, struct aloe_slot *slot)
{
	struct bulk *bulk = self;
	const struct aloe_in *in = &slot->in[0];

	if (in->state != ALOE_VALID) {
		bulk->seen.absent++;
		return 0;
	}
	pair_fill(slot->index, bulk->want, in->len);
	if (memcmp(bulk->want, in->data, in->len) == 0)
		bulk->seen.right++;
	else
		bulk->seen.wrong++;
	return 0;
}

static const struct aloe_port out_port[] = {ALOE_OUT("out", ALOE_BYTE, "bytes")};
static const struct aloe_port both_ports[] = {
    ALOE_IN("in", ALOE_BYTE, "bytes"), ALOE_OUT("out", ALOE_BYTE, "bytes")};
static const struct aloe_port in_port[] = {ALOE_IN("in", ALOE_BYTE, "bytes")};

static const struct aloe_component pair_source = {.summary = "bytes of (index, byte)",
    .ports = ALOE_LIST(out_port),
    .state_size = sizeof(struct bulk),
    .work = source_work};
static const struct aloe_component pair_relay = {.summary = "what comes in",
    .ports = ALOE_LIST(both_ports),
    .state_size = sizeof(struct bulk),
    .work = relay_work};
static const struct aloe_component pair_sink = {.summary = "counts what is right",
    .ports = ALOE_LIST(in_port),
    .state_size = sizeof(struct bulk),
    .work = sink_work};

struct rig *pair_rig(enum image_clock clock, enum image_late late, uint32_t max, uint32_t depth)
{
	static const struct aloe_component *const components[] = {
	    &pair_source, &pair_relay, &pair_sink};
	struct rig *rig = rig_new(clock, late);

	for (uint32_t i = 0; i < 3; i++) {
		rig_add(rig, components[i], i, i); /* a slot from node to node */
		rig->nodes[i].max = max;
		rig->nodes[i].depth = i < 2 ? depth : 0;
		rig->segment_lane[i] = i;
		rig->segment_node[i] = rig->segment_host[i] = i % 2;
	}
	rig_link(rig, 0, 0, 1, 0, 0);
	rig_link(rig, 1, 0, 2, 0, 0);
	rig->nodes[2].source = 0;
	rig_gates(rig);
	return rig;
}

struct bridge *pair_bridge_of(struct rig *rig, uint32_t node, uint64_t boot, uint32_t frame_bytes)
{
	const struct bridge_peer_options peer = {(uint16_t)(1 - node), frame_bytes};
	const struct bridge_options options = {.load_id = PAIR_LOAD,
	    .boot = boot,
	    .node = (uint16_t)node,
	    .peers = &peer,
	    .n_peers = 1};
	char why[BRIDGE_WHY];
	struct bridge *bridge = bridge_new(&rig->view, &rig->control, &options, why);

	if (bridge == NULL) {
		fprintf(stderr, "pair: %s\n", why);
		abort();
	}
	return bridge;
}

void pair_bridge(struct pair *pair, uint32_t node)
{
	bridge_free(pair->bridge[node]);
	pair->bridge[node] = pair_bridge_of(pair->rig[node], node, ++pair->boot, pair->frame_bytes);
}

void pair_open(struct pair *pair, enum image_late late, uint32_t max, uint32_t frame_bytes)
{
	*pair = (struct pair){.frame_bytes = frame_bytes};
	for (uint32_t node = 0; node < 2; node++) {
		pair->rig[node] = pair_rig(IMAGE_STEP, late, max, 4);
		rig_open(pair->rig[node]);
		((struct bulk *)pair->rig[node]->instances[2].state)->want = malloc(max);
		pair_bridge(pair, node);
	}
}

void pair_close(struct pair *pair)
{
	for (uint32_t node = 0; node < 2; node++) {
		bridge_free(pair->bridge[node]);
		free(((struct bulk *)pair->rig[node]->instances[2].state)->want);
		rig_close(pair->rig[node]);
	}
}

uint32_t pair_round(struct pair *pair, uint32_t from, uint64_t lost)
{
	uint8_t *bytes = malloc(pair->frame_bytes);
	uint32_t n = 0;
	size_t len;

	bridge_round(pair->bridge[from], 0);
	while ((len = bridge_out(pair->bridge[from], 0, bytes)) > 0) {
		if (n >= 64 || (lost >> n & 1) == 0)
			bridge_in(pair->bridge[1 - from], bytes, len);
		n++;
	}
	free(bytes);
	return n;
}

void pair_slot(struct pair *pair, uint64_t slot)
{
	for (uint32_t s = 0; s < 3; s++)
		rig_slot(pair->rig[s % 2], s, slot);
}

struct pair_seen pair_seen(const struct rig *rig)
{
	return ((const struct bulk *)rig->instances[2].state)->seen;
}
