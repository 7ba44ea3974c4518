/* SPDX-License-Identifier: BSD-3-Clause
 *
 * layout.c - where everything lies in shared memory. A daemon that comes back after an update finds
 * what the one before it has left, and a tool of another build maps it: what moves here needs
 * another IMAGE_VERSION. Written by core/image/layout.sh. */
#include <assert.h>
#include <stddef.h>

#include "core/image/margin.h"
#include "core/image/node.h"
#include "core/image/program.h"
#include "core/image/radio.h"
#include "core/image/state.h"

static_assert(sizeof(struct image_table) == 16, "image_table");
static_assert(offsetof(struct image_table, offset) == 0, "image_table.offset");
static_assert(offsetof(struct image_table, count) == 8, "image_table.count");

static_assert(sizeof(struct image_head) == 400, "image_head");
static_assert(offsetof(struct image_head, magic) == 0, "image_head.magic");
static_assert(offsetof(struct image_head, version) == 8, "image_head.version");
static_assert(offsetof(struct image_head, late) == 12, "image_head.late");
static_assert(offsetof(struct image_head, static_bytes) == 16, "image_head.static_bytes");
static_assert(offsetof(struct image_head, total_bytes) == 24, "image_head.total_bytes");
static_assert(offsetof(struct image_head, clock) == 32, "image_head.clock");
static_assert(offsetof(struct image_head, n_hosts) == 36, "image_head.n_hosts");
static_assert(offsetof(struct image_head, latency_slots) == 40, "image_head.latency_slots");
static_assert(offsetof(struct image_head, radio_fast) == 44, "image_head.radio_fast");
static_assert(offsetof(struct image_head, slot_ns) == 48, "image_head.slot_ns");
static_assert(offsetof(struct image_head, slot_samples) == 56, "image_head.slot_samples");
static_assert(offsetof(struct image_head, radio_file) == 60, "image_head.radio_file");
static_assert(offsetof(struct image_head, radio_text) == 64, "image_head.radio_text");
static_assert(offsetof(struct image_head, radio_cwd) == 68, "image_head.radio_cwd");
static_assert(offsetof(struct image_head, rate_hz) == 72, "image_head.rate_hz");
static_assert(offsetof(struct image_head, slots) == 80, "image_head.slots");
static_assert(offsetof(struct image_head, name) == 88, "image_head.name");
static_assert(offsetof(struct image_head, isolation) == 92, "image_head.isolation");
static_assert(offsetof(struct image_head, overrun) == 96, "image_head.overrun");
static_assert(offsetof(struct image_head, copies) == 100, "image_head.copies");
static_assert(offsetof(struct image_head, nodes) == 104, "image_head.nodes");
static_assert(offsetof(struct image_head, lanes) == 120, "image_head.lanes");
static_assert(offsetof(struct image_head, hosts) == 136, "image_head.hosts");
static_assert(offsetof(struct image_head, segments) == 152, "image_head.segments");
static_assert(offsetof(struct image_head, order) == 168, "image_head.order");
static_assert(offsetof(struct image_head, gates) == 184, "image_head.gates");
static_assert(offsetof(struct image_head, instances) == 200, "image_head.instances");
static_assert(offsetof(struct image_head, inputs) == 216, "image_head.inputs");
static_assert(offsetof(struct image_head, outputs) == 232, "image_head.outputs");
static_assert(offsetof(struct image_head, buffers) == 248, "image_head.buffers");
static_assert(offsetof(struct image_head, params) == 264, "image_head.params");
static_assert(offsetof(struct image_head, vars) == 280, "image_head.vars");
static_assert(offsetof(struct image_head, reals) == 296, "image_head.reals");
static_assert(offsetof(struct image_head, radios) == 312, "image_head.radios");
static_assert(offsetof(struct image_head, holds) == 328, "image_head.holds");
static_assert(offsetof(struct image_head, text) == 344, "image_head.text");
static_assert(offsetof(struct image_head, run) == 360, "image_head.run");
static_assert(offsetof(struct image_head, load_id) == 368, "image_head.load_id");
static_assert(offsetof(struct image_head, on_node_loss) == 376, "image_head.on_node_loss");
static_assert(offsetof(struct image_head, lease_ms) == 380, "image_head.lease_ms");
static_assert(offsetof(struct image_head, record) == 384, "image_head.record");
static_assert(offsetof(struct image_head, replay) == 388, "image_head.replay");
static_assert(offsetof(struct image_head, round_robin) == 392, "image_head.round_robin");
static_assert(offsetof(struct image_head, reserved) == 396, "image_head.reserved");

