// SPDX-License-Identifier: Apache-2.0
// Asks memtally-web for newer figures, once for each snapshot, while somebody looks at the page.
// What cannot be had is never replaced by what was there before: the page then says so instead.

const TIMEOUT_MS = 10000;
const RETRY_S = 5;
const LATER_S = 0.4; // after the expected end of a pass

// An answer that is no figures, with a message for people.
export class Refusal extends Error {
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}

// The answer at a path that may be asked for again and again: one that has not changed is not sent again.
export class Feed {
	#last = null; // the path, ETag and answer of the last load

	// Returns the answer at PATH now, an object. Throws a Refusal, or what fetch() throws.
	async load(path) {
		const last = this.#last?.path === path ? this.#last : null;
		const response = await fetch(path, {
			cache: "no-store",
			headers: last?.etag ? { "If-None-Match": last.etag } : {},
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});

		if (response.status === 304)
			return last.answer;
		if (!response.ok) {
			const body = await response.json().catch(() => ({}));

			throw new Refusal(response.status, body.error ?? `status ${response.status}`);
		}
		const answer = await response.json();

		answer.at = performance.now();
		this.#last = { path, etag: response.headers.get("ETag"), answer };
		return answer;
	}
}

// Returns how old the snapshot of ANSWER, which came at .at, is at NOW_MS, of the clock of performance.now(), in seconds.
export function ageOf({ snapshot, at }, now_ms = performance.now()) {
	return snapshot.age_seconds + (now_ms - at) / 1000;
}

// Returns the time of the host's clock in seconds since 1970, by ANSWER, at NOW_MS. The browser's clock may be wrong.
export function hostTimeOf(answer, now_ms = performance.now()) {
	return Date.parse(answer.snapshot.time) / 1000 + ageOf(answer, now_ms);
}

// Returns the seconds until the next snapshot may be there: SNAPSHOT was SECONDS old at its last answer. Pure.
export function waitFor(snapshot, seconds) {
	const interval = snapshot.interval_seconds ?? RETRY_S;
	const left = interval - seconds + LATER_S;

	/* The pass takes longer, or the next one is late: look a few times in each interval. */
	return Math.min(Math.max(left, interval / 4, 0.5), 60);
}

// Returns the sentence for ERROR, which load() threw. Pure.
export function problemOf(error) {
	if (error instanceof Refusal)
		return error.status === 503
			? `There are no figures now: ${error.message}.`
			: `memtally-web refuses the figures: ${error.message}.`;
	return "memtally-web cannot be reached.";
}

// Calls LOAD, which returns an answer of the snapshot that it has shown, at each new snapshot. LOAD shows nothing if .paused has
// become true meanwhile. Calls FAIL with the sentence for its error. Stops while the page is hidden and while .pause() is in
// force.
export class Live {
	#timer = null;
	#paused = false;
	#busy = false;

	constructor(load, fail) {
		this.load = load;
		this.fail = fail;
		document.addEventListener("visibilitychange", () => this.now());
	}

	get paused() {
		return this.#paused;
	}

	pause(paused) {
		this.#paused = paused;
		this.now();
	}

	// Loads now, unless the page is hidden or paused.
	async now() {
		let wait = RETRY_S;

		clearTimeout(this.#timer);
		if (this.#busy || this.#paused || document.hidden)
			return;
		this.#busy = true;
		try {
			const answer = await this.load();

			wait = waitFor(answer.snapshot, ageOf(answer));
		} catch (error) {
			if (!this.#paused)
				this.fail(problemOf(error));
		}
		this.#busy = false;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.now(), wait * 1000);
	}
}
