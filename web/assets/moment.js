// SPDX-License-Identifier: Apache-2.0
// The slider for a moment of the past, with marks of OOM kills and gaps. memtally-recorder says which time it covers; without it
// there is no slider.
import { html, svg } from "./dom.js";
import { Feed, Refusal } from "./live.js";
import { timeText } from "./series.js";

const PATH = "/api/v1/coverage";
const STEP_S = 10;
const SETTLE_MS = 200; // the slider is still being moved
const LISTED = 20; // OOM kills
const BEFORE_S = 0.001; // the snapshot with the mark is the first one after the kill

// Returns PATH for the moment AT, in seconds since 1970; null: the present. Pure.
export function pathAt(path, at) {
	return at === null ? path : `${path}${path.includes("?") ? "&" : "?"}at=${at}`;
}

// Returns the moment in TEXT, what the server put into the page: undefined: the page shows the present; null: it shows no
// moment, for it is not recorded. Pure.
export function momentOf(text) {
	if (text === undefined)
		return undefined;
	return text === "" ? null : Number(text);
}

// Returns the marks of COVERAGE of KIND, the newest first. Pure.
export function marksOf(coverage, kind) {
	return coverage.marks.filter((mark) => mark.kinds.includes(kind)).reverse();
}

// Returns coverage GAPS with the marks of OOMS, too. They are asked for by themselves, since an answer has so many marks and
// no more. Pure.
export function withMarks(ooms, gaps) {
	const others = gaps.marks.filter((mark) => !mark.kinds.includes("oom"));

	return {
		...gaps,
		complete: ooms.complete && gaps.complete,
		marks: [...ooms.marks, ...others].sort((a, b) => a.time_seconds - b.time_seconds),
	};
}

// Returns the place of time T between the first and the last time of COVERAGE, for an attribute. Pure.
export function placeOf(coverage, t) {
	const span = coverage.last_seconds - coverage.first_seconds;

	return `${(span > 0 ? Math.min(Math.max(100 * (t - coverage.first_seconds) / span, 0), 100) : 0).toFixed(2)}%`;
}

// Returns the sentence about what COVERAGE has. Pure.
export function coverageText(coverage) {
	const ooms = marksOf(coverage, "oom").length;
	const gaps = marksOf(coverage, "gap").length;
	const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;
	const span = 86401; // with the date

	if (coverage.first_seconds === undefined)
		return "memtally-recorder has not recorded a snapshot yet.";
	return `Recorded from ${timeText(coverage.first_seconds, span)} to ${timeText(coverage.last_seconds, span)}, ` +
		`with ${count(ooms, "OOM kill", "OOM kills")} and ${count(gaps, "gap", "gaps")}` +
		`${coverage.complete ? "" : " or more"}${coverage.recording ? "" : ". Recording fails now"}.`;
}

export class MomentSlider {
	#coverage = null;
	#at = null;
	#isLive = true;
	#timer = null;
	#feeds = { oom: new Feed(), gap: new Feed() };

	// PLACE is the form that the page has without scripts. CHOOSE is called with the chosen moment in seconds; null: the present.
	constructor(place, choose) {
		this.choose = choose;
		this.slider = html("input", { id: "moment-slider", type: "range", step: STEP_S,
			oninput: () => this.#move(Number(this.slider.value)) });
		this.text = html("output", { for: "moment-slider" });
		this.strip = svg("svg", { class: "strip", "aria-hidden": "true" });
		this.note = html("p", { class: "note" });
		this.kills = html("p", { class: "tools", id: "moment-kills" });
		this.live = html("button", { type: "button", id: "moment-live", onclick: () => this.choose(null) }, "Live");
		const by = (seconds, text) => html("button", { type: "button", onclick: () => this.#step(seconds) }, text);

		this.part = html("div", { id: "moment-part", hidden: true },
			html("p", { class: "tools" }, html("label", { for: "moment-slider" }, "Time: "), this.text,
				by(-600, "\u221210 min"), by(-60, "\u22121 min"), by(60, "+1 min"), by(600, "+10 min"), this.live),
			this.slider, this.strip, this.kills, this.note);
		place.before(this.part);
		this.form = place;
	}

	// Asks anew which time is covered.
	async load() {
		try {
			/* One after the other: memtally-recorder answers few questions of a user at once. */
			const ooms = (await this.#feeds.oom.load(`${PATH}?kind=oom`)).coverage;
			const gaps = ooms.problem ? ooms : (await this.#feeds.gap.load(`${PATH}?kind=gap`)).coverage;

			this.#coverage = gaps.problem ? null : withMarks(ooms, gaps);
		} catch (error) {
			if (!(error instanceof Refusal))
				return;
			this.#coverage = null;
		}
		this.#draw();
	}

	// Shows that the page is at AT, in seconds; null: at the present if it IS_LIVE, otherwise at no recorded moment.
	show(at, isLive) {
		this.#at = at;
		this.#isLive = isLive;
		this.#draw();
	}

	#draw() {
		const coverage = this.#coverage;

		this.part.hidden = !coverage;
		if (!coverage)
			return;
		this.note.textContent = coverageText(coverage);
		this.slider.disabled = coverage.first_seconds === undefined;
		this.live.disabled = this.#isLive;
		if (coverage.first_seconds === undefined)
			return;
		this.slider.min = Math.floor(coverage.first_seconds);
		this.slider.max = Math.ceil(coverage.last_seconds);
		this.#say(this.#at);
		this.strip.replaceChildren(...["gap", "oom"].flatMap((kind) => marksOf(coverage, kind).map((mark) =>
			svg("rect", { class: `mark-${kind}`, x: placeOf(coverage, mark.time_seconds), width: 2, height: "100%" }))));
		this.kills.replaceChildren(...marksOf(coverage, "oom").slice(0, LISTED).map((mark) =>
			html("button", { type: "button", onclick: () => this.choose(mark.time_seconds - BEFORE_S) },
				`Before the OOM kill of ${timeText(mark.time_seconds, 0)}`)));
	}

	#say(at) {
		const text = at === null ? (this.#isLive ? "now" : "not recorded") : `${timeText(at, 86401)}:${String(Math.floor(at) % 60).padStart(2, "0")}`;

		if (document.activeElement !== this.slider || at === null)
			this.slider.value = at ?? this.slider.max;
		this.text.textContent = text;
		this.slider.setAttribute("aria-valuetext", text);
	}

	#move(at) {
		this.#say(at);
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.choose(at), SETTLE_MS);
	}

	#step(seconds) {
		const coverage = this.#coverage;
		const at = (this.#at ?? coverage.last_seconds) + seconds;

		this.choose(Math.min(Math.max(at, Math.ceil(coverage.first_seconds)), coverage.last_seconds));
	}
}
