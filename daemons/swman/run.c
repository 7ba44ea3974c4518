/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs: their folders, and when they are saved. */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/measure/local.h"
#include "core/report/report.h"
#include "core/report/store.h"
#include "daemons/swman/upgrades.h"

/* A run that is not over has this file in its folder: the runtime directory of the node that it
 * belongs to. */
static const char mark[] = "node";
/* ... and this: the LOAD request. */
static const char load_file[] = "load";

struct swman_run *swman_run_find(struct swman *swman, const char *waveform)
{
	for (struct swman_run *run = swman->runs; run; run = run->next)
		if (!strcmp(run->waveform, waveform))
			return run;
	return NULL;
}

static struct swman_run *run_add(struct swman *swman, const char *waveform)
{
	struct swman_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	snprintf(run->waveform, sizeof(run->waveform), "%s", waveform);
	run->next = swman->runs;
	swman->runs = run;
	return run;
}

static int file_write_in(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return file_write(path, text, strlen(text));
}

static void file_remove_in(const char *dir, const char *name)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

static int bytes_in(const char *dir, const char *name, const void *bytes, size_t len)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return file_write(path, bytes, len);
}

int swman_run_begin(
    struct swman *swman, const char *waveform, const char *text, const struct wire_view *load)
{
	struct swman_run *run = run_add(swman, waveform);
	int rc;

	if (!run)
		return -ENOMEM;
	run->sets = json_array();
	run->load = malloc(load->len);
	run->load_len = run->load ? load->len : 0;
	if (run->load)
		memcpy(run->load, load->bytes, load->len);
	rc = store_run_new(swman->state, waveform, time(NULL), run->dir, sizeof(run->dir));
	if (rc < 0) {
		run->dir[0] = 0;
		return rc;
	}
	rc = file_write_in(run->dir, mark, swman->daemon.args.dir);
	if (rc == 0)
		rc = bytes_in(run->dir, load_file, load->bytes, load->len);
	return rc < 0 ? rc : file_write_in(run->dir, "waveform.conf", text);
}

void swman_run_replan(struct swman *swman, const char *waveform, const char *plan)
{
	const struct swman_run *run = swman_run_find(swman, waveform);

	if (run && run->dir[0] && (!plan || file_write_in(run->dir, "plan.txt", plan) < 0))
		log_warning(&swman->daemon.log, "%s: the plan could not be saved", run->dir);
}

void swman_run_drop(struct swman *swman, const char *waveform, bool keep)
{
	struct swman_run **at = &swman->runs, *run;

	while (*at && strcmp((*at)->waveform, waveform) != 0)
		at = &(*at)->next;
	run = *at;
	if (!run)
		return;
	*at = run->next;
	upgrades_forget(run);
	if (run->dir[0] && !keep) {
		file_remove_in(run->dir, mark);
		file_remove_in(run->dir, load_file);
		file_remove_in(run->dir, "waveform.conf");
		file_remove_in(run->dir, "plan.txt");
		file_remove_in(run->dir, "misses.jsonl");
		rmdir(run->dir);
	}
	free(run->load);
	free(run->record);
	json_decref(run->sets);
	free(run->nodes);
	free(run->empty);
	free(run->note);
	shape_kept_fini(&run->shape);
	free(run);
}

/* folder_find finds the folder of a run of this node that is not over, and how it was loaded. */
static void folder_find(const struct swman *swman, struct swman_run *run)
{
	const size_t len = strlen(run->waveform);
	char path[PATH_MAX + 300], *node, *text;
	struct dirent *entry;
	size_t node_len;
	DIR *dir;

	if (run->dir[0] || run->saved)
		return;
	snprintf(path, sizeof(path), "%s/runs", swman->state);
	dir = opendir(path);
	while (dir && !run->dir[0] && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, run->waveform, len) != 0 || entry->d_name[len] != '-')
			continue;
		snprintf(path, sizeof(path), "%s/runs/%s/%s", swman->state, entry->d_name, mark);
		if (file_read(path, PATH_MAX, &node, &node_len) < 0)
			continue;
		if (!strcmp(node, swman->daemon.args.dir))
			path_print(
			    run->dir, sizeof(run->dir), "%s/runs/%s", swman->state, entry->d_name);
		free(node);
	}
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "%s/%s", run->dir, load_file);
	if (run->dir[0] && !run->load &&
	    file_read(path, WIRE_BYTES_MAX, &text, &run->load_len) == 0)
		run->load = (uint8_t *)text;
}

