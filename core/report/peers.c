/* SPDX-License-Identifier: BSD-3-Clause
 *
 * peers.c - of a waveform on several nodes: what their bridges have sent and received. */
#include "core/base/text.h"
#include "core/report/print.h"

/* Those that are 0 on a link without losses are left out. */
static void troubles_print(const json_t *peer, FILE *out)
{
	static const struct {
		const char *key, *words;
	} rows[] = {
	    {"unsent", "not sent"},
	    {"repeated", "sent once more"},
	    {"known", "came twice"},
	    {"early", "came before there was room"},
	    {"late", "came after their slot"},
	    {"lost", "overwritten before they were sent"},
	    {"refused", "refused"},
	    {"foreign", "of another load"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (report_number(peer, rows[i].key) > 0)
			fprintf(out, "; %.0f %s", report_number(peer, rows[i].key), rows[i].words);
}

static void peer_print(const json_t *peer, FILE *out)
{
	const double sent = report_number(peer, "sent"), received = report_number(peer, "received");

	fprintf(out,
	    "bridge     node \"%s\": %.0f frame%s (%.1f kB) to node \"%s\", %.0f (%.1f kB) back",
	    report_text(peer, "node"), sent, plural(sent), report_number(peer, "sent_bytes") / 1e3,
	    report_text(peer, "peer"), received, report_number(peer, "received_bytes") / 1e3);
	troubles_print(peer, out);
	fputc('\n', out);
}

void peers_print(const json_t *report, FILE *out)
{
	json_t *peer;
	size_t n;

	json_array_foreach(json_object_get(report, "peers"), n, peer)
	{
		peer_print(peer, out);
	}
}
