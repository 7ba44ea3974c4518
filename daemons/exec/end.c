/* SPDX-License-Identifier: BSD-3-Clause
 *
 * end.c - a waveform is stopped with a reason, or is given up with all that it has. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "daemons/exec/end.h"
#include "daemons/exec/shadow.h"
#include "daemons/exec/flight.h"
#include "daemons/exec/watch.h"

static void other_free(struct exec_wave *wave)
{
	if (wave->other == NULL)
		return;
	lanes_leave(wave->other);
	lanes_release(wave->other);
	wave_dispose(wave->other);
	wave->other = NULL;
}

void remap_drop(struct exec_wave *wave)
{
	loop_timer_stop(&wave->exec->daemon.loop, &wave->remap_timer);
	shadow_forget(wave);
	other_free(wave);
	wave->remap = REMAP_NONE;
}

void wave_abort(struct exec_wave *wave, const char *format, ...)
{
	va_list args;

	if (wave->state == WAVE_ABNSTOP)
		return;
	remap_drop(wave);
	va_start(args, format);
	vsnprintf(wave->reason, sizeof(wave->reason), format, args);
	va_end(args);
	for (size_t len = strlen(wave->reason); len > 0 && wave->reason[len - 1] == '\n'; len--)
		wave->reason[len - 1] = 0;
	keep_wave(wave); /* before the state, which is never seen without its reason */
	log_error(&wave->exec->daemon.log, "%s: stopped: %s", wave->name, wave->reason);
	wave_set_state(wave, WAVE_ABNSTOP);
	atomic_store(&wave_control(wave)->limit, 0);
	lanes_leave(wave);
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (wave->hosts[h].process == NULL)
			lanes_leave_host(wave, h);
	wave->progress_ns = clock_ns();
	hosts_finish(wave);
	shadow_leave(wave, "the waveform stopped");
}

static bool went_back(struct exec_wave *wave, struct image_damage *ret)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint64_t done = atomic_load(&image_segment_state(&wave->view, s)->done);

		if (done < wave->progress[s].done) {
			ret->host = IMAGE_NONE;
			snprintf(ret->what, sizeof(ret->what),
			    "the count of a segment's steps, which became smaller");
			return true;
		}
		wave->progress[s].done = done;
	}
	return false;
}

/* Nothing that its hosts do from here on would be worth anything: they are killed. */
void damage_check(struct exec_wave *wave, bool all)
{
	struct image_damage damage;
	char why[REASON_BYTES];

	if (!(all ? image_damage_all(&wave->view, &damage)
	          : image_damage_quick(&wave->view, &damage)) &&
	    !went_back(wave, &damage))
		return;
	blame_damage(wave, &damage, why, sizeof(why));
	hosts_kill(wave);
	wave_abort(wave, "%s", why);
	hosts_leave(wave, true);
}

void wave_free(struct exec_wave *wave)
{
	struct exec *exec = wave->exec;
	struct exec_wave **link = &exec->waves;

	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 1, "the waveform was unloaded");
	wave_answer(wave, &wave->set_pending, WIRE_TAG_INDEX, 0, 1, "the waveform was unloaded");
	loop_timer_stop(&exec->daemon.loop, &wave->look_timer);
	flight_end(wave);
	remap_drop(wave);
	shadow_drop(wave);
	lanes_leave(wave);
	hosts_leave(wave, false);
	lanes_release(wave);
	keep_wave_drop(wave);
	wave_announce(wave, "GONE");
	if (wave->control != IMAGE_NONE)
		atomic_store(&exec->node->control[wave->control].used, 0);
	while (*link != wave)
		link = &(*link)->next;
	*link = wave->next;
	wave_dispose(wave);
}
