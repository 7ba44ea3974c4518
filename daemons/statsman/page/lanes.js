// SPDX-License-Identifier: BSD-3-Clause
//
// lanes.js - nodes and lanes: load and margins, the misses with their causes; the story of one miss and what ran when in it.

import { byId, count, el, keyed, lane_colour, percent, plain, say, svg, us } from "./dom.js";
import { get, of_waveform } from "./server.js";

const KEPT = 200; // misses in the table
const WITHOUT = ["no record", "on time"]; // a record: what a slot may be said to be

// Several lanes may be late in one slot.
const key_of = (miss) => `${miss.slot}/${miss.lane}`;

const cell = (text, name) => el("td", { class: name, text });
const head = (...names) => el("thead", {}, el("tr", {}, names.map((name) => {
	const [text, title, kind] = Array.isArray(name) ? name : [name];

	return el("th", { scope: "col", text, title, class: kind ?? null });
})));

function table(id, names) {
	const body = el("tbody");

	byId(id).replaceChildren(head(...names), body);
	return body;
}

// A row of texts, changed in place; a text may be [text, class].
function row_change(row, texts) {
	texts.forEach((given, i) => {
		const [text, name] = Array.isArray(given) ? given : [given, null];
		const td = row.children[i] ?? row.appendChild(el("td"));

		if (td.firstElementChild === null)
			say(td, text);
		if (name !== null && td.className !== name)
			td.className = name;
	});
}

export class Lanes {
	constructor() {
		this.lanes = table("lane-table", ["lane", ["on", "node and CPU"], "priority", ["load", "share of the slot, in the last second", "num"],
			["p99", "99 % of the slots have this load or less", "num"], ["least left", "least time left at the end of a slot since the start", "num"],
			["1 % below", "time that is left, or less, at 1 % of the slots", "num"], ["missed", "slots that ended late since the waveform came to these lanes", "num"], ["skipped", "slots left out since then", "num"]]);
		this.causes = table("cause-table", ["cause", ["slots", "slots of which it is the largest cause", "num"],
			["lateness", "its share of all lateness", "num"], ["worst", "largest share of one slot, and which slot", "num"], ["whose", "the waveform's own doing, or the machine's"]]);
		this.misses = table("miss-table", [["slot", "", "num"], "what", "lane", ["late by", "", "num"], "instance", "cause"]);
		this.calls = table("call-table", [["begins", "after the edge of the slot", "num"], ["takes", "", "num"], "lane", "instance"]);
		this.nodes = table("node-table", ["node", "state", "version", ["CPUs", "that it may use", "num"], ["MMAC/s", "capacity of one CPU: million multiply-accumulates a second", "num"]]);
		this.records = new Map();
		byId("story-close").addEventListener("click", () => this.story_close());
		byId("miss-table").addEventListener("click", (event) => this.choose(event.target.closest("tr")?.dataset.slot));
		byId("miss-table").addEventListener("keydown", (event) => {
			if (event.key === "Enter")
				this.choose(event.target.closest("tr")?.dataset.slot);
		});
	}

	follow(name) {
		this.name = name;
		this.report = this.wave = null;
		say(byId("miss-sum"), "");
		this.records.clear();
		this.story_close();
		for (const body of [this.lanes, this.causes, this.misses])
			keyed(body, [], () => "", () => el("tr"));
	}

	async fill() {
		const name = this.name;

		this.nodes_show();
		if (!name)
			return;
		const misses = await get(of_waveform(name, "misses")).catch(() => []);

		if (name !== this.name)
			return;
		for (const miss of (Array.isArray(misses) ? misses : misses.misses ?? []).slice(-KEPT))
			this.records.set(key_of(miss), miss);
		this.misses_show();
	}

	report_take(report) {
		this.report = report;
	}

	// What was left out of the second stays as it was.
	second(wave, left_out) {
		this.wave = wave;
		for (const miss of wave.misses ?? [])
			this.records.set(key_of(miss), { ...this.records.get(key_of(miss)), ...miss });
		if (!left_out.includes("lanes"))
			this.lanes_show();
		if (!left_out.includes("causes"))
			this.causes_show(wave);
		this.misses_show();
	}

