// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { age, alike, bytes, certainty, doubt, percent, range, share, signedBytes } from "../../../../web/assets/amounts.js";

test("amounts are those of render/human.c", () => {
	const cases = [
		[0, "0.0 KiB"], [1, "0.0 KiB"], [51, "0.0 KiB"], [52, "0.1 KiB"], [1024, "1.0 KiB"], [1048525, "1.0 MiB"],
		[1048524, "1023.9 KiB"], [1.5 * 2 ** 30, "1.5 GiB"], [2 ** 40, "1.0 TiB"], [2 ** 60, "1.0 EiB"],
	];

	for (const [amount, text] of cases)
		assert.equal(bytes(amount), text, String(amount));
	assert.equal(signedBytes(-2048), "\u22122.0 KiB");
	assert.equal(signedBytes(2048), "+2.0 KiB");
	assert.equal(signedBytes(0), "0.0 KiB");
});

test("a unit stands once in a range", () => {
	assert.equal(range(2.3 * 2 ** 30, "and", 6.8 * 2 ** 30), "2.3 and 6.8 GiB");
	assert.equal(range(345 * 2 ** 20, "to", 2.7 * 2 ** 30), "345.0 MiB to 2.7 GiB");
	assert.ok(alike(1048525, 1048576) && !alike(1048524, 1048576));
});

test("ages are whole seconds, minutes and hours", () => {
	const cases = [[0, "0 s"], [-1, "0 s"], [59.9, "59 s"], [60, "1 min 0 s"], [125, "2 min 5 s"], [3600, "1 h 0 min"], [11220, "3 h 7 min"]];

	for (const [seconds, text] of cases)
		assert.equal(age(seconds), text);
});

test("percentages never show none or all of nearly that", () => {
	const cases = [[0, "0 %"], [0.000001, "under 0.001 %"], [0.0234, "2.3 %"], [0.0996, "10 %"], [0.344, "34 %"], [0.9999, "99.9 %"], [1, "100 %"]];

	for (const [part, text] of cases)
		assert.equal(percent(part), text, String(part));
	assert.equal(share(1, 3), "33.33%");
	assert.equal(share(4, 3), "100.00%");
	assert.equal(share(-1, 3), "0.00%");
	assert.equal(share(1, 0), "0.00%");
});

test("bounds that cannot be told apart are sure, and absent ones are not 0", () => {
	assert.equal(certainty({}), "not known");
	assert.equal(certainty({ pss_bytes: 1024 }), "no bounds known");
	assert.equal(certainty({ pss_bytes: 1024, pss_low_bytes: 1024 }), "at least 1.0 KiB");
	assert.equal(certainty({ pss_bytes: 1024, pss_low_bytes: 1024, pss_high_bytes: 1025 }), "sure");
	assert.equal(certainty({ pss_bytes: 2048, pss_low_bytes: 1024, pss_high_bytes: 3072 }), "1.0 to 3.0 KiB");
	assert.equal(doubt({ pss_low_bytes: 1, pss_high_bytes: 5 }), 4);
	assert.equal(doubt({ pss_low_bytes: 1 }), 0);
	assert.equal(doubt({ pss_high_bytes: 5 }), 0);
});
