// SPDX-License-Identifier: Apache-2.0
// The picture of a history: owners stacked, or one of them as a line with its bounds.
import { area, line } from "d3-shape";
import { bytes } from "./amounts.js";
import { svg } from "./dom.js";
import { amountTicks, drawnTimes, largest, stackOf, timeText, timeTicks, withGaps } from "./series.js";

const HEIGHT = 300;
const LEFT = 72;
const BOTTOM = 24;
const TOP = 8;
const LABEL_PX = 90;

// The place of times and amounts in a picture WIDTH pixels wide.
function scales(history, most, width) {
	const [from, to] = [history.from_seconds, history.to_seconds];

	return {
		x: (seconds) => LEFT + ((seconds - from) / Math.max(to - from, 1)) * (width - LEFT - 8),
		y: (amount) => HEIGHT - BOTTOM - (amount / most) * (HEIGHT - BOTTOM - TOP),
		time: (px) => from + ((px - LEFT) / (width - LEFT - 8)) * (to - from),
	};
}

function axes(history, most, width, { x, y }) {
	const [from, to] = [history.from_seconds, history.to_seconds];
	const offset = -new Date(to * 1000).getTimezoneOffset() * 60;

	return [
		...amountTicks(most, 4).flatMap((amount) => [
			svg("line", { class: "grid", x1: LEFT, x2: width - 8, y1: y(amount), y2: y(amount) }),
			svg("text", { class: "tick", x: LEFT - 6, y: y(amount) + 4, "text-anchor": "end" }, bytes(amount)),
		]),
		...timeTicks(from, to, Math.max(2, Math.floor((width - LEFT) / LABEL_PX)), offset).map((time) =>
			svg("text", { class: "tick", x: x(time), y: HEIGHT - 6, "text-anchor": "middle" }, timeText(time, to - from))),
	];
}

function stacked(history, { x, y }) {
	const times = history.times_seconds;
	const points = stackOf(history.rows, times.length);
	const shape = area()
		.defined((point) => point !== null)
		.x((_, i) => x(times[i]))
		.y0((point) => y(point.low))
		.y1((point) => y(point.high));

	return points.map((row, i) => svg("path", { class: `series-${i}`, d: shape(row) ?? "" }));
}

function single(history, { x, y }) {
	const times = history.times_seconds;
	const row = history.rows[0];
	const isKnown = (list) => (_, i) => list?.[i] !== null && list?.[i] !== undefined;
	const band = area()
		.defined((point, i) => isKnown(row.low)(point, i) && isKnown(row.high)(point, i))
		.x((_, i) => x(times[i]))
		.y0((_, i) => y(row.low[i]))
		.y1((_, i) => y(row.high[i]));
	const stroke = line()
		.defined(isKnown(row.values))
		.x((_, i) => x(times[i]))
		.y((value) => y(value));

	return [
		row.low && row.high ? svg("path", { fill: "url(#doubt)", d: band(times) ?? "" }) : null,
		svg("path", { class: "stroke", d: stroke(row.values) ?? "" }),
	];
}

// Returns the largest amount that the chart of HISTORY reaches.
function mostOf(history, isStacked) {
	const rows = history.rows;

	if (isStacked)
		return largest(stackOf(rows, history.times_seconds.length).flat().map((point) => point?.high));
	return largest(rows.flatMap((row) => [...row.values, ...(row.high ?? [])]));
}

// Returns the picture of HISTORY, an answer of the interface, WIDTH pixels wide, with LABEL for screen readers. POINT is
// called with the index of the time below the pointer.
export function chart(history, isStacked, width, label, point) {
	const times = drawnTimes(history);
	const drawn = withGaps({ ...history, times_seconds: times });
	const most = mostOf(history, isStacked) * 1.05;
	const place = scales(history, most, width);
	const mark = svg("line", { class: "mark", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
	const picture = svg("svg", { class: "chart", role: "img", "aria-label": label, width, height: HEIGHT },
		...axes(history, most, width, place),
		...(isStacked ? stacked(drawn, place) : single(drawn, place)), mark);

	picture.addEventListener("pointermove", (event) => {
		const time = place.time(event.clientX - picture.getBoundingClientRect().left);

		point(nearest(times, time));
	});
	picture.mark = (i) => {
		const x = place.x(times[i]);

		mark.setAttribute("x1", x);
		mark.setAttribute("x2", x);
		mark.setAttribute("visibility", "visible");
	};
	return picture;
}

// Returns the index of the time of TIMES, ascending, that is nearest to TIME. Pure.
export function nearest(times, time) {
	return times.reduce((best, t, i) => (Math.abs(t - time) < Math.abs(times[best] - time) ? i : best), 0);
}
