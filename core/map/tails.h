/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/tails.h - how far beyond the waveform's last index an instance runs on, so that the last
 * message goes through.
 *
 * Sources work on no index beyond the last. Every other instance runs on for the largest of what
 * its links bring, the writer's own run-on and the link's declared delay, and then for its own tail
 * (struct aloe_component). A link with a delay that lies on a cycle brings nothing more: what goes
 * round has no last message.
 *
 * 	source -> segment (tail 3) -> mux -> sink                     0, 3, 3, 3
 * 	source -> segment (tail 3) -> join, source -> join delay 5    join: max(3, 5) = 5
 *
 * Where messages of several sources meet in an instance, each of them is needed for as long as one
 * of the others is on its way in parts. So a source's message holds the run for its index and for
 * the tails between the source and the last meeting, but never beyond the source's own period: the
 * source of a TTI of four radio frames holds 4, a source of period 1 holds 1, and so does one whose
 * messages meet no others. The run ends when no message that was begun holds it any more.
 *
 * The last index is known where a source ends; sources of one node stay within one step of each
 * other, so that none goes beyond. Between nodes such a step would take as long as word of it
 * takes, there and back; there sources go on, and what they sent beyond the last index must change
 * nothing that anybody sees. So a sink, an I/O component, and whatever runs on behind the last
 * index wait at index k until all sources have done index k - 1: then they know whether that was
 * the last. What does not run on need not wait, for nobody reads what it makes beyond the last
 * index.
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

/* tails_find writes the run-on and the holds of each instance: the same for any mapping. 0 or
 * -ENOMEM. */
int tails_find(const struct waveform *waveform, struct tail *ret);

#endif
