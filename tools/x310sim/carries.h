/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/x310sim/carries.h - what a port of the device cannot carry, said at the start: else a host
 * that asks for the device's largest packets sees silence.
 */
#ifndef TOOLS_X310SIM_CARRIES_H
#define TOOLS_X310SIM_CARRIES_H

#include "tools/x310sim/unit.h"

enum { CARRIES_NOTE = 320 };

/* carries_note writes what of the device's packets SFP `sfp` cannot carry, and what the host is to
 * do; "" where all pass, or nobody can tell. */
void carries_note(const struct unit_options *options, unsigned sfp, char ret[CARRIES_NOTE]);

#endif
