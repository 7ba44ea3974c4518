/* SPDX-License-Identifier: BSD-3-Clause
 * core/waveform: a file of any bytes is refused with at least one reason, or gives a waveform whose every index is in
 * range. Components are those of tests/fuzz/corpus/desc. */
#include <stdlib.h>

#include "core/waveform/waveform.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static const struct registry *registry_here(void)
{
	static struct registry *registry;
	struct diag diag;

	if (!registry) {
		diag_init(&diag);
		registry = registry_open("tests/fuzz/corpus/desc", &diag);
		diag_print(&diag, stderr);
		insist(registry && registry_len(registry) > 0 && diag.errors == 0);
		diag_fini(&diag);
	}
	return registry;
}

static void link_check(const struct waveform *waveform, const struct wf_link *link)
{
	insist(link->from >= 0 && (size_t)link->from < waveform->n_instances);
	insist(link->to >= 0 && (size_t)link->to < waveform->n_instances);
	insist((uint32_t)link->from_port < waveform->instances[link->from].n_out);
	insist((uint32_t)link->to_port < waveform->instances[link->to].n_in);
}

static void waveform_check(const struct waveform *waveform)
{
	char *json;

	insist(waveform->name && waveform->slot_ns > 0 && waveform->n_instances > 0);
	for (size_t i = 0; i < waveform->n_instances; i++) {
		insist(waveform->instances[i].name && waveform->instances[i].type && waveform->instances[i].values);
		insist(waveform->instances[i].period > 0 &&
		       waveform->instances[i].phase < waveform->instances[i].period);
	}
	for (size_t i = 0; i < waveform->n_links; i++)
		link_check(waveform, &waveform->links[i]);
	json = waveform_shape_json(waveform);
	insist(json);
	free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wf_overrides overrides = {.cwd = "/tmp", .pipelined = -1};
	struct waveform *waveform = NULL;
	struct diag diag;
	int rc;

	diag_init(&diag);
	rc = waveform_parse("fuzz.conf", (const char *)data, size, registry_here(), &overrides, &diag, &waveform);
	if (rc == 0) {
		insist(waveform && diag.errors == 0);
		waveform_check(waveform);
		waveform_free(waveform);
	} else {
		insist(!waveform && diag.errors > 0);
	}
	diag_fini(&diag);
	return 0;
}
