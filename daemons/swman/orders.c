/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/swman/orders.h"

#include <stdlib.h>

#include "core/base/clock.h"
#include "daemons/swman/merge.h"

struct gather *gather_all(struct swman *swman, const struct wire_view *request)
{
	uint32_t nodes[PLATFORM_NODES_MAX];
	const uint32_t n = (uint32_t)swman->machines.model->n_nodes;
	struct gather *gather;

	for (uint32_t i = 0; i < n; i++)
		nodes[i] = i;
	gather = gather_new(request, NULL, nodes, n);
	if (!gather && request)
		daemon_fail(&swman->daemon, request, 1, "out of memory");
	return gather;
}

void order_make(struct wire_msg *msg, enum wire_type type, const char *waveform)
{
	wire_init(msg, type, WIRE_SWMAN, WIRE_EXEC, 0);
	if (waveform[0])
		wire_put_text(msg, WIRE_TAG_WAVEFORM, waveform);
}

/* Before a node counts as lost its neighbours hear nothing of it. */
static void silences_add(const struct swman *swman, const struct gather *gather, json_t *losses)
{
	const uint64_t now = clock_ns();

	for (uint32_t i = 0; i < gather->n; i++)
		for (uint32_t k = 0; k < gather->n; k++) {
			const uint32_t by = gather->answers[i].node, of = gather->answers[k].node;
			const uint64_t since = swman_silent_ns(swman, by, of);

			if (since)
				json_array_append_new(losses,
				    json_sprintf("node \"%s\": nothing has been heard of node "
				                 "\"%s\" for %.1f s",
				        machines_name(&swman->machines, by),
				        machines_name(&swman->machines, of),
				        (double)(now - since) * 1e-9));
		}
}

json_t *reports_merge(const struct swman *swman, const struct gather *gather)
{
	json_t **reports = calloc(gather->n + 1, sizeof(*reports)), *merged = NULL;
	const char **names = calloc(gather->n + 1, sizeof(*names));
	size_t n = 0;

	for (uint32_t i = 0; reports && names && i < gather->n; i++) {
		names[n] = machines_name(&swman->machines, gather->answers[i].node);
		reports[n] = gather_json(&gather->answers[i]);
		n += reports[n] != NULL;
	}
	if (n > 0)
		merged = merge_report(reports, names, n);
	for (uint32_t i = 0; merged && i < gather->n; i++) {
		char why[1000];

		if (gather->answers[i].ok)
			continue;
		gather_why(swman, &gather->answers[i], why, sizeof(why));
		json_array_append_new(json_object_get(merged, "losses"), json_string(why));
	}
	if (merged)
		silences_add(swman, gather, json_object_get(merged, "losses"));
	while (n > 0)
		json_decref(reports[--n]);
	free(reports);
	free(names);
	return merged;
}

void order_unload(struct swman *swman, struct gather *gather, bool force,
    void (*done)(struct swman *swman, struct gather *gather))
{
	json_t *report = reports_merge(swman, gather);
	struct wire_msg msg;

	if (report)
		swman_run_report(swman, gather->waveform, report, true);
	json_decref(report);
	order_make(&msg, WIRE_UNLOAD, gather->waveform);
	if (force)
		wire_put_u64(&msg, WIRE_TAG_FORCE, 1);
	gather_ask(swman, gather, &msg, done);
}
