/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/cluster/loss.h"

#include <assert.h>

uint64_t cluster_join_ns(uint64_t lease_ns)
{
	const uint64_t often = lease_ns / 4, usual = CLUSTER_JOIN_MS * CLUSTER_MS;

	return lease_ns > 0 && often < usual ? often : usual;
}

uint64_t cluster_lost_ns(uint64_t lease_ns)
{
	return lease_ns > 0 ? lease_ns + CLUSTER_MORE_MS * CLUSTER_MS
	                    : CLUSTER_SILENT_MS * CLUSTER_MS;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > CLUSTER_NEVER - b ? CLUSTER_NEVER : a + b;
}

uint64_t cluster_soon_ns(uint64_t slot_ns)
{
	const uint64_t least = CLUSTER_SOON_MS * CLUSTER_MS;

	if (slot_ns > CLUSTER_NEVER / CLUSTER_SOON_SLOTS)
		return CLUSTER_NEVER;
	return slot_ns * CLUSTER_SOON_SLOTS > least ? slot_ns * CLUSTER_SOON_SLOTS : least;
}

uint64_t cluster_soon_slot(uint64_t now_slot, uint64_t slot_ns, uint64_t ns)
{
	const uint64_t more = ns / slot_ns;

	assert(slot_ns > 0);
	return now_slot + 1 + (more > CLUSTER_SOON_SLOTS ? more : CLUSTER_SOON_SLOTS);
}

uint64_t cluster_lease_end(uint64_t word_ns, uint64_t lease_ns)
{
	return sum(word_ns, lease_ns);
}

/* From when on it is lost; CLUSTER_NEVER: it is not. */
static uint64_t lost_at(const struct cluster_node *node, uint64_t lease_ns)
{
	if (node->part == CLUSTER_SILENT)
		return sum(node->heard_ns, cluster_lost_ns(lease_ns));
	return node->part == CLUSTER_EMPTY ? 0 : CLUSTER_NEVER;
}

bool cluster_lost(const struct cluster_node *node, uint64_t lease_ns, uint64_t now_ns)
{
	return lost_at(node, lease_ns) <= now_ns;
}

enum cluster_act cluster_decide(enum image_node_loss policy, uint64_t lease_ns,
    const struct cluster_node *nodes, uint32_t n, uint64_t now_ns, uint64_t *ret_due_ns)
{
	const uint64_t lease = policy == IMAGE_LOSS_RESTART ? lease_ns : 0;
	bool waits = false, lost = false;

	assert(policy <= IMAGE_LOSS_RESTART);
	*ret_due_ns = 0;
	if (policy == IMAGE_LOSS_HOLD)
		return CLUSTER_GO_ON;
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t at = lost_at(&nodes[i], lease);

		lost |= at <= now_ns;
		if (at == CLUSTER_NEVER || at <= now_ns)
			continue;
		waits = true;
		*ret_due_ns = at > *ret_due_ns ? at : *ret_due_ns;
	}
	if (waits)
		return CLUSTER_WAIT;
	if (!lost)
		return CLUSTER_GO_ON;
	return policy == IMAGE_LOSS_STOP ? CLUSTER_STOP_REST : CLUSTER_LOAD_ANEW;
}

enum cluster_load cluster_load_is(bool same_load, bool on_node, bool held)
{
	if (!same_load || !on_node)
		return CLUSTER_STALE;
	return held ? CLUSTER_HELD : CLUSTER_OWN;
}
