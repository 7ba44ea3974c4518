/* SPDX-License-Identifier: BSD-3-Clause
 *
 * remap.c - a waveform goes to other lanes while it runs, at one step for all its segments.
 *
 *   PREPARES  another image, entries on the lanes, tables in the hosts; nothing of what runs has
 *             changed, all can be refused
 *   HALTS     `limit` is the step at which all segments stand, as in PAUSE; other waveforms go on
 *   IMPORTS   of an upgrade, which is a remap to a program with other builds of instances: the new
 *             builds take over from the old ones (daemons/host/upgrade.c), or refuse to
 *   SWITCHES  counters, values and messages are carried over (core/image/follow.h), the frontend is
 *             told, and each host that it is so. From here on it is the other image that counts,
 *             also for an exec that comes after this one
 *   RETURNS   given up in IMPORTS, or so left by an exec before this one: no step begins before all
 *             hosts have said that none of them exports or imports any more
 *
 * then steps begin again. `other` is what it comes to, in SWITCHES what it came from. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/image/follow.h"
#include "core/tap/tap.h"
#include "daemons/exec/end.h"
#include "daemons/exec/misses.h"
#include "daemons/exec/prepare.h"
#include "daemons/exec/remap.h"
#include "daemons/exec/shadow.h"
#include "daemons/exec/spent.h"
#include "daemons/exec/upgraded.h"

enum { LOOK_NS = 100000, HALT_S = 10, IMPORT_S = 2, SHADOW_LOOK_NS = 1000000, HEAR_NS = 500000 };

/* ---- PREPARES ------------------------------------------------------------------------ */

/* other_new gives the wave another image and tables, of a program that is the caller's and is
 * changed to fit. */
static int other_new(struct exec_wave *wave, void *program, size_t len, char *ret_why, size_t size)
{
	struct exec_wave *other;
	const char *unsound;
	int status;

	if (image_check(program, len, &unsound) != 0) {
		snprintf(ret_why, size, "the program is not sound: %s", unsound);
		return -EBADMSG;
	}
	status = image_follows(&wave->view, program, wave->upgrades, ret_why, size);
	if (status != 0)
		return status;
	status = image_fit(&wave->view, program);
	other = status == 0 ? wave_new(wave->exec, wave->name) : NULL;
	if (other == NULL) {
		snprintf(
		    ret_why, size, "there is no memory for the tables, or a delay is too long");
		return status != 0 ? status : -ENOMEM;
	}
	other->follows = wave;
	other->control = wave->control;
	wave->other = other;
	status = image_make(other, program, len, ret_why, size);
	return status != 0 ? status : wave_tables(other);
}

static int other_place(struct exec_wave *wave, char *ret_why, size_t size)
{
	struct exec_wave *other = wave->other;
	int status;

	for (uint32_t h = 0; h < other->n_hosts; h++)
		other->hosts[h].process = wave->hosts[h].process;
	status = lanes_take(other, ret_why, size);
	if (status != 0)
		return status;
	other->remap_number = wave->remap_number = clock_ns();
	return hosts_attach(other, HOSTLINK_REMAP, ret_why, size);
}

static void hosts_command(struct exec_wave *wave, enum hostlink_type type)
{
	const struct hostlink_msg msg = {
	    .type = type, .control = wave->control, .sequence = wave->remap_number};

	for (uint32_t h = 0; h < wave->n_hosts; h++)
		if (wave->hosts[h].process != NULL)
			process_send(wave->hosts[h].process, &msg, NULL, 0);
}

/* Time for every lane to hear of it. */
static uint64_t remap_margin(const struct exec_wave *wave)
{
	return wave->view.head->clock == IMAGE_TIMER ? 2 + HEAR_NS / wave->view.head->slot_ns : 0;
}

static uint32_t hosts_here(const struct exec_wave *wave)
{
	uint32_t n = 0;

	for (uint32_t h = 0; h < wave->n_hosts; h++)
		n += wave->hosts[h].process != NULL;
	return n;
}

/* The limit ends with the remap; the waveform runs on from where it stands, if it does, or is about
 * to. */
static void remap_go_on(struct exec_wave *wave)
{
	const uint64_t limit = atomic_load(&wave_control(wave)->limit);

	if (wave->state != WAVE_RUN)
		return;
	if (wave_steps_begun(wave) + wave_margin(wave) < limit)
		wave_limit(wave, IMAGE_FOREVER);
	else
		wave_run(wave, IMAGE_FOREVER, remap_margin(wave));
}

