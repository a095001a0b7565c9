import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { AuditPage } from '../../shared/audit.ts';
import type { LockedAccountList } from '../../shared/locked-accounts.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { lockAccounts } from '../support/locked-accounts.ts';
import { failing, failsInPlace, isClosedToViewers, looksRight, visitedPageOfSuite } from '../support/security-pages.ts';

const PATH = '/security/locked-accounts';

describe('the page of locked accounts, in a browser', function () {
  this.timeout(90_000);
  const visited = visitedPageOfSuite(PATH, 'Locked accounts');

  const lock = (...identifiers: string[]): Promise<void> => lockAccounts(visited.dashboard, identifiers);
  const ask = async <T>(path: string): Promise<T> =>
    (await visited.dashboard.call(`/api/security/${path}`, { session: visited.sessions.admin })).json() as Promise<T>;
  const rows = (page: Page) => page.getByRole('list', { name: 'Locked accounts' }).getByRole('listitem');

  it('says that nobody is locked out', () =>
    visited.visit(async ({ page }) => {
      await page.getByText('Nobody is locked out').waitFor();
      await assertAccessibleInAllLooks(page, 'the empty page');
    }));

  it('unlocks an account by keyboard, and the trail says who did', async () => {
    await lock('sam@example.org', 'kim@example.org');
    await visited.visit(async ({ page }) => {
      await rows(page)
        .filter({ hasText: 'sam@example.org' })
        .getByText(/Wrong password, 5 attempts/)
        .waitFor();
      await page.getByRole('button', { name: 'Unlock sam@example.org' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Unlock sam@example.org?' });
      await dialog.waitFor();
      await assertAccessibleInAllLooks(page, 'the dialog');
      await dialog.getByRole('button', { name: 'Unlock', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('sam@example.org is unlocked').waitFor();
      await page.getByText('1 locked account', { exact: true }).waitFor();
      await becomes(() => page.evaluate('document.activeElement === document.body'), false);
    });
    const { data } = await ask<LockedAccountList>('locked-accounts');
    assert.deepEqual(
      data.map(({ identifier }) => identifier),
      ['kim@example.org'],
    );
    const { events } = await ask<AuditPage>('audit?action=account_unlock');
    assert.equal(events[0]?.target, 'sam@example.org');
  });

  it('accepts that somebody else was faster, and keeps the dialog open when the service fails', async () => {
    await lock('sam@example.org');
    await visited.visit(async (visit) => {
      const { page, expect } = visit;
      expect(404, '/api/security/locked-accounts/unlock');
      const { mend } = await failing(visit, '/api/security/locked-accounts/unlock');
      await page.getByRole('button', { name: 'Unlock sam@example.org' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Unlock', exact: true }).click();
      await dialog.getByRole('alert').getByText('r-17').waitFor();
      await assertAccessibleInAllLooks(page, 'the unlocking that failed');
      await mend();
      await visited.dashboard.call('/api/security/locked-accounts/unlock', {
        session: visited.sessions.admin,
        json: { identifier: 'sam@example.org' },
      });
      await dialog.getByRole('button', { name: 'Unlock', exact: true }).click();
      await page.getByText('sam@example.org was no longer locked').waitFor();
    });
  });

  it('finds by part of an identifier, which stands in the address', async () => {
    await lock('sam@example.org', 'kim@example.org');
    await visited.visit(async ({ page }) => {
      await page.getByLabel('Part of an identifier').fill('KIM');
      await page.getByText('1 of 2 locked accounts').waitFor();
      await becomes(() => new URL(page.url()).searchParams.get('q'), 'KIM');
      await page.reload();
      await page.getByText('1 of 2 locked accounts').waitFor();
      await page.getByLabel('Part of an identifier').fill('nobody');
      await page.getByText('No locked account matches').waitFor();
      await assertAccessibleInAllLooks(page, 'no account that matches');
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByText('2 locked accounts', { exact: true }).waitFor();
      await becomes(() => page.getByLabel('Part of an identifier').inputValue(), '');
    });
  });

  it('says what failed, with the request’s id, and tries again', () =>
    failsInPlace(visited, '/api/security/locked-accounts', (page) => rows(page).first().waitFor()));

  it('is closed to viewers', () => isClosedToViewers(visited, PATH));

  it('is accessible in light and dark colours and fits 360 pixels', () =>
    looksRight(visited, 'the locked accounts', (page) => rows(page).first().waitFor()));
});
