/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe run: up, load, start, wait, report, down, in a private node; or with --platform, on nodes
 * that are up: load, start, wait, report, unload. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/report/report.h"
#include "tools/aloe/cap.h"
#include "tools/aloe/live.h"
#include "tools/aloe/node.h"
#include "tools/aloe/nodes.h"
#include "tools/aloe/run.h"
#include "tools/aloe/source.h"
#include "tools/aloe/standard.h"
#include "tools/aloe/trace.h"
#include "tools/aloe/view_keys.h"
#include "tools/aloe/web.h"

enum {
	POLL_FIRST_MS = 5,
	POLL_MS = 200,
	LOST_MS = 10000,
	STOP_MS = 30000,
	STEP_BLOCK = 1000,
	STEP_TRIES = 3,
	INTERRUPTED = 130,
	STRICT = 3
};

struct run {
	const struct cli_args *args;
	const struct run_hook *hook; /* NULL: none */
	struct source source;
	struct standard standard;
	struct client client;
	struct node node;
	struct live_view live;
	json_t *report; /* as of the last poll */
	char *saved;    /* where swman has kept this run */
	FILE *say;      /* notes go here; NULL: nowhere */
	bool joins;     /* runs on nodes of a platform; there is no private node */
	bool loaded;    /* there */
	bool step;      /* clock `step` */
	bool keyboard;  /* the user steps */
	bool keys;      /* keys steer the table, while the terminal gives them */
	bool losses_reported;
	bool stopping;          /* STOP has been sent */
	int poll_ms;            /* to the next poll: a short run, or its end, is seen soon */
	char web[ADDRESS_TEXT]; /* where the dashboard is; "": nowhere */
	uint64_t steps_left;    /* of those that the user asked for */
	int step_failures;      /* in a row */
	int lost_ms;            /* how long exec has not answered */
	int stop_ms;            /* since the user wanted an end */
};

static bool run_shows(const struct run *run)
{
	return run->say && !cli_has(run->args, "json") && !run->standard.out.instance;
}

/* ---- up and loaded ------------------------------------------------------------------------ */

static void run_draw(struct run *run)
{
	struct report_view *view = &run->live.view;
	char line[VIEW_KEYS_LINE];

	if (!run->report || !run_shows(run))
		return;
	view_keys_line(view, "leave", line, sizeof(line));
	view->last = run->live.term.in >= 0 ? line : NULL;
	live_show(&run->live, run->report);
	view->last = NULL;
}

/* What the daemons say goes above the table. */
static void run_words(void *self)
{
	struct run *run = self;

	if (live_words(&run->live, run->node.words[0]))
		run_draw(run);
}

static int run_ask(
    struct run *run, struct wire_msg *msg, int timeout_ms, struct wire_view *ret_view)
{
	return node_follow(&run->node, client_ask(&run->client, msg, timeout_ms, ret_view));
}

static int run_up(struct run *run)
{
	const char *state = cli_get(run->args, "state"), *missing = "";
	const struct node_of of = {.web = run->web[0] ? run->web : NULL};
	int rc;

	if (run->joins)
		return nodes_open(&run->client, run->args);
	if (web_port_check("web", of.web))
		return CLI_FAILED;
	cap_leave();
	cap_begin(run->args, (struct cap_user){.pid = getpid()}, run->source.waveform->slot_ns);
	rc = node_dir(run->client.dir, sizeof(run->client.dir));
	if (rc == 0)
		rc = node_start(&run->node, &run->client, run->client.dir, state, &of, true);
	if (rc < 0) {
		rmdir(run->client.dir);
		fprintf(stderr, "aloe: the daemons cannot be started: %s\n", strerror(-rc));
		return CLI_FAILED;
	}
	run->client.words_fd = run->node.words[0];
	if (client_connect(&run->client))
		return CLI_FAILED;
	rc = node_first(&run->node, &missing);
	if (rc == -ETIMEDOUT)
		fprintf(stderr, "aloe: aloe-%s does not answer\n", missing);
	else if (rc < 0 && rc != -EINTR)
		fprintf(stderr, "aloe: aloe-frontend ended before the run began\n");
	if (rc == 0 && of.web && run->say)
		web_print(run->client.dir, run->say);
	return rc == 0 ? CLI_OK : rc == -EINTR ? INTERRUPTED : CLI_FAILED;
}