static void remap_returns(struct exec_wave *wave, uint64_t limit_s)
{
	wave->remap = REMAP_RETURNS;
	wave->remap_answers = 0;
	wave->pending.until_ns = clock_ns() + limit_s * 1000000000ull;
	hosts_command(wave, HOSTLINK_REMAIN);
}

static void remap_returned(struct exec_wave *wave)
{
	if (++wave->remap_answers < hosts_here(wave))
		return;
	remap_go_on(wave);
	wave->remap = REMAP_NONE;
	keep_wave(wave);
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, wave->return_code, wave->import_text);
}

/* All is as it was; if it stood already, it goes on, but not before hosts have let go of the state
 * of what runs. */
static void remap_abandon(struct exec_wave *wave, int code, const char *why)
{
	if (wave->remap == REMAP_IMPORTS) {
		remap_drop(wave);
		wave->return_code = code;
		snprintf(wave->import_text, sizeof(wave->import_text), "%s", why);
		remap_returns(wave, IMPORT_S);
		return;
	}
	hosts_command(wave, HOSTLINK_REMAIN);
	if (wave->remap == REMAP_HALTS)
		remap_go_on(wave);
	remap_drop(wave);
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, code, why);
}

bool remap_give_up(struct exec_wave *wave, const char *because)
{
	char why[200];

	if (!wave_waits(wave))
		return false;
	snprintf(why, sizeof(why), "the upgrade at index %llu was abandoned: %s",
	    (unsigned long long)wave->upgrade_at, because);
	remap_abandon(wave, 1, why);
	return true;
}

static bool wave_spreads(const struct exec_wave *wave)
{
	for (uint32_t i = 0; i < wave->view.head->instances.count; i++)
		if (wave->view.instances[i].places > 1)
			return true;
	return false;
}

static bool may_remap(struct exec_wave *wave, const struct wire_view *request)
{
	const char *what = request->type == WIRE_UPGRADE ? "be upgraded"
	    : request->type == WIRE_RING                 ? "get a ring"
	                                                 : "be remapped";

	if (!wave_can(wave, request, 1u << WAVE_INIT | 1u << WAVE_RUN | 1u << WAVE_PAUSE, what))
		return false;
	wave->upgrades = wave->shadows = false;
	wave->upgraded = IMAGE_NONE;
	wave->upgrade_at = IMAGE_FOREVER;
	if (wave->ended)
		exec_fail(
		    wave->exec, request, 1, "\"%s\" is ending and cannot %s", wave->name, what);
	else if (wave->view.node != IMAGE_NONE)
		exec_fail(wave->exec, request, 2,
		    "\"%s\" runs on several nodes, and one node alone cannot remap its part; "
		    "unload the waveform and load the waveform again",
		    wave->name);
	else if (wave->deaf)
		exec_fail(wave->exec, request, 1,
		    "a host of \"%s\" has not returned from init of a new build and takes no "
		    "orders; end the waveform with aloe unload --force %s",
		    wave->name, wave->name);
	else if (wave_spreads(wave))
		exec_fail(wave->exec, request, 2,
		    "\"%s\" has an instance with replicas, which keep their lanes, rings and "
		    "builds; unload the waveform and load it again (an output that is to "
		    "be read: --tap)",
		    wave->name);
	else if (wave->offered.sequence != 0)
		exec_fail(wave->exec, request, 1,
		    "\"%s\" is preparing an array; try again when the array is set", wave->name);
	else
		return true;
	return false;
}

/* `program` is the caller's, aligned, and is changed to fit; NULL: no memory. */
static void remap_prepare(
    struct exec_wave *wave, const struct wire_view *request, void *program, size_t len)
{
	char why[512] = "aloe-exec has no memory";

	wave->remap = REMAP_PREPARES;
	wave->remap_answers = 0;
	if (program == NULL || other_new(wave, program, len, why, sizeof(why)) != 0 ||
	    other_place(wave, why, sizeof(why)) != 0 ||
	    (wave->shadows && shadow_open(wave, why, sizeof(why)) != 0)) {
		remap_abandon(wave, 2, why); /* nobody waits yet */
		exec_fail(wave->exec, request, 2, "\"%s\" cannot be %s: %s", wave->name,
		    upgraded_word(wave), why);
	} else {
		wave_later(&wave->pending, request, PREPARE_S * (uint64_t)1000000000);
	}
}

