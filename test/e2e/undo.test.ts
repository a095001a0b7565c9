import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { eventually, until } from '../support/eventually.ts';
import { createAda, onEditForm } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';

describe('undoing a change', () => {
  const intercepted = interceptedDashboardOfSuite();
  const undo = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Undo', exact: true });

  it('is offered for ten seconds, not counting time while the pointer or the focus is on the toast', async () => {
    await onEditForm(intercepted, await createAda(intercepted), async ({ page }) => {
      await page.getByLabel('First name').waitFor();
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.getByLabel('First name').fill('Eve');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await until(async () => {
        await page.clock.runFor(50);
        return undo(page).isVisible();
      });
      await page.clock.fastForward(9_000);
      assert.ok(await undo(page).isVisible());
      await undo(page).hover();
      await page.clock.fastForward(60_000);
      assert.ok(await undo(page).isVisible(), 'under the pointer');
      await page.keyboard.press('u');
      await page.mouse.move(0, 0);
      await page.clock.fastForward(60_000);
      assert.ok(await undo(page).isVisible(), 'with the focus');
      await undo(page).blur();
      await page.clock.fastForward(1_000);
      await undo(page).waitFor({ state: 'detached' });
    });
  });

  it('moves the focus to the toast on the key u, and to the heading afterwards', async () => {
    await onEditForm(intercepted, await createAda(intercepted), async ({ page }) => {
      await page.getByLabel('First name').fill('Eve');
      await page.keyboard.press('Enter');
      await undo(page).waitFor();
      const focused = (): Promise<string | undefined> => page.evaluate(() => document.activeElement?.localName);
      // The form is left after the toast has appeared.
      await eventually(focused, 'h1');
      await page.keyboard.press('u');
      await page.keyboard.press('Enter');
      await page.getByText('Undone').waitFor();
      await eventually(focused, 'h1');
    });
  });
});
