/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/bler.h - the judgements of `aloe bench bler`, for its tests. */
#ifndef TOOLS_BENCH_BLER_H
#define TOOLS_BENCH_BLER_H

#include <stdint.h>

/* bler_batch gives how many blocks to run next at a point that has counted so many; 0: enough. */
uint64_t bler_batch(uint64_t blocks, uint64_t errors, uint64_t errors_wanted, uint64_t blocks_max);

/* bler_verdict says in words what it means that a curve is so much worse than its reference; low
 * and high are the bounds of the difference. NAN: not known. */
const char *bler_verdict(double difference_db, double low_db, double high_db);

#endif
