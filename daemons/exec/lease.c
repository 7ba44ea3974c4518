/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/lease.h"

#include <stdio.h>

#include "core/base/clock.h"
#include "core/cluster/loss.h"

enum { ANSWER_NS = 50000000 };

static bool leased(const struct exec_wave *wave)
{
	return wave->view.head->on_node_loss == IMAGE_LOSS_RESTART &&
	    wave->view.head->load_id != 0 && !wave->drained && wave->state != WAVE_ABNSTOP;
}

static uint64_t lease_ns(const struct exec_wave *wave)
{
	return wave->view.head->lease_ms * CLUSTER_MS;
}

static void hold(struct exec_wave *wave)
{
	char line[160];

	wave->held = true;
	wave->held_limit = atomic_load(&wave_control(wave)->limit);
	if (wave->started)
		wave_hold(wave);
	snprintf(line, sizeof(line),
	    "!the waveform was held: no word came from the manager for %u ms\n",
	    wave->view.head->lease_ms);
	wave_note(wave, line);
	keep_wave(wave);
	log_warning(&wave->exec->daemon.log,
	    "%s: no word from the manager for %u ms; the waveform is held until the manager lets "
	    "it go on",
	    wave->name, wave->view.head->lease_ms);
}

static uint32_t shortest_ms(const struct exec *exec)
{
	uint32_t shortest = 0;

	for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		if (leased(wave) && (shortest == 0 || wave->view.head->lease_ms < shortest))
			shortest = wave->view.head->lease_ms;
	return shortest;
}

/* What the frontend knows of word from the manager it says at once: ANSWER_NS is enough for that.
 * The frontend takes nothing before HELLO. */
static bool told(struct exec *exec)
{
	const uint32_t shortest = shortest_ms(exec);
	struct wire_msg msg;
	uint64_t word;

	if (shortest == exec->lease_ms && !exec->lease_untold)
		return true;
	if (!exec->daemon.greeted)
		return false;
	word = clock_ns() + ANSWER_NS; /* soon after the machine began that is less than a lease */
	word = word > shortest * CLUSTER_MS ? word - shortest * CLUSTER_MS : 0;
	if (exec->lease_ms == 0 && exec->word_ns < word)
		exec->word_ns = word;
	exec->lease_ms = shortest;
	exec->lease_untold = false;
	wire_init(&msg, WIRE_LEASE, WIRE_EXEC, WIRE_FRONTEND, bus_seq(exec->daemon.bus));
	wire_put_u64(&msg, WIRE_TAG_LEASE_MS, shortest);
	bus_send(exec->daemon.bus, &msg);
	return true;
}

uint64_t lease_look(struct exec *exec, uint64_t now)
{
	uint64_t due = told(exec) ? CLUSTER_NEVER : now + EXEC_LOOK_NS;

	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next) {
		const uint64_t end = cluster_lease_end(exec->word_ns, lease_ns(wave));

		if (!leased(wave) || wave->held || exec->lease_ms == 0)
			continue;
		if (end <= now)
			hold(wave);
		else if (end < due)
			due = end;
	}
	return due;
}

void lease_word(struct exec *exec, const struct wire_view *event)
{
	uint64_t word = 0;

	wire_get_u64(event, WIRE_TAG_WORD_NS, &word);
	if (word > exec->word_ns)
		exec->word_ns = word;
	for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		if (wave->held)
			wave_announce(wave, "HELD"); /* swman says whether it goes on */
}

void lease_forget(struct exec *exec)
{
	exec->lease_untold = true;
}

void lease_restore(struct exec_wave *wave)
{
	const uint64_t limit = atomic_load(&wave_control(wave)->limit);

	if (!leased(wave) || wave->state != WAVE_RUN || limit == IMAGE_FOREVER)
		return;
	wave->held = true;
	wave->held_limit = IMAGE_FOREVER;
}

void wave_go_on(struct exec_wave *wave, const struct wire_view *request)
{
	const uint64_t end = cluster_lease_end(wave->exec->word_ns, lease_ns(wave));
	uint64_t load_id = 0;

	wire_get_u64(request, WIRE_TAG_LOAD_ID, &load_id);
	if (load_id != wave->view.head->load_id) {
		exec_fail(wave->exec, request, 2,
		    "\"%s\" on this node is another load of the waveform", wave->name);
		return;
	}
	if (wave->held && end <= clock_ns()) {
		exec_fail(wave->exec, request, 1,
		    "\"%s\" is held, and there is no word from the manager yet", wave->name);
		return;
	}
	if (wave->held) {
		wave->held = false;
		wave_limit(wave, wave->held_limit);
		log_note(&wave->exec->daemon.log, "%s goes on", wave->name);
	}
	exec_ok(wave->exec, request, WIRE_TAG_SLOT, lanes_slot(wave));
}
