// SPDX-License-Identifier: BSD-3-Clause
//
// app.js - the page: which waveform and which panel, the connection, the token. Panels are asked to fill themselves while they
// are seen; what comes every second goes to all.

import { ago, byId, count, el, keyed, say, us } from "./dom.js";
import { Lanes } from "./lanes.js";
import { Margins } from "./margins.js";
import { Events, get, of_waveform, token, token_check, token_keep, token_take } from "./server.js";
import { Signals } from "./signals.js";
import { Times } from "./times.js";
import { Waveform } from "./waveform.js";

const PANELS = ["lanes", "waveform", "signals", "times"];
const SECTION = { lanes: "lanes", waveform: "waveform-panel", signals: "signals", times: "times" };
const REPORT_SECONDS = 5;

token_take();

// wanted: the waveform of the address, or the one before nothing was loaded
const page = { panel: "", name: null, wanted: null, names: "", report: null, seconds: 0, events: 0, index: null, newest_ms: 0, live: false };
const lanes = new Lanes();
const signals = new Signals(ask_token);
const waveform = new Waveform((output) => go("signals", output), ask_token);
const times = new Times();
const margins = new Margins((time_ms) => {
	go("lanes");
	lanes.near(time_ms, page.newest_ms);
});
const panels = { lanes, waveform, signals, times };

const events = new Events({
	second,
	trouble: (json) => {
		if (page.name && json.names && !json.names.includes(page.name))
			waveforms_show(json.names.map((name) => ({ name })));
		nothing(json.error);
	},
	state: connection,
});

// ---- connection ----

function connection(state, text, back) {
	const node = byId("connection");

	page.live = state === "live";
	node.className = `connection ${state}`;
	if (state === "live") {
		say(node, "live");
		byId("lost").hidden = true;
		if (back)
			fill();
	} else {
		say(node, "no connection");
		byId("lost").hidden = false;
		say(byId("lost"), `${text}. What you see is from ${page.newest_ms ? ago((Date.now() - page.newest_ms) / 1000) : "before"}.`);
	}
	document.body.classList.toggle("stale", state !== "live");
}

function nothing(text) {
	byId("nothing").hidden = !text;
	say(byId("nothing"), text ?? "");
}

// ---- waveforms ----

function waveforms_show(all) {
	const select = byId("waveform");
	const names = all.map((one) => one.name);

	if (names.join("\n") !== page.names) {
		page.names = names.join("\n");
		select.replaceChildren(...names.map((name) => el("option", { value: name, text: name })));
		select.disabled = names.length === 0;
	}
	if (page.name && names.includes(page.name)) {
		select.value = page.name;
		return;
	}
	const next = names.includes(page.wanted) ? page.wanted : names[0] ?? null;

	if (next !== page.name || !page.begun)
		follow(next);
}

function follow(name) {
	page.begun = true;
	page.name = name;
	page.wanted = name ?? page.wanted;
	page.report = null;
	page.seconds = 0;
	page.index = null;
	byId("waveform").value = name ?? "";
	for (const panel of Object.values(panels))
		panel.follow(name);
	margins.follow(name);
	byId("vitals").replaceChildren();
	say(byId("state"), "");
	document.title = name ? `${name} · ALOE` : "ALOE";
	nothing(name ? null : "No waveform is loaded. `aloe load FILE` and `aloe start NAME` bring one here.");
	events.follow(name);
	hash_write();
	fill();
	if (page.panel === "signals")
		signals.show().catch((error) => signals.said(error.message, true));
}

function second(data) {
	const wave = data.waveform;
	const left_out = wave?.left_out ?? [];

	page.newest_ms = data.time_ms;
	clients_show(data.clients);
	if (!(data.waveforms_left_out > 0))
		waveforms_show(data.waveforms);
	else if (page.events % REPORT_SECONDS === 0)
		get("waveforms").then(({ waveforms }) => waveforms_show(waveforms)).catch(() => {});
	page.events++;
	left_out_show(data.waveforms_left_out > 0 ? [...left_out, `${data.waveforms_left_out} waveforms of the list`] : left_out);
	if (!wave || wave.name !== page.name)
		return;
	if (typeof wave.index === "number" && wave.index < page.index) // it was loaded again
		follow(page.name);
	page.index = wave.index;
	nothing(null);
	vitals(wave);
	if (!left_out.includes("lanes"))
		margins.add(data.time_ms, wave);
	lanes.second(wave, left_out);
	waveform.second(data.time_ms, wave);
	signals.second(wave);
	if (page.panel === "waveform")
		waveform.show();
	if (page.seconds++ % REPORT_SECONDS === 0 && page.seconds > 1)
		fill();
	else if (page.panel === "times")
		times.fill().catch(() => {});
}

function left_out_show(left_out) {
	byId("left-out").hidden = left_out.length === 0;
	say(byId("left-out"), `What comes every second is too long. Left out: ${left_out.join(", ")}. Figures of these change every ${REPORT_SECONDS} s, or not at all.`);
}

