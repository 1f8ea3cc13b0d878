// SPDX-License-Identifier: Apache-2.0
// Tables with bars: rows of the interface, sorted by the head that was chosen last and filtered by name.
// The heads say which fields the rows have (web/page/owner-part.c).
import { alike, bytes, certainty, doubt, range, signedBytes } from "./amounts.js";
import { bar, mostOf } from "./bar.js";
import { byId, html, keepFocus, nameOf, setText } from "./dom.js";

const FEW = 20; // rows at first
const MANY = 500; // rows after the button for more

// Returns what ROW is sorted by in ORDER; undefined: it comes last. Pure.
export function keyOf(row, order, field, name) {
	if (order === "name")
		return row[name];
	if (order === "doubt")
		return doubt(row);
	return order === "growth" && row.growth !== undefined ? (row.growth ?? undefined) : row[field];
}

// Returns whether the rows in ORDER ascend: names do, amounts do not. Pure.
export function ascends(order) {
	return order === "name" || order === "user";
}

// Returns a copy of ROWS in ORDER. Pure.
export function sorted(rows, order, field, name) {
	const sign = ascends(order) ? 1 : -1;

	return [...rows].sort((a, b) => {
		const [x, y] = [keyOf(a, order, field, name), keyOf(b, order, field, name)];

		if (x === undefined || y === undefined)
			return (x === undefined) - (y === undefined);
		return sign * (x < y ? -1 : x > y ? 1 : 0);
	});
}

// Returns the rows of ROWS with TEXT in one of the fields NAMES, in any case. Pure.
export function filtered(rows, names, text) {
	const wanted = text.toLowerCase();

	return wanted ? rows.filter((row) => names.some((name) => String(row[name]).toLowerCase().includes(wanted))) : rows;
}

// Returns the row of ROWS with the widest bounds, among those that are not sure; null: all are. Pure.
export function leastCertain(rows) {
	return rows
		.filter((row) => doubt(row) > 0 && !alike(row.pss_low_bytes, row.pss_high_bytes))
		.reduce((most, row) => (doubt(row) > doubt(most ?? {}) ? row : most), null);
}

// Returns the row of ROWS that has grown most over the history; null: none is known to have grown. Pure.
export function grownMost(rows) {
	return rows.reduce((most, row) => ((row.growth ?? 0) > (most?.growth ?? 0) ? row : most), null);
}

// Sets the growth of ROWS by FOUND, of growthFrom(), for the names in field NAME: null if it is not known. Without FOUND it is
// undefined, so that the column has the figure of the server, unless the head names the history already: IS_NAMED. Pure but
// for ROWS, which may be those of an earlier answer.
export function addGrowth(rows, name, found, isNamed) {
	for (const row of rows)
		row.growth = found || isNamed ? (found?.growth.get(row[name]) ?? null) : undefined;
}

function amountIn(row, order, field) {
	if (order === "growth" && row.growth !== undefined)
		return row.growth === null ? "\u2013" : signedBytes(row.growth);
	if (row[field] === undefined)
		return "\u2013";
	return field.endsWith("_bytes") || field.endsWith("_bytes_total") ? bytes(row[field]) : String(row[field]);
}

// A table of the page whose rows come from the interface.
export class Table {
	#rows = [];
	#isCut = false; // the list has more rows than these
	#filter = "";
	#limit = FEW;