static void *program_copy(const void *program, size_t len)
{
	void *copy = aligned_alloc(64, (len + 63) & ~(size_t)63);

	if (copy != NULL)
		memcpy(copy, program, len);
	return copy;
}

void wave_remap(struct exec_wave *wave, const struct wire_view *request)
{
	const void *program;
	void *copy;
	size_t len;

	if (!may_remap(wave, request))
		return;
	if (wire_get_bytes(request, WIRE_TAG_PROGRAM, 0, &program, &len) != 0) {
		exec_fail(wave->exec, request, 2, "REMAP without a program");
		return;
	}
	copy = program_copy(program, len);
	remap_prepare(wave, request, copy, len);
	free(copy);
}

/* Where a ring has to be asked for at load. */
static bool may_ring(struct exec_wave *wave, const struct wire_view *request, const char *name)
{
	const bool radio = wave->view.head->clock == IMAGE_RADIO;

	if (radio || wave->view.node != IMAGE_NONE) {
		exec_fail(wave->exec, request, 2,
		    "\"%s\" %s, so an output cannot get a ring while the waveform is loaded; load "
		    "the waveform with --tap %s",
		    wave->name, radio ? "has a radio as its clock" : "runs on several nodes", name);
		return false;
	}
	return may_remap(wave, request);
}

void wave_ring(struct exec_wave *wave, const struct wire_view *request)
{
	char *name = wire_get_text(request, WIRE_TAG_NAME, 0);
	const size_t len = wave->view.head->static_bytes;
	uint64_t keep = 0;
	uint32_t buffer;
	void *copy;

	if (name == NULL || wire_get_u64(request, WIRE_TAG_COUNT, &keep) != 0 || keep == 0 ||
	    keep > IMAGE_TAP_MAX || tap_find(&wave->view, name, &buffer) != 0) {
		exec_fail(wave->exec, request, 2,
		    "RING needs the name of an output and 1 to %d messages", IMAGE_TAP_MAX);
	} else if (may_ring(wave, request, name)) {
		copy = program_copy(wave->view.program, len);
		if (copy != NULL && image_ring(copy, buffer, (uint32_t)keep) == 0)
			remap_prepare(wave, request, copy, len);
		else
			exec_fail(wave->exec, request, 1, "aloe-exec has no memory");
		free(copy);
	}
	free(name);
}

/* ---- UPGRADE ------------------------------------------------------------------------ */

/* A waiting upgrade of that instance is dropped, as a shadow run is. */
static bool upgrade_dropped(
    struct exec_wave *wave, const struct wire_view *request, const char *name)
{
	char *state = wire_get_text(request, WIRE_TAG_STATE, 0), text[120];
	const bool drops = state != NULL && strcmp(state, "drop") == 0 && name != NULL &&
	    wave_waits(wave) && strcmp(upgraded_name(wave), name) == 0;

	free(state);
	if (!drops)
		return false;
	snprintf(text, sizeof(text), "the upgrade that waited for index %llu is abandoned",
	    (unsigned long long)wave->upgrade_at);
	remap_give_up(wave, "a rollback was asked for");
	shadow_dropped(wave, request, text);
	return true;
}

static bool may_upgrade(struct exec_wave *wave, const struct wire_view *request)
{
	if (!may_remap(wave, request))
		return false;
	if (upgraded_waits(wave))
		exec_fail(wave->exec, request, 1,
		    "changes of \"%s\" wait for their index, and belong to the build that runs; "
		    "try again later",
		    wave->name);
	else if (image_text(&wave->view, wave->view.head->record)[0] != 0)
		exec_fail(wave->exec, request, 2,
		    "\"%s\" is being recorded, and a recording has one build of each instance; "
		    "upgrade a waveform that is not recorded",
		    wave->name);
	else
		return true;
	return false;
}

/* The program that runs, with rings for all that the instance reads and writes: the shadow run
 * begins when the waveform has gone over to it. */
static void shadow_ring(
    struct exec_wave *wave, const struct wire_view *request, const void *program, size_t len)
{
	void *copy = program_copy(wave->view.program, wave->view.head->static_bytes);
	char why[512] = "aloe-exec has no memory";

