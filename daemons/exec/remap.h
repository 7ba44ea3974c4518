/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/remap.h - REMAP: the same instances on other lanes.
 */
#ifndef DAEMONS_EXEC_REMAP_H
#define DAEMONS_EXEC_REMAP_H

#include "daemons/exec/exec.h"

void wave_remap(struct exec_wave *wave, const struct wire_view *request);
/* RING: the program that runs, with a ring of its own for an output. */
void wave_ring(struct exec_wave *wave, const struct wire_view *request);
/* UPGRADE: a program with another build of an instance; or of its shadow run (shadow.h) */
void wave_upgrade(struct exec_wave *wave, const struct wire_view *request);
/* remap_give_up abandons an upgrade that waits for its index; false: none does. */
bool remap_give_up(struct exec_wave *wave, const char *because);
/* REMAPPABLE, STUCK, IMPORTED, EXPORTED, SWITCHED, REMAINED */
void remap_answered(struct exec_host *host, const struct hostlink_msg *msg);
void remap_check(struct exec_wave *wave);
void remap_restore(
    struct exec_wave *wave); /* goes on with what an exec before this one was about */

#endif