static void notes_print(const struct run *run, const struct wire_view *view)
{
	char *notes = wire_get_text(view, WIRE_TAG_TEXT, 0);

	if (notes && notes[0] && run->say)
		fprintf(run->say, "%s%s", notes, notes[strlen(notes) - 1] == '\n' ? "" : "\n");
	free(notes);
}

/* run_try_order: 0, or the exit status after saying why; -ECONNRESET when nobody knows what came of
 * it. */
static int run_try_order(struct run *run, enum wire_type type, uint64_t count)
{
	struct wire_view view;
	struct wire_msg msg;
	int rc;

	client_request(&run->client, type, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, run->source.waveform->name);
	if (count)
		wire_put_u64(&msg, WIRE_TAG_COUNT, count);
	rc = run_ask(run, &msg, CLIENT_CALL_MS, &view);
	return rc == -ECONNRESET ? rc : client_judge(rc, &view);
}

/* run_order gives an order that may be given twice. */
static int run_order(struct run *run, enum wire_type type, uint64_t count)
{
	int status;

	do {
		status = run_try_order(run, type, count);
	} while (status == -ECONNRESET);
	return status;
}

static int run_try_load(struct run *run)
{
	struct wire_view view;
	struct wire_msg msg;
	int status;

	client_request(&run->client, WIRE_LOAD, WIRE_SWMAN, &msg);
	status = source_put(&run->source, run->args, &msg);
	if (status) {
		wire_fini(&msg);
		return status;
	}
	status = run_ask(run, &msg, CLIENT_CALL_MS, &view);
	if (status == -ECONNRESET)
		return status;
	status = client_judge(status, &view);
	if (status == 0)
		notes_print(run, &view);
	return status;
}

/* A LOAD that was not answered is sent again: swman knows it by its number. */
static int run_load(struct run *run)
{
	int status;

	do {
		status = run_try_load(run);
	} while (status == -ECONNRESET);
	return status;
}

/* ---- while it runs ------------------------------------------------------------------------ */

static void run_show(struct run *run)
{
	if (run->say && !run->losses_reported)
		report_losses(run->report, run->say);
	run->losses_reported = true;
	run_draw(run);
}

/* A daemon that dies is started again: for a while no answer is no reason to give up. */
static int run_lost(struct run *run, const struct wire_view *view)
{
	char *text;

	run->lost_ms += POLL_MS;
	if (run->lost_ms < LOST_MS)
		return CLI_OK;
	text = view ? wire_get_text(view, WIRE_TAG_TEXT, 0) : NULL;
	fprintf(stderr, "aloe: %s\n", text ? text : "the node does not answer");
	free(text);
	return CLI_FAILED;
}

static int run_poll(struct run *run)
{
	struct wire_view view;
	struct wire_msg msg;
	json_t *report;
	char *saved;
	int rc;

	client_request(&run->client, WIRE_STATUS, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, run->source.waveform->name);
	rc = run_ask(run, &msg, 10 * POLL_MS, &view);
	if (rc == -ETIMEDOUT || rc == -ECONNRESET)
		return run_lost(run, NULL);
	if (rc < 0)
		return rc;
	if (view.type != WIRE_OK)
		return run_lost(run, &view);
	report = client_json(&view);
	if (!report)
		return CLI_FAILED;
	run->lost_ms = 0;
	json_decref(run->report);
	run->report = report;
	saved = wire_get_text(&view, WIRE_TAG_FILE, 0);
	if (saved) {
		free(run->saved);
		run->saved = saved;
	}
	run_show(run);
	return CLI_OK;
}

/* The first Ctrl-C stops the waveform: what was sent arrives, files are closed. The second ends
 * everything at once. */
static int run_interrupted(struct run *run)
{
	if (run->client.interrupts > 1)
		return INTERRUPTED;
	if (run_shows(run))
		term_leave(&run->live.term);
	if (run->say)
		fprintf(run->say, "%sstopping; press Ctrl-C again to end at once\n",
		    run_shows(run) && run->live.term.draws ? "" : "\n");
	run->stopping = true;
	run->poll_ms = POLL_FIRST_MS;
	return run_order(run, WIRE_STOP, 0);
}

/* ---- keys of the table -------------------------------------------------------------------- */

