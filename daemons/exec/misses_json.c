/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/clock.h"
#include "daemons/exec/misses.h"
#include "daemons/exec/report.h"

json_t *misses_json(const struct exec_wave *wave, uint64_t most)
{
	const struct exec_misses *misses = wave->misses;
	const uint64_t end = misses != NULL ? misses->n : 0;
	const uint64_t kept = end < MISSES_KEPT ? end : MISSES_KEPT, n = kept < most ? kept : most;
	json_t *array = json_array();

	for (uint64_t m = end - n; m < end; m++)
		json_array_append_new(array, miss_json(wave, &misses->kept[m % MISSES_KEPT]));
	return array;
}

static json_t *sum_json(const struct exec_miss_sum *sum, enum evidence_cause_kind kind)
{
	json_t *o = json_object();

	put_text(o, "kind", evidence_word(kind));
	put_u64(o, "count", sum->records);
	put_u64(o, "slots", sum->slots);
	put_real(o, "us", us((double)sum->share_ns));
	put_real(o, "worst_us", us((double)sum->worst_ns));
	put_u64(o, "worst_slot", sum->worst_slot);
	json_object_set_new(o, "own", json_boolean(evidence_own(kind)));
	return o;
}

/* Those with the most lateness first. */
json_t *misses_causes(const struct exec_wave *wave)
{
	const struct exec_misses *misses = wave->misses;
	json_t *array = json_array();
	bool told[EVIDENCE_KINDS] = {false};

	for (int round = 0; misses != NULL && round < EVIDENCE_KINDS; round++) {
		int most = -1;

		for (int k = 0; k < EVIDENCE_KINDS; k++)
			if (!told[k] && misses->sum[k].records > 0 &&
			    (most < 0 || misses->sum[k].share_ns > misses->sum[most].share_ns))
				most = k;
		if (most < 0)
			break;
		told[most] = true;
		json_array_append_new(
		    array, sum_json(&misses->sum[most], (enum evidence_cause_kind)most));
	}
	return array;
}

/* ---- sources ------------------------------------------------------------------------ */

static void source_put(json_t *array, const char *name, const char *why)
{
	json_t *o = json_object();

	put_text(o, "source", name);
	json_object_set_new(o, "here", json_boolean(why == NULL));
	put_text(o, "why", why != NULL ? why : "");
	json_array_append_new(array, o);
}

/* A guest whose kernel has never counted stolen time may count none. */
static const char *stolen_why(void)
{
	unsigned long long t[8] = {0};
	struct stat st;
	FILE *file;
	int n = 0;

	if (stat("/sys/hypervisor", &st) != 0)
		return NULL;
	file = fopen("/proc/stat", "re");
	if (file != NULL) {
		n = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2],
		    &t[3], &t[4], &t[5], &t[6], &t[7]);
		fclose(file);
	}
	return n == 8 && t[7] == 0 ? "this guest has counted no stolen time since it was started, "
	                             "so time that the machine stood may look like work"
	                           : NULL;
}

json_t *misses_sources(const struct exec_wave *wave)
{
	const struct exec *exec = wave->exec;
	const struct perf_ring *ring = NULL;
	const char *counters = NULL;
	json_t *array = json_array();

	if (!image_timed(wave->view.head->clock))
		return array;
	for (uint32_t s = 0; s < wave->view.head->segments.count && ring == NULL; s++)
		if (image_runs(&wave->view, s) && wave->places[s].lane < exec->node->n_lanes) {
			ring = &exec->lanes[wave->places[s].lane].perf;
			counters = exec->lanes[wave->places[s].lane].counters;
		}
	for (int s = 0; ring != NULL && s < PERF_SOURCES; s++)
		if (s == 0 ||
		    strcmp(platform_perf_name((enum perf_source)s),
		        platform_perf_name((enum perf_source)(s - 1))) != 0)
			source_put(array, platform_perf_name((enum perf_source)s),
			    ring->fd[s] >= 0
			        ? NULL
			        : platform_perf_reason((enum perf_source)s, ring->status[s]));
	source_put(array, "CPU time of the lane's thread", NULL);
	source_put(array, "stolen time", stolen_why());
	source_put(array, "names of the kernel's functions",
	    platform_kernel_symbols() ? NULL
	                              : "/proc/kallsyms has no addresses (kernel.kptr_restrict)");
	if (counters != NULL)
		source_put(array, "hardware counters", counters);
	return array;
}