/* ---- saving ------------------------------------------------------------------------ */

/* As a tree a report is larger than all that the daemon has besides: its pages are given back, and
 * not only those behind all that stays. */
static void report_drop(json_t *report)
{
	json_decref(report);
	if (report)
		malloc_trim(0);
}

static json_t *report_take(const struct wire_view *answer)
{
	const void *text;
	size_t len;

	if (!answer || answer->type != WIRE_OK ||
	    wire_get_bytes(answer, WIRE_TAG_JSON, 0, &text, &len) < 0)
		return NULL;
	return json_loadb(text, len, 0, NULL);
}

static void profile_write(struct swman *swman, const json_t *report)
{
	struct local_platform platform;
	struct diag diag;
	int rc;

	diag_init(&diag);
	local_platform(swman->state, &platform);
	rc = report_failed(report)
	    ? 0
	    : store_profile_write(swman->state, report, &platform.rates, &diag);
	if (rc < 0)
		log_warning(&swman->daemon.log, "the profile could not be saved: %s",
		    diag.len ? diag.lines[0] : strerror(-rc));
	diag_fini(&diag);
}

void swman_run_learn(struct swman *swman, const struct wire_view *status)
{
	json_t *report = report_take(status);
	struct swman_run *run =
	    report ? swman_run_find(swman, report_text(report, "waveform")) : NULL;

	if (run)
		upgrades_learn(run, report);
	if (report)
		profile_write(swman, report);
	report_drop(report);
}

static void run_save(struct swman *swman, struct swman_run *run, const json_t *report)
{
	const int rc = run->dir[0] ? store_run_write(run->dir, report) : 0;

	run->saved = true;
	run->ending = false;
	if (rc < 0)
		log_warning(&swman->daemon.log, "%s: the report could not be saved: %s", run->dir,
		    strerror(-rc));
	if (run->dir[0]) {
		file_remove_in(run->dir, mark);
		file_remove_in(run->dir, load_file);
	}
	profile_write(swman, report);
}

static bool answer_ended(const struct wire_view *answer)
{
	char *state = wire_get_text(answer, WIRE_TAG_STATE, 0);
	const bool ended = state && !strcmp(state, "ended");

	free(state);
	return ended;
}

/* exec has no such waveform. What dies over a question fails it with another code. */
static bool answer_unknown(const struct wire_view *answer)
{
	uint64_t code;

	return answer && answer->type == WIRE_FAIL &&
	    wire_get_u64(answer, WIRE_TAG_CODE, &code) == 0 && code == 2;
}

/* One that exec is asked about just now may be on its way. */
static bool is_asked_about(const struct swman *swman, const char *waveform)
{
	const struct swman_call *call = swman->calls;

	while (call && strcmp(call->waveform, waveform) != 0)
		call = call->next;
	return call != NULL;
}

/* report_look looks at a report that came from exec: a run that is over is saved, once. The report
 * of one that goes on is only passed on: as a tree it is larger than all that the daemon has
 * besides. A run that exec does not know is forgotten. */
static struct swman_run *report_look(
    struct swman *swman, const char *waveform, const struct wire_view *answer, bool over)
{
	struct swman_run *run = swman_run_find(swman, waveform);
	json_t *report;

	if (run && answer_unknown(answer) && !is_asked_about(swman, waveform)) {
		swman_run_drop(swman, waveform, run->saved);
		return NULL;
	}
	if (!answer || answer->type != WIRE_OK)
		return run;
	if (!run)
		run = run_add(swman, waveform);
	if (run)
		folder_find(swman, run);
	if (!run || run->saved || !(over || answer_ended(answer)))
		return run;
	report = report_take(answer);
	if (report && report_number(report, "started") != 0)
		run_save(swman, run, report);
	report_drop(report);
	return run;
}

struct swman_run *swman_run_report(
    struct swman *swman, const char *waveform, const json_t *report, bool over)
{
	struct swman_run *run = swman_run_find(swman, waveform);

	if (run && !run->saved && over && report_number(report, "started") != 0)
		run_save(swman, run, report);
	return run;
}

/* started: the report is to be kept, so that of what has not run none is made. */
static void status_ask(struct swman *swman, struct swman_call *call, bool started,
    void (*done)(struct swman *swman, struct swman_call *call, const struct wire_view *answer))
{
	struct wire_msg msg;

	wire_init(&msg, WIRE_STATUS, WIRE_SWMAN, WIRE_EXEC, 0);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, call->waveform);
	if (started)
		wire_put_text(&msg, WIRE_TAG_STATE, "started");
	swman_ask(swman, call, &msg, done);
}

