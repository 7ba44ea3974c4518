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

int client_connect(struct client *client)
{
	client->bus = bus_connect(client->dir, WIRE_CLIENT);
	if (client->bus)
		return 0;
	fprintf(stderr, "aloe: %s: cannot be used as runtime directory: %s\n", client->dir,
	    strerror(errno));
	return CLI_FAILED;
}

/* One that was killed is started again by whoever keeps it: that takes a moment. */
static int probe(const char *dir)
{
	enum { TRIES = 150, TRY_MS = 20 };
	int rc = bus_probe(dir);

	for (int i = 0; i < TRIES && rc == -EHOSTDOWN; i++) {
		poll(NULL, 0, TRY_MS);
		rc = bus_probe(dir);
	}
	return rc;
}

int client_find(struct client *client, const struct cli_args *args)
{
	const char *dir = cli_get(args, "dir");
	int rc;

	*client = (struct client)CLIENT_NONE;
	rc = dir ? path_print(client->dir, sizeof(client->dir), "%s", dir)
	         : dir_runtime(client->dir, sizeof(client->dir));
	rc = rc < 0 ? rc : probe(client->dir);
	return rc == -ECONNREFUSED || rc == -EHOSTDOWN ? -ENOENT : rc;
}

int client_open(struct client *client, const struct cli_args *args)
{
	const int rc = client_find(client, args);

	if (rc == -ENOENT) {
		fprintf(stderr, "aloe: no node is running here (%s): start one with `aloe up`\n",
		    client->dir);
		return CLI_FAILED;
	}
	if (rc < 0) {
		fprintf(stderr, "aloe: %s: %s\n", client->dir, strerror(-rc));
		return CLI_FAILED;
	}
	return client_connect(client);
}

void client_close(struct client *client)
{
	bus_close(client->bus);
	if (client->signal_fd >= 0)
		close(client->signal_fd);
}

int client_signals(struct client *client)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	client->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return client->signal_fd < 0 ? -errno : 0;
}

void client_request(
    struct client *client, enum wire_type type, enum wire_peer dest, struct wire_msg *ret_msg)
{
	wire_init(ret_msg, type, WIRE_CLIENT, dest, bus_seq(client->bus));
}

static int64_t now_ms(void)
{
	return (int64_t)(clock_ns() / 1000000);
}

static int interrupted(struct client *client)
{
	struct signalfd_siginfo info;
	unsigned before = client->interrupts;

	while (read(client->signal_fd, &info, sizeof(info)) == sizeof(info))
		client->interrupts++;
	return client->interrupts != before;
}

/* wait_any waits for the bus, a signal, or the end of our node: 0 when the time is up or the bus has something. */
static int wait_any(struct client *client, int timeout_ms)
{
	struct pollfd fds[] = {
	    {.fd = client->bus ? bus_fd(client->bus) : -1, .events = POLLIN},
	    {.fd = client->signal_fd, .events = POLLIN},
	    {.fd = client->node_fd, .events = POLLIN},
	    {.fd = client->words_fd, .events = POLLIN},
	};

	if (poll(fds, 4, timeout_ms) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[3].revents)
		client->words(client->words_self);
	if (fds[1].revents && interrupted(client))
		return -EINTR;
	return fds[2].revents ? -ECHILD : 0;
}

/* answer takes what has come until the answer with `seq`: 1 if it did, 0 if there is nothing more, or -errno. */
static int answer(struct client *client, uint32_t seq, struct wire_view *ret_view)
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

static uint32_t seq_of(const struct wire_msg *msg)
{
	return msg->bytes ? (uint32_t)msg->bytes[12] | (uint32_t)msg->bytes[13] << 8 |
	        (uint32_t)msg->bytes[14] << 16 | (uint32_t)msg->bytes[15] << 24
	                  : 0;
}

static int ask_once(
    struct client *client, struct wire_msg *msg, int64_t until, struct wire_view *ret_view)
{
	const uint32_t seq = seq_of(msg);
	int rc;

	answer(client, 0, ret_view); /* what came of earlier questions */
	rc = bus_send(client->bus, msg);
	while (rc == 0) {
		const int64_t left = until - now_ms();
		if ((rc = answer(client, seq, ret_view)))
			break;
		if (left <= 0)
			return -ETIMEDOUT;
		rc = wait_any(client, (int)left);
	}
	return rc > 0 ? 0 : rc;
}

/* Asked twice, it does no harm. */
static bool asks_only(enum wire_type type)
{
	return type == WIRE_PING || type == WIRE_LIST || type == WIRE_STATUS || type == WIRE_GET;
}

int client_ask(
    struct client *client, struct wire_msg *msg, int timeout_ms, struct wire_view *ret_view)
{
	const int64_t until = now_ms() + timeout_ms;
	struct wire_view whole = {0};
	struct wire_msg copy;
	size_t len;
	const uint8_t *bytes = wire_bytes(msg, &len);
	int rc = bytes ? wire_decode(bytes, len, &whole) : msg->error;

	if (rc == 0) {
		do {
			wire_init_copy(&copy, &whole, (enum wire_tag)0);
			rc = ask_once(client, &copy, until, ret_view);
		} while (rc == -ECONNRESET && asks_only(whole.type));
	}
	wire_fini(msg);
	return rc;
}

int client_wait(struct client *client, int timeout_ms)
{
	const int64_t until = now_ms() + timeout_ms;
	int rc = 0;

	do {
		struct wire_view view;
		if (client->bus && (rc = answer(client, 0, &view)) < 0 && rc != -ECONNRESET)
			break;
		rc = wait_any(client, (int)(until - now_ms()));
	} while (rc == 0 && now_ms() < until);
	return rc;
}

static int fail_print(const struct wire_view *view)
{
	char *text = wire_get_text(view, WIRE_TAG_TEXT, 0);
	uint64_t code = CLI_FAILED;

	wire_get_u64(view, WIRE_TAG_CODE, &code);
	fprintf(stderr, "%s\n", text && text[0] ? text : "the node gives no reason");
	free(text);
	return code == CLI_USAGE ? CLI_USAGE : CLI_FAILED;
}

int client_judge(int rc, const struct wire_view *view)
{
	if (rc == 0)
		return view->type == WIRE_OK ? 0 : fail_print(view);
	if (rc == -ETIMEDOUT)
		fprintf(stderr, "aloe: the node does not answer (%d s)\n", CLIENT_CALL_MS / 1000);
	else if (rc == -ECONNRESET)
		fprintf(stderr,
		    "aloe: aloe-frontend has died before it had answered; it is being started again. `aloe list` "
		    "tells what came of it\n");
	else if (rc == -ECHILD)
		fprintf(stderr, "aloe: the node has ended unexpectedly\n");
	else if (rc != -EINTR)
		fprintf(stderr, "aloe: %s\n", strerror(-rc));
	return rc == -EINTR ? 130 : CLI_FAILED;
}

int client_call(struct client *client, struct wire_msg *msg, struct wire_view *ret_view)
{
	return client_judge(client_ask(client, msg, CLIENT_CALL_MS, ret_view), ret_view);
}

json_t *client_json(const struct wire_view *view)
{
	const void *text = NULL;
	size_t len = 0;
	json_error_t error;
	json_t *json;

	if (wire_get_bytes(view, WIRE_TAG_JSON, 0, &text, &len) < 0) {
		fprintf(stderr, "aloe: the answer has no JSON\n");
		return NULL;
	}
	json = json_loadb(text, len, JSON_DECODE_ANY, &error);
	if (!json)
		fprintf(stderr, "aloe: the answer is not JSON: %s\n", error.text);
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
