// SPDX-License-Identifier: BSD-3-Clause
//
// signals.js - the signal of one output: spectrum, waterfall, constellation or time, as often as the server gives it.

import { byId, colour, count, el, fit, plain, say, scaled, us } from "./dom.js";
import { get, of_waveform, post, Signal, token } from "./server.js";

const LEFT = 58;
const BOTTOM = 26;
const TOP = 10;
const RIGHT = 12;
const NEWS_MS = 10000;
const FADE = 0.86; // of a constellation, from frame to frame

// From dark to light, each step as much lighter as the one before.
const MAP = [[0, 0, 12], [26, 16, 66], [74, 16, 106], [122, 31, 108], [170, 47, 92], [213, 72, 66], [242, 115, 34], [251, 170, 28], [245, 225, 104], [252, 255, 200]];
const LEVELS = new Uint32Array(256).map((_, level) => {
	const at = (level / 255) * (MAP.length - 1);
	const i = Math.min(MAP.length - 2, Math.floor(at));
	const [r, g, b] = MAP[i].map((v, c) => Math.round(v + (MAP[i + 1][c] - v) * (at - i)));

	return (255 << 24) | (b << 16) | (g << 8) | r;
});

function steps(low, high, about) {
	const rough = (high - low) / Math.max(1, about);
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = power * [1, 2, 5, 10].find((n) => n * power >= rough * 0.999);
	const all = [];

	for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-6; at += step)
		all.push(Math.abs(at) < step * 1e-6 ? 0 : at);
	return all;
}

// Smooths a range, so that axes do not jump.
class Range {
	constructor() {
		this.low = this.high = null;
	}

	take(low, high) {
		if (this.low === null) {
			this.low = low;
			this.high = high;
		} else {
			this.low += (low - this.low) * (low < this.low ? 0.5 : 0.03);
			this.high += (high - this.high) * (high > this.high ? 0.5 : 0.03);
		}
	}
}