	if (copy == NULL || shadow_new(wave, request, program, len, copy, why, sizeof(why)) != 0) {
		exec_fail(
		    wave->exec, request, 2, "\"%s\" cannot have a shadow run: %s", wave->name, why);
	} else {
		wave->shadows = true;
		remap_prepare(wave, request, copy, wave->view.head->static_bytes);
	}
	free(copy);
}

static void upgrade_prepare(
    struct exec_wave *wave, const struct wire_view *request, void *program, size_t len, bool shadow)
{
	if (shadow) {
		shadow_ring(wave, request, program, len);
		return;
	}
	wave->upgrades = true;
	wire_get_u64(request, WIRE_TAG_INDEX, &wave->upgrade_at);
	remap_prepare(wave, request, program, len);
}

void wave_upgrade(struct exec_wave *wave, const struct wire_view *request)
{
	char *name = wire_get_text(request, WIRE_TAG_NAME, 0);
	const void *program = NULL;
	uint32_t instance;
	uint64_t slots;
	size_t len = 0;
	void *copy;

	if (upgrade_dropped(wave, request, name) || shadow_asked(wave, request, name)) {
		free(name);
		return;
	}
	instance = name != NULL ? upgraded_find(wave, name) : IMAGE_NONE;
	if (instance == IMAGE_NONE ||
	    wire_get_bytes(request, WIRE_TAG_PROGRAM, 0, &program, &len) != 0) {
		exec_fail(wave->exec, request, 2, "UPGRADE needs an instance and a program");
	} else if (may_upgrade(wave, request)) {
		wave->upgraded = instance;
		copy = program_copy(program, len);
		if (copy != NULL)
			upgrade_prepare(wave, request, copy, len,
			    wire_get_u64(request, WIRE_TAG_SLOTS, &slots) == 0);
		else
			exec_fail(wave->exec, request, 1, "aloe-exec has no memory");
		free(copy);
	}
	free(name);
}

/* ---- SWITCHES ------------------------------------------------------------------------ */

static uint64_t last_slot(const struct exec_wave *wave)
{
	const uint64_t steps = wave_steps_max(wave);
	uint64_t last = 0;

	for (uint32_t s = 0; s < wave->view.head->segments.count && steps > 0; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);
		const uint64_t slot = atomic_load(&state->slot[(steps - 1) % IMAGE_STEPS]);

		last = slot > last ? slot : last;
	}
	return last;
}

static int wave_carry(struct exec_wave *wave, uint64_t *ret_step)
{
	struct image_view after;
	int status = image_open(&wave->other->files, true, &after);

	if (status != 0)
		return status;
	status = image_carry(&wave->view, &after, ret_step);
	image_close(&after);
	return status;
}

static void waves_exchange(struct exec_wave *wave)
{
	struct exec_wave *other = wave->other;
	const struct exec_wave before = *wave;

	misses_take(wave); /* what the segments of now have written */
	wave->files = other->files;
	wave->view = other->view;
	wave->places = other->places;
	wave->progress = other->progress;
	other->files = before.files;
	other->view = before.view;
	other->places = before.places;
	other->progress = before.progress;
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		wave->progress[s].misses =
		    atomic_load(&image_segment_state(&wave->view, s)->misses);
	misses_read_note(wave);
	free(wave->spents); /* they are of the lanes of then */
	wave->spents = NULL;
}

/* Threads that have no lane obey `limit` alone, those of the tables before as well as those of the
 * tables after, which begin with `step`: neither may run until all hosts have gone over. `step` is
 * beyond where the first stand if instances rest there since the last remap (their `first`). */
static void threads_hold(struct exec_wave *wave, uint64_t step)
{
	const uint64_t limit = atomic_load(&wave_control(wave)->limit);

	wave_limit(wave, step < limit ? step : limit);
}

static void remap_switch(struct exec_wave *wave)
{
	uint64_t step;

	wave->remap_latency = wave->view.head->latency_slots;
	wave->remap_slot = last_slot(wave);
	if (wave->upgrades || wave->shadows)
		wave->upgrade_at = image_next_index(&wave->view, wave->upgraded);
	if (wave_carry(wave, &step) != 0) {
		remap_abandon(wave, 1,
		    "the new lanes have no room for messages that are on their way; the waveform "
		    "goes on as before; try again");
		return;
	}
	waves_exchange(wave);
	wave->remap = REMAP_SWITCHES;
	wave->remap_answers = 0;
	wave->pending.until_ns = clock_ns() + HALT_S * 1000000000ull;
	threads_hold(wave, step);
	wave->remaps++;
	keep_wave(wave);
	wave_control(wave)->remaps = wave->remaps; /* see restore.c, record_is_current */
	wave_announce(wave, "REMAP");
	lanes_leave(wave->other);
	hosts_command(wave, HOSTLINK_SWITCH);
}