static_assert(sizeof(struct image_node) == 8, "image_node");
static_assert(offsetof(struct image_node, name) == 0, "image_node.name");
static_assert(offsetof(struct image_node, reserved) == 4, "image_node.reserved");

static_assert(sizeof(struct image_lane) == 32, "image_lane");
static_assert(offsetof(struct image_lane, cpu) == 0, "image_lane.cpu");
static_assert(offsetof(struct image_lane, last) == 4, "image_lane.last");
static_assert(offsetof(struct image_lane, state) == 8, "image_lane.state");
static_assert(offsetof(struct image_lane, typical_ns) == 16, "image_lane.typical_ns");
static_assert(offsetof(struct image_lane, node) == 24, "image_lane.node");
static_assert(offsetof(struct image_lane, reserved) == 28, "image_lane.reserved");

static_assert(sizeof(struct image_host) == 32, "image_host");
static_assert(offsetof(struct image_host, offset) == 0, "image_host.offset");
static_assert(offsetof(struct image_host, bytes) == 8, "image_host.bytes");
static_assert(offsetof(struct image_host, links) == 16, "image_host.links");
static_assert(offsetof(struct image_host, node) == 24, "image_host.node");
static_assert(offsetof(struct image_host, shared) == 28, "image_host.shared");

static_assert(sizeof(struct image_gate) == 8, "image_gate");
static_assert(offsetof(struct image_gate, segment) == 0, "image_gate.segment");
static_assert(offsetof(struct image_gate, offset) == 4, "image_gate.offset");

static_assert(sizeof(struct image_segment) == 64, "image_segment");
static_assert(offsetof(struct image_segment, lane) == 0, "image_segment.lane");
static_assert(offsetof(struct image_segment, host) == 4, "image_segment.host");
static_assert(offsetof(struct image_segment, order) == 8, "image_segment.order");
static_assert(offsetof(struct image_segment, n_instances) == 12, "image_segment.n_instances");
static_assert(offsetof(struct image_segment, gates) == 16, "image_segment.gates");
static_assert(offsetof(struct image_segment, n_gates) == 20, "image_segment.n_gates");
static_assert(offsetof(struct image_segment, lag_max) == 24, "image_segment.lag_max");
static_assert(offsetof(struct image_segment, n_events) == 28, "image_segment.n_events");
static_assert(offsetof(struct image_segment, end) == 32, "image_segment.end");
static_assert(offsetof(struct image_segment, stride) == 36, "image_segment.stride");
static_assert(offsetof(struct image_segment, turn) == 40, "image_segment.turn");
static_assert(offsetof(struct image_segment, reserved) == 44, "image_segment.reserved");
static_assert(offsetof(struct image_segment, state) == 48, "image_segment.state");
static_assert(offsetof(struct image_segment, events) == 56, "image_segment.events");

