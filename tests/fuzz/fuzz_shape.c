/* SPDX-License-Identifier: BSD-3-Clause
 * core/waveform/shape: whatever a host answers - a component may have written over its memory - is
 * refused with at least one reason, or gives every port a size that a message can have. */
#include <stdlib.h>
#include <string.h>

#include "core/waveform/waveform.h"
#include "tests/common/types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] = "name = \"x\"; slot_ns = 1000000; instances: { source: { component = "
                           "\"source\"; length = 9; };mod: { component = \"mod\"; }; sink: { "
                           "component = \"sink\"; }; };links = ( \"source -> mod -> sink\" );";

static void insist(bool true_here)
{
	if (!true_here)
		abort();
}

static struct waveform *the_waveform(void)
{
	static struct registry *registry;
	static struct waveform *waveform;
	struct diag diag;

	diag_init(&diag);
	if (!registry)
		registry = test_registry_open();
	insist(registry != NULL);
	if (!waveform)
		insist(waveform_parse(
		           "x.conf", text, strlen(text), registry, NULL, &diag, &waveform) == 0);
	diag_fini(&diag);
	return waveform;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct waveform *waveform = the_waveform();
	char *answer = strndup((const char *)data, size);
	struct diag diag;
	int rc;

	diag_init(&diag);
	insist(answer != NULL);
	rc = waveform_shape_apply(waveform, answer, &diag);
	insist((rc == 0) == (diag.errors == 0));
	for (size_t i = 0; i < waveform->n_instances; i++) {
		insist(waveform->instances[i].in[0].max <= 1u << 24);
		insist(waveform->instances[i].out[0].max <= 1u << 24);
	}
	diag_fini(&diag);
	free(answer);
	return 0;
}
