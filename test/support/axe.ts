import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { eventually } from './eventually.ts';

let source: Promise<string> | undefined;

/** Limits a run to some rules, and with `onTop` to the open dialogs and menus, if there are any. */
interface Limits {
  only?: readonly string[];
  without?: readonly string[];
  onTop?: boolean;
}

const NARROW = { width: 360, height: 740 };

/** Fails on serious and critical accessibility findings in the current page, and on landmarks of the same name. */
export async function assertAccessible(page: Page, what: string, limits: Limits = {}): Promise<void> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // Evaluated by the debugger, to which the page's policy does not apply.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(await source);
  const { only, without = [], onTop = false } = limits;
  const options = JSON.stringify({
    resultTypes: ['violations'],
    runOnly: only,
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
  });
  const results = await page.evaluate<AxeResults>(`(() => {
    const open = [...document.querySelectorAll('[role=dialog],[role=menu],dialog[open]')].filter((element) => element.checkVisibility());
    return axe.run(${onTop} && open.length > 0 ? { include: open } : document, ${options});
  })()`);
  const findings = results.violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || id === 'landmark-unique')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    );
  assert.deepEqual(findings, [], `${what} is not accessible`);
}

/**
 * Checks the page in light and dark and on a narrow screen. Dark is checked for contrast only, the narrow screen for all
 * but contrast. An open dialog is checked alone, because the page below it is checked without the dialog.
 */
export async function assertAccessibleEverywhere(page: Page, what: string): Promise<void> {
  await assertAccessible(page, what, { onTop: true });
  await assertLegibleInDark(page, what);
  await assertAccessibleOnPhone(page, what);
}

/** Checks all but contrast at 360 pixels, and that the page is no wider. Restores the viewport. */
export async function assertAccessibleOnPhone(page: Page, what: string): Promise<void> {
  const original = page.viewportSize();
  assert.ok(original);
  await page.setViewportSize(NARROW);
  await assertFits(page, what);
  await assertAccessible(page, `${what}, on ${NARROW.width} pixels,`, { without: ['color-contrast'], onTop: true });
  await page.setViewportSize(original);
}

/** Checks contrast in dark colours, and returns to light ones. */
export async function assertLegibleInDark(page: Page, what: string): Promise<void> {
  const setColours = async (colorScheme: 'light' | 'dark'): Promise<void> => {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  };
  await setColours('dark');
  await assertAccessible(page, `${what}, in dark colours,`, { only: ['color-contrast'], onTop: true });
  await setColours('light');
}

/** Fails if the page is wider than its window. */
export async function assertFits(page: Page, what: string): Promise<void> {
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  await eventually(fits, true, `${what} scrolls sideways`);
}
