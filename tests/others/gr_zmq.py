# SPDX-License-Identifier: BSD-3-Clause
"""tests/others/gr_zmq.py - one end of a ZeroMQ connection is Debian's GNU Radio, the other is ALOE.

	gr_zmq.py send ADDRESS PATTERN TAGS FILE|-      floats of a file (-: counting without end) to ALOE
	gr_zmq.py take ADDRESS PATTERN TAGS FILE COUNT  COUNT floats of ALOE into a file; tags are printed
"""
import array
import sys
import time

from gnuradio import blocks, gr, zeromq
import pmt


def sink(pattern, address, tags):
    make = {"push": zeromq.push_sink, "pub": zeromq.pub_sink, "rep": zeromq.rep_sink}[pattern]
    return make(gr.sizeof_float, 1, address, 100, tags, -1)


def source(pattern, address, tags):
    make = {"pull": zeromq.pull_source, "sub": zeromq.sub_source, "req": zeromq.req_source}[pattern]
    return make(gr.sizeof_float, 1, address, 100, tags, -1)


def tag_make(offset, key, value):
    tag = gr.tag_t()
    tag.offset, tag.key, tag.value = offset, pmt.intern(key), value
    return tag


def send(address, pattern, tags, path):
    top = gr.top_block()
    if path == "-":
        items = blocks.vector_source_f([float(i) for i in range(4096)], True)
    else:
        with open(path, "rb") as file:
            data = memoryview(file.read()).cast("f").tolist()
        rate = pmt.from_double(2e6)
        time = pmt.make_tuple(pmt.from_uint64(77), pmt.from_double(0.25))
        items = blocks.vector_source_f(data, False, 1,
                                       [tag_make(0, "rx_rate", rate), tag_make(5000, "rx_time", time)])
    top.connect(items, sink(pattern, address, tags))
    print("ready", flush=True)
    top.start()
    sys.stdin.readline()  # until the script has seen all of it
    top.stop()
    top.wait()


def take(address, pattern, tags, path, count):
    top = gr.top_block()
    head, out = blocks.head(gr.sizeof_float, int(count)), blocks.vector_sink_f()
    top.connect(source(pattern, address, tags), head, out)
    print("ready", flush=True)
    top.start()
    for _ in range(600):  # the source of 3.10 does not see that nobody takes any more: top.run() may not return
        if len(out.data()) >= int(count):
            break
        time.sleep(0.1)
    top.stop()
    top.wait()
    with open(path, "wb") as file:
        array.array("f", out.data()).tofile(file)
    for tag in out.tags():
        print("tag", tag.offset, pmt.symbol_to_string(tag.key), pmt.to_python(tag.value))


def main():
    what, address, pattern, tags = sys.argv[1:5]
    {"send": send, "take": take}[what](address, pattern, tags == "1", *sys.argv[5:])


main()
