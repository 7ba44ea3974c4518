/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/topology.h - pipes x stages as a waveform: one source feeds pipes of stages, each
 * with a sink.
 *
 * 	source -> [head ->] +-> p0_0 -> p0_1 -> ... -> k0
 * 	                    +-> p1_0 -> p1_1 -> ... -> k1
 *
 * With a source for each lane, source and head have the lane's number behind their names.
 * On several lanes the pipes are shared out evenly, and the first lane, which has the source, gets
 * fewer where it does not go evenly. A message goes through all stages of a pipe before the next
 * pipe is run, so that it stays in the core's cache.
 */
#ifndef TOOLS_BENCH_TOPOLOGY_H
#define TOOLS_BENCH_TOPOLOGY_H

#include "tools/bench/bench.h"

struct topology {
	const char *name;
	const char *source, *head, *stage, *sink; /* what stands in their braces; head NULL: none */
	unsigned pipes, stages, lanes;
	bool sources; /* a source, and a head, for each lane; not one for all */
};

/* topology_lane: the lane of a pipe. */
unsigned topology_lane(const struct topology *topology, unsigned pipe);

/* topology_write writes it as a waveform: 0, or CLI_FAILED after saying why not. */
int topology_write(
    const struct bench *bench, const struct topology *topology, char *ret_path, size_t size);

/* topology_sinks calls `sound` with the variables of every sink in a report: CLI_OK, or CLI_FAILED
 * after saying which is not. */
int topology_sinks(const struct bench *bench, const struct topology *topology, const json_t *report,
    bool (*sound)(const json_t *variables, const void *wanted), const void *wanted);

#endif
