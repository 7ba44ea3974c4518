/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/replay.h - changes of parameters, each at the index at which it was recorded.
 */
#ifndef TOOLS_ALOE_REPLAY_H
#define TOOLS_ALOE_REPLAY_H

#include "tools/aloe/client.h"
#include "tools/aloe/recording.h"

/* So many wait for their index at most, which is less than a waveform can hold. */
enum { REPLAY_SETS_MAX = 24 };

struct replay_sets {
	const json_t *sets; /* of the recording */
	/* instances that do not run: what was set of them is in what was recorded of them */
	const struct waveform *waveform;
	const bool *left_out;
	uint64_t slots;
};

/* replay_sets_send is a run_hook: it sends as many changes as the waveform can hold, lets it run up
 * to the first that is left, and so on. `self` is a struct replay_sets. An exit status. */
int replay_sets_send(void *self, struct client *client, const char *waveform);

#endif
