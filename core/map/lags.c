/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/text.h"
#include "core/map/map.h"
#include "core/map/paths.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAG_MAX = 1 << 20 };

/* The least distance that a link may have. */
static uint32_t distance_min(
    const struct waveform *wf, const struct lag_lanes *lanes, const struct wf_link *link)
{
	const uint32_t from = lanes->of[link->from], to = lanes->of[link->to],
	               more = plan_link_more(wf, link, from == to);

	if (from == to)
		return more +
		    (wf->pipelined && waveform_beside(wf, (size_t)link->to) != link->from);
	return more + (lanes->delay ? lanes->delay[from * lanes->n + to] : 1);
}

/* "a -> b -> a", to be freed by the caller. */
static char *cycle_text(const struct waveform *wf, const struct arc_cycle *cycle)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < cycle->len; i++)
		fprintf(out, "%s -> ", wf->instances[wf->links[cycle->arcs[i]].from].name);
	fprintf(out, "%s", wf->instances[wf->links[cycle->arcs[0]].from].name);
	return fclose(out) ? NULL : text;
}

/* Turns the cycle so that it begins with its first instance of the file. */
static void cycle_turn(const struct waveform *wf, struct arc_cycle *cycle)
{
	size_t first = 0;

	for (size_t i = 1; i < cycle->len; i++)
		if (wf->links[cycle->arcs[i]].from < wf->links[cycle->arcs[first]].from)
			first = i;
	for (; first; first--) {
		const uint32_t arc = cycle->arcs[0];

		memmove(cycle->arcs, cycle->arcs + 1, (cycle->len - 1) * sizeof(*cycle->arcs));
		cycle->arcs[cycle->len - 1] = arc;
	}
}

/* Says what the cycle lacks, at the line of the link that closes it. lanes NULL: it has no declared
 * delay at all. */
static int cycle_refuse(const struct waveform *wf, const struct lag_lanes *lanes,
    struct arc_cycle *cycle, struct diag *diag)
{
	uint64_t declared = 0, needed = 0, changes = 0, places = 0;
	int line, rc;
	char *text;

	cycle_turn(wf, cycle);
	line = wf->links[cycle->arcs[cycle->len - 1]].line;
	text = cycle_text(wf, cycle);
	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < cycle->len; i++) {
		declared += wf->links[cycle->arcs[i]].delay;
		needed += lanes ? distance_min(wf, lanes, &wf->links[cycle->arcs[i]]) : 0;
		places += lanes ? plan_link_more(wf, &wf->links[cycle->arcs[i]],
		                      lanes->of[wf->links[cycle->arcs[i]].from] ==
		                          lanes->of[wf->links[cycle->arcs[i]].to])
		                : 0;
		changes += lanes &&
		    lanes->of[wf->links[cycle->arcs[i]].from] !=
		        lanes->of[wf->links[cycle->arcs[i]].to];
	}
	if (!needed)
		rc = diag_error(diag, wf->file, line,
		    "the cycle %s declares no delay, so none of its instances can run first; one "
		    "of its links needs \"delay\" = 1 or more",
		    text);
	else if (places)
		rc = diag_error(diag, wf->file, line,
		    "the cycle %s declares a delay of %" PRIu64 " and needs %" PRIu64
		    ", of which %" PRIu64 " for the replicas in it: declare %" PRIu64
		    " more, or fewer replicas",
		    text, declared, needed, places, needed - declared);
	else if (wf->pipelined)
		rc = diag_error(diag, wf->file, line,
		    "the cycle %s declares a delay of %" PRIu64 " and has %" PRIu64 " link%s, each "
		    "of 1 slot or more with \"pipelined\": declare %" PRIu64 " more",
		    text, declared, needed, plural(needed), needed - declared);
	else
		rc = diag_error(diag, wf->file, line,
		    "the cycle %s declares a delay of %" PRIu64 " and changes lanes %" PRIu64 " "
		    "time%s, %s: declare %" PRIu64 " more, or pin the cycle to one lane",
		    text, declared, changes, plural(changes),
		    needed == changes ? "each of 1 slot or more"
		                      : "some of 2 slots or more (another node)",
		    needed - declared);
	free(text);
	return rc;
}