static_assert(sizeof(struct image_instance) == 168, "image_instance");
static_assert(offsetof(struct image_instance, name) == 0, "image_instance.name");
static_assert(offsetof(struct image_instance, component) == 4, "image_instance.component");
static_assert(offsetof(struct image_instance, path) == 8, "image_instance.path");
static_assert(offsetof(struct image_instance, file_line) == 12, "image_instance.file_line");
static_assert(offsetof(struct image_instance, original) == 16, "image_instance.original");
static_assert(offsetof(struct image_instance, admitted_ns) == 20, "image_instance.admitted_ns");
static_assert(offsetof(struct image_instance, digest) == 24, "image_instance.digest");
static_assert(offsetof(struct image_instance, segment) == 32, "image_instance.segment");
static_assert(offsetof(struct image_instance, lag) == 36, "image_instance.lag");
static_assert(offsetof(struct image_instance, period) == 40, "image_instance.period");
static_assert(offsetof(struct image_instance, phase) == 44, "image_instance.phase");
static_assert(offsetof(struct image_instance, budget_ns) == 48, "image_instance.budget_ns");
static_assert(offsetof(struct image_instance, inputs) == 56, "image_instance.inputs");
static_assert(offsetof(struct image_instance, n_inputs) == 60, "image_instance.n_inputs");
static_assert(offsetof(struct image_instance, outputs) == 64, "image_instance.outputs");
static_assert(offsetof(struct image_instance, n_outputs) == 68, "image_instance.n_outputs");
static_assert(offsetof(struct image_instance, params) == 72, "image_instance.params");
static_assert(offsetof(struct image_instance, n_params) == 76, "image_instance.n_params");
static_assert(offsetof(struct image_instance, vars) == 80, "image_instance.vars");
static_assert(offsetof(struct image_instance, n_vars) == 84, "image_instance.n_vars");
static_assert(offsetof(struct image_instance, kmac) == 88, "image_instance.kmac");
static_assert(offsetof(struct image_instance, io) == 92, "image_instance.io");
static_assert(offsetof(struct image_instance, run_on) == 96, "image_instance.run_on");
static_assert(offsetof(struct image_instance, build) == 100, "image_instance.build");
static_assert(offsetof(struct image_instance, source) == 104, "image_instance.source");
static_assert(offsetof(struct image_instance, sink) == 108, "image_instance.sink");
static_assert(offsetof(struct image_instance, places) == 112, "image_instance.places");
static_assert(offsetof(struct image_instance, place) == 116, "image_instance.place");
static_assert(offsetof(struct image_instance, named) == 120, "image_instance.named");
static_assert(offsetof(struct image_instance, rest) == 124, "image_instance.rest");
static_assert(offsetof(struct image_instance, state) == 128, "image_instance.state");
static_assert(offsetof(struct image_instance, time) == 136, "image_instance.time");
static_assert(offsetof(struct image_instance, latency) == 144, "image_instance.latency");
static_assert(offsetof(struct image_instance, upgrade) == 152, "image_instance.upgrade");
static_assert(offsetof(struct image_instance, given) == 156, "image_instance.given");
static_assert(offsetof(struct image_instance, side) == 160, "image_instance.side");
static_assert(offsetof(struct image_instance, reserved) == 164, "image_instance.reserved");

static_assert(sizeof(struct image_hold) == 16, "image_hold");
static_assert(offsetof(struct image_hold, period) == 0, "image_hold.period");
static_assert(offsetof(struct image_hold, phase) == 4, "image_hold.phase");
static_assert(offsetof(struct image_hold, holds) == 8, "image_hold.holds");
static_assert(offsetof(struct image_hold, reserved) == 12, "image_hold.reserved");

static_assert(sizeof(struct image_input) == 24, "image_input");
static_assert(offsetof(struct image_input, name) == 0, "image_input.name");
static_assert(offsetof(struct image_input, buffer) == 4, "image_input.buffer");
static_assert(offsetof(struct image_input, type) == 8, "image_input.type");
static_assert(offsetof(struct image_input, max) == 12, "image_input.max");
static_assert(offsetof(struct image_input, delay) == 16, "image_input.delay");
static_assert(offsetof(struct image_input, crosses) == 20, "image_input.crosses");

static_assert(sizeof(struct image_output) == 16, "image_output");
static_assert(offsetof(struct image_output, name) == 0, "image_output.name");
static_assert(offsetof(struct image_output, buffer) == 4, "image_output.buffer");
static_assert(offsetof(struct image_output, type) == 8, "image_output.type");
static_assert(offsetof(struct image_output, max) == 12, "image_output.max");

