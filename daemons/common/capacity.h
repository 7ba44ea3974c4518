/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/common/capacity.h - what this machine can do, measured once and kept: the rates of a core, the costs of a lane.
 */
#ifndef DAEMONS_COMMON_CAPACITY_H
#define DAEMONS_COMMON_CAPACITY_H

/* capacity_keep measures what is not kept yet in the state directory (core/report/local.h): half a second at most on a quiet
 * machine, and nothing the next time. 0, or -errno: without it plans have guesses. */
int capacity_keep(const char *state);

#endif
