// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { ageOf, Feed, hostTimeOf, Live, problemOf, Refusal, waitFor } from "../../../../web/assets/live.js";
import { sourceText, valueText } from "../../../../web/assets/process.js";
import { historyPath, sourcesText } from "../../../../web/assets/series.js";
import { blockedOf, certaintyOf, missingOf, sumOf } from "../../../../web/assets/sums.js";
import { addGrowth, filtered, grownMost, leastCertain, sorted } from "../../../../web/assets/table.js";

test("the next snapshot is asked for when it may be there", () => {
	assert.equal(waitFor({ interval_seconds: 10 }, 4), 6.4);
	assert.equal(waitFor({ interval_seconds: 10 }, 11), 2.5);
	assert.equal(waitFor({ interval_seconds: 0.1 }, 9), 0.5);
	assert.equal(waitFor({ interval_seconds: 3600 }, 1), 60);
	assert.equal(waitFor({}, 0), 5.4);
});

test("the time of the host is that of its snapshot plus its age, whatever the browser's clock says", () => {
	const answer = { snapshot: { time: "2001-09-09T01:46:40.250Z", age_seconds: 2.5 }, at: 4000 };

	assert.equal(ageOf(answer, 5000), 3.5);
	assert.equal(hostTimeOf(answer, 5000), 1e9 + 0.25 + 3.5);
});

test("an answer that has not changed is that of its own path, whatever was asked meanwhile", async () => {
	const feed = new Feed();
	const answers = [];
	const answer = (status, path) => answers.shift()({ status, ok: status === 200, headers: new Headers({ ETag: "x" }), json: async () => ({ path }) });

	globalThis.fetch = () => new Promise((resolve) => answers.push(resolve));
	let first = feed.load("/one");
	answer(200, "/one");
	assert.equal((await first).path, "/one");
	first = feed.load("/one");
	const second = feed.load("/two");
	answers.reverse();
	answer(200, "/two");
	assert.equal((await second).path, "/two");
	answer(304);
	assert.equal((await first).path, "/one");
});

test("a page that is paused while it loads shows no problem in place of its figures", async () => {
	globalThis.document = { hidden: false, addEventListener: () => {} };
	for (const [isPaused, expected] of [[false, ["memtally-web cannot be reached."]], [true, []]]) {
		const problems = [];
		const live = new Live(async () => {
			live.pause(isPaused);
			throw new TypeError("fetch failed");
		}, (problem) => problems.push(problem));

		await live.now();
		live.pause(true); // ends its timer
		assert.deepEqual(problems, expected);
	}
});

test("problems are sentences", () => {
	assert.equal(problemOf(new Refusal(503, "the snapshot is stale")), "There are no figures now: the snapshot is stale.");
	assert.equal(problemOf(new Refusal(401, "a password is needed")), "memtally-web refuses the figures: a password is needed.");
	assert.equal(problemOf(new TypeError("fetch failed")), "memtally-web cannot be reached.");
});

test("rows sort by amounts downwards, by names upwards, and unknown ones last", () => {
	const rows = [{ user: "b", rss_bytes: 1 }, { user: "a", rss_bytes: 9, pss_low_bytes: 1, pss_high_bytes: 2 },
		{ user: "c", pss_low_bytes: 1, pss_high_bytes: 9, growth: null }];
	const order = (...how) => sorted(rows, ...how, "user").map((row) => row.user).join("");

	assert.equal(order("rss", "rss_bytes"), "abc");
	assert.equal(order("name", undefined), "abc");
	assert.equal(order("doubt", undefined), "cab");
	rows[0].growth = 5;
	rows[1].growth = -5;
	assert.equal(order("growth", "anon_growth_bytes_total"), "bac");
	assert.equal(rows[0].user, "b");
});

test("the row that has grown most is one that has grown", () => {
	assert.equal(grownMost([{ growth: -5 }, { growth: null }, { growth: 0 }, {}]), null);
	assert.equal(grownMost([{ growth: 3 }, { growth: 9 }, { growth: null }]).growth, 9);
	assert.equal(grownMost([]), null);
});

test("a column that has had growth of the history never has another quantity", () => {
	const rows = [{ user: "a", anon_growth_bytes_total: 9 }, { user: "b", anon_growth_bytes_total: 9 }];
	const growth = (...how) => {
		addGrowth(rows, "user", ...how);
		return rows.map((row) => row.growth);
	};

	assert.deepEqual(growth(null, false), [undefined, undefined]);
	assert.deepEqual(growth({ growth: new Map([["a", 5]]) }, true), [5, null]);
	assert.deepEqual(growth(null, true), [null, null]);
});

