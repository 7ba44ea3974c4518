/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/watch.h - what is looked after: faults, ends, limits, hangs, and who is to blame.
 */
#ifndef DAEMONS_EXEC_WATCH_H
#define DAEMONS_EXEC_WATCH_H

#include "core/image/damage.h"
#include "daemons/exec/exec.h"

/* exec_look looks at everything: when somebody has rung, has asked or has answered, and when
 * something is due. It starts the timer for what is due next; where nothing is, exec sleeps. */
void exec_look(void *self);
void wave_look(void *wave); /* for what is pending; started by wave_look_soon */

/* blame.c: what is to be said of the fault that `instance` has met, as the waveform image tells
 * it. */
void blame_fault(const struct exec_wave *wave, uint32_t instance, char *ret, size_t size);
/* blame_call says whose call it is in which `instance` is at work: `instance "a"`, or those that
 * this call serves; with the name of their component, if it is not NULL. */
enum { BLAME_CALL_BYTES = 480 };
void blame_call(const struct image_view *view, uint32_t instance, const char *component, char *ret,
    size_t size);
void blame_damage(
    const struct exec_wave *wave, const struct image_damage *damage, char *ret, size_t size);

/* overrun.c */
void overrun_check(struct exec_wave *wave);

/* findings.c */
void findings_check(struct exec *exec);

#endif
