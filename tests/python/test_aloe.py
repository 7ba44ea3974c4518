# SPDX-License-Identifier: BSD-3-Clause
"""tools/python: a node from Python, its values and its taps; frames that are damaged."""

import importlib.util
import io
import os
import struct
from pathlib import Path

import numpy
import pytest

import aloe
from aloe import frames

TOP = Path(__file__).resolve().parents[2]
TEXT = """
name = "py";
slot_ns = 1000000;
instances: {
  source: { component = "random_source"; length = 64; };
  mod:    { component = "bpsk_mod"; };
  gain:   { component = "gain"; };
  demod:  { component = "bpsk_demod"; };
  check:  { component = "bit_compare"; };
};
links = ( "source -> mod -> gain -> demod -> check.received", "source -> check.sent" );
"""


@pytest.fixture(scope="module")
def node():
    with aloe.Node() as one:
        yield one


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "py.conf"
    path.write_text(TEXT)
    return str(path)


@pytest.fixture
def waveform(node, file):
    w = node.load(file, clock="step", slots=40, taps=["mod.out", "source.out"], keep=100)
    yield w
    w.unload()


def test_run(file):
    report = aloe.run(file, clock="virtual", slots=100)
    assert report["schema"] == 1
    assert report["index"] == 100
    assert report["state"] == "STOP"


def test_tap(waveform):
    waveform.start()
    waveform.step(40)
    report = waveform.wait()
    assert report["slots"]["run"] == 40
    outputs = waveform.outputs()
    assert outputs["mod.out"]["type"] == "cf32" and outputs["mod.out"]["keep"] >= 100
    bits = list(waveform.tap("source.out", start=0))
    symbols = list(waveform.tap("mod.out", start=0))
    assert [m.index for m in bits] == list(range(40))
    assert all(m.state == "valid" and m.data.shape == (64,) for m in bits + symbols)
    assert symbols[0].data.dtype == numpy.complex64
    for bit, symbol in zip(bits, symbols):
        assert numpy.array_equal(symbol.data.real < 0, bit.data == 1)
    assert [m.index for m in waveform.tap("mod.out", last=3)] == [37, 38, 39]
    assert [m.index for m in waveform.tap("mod.out", start=0, every=10)] == [0, 10, 20, 30]
    assert len(list(waveform.tap("mod.out", start=0, count=5))) == 5
    for message in waveform.tap("mod.out", start=0):
        break  # a tap that is left ends
    with pytest.raises(aloe.AloeError, match="outputs: source.out, mod.out") as refused:
        list(waveform.tap("mod.oot"))
    assert refused.value.status == 2


def test_values(waveform):
    waveform.start()
    waveform.step(5)
    assert waveform.set("gain.gain", 2.5, at=20) == 20
    waveform.step(10)
    assert waveform.get("gain.gain") == 1.0
    waveform.step(25)
    waveform.wait()
    assert waveform.get("gain.gain") == 2.5
    assert waveform.get("check")["check.blocks"] == 40
    assert "source.seed" in waveform.get()
    looks = list(waveform.watch("check.blocks", interval=0.01, count=3))
    assert [look["values"]["check.blocks"] for look in looks] == [40] * 3
    assert all(look["schema"] == 1 and look["index"] == 40 for look in looks)
    with pytest.raises(aloe.AloeError, match="did you mean"):
        waveform.get("check.block")
    with pytest.raises(aloe.AloeError) as refused:
        waveform.set({"gain.gain": 1e9})
    assert refused.value.status == 2


def test_words(node, file, tmp_path):
    with pytest.raises(aloe.AloeError, match="No such file"):
        node.load(str(tmp_path / "none.conf"))
    with pytest.raises(aloe.AloeError, match="nois"):
        aloe.run(file, clock="virtual", slots=2, set={"nois.ebn0_db": 3})
    with pytest.raises(aloe.AloeError, match="none: No such file"):
        aloe.replay(str(tmp_path / "none"))
    assert node.waveforms() == []


def test_node_of_another(node):
    there = aloe.Node(dir=node.dir)
    there.close()
    assert node.waveforms() == []


def test_options():
    assert aloe._options({"slots": 5, "slot_us": 0.5, "force": True, "late": None}) == [
        "--slots=5", "--slot-us=0.5", "--force"]
    assert aloe._options({"lanes": [0, 1], "set": {"a.b": True, "a.c": [1, 0.5]}}) == [
        "--lanes=0,1", "--set=a.b=true", "--set=a.c=1,0.5"]


def test_example(monkeypatch):
    spec = importlib.util.spec_from_file_location("bler", TOP / "tools/python/examples/bler.py")
    bler = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bler)
    (_, bad, _), (_, good, _) = bler.sweep([0.0, 6.0, 7.0], slots=20)
    assert bad > 10 and good == 0
    low, high = bler.interval(0, 20)
    assert low == 0 and 0.15 < high < 0.17  # 0.1611 in any table of Wilson's intervals


# ---- frames ----


def frame(index, flags, data=b""):
    return struct.pack("<QII", index, flags, len(data)) + data


def read(data, type_="f32"):
    return list(frames.messages(io.BytesIO(data), type_))


def test_frames():
    some = numpy.array([1, -2], dtype="<f4")
    got = read(frame(0, 0, some.tobytes()) + frame(1, 1) + frame(2, 2) + frame(3, 4, struct.pack("<Q", 7)) +
               frame(10, 8, struct.pack("<Q", 5)))
    assert [(m.index, m.state, m.count) for m in got] == [
        (0, "valid", 1), (1, "idle", 1), (2, "absent", 1), (3, "lost", 7), (10, "before", 5)]
    assert numpy.array_equal(got[0].data, some)
    assert read(frame(0, 0, bytes([1, 0, 2, 0, 3, 0, 4, 0])), "ci16")[0].data.tolist() == [[1, 2], [3, 4]]
    assert read(frame(0, 0, b"\1\0"), "bit")[0].data.tolist() == [1, 0]
    assert read(b"") == []


@pytest.mark.parametrize("flags,data", [(3, b""), (8, b""), (4, b"\0"), (2**31, b"")])
def test_frames_that_are_none(flags, data):
    with pytest.raises(ValueError):
        read(frame(5, flags, data))


def test_frames_cut():
    whole = frame(0, 0, bytes(8)) + frame(1, 0, bytes(8))
    for size in range(len(whole)):
        if size in (0, len(whole) // 2):
            read(whole[:size])
        else:
            with pytest.raises(ValueError):
                read(whole[:size])
