// SPDX-License-Identifier: BSD-3-Clause
//
// graph.js - the graph of a waveform as SVG: drawn when its shape changes, its figures changed in place once a second.

import { count, el, lane_colour, percent, say, svg, us } from "./dom.js";
import { lay_out } from "./layers.js";

const BOX = { box_width: 134, box_height: 52, gap: 62, track: 66, line_gap: 36, margin: 22 };

// What the layout depends on: nothing that changes while the waveform runs, but a remap.
const shape_of = (graph, width) =>
	JSON.stringify([
		width,
		graph.instances.map((one) => [one.name, one.component, one.lane, one.order, one.on_path]),
		graph.links.map((link) => [link.from, link.from_port, link.to, link.to_port, link.delay, link.distance]),
	]);

const trouble_of = (one) =>
	[
		[one.absent_in, "ABSENT"],
		[one.overruns, "over budget"],
		[one.io_lost, "lost"],
	]
		.filter(([n]) => n > 0)
		.map(([n, word]) => `${count(n)} ${word}`)
		.join(", ");

// Names that are too long for their place end in "…"; the title has all of them.
const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function box_draw(one, place, choose) {
	const w = BOX.box_width;
	const h = BOX.box_height;
	const node = svg(
		"g",
		{
			class: one.on_path ? "box on-path" : "box",
			transform: `translate(${place.x},${place.y})`,
			tabindex: "0",
			role: "button",
			"data-instance": one.name,
			onclick: () => choose(one.name),
			onkeydown: (event) => {
				if (event.key === "Enter" || event.key === " ") {
					event.preventDefault();
					choose(one.name);
				}
			},
		},
		svg("title", {}),
		svg("rect", { class: "box-ground", width: w, height: h, rx: 5 }),
		svg("rect", { class: "box-lane", width: 4, height: h - 10, x: 5, y: 5, rx: 2 }),
		svg("text", { class: "box-name", x: 16, y: 17, text: short(one.name, 17) }),
		svg("text", { class: "box-kind", x: 16, y: 29, text: short(one.component, 22) }),
		svg("rect", { class: "box-bar", x: 16, y: h - 9, width: w - 26, height: 3, rx: 1.5 }),
		svg("rect", { class: "box-load", x: 16, y: h - 9, width: 0, height: 3, rx: 1.5 }),
		svg("text", { class: "box-time", x: 16, y: 40.5 }),
		svg("text", { class: "box-share", x: w - 10, y: 40.5, "text-anchor": "end" }),
		svg("text", { class: "box-trouble", x: w - 2, y: -5, "text-anchor": "end" }),
	);

	node.style.setProperty("--lane", lane_colour(one.lane));
	return node;
}

function box_change(node, one) {
	const of = (name) => node.querySelector(name);
	const share = Math.min(1, Math.max(0, one.share ?? 0));
	const trouble = trouble_of(one);

	of(".box-load").setAttribute("width", ((BOX.box_width - 26) * Math.sqrt(share)).toFixed(1));
	say(of(".box-time"), one.calls > 0 ? us(one.mean_us) : "");
	say(of(".box-share"), one.calls > 0 ? percent(one.share) : "");
	say(of(".box-trouble"), trouble);
	node.classList.toggle("troubled", trouble !== "");
	say(
		of("title"),
		`${one.name} (${one.component}), ${one.lane === null ? "on several lanes" : `lane ${one.lane}, number ${one.order}`}` +
			`, lag ${one.lag} slots\n${count(one.calls)} calls, mean ${us(one.mean_us)}, most ${us(one.max_us)}, ` +
			`${percent(one.share)} of the slot${trouble ? `\n${trouble}` : ""}`,
	);
}

// Behind a text that stands on its line.
const inline_ground = (label, text) =>
	svg("rect", { class: "link-ground", x: label.x - text.length * 3 - 4, y: label.y - 6, width: text.length * 6 + 8, height: 12 });

