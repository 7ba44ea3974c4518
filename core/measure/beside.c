/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "core/json/json.h"
#include "core/measure/local.h"

struct use {             /* of one CPU, by what is loaded */
	double taken_ns; /* of a slot */
	bool other;      /* its lane runs slots of another length */
};

static bool agrees(const json_t *loaded, const struct waveform *waveform)
{
	const char *clock = json_string_value(json_object_get(loaded, "clock"));
	const bool step = clock && strcmp(clock, "step") == 0;
	const bool radio = clock && strcmp(clock, "radio") == 0;

	return !step && !radio && waveform->clock == WF_CLOCK_TIMER &&
	    (uint64_t)json_integer_value(json_object_get(loaded, "slot_ns")) == waveform->slot_ns;
}

static bool has_lanes(const json_t *loaded)
{
	const char *clock = json_string_value(json_object_get(loaded, "clock"));

	return clock && strcmp(clock, "virtual") != 0 &&
	    !json_is_true(json_object_get(loaded, "drained"));
}

static struct use use_of(const json_t *list, int cpu, const struct waveform *waveform)
{
	struct use use = {0, false};
	const json_t *loaded, *lane;
	size_t i, l;

	json_array_foreach((json_t *)list, i, loaded)
	{
		if (!has_lanes(loaded))
			continue;
		json_array_foreach(json_object_get(loaded, "lanes"), l, lane)
		{
			if (json_integer_value(json_object_get(lane, "cpu")) != cpu)
				continue;
			use.taken_ns +=
			    1e3 * json_number_value(json_object_get(lane, "admitted_us"));
			use.other = use.other || !agrees(loaded, waveform);
		}
	}
	return use;
}

void local_beside(
    const json_t *list, const struct waveform *waveform, struct local_platform *platform)
{
	size_t n = 0;

	if (!list || waveform->clock == WF_CLOCK_VIRTUAL)
		return;
	for (size_t c = 0; c < platform->model.n_lanes; c++) {
		const struct use one = use_of(list, platform->cpus[c], waveform);
		struct platform_core core = platform->cores[c];
		const int cpu = platform->cpus[c];
		size_t at = n;

		if (one.other)
			continue;
		core.taken_ns = one.taken_ns;
		for (; at > 0 && platform->cores[at - 1].taken_ns > core.taken_ns; at--) {
			platform->cores[at] = platform->cores[at - 1];
			platform->cpus[at] = platform->cpus[at - 1];
		}
		platform->cores[at] = core;
		platform->cpus[at] = cpu;
		n++;
	}
	if (n > 0) /* none left: exec refuses, and says which lane runs what */
		platform->model.n_lanes = n;
}
