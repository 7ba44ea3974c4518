/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A request about a waveform of several nodes, and what their aloe-stats answer. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/report/report.h"
#include "daemons/statsman/statsman.h"

#define LISTED_NS 1000000000ull /* an older list is asked for anew */

static void parts_free(struct job *job)
{
	for (unsigned i = 0; i < job->n; i++) {
		free(job->parts[i].bytes);
		free(job->parts[i].why);
	}
	free(job->parts);
	job->parts = NULL;
	job->n = 0;
}

void job_free(struct job *job)
{
	parts_free(job);
	free(job->bytes);
	free(job->waveform);
	free(job->name);
	free(job);
}

struct job *job_new(struct statsman *statsman, const struct wire_view *request)
{
	struct job *job = calloc(1, sizeof(*job));

	if (job)
		job->bytes = malloc(request->len);
	if (!job || !job->bytes) {
		free(job);
		daemon_fail(&statsman->daemon, request, 1, "aloe-statsman: out of memory");
		return NULL;
	}
	memcpy(job->bytes, request->bytes, request->len);
	wire_decode(job->bytes, request->len, &job->request);
	job->waveform = wire_get_text(request, WIRE_TAG_WAVEFORM, 0);
	job->name = wire_get_text(request, WIRE_TAG_NAME, 0);
	if (job->waveform)
		return job;
	job_refuse(statsman, job, 2, "the request names no waveform");
	return NULL;
}

/* ---- the end ---- */

void job_refuse(struct statsman *statsman, struct job *job, int code, const char *format, ...)
{
	char text[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	daemon_fail(&statsman->daemon, &job->request, code, "%s", text);
	job_free(job);
}

bool job_part_ok(const struct job_part *part)
{
	return part->bytes != NULL && part->why == NULL;
}

void job_fail(struct statsman *statsman, struct job *job, const struct job_part *part)
{
	struct wire_msg msg;

	bus_reply(statsman->daemon.bus, &job->request, WIRE_FAIL, &msg);
	wire_put_u64(&msg, WIRE_TAG_CODE, part->code);
	wire_put_text(&msg, WIRE_TAG_TEXT,
	    part->why ? part->why : "aloe-statsman: the answer cannot be read");
	if (part->again)
		wire_put_u64(&msg, WIRE_TAG_AGAIN, 1);
	bus_send(statsman->daemon.bus, &msg);
	job_free(job);
}

/* As it came, but for who gets it. */
void job_pass(struct statsman *statsman, struct job *job, const struct job_part *part)
{
	const void *origin;
	struct wire_msg msg;
	size_t len;

	if (!part->bytes) {
		job_fail(statsman, job, part);
		return;
	}
	wire_init_copy(&msg, &part->view, WIRE_TAG_ORIGIN);
	wire_put_peers(&msg, WIRE_STATSMAN, job->request.source);
	wire_put_seq(&msg, job->request.seq);
	if (wire_get_bytes(&job->request, WIRE_TAG_ORIGIN, 0, &origin, &len) == 0)
		wire_put_bytes(&msg, WIRE_TAG_ORIGIN, origin, len);
	bus_send(statsman->daemon.bus, &msg);
	job_free(job);
}

/* ---- questions ---- */

static void part_clear(struct job_part *part)
{
	free(part->bytes);
	free(part->why);
	part->bytes = part->why = NULL;
	part->code = 1;
	part->newest = 0;
	part->again = false;
}

static void part_take(struct job_part *part, const struct wire_view *answer)
{
	uint64_t again;

	part->bytes = malloc(answer->len);
	if (!part->bytes) {
		part->why = strdup("out of memory");
		return;
	}
	memcpy(part->bytes, answer->bytes, answer->len);
	wire_decode(part->bytes, answer->len, &part->view);
	wire_get_u64(answer, WIRE_TAG_CODE, &part->code);
	wire_get_u64(answer, WIRE_TAG_NEWEST, &part->newest);
	part->again = wire_get_u64(answer, WIRE_TAG_AGAIN, &again) == 0;
	if (answer->type == WIRE_OK)
		return;
	part->why = wire_get_text(answer, WIRE_TAG_TEXT, 0);
	if (!part->why)
		part->why = strdup("there is no reason given");
}

static void part_lose(struct job_part *part, const struct statsman_ask *ask)
{
	part->why = strdup(ask->lost);
	part->again = ask->again;
}

static void part_answered(
    struct statsman *statsman, struct statsman_ask *ask, const struct wire_view *answer)
{
	struct job *job = ask->of;
	struct job_part *part = &job->parts[ask->at];

	part_clear(part);
	if (answer)
		part_take(part, answer);
	else
		part_lose(part, ask);
	if (--job->left == 0)
		job->next(statsman, job);
}

void job_ask(struct statsman *statsman, struct job *job, unsigned at, struct wire_msg *msg)
{
	statsman_ask(statsman, msg, part_answered, job, at);
}

/* ---- where the waveform is ---- */

static void none_refuse(struct statsman *statsman, struct job *job)
{
	const char *between = "; loaded: ";
	char text[1000];
	int at = snprintf(text, sizeof(text), "no waveform \"%s\" is loaded", job->waveform);
	json_t *entry;
	size_t n;

	json_array_foreach(statsman->list, n, entry)
	{
		if (at > 0 && (size_t)at < sizeof(text))
			at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%s", between,
			    report_text(entry, "name"));
		between = ", ";
	}
	job_refuse(statsman, job, 2, "%s", text);
}

