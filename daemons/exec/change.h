/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/exec/change.h - START, PAUSE, STEP, STOP and UNLOAD, by the order of a user or by force.
 */
#ifndef DAEMONS_EXEC_CHANGE_H
#define DAEMONS_EXEC_CHANGE_H

#include "daemons/exec/exec.h"

void wave_start(struct exec_wave *wave, const struct wire_view *request);
void wave_pause(struct exec_wave *wave, const struct wire_view *request);
void wave_step(struct exec_wave *wave, const struct wire_view *request);
void wave_stop(struct exec_wave *wave, const struct wire_view *request);
void wave_unload(struct exec_wave *wave, const struct wire_view *request);
/* answers a START that had been carried out too late: the waveform stands again */
void wave_start_late(struct exec_wave *wave);
/* goes on with the stop of a waveform that was to stand first */
void wave_halts_check(struct exec_wave *wave);

/* force.c: the hosts are killed, and whoever waits for something else is told so; the waveform is
 * ABNSTOP then, or gone. stopping_check aborts one that was told to stop (stopping_begin) and has
 * made no step for STILL_S. */
enum {
	STILL_S = 5,
	/* so long hosts have for what they still have to write, before they are killed */
	FINISH_S = 10,
};
bool is_forced(const struct wire_view *request);
void wave_stop_by_force(struct exec_wave *wave, const struct wire_view *request);
/* wave_stop_for stops it as it is; its hosts finish. */
void wave_stop_for(struct exec_wave *wave, const struct wire_view *request, const char *why);
void wave_unload_by_force(struct exec_wave *wave, const struct wire_view *request);
void stopping_begin(struct exec_wave *wave);
void stopping_check(struct exec_wave *wave);

#endif
