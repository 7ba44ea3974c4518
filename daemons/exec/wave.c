/* SPDX-License-Identifier: BSD-3-Clause
 *
 * wave.c - a waveform as every other file here sees it: found by name, its state told, its request
 * kept and answered, its record kept with the frontend. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/keep/keep.h"
#include "daemons/exec/exec.h"

/* What another exec finds with the frontend. */
static_assert(sizeof(struct kept_wave) == 31504, "kept_wave");
static_assert(offsetof(struct kept_wave, control) == 0, "kept_wave.control");
static_assert(offsetof(struct kept_wave, n_segments) == 4, "kept_wave.n_segments");
static_assert(offsetof(struct kept_wave, remaps) == 8, "kept_wave.remaps");
static_assert(offsetof(struct kept_wave, started) == 12, "kept_wave.started");
static_assert(offsetof(struct kept_wave, ended) == 13, "kept_wave.ended");
static_assert(offsetof(struct kept_wave, drained) == 14, "kept_wave.drained");
static_assert(offsetof(struct kept_wave, remap) == 15, "kept_wave.remap");
static_assert(offsetof(struct kept_wave, reason) == 16, "kept_wave.reason");
static_assert(offsetof(struct kept_wave, notes) == 784, "kept_wave.notes");
static_assert(offsetof(struct kept_wave, losses) == 4880, "kept_wave.losses");
static_assert(offsetof(struct kept_wave, folder) == 5904, "kept_wave.folder");
static_assert(offsetof(struct kept_wave, places) == 6928, "kept_wave.places");

static_assert(sizeof(struct exec_place) == 12, "exec_place");
static_assert(offsetof(struct exec_place, lane) == 0, "exec_place.lane");
static_assert(offsetof(struct exec_place, entry) == 4, "exec_place.entry");
static_assert(offsetof(struct exec_place, seat) == 8, "exec_place.seat");

enum { LOOK_NS = 50000 };

const char *const wave_state_names[] = {
    "LOADED", "INIT", "RUN", "PAUSE", "STEP", "STOP", "ABNSTOP"};

struct exec_wave *exec_find(struct exec *exec, const char *name, size_t len)
{
	for (struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next)
		if (strlen(wave->name) == len && memcmp(wave->name, name, len) == 0)
			return wave;
	return NULL;
}

struct exec_wave *wave_new(struct exec *exec, const char *name)
{
	struct exec_wave *wave = calloc(1, sizeof(*wave));

	if (wave == NULL)
		return NULL;
	wave->exec = exec;
	wave->files = (struct image_files){-1, -1};
	wave->control = IMAGE_NONE;
	snprintf(wave->name, sizeof(wave->name), "%s", name);
	return wave;
}

struct node_control *wave_control(const struct exec_wave *wave)
{
	return &wave->exec->node->control[wave->control];
}

void exec_ok(struct exec *exec, const struct wire_view *request, enum wire_tag tag, uint64_t value)
{
	struct wire_msg msg;

	bus_reply(exec->daemon.bus, request, WIRE_OK, &msg);
	wire_put_u64(&msg, tag, value);
	bus_send(exec->daemon.bus, &msg);
}

/* again: whoever asked asks once more, by itself. */
static void failure_send(
    struct exec *exec, const struct wire_view *request, int code, const char *text, bool again)
{
	struct wire_msg msg;

	bus_reply(exec->daemon.bus, request, WIRE_FAIL, &msg);
	wire_put_u64(&msg, WIRE_TAG_CODE, (uint64_t)code);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	if (again)
		wire_put_u64(&msg, WIRE_TAG_AGAIN, 1);
	bus_send(exec->daemon.bus, &msg);
}

