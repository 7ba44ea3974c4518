/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/flight.h - the flight recorder: TRACE, and files that are written by themselves
 * around misses, at most one a second and 100 in all.
 */
#ifndef DAEMONS_EXEC_FLIGHT_H
#define DAEMONS_EXEC_FLIGHT_H

#include "daemons/exec/exec.h"

/* flight_trace answers TRACE: the file, or from now on files around misses. */
void flight_trace(struct exec_wave *wave, const struct wire_view *request);
/* flight_look is called after misses_take: a miss that is new gets a file, a little later, so that
 * what came of the miss is in it. flight_end writes what is due now, before the kernel's records
 * are given up; nothing is written after it. Both do nothing without a recorder. */
void flight_look(struct exec_wave *wave);
void flight_end(struct exec_wave *wave);

#endif
