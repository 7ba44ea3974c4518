/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/where.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

/* ---- nodes ------------------------------------------------------------------------ */

enum { ANY = 0xffffffff, NOT_THERE = 0xfffffffe };

/* Of its first parameter that is a path; NULL: it has none. */
static const char *path_param(const struct wf_instance *instance)
{
	for (size_t i = 0; instance->values && i < instance->type->n_params; i++)
		if (instance->type->params[i].kind == ALOE_KIND_PATH && instance->values[i].text &&
		    instance->values[i].text[0])
			return instance->type->params[i].name;
	return NULL;
}

/* The node that it must be on; ANY, NOT_THERE. */
static uint32_t node_of(const struct resources *resources, const struct wf_instance *instance)
{
	const struct platform_model *platform = resources->platform;

	if (!platform->name)
		return ANY;
	for (uint32_t n = 0; instance->node && n < platform->n_nodes; n++)
		if (strcmp(platform->nodes[n].name, instance->node) == 0)
			return n;
	if (instance->node)
		return NOT_THERE;
	return platform->home && path_param(instance) ? platform->home - 1 : ANY;
}

static bool on_node(
    const struct resources *resources, size_t lane, const struct wf_instance *instance)
{
	const uint32_t node = node_of(resources, instance);

	assert(lane < resources->n_lanes);
	return node == ANY || resources->lanes[lane].node == node;
}

/* "0, 1" of a node's lanes; "" if it has none. */
static void lanes_of(const struct resources *resources, uint32_t node, char *text, size_t size)
{
	size_t len = 0;

	text[0] = 0;
	for (size_t lane = 0; lane < resources->n_lanes && len < size; lane++)
		if (resources->lanes[lane].node == node)
			len += (size_t)snprintf(
			    text + len, size - len, "%s%zu", len ? ", " : "", lane);
}

static void nodes_all(const struct platform_model *platform, char *text, size_t size)
{
	size_t len = 0;

	for (size_t n = 0; n < platform->n_nodes && len < size; n++)
		len += (size_t)snprintf(
		    text + len, size - len, "%s%s", len ? ", " : "", platform->nodes[n].name);
}

static int pin_refuse(const struct resources *resources, const struct waveform *wf,
    const struct wf_instance *instance, const char *lanes, struct diag *diag)
{
	const char *pinned = resources_node(resources, (size_t)instance->pin);
	const char *home = resources->platform->nodes[node_of(resources, instance)].name;

	if (instance->node)
		return diag_error(diag, wf->file, instance->line,
		    "%s.pin = %d names a lane of node %s, but %s.node = \"%s\"; node %s has the "
		    "lanes %s",
		    instance->name, instance->pin, pinned, instance->name, home, home, lanes);
	return diag_error(diag, wf->file, instance->line,
	    "%s.pin = %d names a lane of node %s, but %s.%s is a path on node %s, from which the "
	    "waveform is loaded; node = \"%s\" says that the path is on node %s",
	    instance->name, instance->pin, pinned, instance->name, path_param(instance), home,
	    pinned, pinned);
}

static int node_check(const struct resources *resources, const struct waveform *wf,
    const struct wf_instance *instance, struct diag *diag)
{
	const uint32_t node = node_of(resources, instance);
	char text[512];

	if (node == ANY)
		return 0;
	if (node == NOT_THERE) {
		nodes_all(resources->platform, text, sizeof(text));
		return diag_error(diag, wf->file, instance->line,
		    "%s.node = \"%s\": no node \"%s\", there are %s", instance->name,
		    instance->node, instance->node, text);
	}
	lanes_of(resources, node, text, sizeof(text));
	if (!text[0])
		return diag_error(diag, wf->file, instance->line,
		    "%s must be on node %s%s, and none of the lanes of the waveform is on that "
		    "node",
		    instance->name, resources->platform->nodes[node].name,
		    instance->node ? "" : " (a path)");
	if (instance->pin >= 0 && (size_t)instance->pin < resources->n_lanes &&
	    resources->lanes[instance->pin].node != node)
		return pin_refuse(resources, wf, instance, text, diag);
	return 0;
}

