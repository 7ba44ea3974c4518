/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tests/common/engine.h - a random graph on the real engine (core/slot) in this process: program,
 * image, instances, segments; driven slot by slot by the test, or by a thread per segment.
 */
#ifndef TESTS_COMMON_ENGINE_H
#define TESTS_COMMON_ENGINE_H

#include "core/slot/segment.h"
#include "core/waveform/platform.h"
#include "tests/common/graph.h"

struct engine;

/* engine_new: NULL when the graph cannot be planned (a legal answer for some). `late` as in the
 * image. */
struct engine *engine_new(
    const struct test_graph *graph, uint64_t length, enum image_clock clock, enum image_late late);
/* engine_new_on is engine_new on a platform of several nodes. engine_ends: nobody but `node`, a
 * source, says when the waveform ends, at its last index below `length`; -1: a source of another
 * engine does. Before anything has run. */
struct engine *engine_new_on(const struct test_graph *graph, uint64_t length,
    enum image_clock clock, enum image_late late, const struct platform_model *platform);
void engine_ends(struct engine *engine, int node);
void engine_free(struct engine *engine);

/* engine_new_nodes: as engine_new with the step clock and slip, but lane l is on node l % 2, and
 * word from one node comes to the other `delay` slots later, for which engine_word is called at the
 * beginning of each slot. Nobody says how long it is to run: the source `ender` ends it at its last
 * index below `length`. */
struct engine *engine_new_nodes(
    const struct test_graph *graph, uint64_t length, uint32_t delay, int ender);
void engine_word(struct engine *engine);
/* engine_gate makes segment `number` wait for segment `other`, too, as struct image_gate says. */
void engine_gate(struct engine *engine, uint32_t number, uint32_t other, int32_t offset);

/* engine_length: the waveform's indices, `length` and those for which what was begun holds it. */
uint64_t engine_length(const struct engine *engine);
uint32_t engine_segments(const struct engine *engine);
struct segment *engine_segment(struct engine *engine, uint32_t number);
const struct image_view *engine_view(const struct engine *engine);
struct node_control *engine_control(struct engine *engine);

/* engine_slot runs segment `number` in slot `slot`, as its lane would: what segment_slot says. */
enum segment_status engine_slot(struct engine *engine, uint32_t number, uint64_t slot);
/* engine_run_free runs all segments to the end, each on a thread of its own, on the virtual
 * clock. */
void engine_run_free(struct engine *engine);

/* engine_remap gives every node the lane that `pins` names (-1: the plan's to choose), as exec and
 * a host would: all segments must have done the same number of steps (see engine_stands); the same
 * holds afterwards. 0, or -EINVAL where there is no such plan, -ENOBUFS; then nothing has changed.
 * `spoil`: leave one part of it out. */
enum engine_spoil { ENGINE_WHOLE, ENGINE_NO_MESSAGES, ENGINE_NO_REST };
int engine_remap(struct engine *engine, const int *pins, enum engine_spoil spoil);
bool engine_stands(const struct engine *engine);
/* calls for an index that a node had been called for already */
uint64_t engine_twice(const struct engine *engine);

/* What node's work put out at `port` for index; state ABSENT and *ret_called false if it was never
 * called for it. */
const struct graph_msg *engine_message(
    const struct engine *engine, int node, int port, uint64_t index, bool *ret_called);
/* The slot in which the node worked on the index (engine_slot only). */
uint64_t engine_when(const struct engine *engine, int node, uint64_t index);

#endif
