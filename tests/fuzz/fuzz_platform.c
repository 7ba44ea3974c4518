/* SPDX-License-Identifier: BSD-3-Clause
 * core/waveform/platform: a file of any bytes is refused with at least one reason, or gives a
 * platform that a plan can be made for: every number in its range, every core on a node, every link
 * between nodes that are there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/address.h"
#include "core/base/text.h"
#include "core/waveform/platform.h"
#include "core/waveform/radio_file.h"
#include "platforms/x310/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static void node_check(const struct platform_node *node)
{
	insist(node->name && node->name[0]);
	insist(node->base_ns >= 0 && node->module_ns >= 0 && node->noise_ns >= 0 &&
	    node->handover_ns >= 0);
	insist(isfinite(node->base_ns + node->module_ns + node->noise_ns + node->handover_ns));
	insist(node->memory_bytes >= 0 && isfinite(node->memory_bytes));
}

static void cpus_check(const struct platform_node *node)
{
	for (size_t i = 0; i < node->lanes.n; i++) {
		insist(node->lanes.items[i] >= 0 && node->lanes.items[i] <= 1023);
		for (size_t k = 0; k < i; k++)
			insist(node->lanes.items[i] != node->lanes.items[k]);
		for (size_t k = 0; k < node->housekeeping.n; k++)
			insist(node->lanes.items[i] != node->housekeeping.items[k]);
	}
}

/* Nodes that are to run: all of them with an address of their own, and one manager. */
static void running_check(const struct platform_model *platform)
{
	size_t addresses = 0, managers = 0;

	for (size_t i = 0; i < platform->n_nodes; i++) {
		const struct platform_node *node = &platform->nodes[i];
		struct address address;

		cpus_check(node);
		addresses += node->address != NULL;
		managers += node->manager;
		insist(!node->address ||
		    (address_parse(node->address, &address) == 0 && !address.any && address.port));
		insist(!node->key || (text_is_key(node->key) && !platform->insecure));
	}
	insist(addresses == 0 || addresses == platform->n_nodes);
	insist(managers == (addresses > 0));
}

static void link_check(const struct platform_model *platform, const struct platform_link *link)
{
	insist(link->n_nodes >= 2 && (link->kind == PLATFORM_BUS || link->n_nodes == 2));
	insist(link->delay >= 1 && link->delay <= PLATFORM_DELAY_MAX && link->mbit_per_s > 0 &&
	    isfinite(link->mbit_per_s));
	for (size_t i = 0; i < link->n_nodes; i++) {
		insist(link->nodes[i] < platform->n_nodes);
		for (size_t k = 0; k < i; k++)
			insist(link->nodes[i] != link->nodes[k]);
	}
}

static void platform_check(const struct platform_model *platform)
{
	insist(
	    platform->name && platform->name[0] && platform->n_nodes > 0 && platform->n_lanes > 0);
	insist(platform->n_lanes <= PLATFORM_CORES_MAX && platform->margin >= 0 &&
	    platform->margin <= 0.9);
	for (size_t i = 0; i < platform->n_nodes; i++)
		node_check(&platform->nodes[i]);
	for (size_t i = 0; i < platform->n_lanes; i++) {
		insist(platform->cpus[i] == (int)i && platform->cores[i].node < platform->n_nodes);
		insist(
		    platform->cores[i].mmac_per_s > 0 && isfinite(platform->cores[i].mmac_per_s));
	}
	for (size_t i = 0; i < platform->n_links; i++)
		link_check(platform, &platform->links[i]);
	running_check(platform);
}

static void radios_check(const uint8_t *data, size_t size)
{
	const struct radio_use use = {"fuzz", 1e6, 256, false};
	struct wf_radios *radios = NULL;
	char *text = calloc(1, size + 1);
	struct diag diag;

	insist(text);
	memcpy(text, data, size);
	diag_init(&diag);
	if (wf_radios_parse("fuzz.conf", text, NULL, &use, &diag, &radios) == 0)
		insist(diag.errors == 0);
	else
		insist(diag.errors > 0 && !radios);
	for (uint32_t i = 0; radios && i < radios->n; i++) {
		const struct radio_driver *driver = radios->driver[i];
		char claim[RADIO_NOTE];

		insist(driver == radios->driver[0] && driver->n_keys <= RADIO_KEYS_MAX);
		insist(driver->channels(radios->settings[i]) >= 1 &&
		    driver->channels(radios->settings[i]) <= RADIO_CHANNELS_MAX / radios->n);
		driver->claim(radios->settings[i], claim, sizeof(claim));
		if (driver == &x310_driver)
			insist(x310_packet_samples(radios->settings[i], 256) >= X310_SPP_MIN);
	}
	wf_radios_free(radios);
	free(text);
	diag_fini(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct platform_model *platform = NULL;
	struct diag diag;

	diag_init(&diag);
	if (platform_parse("fuzz.conf", (const char *)data, size, &diag, &platform) == 0) {
		insist(diag.errors == 0);
		platform_check(platform);
		platform_free(platform);
	} else {
		insist(diag.errors > 0 && !platform);
	}
	diag_fini(&diag);
	radios_check(data, size);
	return 0;
}
