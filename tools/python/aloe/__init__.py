# SPDX-License-Identifier: BSD-3-Clause
"""ALOE from Python: starts the program `aloe` and reads its JSON and its taps.

    with aloe.Node() as node:
        w = node.run("bpsk", slots=1000, clock="virtual", taps=["demod.out"])
        for message in w.tap("demod.out", count=3):
            print(message.index, message.data)
        print(w.wait()["slots"])

The program is the file that the environment variable ALOE names, else `aloe` of PATH. What it refuses
is an AloeError with its own words. Fields of JSON: daemons/README.md (share/doc/aloe/daemons.md).
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from typing import Any, Dict, Iterator, List, Optional

from .frames import Message, messages

__all__ = ["AloeError", "Message", "Node", "Waveform", "replay", "run"]


class AloeError(Exception):
    """What aloe said, and its exit status: 1 failed while running, 2 wrong use."""

    def __init__(self, words: str, status: int):
        super().__init__(words)
        self.status = status


def _program() -> str:
    program = os.environ.get("ALOE") or shutil.which("aloe")
    if not program:
        raise AloeError("the program aloe is not in PATH; the variable ALOE may name it", 1)
    return program


def _check(words: str, status: int) -> None:
    if status != 0:
        raise AloeError(words.strip() or f"aloe ended with status {status}", status)


def _aloe(arguments: List[str]) -> str:
    done = subprocess.run(
        [_program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    _check(done.stderr, done.returncode)
    return done.stdout


def _text(value: Any) -> str:
    """A value as --set takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if hasattr(value, "__iter__"):
        return ",".join(_text(item) for item in value)
    return repr(float(value)) if isinstance(value, float) else str(value)


def _sets(values: Optional[Dict[str, Any]]) -> List[str]:
    return [f"{name}={_text(value)}" for name, value in (values or {}).items()]


def _options(options: Dict[str, Any]) -> List[str]:
    """slots=5, pipelined=True, lanes=[0, 1], set={...}, taps=[...]: options of aloe run and load."""
    words: List[str] = []
    for name, value in options.items():
        if name == "set":
            words += [f"--set={one}" for one in _sets(value)]
        elif name == "taps":
            words += [f"--tap={one}" for one in value]
        elif value is True:
            words.append("--" + name.replace("_", "-"))
        elif value is not None and value is not False:
            words.append(f"--{name.replace('_', '-')}={_text(value)}")
    return words


def run(file: str, **options: Any) -> Dict[str, Any]:
    """`aloe run FILE` in a node of its own: the report. Options are those of `aloe run`."""
    return json.loads(_aloe(["run", file, "--json", "--quiet", *_options(options)]))


def replay(folder: str, **options: Any) -> Dict[str, Any]:
    """`aloe replay FOLDER`: the report of the run that is repeated."""
    return json.loads(_aloe(["replay", folder, "--json", "--quiet", *_options(options)]))


class Node:
    """A node: one of its own, which ends with the `with` block, or with `dir` one that runs."""

    def __init__(self, dir: Optional[str] = None, **options: Any):
        self._own = dir is None
        self._folder = tempfile.mkdtemp(prefix="aloe-") if self._own else ""
        self.dir = dir or os.path.join(self._folder, "node")
        try:
            if self._own:
                _aloe(["up", "--dir", self.dir, "--state", os.path.join(self._folder, "state"),
                       *_options(options)])
        except AloeError:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def __enter__(self) -> "Node":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends a node of one's own, with all its waveforms."""
        if self._own and self._folder:
            try:
                self.aloe("down")
            finally:
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = ""

    def aloe(self, command: str, *arguments: str) -> str:
        """Any command of aloe on this node: what it prints."""
        return _aloe([command, *arguments, "--dir", self.dir])

    def load(self, file: str, **options: Any) -> "Waveform":
        """`aloe load`. Options are those of `aloe load`; set={...} and taps=[...] are repeated."""
        before = {one["name"] for one in self.waveforms()}
        self.aloe("load", file, *_options(options))
        names = [one["name"] for one in self.waveforms() if one["name"] not in before]
        if len(names) != 1:
            raise AloeError(f"{file} is loaded, but so is something else; take Waveform(node, NAME)", 1)
        return Waveform(self, names[0])

    def run(self, file: str, **options: Any) -> "Waveform":
        """`aloe load`, then `aloe start`."""
        waveform = self.load(file, **options)
        waveform.start()
        return waveform

    def waveforms(self) -> List[Dict[str, Any]]:
        """`aloe list --json`."""
        return json.loads(self.aloe("list", "--json"))["waveforms"]


