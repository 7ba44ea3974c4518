/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/own_clock.h - a clock of the test's own for one thread, which only looks and sleeps
 * move: what depends on how fast the machine is, and on what else it does, is the same each time.
 * Included by the one source of a test program: it puts itself before the C library's clock_gettime
 * and clock_nanosleep for the whole program. Other threads, and other clocks, have the real ones.
 *
 * 	own_clock_begin(1000000000, 200);    // each look takes 200 ns, a sleep ends when it should
 * 	lane_run(&thread);
 * 	own_clock_end();
 */
#ifndef TESTS_COMMON_OWN_CLOCK_H
#define TESTS_COMMON_OWN_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Thread_local struct {
	uint64_t now_ns, look_ns; /* now_ns 0: the real clock */
} own_clock;

static inline void own_clock_begin(uint64_t now_ns, uint64_t look_ns)
{
	own_clock.now_ns = now_ns;
	own_clock.look_ns = look_ns;
}

static inline void own_clock_end(void)
{
	own_clock.now_ns = 0;
}

/* Where seconds are longer than the machine's words, its calls have other numbers. */
#ifdef SYS_clock_gettime64
enum { OWN_GETTIME = sizeof(time_t) > sizeof(long) ? SYS_clock_gettime64 : SYS_clock_gettime };
enum {
	OWN_NANOSLEEP =
	    sizeof(time_t) > sizeof(long) ? SYS_clock_nanosleep_time64 : SYS_clock_nanosleep
};
#else
enum { OWN_GETTIME = SYS_clock_gettime, OWN_NANOSLEEP = SYS_clock_nanosleep };
#endif

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (own_clock.now_ns == 0 || clock != CLOCK_MONOTONIC)
		return (int)syscall(OWN_GETTIME, clock, ret);
	own_clock.now_ns += own_clock.look_ns;
	ret->tv_sec = (time_t)(own_clock.now_ns / 1000000000u);
	ret->tv_nsec = (long)(own_clock.now_ns % 1000000000u);
	return 0;
}

int clock_nanosleep(
    clockid_t clock, int flags, const struct timespec *until, struct timespec *ret_left)
{
	uint64_t ns;

	if (own_clock.now_ns == 0 || clock != CLOCK_MONOTONIC || flags != TIMER_ABSTIME)
		return syscall(OWN_NANOSLEEP, clock, flags, until, ret_left) == 0 ? 0 : errno;
	ns = (uint64_t)until->tv_sec * 1000000000u + (uint64_t)until->tv_nsec;
	own_clock.now_ns = ns > own_clock.now_ns ? ns : own_clock.now_ns;
	return 0;
}

#endif
