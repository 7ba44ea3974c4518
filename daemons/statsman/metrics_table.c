/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What /metrics has. Names follow the conventions of OpenMetrics: base units, the unit at the end.
 */
#include "daemons/statsman/metrics.h"

#define MICROSECONDS 1e-6
#define NANOSECONDS 1e-9
#define ROWS(array) array, sizeof(array) / sizeof((array)[0])

const char *const metrics_states[] = {
    "LOADED", "INIT", "RUN", "PAUSE", "STEP", "STOP", "ABNSTOP", NULL};

static const struct metrics_row none[] = {{.key = NULL}};
static const struct metrics_row state[] = {{.key = "state"}};
static const struct metrics_row indices[] = {{.key = "index"}};
static const struct metrics_row remaps[] = {{.key = "remaps"}};
static const struct metrics_row slot[] = {{.key = "slot_ns"}};
static const struct metrics_row slots[] = {
    {"run", "slots.run", NULL},
    {"drain", "slots.drain", NULL},
    {"skipped", "slots.skipped", NULL},
    {"missed", "slots.missed", NULL},
    {"slipped", "slots.slipped", NULL},
};
static const struct metrics_row messages[] = {
    {"absent", "messages.absent", NULL},
    {"late", "messages.late", NULL},
    {"overwritten", "messages.overwritten", NULL},
    {"lost", "messages.lost", NULL},
};
static const struct metrics_row latency[] = {
    {.key = "latency.histogram_ns", .mean = "latency.measured_us.mean"}};
static const struct metrics_row latency_plan[] = {{.key = "latency.us"}};
static const struct metrics_row radio_slots[] = {
    {"caught_up", "radio.caught_up", NULL},
    {"flywheeled", "radio.flywheeled", NULL},
    {"partial", "radio.partial", NULL},
};
static const struct metrics_row channel[] = {
    {"packets", "packets", NULL},
    {"lost", "lost", NULL},
    {"reordered", "reordered", NULL},
    {"behind", "behind", NULL},
    {"overruns", "overruns", NULL},
    {"unsized", "unsized", NULL},
    {"sent", "sent", NULL},
    {"no_room", "no_room", NULL},
    {"late", "late", NULL},
    {"underruns", "underruns", NULL},
    {"sequence", "sequence", NULL},
    {"restarts", "restarts", NULL},
    {"failed", "failed", NULL},
};
static const struct metrics_row lane_slots[] = {
    {"run", "slots", NULL},
    {"skipped", "skipped", NULL},
    {"missed", "missed", NULL},
};
static const struct metrics_row lane_load[] = {
    {"mean", "load_mean", NULL},
    {"p50", "load_p50", NULL},
    {"p99", "load_p99", NULL},
};
static const struct metrics_row lane_left[] = {
    {"least", "left_us.least", NULL},
    {"p0.1", "left_us.p01", NULL},
    {"p1", "left_us.p1", NULL},
    {"p50", "left_us.p50", NULL},
};
static const struct metrics_row lane_late[] = {{.key = "late_us"}};
static const struct metrics_row lane_overhead[] = {{.key = "overhead_us"}};
static const struct metrics_row lane_admitted[] = {{.key = "admitted_us"}};
static const struct metrics_row batons[] = {
    {"reset", "baton_resets", NULL}, {"rescued", "baton_rescues", NULL}};
static const struct metrics_row calls[] = {{.key = "calls"}};
static const struct metrics_row overruns[] = {{.key = "overruns"}};
static const struct metrics_row absent[] = {{.key = "absent_in"}};
static const struct metrics_row io_lost[] = {{.key = "io_lost"}};
static const struct metrics_row blocks[] = {
    {"judged", "variables.blocks", NULL},
    {"wrong", "variables.block_errors", NULL},
};
static const struct metrics_row cause_slots[] = {{.key = "slots"}};
static const struct metrics_row cause_late[] = {{.key = "us"}};
static const struct metrics_row budget[] = {{.key = "budget_us"}};
static const struct metrics_row frames[] = {
    {"sent", "sent", NULL},
    {"received", "received", NULL},
    {"refused", "refused", NULL},
    {"foreign", "foreign", NULL},
};
static const struct metrics_row frame_bytes[] = {
    {"sent", "sent_bytes", NULL},
    {"received", "received_bytes", NULL},
};
static const struct metrics_row parts[] = {
    {"taken", "parts", NULL},
    {"repeated", "repeated", NULL},
    {"known", "known", NULL},
    {"early", "early", NULL},
    {"late", "late", NULL},
};
static const struct metrics_row lost[] = {{.key = "lost"}};
static const struct metrics_row busy[] = {{.key = "histogram_ns", .mean = "mean_us"}};

