/* SPDX-License-Identifier: BSD-3-Clause
 *
 * force.c - the end of a waveform that does not end by itself.
 *
 *   STOP, UNLOAD       told to stop --> drains --> hosts finish --> STOP
 *                          | no step for STILL_S      | not within FINISH_S
 *                          '-------> ABNSTOP <--------'  hosts that have not finished are killed
 *   with FORCE         hosts are killed at once, in whatever state it is: ABNSTOP, or gone
 *   STOP with TEXT     stops as it is, for this reason: hosts finish --> ABNSTOP
 *
 * So nothing that hosts do, or do not do, keeps a waveform: neither one that is stopped (SIGSTOP)
 * nor one whose init, prepare or close never returns. Nobody waits for a host here; its death is
 * SIGKILL, which waits for nothing but the kernel. */
#include <string.h>

#include "core/base/clock.h"
#include "daemons/exec/change.h"
#include "daemons/exec/end.h"

#define SECONDS 1000000000ull

/* ---- one that was told to stop ---- */

static uint64_t moved(const struct exec_wave *wave)
{
	uint64_t sum = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);

		sum += atomic_load(&state->events) + atomic_load(&state->done);
	}
	return sum;
}

void stopping_begin(struct exec_wave *wave)
{
	wave->stopping = true;
	wave->stopping_sum = moved(wave);
	wave->moved_ns = clock_ns();
}

void stopping_check(struct exec_wave *wave)
{
	const uint64_t sum = wave->stopping ? moved(wave) : 0;

	if (!wave->stopping || wave->ended)
		return;
	if (sum != wave->stopping_sum) {
		wave->stopping_sum = sum;
		wave->moved_ns = clock_ns();
	} else if (clock_ns() > wave->moved_ns + STILL_S * SECONDS + 2 * wave->view.head->slot_ns) {
		wave_abort(wave,
		    "the waveform had to stop and made no step for %d s, because a host hangs or "
		    "input does not arrive; messages on their way are lost",
		    STILL_S);
	}
}

/* ---- by force ------------------------------------------------------------------------ */

bool is_forced(const struct wire_view *request)
{
	uint64_t force = 0;

	return wire_get_u64(request, WIRE_TAG_FORCE, &force) == 0 && force != 0;
}

/* Whoever waits for its end gets what it wants. */
static void overrule(struct exec_wave *wave, struct exec_pending *pending, enum wire_tag tag)
{
	struct wire_view request;
	const bool known =
	    pending->bytes != NULL && wire_decode(pending->bytes, pending->len, &request) == 0;
	const bool ends = known && (request.type == WIRE_STOP || request.type == WIRE_UNLOAD);

	wave_answer(wave, pending, tag, 0, 1, ends ? NULL : "the waveform was ended by force");
}

static void hosts_condemn(struct exec_wave *wave)
{
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (wave->hosts[h].process != NULL)
			process_condemn(wave->hosts[h].process,
			    "was killed, because another waveform in the same host was ended by "
			    "force");
	hosts_leave(wave, true);
}

/* The state that it has then is also what the manager hears, for its report. */
static void end_by_force(struct exec_wave *wave)
{
	remap_drop(wave);
	overrule(wave, &wave->pending, WIRE_TAG_SLOT);
	overrule(wave, &wave->set_pending, WIRE_TAG_INDEX);
	hosts_condemn(wave);
	if (wave->state != WAVE_LOADED)
		wave_abort(wave,
		    "the waveform was ended by force; its hosts were killed, and data that the "
		    "hosts had not written is lost");
}

void wave_stop_by_force(struct exec_wave *wave, const struct wire_view *request)
{
	struct exec *exec = wave->exec;

	if (!wave->drained)
		end_by_force(wave);
	if (!wave->drained && wave->state != WAVE_LOADED) {
		wave_later(&wave->pending, request, FINISH_S * SECONDS);
		wave_look_soon(wave);
		return;
	}
	if (wave->state == WAVE_LOADED)
		wave_free(wave);
	exec_ok(exec, request, WIRE_TAG_SLOT, 0);
}

void wave_stop_for(struct exec_wave *wave, const struct wire_view *request, const char *why)
{
	if (wave->drained || wave->state == WAVE_LOADED) {
		wave_stop_by_force(wave, request);
		return;
	}
	remap_drop(wave);
	overrule(wave, &wave->pending, WIRE_TAG_SLOT);
	overrule(wave, &wave->set_pending, WIRE_TAG_INDEX);
	wave_abort(wave, "%s", why);
	wave_later(&wave->pending, request, 2ull * FINISH_S * SECONDS);
	wave_look_soon(wave);
}

void wave_unload_by_force(struct exec_wave *wave, const struct wire_view *request)
{
	struct exec *exec = wave->exec;

	if (!wave->drained)
		end_by_force(wave);
	wave_free(wave);
	exec_ok(exec, request, WIRE_TAG_SLOT, 0);
}
