// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { amountTicks, drawnTimes, growthFrom, historyPath, isComplete, isDue, largest, stackOf, summary, timeText, timeTicks, withGaps } from "../../../../web/assets/series.js";

test("growth is the last known point less the first", () => {
	const history = {
		from_seconds: -100,
		sources: [
			{ source: "memtally-ledger", from_seconds: -300, to_seconds: 0, resolution_seconds: 300 },
			{ source: "memtally-web", from_seconds: 0, to_seconds: 180, resolution_seconds: 60 },
		],
		times_seconds: [-50, 0, 60, 120, 180],
		rows: [
			{ name: "a", values: [99, 10, null, 30, 25] },
			{ name: "b", values: [99, null, 7, 4, null] },
			{ name: "c", values: [99, null, null, 5, null] },
			{ name: "d", values: [null, null, null, null, null] },
		],
	};

	assert.deepEqual(growthFrom(history), { growth: new Map([["a", 15], ["b", -3]]), seconds: 180 });
	assert.equal(growthFrom({ ...history, sources: history.sources.slice(0, 1) }).growth.size, 0);
});

test("a stack has gaps where a row is not known, and never a 0", () => {
	const stack = stackOf([{ values: [1, null, 3] }, { values: [10, 20, null] }], 3);

	assert.deepEqual(stack[0], [{ low: 0, high: 1 }, null, { low: 0, high: 3 }]);
	assert.deepEqual(stack[1], [{ low: 1, high: 11 }, { low: 0, high: 20 }, null]);
	assert.equal(largest([null, undefined]), 1);
	assert.equal(largest([3, null, 7]), 7);
});

test("no line is drawn over a gap, and none is broken where a source has few points", () => {
	const history = {
		step_seconds: 10,
		sources: [
			{ from_seconds: 0, to_seconds: 900, resolution_seconds: 300 },
			{ from_seconds: 1000, to_seconds: 2000, resolution_seconds: 10 },
		],
		times_seconds: [0, 300, 600, 1000, 1010, 1100],
		rows: [{ name: "a", values: [1, 2, 3, 4, 5, 6], low: [0, 0, 0, 0, 0, 0] }],
	};
	const drawn = withGaps(history);

	assert.deepEqual(drawn.times_seconds, [0, 300, 600, 1000, 1010, 1055, 1100]);
	assert.deepEqual(drawn.rows, [{ name: "a", values: [1, 2, 3, 4, 5, null, 6], low: [0, 0, 0, 0, 0, null, 0], high: undefined }]);
	assert.equal(history.times_seconds.length, 6);
	assert.deepEqual(withGaps({ ...history, sources: undefined, times_seconds: [], rows: [] }).times_seconds, []);
});

test("the mean of a slot stands in the middle of the part that no other point has", () => {
	const history = {
		sources: [
			{ source: "memtally-ledger", from_seconds: 0, to_seconds: 700, resolution_seconds: 300 },
			{ source: "memtally-web", from_seconds: 700, to_seconds: 710, resolution_seconds: 10 },
		],
		times_seconds: [0, 300, 600, 700, 710],
	};

	assert.deepEqual(drawnTimes(history), [150, 450, 650, 700, 710]);
	assert.deepEqual(drawnTimes({ times_seconds: [5] }), [5]);
});

test("a history is not asked for again because of a problem that lasts", () => {
	assert.ok(isComplete({}));
	assert.ok(isComplete({ problem: "x", problem_lasts: true }));
	assert.ok(!isComplete({ problem: "x", problem_lasts: false }));
});

test("the lines of a chart are round amounts that reach its top", () => {
	for (const most of [1, 900, 1024, 1e6, 5.5 * 2 ** 30, 2 ** 40]) {
		const ticks = amountTicks(most, 4);

		assert.equal(ticks[0], 0);
		assert.ok(ticks.length >= 2 && ticks.length <= 6, `${most}: ${ticks}`);
		assert.ok(ticks[ticks.length - 1] <= most);
	}
	assert.deepEqual(amountTicks(4 * 2 ** 30, 4).map((tick) => tick / 2 ** 30), [0, 1, 2, 3, 4]);
});

test("times are round, in local time, and as many as fit", () => {
	assert.deepEqual(timeTicks(1005, 1065, 3), [1020, 1050]);
	assert.deepEqual(timeTicks(0, 3600, 6), [0, 600, 1200, 1800, 2400, 3000, 3600]);
	assert.deepEqual(timeTicks(0, 86400, 2, 3600), [0 + 12 * 3600 - 3600, 86400 - 3600]);
	for (const span of [60, 3600, 86400, 30 * 86400, 365 * 86400])
		assert.ok(timeTicks(7, 7 + span, 8).length <= 9);
	assert.match(timeText(0, 60), /^\d\d:\d\d:\d\d$/);
	assert.match(timeText(0, 3600), /^\d\d:\d\d$/);
	assert.match(timeText(0, 100000), /^\d\d-\d\d \d\d:\d\d$/);
	assert.match(timeText(0, 1e6), /^\d\d-\d\d$/);
});

test("a summary leaves out what is not known", () => {
	assert.deepEqual(summary([null, 4, 2, undefined, 3, null]), { least: 2, most: 4, mean: 3, last: 3 });
	assert.equal(summary([null]), null);
});

test("a history is asked for again if its path has changed or a part was missing, a long one once a minute", () => {
	const last = (isWhole) => ({ path: "/a", at_s: 100, isWhole });

	assert.ok(isDue(null, "/a", 600, 100));
	assert.ok(isDue(last(true), "/b", 86400, 101));
	assert.ok(!isDue(last(true), "/a", 600, 900));
	assert.ok(isDue(last(false), "/a", 3600, 101));
	assert.ok(!isDue(last(false), "/a", 86400, 159));
	assert.ok(isDue(last(false), "/a", 86400, 160));
});

test("pages that ask every ten seconds ask for a day ten times in an hour", () => {
	const paths = Array.from({ length: 360 }, (_, i) => historyPath("user", null, 86400, 1e9 + 10 * i));

	assert.ok(new Set(paths).size <= 11, String(new Set(paths).size));
});