static_assert(sizeof(struct image_buffer) == 64, "image_buffer");
static_assert(offsetof(struct image_buffer, instance) == 0, "image_buffer.instance");
static_assert(offsetof(struct image_buffer, port) == 4, "image_buffer.port");
static_assert(offsetof(struct image_buffer, type) == 8, "image_buffer.type");
static_assert(offsetof(struct image_buffer, max) == 12, "image_buffer.max");
static_assert(offsetof(struct image_buffer, depth) == 16, "image_buffer.depth");
static_assert(offsetof(struct image_buffer, shares) == 20, "image_buffer.shares");
static_assert(offsetof(struct image_buffer, tap) == 24, "image_buffer.tap");
static_assert(offsetof(struct image_buffer, reserved) == 28, "image_buffer.reserved");
static_assert(offsetof(struct image_buffer, stride) == 32, "image_buffer.stride");
static_assert(offsetof(struct image_buffer, canary) == 40, "image_buffer.canary");
static_assert(offsetof(struct image_buffer, messages) == 48, "image_buffer.messages");
static_assert(offsetof(struct image_buffer, data) == 56, "image_buffer.data");

static_assert(sizeof(struct image_param) == 88, "image_param");
static_assert(offsetof(struct image_param, name) == 0, "image_param.name");
static_assert(offsetof(struct image_param, kind) == 4, "image_param.kind");
static_assert(offsetof(struct image_param, flags) == 8, "image_param.flags");
static_assert(offsetof(struct image_param, n_reals) == 12, "image_param.n_reals");
static_assert(offsetof(struct image_param, number) == 16, "image_param.number");
static_assert(offsetof(struct image_param, min) == 24, "image_param.min");
static_assert(offsetof(struct image_param, max) == 32, "image_param.max");
static_assert(offsetof(struct image_param, names) == 40, "image_param.names");
static_assert(offsetof(struct image_param, n_names) == 44, "image_param.n_names");
static_assert(offsetof(struct image_param, text) == 48, "image_param.text");
static_assert(offsetof(struct image_param, reals) == 56, "image_param.reals");
static_assert(offsetof(struct image_param, items_max) == 64, "image_param.items_max");
static_assert(offsetof(struct image_param, unit) == 68, "image_param.unit");
static_assert(offsetof(struct image_param, array) == 72, "image_param.array");
static_assert(offsetof(struct image_param, mode) == 80, "image_param.mode");

static_assert(sizeof(struct image_var) == 16, "image_var");
static_assert(offsetof(struct image_var, name) == 0, "image_var.name");
static_assert(offsetof(struct image_var, real) == 4, "image_var.real");
static_assert(offsetof(struct image_var, offset) == 8, "image_var.offset");
static_assert(offsetof(struct image_var, reserved) == 12, "image_var.reserved");

static_assert(sizeof(struct image_margin) == 20800, "image_margin");
static_assert(offsetof(struct image_margin, left) == 0, "image_margin.left");
static_assert(offsetof(struct image_margin, over) == 10400, "image_margin.over");

static_assert(sizeof(struct image_message) == 16, "image_message");
static_assert(offsetof(struct image_message, stamp) == 0, "image_message.stamp");
static_assert(offsetof(struct image_message, len) == 8, "image_message.len");
static_assert(offsetof(struct image_message, state) == 12, "image_message.state");

static_assert(sizeof(struct image_miss) == 96, "image_miss");
static_assert(offsetof(struct image_miss, slot) == 0, "image_miss.slot");
static_assert(offsetof(struct image_miss, step) == 8, "image_miss.step");
static_assert(offsetof(struct image_miss, at_ns) == 16, "image_miss.at_ns");
static_assert(offsetof(struct image_miss, late_ns) == 24, "image_miss.late_ns");
static_assert(offsetof(struct image_miss, start_late_ns) == 32, "image_miss.start_late_ns");
static_assert(offsetof(struct image_miss, longest_ns) == 40, "image_miss.longest_ns");
static_assert(offsetof(struct image_miss, from_ns) == 48, "image_miss.from_ns");
static_assert(offsetof(struct image_miss, cpu_ns) == 56, "image_miss.cpu_ns");
static_assert(offsetof(struct image_miss, faults) == 64, "image_miss.faults");
static_assert(offsetof(struct image_miss, switches) == 68, "image_miss.switches");
static_assert(offsetof(struct image_miss, count) == 72, "image_miss.count");
static_assert(offsetof(struct image_miss, tid) == 76, "image_miss.tid");
static_assert(offsetof(struct image_miss, cpu) == 80, "image_miss.cpu");
static_assert(offsetof(struct image_miss, kind) == 84, "image_miss.kind");
static_assert(offsetof(struct image_miss, instance) == 88, "image_miss.instance");
static_assert(offsetof(struct image_miss, follows) == 92, "image_miss.follows");