function vitals(wave) {
	const late = wave.slots.missed + wave.slots.skipped;
	const latency = page.report?.latency;
	const facts = [
		["slot", us(wave.slot_ns / 1e3)],
		["index", count(wave.index)],
		["late slots", count(late), late > 0],
		["slipped", count(wave.slots.slipped), wave.slots.slipped > 0],
		["ABSENT", count(wave.messages.absent), wave.messages.absent > 0],
		["lost", count(wave.messages.lost + wave.messages.overwritten), wave.messages.lost + wave.messages.overwritten > 0],
		...(latency ? [["latency", us(latency.us)]] : []),
	];

	byId("state").className = `state ${wave.state}`;
	say(byId("state"), wave.state);
	byId("state").title = wave.reason || "state of the waveform";
	keyed(byId("vitals"), facts, ([name]) => name, ([name]) => el("div", {}, el("dt", { text: name }), el("dd")), (node, [, text, bad]) => {
		say(node.lastElementChild, text);
		node.lastElementChild.className = bad ? "bad" : "";
	});
	if (wave.reason)
		nothing(`${wave.name}: ${wave.reason}`);
}

function clients_show(clients) {
	if (!clients)
		return;
	const dropped = (clients.dropped ?? 0) + (clients.frames_dropped ?? 0);

	signals.dropped = clients.frames_dropped;
	say(byId("clients"), `${clients.events} of ${clients.most} pages, ${clients.signals} of ${clients.most} signals` +
		`, ${count(clients.refused)} refused, ${count(dropped)} slow ones or frames dropped`);
}

// What the panel that is seen asks for itself; the report is for several.
async function fill() {
	const name = page.name;

	try {
		if (name && page.panel !== "times" && page.panel !== "signals" || !page.report) {
			const report = name ? await get(of_waveform(name)) : null;

			if (name !== page.name)
				return;
			page.report = report;
			for (const panel of [lanes, waveform])
				panel.report_take(report);
		}
		if (page.panel !== "signals")
			await panels[page.panel]?.fill();
	} catch (error) {
		if (error.status !== 404 && error.status !== 0)
			console.info(error.message);
	}
}

// ---- panels ----

// An address that somebody has typed may be none.
function decoded(name) {
	try {
		return decodeURIComponent(name);
	} catch {
		return null;
	}
}

function from_hash() {
	const [panel, name] = location.hash.slice(1).split("/");

	return { panel: PANELS.includes(panel) ? panel : "lanes", name: name ? decoded(name) : null };
}

function hash_write() {
	const name = page.name ?? page.wanted;
	const hash = `#${page.panel}${name ? `/${encodeURIComponent(name)}` : ""}`;

	if (location.hash !== hash)
		history.replaceState(null, "", hash);
}

function go(panel, output) {
	for (const one of PANELS) {
		const tab = byId(`tab-${one}`);

		tab.setAttribute("aria-selected", String(one === panel));
		tab.tabIndex = one === panel ? 0 : -1;
		byId(SECTION[one]).hidden = one !== panel;
	}
	if (page.panel === "signals" && panel !== "signals")
		signals.hide();
	if (page.panel !== panel)
		window.scrollTo(0, 0);
	page.panel = panel;
	if (panel === "signals")
		signals.show(output).catch((error) => signals.said(error.message, true));
	hash_write();
	fill();
	if (panel === "times")
		times.show();
	if (panel === "waveform")
		waveform.show();
}

function tabs_open() {
	for (const panel of PANELS) {
		byId(`tab-${panel}`).addEventListener("click", () => go(panel));
		byId(`tab-${panel}`).addEventListener("keydown", (event) => {
			const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];

			if (!step)
				return;
			const next = PANELS[(PANELS.indexOf(panel) + step + PANELS.length) % PANELS.length];

			go(next);
			byId(`tab-${next}`).focus();
		});
	}
	byId("waveform").addEventListener("change", (event) => follow(event.target.value));
	window.addEventListener("hashchange", () => {
		token_take();
		token_show();
		const { panel, name } = from_hash();

		if (name !== page.name && page.names.split("\n").includes(name))
			follow(name);
		go(panel);
	});
}

// ---- token ----

function token_show() {
	say(byId("token-button"), token() ? "Token is set" : "Enter token");
}

// Gives true once there is a token that the server takes.
function ask_token() {
	const dialog = byId("token-dialog");

	if (dialog.open)
		return Promise.resolve(false);
	byId("token-text").value = "";
	say(byId("token-said"), "");
	dialog.returnValue = "";
	dialog.showModal();
	return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue === "ok"), { once: true }));
}

function token_open() {
	byId("token-button").addEventListener("click", ask_token);
	byId("token-cancel").addEventListener("click", () => byId("token-dialog").close(""));
	byId("token-form").addEventListener("submit", async (event) => {
		const text = byId("token-text").value.trim();

		event.preventDefault();
		try {
			await token_check(text);
			token_keep(text);
			token_show();
			byId("token-dialog").close("ok");
		} catch (error) {
			byId("token-said").className = "said bad";
			say(byId("token-said"), error.message);
		}
	});
	token_show();
}

async function begin() {
	tabs_open();
	token_open();
	page.wanted = from_hash().name;
	go(from_hash().panel);
	get("node").then((node) => say(byId("version"), `ALOE ${node.version}${node.node ? `, node ${node.node}` : ""}`)).catch(() => {});
	try {
		waveforms_show((await get("waveforms")).waveforms);
	} catch {
		events.follow(null); // which finds out why, and goes on
	}
}

begin();