test("the least certain row is one with bounds that look different", () => {
	const row = (low, high) => ({ pss_low_bytes: low, pss_high_bytes: high });
	const rows = [row(2 ** 34, 2 ** 34 + 2 ** 20), row(1024, 9 * 1024), row(1024, 4 * 1024), {}, row(undefined, 5)];

	assert.equal(leastCertain(rows), rows[1]);
	assert.equal(leastCertain([rows[0], {}]), null);
});

test("a filter finds parts of names in any case, and takes nothing for a pattern", () => {
	const rows = [{ user: "Alice", pid: 12 }, { user: "<b>", pid: 7 }];

	assert.deepEqual(filtered(rows, ["user"], "ALI"), [rows[0]]);
	assert.deepEqual(filtered(rows, ["user", "pid"], "7"), [rows[1]]);
	assert.deepEqual(filtered(rows, ["user"], ".*"), []);
	assert.deepEqual(filtered(rows, ["user"], ""), rows);
});

test("the sums of the host say what is missing", () => {
	const host = { memory_bytes: { free: 1, free_lists: 2 }, residual_bytes: -4, processes: 5, unmeasured_processes: { denied: 1, error: 2 } };

	assert.equal(sumOf(host, ["free", "free_lists", "zram"]), 3);
	assert.equal(sumOf(host, ["zram"]), null);
	assert.equal(sumOf(host, ["residual"]), -4);
	assert.equal(missingOf(host, false, true), " 3 of 5 processes could not be measured.");
	assert.equal(missingOf({ unmeasured_processes: { denied: 0 } }, true, false), "");
	assert.equal(missingOf({}, false, false), " Not every process could be measured.");
	assert.equal(missingOf({}, false, true), "");
	assert.equal(blockedOf({ unmeasured_processes: { blocked: 1 } }),
		"The kernel blocks reads of 1 process: the figures are estimates, or the RSS.");
	assert.match(blockedOf({ unmeasured_processes: { blocked: 2 } }), / 2 processes: /);
	assert.equal(blockedOf({ unmeasured_processes: { denied: 2 } }) + blockedOf({}), "");
	assert.equal(certaintyOf({ pss_bytes: 1024, pss_low_bytes: 1024, pss_high_bytes: 2048, pss_measured_bytes: 512, pss_guessed_bytes: 256 }, true),
		"All processes together use 1.0 KiB, likely between 1.0 and 2.0 KiB: 50 % measured within the last interval, 25 % estimated, 25 % guessed.");
	assert.equal(certaintyOf({}, true), "The sum of all processes is not known.");
});

test("names of any kind stay one parameter of the history", () => {
	const path = historyPath("user", "a&b=c #\u00e9", 600, 1000.7, { points: 60 });
	const query = new URL(path, "http://host").searchParams;

	assert.equal(query.get("name"), "a&b=c #\u00e9");
	assert.equal(query.get("to"), "1000");
	assert.equal(query.get("from"), "400");
	assert.equal(query.get("step"), "10");
	assert.equal(new URL(historyPath("host", null, 600, 0), "http://host").searchParams.get("limit"), null);
	assert.equal(new URL(historyPath("user", null, 600, 0), "http://host").searchParams.get("limit"), "9");
	assert.equal(sourcesText({ sources: [] }), "");
	assert.match(sourcesText({ sources: [
		{ source: "memtally-ledger", from_seconds: 0, resolution_seconds: 300 },
		{ source: "memtally-web", from_seconds: 600, resolution_seconds: 10 },
	] }), /^From memtally-ledger since [-\d :]+, means of 300 s; memtally-web since [-\d :]+, means of 10 s\.$/);
});

test("the fields of a process are amounts, ages and times", () => {
	assert.equal(valueText("pss_bytes", 1024), "1.0 KiB");
	assert.equal(valueText("anon_slope_bytes_per_second", -1024), "\u22121.0 KiB a second");
	assert.equal(valueText("start_time_seconds", 0.5), "1970-01-01T00:00:00Z");
	assert.equal(valueText("seen_seconds", 61), "1 min 1 s");
	assert.equal(valueText("exported", true), "true");
	assert.equal(sourceText({ source: "estimate", age_seconds: 9, reason: "blocked" }),
		"an estimate from an earlier measurement, 9 s old (not measured now: blocked)");
	assert.equal(sourceText({}), "no figures");
});
