// SPDX-License-Identifier: BSD-3-Clause
//
// margins.js - the least time left in each second, a row for each lane: kept, drawn, and read by pointer or keys.

import { byId, clock_time, colour, count, el, fit, keyed, lane_colour, percent, say, us } from "./dom.js";

const KEPT = 900; // seconds
const CELL = 5; // pixels of a second

const rgb = (text) => {
	const hex = /^#(..)(..)(..)$/.exec(text);

	return hex ? hex.slice(1).map((two) => parseInt(two, 16)) : [128, 128, 128];
};

// Colours by the share of the slot that is left: 0, 0.2, 0.5, 1.
function ramp_of() {
	const stops = [0, 0.2, 0.5, 1].map((at, i) => [at, rgb(colour(`--heat-${i}`))]);

	return (share) => {
		const at = Math.min(1, Math.max(0, share));
		const i = Math.max(1, stops.findIndex(([end]) => at <= end));
		const [[a, from], [b, to]] = [stops[i - 1], stops[i]];
		const part = (at - a) / (b - a);

		return `rgb(${from.map((v, c) => Math.round(v + (to[c] - v) * part)).join(" ")})`;
	};
}

export class Margins {
	// choose(time_ms) is called when a second is clicked.
	constructor(choose) {
		this.canvas = byId("strip");
		this.choose = choose;
		this.name = "";
		this.clear();
		this.canvas.addEventListener("pointermove", (event) => this.look(event.offsetX, event.offsetY));
		this.canvas.addEventListener("pointerleave", () => this.leave());
		this.canvas.addEventListener("blur", () => this.leave());
		this.canvas.addEventListener("click", () => this.at && this.choose(this.at.time_ms));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.draw()).observe(this.canvas);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
	}

	clear() {
		this.seconds = []; // { time_ms, lanes: [{ left, share, load, missed, slots }] }
		this.lanes = [];
		this.totals = new Map();
		this.at = null;
	}

	// What was kept of this waveform survives a reload of the page.
	follow(name) {
		this.name = name ?? "";
		this.clear();
		try {
			const kept = JSON.parse(sessionStorage.getItem("aloe-margins") ?? "{}");

			if (kept.name === name)
				this.seconds = kept.seconds.filter((one) => Date.now() - one.time_ms < KEPT * 1000);
		} catch {
			sessionStorage.removeItem("aloe-margins");
		}
		this.draw();
	}

	// Totals become counts of a second. The first look has none.
	add(time_ms, wave) {
		const slot_us = wave.slot_ns / 1e3;

		this.slot_us = slot_us;
		this.lanes = wave.lanes;
		const lanes = wave.lanes.map((lane) => {
			const total = (lane.missed ?? 0) + (lane.skipped ?? 0);
			const before = this.totals.get(lane.lane);

			this.totals.set(lane.lane, total);
			return {
				left: lane.least_us,
				share: typeof lane.least_us === "number" ? lane.least_us / slot_us : null,
				load: lane.load,
				missed: before === undefined ? 0 : Math.max(0, total - before),
				slots: lane.slots,
			};
		});
		if (wave.seconds > 0)
			this.seconds.push({ time_ms, lanes });
		this.seconds.splice(0, Math.max(0, this.seconds.length - KEPT));
		if (this.seconds.length % 5 === 0)
			sessionStorage.setItem("aloe-margins", JSON.stringify({ name: this.name, seconds: this.seconds.slice(-300) }));
		this.draw();
	}

	geometry(width) {
		const rows = Math.max(1, this.lanes.length);
		const height = rows <= 4 ? 18 : rows <= 10 ? 11 : Math.max(3, Math.floor(120 / rows));

		return { rows, height, cells: Math.floor(width / CELL), width };
	}

	draw() {
		const rows = this.geometry(1);

		this.canvas.style.height = `${rows.rows * rows.height}px`;
		const { context, width, height } = fit(this.canvas);
		const { cells, height: row } = this.geometry(width);
		const ramp = ramp_of();
		const bad = colour("--bad");
		const now = this.seconds.at(-1)?.time_ms ?? 0;

		context.clearRect(0, 0, width, height);
		context.fillStyle = colour("--well");
		for (let l = 0; l < this.lanes.length; l++)
			context.fillRect(0, l * row, width, row - 2);
		for (let i = this.seconds.length - 1; i >= 0; i--) {
			const second = this.seconds[i];
			const back = Math.round((now - second.time_ms) / 1000);

			if (back >= cells)
				break;
			second.lanes.forEach((lane, l) => {
				const over = lane.missed > 0 || (lane.share !== null && lane.share < 0);

				if (!over && lane.share === null)
					return;
				context.fillStyle = over ? bad : ramp(lane.share);
				context.fillRect(width - (back + 1) * CELL, l * row, CELL - 1, row - 2);
			});
		}
		if (this.at)
			this.mark(context, width, height, now);
		this.names(row);
		say(byId("strip-from"), this.lanes.length ? `${cells < 60 ? "" : `${Math.floor(cells / 60)} min `}${cells % 60} s ago` : "");
		this.scale(ramp);
	}

	mark(context, width, height, now) {
		const back = Math.round((now - this.at.time_ms) / 1000);

		context.strokeStyle = colour("--ink");
		context.lineWidth = 1.5;
		context.strokeRect(width - (back + 1) * CELL - 1, 0.5, CELL + 1, height - 2);
	}

	names(row) {
		const timed = this.lanes.some((lane) => lane.least_us !== null && lane.least_us !== undefined);

		keyed(byId("strip-names"), this.lanes, (lane) => `${lane.node}/${lane.lane}`,
			(lane) => {
				const node = el("span", { class: "strip-name" }, el("i", { class: "dot" }),
					el("span", { text: `lane ${lane.lane}` }), el("span", { class: "faint", text: `${lane.node ? `${lane.node} ` : ""}CPU ${lane.cpu}` }));

				node.style.setProperty("--lane", lane_colour(lane.lane));
				return node;
			},
			(node) => (node.style.height = `${row}px`));
		keyed(byId("strip-now"), this.lanes, (lane) => `${lane.node}/${lane.lane}`, () => el("span"),
			(node, lane) => {
				node.style.height = `${row}px`;
				say(node, lane.least_us === null || lane.least_us === undefined ? (timed ? "" : "no deadline") :
					lane.least_us < 0 ? `${us(-lane.least_us)} late` : `${us(lane.least_us)} left`);
				node.classList.toggle("bad", lane.least_us < 0);
			});
	}

	scale(ramp) {
		const { context, width, height } = fit(byId("scale"));

		for (let x = 0; x < width; x++) {
			context.fillStyle = ramp(x / width);
			context.fillRect(x, 0, 1, height);
		}
	}

	leave() {
		this.at = null;
		say(byId("strip-tip"), "");
		this.draw();
	}

	look(x, y) {
		const { cells, height, width } = this.geometry(this.canvas.clientWidth);
		const back = Math.floor((width - x) / CELL);

		if (back >= 0 && back < cells)
			this.point(back, Math.max(0, Math.min(this.lanes.length - 1, Math.floor(y / height))));
	}

	point(back, l) {
		const now = this.seconds.at(-1)?.time_ms ?? 0;
		const second = this.seconds.find((one) => Math.round((now - one.time_ms) / 1000) === back);

		this.at = second ? { time_ms: second.time_ms, back, lane: l } : null;
		const lane = second?.lanes[l];

		say(byId("strip-tip"), !lane ? `${back} s ago: nothing was seen` :
			`${clock_time(second.time_ms)}, lane ${this.lanes[l]?.lane}: ` +
			(typeof lane.left === "number" ? (lane.left < 0 ? `${us(-lane.left)} late` : `least ${us(lane.left)} left of ${us(this.slot_us)}`) : "no deadline") +
			`, load ${percent(lane.load)}, ${count(lane.slots)} slots${lane.missed ? `, ${count(lane.missed)} missed` : ""}`);
		this.draw();
	}

	key(event) {
		const step = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];

		if (step) {
			event.preventDefault();
			const cells = this.geometry(this.canvas.clientWidth).cells;

			this.point(Math.max(0, Math.min(cells - 1, (this.at?.back ?? -1) + step[0])),
				Math.max(0, Math.min(this.lanes.length - 1, (this.at?.lane ?? 0) + step[1])));
		} else if (event.key === "Enter" && this.at) {
			this.choose(this.at.time_ms);
		}
	}
}
