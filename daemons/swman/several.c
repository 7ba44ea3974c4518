/* SPDX-License-Identifier: BSD-3-Clause
 *
 * several.c - orders for a waveform whose parts are on several nodes.
 *
 *   LOAD     plan and program from what all nodes have, then PREPARE to each node of the program.
 *            All nodes are ready, or UNLOAD goes to each node, nothing ran, and the answer names
 *            the node that was not ready, with the reason.
 *   START    with a clock one slot for all nodes, far enough ahead to reach all. If a node was too
 *            late for the slot, all nodes get a later slot.
 *   PAUSE    one slot for all nodes, a second ahead: a node that is too late for the slot cannot
 *            pause at the step of the other nodes any more.
 *   STOP     one node after another, nodes with sources first. The bridges carry the last index
 *            that the first node chooses to the other nodes.
 *   STATUS, LIST    sent to all nodes; the answers are put together (merge.h)
 *   UNLOAD   STOP, STATUS for the report that is kept, UNLOAD
 *
 * A lost node costs what it ran (loss.c). With on_node_loss = "hold" the other nodes wait at their
 * gates: they go on when the lost node is back with its image, and otherwise are unloaded by
 * force. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/tai.h"
#include "core/base/text.h"
#include "core/image/image.h"
#include "core/report/report.h"
#include "daemons/swman/builds.h"
#include "daemons/swman/loss.h"
#include "daemons/swman/merge.h"
#include "daemons/swman/orders.h"

enum { PAUSE_NS = 1000000000, START_TRIES = 4, LEARN_NS = 50000000 };

static const char *name_of(const struct swman *swman, uint32_t node)
{
	return machines_name(&swman->machines, node);
}

static void no_memory(struct swman *swman, const struct wire_view *request)
{
	daemon_fail(&swman->daemon, request, 1, "out of memory");
}

/* Not known here, or not yet. */
static void waveform_unknown(
    struct swman *swman, const struct wire_view *request, const char *waveform)
{
	daemon_fail(&swman->daemon, request, 2, "no waveform \"%s\" is loaded", waveform);
	several_learn(swman);
}

/* A question to the nodes of the waveform that a request names; NULL after answering. */
static struct gather *gather_run(struct swman *swman, const struct wire_view *request)
{
	char *waveform = wire_get_text(request, WIRE_TAG_WAVEFORM, 0);
	const struct swman_run *run = waveform ? swman_run_find(swman, waveform) : NULL;
	struct gather *gather = NULL;

	if (!waveform)
		daemon_fail(&swman->daemon, request, 2, "the name of a waveform is needed");
	else if (!run || run->n_nodes == 0)
		waveform_unknown(swman, request, waveform);
	else if (!(gather = gather_new(request, waveform, run->nodes, run->n_nodes)))
		no_memory(swman, request);
	free(waveform);
	return gather;
}

static void force_put(struct wire_msg *msg, bool force)
{
	if (force)
		wire_put_u64(msg, WIRE_TAG_FORCE, 1);
}

/* ---- LIST ------------------------------------------------------------------------ */

static json_t *lists_merge(const struct swman *swman, const struct gather *gather)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < gather->n; i++) {
		json_t *one = gather_json(&gather->answers[i]);

		merge_list(list, one, name_of(swman, gather->answers[i].node));
		json_decref(one);
	}
	return list;
}

static void json_answer(struct swman *swman, const struct gather *gather, const json_t *json,
    const char *state, const char *file)
{
	char *text = json_dumps(
	    json, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY);
	struct wire_msg msg;

	gather_ok(swman, gather, &msg);
	wire_put_text(&msg, WIRE_TAG_JSON, text);
	wire_put_text(&msg, WIRE_TAG_STATE, state);
	wire_put_text(&msg, WIRE_TAG_FILE, file);
	gather_send(swman, &msg);
	free(text);
}

static void list_gathered(struct swman *swman, struct gather *gather)
{
	json_t *list = lists_merge(swman, gather);

	json_answer(swman, gather, list, NULL, NULL);
	json_decref(list);
	gather_free(gather);
}

static void list_ask(struct swman *swman, const struct wire_view *request,
    void (*done)(struct swman *swman, struct gather *gather))
{
	struct gather *gather = gather_all(swman, request);
	struct wire_msg msg;

	if (!gather)
		return;
	gather->slot = swman->prepares;
	order_make(&msg, WIRE_LIST, "");
	gather_ask(swman, gather, &msg, done);
}

