// SPDX-License-Identifier: Apache-2.0
// watch.mjs URL [FILE]: opens the page in a Chromium, prints "OPEN" when it has shown its figures, and
// keeps it open until standard input ends. Then it prints the number of requests that the page made
// since, and fails if the browser reported a problem.
import { closePage, openPage, settle, withBrowser } from './browser.mjs';

await withBrowser(async browser => {
	const page = await openPage(browser, process.argv[2]);
	await settle(page);
	let requests = 0;
	page.on('request', () => requests++);
	console.log('OPEN');
	for await (const _ of process.stdin);
	console.log(requests);
	await closePage(page);
});
