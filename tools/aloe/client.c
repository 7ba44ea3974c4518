/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/client.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/report/report.h"

enum { LOOK_MS = 250, LOOKS_PROBE = 4, AGAIN_MS = 50, TELL_S = 2, TELL_AGAIN_S = 10, NOTE_S = 30 };
#define SECOND_NS 1000000000ull

int client_connect(struct client *client)
{
	client->bus = bus_connect(client->dir, WIRE_CLIENT);
	if (client->bus)
		return 0;
	fprintf(stderr, "aloe: %s: cannot be used: %s\n", client->dir, bus_dir_text(errno));
	return CLI_FAILED;
}

/* One that was killed is started again by whoever keeps it: that takes a moment. */
static int dir_probe(const char *dir)
{
	enum { TRIES = 150, TRY_MS = 20 };
	int rc = bus_probe(dir);

	for (int i = 0; i < TRIES && rc == -EHOSTDOWN; i++) {
		poll(NULL, 0, TRY_MS);
		rc = bus_probe(dir);
	}
	return rc;
}

int client_probe(const char *dir)
{
	const int rc = dir_probe(dir);

	return rc == -ECONNREFUSED || rc == -EHOSTDOWN ? -ENOENT : rc;
}

static int node_find(struct client *client, const char *dir)
{
	int rc;

	*client = (struct client)CLIENT_NONE;
	rc = dir ? path_print(client->dir, sizeof(client->dir), "%s", dir)
	         : dir_runtime(client->dir, sizeof(client->dir));
	return rc < 0 ? rc : client_probe(client->dir);
}

int client_find(struct client *client, const struct cli_args *args)
{
	return node_find(client, cli_get(args, "dir"));
}

static int open_as(struct client *client, const char *dir, const char *node)
{
	const int rc = node_find(client, dir);

	if (rc == -ENOENT) {
		fprintf(stderr, "aloe: no node is running in %s; `aloe up` starts a node\n",
		    client->dir);
		return CLI_FAILED;
	}
	if (rc < 0) {
		fprintf(stderr, "aloe: %s: cannot be used: %s\n", client->dir, bus_dir_text(-rc));
		return CLI_FAILED;
	}
	client->node = node;
	return client_connect(client);
}

int client_open(struct client *client, const struct cli_args *args)
{
	return open_as(client, cli_get(args, "dir"), cli_get(args, "node"));
}

int client_in(struct client *client, const char *dir)
{
	return open_as(client, dir, NULL);
}

void client_close(struct client *client)
{
	bus_close(client->bus);
	if (client->signal_fd >= 0)
		close(client->signal_fd);
	loop_fini(&client->loop);
}

int client_signals(struct client *client)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGWINCH);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	client->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return client->signal_fd < 0 ? -errno : 0;
}

void client_request(
    struct client *client, enum wire_type type, enum wire_peer dest, struct wire_msg *ret_msg)
{
	wire_init(ret_msg, type, WIRE_CLIENT, dest, bus_seq(client->bus));
	wire_put_text(ret_msg, WIRE_TAG_NODE, client->node);
}

static int64_t now_ms(void)
{
	return (int64_t)(clock_ns() / 1000000);
}

/* Whoever signals a process and then its group, as timeout(1) does, means one end. */
static void interrupt_add(struct client *client, uint32_t signal)
{
	enum { SAME_NS = 300000000 };
	const uint64_t now = clock_ns();

	if (signal == client->interrupt && now - client->interrupted_ns < SAME_NS)
		return;
	client->interrupts++;
	client->interrupt = signal;
	client->interrupted_ns = now;
}

