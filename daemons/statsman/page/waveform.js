// SPDX-License-Identifier: BSD-3-Clause
//
// waveform.js - the graph of the waveform that runs, its variables as curves, its parameters to be set.

import { byId, colour, count, el, keyed, percent, plain, say, us } from "./dom.js";
import { Graph, legend } from "./graph.js";
import { get, of_waveform, post, token } from "./server.js";

const SECONDS = 300; // of a curve
const CURVES = 6;
const COLOURS = 6;

const head = (...names) => el("thead", {}, el("tr", {}, names.map((text) => el("th", { scope: "col", text, class: text === "value" && names.length === 2 ? "num" : null }))));

export class Waveform {
	// listen(output): its signal is to be shown. ask_token(): the user is asked for the token.
	constructor(listen, ask_token) {
		this.graph = new Graph(byId("graph"), (name) => this.choose(name), listen);
		this.ask_token = ask_token;
		this.variables = el("tbody");
		byId("variable-table").append(head("variable", "value"), this.variables);
		this.parameters = el("tbody");
		byId("parameter-table").append(head("parameter", "value", "unit, range", "in force"), this.parameters);
		this.curves = new Map();
		this.kinds = new Map(); // of components: the tables of their parameters and variables
		byId("instance-close").addEventListener("click", () => this.choose(null));
		byId("variable-filter").addEventListener("input", () => this.variables_show());
		byId("parameter-filter").addEventListener("input", () => this.parameters_show());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.curves_again());
		new ResizeObserver(() => this.curves_fit()).observe(byId("curves"));
	}

	follow(name) {
		this.name = name;
		this.drawn = null;
		this.report = null;
		this.values = {};
		this.history = [];
		this.set_at = new Map();
		this.chosen_curves = null;
		for (const curve of this.curves.values())
			curve.destroy();
		this.curves.clear();
		byId("curves").replaceChildren();
		this.graph.clear();
		for (const id of ["graph-head", "graph-latency"])
			say(byId(id), "");
		byId("graph-lanes").replaceChildren();
		keyed(this.variables, [], String, () => null);
		keyed(this.parameters, [], String, () => null);
		say(byId("set-said"), "");
		this.choose(null);
	}

	// What is asked for again and again while the panel is seen.
	async fill() {
		const name = this.name;

		if (!name)
			return;
		const [graph, values] = await Promise.all([get(of_waveform(name, "graph")), get(of_waveform(name, "variables"))]);

		if (name !== this.name)
			return;
		this.drawn = graph;
		this.values = { ...this.values, ...values.values };
		await this.kinds_get(graph);
		if (name !== this.name)
			return;
		this.show();
	}

	async kinds_get(graph) {
		for (const kind of new Set(graph.instances.map((one) => one.component)))
			if (!this.kinds.has(kind))
				this.kinds.set(kind, await get(`components/${encodeURIComponent(kind)}`).catch(() => null));
	}

	report_take(report) {
		this.report = report;
	}

	second(time_ms, wave) {
		const of = new Map((wave.instances ?? []).map((one) => [one.name, one]));

		Object.assign(this.values, wave.values);
		this.history.push({ t: time_ms / 1000, values: { ...wave.values } });
		this.history.splice(0, Math.max(0, this.history.length - SECONDS));
		if (this.drawn) {
			for (const one of this.drawn.instances) {
				const now = of.get(one.name);

				if (now) // its calls are those of this second
					Object.assign(one, now, { calls: one.calls + now.calls, mean_us: now.mean_us ?? one.mean_us, share: now.share ?? one.share });
			}
			for (const lane of this.drawn.lanes) {
				const now = wave.lanes.find((other) => other.lane === lane.lane);

				if (now)
					Object.assign(lane, { load_mean: now.load ?? lane.load_mean, missed: now.missed, skipped: now.skipped });
			}
		}
	}

	show() {
		const graph = this.drawn;

		if (!graph)
			return;
		say(byId("graph-head"), graph.waveform);
		legend(byId("graph-lanes"), graph.lanes);
		say(byId("graph-latency"), `${graph.instances.length} instances${graph.copies > 1 ? `, ${graph.copies} copies` : ""}, ${this.latency()} (path in bold). ` +
			"A click on a box shows its figures, a click on a link its signal.");
		this.graph.show(graph);
		this.instance_show();
		this.variables_show();
		this.parameters_show();
		this.curves_show();
	}

	latency() {
		const latency = this.report?.latency;

		return !latency ? this.drawn.latency : `latency ${latency.slots} slot${latency.slots === 1 ? "" : "s"} = ${us(latency.us)} by the plan` +
			(latency.measured_us?.count > 0 ? `, measured ${us(latency.measured_us.mean)} on average, ${us(latency.measured_us.max)} at most` : "");
	}

	// ---- one instance ----

	choose(name) {
		this.instance = name;
		this.graph.mark(name);
		byId("instance").hidden = !name;
		if (name) {
			this.instance_show();
			byId("instance").scrollIntoView({ block: "nearest" });
		}
	}

	instance_show() {
		const one = this.drawn?.instances.find((other) => other.name === this.instance);
		const all = this.report?.instances.find((other) => other.name === this.instance) ?? {};

		if (!one)
			return;
		const facts = [
			["lane", all.places ? [...new Set(all.places)].join(", ") : one.lane === null ? "several" : `${one.lane}, number ${one.order}`], ["lag", `${one.lag} slots`], ["calls", count(one.calls)],
			["mean", us(one.mean_us)], ["p50", us(all.p50_us)], ["p99", us(all.p99_us)], ["most", us(one.max_us)],
			["share of the slot", percent(one.share)], ["budget", all.budget_us > 0 ? us(all.budget_us) : "none"], ["over budget", count(one.overruns)],
			["ABSENT inputs", count(one.absent_in)], ["lost records", count(one.io_lost)],
			...Object.entries(all.variables ?? {}).map(([name]) => [name, plain(this.values[`${one.name}.${name}`])]),
		];

		say(byId("instance-title"), `${one.name} (${one.component})`);
		byId("instance-text").replaceChildren(...facts.map(([name, text]) => el("div", {}, el("dt", { text: name }), el("dd", { text }))));
	}

	// ---- variables ----

	// By the components' tables; where these are not known, what the report has as variables.
	split() {
		const variables = new Set();

		for (const one of this.drawn?.instances ?? []) {
			const vars = this.kinds.get(one.component)?.variables?.map((v) => v.name) ??
				Object.keys(this.report?.instances.find((other) => other.name === one.name)?.variables ?? {});

			for (const name of vars)
				variables.add(`${one.name}.${name}`);
		}
		return variables;
	}

	variables_show() {
		const filter = byId("variable-filter").value.toLowerCase();
		const variables = this.split();
		const names = Object.keys(this.values).filter((name) => variables.has(name) && name.toLowerCase().includes(filter));

		this.choose_first(variables);
		keyed(this.variables, names, (name) => name, (name) => {
			const box = el("input", { type: "checkbox", onchange: (event) => this.curve_choose(name, event.target.checked) });

			return el("tr", {}, el("td", { class: "word" }, el("label", { class: "check" }, box, name)), el("td", { class: "num" }));
		}, (row, name) => {
			say(row.children[1], plain(this.values[name]));
			row.querySelector("input").checked = this.chosen_curves.has(name);
		});
	}

	// At first those that move.
	choose_first(variables) {
		if (this.chosen_curves && (this.touched || this.chosen_curves.size || this.history.length < 4))
			return;
		const first = this.history[0]?.values ?? {};
		const last = this.history.at(-1)?.values ?? {};
		const moving = Object.keys(last).filter((name) => variables.has(name) && first[name] !== last[name]);
		const rank = (name) => (/(evm|snr|esn0|ber|bler|errors|iterations)/.test(name) ? 0 : 1);

		this.chosen_curves = new Set(moving.sort((a, b) => rank(a) - rank(b)).slice(0, 3));
	}

	curve_choose(name, on) {
		this.touched = true;
		if (on && this.chosen_curves.size < CURVES)
			this.chosen_curves.add(name);
		else
			this.chosen_curves.delete(name);
		this.variables_show();
		this.curves_show();
	}

	// A number that only grows is a count: its curve is the growth in a second.
	curve_data(name) {
		const points = this.history.filter((one) => typeof one.values[name] === "number");
		const grows = points.length > 1 && points.every((one, i) => Number.isInteger(one.values[name]) && (i === 0 || one.values[name] >= points[i - 1].values[name]));
		const rate = grows && points.at(-1).values[name] > points[0].values[name];

		return {
			rate,
			data: rate
				? [points.slice(1).map((one) => one.t), points.slice(1).map((one, i) => (one.values[name] - points[i].values[name]) / Math.max(0.2, one.t - points[i].t))]
				: [points.map((one) => one.t), points.map((one) => one.values[name])],
		};
	}

	curves_show() {
		const names = [...(this.chosen_curves ?? [])];

		for (const [name, curve] of this.curves)
			if (!names.includes(name)) {
				curve.destroy();
				curve.box.remove();
				this.curves.delete(name);
			}
		names.forEach((name, i) => {
			const { rate, data } = this.curve_data(name);
			const curve = this.curves.get(name) ?? this.curve_make(name, i);

			say(curve.label, `${name}${rate ? ", growth per second" : ""}`);
			say(curve.value, `${plain(this.values[name])}${rate && data[1].length ? ` (+${plain(Number(data[1].at(-1).toPrecision(4)))} / s)` : ""}`);
			curve.setData(data);
		});
	}

	curve_make(name, i) {
		const box = el("div", { class: "curve" }, el("div", { class: "curve-head" }, el("span", { class: "curve-name" }), el("span", { class: "curve-value" })));
		const place = el("div");

		box.append(place);
		byId("curves").append(box);
		const stroke = colour(`--lane-${i % COLOURS}`);
		const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "11px ui-monospace, monospace" };
		const curve = new uPlot({
			width: Math.max(200, place.clientWidth), height: 112, cursor: { sync: { key: "curves" }, points: { size: 6 } }, legend: { show: false },
			series: [{}, { stroke, width: 1.6, points: { show: false }, spanGaps: false }],
			axes: [{ ...axis, size: 22, values: (_, times) => times.map((t) => new Date(t * 1000).toTimeString().slice(0, 8)), space: 90 },
				{ ...axis, size: 62, values: (_, values) => values.map((v) => plain(v)), space: 24 }],
			scales: { y: { range: (_, low, high) => (low === high ? [low - Math.max(1, Math.abs(low) * 0.1), high + Math.max(1, Math.abs(high) * 0.1)] : [low - (high - low) * 0.08, high + (high - low) * 0.08]) } },
		}, [[], []], place);

		Object.assign(curve, { box, label: box.querySelector(".curve-name"), value: box.querySelector(".curve-value") });
		this.curves.set(name, curve);
		return curve;
	}

	curves_again() {
		for (const curve of this.curves.values()) {
			curve.destroy();
			curve.box.remove();
		}
		this.curves.clear();
		this.curves_show();
	}

	curves_fit() {
		for (const curve of this.curves.values()) {
			const width = curve.box.clientWidth;

			if (width > 0 && Math.abs(width - curve.width) > 1)
				curve.setSize({ width, height: 112 });
		}
	}

	// ---- parameters ----

	parameter_of(name) {
		const [instance, parameter] = [name.slice(0, name.indexOf(".")), name.slice(name.indexOf(".") + 1)];
		const one = this.drawn?.instances.find((other) => other.name === instance);

		return this.kinds.get(one?.component)?.params?.find((param) => param.name === parameter);
	}

	parameters_show() {
		const filter = byId("parameter-filter").value.toLowerCase();
		const variables = this.split();
		const names = Object.keys(this.values)
			.filter((name) => !variables.has(name) && name.toLowerCase().includes(filter))
			.sort((a, b) => Number(this.is_live(b)) - Number(this.is_live(a)));

		keyed(this.parameters, names, (name) => name, (name) => this.parameter_make(name), (row, name) => {
			const input = row.querySelector("input");

			if (input && input !== document.activeElement && !input.dataset.changed)
				input.value = this.text_of(name);
			else if (!input)
				say(row.children[1], plain(this.values[name]));
			const at = this.set_at.get(name);

			say(row.children[3], at === undefined ? "" : `since index ${count(at)}`);
		});
	}

	// Where the tables are not known the server says what cannot be set.
	is_live(name) {
		return this.parameter_of(name)?.live ?? true;
	}

	text_of(name) {
		const value = this.values[name];

		return Array.isArray(value) ? value.join(", ") : value === null || value === undefined ? "" : String(value);
	}

	parameter_make(name) {
		const param = this.parameter_of(name);
		const label = el("td", { class: "word", text: name, title: param?.doc ?? null });

		if (!this.is_live(name))
			return el("tr", { class: "fixed" }, label, el("td", { class: "num" }), el("td", { class: "faint unit", text: param?.unit ?? "" }), el("td", { class: "faint" }));
		const range = typeof param?.min === "number" && typeof param.max === "number" ? `${plain(param.min)} … ${plain(param.max)} ` : "";
		const unit = (param?.unit ?? "").replace(/^us$/, "µs");
		const input = el("input", { type: "text", "aria-label": name, spellcheck: "false", title: param?.names ? param.names.join(", ") : null });
		const send = () => this.set(name, input);

		input.addEventListener("input", () => (input.dataset.changed = "1"));
		input.addEventListener("keydown", (event) => {
			if (event.key === "Enter")
				send();
			if (event.key === "Escape") {
				delete input.dataset.changed;
				input.value = this.text_of(name);
			}
		});
		return el("tr", { class: "live", "data-parameter": name }, label, el("td", { class: "set" }, input, el("button", { type: "button", text: "Set", "aria-label": `set ${name}`, onclick: send })),
			el("td", { class: "faint unit", text: `${range}${unit}` }), el("td", { class: "taken" }));
	}

	// As text that JSON has as a number, true or false, or numbers with commas between them; else as text.
	value_of(text) {
		const trimmed = text.trim();
		const numbers = trimmed.split(",").map((part) => part.trim()).filter((part) => part !== "").map(Number);

		if (trimmed === "true" || trimmed === "false")
			return trimmed === "true";
		if (trimmed !== "" && numbers.length && numbers.every(Number.isFinite))
			return numbers.length > 1 ? numbers : numbers[0];
		return trimmed;
	}

	async set(name, input) {
		const said = byId("set-said");

		if (!token() && !(await this.ask_token()))
			return;
		said.className = "said";
		say(said, `setting ${name} …`);
		try {
			const { index } = await post(of_waveform(this.name, "set"), { [name]: this.value_of(input.value) });

			this.set_at.set(name, index);
			delete input.dataset.changed;
			this.values[name] = this.value_of(input.value);
			said.className = "said good";
			say(said, `${name} = ${input.value.trim()} from index ${count(index)} on`);
			this.parameters_show();
		} catch (error) {
			said.className = "said bad";
			say(said, error.message);
			if (error.status === 401 || error.status === 403)
				await this.ask_token();
		}
	}
}