/* ---- what the nodes have ---- */

/* A node that does not answer has what it had: nothing is forgotten for it. */
static void list_learned(struct swman *swman, struct gather *gather)
{
	json_t *list = lists_merge(swman, gather);

	swman_run_list(swman, list, gather_failed(gather) == NULL);
	json_decref(list);
	loss_learned(swman, gather, gather->slot == swman->prepares);
	gather_free(gather);
}

/* Other nodes are asked by way of the frontend, which passes on what comes after HELLO. */
void several_learn(void *self)
{
	struct swman *swman = self;

	if (swman->daemon.greeted)
		list_ask(swman, NULL, list_learned);
	else
		loop_timer_start(
		    &swman->daemon.loop, &swman->learn, LEARN_NS, several_learn, swman);
}

/* ---- LOAD ------------------------------------------------------------------------ */

static void load_known(struct swman *swman, struct gather *gather)
{
	json_t *list = json_array(), *waveform;
	struct wire_view request;
	size_t n;

	for (uint32_t i = 0; i < gather->n; i++) {
		json_t *one = gather_json(&gather->answers[i]);

		json_array_foreach(one, n, waveform)
		{
			json_object_set_new(
			    waveform, "node", json_string(name_of(swman, gather->answers[i].node)));
			json_array_append(list, waveform);
		}
		json_decref(one);
	}
	if (wire_decode(gather->request, gather->request_len, &request) == 0) {
		if (gather->slot == swman->prepares)
			swman_load_on(swman, &request, list);
		else /* what is taken has changed since */
			several_load(swman, &request);
	}
	json_decref(list);
	gather_free(gather);
}

void several_load(struct swman *swman, const struct wire_view *request)
{
	list_ask(swman, request, load_known);
}

static void load_withdrawn(struct swman *swman, struct gather *gather)
{
	gather_refuse(swman, gather, (int)gather->slot, "%s", gather->text ? gather->text : "");
	swman_run_drop(swman, gather->waveform, false);
	gather_free(gather);
}

/* Nothing has run, and nothing is left. */
static void load_withdraw(
    struct swman *swman, struct gather *gather, const struct gather_answer *why)
{
	struct wire_msg msg;
	char text[1000];

	gather_why(swman, why, text, sizeof(text));
	free(gather->text);
	if (asprintf(&gather->text, "%s; the waveform is loaded on no node", text) < 0)
		gather->text = NULL;
	gather->slot = why->code > 0 ? why->code : 1;
	order_make(&msg, WIRE_UNLOAD, gather->waveform);
	force_put(&msg, true);
	gather_ask(swman, gather, &msg, load_withdrawn);
}

static void start_run(struct swman *swman, const struct swman_run *run);

static void load_prepared(struct swman *swman, struct gather *gather)
{
	const struct gather_answer *failed = gather_failed(gather);
	struct swman_run *run = swman_run_find(swman, gather->waveform);
	struct wire_msg msg;
	char *text = NULL;
	size_t len = 0;
	FILE *notes;

	if (failed) {
		load_withdraw(swman, gather, failed);
		return;
	}
	if (run)
		loss_settled(run);
	swman->prepares++; /* a list that was asked for before is older than this load */
	if (run && run->starts)
		start_run(swman, run);
	notes = open_memstream(&text, &len);
	for (uint32_t i = 0; notes && i < gather->n; i++) {
		char *more = wire_get_text(&gather->answers[i].view, WIRE_TAG_TEXT, 0);

		if (i == 0 && gather->text && gather->text[0])
			fprintf(notes, "%s", gather->text);
		if (more && more[0])
			fprintf(notes, "%snode \"%s\": %s", ftell(notes) > 0 ? "\n" : "",
			    name_of(swman, gather->answers[i].node), more);
		free(more);
	}
	if (notes)
		fclose(notes);
	gather_ok(swman, gather, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, gather->waveform);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	gather_send(swman, &msg);
	free(text);
	gather_free(gather);
}

static uint32_t nodes_of(
    const struct swman *swman, const struct image_view *view, uint32_t nodes[IMAGE_NODES_MAX])
{
	const uint32_t n = image_nodes(view, nodes);

	for (uint32_t i = 0; i < n; i++) {
		const char *name = image_text(view, view->nodes[nodes[i]].name);

		nodes[i] = machines_find(&swman->machines, name, strlen(name));
	}
	return n;
}

static void builds_there(
    struct swman *swman, struct gather *gather, const struct gather_answer *failed)
{
	const struct swman_run *run = swman_run_find(swman, gather->waveform);
	struct wire_msg msg;