static int is_interrupted(struct client *client)
{
	struct signalfd_siginfo info;
	unsigned before = client->interrupts;

	while (read(client->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			client->resized = true;
		else
			interrupt_add(client, info.ssi_signo);
	}
	return client->interrupts != before;
}

static void bus_woke(void *self, short revents)
{
	*(short *)self = revents;
}

/* wait_input waits for the bus, a signal, the end of our node, or input (-1: none): 1 when there is
 * input, 0 when the time is up or something else has come. */
static int wait_input(struct client *client, int timeout_ms, int input_fd)
{
	enum { BUS, SIGNAL, NODE, WORDS, INPUT, FDS };
	const int fds[FDS] = {[BUS] = client->bus ? bus_fd(client->bus) : -1,
	    [SIGNAL] = client->signal_fd,
	    [NODE] = client->node_fd,
	    [WORDS] = client->words_fd,
	    [INPUT] = input_fd};
	struct loop_watch watches[FDS] = {0};
	short came[FDS] = {0};
	int rc;

	for (int i = 0; i < FDS; i++)
		loop_watch_start(&client->loop, &watches[i], fds[i], POLLIN, bus_woke, &came[i]);
	rc = loop_step(&client->loop, timeout_ms);
	for (int i = 0; i < FDS; i++)
		loop_watch_stop(&client->loop, &watches[i]);
	if (rc < 0)
		return rc;
	if (came[WORDS])
		client->words(client->words_self);
	if (came[SIGNAL] && is_interrupted(client))
		return -EINTR;
	if (came[NODE])
		return -ECHILD;
	return came[INPUT] != 0;
}

/* answer_take takes what has come until the answer with `seq`: 1 if it did, 0 if there is nothing
 * more, or -errno. */
static int answer_take(struct client *client, uint32_t seq, struct wire_view *ret_view)
{
	int rc;

	while ((rc = bus_recv(client->bus, ret_view, NULL)) != -EAGAIN) {
		if (rc < 0 && rc != -EBADMSG)
			return rc;
		if (rc == 0 && ret_view->seq == seq &&
		    (ret_view->type == WIRE_OK || ret_view->type == WIRE_FAIL))
			return 1;
	}
	return 0;
}

/* Who waits wants to know for what. */
static void wait_report(struct client *client, const struct wire_view *asked)
{
	const uint64_t s = (clock_ns() - client->asked_ns) / SECOND_NS;

	if (s < (client->reported_s ? client->reported_s + TELL_AGAIN_S : TELL_S))
		return;
	client->reported_s = s;
	if (client->says)
		client->says(client->words_self);
	fprintf(stderr, "aloe: waiting for aloe-%s to answer %s, %u s so far\n",
	    wire_peer_name(asked->dest), wire_type_name(asked->type), (unsigned)s);
}

/* A connection that was never made does not end: nothing else tells. Of a node of our own its
 * process tells. */
static bool node_is_gone(const struct client *client)
{
	return client->node_fd < 0 && client_probe(client->dir) == -ENOENT;
}

static int ask_once(
    struct client *client, const struct wire_view *whole, int64_t until, struct wire_view *ret_view)
{
	struct wire_msg msg;
	unsigned looks = 0;
	int rc;

	if (client->asked_ns == 0)
		client->asked_ns = clock_ns();
	answer_take(client, 0, ret_view); /* what came of earlier questions */
	wire_init_copy(&msg, whole, (enum wire_tag)0);
	rc = bus_send(client->bus, &msg);
	while (rc == 0) {
		const int64_t left = until - now_ms();
		if ((rc = answer_take(client, whole->seq, ret_view)))
			break;
		wait_report(client, whole);
		if (looks++ % LOOKS_PROBE == 1 && node_is_gone(client))
			return -ESHUTDOWN;
		if (left <= 0)
			return -ETIMEDOUT;
		rc = wait_input(client, left < LOOK_MS ? (int)left : LOOK_MS, -1);
	}
	return rc > 0 ? 0 : rc;
}

/* An answer that says that there is none. */
static int loss_take(struct client *client, int rc, const struct wire_view *view)
{
	uint64_t again;
	char *text;

	if (rc == -ECONNRESET)
		snprintf(
		    client->lost, sizeof(client->lost), "aloe-frontend died before it answered");
	if (rc != 0 || view->type != WIRE_FAIL || wire_get_u64(view, WIRE_TAG_AGAIN, &again) < 0)
		return rc;
	text = wire_get_text(view, WIRE_TAG_TEXT, 0);
	snprintf(client->lost, sizeof(client->lost), "%s",
	    text ? text : "a daemon died before it answered");
	free(text);
	return -ECONNRESET;
}

/* What holds for the node as a whole, whatever was asked: not with each of many answers. */
static void note_show(struct client *client, const struct wire_view *view)
{
	char *note = wire_get_text(view, WIRE_TAG_NOTE, 0);
	const uint64_t now = clock_ns();

	if (note && (client->noted_ns == 0 || now - client->noted_ns > NOTE_S * SECOND_NS)) {
		if (client->says)
			client->says(client->words_self);
		fprintf(stderr, "aloe: %s\n", note);
		client->noted_ns = now;
	}
	free(note);
}

/* Asked twice, it does no harm: what is on its new lanes already is put there once more. */
static bool may_repeat(enum wire_type type)
{
	return type == WIRE_PING || type == WIRE_LIST || type == WIRE_STATUS || type == WIRE_GET ||
	    type == WIRE_LOG || type == WIRE_TAP || type == WIRE_LOAD || type == WIRE_REMAP ||
	    type == WIRE_RING || type == WIRE_TRACE;
}

int client_ask(
    struct client *client, struct wire_msg *msg, int timeout_ms, struct wire_view *ret_view)
{
	const int64_t until = now_ms() + timeout_ms;
	struct wire_view whole = {0};
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);
	int rc = bytes ? wire_decode(bytes, len, &whole) : msg->error;
	bool again = rc == 0;

	while (again) {
		rc = loss_take(client, ask_once(client, &whole, until, ret_view), ret_view);
		if (rc == 0) {
			client->asked_ns = client->reported_s = 0;
			note_show(client, ret_view);
		}
		again = rc == -ECONNRESET && may_repeat(whole.type);
		if (again && now_ms() >= until)
			rc = -ETIMEDOUT;
		else if (again)
			rc = wait_input(client, AGAIN_MS, -1);
		again = again && rc == 0;
	}
	wire_fini(msg);
	return rc;
}

