/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/shadow.h - the shadow run of a new build of an instance, in a process of its own
 * (daemons/common/shadow.h). It begins with a remap onto the same lanes (remap.c), which gives
 * rings to what the instance reads and writes; while the waveform stands, its host exports the
 * state.
 */
#ifndef DAEMONS_EXEC_SHADOW_H
#define DAEMONS_EXEC_SHADOW_H

#include "daemons/exec/exec.h"

/* shadow_new keeps, as wave->shadow_next, `program`, which has another build of wave->upgraded, for
 * the shadow run that the request asks for, and changes `rings`, a copy of the program that runs,
 * so that the shadow can read all that it needs. 0, or -errno with words. */
int shadow_new(struct exec_wave *wave, const struct wire_view *request, const void *program,
    size_t len, void *rings, char *ret_why, size_t size);
/* shadow_open starts its process, which reads the image that the waveform goes over to: 0, or
 * -errno with words. shadow_ready: 1, the new build is initialised; 0, not yet; negative, it never
 * will be, with words. */
int shadow_open(struct exec_wave *wave, char *ret_why, size_t size);
int shadow_ready(struct exec_wave *wave, char *ret_why, size_t size);
/* While the waveform stands: shadow_export asks the instance's host for its state, 0 or -errno;
 * shadow_exported: it has come. */
int shadow_export(struct exec_wave *wave);
void shadow_exported(struct exec_wave *wave, bool has_state);
/* shadow_go: wave->shadow_next begins, in the place of the one before; shadow_forget: it does
 * not. */
void shadow_go(struct exec_wave *wave);
void shadow_forget(struct exec_wave *wave);
/* shadow_leave ends a run early; its verdict stays. shadow_set does where a parameter of the
 * instance is set, which the shadow would not see. */
void shadow_leave(struct exec_wave *wave, const char *because);
void shadow_set(struct exec_wave *wave, uint32_t instance);
void shadow_drop(struct exec_wave *wave); /* nothing is known of it any more */
/* shadow_asked answers a request about the shadow run of the instance of that name; false: it is to
 * be carried out. shadow_dropped: OK to one that wants it dropped. */
bool shadow_asked(struct exec_wave *wave, const struct wire_view *request, const char *name);
void shadow_dropped(struct exec_wave *wave, const struct wire_view *request, const char *text);

#endif
