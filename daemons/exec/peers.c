/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/peers.h"

#include <stdlib.h>
#include <string.h>

#include "daemons/exec/report.h"

bool peer_get(const struct wire_view *view, unsigned n, char *ret_name, size_t name_size, void *ret,
    size_t size)
{
	const void *name, *bytes;
	size_t name_len, len;

	if (wire_get_bytes(view, WIRE_TAG_NAME, n, &name, &name_len) != 0 ||
	    wire_get_bytes(view, WIRE_TAG_BYTES, n, &bytes, &len) != 0 || name_len >= name_size ||
	    len != size)
		return false;
	memset(ret_name, 0, name_size);
	memcpy(ret_name, name, name_len);
	memcpy(ret, bytes, len);
	return true;
}

static bool peer_read(const struct wire_view *view, unsigned n, struct exec_peer *ret)
{
	*ret = (struct exec_peer){0};
	return peer_get(view, n, ret->name, sizeof(ret->name), &ret->counts, sizeof(ret->counts));
}

static void peers_replace(struct exec_wave *wave, const struct wire_view *view)
{
	struct exec_peer one, *more;

	wave->n_peers = 0;
	for (unsigned n = 0; n < IMAGE_NODES_MAX && peer_read(view, n, &one); n++) {
		more = realloc(wave->peers, (n + 1) * sizeof(*more));
		if (more == NULL)
			break;
		wave->peers = more;
		wave->peers[wave->n_peers++] = one;
	}
}

void peers_take(struct exec *exec, const struct wire_view *view)
{
	const void *name;
	size_t len;
	struct exec_wave *wave = wire_get_bytes(view, WIRE_TAG_WAVEFORM, 0, &name, &len) == 0
	    ? exec_find(exec, name, len)
	    : NULL;

	if (wave != NULL)
		peers_replace(wave, view);
}

static json_t *peer_report(const char *node, const struct exec_peer *peer)
{
	const struct bridge_counts *counts = &peer->counts;
	const struct {
		const char *key;
		uint64_t count;
	} rows[] = {
	    {"sent", counts->sent},
	    {"unsent", counts->unsent},
	    {"sent_bytes", counts->bytes_sent},
	    {"received", counts->frames},
	    {"received_bytes", counts->bytes},
	    {"refused", counts->bad},
	    {"foreign", counts->foreign},
	    {"parts", counts->taken},
	    {"repeated", counts->repeated},
	    {"known", counts->known},
	    {"early", counts->early},
	    {"late", counts->late},
	    {"lost", counts->lost},
	};
	json_t *o = json_object();

	put_text(o, "node", node);
	put_text(o, "peer", peer->name);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		put_u64(o, rows[i].key, rows[i].count);
	return o;
}

json_t *peers_report(const struct exec_wave *wave)
{
	const char *node = wave->exec->daemon.args.node;
	json_t *array = json_array();

	for (size_t i = 0; i < wave->n_peers; i++)
		json_array_append_new(
		    array, peer_report(node != NULL ? node : "", &wave->peers[i]));
	return array;
}
