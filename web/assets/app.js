// SPDX-License-Identifier: Apache-2.0
// The script of memtally-web's page: keeps its figures up to date, sorts and filters, and draws the pictures.
// Without it the page has the same figures of the time when it was loaded (web/site/page.c).
import { byId, html, setText } from "./dom.js";
import { History } from "./history.js";
import { ageOf, Feed, hostTimeOf, Live, problemOf, Refusal } from "./live.js";
import { momentOf, MomentSlider, pathAt } from "./moment.js";
import { ProcessDialog } from "./process.js";
import { growthFrom, historyPath, isDue } from "./series.js";
import { showAge, showHost } from "./sums.js";
import { Table } from "./table.js";
import { GROWTH_SECONDS, growthOf, secondsOf } from "./tree.js";
import { TreeMap } from "./treemap.js";

const LIMIT = 500; // rows of a list at most

const SURE_NOTE = "\u201cHow sure\u201d has the least and the most that the PSS may be; \u201csure\u201d: both look the same.";

const COLUMNS = [
	["name", "program", "Process"],
	["pss", "pss_bytes", "PSS"],
	["doubt", null, "How sure"],
	["growth", "anon_growth_bytes", "Growth, 10 min"],
	["rss", "rss_bytes", "RSS"],
	["swap", "swap_pss_bytes", "Swap"],
	["user", "user", "User"],
];

// Appends the table of processes to SECTION; the tables of owners are in the page already.
function addProcessTable(section) {
	const table = html("table", { id: "processes-table", "data-list": "processes", "data-name": "program" },
		html("caption", {}, "Memory of single processes: choose one for all that is known of it. ", html("span", {}, SURE_NOTE),
			" Growth is that of anonymous memory, resident or swapped out, for ten minutes at the rate of the last hour. It counts ",
			"shared pages in full, so it may be more than the PSS beside it."),
		html("thead", {}, html("tr", {}, ...COLUMNS.map(([order, field, title]) =>
			html("th", {
				scope: "col",
				"data-order": order,
				"data-field": field,
				class: ["name", "doubt", "user"].includes(order) ? null : "number",
				"aria-sort": order === "pss" ? "descending" : null,
			}, html("a", { href: "#processes" }, title))))),
		html("tbody"));

	section.append(html("div", { class: "wide" }, table), html("p", { id: "processes-note", class: "note" }));
	section.hidden = false;
	return table;
}

// An owner without processes stays in the snapshot for an hour; tables leave it out.
function hasProcesses(row) {
	return row.processes !== 0;
}

// Returns whether ANSWERS are of one snapshot; a refusal is of none.
function isOfOne(answers) {
	const sequences = answers.map((answer) => answer.snapshot?.sequence).filter((sequence) => sequence !== undefined);

	return sequences.every((sequence) => sequence === sequences[0]);
}

