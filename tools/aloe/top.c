/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe top: the live table of one waveform of a node, or of all.
 *
 *	STATUS of each ---> reports ---> core/report/view.h ---> core/cli/term.h
 *	keys ---> tools/aloe/view_keys.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "tools/aloe/client.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/live.h"
#include "tools/aloe/show.h"
#include "tools/aloe/view_keys.h"

enum { ASK_MS = 1500, LOOK_MS = 500 };

struct top {
	const struct cli_args *args;
	struct client client;
	struct live_view live;
	json_t *reports;
	bool once; /* it waits as other commands do, and says for what */
	uint64_t interval_ms;
	uint64_t asked_ns; /* since when the node has not answered; 0: it has */
};

/* ---- reports ---- */

/* What is said now stands below the table. */
static void top_leave(struct top *top)
{
	term_leave(&top->live.term);
	fflush(stdout);
}

/* 0: there is an answer; 1 (again and again): none in time, or the node is being followed by
 * another; the exit status, negated, after saying why. */
static int top_ask(struct top *top, struct wire_msg *msg, struct wire_view *ret_view)
{
	const uint64_t now = clock_ns();
	const int rc = client_ask(&top->client, msg, top->once ? CLIENT_CALL_MS : ASK_MS, ret_view);

	if (rc == 0) {
		top->asked_ns = 0;
		return 0;
	}
	top->asked_ns = top->asked_ns ? top->asked_ns : now;
	top->client.asked_ns = 0; /* the table says how long */
	if (!top->once && (rc == -ETIMEDOUT || rc == -ECONNRESET) &&
	    clock_ns() - top->asked_ns < CLIENT_CALL_MS * 1000000ull)
		return 1;
	top_leave(top);
	return -client_judge(rc, ret_view);
}

