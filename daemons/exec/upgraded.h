/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/upgraded.h - which instance an upgrade or a shadow run is of, and what is to be said
 * of it.
 */
#ifndef DAEMONS_EXEC_UPGRADED_H
#define DAEMONS_EXEC_UPGRADED_H

#include "daemons/exec/exec.h"

uint32_t upgraded_find(const struct exec_wave *wave, const char *name); /* IMAGE_NONE: none */
const char *upgraded_name(const struct exec_wave *wave);
const char *upgraded_word(const struct exec_wave *wave); /* "upgraded" or "remapped" */
/* upgraded_waits: changes of parameters wait for their index. */
bool upgraded_waits(const struct exec_wave *wave);
/* upgraded_missed tells, with words, that the waveform stands at another index than asked for. */
bool upgraded_missed(const struct exec_wave *wave, char *ret_why, size_t size);
/* upgraded_late: why PREPARES has not ended in time. upgraded_hangs: why hosts were killed, which
 * had not returned from exports, imports or a remap within so many seconds. */
void upgraded_late(const struct exec_wave *wave, char *ret_why, size_t size);
void upgraded_hangs(const struct exec_wave *wave, unsigned seconds, char *ret_why, size_t size);

#endif
