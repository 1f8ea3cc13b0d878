// SPDX-License-Identifier: Apache-2.0
// Amounts for people, in the same words as render/human.c. Pure.

const UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const UNIT = 1024;

// Returns BYTES in tenths of a unit, and the index of the unit: the largest of which it is at least one.
function amountOf(bytes) {
	let divisor = UNIT;
	let unit = 0;
	let tenths = Math.floor((bytes * 10) / divisor + 0.5);

	while (tenths >= 10 * UNIT && unit + 1 < UNITS.length) {
		divisor *= UNIT;
		unit++;
		tenths = Math.floor((bytes * 10) / divisor + 0.5);
	}
	return { tenths, unit };
}

function digits(tenths) {
	return `${Math.floor(tenths / 10)}.${tenths % 10}`;
}

// Returns BYTES, 0 or more, with one decimal and its unit: "2.3 GiB".
export function bytes(amount) {
	const { tenths, unit } = amountOf(amount);

	return `${digits(tenths)} ${UNITS[unit]}`;
}

// Returns BYTES with a sign, unless it is 0.
export function signedBytes(amount) {
	return (amount > 0 ? "+" : amount < 0 ? "\u2212" : "") + bytes(Math.abs(amount));
}

// Returns whether bytes() shows both amounts in the same way.
export function alike(a, b) {
	return bytes(a) === bytes(b);
}

// Returns both amounts with WORD between them; the unit stands once if it is the same.
export function range(low, word, high) {
	const a = amountOf(low);
	const b = amountOf(high);

	return `${digits(a.tenths)}${a.unit === b.unit ? "" : ` ${UNITS[a.unit]}`} ${word} ${bytes(high)}`;
}

// Returns SECONDS as whole seconds, minutes and hours: "2 min 5 s".
export function age(seconds) {
	const s = Math.max(0, Math.floor(seconds));

	if (s >= 3600)
		return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
	return s >= 60 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${s} s`;
}

// Returns PART, 0 or more, in percent: two significant digits, whole numbers from 10 % on.
export function percent(part) {
	const value = part * 100;

	if (value <= 0)
		return "0 %";
	if (value < 0.001)
		return "under 0.001 %";
	if (value > 99 && value < 100)
		return `${Math.min(value, 99.9).toFixed(1)} %`;
	return value < 9.95 ? `${Number(value.toPrecision(2))} %` : `${value.toFixed(0)} %`;
}

// Returns PART of WHOLE for an attribute, at most "100.00%".
export function share(part, whole) {
	return `${(whole > 0 ? Math.min(Math.max((100 * part) / whole, 0), 100) : 0).toFixed(2)}%`;
}

// Returns how sure the PSS of ROW, a row of the interface, is: its bounds, or that these look the same.
export function certainty(row) {
	if (row.pss_bytes === undefined)
		return "not known";
	if (row.pss_low_bytes === undefined)
		return "no bounds known";
	if (row.pss_high_bytes === undefined)
		return `at least ${bytes(row.pss_low_bytes)}`;
	if (alike(row.pss_low_bytes, row.pss_high_bytes))
		return "sure";
	return range(row.pss_low_bytes, "to", row.pss_high_bytes);
}

// Returns the bytes between the bounds of the PSS of ROW; 0 if there are no bounds.
export function doubt(row) {
	return Math.max(0, (row.pss_high_bytes ?? 0) - (row.pss_low_bytes ?? row.pss_high_bytes ?? 0));
}
