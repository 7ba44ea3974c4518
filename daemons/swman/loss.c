/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/swman/loss.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/report/report.h"
#include "daemons/swman/orders.h"

enum { WHY = 1000 };

static void loss_look(void *self);

/* ---- where a waveform is ---- */

static int nodes_set(struct swman_run *run, const uint32_t *nodes, uint32_t n)
{
	uint32_t *copy = calloc(n + 1, sizeof(*copy));
	bool *empty = calloc(n + 1, sizeof(*empty));

	if (!copy || !empty) {
		free(copy);
		free(empty);
		return -ENOMEM;
	}
	memcpy(copy, nodes, n * sizeof(*copy));
	free(run->nodes);
	free(run->empty);
	run->nodes = copy;
	run->empty = empty;
	run->n_nodes = n;
	return 0;
}

int loss_place(
    struct swman_run *run, const struct image_view *view, const uint32_t *nodes, uint32_t n_nodes)
{
	run->slot_ns = view->head->clock == IMAGE_TIMER ? view->head->slot_ns : 0;
	run->load_id = view->head->load_id;
	run->on_loss = (enum image_node_loss)view->head->on_node_loss;
	run->lease_ns = view->head->lease_ms * CLUSTER_MS;
	return nodes_set(run, nodes, n_nodes);
}

void loss_settled(struct swman_run *run)
{
	if (run->n_nodes > 0) /* each has said that it is ready */
		memset(run->empty, 0, run->n_nodes * sizeof(*run->empty));
	run->settled = true;
}

static uint64_t load_id_of(const json_t *listed)
{
	return strtoull(report_text(listed, "load_id"), NULL, 16);
}

static enum image_node_loss policy_of(const json_t *listed)
{
	const char *word = report_text(listed, "on_node_loss");

	if (strcmp(word, "stop") == 0)
		return IMAGE_LOSS_STOP;
	return strcmp(word, "restart") == 0 ? IMAGE_LOSS_RESTART : IMAGE_LOSS_HOLD;
}

/* The same from the list of a node, for a manager that was started again. */
static void listed_place(
    const struct swman *swman, struct swman_run *run, const json_t *listed, uint32_t node)
{
	const json_t *names = json_object_get(listed, "nodes");
	uint32_t nodes[PLATFORM_NODES_MAX], n = 0;

	for (size_t i = 0; i < json_array_size(names) && n < PLATFORM_NODES_MAX; i++) {
		const char *name = json_string_value(json_array_get(names, i));

		nodes[n] =
		    name ? machines_find(&swman->machines, name, strlen(name)) : MACHINES_NONE;
		n += nodes[n] != MACHINES_NONE;
	}
	if (n == 0) /* its program knows no other node */
		nodes[n++] = node;
	run->slot_ns = strcmp(report_text(listed, "clock"), "timer") == 0
	    ? (uint64_t)report_number(listed, "slot_ns")
	    : 0;
	run->load_id = load_id_of(listed);
	run->on_loss = policy_of(listed);
	run->lease_ns = (uint64_t)report_number(listed, "lease_ms") * CLUSTER_MS;
	run->settled = nodes_set(run, nodes, n) == 0;
}

/* ---- who is lost ---- */

static struct cluster_node part_of(
    const struct swman *swman, const struct swman_run *run, uint32_t i)
{
	const struct swman_node *node = &swman->nodes[run->nodes[i]];

	if (node->silent)
		return (struct cluster_node){CLUSTER_SILENT, node->heard_ns};
	return (struct cluster_node){run->empty[i] ? CLUSTER_EMPTY : CLUSTER_RUNS, 0};
}

static bool is_lost(
    const struct swman *swman, const struct swman_run *run, uint32_t i, uint64_t now)
{
	const struct cluster_node part = part_of(swman, run, i);

	return cluster_lost(&part, run->on_loss == IMAGE_LOSS_RESTART ? run->lease_ns : 0, now);
}

/* The nodes that are lost, and how that is known. */
static void lost_text(
    const struct swman *swman, const struct swman_run *run, char *ret, size_t size)
{
	const uint64_t now = clock_ns();
	size_t len = 0;

	ret[0] = 0;
	for (uint32_t i = 0; i < run->n_nodes && len < size; i++) {
		const struct cluster_node part = part_of(swman, run, i);
		const char *name = machines_name(&swman->machines, run->nodes[i]);

		if (!is_lost(swman, run, i, now))
			continue;
		len += (size_t)snprintf(
		    ret + len, size - len, "%snode \"%s\" is lost (", len ? ", " : "", name);
		if (len < size && part.part == CLUSTER_SILENT)
			len += (size_t)snprintf(ret + len, size - len,
			    "nothing was heard of it for %.1f s)",
			    (double)(now - part.heard_ns) * 1e-9);
		else if (len < size)
			len += (size_t)snprintf(
			    ret + len, size - len, "it was started again, without its part)");
	}
}