	// TABLE is the element. CHOOSE is called with the row whose name was chosen; NAMES are the fields that the filter looks at.
	constructor(table, { choose, hint, names = [table.dataset.name] }) {
		this.table = table;
		this.name = table.dataset.name;
		this.names = names;
		this.choose = choose;
		this.columns = [...table.tHead.querySelectorAll("th")];
		for (const th of this.columns)
			th.querySelector("a").addEventListener("click", (event) => this.#sort(event, th));
		this.growth = html("p", { id: `${table.id.replace("-table", "")}-growth` });
		this.more = html("button", { type: "button", hidden: true, onclick: () => this.#showMore() });
		this.table.parentElement.after(this.more);
		this.#addFilter(hint);
		[...this.table.tBodies[0].rows].slice(FEW).forEach((row) => (row.hidden = true));
	}

	#showMore() {
		this.#limit = this.#limit === FEW ? MANY : FEW;
		this.show(this.#rows, this.#isCut);
	}

	get order() {
		return this.columns.find((th) => th.hasAttribute("aria-sort")).dataset.order;
	}

	#addFilter(hint) {
		const id = `${this.table.id}-filter`;
		const input = html("input", { id, type: "search", autocomplete: "off", spellcheck: "false" });

		input.addEventListener("input", () => {
			this.#filter = input.value;
			this.show(this.#rows, this.#isCut);
		});
		this.table.parentElement.before(html("p", { class: "tools" },
			html("label", { for: id }, "Filter: "), input, html("span", { class: "note" }, ` ${hint}`)));
	}

	#sort(event, th) {
		if (!this.#rows.length)
			return; // nothing has come yet: the link leads to the server's order
		event.preventDefault();
		this.columns.forEach((other) => other.removeAttribute("aria-sort"));
		th.setAttribute("aria-sort", ascends(th.dataset.order) ? "ascending" : "descending");
		this.show(this.#rows, this.#isCut);
	}

	#cell(th, row, most) {
		const { order, field } = th.dataset;

		if (order === "name")
			return html("th", { scope: "row" },
				html("button", { type: "button", class: "name", "data-pid": row.pid, onclick: () => this.choose(row) },
					nameOf(row[this.name]), row.pid === undefined ? null : ` ${row.pid}`));
		if (order === "doubt")
			return html("td", {}, certainty(row));
		if (order === "user")
			return html("td", {}, nameOf(row.user));
		return html("td", { class: "number" }, amountIn(row, order, field), order === "pss" ? bar(row, most) : null);
	}

	// Shows ROWS: all that there are of this list or, if it IS_CUT, the largest.
	show(rows, isCut) {
		const th = this.columns.find((column) => column.hasAttribute("aria-sort"));
		const found = filtered(rows, this.names, this.#filter);
		const shown = sorted(found, th.dataset.order, th.dataset.field, this.name).slice(0, this.#limit);
		const most = mostOf(shown);
		const body = this.table.tBodies[0];

		this.#rows = rows;
		this.#isCut = isCut;
		keepFocus(body, () => body.replaceChildren(
			...shown.map((row) => html("tr", {}, ...this.columns.map((column) => this.#cell(column, row, most))))),
		th.querySelector("a"));
		this.#showRest(found.length - shown.length, found, shown);
		this.#showLeastCertain(rows);
	}

	#showRest(count, found, shown) {
		const sum = (list) => list.reduce((total, row) => total + (row.pss_bytes ?? 0), 0);

		this.more.hidden = found.length <= FEW;
		setText(this.more, count > 0 ? `Show ${Math.min(found.length, MANY)} rows` : "Show fewer rows");
		this.table.deleteTFoot();
		if (count > 0)
			this.table.createTFoot().append(html("tr", {},
				html("th", { scope: "row" }, `${count} more${this.#isCut ? ` of the ${this.#rows.length} largest` : ""}`),
				html("td", { class: "number" }, bytes(sum(found) - sum(shown))),
				html("td", { colspan: this.columns.length - 2 })));
		else if (this.#isCut)
			this.table.createTFoot().append(html("tr", {},
				html("td", { colspan: this.columns.length }, `Only the ${this.#rows.length} largest are here.`)));
	}

	#showLeastCertain(rows) {
		const least = leastCertain(rows);
		const place = byId(`${this.table.id.replace("-table", "")}-doubt`);

		if (!place)
			return;
		if (least)
			place.replaceChildren("Least certain: ", nameOf(least[this.name]),
				`, between ${range(least.pss_low_bytes, "and", least.pss_high_bytes)}.`);
		else
			setText(place, "");
		place.after(this.growth);
		this.#showMostGrown(rows);
	}

	#showMostGrown(rows) {
		const most = grownMost(rows);

		this.growth.replaceChildren(...(most
			? [`${this.since}, `, nameOf(most[this.name]), ` has grown most: ${signedBytes(most.growth)}.`]
			: []));
	}

	// Gives ROWS the growth that FOUND, of growthFrom(), has for the names in field NAME. From the first FOUND that is not null
	// on, the column has no other growth.
	takeGrowth(rows, name, found) {
		if (found)
			this.#nameGrowth(Math.max(1, Math.round(found.seconds / 60)));
		addGrowth(rows, name, found, this.since !== undefined);
	}

	// Says that growth is that of the last MINUTES.
	#nameGrowth(minutes) {
		const link = this.table.tHead.querySelector('[data-order="growth"] a');

		this.since = `In the last ${minutes} min`;
		setText(link, `Growth, ${minutes} min`);
		setText(this.table.caption.querySelector(".growth"), "Growth is the change of the PSS over this time.");
	}
}
