// SPDX-License-Identifier: Apache-2.0
// The bar of an amount with its bounds, as web/page/bar.c draws it.
import { share } from "./amounts.js";
import { svg } from "./dom.js";

// Returns the bar of ROW, a row of the interface, where MOST bytes fill it; null if the PSS is not known.
export function bar(row, most) {
	const low = row.pss_low_bytes ?? row.pss_bytes;
	const high = row.pss_high_bytes ?? row.pss_bytes;

	if (row.pss_bytes === undefined)
		return null;
	return svg("svg", { class: "bar", "aria-hidden": "true" },
		svg("rect", { class: "sure", width: share(low, most), height: "100%" }),
		high > low
			? svg("rect", { fill: "url(#doubt)", x: share(low, most), width: share(high - low, most), height: "100%" })
			: null,
		high > low ? svg("rect", { class: "mark", x: share(row.pss_bytes, most), width: "2", height: "100%" }) : null);
}

// Returns the largest upper bound of ROWS.
export function mostOf(rows) {
	return rows.reduce((most, row) => Math.max(most, row.pss_high_bytes ?? row.pss_bytes ?? 0), 0);
}
