/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/where.h - on which lanes an instance may run: its component is built for them, and they
 * are on its node.
 *
 * An instance is on the node that the file gives it (`node`). One with a path, and without `node`,
 * is on the node from which the waveform is loaded, for its path is there. All others may be on any
 * node, and so may all instances where the platform is this machine.
 */
#ifndef ALOE_MAP_WHERE_H
#define ALOE_MAP_WHERE_H

#include "core/map/resources.h"

/* where_runs: the instance may run on this lane. where_not says why it may not, "" if it may. */
bool where_runs(const struct resources *resources, size_t lane, const struct wf_instance *instance);
void where_not(const struct resources *resources, size_t lane, const struct wf_instance *instance,
    char *ret_text, size_t size);

/* where_nodes refuses instances whose node there is not, or has no lane, or not that of their pin;
 * where_builds those whose component has a build for none of their lanes. 0, or -EINVAL with all of
 * them in diag. */
int where_nodes(
    const struct resources *resources, const struct waveform *waveform, struct diag *diag);
int where_builds(
    const struct resources *resources, const struct waveform *waveform, struct diag *diag);

#endif
