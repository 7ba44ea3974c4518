# SPDX-License-Identifier: BSD-3-Clause
"""web_cases.py ALOE DIR PORT PAGE: the dashboard of the node in DIR at PORT, for test_web.sh; waveform w on the step clock."""
import glob
import json
import os
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from web_client import Events, Looks, Signal, ask, raw  # noqa: E402

ALOE, DIR, PORT, PAGE = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
failed = False


def ok(what, good, said=None):
    """One test."""
    global failed
    print(("ok " if good else "not ok ") + what + ("" if good else f": {said}"), flush=True)
    failed = failed or not good


def token():
    """As the node's file has it."""
    with open(f"{DIR}/web", encoding="ascii") as file:
        return file.read().split()[3]


TOKEN = token()


def aloe(*words):
    """A command to the node."""
    return subprocess.run([ALOE, *words, "--dir", DIR], capture_output=True, text=True, check=False).stdout


def get(path, **headers):
    """GET: status and JSON."""
    status, _, body = ask(PORT, "GET", path, headers)
    return status, json.loads(body)


def post(path, body, token_is=TOKEN, content="application/json", **headers):
    """POST: status and JSON."""
    if token_is:
        headers["X-Aloe-Token"] = token_is
    if content:
        headers["Content-Type"] = content
    status, _, said = ask(PORT, "POST", path, headers, body if isinstance(body, (str, bytes)) else json.dumps(body))
    return status, json.loads(said)


def refused(what, answer, status, words=""):
    """It is, with a sentence."""
    ok(what, answer[0] == status and words in answer[1].get("error", ""), answer)


# ---- every address ----
def addresses():
    status, headers, body = ask(PORT, "GET", "/")
    with open(f"{PAGE}/index.html", "rb") as file:
        ok("the page is the file", status == 200 and body == file.read(), status)
    ok("no inline script, nothing from elsewhere",
       "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"] and
       f"ws://127.0.0.1:{PORT};" in headers["Content-Security-Policy"], headers)
    ok("no sniffing", headers["X-Content-Type-Options"] == "nosniff")
    status, _, body = ask(PORT, "GET", "/", {"If-None-Match": headers["ETag"]})
    ok("who has it already gets no body", (status, body) == (304, b""), status)
    status, headers, _ = ask(PORT, "GET", "/api/waveforms")
    ok("answers are not kept", headers["Cache-Control"] == "no-store" and headers["Content-Type"] == "application/json")
    ok("HEAD", ask(PORT, "HEAD", "/api/node")[2] == b"")
    ok("no HEAD of a stream", ask(PORT, "HEAD", "/api/events")[0] == 405 and get("/api/node")[1]["clients"]["events"] == 0)
    ok("/api/node", get("/api/node")[1]["clients"]["most"] == 16)
    ok("/api/nodes", get("/api/nodes") == (200, {"schema": 1, "nodes": []}))
    ok("/api/waveforms is what list says", get("/api/waveforms")[1] == json.loads(aloe("list", "--json")))
    report = get("/api/waveforms/w")[1]
    ok("/api/waveforms/W is what status says", report == json.loads(aloe("status", "w", "--json")), report)
    graph = get("/api/waveforms/w/graph")[1]
    ok("graph: the path", graph["path"] == ["source", "mod", "level", "demod", "check"], graph["path"])
    ok("graph: instances and links", len(graph["instances"]) == 5 and len(graph["links"]) == 5 and
       {"name", "lane", "order", "mean_us", "share", "absent_in", "row", "on_path", "step"} <= set(graph["instances"][0]))
    ok("graph: a link off the path", [link["on_path"] for link in graph["links"]].count(False) == 1, graph["links"])
    cells = get("/api/waveforms/w/histograms")[1]
    ok("histograms: cells count the calls",
       all(sum(n for _, n in one["cells"]) == one["calls"] == 20 for one in cells["instances"]), cells)
    ok("histograms: latency as planned and as measured",
       cells["latency"]["us"] == 10000 and cells["latency"]["measured_us"]["count"] > 0, cells["latency"])
    awgn = get("/api/components/awgn")[1]
    ok("the tables of a component", any(p["name"] == "esn0_db" and p["live"] and p["unit"] == "dB" for p in awgn["params"]), awgn)
    refused("of none", get("/api/components/nix"), 404, "no component")
    refused("of a name that is none", get("/api/components/awgn%2Fx"), 404, "no component")
    refused("tables are not written", post("/api/components/awgn", {}), 405, "GET")
    ok("misses", get("/api/waveforms/w/misses") == (200, []))
    refused("a slot of a clock that waits for nothing", get("/api/waveforms/w/misses/5"), 400, "waits for nothing")
    values = get("/api/waveforms/w/variables")[1]
    ok("variables", values["values"]["check.blocks"] == 20 and values["values"]["level.gain"] == 1, values)
    outputs = get("/api/waveforms/w/outputs")[1]["outputs"]
    ok("outputs", {one["output"]: one["keep"] > 0 for one in outputs} ==
       {"source.out": False, "mod.out": True, "level.out": True, "demod.out": False}, outputs)
    status, headers, body = ask(PORT, "GET", "/api/waveforms/w/trace?ms=2000&format=json")
    ok("trace is a file", status == 200 and headers["Content-Disposition"] == 'attachment; filename="w.trace.json"' and
       len(json.loads(body)["traceEvents"]) > 20, (status, body[:200]))
    status, headers, body = ask(PORT, "GET", "/api/waveforms/w/trace")
    ok("for Perfetto", status == 200 and headers["Content-Disposition"] == 'attachment; filename="w.perfetto-trace"' and
       len(body) > 500 and headers["X-Aloe-Text"], status)
    status, _, body = ask(PORT, "GET", "/metrics")
    ok("/metrics", status == 200 and b'aloe_indices_total{waveform="w"} 20' in body, body[:300])


