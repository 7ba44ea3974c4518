/* SPDX-License-Identifier: BSD-3-Clause
 *
 * SET of instances of several nodes, at one index for all:
 *
 *   names     which node runs each                    GET to one node that has the waveform
 *   newest    which index has begun on each of these  GET to each; twice where no clock paces it
 *   index     that of the request, or one beyond the newest by MARGIN_NS
 *   SET       to each node, with that index
 *
 * No node takes a change for an index that has begun. A request for an index that has, or will
 * within LEAST_NS, is refused before any node is asked for a change; what comes too late to a node
 * after that (a stall) is said, with the nodes that have the change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "daemons/statsman/statsman.h"

#define MARGIN_NS 250000000ull
#define LEAST_NS 20000000ull
enum { MARGIN_SLOTS = 4 };

static unsigned names_count(const struct job *job)
{
	const void *bytes;
	unsigned n = 0;
	size_t len;

	while (wire_get_bytes(&job->request, WIRE_TAG_NAME, n, &bytes, &len) == 0)
		n++;
	return n;
}

/* ---- all on one node ---- */

static void one_answered(struct statsman *statsman, struct job *job)
{
	job_pass(statsman, job, &job->parts[0]);
}

static void one_ask(struct statsman *statsman, struct job *job)
{
	struct wire_msg msg;

	job->left = 1;
	job->next = one_answered;
	wire_init_copy(&msg, &job->request, WIRE_TAG_ORIGIN);
	wire_put_peers(&msg, WIRE_STATSMAN, WIRE_STATS);
	wire_put_text(&msg, WIRE_TAG_NODE, job->parts[0].node);
	job_ask(statsman, job, 0, &msg);
}

/* ---- SET to each node ---- */

/* What holds on some nodes and not on others. */
static void part_refuse(struct statsman *statsman, struct job *job, const struct job_part *failed)
{
	char have[500] = "";
	int at = 0;

	for (unsigned i = 0; i < job->n && (size_t)at < sizeof(have); i++)
		if (job->parts[i].asked && job_part_ok(&job->parts[i]))
			at += snprintf(have + at, sizeof(have) - (size_t)at, "%s\"%s\"",
			    at > 0 ? ", " : "", job->parts[i].node);
	if (!have[0])
		job_refuse(
		    statsman, job, (int)failed->code, "node \"%s\": %s", failed->node, failed->why);
	else
		job_refuse(statsman, job, (int)failed->code,
		    "node \"%s\": %s; the change is made from index %llu on node %s, and perhaps "
		    "not on the others: set again",
		    failed->node, failed->why, (unsigned long long)job->index, have);
}

static void set_answered(struct statsman *statsman, struct job *job)
{
	struct wire_msg msg;

	for (unsigned i = 0; i < job->n; i++)
		if (job->parts[i].asked && !job_part_ok(&job->parts[i])) {
			part_refuse(statsman, job, &job->parts[i]);
			return;
		}
	bus_reply(statsman->daemon.bus, &job->request, WIRE_OK, &msg);
	wire_put_u64(&msg, WIRE_TAG_INDEX, job->index);
	bus_send(statsman->daemon.bus, &msg);
	job_free(job);
}

static void field_copy(
    struct wire_msg *msg, const struct wire_view *request, enum wire_tag tag, unsigned nth)
{
	const void *bytes;
	size_t len;

	if (wire_get_bytes(request, tag, nth, &bytes, &len) == 0)
		wire_put_bytes(msg, tag, bytes, len);
}

static void set_ask(struct statsman *statsman, struct job *job, unsigned at)
{
	struct wire_msg msg;

	statsman_msg(WIRE_SET, WIRE_STATS, job->waveform, job->parts[at].node, &msg);
	wire_put_u64(&msg, WIRE_TAG_INDEX, job->index);
	for (unsigned i = at; i < job->n; i++) {
		if (strcmp(job->parts[i].node, job->parts[at].node) != 0)
			continue;
		field_copy(&msg, &job->request, WIRE_TAG_NAME, i);
		field_copy(&msg, &job->request, WIRE_TAG_VALUE, i);
	}
	job_ask(statsman, job, at, &msg);
}

/* The first part of each node asks for all of the node. */
static unsigned heads_mark(struct job *job)
{
	unsigned heads = 0;

	for (unsigned i = 0; i < job->n; i++) {
		unsigned first = 0;

		while (strcmp(job->parts[first].node, job->parts[i].node) != 0)
			first++;
		job->parts[i].asked = first == i;
		heads += first == i;
	}
	return heads;
}

static void all_set(struct statsman *statsman, struct job *job)
{
	unsigned left = heads_mark(job);

	job->left = left;
	job->next = set_answered;
	for (unsigned i = 0; left > 0; i++)
		if (job->parts[i].asked) {
			left--;
			set_ask(statsman, job, i);
		}
}

/* ---- one index ---- */

