// SPDX-License-Identifier: BSD-3-Clause
//
// layers.js - where the boxes of a graph lie. Pure: instances and links in, places out.
//
// Layers by the longest way from a source in the order of the rows, in which writers stand before readers; the boxes of a layer in the order that crosses least (means of neighbours, up and
// down); links over several layers are led through places of their own. Layers that do not fit into the width go on below, as
// lines of text do.

const SWEEPS = 12;

function layers_of(instances, links) {
	const order = [...instances].sort((a, b) => a.row - b.row).map((one) => one.name);
	const place = new Map(order.map((name, i) => [name, i]));
	const layer = new Map(order.map((name) => [name, 0]));

	for (const name of order)
		for (const link of links)
			if (link.from === name && place.get(link.to) > place.get(name))
				layer.set(link.to, Math.max(layer.get(link.to), layer.get(name) + 1));
	// A source stands beside its first reader, not at the far left.
	for (const name of order) {
		const heard = links.some((link) => link.to === name && place.get(link.from) < place.get(name));
		const readers = links.filter((link) => link.from === name && place.get(link.to) > place.get(name));

		if (!heard && readers.length)
			layer.set(name, Math.min(...readers.map((link) => layer.get(link.to))) - 1);
	}
	return layer;
}

// Boxes and the places of long links, layer by layer: [{ name | link, up: [...], down: [...] }]
function columns_of(instances, links) {
	const layer = layers_of(instances, links);
	const columns = [];
	const box = new Map();
	const put = (at, item) => {
		(columns[at] ??= []).push(item);
		return item;
	};
	const join = (a, b) => {
		a.down.push(b);
		b.up.push(a);
	};
	const ways = [];

	for (const one of instances)
		box.set(one.name, put(layer.get(one.name), { name: one.name, up: [], down: [] }));
	for (const link of links) {
		const turned = layer.get(link.to) <= layer.get(link.from);
		const [a, b] = turned ? [link.to, link.from] : [link.from, link.to];
		const way = [box.get(a)];

		for (let at = layer.get(a) + 1; at < layer.get(b); at++)
			way.push(put(at, { link, up: [], down: [] }));
		if (a !== b)
			way.push(box.get(b));
		for (let i = 1; i < way.length; i++)
			join(way[i - 1], way[i]);
		ways.push({ link, turned, way });
	}
	for (let i = 0; i < columns.length; i++)
		columns[i] ??= [];
	return { columns, ways };
}

function crossings(columns) {
	let n = 0;

	for (const column of columns) {
		const pairs = column.flatMap((item) => item.down.map((to) => [item.at, to.at]));

		for (let i = 0; i < pairs.length; i++)
			for (let j = i + 1; j < pairs.length; j++)
				n += (pairs[i][0] - pairs[j][0]) * (pairs[i][1] - pairs[j][1]) < 0;
	}
	return n;
}

const number = (columns) => columns.forEach((column) => column.forEach((item, i) => (item.at = i)));

function order_columns(columns) {
	const mean = (items, otherwise) =>
		items.length ? items.reduce((sum, item) => sum + item.at, 0) / items.length : otherwise;
	let least = Infinity;
	let kept = null;

	number(columns);
	for (let sweep = 0; sweep < SWEEPS; sweep++) {
		const down = sweep % 2 === 0;

		for (const column of down ? columns : [...columns].reverse()) {
			const by = new Map(column.map((item) => [item, mean(down ? item.up : item.down, item.at)]));

			column.sort((a, b) => by.get(a) - by.get(b) || a.at - b.at);
			column.forEach((item, i) => (item.at = i));
		}
		const n = crossings(columns);

		if (n < least) {
			least = n;
			kept = columns.map((column) => [...column]);
		}
	}
	kept?.forEach((column, i) => columns.splice(i, 1, column));
	number(columns);
}

// Heights in tracks: each item as near as it can be to the mean of its neighbours, in its order, a box taking a track and
// the place of a long link less. Neighbours in other lines are no matter.
function heights(columns) {
	const size = (item) => (item.name ? 1 : 0.36);
	const settle = (column, wanted) => {
		const rows = column.map((item) => ({ item, y: wanted(item) }));

		for (let round = 0; round < 8; round++)
			for (let i = 1; i < rows.length; i++) {
				const gap = (size(rows[i - 1].item) + size(rows[i].item)) / 2;
				const over = rows[i - 1].y + gap - rows[i].y;

				if (over > 0) {
					rows[i - 1].y -= round < 7 ? over / 2 : 0;
					rows[i].y += round < 7 ? over / 2 : over;
				}
			}
		rows.forEach(({ item, y }) => (item.y = y));
	};
	const mean = (neighbours, line, otherwise) => {
		const items = neighbours.filter((item) => item.line === line);

		return items.length ? items.reduce((sum, item) => sum + item.y, 0) / items.length : otherwise;
	};

	for (const column of columns)
		column.forEach((item, i) => (item.y = i === 0 ? 0 : column[i - 1].y + (size(column[i - 1]) + size(item)) / 2));
	for (let sweep = 0; sweep < SWEEPS; sweep++) {
		const down = sweep % 2 === 0;

		for (const column of down ? columns : [...columns].reverse())
			settle(column, (item) => mean(down ? item.up : item.down, item.line, item.y));
	}
}

