/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemons/exec/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "daemons/exec/misses.h"

enum { FLOWS_MAX = 512, TEXT_BYTES = 1024, INDEX_BITS = 40 };

struct lane_look { /* at one segment */
	struct tracing *tracing;
	const struct traced_calls *calls;
	const struct trace_track *track;
	struct trace_flow flows[FLOWS_MAX];
	size_t n_flows;
};

/* ---- calls and links ------------------------------------------------------------------------ */

/* Another for each link and index, and for another waveform: files may be joined. */
static uint64_t flow_id(const struct exec_wave *wave, uint64_t link, uint64_t index)
{
	const uint64_t id = (link + 1) << INDEX_BITS | (index & ((UINT64_C(1) << INDEX_BITS) - 1));

	return (id ^ hash_text(HASH_START, wave->name)) | UINT64_C(1) << 63;
}

static void flow_add(struct lane_look *look, uint64_t link, uint64_t index, bool head)
{
	if (look->n_flows < FLOWS_MAX)
		look->flows[look->n_flows++] =
		    (struct trace_flow){flow_id(look->tracing->wave, link, index), head};
}

/* An arrow is there where both of its ends are; it has the index of the writer. */
static void flows_find(struct lane_look *look, const struct traced_call *call)
{
	const struct image_view *view = &look->tracing->wave->view;
	const struct image_instance *it = &view->instances[call->instance];
	const size_t *first = &look->calls->first[call->instance + 1];

	look->n_flows = 0;
	for (uint32_t p = it->inputs; p < it->inputs + it->n_inputs; p++) {
		const struct traced_call *writer =
		    calls_writer(view, look->calls, call, &view->inputs[p]);

		if (writer != NULL)
			flow_add(
			    look, p, writer->step - view->instances[writer->instance].lag, true);
	}
	for (size_t l = first[0]; l < first[1]; l++)
		if (calls_reader(view, look->calls, call, &look->calls->links[l]) != NULL)
			flow_add(look, look->calls->links[l].number, call->step - it->lag, false);
}

static void call_put(struct lane_look *look, const struct traced_call *call)
{
	const struct image_view *view = &look->tracing->wave->view;
	const struct image_instance *it = &view->instances[call->instance];
	const struct trace_arg args[] = {{.name = "index", .number = call->step - it->lag},
	    {.name = "component", .text = image_text(view, it->component)}};

	flows_find(look, call);
	trace_begin(&look->tracing->out,
	    &(struct trace_event){.track = look->track,
	        .ns = call->start_ns,
	        .name = image_text(view, it->name),
	        .args = args,
	        .n_args = 2,
	        .flows = look->flows,
	        .n_flows = look->n_flows});
	trace_end(&look->tracing->out, look->track, call->end_ns);
}

/* The calls of a step are in one slice, from the first to the last. The numbers of the last slots
 * are known. */
static void step_put(struct lane_look *look, const struct traced_call *call)
{
	const struct image_segment_state *state =
	    image_segment_state(&look->tracing->wave->view, call->segment);
	const uint64_t done = atomic_load(&state->done);
	const bool known = call->step < done && done - call->step < IMAGE_STEPS;
	const struct trace_arg args[] = {{.name = "step", .number = call->step},
	    {.name = "slot", .number = atomic_load(&state->slot[call->step % IMAGE_STEPS])}};

	trace_begin(&look->tracing->out,
	    &(struct trace_event){.track = look->track,
	        .ns = call->start_ns,
	        .name = "slot",
	        .args = args,
	        .n_args = known ? 2 : 1});
}

static void segment_calls_put(struct lane_look *look, uint32_t segment)
{
	const struct traced_call *before = NULL;
	size_t *next = &look->tracing->next_call;

	for (; *next < look->calls->n && look->calls->calls[*next].segment == segment; ++*next) {
		const struct traced_call *call = &look->calls->calls[*next];

		if (before != NULL && before->step != call->step)
			trace_end(&look->tracing->out, look->track, before->end_ns);
		if (before == NULL || before->step != call->step)
			step_put(look, call);
		call_put(look, call);
		before = call;
	}
	if (before != NULL)
		trace_end(&look->tracing->out, look->track, before->end_ns);
}

