/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/x310sim/counts.h"
#include "core/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

struct count {
	const char *name;
	size_t offset; /* of a uint64_t */
};

#define COUNT(type, name, member)                                                                  \
	{                                                                                          \
		name, offsetof(type, member)                                                       \
	}
#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct count unit_counts[] = {
    COUNT(struct unit, "malformed", device.malformed),
    COUNT(struct unit, "unroutable", device.unroutable),
    COUNT(struct unit, "no_address", device.no_address),
    COUNT(struct unit, "no_route", device.no_route),
    COUNT(struct unit, "wire_full", wire_full),
    COUNT(struct unit, "too_long", too_long),
    COUNT(struct unit, "reply_failed", reply_failed),
};

static const struct count server_counts[] = {
    COUNT(struct server, "source_short", analog.read_short),
    COUNT(struct server, "clock_excused", pace.excused),
};

static const char *const way_names[UNIT_WAYS] = {[UNIT_TX] = "fault_tx", [UNIT_RX] = "fault_rx"};

static const struct count transport_counts[] = {
    COUNT(struct transport_counts, "received", received),
    COUNT(struct transport_counts, "sent", sent),
    COUNT(struct transport_counts, "dropped", dropped),
    COUNT(struct transport_counts, "held_back", held_back),
    COUNT(struct transport_counts, "refused", refused),
    COUNT(struct transport_counts, "foreign", foreign),
    COUNT(struct transport_counts, "malformed", malformed),
    COUNT(struct transport_counts, "answered", answered),
    COUNT(struct transport_counts, "unknown", unknown),
};

