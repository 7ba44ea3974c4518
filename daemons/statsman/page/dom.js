// SPDX-License-Identifier: BSD-3-Clause
//
// dom.js - elements, and numbers as text with their units. All text goes in as text: names come from users' files.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
	for (const [key, value] of Object.entries(attributes ?? {})) {
		if (value === null || value === undefined || value === false)
			continue;
		if (key.startsWith("on"))
			node.addEventListener(key.slice(2), value);
		else if (key === "text")
			node.textContent = value;
		else
			node.setAttribute(key, value === true ? "" : value);
	}
	node.append(...children.flat().filter((child) => child !== null && child !== undefined));
	return node;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const byId = (id) => document.getElementById(id);

// Rows of a list, kept by key: what stays is changed in place, so focus and scrolling stay, too.
export function keyed(parent, items, key_of, make, change) {
	const old = parent.keyed ?? new Map();
	const now = new Map();
	let at = parent.firstElementChild;

	for (const item of items) {
		const key = String(key_of(item));
		const node = now.get(key) ?? old.get(key) ?? make(item);

		change?.(node, item);
		now.set(key, node);
		if (node === at)
			at = at.nextElementSibling;
		else
			parent.insertBefore(node, at);
	}
	for (const [key, node] of old)
		if (!now.has(key))
			node.remove();
	parent.keyed = now;
}

export function say(node, text) {
	if (node.textContent !== text)
		node.textContent = text;
}

// ---- numbers ----

const known = (value) => typeof value === "number" && Number.isFinite(value);
const NOT = "–";

const digits = (value) => {
	const size = Math.abs(value);

	return size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : 2;
};

// A time given in microseconds.
export function us(value) {
	if (!known(value))
		return NOT;
	const size = Math.abs(value);

	if (size === 0)
		return "0 µs";
	if (size < 1)
		return `${Math.round(value * 1000)} ns`;
	if (size < 1000)
		return `${value.toFixed(digits(value))} µs`;
	if (size < 1e6)
		return `${(value / 1e3).toFixed(digits(value / 1e3))} ms`;
	return `${(value / 1e6).toFixed(digits(value / 1e6))} s`;
}

export const ns = (value) => (known(value) ? us(value / 1e3) : NOT);
export const count = (value) => (known(value) ? Math.round(value).toLocaleString("en").replaceAll(",", "\u202f") : NOT);

export function percent(share) {
	if (!known(share))
		return NOT;
	const value = share * 100;

	return `${value.toFixed(value >= 10 || value === 0 ? 0 : value >= 1 ? 1 : 2)} %`;
}

// With k, M or G before the unit.
export function scaled(value, unit) {
	if (!known(value))
		return NOT;
	const size = Math.abs(value);
	const [by, name] = size >= 1e9 ? [1e9, "G"] : size >= 1e6 ? [1e6, "M"] : size >= 1e3 ? [1e3, "k"] : [1, ""];

	return `${(value / by).toFixed(by === 1 && Number.isInteger(value) ? 0 : digits(value / by))} ${name}${unit}`;
}

export function plain(value) {
	if (typeof value === "number")
		return Math.abs(value) >= 1e6 && value % 1e5 === 0 ? value.toExponential().replace("e+", "e") : Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
	if (value === null || value === undefined)
		return NOT;
	if (Array.isArray(value))
		return value.length > 8 ? `${value.length} numbers` : `[${value.map(plain).join(", ")}]`;
	return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export const ago = (seconds) =>
	seconds < 1.5 ? "now" : seconds < 100 ? `${Math.round(seconds)} s ago` : `${Math.round(seconds / 60)} min ago`;

export const clock_time = (ms) => new Date(ms).toTimeString().slice(0, 8);

// ---- colours and canvases ----

// A colour of the style sheet, so that light and dark are written in one place.
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const lane_colour = (lane) => (typeof lane === "number" ? `var(--lane-${lane % 8})` : "var(--lane-several)");

// A canvas as large as its box, in the points of the screen. Gives its context, scaled to the page's points.
export function fit(canvas) {
	const box = canvas.getBoundingClientRect();
	const ratio = window.devicePixelRatio || 1;
	const width = Math.max(1, Math.round(box.width * ratio));
	const height = Math.max(1, Math.round(box.height * ratio));

	if (canvas.width !== width || canvas.height !== height) {
		canvas.width = width;
		canvas.height = height;
	}
	const context = canvas.getContext("2d");

	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	return { context, width: box.width, height: box.height };
}
