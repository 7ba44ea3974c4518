/* SPDX-License-Identifier: BSD-3-Clause
 *
 * daemons/statsman/statsman.h - variables and counts of all nodes, on the manager.
 *
 *   GET, SET, LOG   of one node: passed on to its aloe-stats, which answers who asked. Of several:
 *                   which nodes run the waveform (LIST of swman) -> the aloe-stats of the node
 *                   that runs the instance, or of all -> one answer
 *   /metrics        a thread of core/http asks -> LIST, STATUS of each waveform (swman) -> text ->
 *                   all threads that wait
 *   the dashboard   the same, for many questions: web.h
 *
 * A part of a job is the question to one aloe-stats and its answer.
 *
 * One thread and one loop for all but the threads of core/http, which share only struct scrape and
 * struct web with it. Nothing waits for another daemon: what is to be done with an answer is kept
 * in a struct statsman_ask. Killed, it loses its connections and nothing else: it keeps nothing of
 * its own but the file with the token of the dashboard.
 */
#ifndef ALOE_STATSMAN_H
#define ALOE_STATSMAN_H

#include "core/base/address.h"
#include "core/json/json.h"
#include "daemons/common/daemon.h"
#include "daemons/statsman/scrape.h"
#include "daemons/statsman/web.h"

struct statsman;
struct job;

struct statsman_ask { /* a question that is not answered yet */
	struct statsman_ask *next;
	uint32_t seq;
	uint64_t until_ns;
	/* answer NULL: there will be none, `lost` says why. The question is freed afterwards. */
	void (*done)(
	    struct statsman *statsman, struct statsman_ask *ask, const struct wire_view *answer);
	const char *lost;
	bool again; /* because a daemon has ended: the next one may be asked */
	void *of;   /* whose it is: a job, or the scrape's */
	uint32_t at;
};

struct statsman {
	struct daemon daemon;
	struct statsman_ask *asks;
	struct loop_timer late; /* the first question that is given up */
	/* What waveforms there are, as swman listed them last, and when: to find the node of an
	 * instance that is asked for again and again. NULL: not known */
	json_t *list;
	uint64_t listed_ns;
	struct scrape scrape;
	struct web web;
};

/* ask.c: questions to other daemons. statsman_ask sends and finishes `msg`; what cannot be sent is
 * answered by NULL, before it returns. */
void statsman_ask(struct statsman *statsman, struct wire_msg *msg,
    void (*done)(
        struct statsman *statsman, struct statsman_ask *ask, const struct wire_view *answer),
    void *of, uint32_t at);
/* statsman_msg begins a question about a waveform (NULL: about none) to a daemon of a node (NULL:
 * of this one). */
void statsman_msg(enum wire_type type, enum wire_peer dest, const char *waveform, const char *node,
    struct wire_msg *ret_msg);
void statsman_answered(struct statsman *statsman, const struct wire_view *answer);
void statsman_asks_lose(struct statsman *statsman, const char *why);
/* statsman_json: of an answer; NULL: it has none. */
json_t *statsman_json(const struct wire_view *answer);

/* job.c: a request, and the answers of several aloe-stats to it. */
struct job_part {
	char node[64];
	char *bytes; /* a copy of the answer; NULL: there is none */
	struct wire_view view;
	char *why; /* the question was refused or is not answered: the reason */
	uint64_t code, newest;
	bool again;
	bool asked; /* of a SET: the question for all names of the node is this part's */
};

struct job {
	uint8_t *bytes;
	struct wire_view request;
	char *waveform, *name; /* of the request; name may be NULL */
	/* as the list has the waveform: on a clock; it stands between two slots */
	bool timed, stands;
	uint64_t slot_ns;
	struct job_part *parts;
	unsigned n, left;
	bool listed; /* for this job: what is not found now is not there */
	void (*next)(struct statsman *statsman, struct job *job); /* nothing is left */
	uint64_t newest, at_ns, index;                            /* of a SET */
};

enum { JOB_NODE = sizeof(((struct job_part *)0)->node) };

/* job_new: NULL after answering that there is no memory or no waveform was named. */
struct job *job_new(struct statsman *statsman, const struct wire_view *request);
void job_free(struct job *job);
/* job_locate finds the waveform, and calls `next` with a part for each of its nodes; a waveform
 * that is not loaded is answered, and the job freed. `fresh`: swman is asked in any case. */
void job_locate(struct statsman *statsman, struct job *job, bool fresh,
    void (*next)(struct statsman *statsman, struct job *job));
/* job_parts gives the job n parts in place of those it has; false: no memory. */
bool job_parts(struct job *job, unsigned n);
/* job_ask sends a question for part `at` and finishes the message. The caller has set job->left to
 * the number of questions, and job->next. */
void job_ask(struct statsman *statsman, struct job *job, unsigned at, struct wire_msg *msg);
/* Each of these answers the request and frees the job. job_pass gives an answer as it came;
 * job_fail gives the reason of a part; job_refuse one of our own. */
void job_pass(struct statsman *statsman, struct job *job, const struct job_part *part);
void job_fail(struct statsman *statsman, struct job *job, const struct job_part *part);
__attribute__((format(printf, 4, 5))) void job_refuse(
    struct statsman *statsman, struct job *job, int code, const char *format, ...);
bool job_part_ok(const struct job_part *part);

/* values.c: GET and LOG of waveforms of several nodes. */
void statsman_get(struct statsman *statsman, const struct wire_view *request);
/* set.c: SET. */
void statsman_set(struct statsman *statsman, const struct wire_view *request);

#endif