class Waveform:
    """A waveform that is loaded."""

    def __init__(self, node: Node, name: str):
        self.node = node
        self.name = name

    def start(self, at: Optional[int] = None) -> None:
        self.node.aloe("start", self.name, *_options({"at": at}))

    def pause(self, at: Optional[int] = None) -> None:
        self.node.aloe("pause", self.name, *_options({"at": at}))

    def step(self, count: int = 1) -> None:
        """Slots of a waveform that is paused, or on the step clock."""
        self.node.aloe("step", self.name, "--count", str(count))

    def stop(self, force: bool = False) -> None:
        self.node.aloe("stop", self.name, *_options({"force": force}))

    def unload(self, force: bool = False) -> None:
        self.node.aloe("unload", self.name, *_options({"force": force}))

    def set(self, name: Any, value: Any = None, at: Optional[int] = None) -> int:
        """Sets a parameter, or with a dict several at one index. Returns that index."""
        values = name if isinstance(name, dict) else {name: value}
        told = self.node.aloe("set", self.name, *_sets(values), "--json", *_options({"at": at}))
        return json.loads(told)["index"]

    def get(self, name: Optional[str] = None) -> Any:
        """One value ("inst.variable"), or a dict of those of an instance ("inst"), or of all."""
        told = self.node.aloe("get", self.name, *([name] if name else []), "--json")
        values = json.loads(told)["values"]
        return values[name] if name in values else values

    def _stream(self, command: str, *arguments: str) -> subprocess.Popen:
        words = [_program(), command, self.name, *arguments, "--dir", self.node.dir]
        return subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    @staticmethod
    def _end(process: subprocess.Popen, whole: bool) -> None:
        """`whole`: it has ended by itself, and must have succeeded."""
        if not whole:
            process.terminate()
        process.stdout.close()
        words = process.stderr.read().decode(errors="replace")
        process.stderr.close()
        status = process.wait()
        if whole:
            _check(words, status)

    def watch(self, name: str, interval: float = 1.0, count: Optional[int] = None) -> Iterator[Dict]:
        """Looks at values again and again: dicts with index, time and values."""
        options = _options({"interval": round(interval * 1e3), "count": count})
        process = self._stream("watch", name, "--json", *options)
        whole = False
        try:
            for line in process.stdout:
                yield json.loads(line)
            whole = True
        finally:
            self._end(process, whole)

    def outputs(self) -> Dict[str, Dict[str, Any]]:
        """Outputs that can be tapped, by name: type, items_max, keep ..."""
        told = json.loads(self.node.aloe("tap", self.name, "--json"))
        return {one["output"]: one for one in told["outputs"]}

    def tap(self, output: str, start: Optional[int] = None, **options: Any) -> Iterator[Message]:
        """The messages of an output, until the waveform ends or `count` have come.

        start  first index; options: count, every, last, keep as of `aloe tap`
        """
        outputs = self.outputs()
        type_ = outputs[output]["type"] if output in outputs else ""
        words = _options({"from": start, **options})
        process = self._stream("tap", output, "--framed", *words)
        whole = False
        try:
            yield from messages(process.stdout, type_)
            whole = True
        finally:
            self._end(process, whole)

    @property
    def report(self) -> Dict[str, Any]:
        """`aloe status --json`: the report as of now."""
        return json.loads(self.node.aloe("status", self.name, "--json"))

    def wait(self, interval: float = 0.05) -> Dict[str, Any]:
        """Waits until the waveform has ended and its files are written: the report."""
        while True:
            report = self.report
            if report["drained"] or report["state"] == "ABNSTOP":
                return report
            time.sleep(interval)
