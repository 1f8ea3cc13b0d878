// SPDX-License-Identifier: Apache-2.0
// What the page says of the whole host: the balance sheet and how sure its sums are.
import { age, alike, bytes, percent, range, share, signedBytes } from "./amounts.js";
import { byId, html, setText } from "./dom.js";

// Returns the sum of the lines NAMES of HOST, the host's row; null if HOST has none of them. Pure.
export function sumOf(host, names) {
	const known = names
		.map((name) => (name === "residual" ? host.residual_bytes : host.memory_bytes?.[name]))
		.filter((amount) => amount !== undefined);

	return known.length ? known.reduce((a, b) => a + b, 0) : null;
}

// Returns what the page says of the certainty of HOST. Pure.
export function certaintyOf(host, complete) {
	const pss = host.pss_bytes;
	const [low, high] = [host.pss_low_bytes, host.pss_high_bytes];
	let text = complete ? "All processes together use " : "The processes measured use ";

	if (pss === undefined)
		return "The sum of all processes is not known.";
	text += bytes(pss);
	if (low !== undefined && high === undefined)
		text += `, at least ${bytes(low)}`;
	else if (low !== undefined && !alike(low, high))
		text += `, ${host.pss_measured_bytes === pss ? "" : "likely "}between ${range(low, "and", high)}`;
	if (pss && host.pss_measured_bytes !== undefined) {
		const guessed = host.pss_guessed_bytes ?? 0;
		const estimated = pss - host.pss_measured_bytes - guessed;

		text += `: ${percent(host.pss_measured_bytes / pss)} measured within the last interval`;
		text += estimated > 0 ? `, ${percent(estimated / pss)} estimated` : "";
		text += guessed > 0 ? `, ${percent(guessed / pss)} guessed` : "";
	}
	return `${text}.`;
}

// Returns the sentence about processes of HOST that could not be measured; "" if the sums are COMPLETE. IS_HIDDEN: /proc hides
// processes, which another sentence says. Pure.
export function missingOf(host, complete, isHidden) {
	const missing = Object.values(host.unmeasured_processes ?? {}).reduce((a, b) => a + b, 0);

	if (missing && host.processes !== undefined)
		return ` ${missing} of ${host.processes} processes could not be measured.`;
	return complete || isHidden ? "" : " Not every process could be measured.";
}

// Shows the age of SNAPSHOT, which is SECONDS, and what HOST lacks.
export function showAge(snapshot, seconds, host) {
	setText(byId("age"), `The snapshot of ${snapshot.time} is ${age(seconds)} old.`);
	setText(byId("missing"), missingOf(host, snapshot.complete, byId("proc-hidden") !== null));
	byId("measured").hidden = false;
}

// Returns the sentence about processes of HOST whose reads the kernel blocks; "" if there are none. Pure.
export function blockedOf(host) {
	const blocked = host.unmeasured_processes?.blocked ?? 0;

	return blocked
		? `The kernel blocks reads of ${blocked} ${blocked === 1 ? "process" : "processes"}: the figures are estimates, or the RSS.`
		: "";
}

function showBlocked(text) {
	byId("blocked")?.remove();
	if (text)
		byId("certainty").after(html("p", { id: "blocked", class: "bad" }, text));
}

function showLine(row, host) {
	const amount = sumOf(host, row.dataset.lines.split(" "));
	const [cell, part] = row.querySelectorAll("td");

	row.hidden = amount === null;
	setText(cell, amount === null ? "\u2013" : amount < 0 ? signedBytes(amount) : bytes(amount));
	setText(part, amount === null || amount < 0 ? "" : percent(amount / host.mem_total_bytes));
}

function showBar(rows, host) {
	let before = 0;

	for (const row of rows) {
		const kind = row.querySelector("rect")?.getAttribute("class");
		const rect = kind && byId("balance-bar").querySelector(`.${kind}`);
		const amount = sumOf(host, row.dataset.lines.split(" ")) ?? 0;

		if (!rect)
			continue;
		rect.setAttribute("x", share(before, host.mem_total_bytes));
		rect.setAttribute("width", share(amount, host.mem_total_bytes));
		before += amount;
	}
}

// Shows the sums and the balance sheet of HOST.
export function showHost(host, snapshot) {
	const rows = document.querySelectorAll("#balance tr[data-lines]");

	setText(byId("certainty"), certaintyOf(host, snapshot.complete));
	showBlocked(blockedOf(host));
	if (!byId("balance-bar"))
		return;
	byId("balance").hidden = !host.mem_total_bytes;
	if (!host.mem_total_bytes)
		return;
	setText(byId("mem-total"), bytes(host.mem_total_bytes));
	rows.forEach((row) => showLine(row, host));
	showBar(rows, host);
}