void exec_fail(
    struct exec *exec, const struct wire_view *request, int code, const char *format, ...)
{
	char text[HOSTLINK_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	failure_send(exec, request, code, text, false);
}

void exec_too_late(struct exec *exec, const struct wire_view *request, const char *what,
    uint64_t asked, uint64_t newest, uint64_t next)
{
	char text[200];
	struct wire_msg msg;

	snprintf(text, sizeof(text),
	    "%s %llu is too late, newest is %llu; name %s %llu or a later %s", what,
	    (unsigned long long)asked, (unsigned long long)newest, what, (unsigned long long)next,
	    what);
	bus_reply(exec->daemon.bus, request, WIRE_FAIL, &msg);
	wire_put_u64(&msg, WIRE_TAG_CODE, 1);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	wire_put_u64(&msg, WIRE_TAG_NEWEST, newest);
	bus_send(exec->daemon.bus, &msg);
}

void wave_later(struct exec_pending *pending, const struct wire_view *request, uint64_t timeout_ns)
{
	free(pending->bytes);
	pending->bytes = malloc(request->len);
	pending->len = request->len;
	pending->until_ns = clock_ns() + timeout_ns;
	pending->nobodys = false;
	if (pending->bytes != NULL)
		memcpy(pending->bytes, request->bytes, request->len);
}

/* A remap waits for the one under way: whoever lost the answer to it, for a daemon was killed,
 * asks again while exec still carries it out. */
void wave_busy_fail(const struct exec_wave *wave, const struct wire_view *request)
{
	char text[HOSTLINK_TEXT];

	const bool waits =
	    wave->remap == REMAP_HALTS && wave->upgrades && wave->upgrade_at != IMAGE_FOREVER;

	if (waits)
		snprintf(text, sizeof(text),
		    "an upgrade of \"%s\" waits for index %llu; try again then, or abandon the "
		    "upgrade with aloe upgrade --rollback, aloe pause or aloe stop",
		    wave->name, (unsigned long long)wave->upgrade_at);
	else
		snprintf(text, sizeof(text), "\"%s\" has another change under way; try again later",
		    wave->name);
	failure_send(wave->exec, request, 2, text,
	    (request->type == WIRE_REMAP || request->type == WIRE_RING) &&
	        wave->remap != REMAP_NONE && !waits);
}

bool wave_busy(const struct exec_pending *pending)
{
	return pending->bytes != NULL && !pending->nobodys;
}

void wave_answer(struct exec_wave *wave, struct exec_pending *pending, enum wire_tag tag,
    uint64_t value, int code, const char *why)
{
	struct wire_view request;
	struct wire_msg msg;
	uint8_t *bytes = pending->bytes;

	pending->bytes = NULL;
	if (bytes != NULL && wire_decode(bytes, pending->len, &request) == 0) {
		if (why != NULL) {
			exec_fail(wave->exec, &request, code, "%s", why);
		} else {
			bus_reply(wave->exec->daemon.bus, &request, WIRE_OK, &msg);
			wire_put_u64(&msg, tag, value);
			if (request.type == WIRE_PREPARE)
				wire_put_text(&msg, WIRE_TAG_TEXT, wave->notes);
			bus_send(wave->exec->daemon.bus, &msg);
		}
	}
	free(bytes);
}

void wave_announce(const struct exec_wave *wave, const char *state)
{
	struct wire_msg msg;

	wire_init(&msg, WIRE_EVENT, WIRE_EXEC, WIRE_SWMAN, bus_seq(wave->exec->daemon.bus));
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, wave->name);
	wire_put_text(&msg, WIRE_TAG_STATE, state);
	wire_put_text(&msg, WIRE_TAG_TEXT, wave->reason);
	if (wave->view.head != NULL && wave->started)
		wire_put_u64(&msg, WIRE_TAG_INDEX, wave_index(wave));
	if (wave->view.head != NULL && wave->view.head->load_id != 0)
		wire_put_u64(&msg, WIRE_TAG_LOAD_ID, wave->view.head->load_id);
	bus_send(wave->exec->daemon.bus, &msg);
}

void wave_set_state(struct exec_wave *wave, enum wave_state state)
{
	if (wave->state == state)
		return;
	wave->state = state;
	wave_control(wave)->state = (uint32_t)state;
	wave_announce(wave, wave_state_names[state]);
}

uint64_t wave_last(const struct exec_wave *wave)
{
	const uint64_t run = atomic_load(&image_run(&wave->view)->last);
	const uint64_t order = atomic_load(&wave_control(wave)->last);

	return run < order ? run : order;
}

uint64_t wave_last_wanted(const struct exec_wave *wave)
{
	const uint64_t last = wave_last(wave), slots = wave->view.head->slots;

	return slots != IMAGE_FOREVER && slots - 1 < last ? slots - 1 : last;
}

uint64_t wave_index(const struct exec_wave *wave)
{
	const uint64_t last = wave_last_wanted(wave);
	uint64_t least = last == IMAGE_FOREVER ? last : last + 1;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const uint64_t done = atomic_load(&image_segment_state(&wave->view, s)->done);
		const uint64_t lag = wave->view.segments[s].lag_max,
		               index = done > lag ? done - lag : 0;

		if (image_runs(&wave->view, s))
			least = index < least ? index : least;
	}
	return least == IMAGE_FOREVER ? 0 : least;
}

void wave_note(struct exec_wave *wave, const char *text)
{
	while (*text != 0) {
		const size_t len = strcspn(text, "\n");
		const bool loss = *text == '!';
		char *into = loss ? wave->losses : wave->notes;
		const size_t room = loss ? sizeof(wave->losses) : sizeof(wave->notes);
		const size_t have = strlen(into);
		char line[512];

		snprintf(line, sizeof(line), "%.*s\n", (int)(len - loss), text + loss);
		if (strstr(into, line) == NULL)
			snprintf(into + have, room - have, "%s", line);
		text += len + (text[len] == '\n');
	}
}

