/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/x310_judge.h - what `aloe bench x310` says of a row that has something beside it: of
 * what did not hold there is nothing that it could be held against.
 */
#ifndef TOOLS_BENCH_X310_JUDGE_H
#define TOOLS_BENCH_X310_JUDGE_H

#include <stdint.h>

#include "tools/bench/bench.h"

/* Stretches of ours and of the limit, in turn. */
struct x310_pairs {
	uint64_t both, ours, limit; /* held: of pairs both, and how often each of them */
	double difference_us;       /* by which ours is slower, where both held */
};

/* x310_pairs_judge: not reached where the limit has held more than twice as often as ours and they
 * never held side by side; not judged where they never did for another reason. */
enum bench_verdict x310_pairs_judge(const struct x310_pairs *pairs, double reach_us);

/* x310_rates_judge: at least the peer's rate, and held; not judged where the peer did not hold
 * its own. */
struct x310_rate {
	bool held;
	double hz;
};
enum bench_verdict x310_rates_judge(struct x310_rate ours, struct x310_rate peer);

#endif
