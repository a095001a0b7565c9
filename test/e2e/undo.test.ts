import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { createAda, onEditForm } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';

describe('undoing a change', () => {
  const intercepted = interceptedDashboardOfSuite();
  const undo = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Undo', exact: true });

  it('is offered for ten seconds, not counting time while the pointer or the focus is on the toast', async () => {
    await onEditForm(intercepted, await createAda(intercepted), async ({ page }) => {
      await page.getByLabel('First name').fill('Eve');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await undo(page).waitFor();
      const countdown = await page.evaluateHandle(() => {
        const [bar] = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().duration === 10_000);
        return bar as Animation;
      });
      const state = () => countdown.evaluate(({ playState }) => playState);
      await undo(page).hover();
      await eventually(state, 'paused');
      await page.mouse.move(0, 0);
      await eventually(state, 'running');
      await page.keyboard.press('u');
      await eventually(state, 'paused');
      await undo(page).blur();
      await eventually(state, 'running');
      await countdown.evaluate((animation) => animation.finish());
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