int cycles_zero_delay(const struct waveform *wf, struct diag *diag)
{
	struct arc *arcs = calloc(wf->n_links + 1, sizeof(*arcs));
	int64_t *values = calloc(wf->n_instances + 1, sizeof(*values));
	uint32_t *links = calloc(wf->n_links + 1, sizeof(*links));
	struct arc_cycle cycle = {0};
	size_t n = 0;
	int rc = -ENOMEM;

	if (arcs && values && links) {
		for (size_t i = 0; i < wf->n_links; i++) {
			if (wf->links[i].delay)
				continue;
			links[n] = (uint32_t)i;
			arcs[n++] =
			    (struct arc){(uint32_t)wf->links[i].from, (uint32_t)wf->links[i].to, 1};
		}
		rc = paths_longest(wf->n_instances, arcs, n, values, &cycle);
	}
	for (size_t i = 0; i < cycle.len; i++)
		cycle.arcs[i] = links[cycle.arcs[i]];
	if (rc == -ELOOP)
		rc = cycle_refuse(wf, NULL, &cycle, diag);
	free(cycle.arcs);
	free(links);
	free(values);
	free(arcs);
	return rc;
}

static int lags_check(const struct waveform *wf, const int64_t *values, struct diag *diag)
{
	for (size_t i = 0; i < wf->n_links; i++) {
		const struct wf_link *link = &wf->links[i];
		const int64_t distance = link->delay + values[link->to] - values[link->from];

		if (distance > LAG_MAX)
			return diag_error(diag, wf->file, link->line,
			    "the link %s -> %s spans %" PRId64 " slot%s (delay = %" PRIu32
			    "); at most %d are allowed",
			    wf->instances[link->from].name, wf->instances[link->to].name, distance,
			    plural(distance), link->delay, LAG_MAX);
	}
	return 0;
}

/* Whoever waits for sources (core/map/tails.h) is so late that word of their last step has come:
 * from one lane to the next slot's at once, from another node after its delay. By lane. */
static void floors_write(const struct waveform *wf, const struct lag_lanes *lanes, uint32_t *floors)
{
	bool sources[PLATFORM_CORES_MAX] = {false};

	for (size_t i = 0; i < wf->n_instances; i++)
		sources[lanes->of[i]] |= lanes->tails[i].source;
	for (size_t from = 0; from < lanes->n; from++)
		for (size_t to = 0; to < lanes->n && sources[from]; to++) {
			const uint32_t delay = lanes->delay[from * lanes->n + to];

			floors[to] = delay > floors[to] + 1 ? delay - 1 : floors[to];
		}
}

static void starts_write(const struct waveform *wf, const struct lag_lanes *lanes, int64_t *values)
{
	uint32_t floors[PLATFORM_CORES_MAX] = {0};

	assert(lanes->n <= PLATFORM_CORES_MAX);
	if (lanes->tails)
		floors_write(wf, lanes, floors);
	for (size_t i = 0; i < wf->n_instances; i++)
		values[i] = lanes->tails && lanes->tails[i].waits ? floors[lanes->of[i]] : 0;
}

/* distance = w + lag(v) - lag(u) >= m, so lag(v) >= lag(u) + m - w. */
int lags_values(const struct waveform *wf, const struct lag_lanes *lanes, struct arc *arcs,
    int64_t *ret_values, struct arc_cycle *ret_cycle)
{
	assert(lanes != NULL && arcs != NULL);
	for (size_t i = 0; i < wf->n_links; i++) {
		const struct wf_link *link = &wf->links[i];

		arcs[i] = (struct arc){(uint32_t)link->from, (uint32_t)link->to,
		    (int64_t)distance_min(wf, lanes, link) - link->delay};
	}
	starts_write(wf, lanes, ret_values);
	return paths_longest(wf->n_instances, arcs, wf->n_links, ret_values, ret_cycle);
}

static int lags_solve(const struct waveform *wf, const struct lag_lanes *lanes, struct arc *arcs,
    int64_t *values, struct diag *diag)
{
	struct arc_cycle cycle = {0};
	int rc = lags_values(wf, lanes, arcs, values, &cycle);

	if (rc == -ELOOP)
		rc = cycle_refuse(wf, lanes, &cycle, diag);
	free(cycle.arcs);
	return rc ? rc : lags_check(wf, values, diag);
}

int lags_make(
    const struct waveform *wf, const struct lag_lanes *lanes, uint32_t *ret_lags, struct diag *diag)
{
	struct arc *arcs = calloc(wf->n_links + 1, sizeof(*arcs));
	int64_t *values = calloc(wf->n_instances + 1, sizeof(*values));
	int rc = arcs && values ? cycles_zero_delay(wf, diag) : -ENOMEM;

	if (!rc)
		rc = lags_solve(wf, lanes, arcs, values, diag);
	for (size_t i = 0; !rc && i < wf->n_instances; i++)
		ret_lags[i] = (uint32_t)values[i];
	free(values);
	free(arcs);
	return rc;
}
