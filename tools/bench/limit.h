/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/limit.h - the largest number that a machine holds, found with as few long runs as it
 * takes.
 *
 * Short runs find about where it is, doubling and halving; from there whole runs go down in growing
 * steps until one holds, then halve what is between.
 */
#ifndef TOOLS_BENCH_LIMIT_H
#define TOOLS_BENCH_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct limit {
	uint64_t max;
	double tolerance; /* of the number found; one is close enough */
	uint64_t known;   /* that this holds in a whole run; 0: nothing is known */
	/* Whether n is held, in a short run or a whole one: 0, or the exit status that ends the
	 * search. The same question may come twice. */
	int (*holds)(void *self, uint64_t n, bool whole, bool *ret_holds);
	void *self;
};

/* limit_find gives the largest of 1..max that holds in a whole run, 0 if none does: 0, or the exit
 * status. */
int limit_find(const struct limit *limit, uint64_t *ret);

#endif