function link_draw({ link, turned, label, d }, listen) {
	const extra = [];

	if (link.delay > 0)
		extra.push(`delay ${link.delay}`);
	if (link.distance > 0)
		extra.push(`+${link.distance} slot${link.distance > 1 ? "s" : ""}`);
	const text = (name, dy, said) => svg("text", { class: name, x: label.x, y: label.y + dy, "text-anchor": "middle", text: said });
	const texts = label.inline
		? [inline_ground(label, `${link.type} ${count(link.items)}`), text("link-type", 3.5, `${link.type} ${count(link.items)}`), ...(extra.length ? [text("link-extra", 13, extra.join(" "))] : [])]
		: [text("link-type", -4, link.type), text("link-items", 11, count(link.items)), ...(extra.length ? [text("link-extra", 21, extra.join(" "))] : [])];
	const node = svg(
		"g",
		{
			class: `link${link.on_path ? " on-path" : ""}${link.delay > 0 ? " delayed" : ""}`,
			tabindex: "0",
			role: "link",
			"data-link": `${link.from}.${link.from_port}`,
			onclick: () => listen(`${link.from}.${link.from_port}`),
			onkeydown: (event) => event.key === "Enter" && listen(`${link.from}.${link.from_port}`),
		},
		svg("title", {
			text:
				`${link.from}.${link.from_port} to ${link.to}.${link.to_port}: ${link.type}, at most ${count(link.items)} items, ` +
				`delay ${link.delay}, distance ${link.distance} slots\nclick to see the signal`,
		}),
		svg("path", { class: "link-hit", d }),
		svg("path", {
			class: "link-line",
			d,
			...(turned ? { "marker-start": "url(#arrow-back)" } : { "marker-end": link.on_path ? "url(#arrow-bold)" : "url(#arrow)" }),
		}),
		texts,
	);
	return node;
}

const arrow = (id, name, orient) =>
	svg(
		"marker",
		{ id, class: name, viewBox: "0 0 8 8", refX: 7.2, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient },
		svg("path", { d: "M0,0.6 L8,4 L0,7.4 Z" }),
	);

export class Graph {
	// choose(instance) and listen(output) are called when a box or a link is clicked.
	constructor(parent, choose, listen) {
		this.parent = parent;
		this.choose = choose;
		this.listen = listen;
		this.clear();
		new ResizeObserver(() => this.graph && this.show(this.graph)).observe(parent);
	}

	clear() {
		this.graph = this.picture = null;
		this.shape = "";
		this.boxes = new Map();
		this.parent.replaceChildren();
	}

	show(graph) {
		const width = Math.max(300, this.parent.clientWidth);
		const shape = shape_of(graph, width);

		this.graph = graph;
		if (width > 300 && shape !== this.shape)
			this.draw(graph, width, shape);
		for (const one of graph.instances)
			if (this.boxes.has(one.name))
				box_change(this.boxes.get(one.name), one);
	}

	draw(graph, width, shape) {
		const size = { ...BOX, width, ...(width < 500 ? { gap: 54 } : {}) };
		const places = lay_out(graph.instances, graph.links, size);

		this.shape = shape;
		this.boxes = new Map(graph.instances.map((one) => [one.name, box_draw(one, places.boxes.get(one.name), this.choose)]));
		this.picture = svg(
			"svg",
			{
				class: "graph",
				width: places.width,
				height: places.height,
				viewBox: `0 0 ${places.width} ${places.height}`,
				role: "group",
				"aria-label": `graph of ${graph.waveform}`,
			},
			svg("defs", {}, arrow("arrow", "arrow", "auto"), arrow("arrow-bold", "arrow-bold", "auto"), arrow("arrow-back", "arrow", "auto-start-reverse")),
			// the path last, so that it lies above the others
			...[...places.routes].sort((a, b) => a.link.on_path - b.link.on_path).map((route) => link_draw(route, this.listen)),
			...this.boxes.values(),
		);
		this.parent.replaceChildren(this.picture);
	}

	mark(instance) {
		for (const [name, box] of this.boxes)
			box.classList.toggle("chosen", name === instance);
	}
}

// The lanes by colour, with what they carry.
export function legend(parent, lanes) {
	parent.replaceChildren(
		...lanes.map((lane) => {
			const chip = el("span", { class: "chip" }, el("i", { class: "dot" }), `lane ${lane.lane}`,
				el("span", { class: "faint", text: ` ${lane.node ? `${lane.node} ` : ""}CPU ${lane.cpu}, load ${percent(lane.load_mean)}` }));

			chip.style.setProperty("--lane", lane_colour(lane.lane));
			if (lane.missed + lane.skipped > 0)
				chip.append(el("span", { class: "bad", text: ` ${count(lane.missed + lane.skipped)} missed` }));
			return chip;
		}),
	);
}
