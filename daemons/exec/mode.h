/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/mode.h - overrun = "mode": parameters take other values while slots are missed.
 */
#ifndef DAEMONS_EXEC_MODE_H
#define DAEMONS_EXEC_MODE_H

#include "daemons/exec/exec.h"

/* mode_enter sets what on_overrun names, at the next index; `since`: step + 1 of the miss that
 * counts; false if that cannot be now: a remap or the last change is under way. mode_leave sets
 * what was there before, or does nothing if that cannot be now. mode_tell logs and records the
 * indices once they are known. */
bool mode_enter(struct exec_wave *wave, uint64_t since);
void mode_leave(struct exec_wave *wave);
void mode_tell(struct exec_wave *wave);

#endif