/* How many indices pass in `ns`, and some more; before, passed_ns: how far it had come before. */
static uint64_t indices_in(const struct job *job, uint64_t ns, uint64_t before, uint64_t passed_ns)
{
	if (job->stands)
		return 1;
	if (job->timed)
		return MARGIN_SLOTS + (job->slot_ns > 0 ? ns / job->slot_ns : 0);
	return 2 * MARGIN_SLOTS +
	    (uint64_t)((double)(job->newest - before) * (double)ns /
	        (double)(passed_ns > 0 ? passed_ns : 1));
}

static void late_refuse(struct statsman *statsman, struct job *job, uint64_t next)
{
	struct wire_msg msg;
	char text[200];

	snprintf(text, sizeof(text),
	    "index %llu is too late for several nodes, newest is %llu; name index %llu or a later "
	    "index",
	    (unsigned long long)job->index, (unsigned long long)job->newest,
	    (unsigned long long)next);
	bus_reply(statsman->daemon.bus, &job->request, WIRE_FAIL, &msg);
	wire_put_u64(&msg, WIRE_TAG_CODE, 1);
	wire_put_text(&msg, WIRE_TAG_TEXT, text);
	wire_put_u64(&msg, WIRE_TAG_NEWEST, job->newest);
	bus_send(statsman->daemon.bus, &msg);
	job_free(job);
}

static void index_choose(
    struct statsman *statsman, struct job *job, uint64_t before, uint64_t passed_ns)
{
	const uint64_t good = job->newest + indices_in(job, MARGIN_NS, before, passed_ns),
	               least = job->newest + indices_in(job, LEAST_NS, before, passed_ns);

	job->index = good;
	wire_get_u64(&job->request, WIRE_TAG_INDEX, &job->index);
	if (job->index < least)
		late_refuse(statsman, job, good);
	else
		all_set(statsman, job);
}

/* False: a node has not answered, and the request has been. */
static bool newest_take(struct statsman *statsman, struct job *job)
{
	job->newest = 0;
	for (unsigned i = 0; i < job->n; i++) {
		if (!job_part_ok(&job->parts[i])) {
			job_fail(statsman, job, &job->parts[i]);
			return false;
		}
		if (job->parts[i].newest > job->newest)
			job->newest = job->parts[i].newest;
	}
	return true;
}

static void names_ask(struct statsman *statsman, struct job *job,
    void (*next)(struct statsman *statsman, struct job *job))
{
	const unsigned n = job->n;

	job->left = n;
	job->next = next;
	for (unsigned i = 0; i < n; i++) {
		struct wire_msg msg;

		statsman_msg(WIRE_GET, WIRE_STATS, job->waveform, job->parts[i].node, &msg);
		field_copy(&msg, &job->request, WIRE_TAG_NAME, i);
		job_ask(statsman, job, i, &msg);
	}
}

static void newest_again(struct statsman *statsman, struct job *job)
{
	const uint64_t before = job->newest, passed_ns = clock_ns() - job->at_ns;

	if (newest_take(statsman, job))
		index_choose(statsman, job, before < job->newest ? before : job->newest, passed_ns);
}

static void newest_known(struct statsman *statsman, struct job *job)
{
	if (!newest_take(statsman, job))
		return;
	job->at_ns = clock_ns();
	if (job->timed || job->stands)
		index_choose(statsman, job, 0, 0);
	else
		names_ask(statsman, job, newest_again);
}

/* ---- which node ---- */

/* False: the name is that of nothing, and the request has been answered. */
static bool node_take(struct statsman *statsman, struct job *job, struct job_part *part)
{
	char *node = part->why && part->bytes ? wire_get_text(&part->view, WIRE_TAG_NODE, 0) : NULL;

	if (part->why && !node) {
		job_fail(statsman, job, part);
		return false;
	}
	if (node)
		snprintf(part->node, JOB_NODE, "%s", node);
	free(node);
	return true;
}

static void names_known(struct statsman *statsman, struct job *job)
{
	bool several = false;

	for (unsigned i = 0; i < job->n; i++) {
		if (!node_take(statsman, job, &job->parts[i]))
			return;
		several = several || strcmp(job->parts[i].node, job->parts[0].node) != 0;
	}
	if (several)
		names_ask(statsman, job, newest_known);
	else
		one_ask(statsman, job);
}

static void set_located(struct statsman *statsman, struct job *job)
{
	char first[JOB_NODE];
	const unsigned n = names_count(job);

	memcpy(first, job->parts[0].node, sizeof(first));
	if (n == 0) {
		job_refuse(
		    statsman, job, 2, "set needs a waveform, instance.parameter and a value");
		return;
	}
	if (!job_parts(job, n)) {
		job_refuse(statsman, job, 1, "aloe-statsman: out of memory");
		return;
	}
	for (unsigned i = 0; i < n; i++)
		memcpy(job->parts[i].node, first, sizeof(first));
	names_ask(statsman, job, names_known);
}

void statsman_set(struct statsman *statsman, const struct wire_view *request)
{
	struct job *job = job_new(statsman, request);

	if (job)
		job_locate(statsman, job, true, set_located);
}