# ---- who is let in, and what is no request ----
def guards():
    for host in ("evil.example", f"evil.example:{PORT}", "127.0.0.1.evil.example", "10.0.0.1", "localhost:1x"):
        ok(f"no Host {host}", ask(PORT, "GET", "/api/node", {"Host": host})[0] == 403)
    ok("Host localhost", ask(PORT, "GET", "/api/node", {"Host": f"localhost:{PORT}"})[0] == 200)
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT + 1}"):
        ok(f"no Origin {origin}", ask(PORT, "GET", "/api/node", {"Origin": origin})[0] == 403)
    ok("our Origin", ask(PORT, "GET", "/api/node", {"Origin": f"http://127.0.0.1:{PORT}"})[0] == 200)
    ok("no WebSocket for another page", Signal(PORT, "/api/signal?waveform=w&port=mod.out", "http://evil.example").status == 403)
    refused("no token", post("/api/waveforms/w/set", {"level.gain": 3}, None), 401, "X-Aloe-Token")
    refused("a wrong token", post("/api/waveforms/w/set", {"level.gain": 3}, "0" * 64), 403, "wrong")
    refused("half a token", post("/api/waveforms/w/set", {"level.gain": 3}, TOKEN[:32]), 403)
    refused("a ring needs it, too", post("/api/waveforms/w/ring", {"port": "demod.out"}, None), 401)
    ok("the token can be tried", get("/api/token", **{"X-Aloe-Token": TOKEN})[0] == 200 and get("/api/token")[0] == 401)
    ok("nothing has changed", get("/api/waveforms/w/variables")[1]["values"]["level.gain"] == 1)


