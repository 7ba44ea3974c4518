/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/tails.h"
#include "core/waveform/neighbours.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "core/map/cycles.h"

struct tails {
	const struct waveform *wf;
	struct neighbours readers;
	uint32_t *knots;  /* by instance */
	uint32_t *waits;  /* by instance: links whose writer has not been dealt with */
	uint32_t *ready;  /* instances whose writers have been, in order */
	uint64_t *run_on; /* by instance, so far */
	uint32_t *from;   /* by instance: 1 + the source that all its messages are of, MANY; 0 */
	bool *meets;      /* by instance: messages of several sources meet in it */
	uint64_t *ahead;  /* by instance: 1 + the tails behind it until the last meeting; 0: none */
};

#define MANY UINT32_MAX

static bool link_counts(const struct tails *tails, const struct wf_link *link)
{
	return link->delay == 0 || tails->knots[link->from] != tails->knots[link->to];
}

static int tails_init(struct tails *tails, const struct waveform *wf)
{
	const size_t n = wf->n_instances + 1;

	*tails = (struct tails){.wf = wf};
	tails->knots = calloc(n, sizeof(*tails->knots));
	tails->waits = calloc(n, sizeof(*tails->waits));
	tails->ready = calloc(n, sizeof(*tails->ready));
	tails->run_on = calloc(n, sizeof(*tails->run_on));
	tails->from = calloc(n, sizeof(*tails->from));
	tails->meets = calloc(n, sizeof(*tails->meets));
	tails->ahead = calloc(n, sizeof(*tails->ahead));
	if (!tails->knots || !tails->waits || !tails->ready || !tails->run_on || !tails->from ||
	    !tails->meets || !tails->ahead)
		return -ENOMEM;
	return neighbours_init(&tails->readers, wf, true, NULL, NULL) ||
	        knots_find(wf, tails->knots)
	    ? -ENOMEM
	    : 0;
}

static void tails_fini(struct tails *tails)
{
	neighbours_fini(&tails->readers);
	free(tails->knots);
	free(tails->waits);
	free(tails->ready);
	free(tails->run_on);
	free(tails->from);
	free(tails->meets);
	free(tails->ahead);
}

static bool is_source(const struct wf_instance *instance)
{
	for (uint32_t p = 0; p < instance->n_in; p++)
		if (instance->in[p].link >= 0)
			return false;
	return true;
}

/* Messages of the sources `from` come to an instance, beside those that came before. */
static void sources_join(struct tails *tails, uint32_t to, uint32_t from)
{
	uint32_t *have = &tails->from[to];

	if (*have != 0 && (*have != from || from == MANY)) {
		tails->meets[to] = true;
		from = MANY;
	}
	*have = from;
}

/* One whose writers are known: to its own figure it adds its tail, and tells its readers. */
static void pass_on(struct tails *tails, uint32_t i, size_t *n_ready)
{
	const struct wf_instance *instance = &tails->wf->instances[i];

	assert(i < tails->wf->n_instances);
	if (!is_source(instance))
		tails->run_on[i] += instance->tail;
	if (tails->run_on[i] > TAILS_RUN_ON_MAX)
		tails->run_on[i] = TAILS_RUN_ON_MAX;
	if (tails->from[i] == 0)
		tails->from[i] = i + 1;
	for (int l = tails->readers.first[i]; l >= 0; l = tails->readers.next[l]) {
		const struct wf_link *link = &tails->wf->links[l];
		const uint64_t brings = tails->run_on[i] + link->delay;

		if (!link_counts(tails, link))
			continue;
		if (brings > tails->run_on[link->to])
			tails->run_on[link->to] = brings;
		sources_join(tails, (uint32_t)link->to, tails->from[i]);
		if (--tails->waits[link->to] == 0)
			tails->ready[(*n_ready)++] = (uint32_t)link->to;
	}
}

/* One whose readers are known. */
static void look_ahead(struct tails *tails, uint32_t i)
{
	uint64_t *ahead = &tails->ahead[i];

	for (int l = tails->readers.first[i]; l >= 0; l = tails->readers.next[l]) {
		const struct wf_link *link = &tails->wf->links[l];
		const uint64_t behind = tails->ahead[link->to] != 0
		    ? tails->ahead[link->to] + tails->wf->instances[link->to].tail
		    : tails->meets[link->to];

		if (link_counts(tails, link) && behind > *ahead)
			*ahead = behind;
	}
}

static uint32_t messages_held(const struct tails *tails, uint32_t i)
{
	const struct wf_instance *instance = &tails->wf->instances[i];
	const uint64_t ahead = tails->ahead[i];

	if (!is_source(instance) || instance->period <= 1 || ahead <= 1)
		return 1;
	return ahead < instance->period ? (uint32_t)ahead : instance->period;
}

/* A radio that sends goes on for as long as its samples are the waveform's time: its sinks run on
 * to the very last index. */
static void sinks_of_radios(struct tails *tails)
{
	const struct waveform *wf = tails->wf;
	uint64_t most = 0;

	for (size_t i = 0; i < wf->n_instances; i++)
		most = tails->run_on[i] > most ? tails->run_on[i] : most;
	for (size_t i = 0; i < wf->n_instances; i++)
		if (wf->instances[i].n_out == 0)
			tails->run_on[i] = most;
}

/* Without readers, or with records of its own, it is seen from outside. */
static bool instance_waits(const struct tails *tails, uint32_t i)
{
	const struct wf_instance *instance = &tails->wf->instances[i];

	return !is_source(instance) &&
	    (tails->run_on[i] > 0 || tails->readers.first[i] < 0 || instance->type->drains);
}

int tails_find(const struct waveform *wf, struct tail *ret)
{
	struct tails tails;
	size_t n_ready = 0;
	const int rc = tails_init(&tails, wf);

	assert(ret != NULL);
	for (size_t l = 0; !rc && l < wf->n_links; l++)
		tails.waits[wf->links[l].to] += link_counts(&tails, &wf->links[l]);
	for (size_t i = 0; !rc && i < wf->n_instances; i++)
		if (tails.waits[i] == 0)
			tails.ready[n_ready++] = (uint32_t)i;
	for (size_t i = 0; !rc && i < n_ready; i++)
		pass_on(&tails, tails.ready[i], &n_ready);
	for (size_t i = rc ? 0 : n_ready; i-- > 0;)
		look_ahead(&tails, tails.ready[i]);
	if (!rc && wf->clock == WF_CLOCK_RADIO)
		sinks_of_radios(&tails);
	for (uint32_t i = 0; !rc && i < wf->n_instances; i++)
		ret[i] = (struct tail){(uint32_t)tails.run_on[i], messages_held(&tails, i),
		    is_source(&wf->instances[i]), instance_waits(&tails, i)};
	tails_fini(&tails);
	return rc;
}
