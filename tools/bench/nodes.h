/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/bench/nodes.h - nodes that a benchmark starts for itself, and commands to them.
 *
 * A node is `aloe up --foreground`, a child of the benchmark: it ends when the benchmark does.
 */
#ifndef TOOLS_BENCH_NODES_H
#define TOOLS_BENCH_NODES_H

#include "tools/bench/run.h"

struct bench_node {
	struct bench_run run;
	int web; /* port of its dashboard; 0: it has none */
	char dir[4096], state[4096];
};

/* node_up starts a node in folders of its own in that of the benchmark, named NAME, and waits until
 * it answers; `platform` is a platform file that has a node of that name, or NULL. `netns` is a
 * network namespace (`ip netns`) to start it in, or NULL. CLI_OK, BENCH_INTERRUPTED, or CLI_FAILED
 * after saying why. */
int node_up(struct bench *bench, const char *name, const char *platform, const char *netns,
    struct bench_node *ret);
/* node_up_web is node_up of a node without a platform, which serves its dashboard at this port. */
int node_up_web(struct bench *bench, const char *name, int port, struct bench_node *ret);
/* node_down ends it in good order, takes one that never was up. */
void node_down(struct bench *bench, struct bench_node *node);
/* node_do runs `aloe WORDS...` for the node and takes the words over: the exit status. What it
 * printed goes to *ret_output, the caller's to free, if wanted; what it said of an error is printed
 * where `quiet` is not set. */
int node_do(struct bench *bench, const struct bench_node *node, struct words *words, bool quiet,
    char **ret_output);
/* node_report is node_do of `aloe status WAVEFORM --json`; NULL: there is none. */
json_t *node_report(struct bench *bench, const struct bench_node *node, const char *waveform);
/* nodes_join waits until n nodes have joined the platform of this one: as node_up. */
int nodes_join(struct bench *bench, const struct bench_node *node, size_t n);
/* node_wait waits so many seconds, with `what` as progress: CLI_OK or BENCH_INTERRUPTED. */
int node_wait(struct bench *bench, double seconds, const char *what);

/* nodes_port finds n ports in a row that nobody of this machine has: the first; 0: none. */
int nodes_port(int n);

#endif