static_assert(sizeof(struct image_array) == 64, "image_array");
static_assert(offsetof(struct image_array, edits) == 0, "image_array.edits");
static_assert(offsetof(struct image_array, sequence) == 8, "image_array.sequence");
static_assert(offsetof(struct image_array, len) == 16, "image_array.len");
static_assert(offsetof(struct image_array, items) == 20, "image_array.items");

static_assert(sizeof(struct image_taken) == 16, "image_taken");
static_assert(offsetof(struct image_taken, sequence) == 0, "image_taken.sequence");
static_assert(offsetof(struct image_taken, index) == 8, "image_taken.index");

static_assert(sizeof(struct image_run) == 34904, "image_run");
static_assert(offsetof(struct image_run, last) == 0, "image_run.last");
static_assert(offsetof(struct image_run, fault) == 8, "image_run.fault");
static_assert(offsetof(struct image_run, code) == 12, "image_run.code");
static_assert(offsetof(struct image_run, index) == 16, "image_run.index");
static_assert(offsetof(struct image_run, spoiled) == 24, "image_run.spoiled");
static_assert(offsetof(struct image_run, spare) == 28, "image_run.spare");
static_assert(offsetof(struct image_run, why) == 32, "image_run.why");
static_assert(offsetof(struct image_run, remaps) == 272, "image_run.remaps");
static_assert(offsetof(struct image_run, slots) == 280, "image_run.slots");
static_assert(offsetof(struct image_run, slipped) == 288, "image_run.slipped");
static_assert(offsetof(struct image_run, skipped) == 296, "image_run.skipped");
static_assert(offsetof(struct image_run, missed) == 304, "image_run.missed");
static_assert(offsetof(struct image_run, radio) == 312, "image_run.radio");

static_assert(sizeof(struct image_segment_state) == 38400, "image_segment_state");
static_assert(offsetof(struct image_segment_state, done) == 0, "image_segment_state.done");
static_assert(offsetof(struct image_segment_state, waiters) == 8, "image_segment_state.waiters");
static_assert(offsetof(struct image_segment_state, ended) == 12, "image_segment_state.ended");
static_assert(offsetof(struct image_segment_state, current) == 64, "image_segment_state.current");
static_assert(offsetof(struct image_segment_state, slots) == 72, "image_segment_state.slots");
static_assert(offsetof(struct image_segment_state, busy_ns) == 80, "image_segment_state.busy_ns");
static_assert(offsetof(struct image_segment_state, until_ns) == 88, "image_segment_state.until_ns");
static_assert(offsetof(struct image_segment_state, events) == 96, "image_segment_state.events");
static_assert(offsetof(struct image_segment_state, changes) == 104, "image_segment_state.changes");
static_assert(offsetof(struct image_segment_state, applied) == 112, "image_segment_state.applied");
static_assert(offsetof(struct image_segment_state, misses) == 120, "image_segment_state.misses");
static_assert(offsetof(struct image_segment_state, slipped) == 128, "image_segment_state.slipped");
static_assert(offsetof(struct image_segment_state, skipped) == 136, "image_segment_state.skipped");
static_assert(offsetof(struct image_segment_state, missed) == 144, "image_segment_state.missed");
static_assert(
    offsetof(struct image_segment_state, caught_up) == 152, "image_segment_state.caught_up");
static_assert(
    offsetof(struct image_segment_state, start_ns) == 160, "image_segment_state.start_ns");