	if (failed) {
		load_withdraw(swman, gather, failed);
		return;
	}
	order_make(&msg, WIRE_PREPARE, gather->waveform);
	wire_put_bytes(&msg, WIRE_TAG_PROGRAM, gather->program, gather->program_len);
	wire_put_text(&msg, WIRE_TAG_NOTE, run ? run->note : NULL);
	gather_ask(swman, gather, &msg, load_prepared);
}

void several_prepare(struct swman *swman, const struct wire_view *request, const char *waveform,
    const char *notes, const void *program, size_t len)
{
	struct swman_run *run = swman_run_find(swman, waveform);
	uint32_t nodes[IMAGE_NODES_MAX], n;
	struct image_view view;
	struct gather *gather;

	image_bind(program, &view);
	n = nodes_of(swman, &view, nodes);
	gather = gather_new(request, waveform, nodes, n);
	if (!gather || !run || loss_place(run, &view, nodes, n) < 0) {
		if (request)
			no_memory(swman, request);
		else
			log_error(
			    &swman->daemon.log, "%s: it is not loaded: out of memory", waveform);
		if (gather)
			gather_free(gather);
		return;
	}
	gather->text = notes ? strdup(notes) : NULL;
	gather->program = aligned_alloc(64, (len + 63) & ~(size_t)63);
	gather->program_len = len;
	if (gather->program) {
		memcpy(gather->program, program, len);
		builds_send(swman, gather, builds_there);
		return;
	}
	gather_refuse(swman, gather, 1, "out of memory");
	gather_free(gather);
}

/* ---- START, PAUSE ------------------------------------------------------------------------ */

/* The slot that is so long ahead: for all nodes to hear of it. */
static uint64_t slot_ahead(uint64_t slot_ns, uint64_t ns)
{
	return cluster_soon_slot(tai_ns() / slot_ns, slot_ns, ns);
}

static void change_answered(struct swman *swman, struct gather *gather)
{
	const struct gather_answer *failed = gather_failed(gather);
	struct wire_msg msg;
	uint64_t slot = 0;

	if (failed) {
		gather_fail(swman, gather, failed);
	} else {
		wire_get_u64(&gather->answers[0].view, WIRE_TAG_SLOT, &slot);
		gather_ok(swman, gather, &msg);
		wire_put_u64(&msg, WIRE_TAG_SLOT, slot);
		gather_send(swman, &msg);
	}
	gather_free(gather);
}

static void start_ask(struct swman *swman, struct gather *gather);

static bool too_late(const struct gather_answer *answer)
{
	uint64_t newest;

	return answer && answer->bytes &&
	    wire_get_u64(&answer->view, WIRE_TAG_NEWEST, &newest) == 0;
}

/* Those that were in time have not begun: they take the later slot instead. */
static void start_answered(struct swman *swman, struct gather *gather)
{
	struct swman_run *run = swman_run_find(swman, gather->waveform);

	if (too_late(gather_failed(gather)) && ++gather->at < START_TRIES) {
		start_ask(swman, gather);
		return;
	}
	if (run && !gather_failed(gather))
		run->starts = false; /* from now on the user says whether it runs */
	change_answered(swman, gather);
}

static void start_ask(struct swman *swman, struct gather *gather)
{
	const struct swman_run *run = swman_run_find(swman, gather->waveform);
	struct wire_msg msg;

	order_make(&msg, WIRE_START, gather->waveform);
	if (run && run->slot_ns > 0)
		wire_put_u64(&msg, WIRE_TAG_SLOT,
		    slot_ahead(run->slot_ns, CLUSTER_SOON_MS * CLUSTER_MS << gather->at));
	gather_ask(swman, gather, &msg, start_answered);
}

/* Nobody asked: it was loaded anew, and ran before. */
static void start_run(struct swman *swman, const struct swman_run *run)
{
	struct gather *gather = gather_new(NULL, run->waveform, run->nodes, run->n_nodes);

	if (gather)
		start_ask(swman, gather);
}

