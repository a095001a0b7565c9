import { chromium, type ElementHandle, type Locator, type Page } from 'playwright-core';
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
    const during = async (name: string, prepared: Promise<() => Promise<void>>): Promise<void> => {
      const act = await prepared;
      await page.waitForTimeout(SETTLED_MS);
      const { tasks } = await traced(browser, name, async () => {
        await page.evaluate((mark) => void performance.mark(mark), name);
        await act();
        await page.waitForTimeout(SETTLED_MS);
      });
      found[name] = tasks;
    };
    const pressing = async (locator: Locator) => press.bind(undefined, await handleOf(locator));

    await page.goto(`${dashboard.baseUrl}/settings`);
    for (const shown of [400, 500])
      await during(`settings: ${shown} rows`, pressing(page.getByRole('button', { name: 'Show more settings' })));
    await during('settings: typing', typing(page, 'Key contains'));
    await during('settings: scrolling', scrolling(page));

    await page.goto(`${dashboard.baseUrl}/identities?page_size=${PEOPLE}`);
    await page.locator(`tr[data-row="${PEOPLE - 1}"]`).waitFor();
    await during(
      'identities: typing',
      typing(page, 'Any part of an e-mail, username, name or other trait, or an identity ID'),
    );
    await during('identities: scrolling', scrolling(page));
    await during('identities: columns', choosingColumns(page));
    await during('identities: choosing all', pressing(page.getByLabel('Select all rows on this page')));
    // The last one: the operator is among those chosen.
    await during('identities: a bulk run', deactivating(page));
    return found;
  } finally {
    await browser.close();
    await dashboard.close();
  }
}

/** Found before the trace begins: looking for an element by its role is a long task of its own. */
async function handleOf(locator: Locator): Promise<ElementHandle<HTMLElement>> {
  await locator.waitFor();
  return (await locator.elementHandle()) as ElementHandle<HTMLElement>;
}
const press = (element: ElementHandle<HTMLElement>): Promise<void> => element.evaluate((it) => it.click());

async function typing(page: Page, label: string): Promise<() => Promise<void>> {
  const field = await handleOf(page.getByLabel(label));
  return async () => {
    await field.evaluate((it) => it.focus());
    await page.keyboard.type('somebody@example.org', { delay: 60 });
  };
}

async function scrolling(page: Page): Promise<() => Promise<void>> {
  await page.mouse.move(700, 500);
  return async () => {
    for (let step = 0; step < 60; step += 1) {
      await page.mouse.wheel(0, 120);
      await page.waitForTimeout(30);
    }
  };
}

async function choosingColumns(page: Page): Promise<() => Promise<void>> {
  await page.getByRole('button', { name: 'Columns', exact: true }).click();
  const boxes = await Promise.all(
    ['Schema', 'External ID', 'Updated'].map((label) => handleOf(page.getByLabel(label, { exact: true }))),
  );
  return async () => {
    for (const box of boxes) {
      await press(box);
      await page.waitForTimeout(500);
    }
  };
}

async function deactivating(page: Page): Promise<() => Promise<void>> {
  await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const start = dialog.getByRole('button', { name: `Deactivate ${PEOPLE}` });
  await start.waitFor();
  const confirmation = dialog.getByRole('textbox');
  if (await confirmation.count()) await confirmation.fill(String(PEOPLE));
  const button = await handleOf(start);
  return async () => {
    await press(button);
    await page.waitForFunction(
      () => /\d+ deactivated/.test(document.querySelector('[role=dialog]')?.textContent ?? ''),
      null,
      {
        timeout: 120_000,
        polling: 500,
      },
    );
  };
}
