// SPDX-License-Identifier: Apache-2.0
// Whether people with a keyboard or a screen reader can use a page: axe-core and the Tab key.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

export async function axeSource() {
	return readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}

// Returns a line for each element of PAGE that breaks a rule of axe-core, or for which axe-core can
// not tell and asks for a review of its colours.
export async function axeFindings(page, source) {
	await page.evaluate(source);
	const results = await page.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations']}));
	return results.violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.target.join(' ')}: ${node.html.slice(0, 160)}: ${node.failureSummary}`));
}

const OPERABLE = 'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"])';
const MOST_TABS = 2000;

// Runs in the page: prepares what reach() notes.
function prepare(selector) {
	const marks = ['outlineStyle', 'outlineWidth', 'outlineColor', 'boxShadow', 'stroke', 'strokeWidth'];
	const looks = one => JSON.stringify([one, ...one.querySelectorAll('*')].map(each => {
		const style = getComputedStyle(each);
		return marks.map(mark => style[mark]);
	}));
	document.activeElement?.blur?.();
	const before = new Map([...document.querySelectorAll(selector)]
		.filter(one => one.checkVisibility({visibilityProperty: true}) && !one.disabled)
		.map(one => [one, looks(one)]));
	globalThis.tabs = {before, looks, unseen: [], missed: new Set(before.keys())};
}

// Runs in the page: notes what has the focus now. Returns whether it is in the page.
function reach() {
	const one = document.activeElement;
	if (!one || one === document.body)
		return false;
	if (globalThis.tabs.looks(one) === globalThis.tabs.before.get(one))
		globalThis.tabs.unseen.push(one);
	globalThis.tabs.missed.delete(one);
	return true;
}

// Presses Tab until the focus leaves the page. Returns what can be operated and was not reached, and
// what looks the same with and without the focus.
export async function tabThrough(page) {
	await page.evaluate(prepare, OPERABLE);
	for (let i = 0; i < MOST_TABS; i++) {
		await page.keyboard.press('Tab');
		if (!await page.evaluate(reach))
			break;
	}
	return page.evaluate(() => [...[...globalThis.tabs.missed].map(one => ['missed', one]), ...globalThis.tabs.unseen.map(one => ['unseen', one])]
		.map(([why, one]) => `${why}: ${one.outerHTML.slice(0, 160)}`));
}