static void table_leave(struct run *run)
{
	run->keys = false;
	live_leave(&run->live);
	fprintf(run->say, "the run goes on, with a line every two seconds; Ctrl-C stops it\n");
	fflush(run->say);
}

/* Each key sees what the one before has drawn. */
static void keys_obey(struct run *run)
{
	struct term *term = &run->live.term;
	int key = 0;

	while (run->keys && (key = term_key(term)) > 0) {
		if (key == TERM_SUSPEND)
			term_suspend(term);
		else if (!view_key(&run->live.view, key))
			table_leave(run);
		run_draw(run);
	}
	if (key < 0) {
		run->keys = false;
		term_keys_close(term);
	}
}

static int run_pause(struct run *run, int ms)
{
	const uint64_t until = clock_ns() + (uint64_t)(ms > 0 ? ms : 0) * 1000000;
	uint64_t now = until - 1;
	int rc = 1;

	if (run->keys)
		term_keys_open(&run->live.term);
	for (; rc == 1 && now < until; now = clock_ns()) {
		rc = node_follow(&run->node,
		    client_wait_input(&run->client, term_keys(&run->live.term),
		        (int)((until - now + 999999) / 1000000)));
		if (rc == 1)
			keys_obey(run);
	}
	return rc == -ECONNRESET || rc == 1 ? 0 : rc;
}

/* ---- the keyboard ------------------------------------------------------------------------ */

enum { STEPS_MAX = 1000000000 };

static void step_prompt(struct run *run)
{
	if (run->say)
		fprintf(run->say,
		    "Enter or s runs one slot, NUMBER runs so many slots, q quits "
		    "> ");
	fflush(stdout);
	run->live.term.lines = 0;
}

/* line_read reads a line of the keyboard, as much of it as fits: 1, 0 at its end, or -errno. */
static int line_read(struct run *run, char *line, size_t size)
{
	size_t len = 0;
	char c = 0;

	while (c != '\n') {
		const int rc =
		    node_follow(&run->node, client_wait_input(&run->client, STDIN_FILENO, -1));
		ssize_t got;

		if (rc < 0 && rc != -ECONNRESET)
			return rc;
		if (rc == 0) { /* resized */
			run_show(run);
			step_prompt(run);
		}
		if (rc != 1)
			continue;
		got = read(STDIN_FILENO, &c, 1);
		if (got == 0 || (got < 0 && errno != EINTR))
			return 0;
		if (got == 1 && c != '\n' && len + 1 < size)
			line[len++] = c;
	}
	line[len] = 0;
	return 1;
}

/* step_line: how many slots a line asks for; 0: to quit; -EINVAL: it says neither. */
static int64_t step_line(const char *line)
{
	const char *word = line + strspn(line, " \t\r");
	const size_t len = strcspn(word, " \t\r");
	uint64_t count;
	char *end;

	if (word[len + strspn(word + len, " \t\r")])
		return -EINVAL;
	if (len == 0 || (len == 1 && word[0] == 's'))
		return 1;
	if (len == 1 && word[0] == 'q')
		return 0;
	count = word[0] >= '0' && word[0] <= '9' ? strtoull(word, &end, 10) : 0;
	return count > 0 && count <= STEPS_MAX && end == word + len ? (int64_t)count : -EINVAL;
}

/* steps_ask asks the keyboard, if there is one, how many slots to run: 0: none, quit; or -errno. */
static int64_t steps_ask(struct run *run)
{
	int64_t count = -EINVAL;
	char line[64];

	if (!run->keyboard)
		return STEP_BLOCK;
	while (count == -EINVAL) {
		int rc;

		step_prompt(run);
		rc = line_read(run, line, sizeof(line));
		if (rc <= 0)
			return rc;
		count = step_line(line);
		if (count == -EINVAL)
			fprintf(stderr,
			    "`%s` is not understood: Enter or s runs one slot, a number 1 .. %d so "
			    "many, q quits\n",
			    line, STEPS_MAX);
	}
	return count;
}

/* With clock `step` each line from the keyboard is a step, or as many as the number on it; without
 * one, all. A step that is refused because the waveform has ended meanwhile is no failure; the next
 * report tells. */