static const struct count steady_counts[] = {
    COUNT(struct steady_counts, "windows", all),
    COUNT(struct steady_counts, "paced", paced),
    COUNT(struct steady_counts, "answered", answered),
    COUNT(struct steady_counts, "in_time", in_time),
    COUNT(struct steady_counts, "heard", heard),
    COUNT(struct steady_counts, "late", late),
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

static uint64_t count_value(const void *of, const struct count *count)
{
	return *(const uint64_t *)(const void *)((const char *)of + count->offset);
}

static double late_us(const struct server *server)
{
	uint64_t behind = 0;

	for (unsigned i = 0; i < server->n_units; i++)
		behind =
		    server->units[i].behind_max > behind ? server->units[i].behind_max : behind;
	return server->pace.options.is_virtual ? 0
	                                       : (double)behind * 1e6 / (double)DEVICE_TICKS_PER_S;
}

static const struct sim_endpoint *endpoint_of(const struct server *server, unsigned channel)
{
	return &server->units[channel / DEVICE_ENDPOINTS]
	            .device.endpoints[channel % DEVICE_ENDPOINTS];
}

int counts_take(struct counts *counts, const struct server *server, struct expect *expect)
{
	*counts = (struct counts){.server = server, .compared = expect->n > 0};
	for (unsigned i = 0; counts->compared && i < ANALOG_CHANNELS; i++) {
		const int rc = expect_find(expect, &server->analog.sound, i, &counts->found[i]);

		if (rc < 0 && rc != -ENOENT)
			return rc;
		counts->expected[i] = rc == 0;
	}
	return 0;
}

/* ---- text ------------------------------------------------------------------------ */

static bool line_begin(FILE *out, const char *what, int which, bool begun)
{
	if (!begun && which < 0)
		fprintf(out, "%s:", what);
	else if (!begun)
		fprintf(out, "%s %d:", what, which);
	return true;
}

static bool row_text(FILE *out, const char *what, int which, const struct count *counts, size_t n,
    const void *of, bool any)
{
	for (size_t i = 0; i < n; i++) {
		if (count_value(of, &counts[i]) == 0)
			continue;
		fprintf(out, "%s", any ? "," : "");
		any = line_begin(out, what, which, any);
		fprintf(out, " %s %" PRIu64, counts[i].name, count_value(of, &counts[i]));
	}
	return any;
}

static bool faults_text(FILE *out, const struct cable *cable, const char *way, int which, bool any)
{
	for (int kind = 0; kind < FAULT_KINDS; kind++) {
		if (cable->counts[kind] == 0)
			continue;
		fprintf(out, "%s", any ? "," : "");
		any = line_begin(out, "device", which, any);
		fprintf(out, " %s_%s %" PRIu64, way, fault_names[kind], cable->counts[kind]);
	}
	return any;
}

static void unit_text(FILE *out, const struct unit *unit, int which)
{
	bool any = row_text(out, "device", which, unit_counts, N(unit_counts), unit, false);

	for (int way = 0; way < UNIT_WAYS; way++)
		any = faults_text(out, &unit->cables[way], way_names[way], which, any);
	fprintf(out, "%s", any ? "\n" : "");
	if (row_text(
	        out, "steady", which, steady_counts, N(steady_counts), &unit->steady.counts, false))
		fprintf(out, "\n");
	for (int i = 0; i < UNIT_TRANSPORTS; i++)
		if (unit->transports[i] &&
		    row_text(out, "sfp", UNIT_TRANSPORTS * which + i, transport_counts,
		        N(transport_counts), &unit->transports[i]->counts, false))
			fprintf(out, "\n");
}

static void latency_text(FILE *out, const struct latency *latency, unsigned channel)
{
	const struct hist *ns = &latency->ns;

	if (hist_count(ns) + latency->unmarked + latency->crossed == 0)
		return;
	fprintf(out,
	    "channel %u: analog to analog (simulated): %" PRIu64
	    " packet%s, p50 %.3f us, p99 %.3f us, max %.3f us; %" PRIu64 " step%s, %" PRIu64
	    " unmarked, %" PRIu64 " of other channels\n",
	    channel, hist_count(ns), plural(hist_count(ns)), (double)hist_quantile(ns, 0.5) * 1e-3,
	    (double)hist_quantile(ns, 0.99) * 1e-3, (double)hist_max(ns) * 1e-3, latency->steps,
	    plural(latency->steps), latency->unmarked, latency->crossed);
}

static void found_text(FILE *out, const struct sound_found *found, unsigned channel)
{
	fprintf(out,
	    "channel %u: response (simulated): %" PRIu64 " of %" PRIu64
	    " within the limit, median error %.1f dB, worst %.1f dB, delay %u sample%s",
	    channel, found->within, found->kept, found->median_db, found->worst_db, found->delay,
	    plural(found->delay));
	if (found->delays > 1)
		fprintf(out, " (%u different)", found->delays);
	fprintf(out, ", %u response%s found, %" PRIu64 " change%s, %" PRIu64 " seam%s\n",
	    found->responses, plural(found->responses), found->changes, plural(found->changes),
	    found->seams, plural(found->seams));
}

static void channel_text(FILE *out, const struct counts *counts, unsigned channel)
{
	const struct sound_channel *sound = &counts->server->analog.sound.channels[channel];

	if (row_text(out, "channel", (int)channel, channel_counts, N(channel_counts),
	        endpoint_of(counts->server, channel), false))
		fprintf(out, "\n");
	latency_text(out, &counts->server->analog.latency[channel], channel);
	if (counts->expected[channel] && sound->kept)
		found_text(out, &counts->found[channel], channel);
	else if (sound->kept)
		fprintf(out, "channel %u: %" PRIu32 " period%s kept, %" PRIu64 " seam%s\n", channel,
		    sound->kept, plural(sound->kept), sound->seams, plural(sound->seams));
}

void counts_text(const struct counts *counts, FILE *out)
{
	const struct server *server = counts->server;

	for (unsigned i = 0; i < server->n_units; i++)
		unit_text(out, &server->units[i], (int)i);
	for (unsigned i = 0; i < server->n_units * DEVICE_ENDPOINTS; i++)
		channel_text(out, counts, i);
	if (row_text(out, "all", -1, server_counts, N(server_counts), server, false))
		fprintf(out, "\n");
	if (!server->pace.options.is_virtual)
		fprintf(out, "clock: read up to %.1f us late\n", late_us(server));
}

/* ---- JSON ------------------------------------------------------------------------ */

static void row_json(FILE *out, const struct count *counts, size_t n, const void *of)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s\"%s\": %" PRIu64, i ? ", " : "", counts[i].name,
		    count_value(of, &counts[i]));
}

static void sums_json(FILE *out, const struct server *server)
{
	for (size_t i = 0; i < N(unit_counts); i++) {
		uint64_t sum = 0;

		for (unsigned unit = 0; unit < server->n_units; unit++)
			sum += count_value(&server->units[unit], &unit_counts[i]);
		fprintf(out, "\"%s\": %" PRIu64 ", ", unit_counts[i].name, sum);
	}
	row_json(out, server_counts, N(server_counts), server);
}

static void unit_json(FILE *out, const struct unit *unit)
{
	const uint32_t ip = unit->options.ip;

	fprintf(out, "{\"address\": \"%u.%u.%u.%u\", \"drift_ppm\": %.3f, ", ip >> 24,
	    ip >> 16 & 255, ip >> 8 & 255, ip & 255, (double)unit->options.drift_ppb * 1e-3);
	row_json(out, unit_counts, N(unit_counts), unit);
	for (int way = 0; way < UNIT_WAYS; way++) {
		fprintf(out, ", \"%s\": {\"packets\": %" PRIu64, way_names[way],
		    unit->cables[way].number);
		for (int kind = 0; kind < FAULT_KINDS; kind++)
			fprintf(out, ", \"%s\": %" PRIu64, fault_names[kind],
			    unit->cables[way].counts[kind]);
		fprintf(out, ", \"overflowed\": %" PRIu64 "}", unit->cables[way].overflowed);
	}
	fprintf(out, ", \"steady\": {");
	row_json(out, steady_counts, N(steady_counts), &unit->steady.counts);
	fprintf(out, "}}");
}