	causes_show(wave) {
		keyed(this.causes, wave.causes ?? [], (cause) => cause.kind, () => el("tr"), (row, cause) => row_change(row, [
			[cause.kind, "word"], [count(cause.slots), "num"], [us(cause.us), "num"],
			[`${us(cause.worst_us)} in ${cause.worst_slot}`, "num"], [cause.own ? "waveform" : "machine", "word"]]));
	}

	lanes_show() {
		const of_report = new Map((this.report?.lanes ?? []).map((lane) => [lane.lane, lane]));

		keyed(this.lanes, this.wave.lanes, (lane) => lane.lane, (lane) => {
			const name = el("td", { class: "word" }, el("i", { class: "dot" }), `lane ${lane.lane}`);
			const load = el("td", { class: "num load" }, el("i", { class: "meter" }, el("i")), el("span"));

			name.style.setProperty("--lane", lane_colour(lane.lane));
			load.style.setProperty("--lane", lane_colour(lane.lane));
			return el("tr", {}, name, el("td"), el("td"), load);
		}, (row, lane) => {
			const all = of_report.get(lane.lane) ?? {};
			const left = all.left_us;

			row_change(row, [lane.lane, [`${lane.node ? `${lane.node}, ` : ""}CPU ${lane.cpu}`, "word"], [all.realtime ?? "", "word"], "",
				[percent(lane.load_p99), "num"], [left?.count ? us(left.least) : "–", left?.least < 0 ? "num bad" : "num"],
				[left?.count ? us(left.p1) : "–", left?.p1 < 0 ? "num bad" : "num"],
				[count(lane.missed), lane.missed ? "num bad" : "num"], [count(lane.skipped), lane.skipped ? "num bad" : "num"]]);
			row.querySelector(".meter i").style.width = `${Math.min(100, 100 * (lane.load ?? 0))}%`;
			say(row.querySelector(".load span"), percent(lane.load));
		});
	}

	misses_show() {
		const rows = [...this.records.values()].sort((a, b) => b.slot - a.slot || a.lane - b.lane).slice(0, KEPT);
		const slots = this.wave?.slots;

		this.records = new Map([...rows].reverse().map((miss) => [key_of(miss), miss]));
		say(byId("miss-sum"), !this.wave ? "" : rows.length === 0
			? "No slot was late."
			: `${count(this.wave.misses_counted)} records: ${count(slots.missed)} slots missed, ${count(slots.skipped)} skipped, ` +
				`${count(slots.slipped)} slipped, ${count(this.wave.messages.absent)} messages ABSENT${rows.length < this.wave.misses_counted ? `; the newest ${rows.length} are shown` : ""}. A click shows what happened.`);
		keyed(this.misses, rows, key_of, (miss) => el("tr", { "data-slot": miss.slot, tabindex: "0", class: "row-button" }),
			(row, miss) => row_change(row, [[String(miss.slot), "num"], [miss.what, "word"], [miss.lane === undefined ? "" : String(miss.lane), "num"],
				[miss.late_us > 0 ? us(miss.late_us) : "–", miss.late_us > 0 ? "num bad" : "num"], [miss.instance ?? "", "word"], [miss.cause ?? "", "text"]]));
	}

	async nodes_show() {
		const [own, all] = await Promise.all([get("node").catch(() => null), get("nodes").catch(() => null)]);
		const nodes = all?.nodes?.length ? all.nodes : own ? [{ name: own.node || "this machine", joined: true, version: own.version }] : [];

		keyed(this.nodes, nodes, (node) => node.name, () => el("tr"), (row, node) => row_change(row, [
			[`${node.name}${node.manager ? " (manager)" : ""}`, "word"],
			[node.joined ? (node.heard_s > 2 ? `not heard for ${Math.round(node.heard_s)} s` : "up") : "not there", node.joined ? "word" : "word bad"],
			[node.version ?? "", "word"], [node.cpus === undefined ? "–" : plain(node.cpus), "num"], [count(node.mmac_per_s), "num"]]));
	}

	// The miss that is nearest to a second of the strip.
	near(time_ms, newest_ms) {
		const rows = [...this.records.values()];
		const slot_ms = (this.wave?.slot_ns ?? 0) / 1e6;
		const last = this.report?.slot_last;

		if (!rows.length || !slot_ms || typeof last !== "number")
			return;
		const slot = last - (newest_ms - time_ms) / slot_ms;
		const best = rows.reduce((a, b) => (Math.abs(b.slot - slot) < Math.abs(a.slot - slot) ? b : a));

		if (Math.abs(best.slot - slot) * slot_ms < 5000)
			this.choose(best.slot);
	}