bool wave_has_host(const struct exec_wave *wave, uint32_t host)
{
	return wave->view.node == IMAGE_NONE || wave->view.hosts[host].node == wave->view.node;
}

uint32_t exec_node_in(
    const struct exec *exec, const struct image_view *view, char *ret_why, size_t size)
{
	const char *name = exec->daemon.args.node != NULL ? exec->daemon.args.node : "";
	const uint32_t node = image_find_node(view, name);
	size_t len;

	ret_why[0] = 0;
	if (view->head->nodes.count <= 1 || node != IMAGE_NONE)
		return view->head->nodes.count <= 1 ? IMAGE_NONE : node;
	len = (size_t)snprintf(ret_why, size,
	    "the program is for several nodes, and %s%s%s; there are ",
	    name[0] ? "none of them is node \"" : "this node has no name", name,
	    name[0] ? "\"" : "");
	for (uint32_t n = 0; n < view->head->nodes.count && len < size; n++)
		len += (size_t)snprintf(ret_why + len, size - len, "%s%s", n > 0 ? ", " : "",
		    image_text(view, view->nodes[n].name));
	return IMAGE_NONE;
}

int wave_tables(struct exec_wave *wave)
{
	const size_t n = wave->view.head->segments.count + 1;

	wave->n_hosts = wave->view.head->n_hosts;
	wave->hosts = calloc(wave->n_hosts + 1, sizeof(struct exec_host));
	wave->places = calloc(n, sizeof(struct exec_place));
	wave->progress = calloc(n, sizeof(struct exec_progress));
	for (size_t s = 0; s < n && wave->places != NULL; s++)
		wave->places[s] = (struct exec_place){IMAGE_NONE, IMAGE_NONE, IMAGE_NONE};
	if (wave->hosts == NULL || wave->places == NULL || wave->progress == NULL)
		return -ENOMEM; /* as it is it can be freed: nothing has a place */
	for (uint32_t h = 0; h < wave->n_hosts; h++)
		wave->hosts[h] = (struct exec_host){
		    .wave = wave, .number = h, .finished = true, .ready = !wave_has_host(wave, h)};
	return 0;
}

void wave_dispose(struct exec_wave *wave)
{
	image_close(&wave->view);
	image_files_close(&wave->files);
	free(wave->hosts);
	free(wave->places);
	free(wave->progress);
	free(wave->peers);
	free(wave->misses);
	free(wave->spents);
	free(wave);
}

/* Of the stages of a remap those that another exec has to take up. */
static uint8_t kept_remap(const struct exec_wave *wave)
{
	if (wave->remap == REMAP_RETURNS)
		return REMAP_IMPORTS;
	return wave->remap == REMAP_SWITCHES || wave->remap == REMAP_IMPORTS ? wave->remap
	                                                                     : REMAP_NONE;
}

void keep_wave(const struct exec_wave *wave)
{
	struct kept_wave *kept = calloc(1, sizeof(*kept));
	const uint64_t n = wave->view.head->segments.count;
	char key[KEEP_KEY_MAX + 1];

	if (kept == NULL || n > sizeof(kept->places) / sizeof(kept->places[0])) {
		free(kept);
		return;
	}
	kept->control = wave->control;
	kept->n_segments = (uint32_t)n;
	kept->remaps = wave->remaps;
	kept->started = wave->started;
	kept->ended = wave->ended;
	kept->drained = wave->drained;
	kept->remap = kept_remap(wave);
	memcpy(kept->reason, wave->reason, sizeof(kept->reason));
	memcpy(kept->notes, wave->notes, sizeof(kept->notes));
	memcpy(kept->losses, wave->losses, sizeof(kept->losses));
	memcpy(kept->folder, wave->folder, sizeof(kept->folder));
	memcpy(kept->places, wave->places, n * sizeof(kept->places[0]));
	snprintf(key, sizeof(key), "waveform/%s", wave->name);
	daemon_put(&wave->exec->daemon, key, kept,
	    offsetof(struct kept_wave, places) + n * sizeof(kept->places[0]),
	    (int[]){wave->files.program, wave->files.image}, 2);
	free(kept);
}

void keep_wave_drop(const struct exec_wave *wave)
{
	char key[KEEP_KEY_MAX + 1];

	snprintf(key, sizeof(key), "waveform/%s", wave->name);
	daemon_drop(&wave->exec->daemon, key);
}

void exec_look_within(struct exec *exec, uint64_t ns)
{
	if (exec->node != NULL && !(exec->tick.on && exec->tick.at_ns <= clock_ns() + ns))
		loop_timer_start(&exec->daemon.loop, &exec->tick, ns, exec->look, exec);
}

void wave_look_soon(struct exec_wave *wave)
{
	wave->look_ns = LOOK_NS;
	loop_timer_start(
	    &wave->exec->daemon.loop, &wave->look_timer, LOOK_NS, wave->exec->wave_look, wave);
}
