/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/bench/peers/peer.h - what the peers' programs in C and C++ have in common: their command
 * line, priority and CPUs, and percentiles. Nothing of ALOE is linked in.
 *
 * 	PROGRAM TOPOLOGY [KEY=NUMBER ...]
 *
 * Keys: `fifo` = 1 runs all threads under SCHED_FIFO; `wake` = 1 holds /dev/cpu_dma_latency at 0;
 * `cpus` how many CPUs the program may use, the first ones (0: all). What else there is, the
 * program's head says. The result is one JSON object on standard output, with "schema": 1.
 */
#ifndef TESTS_BENCH_PEERS_PEER_H
#define TESTS_BENCH_PEERS_PEER_H

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PEER_FIFO = 50 };

static inline uint64_t peer_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void peer_sleep_until(uint64_t at_ns)
{
	struct timespec at;

	at.tv_sec = (time_t)(at_ns / 1000000000u);
	at.tv_nsec = (long)(at_ns % 1000000000u);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

/* peer_number gives KEY of the command line, `otherwise` where it is not. Anything but a number
 * ends the program. */
static inline double peer_number(int argc, char **argv, const char *key, double otherwise)
{
	for (int i = 2; i < argc; i++) {
		const size_t len = strlen(key);
		char *end;
		double value;

		if (strncmp(argv[i], key, len) != 0 || argv[i][len] != '=')
			continue;
		value = strtod(argv[i] + len + 1, &end);
		if (end == argv[i] + len + 1 || *end != 0 || !isfinite(value) || value < 0) {
			fprintf(
			    stderr, "%s: %s: a number, 0 or more, is needed\n", argv[0], argv[i]);
			exit(2);
		}
		return value;
	}
	return otherwise;
}

/* peer_awake keeps idle CPUs from sleeping deeply, until the program ends. */
static inline bool peer_awake(void)
{
	const int32_t zero = 0;
	const int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, &zero, sizeof(zero)) == (ssize_t)sizeof(zero);
}

/* peer_begin takes priority and CPUs for this thread, and so for those that it will start: ends the
 * program if it may not. */
static inline void peer_begin(int argc, char **argv)
{
	const unsigned cpus = (unsigned)peer_number(argc, argv, "cpus", 0);
	struct sched_param param;
	cpu_set_t may, set;
	unsigned n = 0;

	memset(&param, 0, sizeof(param));
	param.sched_priority = PEER_FIFO;
	CPU_ZERO(&may);
	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(may), &may);
	for (int cpu = 0; cpu < CPU_SETSIZE && n < cpus; cpu++)
		if (CPU_ISSET((size_t)cpu, &may)) {
			CPU_SET((size_t)cpu, &set);
			n++;
		}
	if (peer_number(argc, argv, "wake", 0) > 0 && !peer_awake()) {
		fprintf(stderr, "%s: /dev/cpu_dma_latency: %s\n", argv[0], strerror(errno));
		exit(1);
	}
	if ((n > 0 && sched_setaffinity(0, sizeof(set), &set) != 0) ||
	    (peer_number(argc, argv, "fifo", 0) > 0 &&
	        sched_setscheduler(0, SCHED_FIFO, &param) != 0)) {
		fprintf(
		    stderr, "%s: priority or CPUs are not given: %s\n", argv[0], strerror(errno));
		exit(1);
	}
}

static inline int peer_compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* peer_quantile sorts n values and gives one of them, in the same unit; NAN of none. */
static inline double peer_quantile(double *values, size_t n, double q)
{
	if (n == 0)
		return NAN;
	qsort(values, n, sizeof(*values), peer_compare);
	return values[(size_t)(q * (double)(n - 1) + 0.5)];
}

/* peer_spread prints the JSON of n times in us. */
static inline void peer_spread(FILE *out, const char *key, double *us, size_t n)
{
	fprintf(out, "\"%s\": {\"count\": %zu, \"p50\": %.3f, \"p99\": %.3f, \"max\": %.3f}", key,
	    n, peer_quantile(us, n, 0.5), peer_quantile(us, n, 0.99), peer_quantile(us, n, 1));
}

#endif
