/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/clock_fast.h - the time of clock_ns from the core's own counter, at half its price: for
 * one thread that asks many times between two moments at which it has looked at clock_ns itself.
 *
 * Where the kernel itself keeps time by the x86 time-stamp counter (then it runs at one rate, on
 * all cores alike), its ticks are turned into ns of CLOCK_MONOTONIC by a rate that is learnt
 * against clock_ns: first over 1 ms, then over longer and longer windows, at most 100 ms, and again
 * and again, so that it follows a clock that is being adjusted. Until the first is known, whenever
 * a look at both was disturbed, and on all other machines clock_ns is read instead.
 *
 *   error      below 0.5 us beside clock_ns and 1/10000 of what has passed since the last window's
 *              end, mostly below 50 ns (tests/unit/test_clock_fast.c). From window to window time
 *              may go back by as much: whoever asks takes the later one.
 *   order      the counter does not wait for what the core has under way: the last loads of what
 *              was before may count with what comes after.
 *   suspended  a machine that slept makes times up to 100 ms after it wrong.
 */
#ifndef ALOE_BASE_CLOCK_FAST_H
#define ALOE_BASE_CLOCK_FAST_H

#include <stdbool.h>

#include "core/base/clock.h"

/* One thread's. All zero: clock_ns. */
struct clock_fast {
	uint64_t ticks, ns; /* the same moment */
	uint64_t scale;     /* ns of 2^32 ticks; 0: not known */
	uint64_t window_ns; /* after which both are looked at again; 0: never */
	uint64_t look;      /* ticks that an undisturbed look takes */
};

/* clock_ticks reads the counter. */
static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/* clock_fast_init looks whether there is such a counter, and begins to learn. [control] */
void clock_fast_init(struct clock_fast *clock);

/* clock_fast_learn is clock_fast_tend when its window is over. [slot] 0.1 us. */
void clock_fast_learn(struct clock_fast *clock);

/* clock_fast_tend learns the rate when it is time to: at the beginning of whatever is to be timed,
 * where it is now_ns. [slot] */
static inline void clock_fast_tend(struct clock_fast *clock, uint64_t now_ns)
{
	if (clock->window_ns != 0 && now_ns - clock->ns >= clock->window_ns)
		clock_fast_learn(clock);
}

/* clock_fast_learns tells whether the counter is still to be understood. */
static inline bool clock_fast_learns(const struct clock_fast *clock)
{
	return clock->window_ns != 0 && clock->scale == 0;
}

/* clock_fast_ns is clock_ns. [slot] */
static inline uint64_t clock_fast_ns(const struct clock_fast *clock)
{
#if defined(__SIZEOF_INT128__) /* machines of 32 bits lack it, and no counter is read there */
	if (clock->scale != 0)
		return clock->ns +
		    (uint64_t)((unsigned __int128)(clock_ticks() - clock->ticks) * clock->scale >>
		        32);
#endif
	(void)clock;
	return clock_ns();
}

#endif