static void status_done(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	const struct swman_run *run = report_look(swman, call->waveform, answer, false);

	swman_pass(swman, call, answer, run && run->saved && run->dir[0] ? run->dir : NULL);
}

/* call_of starts a call for a request that names a waveform; answers itself when it does not. */
static struct swman_call *call_of(struct swman *swman, const struct wire_view *request)
{
	char *waveform = wire_get_text(request, WIRE_TAG_WAVEFORM, 0);
	struct swman_call *call = waveform ? swman_call_new(request, waveform) : NULL;

	if (!call)
		daemon_fail(&swman->daemon, request, waveform ? 1 : 2, "%s",
		    waveform ? "out of memory" : "the name of a waveform is needed");
	free(waveform);
	return call;
}

void swman_status(struct swman *swman, const struct wire_view *request)
{
	struct swman_call *call = call_of(swman, request);

	if (call)
		status_ask(swman, call, false, status_done);
}

/* ---- UNLOAD ------------------------------------------------------------------------ */

static void unload_done(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	const struct swman_run *run = swman_run_find(swman, call->waveform);
	const bool was_gone = call->force && call->known && answer_unknown(answer);
	struct wire_view request;

	if (was_gone || (answer && answer->type == WIRE_OK))
		swman_run_drop(swman, call->waveform, run && run->saved);
	if (was_gone && wire_decode(call->request, call->request_len, &request) == 0)
		daemon_ok(&swman->daemon, &request);
	else
		swman_pass(swman, call, answer, NULL);
}

/* The next question about the same waveform; NULL: there is none, and who asked has been told. By
 * force it is asked whatever the answer to this one was: exec may not know the waveform, or no
 * longer. */
static struct swman_call *unload_next(
    struct swman *swman, const struct swman_call *call, const struct wire_view *answer)
{
	const bool ok = answer && answer->type == WIRE_OK;
	struct wire_view request;
	struct swman_call *next;

	if (!answer || (!ok && !call->force)) {
		swman_pass(swman, call, answer, NULL);
		return NULL;
	}
	next = wire_decode(call->request, call->request_len, &request) == 0
	    ? swman_call_new(&request, call->waveform)
	    : NULL;
	if (!next) {
		swman_fail(swman, call, 1, "out of memory");
		return NULL;
	}
	next->force = call->force;
	next->known = call->known || (call->force && ok);
	return next;
}

static void unload_ask(struct swman *swman, struct swman_call *call, enum wire_type type,
    void (*done)(struct swman *swman, struct swman_call *call, const struct wire_view *answer))
{
	struct wire_msg msg;

	wire_init(&msg, type, WIRE_SWMAN, WIRE_EXEC, 0);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, call->waveform);
	if (call->force)
		wire_put_u64(&msg, WIRE_TAG_FORCE, 1);
	swman_ask(swman, call, &msg, done);
}

/* The answer to STATUS before UNLOAD: the last report there will be. */
static void unload_looked(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	struct swman_call *next = unload_next(swman, call, answer);

	if (!next)
		return;
	if (answer->type == WIRE_OK)
		report_look(swman, call->waveform, answer, true);
	unload_ask(swman, next, WIRE_UNLOAD, unload_done);
}

/* STOP before UNLOAD, so that the report which is kept is the final one. One that is kept already
 * is not asked for again. */
static void unload_stopped(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	struct swman_call *next = unload_next(swman, call, answer);
	const struct swman_run *run = swman_run_find(swman, call->waveform);

	if (next && run && run->saved)
		unload_ask(swman, next, WIRE_UNLOAD, unload_done);
	else if (next)
		status_ask(swman, next, true, unload_looked);
}

void swman_unload(struct swman *swman, const struct wire_view *request)
{
	struct swman_call *call = call_of(swman, request);
	uint64_t force = 0;

	if (!call)
		return;
	call->force = wire_get_u64(request, WIRE_TAG_FORCE, &force) == 0 && force != 0;
	call->known = call->force && swman_run_find(swman, call->waveform) != NULL;
	unload_ask(swman, call, WIRE_STOP, unload_stopped);
}

/* ---- by itself ------------------------------------------------------------------------ */