def bad_input():
    answer = get("/api/waveforms/nix/graph")
    ok("an unknown waveform: which there are", answer[0] == 404 and answer[1]["names"] == ["w"], answer)
    refused("events of none", get("/api/events?waveform=nix"), 404, "nix")
    refused("no such part", get("/api/waveforms/w/nix"), 404, "nix")
    refused("no name", get("/api/waveforms/%C3%A4"), 404, "letters, digits")
    refused("a name that is too long", get("/api/waveforms/" + "a" * 80), 404, "at most")
    refused("no file of this machine", get("/../../etc/passwd"), 404)
    refused("a slot that is none", get("/api/waveforms/w/misses/x"), 400, "whole number")
    refused("ms that are none", get("/api/waveforms/w/trace?ms=0"), 400, "ms 0")
    refused("a key that is none", get("/api/waveforms/w/trace?x=1"), 400, "does not take")
    refused("a key twice", get("/api/waveforms/w/trace?ms=1&ms=2"), 400, "once")
    refused("POST where GET is", post("/api/waveforms/w/graph", {}), 405, "GET")
    refused("GET where POST is", get("/api/waveforms/w/set"), 405, "POST")
    ok("PUT", ask(PORT, "PUT", "/api/node", {}, b"")[0] == 405)
    refused("no JSON", post("/api/waveforms/w/set", "{"), 400, "JSON")
    refused("no UTF-8", post("/api/waveforms/w/set", b'{"level.gain": "\xff"}'), 400, "JSON")
    refused("another type", post("/api/waveforms/w/set", {"level.gain": 3}, content="text/plain"), 415)
    refused("nothing to set", post("/api/waveforms/w/set", {}), 400, "1 to 64")
    refused("too much to set", post("/api/waveforms/w/set", {f"a.b{i}": 1 for i in range(65)}), 400, "1 to 64")
    refused("a value that is none", post("/api/waveforms/w/set", {"level.gain": {"a": 1}}), 400, "a value is")
    refused("no file of the node", post("/api/waveforms/w/set", {"level.gain": "@/etc/passwd"}), 400, "begin with @")
    refused("no such parameter", post("/api/waveforms/w/set", {"level.nix": 1}), 400, "nix")
    refused("out of range", post("/api/waveforms/w/set", {"level.gain": -1}), 400, "outside [0, 1000]")
    ok("a body that is too long", b" 413 " in raw(PORT, f"POST /api/waveforms/w/set HTTP/1.1\r\nHost: localhost\r\n"
       f"Content-Length: 100000\r\nX-Aloe-Token: {TOKEN}\r\n\r\n".encode() + b"x" * 100000)[:40])
    ok("a body without a length", b" 411 " in raw(PORT, f"POST /api/waveforms/w/set HTTP/1.1\r\nHost: localhost\r\n"
       f"X-Aloe-Token: {TOKEN}\r\n\r\n".encode())[:40])
    ok("no HTTP", b" 400 " in raw(PORT, b"\x00\xff nix\r\n\r\n")[:40])
    ok("a head that is too long", b" 200 " not in raw(PORT, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20000 + b"\r\n\r\n")[:40])
    refused("a signal is a WebSocket", get("/api/signal?waveform=w&port=mod.out"), 400, "WebSocket")
    for query in ("", "?waveform=w", "?waveform=w&port=mod.out&view=nix", "?waveform=w&port=mod.out&rate=26",
                  "?waveform=w&port=mod.out&bins=100", "?waveform=w&port=a%00b", "?waveform=w&port=%zz"):
        ok(f"no signal of {query}", Signal(PORT, "/api/signal" + query).status == 400)
    ok("it still serves", get("/api/node")[0] == 200)


# ---- a change ----
def changes():
    status, body = post("/api/waveforms/w/set", {"level.gain": 0.5})
    ok("a set gives its index", status == 200 and body["index"] == 20, body)
    aloe("step", "w", "--count", "1")
    ok("and arrives", get("/api/waveforms/w/variables")[1]["values"]["level.gain"] == 0.5)
    ok("several, as texts and numbers", post("/api/waveforms/w/set?index=30", {"level.gain": "2"}) == (200, {"schema": 1, "index": 30}))
    refused("too late", post("/api/waveforms/w/set?index=3", {"level.gain": 1}), 400)
    outcome = post("/api/waveforms/w/ring", {"port": "demod.out", "keep": 4})
    ok("an output gets a ring", outcome == (200, {"schema": 1, "keep": 4}), outcome)
    keeps = {one["output"]: one["keep"] for one in get("/api/waveforms/w/outputs")[1]["outputs"]}
    ok("it has one", keeps["demod.out"] >= 4, keeps)
    refused("no ring of nothing", post("/api/waveforms/w/ring", {"port": "demod.nix"}), 400, "name of an output")