static const struct metrics_family families[] = {
    {"aloe_build", METRICS_INFO, NULL, "Version of ALOE.", METRICS_PROGRAM, 0, NULL, ROWS(none)},
    {"aloe_waveform_state", METRICS_STATES, NULL, "State of the waveform.", METRICS_WAVEFORM, 0,
        NULL, ROWS(state)},
    {"aloe_indices", METRICS_COUNTER, NULL, "Indices that every instance is done with.",
        METRICS_WAVEFORM, 0, NULL, ROWS(indices)},
    {"aloe_slots", METRICS_COUNTER, NULL,
        "Slots of the waveform: run, run beyond the last index, left out by the clock, ended late, "
        "put off.",
        METRICS_WAVEFORM, 0, "result", ROWS(slots)},
    {"aloe_slot_seconds", METRICS_GAUGE, "seconds", "Length of a slot.", METRICS_WAVEFORM,
        NANOSECONDS, NULL, ROWS(slot)},
    {"aloe_messages", METRICS_COUNTER, NULL,
        "Messages that were not there in time, came later, were overwritten, or were lost.",
        METRICS_WAVEFORM, 0, "result", ROWS(messages)},
    {"aloe_remaps", METRICS_COUNTER, NULL, "Times that the waveform went to other lanes.",
        METRICS_WAVEFORM, 0, NULL, ROWS(remaps)},
    {"aloe_latency_seconds", METRICS_HISTOGRAM, "seconds",
        "From the slot of the source to the end of the sink.", METRICS_WAVEFORM, 0, NULL,
        ROWS(latency)},
    {"aloe_latency_planned_seconds", METRICS_GAUGE, "seconds", "The same latency by plan.",
        METRICS_WAVEFORM, MICROSECONDS, NULL, ROWS(latency_plan)},
    {"aloe_radio_slots", METRICS_COUNTER, NULL,
        "Slots of a radio that is the clock: run at once after others, run without samples, with "
        "samples missing.",
        METRICS_WAVEFORM, 0, "result", ROWS(radio_slots)},
    {"aloe_radio_packets", METRICS_COUNTER, NULL,
        "Packets and events of a channel of the radio, as in the report.", METRICS_CHANNEL, 0,
        "result", ROWS(channel)},
    {"aloe_lane_slots", METRICS_COUNTER, NULL,
        "Slots of the lane: run, left out by the clock, ended late.", METRICS_LANE, 0, "result",
        ROWS(lane_slots)},
    {"aloe_lane_load_ratio", METRICS_GAUGE, "ratio",
        "Share of the slot that the segments of the lane take.", METRICS_LANE, 0, "statistic",
        ROWS(lane_load)},
    {"aloe_lane_margin_seconds", METRICS_GAUGE, "seconds",
        "Time left at the ends of the slots of the lane, of the whole run.", METRICS_LANE,
        MICROSECONDS, "statistic", ROWS(lane_left)},
    {"aloe_lane_late_seconds", METRICS_SUMMARY, "seconds", "How late the slots of the lane began.",
        METRICS_LANE, MICROSECONDS, NULL, ROWS(lane_late)},
    {"aloe_lane_overhead_seconds", METRICS_SUMMARY, "seconds",
        "Time that a step takes outside of components.", METRICS_LANE, MICROSECONDS, NULL,
        ROWS(lane_overhead)},
    {"aloe_lane_admitted_seconds", METRICS_GAUGE, "seconds",
        "Time of a slot that was admitted on the lane.", METRICS_LANE, MICROSECONDS, NULL,
        ROWS(lane_admitted)},
    {"aloe_lane_batons", METRICS_COUNTER, NULL,
        "Impossible batons that were reset, and batons that a lane-mate took on.", METRICS_LANE, 0,
        "result", ROWS(batons)},
    {"aloe_instance_calls", METRICS_COUNTER, NULL, "Calls of work.", METRICS_INSTANCE, 0, NULL,
        ROWS(calls)},
    {"aloe_instance_overruns", METRICS_COUNTER, NULL, "Calls beyond the budget.", METRICS_INSTANCE,
        0, NULL, ROWS(overruns)},
    {"aloe_instance_absent_inputs", METRICS_COUNTER, NULL, "Inputs that were absent.",
        METRICS_INSTANCE, 0, NULL, ROWS(absent)},
    {"aloe_instance_records_lost", METRICS_COUNTER, NULL,
        "Records of a file that were not read or written in time.", METRICS_INSTANCE, 0, NULL,
        ROWS(io_lost)},
    {"aloe_instance_blocks", METRICS_COUNTER, NULL,
        "Blocks that the instance has judged, and those of them that were wrong.", METRICS_INSTANCE,
        0, "result", ROWS(blocks), "variables.block_errors"},
    {"aloe_instance_budget_seconds", METRICS_GAUGE, "seconds", "Budget of a call.",
        METRICS_INSTANCE, MICROSECONDS, NULL, ROWS(budget)},
    {"aloe_instance_busy_seconds", METRICS_HISTOGRAM, "seconds", "Time of a call.",
        METRICS_INSTANCE, 0, NULL, ROWS(busy)},
    {"aloe_late_slots", METRICS_COUNTER, NULL, "Late slots of which it was the largest cause.",
        METRICS_CAUSE, 0, NULL, ROWS(cause_slots)},
    {"aloe_lateness_seconds", METRICS_COUNTER, "seconds", "Lateness of slots by the cause.",
        METRICS_CAUSE, MICROSECONDS, NULL, ROWS(cause_late)},
    {"aloe_bridge_frames", METRICS_COUNTER, NULL,
        "Frames of the bridge of the node: to the peer, from it, no frame of a bridge, of another "
        "load.",
        METRICS_PEER, 0, "result", ROWS(frames)},
    {"aloe_bridge_bytes", METRICS_COUNTER, "bytes", "Bytes of the frames to the peer and from it.",
        METRICS_PEER, 0, "result", ROWS(frame_bytes)},
    {"aloe_bridge_parts", METRICS_COUNTER, NULL,
        "Parts of steps: put in their place, sent to the peer once more, come twice, come before "
        "there was room, come after their slot.",
        METRICS_PEER, 0, "result", ROWS(parts)},
    {"aloe_bridge_messages_lost", METRICS_COUNTER, NULL,
        "Messages that were overwritten before they could be sent to the peer.", METRICS_PEER, 0,
        NULL, ROWS(lost)},
};

const struct metrics_family *metrics_families(size_t *ret_n)
{
	*ret_n = sizeof(families) / sizeof(families[0]);
	return families;
}
