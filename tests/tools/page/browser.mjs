// SPDX-License-Identifier: Apache-2.0
// Chromium for scenarios about the page: starts the browser, opens the page and collects every
// problem that the browser reports. The packages of npm are in node_modules beside this file.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PROGRAM = process.env.MEMTALLY_CHROMIUM ?? '/usr/bin/chromium';
// A machine with other work may need that long; no condition is expected to take longer.
const PATIENCE_MS = 120_000;

// Runs RUN(browser) with a Chromium that ends afterwards, and exits with status 1 if RUN throws.
export async function withBrowser(run) {
	const browser = await chromium.launch({
		executablePath: PROGRAM,
		chromiumSandbox: false, // its sandbox does not run as root
		args: ['--disable-gpu', '--disable-dev-shm-usage'],
	});
	try {
		await run(browser);
	} catch (error) {
		process.exitCode = 1;
		console.error(error.stack ?? error);
	} finally {
		await browser.close();
	}
}

// Tells the page's own scripts about violations of the policy: without them only the console does.
function reportViolations() {
	document.addEventListener('securitypolicyviolation', event =>
		console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
}

// Requests of the browser's own, and answers that tell of an absent daemon: the console lists both.
function isExpected(message, allowed) {
	const where = message.location().url ?? '';
	return where.endsWith('/favicon.ico') || allowed.some(pattern => pattern.test(message.text()));
}

// Opens URL and returns the page. Its array "problems" gets errors of scripts and of the console,
// violations of the content security policy, and dialogs, which no test expects. Options:
//   javaScript  false: scripts do not run. Then axe-core cannot run, either
//   ownScripts  false: the page's scripts are not loaded, and all others run
//   scheme      'light' or 'dark'
//   width       columns of pixels
//   motion      'reduce' or 'no-preference'
//   allowed     patterns of messages that are no problem
export async function openPage(browser, url, options = {}) {
	const { javaScript = true, ownScripts = true, scheme = 'light', width = 1280, motion = 'reduce' } = options;
	const allowed = [...options.allowed ?? [], ...ownScripts ? [] : [/ERR_FAILED/]];
	const context = await browser.newContext({
		javaScriptEnabled: javaScript,
		colorScheme: scheme,
		reducedMotion: motion,
		viewport: { width, height: 900 },
	});
	const page = await context.newPage();
	page.setDefaultTimeout(PATIENCE_MS);
	page.problems = [];
	page.on('console', message => {
		if (message.type() === 'error' && !isExpected(message, allowed))
			page.problems.push(message.text());
	});
	page.on('pageerror', error => page.problems.push(String(error.stack ?? error)));
	page.on('dialog', dialog => {
		page.problems.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	await page.addInitScript(reportViolations);
	if (!ownScripts)
		await page.route('**/*.js', route => route.abort());
	await page.goto(url);
	return page;
}

// Fails if the browser reported a problem with PAGE, and closes the page.
export async function closePage(page) {
	await page.context().close();
	same('problems in the browser', page.problems, []);
}

export function same(what, is, mustBe) {
	const [left, right] = [JSON.stringify(is), JSON.stringify(mustBe)];
	if (left !== right)
		throw new Error(`${what}: ${left.slice(0, 2000)}, must be ${right.slice(0, 2000)}`);
}

export function holds(what, condition, ...details) {
	if (!condition)
		throw new Error([what, ...details.map(one => JSON.stringify(one).slice(0, 2000))].join(': '));
}

// Repeats the function CONDITION, which may be asynchronous, until it returns a true value, and
// returns that value.
export async function until(what, condition, seconds = PATIENCE_MS / 1000) {
	const end = Date.now() + seconds * 1000;
	let found;
	while (!(found = await condition())) {
		if (Date.now() > end)
			throw new Error(`timeout while waiting: ${what}`);
		await new Promise(done => setTimeout(done, 100));
	}
	return found;
}

// Asks the scenario, which runs the daemons, for what it calls WISH, and waits until that is done:
// grant() in tests/integration/common/page.sh.
export async function wish(name) {
	console.log(`WISH ${name}`);
	await until(`the wish ${name}`, () => existsSync(new URL(`granted-${name}`, import.meta.url)));
}

// Returns the JSON at PATH of memtally-web at URL.
export async function api(url, path) {
	const answer = await fetch(new URL(path, url));
	holds(`${path} is answered`, answer.ok, answer.status);
	return answer.json();
}

// Returns the rows of the table that SELECTOR finds: objects from the heads of columns to the texts
// of cells, as a reader of the page sees them. Rows without a cell for each head are left out.
export async function readTable(page, selector) {
	return page.locator(selector).evaluate(table => {
		const text = cell => cell.innerText.replace(/\s+/g, ' ').trim();
		const heads = [...table.tHead.rows[0].cells].map(text);
		return [...table.tBodies].flatMap(body => [...body.rows])
			.filter(row => !row.hidden && row.cells.length === heads.length)
			.map(row => Object.fromEntries([...row.cells].map((cell, i) => [heads[i], text(cell)])));
	});
}

const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

// Returns BYTES as render/human.c writes them for people.
export function human(bytes) {
	const tenths = unit => Math.round(bytes * 10 / unit);
	let unit = 'KiB';
	for (const next of ['MiB', 'GiB', 'TiB'])
		if (tenths(UNITS[unit]) >= 10_240)
			unit = next;
	return `${(tenths(UNITS[unit]) / 10).toFixed(1)} ${unit}`;
}

// Returns the text of the page for AMOUNT of a row, which is absent if undefined.
export function shownBytes(amount) {
	return amount === undefined ? '\u2013' : human(amount);
}

// Clicks the head of the column ORDER in TABLE, and waits until the table is sorted by it.
export async function sortBy(page, table, order) {
	const head = page.locator(`${table} th[data-order="${order}"]`);
	await head.locator('a, button').click();
	await until(`${table} sorted by ${order}`, async () => await head.getAttribute('aria-sort') !== null);
}

// Fails unless VALUES, some of which may be undefined, are in order: the largest first, the absent
// last.
export function isFalling(what, values) {
	const known = values.filter(value => value !== undefined);
	holds(`${what}: absent values come last`, values.slice(known.length).every(value => value === undefined), values);
	holds(`${what} falls`, known.every((value, i) => i === 0 || value <= known[i - 1]), values);
}

// Waits until the scripts of PAGE, if it has any, have shown the first answers of memtally-web.
export async function settle(page) {
	await page.waitForLoadState('networkidle');
}
