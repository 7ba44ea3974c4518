/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/map/radios.h - on which node of a platform the radio is that is the clock of a waveform.
 *
 * All instances of such a waveform are on one lane, so they are on that node. A device is on the
 * node whose entry names it (`radios`, by the name that the driver claims it by). A radio whose
 * settings are paths is on the node from which the waveform is loaded, as any other path is.
 */
#ifndef ALOE_MAP_RADIOS_H
#define ALOE_MAP_RADIOS_H

#include "core/map/resources.h"

/* radios_core gives the first core of that node, by its place in the platform; 0 where nothing says
 * which node it is. -EINVAL with the reason in diag: no node or two nodes name the radio, or radios
 * are on two nodes. */
int radios_core(const struct waveform *waveform, const struct platform_model *platform,
    struct diag *diag, size_t *ret_core);

#endif
