// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { coverageText, marksOf, momentOf, pathAt, placeOf, withMarks } from "../../../../web/assets/moment.js";

const coverage = {
	first_seconds: 1000,
	last_seconds: 3000,
	recording: true,
	complete: true,
	marks: [
		{ time_seconds: 1000, kinds: ["start"] },
		{ time_seconds: 1500, kinds: ["oom", "pressure"] },
		{ time_seconds: 2500, kinds: ["gap"] },
		{ time_seconds: 2750, kinds: ["oom"] },
	],
};

test("a moment is one more parameter of a path", () => {
	assert.equal(pathAt("/api/v1/host", null), "/api/v1/host");
	assert.equal(pathAt("/api/v1/host", 5.25), "/api/v1/host?at=5.25");
	assert.equal(pathAt("/api/v1/users?limit=5", 7), "/api/v1/users?limit=5&at=7");
});

test("the page says which moment it shows, or that there is none", () => {
	assert.equal(momentOf(undefined), undefined);
	assert.equal(momentOf(""), null);
	assert.equal(momentOf("1700000000.123"), 1700000000.123);
});

test("marks have a place in the covered time, the newest first", () => {
	assert.deepEqual(marksOf(coverage, "oom").map((mark) => placeOf(coverage, mark.time_seconds)), ["87.50%", "25.00%"]);
	assert.equal(placeOf(coverage, 0), "0.00%");
	assert.equal(placeOf(coverage, 9999), "100.00%");
	assert.equal(placeOf({ first_seconds: 5, last_seconds: 5 }, 5), "0.00%");
});

test("marks of both kinds are in the order of time, each once", () => {
	const ooms = { ...coverage, complete: false, marks: [{ time_seconds: 3, kinds: ["oom", "gap"] }, { time_seconds: 9, kinds: ["oom"] }] };
	const gaps = { ...coverage, last_seconds: 3010, marks: [{ time_seconds: 1, kinds: ["gap"] }, { time_seconds: 3, kinds: ["oom", "gap"] }] };
	const both = withMarks(ooms, gaps);

	assert.equal(both.last_seconds, 3010);
	assert.equal(both.complete, false);
	assert.deepEqual(marksOf(both, "oom").map((mark) => mark.time_seconds), [9, 3]);
	assert.deepEqual(marksOf(both, "gap").map((mark) => mark.time_seconds), [3, 1]);
});

test("the coverage is a sentence", () => {
	assert.match(coverageText(coverage), /^Recorded from [-\d :]+ to [-\d :]+, with 2 OOM kills and 1 gap\.$/);
	assert.match(coverageText({ ...coverage, complete: false, recording: false }), /1 gap or more\. Recording fails now\.$/);
	assert.equal(coverageText({ marks: [] }), "memtally-recorder has not recorded a snapshot yet.");
});
