// SPDX-License-Identifier: Apache-2.0
// All that is known of one process, in a dialog that stays up to date while it is open.
import { age, bytes, certainty, signedBytes } from "./amounts.js";
import { frame, html, nameOf } from "./dom.js";
import { Feed, Refusal } from "./live.js";
import { pathAt } from "./moment.js";
import { growthOf, secondsOf, spanText } from "./tree.js";

// Returns VALUE of FIELD of a process as text. Pure.
export function valueText(field, value) {
	if (typeof value !== "number")
		return String(value);
	if (field.endsWith("_bytes_per_second"))
		return `${signedBytes(value)} a second`;
	if (field.endsWith("_bytes"))
		return bytes(value);
	if (field === "start_time_seconds")
		return new Date(value * 1000).toISOString().replace(/\.\d+/, "");
	return field.endsWith("_seconds") ? age(value) : String(value);
}

const SOURCES = {
	rollup: "measured",
	smaps: "measured, by mapping",
	rss: "not measured: only its RSS is known",
	estimate: "an estimate from an earlier measurement",
	guess: "a guess: it was never measured yet",
};

// Returns the sentence about how sure the figures of ROW, a process, are. Pure.
export function sourceText(row) {
	const measured = row.age_seconds === undefined ? "" : `, ${age(row.age_seconds)} old`;

	return `${SOURCES[row.source] ?? row.source ?? "no figures"}${measured}` +
		(row.reason === undefined ? "" : ` (not measured now: ${row.reason})`);
}

export class ProcessDialog {
	#pid = null;
	#opener = null; // what had the focus when the dialog was opened,
	#place = null;  // and the part of the page that it was in
	#feed = new Feed();
	at = null; // the moment of the figures in seconds; null: the present

	constructor(parent) {
		this.title = html("h2", { id: "process-title" });
		this.main = html("dl");
		this.all = html("tbody");
		this.json = html("a", {}, "As JSON");
		this.dialog = html("dialog", { id: "process", "aria-labelledby": "process-title" },
			this.title, this.main,
			frame("Fields of the process", html("table", { id: "process-table" },
				html("caption", {}, "All that memtally knows of the process"),
				html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "Field"), html("th", { scope: "col" }, "Value"))),
				this.all)),
			html("p", { class: "tools" }, this.json, html("button", { type: "button", onclick: () => this.dialog.close() }, "Close")));
		this.dialog.addEventListener("close", () => this.#close());
		parent.append(this.dialog);
	}

	// Returns the focus to what opened the dialog, or to what has taken its place since.
	#close() {
		const same = this.#place?.querySelector(`[data-pid="${this.#pid}"]`);
		const next = this.#place?.querySelector('th a, [tabindex="0"]');

		this.#pid = null;
		(this.#opener?.isConnected ? this.#opener : same ?? next)?.focus();
	}

	// Opens the dialog for process PID.
	async open(pid) {
		this.#pid = pid;
		this.#opener = document.activeElement;
		this.#place = this.#opener?.closest("section");
		this.title.textContent = `Process ${pid}`;
		this.json.setAttribute("href", this.#path(pid));
		this.main.replaceChildren();
		this.all.replaceChildren();
		if (!this.dialog.open)
			this.dialog.showModal();
		await this.update();
	}

	#path(pid) {
		return pathAt(`/api/v1/processes/${pid}`, this.at);
	}

	// Shows newer figures if the dialog is open.
	async update() {
		const pid = this.#pid;

		if (pid === null)
			return;
		try {
			const { process } = await this.#feed.load(this.#path(pid));

			if (this.#pid === pid)
				this.#show(process);
		} catch (error) {
			if (this.#pid === pid)
				this.fail(error instanceof Refusal && error.status === 404
					? "The process has exited, or is no longer among those that are shown here."
					: "The figures of the process cannot be had now.");
		}
	}

	// Shows PROBLEM in place of the figures if the dialog is open.
	fail(problem) {
		if (this.#pid === null)
			return;
		this.main.replaceChildren(html("div", {}, html("dt", {}, "State"), html("dd", { class: "bad" }, problem)));
		this.all.replaceChildren();
	}

	#show(row) {
		const growth = growthOf(row);
		const items = [
			["Program", nameOf(row.program)],
			["User", nameOf(row.user)],
			["PSS", row.pss_bytes === undefined ? "not known" : bytes(row.pss_bytes)],
			["How sure", certainty(row)],
			["Source", sourceText(row)],
			[growth === null ? "Growth" : `Growth ${spanText(secondsOf(row))}`, growth === null ? "not known yet" : signedBytes(growth)],
		];

		this.title.replaceChildren(`Process ${row.pid}: `, nameOf(row.program));
		this.main.replaceChildren(...items.map(([term, value]) =>
			html("div", {}, html("dt", {}, term), html("dd", {}, value))));
		this.all.replaceChildren(...Object.entries(row).map(([field, value]) => html("tr", {},
			html("th", { scope: "row" }, html("code", {}, field)),
			html("td", {}, typeof value === "string" ? nameOf(value) : valueText(field, value)))));
	}
}
