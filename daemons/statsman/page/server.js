// SPDX-License-Identifier: BSD-3-Clause
//
// server.js - what the page asks of aloe-statsman, and how it notices that nobody answers.

const TOKEN = "aloe-token";
const SILENT_MS = 4000; // an event comes every second
const AGAIN_MS = 1000;
const ANSWER_MS = 30000;

// ---- token ----

// `aloe web` prints an address that ends in the token. It does not stay in the address bar.
export function token_take() {
	const found = /^#([0-9a-f]{64})$/.exec(location.hash);

	if (found) {
		sessionStorage.setItem(TOKEN, found[1]);
		history.replaceState(null, "", location.pathname);
	}
}

export const token = () => sessionStorage.getItem(TOKEN) ?? "";
export const token_keep = (text) => (text ? sessionStorage.setItem(TOKEN, text) : sessionStorage.removeItem(TOKEN));

// ---- questions ----

async function answer_of(response) {
	const body = await response.json().catch(() => ({}));

	if (!response.ok)
		throw Object.assign(new Error(body.error ?? `the server answers ${response.status}`), { status: response.status, body });
	return body;
}

async function ask(path, options) {
	let response;

	try {
		response = await fetch(path, { ...options, signal: AbortSignal.timeout(ANSWER_MS) });
	} catch {
		throw Object.assign(new Error("the server does not answer"), { status: 0 });
	}
	return answer_of(response);
}

export const get = (path) => ask(`/api/${path}`);

export const post = (path, body) =>
	ask(`/api/${path}`, {
		method: "POST",
		headers: { "Content-Type": "application/json", "X-Aloe-Token": token() },
		body: JSON.stringify(body),
	});

export const token_check = (text) => ask("/api/token", { headers: { "X-Aloe-Token": text } });
export const of_waveform = (name, what = "") => `waveforms/${encodeURIComponent(name)}${what ? `/${what}` : ""}`;

// ---- what comes every second ----

// By WebSockets: of streams of events a browser opens no more than six to a server, all its tabs together.
const socket_at = (path, question) => {
	const words = new URLSearchParams(question).toString();

	return new WebSocket(`ws://${location.host}/api/${path}${words ? `?${words}` : ""}`);
};

// calls: second(data), trouble(json), state("live" | "lost", text, is it back)
export class Events {
	constructor(calls) {
		this.calls = calls;
		this.waveform = null;
		this.source = null;
		this.heard_ms = performance.now();
		this.lost_ms = null;
		this.why = ""; // there is no connection, where it is known
		setInterval(() => this.watch(), 500);
		// a page that the browser keeps for the way back looks at nothing
		addEventListener("pagehide", () => {
			const socket = this.source;

			this.source = null;
			socket?.close();
		});
		addEventListener("pageshow", ({ persisted }) => persisted && this.open());
	}

	follow(waveform) {
		this.waveform = waveform;
		this.open();
	}

	open() {
		clearTimeout(this.again);
		const before = this.source, socket = socket_at("events", this.waveform ? { waveform: this.waveform } : {});

		this.source = socket;
		before?.close();
		this.heard_ms = performance.now();
		socket.onmessage = ({ data }) => {
			if (socket !== this.source)
				return;
			const { event, data: json } = JSON.parse(data);

			this.heard();
			if (event === "second")
				this.calls.second(json);
			else
				this.calls.trouble(json);
		};
		socket.onclose = () => {
			if (socket === this.source)
				this.fail(socket);
		};
	}

	heard() {
		const back = this.lost_ms !== null;

		this.heard_ms = performance.now();
		this.lost_ms = null;
		this.why = "";
		this.calls.state("live", "", back);
	}

	// A browser does not say why there is no WebSocket (404 of a waveform that is gone, 503): so why is asked, and it is
	// opened again.
	async fail(source) {
		source.close();
		this.source = null;
		this.lost("");
		try {
			const { clients } = await get("node");

			if (clients.events >= clients.most)
				this.lost(`${clients.most} clients look already, and more are not served; trying again`);
			else if (this.waveform)
				await get(of_waveform(this.waveform));
		} catch (error) {
			if (error.status === 404) {
				this.heard();
				this.waveform = null;
				this.calls.trouble({ error: error.message, names: error.body?.names ?? [] });
			} else if (error.status > 0) {
				this.lost(error.message);
			}
		}
		if (!this.source) {
			clearTimeout(this.again);
			this.again = setTimeout(() => this.open(), AGAIN_MS);
		}
	}

	lost(why) {
		this.lost_ms ??= performance.now();
		this.why = why;
		const seconds = Math.round((performance.now() - this.lost_ms) / 1000);

		this.calls.state("lost", why || `connection lost${seconds >= 2 ? ` for ${seconds} s` : ""}, trying again`);
	}

	watch() {
		if (this.lost_ms !== null)
			this.lost(this.why);
		else if (this.source && performance.now() - this.heard_ms > SILENT_MS)
			this.fail(this.source);
	}
}

// ---- signals ----

const RELOADED = "another waveform of this name was loaded";

// calls: head(json), rate(json), state(json), error(json), frame(frame), closed(), ended(), reloaded()
export class Signal {
	constructor(question, calls) {
		this.calls = calls;
		this.question = question;
		this.ended = false;
		this.bytes = 0;
		addEventListener("pagehide", () => this.socket?.close(), { once: true });
		this.open();
	}

	open() {
		const socket = socket_at("signal", this.question);

		socket.binaryType = "arraybuffer";
		this.socket = socket;
		socket.onmessage = ({ data }) => {
			if (socket !== this.socket)
				return;
			this.bytes += typeof data === "string" ? data.length : data.byteLength;
			if (typeof data === "string")
				this.text(JSON.parse(data));
			else
				this.calls.frame(frame_of(data));
		};
		socket.onclose = () => {
			if (socket !== this.socket || this.ended)
				return;
			this.calls.closed();
			this.again = setTimeout(() => this.open(), AGAIN_MS);
		};
	}

	text(json) {
		if (json.state === "reloaded" || json.error === RELOADED) {
			this.close();
			this.calls.reloaded();
		} else if (json.error !== undefined) {
			this.ended = true; // asking again would bring the same
			this.calls.error(json);
		} else if (json.state === "ended") {
			this.ended = true; // until the waveform runs again
			this.calls.ended();
		} else if (json.view !== undefined) {
			this.calls.head(json);
		} else if (json.rate !== undefined) {
			this.calls.rate(json);
		} else if (json.state !== undefined) {
			this.calls.state(json);
		}
	}

	close() {
		this.ended = true;
		clearTimeout(this.again);
		const socket = this.socket;

		this.socket = null;
		socket?.close();
	}
}

// A head of 16 bytes, little endian, then bytes of levels or signed bytes of points.
function frame_of(buffer) {
	const view = new DataView(buffer);

	return {
		index: Number(view.getBigUint64(0, true)),
		scale: view.getFloat32(8, true),
		n: view.getUint16(12, true),
		parts: view.getUint8(14),
		lost: (view.getUint8(15) & 1) !== 0,
		levels: new Uint8Array(buffer, 16),
		points: new Int8Array(buffer, 16),
	};
}
