/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/calibrate.h"
#include "core/base/clock.h"
#include "core/image/follow.h"
#include "core/platform/platform.h"
#include "daemons/exec/clock.h"
#include "daemons/exec/misses.h"
#include "daemons/exec/peers.h"
#include "daemons/exec/report.h"
#include "daemons/exec/spent.h"

#include <aloe/component.h>

enum { MISSES_SHOWN = 32 }; /* of the last; MISSES gives all that are kept */

static const char *const clock_names[] = {"timer", "virtual", "step", "radio"};

static json_t *lines_json(const char *text)
{
	json_t *array = json_array();

	while (*text != 0) {
		const size_t len = strcspn(text, "\n");

		json_array_append_new(array, json_stringn(text, len));
		text += len + (text[len] == '\n');
	}
	return array;
}

json_t *report_hist(const struct hist *hist)
{
	static const struct {
		const char *key;
		double q;
	} quantiles[] = {
	    {"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}, {"p9999", 0.9999}, {"p99999", 0.99999}};
	const bool sound = image_hist_sound(hist);
	json_t *o = json_object();

	put_u64(o, "count", hist_count(hist));
	put_real(o, "mean", sound ? us(hist_mean(hist)) : NAN);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		put_real(o, quantiles[i].key,
		    sound ? us((double)hist_quantile(hist, quantiles[i].q)) : NAN);
	put_real(o, "max", sound ? us((double)hist_max(hist)) : NAN);
	return o;
}

/* ---- parts ------------------------------------------------------------------------ */

static json_t *slots_json(const struct exec_wave *wave)
{
	const struct image_run *before = image_run(&wave->view); /* on other lanes */
	const uint64_t last = wave_last_wanted(wave);
	uint64_t run = 0, drain = 0, skipped = get(&before->skipped), missed = get(&before->missed),
	         slipped = get(&before->slipped);
	json_t *o = json_object();

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);
		const uint64_t done = image_steps_done(&wave->view, s), all = get(&state->slots);
		const uint64_t behind =
		    last != IMAGE_FOREVER && done > last + 1 ? done - last - 1 : 0;
		const uint64_t most = behind < all ? behind : all;

		run = all - most > run ? all - most : run;
		drain = most > drain ? most : drain;
		skipped += get(&state->skipped);
		missed += get(&state->missed);
		slipped += get(&state->slipped);
	}
	put_u64(o, "run", get(&before->slots) + run);
	/* behind the last index, until the last message has gone through */
	put_u64(o, "drain", drain);
	put_u64(o, "skipped", skipped);
	put_u64(o, "missed", missed);
	/* without a clock a step that waits is not late, and what a radio received waits with it */
	put_u64(o, "slipped",
	    wave->view.head->clock == IMAGE_VIRTUAL || wave->view.head->radio_fast ? 0 : slipped);
	return o;
}

static json_t *messages_json(const struct exec_wave *wave)
{
	uint64_t absent = 0, late = 0, overwritten = 0, lost = 0;
	json_t *o = json_object();

	for (uint32_t i = 0; i < wave->view.head->instances.count; i++) {
		const struct image_instance_state *state = image_instance_state(&wave->view, i);

		absent += get(&state->absent);
		late += get(&state->late);
		overwritten += get(&state->overwritten);
		lost += get(&state->io_lost);
	}
	put_u64(o, "absent", absent);
	put_u64(o, "late", late);
	put_u64(o, "overwritten", overwritten);
	put_u64(o, "lost", lost);
	return o;
}

static json_t *latency_json(const struct exec_wave *wave)
{
	const struct image_head *head = wave->view.head;
	uint64_t least = UINT64_MAX, most = 0;
	struct hist *all = calloc(1, sizeof(*all));
	json_t *o = json_object();

	for (uint32_t i = 0; i < head->instances.count; i++) {
		const struct image_latency *sink = image_latency(&wave->view, i);

		if (sink == NULL || wave->view.instances[i].lag + 1 != head->latency_slots ||
		    !image_runs(&wave->view, wave->view.instances[i].segment))
			continue;
		least = get(&sink->slots_min) < least ? get(&sink->slots_min) : least;
		most = get(&sink->slots_max) > most ? get(&sink->slots_max) : most;
		if (all != NULL)
			hist_merge(all, &sink->ns);
	}
	put_u64(o, "slots", head->latency_slots);
	put_real(o, "us", us((double)head->latency_slots * (double)head->slot_ns));
	put_u64(o, "measured_slots_min", least == UINT64_MAX ? 0 : least);
	put_u64(o, "measured_slots_max", most);
	if (all != NULL) {
		json_object_set_new(o, "measured_us", report_hist(all));
		json_object_set_new(o, "histogram_ns", report_cells(all));
	}
	free(all);
	return o;
}

