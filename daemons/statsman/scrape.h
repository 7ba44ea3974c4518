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

#include "core/base/address.h"
#include "core/base/loop.h"
#include "core/http/http.h"
#include "daemons/statsman/metrics.h"

enum { SCRAPE_FRESH_MS = 500, SCRAPE_WAIT_MS = 8000, SCRAPE_RETRY_MS = 1000 };

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
	char address[ADDRESS_TEXT];
	struct http *http; /* NULL: the address cannot be had, yet */
	bool told;         /* of that */
	bool asking;
	json_t *list, *reports; /* while asking */
	size_t at;              /* in the list */
	struct loop_watch watch;
	struct loop_timer retry;
};

/* scrape_open serves /metrics at args.metrics, or, if it cannot yet, tries again each
 * SCRAPE_RETRY_MS. Without args.metrics it does nothing. 0 or -errno. */
int scrape_open(struct statsman *statsman);
void scrape_close(struct statsman *statsman);

#endif
