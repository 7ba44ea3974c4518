# SPDX-License-Identifier: BSD-3-Clause
#
# trace.py FILE - a trace of `aloe trace` read with Perfetto's own compiled protos: every field is known to them, tracks are
# described before their first event, slices nest, and each arrow goes from one slice to a later one. Prints what is in it, a line
# for each track and name.
import collections
import sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

BEGIN, END, INSTANT = 1, 2, 3


def main(path):
    data = open(path, "rb").read()
    trace = protos.Trace()
    trace.ParseFromString(data)
    tracks, counts, open_, last = {}, collections.Counter(), collections.defaultdict(list), {}
    sequences, flows = {}, collections.defaultdict(list)
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id != 0, packet
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            assert track.uuid not in tracks, track
            assert not track.parent_uuid or track.parent_uuid in tracks, track
            tracks[track.uuid] = track
            continue
        event = packet.track_event
        uuid = event.track_uuid
        assert uuid in tracks, "an event before its track: %s" % packet
        assert packet.timestamp >= last.get(uuid, 0), "not in the order of time: %s" % packet
        last[uuid] = packet.timestamp
        assert sequences.setdefault(packet.trusted_packet_sequence_id, uuid) == uuid, packet
        if event.type == BEGIN:
            open_[uuid].append((event.name, packet.timestamp))
        elif event.type == END:
            open_[uuid].pop()
        else:
            assert event.type == INSTANT, packet
        if event.type != END:
            counts[tracks[uuid].name, event.name] += 1
        for flow in event.flow_ids:
            flows[flow].append(("tail", event.name, packet.timestamp))
        for flow in event.terminating_flow_ids:
            flows[flow].append(("head", event.name, packet.timestamp))
    assert not any(open_.values()), "slices that do not end: %s" % open_
    arrows = collections.Counter()
    for ends in flows.values():
        ends.sort(key=lambda end: end[0] == "head")
        assert [end[0] for end in ends] == ["tail", "head"], ends
        assert ends[0][2] <= ends[1][2], ends
        arrows[ends[0][1], ends[1][1]] += 1
    # what the protos do not know is kept, but not counted as theirs
    assert len(trace.SerializeToString()) == len(data)
    trace.DiscardUnknownFields()
    assert trace.ByteSize() == len(data), "fields that Perfetto does not know"
    for (track, name), n in sorted(counts.items()):
        print("%s: %s %d" % (track, name, n))
    for (tail, head), n in sorted(arrows.items()):
        print("%s -> %s %d" % (tail, head, n))


main(sys.argv[1])
