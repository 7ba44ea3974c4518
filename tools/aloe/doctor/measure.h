/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/aloe/doctor/measure.h - what the CPUs of lanes do to a loop that wants nothing but their
 * time.
 *
 *   polling:  reads the clock, and again: as a lane that never sleeps does (a radio's)
 *   timer:    sleeps until 100 us before each edge, reads the clock to the edge and for half a slot
 *             more: as the lanes of the timer clock do. Its edges are 1.009 ms apart, so that they
 *             drift past the kernel's own ticks
 *
 * Two readings more than 1 us apart are a gap: the CPU did something else, or stood still. A slot
 * of length T, of which half is work, is missed where it is without the CPU for more than T / 2. A
 * gap g > T / 2 begins anywhere, so it costs g / T slots in the mean; hence the share of slots
 * missed is the share of the time that lies in gaps longer than T / 2. On the timer the share of
 * wake-ups that come more than T / 2 after their edge is added. CPUs are held out of deep sleep
 * meanwhile, as aloe-exec does.
 */
#ifndef TOOLS_ALOE_DOCTOR_MEASURE_H
#define TOOLS_ALOE_DOCTOR_MEASURE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hist.h"

enum measure_kind { MEASURE_TIMER, MEASURE_POLLING, MEASURE_KINDS };

struct measure_loop {
	int error;           /* 0, or -errno: not measured */
	bool fifo;           /* had real-time priority */
	bool nice;           /* had nice -20 */
	const char *why_not; /* of a polling loop: why the kernel would stop it; NULL */
	uint64_t watched_ns; /* reading the clock, edges passed */
	uint64_t reading_ns; /* what one reading of the clock took, at the least */
	struct hist gaps;    /* longer than 1 us */
	struct hist woken;   /* timer: how much later than asked for the sleep ended */
	struct hist late;    /* timer: the first reading after each edge */
};

struct measured { /* one CPU */
	int cpu;
	int error; /* 0; -EADDRINUSE: a lane runs there now, and is left alone */
	struct measure_loop loops[MEASURE_KINDS];
};

/* measure runs both loops on all these CPUs at once, each for half of the time; says on standard
 * error how far it is, after two seconds. The caller frees *ret. 0, -ENOMEM; -ECHILD if the process
 * that it is done in was ended; -EINTR as soon as stop_fd (-1: none) can be read. */
int measure(
    const cpu_set_t *cpus, double seconds, int stop_fd, struct measured **ret, size_t *ret_n);

/* measure_missed gives the share of slots of this length that are missed, 0 to 1; measure_slots how
 * many such slots that is told from. */
double measure_missed(const struct measure_loop *loop, uint64_t slot_ns);
double measure_slots(const struct measure_loop *loop, uint64_t slot_ns);

/* The slot lengths to tell of, in ascending order, in us. */
extern const unsigned measure_slots_us[];
extern const size_t n_measure_slots;

#endif
