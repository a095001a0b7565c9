import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { eventually } from './eventually.ts';

let source: Promise<string> | undefined;

/** What a run is limited to: rules, and with `onTop` an open dialog or menu, where there is one. */
interface Limits {
  only?: readonly string[];
  without?: readonly string[];
  onTop?: boolean;
}

const NARROW = { width: 360, height: 740 };

/** Fails on every serious or critical accessibility finding on the page as it stands, and on landmarks of one name. */
export async function assertAccessible(page: Page, what: string, limits: Limits = {}): Promise<void> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // Evaluated by the debugger, which the page's policy does not bind; it stays until another page is loaded.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(await source);
  const { only, without = [], onTop = false } = limits;
  const options = JSON.stringify({
    resultTypes: ['violations'],
    runOnly: only,
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
  });
  const results = await page.evaluate<AxeResults>(`(() => {
    const shown = [...document.querySelectorAll('[role=dialog],[role=menu],dialog[open]')].filter((one) => one.checkVisibility());
    return axe.run(${onTop} && shown.length > 0 ? { include: shown } : document, ${options});
  })()`);
  const findings = results.violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || id === 'landmark-unique')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    );
  assert.deepEqual(findings, [], `${what} is not accessible`);
}

/**
 * The same in light and dark and on a narrow screen, without another visit: dark changes colours alone, and the narrow
 * screen all but them. An open dialog is looked at alone: what is below it is looked at without it.
 */
export async function assertAccessibleInAllLooks(page: Page, what: string): Promise<void> {
  await assertAccessible(page, what, { onTop: true });
  await assertLegibleInDark(page, what);
  await assertAccessibleOnPhone(page, what);
}

/** All but the colours on 360 pixels, which the page must not exceed; it is left as wide as it was. */
export async function assertAccessibleOnPhone(page: Page, what: string): Promise<void> {
  const wide = page.viewportSize();
  assert.ok(wide);
  await page.setViewportSize(NARROW);
  await assertFits(page, what);
  await assertAccessible(page, `${what}, on ${NARROW.width} pixels,`, { without: ['color-contrast'], onTop: true });
  await page.setViewportSize(wide);
}

/** Contrasts in dark colours; the page is left in light. */
export async function assertLegibleInDark(page: Page, what: string): Promise<void> {
  const inColours = async (colorScheme: 'light' | 'dark'): Promise<void> => {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  };
  await inColours('dark');
  await assertAccessible(page, `${what}, in dark colours,`, { only: ['color-contrast'], onTop: true });
  await inColours('light');
}

/** Nothing makes the page wider than its window. */
export async function assertFits(page: Page, what: string): Promise<void> {
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  await eventually(fits, true, `${what} scrolls sideways`);
}