# ---- events ----
def events():
    stream = Events(PORT, "/api/events?waveform=w")
    ok("events", stream.status == 200 and stream.headers["content-type"] == "text/event-stream", stream.headers)
    name, first = stream.next()
    ok("the first at once", name == "second" and first["waveform"]["name"] == "w" and first["waveform"]["seconds"] == 0, first)
    ok("who looks", first["clients"]["events"] == 1, first["clients"])
    aloe("step", "w", "--count", "7")
    index = first["waveform"]["index"]
    calls = 0
    second = first
    for _ in range(6):
        _, second = stream.next()
        calls += second["waveform"]["instances"][0]["calls"]
        if second["waveform"]["index"] == index + 7:
            break
    ok("what the second was like", second["waveform"]["index"] == index + 7 and calls == 7 and
       second["waveform"]["values"]["check.blocks"] == index + 7, second)
    ok("lanes", second["waveform"]["lanes"][0].keys() >= {"lane", "cpu", "load", "least_us", "missed"}, second["waveform"]["lanes"])
    ok("an event is small", len(json.dumps(second, separators=(",", ":"))) < 6000 and second["waveforms_left_out"] == 0)
    other = Events(PORT, "/api/events")
    socket = Looks(PORT, "/api/events?waveform=w")
    ok("by a WebSocket, too", socket.status == 101 and socket.second()["waveform"]["name"] == "w")
    socket.close()
    ok("of a waveform that is not there it is no WebSocket", Looks(PORT, "/api/events?waveform=nix").status == 404)
    ok("no other address is a WebSocket", Signal(PORT, "/api/node").status == 200)
    ok("events of no waveform", other.next()[1]["waveform"] is None and other.next()[1]["waveforms"][0]["name"] == "w")
    other.close()
    stream.close()


# ---- signals ----
def frames(stream, n):
    """The next n frames, and the texts among them."""
    got, texts = [], []
    while len(got) < n:
        one = stream.next()
        if one is None:
            break
        (got if isinstance(one, bytes) else texts).append(one)
    return got, texts


def signals():
    stream = Signal(PORT, "/api/signal?waveform=w&port=mod.out&view=constellation&rate=25&bins=256")
    about = stream.next()
    ok("a signal says what it is", about["type"] == "cf32" and about["is_complex"] and about["bins"] == 128 and
       about["sample_rate_hz"] == 60000 and about["rate"] == 25, about)
    got, _ = frames(stream, 1)
    index, scale, n, parts, _ = struct.unpack("<QfHBB", got[0][:16])
    points = struct.unpack(f"{n * parts}b", got[0][16:])
    ok("a constellation is two points", n == 128 and parts == 2 and abs(scale - 1) < 1e-6 and
       set(points[0::2]) == {-127, 127} and set(points[1::2]) == {0}, (n, parts, scale, set(points)))
    aloe("step", "w", "--count", "1")
    got, _ = frames(stream, 1)
    ok("the next message, the next frame", struct.unpack("<Q", got[0][:8])[0] == index + 1)
    waiting = stream.next()
    ok("no message comes", waiting["state"] == "waiting", waiting)
    ok("who looks at signals", get("/api/node")[1]["clients"]["signals"] == 1)
    stream.close()
    aloe("step", "w", "--count", "5")
    stream = Signal(PORT, "/api/signal?waveform=w&port=level.out&view=time&bins=64")
    about, got = stream.next(), frames(stream, 1)[0][0]
    ok("time, with the gain that was set", abs(struct.unpack("<f", got[8:12])[0] - 2) < 1e-6 and len(got) == 16 + 2 * 32, about)
    stream.close()
    stream = Signal(PORT, "/api/signal?waveform=w&port=mod.out&view=spectrum&rate=5")
    about, got = stream.next(), frames(stream, 1)[0][0]
    levels = [about["db_low"] + b * (about["db_high"] - about["db_low"]) / 255 for b in got[16:]]
    power = sum(10 ** (level / 10) for level in levels) / (about["rbw_hz"] * 512 / 60000)
    ok("a spectrum has the signal's power", len(levels) == 512 and 0.7 < power < 1.4 and about["f_low_hz"] == -30000, (power, about))
    stream.close()
    stream = Signal(PORT, "/api/signal?waveform=w&port=source.out")
    said = stream.next()
    ok("without a ring it is said", "error" in said and said["ring"] is False and stream.next() is None and stream.code == 1000, said)
    stream = Signal(PORT, "/api/signal?waveform=w&port=mod.nix")
    said = stream.next()
    ok("an output that is none: which there are", "mod.out" in said["error"] and stream.next() is None, said)
    stream = Signal(PORT, "/api/signal?waveform=nix&port=mod.out")
    ok("a waveform that is none", "nix" in stream.next()["error"])
    stream = Signal(PORT, "/api/signal?waveform=w&port=demod.out&view=constellation")
    ok("no constellation of bits", "complex" in stream.next()["error"])
    stream = Signal(PORT, "/api/signal?waveform=w&port=mod.out&bins=4096&rate=25&view=waterfall")
    about, lowered = stream.next(), stream.next()
    bits = about["rate"] * 8 * (about["bins"] + 20)
    ok("the rate is lowered before it costs too much, and it is said",
       about["rate"] == lowered["rate"] < 25 and "150 kbit/s" in lowered["why"] and bits <= 150000, (about, lowered))
    stream.send(1, b"x" * 2000)
    ok("a client that says too much is sent away", drained(stream) and stream.code == 1009, stream.code)
    announced()