	async choose(slot) {
		if (slot === undefined)
			return;
		this.chosen = String(slot);
		for (const row of this.misses.children)
			row.classList.toggle("chosen", row.dataset.slot === this.chosen);
		try {
			const miss = await get(of_waveform(this.name, `misses/${slot}`));

			if (this.chosen === String(slot))
				this.story(miss);
		} catch (error) {
			if (this.chosen === String(slot))
				this.story_plain(`Slot ${slot}`, el("p", { class: "bad", text: error.message }));
		}
	}

	// Of a slot that has no record.
	story_plain(title, text) {
		byId("story").hidden = false;
		say(byId("story-title"), title);
		byId("story-text").replaceChildren(text);
		byId("story-line").replaceChildren();
		byId("story-calls").hidden = true;
		say(byId("story-foot"), "");
		byId("story").scrollIntoView({ block: "nearest" });
	}

	story_close() {
		byId("story").hidden = true;
		this.chosen = null;
		for (const row of this.misses.children)
			row.classList.remove("chosen");
	}

	story(miss) {
		byId("story-trace").href = `/api/${of_waveform(this.name, "trace")}?ms=2000`;
		byId("story-trace").title = "what ran in the last 2 s, for ui.perfetto.dev";
		if (WITHOUT.includes(miss.what)) {
			const left = typeof miss.left_us === "number" ? `${us(miss.left_us)} were left at its end.` : "How much time was left is not known any more.";

			this.story_plain(`Slot ${miss.slot}: ${miss.what}`, el("p", { text: miss.why ? `There is no record of this slot: ${miss.why}.` : left }));
			return;
		}
		const slot_us = (this.wave ?? this.report)?.slot_ns / 1e3;

		byId("story").hidden = false;
		say(byId("story-title"), `Slot ${miss.slot}: ${miss.what}${miss.late_us > 0 && miss.what !== "skipped" ? ` by ${us(miss.late_us)}` : ""}`);
		byId("story-text").replaceChildren(el("p", { text: this.sentences(miss, slot_us) }), this.shares(miss));
		this.slices(miss, slot_us);
		say(byId("story-foot"), `Found from: ${(miss.evidence ?? []).join(", ") || "nothing"}.` +
			(miss.causes?.length && miss.late_us > 0 ? " The bars are shares of the lateness." : "") +
			(miss.calls?.length && miss.calls_missing ? ` Calls are missing: ${miss.calls_missing}.` : ""));
		byId("story").scrollIntoView({ block: "nearest" });
	}

	sentences(miss, slot_us) {
		const late = miss.what === "missed";

		return [
			`Lane ${miss.lane}, slot of ${us(slot_us)}.`,
			late && (miss.start_late_us > 0 ? `The lane began ${us(miss.start_late_us)} after the edge.` : "The lane began on time."),
			miss.instance && (late ? `The longest call was ${miss.instance}'s.` : miss.what === "absent" ? `${miss.instance} lacked a message.` : `Instance: ${miss.instance}.`),
			miss.before && `Before it ${miss.before} had the CPU.`,
			miss.count > 1 && `This record is for slots ${miss.slot} to ${miss.slot + miss.count - 1}.`,
			miss.first !== miss.slot && `The row of late slots began with slot ${miss.first}.`,
			late && miss.causes?.length && (miss.own ? "More than half of it is the waveform's own doing." : "Most of it is not the waveform's doing."),
		].filter(Boolean).join(" ");
	}

	shares(miss) {
		const causes = miss.causes ?? [];

		if (!causes.length)
			return el("p", { text: miss.cause ?? "Nothing is known of it." });
		return el("div", { class: "scroll" }, el("table", { class: "shares" }, el("tbody", {}, causes.map((cause) => {
			const bar = el("i", { class: "meter" }, el("i"));

			bar.firstElementChild.style.width = `${miss.late_us > 0 ? Math.min(100, (100 * cause.us) / miss.late_us) : 0}%`;
			return el("tr", {}, cell(cause.kind, "word"), el("td", {}, bar), cell(us(cause.us), "num"), cell(cause.text, "text"));
		}))));
	}

