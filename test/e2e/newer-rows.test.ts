import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { listPage, messageItem } from '../support/faulting-upstream.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('new rows of a list', () => {
  const intercepted = interceptedDashboardOfSuite();
  const newer = (page: Page) => page.getByRole('main').getByRole('button', { name: / new |Up to date|Reading/ });
  const add = (count: number): void => {
    for (let added = 0; added < count; added += 1) {
      const created_at = new Date(Date.UTC(2026, 0, 1) + messages.length * 1_000).toISOString();
      messages.unshift(messageItem({ recipient: `m${messages.length}@example.org`, created_at }));
    }
  };
  const messages: object[] = [];
  add(100);

  it('are counted, and added with the key r, without moving the focused row on the screen', () =>
    onPage(intercepted, '/settings', async ({ page }) => {
      intercepted.upstream.before = (request) =>
        request.path.startsWith('/admin/courier/messages') ? listPage(request, messages) : undefined;
      await page.clock.install();
      await page.goto(`${intercepted.dashboard.baseUrl}/messages`);
      await page.getByText(/^Page 1, rows? 1–/).waitFor();
      // The page polls for new rows once this part has loaded.
      await page.locator('[data-newer-rows]').waitFor({ state: 'attached' });
      // A window so low that the page scrolls.
      await page.setViewportSize({ width: 1280, height: 500 });
      const focused = page.locator(':focus');
      const top = async (): Promise<number> => Math.round((await focused.boundingBox())?.y ?? 0);
      const scrolled = (): Promise<number> => page.evaluate(() => scrollY);
      await page.locator('tr[data-row="12"]').focus();
      await eventually(async () => (await scrolled()) > 0, true);
      const [before, text] = [[await scrolled(), await top()], await focused.innerText()];
      add(3);
      await page.clock.runFor(31_000);
      await newer(page).filter({ hasText: '3 new messages' }).waitFor();
      assert.deepEqual([await scrolled(), await top(), await focused.innerText()], [...before, text]);
      await page.keyboard.press('r');
      await newer(page).waitFor({ state: 'detached' });
      await eventually(() => focused.getAttribute('data-row'), '15');
      await eventually(() => focused.innerText(), text);
      await eventually(top, before[1]);
      await page.keyboard.press('k');
      await eventually(() => focused.getAttribute('data-row'), '14');
    }));
});
