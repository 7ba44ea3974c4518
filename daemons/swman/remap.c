/* SPDX-License-Identifier: BSD-3-Clause
 *
 * REMAP: what is loaded is mapped once more, as it was loaded but for the lanes and pins named now,
 * and by what its run has measured so far; exec moves it there.
 *
 *         REMAP -> STATUS of exec: its profile is written -> LIST: its CPUs, and what is beside it
 *         -> load.c -> REMAP to exec */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "daemons/swman/program.h"
#include "daemons/swman/swman.h"

enum { NAMES_MAX = 12, LEARN_NS = 200000000 };

/* ---- after ------------------------------------------------------------------------ */

static void lane_print(
    FILE *to, const struct waveform *waveform, const struct plan *plan, uint32_t lane)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_instances; i++) {
		if (plan->instances[i].lane != lane)
			continue;
		if (n == 0)
			fprintf(to, "lane %u (CPU %d):", lane, plan->cpus[lane]);
		if (n++ < NAMES_MAX)
			fprintf(to, " %s", waveform->instances[i].name);
	}
	if (n > NAMES_MAX)
		fprintf(to, " and %zu more", n - NAMES_MAX);
	if (n)
		fputc('\n', to);
}

/* The lanes, a line each, a NUL, and the plan as it is kept with the run. The caller frees it. */
static char *notes_of(const struct waveform *waveform, const struct plan *plan)
{
	char *text = NULL, *whole = plan_print(waveform, plan);
	size_t len = 0;
	FILE *memory = whole ? open_memstream(&text, &len) : NULL;

	for (uint32_t lane = 0; memory && lane < plan->n_lanes; lane++)
		lane_print(memory, waveform, plan, lane);
	if (memory) {
		fputc(0, memory);
		fputs(whole, memory);
		fclose(memory);
	}
	free(whole);
	return text;
}

static void remap_done(struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	char *words = answer ? wire_get_text(answer, WIRE_TAG_TEXT, 0) : NULL, *text = NULL;
	char *state = answer ? wire_get_text(answer, WIRE_TAG_STATE, 0) : NULL;
	struct wire_view request;
	struct wire_msg msg;
	uint64_t number;

	if (!answer || answer->type != WIRE_OK) {
		swman_pass(swman, call, answer, NULL);
	} else if (wire_decode(call->request, call->request_len, &request) == 0) {
		swman_run_replan(swman, call->waveform, call->notes + strlen(call->notes) + 1);
		if (asprintf(&text, "%s\n%s", words ? words : "", call->notes) < 0)
			text = NULL;
		bus_reply(swman->daemon.bus, &request, WIRE_OK, &msg);
		if (wire_get_u64(answer, WIRE_TAG_SLOT, &number) == 0)
			wire_put_u64(&msg, WIRE_TAG_SLOT, number);
		if (wire_get_u64(answer, WIRE_TAG_COUNT, &number) == 0)
			wire_put_u64(&msg, WIRE_TAG_COUNT, number);
		wire_put_text(&msg, WIRE_TAG_STATE, state);
		wire_put_text(&msg, WIRE_TAG_TEXT, text);
		bus_send(swman->daemon.bus, &msg);
	}
	free(text);
	free(state);
	free(words);
}

static void remap_send(struct swman *swman, const struct wire_view *remap,
    const struct waveform *waveform, const struct plan *plan, const void *program, size_t len)
{
	struct swman_call *call = swman_call_new(remap, waveform->name);
	struct wire_msg msg;

	if (call)
		call->notes = notes_of(waveform, plan);
	if (!call || !call->notes) {
		daemon_fail(&swman->daemon, remap, 1, "out of memory");
		swman_call_free(call);
		return;
	}
	wire_init(&msg, WIRE_REMAP, WIRE_SWMAN, WIRE_EXEC, 0);
	wire_put_text(&msg, WIRE_TAG_WAVEFORM, call->waveform);
	wire_put_bytes(&msg, WIRE_TAG_PROGRAM, program, len);
	swman->prepares++;
	swman_ask(swman, call, &msg, remap_done);
}

/* ---- before ------------------------------------------------------------------------ */

static struct swman_call *call_again(const struct swman_call *call)
{
	struct wire_view request;

	return wire_decode(call->request, call->request_len, &request) == 0
	    ? swman_call_new(&request, call->waveform)
	    : NULL;
}

/* Takes it out of the list, where it would be in its own way. NULL: it is not there. */
static json_t *list_take(json_t *list, const char *name)
{
	json_t *one;
	size_t n;

	json_array_foreach(list, n, one)
	{
		const char *text = json_string_value(json_object_get(one, "name"));
		if (!text || strcmp(text, name) != 0)
			continue;
		json_incref(one);
		json_array_remove(list, n);
		return one;
	}
	return NULL;
}