/* What its instances were admitted with; those whose cost was a guess count as they were measured
 * so far. */
static double lane_admitted(const struct exec_wave *wave, uint32_t number)
{
	double sum = 0;

	for (uint32_t i = 0; i < wave->view.head->instances.count; i++) {
		const struct image_instance *row = &wave->view.instances[i];

		if (wave->view.segments[row->segment].lane != number)
			continue;
		if (row->admitted_ns == 0 && !image_time_sound(image_time(&wave->view, i)))
			return NAN; /* it was overwritten */
		sum += row->admitted_ns ? (double)row->admitted_ns
		                        : 1.25 * (double)image_time_quantile(&wave->view, i, 0.5);
	}
	return sum;
}

/* Of the node's lane, whoever is on it: how often its baton could not be and was reset, and how
 * often a lane-mate took it on while exec was dead, or exec woke who had it and slept although its
 * word said otherwise. */
static void baton_put(const struct exec_wave *wave, uint32_t number, json_t *o)
{
	const struct exec *exec = wave->exec;
	uint64_t resets = 0, rescues = 0;

	for (uint32_t l = 0; l < exec->node->n_lanes; l++)
		if (exec->node->lane[l].cpu == wave->view.lanes[number].cpu &&
		    exec->lanes[l].image != NULL) {
			resets = get(&exec->node->lane[l].resets);
			rescues = get(&exec->lanes[l].image->rescued) + get(&exec->lanes[l].roused);
		}
	put_u64(o, "baton_resets", resets);
	put_u64(o, "baton_rescues", rescues);
}

/* Of the core, beside the load: with what its threads wait for the slot, and wake up. */
static void spent_put(const struct exec_wave *wave, uint32_t number, uint64_t slots, json_t *o)
{
	const struct exec_spent spent = spent_of(wave, number);
	const double ns = (double)slots * (double)wave->view.head->slot_ns;

	put_real(o, "core_mean", spent.known && slots > 0 ? (double)spent.ran_ns / ns : NAN);
	put_u64(o, "wakes", spent.known ? spent.wakes : UINT64_MAX);
	put_u64(o, "watchdog_wakes", spent.known ? spent.looks : UINT64_MAX);
	put_u64(o, "io_wakes", spent.known ? spent.io_wakes : UINT64_MAX);
}

static json_t *lane_json(const struct exec_wave *wave, uint32_t number)
{
	const double slot_ns = (double)wave->view.head->slot_ns;
	struct hist *all = calloc(2, sizeof(*all)); /* late, overhead */
	uint32_t n = 0;                             /* segments on it */
	uint64_t run = 0, all_slots = 0, missed = 0, busy = 0;
	const char *realtime = wave->exec->daemon.args.shared       ? "other"
	    : strstr(wave->losses, "nice -20") != NULL              ? "nice -20"
	    : strstr(wave->losses, "no real-time priority") != NULL ? "other"
	    : wave->view.head->round_robin                          ? "RR 50"
	                                                            : "FIFO 50";
	json_t *o = json_object();

	for (uint32_t s = 0; s < wave->view.head->segments.count && all != NULL; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);
		const uint64_t slots = get(&state->slots), all_its = slots + get(&state->skipped);

		if (wave->view.segments[s].lane != number)
			continue;
		if (n++ == 0) /* the others have the baton from it */
			hist_merge(&all[0], &state->late);
		hist_merge(&all[1], &state->overhead);
		run = slots > run ? slots : run;
		all_slots = all_its > all_slots ? all_its : all_slots;
		missed += get(&state->missed);
		busy += get(&state->busy_ns);
	}
	put_u64(o, "lane", number);
	json_object_set_new(o, "cpu", json_integer(wave->view.lanes[number].cpu));
	baton_put(wave, number, o);
	put_text(o, "realtime", image_timed(wave->view.head->clock) ? realtime : "other");
	put_u64(o, "slots", run);
	/* a slot that several segments have skipped counts once */
	put_u64(o, "skipped", all_slots > run ? all_slots - run : 0);
	put_u64(o, "missed", missed);
	put_real(o, "admitted_us", us(lane_admitted(wave, number)));
	put_real(o, "planned_us", us((double)wave->view.lanes[number].typical_ns));
	put_real(o, "load_mean", run > 0 ? (double)busy / (double)run / slot_ns : 0);
	put_real(o, "load_p50",
	    (double)hist_quantile(&image_lane_state(&wave->view, number)->load, 0.5) / slot_ns);
	put_real(o, "load_p99",
	    (double)hist_quantile(&image_lane_state(&wave->view, number)->load, 0.99) / slot_ns);
	spent_put(wave, number, all_slots, o);
	json_object_set_new(
	    o, "left_us", report_margin(&image_lane_state(&wave->view, number)->margin));
	json_object_set_new(o, "late_us", all != NULL ? report_hist(&all[0]) : json_null());
	json_object_set_new(o, "overhead_us", all != NULL ? report_hist(&all[1]) : json_null());
	free(all);
	return o;
}

