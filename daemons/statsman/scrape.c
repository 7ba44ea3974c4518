/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/statsman/scrape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/report/report.h"
#include "daemons/statsman/statsman.h"

#define MS_NS 1000000ull

/* ---- in a thread of core/http ---- */

static bool is_fresh(const struct scrape *scrape, uint64_t began_ns)
{
	return scrape->made_ns > 0 && scrape->made_ns + SCRAPE_FRESH_MS * MS_NS > began_ns;
}

/* Waits for text that is no older than the request by more than SCRAPE_FRESH_MS. Under the lock. */
static bool text_wait(struct scrape *scrape)
{
	const uint64_t began_ns = clock_ns();
	const struct timespec until = clock_timespec(began_ns + SCRAPE_WAIT_MS * MS_NS);
	int result = 0;

	if (!is_fresh(scrape, began_ns) && !scrape->wanted) {
		scrape->wanted = true;
		eventfd_write(scrape->want_fd, 1);
	}
	while (result == 0 && !scrape->ending && !is_fresh(scrape, began_ns) &&
	    scrape->failed_ns < began_ns)
		result = pthread_cond_timedwait(&scrape->changed, &scrape->lock, &until);
	return is_fresh(scrape, began_ns);
}

static void words_reply(const char *words, int status, struct http_reply *reply)
{
	char *body;
	const int len = asprintf(&body, "%s\n", words);

	*reply = (struct http_reply){.status = status, .type = "text/plain; charset=utf-8"};
	if (len >= 0) {
		reply->body = body;
		reply->len = (size_t)len;
	}
}

void scrape_answer(struct scrape *scrape, const char *accept, struct http_reply *ret_reply)
{
	const enum metrics_format format = metrics_accepted(accept);
	const char *why;

	pthread_mutex_lock(&scrape->lock);
	if (text_wait(scrape)) {
		*ret_reply = (struct http_reply){.status = 200,
		    .type = metrics_type(format),
		    .body = malloc(scrape->len[format] + 1),
		    .len = scrape->len[format]};
		if (ret_reply->body)
			memcpy(ret_reply->body, scrape->text[format], scrape->len[format] + 1);
		else
			ret_reply->status = 500;
	} else {
		why = scrape->why[0] ? scrape->why : "the node does not answer";
		words_reply(why, 503, ret_reply);
	}
	pthread_mutex_unlock(&scrape->lock);
}

static void request_answer(
    void *self, const struct http_request *request, struct http_reply *ret_reply)
{
	if (request->post)
		words_reply("/metrics takes only GET", 405, ret_reply);
	else if (strcmp(request->path, "/metrics") != 0)
		words_reply("there is only /metrics here", 404, ret_reply);
	else
		scrape_answer(self, request->accept, ret_reply);
}

/* ---- in the loop ---- */

static void asking_end(struct scrape *scrape)
{
	json_decref(scrape->list);
	json_decref(scrape->reports);
	scrape->list = scrape->reports = NULL;
	scrape->asking = false;
}

static void scrape_fail(struct scrape *scrape, const char *why)
{
	asking_end(scrape);
	pthread_mutex_lock(&scrape->lock);
	snprintf(scrape->why, sizeof(scrape->why), "%s", why);
	scrape->failed_ns = clock_ns();
	scrape->wanted = false;
	pthread_cond_broadcast(&scrape->changed);
	pthread_mutex_unlock(&scrape->lock);
}

static void text_put(struct scrape *scrape, char *text[METRICS_FORMATS], const size_t *len)
{
	pthread_mutex_lock(&scrape->lock);
	for (int f = 0; f < METRICS_FORMATS; f++) {
		char *old = scrape->text[f];

		scrape->text[f] = text[f];
		scrape->len[f] = len[f];
		text[f] = old;
	}
	scrape->made_ns = clock_ns();
	scrape->why[0] = 0;
	scrape->wanted = false;
	pthread_cond_broadcast(&scrape->changed);
	pthread_mutex_unlock(&scrape->lock);
}

static void scrape_made(struct statsman *statsman)
{
	struct scrape *scrape = &statsman->scrape;
	char *text[METRICS_FORMATS] = {NULL};
	size_t len[METRICS_FORMATS] = {0};
	int result = 0;

	for (int f = 0; f < METRICS_FORMATS && result == 0; f++)
		result = metrics_write(scrape->reports, statsman->daemon.args.node,
		    (enum metrics_format)f, &text[f], &len[f]);
	if (result == 0) {
		text_put(scrape, text, len);
		asking_end(scrape);
	} else {
		scrape_fail(scrape, "out of memory");
	}
	for (int f = 0; f < METRICS_FORMATS; f++)
		free(text[f]);
}