/* At the slot that the user names, or one that swman chooses; without a clock at none. */
static void change_ask(struct swman *swman, const struct wire_view *request)
{
	struct gather *gather = gather_run(swman, request);
	const struct swman_run *run = gather ? swman_run_find(swman, gather->waveform) : NULL;
	uint64_t slot;
	struct wire_msg msg;
	bool named;

	if (!gather)
		return;
	named = wire_get_u64(request, WIRE_TAG_SLOT, &slot) == 0;
	if (request->type == WIRE_PAUSE && run->slot_ns == 0 && run->n_nodes > 1) {
		gather_refuse(swman, gather, 2,
		    "\"%s\" is on %u node%s and has no clock, so there is no slot at which all of "
		    "them could pause",
		    gather->waveform, run->n_nodes, plural(run->n_nodes));
		gather_free(gather);
	} else if (request->type == WIRE_START && !named) {
		start_ask(swman, gather);
	} else {
		order_make(&msg, request->type, gather->waveform);
		if (named || run->slot_ns > 0)
			wire_put_u64(
			    &msg, WIRE_TAG_SLOT, named ? slot : slot_ahead(run->slot_ns, PAUSE_NS));
		gather_ask(swman, gather, &msg, change_answered);
	}
}

/* ---- STATUS ------------------------------------------------------------------------ */

static bool all_ended(const struct gather *gather)
{
	bool all = true;

	for (uint32_t i = 0; i < gather->n; i++) {
		char *state = gather->answers[i].ok
		    ? wire_get_text(&gather->answers[i].view, WIRE_TAG_STATE, 0)
		    : NULL;

		all = all && state && strcmp(state, "ended") == 0;
		free(state);
	}
	return all;
}

static void status_known(struct swman *swman, struct gather *gather)
{
	json_t *report = reports_merge(swman, gather);
	const bool ended = all_ended(gather);
	const struct swman_run *run;

	if (report) {
		run = swman_run_report(swman, gather->waveform, report, ended);
		json_answer(swman, gather, report, ended ? "ended" : NULL,
		    run && run->saved && run->dir[0] ? run->dir : NULL);
	} else {
		gather_fail(swman, gather, &gather->answers[0]);
	}
	json_decref(report);
	gather_free(gather);
}

static void status_ask(struct swman *swman, struct gather *gather,
    void (*done)(struct swman *swman, struct gather *gather))
{
	struct wire_msg msg;

	order_make(&msg, WIRE_STATUS, gather->waveform);
	gather_ask(swman, gather, &msg, done);
}

static void ending_known(struct swman *swman, struct gather *gather)
{
	json_t *report = reports_merge(swman, gather);
	struct swman_run *run = swman_run_find(swman, gather->waveform);

	if (run && report && all_ended(gather)) {
		swman_run_report(swman, gather->waveform, report, true);
		run->ending = false;
	}
	if (run)
		run->asking = false;
	json_decref(report);
	gather_free(gather);
}

void several_ending(struct swman *swman, struct swman_run *run)
{
	struct gather *gather = run->asking || run->n_nodes == 0
	    ? NULL
	    : gather_new(NULL, run->waveform, run->nodes, run->n_nodes);

	swman_sweep_start(swman);
	if (!gather)
		return;
	run->asking = true;
	status_ask(swman, gather, ending_known);
}

/* ---- STOP, UNLOAD ------------------------------------------------------------------------ */

static void stop_next(struct swman *swman, struct gather *gather,
    void (*done)(struct swman *swman, struct gather *gather))
{
	struct wire_msg msg;

	order_make(&msg, WIRE_STOP, gather->waveform);
	force_put(&msg, gather->force);
	if (gather->force)
		gather_ask(swman, gather, &msg, done);
	else
		gather_ask_one(swman, gather, &msg, gather->at++, done);
}

static void stop_answered(struct swman *swman, struct gather *gather)
{
	if (!gather->force && gather->answers[gather->at - 1].ok && gather->at < gather->n)
		stop_next(swman, gather, stop_answered);
	else if (!gather->force && !gather->answers[gather->at - 1].ok) {
		gather_fail(swman, gather, &gather->answers[gather->at - 1]);
		gather_free(gather);
	} else
		change_answered(swman, gather);
}

static void stop_begin(struct swman *swman, const struct wire_view *request)
{
	struct gather *gather;
	uint64_t force = 0;

	if (wire_get_u64(request, WIRE_TAG_SLOT, &(uint64_t){0}) == 0) {
		change_ask(swman, request);
		return;
	}
	gather = gather_run(swman, request);
	if (!gather)
		return;
	gather->force = wire_get_u64(request, WIRE_TAG_FORCE, &force) == 0 && force != 0;
	stop_next(swman, gather, stop_answered);
}

