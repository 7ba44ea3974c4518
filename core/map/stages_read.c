/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/stages_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a parameter of this name and kind. */
static const struct wf_value *value_find(
    const struct wf_instance *instance, const char *name, enum aloe_kind kind)
{
	for (size_t i = 0; i < instance->type->n_params; i++)
		if (instance->type->params[i].kind == kind &&
		    strcmp(instance->type->params[i].name, name) == 0)
			return &instance->values[i];
	return NULL;
}

double stages_kind_ns(const struct wf_instance *instance, const char *kind)
{
	const struct wf_value *value;
	char name[80];

	snprintf(name, sizeof(name), "%s_us", kind);
	value = value_find(instance, name, ALOE_KIND_REAL);
	return value && value->set && value->number >= 0 ? 1e3 * value->number : NAN;
}

/* One instance without a reader, and every other one before exactly one: in order of the graph. */
static bool is_chain(const struct waveform *wf, const int *order)
{
	if (wf->n_links + 1 != wf->n_instances)
		return false;
	for (size_t i = 0; i + 1 < wf->n_instances; i++) {
		bool joined = false;

		for (size_t l = 0; l < wf->n_links; l++)
			joined |= wf->links[l].from == order[i] && wf->links[l].to == order[i + 1];
		if (!joined)
			return false;
	}
	return true;
}

static uint64_t bytes_behind(const struct waveform *wf, int instance)
{
	for (size_t l = 0; l < wf->n_links; l++)
		if (wf->links[l].from == instance) {
			const struct wf_port *port =
			    &wf->instances[instance].out[wf->links[l].from_port];

			return (uint64_t)port->max * aloe_item_bytes(port->type);
		}
	return 0;
}

static bool task_read(
    const struct wf_instance *instance, const char *const *kinds, struct stages_task *ret)
{
	const struct wf_value *stateless = value_find(instance, "stateless", ALOE_KIND_BOOL);

	*ret = (struct stages_task){.spreadable = stateless && stateless->number != 0};
	for (int kind = 0; kind < STAGES_KINDS; kind++) {
		const double ns = kinds[kind] ? stages_kind_ns(instance, kinds[kind]) : 0;

		if (!(ns >= 0 && ns < (double)STAGES_COST_MAX))
			return false;
		ret->cost[kind] = (uint64_t)llround(ns);
	}
	return true;
}

int stages_read(const struct waveform *wf, const char *const kinds[STAGES_KINDS],
    struct stages_chain *ret, int *ret_instance)
{
	const size_t n = wf->n_instances;

	*ret_instance = -1;
	*ret = (struct stages_chain){.tasks = calloc(n + 1, sizeof(*ret->tasks)),
	    .instances = calloc(n + 1, sizeof(*ret->instances)),
	    .bytes = calloc(n + 1, sizeof(*ret->bytes)),
	    .n = n};
	if (!ret->tasks || !ret->instances || !ret->bytes)
		return -ENOMEM;
	if (waveform_order(wf, ret->instances) < 0 || !is_chain(wf, ret->instances))
		return -ENOENT;
	for (size_t i = 0; i < n; i++) {
		const int instance = ret->instances[i];

		if (!task_read(&wf->instances[instance], kinds, &ret->tasks[i])) {
			*ret_instance = instance;
			return -ENOENT;
		}
		ret->bytes[i] = bytes_behind(wf, instance);
	}
	return 0;
}

void stages_chain_fini(struct stages_chain *chain)
{
	free(chain->tasks);
	free(chain->instances);
	free(chain->bytes);
	*chain = (struct stages_chain){0};
}
