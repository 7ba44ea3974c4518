/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/copying.h - the limit of `aloe bench pipes`: a bare loop that fills and copies the
 * same bytes between the same buffers, on the same cores, and does nothing else.
 *
 * 	fill a, copy a -> head, and for each pipe: head -> b -> a -> b ...
 *
 * Each lane is a thread with its own a and b. Where one source serves all lanes, head is a ring of
 * two messages in the first lane's hands: the others wait for a number, and it waits for theirs.
 */
#ifndef TOOLS_BENCH_COPYING_H
#define TOOLS_BENCH_COPYING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/kernels/move.h"

enum { COPYING_LANES_MAX = 64 };

struct copying {
	unsigned pipes, stages, lanes;
	bool sources;    /* one for each lane, not one for all */
	bool fifo;       /* threads under SCHED_FIFO, at RUN_FIFO as those of ours */
	const int *cpus; /* of the lanes */
	size_t bytes;    /* of a message */
	const struct move_kernels *kernels; /* by which the components copy, too */
	uint64_t messages;
	unsigned (*lane_of)(const struct copying *copying, unsigned pipe);
};

/* copying_run: seconds from the word to go to the end of the last lane; NAN if there is no memory
 * or no thread, or a lane cannot have its core or its priority. */
double copying_run(const struct copying *copying);

#endif
