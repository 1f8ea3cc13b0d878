// SPDX-License-Identifier: Apache-2.0
// The map: users, their programs and their processes as areas in proportion to their PSS, and the same as a table.
import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import { bytes, percent, range, signedBytes, alike } from "./amounts.js";
import { html, keepFocus, nameOf, onWidth, setText, svg } from "./dom.js";
import { growthClass, isUncertain, nodeAt, spanText, treeOf, whyClosed } from "./tree.js";

const HEAD = 18;
const LETTER = 7.2; // pixels, about

const GROWTHS = [
	["shrinks-3", "shrinks by a fifth or more"],
	["shrinks-1", "shrinks"],
	["steady", "steady"],
	["grows-1", "grows"],
	["grows-3", "grows by a fifth or more"],
	["unknown", "growth not known yet"],
];

function legend() {
	const item = (rects, text) =>
		html("li", {}, svg("svg", { class: "swatch", "aria-hidden": "true" }, ...rects), ` ${text}`);
	const rect = (attributes) => svg("rect", { width: "100%", height: "100%", ...attributes });

	return html("ul", { class: "legend" },
		...GROWTHS.map(([name, text]) => item([rect({ class: name })], text)),
		item([rect({ class: "steady" }), rect({ fill: "url(#doubt-over)" })], "uncertain by a tenth or more"));
}

function certaintyOf(node) {
	return alike(node.low, node.high) ? "sure" : range(node.low, "to", node.high);
}

// The text that fits WIDTH pixels of TEXT; "" if that is nearly nothing.
function fitting(text, width) {
	const room = Math.floor(width / LETTER);

	if ([...text].length <= room)
		return text;
	return room >= 4 ? `${[...text].slice(0, room - 1).join("")}\u2026` : "";
}

// The text of a head: TEXT if it fits, or as much as fits of NAME. An amount is never cut.
function headOf(text, name, width) {
	return fitting(text, width) === text ? text : fitting(name, width);
}

export class TreeMap {
	#root = null;
	#why = "";
	#path = [];
	#width = 0;
	#at = 0;      // the part with the tab stop,
	#name = null; // and its name: an update may change the order

	// SECTION is the part of the page; OPEN is called with the pid of a process that was chosen.
	constructor(section, open) {
		this.open = open;
		this.trail = html("nav", { "aria-label": "Place in the map" });
		this.note = html("p", { class: "note" });
		this.said = html("p", { class: "note", role: "status" }); // why a part does not open
		this.span = html("p", { class: "note" }); // the time that colours are about
		this.growth = html("th", { scope: "col", class: "number" }, "Growth");
		this.picture = svg("svg", { class: "map", role: "group", "aria-labelledby": "map-title" });
		this.twin = html("tbody");
		this.details = html("details", { id: "map-as-table" }, html("summary", {}, "The map as a table"),
			html("div", { class: "wide" }, html("table", { id: "map-table" },
				html("caption", {}, "Parts of the place in the map"),
				html("thead", {}, html("tr", {}, ...["Part", "PSS", "Share", "How sure"].map((text, i) =>
					html("th", { scope: "col", class: i && i !== 3 ? "number" : null }, text)), this.growth)),
				this.twin)));
		section.append(
			html("p", {}, "Areas are PSS. Choose a part to see what is in it; Escape leads back."),
			this.trail, this.said, html("div", { class: "map-frame" }, this.picture), this.span, legend(), this.note, this.details);
		section.hidden = false;
		this.picture.addEventListener("keydown", (event) => this.#onKey(event));
		onWidth(this.picture.parentElement, (width) => {
			this.#width = width;
			this.#draw();
		});
	}

	// Shows USERS and PROCESSES, rows of one snapshot in which the host has PSS_BYTES; WHY says why there are no processes, or
	// which. The growth of parts is known for at most SECONDS.
	show(users, processes, pss_bytes, why, seconds) {
		this.#root = treeOf(users, processes, pss_bytes);
		this.#why = why;
		this.note.textContent = why;
		setText(this.span, seconds ? `Colours: growth ${spanText(seconds)}.` : "Colours: the growth is not known yet.");
		setText(this.growth, seconds ? `Growth ${spanText(seconds)}` : "Growth");
		this.#draw();
	}

	#node() {
		return nodeAt(this.#root, this.#path);
	}

	#go(path, focus) {
		setText(this.said, "");
		this.#path = path;
		this.#at = 0;
		this.#name = null;
		this.#draw();
		if (focus)
			this.picture.querySelector('[tabindex="0"]')?.focus();
	}

	#choose(node) {
		setText(this.said, whyClosed(node, this.#why));
		if (node.children)
			this.#go([...this.#path, node.name], true);
		else if (node.pid !== undefined)
			this.open(node.pid);
	}

	#onKey(event) {
		if (event.altKey || event.ctrlKey || event.metaKey)
			return; // the browser's own, such as the way back
		const parts = [...this.picture.querySelectorAll(".part")];
		const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -parts.length, End: parts.length };

