import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { chooseAction, openRecovery, type Person, person, rows } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

/** Name or text of the focused element; `body` if there is none. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return 'body';
    return activeElement.getAttribute('aria-label') ?? activeElement.textContent ?? '';
  });
const settles = async (page: Page, on: string | RegExp): Promise<void> => {
  for (let tried = 0; tried < 40; tried += 1) {
    const now = await focused(page);
    if (typeof on === 'string' ? now === on : on.test(now)) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`the focus is on "${await focused(page)}", not on "${on}"`);
};

describe('the focus never falls to the page itself, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30 });
  const { before: suite } = { before };
  let somebody: Person;
  suite(async () => {
    somebody = await person(intercepted);
    for (const key of ['a.key', 'b.key']) {
      await intercepted.dashboard.call('/api/settings', {
        session: intercepted.sessions.admin,
        json: { key, value: 'x', category: 'c' },
      });
    }
  });

  const closes = async (page: Page, by: 'Escape' | RegExp = 'Escape'): Promise<void> => {
    const dialog = page.locator('[role=dialog]:visible, dialog[open]').last();
    await dialog.waitFor();
    if (by === 'Escape') await page.keyboard.press('Escape');
    else await dialog.getByRole('button', { name: by }).last().click();
    await dialog.waitFor({ state: 'detached' });
  };

  for (const action of [/^End all/, /^Deactivate/, /^Delete/]) {
    it(`returns from the dialog of ${action.source.slice(1)} to the menu that opened it`, () =>
      onPage(intercepted, `/identities/${somebody.id}`, async ({ page }) => {
        await page.getByRole('heading', { level: 1, name: somebody.name }).waitFor();
        await chooseAction(page, action);
        await closes(page);
        await settles(page, 'More actions');
        await chooseAction(page, action);
        await closes(page, /^(?:Cancel|Close)$/);
        await settles(page, 'More actions');
      }));
  }

  it('returns from the dialog of Recovery to the button that opened it', () =>
    onPage(intercepted, `/identities/${somebody.id}`, async ({ page }) => {
      for (const by of ['Escape', /^(?:Cancel|Close)$/] as const) {
        await openRecovery(page);
        await closes(page, by);
        await settles(page, 'Recovery link…');
      }
    }));

  it('returns from the dialog that deletes a credential, and from the one that ends all sessions', () =>
    onPage(intercepted, `/identities/${somebody.id}/credentials`, async ({ page }) => {
      await page.getByRole('button', { name: /^Delete Social/ }).click();
      await closes(page);
      await settles(page, /^Delete Social/);
    }));

  it('stays in a dialog whose button is disabled while it works, and returns to the button after a failure', () =>
    onPage(intercepted, `/identities/${somebody.id}`, async ({ page, expect }) => {
      expect(500, /^\/api\/identity-admin\//);
      await page.getByRole('heading', { level: 1, name: somebody.name }).waitFor();
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      intercepted.upstream.before = async ({ method }) => {
        if (method !== 'PATCH') return undefined;
        await held;
        return { status: 500, body: '{"error":"x"}' };
      };
      await chooseAction(page, /^Deactivate/);
      const dialog = page.getByRole('dialog');
      const act = dialog.getByRole('button', { name: 'Deactivate' });
      await act.press('Enter');
      await page.waitForFunction(() => document.querySelector('[role=dialog] [type=submit]:disabled') !== null);
      await page.evaluate(() => document.body.append(document.createElement('i')));
      await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]') != null);
      letGo();
      await dialog.getByRole('alert').waitFor();
      await settles(page, 'Deactivate');
      await becomes(() => act.evaluate((button) => button === document.activeElement), true);
      await closes(page);
      await settles(page, 'More actions');
    }));

  it('returns from the palette and from the keys to what had it', () =>
    onPage(intercepted, '/identities', async ({ page }) => {
      await rows(page).nth(3).focus();
      const row = await focused(page);
      await page.keyboard.press('Control+k');
      await closes(page);
      await settles(page, row);
      await page.keyboard.press('?');
      await closes(page);
      await settles(page, row);
    }));

  it('returns from a bulk dialog to its button', () =>
    onPage(intercepted, '/identities', async ({ page }) => {
      await rows(page).first().focus();
      await page.keyboard.press('x');
      await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
      await closes(page);
      await settles(page, 'Deactivate');
    }));

  it('returns from the editor of a setting, from its deletion and from the encryption of a value', () =>
    onPage(intercepted, '/settings', async ({ page }) => {
      await page.getByRole('link', { name: 'Edit a.key' }).click();
      await closes(page);
      await settles(page, 'Edit a.key');
      await page.getByRole('button', { name: 'Delete a.key' }).click();
      await closes(page);
      await settles(page, 'Delete a.key');
      await page.getByRole('button', { name: 'Encrypt a value' }).click();
      await closes(page);
      await settles(page, 'Encrypt a value');
      await page.getByRole('link', { name: 'New setting' }).click();
      await closes(page);
      await settles(page, 'New setting');
    }));

  it('returns from the question about unsaved changes to the form', () =>
    onPage(intercepted, '/settings?new=true', async ({ page }) => {
      await page.getByRole('dialog').getByLabel('Key').fill('x');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Stay' }).last().click();
      await page.getByText('Your changes are not saved.').waitFor({ state: 'detached' });
      assert.notEqual(await focused(page), 'body');
    }));

  it('goes to the heading when what had opened a dialog is gone with it', () =>
    onPage(intercepted, '/settings', async ({ page }) => {
      await page.getByRole('button', { name: 'Delete b.key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Delete b.key' }).waitFor({ state: 'detached' });
      await settles(page, 'Settings');
    }));

  it('goes to the heading of the person whose row was opened by Enter', () =>
    onPage(intercepted, '/identities', async ({ page }) => {
      await rows(page).nth(1).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Identity' }).waitFor();
      const name = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
      assert.notEqual(name, 'Identity');
      await settles(page, name);
    }));

  it('is not restored when the user clicks elsewhere', () =>
    onPage(intercepted, '/identities', async ({ page }) => {
      await rows(page).nth(3).focus();
      await page.getByText('Dashboard Admin').click();
      await page.getByRole('button', { name: 'Read again' }).hover();
      await page.evaluate(() => document.querySelector('main')?.append('!'));
      await becomes(() => focused(page), 'body');
    }));
});