static_assert(offsetof(struct image_segment_state, slot) == 2208, "image_segment_state.slot");
static_assert(offsetof(struct image_segment_state, miss) == 4256, "image_segment_state.miss");
static_assert(offsetof(struct image_segment_state, taken) == 16544, "image_segment_state.taken");
static_assert(offsetof(struct image_segment_state, late) == 17568, "image_segment_state.late");
static_assert(
    offsetof(struct image_segment_state, overhead) == 27968, "image_segment_state.overhead");

static_assert(sizeof(struct image_lane_state) == 31744, "image_lane_state");
static_assert(offsetof(struct image_lane_state, ns) == 0, "image_lane_state.ns");
static_assert(offsetof(struct image_lane_state, load) == 512, "image_lane_state.load");
static_assert(offsetof(struct image_lane_state, margin) == 10912, "image_lane_state.margin");

static_assert(sizeof(struct image_latency) == 10496, "image_latency");
static_assert(offsetof(struct image_latency, slots_min) == 0, "image_latency.slots_min");
static_assert(offsetof(struct image_latency, slots_max) == 64, "image_latency.slots_max");
static_assert(offsetof(struct image_latency, ns) == 72, "image_latency.ns");

static_assert(sizeof(struct image_instance_state) == 11136, "image_instance_state");
static_assert(offsetof(struct image_instance_state, vars) == 0, "image_instance_state.vars");
static_assert(
    offsetof(struct image_instance_state, time_cells) == 128, "image_instance_state.time_cells");
static_assert(
    offsetof(struct image_instance_state, untimed) == 10496, "image_instance_state.untimed");
static_assert(offsetof(struct image_instance_state, idle) == 10504, "image_instance_state.idle");
static_assert(
    offsetof(struct image_instance_state, absent) == 10512, "image_instance_state.absent");
static_assert(offsetof(struct image_instance_state, late) == 10520, "image_instance_state.late");
static_assert(offsetof(struct image_instance_state, overwritten) == 10528,
    "image_instance_state.overwritten");
static_assert(
    offsetof(struct image_instance_state, overruns) == 10536, "image_instance_state.overruns");
static_assert(
    offsetof(struct image_instance_state, io_waits) == 10544, "image_instance_state.io_waits");
static_assert(
    offsetof(struct image_instance_state, io_lost) == 10552, "image_instance_state.io_lost");
static_assert(
    offsetof(struct image_instance_state, concealed) == 10560, "image_instance_state.concealed");
static_assert(
    offsetof(struct image_instance_state, params) == 10568, "image_instance_state.params");
static_assert(
    offsetof(struct image_instance_state, port_ns) == 10824, "image_instance_state.port_ns");
static_assert(
    offsetof(struct image_instance_state, port_count) == 11080, "image_instance_state.port_count");
static_assert(offsetof(struct image_instance_state, first) == 11088, "image_instance_state.first");
static_assert(
    offsetof(struct image_instance_state, upgraded) == 11096, "image_instance_state.upgraded");

static_assert(sizeof(struct image_event) == 24, "image_event");
static_assert(offsetof(struct image_event, start_ns) == 0, "image_event.start_ns");
static_assert(offsetof(struct image_event, step) == 8, "image_event.step");
static_assert(offsetof(struct image_event, ns) == 16, "image_event.ns");
static_assert(offsetof(struct image_event, instance) == 20, "image_event.instance");

static_assert(sizeof(struct image_radio) == 8, "image_radio");
static_assert(offsetof(struct image_radio, claim) == 0, "image_radio.claim");
static_assert(offsetof(struct image_radio, n_channels) == 4, "image_radio.n_channels");

static_assert(sizeof(struct image_radio_late) == 16, "image_radio_late");
static_assert(offsetof(struct image_radio_late, slot) == 0, "image_radio_late.slot");
static_assert(offsetof(struct image_radio_late, late_ns) == 8, "image_radio_late.late_ns");

static_assert(sizeof(struct image_radio_state) == 34592, "image_radio_state");
static_assert(offsetof(struct image_radio_state, channel) == 0, "image_radio_state.channel");
static_assert(
    offsetof(struct image_radio_state, n_channels) == 416, "image_radio_state.n_channels");
