import { chromium, type Page } from 'playwright-core';
import { startDashboard } from '../support/dashboard.ts';
import { findTool } from '../support/tools.ts';
import { traced } from './main-thread.ts';

const SLOWED = 4;
const PEOPLE = 250;
const SETTINGS = 500;
const SETTLED_MS = 2_000;

/** The tasks of more than 50 ms during an act, in milliseconds of thread time. */
export type ListTasks = Record<string, number[]>;

/**
 * What operators do with long lists, in Chromium with CPU throttling of four: typing, scrolling, choosing columns, a bulk
 * run with its progress. Each starts once the page has settled.
 */
export async function listTasks(): Promise<ListTasks> {
  const browser = await chromium.launch({ executablePath: findTool('chromium'), args: ['--no-sandbox'] });
  const dashboard = await startDashboard({ sandbox: { people: PEOPLE + 10 } });
  const cookie = await dashboard.signIn('admin');
  const call = (path: string, value: object): Promise<Response> =>
    fetch(dashboard.url + path, {
      method: 'POST',
      headers: { cookie: `dashboard-session=${cookie}`, 'content-type': 'application/json', origin: dashboard.baseUrl },
      body: JSON.stringify(value),
    });
  for (let index = 0; index < SETTINGS; index += 1)
    await call('/api/settings', { key: `list.${index}`, value: 'x', category: 'list' });
  const found: ListTasks = {};
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.addCookies([
      { name: 'dashboard-session', value: cookie, url: dashboard.baseUrl, sameSite: 'Strict' as const },
    ]);
    const page = await context.newPage();
    await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
    const during = async (name: string, act: () => Promise<void>): Promise<void> => {
      await page.waitForTimeout(SETTLED_MS);
      const { tasks } = await traced(browser, name, async () => {
        await page.evaluate((mark) => void performance.mark(mark), name);
        await act();
        await page.waitForTimeout(SETTLED_MS);
      });
      found[name] = tasks;
    };

    await page.goto(`${dashboard.baseUrl}/identities?page_size=${PEOPLE}`);
    await page.locator(`tr[data-row="${PEOPLE - 1}"]`).waitFor();
    await during('identities: typing', () => typeInto(page, 'Identifier'));
    await during('identities: scrolling', () => scroll(page));
    await during('identities: columns', () => chooseColumns(page));
    await during('identities: choosing all', () => page.getByLabel('Select all rows on this page').check());
    await during('identities: a bulk run', () => deactivateAll(page));

    await page.goto(`${dashboard.baseUrl}/settings`);
    await page.getByText('list.1', { exact: true }).waitFor();
    for (let shown = 200; shown < SETTINGS; shown += 200)
      await during(`settings: ${Math.min(shown + 200, SETTINGS)} rows`, async () =>
        page.getByRole('button', { name: 'Show more settings' }).click(),
      );
    await during('settings: typing', () => typeInto(page, 'Key'));
    await during('settings: scrolling', () => scroll(page));
    return found;
  } finally {
    await browser.close();
    await dashboard.close();
  }
}

const typeInto = (page: Page, label: string): Promise<void> =>
  page
    .getByRole('searchbox', { name: label })
    .or(page.getByRole('textbox', { name: label }))
    .first()
    .pressSequentially('somebody@example.org', { delay: 60 });

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 500);
  for (let step = 0; step < 40; step += 1) {
    await page.mouse.wheel(0, 400);
    await page.waitForTimeout(30);
  }
}

async function chooseColumns(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Columns', exact: true }).click();
  for (const label of ['Schema', 'External id', 'Updated']) await page.getByLabel(label, { exact: true }).click();
  await page.keyboard.press('Escape');
}

async function deactivateAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const confirmation = dialog.getByRole('textbox');
  if (await confirmation.count()) await confirmation.fill(String(PEOPLE));
  await dialog.getByRole('button', { name: `Deactivate ${PEOPLE}` }).click();
  await dialog.getByText(`${PEOPLE} deactivated`).waitFor({ timeout: 120_000 });
}
