/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/prepare.h - PREPARE: from a program to a waveform that can be started.
 */
#ifndef DAEMONS_EXEC_PREPARE_H
#define DAEMONS_EXEC_PREPARE_H

#include "daemons/exec/exec.h"

void exec_prepare(struct exec *exec, const struct wire_view *request);
/* files, view */
int image_make(struct exec_wave *wave, const void *program, size_t len, char *ret_why, size_t size);
/* those of a waveform without instances */
int image_make_nothing(struct exec_wave *wave);
int wave_control_take(struct exec *exec, const char *name); /* a control block's index; -ENOSPC */

/* memory.c */
uint64_t memory_available(void); /* bytes that this node may still take */

#endif
