// SPDX-License-Identifier: BSD-3-Clause
//
// times.js - histograms of execution times, an instance on a line, all on one logarithmic axis; the latency.

import { byId, colour, count, el, fit, keyed, lane_colour, say, us } from "./dom.js";
import { get, of_waveform } from "./server.js";

const PER_DECADE = 24; // bars

// Cells [lowest ns, calls] as shares of bars, which are even on the logarithmic axis. Cells are finer at most places; where
// one is wider its calls are spread over its bars, so that no gap appears.
function bars_of(cells, low, high) {
	const n = Math.ceil((Math.log10(high) - Math.log10(low)) * PER_DECADE);
	const bars = new Float64Array(n);
	let total = 0;

	cells.forEach(([ns, calls], i) => {
		const width = Math.max(1, Math.min((cells[i + 1]?.[0] ?? ns * 1.03) - ns, ns * 0.07));
		const from = Math.floor((Math.log10(Math.max(1, ns)) - Math.log10(low)) * PER_DECADE);
		const to = Math.max(from, Math.ceil((Math.log10(Math.max(1, ns + width)) - Math.log10(low)) * PER_DECADE) - 1);

		for (let at = from; at <= to; at++)
			if (at >= 0 && at < n)
				bars[at] += calls / (to - from + 1);
		total += calls;
	});
	return bars.map((calls) => calls / Math.max(1, total));
}

function axis_of(all) {
	const ns = all.flatMap((cells) => [cells[0]?.[0], cells.at(-1)?.[0]]).filter((one) => one > 0);

	if (!ns.length)
		return { low: 100, high: 1e6 };
	return { low: 10 ** Math.floor(Math.log10(Math.min(...ns))), high: 10 ** Math.ceil(Math.log10(Math.max(...ns) * 1.05)) };
}

const place = (ns, axis, width) => ((Math.log10(Math.max(1, ns)) - Math.log10(axis.low)) / (Math.log10(axis.high) - Math.log10(axis.low))) * width;

function decades(context, axis, width, height) {
	context.fillStyle = colour("--line");
	for (let ns = axis.low; ns <= axis.high; ns *= 10)
		context.fillRect(Math.min(width - 1, Math.round(place(ns, axis, width))), 0, 1, height);
}

// The root of the share, so that a call in ten thousand can be seen, too.
function bars_draw(context, cells, axis, width, height, fill) {
	const bars = bars_of(cells, axis.low, axis.high);
	const most = Math.sqrt(Math.max(...bars, 1e-9));
	const step = width / bars.length;

	context.fillStyle = fill;
	bars.forEach((share, i) => {
		if (share > 0) {
			const h = Math.max(1.5, (Math.sqrt(share) / most) * (height - 2));

			context.fillRect(i * step, height - h, Math.max(1, step - 0.6), h);
		}
	});
}

function marks_draw(context, one, axis, width, height) {
	for (const [value, name, dash] of [[one.p50_us, "--ink", []], [one.p99_us, "--warm", []], [one.p999_us, "--warm", [2, 2]], [one.max_us, "--bad", []]]) {
		if (!(value > 0))
			continue;
		const x = Math.round(place(value * 1e3, axis, width)) + 0.5;

		context.strokeStyle = colour(name);
		context.lineWidth = 1;
		context.setLineDash(dash);
		context.beginPath();
		context.moveTo(x, 0);
		context.lineTo(x, height);
		context.stroke();
	}
	context.setLineDash([]);
}

