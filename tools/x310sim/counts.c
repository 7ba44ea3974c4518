/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/counts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

struct count {
	const char *name;
	size_t offset; /* of a uint64_t */
};

#define COUNT(type, name, member)                                                                                      \
	{                                                                                                              \
		name, offsetof(type, member)                                                                           \
	}
#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct count device_counts[] = {
    COUNT(struct server, "malformed", device.malformed),   COUNT(struct server, "unroutable", device.unroutable),
    COUNT(struct server, "no_address", device.no_address), COUNT(struct server, "wire_full", wire_full),
    COUNT(struct server, "reply_failed", reply_failed),    COUNT(struct server, "source_short", analog.read_short),
};

static const struct count door_counts[] = {
    COUNT(struct door_counts, "received", received),   COUNT(struct door_counts, "sent", sent),
    COUNT(struct door_counts, "dropped", dropped),     COUNT(struct door_counts, "held_back", held_back),
    COUNT(struct door_counts, "refused", refused),     COUNT(struct door_counts, "foreign", foreign),
    COUNT(struct door_counts, "malformed", malformed), COUNT(struct door_counts, "answered", answered),
    COUNT(struct door_counts, "unknown", unknown),
};

static const struct count channel_counts[] = {
    COUNT(struct sim_endpoint, "tx_packets", radio.tx.played),
    COUNT(struct sim_endpoint, "tx_samples", radio.tx.samples),
    COUNT(struct sim_endpoint, "tx_zeros", radio.tx.zeros),
    COUNT(struct sim_endpoint, "tx_underruns", radio.tx.underruns),
    COUNT(struct sim_endpoint, "tx_late", radio.tx.late),
    COUNT(struct sim_endpoint, "tx_sequence_errors", input.seqerr),
    COUNT(struct sim_endpoint, "tx_routing_errors", input.rterr),
    COUNT(struct sim_endpoint, "tx_discarded", input.discarded),
    COUNT(struct sim_endpoint, "tx_discarded_bytes", input.discarded_bytes),
    COUNT(struct sim_endpoint, "tx_overflowed", input.overflowed),
    COUNT(struct sim_endpoint, "tx_bursts", radio.tx.bursts),
    COUNT(struct sim_endpoint, "rx_packets", output.packets),
    COUNT(struct sim_endpoint, "rx_samples", radio.rx.samples),
    COUNT(struct sim_endpoint, "rx_overruns", radio.rx.overruns),
    COUNT(struct sim_endpoint, "rx_late", radio.rx.late),
    COUNT(struct sim_endpoint, "lost_messages", radio.lost_messages),
};

static uint64_t value(const void *of, const struct count *count)
{
	return *(const uint64_t *)(const void *)((const char *)of + count->offset);
}

static double late_us(const struct server *server)
{
	return (double)server->behind_max * 1e6 / (double)DEVICE_TICKS_PER_S;
}

/* ---- text --------------------------------------------------------------------------------------------------------------- */

static void text(FILE *out, const char *what, int which, const struct count *counts, size_t n, const void *of)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (value(of, &counts[i]) == 0)
			continue;
		if (!any && which < 0)
			fprintf(out, "%s:", what);
		else if (!any)
			fprintf(out, "%s %d:", what, which);
		fprintf(out, "%s %s %" PRIu64, any ? "," : "", counts[i].name, value(of, &counts[i]));
		any = true;
	}
	if (any)
		fprintf(out, "\n");
}

void counts_text(const struct server *server, FILE *out)
{
	text(out, "device", -1, device_counts, N(device_counts), server);
	for (int i = 0; i < SERVER_DOORS; i++)
		if (server->doors[i])
			text(out, "sfp", i, door_counts, N(door_counts), &server->doors[i]->counts);
	for (int i = 0; i < DEVICE_ENDPOINTS; i++)
		text(out, "channel", i, channel_counts, N(channel_counts), &server->device.endpoints[i]);
	fprintf(out, "clock: looked at up to %.1f us late\n", late_us(server));
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------------- */

static void json(FILE *out, const struct count *counts, size_t n, const void *of)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s\"%s\": %" PRIu64, i ? ", " : "", counts[i].name, value(of, &counts[i]));
}

void counts_json(const struct server *server, FILE *out)
{
	fprintf(out, "{\"schema\": 2, \"clock_late_us\": %.1f, ", late_us(server));
	json(out, device_counts, N(device_counts), server);
	fprintf(out, ", \"sfp\": [");
	for (int i = 0; i < SERVER_DOORS && server->doors[i]; i++) {
		fprintf(out, "%s{\"door\": \"%s\", ", i ? ", " : "", server->doors[i]->kind->name);
		json(out, door_counts, N(door_counts), &server->doors[i]->counts);
		fprintf(out, "}");
	}
	fprintf(out, "], \"channels\": [");
	for (int i = 0; i < DEVICE_ENDPOINTS; i++) {
		fprintf(out, "%s{", i ? ", " : "");
		json(out, channel_counts, N(channel_counts), &server->device.endpoints[i]);
		fprintf(out, "}");
	}
	fprintf(out, "]}\n");
}