int client_wait(struct client *client, int timeout_ms)
{
	return client_wait_input(client, -1, timeout_ms > 0 ? timeout_ms : 0);
}

int client_wait_input(struct client *client, int fd, int timeout_ms)
{
	const int64_t until = now_ms() + timeout_ms;
	int rc = 0;

	client->resized = false;
	do {
		/* without a bus all that may come wakes the wait */
		const int look_ms = client->bus || timeout_ms < 0 ? LOOK_MS : timeout_ms;
		const int64_t left = timeout_ms < 0 ? look_ms : until - now_ms();
		struct wire_view view;

		if (client->bus && (rc = answer_take(client, 0, &view)) < 0 && rc != -ECONNRESET)
			break;
		rc = wait_input(client, left > look_ms ? look_ms : left > 0 ? (int)left : 0, fd);
	} while (rc == 0 && !client->resized && (timeout_ms < 0 || now_ms() < until));
	return rc;
}

static int fail_print(const struct wire_view *view, FILE *out)
{
	char *text = wire_get_text(view, WIRE_TAG_TEXT, 0);
	uint64_t code = CLI_FAILED;

	wire_get_u64(view, WIRE_TAG_CODE, &code);
	fprintf(out, "%s\n",
	    text && text[0] ? text : "the node refused the request and gave no reason");
	free(text);
	return code == CLI_USAGE ? CLI_USAGE : CLI_FAILED;
}

