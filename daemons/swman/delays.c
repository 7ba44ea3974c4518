/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What bridges say of the way between two nodes: whether the other end is heard, and how long a
 * message takes, which LOAD plans with. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/map/units.h"
#include "daemons/swman/swman.h"

#define MOST_NS 10000000000ull /* more is no time of a message */

static struct swman_way *way_of(const struct swman *swman, uint32_t from, uint32_t to)
{
	return &swman->ways[from * swman->machines.model->n_nodes + to];
}

/* The node that an event is of: the frontend of another node says which one it is. */
static uint32_t sender_of(const struct swman *swman, const struct wire_view *event)
{
	const void *name;
	size_t len;

	return wire_get_bytes(event, WIRE_TAG_NODE, 0, &name, &len) == 0
	    ? machines_find(&swman->machines, name, len)
	    : swman->machines.self;
}

/* The n-th node of an event: the time of a message to it, and whether it is heard. */
static void way_take(struct swman_way *way, const struct wire_view *event, unsigned n)
{
	char *value = wire_get_text(event, WIRE_TAG_VALUE, n),
	     *state = wire_get_text(event, WIRE_TAG_STATE, n);
	const uint64_t ns = value ? strtoull(value, NULL, 10) : 0;
	const bool silent = state && strcmp(state, "silent") == 0;

	if (ns <= MOST_NS)
		way->one_way_ns = ns;
	way->silent_ns = !silent ? 0 : way->silent_ns ? way->silent_ns : clock_ns();
	free(value);
	free(state);
}

uint64_t swman_silent_ns(const struct swman *swman, uint32_t by, uint32_t node)
{
	return swman->ways ? way_of(swman, by, node)->silent_ns : 0;
}

void swman_silence_forget(struct swman *swman, uint32_t by)
{
	for (uint32_t n = 0; swman->ways && n < swman->machines.model->n_nodes; n++)
		way_of(swman, by, n)->silent_ns = 0;
}

bool swman_delays_take(struct swman *swman, const struct wire_view *event)
{
	const size_t nodes = swman->machines.model->n_nodes;
	const uint32_t from = sender_of(swman, event);
	const void *name;
	size_t len;

	if (wire_get_bytes(event, WIRE_TAG_WAVEFORM, 0, &name, &len) == 0)
		return false;
	if (!swman->ways)
		swman->ways = calloc(nodes * nodes, sizeof(*swman->ways));
	for (unsigned n = 0; swman->ways && from != MACHINES_NONE &&
	     wire_get_bytes(event, WIRE_TAG_NAME, n, &name, &len) == 0;
	     n++) {
		const uint32_t to = machines_find(&swman->machines, name, len);

		if (to != MACHINES_NONE)
			way_take(way_of(swman, from, to), event, n);
	}
	return true;
}

/* The slowest way between two of its nodes, by whatever end has measured it; 0: none is known. */
static double slowest_ns(const struct swman *swman, const struct platform_link *link)
{
	uint64_t most = 0;

	for (size_t a = 0; swman->ways && a < link->n_nodes; a++)
		for (size_t b = 0; b < link->n_nodes; b++) {
			const uint64_t ns =
			    way_of(swman, link->nodes[a], link->nodes[b])->one_way_ns;

			most = ns > most ? ns : most;
		}
	return (double)most;
}

/* Of any message of the waveform: nobody knows yet which of them will cross. */
static double largest_kbit(const struct waveform *waveform)
{
	double most = 0;

	for (size_t l = 0; l < waveform->n_links; l++) {
		const double kbit = units_link_kbit(waveform, &waveform->links[l]);

		most = kbit > most ? kbit : most;
	}
	return most;
}

/* "node "a" and node "b"", of two nodes or more. */
static void names_write(
    const struct swman *swman, const struct platform_link *link, char *ret, size_t size)
{
	size_t at = 0;

	ret[0] = 0;
	for (size_t i = 0; i < link->n_nodes && at < size; i++)
		at += (size_t)snprintf(ret + at, size - at, "%snode \"%s\"",
		    i == 0                      ? ""
		        : i + 1 < link->n_nodes ? ", "
		                                : " and ",
		    machines_name(&swman->machines, link->nodes[i]));
}

static void delay_apply(const struct swman *swman, const struct waveform *waveform,
    struct platform_link *link, struct diag *diag)
{
	const double one_way_ns = slowest_ns(swman, link);
	const uint32_t needed =
	    platform_delay(link, one_way_ns, largest_kbit(waveform), waveform->slot_ns);
	char names[512];

	if (one_way_ns <= 0 || needed <= link->delay)
		return;
	names_write(swman, link, names, sizeof(names));
	if (link->delay_given) {
		diag_note(diag,
		    "the platform file gives the link of %s a delay of %" PRIu32
		    " slot%s, but a message was measured to take up to %.2f ms, and a slot has %g "
		    "ms; the given delay is kept, so instances will wait for messages or miss "
		    "them; remove the delay from the platform file, or write delay = %" PRIu32,
		    names, link->delay, plural(link->delay), one_way_ns * 1e-6,
		    (double)waveform->slot_ns * 1e-6, needed);
		return;
	}
	diag_note(diag,
	    "the link of %s is planned with a delay of %" PRIu32 " slot%s instead of %" PRIu32
	    ", because a message was measured to take up to %.2f ms, and a slot has %g ms",
	    names, needed, plural(needed), link->delay, one_way_ns * 1e-6,
	    (double)waveform->slot_ns * 1e-6);
	link->delay = needed;
}

int swman_delays_apply(const struct swman *swman, const struct waveform *waveform,
    struct platform_model *model, struct platform_link **ret_links, struct diag *diag)
{
	struct platform_link *links = calloc(model->n_links + 1, sizeof(*links));

	*ret_links = links;
	if (!links)
		return -ENOMEM;
	for (size_t l = 0; l < model->n_links; l++) {
		links[l] = model->links[l];
		if (waveform_timed(waveform))
			delay_apply(swman, waveform, &links[l], diag);
	}
	model->links = links;
	return 0;
}
