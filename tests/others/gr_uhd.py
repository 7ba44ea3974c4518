#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
#
# tests/others/gr_uhd.py ADDRESS - GNU Radio's UHD blocks against the device at ADDRESS, which plays a tone with a period
# of 16 samples: a source, tagged bursts at their times, a command at its time.
import sys
import time

import numpy
import pmt
from gnuradio import blocks, gr, uhd

ARGS = "type=x300,addr=" + sys.argv[1]
RATE = 1e6
SAMPLES = 200000


def source():
    uhd_source = uhd.usrp_source(ARGS, uhd.stream_args("fc32", channels=[0]))
    uhd_source.set_samp_rate(RATE)
    return uhd_source


def run_source(uhd_source, samples):
    """The samples, and the time of the first in seconds."""
    top = gr.top_block()
    head, sink = blocks.head(gr.sizeof_gr_complex, samples), blocks.vector_sink_c()
    top.connect(uhd_source, head, sink)
    top.run()
    tag = next(t for t in sink.tags() if pmt.symbol_to_string(t.key) == "rx_time")
    seconds = pmt.to_uint64(pmt.tuple_ref(tag.value, 0)) + pmt.to_double(pmt.tuple_ref(tag.value, 1))
    return numpy.array(sink.data()), seconds


def test_source():
    got, _ = run_source(source(), SAMPLES)
    tone = got[: len(got) // 16 * 16].reshape(-1, 16)
    assert len(got) == SAMPLES and numpy.abs(tone - tone[0]).max() < 1e-4 and abs(tone[0]).max() > 0.1
    print("ok gr-uhd: a source receives the tone, every sample")


def tag(offset, key, value):
    made = gr.tag_t()
    made.offset, made.key, made.value = offset, pmt.intern(key), value
    return made


def test_bursts():
    sink = uhd.usrp_sink(ARGS, uhd.stream_args("fc32", channels=[0]), "packet_len")
    sink.set_samp_rate(RATE)
    sink.set_time_now(uhd.time_spec(0.0))
    tags, at = [], 0
    for samples, when in ((1000, 3.5), (3000, 3.6), (500, 3.7)):
        spec = pmt.make_tuple(pmt.from_uint64(int(when)), pmt.from_double(when % 1))
        tags += [tag(at, "tx_time", spec), tag(at, "packet_len", pmt.from_long(samples))]
        at += samples
    top = gr.top_block()
    top.connect(blocks.vector_source_c([0.25] * at, False, 1, tags), sink)
    top.run()
    time.sleep(4)
    print("ok gr-uhd: a sink sends tagged bursts")


def test_timed():
    uhd_source = source()
    uhd_source.set_time_now(uhd.time_spec(0.0))
    uhd_source.set_command_time(uhd.time_spec(0.5))
    uhd_source.set_center_freq(uhd.tune_request(1e9))
    uhd_source.clear_command_time()
    uhd_source.set_start_time(uhd.time_spec(2.25))
    _, seconds = run_source(uhd_source, 1000)
    assert abs(seconds - 2.25) < 1e-6, seconds
    print("ok gr-uhd: a source tunes and starts at its times")


test_source()
test_bursts()
test_timed()
