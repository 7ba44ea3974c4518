/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/web.h - the dashboard's server: requests, events and signals, between threads of
 * core/http and the loop of statsman.
 *
 *   thread of core/http               loop of statsman
 *   struct web_ask, waits ----------> asks swman, exec, stats
 *   takes the reply       <---------- puts the reply
 *   struct web_stream     ----------> each second a look at the waveforms, or a tap at a rate
 *   writes to the client  <---------- puts a message into the stream's queue
 *
 * What threads and loop share is under one lock, which is held to copy and never over a question or
 * a write. A queue has WEB_QUEUE messages: what does not fit is dropped and counted, and a client
 * that takes nothing for HTTP_CLIENT_MS is sent away. Nothing is asked while nobody looks.
 *
 * The file `web` in the node's directory (mode 0600) has the address and the token, so that a
 * statsman that is started again after a kill has the same.
 */
#ifndef ALOE_STATSMAN_WEB_H
#define ALOE_STATSMAN_WEB_H

#include <pthread.h>

#include "core/json/json.h"
#include "daemons/statsman/serve.h"
#include "daemons/statsman/web_route.h"
#include "daemons/statsman/web_signal.h"
#include "core/base/web_file.h"

enum {
	WEB_CLIENTS = 16, /* that look at events; and as many signals */
	WEB_STREAMS = 2 * WEB_CLIENTS,
	WEB_QUEUE = 8,
	WEB_WAIT_MS = 8000,
	WEB_ROUND_MS = 1000,
	WEB_ROUND_MS_MIN = 200, /* new clients begin a round at once, but not more often */
};

struct statsman;
struct web;
struct wire_view;

struct web_ask { /* a request, until both sides are done with it */
	struct web_ask *next;
	struct web_target target;
	struct http_reply reply;
	bool done, given_up; /* under the lock */
	/* the loop's, of a request that was refused, while it looks which waveforms there are */
	int status;
	char *words;
};

enum web_state {
	WEB_FREE,
	WEB_ASKED, /* a thread has it, and the loop does not know */
	WEB_NEW,   /* the loop is to begin with it */
	WEB_OPEN,
	WEB_LEFT, /* no thread has it any more; the loop is to forget it */
};

struct web_stream {
	struct web *web;
	pthread_cond_t changed;
	enum web_state state;
	bool over; /* `next` ends when the queue is empty */
	bool gone; /* the client has left */
	struct http_message queue[WEB_QUEUE];
	unsigned first, n;
	uint64_t n_dropped; /* messages that found no place */
	struct web_target target;
	/* the loop's own */
	struct statsman *statsman;
	struct loop_timer timer;
	struct web_look signal;
	bool greeted, waiting;
	uint32_t rate_most; /* with no other client */
	uint64_t load_id, newest, asked_ns, last_ns, seen_dropped;
	uint32_t life; /* a new one for each client that has this place: an answer may come late */
};

struct web_counts {
	uint64_t refused, dropped, frames_dropped;
};

struct web {
	/* what the threads share with the loop, under the lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ending;
	struct web_ask *asks, **asks_end;
	struct web_stream streams[WEB_STREAMS];
	struct web_counts counts;
	int want_fd; /* eventfd: there is something for the loop; -1: nothing is served */
	/* set before the threads begin */
	struct scrape *scrape;
	const char *node;
	bool platform;
	struct web_file file;
	/* the loop's own */
	struct served serve;
	struct loop_watch watch;
	struct loop_timer round;
	bool in_round;
	uint64_t round_ns;
	json_t *list;   /* of this round */
	json_t *looks;  /* by waveform: the report before, and when it was made */
	json_t *wanted; /* waveforms of this round whose reports are still to be asked for */
	size_t at;
};

/* web_open serves at args.web; without it, it does nothing. 0 or -errno. web_close after
 * scrape_stop. */
int web_open(struct statsman *statsman);
void web_close(struct statsman *statsman);

/* ---- between the files of the server ---- */

/* web_threads.c: in threads of core/http. */
void web_calls(struct web *web, struct http_calls *ret);
/* web_error: the reply that says in words what is wrong; `names` (may be NULL) is its own. */
void web_error(int status, const char *words, json_t *names, struct http_reply *ret);
/* web_json: the reply that is this JSON, which is freed; of NULL, that there is no memory. */
void web_json(json_t *json, struct http_reply *ret);
json_t *web_clients_json(struct web *web);
void web_ask_free(struct web_ask *ask);

/* web_component.c: the tables of a component as JSON, in threads of core/http; NULL: there is none.
 * The caller frees it. */
char *web_component_text(const char *name, size_t *ret_len);

/* web_stream.c: what the loop puts. Each takes the bytes. web_put: false, if there was no place.
 * web_text: JSON, which is freed, as text for free(); NULL: there is no memory. */
char *web_text(json_t *json);
bool web_put(struct web_stream *stream, char *bytes, size_t len, bool binary);
bool web_put_json(struct web_stream *stream, json_t *json);
void web_stream_end(struct web_stream *stream); /* after what is in the queue */

/* web_answer.c: a request, in the loop. */
void web_ask_begin(struct statsman *statsman, struct web_ask *ask);
/* web_values: who answers GET, SET and TAP. */
enum wire_peer web_values(const struct statsman *statsman);

/* web_rounds.c and web_taps.c: streams, in the loop. */
void web_round_soon(struct statsman *statsman);
void web_rounds_end(struct statsman *statsman);
void web_tap_begin(struct statsman *statsman, struct web_stream *stream);

#endif