static_assert(offsetof(struct image_radio_state, caught_up) == 424, "image_radio_state.caught_up");
static_assert(
    offsetof(struct image_radio_state, flywheeled) == 432, "image_radio_state.flywheeled");
static_assert(offsetof(struct image_radio_state, partial) == 440, "image_radio_state.partial");
static_assert(offsetof(struct image_radio_state, trouble) == 448, "image_radio_state.trouble");
static_assert(offsetof(struct image_radio_state, late) == 480, "image_radio_state.late");
static_assert(offsetof(struct image_radio_state, margin) == 1504, "image_radio_state.margin");
static_assert(offsetof(struct image_radio_state, troubles) == 22304, "image_radio_state.troubles");

static_assert(sizeof(struct node_timebase) == 40, "node_timebase");
static_assert(offsetof(struct node_timebase, used) == 0, "node_timebase.used");
static_assert(offsetof(struct node_timebase, pace) == 4, "node_timebase.pace");
static_assert(offsetof(struct node_timebase, slot_ns) == 8, "node_timebase.slot_ns");
static_assert(offsetof(struct node_timebase, start_ns) == 16, "node_timebase.start_ns");
static_assert(offsetof(struct node_timebase, slack_ns) == 24, "node_timebase.slack_ns");
static_assert(offsetof(struct node_timebase, allowed) == 32, "node_timebase.allowed");

static_assert(sizeof(struct node_entry) == 20, "node_entry");
static_assert(offsetof(struct node_entry, live) == 0, "node_entry.live");
static_assert(offsetof(struct node_entry, waveform) == 4, "node_entry.waveform");
static_assert(offsetof(struct node_entry, segment) == 8, "node_entry.segment");
static_assert(offsetof(struct node_entry, slots) == 12, "node_entry.slots");
static_assert(offsetof(struct node_entry, seat) == 16, "node_entry.seat");

static_assert(sizeof(struct node_lane) == 1312, "node_lane");
static_assert(offsetof(struct node_lane, cpu) == 0, "node_lane.cpu");
static_assert(offsetof(struct node_lane, timebase) == 4, "node_lane.timebase");
static_assert(offsetof(struct node_lane, entries) == 8, "node_lane.entries");
static_assert(offsetof(struct node_lane, resets) == 16, "node_lane.resets");
static_assert(offsetof(struct node_lane, watched_ns) == 24, "node_lane.watched_ns");
static_assert(offsetof(struct node_lane, entry) == 32, "node_lane.entry");

static_assert(sizeof(struct node_change) == 32, "node_change");
static_assert(offsetof(struct node_change, index) == 0, "node_change.index");
static_assert(offsetof(struct node_change, sequence) == 8, "node_change.sequence");
static_assert(offsetof(struct node_change, instance) == 16, "node_change.instance");
static_assert(offsetof(struct node_change, param) == 20, "node_change.param");
static_assert(offsetof(struct node_change, number) == 24, "node_change.number");

static_assert(sizeof(struct node_control) == 2480, "node_control");
static_assert(offsetof(struct node_control, used) == 0, "node_control.used");
static_assert(offsetof(struct node_control, state) == 4, "node_control.state");
static_assert(offsetof(struct node_control, name) == 8, "node_control.name");
static_assert(offsetof(struct node_control, remaps) == 72, "node_control.remaps");
static_assert(offsetof(struct node_control, limit) == 80, "node_control.limit");
static_assert(offsetof(struct node_control, base) == 88, "node_control.base");
static_assert(offsetof(struct node_control, last) == 96, "node_control.last");
static_assert(offsetof(struct node_control, conceal) == 104, "node_control.conceal");
static_assert(offsetof(struct node_control, mode) == 112, "node_control.mode");
static_assert(offsetof(struct node_control, modes) == 120, "node_control.modes");
static_assert(offsetof(struct node_control, mode_index) == 128, "node_control.mode_index");
static_assert(offsetof(struct node_control, before) == 136, "node_control.before");
static_assert(offsetof(struct node_control, changes) == 392, "node_control.changes");
static_assert(offsetof(struct node_control, change) == 400, "node_control.change");
static_assert(offsetof(struct node_control, misses_read) == 2448, "node_control.misses_read");
static_assert(offsetof(struct node_control, misses_unseen) == 2456, "node_control.misses_unseen");
static_assert(offsetof(struct node_control, misses_lost) == 2464, "node_control.misses_lost");
static_assert(
    offsetof(struct node_control, misses_unwritten) == 2472, "node_control.misses_unwritten");

