import assert from 'node:assert/strict';
import { POSTURE_IDS } from '../../shared/posture.ts';
import { becomes } from '../support/becomes.ts';
import { failsInPlace, isClosedToViewers, looksRight, visitedPageOfSuite } from '../support/security-pages.ts';

const PATH = '/security';

describe('the posture page, in a browser', () => {
  const visited = visitedPageOfSuite(PATH, 'Security');

  it('shows every check once, the worst first, with what it means and what to do', () =>
    visited.visit(async ({ page }) => {
      const attention = page.getByRole('region', { name: 'Needs attention' });
      await attention.getByText('Strength of the keys').waitFor();
      await attention.getByText(/looks like a placeholder/).waitFor();
      await attention.getByText('What to do').first().waitFor();
      const ids = await page.locator('main li[id]').evaluateAll((items) => items.map(({ id }) => id));
      assert.deepEqual([...ids].sort(), [...POSTURE_IDS].sort());
      const statuses = await attention.getByText(/^(Fails|Warns)$/).allTextContents();
      assert.deepEqual(statuses, [...statuses].sort());
    }));

  it('folds what passes, which opens by keyboard', () =>
    visited.visit(async ({ page }) => {
      const passing = page.getByRole('region', { name: 'Passing' });
      const first = passing.getByRole('listitem').first();
      await passing.getByText(/^Show \d+ checks without findings$/).waitFor();
      await becomes(() => first.isVisible(), false);
      await becomes(() => passing.getByText('Passes').first().isVisible(), false);
      const { height = 0 } = (await passing.boundingBox()) ?? {};
      assert.ok(height > 0 && height < 120, String(height));
      await passing.getByText(/^Show \d+ checks/).focus();
      await page.keyboard.press('Enter');
      await first.waitFor();
      await becomes(() => passing.getByText('Passes').first().isVisible(), true);
    }));

  it('checks again on request, by keyboard', () =>
    visited.visit(async ({ page }) => {
      const again = page.getByRole('button', { name: 'Check again' });
      await again.focus();
      const answer = page.waitForResponse('**/api/security/posture');
      await page.keyboard.press('Enter');
      await becomes(async () => (await answer).status(), 200);
    }));

  it('leads to each of its sisters by keyboard, and the focus stays on the tabs', () =>
    visited.visit(async ({ page }) => {
      const tabs = page.getByRole('navigation', { name: 'Security' });
      for (const [tab, title] of [
        ['Audit trail', 'Audit trail'],
        ['Locked accounts', 'Locked accounts'],
        ['Operators', 'Operators'],
        ['Posture', 'Security'],
      ] as const) {
        const link = tabs.getByRole('link', { name: tab });
        await link.focus();
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
        await becomes(() => link.getAttribute('aria-current'), 'page');
        await becomes(() => link.evaluate((element) => element === document.activeElement), true, tab);
        await becomes(() => page.title(), new RegExp(`^${title}`));
      }
    }));

  it('says what failed, with the request’s id, and tries again', () =>
    failsInPlace(visited, '/api/security/posture', (page) => page.getByText('Strength of the keys').waitFor()));

  it('is closed to viewers', () => isClosedToViewers(visited, PATH));

  it('is accessible in light and dark colours and fits 360 pixels', () =>
    looksRight(visited, 'the posture', (page) => page.getByText(/^Show \d+ checks without findings$/).click()));
});