/* ---- IMPORTS ------------------------------------------------------------------------ */

/* The waveform stands: new builds take over the state of the old ones, or a shadow run gets a copy
 * of it. */
static void remap_import(struct exec_wave *wave)
{
	wave->remap = REMAP_IMPORTS;
	wave->remap_answers = 0;
	wave->pending.until_ns = clock_ns() + IMPORT_S * 1000000000ull;
	wave->import_text[0] = 0;
	keep_wave(wave);
	if (wave->upgrades) {
		hosts_command(wave, HOSTLINK_IMPORT);
	} else if (shadow_export(wave) != 0) {
		remap_abandon(wave, 1, "the host of the instance cannot be asked for its state");
	}
}

static void remap_stands(struct exec_wave *wave)
{
	char why[200];

	if (upgraded_missed(wave, why, sizeof(why)))
		remap_abandon(wave, 1, why);
	else if (wave->upgrades || wave->shadows)
		remap_import(wave);
	else
		remap_switch(wave);
}

static void remap_imported(struct exec_wave *wave, const struct hostlink_msg *msg)
{
	const size_t len = strlen(wave->import_text);

	if (wave->upgrades)
		snprintf(wave->import_text + len, sizeof(wave->import_text) - len, "%.*s",
		    HOSTLINK_TEXT - 1, msg->text);
	else
		shadow_exported(wave, msg->param != 0);
	if (wave->shadows || ++wave->remap_answers == wave->n_hosts)
		remap_switch(wave);
}

/* ---- HALTS ------------------------------------------------------------------------ */

/* A far index is not waited for step by step. */
static uint64_t look_ns(const struct exec_wave *wave)
{
	enum { LOOK_MAX_NS = 20000000 };
	const uint64_t steps = wave_steps_min(wave), slot_ns = wave->view.head->slot_ns;
	uint64_t left = wave->pending.value > steps ? wave->pending.value - steps : 0;

	if (!image_timed(wave->view.head->clock) || wave->upgrade_at == IMAGE_FOREVER)
		return LOOK_NS;
	left = left < LOOK_MAX_NS / slot_ns ? left * slot_ns / 2 : LOOK_MAX_NS;
	return left > LOOK_NS ? left : LOOK_NS;
}

static bool any_ended(const struct exec_wave *wave)
{
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
		if (atomic_load(&image_segment_state(&wave->view, s)->ended) != 0)
			return true;
	return wave->ended || wave->drained;
}

static void remap_look(void *self)
{
	struct exec_wave *wave = self;

	if (wave->remap != REMAP_HALTS)
		return;
	if (any_ended(wave) || wave->state == WAVE_ABNSTOP) {
		remap_abandon(wave, 1, "the waveform ended before the remap");
	} else if (wave_limit_reached(wave)) {
		remap_stands(wave);
	} else {
		wave_step_more(wave);
		loop_timer_start(
		    &wave->exec->daemon.loop, &wave->remap_timer, look_ns(wave), remap_look, wave);
	}
}

/* The step that belongs to the index is the first that does not run: true, and no segment begins
 * it; or the upgrade is refused. */
static bool halt_at(struct exec_wave *wave)
{
	enum { FAR_S = 60 };
	const struct image_view *view = &wave->view;
	const uint64_t next = image_next_index(view, wave->upgraded), slot_ns = view->head->slot_ns,
	               at = wave->upgrade_at, possible = next + 1 + wave_margin(wave),
	               far = FAR_S * 1000000000ull / slot_ns;
	char why[200];

	if (view->head->clock == IMAGE_STEP)
		snprintf(why, sizeof(why),
		    "the clock is \"step\": step to the index first, and leave --at out");
	else if (at > next && at - next > far && image_timed(view->head->clock))
		snprintf(why, sizeof(why), "index %llu is %.0f s away; at most %d s are waited for",
		    (unsigned long long)at, (double)(at - next) * (double)slot_ns / 1e9, FAR_S);
	else if (at >= next && at < IMAGE_FOREVER / 2 &&
	    wave_hold_below(wave, at + view->instances[wave->upgraded].lag)) {
		wave->pending.value = at + view->instances[wave->upgraded].lag;
		if (image_timed(view->head->clock))
			wave->pending.until_ns += (at - next) * slot_ns;
		else
			wave->pending.until_ns += FAR_S * 1000000000ull;
		return true;
	} else
		snprintf(why, sizeof(why),
		    "too late for index %llu: the instance works on index %llu; at least index "
		    "%llu can be met",
		    (unsigned long long)at, (unsigned long long)next, (unsigned long long)possible);
	remap_abandon(wave, 1, why);
	return false;
}

