/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/admission.h - does a mapped waveform fit, and what is nearest to it that would.
 *
 * On every lane: T_base + T_noise + hand-overs + sum of (need + T_module) + what was admitted
 * before <= T x (1 - margin); need as in core/map/costs.h; on every link between nodes: what
 * crosses <= its bandwidth in a slot; on every node: link buffers <= its memory, if known. A lane
 * on which costs are guessed is refused only if what is known does not fit; else it is told in a
 * note.
 */
#ifndef ALOE_MAP_ADMISSION_H
#define ALOE_MAP_ADMISSION_H

#include "core/map/costs.h"
#include "core/map/plan.h"
#include "core/map/resources.h"

/* admission_write fills in the plan's lanes, budgets and starts. */
void admission_write(const struct waveform *waveform, const struct resources *resources,
    const struct cost *costs, struct plan *plan);

/* admission_check: 0, or -EINVAL with the reasons in numbers in diag. */
int admission_check(const struct waveform *waveform, const struct resources *resources,
    const struct plan_options *options, const struct plan *plan, struct diag *diag);

/* admission_kbit gives what crosses each pool of the resources, kbit in a slot; the caller frees
 * it. NULL: no memory. */
double *admission_kbit(
    const struct waveform *waveform, const struct resources *resources, const struct plan *plan);

#endif
