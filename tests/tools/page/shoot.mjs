// SPDX-License-Identifier: Apache-2.0
// shoot.mjs URL FOLDER: saves pictures of the page as FOLDER/page-SCHEME-WIDTH.png, and of its
// history as FOLDER/page-history.png.
import { closePage, openPage, settle, withBrowser } from './browser.mjs';

const WIDTHS = { narrow: 400, wide: 1280 };
const MOST_ROWS = 1600; // of pixels: the page is longer

await withBrowser(async browser => {
	const [url, folder] = process.argv.slice(2);
	for (const scheme of ['light', 'dark'])
		for (const [name, width] of Object.entries(WIDTHS)) {
			const page = await openPage(browser, url, {scheme, width});
			await settle(page);
			const height = await page.evaluate(() => document.documentElement.scrollHeight);
			await page.setViewportSize({width, height: Math.min(height, MOST_ROWS)});
			await page.screenshot({path: `${folder}/page-${scheme}-${name}.png`});
			if (scheme === 'light' && name === 'wide')
				await page.locator('#history').screenshot({path: `${folder}/page-history.png`});
			await closePage(page);
		}
});