static void remap_halt(struct exec_wave *wave)
{
	wave->pending.until_ns = clock_ns() + HALT_S * 1000000000ull;
	if (wave->state != WAVE_RUN && !wave_comes_to_pause(wave)) {
		if (wave->upgrade_at != IMAGE_FOREVER &&
		    wave->upgrade_at != image_next_index(&wave->view, wave->upgraded))
			remap_abandon(wave, 1,
			    "the waveform stands at another index; leave --at out, or start it");
		else
			remap_stands(wave);
		return;
	}
	if (wave->upgrade_at != IMAGE_FOREVER) {
		if (!halt_at(wave))
			return;
		wave->remap = REMAP_HALTS;
		remap_look(wave);
		return;
	}
	wave->remap = REMAP_HALTS;
	if (wave->state == WAVE_RUN)
		wave_halt(wave);
	else
		wave->pending.value = atomic_load(&wave_control(wave)->limit);
	remap_look(wave);
}

/* Nothing halts before the new build of a shadow run has been initialised. */
static void shadow_await(void *self)
{
	struct exec_wave *wave = self;
	char why[REASON_BYTES];
	int status;

	if (wave->remap != REMAP_PREPARES)
		return;
	status = shadow_ready(wave, why, sizeof(why));
	if (status < 0)
		remap_abandon(wave, 2, why);
	else if (status > 0)
		remap_halt(wave);
	else
		loop_timer_start(&wave->exec->daemon.loop, &wave->remap_timer, SHADOW_LOOK_NS,
		    shadow_await, wave);
}

static void remap_prepared(struct exec_wave *wave)
{
	if (wave->shadows)
		shadow_await(wave);
	else
		remap_halt(wave);
}

/* ---- what hosts say ------------------------------------------------------------------------ */

static void remap_answer(struct exec_wave *wave, uint64_t slot, bool runs)
{
	const uint64_t stood = runs && slot > wave->remap_slot ? slot - wave->remap_slot - 1 : 0;
	const bool timed = runs && wave->view.head->clock == IMAGE_TIMER;
	struct wire_view request;
	struct wire_msg msg;
	char text[sizeof(wave->import_text) + 200];
	int len;

	if (wave->upgrades)
		len = snprintf(text, sizeof(text), "%s%s", wave->import_text,
		    timed ? "" : "latency as before");
	else
		len = snprintf(text, sizeof(text), "latency %u slot%s, before %u",
		    wave->view.head->latency_slots, plural(wave->view.head->latency_slots),
		    wave->remap_latency);
	len = len < (int)sizeof(text) ? len : (int)sizeof(text) - 1;
	if (timed)
		snprintf(text + len, sizeof(text) - (size_t)len,
		    "%sthe waveform stood still for %llu slot%s (%.3g ms)",
		    wave->upgrades ? "" : "; ", (unsigned long long)stood, plural(stood),
		    (double)stood * (double)wave->view.head->slot_ns / 1e6);
	log_note(&wave->exec->daemon.log, "%s: %s: %s", wave->name, upgraded_word(wave), text);
	if (wave->pending.bytes == NULL ||
	    wire_decode(wave->pending.bytes, wave->pending.len, &request) != 0)
		return;
	bus_reply(wave->exec->daemon.bus, &request, WIRE_OK, &msg);
	wire_put_u64(&msg, WIRE_TAG_SLOT, slot);
	if (wave->upgrades || wave->shadows)
		wire_put_u64(&msg, WIRE_TAG_INDEX, wave->upgrade_at);
	wire_put_u64(&msg, WIRE_TAG_COUNT, stood);
	wire_put_text(&msg, WIRE_TAG_STATE, wave_state_names[wave->state]);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	bus_send(wave->exec->daemon.bus, &msg);
	free(wave->pending.bytes);
	wave->pending.bytes = NULL;
}

