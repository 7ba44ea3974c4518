/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/base/tai.h - CLOCK_TAI, by which the nodes of a platform count slots, and how a process
 * hears that the clock was set.
 *
 * The rate of CLOCK_TAI is that of CLOCK_MONOTONIC: what steers the one steers the other. So the
 * difference of the two, the epoch, changes only when somebody sets the time of day, and when the
 * machine wakes up from suspend: then the watch becomes readable. It also changes with the offset
 * between UTC and TAI, of which the watch says nothing.
 *
 * A test that has other clocks defines these four functions itself; the linker then leaves tai.c
 * out.
 */
#ifndef ALOE_BASE_TAI_H
#define ALOE_BASE_TAI_H

#include <stdbool.h>
#include <stdint.h>

uint64_t tai_ns(void);

/* tai_epoch_ns returns what has to be added to clock_ns to get tai_ns (modulo 2^64): of several
 * pairs of readings the one that was read in the shortest time. */
uint64_t tai_epoch_ns(void);

/* tai_watch_open returns a descriptor that becomes readable when the clock is set, or -errno.
 * tai_watch_take tells whether the clock was set since the last call; afterwards the descriptor is
 * not readable until the clock is set again. */
int tai_watch_open(void);
bool tai_watch_take(int fd);

#endif
