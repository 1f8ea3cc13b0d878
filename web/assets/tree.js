// SPDX-License-Identifier: Apache-2.0
// The tree of users, their programs and their processes, with what each has, and how it grows. Pure.

export const GROWTH_SECONDS = 600;

// A node has: name, kind ("host", "user", "program", "process" or "rest"), bytes (its PSS), low and high (its
// bounds, if known), growth (of ten minutes in bytes; null: not known), and children (none: a tile).

// Returns by how much process ROW grows in ten minutes, in bytes; null: that is not known yet.
export function growthOf(row) {
	const slope = row.anon_slope_bytes_per_second;

	if (slope !== undefined)
		/* Twice the standard error: less is noise. */
		return Math.abs(slope) < 2 * (row.anon_slope_error_bytes_per_second ?? 0) ? 0 : slope * GROWTH_SECONDS;
	return row.anon_growth_bytes !== undefined && row.seen_seconds <= 1.5 * GROWTH_SECONDS ? row.anon_growth_bytes : null;
}

// Returns the seconds that growthOf() of process ROW is about; 0: it is not known.
export function secondsOf(row) {
	if (growthOf(row) === null)
		return 0;
	return row.anon_slope_bytes_per_second === undefined ? row.seen_seconds : GROWTH_SECONDS;
}

// Returns the words for a growth of at most SECONDS: "in 10 min". Less than a minute counts as one.
export function spanText(seconds) {
	return `in ${Math.max(1, Math.round(seconds / 60))} min`;
}

function nodeOf(kind, name, row, growth) {
	return {
		kind,
		name,
		bytes: row.pss_bytes,
		low: row.pss_low_bytes ?? row.pss_bytes,
		high: row.pss_high_bytes ?? row.pss_bytes,
		growth,
	};
}

function sumOf(kind, name, children) {
	const total = (field) => children.reduce((sum, child) => sum + child[field], 0);
	const growths = children.map((child) => child.growth).filter((growth) => growth !== null);

	return {
		kind,
		name,
		bytes: total("bytes"),
		low: total("low"),
		high: total("high"),
		growth: growths.length ? growths.reduce((a, b) => a + b, 0) : null,
		children,
	};
}

function groupedBy(rows, field) {
	const groups = new Map();

	for (const row of rows)
		groups.set(row[field], [...(groups.get(row[field]) ?? []), row]);
	return groups;
}

function processNode(row) {
	return { ...nodeOf("process", `${row.program} ${row.pid}`, row, growthOf(row)), pid: row.pid };
}

function restNode(name, rest) {
	return { kind: "rest", name, bytes: rest, low: rest, high: rest, growth: null };
}

// Returns the node of user ROW, whose known processes are PROCESSES: the others are one tile. The sum of
// its children is the PSS of the user.
function userNode(row, processes) {
	const node = nodeOf("user", row.user, row, row.growth ?? null);
	const children = [...groupedBy(processes, "program")].map(([program, members]) =>
		sumOf("program", program, members.map(processNode)));
	const rest = row.pss_bytes - children.reduce((sum, child) => sum + child.bytes, 0);
	const others = row.processes - processes.length;

	if (!children.length)
		return node;
	if (rest > 0 && others > 0)
		children.push(restNode(`(${others} ${others === 1 ? "other" : "others"})`, rest));
	return { ...node, growth: node.growth ?? sumOf("", "", children).growth, children };
}

// Returns the tree of USERS and PROCESSES, rows of the interface from one snapshot. Without PROCESSES users are tiles. What
// is missing to PSS_BYTES, that of the host (undefined: not known), is one tile: the list of users may be cut.
export function treeOf(users, processes, pss_bytes) {
	const known = groupedBy(processes.filter((row) => row.pss_bytes > 0), "user");
	const children = users
		.filter((row) => row.pss_bytes > 0)
		.map((row) => userNode(row, known.get(row.user) ?? []));
	const rest = (pss_bytes ?? 0) - children.reduce((sum, child) => sum + child.bytes, 0);

	if (rest > 0)
		children.push(restNode("(other users)", rest));
	return sumOf("host", "All users", children);
}

// Returns the node below ROOT at PATH, an array of names; the last one on the way that still exists.
export function nodeAt(root, path) {
	let node = root;

	for (const name of path) {
		const child = node.children?.find((one) => one.name === name);

		if (!child?.children)
			break;
		node = child;
	}
	return node;
}

// Returns the sentence about why NODE does not open: WHY says which processes are shown. "": it opens.
export function whyClosed(node, why) {
	if (node.children || node.pid !== undefined)
		return "";
	return `The processes of ${node.name} are not shown. ${why}`;
}

// Returns the class of a tile for NODE: how fast it grows in proportion to its size.
export function growthClass(node) {
	const part = node.bytes ? node.growth / node.bytes : 0;
	const size = Math.abs(part);

	if (node.growth === null)
		return "unknown";
	if (size < 0.01)
		return "steady";
	return `${part > 0 ? "grows" : "shrinks"}-${size < 0.05 ? 1 : size < 0.2 ? 2 : 3}`;
}

// Returns whether the bounds of NODE are so wide, a tenth of its size, that its tile is hatched.
export function isUncertain(node) {
	return node.high - node.low > node.bytes / 10;
}
