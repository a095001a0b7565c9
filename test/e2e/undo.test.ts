import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { becomes, until } from '../support/becomes.ts';
import { ada, chooseAction, editing, onPersonPage, person, type Stored, stored } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';

describe('undoing a change, in a browser', function () {
  this.timeout(90_000);
  const intercepted = interceptedDashboardOfSuite();
  const read = async (id: string): Promise<Stored> => (await (await stored(intercepted, id)).json()) as Stored;
  const undo = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Undo', exact: true });

  it('is reached by a key that is announced, and done by keyboard alone', async () => {
    const somebody = await person(intercepted);
    const state = async () => (await read(somebody.id)).state;
    await onPersonPage(intercepted, somebody, async ({ page, expect }) => {
      expect(404, /\/sessions$/);
      await chooseAction(page, /Deactivate/);
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await becomes(
        () => undo(page).evaluate((button) => button.closest('[aria-live]')?.textContent),
        /Press u to get to Undo/,
      );
      await page.keyboard.press('u');
      await becomes(() => undo(page).evaluate((button) => button === document.activeElement), true);
      await becomes(state, 'inactive');
      await page.keyboard.press('Enter');
      await page.getByText('Undone', { exact: true }).waitFor();
      await becomes(state, 'active');
      await becomes(() => page.evaluate(() => document.activeElement?.tagName === 'BODY'), false, 'focus is somewhere');
    });
  });

  it('is offered for ten seconds, of which none pass while the pointer or the focus is there', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page }) => {
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
    assert.notDeepEqual((await read(before.id)).traits, before.traits);
  });
});
