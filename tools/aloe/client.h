/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/client.h - talking to a node: calls that end early when the user or the node does.
 */
#ifndef TOOLS_ALOE_CLIENT_H
#define TOOLS_ALOE_CLIENT_H

#include <signal.h>
#include <stdio.h>

#include "core/base/loop.h"
#include "core/bus/bus.h"
#include "core/cli/cli.h"
#include "core/json/json.h"

enum { CLIENT_CALL_MS = 60000 };

struct client {
	struct bus *bus;
	int signal_fd; /* Ctrl-C and its like, -1: not watched */
	int node_fd;   /* pidfd of the frontend, -1: not ours. Not closed here */
	/* what the daemons say, -1: not ours to read; `words` is called when something has come */
	int words_fd;
	void (*words)(void *self);
	/* called before the client itself writes on standard error; NULL: nothing is drawn */
	void (*says)(void *self);
	FILE *refusals; /* why the node refuses a call goes there; NULL: to standard error */
	void *words_self;
	struct loop loop;        /* goes round while a call waits */
	unsigned interrupts;     /* how often the user wanted an end */
	uint32_t interrupt;      /* the signal of the last that was counted */
	uint64_t interrupted_ns; /* when that came */
	bool resized;            /* the terminal has another size than before the last wait */
	uint64_t asked_ns;       /* since when nothing has been answered; 0: all has */
	uint64_t reported_s;     /* when that was last told, in seconds since */
	uint64_t noted_ns;       /* when a note of the node was shown last; 0: never */
	char lost[192];          /* of -ECONNRESET: who has ended */
	const char *node;        /* --node, for which requests are; NULL: none was named */
	char dir[4096];          /* runtime directory */
};

#define CLIENT_NONE                                                                                \
	{                                                                                          \
		.signal_fd = -1, .node_fd = -1, .words_fd = -1                                     \
	}

/* client_open connects to the node of --dir, or of this user, also while a frontend that was killed
 * is being followed by another. 0, or CLI_FAILED after saying how to start one. */
int client_open(struct client *client, const struct cli_args *args);
/* client_find finds that node without a word: 0, -ENOENT (none is running), or -errno. client->dir
 * is set in any case. */
int client_find(struct client *client, const struct cli_args *args);
/* client_probe is client_find in `dir`, without a client. */
int client_probe(const char *dir);
/* client_in is client_open for the node in `dir`. */
int client_in(struct client *client, const char *dir);
/* client_connect connects to a node in client->dir, whether it is there yet or not. */
int client_connect(struct client *client);
void client_close(struct client *client);
/* client_signals makes SIGINT, SIGTERM and SIGHUP end calls with -EINTR instead of the program, and
 * SIGWINCH end a wait. 0 or -errno. */
int client_signals(struct client *client);

void client_request(
    struct client *client, enum wire_type type, enum wire_peer dest, struct wire_msg *ret_msg);
/* client_ask sends and waits: 0 with OK or FAIL in ret_view; -EINTR: the user wants an end;
 * -ECHILD: our frontend has ended; -ECONNRESET: a daemon was killed over it, and nobody knows what
 * came of it (what only asks, and LOAD, which swman knows again, is asked again instead);
 * -ESHUTDOWN: the node, which is not ours, has ended; -ETIMEDOUT; -errno. It says what it waits
 * for, after 2 s and then every 10 s, on standard error. msg is finished in any case. */
int client_ask(
    struct client *client, struct wire_msg *msg, int timeout_ms, struct wire_view *ret_view);
/* client_call is client_ask that prints what went wrong: 0 only with OK; else the exit status.
 * client_judge is the latter half of it. */
int client_call(struct client *client, struct wire_msg *msg, struct wire_view *ret_view);
int client_judge(int rc, const struct wire_view *view);
/* client_wait does nothing for a while, or until the terminal is resized: 0, or -EINTR, -ECHILD.
 * client_wait_input waits until there is something to read on `fd` (-1: nothing can be): 1; 0 when
 * the time is up (timeout_ms -1: never) or the terminal was resized; -EINTR, -ECHILD. */
int client_wait(struct client *client, int timeout_ms);
int client_wait_input(struct client *client, int fd, int timeout_ms);

/* client_json takes the JSON of an answer; NULL after saying what is wrong with it. */
json_t *client_json(const struct wire_view *view);
/* client_waveform asks for one waveform with nothing but its name. */
int client_waveform(
    struct client *client, enum wire_type type, const char *waveform, struct wire_view *ret_view);
/* client_list: the waveforms that are loaded, as `aloe list --json` prints them; NULL after saying
 * why not, with the exit status. */
json_t *client_list(struct client *client, int *ret_status);
/* client_over asks whether a waveform has ended (ret_over), or is not loaded any more (ret_gone).
 * The exit status of client_list. */
int client_over(struct client *client, const char *waveform, bool *ret_gone, bool *ret_over);
/* client_values: who answers GET, SET and LOG: for all nodes, or for the one that --node names. */
enum wire_peer client_values(const struct client *client);

#endif