static json_t *lanes_json(const struct exec_wave *wave)
{
	json_t *array = json_array();

	for (uint32_t l = 0; l < wave->view.head->lanes.count; l++)
		for (uint32_t s = 0; s < wave->view.head->segments.count; s++)
			if (wave->view.segments[s].lane == l && image_runs(&wave->view, s)) {
				json_array_append_new(array, lane_json(wave, l));
				break;
			}
	return array;
}

static json_t *losses_json(const struct exec_wave *wave)
{
	json_t *array = lines_json(wave->losses);
	const char *scope = image_timed(wave->view.head->clock) ? platform_lock_scope() : NULL;
	char line[192];

	if (wave->exec->no_wake_fast && image_timed(wave->view.head->clock))
		json_array_append_new(array,
		    json_string("/dev/cpu_dma_latency cannot be held at 0: waking an idle CPU "
		                "costs 20 us and more"));
	if (scope && scope[0])
		snprintf(line, sizeof(line),
		    "the CPUs of the lanes are kept from nodes of the same %s namespace only; a "
		    "node in another container may run a lane on the same CPU",
		    scope);
	else if (scope)
		snprintf(line, sizeof(line),
		    "the CPUs of the lanes are not kept from other nodes, because /proc/self/ns "
		    "cannot be locked here");
	if (scope)
		json_array_append_new(array, json_string(line));
	return array;
}

/* From the start to the end of the last call so far; not known after exec was started again. */
static double run_seconds(const struct exec_wave *wave)
{
	uint64_t end_ns = wave->start_ns;

	for (uint32_t s = 0; s < wave->view.head->segments.count; s++) {
		const struct image_segment_state *state = image_segment_state(&wave->view, s);
		const uint64_t n = atomic_load(&state->events), until_ns = get(&state->until_ns);
		const struct image_event last =
		    image_events(&wave->view, s)[(n - 1) % wave->view.segments[s].n_events];

		if (n > 0 && last.start_ns + last.ns > end_ns)
			end_ns = last.start_ns + last.ns;
		end_ns = until_ns > end_ns ? until_ns : end_ns;
	}
	return wave->start_ns == 0 ? NAN : (double)(end_ns - wave->start_ns) * 1e-9;
}

/* There only where something is: then no number of the report is to be relied on. */
static void damage_put(const struct exec_wave *wave, json_t *o)
{
	struct image_damage damage;

	if (image_damage_all(&wave->view, &damage))
		put_text(o, "damaged", damage.what);
}

static void head_put(const struct exec_wave *wave, json_t *o)
{
	const struct image_head *h = wave->view.head;

	put_u64(o, "schema", 1);
	put_text(o, "waveform", wave->name);
	put_text(o, "state", wave_state_names[wave->state]);
	put_text(o, "reason", wave->reason);
	damage_put(wave, o);
	put_text(o, "clock", clock_names[h->clock % 4]);
	put_text(o, "late", h->late == IMAGE_SKIP ? "skip" : "slip");
	put_text(o, "isolation", image_text(&wave->view, h->isolation));
	put_u64(o, "copies", h->copies);
	put_u64(o, "slot_ns", h->slot_ns);
	put_u64(o, "slots_wanted", h->slots == IMAGE_FOREVER ? 0 : h->slots);
	put_u64(o, "index", wave_index(wave));
	put_real(o, "run_s", run_seconds(wave));
	json_object_set_new(o, "first_slot_ns",
	    wave->first_ns != 0 ? json_integer((json_int_t)wave->first_ns) : json_null());
	/* overrun = "mode": how often it began, and from which index on it holds */
	put_u64(o, "modes", wave_control(wave)->modes);
	json_object_set_new(o, "mode_index",
	    get(&wave_control(wave)->mode) != 0 && wave->n_mode == 0 &&
	            wave_control(wave)->mode_index != IMAGE_FOREVER
	        ? json_integer((json_int_t)wave_control(wave)->mode_index)
	        : json_null());
	put_u64(o, "remaps", get(&image_run(&wave->view)->remaps));
	json_object_set_new(o, "started", json_boolean(wave->started));
	json_object_set_new(o, "ended", json_boolean(wave->ended));
	json_object_set_new(o, "drained", json_boolean(wave->drained));
	put_real(o, "capacity_mmac", node_mmac(wave->exec));
}

