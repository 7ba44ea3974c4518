#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""svg_figure.py FILE.svg RESULT.json - whether a picture that gnuplot has drawn is what the figure of the result says, and
follows the house's style: a title that says what was measured, axes with units, logarithmic where the figure is, a legend of
all series outside of the axes, no text outside of the canvas or over another, no mean beside a maximum.
svg_figure.py FILE.svg TITLE X Y LOG LEGEND... - the same where there is no such JSON; LOG: x, y, xy or -.
Prints what is wrong and ends with status 1."""
import json
import math
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
WIDE = 0.62  # of a character, in font sizes: more than in most fonts
# What has no unit, because it is a number of things, a share of them, or their names.
NAMES = ("instance", "part of the run", "system", "component", "mapper", "process, or its component", "transport", "from and to",
         "device and fault")
UNITLESS = NAMES + ("share of ", "block error rate", "number of ", "calls in a cell", "pipes x stages", "items in a slot")


class Text:
    def __init__(self, group, node):
        place = re.match(r"translate\(([-\d.]+),([-\d.]+)\)( rotate\(270\))?", group.get("transform"))
        self.text = "".join(node.itertext()).strip()
        size, n = float(group.get("font-size")), len(self.text)
        x, y, self.upright = float(place[1]), float(place[2]), place[3] is None
        back = {"start": 0, "middle": 0.5, "end": 1}[group.get("text-anchor")] * WIDE * size * n
        if self.upright:
            self.box = (x - back, y - size * 0.8, x - back + WIDE * size * n, y + size * 0.25)
        else:  # from the bottom up
            self.box = (x - size * 0.8, y + back - WIDE * size * n, x + size * 0.25, y + back)
        self.x, self.y, self.anchor = x, y, group.get("text-anchor")


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


class Picture:
    def __init__(self, file):
        root = tree.parse(file).getroot()
        self.width, self.height = (float(n) for n in root.get("viewBox").split()[2:])
        self.texts = [Text(group, node) for group in root.iter(SVG + "g") if group.get("transform")
                      for node in group.findall(SVG + "text") if "".join(node.itertext()).strip()]
        frames = []
        for path in root.iter(SVG + "path"):
            points = re.findall(r"[ML]([-\d.]+),([-\d.]+)", path.get("d") or "")
            if len(points) == 5 and points[0] == points[4] and path.get("stroke") == "black":
                xs, ys = [float(p[0]) for p in points], [float(p[1]) for p in points]
                frames.append((min(xs), min(ys), max(xs), max(ys)))
        self.frame = max(frames, key=lambda f: (f[2] - f[0]) * (f[3] - f[1]))
        self.drawn = sum(1 for path in root.iter(SVG + "path") if path.get("stroke", "").startswith("rgb")
                         and path.get("class") != "gridline") + sum(1 for _ in root.iter(SVG + "use"))

    def find(self, text):
        return [one for one in self.texts if one.text == text]

    def tics(self, axis):
        """The numbers beside an axis: where, and which."""
        found = []
        for one in self.texts:
            beside = one.anchor == "end" and one.box[2] <= self.frame[0] if axis == "y" else \
                one.anchor == "middle" and one.upright and self.frame[3] < one.y < self.frame[3] + 30
            if beside and re.fullmatch(r"-?[\d.]+(e-?\d+)?", one.text):
                found.append((one.x if axis == "x" else one.y, float(one.text), one))
        return found


def figure_of(args):
    if len(args) == 1:
        plot = json.load(open(args[0]))["plot"]
        series = [one for one in plot["series"] if one["points"]]
        return {"lines": [text for key in ("invalid", "title", "bars") if plot.get(key) for text in plot[key].split("\n")],
                "x": plot["x"], "y": plot["y"], "log": {"x": plot["log_x"], "y": plot["log_y"]},
                "legend": [one["title"] for one in series], "notes": plot["notes"],
                "rows": any(one["style"] in ("rows", "spans") for one in series)}
    return {"lines": [args[0]], "x": args[1], "y": args[2], "log": {"x": "x" in args[3], "y": "y" in args[3]},
            "legend": args[4:], "notes": [], "rows": args[2] in NAMES}


def linear(places):
    """Whether positions are a straight line over values."""
    (p0, v0), (p1, v1) = places[0], places[-1]
    return all(abs(p0 + (p1 - p0) * (v - v0) / (v1 - v0) - p) < 1.5 for p, v in places)


def check(picture, figure):
    wrong = []
    top = picture.frame[1]
    for line in figure["lines"]:
        if not any(one.y < top for one in picture.find(line)):
            wrong.append(f"no title line above the axes: {line}")
    for axis in "xy":
        label = figure[axis]
        if not [one for one in picture.find(label) if one.upright == (axis == "x")]:
            wrong.append(f"no label at the {axis} axis: {label}")
        if not re.search(r"\[[^]]+\]$", label) and not label.startswith(UNITLESS):
            wrong.append(f"the {axis} axis has no unit: {label}")
        tics = picture.tics(axis)
        if figure["rows"] and axis == "y":
            continue
        if len(tics) < 2:
            wrong.append(f"the {axis} axis has {len(tics)} labels")
            continue
        log = figure["log"][axis]
        if not linear([(p, math.log10(v) if log else v) for p, v, _ in tics]):
            wrong.append(f"the {axis} axis is not {'logarithmic' if log else 'linear'}")
        if label.startswith("time") and not label.startswith("time left") and not log:  # what is left may be less than nothing
            wrong.append(f"an axis of times is not logarithmic: {label}")
    for title in figure["legend"]:
        if not any(one.box[3] < top for one in picture.find(title)):
            wrong.append(f"not in the legend above the axes: {title}")
    words = " ".join(figure["legend"]).lower()
    if re.search(r"\bmean\b", words) and re.search(r"\bmax(imum)?\b", words):
        wrong.append("a mean beside a maximum")
    for note in figure["notes"]:
        if not any(one.y > picture.frame[3] and note.startswith(one.text) for one in picture.texts):
            wrong.append(f"no note below the axes: {note}")
    for i, one in enumerate(picture.texts):
        if one.box[0] < 0 or one.box[1] < 0 or one.box[2] > picture.width or one.box[3] > picture.height:
            wrong.append(f"outside of the canvas: {one.text} {one.box}")
        wrong += [f"over one another: {one.text} | {other.text}" for other in picture.texts[:i] if overlap(one.box, other.box)]
    if picture.drawn == 0:
        wrong.append("nothing is drawn")
    return wrong


def main():
    problems = check(Picture(sys.argv[1]), figure_of(sys.argv[2:]))
    for problem in problems:
        print(f"{sys.argv[1]}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
