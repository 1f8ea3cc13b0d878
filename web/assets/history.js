// SPDX-License-Identifier: Apache-2.0
// The part of the page with the history of owners or of one of them.
import { bytes } from "./amounts.js";
import { chart } from "./chart.js";
import { frame, html, keepFocus, nameOf, onWidth, svg } from "./dom.js";
import { Feed, Refusal } from "./live.js";
import { historyPath, isComplete, isDue, sourcesText, summary, timeText } from "./series.js";

const SCOPES = [
	["user", "users"],
	["program", "programs"],
	["unit", "units"],
	["container", "containers"],
	["host", "the host"],
];

const SPANS = [
	[600, "10 minutes"],
	[3600, "hour"],
	[86400, "day"],
	[7 * 86400, "week"],
	[30 * 86400, "30 days"],
];

function choice(id, label, options, changed) {
	const select = html("select", { id, onchange: () => changed(select.value) },
		...options.map(([value, text]) => html("option", { value }, text)));

	return { select, parts: [html("label", { for: id }, `${label} `), select] };
}

export class History {
	#scope = "user";
	#name = null;
	#span = 600;
	#width = 0;
	#history = null;
	#feed = new Feed();
	#last = null; // the last request: isDue()
	#at = null;
	#turn = 0; // of the last request: an answer to an earlier one comes too late
	#isAbsent = false; // this memtally-web has no such path

	// SECTION is the part of the page; NOW returns the time of the host's clock in seconds, or null if that is not known.
	constructor(section, now) {
		const scope = choice("history-scope", "Of", SCOPES, (value) => this.choose(value, null));
		const span = choice("history-span", "Last", SPANS, (value) => {
			this.#span = Number(value);
			this.update();
		});

		this.section = section;
		this.now = now;
		this.scope = scope.select;
		span.select.value = String(this.#span);
		this.what = html("span", { id: "history-what" });
		this.back = html("button", { type: "button", hidden: true, onclick: () => this.choose(this.#scope, null) }, "Show all");
		this.problem = html("p", { id: "history-problem", role: "status" });
		this.frame = html("div", { class: "chart-frame" });
		this.slider = html("input", { id: "history-at", type: "range", min: 0, max: 0, step: 1,
			oninput: () => this.#point(Number(this.slider.value)) });
		this.sources = html("p", { class: "note" });
		this.at = html("th", { scope: "col", class: "number" }, "Chosen time");
		this.rows = html("tbody");
		section.append(
			html("p", { class: "tools" }, ...scope.parts, " ", ...span.parts, " ", this.what, " ", this.back),
			this.problem, this.frame,
			html("p", { class: "tools" }, html("label", { for: "history-at" }, "Time in the picture: "), this.slider),
			frame("Figures of the history", html("table", { id: "history-table" },
				html("caption", {}, "PSS over the time in the picture"),
				html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "Name"), this.at,
					...["Least", "Mean", "Most", "Last"].map((text) => html("th", { scope: "col", class: "number" }, text)))),
				this.rows)),
			this.sources);
		section.hidden = false;
		onWidth(this.frame, (width) => {
			this.#width = width;
			this.#draw();
		});
	}

	// Shows the history of owner NAME of SCOPE; NAME null: of all of them.
	async choose(scope, name) {
		this.#scope = scope;
		this.#name = name;
		this.#at = null;
		this.scope.value = scope;
		this.back.hidden = name === null;
		this.what.replaceChildren(...(name === null ? [] : ["only ", nameOf(name)]));
		await this.update();
	}

	// Shows newer points, if there may be some.
	async update() {
		const now = this.now();

		if (this.#isAbsent)
			return;
		if (now === null) {
			[this.#history, this.#last] = [null, null];
			this.#draw();
			return;
		}
		const path = historyPath(this.#scope, this.#name, this.#span, now);
		const now_s = performance.now() / 1000;

		if (!isDue(this.#last, path, this.#span, now_s))
			return;
		const turn = ++this.#turn;

		this.#last = { path, at_s: now_s, isWhole: false };
		try {
			const { history } = await this.#feed.load(path);

			if (turn !== this.#turn)
				return;
			this.#history = history;
			this.#last.isWhole = isComplete(history);
			this.problem.className = "note";
			this.problem.textContent = history.problem ? `A part is missing: ${history.problem}` : "";
		} catch (error) {
			if (turn !== this.#turn)
				return;
			this.#history = null;
			this.#isAbsent = error instanceof Refusal && error.status === 404;
			this.problem.className = "bad";
			this.problem.textContent = error instanceof Refusal
				? `There is no history: ${error.message}.`
				: "There is no history: memtally-web cannot be reached.";
		}
		this.#draw();
	}

	#isStacked() {
		return this.#name === null && this.#scope !== "host";
	}

	#draw() {
		const history = this.#history;
		const count = history?.rows.length ? history.times_seconds.length : 0; // of points to show

		this.sources.textContent = history ? sourcesText(history) : "";
		this.slider.disabled = !this.#width || !count;
		if (!this.#width || !count) {
			this.frame.replaceChildren(...(history && this.#width ? [html("p", {}, "There are no points yet for this time.")] : []));
			this.rows.replaceChildren();
			return;
		}
		this.picture = chart(history, this.#isStacked(), this.#width, this.#label(), (i) => this.#point(i));
		this.frame.replaceChildren(this.picture);
		this.slider.max = count - 1;
		this.#point(Math.min(this.#at ?? count - 1, count - 1), this.#at !== null);
	}

	#label() {
		const what = this.#name === null ? SCOPES.find(([value]) => value === this.#scope)[1] : this.#name;

		return `History of the PSS of ${what}; the table below has its figures`;
	}

	// Shows the figures of the time with index I; CHOSEN: the user has chosen it.
	#point(i, chosen = true) {
		const { times_seconds: times, rows } = this.#history;
		const text = timeText(times[i], 0);

		this.#at = chosen ? i : null;
		this.slider.value = i;
		this.slider.setAttribute("aria-valuetext", text);
		this.at.textContent = `At ${text}`;
		if (chosen)
			this.picture.mark(i);
		keepFocus(this.rows, () => this.rows.replaceChildren(...rows.map((row, n) => this.#row(row, n, i))));
	}

	#row(row, n, i) {
		const s = summary(row.values);
		const cell = (value) => html("td", { class: "number" }, value === null || value === undefined ? "\u2013" : bytes(value));

		return html("tr", {},
			html("th", { scope: "row" },
				this.#isStacked()
					? svg("svg", { class: "swatch", "aria-hidden": "true" },
						svg("rect", { class: `series-${n}`, width: "100%", height: "100%" }))
					: null,
				" ", this.#isStacked() && row.name !== "(other)"
					? html("button", { type: "button", class: "name", onclick: () => this.choose(this.#scope, row.name) }, nameOf(row.name))
					: nameOf(row.name)),
			cell(row.values[i]), cell(s?.least), cell(s?.mean), cell(s?.most), cell(s?.last));
	}
}