/* What is known of all misses together, and by what. */
static void misses_put(const struct exec_wave *wave, json_t *o)
{
	const struct exec_misses *misses = wave->misses;
	const struct node_control *control = wave_control(wave);
	uint64_t first, last;
	const bool ran = misses_slots(wave, &first, &last);

	json_object_set_new(o, "slot_first", ran ? json_integer((json_int_t)first) : json_null());
	json_object_set_new(o, "slot_last", ran ? json_integer((json_int_t)last) : json_null());
	put_u64(o, "misses_counted", (misses != NULL ? misses->n : 0) + control->misses_lost);
	put_u64(o, "misses_lost", control->misses_lost);
	put_u64(o, "misses_unseen", control->misses_unseen);
	put_u64(o, "misses_unwritten", control->misses_unwritten);
	put_u64(o, "evidence_lost", misses != NULL ? misses->evidence_lost : 0);
	put_u64(o, "evidence_corrupt", misses != NULL ? misses->evidence_corrupt : 0);
	json_object_set_new(o, "causes", misses_causes(wave));
	json_object_set_new(o, "sources", misses_sources(wave));
}

char *wave_report(const struct exec_wave *wave)
{
	json_t *o = json_object();
	json_t *clocks = clock_report(wave->exec);
	char *text;

	head_put(wave, o);
	json_object_set_new(o, "slots", slots_json(wave));
	json_object_set_new(o, "messages", messages_json(wave));
	if (wave->view.head->clock == IMAGE_RADIO)
		json_object_set_new(o, "radio", report_radio(wave));
	if (clocks != NULL)
		json_object_set_new(o, "clocks", clocks);
	if (wave->n_peers > 0)
		json_object_set_new(o, "peers", peers_report(wave));
	json_object_set_new(o, "latency", latency_json(wave));
	json_object_set_new(o, "lanes", lanes_json(wave));
	json_object_set_new(o, "instances", report_instances(wave));
	json_object_set_new(o, "links", report_links(wave));
	if (wave->view.head->copies > 1)
		json_object_set_new(o, "per_copy", report_copies(wave));
	json_object_set_new(o, "misses", misses_json(wave, MISSES_SHOWN));
	misses_put(wave, o);
	json_object_set_new(o, "notes", lines_json(wave->notes));
	json_object_set_new(o, "losses", losses_json(wave));
	text = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
	json_decref(o);
	return text;
}

/* By lane of the plan, with those that hold nothing. */
static json_t *cpus_json(const struct exec_wave *wave)
{
	json_t *array = json_array();

	for (uint32_t l = 0; l < wave->view.head->lanes.count; l++)
		json_array_append_new(array, json_integer(wave->view.lanes[l].cpu));
	return array;
}

static json_t *nodes_json(const struct exec_wave *wave)
{
	uint32_t numbers[IMAGE_NODES_MAX];
	const uint32_t n = image_nodes(&wave->view, numbers);
	json_t *array = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(
		    array, json_string(image_text(&wave->view, wave->view.nodes[numbers[i]].name)));
	return array;
}

/* What a manager that was started again has to know of a waveform of a platform. */
static void list_nodes(json_t *o, const struct exec_wave *wave)
{
	static const char *const losses[] = {"hold", "stop", "restart"};
	char id[20];

	snprintf(id, sizeof(id), "%016llx", (unsigned long long)wave->view.head->load_id);
	if (wave->view.node != IMAGE_NONE)
		json_object_set_new(o, "nodes", nodes_json(wave));
	put_text(o, "load_id", id);
	put_text(o, "on_node_loss", losses[wave->view.head->on_node_loss % 3]);
	put_u64(o, "lease_ms", wave->view.head->lease_ms);
	json_object_set_new(o, "held", json_boolean(wave->held));
}

static void list_rest(json_t *o, const struct exec_wave *wave)
{
	put_text(o, "reason", wave->reason);
	put_u64(o, "index", wave_index(wave));
	put_u64(o, "slot_ns", wave->view.head->slot_ns);
	json_object_set_new(o, "drained", json_boolean(wave->drained));
	json_object_set_new(o, "lanes", lanes_json(wave));
	json_object_set_new(o, "cpus", cpus_json(wave));
	if (wave->view.head->load_id != 0)
		list_nodes(o, wave);
	if (wave->view.head->clock == IMAGE_RADIO)
		json_object_set_new(o, "radio", report_radio(wave));
}

char *exec_list(const struct exec *exec, bool lanes)
{
	json_t *array = json_array();
	char *text;

	for (const struct exec_wave *wave = exec->waves; wave != NULL; wave = wave->next) {
		json_t *o = json_object();

		put_text(o, "name", wave->name);
		put_text(o, "state", wave_state_names[wave->state]);
		put_text(o, "clock", clock_names[wave->view.head->clock % 4]);
		if (!lanes || wave->view.head->clock != IMAGE_VIRTUAL)
			list_rest(o, wave);
		json_array_append_new(array, o);
	}
	text = json_dumps(array, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
	json_decref(array);
	return text;
}