def memory_mb():
    """The most that statsman has had."""
    with open(f"/proc/{statsman()}/status", encoding="ascii") as file:
        return int(file.read().split("VmHWM:")[1].split()[0]) / 1024


def announced():
    """What a frame announces takes no memory."""
    stream = Signal(PORT, "/api/signal?waveform=w&port=mod.out")
    stream.announce(300 << 20)
    ok("a frame that is announced to be too long ends it", drained(stream) and stream.code == 1009, stream.code)
    before = memory_mb()
    stream = Signal(PORT, "/api/signal?waveform=w&port=mod.out")
    sent = 0
    try:
        stream.announce(300 << 20)
        while sent < 64:
            stream.connection.sendall(bytes(1 << 20))
            sent += 1
    except OSError:
        pass
    ok("no memory is taken for it", sent < 64 and memory_mb() < before + 16, (sent, before, memory_mb()))


def drained(stream):
    """The end comes in time."""
    deadline = time.monotonic() + 60
    try:
        while time.monotonic() < deadline:
            if stream.next() is None:
                return True
    except TimeoutError:
        return False
    except OSError:
        return True
    return False


# ---- too many, too slow ----
def silent(before, stream):
    """Events are small: who neither reads nor answers pings is sent away by its silence, and counted."""
    deadline = time.monotonic() + 60
    now = before
    while now["dropped"] == before["dropped"] and time.monotonic() < deadline:
        time.sleep(0.1)
        now = get("/api/node")[1]["clients"]
    ok("a client of events that is silent is sent away and counted", now["dropped"] == before["dropped"] + 1, (before, now))
    ok("nothing of its events was dropped", now["frames_dropped"] == before["frames_dropped"], (before, now))
    ok("its connection is closed", drained(stream))
    stream.close()


def crowd():
    deadline = time.monotonic() + 20
    while sum(get("/api/node")[1]["clients"][kind] for kind in ("events", "signals")) and time.monotonic() < deadline:
        time.sleep(0.1)
    many = [Events(PORT, "/api/events") for _ in range(8)] + [Looks(PORT, "/api/events") for _ in range(8)]
    many += [Signal(PORT, "/api/signal?waveform=w&port=mod.out") for _ in range(16)]
    ok("16 clients, and 16 signals", all(one.status in (200, 101) for one in many))
    refused("the 17th is refused in words", get("/api/events"), 503, "16 clients")
    ok("by a WebSocket, too", Looks(PORT, "/api/events").status == 503)
    ok("for a signal, too", Signal(PORT, "/api/signal?waveform=w&port=mod.out").status == 503)
    ok("refusals are counted", get("/api/node")[1]["clients"]["refused"] >= 2)
    ok("requests are served all the same", get("/api/waveforms/w")[0] == 200)
    said = {}
    deadline = time.monotonic() + 60
    while said.get("rate") != 2 and time.monotonic() < deadline:
        one = many[-1].next()
        if one is None:
            break
        said = one if isinstance(one, dict) else {}
    ok("sixteen signals share what there is, and it is said", "all clients together" in said.get("why", ""), said)
    many.pop().close()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        again = Signal(PORT, "/api/signal?waveform=w&port=mod.out")
        if again.status == 101:
            break
        again.close()
        time.sleep(0.1)
    ok("one goes, another one may come", again.status == 101)
    for one in many + [again]:
        one.close()


