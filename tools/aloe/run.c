/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aloe run: up, load, start, wait, report, down, in a private node. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/report/report.h"
#include "tools/aloe/commands.h"
#include "tools/aloe/live.h"
#include "tools/aloe/node.h"
#include "tools/aloe/source.h"

enum {
	POLL_MS = 200,
	LOST_MS = 10000,
	RETRY_MS = 50,
	STOP_MS = 30000,
	STEP_BLOCK = 1000,
	STEP_TRIES = 3,
	INTERRUPTED = 130,
	STRICT = 3
};

struct run {
	const struct cli_args *args;
	struct source source;
	struct client client;
	struct node node;
	struct live live;
	json_t *report; /* as of the last poll */
	char *saved;    /* where swman has kept this run */
	FILE *say;      /* notes go here; NULL: nowhere */
	bool step;      /* clock `step` */
	bool keyboard;  /* the user steps */
	bool losses_told;
	bool stopping;     /* STOP has been sent */
	int step_failures; /* in a row */
	int lost_ms;       /* how long exec has not answered */
	int stop_ms;       /* since the user wanted an end */
};

static bool run_shows(const struct run *run)
{
	return run->say && !cli_has(run->args, "json");
}

/* ---- up and loaded ---------------------------------------------------------------------------------------------------------- */

/* What the daemons say goes above the table. */
static void run_words(void *self)
{
	struct run *run = self;

	if (live_words(&run->live, run->node.words[0]) && run->report && run_shows(run))
		live_show(&run->live, run->report);
}

/* run_again follows a frontend that was killed by another, which finds all as it was: -ECONNRESET, for what was asked of the
 * first is not known; or what else was the matter. What has not been sent yet is not to reach the second: it is asked again. */
static int run_again(struct run *run, int rc)
{
	if (rc != -ECHILD)
		return rc;
	bus_abandon(run->client.bus);
	run->client.bus = NULL;
	if (client_connect(&run->client))
		return -EIO;
	rc = node_again(&run->node, false);
	return rc == 0 ? -ECONNRESET : rc == 1 || rc == -EIO ? -ECHILD : rc;
}

static int run_ask(
    struct run *run, struct wire_msg *msg, int timeout_ms, struct wire_view *ret_view)
{
	return run_again(run, client_ask(&run->client, msg, timeout_ms, ret_view));
}

static int run_pause(struct run *run, int ms)
{
	const int rc = run_again(run, client_wait(&run->client, ms));

	return rc == -ECONNRESET ? 0 : rc;
}

static int run_up(struct run *run)
{
	const char *state = cli_get(run->args, "state"), *missing = "";
	int rc = node_dir(run->client.dir, sizeof(run->client.dir));

	if (rc == 0)
		rc = node_start(&run->node, &run->client, run->client.dir, state, true);
	if (rc < 0) {
		rmdir(run->client.dir);
		fprintf(stderr, "aloe: the daemons cannot be started: %s\n", strerror(-rc));
		return CLI_FAILED;
	}
	run->client.words_fd = run->node.words[0];
	if (client_connect(&run->client))
		return CLI_FAILED;
	do {
		rc = run_again(run, node_ready(&run->client, &missing));
	} while (rc == -ECONNRESET);
	if (rc == -ETIMEDOUT)
		fprintf(stderr, "aloe: aloe-%s does not answer\n", missing);
	else if (rc < 0 && rc != -EINTR)
		fprintf(stderr, "aloe: aloe-frontend has ended before the run began\n");
	return rc == 0 ? CLI_OK : rc == -EINTR ? INTERRUPTED : CLI_FAILED;
}

static void notes_say(const struct run *run, const struct wire_view *view)
{
	char *notes = wire_get_text(view, WIRE_TAG_TEXT, 0);

	if (notes && notes[0] && run->say)
		fprintf(run->say, "%s%s", notes, notes[strlen(notes) - 1] == '\n' ? "" : "\n");
	free(notes);
}