static int run_step(struct run *run)
{
	struct wire_view view;
	struct wire_msg msg;
	uint64_t count;
	int rc;

	if (!run->step || run->stopping)
		return CLI_OK;
	if (run->steps_left == 0) {
		const int64_t steps = steps_ask(run);

		if (steps < 0)
			return (int)steps;
		run->steps_left = (uint64_t)steps;
	}
	if (run->steps_left == 0) {
		run->stopping = true;
		return run_order(run, WIRE_STOP, 0);
	}
	count = run->steps_left < STEP_BLOCK ? run->steps_left : STEP_BLOCK;
	client_request(&run->client, WIRE_STEP, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, run->source.waveform->name);
	wire_put_u64(&msg, WIRE_TAG_COUNT, count);
	rc = run_ask(run, &msg, CLIENT_CALL_MS, &view);
	if (rc < 0)
		return rc == -ECONNRESET ? CLI_OK : rc;
	run->step_failures = view.type == WIRE_OK ? 0 : run->step_failures + 1;
	run->steps_left -= view.type == WIRE_OK ? count : 0;
	return run->step_failures < STEP_TRIES ? CLI_OK : run_order(run, WIRE_STEP, count);
}

/* Whether a START that was not answered has been obeyed, the report tells. */
static int run_start(struct run *run)
{
	int status = run_try_order(run, WIRE_START, 0);

	while (status == -ECONNRESET) {
		status = run_poll(run);
		if (status < 0)
			status = client_judge(status, NULL);
		if (status == CLI_OK &&
		    !(run->report && report_number(run->report, "started") != 0))
			status = run_try_order(run, WIRE_START, 0);
	}
	return status;
}

/* Until the next poll: each time twice as long, to POLL_MS. */
static int run_rest(struct run *run)
{
	const int ms = run->step ? 20 : run->poll_ms;

	run->stop_ms += run->stopping ? ms : 0;
	run->poll_ms = 2 * run->poll_ms < POLL_MS ? 2 * run->poll_ms : POLL_MS;
	return run_pause(run, ms);
}

/* Who reads standard output has had enough: no failure. */
static int run_unread(struct run *run)
{
	if (!standard_failed(&run->standard) || run->stopping)
		return CLI_OK;
	run->stopping = true;
	return run_order(run, WIRE_STOP, 0);
}

static int run_wait(struct run *run)
{
	int status = CLI_OK;

	run->poll_ms = POLL_FIRST_MS;
	while (status == CLI_OK && !report_ended(run->report)) {
		status = run_step(run);
		if (status == CLI_OK)
			status = run_poll(run);
		if (status == CLI_OK && !report_ended(run->report))
			status = run_unread(run);
		if (status == CLI_OK && !report_ended(run->report))
			status = run_rest(run);
		if (status == -EINTR || (status == INTERRUPTED && run->client.interrupts == 1))
			status = run_interrupted(run);
		if (status == CLI_OK && run->stop_ms > STOP_MS && !report_ended(run->report)) {
			fprintf(stderr, "aloe: the waveform did not stop within %d s; %s\n",
			    STOP_MS / 1000,
			    run->joins ? "it is unloaded by force" : "the node was ended");
			status = CLI_FAILED;
		}
	}
	if (status < 0)
		fprintf(stderr, "aloe: %s\n",
		    status == -ECHILD ? "aloe-frontend ended unexpectedly" : strerror(-status));
	return status < 0 ? CLI_FAILED : status;
}

/* ---- afterwards ------------------------------------------------------------------------ */