static_assert(sizeof(struct node_image) == 2624184, "node_image");
static_assert(offsetof(struct node_image, magic) == 0, "node_image.magic");
static_assert(offsetof(struct node_image, version) == 8, "node_image.version");
static_assert(offsetof(struct node_image, n_lanes) == 12, "node_image.n_lanes");
static_assert(offsetof(struct node_image, mmac_per_s) == 16, "node_image.mmac_per_s");
static_assert(offsetof(struct node_image, quit) == 24, "node_image.quit");
static_assert(offsetof(struct node_image, said) == 28, "node_image.said");
static_assert(offsetof(struct node_image, epoch_ns) == 32, "node_image.epoch_ns");
static_assert(offsetof(struct node_image, clock_steps) == 40, "node_image.clock_steps");
static_assert(offsetof(struct node_image, follows) == 48, "node_image.follows");
static_assert(offsetof(struct node_image, aligns) == 52, "node_image.aligns");
static_assert(offsetof(struct node_image, timebase) == 56, "node_image.timebase");
static_assert(offsetof(struct node_image, lane) == 696, "node_image.lane");
static_assert(offsetof(struct node_image, control) == 84664, "node_image.control");

static_assert(sizeof(struct lane_image) == 832, "lane_image");
static_assert(offsetof(struct lane_image, baton) == 0, "lane_image.baton");
static_assert(offsetof(struct lane_image, since) == 8, "lane_image.since");
static_assert(offsetof(struct lane_image, slots) == 16, "lane_image.slots");
static_assert(offsetof(struct lane_image, skipped) == 24, "lane_image.skipped");
static_assert(offsetof(struct lane_image, rescued) == 32, "lane_image.rescued");
static_assert(offsetof(struct lane_image, guard_ns) == 40, "lane_image.guard_ns");
static_assert(offsetof(struct lane_image, tid) == 48, "lane_image.tid");
static_assert(offsetof(struct lane_image, bad_baton) == 560, "lane_image.bad_baton");
static_assert(offsetof(struct lane_image, bad_ns) == 568, "lane_image.bad_ns");
static_assert(offsetof(struct lane_image, go) == 576, "lane_image.go");

static_assert(sizeof(struct hist_cells) == 10368, "hist_cells");
static_assert(offsetof(struct hist_cells, low) == 0, "hist_cells.low");
static_assert(offsetof(struct hist_cells, high) == 6912, "hist_cells.high");

static_assert(sizeof(struct hist) == 10400, "hist");
static_assert(offsetof(struct hist, count) == 0, "hist.count");
static_assert(offsetof(struct hist, sum) == 8, "hist.sum");
static_assert(offsetof(struct hist, least_inverted) == 16, "hist.least_inverted");
static_assert(offsetof(struct hist, largest) == 24, "hist.largest");
static_assert(offsetof(struct hist, cells) == 32, "hist.cells");

static_assert(sizeof(struct hist_head) == 256, "hist_head");
static_assert(offsetof(struct hist_head, count) == 0, "hist_head.count");
static_assert(offsetof(struct hist_head, sum) == 8, "hist_head.sum");
static_assert(offsetof(struct hist_head, least_inverted) == 16, "hist_head.least_inverted");
static_assert(offsetof(struct hist_head, largest) == 24, "hist_head.largest");
static_assert(offsetof(struct hist_head, first) == 32, "hist_head.first");
static_assert(offsetof(struct hist_head, beside) == 36, "hist_head.beside");
static_assert(offsetof(struct hist_head, window) == 40, "hist_head.window");
