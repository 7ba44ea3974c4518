/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/scrape.h - /metrics, from a request to the reports and back.
 *
 *   thread of core/http             loop of statsman
 *   wants fresh text, waits ------> LIST, then STATUS of each waveform, one after another
 *   copies it              <------- both formats at once, or why there are none
 *
 * Nothing is asked of swman or exec while nobody reads, and at most once in SCRAPE_FRESH_MS however
 * many read. A thread waits SCRAPE_WAIT_MS at most, and answers 503 then. The lock is held to copy
 * and to put text in place, never over a question.
 */
#ifndef ALOE_STATSMAN_SCRAPE_H
#define ALOE_STATSMAN_SCRAPE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/loop.h"
#include "core/http/http.h"
#include "daemons/statsman/metrics.h"
#include "daemons/statsman/serve.h"

enum { SCRAPE_FRESH_MS = 500, SCRAPE_WAIT_MS = 8000 };

struct statsman;

struct scrape {
	/* what the threads share, under the lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool wanted, ending;
	uint64_t made_ns, failed_ns; /* when it was; 0: never */
	char *text[METRICS_FORMATS];
	size_t len[METRICS_FORMATS];
	char why[256]; /* of failed_ns */
	int want_fd;   /* eventfd: something is wanted; -1: nothing is served */
	/* the loop's own */
	struct served serve;
	bool asking;
	json_t *list, *reports; /* while asking */
	size_t at;              /* in the list */
	struct loop_watch watch;
};

/* scrape_open serves /metrics at args.metrics, if that is given, and lets the dashboard serve it if
 * that is given; without both it does nothing. 0 or -errno. scrape_stop makes all that wait go
 * home; scrape_close is called when no thread is left that could wait. */
int scrape_open(struct statsman *statsman);
void scrape_stop(struct statsman *statsman);
void scrape_close(struct statsman *statsman);

/* scrape_answer, in a thread of core/http: the text in the format that the Accept names. */
void scrape_answer(struct scrape *scrape, const char *accept, struct http_reply *ret_reply);

#endif
