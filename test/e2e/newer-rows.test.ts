import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { AuditPage } from '../../shared/audit.ts';
import { becomes } from '../support/becomes.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { listedPage } from '../support/listed-pages.ts';
import { sentMessage } from '../support/message-pages.ts';

const HALF_MINUTE_MS = 30_000;

describe('what came since a list was read, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  const newer = (page: Page) => page.getByRole('main').getByRole('button', { name: / new |Up to date|Reading/ });
  /** Opens a list on a clock that only the test moves. */
  const onList = (address: string, heading: string, work: (page: Page) => Promise<void>): Promise<void> =>
    onPage(intercepted, '/settings', async ({ page }) => {
      intercepted.upstream.before = (request) =>
        request.path.startsWith('/admin/courier/messages') ? listedPage(request, messages) : undefined;
      await page.clock.install();
      await page.goto(`${intercepted.dashboard.baseUrl}${address}`);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.getByText(/^Page 1, rows? 1–/).waitFor();
      // Loaded after the list: from now on it polls.
      await page.locator('[data-newer-rows]').waitFor({ state: 'attached' });
      await work(page);
    });
  const add = (count: number): void => {
    for (let n = 0; n < count; n += 1) {
      const created_at = new Date(Date.UTC(2026, 0, 1) + messages.length * 1_000).toISOString();
      messages.unshift(sentMessage({ recipient: `m${messages.length}@example.org`, created_at }));
    }
  };
  const messages: object[] = [];
  add(100);

  it('comes by the key r; neither its count nor it moves rows, focus or scroll position', () =>
    onList('/messages', 'Messages', async (page) => {
      // There must be room below to scroll to.
      await page.setViewportSize({ width: 1280, height: 500 });
      const focused = page.locator(':focus');
      const top = async (): Promise<number> => Math.round((await focused.boundingBox())?.y ?? 0);
      const scrolled = (): Promise<number> => page.evaluate(() => scrollY);
      await page.locator('tr[data-row="12"]').focus();
      await becomes(async () => (await scrolled()) > 0, true);
      const [before, text] = [[await scrolled(), await top()], await focused.innerText()];
      add(3);
      await page.clock.runFor(HALF_MINUTE_MS + 1_000);
      await newer(page).filter({ hasText: '3 new messages' }).waitFor();
      assert.deepEqual([await scrolled(), await top(), await focused.innerText()], [...before, text]);
      await page.keyboard.press('r');
      await newer(page).waitFor({ state: 'detached' });
      await becomes(() => focused.getAttribute('data-row'), '15');
      await becomes(() => focused.innerText(), text);
      await becomes(top, before[1]);
      await page.keyboard.press('k');
      await becomes(() => focused.getAttribute('data-row'), '14');
    }));

  it('comes by the button, which keeps the focus of a keyboard; none of its requests leaves a record', async () => {
    const { call } = intercepted.dashboard;
    const session = intercepted.sessions.admin;
    const store = () => call('/api/settings', { session, json: { key: 'brand.name', value: 'x', category: 'brand' } });
    const records = async (): Promise<number> => {
      const { events } = (await (await call('/api/security/audit?page_size=1', { session })).json()) as AuditPage;
      return events[0]?.sequence ?? 0;
    };
    for (let n = 0; n < 30; n += 1) await store();
    await onList('/security/audit', 'Audit trail', async (page) => {
      const before = await records();
      await store();
      await store();
      await page.clock.runFor(HALF_MINUTE_MS + 1_000);
      await newer(page).filter({ hasText: '2 new records' }).waitFor();
      assert.equal(await records(), before + 2);
      await newer(page).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Up to date' }).waitFor();
      await becomes(() => page.locator(':focus').innerText(), 'Up to date');
      await page.keyboard.press('Tab');
      await newer(page).waitFor({ state: 'detached' });
    });
  });
});
