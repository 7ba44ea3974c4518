/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map/radios.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ANY = 0xffffffff };

/* A setting of it is a path. */
static bool is_on_disk(const struct radio_driver *driver, const void *settings)
{
	for (uint32_t k = 0; k < driver->n_keys; k++) {
		const char *text;

		if (driver->keys[k].kind != RADIO_PATH)
			continue;
		memcpy(&text, (const char *)settings + driver->keys[k].offset, sizeof(text));
		if (text && text[0])
			return true;
	}
	return false;
}

static bool names(const struct platform_node *node, const char *radio)
{
	for (size_t i = 0; i < node->radios.n; i++)
		if (strcmp(node->radios.items[i], radio) == 0)
			return true;
	return false;
}

static int device_find(const struct waveform *wf, const struct platform_model *platform,
    const char *radio, struct diag *diag, uint32_t *ret_node)
{
	uint32_t found = ANY;

	for (uint32_t n = 0; n < platform->n_nodes; n++) {
		if (!names(&platform->nodes[n], radio))
			continue;
		if (found != ANY)
			return diag_error(diag, wf->radios->file, 0,
			    "the radio %s is named by the entries of the nodes \"%s\" and \"%s\" "
			    "of platform \"%s\", but its instances run on one node; remove it from "
			    "the `radios` of one of them",
			    radio, platform->nodes[found].name, platform->nodes[n].name,
			    platform->name);
		found = n;
	}
	if (found == ANY)
		return diag_error(diag, wf->radios->file, 0,
		    "no node of platform \"%s\" names the radio %s, so nobody knows on which node "
		    "its instances run; radios = [\"%s\"] is needed in the entry of the node that "
		    "reaches the radio",
		    platform->name, radio, radio);
	*ret_node = found;
	return 0;
}

/* The node of radio r; ANY. */
static int radio_find(const struct waveform *wf, const struct platform_model *platform, uint32_t r,
    struct diag *diag, uint32_t *ret_node)
{
	const struct radio_driver *driver = wf->radios->driver[r];
	const void *settings = wf->radios->settings[r];
	char claim[RADIO_NOTE] = "";

	*ret_node = ANY;
	if (is_on_disk(driver, settings)) {
		*ret_node = platform->home ? platform->home - 1 : ANY;
		return 0;
	}
	driver->claim(settings, claim, sizeof(claim));
	return claim[0] ? device_find(wf, platform, claim, diag, ret_node) : 0;
}

static int node_find(const struct waveform *wf, const struct platform_model *platform,
    struct diag *diag, uint32_t *ret_node)
{
	int rc = 0;

	*ret_node = ANY;
	for (uint32_t r = 0; r < wf->radios->n && rc == 0; r++) {
		uint32_t node;

		rc = radio_find(wf, platform, r, diag, &node);
		if (rc < 0 || node == ANY)
			continue;
		if (*ret_node != ANY && *ret_node != node)
			return diag_error(diag, wf->radios->file, 0,
			    "the radios are on the nodes \"%s\" and \"%s\" of platform \"%s\"; the "
			    "radios that are the clock of a waveform are on one node",
			    platform->nodes[*ret_node].name, platform->nodes[node].name,
			    platform->name);
		*ret_node = node;
	}
	return rc;
}

int radios_core(const struct waveform *wf, const struct platform_model *platform, struct diag *diag,
    size_t *ret_core)
{
	uint32_t node = ANY;
	int rc = 0;

	*ret_core = 0;
	if (wf->clock == WF_CLOCK_RADIO && wf->radios && platform->n_nodes > 1 && platform->cores)
		rc = node_find(wf, platform, diag, &node);
	if (rc < 0 || node == ANY)
		return rc;
	for (size_t core = 0; core < platform->n_lanes; core++)
		if (platform->cores[core].node == node) {
			*ret_core = core;
			return 0;
		}
	return diag_error(diag, wf->radios->file, 0,
	    "the radio is on node \"%s\" of platform \"%s\", which is not there",
	    platform->nodes[node].name, platform->name);
}