/* First of all it runs; lanes that it has left are given up behind it. */
static void remap_finish(struct exec_wave *wave)
{
	const bool runs = wave->state == WAVE_RUN;
	const uint64_t slot =
	    runs ? wave_run(wave, IMAGE_FOREVER, remap_margin(wave)) : lanes_slot(wave);

	spent_begin(wave);
	if (wave->shadows)
		shadow_go(wave);
	else if (wave->upgrades)
		shadow_drop(wave);
	else
		shadow_leave(wave, "the waveform was remapped");
	remap_drop(wave);
	keep_wave(wave);
	remap_answer(wave, slot, runs);
}

void remap_answered(struct exec_host *host, const struct hostlink_msg *msg)
{
	struct exec_wave *wave = host->wave;
	const bool ours = msg->sequence == wave->remap_number;

	if (msg->type == HOSTLINK_REMAPPABLE || msg->type == HOSTLINK_STUCK)
		wave->deaf = false;
	if (msg->type == HOSTLINK_STUCK && ours &&
	    (wave->remap == REMAP_PREPARES || wave->remap == REMAP_IMPORTS)) {
		char why[HOSTLINK_TEXT + 100];

		snprintf(why, sizeof(why), "\"%s\" cannot be %s: %s", wave->name,
		    upgraded_word(wave), msg->text);
		remap_abandon(wave, 2, why);
	} else if ((msg->type == HOSTLINK_IMPORTED || msg->type == HOSTLINK_EXPORTED) && ours &&
	    wave->remap == REMAP_IMPORTS) {
		remap_imported(wave, msg);
	} else if (msg->type == HOSTLINK_REMAPPABLE && ours && wave->remap == REMAP_PREPARES) {
		if (++wave->remap_answers == wave->n_hosts)
			remap_prepared(wave);
	} else if (msg->type == HOSTLINK_REMAINED && ours && wave->remap == REMAP_RETURNS) {
		remap_returned(wave);
	} else if (msg->type == HOSTLINK_SWITCHED && ours && wave->remap == REMAP_SWITCHES) {
		if (++wave->remap_answers == wave->n_hosts)
			remap_finish(wave);
	}
}

/* The host may be inside export_state of the build that runs: nothing can run any more. */
static void imports_end(struct exec_wave *wave)
{
	char why[REASON_BYTES];

	upgraded_hangs(wave, wave->upgrades || wave->shadows ? IMPORT_S : HALT_S, why, sizeof(why));
	wave_answer(wave, &wave->pending, WIRE_TAG_SLOT, 0, 1, why);
	hosts_kill(wave);
	wave_abort(wave, "%s", why);
	hosts_leave(wave, true);
}

static void prepares_end(struct exec_wave *wave)
{
	char why[REASON_BYTES];

	wave->deaf = wave->upgrades;
	upgraded_late(wave, why, sizeof(why));
	remap_abandon(wave, 1, why);
}

void remap_check(struct exec_wave *wave)
{
	if (wave->remap == REMAP_NONE || clock_ns() <= wave->pending.until_ns)
		return;
	if (wave->remap == REMAP_SWITCHES)
		wave_abort(wave, "a host did not move to its new lanes within %d s", HALT_S);
	else if (wave->remap == REMAP_IMPORTS || wave->remap == REMAP_RETURNS)
		imports_end(wave);
	else if (wave->remap == REMAP_PREPARES)
		prepares_end(wave);
	else
		remap_abandon(wave, 1,
		    "the waveform did not stand still in time for the remap and goes on as before");
}

/* With imports, components may be exporting or importing, also where the waveform was paused
 * before; without them, hosts may be making tables or dropping them. */
void remap_restore(struct exec_wave *wave)
{
	const bool imports = wave->remap == REMAP_IMPORTS,
	           halts = wave->state == WAVE_RUN && !wave->ended && !wave->held &&
	    atomic_load(&wave_control(wave)->limit) != IMAGE_FOREVER;

	wave->remap_number = clock_ns();
	if (wave->remap == REMAP_SWITCHES) {
		wave->remap_answers = 0;
		wave->pending.until_ns = clock_ns() + HALT_S * 1000000000ull;
		hosts_command(wave, HOSTLINK_SWITCH);
	} else if (imports || halts) {
		wave->upgraded = IMAGE_NONE;
		wave->upgrades = imports;
		remap_returns(wave, imports ? IMPORT_S : HALT_S);
	}
}
