/* SPDX-License-Identifier: BSD-3-Clause
 *
 * platforms/x310/examine.h - the driver's answers to `aloe doctor --radio`: the way to each device
 * before it is opened, and what an open one says of itself. platforms/x310/README.md says what each
 * answer means.
 *
 * 	x310_examine   route, link, mtu, firmware, frame      over the kernel alone: a port of DPDK
 *                                                             is seen when it is opened
 * 	x310_tell      fpga, time
 */
#ifndef PLATFORMS_X310_EXAMINE_H
#define PLATFORMS_X310_EXAMINE_H

#include "core/platform/radio.h"

void x310_examine(
    const void *const *settings, uint32_t n, struct radio_look *look, struct radio_use *ret_use);
void x310_tell(struct radio *radio, struct radio_look *look);

#endif