// places of boxes (x, y: their left upper corner) and of links (points from end to end), in the units of `size`:
// { width, box_width, box_height, gap, track, line_gap }
export function lay_out(instances, links, size) {
	const known = new Set(instances.map((one) => one.name));
	const { columns, ways } = columns_of(
		instances,
		links.filter((link) => known.has(link.from) && known.has(link.to)),
	);

	order_columns(columns);
	const pitch = size.box_width + size.gap;
	const side = 26; // for links that go on in the next line
	const per_line = Math.max(1, Math.floor((size.width - 2 * side + size.gap) / pitch));
	// lines as even as they can be
	const n_lines = Math.max(1, Math.ceil(columns.length / per_line));
	const in_line = Math.ceil(columns.length / n_lines);
	const step = n_lines > 1 ? Math.min(pitch * 1.5, (size.width - 2 * side - size.box_width) / Math.max(1, in_line - 1)) : pitch;
	let top = size.margin;
	const lines = [];

	columns.forEach((column, i) => column.forEach((item) => (item.line = Math.floor(i / in_line))));
	for (let first = 0; first < columns.length; first += in_line)
		heights(columns.slice(first, first + in_line));

	for (let first = 0; first < columns.length; first += in_line) {
		const items = columns.slice(first, first + in_line).flat();
		const low = Math.min(...items.map((item) => item.y));
		const high = Math.max(...items.map((item) => item.y));
		const ways_on = new Set();

		columns.slice(first, first + in_line).forEach((column, i) =>
			column.forEach((item) => {
				item.x = side + i * (first + in_line > 0 ? step : 0);
				item.middle = top + (item.y - low) * size.track + size.box_height / 2;
			}),
		);
		for (const { link, way } of ways)
			if (way.some((item, i) => i > 0 && item.line > lines.length && way[i - 1].line === lines.length))
				ways_on.add(link);
		const bottom = top + (high - low) * size.track + size.box_height;

		lines.push({ top, bottom, on: 0 });
		top = bottom + size.line_gap + 12 * ways_on.size;
	}
	const right = side + (in_line - 1) * step + size.box_width;
	const routes = ways.map((way) => route(way, lines, size, right));

	return {
		width: Math.max(right + side, 10),
		height: (lines.at(-1)?.bottom ?? 0) + size.margin,
		boxes: new Map(
			columns
				.flat()
				.filter((item) => item.name)
				.map((item) => [item.name, { x: item.x, y: item.middle - size.box_height / 2 }]),
		),
		routes,
	};
}

// Names of links that go on in the next line stand side by side.
const side_by_side = (left, right, n) => left + (right - left) * (0.3 + 0.13 * (n % 4));

// How a link is led: "M" a point to begin at, "C" a curve to a point, "R" at right angles around the end of a line.
function route({ link, turned, way }, lines, size, right) {
	const parts = [];
	const out = (item) => ({ x: item.x + (item.name ? size.box_width : size.box_width / 2), y: item.middle });
	const into = (item) => ({ x: item.x + (item.name ? 0 : size.box_width / 2), y: item.middle });

	if (way.length === 1) { // from an instance to itself
		const item = way[0];
		const y = item.middle - size.box_height / 2;

		return {
			link, turned, label: { x: item.x + size.box_width / 2, y: y - 12 },
			d: `M${item.x + size.box_width * 0.7},${y} c0,-16 ${-size.box_width * 0.4},-16 ${-size.box_width * 0.4},0`,
		};
	}
	const begin = out(way[0]);
	// where a link lies flat and no other one is: at its reader, if its writer has several
	const at_reader = way[0].down.length > 1;
	const label = { x: begin.x + size.gap / 2, y: begin.y };

	parts.push(`M${begin.x},${begin.y}`);
	for (let i = 1; i < way.length; i++) {
		const a = out(way[i - 1]);
		const b = into(way[i]);

		if (way[i - 1].line === way[i].line) {
			// flat where its text stands
			const flat = i === 1 && Math.abs(a.y - b.y) >= 4 ? Math.min(44, 0.6 * (b.x - a.x)) : 0;
			const [from, to] = at_reader ? [a.x, b.x - flat] : [a.x + flat, b.x];
			const bend = Math.max(8, (to - from) / 2);

			parts.push(`H${from} C${from + bend},${a.y} ${to - bend},${b.y} ${to},${b.y} H${b.x}`);
			if (i === 1 && Math.abs(a.y - b.y) < 4)
				Object.assign(label, { x: (a.x + b.x) / 2, y: a.y });
			else if (i === 1)
				Object.assign(label, at_reader ? { x: b.x - (way[i].name ? 27 : 20), y: b.y } : { x: a.x + 22, y: a.y });
			if (!way[i].name && i + 1 < way.length && way[i + 1].line !== way[i].line)
				parts.push(`H${b.x}`);
		} else {
			const from = lines[way[i - 1].line];
			const n = from.on++;
			const gutter = right + 7 + 4 * (n % 4);
			const left = 19 - 4 * (n % 4);
			const y = from.bottom + 14 + 12 * n;
			const r = 6;

			parts.push(
				`H${gutter - r} Q${gutter},${a.y} ${gutter},${a.y + r} V${y - r} Q${gutter},${y} ${gutter - r},${y}`,
				`H${left + r} Q${left},${y} ${left},${y + r} V${b.y - r} Q${left},${b.y} ${left + r},${b.y} H${b.x}`,
			);
			if (i === 1)
				Object.assign(label, { x: side_by_side(left, right, n), y, inline: true });
		}
	}
	return { link, turned, label, d: parts.join(" ") };
}