/* Those that are lost are none of its nodes any more: what they have of it is stale. */
static void lost_drop(const struct swman *swman, struct swman_run *run)
{
	const uint64_t now = clock_ns();
	uint32_t left = 0;

	for (uint32_t i = 0; i < run->n_nodes; i++)
		if (!is_lost(swman, run, i, now)) {
			run->nodes[left] = run->nodes[i];
			run->empty[left++] = run->empty[i];
		}
	run->n_nodes = left;
}

/* ---- stop ---- */

static void order_done(struct swman *swman, struct gather *gather)
{
	const struct gather_answer *failed = gather_failed(gather);

	if (failed)
		gather_fail(swman, gather, failed);
	gather_free(gather);
}

static void rest_stopped(struct swman *swman, struct gather *gather)
{
	order_done(swman, gather);
	swman_sweep_start(swman);
}

/* more: why it is not loaded anew; NULL: it was not to be. */
static void rest_stop(struct swman *swman, struct swman_run *run, const char *more)
{
	char lost[WHY], why[2 * WHY];
	struct gather *gather;
	struct wire_msg msg;

	lost_text(swman, run, lost, sizeof(lost));
	if (more)
		snprintf(why, sizeof(why),
		    "%s, and the waveform cannot be loaded anew on what is left: %s", lost, more);
	else
		snprintf(why, sizeof(why),
		    "%s; on_node_loss = \"stop\" stops what is left of the waveform", lost);
	log_warning(&swman->daemon.log, "%s: stopped: %s", run->waveform, why);
	lost_drop(swman, run);
	run->ending = true; /* nobody kills the hosts, which finish */
	run->acting = false;
	gather = gather_new(NULL, run->waveform, run->nodes, run->n_nodes);
	if (!gather)
		log_error(&swman->daemon.log, "%s: what is left cannot be stopped: out of memory",
		    run->waveform);
	if (run->n_nodes == 0)
		swman_run_drop(swman, run->waveform, run->saved);
	if (!gather)
		return;
	order_make(&msg, WIRE_STOP, gather->waveform);
	wire_put_text(&msg, WIRE_TAG_TEXT, why);
	gather_ask(swman, gather, &msg, rest_stopped);
}

/* ---- restart ---- */

static void anew_list(struct swman *swman, struct gather *gather);

/* What is loaded on all nodes but the waveform itself, each with its node. */
static json_t *others_list(const struct swman *swman, const struct gather *gather)
{
	json_t *list = json_array(), *waveform;
	size_t n;

	for (uint32_t i = 0; i < gather->n; i++) {
		json_t *one = gather_json(&gather->answers[i]);

		json_array_foreach(one, n, waveform)
		{
			if (strcmp(report_text(waveform, "name"), gather->waveform) == 0)
				continue;
			json_object_set_new(waveform, "node",
			    json_string(machines_name(&swman->machines, gather->answers[i].node)));
			json_array_append(list, waveform);
		}
		json_decref(one);
	}
	return list;
}

static bool load_of(const struct gather *gather, struct wire_view *ret)
{
	return gather->request && wire_decode(gather->request, gather->request_len, ret) == 0;
}

static void anew_loaded(struct swman *swman, const char *waveform, const char *why)
{
	if (why)
		log_error(&swman->daemon.log, "%s: it could not be loaded anew: %s", waveform, why);
}

static void anew_load(struct swman *swman, struct gather *gather)
{
	struct load_anew anew = {.waveform = gather->waveform,
	    .note = gather->text,
	    .starts = gather->known,
	    .done = anew_loaded};
	struct wire_view load;
	json_t *list;

	if (gather->slot != swman->prepares) { /* what is taken has changed since */
		anew_list(swman, gather);
		return;
	}
	list = others_list(swman, gather);
	if (load_of(gather, &load))
		swman_load_anew(swman, &load, list, &anew);
	json_decref(list);
	gather_free(gather);
}

static void anew_list(struct swman *swman, struct gather *gather)
{
	struct wire_msg msg;

	gather->slot = swman->prepares;
	order_make(&msg, WIRE_LIST, "");
	gather_ask(swman, gather, &msg, anew_load);
}

/* By force what a node does not know, or no longer, is no reason to keep the rest. */
static void anew_unloaded(struct swman *swman, struct gather *gather)
{
	const struct swman_run *run = swman_run_find(swman, gather->waveform);
	struct wire_view load;
	struct gather *next;

	swman_run_drop(swman, gather->waveform, run && run->saved);
	next = load_of(gather, &load) ? gather_all(swman, &load) : NULL;
	if (next) {
		snprintf(next->waveform, sizeof(next->waveform), "%s", gather->waveform);
		next->text = gather->text;
		next->known = gather->known;
		gather->text = NULL;
		anew_list(swman, next);
	} else {
		anew_loaded(swman, gather->waveform, "out of memory");
	}
	gather_free(gather);
}