/* run_try_order: 0, or the exit status after saying why; -ECONNRESET when nobody knows what came of it. */
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

/* Whether the waveform is loaded, or half loaded: 1, 0 or -errno. */
static int run_is_loaded(struct run *run)
{
	struct wire_view view;
	struct wire_msg msg;
	json_t *list;
	int rc;

	client_request(&run->client, WIRE_LIST, WIRE_SWMAN, &msg);
	rc = run_ask(run, &msg, CLIENT_CALL_MS, &view);
	if (rc < 0 || view.type != WIRE_OK)
		return rc == -ECONNRESET || rc == 0 ? 1 : rc;
	list = client_json(&view);
	rc = json_array_size(list) > 0;
	json_decref(list);
	return rc;
}

/* run_unload takes away what may have come of a LOAD that was not answered. */
static int run_unload(struct run *run)
{
	int rc;

	while ((rc = run_is_loaded(run)) == 1) {
		struct wire_view view;
		struct wire_msg msg;

		client_request(&run->client, WIRE_UNLOAD, WIRE_SWMAN, &msg);
		wire_put_text(&msg, WIRE_TAG_WAVEFORM, run->source.waveform->name);
		rc = run_ask(run, &msg, CLIENT_CALL_MS, &view);
		if (rc < 0 && rc != -ECONNRESET)
			break;
		rc = run_pause(run, RETRY_MS);
		if (rc < 0)
			break;
	}
	return rc == 0 ? 0 : client_judge(rc, NULL);
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
		notes_say(run, &view);
	return status;
}

static int run_load(struct run *run)
{
	int status = run_try_load(run);

	while (status == -ECONNRESET) {
		status = run_unload(run);
		if (status == CLI_OK)
			status = run_try_load(run);
	}
	return status;
}

/* ---- while it runs ------------------------------------------------------------------------------------------------------------ */