export class Signals {
	constructor(ask_token) {
		this.ask_token = ask_token;
		this.canvas = byId("signal");
		this.paused = false;
		this.shown = false;
		byId("signal-form").addEventListener("submit", (event) => event.preventDefault());
		byId("signal-form").addEventListener("change", (event) => {
			if (event.target.id === "signal-average" || event.target.id === "signal-hold")
				this.peaks = null;
			else
				this.open();
		});
		byId("signal-pause").addEventListener("click", (event) => {
			this.paused = !this.paused;
			event.target.setAttribute("aria-pressed", String(this.paused));
			say(event.target, this.paused ? "Go on" : "Pause");
		});
		this.canvas.addEventListener("pointermove", (event) => this.look(event.offsetX, event.offsetY));
		this.canvas.addEventListener("pointerleave", () => this.look(null));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.ask_draw()).observe(this.canvas);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.ask_draw());
		setInterval(() => this.measure(), 1000);
	}

	view() {
		return new FormData(byId("signal-form")).get("view");
	}

	follow(name) {
		this.close();
		this.name = name;
		this.outputs = [];
		byId("signal-port").replaceChildren();
	}

	async fill(wanted) {
		const name = this.name;

		if (!name)
			return;
		const { outputs } = await get(of_waveform(name, "outputs"));

		if (name !== this.name)
			return;
		const select = byId("signal-port");
		const before = wanted ?? select.value;

		this.outputs = outputs;
		select.replaceChildren(...outputs.map((one) => el("option", { value: one.output, text: `${one.output}  (${one.type})` })));
		// a signal of complex items says most
		const first = outputs.find((one) => one.output === before) ?? outputs.findLast((one) => one.type.startsWith("c") && one.keep > 0) ??
			outputs.findLast((one) => one.type.startsWith("c")) ?? outputs[0];

		if (first)
			select.value = first.output;
	}

	async show(wanted) {
		this.shown = true;
		await this.fill(wanted);
		if (this.shown)
			this.open();
	}

	hide() {
		this.shown = false;
		this.close();
	}

	close() {
		this.signal?.close();
		this.signal = null;
		this.head = null;
		this.reset();
	}

	reset() {
		this.over = null; // its waveform has ended
		this.frame = this.average = this.peaks = this.density = this.rows = null;
		this.levels = new Range();
		this.frames = this.lost = 0;
		this.lowered = "";
		this.measured = null;
	}

	open() {
		this.close();
		const port = byId("signal-port").value;

		this.kind = this.view();
		for (const [id, kinds] of [["signal-average-label", ["spectrum"]], ["signal-hold-label", ["spectrum"]]])
			byId(id).classList.toggle("off", !kinds.includes(this.kind));
		this.facts();
		this.ask_draw();
		if (!this.name || !port || !this.shown)
			return;
		this.said("");
		this.wanted = Number(byId("signal-rate").value);
		this.signal = new Signal({ waveform: this.name, port, view: this.kind, rate: this.wanted, bins: 512 }, {
			head: (json) => {
				this.head = json;
				this.rate = json.rate;
				this.facts();
			},
			rate: (json) => {
				this.rate = json.rate;
				this.lowered = json.why ?? "";
				this.facts();
			},
			state: (json) => this.said(json.state === "running" ? "" : json.why ?? json.state),
			error: (json) => this.failed(json, port),
			frame: (frame) => this.take(frame),
			closed: () => this.refused(),
			ended: () => {
				this.over = { index: null };
				this.said("The waveform has ended: no message comes any more. The last one is shown.");
			},
			reloaded: () => this.reloaded(),
		});
	}

	said(text, bad) {
		byId("signal-said").className = bad ? "said bad" : "said";
		byId("signal-said").replaceChildren(text);
	}

	// The browser does not tell why a connection was refused; the server counts its clients.
	async refused() {
		this.said("the connection has ended; trying again");
		const node = await get("node").catch(() => null);

		if (node && node.clients.signals >= node.clients.most)
			this.said(`${node.clients.most} clients look at signals already, and more are not served; trying again`, true);
	}

	// Its outputs may be others.
	async reloaded() {
		const text = "Another waveform of this name was loaded. Its signal follows.";

		this.said(text);
		await this.show().catch((error) => this.said(error.message, true));
		if (this.signal)
			this.said(text);
		setTimeout(() => byId("signal-said").textContent === text && this.said(""), NEWS_MS);
	}

	// A waveform that had ended may have been started again.
	second(wave) {
		if (!this.over)
			return;
		if (this.over.index !== null && wave.index > this.over.index)
			this.open();
		else
			this.over.index = wave.index;
	}

	failed(json, port) {
		this.said(json.ring === false ? "This output keeps no messages yet." : json.error, json.ring !== false);
		if (json.ring === false)
			byId("signal-said").append(" ", el("button", { type: "button", id: "ring", text: "Keep its messages", onclick: () => this.ring(port) }));
	}

	async ring(port) {
		if (!token() && !(await this.ask_token()))
			return;
		try {
			await post(of_waveform(this.name, "ring"), { port });
			this.open();
		} catch (error) {
			this.said(error.message, true);
		}
	}

	measure() {
		if (!this.signal)
			return;
		this.measured = { frames: this.frames, bits: this.signal.bytes * 8 };
		this.frames = 0;
		this.signal.bytes = 0;
		this.facts();
	}

	facts() {
		const head = this.head;
		const facts = !head ? [] : [
			["items", `${head.type}${head.items_max ? `, at most ${count(head.items_max)} in a message` : ""}`],
			["sample rate", head.sample_rate_hz ? scaled(head.sample_rate_hz, "Sa/s") : "not known"],
			...(head.rbw_hz ? [["RBW", scaled(head.rbw_hz, "Hz")], ["window", head.window]] : []),
			["rate", `${plain(this.rate)} / s${this.rate < this.wanted ? ` (${this.wanted} / s wanted)` : ""}`],
			["received", this.measured ? `${this.measured.frames} / s, ${scaled(this.measured.bits, "bit/s")}` : "–"],
			["index", count(this.frame?.index)],
			["frames after lost messages", count(this.lost)],
			...(this.dropped ? [["frames dropped by the server, all clients", count(this.dropped)]] : []),
			...(this.lowered ? [["rate lowered", this.lowered]] : []),
		];

		byId("signal-facts").replaceChildren(...facts.map(([name, text]) => el("div", { class: name === "rate lowered" ? "wide" : null },
			el("dt", { text: name }), el("dd", { text, class: name === "rate lowered" ? "warm" : null }))));
	}

	take(frame) {
		this.frames++;
		this.lost += frame.lost;
		if (this.paused || !this.head)
			return;
		this.frame = frame;
		if (this.kind === "spectrum")
			this.spectrum_take(frame);
		else if (this.kind === "waterfall")
			this.waterfall_take(frame);
		this.ask_draw();
	}

	ask_draw() {
		this.asked ??= requestAnimationFrame(() => {
			this.asked = null;
			this.draw();
		});
	}

	draw() {
		const { context, width, height } = fit(this.canvas);

		context.clearRect(0, 0, width, height);
		context.fillStyle = colour("--well");
		context.fillRect(LEFT, TOP, width - LEFT - RIGHT, height - TOP - BOTTOM);
		context.font = "11px ui-monospace, monospace";
		if (!this.frame || !this.head) {
			context.fillStyle = colour("--faint");
			context.fillText(this.signal ? "waiting for the first message" : "", LEFT + 16, TOP + 28);
			return;
		}
		({ spectrum: this.spectrum, waterfall: this.waterfall, constellation: this.constellation, time: this.time })[this.kind].call(this, context, width - LEFT - RIGHT, height - TOP - BOTTOM);
	}

	// ---- axes ----

	frequency(share) {
		const { f_low_hz: low, f_high_hz: high } = this.head;

		return low + (high - low) * share;
	}

	frequency_axis(context, w, h, lines) {
		const { f_low_hz: low, f_high_hz: high } = this.head;

		for (const f of steps(low, high, w / 95)) {
			const x = LEFT + ((f - low) / (high - low)) * w;

			if (lines)
				this.line(context, x, TOP, x, TOP + h);
			this.text(context, scaled(f, "Hz"), x, TOP + h + 17, "center", w);
		}
	}

	level_axis(context, low, high, h, w, unit, about = 7) {
		for (const level of steps(low, high, about)) {
			const y = TOP + (1 - (level - low) / (high - low)) * h;

			this.line(context, LEFT, y, LEFT + w, y);
			this.text(context, plain(level), LEFT - 7, y + 4, "right");
		}
		context.save();
		context.translate(11, TOP + h / 2);
		context.rotate(-Math.PI / 2);
		this.text(context, unit, 0, 0, "center");
		context.restore();
	}

	line(context, x1, y1, x2, y2) {
		context.strokeStyle = colour("--line");
		context.lineWidth = 1;
		context.beginPath();
		context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
		context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
		context.stroke();
	}

	// Inside the axis, where w is given.
	text(context, text, x, y, align, w) {
		context.fillStyle = colour("--faint");
		context.textAlign = align;
		if (w) {
			const half = context.measureText(text).width / 2;

			x = Math.max(LEFT + half - 20, Math.min(LEFT + w + RIGHT - half - 1, x));
		}
		context.fillText(text, x, y);
		context.textAlign = "left";
	}

	db(level) {
		return this.head.db_low + (level * (this.head.db_high - this.head.db_low)) / 255;
	}

	// ---- spectrum ----

	spectrum_take(frame) {
		const levels = frame.levels.subarray(0, frame.n);

		if (!this.average || this.average.length !== frame.n || !byId("signal-average").checked)
			this.average = Float32Array.from(levels);
		else
			for (let i = 0; i < frame.n; i++) // of powers: a peak rises at once, noise is smoothed
				this.average[i] += (levels[i] - this.average[i]) * 0.2;
		if (!this.peaks || this.peaks.length !== frame.n)
			this.peaks = Float32Array.from(levels);
		for (let i = 0; i < frame.n; i++)
			this.peaks[i] = Math.max(this.peaks[i], levels[i]);
		let high = 0;

		for (const level of this.average)
			high = Math.max(high, level);
		const floor = [...this.average].sort((a, b) => a - b)[Math.floor(frame.n * 0.1)];

		this.levels.take(Math.max(this.head.db_low, this.db(floor) - 15), this.db(high) + 8);
	}

	spectrum(context, w, h) {
		const low = 10 * Math.floor(this.levels.low / 10);
		const high = Math.max(low + 30, 10 * Math.ceil(this.levels.high / 10));
		const n = this.average.length;
		const x = (i) => LEFT + (i / Math.max(1, n - 1)) * w;
		const y = (level) => TOP + (1 - (Math.min(high, Math.max(low, this.db(level))) - low) / (high - low)) * h;
		const draw = (levels) => {
			context.beginPath();
			levels.forEach((level, i) => (i ? context.lineTo(x(i), y(level)) : context.moveTo(x(i), y(level))));
		};

		this.level_axis(context, low, high, h, w, "dBFS");
		this.frequency_axis(context, w, h, true);
		draw(this.average);
		context.strokeStyle = colour("--trace");
		context.lineWidth = 1.4;
		context.lineJoin = "round";
		context.stroke();
		context.lineTo(x(n - 1), TOP + h);
		context.lineTo(x(0), TOP + h);
		const shade = context.createLinearGradient(0, TOP, 0, TOP + h);

		shade.addColorStop(0, colour("--trace-shade"));
		shade.addColorStop(1, "transparent");
		context.fillStyle = shade;
		context.fill();
		if (byId("signal-hold").checked) {
			draw(this.peaks);
			context.strokeStyle = colour("--warm");
			context.lineWidth = 1;
			context.stroke();
		}
		const top = this.average.reduce((best, level, i) => (level > this.average[best] ? i : best), 0);
		const at = this.cursor === null || this.cursor === undefined ? top : Math.max(0, Math.min(n - 1, Math.round(((this.cursor - LEFT) / w) * (n - 1))));

		this.marker(context, x(at), y(this.average[at]), w, h, `${at === top ? "peak " : ""}${scaled(this.frequency(at / Math.max(1, n - 1)), "Hz")}, ${this.db(this.average[at]).toFixed(1)} dBFS`);
	}

	marker(context, x, y, w, h, text) {
		const width = context.measureText(text).width;
		const right = x + width + 22 < LEFT + w;

		context.strokeStyle = colour("--faint");
		context.setLineDash([2, 3]);
		context.beginPath();
		context.moveTo(x, TOP);
		context.lineTo(x, TOP + h);
		context.stroke();
		context.setLineDash([]);
		context.fillStyle = colour("--ink");
		context.beginPath();
		context.arc(x, y, 3, 0, 7);
		context.fill();
		const tx = right ? x + 9 : x - 9 - width;

		context.fillStyle = colour("--ground");
		context.globalAlpha = 0.8;
		context.fillRect(tx - 4, TOP + 5, width + 8, 17);
		context.globalAlpha = 1;
		context.fillStyle = colour("--ink");
		context.fillText(text, tx, TOP + 17);
	}

	// ---- waterfall ----

	waterfall_take(frame) {
		const rows = 400;

		if (!this.rows || this.rows.width !== frame.n) {
			this.rows = document.createElement("canvas");
			this.rows.width = frame.n;
			this.rows.height = rows;
			this.rows.times = [];
		}
		const context = this.rows.getContext("2d");
		const sorted = Uint8Array.from(frame.levels.subarray(0, frame.n)).sort();

		this.levels.take(sorted[Math.floor(frame.n * 0.1)] - 6, sorted[frame.n - 1] + 2);
		const scale = 255 / Math.max(16, this.levels.high - this.levels.low);
		const image = context.createImageData(frame.n, 1);
		const pixels = new Uint32Array(image.data.buffer);

		for (let i = 0; i < frame.n; i++)
			pixels[i] = LEVELS[Math.max(0, Math.min(255, Math.round((frame.levels[i] - this.levels.low) * scale)))];
		context.drawImage(this.rows, 0, 1);
		context.putImageData(image, 0, 0);
		this.rows.times.unshift(frame.index);
		this.rows.times.length = Math.min(rows, this.rows.times.length);
	}

	waterfall(context, w, h) {
		const shown = Math.min(this.rows.height, Math.floor(h / 2));

		context.imageSmoothingEnabled = false;
		context.drawImage(this.rows, 0, 0, this.rows.width, shown, LEFT, TOP, w, shown * 2);
		this.frequency_axis(context, w, h, false);
		const slot_s = (this.head.slot_ns ?? 0) / 1e9;

		for (let row = 0; row < Math.min(shown, this.rows.times.length); row += Math.max(20, Math.ceil(shown / 6 / 10) * 10))
			this.text(context, row === 0 ? "now" : us((this.rows.times[0] - this.rows.times[row]) * slot_s * 1e6), LEFT - 7, TOP + row * 2 + 9, "right");
		this.level_bar(context, w);
		if (this.cursor !== null && this.cursor !== undefined && this.cursor >= LEFT && this.cursor <= LEFT + w)
			this.marker(context, this.cursor, TOP, w, h, scaled(this.frequency((this.cursor - LEFT) / w), "Hz"));
	}

	// What the colours mean.
	level_bar(context, w) {
		const [width, x, y] = [120, LEFT + w - 190, TOP + 8];

		context.fillStyle = colour("--ground");
		context.globalAlpha = 0.8;
		context.fillRect(x - 34, y - 4, width + 98, 20);
		context.globalAlpha = 1;
		for (let i = 0; i < width; i++) {
			const [r, g, b] = [0, 8, 16].map((shift) => (LEVELS[Math.round((i / (width - 1)) * 255)] >> shift) & 255);

			context.fillStyle = `rgb(${r} ${g} ${b})`;
			context.fillRect(x + i, y, 1, 11);
		}
		this.text(context, this.db(this.levels.low).toFixed(0), x - 5, y + 10, "right");
		this.text(context, `${this.db(this.levels.high).toFixed(0)} dBFS`, x + width + 5, y + 10, "left");
	}

	// ---- constellation ----

	constellation(context, w, h) {
		const { points, n, parts, scale } = this.frame;
		const side = Math.min(w, h);
		const x0 = LEFT + (w - side) / 2;
		const grid = 160;

		this.density ??= new Float32Array(grid * grid);
		this.levels.take(0, scale * 1.12);
		const reach = this.levels.high;

		if (this.density.frame !== this.frame) {
			this.density.frame = this.frame;
			for (let i = 0; i < this.density.length; i++)
				this.density[i] *= FADE;
			for (let i = 0; i < n; i++) {
				const re = (points[i * parts] / 127) * scale;
				const im = parts > 1 ? (points[i * parts + 1] / 127) * scale : 0;
				const gx = Math.floor(((re / reach + 1) / 2) * grid);
				const gy = Math.floor(((1 - im / reach) / 2) * grid);

				if (gx >= 0 && gx < grid && gy >= 0 && gy < grid)
					this.density[gy * grid + gx] += 1;
			}
		}
		context.fillStyle = colour("--page");
		context.fillRect(LEFT, TOP, w, h);
		context.fillStyle = colour("--well");
		context.fillRect(x0, TOP, side, side);
		for (const v of steps(-reach, reach, 7)) {
			const at = ((v / reach + 1) / 2) * side;

			this.line(context, x0 + at, TOP, x0 + at, TOP + side);
			this.line(context, x0, TOP + side - at, x0 + side, TOP + side - at);
			this.text(context, plain(v), x0 + at, TOP + side + 17, "center");
			if (v !== 0 || parts > 1)
				this.text(context, plain(v), x0 - 7, TOP + side - at + 4, "right");
		}
		this.text(context, "I", x0 + side + 6, TOP + side / 2 + 4, "left");
		this.text(context, "Q", x0 + side / 2, TOP + 12, "center");
		this.density_draw(context, grid, x0, side);
	}

	density_draw(context, grid, x0, side) {
		let most = 0;

		for (const v of this.density)
			most = Math.max(most, v);
		const step = side / grid;
		const size = Math.max(2, step);

		context.fillStyle = colour("--trace");
		for (let i = 0; i < this.density.length; i++) {
			if (this.density[i] < 0.04)
				continue;
			context.globalAlpha = Math.min(1, 0.16 + 0.84 * (this.density[i] / most) ** 0.4);
			context.fillRect(x0 + (i % grid) * step, TOP + Math.floor(i / grid) * step, size, size);
		}
		context.globalAlpha = 1;
	}

	// ---- time ----

	time(context, w, h) {
		const { points, n, parts, scale } = this.frame;
		const rate = this.head.sample_rate_hz;

		this.levels.take(-scale * 1.1, scale * 1.1);
		const reach = Math.max(this.levels.high, 1e-12);

		this.level_axis(context, -reach, reach, h, w, "amplitude", 6);
		for (const at of rate ? steps(0, ((n - 1) / rate) * 1e6, w / 100) : steps(0, n - 1, w / 100)) {
			const x = LEFT + (rate ? (at * rate) / 1e6 / Math.max(1, n - 1) : at / Math.max(1, n - 1)) * w;

			this.line(context, x, TOP, x, TOP + h);
			this.text(context, rate ? us(at) : `item ${plain(at)}`, x, TOP + h + 17, "center", w);
		}
		for (let part = parts - 1; part >= 0; part--) {
			context.strokeStyle = colour(part ? "--warm" : "--trace");
			context.lineWidth = 1.2;
			context.beginPath();
			for (let i = 0; i < n; i++) {
				const x = LEFT + (i / Math.max(1, n - 1)) * w;
				const y = TOP + (1 - ((points[i * parts + part] / 127) * scale + reach) / (2 * reach)) * h;

				if (i)
					context.lineTo(x, y);
				else
					context.moveTo(x, y);
			}
			context.stroke();
			if (parts > 1) {
				context.fillStyle = colour(part ? "--warm" : "--trace");
				context.fillText(part ? "Q" : "I", LEFT + w - (part ? 18 : 34), TOP + 16);
			}
		}
	}

	// ---- pointer and keys ----

	look(x) {
		this.cursor = x;
		this.ask_draw();
	}

	key(event) {
		const step = { ArrowLeft: -4, ArrowRight: 4 }[event.key];

		if (!step)
			return;
		event.preventDefault();
		this.look(Math.max(LEFT, Math.min(this.canvas.clientWidth - RIGHT, (this.cursor ?? this.canvas.clientWidth / 2) + step)));
	}
}