static void ending_done(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	struct swman_run *run = report_look(swman, call->waveform, answer, false);

	if (run)
		run->asking = false;
	if (run && answer && answer->type == WIRE_FAIL)
		run->ending = false; /* gone meanwhile */
	if (run && run->ending)
		swman_sweep_start(swman);
}

/* One that exec is asked about just now waits for the next sweep: the answer may be its report, and
 * that of a large waveform need not be made twice. If it is none, the sweep asks. */
static void one_ending_ask(struct swman *swman, struct swman_run *run)
{
	struct swman_call *call;

	if (!run->asking && is_asked_about(swman, run->waveform)) {
		swman_sweep_start(swman);
		return;
	}
	call = run->asking ? NULL : swman_call_new(NULL, run->waveform);
	if (!call)
		return;
	run->asking = true;
	status_ask(swman, call, false, ending_done);
}

static void ending_ask(struct swman *swman, struct swman_run *run)
{
	if (swman->machines.model) {
		swman->ending_on(swman, run);
		return;
	}
	one_ending_ask(swman, run);
}

static bool is_stopped(const char *state)
{
	return state && (!strcmp(state, "STOP") || !strcmp(state, "ABNSTOP"));
}

void swman_event(struct swman *swman, const struct wire_view *event)
{
	char *waveform = wire_get_text(event, WIRE_TAG_WAVEFORM, 0),
	     *state = wire_get_text(event, WIRE_TAG_STATE, 0);
	struct swman_run *run = waveform ? swman_run_find(swman, waveform) : NULL;

	if (run)
		swman_record_event(swman, run, event);
	if (run && state && !strcmp(state, "GONE")) {
		if (!is_asked_about(swman, waveform))
			swman_run_drop(swman, waveform, run->saved);
	} else if (run && !run->saved && is_stopped(state)) {
		run->ending = true;
		ending_ask(swman, run);
	}
	free(waveform);
	free(state);
}

void swman_runs_sweep(struct swman *swman)
{
	for (struct swman_run *run = swman->runs; run; run = run->next)
		if (run->ending)
			ending_ask(swman, run);
}

/* ---- after a restart ------------------------------------------------------------------------ */

/* What is to be done about a node that comes back without its part says loss.c. */
static bool is_awaited(const struct swman_run *run)
{
	return run->settled && !run->saved && run->on_loss != IMAGE_LOSS_HOLD;
}

/* others_forget drops runs that exec does not have. */
static void others_forget(struct swman *swman, const json_t *list)
{
	struct swman_run *run = swman->runs, *next;

	for (; run; run = next) {
		next = run->next;
		if (!is_awaited(run) && !is_asked_about(swman, run->waveform) &&
		    !report_find(list, "name", run->waveform))
			swman_run_drop(swman, run->waveform, run->saved);
	}
}

static void list_learned(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	json_t *list = report_take(answer);

	(void)call;
	swman_run_list(swman, list, true);
	json_decref(list);
}

void swman_run_list(struct swman *swman, const json_t *list, bool whole)
{
	json_t *waveform;
	size_t n;

	if (json_is_array(list) && whole)
		others_forget(swman, list);
	json_array_foreach(list, n, waveform)
	{
		const char *name = report_text(waveform, "name");
		struct swman_run *run = swman_run_find(swman, name);
		if (!run && !strcmp(report_text(waveform, "state"), "LOADED"))
			/* being prepared: nobody here waits for it any more, and it may yet be
			 * refused */
			continue;
		if (!run)
			run = run_add(swman, name);
		if (run)
			folder_find(swman, run);
		if (run && !run->saved && is_stopped(report_text(waveform, "state"))) {
			run->ending = true;
			ending_ask(swman, run);
		}
	}
}

struct swman_run *swman_run_known(struct swman *swman, const char *waveform)
{
	struct swman_run *run = swman_run_find(swman, waveform);

	const bool known = run != NULL;

	if (!known && !(run = run_add(swman, waveform)))
		return NULL;
	folder_find(swman, run);
	if (known || run->dir[0])
		return run;
	swman_run_drop(swman, waveform, true);
	return NULL;
}

void swman_runs_learn(struct swman *swman)
{
	struct swman_call *call = swman_call_new(NULL, NULL);
	struct wire_msg msg;

	if (!call)
		return;
	wire_init(&msg, WIRE_LIST, WIRE_SWMAN, WIRE_EXEC, 0);
	swman_ask(swman, call, &msg, list_learned);
}
