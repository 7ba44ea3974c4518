/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/end.h - how a waveform is stopped with a reason, and how it is given up.
 */
#ifndef DAEMONS_EXEC_END_H
#define DAEMONS_EXEC_END_H

#include "daemons/exec/exec.h"

__attribute__((format(printf, 2, 3))) void wave_abort(
    struct exec_wave *wave, const char *format, ...);
/* damage_check stops a waveform whose memory cannot be what its hosts wrote; `all`: every record
 * and message is looked at. */
void damage_check(struct exec_wave *wave, bool all);
void wave_free(struct exec_wave *wave);  /* entries freed, hosts killed, memory given back */
void remap_drop(struct exec_wave *wave); /* what there is of a remap, without a word to anybody */

#endif