static void anew_looked(struct swman *swman, struct gather *gather)
{
	order_unload(swman, gather, true, anew_unloaded);
}

/* There is a plan, or there is none, and nothing has changed yet. */
static void anew_planned(struct swman *swman, const char *waveform, const char *why)
{
	struct swman_run *run = swman_run_find(swman, waveform);
	struct gather *gather = NULL;
	struct wire_view load;
	struct wire_msg msg;
	char lost[WHY];

	if (!run)
		return;
	if (why) {
		rest_stop(swman, run, why);
		return;
	}
	lost_text(swman, run, lost, sizeof(lost));
	if (wire_decode(run->load, run->load_len, &load) == 0)
		gather = gather_new(&load, waveform, run->nodes, run->n_nodes);
	if (!gather) {
		rest_stop(swman, run, "out of memory");
		return;
	}
	gather->known = run->starts;
	if (asprintf(&gather->text,
	        "!%s; the waveform was loaded anew on what is left, from index 0, and its state "
	        "until then is gone\n",
	        lost) < 0)
		gather->text = NULL;
	log_warning(&swman->daemon.log, "%s: %s; it is loaded anew on what is left, from index 0",
	    waveform, lost);
	order_make(&msg, WIRE_STATUS, waveform);
	gather_ask(swman, gather, &msg, anew_looked);
}

static bool runs_there(const struct gather *gather)
{
	bool runs = false;

	for (uint32_t i = 0; i < gather->n; i++) {
		json_t *one = gather_json(&gather->answers[i]), *waveform;
		size_t n;

		json_array_foreach(one, n, waveform)
		{
			runs |= strcmp(report_text(waveform, "name"), gather->waveform) == 0 &&
			    strcmp(report_text(waveform, "state"), "RUN") == 0;
		}
		json_decref(one);
	}
	return runs;
}

static void anew_listed(struct swman *swman, struct gather *gather)
{
	struct swman_run *run = swman_run_find(swman, gather->waveform);
	struct load_anew anew = {.waveform = gather->waveform, .dry = true, .done = anew_planned};
	json_t *list = others_list(swman, gather);
	struct wire_view load;

	if (run && run->acting) {
		run->starts |= runs_there(gather);
		if (run->load && wire_decode(run->load, run->load_len, &load) == 0)
			swman_load_anew(swman, &load, list, &anew);
		else
			rest_stop(
			    swman, run, "aloe-swman no longer knows how the waveform was loaded");
	}
	json_decref(list);
	gather_free(gather);
}

static void waveform_restart(struct swman *swman, struct swman_run *run)
{
	struct gather *gather = gather_all(swman, NULL);
	struct wire_msg msg;

	if (!gather)
		return;
	run->acting = true;
	snprintf(gather->waveform, sizeof(gather->waveform), "%s", run->waveform);
	order_make(&msg, WIRE_LIST, "");
	gather_ask(swman, gather, &msg, anew_listed);
}

/* ---- what is to be done ---- */

static enum cluster_act loss_decide(
    const struct swman *swman, const struct swman_run *run, uint64_t now, uint64_t *ret_due_ns)
{
	struct cluster_node parts[PLATFORM_NODES_MAX];
	const uint32_t n = run->n_nodes < PLATFORM_NODES_MAX ? run->n_nodes : PLATFORM_NODES_MAX;

	*ret_due_ns = 0;
	if (!run->settled || run->acting || run->saved || run->ending)
		return CLUSTER_GO_ON;
	for (uint32_t i = 0; i < n; i++)
		parts[i] = part_of(swman, run, i);
	return cluster_decide(run->on_loss, run->lease_ns, parts, n, now, ret_due_ns);
}

static void look_at(struct swman *swman, uint64_t due_ns, uint64_t now)
{
	if (!swman->loss.on || swman->loss.at_ns > due_ns)
		loop_timer_start(&swman->daemon.loop, &swman->loss, due_ns > now ? due_ns - now : 0,
		    loss_look, swman);
}

/* One waveform at a time: what is done for it may change the list. */
static void loss_look(void *self)
{
	struct swman *swman = self;
	const uint64_t now = clock_ns();

	for (struct swman_run *run = swman->runs; run; run = run->next) {
		uint64_t due;
		const enum cluster_act act = loss_decide(swman, run, now, &due);

		if (act == CLUSTER_GO_ON)
			continue;
		if (act == CLUSTER_WAIT) {
			look_at(swman, due, now);
			continue;
		}
		look_at(swman, now, now);
		if (act == CLUSTER_STOP_REST)
			rest_stop(swman, run, NULL);
		else
			waveform_restart(swman, run);
		return;
	}
}

