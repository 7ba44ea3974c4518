/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/clock.h - the time by which the nodes of a platform count slots, on this node.
 *
 * It is CLOCK_TAI, or, where the bridge says that this node follows another one, the time of that
 * node as the bridge has measured it. The node image has its epoch; slot n of every time base of a
 * clock begins at n slot lengths. Where the clock is set (or is too far from the node that it
 * follows), the lanes stand for a moment while the slots get their new numbers and edges: under
 * slip a waveform goes on with its next step, under skip it is stopped, because its steps are those
 * of its slots.
 */
#ifndef DAEMONS_EXEC_CLOCK_H
#define DAEMONS_EXEC_CLOCK_H

#include "core/json/json.h"
#include "daemons/exec/exec.h"

/* clock_ready: the node image is there, as new or as an earlier exec has left it. It begins to
 * watch the clock of a node of a platform. */
void clock_ready(struct exec *exec);
void clock_close(struct exec *exec);
/* clock_offsets takes what the bridge has measured. */
void clock_offsets(struct exec *exec, const struct wire_view *view);

/* clock_fits: false where a waveform that skips is on several nodes whose clocks differ by too
 * much, or by nobody knows how much: then why is written. */
bool clock_fits(const struct exec_wave *wave, char *ret_why, size_t size);

/* clock_report gives the field `clocks` of a report; NULL without a platform. */
json_t *clock_report(const struct exec *exec);

#endif