class Page {
	#feeds = Object.fromEntries(
		["host", "users", "programs", "processes", "user-growth", "program-growth"].map((name) => [name, new Feed()]));
	#pasts = {}; // the last history of each scope: isDue()
	#refusal = null; // in place of processes, which this caller does not see: not asked for again
	#seen = null; // the last snapshot, when it was received, and the host
	#at = momentOf(document.querySelector("main").dataset.at) ?? null; // the moment that is shown; null: the present
	#turn = 0; // of the last choice of a moment: an answer to an earlier one comes too late
	#covered = 0; // when the coverage was asked for

	constructor() {
		this.main = byId("figures");
		this.problem = html("p", { id: "problem", class: "bad", role: "alert" });
		this.status = html("span", { id: "live" });
		this.toggle = html("button", { type: "button", onclick: () => this.#pause() }, "Pause");
		byId("state").append(this.problem, html("p", { class: "tools" }, this.status, " ", this.toggle));
		this.live = new Live(() => this.#load(), (problem) => this.#fail(`${problem} The page tries again every few seconds.`));
		this.moment = new MomentSlider(byId("moment"), (at) => this.#go(at));
		this.moment.show(this.#at, momentOf(document.querySelector("main").dataset.at) === undefined);
		byId("to-live")?.addEventListener("click", (event) => this.#toLive(event));
		history.replaceState({ at: this.#at }, ""); // the way back to it
		addEventListener("popstate", (event) => this.#go(event.state?.at ?? null, false));
		setInterval(() => this.#tick(), 1000);
		document.addEventListener("visibilitychange", () => this.#wake());
	}

	// Builds the parts of the page that only the script has.
	start() {
		if (this.main) {
			this.dialog = new ProcessDialog(document.body);
			this.history = new History(byId("history"), () => (this.#seen ? this.#now(this.#seen) : null));
			this.map = new TreeMap(byId("map"), (pid) => this.dialog.open(pid));
			this.tables = {
				users: this.#ownerTable("users-table", "user"),
				programs: this.#ownerTable("programs-table", "program"),
				processes: new Table(addProcessTable(byId("processes")), {
					choose: (row) => this.dialog.open(row.pid),
					hint: "by program, user or pid",
					names: ["program", "user", "pid"],
				}),
			};
		}
		this.#cover();
		if (momentOf(document.querySelector("main").dataset.at) === null)
			return; // the page says why there are no figures of that time
		if (this.#at === null)
			this.live.now();
		else
			this.#go(this.#at, false);
	}

	// Returns the time that ANSWER is about, in seconds by the host's clock.
	#now(answer) {
		return this.#at === null ? hostTimeOf(answer) : Date.parse(answer.snapshot.time) / 1000 + 1;
	}

	// Says that the figures are those of TIME, a text; null: those of the present.
	#sayPast(time) {
		const line = byId("past") ?? html("p", { id: "past", class: "banner" });

		line.hidden = time === null;
		line.replaceChildren(`This is the past: the figures of ${time}. `,
			html("a", { href: "/", onclick: (event) => this.#toLive(event) }, "Show the present"));
		byId("moment").before(line);
	}

	#toLive(event) {
		if (!this.main)
			return; // the link loads a page with figures
		event.preventDefault();
		this.#go(null);
	}

	// Shows moment AT; null: the present. IS_NEW: it gets an entry in the browser's list of pages.
	async #go(at, isNew = true) {
		if (!this.main) {
			location.assign(pathAt("/", at));
			return;
		}
		const turn = ++this.#turn;

		this.#at = at;
		if (isNew)
			history.pushState({ at }, "", pathAt("/", at));
		this.moment.show(at, at === null);
		this.#refusal = null;
		this.live.pause(at !== null);
		this.toggle.hidden = at !== null;
		if (at === null) {
			this.#sayPast(null);
			return; // Live goes on
		}
		try {
			await this.#load();
		} catch (error) {
			if (turn === this.#turn)
				this.#fail(problemOf(error));
		}
	}

	#ownerTable(id, scope) {
		return new Table(byId(id), {
			choose: (row) => this.#showHistory(scope, row[scope]),
			hint: "choose a name for its history",
		});
	}

	#showHistory(scope, name) {
		this.history.choose(scope, name);
		byId("history-title").scrollIntoView();
		byId("history-scope").focus();
	}

	#pause() {
		this.live.pause(!this.live.paused);
		setText(this.toggle, this.live.paused ? "Go on" : "Pause");
		this.#tick();
	}

	// Returns the answers with the host, users, programs and processes, of one snapshot.
	async #lists() {
		const at = this.#at;
		const list = (name) => this.#feeds[name].load(pathAt(`/api/v1/${name}?limit=${LIMIT}`, at));
		/* The others find the snapshot of the past that memtally-web has got for the first. */
		const host = this.#feeds.host.load(pathAt("/api/v1/host", at));

		if (at !== null)
			await host;
		const ask = (first) => Promise.all([
			first ?? this.#feeds.host.load(pathAt("/api/v1/host", at)),
			list("users"),
			list("programs"),
			this.#refusal ?? list("processes").catch((error) => this.#refused(error)),
		]);
		const answers = await ask(host);

		/* A new snapshot has come in between: what is of the old one is asked for again. */
		return isOfOne(answers) ? answers : ask();
	}

	// Loads what the parts of the page show. Returns the answer with the host.
	async #load() {
		const turn = this.#turn;
		const [host, users, programs, processes] = await this.#lists();

		if (turn !== this.#turn)
			return host; // another moment was chosen
		if (!this.main) {
			location.reload();
			return host;
		}
		const [seconds] = await Promise.all([
			this.#addGrowth("user", users.users, this.#now(host), this.tables.users),
			this.#addGrowth("program", programs.programs, this.#now(host), this.tables.programs),
		]);
		if (turn !== this.#turn || (this.live.paused && this.#at === null))
			return host; // while it loaded
		this.#show(host, users, programs, processes, seconds);
		this.dialog.at = this.#at;
		await Promise.all([this.history.update(), this.dialog.update()]);
		this.#cover();
		return host;
	}

	// Asks once a minute which time is recorded.
	#cover() {
		if (performance.now() - this.#covered < 60000 && this.#covered)
			return;
		this.#covered = performance.now();
		this.moment.load();
	}

	// Returns the reason why this caller sees no processes in place of them.
	#refused(error) {
		if (!(error instanceof Refusal) || error.status !== 403)
			throw error;
		this.#refusal = { processes: [], why: error.message };
		return this.#refusal;
	}

	// Returns the history of the owners of SCOPE over the time of growth until NOW, the host's.
	async #pastOf(scope, now) {
		const path = historyPath(scope, null, GROWTH_SECONDS, now, { limit: 100, points: 20 });
		const last = this.#pasts[scope];

		if (!isDue(last, path, GROWTH_SECONDS))
			return last.history;
		const { history } = await this.#feeds[`${scope}-growth`].load(path);

		/* What memtally-ledger lacks makes no difference; too few points of memtally-web do. */
		this.#pasts[scope] = { path, history, isWhole: growthFrom(history).growth.size > 0 };
		return history;
	}

	// Returns by how much the owners of SCOPE have grown until NOW: what growthFrom() returns; null if that is not known.
	async #growthUntil(scope, now) {
		if (this.hasNoHistory)
			return null;
		try {
			const found = growthFrom(await this.#pastOf(scope, now));

			return found.growth.size ? found : null;
		} catch (error) {
			if (!(error instanceof Refusal))
				throw error;
			this.hasNoHistory = error.status === 404;
			return null;
		}
	}

	// Adds to ROWS by how much each owner has grown until NOW. Returns the seconds that this is about; 0: it is not known.
	async #addGrowth(scope, rows, now, table) {
		const found = await this.#growthUntil(scope, now);

		table.takeGrowth(rows, scope, found);
		return found?.seconds ?? 0;
	}

	// Shows the answers. The growth of users is about SECONDS.
	#show(host, users, programs, processes, seconds) {
		const rows = processes.processes;

		this.#seen = { snapshot: host.snapshot, at: host.at, host: host.host };
		rows.forEach((row) => (row.growth = growthOf(row)));
		this.#sayPast(this.#at === null ? null : host.snapshot.time);
		showHost(host.host, host.snapshot);
		this.tables.users.show(users.users.filter(hasProcesses), users.users.length >= LIMIT);
		this.tables.programs.show(programs.programs.filter(hasProcesses), programs.programs.length >= LIMIT);
		this.tables.processes.show(rows, rows.length >= LIMIT);
		setText(byId("processes-note"), this.#noteOf(processes));
		this.map.show(users.users, rows, host.host.pss_bytes, this.#noteOf(processes), Math.max(seconds, ...rows.map(secondsOf)));
		setText(this.problem, "");
		this.main.hidden = false;
		this.#tick();
	}

	#noteOf(processes) {
		if (processes.why)
			return `Only sums are shown: ${processes.why}.`;
		return processes.processes.length < LIMIT
			? "These are the processes that this client may see."
			: `These are the ${LIMIT} largest processes that this client may see.`;
	}

	// Shows PROBLEM in the place of the figures.
	#fail(problem) {
		setText(this.problem, problem);
		byId("measured").hidden = true;
		setText(byId("certainty"), "");
		byId("blocked")?.remove();
		this.#seen = null;
		this.#refusal = null;
		this.dialog?.fail(problem);
		if (this.main)
			this.main.hidden = true;
		this.#tick();
	}

	// Hides what a page that was not looked at for long still has.
	#wake() {
		if (!document.hidden && this.#seen && this.#at === null && !this.live.paused && ageOf(this.#seen) > 3 * this.#seen.snapshot.interval_seconds)
			this.#fail("Newer figures are on their way. The page tries again every few seconds.");
	}

	#tick() {
		if (this.#seen)
			showAge(this.#seen.snapshot, ageOf(this.#seen), this.#seen.host);
		if (this.#at !== null) {
			setText(this.status, "The past: the figures stay as they are.");
			return;
		}
		setText(this.status, this.live.paused ? "Paused: the figures stay as they are." : this.#seen ? "Live." : "");
	}
}

new Page().start();
