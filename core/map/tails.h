/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/tails.h - for how many indices after the last index of the waveform an instance is
 * called, so that the last message passes through the waveform (run-on).
 *
 * No source works on an index after the last. The run-on of any other instance is the largest, over
 * its links, of the writer's run-on plus the declared delay of the link; the instance's own tail
 * (struct aloe_component) is added. A link with a delay that lies on a cycle does not count: a
 * cycle has no last message.
 *
 * 	source -> segment (tail 3) -> mux -> sink                     0, 3, 3, 3
 * 	source -> segment (tail 3) -> join, source -> join delay 5    join: max(3, 5) = 5
 *
 * If messages of several sources meet in an instance, each message is needed as long as parts of
 * the others are on their way. So the message of a source holds the run for its index and for the
 * tails between the source and the last meeting, but at most for the period of the source: the
 * source of a TTI of four radio frames holds 4; a source of period 1, or a source whose messages
 * meet no others, holds 1. The run ends when no message that was begun holds the run.
 *
 * The last index is known when a source ends. Sources of one node stay within one step of each
 * other, so no source goes beyond the last index; those in several places never end, and go up to
 * 128 steps and their places apart unless something behind a source may end. Between nodes such a
 * step would take as long as a message there and back. There sources go on, and their messages
 * after the last index must have no visible effect. So a sink, an I/O component, and every
 * instance with a run-on wait at index k until all sources have done index k - 1; then they know
 * whether k - 1 was the last index. An instance without a run-on need not wait, because nobody
 * reads its messages after the last index.
 */
#ifndef ALOE_MAP_TAILS_H
#define ALOE_MAP_TAILS_H

#include "core/waveform/waveform.h"

enum { TAILS_RUN_ON_MAX = 1 << 30 };

struct tail {
	uint32_t run_on; /* at most TAILS_RUN_ON_MAX */
	uint32_t holds;  /* of a source, at most its period; else 1 */
	bool source;     /* has no connected input */
	bool waits;      /* see above; not for a source */
};

/* tails_find writes the run-on and the holds of each instance, which do not depend on the mapping.
 * Returns 0 or -ENOMEM. */
int tails_find(const struct waveform *waveform, struct tail *ret);

#endif