static void run_show(struct run *run)
{
	if (run->say && !run->losses_told)
		report_losses(run->report, run->say);
	run->losses_told = true;
	if (run_shows(run))
		live_show(&run->live, run->report);
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

/* The first Ctrl-C stops the waveform: what was sent arrives, files are closed. The second ends everything at once. */
static int run_interrupted(struct run *run)
{
	if (run->client.interrupts > 1)
		return INTERRUPTED;
	if (run->say)
		fprintf(run->say, "\nstopping; once more to end at once\n");
	run->live.lines = 0;
	run->stopping = true;
	return run_order(run, WIRE_STOP, 0);
}

/* keyboard_wait waits for a line; what the daemons say meanwhile is shown. */
static void keyboard_wait(struct run *run)
{
	struct pollfd fds[] = {
	    {.fd = STDIN_FILENO, .events = POLLIN}, {.fd = run->client.words_fd, .events = POLLIN}};

	while (poll(fds, 2, -1) >= 0 && !fds[0].revents)
		run_words(run);
}

/* step_count asks the keyboard, if there is one, how many slots to run; 0: none, stop. */
static uint64_t step_count(struct run *run)
{
	uint64_t count;
	char line[64];

	if (!run->keyboard)
		return STEP_BLOCK;
	if (run->say)
		fprintf(run->say, "Enter = 1 slot, NUMBER = so many, q = stop: ");
	fflush(stdout);
	run->live.lines = 0;
	keyboard_wait(run);
	if (!fgets(line, sizeof(line), stdin) || line[0] == 'q')
		return 0;
	count = strtoull(line, NULL, 10);
	return count ? count : 1;
}

/* With clock `step` each line from the keyboard is a step, or as many as the number on it; without one, all. A step that is
 * refused because the waveform has ended meanwhile is no failure; the next report tells. */
static int run_step(struct run *run)
{
	struct wire_view view;
	struct wire_msg msg;
	uint64_t count;
	int rc;

	if (!run->step || run->stopping)
		return CLI_OK;
	count = step_count(run);
	if (!count) {
		run->stopping = true;
		return run_order(run, WIRE_STOP, 0);
	}
	client_request(&run->client, WIRE_STEP, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, run->source.waveform->name);
	wire_put_u64(&msg, WIRE_TAG_COUNT, count);
	rc = run_ask(run, &msg, CLIENT_CALL_MS, &view);
	if (rc < 0)
		return rc == -ECONNRESET ? CLI_OK : rc;
	run->step_failures = view.type == WIRE_OK ? 0 : run->step_failures + 1;
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

static int run_wait(struct run *run)
{
	int status = CLI_OK;

	while (status == CLI_OK && !report_ended(run->report)) {
		status = run_step(run);
		if (status == CLI_OK)
			status = run_poll(run);
		if (status == CLI_OK && !report_ended(run->report))
			status = run_pause(run, run->step ? 20 : POLL_MS);
		if (status == -EINTR || (status == INTERRUPTED && run->client.interrupts == 1))
			status = run_interrupted(run);
		run->stop_ms += run->stopping ? POLL_MS : 0;
		if (status == CLI_OK && run->stop_ms > STOP_MS && !report_ended(run->report)) {
			fprintf(stderr, "aloe: it does not stop (%d s): ended\n", STOP_MS / 1000);
			status = CLI_FAILED;
		}
	}
	if (status < 0)
		fprintf(stderr, "aloe: %s\n",
		    status == -ECHILD ? "aloe-frontend has ended unexpectedly" : strerror(-status));
	return status < 0 ? CLI_FAILED : status;
}

/* ---- afterwards ----------------------------------------------------------------------------------------------------------------- */

static int run_report(struct run *run)
{
	if (!run->report)
		return CLI_FAILED;
	live_clear(&run->live);
	if (cli_has(run->args, "json")) {
		json_dumpf(run->report, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
		printf("\n");
	} else if (run->say) {
		report_print(run->report, stdout);
		if (run->saved)
			printf("saved      %s\n", run->saved);
	}
	if (report_failed(run->report)) {
		fprintf(stderr, "aloe: %s was stopped by a fault: %s\n", run->source.waveform->name,
		    report_text(run->report, "reason"));
		return CLI_FAILED;
	}
	if (run->client.interrupts)
		return INTERRUPTED;
	if (cli_has(run->args, "strict") && !report_clean(run->report)) {
		fprintf(stderr,
		    "aloe: --strict: a slot was missed, slipped or skipped, or a message late or absent\n");
		return STRICT;
	}
	return CLI_OK;
}

static int run_all(struct run *run)
{
	int status = run_up(run);

	if (status == CLI_OK)
		status = run_load(run);
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

static void run_end(struct run *run, int status)
{
	if (!run->node.dir)
		return;
	if (run->client.bus && run->node.pid && status != INTERRUPTED)
		node_down(&run->node);
	else
		node_pull(&run->node);
	live_words(&run->live, run->node.words[0]);
	live_fini(&run->live);
}

int aloe_run(const struct cli_args *args)
{
	struct run run = {.args = args, .client = CLIENT_NONE};
	int status = source_open(&run.source, args, args->args[0], false);

	if (status == CLI_OK) {
		run.say = cli_has(args, "quiet") ? NULL : cli_has(args, "json") ? stderr : stdout;
		run.step = run.source.waveform->clock == WF_CLOCK_STEP;
		run.keyboard = run.step && isatty(STDIN_FILENO);
		live_init(&run.live);
		run.client.words = run_words;
		run.client.words_self = &run;
		status = client_signals(&run.client) < 0 ? CLI_FAILED : run_all(&run);
		fflush(stdout);
		run_end(&run, status);
		client_close(&run.client);
	}
	json_decref(run.report);
	free(run.saved);
	source_close(&run.source);
	return status;
}
