/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/set.h - SET: a parameter takes another value at one index.
 */
#ifndef DAEMONS_EXEC_SET_H
#define DAEMONS_EXEC_SET_H

#include "daemons/exec/exec.h"

void wave_set(struct exec_wave *wave, const struct wire_view *request);
void set_offered(struct exec_wave *wave, const struct hostlink_msg *msg); /* OFFERED, REFUSED */
void set_check(struct exec_wave *wave);

#endif
