/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dashboard's server: its beginning and end, and what threads have handed to the loop. */
#include "daemons/statsman/web.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemons/statsman/statsman.h"

/* ---- streams come and go ---------------------------------------------------------------- */

/* Under the lock; the place is free for another client. */
static void stream_clear(struct web_stream *stream)
{
	for (; stream->n > 0; stream->n--) {
		free(stream->queue[stream->first].bytes);
		stream->first = (stream->first + 1) % WEB_QUEUE;
	}
	web_look_fini(&stream->signal);
	stream->state = WEB_FREE;
	stream->life++;
	stream->greeted = stream->waiting = false;
	stream->load_id = stream->last_ns = stream->seen_dropped = 0;
}

static void stream_look(struct statsman *statsman, struct web_stream *stream)
{
	struct web *web = &statsman->web;
	enum web_state state;

	pthread_mutex_lock(&web->lock);
	state = stream->state;
	if (state == WEB_NEW)
		stream->state = WEB_OPEN;
	if (state == WEB_LEFT) {
		loop_timer_stop(&statsman->daemon.loop, &stream->timer);
		stream_clear(stream);
	}
	pthread_mutex_unlock(&web->lock);
	if (state == WEB_NEW && stream->target.kind == WEB_EVENTS)
		web_round_soon(statsman);
	else if (state == WEB_NEW)
		web_tap_begin(statsman, stream);
}

/* A change whose client was told that nobody answers is not made late. */
static bool is_given_up(struct web *web, const struct web_ask *ask)
{
	bool given_up;

	pthread_mutex_lock(&web->lock);
	given_up = ask->given_up;
	pthread_mutex_unlock(&web->lock);
	return given_up;
}

static void asks_begin(struct statsman *statsman)
{
	struct web *web = &statsman->web;
	struct web_ask *asks, *next;

	pthread_mutex_lock(&web->lock);
	asks = web->asks;
	web->asks = NULL;
	web->asks_end = &web->asks;
	pthread_mutex_unlock(&web->lock);
	for (; asks; asks = next) {
		next = asks->next;
		if (is_given_up(web, asks))
			web_ask_free(asks);
		else
			web_ask_begin(statsman, asks);
	}
}

static void handed_over(void *self, short revents)
{
	struct statsman *statsman = self;
	eventfd_t n;

	(void)revents;
	if (eventfd_read(statsman->web.want_fd, &n) < 0)
		return;
	asks_begin(statsman);
	for (int i = 0; i < WEB_STREAMS; i++)
		stream_look(statsman, &statsman->web.streams[i]);
}

/* ---- beginning and end ------------------------------------------------------------------ */

/* The token of a statsman before this one at the same address is kept, so that a page goes on. Any
 * other file is of a node that was killed: nothing is served there. */
static int file_begin(struct web *web, const struct daemon_args *args)
{
	char address[ADDRESS_TEXT] = "", why[200];
	int rc;

	if (args->web && address_local(args->web, address, why, sizeof(why)) < 0)
		return -EINVAL; /* said when the options were read */
	rc = web_file_path(&web->file, args->dir);
	if (rc < 0)
		return rc;
	if (args->web && web_file_read(&web->file) == 0 && strcmp(web->file.address, address) == 0)
		return 0;
	if (unlink(web->file.path) < 0 && errno != ENOENT)
		return -errno;
	memcpy(web->file.address, address, sizeof(address));
	return args->web ? web_file_token(&web->file) : 0;
}

/* The file says what is served. */
static void file_keep(struct served *serve, bool served)
{
	const struct web *web = (const struct web *)serve->calls.self;
	const int rc = served ? web_file_write(&web->file) : 0;

	if (!served)
		unlink(web->file.path);
	if (rc < 0)
		log_error(serve->log, "%s cannot be written: %s", web->file.path, strerror(-rc));
}

static void locks_init(struct web *web)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&web->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&web->changed, &attributes);
	for (int i = 0; i < WEB_STREAMS; i++)
		pthread_cond_init(&web->streams[i].changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

int web_open(struct statsman *statsman)
{
	const struct daemon_args *args = &statsman->daemon.args;
	struct web *web = &statsman->web;
	int rc;

	web->want_fd = -1;
	rc = file_begin(web, args);
	if (rc < 0)
		log_error(&statsman->daemon.log, "%s cannot be written: %s", web->file.path,
		    strerror(-rc));
	if (rc < 0 || !args->web)
		return rc;
	web->want_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (web->want_fd < 0)
		return -errno;
	locks_init(web);
	web->asks_end = &web->asks;
	web->scrape = &statsman->scrape;
	web->node = args->node ? args->node : "";
	web->platform = args->platform != NULL;
	web->looks = json_object();
	for (int i = 0; i < WEB_STREAMS; i++) {
		web->streams[i].web = web;
		web->streams[i].statsman = statsman;
	}
	loop_watch_start(
	    &statsman->daemon.loop, &web->watch, web->want_fd, POLLIN, handed_over, statsman);
	web->serve.loop = &statsman->daemon.loop;
	web->serve.log = &statsman->daemon.log;
	web->serve.what = "the dashboard";
	web->serve.tried = file_keep;
	memcpy(web->serve.address, web->file.address, sizeof(web->serve.address));
	web_calls(web, &web->serve.calls);
	serve_begin(&web->serve);
	return 0;
}

static void threads_end(struct web *web)
{
	pthread_mutex_lock(&web->lock);
	web->ending = true;
	pthread_cond_broadcast(&web->changed);
	for (int i = 0; i < WEB_STREAMS; i++)
		pthread_cond_broadcast(&web->streams[i].changed);
	pthread_mutex_unlock(&web->lock);
	serve_end(&web->serve);
}

void web_close(struct statsman *statsman)
{
	struct web *web = &statsman->web;
	struct web_ask *next;

	if (web->want_fd < 0)
		return;
	threads_end(web);
	loop_watch_stop(&statsman->daemon.loop, &web->watch);
	close(web->want_fd);
	web_rounds_end(statsman);
	for (; web->asks; web->asks = next) {
		next = web->asks->next;
		web_ask_free(web->asks);
	}
	for (int i = 0; i < WEB_STREAMS; i++) {
		loop_timer_stop(&statsman->daemon.loop, &web->streams[i].timer);
		stream_clear(&web->streams[i]);
		pthread_cond_destroy(&web->streams[i].changed);
	}
	json_decref(web->looks);
	pthread_cond_destroy(&web->changed);
	pthread_mutex_destroy(&web->lock);
	unlink(web->file.path);
}
