/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/interpreter.h - what a graph means, computed in the plainest way: no slots, lanes,
 * lags or rings.
 *
 * One loop over the indices; in each, every node after its writers of the same index (recursion).
 * All messages are kept. Sources make `length` of them; every other node goes on for as long as
 * something can be on its way to it.
 */
#ifndef TESTS_COMMON_INTERPRETER_H
#define TESTS_COMMON_INTERPRETER_H

#include "tests/common/graph.h"

struct interpreter;

/* interpreter_new computes indices 0 .. length - 1 of the sources, and what follows from them. The
 * graph must have no cycle without declared delay (NULL then, as without memory) and must outlive
 * the call only. */
struct interpreter *interpreter_new(const struct test_graph *graph, uint64_t length);
void interpreter_free(struct interpreter *interpreter);

/* interpreter_length: the node works on indices 0 .. that - 1. */
uint64_t interpreter_length(const struct interpreter *interpreter, int node);

/* interpreter_message gives what output `port` of `node` must hold at `index`. */
const struct graph_msg *interpreter_message(
    const struct interpreter *interpreter, int node, int port, uint64_t index);

#endif
