import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

let source: Promise<string> | undefined;

/** Rules that a run is limited to or leaves out; all of them without. */
type Rules = { only: readonly string[] } | { without: readonly string[] };

const NARROW = { width: 360, height: 740 };

/** Fails on every serious or critical accessibility finding on the page as it stands. */
export async function assertAccessible(page: Page, what: string, rules: Rules = { without: [] }): Promise<void> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // Evaluated by the debugger, which the page's policy does not bind; it stays until another page is loaded.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(await source);
  const limits =
    'only' in rules
      ? { runOnly: rules.only }
      : { rules: Object.fromEntries(rules.without.map((rule) => [rule, { enabled: false }])) };
  const options = JSON.stringify({ resultTypes: ['violations'], ...limits });
  const results = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  const findings = results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    );
  assert.deepEqual(findings, [], `${what} is not accessible`);
}

/**
 * The same in light and dark and on 360 pixels, which the page must not exceed, without another visit: dark changes colours
 * alone, and the narrow screen all but them. The page is left in light and as wide as it was.
 */
export async function assertAccessibleInAllLooks(page: Page, what: string): Promise<void> {
  const wide = page.viewportSize();
  assert.ok(wide);
  const inColours = async (colorScheme: 'light' | 'dark'): Promise<void> => {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  };
  await inColours('light');
  await assertAccessible(page, what);
  await inColours('dark');
  await assertAccessible(page, `${what}, in dark colours,`, { only: ['color-contrast'] });
  await inColours('light');
  await page.setViewportSize(NARROW);
  await assertFits(page, what);
  await assertAccessible(page, `${what}, on ${NARROW.width} pixels,`, { without: ['color-contrast'] });
  await page.setViewportSize(wide);
}

/** Nothing makes the page wider than its window. */
export const assertFits = async (page: Page, what: string): Promise<void> =>
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} scrolls sideways`);
