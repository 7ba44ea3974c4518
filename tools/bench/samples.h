/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/samples.h - single calls of a waveform that a run is just now at, out of its event
 * rings.
 *
 * 	struct samples samples = {.waveform = "chain", .wanted = 50000};
 * 	const struct watcher watcher = {samples_look, &samples};
 * 	run_watched(..., &watcher, ...);
 * 	... samples.events ...
 * 	samples_fini(&samples);
 */
#ifndef TOOLS_BENCH_SAMPLES_H
#define TOOLS_BENCH_SAMPLES_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/image/state.h"
#include "tools/aloe/client.h"

struct samples {
	const char *waveform;
	size_t wanted;
	struct client client; /* of the run's node, once there is one */
	uint64_t cursor;
	struct image_event *events; /* instances by their number in the file */
	size_t n;
	unsigned looks;
};

/* samples_look is the look of a struct watcher: true when there are as many as wanted, or after so
 * many looks that no more are to be hoped for (a node that is busy with other things). */
bool samples_look(void *self, pid_t run);
void samples_fini(struct samples *samples);

/* samples_distances gives the times from the start of each of the instances first .. last - 1 to
 * that of the one after it in the same step, in ns: how many; the caller frees *ret. */
size_t samples_distances(struct samples *samples, uint32_t first, uint32_t last, double **ret);

#endif
