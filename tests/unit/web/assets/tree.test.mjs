// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { growthClass, growthOf, isUncertain, nodeAt, secondsOf, spanText, treeOf, whyClosed } from "../../../../web/assets/tree.js";

const row = (user, program, pid, pss, more = {}) =>
	({ user, program, pid, pss_bytes: pss, pss_low_bytes: pss, pss_high_bytes: pss, ...more });
const users = [
	{ user: "alice", pss_bytes: 100, pss_low_bytes: 90, pss_high_bytes: 130, processes: 5 },
	{ user: "bob", pss_bytes: 40, processes: 1, growth: 7 },
	{ user: "idle", pss_bytes: 0, processes: 0 },
	{ user: "unread", processes: 1 },
];
const processes = [row("alice", "db", 1, 50), row("alice", "db", 2, 20), row("alice", "sh", 3, 10), row("eve", "sh", 4, 9)];

// Returns the sum of the tiles below NODE.
const tiles = (node) => (node.children ? node.children.reduce((sum, child) => sum + tiles(child), 0) : node.bytes);

test("the tiles add up to the users, whatever processes are known", () => {
	for (const known of [[], processes.slice(0, 1), processes]) {
		const root = treeOf(users, known);

		assert.equal(tiles(root), 140);
		assert.deepEqual(root.children.map((user) => [user.name, tiles(user)]), [["alice", 100], ["bob", 40]]);
	}
});

test("users without a row are one tile, so that shares are those of the host", () => {
	const root = treeOf(users, [], 200);

	assert.equal(root.bytes, 200);
	assert.deepEqual(root.children.map((user) => [user.kind, user.name, user.bytes]),
		[["user", "alice", 100], ["user", "bob", 40], ["rest", "(other users)", 60]]);
	assert.equal(treeOf(users, [], 140).children.length, 2);
	assert.equal(treeOf(users, [], 130).children.length, 2);
	assert.equal(treeOf(users, [], undefined).children.length, 2);
});

test("processes without a row of their own are one tile of their user", () => {
	const alice = treeOf(users, processes).children[0];

	assert.deepEqual(alice.children.map((child) => [child.kind, child.name, child.bytes]),
		[["program", "db", 70], ["program", "sh", 10], ["rest", "(2 others)", 20]]);
	assert.deepEqual(alice.children[0].children.map((child) => child.pid), [1, 2]);
	assert.equal(treeOf(users, []).children[0].children, undefined);
});

test("a place that no longer exists is the last part of it that does", () => {
	const root = treeOf(users, processes);

	assert.equal(nodeAt(root, []), root);
	assert.equal(nodeAt(root, ["alice", "db"]).name, "db");
	assert.equal(nodeAt(root, ["alice", "gone", "x"]).name, "alice");
	assert.equal(nodeAt(root, ["bob"]), root);
});

test("growth is that of ten minutes, without noise, and may be unknown", () => {
	const slope = (value, error) => growthOf({ anon_slope_bytes_per_second: value, anon_slope_error_bytes_per_second: error });

	assert.equal(slope(10, 1), 6000);
	assert.equal(slope(-10, 1), -6000);
	assert.equal(slope(10, 6), 0);
	assert.equal(slope(10, undefined), 6000);
	assert.equal(growthOf({ anon_growth_bytes: 5, seen_seconds: 300 }), 5);
	assert.equal(growthOf({ anon_growth_bytes: 5, seen_seconds: 3000 }), null);
	assert.equal(growthOf({}), null);
});

test("the words for growth name the time for which it is known", () => {
	assert.equal(secondsOf({ anon_slope_bytes_per_second: 5 }), 600);
	assert.equal(secondsOf({ anon_growth_bytes: 5, seen_seconds: 130 }), 130);
	assert.equal(secondsOf({ anon_growth_bytes: 5, seen_seconds: 3000 }), 0);
	assert.equal(spanText(130), "in 2 min");
	assert.equal(spanText(5), "in 1 min");
});

test("a part that does not open says why", () => {
	const [alice, bob] = treeOf(users, processes.filter((row) => row.user !== "bob")).children;

	assert.equal(whyClosed(alice, "Why."), "");
	assert.equal(whyClosed(alice.children[0].children[0], "Why."), "");
	assert.equal(whyClosed(bob, "Why."), `The processes of ${bob.name} are not shown. Why.`);
});

test("colours follow growth in proportion to the size", () => {
	const cases = [[null, "unknown"], [0, "steady"], [9, "steady"], [20, "grows-1"], [100, "grows-2"], [500, "grows-3"],
		[-20, "shrinks-1"], [-100, "shrinks-2"], [-900, "shrinks-3"]];

	for (const [growth, name] of cases)
		assert.equal(growthClass({ bytes: 1000, growth }), name);
	assert.equal(growthClass({ bytes: 0, growth: 5 }), "steady");
	assert.ok(isUncertain({ bytes: 100, low: 90, high: 101 }));
	assert.ok(!isUncertain({ bytes: 100, low: 95, high: 105 }));
});