int where_nodes(const struct resources *resources, const struct waveform *wf, struct diag *diag)
{
	const char *first = NULL;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < waveform_originals(wf); i++) {
		const struct wf_instance *instance = &wf->instances[i];

		if (node_check(resources, wf, instance, diag))
			rc = -EINVAL;
		if (instance->node) {
			first = first ? first : instance->name;
			n++;
		}
	}
	if (n && !resources->platform->name)
		diag_note(diag,
		    "the `node` of %zu instance%s (%s%s) counts only on a platform with nodes; "
		    "here all instances run on this machine",
		    n, plural(n), first, n > 1 ? ", ..." : "");
	return rc;
}

/* ---- instruction sets ------------------------------------------------------------------------ */

/* There is a build for the lane, or nobody asks. */
static bool is_built(
    const struct resources *resources, size_t lane, const struct wf_instance *instance)
{
	const char *arch = resources->lanes[lane].arch;

	return !arch || component_builds(instance->type, arch);
}

/* Of the lanes that it may be on, the first without a build; NONE if it runs on one of them. */
static size_t lane_without_build(
    const struct resources *resources, const struct wf_instance *instance)
{
	size_t first = MAPPING_NONE;

	if (instance->pin >= 0 && (size_t)instance->pin < resources->n_lanes)
		return is_built(resources, (size_t)instance->pin, instance) ? MAPPING_NONE
		                                                            : (size_t)instance->pin;
	for (size_t lane = 0; lane < resources->n_lanes; lane++) {
		if (!on_node(resources, lane, instance))
			continue;
		if (is_built(resources, lane, instance))
			return MAPPING_NONE;
		first = first == MAPPING_NONE ? lane : first;
	}
	return first;
}

int where_builds(const struct resources *resources, const struct waveform *wf, struct diag *diag)
{
	int rc = 0;

	for (size_t i = 0; i < waveform_originals(wf); i++) {
		const struct wf_instance *instance = &wf->instances[i];
		const size_t lane = lane_without_build(resources, instance);
		const char *arch = lane == MAPPING_NONE ? "" : resources->lanes[lane].arch;

		if (lane != MAPPING_NONE)
			rc = diag_error(diag, wf->file, instance->line,
			    "%s: component %s has no build for %s, the instruction set of node "
			    "%s%s: no folder of components has %s/%s.desc",
			    instance->name, instance->type->name, arch,
			    resources_node(resources, lane),
			    instance->pin >= 0                        ? ", to which it is pinned"
			        : node_of(resources, instance) != ANY ? ", on which it must be"
			                                              : "",
			    arch, instance->type->name);
	}
	if (rc)
		diag_note(diag,
		    "--force, or assume_builds = true in the platform file, plans as if all "
		    "builds existed");
	return rc;
}

/* ---- both ------------------------------------------------------------------------ */

bool where_runs(const struct resources *resources, size_t lane, const struct wf_instance *instance)
{
	return is_built(resources, lane, instance) && on_node(resources, lane, instance);
}

void where_not(const struct resources *resources, size_t lane, const struct wf_instance *instance,
    char *text, size_t size)
{
	text[0] = 0;
	if (!on_node(resources, lane, instance) && instance->node)
		snprintf(text, size, "%s.node = \"%s\"", instance->name, instance->node);
	else if (!on_node(resources, lane, instance))
		snprintf(text, size, "%s.%s is a path on node %s", instance->name,
		    path_param(instance),
		    resources->platform->nodes[node_of(resources, instance)].name);
	else if (!is_built(resources, lane, instance))
		snprintf(text, size, "no build for %s exists", resources->lanes[lane].arch);
}