static void transports_json(FILE *out, const struct server *server)
{
	bool any = false;

	for (unsigned i = 0; i < server->n_units; i++) {
		for (int transport = 0;
		     transport < UNIT_TRANSPORTS && server->units[i].transports[transport];
		     transport++) {
			fprintf(out, "%s{\"device\": %u, \"transport\": \"%s\", ", any ? ", " : "",
			    i, server->units[i].transports[transport]->kind->name);
			row_json(out, transport_counts, N(transport_counts),
			    &server->units[i].transports[transport]->counts);
			fprintf(out, "}");
			any = true;
		}
	}
}

/* Cells that have counted, as [lowest ns, highest ns, count]. */
static void latency_json(FILE *out, const struct latency *latency)
{
	const struct hist *ns = &latency->ns;
	bool any = false;

	fprintf(out,
	    "{\"simulated\": true, \"unit\": \"ns\", \"count\": %" PRIu64 ", \"min\": %" PRIu64
	    ", \"p50\": %" PRIu64 ", \"p99\": %" PRIu64 ", \"p99_9\": %" PRIu64
	    ", \"p99_99\": %" PRIu64 ", \"max\": %" PRIu64 ", \"mean\": %.1f, \"steps\": %" PRIu64
	    ", \"unmarked\": %" PRIu64 ", \"crossed\": %" PRIu64 ", \"cells\": [",
	    hist_count(ns), hist_min(ns), hist_quantile(ns, 0.5), hist_quantile(ns, 0.99),
	    hist_quantile(ns, 0.999), hist_quantile(ns, 0.9999), hist_max(ns), hist_mean(ns),
	    latency->steps, latency->unmarked, latency->crossed);
	for (uint32_t cell = 0; cell < HIST_CELLS; cell++) {
		const uint64_t count = hist_cells_get(&ns->cells, cell);

		if (count == 0)
			continue;
		fprintf(out, "%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", any ? ", " : "",
		    hist_cell_low(cell),
		    cell + 1 < HIST_CELLS ? hist_cell_high(cell) : hist_max(ns), count);
		any = true;
	}
	fprintf(out, "]}");
}

/* JSON has no infinity: of a response without any error. */
static double finite_db(double db)
{
	return db < -999 ? -999 : db > 999 ? 999 : db;
}

static void found_json(FILE *out, const struct sound_found *found)
{
	fprintf(out,
	    ", \"within\": %" PRIu64
	    ", \"median_db\": %.2f, \"worst_db\": %.2f, \"worst_within_db\": %.2f, \"delay\": %u, "
	    "\"delays\": %u, \"responses\": %u, \"changes\": %" PRIu64,
	    found->within, finite_db(found->median_db), finite_db(found->worst_db),
	    finite_db(found->worst_within_db), found->delay, found->delays, found->responses,
	    found->changes);
}

static void channel_json(FILE *out, const struct counts *counts, unsigned channel)
{
	const struct sound_channel *sound = &counts->server->analog.sound.channels[channel];

	fprintf(out, "{\"device\": %u, ", channel / DEVICE_ENDPOINTS);
	row_json(out, channel_counts, N(channel_counts), endpoint_of(counts->server, channel));
	fprintf(out, ", \"latency\": ");
	latency_json(out, &counts->server->analog.latency[channel]);
	fprintf(out,
	    ", \"sounding\": {\"simulated\": true, \"kept\": %" PRIu32 ", \"seams\": %" PRIu64,
	    sound->kept, sound->seams);
	if (counts->expected[channel] && sound->kept)
		found_json(out, &counts->found[channel]);
	fprintf(out, "}}");
}

void counts_json(const struct counts *counts, FILE *out)
{
	const struct server *server = counts->server;

	fprintf(out, "{\"schema\": 3, \"clock\": \"%s\", \"clock_late_us\": %.1f, ",
	    server->pace.options.is_virtual ? "virtual" : "real", late_us(server));
	sums_json(out, server);
	fprintf(out, ", \"devices\": [");
	for (unsigned i = 0; i < server->n_units; i++) {
		fprintf(out, "%s", i ? ", " : "");
		unit_json(out, &server->units[i]);
	}
	fprintf(out, "], \"sfp\": [");
	transports_json(out, server);
	fprintf(out, "], \"channels\": [");
	for (unsigned i = 0; i < server->n_units * DEVICE_ENDPOINTS; i++) {
		fprintf(out, "%s", i ? ", " : "");
		channel_json(out, counts, i);
	}
	fprintf(out, "]}\n");
}