/* ---- misses ------------------------------------------------------------------------ */

/* Where the slot should have been over, or of a row of slots the first within the trace. */
static void miss_put(
    struct tracing *tracing, const struct trace_track *track, const struct exec_miss *miss)
{
	const struct exec_wave *wave = tracing->wave;
	const uint64_t begin = miss->miss.at_ns + wave->view.head->slot_ns,
	               end = begin + (miss->miss.count - 1) * wave->view.head->slot_ns,
	               ns = begin < tracing->from_ns ? tracing->from_ns : begin;
	char name[64], cause[TEXT_BYTES];
	const struct trace_arg args[] = {{.name = "cause", .text = cause},
	    {.name = "slot", .number = miss->miss.slot},
	    {.name = "slots", .number = miss->miss.count},
	    {.name = "late_ns", .number = miss->miss.late_ns}};

	if (end < tracing->from_ns || begin > tracing->to_ns)
		return;
	misses_words(wave, miss, cause, sizeof(cause));
	snprintf(name, sizeof(name), "%s: %s", miss_word(&miss->miss),
	    evidence_word(miss->n_causes > 0 ? (enum evidence_cause_kind)miss->causes[0].kind
	                                     : EVIDENCE_UNKNOWN));
	trace_instant(&tracing->out,
	    &(struct trace_event){
	        .track = track, .ns = ns, .name = name, .args = args, .n_args = 4});
	tracing->n_misses++;
}

static void segment_misses_put(
    struct tracing *tracing, const struct trace_track *track, uint32_t segment)
{
	const struct exec_misses *misses = tracing->wave->misses;
	const uint64_t end = misses != NULL ? misses->n : 0;

	for (uint64_t n = end > MISSES_KEPT ? end - MISSES_KEPT : 0; n < end; n++)
		if (misses->kept[n % MISSES_KEPT].segment == segment)
			miss_put(tracing, track, &misses->kept[n % MISSES_KEPT]);
}

/* ---- lanes ------------------------------------------------------------------------ */

static bool shares_lane(const struct image_view *view, uint32_t segment)
{
	for (uint32_t s = 0; s < view->head->segments.count; s++)
		if (s != segment && view->segments[s].lane == view->segments[segment].lane)
			return true;
	return false;
}

static void lane_about(const struct tracing *tracing, uint32_t segment, char *ret, size_t size)
{
	const struct exec_wave *wave = tracing->wave;
	const struct exec_place *place = &wave->places[segment];
	const struct exec_lane *lanes = wave->exec->lanes;

	if (place->lane < wave->exec->node->n_lanes && place->seat < NODE_ENTRIES_MAX &&
	    lanes[place->lane].image != NULL)
		snprintf(ret, size, "CPU %d, thread %u of process %d",
		    wave->exec->node->lane[place->lane].cpu,
		    (unsigned)atomic_load(&lanes[place->lane].image->tid[place->seat]),
		    (int)atomic_load(&lanes[place->lane].pid[place->seat]));
	else
		snprintf(ret, size, "no CPU of its own");
}

static void segment_put(struct tracing *tracing, const struct traced_calls *calls,
    const struct trace_track *group, uint32_t segment)
{
	const struct image_view *view = &tracing->wave->view;
	const uint32_t lane = view->segments[segment].lane;
	char name[64], misses_name[80], about[128];
	struct trace_track track = {
	    .name = name, .about = about, .group = group, .rank = 2 * segment};
	const struct trace_track misses = {
	    .name = misses_name, .group = group, .rank = 2 * segment + 1};
	struct lane_look look = {.tracing = tracing, .calls = calls, .track = &track};

	snprintf(name, sizeof(name), shares_lane(view, segment) ? "lane %u, segment %u" : "lane %u",
	    lane, segment);
	snprintf(misses_name, sizeof(misses_name), "%s misses", name);
	lane_about(tracing, segment, about, sizeof(about));
	trace_track(&tracing->out, &track);
	segment_calls_put(&look, segment);
	if (!image_timed(view->head->clock))
		return;
	trace_track(&tracing->out, &misses);
	segment_misses_put(tracing, &misses, segment);
}

