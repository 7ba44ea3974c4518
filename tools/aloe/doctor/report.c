/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/aloe/doctor/report.h"

#include <errno.h>
#include <string.h>

const char *const doctor_verdicts[VERDICTS] = {"good", "fixable", "not available here"};
const char *const doctor_kinds[MEASURE_KINDS] = {"timer", "polling"};

json_t *doctor_knobs(const struct machine *machine)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n_knobs; i++) {
		struct finding finding;

		knob_find(machine, &knobs[i], &finding);
		json_array_append_new(all,
		    json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:O}", "name", knobs[i].name,
		        "verdict", doctor_verdicts[finding.verdict], "now", finding.now, "want",
		        finding.want, "why", knobs[i].why, "how", finding.how, "changes",
		        finding.changes));
		finding_fini(&finding);
	}
	return all;
}

json_t *doctor_changes(const json_t *found)
{
	json_t *all = json_array(), *knob;
	size_t n;

	json_array_foreach(found, n, knob)
	{
		json_array_extend(all, json_object_get(knob, "changes"));
	}
	return all;
}

static double us_of(uint64_t ns)
{
	return (double)ns / 1e3;
}

static json_t *quantiles_json(const struct hist *hist)
{
	return json_pack("{s:I, s:f, s:f, s:f, s:f}", "count", (json_int_t)hist_count(hist), "p50",
	    us_of(hist_quantile(hist, 0.5)), "p99", us_of(hist_quantile(hist, 0.99)), "p99.9",
	    us_of(hist_quantile(hist, 0.999)), "max", us_of(hist_max(hist)));
}

static json_t *loop_json(const struct measure_loop *loop)
{
	const double watched_ns = loop->watched_ns > 0 ? (double)loop->watched_ns : 1;
	json_t *object;

	if (loop->error != 0)
		return json_pack("{s:s}", "error",
		    loop->error == -EADDRINUSE ? "a lane is running on this CPU"
		                               : strerror(-loop->error));
	object = json_pack("{s:b, s:b, s:f, s:f, s:o, s:f, s:f}", "fifo", loop->fifo, "nice",
	    loop->nice, "watched_s", watched_ns * 1e-9, "reading_us", us_of(loop->reading_ns),
	    "gaps_us", quantiles_json(&loop->gaps), "gaps_per_s",
	    (double)hist_count(&loop->gaps) * 1e9 / watched_ns, "gaps_percent",
	    hist_mean(&loop->gaps) * (double)hist_count(&loop->gaps) * 100 / watched_ns);
	if (hist_count(&loop->late) > 0) {
		json_object_set_new(object, "woken_us", quantiles_json(&loop->woken));
		json_object_set_new(object, "late_us", quantiles_json(&loop->late));
	}
	if (loop->why_not != NULL)
		json_object_set_new(object, "why_not_fifo", json_string(loop->why_not));
	return object;
}

static json_t *cpu_json(const struct measured *measured)
{
	json_t *object = json_pack("{s:i}", "cpu", measured->cpu);

	for (int kind = 0; kind < MEASURE_KINDS; kind++)
		json_object_set_new(object, doctor_kinds[kind], loop_json(&measured->loops[kind]));
	return object;
}

/* Of the CPU where it is worst; negative where none was measured. */
static double worst_missed(
    const struct measured *all, size_t n, int kind, uint64_t slot_ns, double *ret_slots)
{
	double missed = -1;

	for (size_t i = 0; i < n; i++) {
		const struct measure_loop *loop = &all[i].loops[kind];

		if (loop->error != 0 || loop->watched_ns == 0 ||
		    measure_missed(loop, slot_ns) <= missed)
			continue;
		missed = measure_missed(loop, slot_ns);
		*ret_slots = measure_slots(loop, slot_ns);
	}
	return missed;
}

static json_t *slot_json(const struct measured *all, size_t n, unsigned slot_us)
{
	json_t *object = json_pack("{s:i}", "slot_us", (int)slot_us);

	for (int kind = 0; kind < MEASURE_KINDS; kind++) {
		double slots = 0;
		const double missed = worst_missed(all, n, kind, slot_us * 1000ull, &slots);

		if (missed >= 0)
			json_object_set_new(object, doctor_kinds[kind],
			    json_pack("{s:f, s:f}", "missed_per_million", missed * 1e6, "of_slots",
			        slots));
	}
	return object;
}

/* 0: none of those in the table. */
static unsigned slot_shortest(const struct measured *all, size_t n, int kind, double most)
{
	double slots, missed;

	for (size_t i = 0; i < n_measure_slots; i++) {
		missed = worst_missed(all, n, kind, measure_slots_us[i] * 1000ull, &slots);
		if (missed >= 0 && missed <= most)
			return measure_slots_us[i];
	}
	return 0;
}

json_t *doctor_measured(const struct measured *all, size_t n)
{
	static const struct {
		const char *name;
		double most;
	} limits[] = {{"one_in_100", 0.01}, {"one_in_1000", 0.001}, {"none_seen", 0}};
	json_t *cpus = json_array(), *slots = json_array(), *least = json_object();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(cpus, cpu_json(&all[i]));
	for (size_t i = 0; i < n_measure_slots; i++)
		json_array_append_new(slots, slot_json(all, n, measure_slots_us[i]));
	for (int kind = 0; kind < MEASURE_KINDS; kind++) {
		json_t *object = json_object();

		for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
			json_object_set_new(object, limits[i].name,
			    json_integer(slot_shortest(all, n, kind, limits[i].most)));
		json_object_set_new(least, doctor_kinds[kind], object);
	}
	return json_pack("{s:o, s:o, s:o}", "cpus", cpus, "slots", slots, "shortest_us", least);
}