/* By force what a node does not know, or no longer, is no reason to keep the rest. */
static void unload_answered(struct swman *swman, struct gather *gather)
{
	const struct gather_answer *failed = gather->force ? NULL : gather_failed(gather);
	const struct swman_run *run = swman_run_find(swman, gather->waveform);
	struct wire_msg msg;

	if (failed) {
		gather_fail(swman, gather, failed);
	} else {
		swman_run_drop(swman, gather->waveform, run && run->saved);
		gather_ok(swman, gather, &msg);
		gather_send(swman, &msg);
	}
	gather_free(gather);
}

static void unload_looked(struct swman *swman, struct gather *gather)
{
	order_unload(swman, gather, gather->force, unload_answered);
}

static void unload_stopped(struct swman *swman, struct gather *gather)
{
	const struct gather_answer *last = &gather->answers[gather->force ? 0 : gather->at - 1];

	if (!gather->force && !last->ok) {
		gather_fail(swman, gather, last);
		gather_free(gather);
	} else if (!gather->force && gather->at < gather->n) {
		stop_next(swman, gather, unload_stopped);
	} else {
		status_ask(swman, gather, unload_looked);
	}
}

static void unload_begin(struct swman *swman, const struct wire_view *request)
{
	struct gather *gather = gather_run(swman, request);
	uint64_t force = 0;

	if (!gather)
		return;
	gather->force = wire_get_u64(request, WIRE_TAG_FORCE, &force) == 0 && force != 0;
	stop_next(swman, gather, unload_stopped);
}

/* ---- by themselves ------------------------------------------------------------------------ */

static void others_stopped(struct swman *swman, struct gather *gather)
{
	(void)swman;
	gather_free(gather);
}

/* Its other parts would wait for it for ever: they stop as they would for a fault of their own. */
static void others_stop(
    struct swman *swman, const struct swman_run *run, const struct wire_view *event)
{
	struct gather *gather = gather_new(NULL, run->waveform, run->nodes, run->n_nodes);
	char *why = wire_get_text(event, WIRE_TAG_TEXT, 0),
	     *node = wire_get_text(event, WIRE_TAG_NODE, 0), *text = NULL;
	struct wire_msg msg;

	if (asprintf(&text, "node \"%s\": %s",
	        node ? node : machines_name(&swman->machines, swman->machines.manager),
	        why && why[0] ? why : "its part of the waveform has stopped") < 0)
		text = NULL;
	if (gather) {
		order_make(&msg, WIRE_STOP, run->waveform);
		wire_put_text(&msg, WIRE_TAG_TEXT, text ? text : "out of memory");
		gather_ask(swman, gather, &msg, others_stopped);
	}
	free(text);
	free(node);
	free(why);
}

static void event_take(struct swman *swman, const struct wire_view *view)
{
	char *waveform = wire_get_text(view, WIRE_TAG_WAVEFORM, 0),
	     *state = wire_get_text(view, WIRE_TAG_STATE, 0);
	struct swman_run *run = waveform ? swman_run_find(swman, waveform) : NULL;
	const bool failed = state && strcmp(state, "ABNSTOP") == 0;
	uint64_t load_id = 0;

	if (run && wire_get_u64(view, WIRE_TAG_LOAD_ID, &load_id) == 0 && load_id != run->load_id)
		run = NULL; /* of a load that was given up */
	if (run)
		swman_record_event(swman, run, view);
	if (run && state && strcmp(state, "HELD") == 0)
		several_learn(swman);
	if (run && state && !run->saved && (failed || strcmp(state, "STOP") == 0)) {
		if (failed && !run->ending && !run->acting)
			others_stop(swman, run, view);
		run->ending = true;
		swman_sweep_start(swman);
	}
	free(waveform);
	free(state);
}

static void daemon_event(struct swman *swman, const struct wire_view *view)
{
	char *state = wire_get_text(view, WIRE_TAG_STATE, 0),
	     *node = wire_get_text(view, WIRE_TAG_NODE, 0);
	const bool up = state && strcmp(state, "up") == 0;
	uint64_t peer = 0, heard_ns = clock_ns();

	wire_get_u64(view, WIRE_TAG_DAEMON, &peer);
	wire_get_u64(view, WIRE_TAG_WORD_NS, &heard_ns);
	if (peer == WIRE_FRONTEND && node)
		loss_node(swman, node, up, heard_ns);
	if ((peer == WIRE_EXEC || peer == WIRE_FRONTEND) && up)
		several_learn(swman);
	free(state);
	free(node);
}