def slow():
    """A client that reads nothing is noticed: frames are dropped, it is sent away, and counted once."""
    before = get("/api/node")[1]["clients"]
    deadline = time.monotonic() + 120
    while before["signals"] > 0 and time.monotonic() < deadline:  # of the case before: they have been closed
        time.sleep(0.1)
        before = get("/api/node")[1]["clients"]
    stream = Signal(PORT, "/api/signal?waveform=w&port=mod.out&view=spectrum&bins=512&rate=25", small=True)
    ok("a client that will not read is let in", stream.status == 101, before)
    deadline = time.monotonic() + 120
    now = before
    while now["dropped"] == before["dropped"] and time.monotonic() < deadline:
        aloe("step", "w", "--count", "1")
        now = get("/api/node")[1]["clients"]
    ok("a client that does not read is sent away", now["dropped"] == before["dropped"] + 1, (before, now))
    ok("and its frames are dropped before", now["frames_dropped"] > before["frames_dropped"], (before, now))
    ok("its connection is closed", drained(stream))
    stream.close()
    after = get("/api/node")[1]["clients"]
    ok("it is counted once", after["dropped"] == before["dropped"] + 1 and after["signals"] == 0, after)


# ---- killed ----
def statsman():
    """Its process."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"aloe-statsman") and DIR.encode() in words:
            return int(path.split("/")[2])
    return 0


def killed():
    stream = Events(PORT, "/api/events?waveform=w")
    stream.next()
    before = statsman()
    os.kill(before, signal.SIGKILL)
    ok("a killed server ends its streams", drained(stream))
    deadline = time.monotonic() + 60
    status = 0
    while status != 200 and time.monotonic() < deadline:
        try:
            stream = Events(PORT, "/api/events?waveform=w")
            status = stream.status
        except (OSError, IndexError):
            pass
        time.sleep(0.05)
    ok("it is served again at the same address", status == 200 and statsman() != before)
    ok("the page goes on", stream.next()[1]["waveform"]["name"] == "w")
    stream.close()
    ok("with the same token", token() == TOKEN and post("/api/waveforms/w/set", {"level.gain": 4})[0] == 200)


def reloaded():
    """Another load of the same name, which statsman finds at its next look."""
    stream = Signal(PORT, "/api/signal?waveform=w&port=mod.out&view=constellation")
    frames(stream, 1)
    looks = Events(PORT, "/api/events?waveform=w")
    looks.next()
    pid = statsman()
    os.kill(pid, signal.SIGSTOP)
    try:
        aloe("unload", "w")
        aloe("load", f"{DIR}/../w.conf", "--clock", "step", "--slots", "1000", "--tap", "mod.out", "--keep", "8")
        aloe("start", "w")
        aloe("step", "w", "--count", "3")
    finally:
        os.kill(pid, signal.SIGCONT)
    last = one = stream.next()
    while one is not None:
        last, one = one, stream.next()
    ok("a signal of a load before says so, and ends", last == {"state": "reloaded"} and stream.code == 1000, last)
    _, second = looks.next()
    for _ in range(10):
        if second.get("waveform") and second["waveform"]["index"] == 3:
            break
        _, second = looks.next()
    one = second["waveform"]
    ok("a load before is no second before", one["index"] == 3 and one["seconds"] == 0 and one["instances"][0]["calls"] is None, one)
    stream.close()
    looks.close()


addresses()
guards()
bad_input()
changes()
events()
BEFORE, SILENT = get("/api/node")[1]["clients"], Looks(PORT, "/api/events?waveform=w")
signals()
silent(BEFORE, SILENT)
crowd()
slow()
killed()
reloaded()
sys.exit(failed)