/* "0,1": the caller frees it. */
static char *cpus_of(const json_t *one)
{
	const json_t *cpus = json_object_get(one, "cpus");
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memstream(&text, &len);

	for (size_t i = 0; memory && i < json_array_size(cpus); i++)
		fprintf(
		    memory, "%s%d", i ? "," : "", (int)json_integer_value(json_array_get(cpus, i)));
	if (memory)
		fclose(memory);
	return text;
}

/* Pins count lanes, so these must be the ones that the user sees; without a pin the manager may
 * choose others. */
static void map_again(
    struct swman *swman, const struct wire_view *remap, const char *waveform, json_t *list)
{
	const struct swman_run *run = swman_run_known(swman, waveform);
	json_t *one = list_take(list, waveform);
	struct wire_view load;
	const void *bytes;
	size_t len;
	const bool upgrade = remap->type == WIRE_UPGRADE,
	           pins = upgrade || wire_get_bytes(remap, WIRE_TAG_SET, 0, &bytes, &len) == 0;
	char *cpus = pins && one ? cpus_of(one) : NULL;

	if (!one)
		daemon_fail(&swman->daemon, remap, 2, "no waveform \"%s\" is loaded", waveform);
	else if (!run || !run->load || wire_decode(run->load, run->load_len, &load) < 0)
		daemon_fail(&swman->daemon, remap, 1,
		    "aloe-swman no longer knows how \"%s\" was loaded; unload the waveform "
		    "and load it again",
		    waveform);
	else
		swman_load_again(
		    swman, &load, remap, cpus, list, upgrade ? swman_upgrade_send : remap_send);
	free(cpus);
	json_decref(one);
}

static void list_known(struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	char *text =
	    answer && answer->type == WIRE_OK ? wire_get_text(answer, WIRE_TAG_JSON, 0) : NULL;
	json_t *list = text ? json_loads(text, 0, NULL) : NULL;
	struct wire_view request;

	if (!answer || answer->type == WIRE_FAIL) /* lost with exec: the client asks again */
		swman_pass(swman, call, answer, NULL);
	else if (!list)
		swman_fail(
		    swman, call, 1, "aloe-exec did not list the loaded waveforms; try again");
	else if (wire_decode(call->request, call->request_len, &request) == 0) {
		if (call->prepares == swman->prepares)
			map_again(swman, &request, call->waveform, list);
		else /* what is taken has changed since */
			swman_remap(swman, &request);
	}
	json_decref(list);
	free(text);
}

static void list_ask(struct swman *swman, struct swman_call *call)
{
	struct wire_msg msg;

	call->prepares = swman->prepares;
	wire_init(&msg, WIRE_LIST, WIRE_SWMAN, WIRE_EXEC, 0);
	swman_ask(swman, call, &msg, list_known);
}

static void status_known(
    struct swman *swman, struct swman_call *call, const struct wire_view *answer)
{
	struct swman_run *run = swman_run_find(swman, call->waveform);
	struct swman_call *next;

	if (!answer || answer->type != WIRE_OK) {
		swman_pass(swman, call, answer, NULL);
		return;
	}
	swman_run_learn(swman, answer);
	if (run)
		run->learned_ns = clock_ns();
	next = call_again(call);
	if (next)
		list_ask(swman, next);
	else
		swman_fail(swman, call, 1, "out of memory");
}

/* What it costs is asked for first, but for one that was asked about a moment ago. */
void swman_remap(struct swman *swman, const struct wire_view *request)
{
	char *waveform = wire_get_text(request, WIRE_TAG_WAVEFORM, 0);
	const struct swman_run *run = waveform ? swman_run_find(swman, waveform) : NULL;
	struct swman_call *call = waveform ? swman_call_new(request, waveform) : NULL;
	struct wire_msg msg;

	if (!call) {
		daemon_fail(&swman->daemon, request, waveform ? 1 : 2, "%s",
		    waveform ? "out of memory" : "the name of a waveform is needed");
	} else if (request->type == WIRE_REMAP && run && run->learned_ns != 0 &&
	    clock_ns() < run->learned_ns + LEARN_NS) {
		list_ask(swman, call);
	} else {
		wire_init(&msg, WIRE_STATUS, WIRE_SWMAN, WIRE_EXEC, 0);
		wire_put_text(&msg, WIRE_TAG_WAVEFORM, waveform);
		swman_ask(swman, call, &msg, status_known);
	}
	free(waveform);
}