/* Of one part of the waveform: that of the node that is named, or the first. */
static void request_forward(struct swman *swman, const struct wire_view *request)
{
	struct gather *gather = gather_run(swman, request);
	struct wire_msg msg;
	const void *name;
	size_t len;

	if (!gather)
		return;
	wire_init_copy(&msg, request, (enum wire_tag)0);
	wire_put_peers(&msg, WIRE_SWMAN, WIRE_EXEC);
	if (wire_get_bytes(request, WIRE_TAG_NODE, 0, &name, &len) < 0)
		wire_put_text(&msg, WIRE_TAG_NODE, name_of(swman, gather->answers[0].node));
	if (bus_send(swman->daemon.bus, &msg) < 0)
		gather_refuse(swman, gather, 1, "aloe-exec cannot be reached");
	gather_free(gather);
}

/* ---- MISSES ------------------------------------------------------------------------ */

/* A node that does not know a slot does not matter where another one was late. */
static void misses_known(struct swman *swman, struct gather *gather)
{
	const struct gather_answer *failed = gather_failed(gather);
	json_t *all = NULL;

	for (uint32_t i = 0; i < gather->n; i++) {
		json_t *one = gather->answers[i].ok ? gather_json(&gather->answers[i]) : NULL;

		if (one)
			all = merge_misses(all, one, name_of(swman, gather->answers[i].node));
		json_decref(one);
	}
	if (!all || (failed && !merge_is_late(all)))
		gather_fail(swman, gather, failed ? failed : &gather->answers[0]);
	else
		json_answer(swman, gather, all, NULL, NULL);
	json_decref(all);
	gather_free(gather);
}

static void misses_ask(struct swman *swman, const struct wire_view *request)
{
	struct gather *gather = gather_run(swman, request);
	struct wire_msg msg;
	uint64_t slot;

	if (!gather)
		return;
	order_make(&msg, WIRE_MISSES, gather->waveform);
	if (wire_get_u64(request, WIRE_TAG_SLOT, &slot) == 0)
		wire_put_u64(&msg, WIRE_TAG_SLOT, slot);
	gather_ask(swman, gather, &msg, misses_known);
}

static void step_begin(struct swman *swman, const struct wire_view *request)
{
	const struct gather *gather = gather_run(swman, request);

	if (gather && gather->n > 1)
		gather_refuse(swman, gather, 2,
		    "\"%s\" is on %u node%s, and steps are for a waveform on one node: after a "
		    "step all segments stand, and no node knows in time how far another one has "
		    "come; pause the waveform, or load it with --slots",
		    gather->waveform, (unsigned)gather->n, plural(gather->n));
	else if (gather)
		request_forward(swman, request);
	if (gather)
		gather_free((struct gather *)gather);
}

void several_handle(struct swman *swman, const struct wire_view *view)
{
	struct gather *gather;

	switch (view->type) {
	case WIRE_LOAD:
		several_load(swman, view);
		break;
	case WIRE_LIST:
		list_ask(swman, view, list_gathered);
		break;
	case WIRE_START:
	case WIRE_PAUSE:
		change_ask(swman, view);
		break;
	case WIRE_STEP:
		step_begin(swman, view);
		break;
	case WIRE_STOP:
		stop_begin(swman, view);
		break;
	case WIRE_UNLOAD:
		unload_begin(swman, view);
		break;
	case WIRE_STATUS:
		gather = gather_run(swman, view);
		if (gather)
			status_ask(swman, gather, status_known);
		break;
	case WIRE_MISSES:
		misses_ask(swman, view);
		break;
	case WIRE_SAMPLES:
	case WIRE_TRACE:
		request_forward(swman, view);
		break;
	case WIRE_REMAP:
		daemon_fail(&swman->daemon, view, 2,
		    "a waveform of a platform cannot be moved while it is loaded: the messages "
		    "that are on their way between nodes would arrive at places that are no "
		    "longer theirs; unload it and load it again");
		break;
	case WIRE_RECORD:
		daemon_fail(&swman->daemon, view, 2,
		    "a waveform of a platform cannot be recorded while it is loaded; record the "
		    "waveform on one node, or tap its outputs with `aloe tap`");
		break;
	case WIRE_EVENT:
		if (!swman_delays_take(swman, view))
			event_take(swman, view);
		break;
	case WIRE_DAEMON:
		daemon_event(swman, view);
		break;
	default:
		daemon_fail(&swman->daemon, view, 2, "aloe-swman does not know %s",
		    wire_type_name(view->type));
	}
}