	// Which component ran when, on which lane; times from the edge of the slot.
	slices(miss, slot_us) {
		const parent = byId("story-line");
		const calls = (miss.calls ?? []).map((call) => ({ ...call, start_us: call.begin_ns / 1e3, us: (call.end_ns - call.begin_ns) / 1e3 }))
			.sort((a, b) => a.start_us - b.start_us);

		byId("story-calls").hidden = calls.length === 0;
		this.calls.replaceChildren(...calls.map((call) => el("tr", {}, cell(us(call.start_us), "num"), cell(us(call.us), call.instance === miss.instance ? "num bad" : "num"),
			cell(`lane ${call.lane}`, "word"), cell(call.instance, "word"))));
		if (!calls.length) {
			parent.replaceChildren(el("p", { class: "faint", text: `There are no calls to show: ${miss.calls_missing || "none ran in this slot"}.` }));
			return;
		}
		const lanes = [...new Set(calls.map((call) => call.lane))].sort((a, b) => a - b);
		const width = Math.max(320, parent.clientWidth || 320);
		const left = 58;
		const row = 30;
		const top = 20;
		const begin = Math.min(0, ...calls.map((call) => call.start_us));
		const end = Math.max(slot_us * 1.02, ...calls.map((call) => call.start_us + call.us));
		const x = (at) => left + ((at - begin) / (end - begin)) * (width - left - 12);
		const height = top + lanes.length * row + 26;
		const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
			"aria-label": `calls of slot ${miss.slot}: ${calls.length} calls on ${lanes.length} lanes` });

		picture.append(svg("rect", { class: "slice-late", x: x(slot_us), y: top - 4, width: Math.max(0, x(end) - x(slot_us)), height: lanes.length * row + 4 }));
		lanes.forEach((lane, l) => {
			const y = top + l * row;
			const group = svg("g", {}, svg("text", { class: "slice-lane", x: 0, y: y + 16, text: `lane ${lane}` }),
				svg("line", { class: "slice-base", x1: left, x2: width - 12, y1: y + row - 6, y2: y + row - 6 }));

			group.style.setProperty("--lane", lane_colour(lane));
			for (const call of calls.filter((one) => one.lane === lane)) {
				const w = Math.max(1.2, x(call.start_us + call.us) - x(call.start_us));
				const slice = svg("g", { class: call.instance === miss.instance ? "slice worst" : "slice", tabindex: "0" },
					svg("title", { text: `${call.instance}: ${us(call.us)}, from ${us(call.start_us)} after the edge on` }),
					svg("rect", { x: x(call.start_us), y: y + 1, width: w, height: row - 9, rx: 1.5 }));

				if (w > 7 * call.instance.length)
					slice.append(svg("text", { x: x(call.start_us) + w / 2, y: y + 15, "text-anchor": "middle", text: call.instance }));
				group.append(slice);
			}
			picture.append(group);
		});
		this.axis(picture, x, begin, end, slot_us, top, height, Math.max(2, Math.floor((width - left) / 110)));
		parent.replaceChildren(picture);
	}

	axis(picture, x, begin, end, slot_us, top, height, about) {
		const rough = (end - begin) / about;
		const power = 10 ** Math.floor(Math.log10(rough));
		const step = power * [1, 2, 5, 10].find((n) => n * power >= rough);

		for (let at = Math.ceil(begin / step) * step; at <= end; at += step)
			if (Math.abs(x(at) - x(slot_us)) > 40)
				picture.append(svg("line", { class: "slice-tick", x1: x(at), x2: x(at), y1: height - 26, y2: height - 22 }),
					svg("text", { class: "slice-time", x: x(at), y: height - 8, "text-anchor": x(at) > x(end) - 20 ? "end" : "middle", text: at === 0 ? "edge" : us(at) }));
		for (const [at, name] of [[0, ""], [slot_us, "end of the slot"]])
			picture.append(svg("line", { class: "slice-edge", x1: x(at), x2: x(at), y1: top - 8, y2: height - 22 }),
				svg("text", { class: "slice-time strong", x: x(at), y: at ? top - 10 : height - 8, "text-anchor": x(at) > x(end) - 60 ? "end" : "middle", text: name }));
		picture.append(svg("text", { class: "slice-time strong", x: x(slot_us), y: height - 8, "text-anchor": x(slot_us) > x(end) - 30 ? "end" : "middle", text: us(slot_us) }));
	}
}