export class Times {
	constructor() {
		this.rows = el("tbody");
		this.axis_cell = el("th", { scope: "col", class: "axis" }, el("canvas", { "aria-hidden": "true" }));
		byId("times-table").append(el("thead", {}, el("tr", {},
			["instance", "component"].map((text) => el("th", { scope: "col", text })), this.axis_cell,
			["calls", "mean", "p50", "p99", "p99.9", "max", "budget"].map((text) => el("th", { scope: "col", class: "num", text })))), this.rows);
		this.rows.addEventListener("click", (event) => this.choose(event.target.closest("tr")?.dataset.instance));
		this.rows.addEventListener("keydown", (event) => event.key === "Enter" && this.choose(event.target.closest("tr")?.dataset.instance));
		new ResizeObserver(() => this.show()).observe(byId("times-table"));
		new ResizeObserver(() => this.big()).observe(byId("times-big"));
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.show());
	}

	follow(name) {
		this.name = name;
		this.data = null;
		this.chosen = null;
		byId("times-big").hidden = true;
		byId("latency").replaceChildren();
		keyed(this.rows, [], String, () => null);
	}

	async fill() {
		const name = this.name;

		if (!name)
			return;
		const data = await get(of_waveform(name, "histograms"));

		if (name !== this.name)
			return;
		this.data = data;
		this.show();
	}

	show() {
		if (!this.data)
			return;
		this.axis = axis_of(this.data.instances.map((one) => one.cells));
		keyed(this.rows, this.data.instances, (one) => one.name, (one) => {
			const name = el("td", { class: "word" }, el("i", { class: "dot" }), one.name);

			name.style.setProperty("--lane", lane_colour(one.lane));
			return el("tr", { "data-instance": one.name, tabindex: "0", class: "row-button" }, name, el("td", { class: "faint word", text: one.component }),
				el("td", { class: "axis" }, el("canvas", { role: "img", "aria-label": `histogram of ${one.name}` })),
				Array.from({ length: 7 }, () => el("td", { class: "num" })));
		}, (row, one) => {
			[count(one.calls), us(one.mean_us), us(one.p50_us), us(one.p99_us), us(one.p999_us), us(one.max_us), one.budget_us > 0 ? us(one.budget_us) : "–"]
				.forEach((text, i) => say(row.children[i + 3], one.calls > 0 || i === 0 || i === 6 ? text : "–"));
			row.children[8].classList.toggle("bad", one.budget_us > 0 && one.max_us > one.budget_us);
			row.classList.toggle("chosen", one.name === this.chosen);
		});
		for (const one of this.data.instances)
			this.small(this.rows.keyed.get(one.name).querySelector("canvas"), one);
		this.axis_draw();
		this.big();
		this.latency();
	}

	small(canvas, one) {
		const { context, width, height } = fit(canvas);

		context.clearRect(0, 0, width, height);
		decades(context, this.axis, width, height);
		bars_draw(context, one.cells, this.axis, width, height, colour(typeof one.lane === "number" ? `--lane-${one.lane % 8}` : "--lane-several"));
	}

	axis_draw() {
		const { context, width, height } = fit(this.axis_cell.firstElementChild);

		context.clearRect(0, 0, width, height);
		context.font = "10px ui-monospace, monospace";
		context.fillStyle = colour("--faint");
		let free = -20;

		for (let ns = this.axis.low; ns <= this.axis.high; ns *= 10) {
			const x = place(ns, this.axis, width);
			const text = us(ns / 1e3).replace(/\.0+ /, " ");
			const w = context.measureText(text).width;
			const at = Math.min(width - w, Math.max(0, x - w / 2));

			if (at > free) {
				context.fillText(text, at, height - 3);
				free = at + w + 4;
			}
		}
	}

	choose(name) {
		if (!name)
			return;
		this.chosen = this.chosen === name ? null : name;
		byId("times-big").hidden = !this.chosen;
		this.show();
	}

	big() {
		const one = this.data?.instances.find((other) => other.name === this.chosen);

		say(byId("times-title"), one ? `Execution times of ${one.name}` : "Execution times of calls");
		if (!one)
			return;
		const { context, width, height } = fit(byId("times-canvas"));
		const axis = axis_of([one.cells]);
		const [left, bottom] = [8, 22];

		context.clearRect(0, 0, width, height);
		context.save();
		context.translate(left, 18);
		decades(context, axis, width - 2 * left, height - bottom - 18);
		bars_draw(context, one.cells, axis, width - 2 * left, height - bottom - 18, colour(typeof one.lane === "number" ? `--lane-${one.lane % 8}` : "--lane-several"));
		marks_draw(context, one, axis, width - 2 * left, height - bottom - 18);
		context.font = "11px ui-monospace, monospace";
		let free = -Infinity;

		for (const [value, name, ink] of [[one.p50_us, "p50", "--ink"], [one.p99_us, "p99", "--warm"], [one.p999_us, "p99.9", "--warm"], [one.max_us, "max", "--bad"]]) {
			const text = `${name} ${us(value)}`;
			const w = context.measureText(text).width;
			const x = Math.min(width - 2 * left - w, Math.max(free, place(value * 1e3, axis, width - 2 * left) + 3));

			context.fillStyle = colour(ink);
			if (x >= free)
				context.fillText(text, x, -5);
			free = x + w + 10;
		}
		context.fillStyle = colour("--faint");
		for (let ns = axis.low; ns <= axis.high; ns *= 10)
			for (const by of [1, 2, 5]) {
				const x = place(ns * by, axis, width - 2 * left);

				if (ns * by <= axis.high)
					context.fillText(us((ns * by) / 1e3).replace(/\.0+ /, " "), Math.min(width - 2 * left - 40, x), height - bottom - 18 + 15);
			}
		context.restore();
	}

	latency() {
		const latency = this.data.latency;
		const measured = latency.measured_us;
		const facts = [
			["stated by the plan", `${latency.slots} slot${latency.slots === 1 ? "" : "s"} = ${us(latency.us)}`],
			...(measured?.count > 0
				? [["measured mean", us(measured.mean)], ["p50", us(measured.p50)], ["p99", us(measured.p99)], ["p99.9", us(measured.p999)], ["max", us(measured.max), measured.max > latency.us]]
				: [["measured", "nothing yet"]]),
		];

		byId("latency").replaceChildren(el("h2", { text: "Latency, from the source's slot to the end of the sink" }),
			el("dl", { class: "facts" }, facts.map(([name, text, bad]) => el("div", {}, el("dt", { text: name }), el("dd", { text, class: bad ? "bad" : null })))));
	}
}