int client_judge(int rc, const struct wire_view *view)
{
	if (rc == 0)
		return view->type == WIRE_OK ? 0 : fail_print(view, stderr);
	if (rc == -ETIMEDOUT)
		fprintf(
		    stderr, "aloe: the node has not answered for %d s\n", CLIENT_CALL_MS / 1000);
	else if (rc == -ECHILD)
		fprintf(stderr, "aloe: the node ended unexpectedly\n");
	else if (rc == -ESHUTDOWN)
		fprintf(stderr, "aloe: the node has ended\n");
	else if (rc != -EINTR)
		fprintf(stderr, "aloe: %s\n", strerror(-rc));
	return rc == -EINTR ? 130 : CLI_FAILED;
}

/* An order that may not be given twice: how to see whether it was carried out. */
static const char *lost_advice(enum wire_type type)
{
	switch (type) {
	case WIRE_START:
		return "if `aloe list` does not show RUN, give the order again";
	case WIRE_PAUSE:
		return "if `aloe list` does not show PAUSE, give the order again";
	case WIRE_STEP:
		return "`aloe list` shows the index that was reached; the order runs further slots "
		       "if it is given again";
	case WIRE_STOP:
		return "if `aloe list` does not show STOP, give the order again";
	case WIRE_UNLOAD:
		return "if `aloe list` still shows the waveform, give the order again";
	case WIRE_SET:
		return "if `aloe get` does not show the new value, give the order again";
	default:
		return "`aloe list` shows the state of the node";
	}
}

int client_call(struct client *client, struct wire_msg *msg, struct wire_view *ret_view)
{
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);
	struct wire_view asked = {0};
	const bool known = bytes && wire_decode(bytes, len, &asked) == 0;
	const enum wire_type type = known ? asked.type : WIRE_FAIL;
	const int rc = client_ask(client, msg, CLIENT_CALL_MS, ret_view);

	if (rc == 0 && ret_view->type == WIRE_FAIL && client->refusals)
		return fail_print(ret_view, client->refusals);
	if (rc != -ECONNRESET)
		return client_judge(rc, ret_view);
	fprintf(stderr,
	    "aloe: %s; it is being started again, and nobody knows whether the order "
	    "was carried out: %s\n",
	    client->lost, lost_advice(type));
	return CLI_FAILED;
}

json_t *client_json(const struct wire_view *view)
{
	const void *text = NULL;
	size_t len = 0;
	json_error_t error;
	json_t *json;

	if (wire_get_bytes(view, WIRE_TAG_JSON, 0, &text, &len) < 0) {
		fprintf(stderr, "aloe: the node's answer has no JSON\n");
		return NULL;
	}
	json = json_loadb(text, len, JSON_DECODE_ANY, &error);
	if (!json)
		fprintf(stderr, "aloe: the node's answer is not valid JSON: %s\n", error.text);
	return json;
}

int client_waveform(
    struct client *client, enum wire_type type, const char *waveform, struct wire_view *ret_view)
{
	struct wire_msg msg;

	client_request(client, type, WIRE_SWMAN, &msg);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
	return client_call(client, &msg, ret_view);
}

json_t *client_list(struct client *client, int *ret_status)
{
	struct wire_view view;
	struct wire_msg msg;
	json_t *list = NULL;

	client_request(client, WIRE_LIST, WIRE_SWMAN, &msg);
	*ret_status = client_call(client, &msg, &view);
	if (*ret_status == 0) {
		list = client_json(&view);
		*ret_status = list ? CLI_OK : CLI_FAILED;
	}
	return list;
}

int client_over(struct client *client, const char *waveform, bool *ret_gone, bool *ret_over)
{
	int status;
	json_t *list = client_list(client, &status), *entry;
	size_t n;

	if (!list)
		return status;
	*ret_gone = *ret_over = true;
	json_array_foreach(list, n, entry)
	{
		const char *state = report_text(entry, "state");

		if (strcmp(report_text(entry, "name"), waveform) != 0)
			continue;
		*ret_gone = false;
		*ret_over = strcmp(state, "STOP") == 0 || strcmp(state, "ABNSTOP") == 0;
	}
	json_decref(list);
	return CLI_OK;
}

enum wire_peer client_values(const struct client *client)
{
	return client->node ? WIRE_STATS : WIRE_STATSMAN;
}