/* ---- what is missing ------------------------------------------------------------------------ */

static double ns_in_seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* The shortest ring of a node says how far all lanes can be seen. */
static void short_rings_note(const struct tracing *tracing, const struct traced_calls *calls)
{
	const struct image_view *view = &tracing->wave->view;
	uint64_t newest = 0, oldest = UINT64_MAX;
	uint32_t lane = 0;

	for (uint32_t s = 0; s < view->head->segments.count; s++) {
		const struct traced_ring *ring = &calls->rings[s];

		if (ring->oldest_ns != 0 && ring->oldest_ns < oldest)
			oldest = ring->oldest_ns;
		if (!ring->wrapped || ring->oldest_ns <= newest)
			continue;
		newest = ring->oldest_ns;
		lane = view->segments[s].lane;
	}
	if (newest != 0 && newest + tracing->last_ns > tracing->to_ns && newest <= tracing->to_ns)
		fprintf(tracing->notes,
		    "the calls of lane %u reach back %.6f s only, not %.6f s, because the ring of "
		    "its calls holds no more\n",
		    lane, ns_in_seconds(tracing->to_ns - newest), ns_in_seconds(tracing->last_ns));
	else if (oldest + tracing->last_ns > tracing->to_ns && oldest <= tracing->to_ns)
		fprintf(tracing->notes, "%s has run for %.6f s only, not %.6f s\n",
		    tracing->wave->name, ns_in_seconds(tracing->to_ns - oldest),
		    ns_in_seconds(tracing->last_ns));
}

static void losses_note(const struct tracing *tracing, const struct traced_calls *calls)
{
	const struct exec_misses *misses = tracing->wave->misses;

	if (calls->overwritten > 0)
		fprintf(tracing->notes, "calls that were overwritten while they were read: %llu\n",
		    (unsigned long long)calls->overwritten);
	if (calls->senseless > 0)
		fprintf(tracing->notes,
		    "records of calls that make no sense and are left out: %llu\n",
		    (unsigned long long)calls->senseless);
	if (calls->left_out > 0)
		fprintf(tracing->notes,
		    "older calls that are left out, because the file would be too long: %llu\n",
		    (unsigned long long)calls->left_out);
	if (misses != NULL && misses->lost > 0)
		fprintf(tracing->notes,
		    "records of misses that were overwritten before they were read: %llu\n",
		    (unsigned long long)misses->lost);
}

static void nodes_note(const struct tracing *tracing)
{
	const struct image_view *view = &tracing->wave->view;
	uint32_t nodes[IMAGE_NODES_MAX];
	const uint32_t n = view->node != IMAGE_NONE ? image_nodes(view, nodes) : 0;

	for (uint32_t i = 0; i < n; i++)
		if (nodes[i] != view->node)
			fprintf(tracing->notes,
			    "node %s runs a part of %s, which is not in this file; `--node %s` "
			    "traces that part\n",
			    image_text(view, view->nodes[nodes[i]].name), tracing->wave->name,
			    image_text(view, view->nodes[nodes[i]].name));
}

static void summary_note(const struct tracing *tracing, const struct traced_calls *calls)
{
	fprintf(tracing->notes, "%s: %.6f s; calls: %zu", tracing->wave->name,
	    ns_in_seconds(tracing->to_ns - tracing->from_ns), calls->n);
	if (image_timed(tracing->wave->view.head->clock))
		fprintf(tracing->notes, "; misses: %zu", tracing->n_misses);
	if (tracing->n_cpus > 0)
		fprintf(tracing->notes, "; switches: %zu; interrupts: %zu", tracing->n_switches,
		    tracing->n_interrupts);
	fprintf(tracing->notes, "\n");
}

/* ---- the file ------------------------------------------------------------------------ */