/* A waveform that is not there any more is none of all. */
static int report_add(struct top *top, const char *waveform, bool one, json_t *reports)
{
	struct wire_view view;
	struct wire_msg msg;
	json_t *report;
	int rc;

	client_request(&top->client, WIRE_STATUS, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
	rc = top_ask(top, &msg, &view);
	if (rc != 0 || (view.type != WIRE_OK && !one))
		return rc;
	if (view.type != WIRE_OK) {
		top_leave(top);
		return -client_judge(0, &view);
	}
	report = client_json(&view);
	if (report)
		json_array_append_new(reports, report);
	return report ? 0 : -CLI_FAILED;
}

static int list_ask(struct top *top, json_t **ret_list)
{
	struct wire_view view;
	struct wire_msg msg;
	int rc;

	client_request(&top->client, WIRE_LIST, WIRE_SWMAN, &msg);
	rc = top_ask(top, &msg, &view);
	if (rc != 0)
		return rc;
	if (view.type != WIRE_OK)
		return -client_judge(0, &view);
	*ret_list = client_json(&view);
	return *ret_list ? 0 : -CLI_FAILED;
}

/* As top_ask; top->reports stays as it was where there is no answer. */
static int reports_ask(struct top *top)
{
	json_t *reports = json_array(), *list = NULL, *entry;
	size_t n;
	int rc = 0;

	if (top->args->n_args > 0)
		rc = report_add(top, top->args->args[0], true, reports);
	else
		rc = list_ask(top, &list);
	json_array_foreach(list, n, entry)
	{
		const json_t *name = json_object_get(entry, "name");

		if (rc == 0 && json_is_string(name))
			rc = report_add(top, json_string_value(name), false, reports);
	}
	json_decref(list);
	if (rc == 0) {
		json_decref(top->reports);
		top->reports = json_incref(reports);
	}
	json_decref(reports);
	return rc;
}

/* ---- once ---- */

static int top_once(struct top *top)
{
	int rc;

	top->once = true;
	rc = reports_ask(top);
	if (rc < 0)
		return -rc;
	if (cli_has(top->args, "json"))
		return show_list("waveforms", top->reports);
	report_table(top->reports, &top->live.view, 0, 0, stdout);
	return CLI_OK;
}

/* ---- again and again ---- */

static void top_draw(struct top *top)
{
	char line[VIEW_KEYS_LINE];

	view_keys_line(&top->live.view, "quit", line, sizeof(line));
	if (top->asked_ns)
		snprintf(line, sizeof(line), "  the node has not answered for %.0f s",
		    (double)(clock_ns() - top->asked_ns) * 1e-9);
	top->live.view.last = top->live.term.in >= 0 || top->asked_ns ? line : NULL;
	live_tables(&top->live, top->reports);
	top->live.view.last = NULL;
}

static void top_says(void *self)
{
	struct top *top = self;

	term_clear(&top->live.term);
	fflush(stdout);
}

/* 1: go on; 0: the user wants an end. Each key sees what the one before has drawn: how far a page
 * goes is known from that. */
static int keys_obey(struct top *top)
{
	struct term *term = &top->live.term;
	int key;

	while ((key = term_key(term)) > 0) {
		if (key == TERM_SUSPEND)
			term_suspend(term);
		else if (!view_key(&top->live.view, key))
			return 0;
		top_draw(top);
	}
	return key == 0;
}

/* Until the next question. 1, 0 (the user wants an end), or -errno. */
static int top_wait(struct top *top)
{
	const uint64_t until = clock_ns() + top->interval_ms * 1000000;
	int rc = 1;

	while (rc > 0) {
		const uint64_t now = clock_ns();

		if (now >= until)
			return 1;
		rc = client_wait_input(&top->client, term_keys(&top->live.term),
		    until - now < LOOK_MS * 1000000ull ? (int)((until - now) / 1000000 + 1)
		                                       : LOOK_MS);
		if (rc == 0 && top->client.resized)
			top_draw(top);
		rc = rc == 1 ? keys_obey(top) : rc == 0 ? 1 : rc;
	}
	return rc == -EINTR ? 0 : rc;
}

static int top_show(struct top *top)
{
	int rc = 1;

	top->client.says = top_says;
	top->client.words_self = top;
	term_keys_open(&top->live.term);
	while (rc > 0) {
		rc = reports_ask(top);
		if (rc < 0)
			break;
		top_draw(top);
		rc = top_wait(top);
		if (rc < 0) {
			top_leave(top);
			rc = -client_judge(rc, NULL);
		}
	}
	top_leave(top);
	term_keys_close(&top->live.term);
	return rc == -130 ? CLI_OK : -rc;
}

/* ---- the command ---- */

static int options_take(struct top *top)
{
	const struct cli_args *args = top->args;
	const char *page = cli_get(args, "page"), *sort = cli_get(args, "sort"),
	           *filter = cli_get(args, "filter");
	struct report_view *view = &top->live.view;

	if (cli_whole(args, "interval", 50, 3600000, &top->interval_ms) < 0)
		return CLI_USAGE;
	view->page = page      ? (enum view_page)view_page_find(page)
	    : args->n_args > 0 ? VIEW_INSTANCES
	                       : VIEW_WAVEFORMS;
	if (sort && (view->sort = view_sort_find(view->page, sort)) < 0)
		return cli_fail(args, "--sort %s: the page `%s` has no such column", sort,
		    view_page_name(view->page));
	if (filter && strlen(filter) >= sizeof(view->filter))
		return cli_fail(args, "--filter: at most %zu characters", sizeof(view->filter) - 1);
	snprintf(view->filter, sizeof(view->filter), "%s", filter ? filter : "");
	view->reverse = cli_has(args, "reverse");
	return CLI_OK;
}

int aloe_top(const struct cli_args *args)
{
	struct top top = {.args = args, .interval_ms = 500};
	int status;

	live_init(&top.live);
	status = options_take(&top);
	if (status == CLI_OK)
		status = client_open(&top.client, args);
	if (status != CLI_OK)
		return status;
	if (client_signals(&top.client) < 0)
		status = CLI_FAILED;
	else if (cli_has(args, "json") || cli_has(args, "once") || !top.live.term.draws)
		status = top_once(&top);
	else
		status = top_show(&top);
	client_close(&top.client);
	live_fini(&top.live);
	json_decref(top.reports);
	return status;
}

/* ---- the manual ---- */

void top_words(FILE *out)
{
	view_words(out);
	fprintf(out, "\n\n");
	view_keys_words(out);
}
