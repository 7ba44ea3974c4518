/* SPDX-License-Identifier: BSD-3-Clause
 *
 * GET and LOG of waveforms of several nodes. */
#include <stdlib.h>
#include <string.h>

#include "daemons/statsman/statsman.h"

/* ---- by name: of the node that runs the instance ---- */

static void named_ask(struct statsman *statsman, struct job *job, const char *node,
    void (*next)(struct statsman *statsman, struct job *job))
{
	struct wire_msg msg;

	job->left = 1;
	job->next = next;
	wire_init_copy(&msg, &job->request, WIRE_TAG_ORIGIN);
	wire_put_peers(&msg, WIRE_STATSMAN, WIRE_STATS);
	wire_put_text(&msg, WIRE_TAG_NODE, node);
	job_ask(statsman, job, 0, &msg);
}

static void named_located(struct statsman *statsman, struct job *job);

/* The list may be of a waveform that was unloaded since, and loaded again elsewhere. */
static void there_answered(struct statsman *statsman, struct job *job)
{
	if (job_part_ok(&job->parts[0]) || job->listed)
		job_pass(statsman, job, &job->parts[0]);
	else
		job_locate(statsman, job, true, named_located);
}

static void first_answered(struct statsman *statsman, struct job *job)
{
	const struct job_part *part = &job->parts[0];
	char *node = part->bytes ? wire_get_text(&part->view, WIRE_TAG_NODE, 0) : NULL;

	if (part->why && node)
		named_ask(statsman, job, node, there_answered);
	else
		there_answered(statsman, job);
	free(node);
}

static void named_located(struct statsman *statsman, struct job *job)
{
	named_ask(statsman, job, job->parts[0].node, first_answered);
}

/* ---- all of the waveform ---- */

static void values_send(struct statsman *statsman, struct job *job, const json_t *values)
{
	char *text = json_dumps(values, JSON_COMPACT | JSON_REAL_PRECISION(17));
	uint64_t least = UINT64_MAX, index, newest = 0;
	struct wire_msg msg;

	if (!text) {
		job_refuse(statsman, job, 1, "aloe-statsman: out of memory");
		return;
	}
	for (unsigned i = 0; i < job->n; i++) {
		if (wire_get_u64(&job->parts[i].view, WIRE_TAG_INDEX, &index) == 0 && index < least)
			least = index;
		newest = job->parts[i].newest > newest ? job->parts[i].newest : newest;
	}
	bus_reply(statsman->daemon.bus, &job->request, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_JSON, text);
	wire_put_u64(&msg, WIRE_TAG_INDEX, least == UINT64_MAX ? 0 : least);
	wire_put_u64(&msg, WIRE_TAG_NEWEST, newest);
	bus_send(statsman->daemon.bus, &msg);
	free(text);
	job_free(job);
}

static void all_answered(struct statsman *statsman, struct job *job)
{
	json_t *values = json_object();

	for (unsigned i = 0; i < job->n; i++) {
		json_t *some =
		    job_part_ok(&job->parts[i]) ? statsman_json(&job->parts[i].view) : NULL;

		if (!some) {
			json_decref(values);
			job_fail(statsman, job, &job->parts[i]);
			return;
		}
		json_object_update(values, some);
		json_decref(some);
	}
	values_send(statsman, job, values);
	json_decref(values);
}

static void all_located(struct statsman *statsman, struct job *job)
{
	const unsigned n = job->n;

	job->left = n;
	job->next = all_answered;
	for (unsigned i = 0; i < n; i++) {
		struct wire_msg msg;

		statsman_msg(WIRE_GET, WIRE_STATS, job->waveform, job->parts[i].node, &msg);
		job_ask(statsman, job, i, &msg);
	}
}

void statsman_get(struct statsman *statsman, const struct wire_view *request)
{
	struct job *job = job_new(statsman, request);

	if (job && request->type == WIRE_LOG && !job->name)
		job_refuse(statsman, job, 2, "log needs the name of an instance or a variable");
	else if (job && request->type == WIRE_TAP) /* all nodes know all outputs */
		job_locate(statsman, job, false, named_located);
	else if (job)
		job_locate(
		    statsman, job, job->name == NULL, job->name ? named_located : all_located);
}