static void wave_put(struct tracing *tracing, const struct traced_calls *calls)
{
	const struct exec_wave *wave = tracing->wave;
	const struct image_view *view = &wave->view;
	bool told[NODE_LANES_MAX] = {false};
	char name[128];
	const struct trace_track group = {.name = name, .rank = 1};

	snprintf(name, sizeof(name), "waveform %s%s%s", wave->name,
	    view->node != IMAGE_NONE ? " on " : "",
	    view->node != IMAGE_NONE ? image_text(view, view->nodes[view->node].name) : "");
	trace_track(&tracing->out, &group);
	for (uint32_t s = 0; s < view->head->segments.count; s++)
		if (image_runs(view, s))
			segment_put(tracing, calls, &group, s);
	for (uint32_t s = 0; s < view->head->segments.count; s++) {
		const uint32_t lane = wave->places[s].lane;

		if (!image_timed(view->head->clock) || lane >= wave->exec->node->n_lanes ||
		    told[lane])
			continue;
		told[lane] = true;
		kernel_put(tracing, lane);
	}
}

/* What whoever asked is told is in the file, too: an event for each line. */
static void notes_put(struct tracing *tracing, char *text)
{
	const struct trace_track track = {.name = "about this trace", .rank = 0};
	char *line, *next = text;

	trace_track(&tracing->out, &track);
	while ((line = strsep(&next, "\n")) != NULL) {
		if (line[0] != 0)
			trace_instant(&tracing->out,
			    &(struct trace_event){
			        .track = &track, .ns = tracing->from_ns, .name = line});
		if (next != NULL)
			next[-1] = '\n';
	}
}

/* Without a clock there is nothing to be seen before the first call. */
static uint64_t begin_of(const struct tracing *tracing, const struct traced_calls *calls)
{
	uint64_t begin = tracing->to_ns;

	if (image_timed(tracing->wave->view.head->clock))
		return tracing->from_ns;
	for (size_t i = 0; i < calls->n; i++)
		begin = calls->calls[i].start_ns < begin ? calls->calls[i].start_ns : begin;
	return begin;
}

/* A waveform that runs on a clock is traced until now, any other until its last call. */
static uint64_t end_of(const struct exec_wave *wave, const struct traced_calls *calls)
{
	const uint64_t now = clock_ns();

	return wave->state == WAVE_RUN && !wave->ended && image_timed(wave->view.head->clock) &&
	        now > calls->newest_ns
	    ? now
	    : calls->newest_ns;
}

static int trace_all(
    struct tracing *tracing, struct traced_calls *calls, uint64_t last_ns, enum trace_format format)
{
	const struct image_view *view = &tracing->wave->view;
	int rc = calls_read(view, calls);

	if (rc == 0 && calls->n == 0)
		rc = -ENODATA;
	if (rc != 0)
		return rc;
	tracing->to_ns = end_of(tracing->wave, calls);
	tracing->last_ns = last_ns;
	tracing->from_ns = tracing->to_ns > last_ns ? tracing->to_ns - last_ns : 0;
	rc = calls_cut(view, tracing->from_ns, calls);
	tracing->from_ns = begin_of(tracing, calls);
	trace_init(&tracing->out, format, tracing->from_ns);
	if (rc == 0)
		wave_put(tracing, calls);
	summary_note(tracing, calls);
	short_rings_note(tracing, calls);
	losses_note(tracing, calls);
	nodes_note(tracing);
	return rc;
}

int trace_make(struct exec_wave *wave, uint64_t last_ns, enum trace_format format,
    uint8_t **ret_bytes, size_t *ret_len, char **ret_text)
{
	struct tracing tracing = {.wave = wave};
	struct traced_calls calls = {0};
	char *text = NULL;
	size_t len = 0;
	int rc = -ENOMEM;

	misses_take(wave);
	tracing.notes = open_memstream(&text, &len);
	if (tracing.notes != NULL) {
		rc = trace_all(&tracing, &calls, last_ns, format);
		rc = fclose(tracing.notes) == 0 ? rc : -ENOMEM;
	}
	calls_free(&calls);
	if (rc == 0) {
		notes_put(&tracing, text);
		*ret_bytes = trace_take(&tracing.out, ret_len);
		rc = *ret_bytes != NULL ? 0 : -ENOMEM;
	}
	if (rc != 0) {
		trace_fini(&tracing.out);
		free(text);
		return rc;
	}
	*ret_text = text;
	return 0;
}
