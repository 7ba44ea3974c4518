/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/base/clock_fast.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"

enum {
	WINDOW_FIRST_NS = 1000000,
	WINDOW_MAX_NS = 100000000,
	WIDER = 4,
	LOOKS = 4,
	LOOKS_FIRST = 32,
	DISTURBED = 4
};

#if defined(__x86_64__)
static const char counter[] = "tsc\n";
#else
static const char counter[] = ""; /* none that clock_ticks reads */
#endif

static bool counter_keeps_time(void)
{
	char *text = NULL;
	size_t len;
	bool keeps;

	keeps = file_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", 64,
	            &text, &len) == 0 &&
	    strcmp(text, counter) == 0;
	free(text);
	return keeps;
}

/* Both at one moment, as near as the best of some looks: the ticks that it took. */
static uint64_t look(int looks, uint64_t *ret_ticks, uint64_t *ret_ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < looks; i++) {
		const uint64_t before = clock_ticks(), ns = clock_ns(),
		               took = clock_ticks() - before;

		if (took >= best)
			continue;
		best = took;
		*ret_ticks = before + took / 2;
		*ret_ns = ns;
	}
	return best;
}

void clock_fast_init(struct clock_fast *clock)
{
	*clock = (struct clock_fast){0};
	if (!counter_keeps_time())
		return;
	clock->look = look(LOOKS_FIRST, &clock->ticks, &clock->ns);
	clock->window_ns = WINDOW_FIRST_NS;
}

static uint64_t scale_of(uint64_t ns, uint64_t ticks)
{
#if defined(__SIZEOF_INT128__)
	return (uint64_t)(((unsigned __int128)ns << 32) / ticks);
#else
	(void)ns, (void)ticks;
	return 0; /* there is no counter, and nobody learns */
#endif
}

void clock_fast_learn(struct clock_fast *clock)
{
	uint64_t ticks = 0, ns = 0;
	const uint64_t took = look(LOOKS, &ticks, &ns), wider = clock->window_ns * WIDER;

	if (took > DISTURBED * clock->look) {
		clock->scale = 0;
		return;
	}
	clock->scale = scale_of(ns - clock->ns, ticks - clock->ticks);
	clock->ticks = ticks;
	clock->ns = ns;
	clock->window_ns = wider < WINDOW_MAX_NS ? wider : WINDOW_MAX_NS;
}