		if (event.key === "Escape" && this.#path.length) {
			this.#go(this.#path.slice(0, -1), true);
		} else if (event.key === "Enter" || event.key === " ") {
			document.activeElement.dispatchEvent(new MouseEvent("click", { bubbles: true }));
		} else if (moves[event.key] && parts.length) {
			parts[Math.min(Math.max(this.#at + moves[event.key], 0), parts.length - 1)].focus();
		} else {
			return;
		}
		event.preventDefault();
	}

	#draw() {
		if (!this.#root || !this.#width)
			return;
		const node = this.#node();

		/* A place that no longer exists: its last part that does. */
		while (this.#path.length && nodeAt(this.#root, this.#path.slice(0, -1)) === node)
			this.#path.pop();
		this.#drawTrail();
		this.#drawPicture(node);
		this.#drawTwin(node);
	}

	#drawTrail() {
		const steps = [["All users", []], ...this.#path.map((name, i) => [name, this.#path.slice(0, i + 1)])];

		keepFocus(this.trail, () => this.trail.replaceChildren(html("ol", { class: "trail" }, ...steps.map(([name, path], i) =>
			html("li", {}, i === steps.length - 1
				? html("span", { "aria-current": "location" }, nameOf(name))
				: html("button", { type: "button", onclick: () => this.#go(path, true) }, nameOf(name)))))));
	}

	#drawPicture(node) {
		const height = this.#width < 640 ? 360 : 460;
		const top = hierarchy(node, (one) => one.children)
			.sum((one) => (one.children ? 0 : one.bytes))
			.sort((a, b) => b.value - a.value);
		const hadFocus = this.picture.contains(document.activeElement);

		treemap().tile(treemapSquarify).size([this.#width, height]).round(true)
			.paddingTop((one) => (one.depth === 1 && one.children ? HEAD : 0))
			.paddingInner(1)(top);
		this.picture.setAttribute("width", this.#width);
		this.picture.setAttribute("height", height);
		this.#keepStop(top.children ?? []);
		this.picture.replaceChildren(...(top.children ?? []).map((part, i) => this.#part(part, i, node)));
		if (hadFocus)
			this.picture.querySelector('[tabindex="0"]')?.focus();
	}

	// Leaves the tab stop at the part with its name among PARTS, or near its place if there is none.
	#keepStop(parts) {
		const same = parts.findIndex((part) => part.data.name === this.#name);

		this.#at = same >= 0 ? same : Math.max(Math.min(this.#at, parts.length - 1), 0);
		this.#name = parts[this.#at]?.data.name ?? null;
	}

	#part(part, i, whole) {
		const node = part.data;
		const text = `${node.name}: ${bytes(node.bytes)}, ${percent(node.bytes / whole.bytes)}`;
		const group = svg("g", {
			class: "part",
			role: "button",
			tabindex: i === this.#at ? "0" : "-1",
			"aria-label": text,
			"data-pid": node.pid,
		}, ...part.leaves().map((leaf) => this.#tile(leaf)));

		if (node.children) {
			group.append(
				svg("rect", { class: "head", x: part.x0, y: part.y0, width: part.x1 - part.x0, height: HEAD }),
				svg("text", { x: part.x0 + 4, y: part.y0 + 13 }, headOf(text, node.name, part.x1 - part.x0 - 8)));
		}
		group.append(svg("rect", { class: "edge", x: part.x0, y: part.y0, width: part.x1 - part.x0, height: part.y1 - part.y0 }));
		group.addEventListener("focus", () => {
			this.picture.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
			group.setAttribute("tabindex", "0");
			[this.#at, this.#name] = [i, node.name];
		});
		group.addEventListener("click", () => this.#choose(node));
		return group;
	}

	#tile(leaf) {
		const node = leaf.data;
		const place = { x: leaf.x0, y: leaf.y0, width: Math.max(leaf.x1 - leaf.x0, 0), height: Math.max(leaf.y1 - leaf.y0, 0) };
		const label = place.height >= 16 ? fitting(node.name, place.width - 6) : "";
		const whole = bytes(node.bytes);
		/* An amount without its unit would be another one. */
		const amount = label && place.height >= 32 && fitting(whole, place.width - 6) === whole ? whole : "";

		return svg("g", { class: "tile" },
			svg("title", {}, `${node.name}: ${bytes(node.bytes)} (${certaintyOf(node)})`),
			svg("rect", { class: growthClass(node), ...place }),
			isUncertain(node) ? svg("rect", { fill: "url(#doubt-over)", ...place }) : null,
			label ? svg("text", { x: place.x + 3, y: place.y + 13 }, label) : null,
			amount ? svg("text", { x: place.x + 3, y: place.y + 28 }, amount) : null);
	}

	#drawTwin(node) {
		const parts = [...(node.children ?? [])].sort((a, b) => b.bytes - a.bytes);

		keepFocus(this.twin, () => this.twin.replaceChildren(...parts.map((part) => html("tr", {},
			html("th", { scope: "row" }, part.children || part.pid !== undefined
				? html("button", { type: "button", class: "name", "data-pid": part.pid, onclick: () => this.#choose(part) }, nameOf(part.name))
				: nameOf(part.name)),
			html("td", { class: "number" }, bytes(part.bytes)),
			html("td", { class: "number" }, percent(part.bytes / node.bytes)),
			html("td", {}, part.kind === "rest" ? "not known" : certaintyOf(part)),
			html("td", { class: "number" }, part.growth === null ? "not known" : signedBytes(part.growth))))));
	}
}