static void report_ask(struct statsman *statsman);

/* What was unloaded since the list was made has no report. */
static void report_known(
    struct statsman *statsman, struct statsman_ask *ask, const struct wire_view *answer)
{
	struct scrape *scrape = &statsman->scrape;
	json_t *report = answer ? statsman_json(answer) : NULL;
	uint64_t again;

	if (!scrape->asking)
		json_decref(report);
	else if (!answer)
		scrape_fail(scrape, ask->lost);
	else if (!report && wire_get_u64(answer, WIRE_TAG_AGAIN, &again) == 0)
		scrape_fail(scrape, "a daemon of the node has died; it is being started again");
	else {
		if (report)
			json_array_append_new(scrape->reports, report);
		scrape->at++;
		report_ask(statsman);
	}
}

static void report_ask(struct statsman *statsman)
{
	struct scrape *scrape = &statsman->scrape;
	struct wire_msg msg;

	if (scrape->at >= json_array_size(scrape->list)) {
		scrape_made(statsman);
		return;
	}
	statsman_msg(WIRE_STATUS, WIRE_SWMAN,
	    report_text(json_array_get(scrape->list, scrape->at), "name"), NULL, &msg);
	statsman_ask(statsman, &msg, report_known, NULL, 0);
}

static void list_known(
    struct statsman *statsman, struct statsman_ask *ask, const struct wire_view *answer)
{
	struct scrape *scrape = &statsman->scrape;
	char *why = answer ? wire_get_text(answer, WIRE_TAG_TEXT, 0) : NULL;

	scrape->list = answer ? statsman_json(answer) : NULL;
	scrape->reports = json_array();
	scrape->at = 0;
	if (scrape->list && scrape->reports)
		report_ask(statsman);
	else
		scrape_fail(scrape, why ? why : answer ? "out of memory" : ask->lost);
	free(why);
}

static void text_wanted(void *self, short revents)
{
	struct statsman *statsman = self;
	struct wire_msg msg;
	eventfd_t n;

	(void)revents;
	if (eventfd_read(statsman->scrape.want_fd, &n) < 0 || statsman->scrape.asking)
		return;
	if (!statsman->daemon.greeted) {
		scrape_fail(&statsman->scrape, "aloe-frontend is being started again");
		return;
	}
	statsman->scrape.asking = true;
	statsman_msg(WIRE_LIST, WIRE_SWMAN, NULL, NULL, &msg);
	statsman_ask(statsman, &msg, list_known, NULL, 0);
}

static void lock_init(struct scrape *scrape)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&scrape->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&scrape->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

int scrape_open(struct statsman *statsman)
{
	struct scrape *scrape = &statsman->scrape;
	const char *metrics = statsman->daemon.args.metrics;
	char why[200];

	scrape->want_fd = -1;
	if (!metrics && !statsman->daemon.args.web)
		return 0;
	if (metrics && address_local(metrics, scrape->serve.address, why, sizeof(why)) < 0)
		return -EINVAL; /* said when the options were read */
	scrape->want_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (scrape->want_fd < 0)
		return -errno;
	lock_init(scrape);
	loop_watch_start(
	    &statsman->daemon.loop, &scrape->watch, scrape->want_fd, POLLIN, text_wanted, statsman);
	scrape->serve.loop = &statsman->daemon.loop;
	scrape->serve.log = &statsman->daemon.log;
	scrape->serve.what = "/metrics";
	scrape->serve.calls = (struct http_calls){.answer = request_answer, .self = scrape};
	if (metrics)
		serve_begin(&scrape->serve);
	return 0;
}

void scrape_stop(struct statsman *statsman)
{
	struct scrape *scrape = &statsman->scrape;

	if (scrape->want_fd < 0)
		return;
	pthread_mutex_lock(&scrape->lock);
	scrape->ending = true;
	pthread_cond_broadcast(&scrape->changed);
	pthread_mutex_unlock(&scrape->lock);
	serve_end(&scrape->serve);
}

void scrape_close(struct statsman *statsman)
{
	struct scrape *scrape = &statsman->scrape;

	if (scrape->want_fd < 0)
		return;
	loop_watch_stop(&statsman->daemon.loop, &scrape->watch);
	close(scrape->want_fd);
	asking_end(scrape);
	for (int f = 0; f < METRICS_FORMATS; f++)
		free(scrape->text[f]);
	pthread_cond_destroy(&scrape->changed);
	pthread_mutex_destroy(&scrape->lock);
}
