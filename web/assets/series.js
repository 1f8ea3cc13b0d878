// SPDX-License-Identifier: Apache-2.0
// Answers of /api/v1/history as numbers to draw: growth, scales, stacks and times. Pure.

const PATH = "/api/v1/history";
const ROWS = 9; // beside "(other)": as many as there are colours
const POINTS = 240;
const LONG_S = 86400; // a history of that length, or more,
const PATIENCE_S = 60; // is asked for again no sooner if a part was missing

// Returns the path for the history of SCOPE, NAME (null: all), the last SPAN seconds until NOW. Pure.
export function historyPath(scope, name, span, now, { limit = ROWS, points = POINTS } = {}) {
	const step = Math.max(1, Math.round(span / points));
	const to = Math.floor(now / step) * step;
	const values = { scope, metric: "pss_bytes", from: to - span, to, step };

	if (name !== null && scope !== "host")
		values.name = name;
	else if (scope !== "host")
		values.limit = limit;
	return `${PATH}?${new URLSearchParams(values)}`;
}

// Returns whether PATH, of the history of the last SPAN seconds, is to be asked for at NOW_S, seconds of any clock. LAST is the
// last answer: its .path and .at_s, and whether it .isWhole; null: there is none. A path that has not changed has no newer
// points. A long history costs memtally-ledger much: one question a minute is enough. Pure.
export function isDue(last, path, span, now_s) {
	if (last?.path !== path)
		return true;
	return !last.isWhole && (span < LONG_S || now_s - last.at_s >= PATIENCE_S);
}

// Returns whether HISTORY has all that there will be: a part that is missing may come unless its problem lasts. Pure.
export function isComplete(history) {
	return !history.problem || history.problem_lasts === true;
}

// Returns the sentence about where the points of HISTORY come from. Pure.
export function sourcesText(history) {
	const sources = (history.sources ?? []).map((one) =>
		`${one.source} since ${timeText(one.from_seconds, 86401)}, means of ${one.resolution_seconds} s`);

	return sources.length ? `From ${sources.join("; ")}.` : "";
}

// Returns the first and the last of VALUES at TIMES, not before FROM, that are known, as their indices; null: none or one is
// known.
function endsOf(values, times, from) {
	const known = [...values.keys()].filter((i) => times[i] >= from && values[i] !== null && values[i] !== undefined);

	return known.length > 1 ? [known[0], known[known.length - 1]] : null;
}

// Returns by how much each row of HISTORY has grown: a Map from its name to bytes, and the longest time that this is about, in
// seconds. Points of memtally-ledger do not count: they are means of times that may reach beyond what was asked for, and
// beyond the first point of memtally-web.
export function growthFrom(history) {
	const own = (history.sources ?? []).find((one) => one.source !== "memtally-ledger");
	const from = Math.max(history.from_seconds, own?.from_seconds ?? Infinity);
	const growth = new Map();
	let seconds = 0;

	for (const row of history.rows) {
		const ends = endsOf(row.values, history.times_seconds, from);

		if (!ends)
			continue;
		growth.set(row.name, row.values[ends[1]] - row.values[ends[0]]);
		seconds = Math.max(seconds, history.times_seconds[ends[1]] - history.times_seconds[ends[0]]);
	}
	return { growth, seconds };
}

// Returns the seconds between points of HISTORY at time T: the resolution of their source, or the step.
function spacingAt(history, t) {
	const source = (history.sources ?? []).find((one) => one.from_seconds <= t && t <= one.to_seconds);

	return Math.max(history.step_seconds, source?.resolution_seconds ?? 0);
}

// Returns HISTORY with a time at which nothing is known in each gap: where points are further apart than their
// sources have them. No line is drawn over it.
export function withGaps(history) {
	const times = history.times_seconds;
	const gaps = [...times.keys()].filter((i) =>
		i > 0 && times[i] - times[i - 1] > 2.5 * Math.max(spacingAt(history, times[i - 1]), spacingAt(history, times[i])));
	const open = (list, between) =>
		list && gaps.reduceRight((all, i) => [...all.slice(0, i), between(i), ...all.slice(i)], list);

	return {
		...history,
		times_seconds: open(times, (i) => (times[i - 1] + times[i]) / 2),
		rows: history.rows.map((row) => ({
			...row,
			values: open(row.values, () => null),
			low: open(row.low, () => null),
			high: open(row.high, () => null),
		})),
	};
}

// Returns the times at which the points of HISTORY are drawn. A point of memtally-ledger is the mean of a step, so it stands in
// the middle of it.
export function drawnTimes(history) {
	const times = history.times_seconds;

	return times.map((t, i) => {
		const source = (history.sources ?? []).find((one) => one.from_seconds <= t && t < one.to_seconds);

		if (source?.source !== "memtally-ledger")
			return t;
		return (t + Math.min(t + source.resolution_seconds, source.to_seconds, times[i + 1] ?? Infinity)) / 2;
	});
}

// Returns the points of a stack: for each row of ROWS an array with {low, high} for each time; null where a row of the stack
// is not known. The first row is at the bottom.
export function stackOf(rows, count) {
	const sums = new Array(count).fill(0);

	return rows.map((row) =>
		Array.from({ length: count }, (_, i) => {
			const value = row.values[i];

			if (value === null || value === undefined)
				return null;
			sums[i] += value;
			return { low: sums[i] - value, high: sums[i] };
		}));
}

// Returns the largest value of VALUES, at least 1.
export function largest(values) {
	return values.reduce((most, value) => Math.max(most, value ?? 0), 1);
}

// Returns amounts for the lines of a chart up to MOST bytes: about COUNT round numbers of a unit, from 0.
export function amountTicks(most, count) {
	const unit = 1024 ** Math.max(1, Math.floor(Math.log(most) / Math.log(1024)));
	const rough = most / unit / count;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) * unit;
	const ticks = [];

	for (let i = 0; i * step <= most; i++)
		ticks.push(i * step);
	return ticks;
}

const TIME_STEPS = [10, 30, 60, 300, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 2 * 86400, 7 * 86400, 30 * 86400];

// Returns round times between FROM and TO, in seconds, at most COUNT; OFFSET_S is local time less UTC.
export function timeTicks(from, to, count, offset_s = 0) {
	const step = TIME_STEPS.find((s) => (to - from) / s <= count) ?? to - from + 1;
	const ticks = [];

	for (let t = Math.ceil((from + offset_s) / step) * step - offset_s; t <= to; t += step)
		ticks.push(t);
	return ticks;
}

// Returns the text of time SECONDS in a chart that spans SPAN seconds, in local time.
export function timeText(seconds, span) {
	const date = new Date(seconds * 1000);
	const two = (n) => String(n).padStart(2, "0");
	const day = `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
	const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;

	if (span > 3 * 86400)
		return day;
	return span > 86400 ? `${day} ${clock}` : span < 600 ? `${clock}:${two(date.getSeconds())}` : clock;
}

// Returns the least, the largest, the mean and the last value of VALUES that is known; null: none is known.
export function summary(values) {
	const known = values.filter((value) => value !== null && value !== undefined);

	if (!known.length)
		return null;
	return {
		least: Math.min(...known),
		most: Math.max(...known),
		mean: known.reduce((a, b) => a + b, 0) / known.length,
		last: known[known.length - 1],
	};
}