bool job_parts(struct job *job, unsigned n)
{
	parts_free(job);
	job->parts = calloc(n + 1, sizeof(*job->parts));
	job->n = job->parts ? n : 0;
	for (unsigned i = 0; i < job->n; i++)
		job->parts[i].code = 1;
	return job->n > 0;
}

static bool entry_take(struct job *job, const json_t *entry)
{
	const json_t *nodes = json_object_get(entry, "nodes");
	const char *clock = report_text(entry, "clock");

	job->timed = strcmp(clock, "timer") == 0 || strcmp(clock, "radio") == 0;
	job->stands = strcmp(report_text(entry, "state"), "PAUSE") == 0;
	job->slot_ns = (uint64_t)report_number(entry, "slot_ns");
	if (!job_parts(job, (unsigned)json_array_size(nodes)))
		return false;
	for (unsigned i = 0; i < job->n; i++) {
		const char *node = json_string_value(json_array_get(nodes, i));

		snprintf(job->parts[i].node, JOB_NODE, "%s", node ? node : "");
	}
	return true;
}

static void waveform_located(struct statsman *statsman, struct job *job)
{
	const json_t *entry = report_find(statsman->list, "name", job->waveform);

	if (!entry)
		none_refuse(statsman, job);
	else if (!entry_take(job, entry))
		job_refuse(statsman, job, 1, "aloe-statsman: it is not known where \"%s\" runs",
		    job->waveform);
	else
		job->next(statsman, job);
}

static void waveforms_listed(
    struct statsman *statsman, struct statsman_ask *ask, const struct wire_view *answer)
{
	struct job *job = ask->of;
	json_t *list = answer ? statsman_json(answer) : NULL;

	job->listed = true;
	if (list) {
		json_decref(statsman->list);
		statsman->list = list;
		statsman->listed_ns = clock_ns();
		waveform_located(statsman, job);
		return;
	}
	if (!job_parts(job, 1)) {
		job_refuse(statsman, job, 1, "aloe-statsman: out of memory");
		return;
	}
	if (answer)
		part_take(&job->parts[0], answer);
	else
		part_lose(&job->parts[0], ask);
	job_fail(statsman, job, &job->parts[0]);
}

void job_locate(struct statsman *statsman, struct job *job, bool fresh,
    void (*next)(struct statsman *statsman, struct job *job))
{
	struct wire_msg msg;

	job->next = next;
	if (!fresh && statsman->list && clock_ns() - statsman->listed_ns < LISTED_NS &&
	    report_find(statsman->list, "name", job->waveform)) {
		job->listed = false;
		waveform_located(statsman, job);
		return;
	}
	statsman_msg(WIRE_LIST, WIRE_SWMAN, NULL, NULL, &msg);
	statsman_ask(statsman, &msg, waveforms_listed, job, 0);
}