/* ---- MISSES ------------------------------------------------------------------------ */

static void json_answer(struct exec_wave *wave, const struct wire_view *request, json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
	struct wire_msg msg;

	json_decref(json);
	bus_reply(wave->exec->daemon.bus, request, WIRE_OK, &msg);
	wire_put_text(&msg, WIRE_TAG_JSON, text);
	bus_send(wave->exec->daemon.bus, &msg);
	free(text);
}

/* The least time that a segment which began in the slot had left of its own when it ended; NAN: not
 * known any more. */
static double left_us(const struct exec_wave *wave, uint64_t slot)
{
	const struct node_timebase *base = wave_timebase(wave);
	const uint64_t edge =
	    base != NULL ? atomic_load(&base->start_ns) + slot * base->slot_ns : 0;
	int64_t left = INT64_MAX;

	if (base == NULL || base->pace != IMAGE_TIMER)
		return NAN;
	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);
		const struct image_event *ring = image_events(&wave->view, s);
		const uint64_t size = wave->view.segments[s].n_events;
		const uint64_t written = atomic_load(&state->events);

		for (uint64_t e = written > size ? written - size : 0; e < written; e++) {
			const struct image_event event = ring[e % size];
			const int64_t of = (int64_t)(edge + image_span_ns(&wave->view, s) -
			    event.start_ns - event.ns);

			if (of < left && timebase_slot(base, event.start_ns) == slot)
				left = of;
		}
	}
	return left == INT64_MAX ? NAN : us((double)left);
}

/* A slot without a record was on time where no record is missing. "": it was. */
static const char *why_unknown(const struct exec_wave *wave, uint64_t slot)
{
	if (slot < wave->seen_from)
		return "aloe-exec was not there; what an earlier aloe-exec has read of it is in "
		       "misses.jsonl of the run only";
	if (wave->misses != NULL && wave->misses->lost > 0)
		return "records of late slots came too fast to be read";
	if (wave->misses != NULL && wave->misses->n > MISSES_KEPT)
		return "only the newest records are kept; all of them are in misses.jsonl of the "
		       "run";
	return left_us(wave, slot) < 0 ? "its calls ended late" : "";
}

/* Other lanes that were late in the same slot, each with its own causes. */
static void others_put(
    const struct exec_wave *wave, const struct exec_miss *const *others, size_t n, json_t *o)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, miss_json(wave, others[i]));
	json_object_set_new(o, "others", array);
}

static json_t *slot_json(const struct exec_wave *wave, uint64_t slot)
{
	const struct exec_miss *late[NODE_LANES_MAX];
	const size_t n = misses_find(wave, slot, late, NODE_LANES_MAX);
	const char *why;
	json_t *o;

	if (n > 0) {
		o = miss_json(wave, late[0]);
		misses_calls_put(wave, late[0], o);
		others_put(wave, late + 1, n - 1, o);
		return o;
	}
	why = why_unknown(wave, slot);
	o = json_object();
	put_u64(o, "slot", slot);
	put_text(o, "what", why[0] == 0 ? "on time" : "no record");
	put_text(o, "why", why);
	put_real(o, "left_us", left_us(wave, slot));
	return o;
}

void misses_send(struct exec_wave *wave, const struct wire_view *request)
{
	const struct exec_miss *miss;
	uint64_t slot, first, last;

	misses_take(wave);
	if (wire_get_u64(request, WIRE_TAG_SLOT, &slot) != 0)
		json_answer(wave, request, misses_json(wave, MISSES_KEPT));
	else if (!image_timed(wave->view.head->clock))
		exec_fail(wave->exec, request, 2,
		    "slots of \"%s\" cannot be late, because its clock waits for nothing",
		    wave->name);
	else if (!misses_slots(wave, &first, &last))
		exec_fail(wave->exec, request, 2, "no slot of \"%s\" has run yet", wave->name);
	else if (misses_find(wave, slot, &miss, 1) == 0 && (slot < first || slot > last))
		exec_fail(wave->exec, request, 2,
		    "slot %llu of \"%s\" is not known; slots %llu to %llu have run",
		    (unsigned long long)slot, wave->name, (unsigned long long)first,
		    (unsigned long long)last);
	else
		json_answer(wave, request, slot_json(wave, slot));
}
