/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/waveform/shape.h - how the sizes of messages are found, and what the two sides say.
 *
 * Sizes come from the components' own `shape`, and components are opened by a host only. So
 * waveform_shape starts `aloe-host --shape`, which reads one request from its standard input:
 *
 * 	{"schema": 3, "slot_ns": 1000000, "slot_samples": 0,
 *          "kinds": [{"component": "bpsk_mod", "path": "/.../bpsk_mod.so",
 *                     "digest": "89abcdef01234567", "params": [2, null, "text", [1.0, 0.5]],
 *                     "in": ["bit"], "out": ["cf32"]}, ...],
 *          "instances": ["mod", ...], "of": [0, ...],
 * 	 "links": [[0, 1], [0, 2, 1, 0, 77], ...]}
 *
 * (params by position, null where not set; types null where not connected; `of` is the kind of each
 * instance; links are from, to, output, input, items, without zeros at the end) and prints a line
 * `# CALL of INSTANCE` before each call into a component, so that a crash has a name ("open" before
 * the first instance of a kind), and then
 *
 *         {"schema": 3, "sizes": [{"in": [1000], "out": [1000], "tail": 0}, ...],
 *          "max": [0, ...], "notes": [[1, "text"], ...], "errors": [[1, "text"], ...]}
 *
 * where max says of each instance which sizes it has, and tail is how many indices after a message
 * the instance may still send items of it. Notes and errors begin with the number of the instance,
 * -1 if it is about none. Components are many times fewer than instances, and so are sizes: what
 * instances have in common is said once, but check and shape are called for each of them.
 */
#ifndef ALOE_WAVEFORM_SHAPE_H
#define ALOE_WAVEFORM_SHAPE_H

#include "core/waveform/waveform.h"

enum {
	SHAPE_SCHEMA = 3,
	SHAPE_QUIET_MS = 30000, /* a host that says nothing for so long is given up */
	SHAPE_ANSWER_BYTES_MAX = 16 << 20
};

/* waveform_shape_within is waveform_shape with another patience than SHAPE_QUIET_MS. */
int waveform_shape_within(
    struct waveform *waveform, const char *host, int quiet_ms, struct diag *diag);

/* What was asked of the components of a waveform, and their answer; all zero: nothing yet. End with
 * shape_kept_fini. */
struct shape_kept {
	char *request, *answer;
};
void shape_kept_fini(struct shape_kept *kept);

/* waveform_shape_again is waveform_shape for a waveform that is loaded: what was asked before is
 * not asked again, for sizes that are in force cannot change. */
int waveform_shape_again(
    struct waveform *waveform, const char *host, struct shape_kept *kept, struct diag *diag);

/* waveform_shape_answer is the host's side: JSON in, JSON out (the caller frees it); opens the
 * components named. `progress` (may be NULL) is called before each call into a component: `call` is
 * "open", "check" or "shape". */
char *waveform_shape_answer(const char *request,
    void (*progress)(void *context, const char *call, const char *instance), void *context);

#endif
