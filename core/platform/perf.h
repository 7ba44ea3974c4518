/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core/platform/perf.h - what the kernel records of one CPU while nobody reads it: who ran when,
 * and what interrupted it. platforms/posix implements this with one overwritable ring per CPU
 * (perf_event_open(2), `write_backward`), so the newest records are always there and the kernel
 * never waits for a reader. core/evidence reads the bytes.
 */
#ifndef ALOE_PLATFORM_PERF_H
#define ALOE_PLATFORM_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All records of one source carry its id. */
enum perf_source {
	PERF_SWITCHES,   /* context switches of all threads, and their names; needs no tracefs */
	PERF_FAULTS,     /* page faults */
	PERF_MIGRATIONS, /* threads that were moved to another CPU */
	PERF_IRQ,        /* from here on tracepoints: begin and end of a device's interrupt */
	PERF_IRQ_END,
	PERF_SOFTIRQ,
	PERF_SOFTIRQ_END,
	PERF_TIMER, /* the CPU's own timer */
	PERF_TIMER_END,
	PERF_RESCHEDULE, /* interrupts that another CPU sent */
	PERF_RESCHEDULE_END,
	PERF_CALL,
	PERF_CALL_END,
	PERF_CALL_ONE, /* with two CPUs each call is one of these */
	PERF_CALL_ONE_END,
	PERF_WAKE,      /* a thread with the priority of lanes was woken on this CPU */
	PERF_FREQUENCY, /* the clock of a CPU was changed */
	PERF_WORK,      /* a thread of the kernel does a piece of work; value: its function */
	PERF_WORK_END,
	PERF_NMI, /* a non-maskable interrupt has ended; value: how many ns it took */
	PERF_SOURCES
};

enum { PERF_RING_BYTES = 1 << 20 };

struct perf_ring {
	int fd[PERF_SOURCES];      /* -1: not here */
	uint64_t id[PERF_SOURCES]; /* valid where fd >= 0 */
	/* where a value of 8 bytes lies in the raw bytes of its records; 0: they have none */
	uint16_t field[PERF_SOURCES];
	int status[PERF_SOURCES]; /* 0, or the -errno for which it is not here */
	void *map;                /* NULL: nothing is here */
	int cpu;
};

/* What records nothing. */
#define PERF_RING_NONE                                                                             \
	{                                                                                          \
		.fd = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, \
		    -1},                                                                           \
		.cpu = -1                                                                          \
	}

/* platform_perf_open begins to record what happens on a CPU, as much of it as this process may see.
 * Returns 0 if at least the switches are recorded; else -errno, and the ring is as
 * PERF_RING_NONE but for `status`. */
int platform_perf_open(int cpu, struct perf_ring *ret);
void platform_perf_close(struct perf_ring *ring);

/* platform_perf_copy copies the newest `bytes` (at most PERF_RING_BYTES) of the ring to their
 * places in `to`, which is as large as the ring, and returns the position of the newest record
 * at the
 * copy's beginning and, in *ret_after, at its end (core/evidence/ring.h). */
uint64_t platform_perf_copy(
    const struct perf_ring *ring, void *to, size_t bytes, uint64_t *ret_after);

/* platform_perf_name: what a source is called in a sentence ("context switches"); constant. */
const char *platform_perf_name(enum perf_source source);
/* platform_perf_reason says why a source is not here, in words; constant. */
const char *platform_perf_reason(enum perf_source source, int status);

/* platform_perf_counters asks a CPU for its hardware counters and says why they are no evidence;
 * constant. */
const char *platform_perf_counters(int cpu);

/* platform_kernel_table reads the functions of the kernel, in the order of their addresses (0.1 s
 * and some MB; it is for a thread of its own), and returns how many; 0: the table has no addresses
 * for us. The caller frees them. platform_kernel_symbols tells whether it has, without reading
 * more of it. */
struct platform_symbol {
	uint64_t address;
	char name[40];
};
size_t platform_kernel_table(struct platform_symbol **ret);
bool platform_kernel_symbols(void);

/* platform_thread_name writes the name of a thread ("ksoftirqd/1"); "" if the thread is gone. */
void platform_thread_name(pid_t pid, pid_t tid, char *ret, size_t size);

#endif