void loss_node(struct swman *swman, const char *name, bool there, uint64_t heard_ns)
{
	const uint32_t node = machines_find(&swman->machines, name, strlen(name));

	if (node == MACHINES_NONE)
		return;
	swman->nodes[node] = (struct swman_node){!there, there ? 0 : heard_ns};
	if (!there) {
		swman_silence_forget(swman, node);
		look_at(swman, clock_ns(), clock_ns());
	}
}

/* ---- what the nodes say ---- */

static void stale_unload(struct swman *swman, const char *waveform, uint32_t node)
{
	struct gather *gather = gather_new(NULL, waveform, &node, 1);
	struct wire_msg msg;

	if (!gather)
		return;
	log_warning(&swman->daemon.log,
	    "%s: node \"%s\" has a load of it that was given up; it is unloaded there", waveform,
	    machines_name(&swman->machines, node));
	order_make(&msg, WIRE_UNLOAD, waveform);
	wire_put_u64(&msg, WIRE_TAG_FORCE, 1);
	gather_ask(swman, gather, &msg, order_done);
}

static void go_on(struct swman *swman, const struct swman_run *run, uint32_t node)
{
	struct gather *gather = gather_new(NULL, run->waveform, &node, 1);
	struct wire_msg msg;

	if (!gather)
		return;
	order_make(&msg, WIRE_GO_ON, run->waveform);
	wire_put_u64(&msg, WIRE_TAG_LOAD_ID, run->load_id);
	gather_ask(swman, gather, &msg, order_done);
}

static uint32_t place_in(const struct swman_run *run, uint32_t node)
{
	uint32_t i = 0;

	while (i < run->n_nodes && run->nodes[i] != node)
		i++;
	return i;
}

static void listed_judge(struct swman *swman, const json_t *listed, uint32_t node)
{
	const char *name = report_text(listed, "name");
	struct swman_run *run = swman_run_find(swman, name);
	uint32_t at;
	bool same;

	if (!run || !run->settled || run->acting)
		return;
	at = place_in(run, node);
	same = load_id_of(listed) == run->load_id;
	if (at < run->n_nodes && same)
		run->empty[at] = false;
	switch (cluster_load_is(
	    same, at < run->n_nodes, json_is_true(json_object_get(listed, "held")))) {
	case CLUSTER_STALE:
		stale_unload(swman, name, node);
		break;
	case CLUSTER_HELD:
		go_on(swman, run, node);
		break;
	case CLUSTER_OWN:
		break;
	}
}

/* held: also those that are held, of which another load may run. */
static void listed_places(struct swman *swman, const json_t *list, uint32_t node, bool held)
{
	json_t *listed;
	size_t n;

	json_array_foreach(list, n, listed)
	{
		struct swman_run *run = swman_run_find(swman, report_text(listed, "name"));

		if (run && run->n_nodes == 0 && !run->settled &&
		    json_is_true(json_object_get(listed, "held")) == held)
			listed_place(swman, run, listed, node);
	}
}

/* Until its list says otherwise, a node that has answered has no part. */
static void parts_forget(struct swman *swman, uint32_t node)
{
	for (struct swman_run *run = swman->runs; run; run = run->next)
		if (place_in(run, node) < run->n_nodes)
			run->empty[place_in(run, node)] = true;
}

static void silence_learn(struct swman *swman, const struct gather_answer *answer)
{
	struct swman_node *node = &swman->nodes[answer->node];

	if (answer->away && !node->silent)
		*node = (struct swman_node){true, clock_ns()};
	else if (answer->ok)
		node->silent = false;
}

void loss_learned(struct swman *swman, const struct gather *gather, bool current)
{
	json_t **lists = calloc(gather->n + 1, sizeof(json_t *)), *listed;
	size_t n;

	for (uint32_t i = 0; lists && i < gather->n; i++) {
		silence_learn(swman, &gather->answers[i]);
		lists[i] = gather_json(&gather->answers[i]);
	}
	for (uint32_t i = 0; lists && i < gather->n; i++)
		listed_places(swman, lists[i], gather->answers[i].node, false);
	for (uint32_t i = 0; lists && i < gather->n; i++)
		listed_places(swman, lists[i], gather->answers[i].node, true);
	for (uint32_t i = 0; lists && current && i < gather->n; i++) {
		const uint32_t node = gather->answers[i].node;

		if (lists[i])
			parts_forget(swman, node);
		json_array_foreach(lists[i], n, listed)
		{
			listed_judge(swman, listed, node);
		}
	}
	for (uint32_t i = 0; lists && i < gather->n; i++)
		json_decref(lists[i]);
	free(lists);
	look_at(swman, clock_ns(), clock_ns());
}
