/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/side.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- who is alike ---- */

static bool value_same(
    const struct aloe_param *param, const struct wf_value *a, const struct wf_value *b)
{
	if (param->kind == ALOE_KIND_TEXT || param->kind == ALOE_KIND_PATH)
		return (a->text == NULL) == (b->text == NULL) &&
		    (a->text == NULL || strcmp(a->text, b->text) == 0);
	if (param->kind == ALOE_KIND_REALS)
		return a->n_reals == b->n_reals &&
		    (a->n_reals == 0 ||
		        memcmp(a->reals, b->reals, a->n_reals * sizeof(float)) == 0);
	return a->number == b->number;
}

static bool ports_same(const struct wf_port *a, const struct wf_port *b, uint32_t n)
{
	for (uint32_t p = 0; p < n; p++)
		if (a[p].type != b[p].type || a[p].max != b[p].max ||
		    (a[p].link < 0) != (b[p].link < 0))
			return false;
	return true;
}

static bool alike(const struct wf_instance *a, const struct wf_instance *b)
{
	if (a->type != b->type || a->upgrade != b->upgrade)
		return false;
	for (size_t i = 0; i < a->type->n_params; i++)
		if (!(a->type->params[i].flags & ALOE_LIVE) &&
		    !value_same(&a->type->params[i], &a->values[i], &b->values[i]))
			return false;
	return ports_same(a->in, b->in, a->n_in) && ports_same(a->out, b->out, a->n_out);
}

static bool can(const struct wf_instance *instance)
{
	return instance->type->many && !instance->type->fills && !instance->type->drains &&
	    instance->period <= 1 && waveform_places(instance) == 1;
}

struct makes {
	const struct waveform *waveform;
	const struct plan_instance *instances;
	const uint32_t *hosts;
	uint32_t most, least, groups;
};

static bool together(const struct makes *makes, size_t a, size_t b)
{
	const struct plan_instance *x = &makes->instances[a], *y = &makes->instances[b];

	return x->lane == y->lane && x->lag == y->lag && x->run_on == y->run_on &&
	    makes->hosts[a] == makes->hosts[b] && can(&makes->waveform->instances[b]) &&
	    alike(&makes->waveform->instances[a], &makes->waveform->instances[b]);
}

/* ---- groups ---- */

/* A group of `first` and the copies behind it; none if they are too few. */
static void group_make(struct makes *makes, struct side *side, size_t first)
{
	size_t members[ALOE_MANY_MAX], n = 0;

	assert(makes->most <= ALOE_MANY_MAX);
	for (size_t i = first; i < side->n && n < makes->most; i += side->apart)
		if (side->of[i] == 0 && together(makes, first, i))
			members[n++] = i;
	makes->groups += n >= makes->least;
	for (size_t m = 0; m < n && n >= makes->least; m++)
		side->of[members[m]] = makes->groups;
}

static void groups_make(struct makes *makes, struct side *side)
{
	for (size_t i = 0; i < side->apart; i++)
		for (size_t k = i; k < side->n; k += side->apart)
			if (side->of[k] == 0 && can(&makes->waveform->instances[k]))
				group_make(makes, side, k);
}

int side_init(struct side *side, const struct waveform *wf, const struct plan_instance *instances,
    const uint32_t *hosts, const uint32_t *open)
{
	struct makes makes = {
	    .waveform = wf,
	    .instances = instances,
	    .hosts = hosts,
	    .most = wf->side == WF_SIDE_AUTO ? SIDE_USUAL : wf->side,
	    .least = wf->side == WF_SIDE_AUTO ? SIDE_LEAST : 2,
	};

	*side = (struct side){.n = wf->n_instances, .apart = waveform_originals(wf)};
	side->of = calloc(side->n + 1, sizeof(*side->of));
	side->waits = calloc(side->n + 1, sizeof(*side->waits));
	if (!side->of || !side->waits)
		return -ENOMEM;
	if (side->apart < side->n)
		groups_make(&makes, side);
	for (size_t i = 0; i < side->n; i++)
		side->waits[side->of[i]] += side->of[i] != 0 && open[i] > 0;
	return 0;
}

void side_fini(struct side *side)
{
	free(side->of);
	free(side->waits);
}

bool side_drop(struct side *side)
{
	bool any = false;

	for (size_t i = 0; i < side->n; i++)
		if (!side_ready(side, i)) {
			side->of[i] = 0;
			any = true;
		}
	return any;
}