static int run_report(struct run *run)
{
	if (!run->report)
		return CLI_FAILED;
	term_clear(&run->live.term);
	if (cli_has(run->args, "json")) {
		json_dumpf(run->report, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
		printf("\n");
	} else if (run->say) {
		standard_name(&run->standard, run->report);
		report_print(run->report, run->say);
		if (run->saved)
			fprintf(run->say, "saved      %s\n", run->saved);
	}
	if (report_failed(run->report)) {
		fprintf(stderr, "aloe: a fault stopped %s: %s\n", run->source.waveform->name,
		    report_text(run->report, "reason"));
		return CLI_FAILED;
	}
	if (report_radio_trouble(run->report)) {
		fprintf(stderr, "aloe: the radio does not stream: %s\n",
		    report_radio_trouble(run->report));
		return CLI_FAILED;
	}
	if (run->client.interrupts)
		return INTERRUPTED;
	if (cli_has(run->args, "strict") && !report_clean(run->report)) {
		fprintf(stderr,
		    "aloe: --strict: a slot was missed, slipped or skipped, or a message was "
		    "late or absent\n");
		return STRICT;
	}
	return CLI_OK;
}

static int run_all(struct run *run)
{
	int status = run_up(run);

	if (status == CLI_OK)
		status = standard_open(&run->standard, &run->source, run->client.dir);
	if (status == CLI_OK)
		status = run_load(run);
	run->loaded = status == CLI_OK;
	if (run->joins && status == INTERRUPTED)
		fprintf(stderr, "aloe: %s may be loaded by now; `aloe list` shows\n",
		    run->source.waveform->name);
	standard_loaded(&run->standard);
	if (status == CLI_OK)
		status = trace_on_miss(&run->client, run->args, run->source.waveform->name);
	if (status == CLI_OK && run->hook)
		status =
		    run->hook->loaded(run->hook->self, &run->client, run->source.waveform->name);
	if (status == CLI_OK)
		status = run_start(run);
	if (status == CLI_OK)
		status = run_wait(run);
	if (run->report && (status == CLI_OK || status == CLI_FAILED)) {
		const int reported = run_report(run);
		status = status == CLI_OK ? reported : status;
	}
	return status;
}

/* On the nodes of a platform: what has not ended by now will not. */
static int run_unload(struct run *run, int status)
{
	const bool over = run->report && report_ended(run->report);
	int unloaded;

	if (!run->loaded)
		return status;
	unloaded = nodes_unload(&run->client, run->source.waveform->name, !over);
	return status == CLI_OK ? unloaded : status;
}

/* The exit status. */
static int run_end(struct run *run, int status)
{
	if (run->joins)
		status = run_unload(run, status);
	if (!run->node.dir)
		return status;
	standard_ending(&run->standard);
	if (run->client.bus && run->node.pid && status != INTERRUPTED)
		node_down(&run->node);
	else
		node_pull(&run->node);
	standard_close(&run->standard, run->client.signal_fd,
	    status == INTERRUPTED && run->client.interrupts > 1);
	if (standard_lost(&run->standard) && status == CLI_OK)
		status = CLI_FAILED;
	live_words(&run->live, run->node.words[0]);
	live_fini(&run->live);
	return status;
}

int run_waveform(const struct cli_args *args, const struct run_hook *hook, json_t **ret_report)
{
	struct run run = {
	    .args = args, .hook = hook, .client = CLIENT_NONE, .joins = cli_has(args, "platform")};
	int status = cap_check(args);

	if (status == CLI_OK)
		status = web_option(args, run.web);
	if (status == CLI_OK && run.web[0] && run.joins)
		status = cli_fail(args,
		    "--web: with --platform the run is on nodes that are up; `aloe up --platform "
		    "--web` gives them a dashboard");
	if (status == CLI_OK)
		status = source_open(&run.source, args, args->args[0], false);
	if (status == CLI_OK)
		status = standard_find(&run.source, &run.standard);
	if (status == CLI_OK && run.joins)
		status = standard_refuse(&run.source);
	if (status == CLI_OK && run.standard.out.instance && cli_has(args, "json"))
		status = cli_fail(args, "--json: %s writes to standard output (path -)",
		    run.standard.out.instance->name);
	if (status == CLI_OK) {
		run.say = cli_has(args, "quiet")                         ? NULL
		    : cli_has(args, "json") || run.standard.out.instance ? stderr
		                                                         : stdout;
		run.step = run.source.waveform->clock == WF_CLOCK_STEP;
		run.keyboard =
		    run.step && !ret_report && !run.standard.in.instance && isatty(STDIN_FILENO);
		run.keys =
		    run_shows(&run) && !run.keyboard && !ret_report && !run.standard.in.instance;
		live_init(&run.live);
		run.client.words = run_words;
		run.client.words_self = &run;
		status = client_signals(&run.client) < 0 ? CLI_FAILED : run_all(&run);
		term_keys_close(&run.live.term);
		fflush(stdout);
		status = run_end(&run, status);
		client_close(&run.client);
		cap_end();
	}
	if (ret_report)
		*ret_report = run.report;
	else
		json_decref(run.report);
	free(run.saved);
	source_close(&run.source);
	return status;
}
