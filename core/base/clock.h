/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/clock.h - the clock and the futex, the two system services that a slot may use. Before
 * it sleeps for the next slot, a lane's thread also puts off its watchdog's timer, and before the
 * edge it yields its CPU to its lane-mates (core/slot/lane.c).
 */
#ifndef ALOE_BASE_CLOCK_H
#define ALOE_BASE_CLOCK_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* clock_ns reads CLOCK_MONOTONIC (vDSO, no system call where the machine has a usable counter). */
static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){
	    .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

/* clock_sleep_until sleeps to an absolute time of clock_ns. */
static inline void clock_sleep_until(uint64_t ns)
{
	const struct timespec at = clock_timespec(ns);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* futex_wait sleeps while *word == value, at most timeout_ns (0: until woken): 0, or -errno
 * (-ETIMEDOUT, -EAGAIN: another value). It works across processes, also on read-only mappings. */
static inline int futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	const struct timespec timeout = clock_timespec(timeout_ns);

	return syscall(SYS_futex, word, FUTEX_WAIT, value, timeout_ns != 0 ? &timeout : NULL, NULL,
	           0) == 0
	    ? 0
	    : -errno;
}

/* futex_wake returns how many slept, of at most n. */
static inline int futex_wake(_Atomic uint32_t *word, int n)
{
	return (int)syscall(SYS_futex, word, FUTEX_WAKE, n, NULL, NULL, 0);
}

/* The low half of a 64-bit word, for use as a futex word: it changes whenever the word does. */
static inline _Atomic uint32_t *futex_low(_Atomic uint64_t *word)
{
	return (_Atomic uint32_t *)(void *)word + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

#endif
