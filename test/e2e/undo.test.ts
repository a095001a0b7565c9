import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { ada, chooseAction, editing, onPersonPage, person, type Stored, stored } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';
import { lines } from '../support/timeline-pages.ts';

const IDENTITIES = '/api/identity-admin/admin/identities';

describe('undoing a change of a person, in a browser', function () {
  this.timeout(90_000);
  const intercepted = interceptedDashboardOfSuite();

  const read = async (id: string): Promise<Stored> => (await (await stored(intercepted, id)).json()) as Stored;
  /** As somebody else, past the page. */
  const change = async (id: string, path: string, value: unknown): Promise<void> => {
    const { dashboard, sessions } = intercepted;
    const json = [{ op: 'replace', path, value }];
    const answer = await dashboard.call(`${IDENTITIES}/${id}`, { session: sessions.admin, method: 'PATCH', json });
    assert.equal(answer.status, 200);
  };
  const writes = (): string[] =>
    intercepted.upstream.seen.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
  const undo = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Undo', exact: true });
  const rename = async (page: Page, name: string): Promise<void> => {
    await page.getByLabel('First name').fill(name);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await undo(page).waitFor();
  };
  const deactivate = async (page: Page): Promise<void> => {
    await chooseAction(page, /Deactivate/);
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await undo(page).waitFor();
  };

  it('brings back what an edit changed, and nothing else', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page }) => {
      await page.getByLabel('External id').fill('');
      await page.getByLabel('Public metadata').fill('');
      await rename(page, 'Eve');
      await becomes(async () => (await read(before.id)).external_id, undefined);
      await change(before.id, '/traits/locale', 'de');
      await undo(page).click();
      await page.getByText('Undone. Changes that others made since then stay.').waitFor();
      await page.getByRole('heading', { level: 1, name: 'Ada Old' }).waitFor();
    });
    const { traits, metadata_public, metadata_admin, external_id } = await read(before.id);
    assert.deepEqual(
      { traits, metadata_public, metadata_admin, external_id },
      {
        traits: { ...before.traits, locale: 'de' },
        metadata_public: before.metadata_public,
        metadata_admin: before.metadata_admin,
        external_id: before.external_id,
      },
    );
  });

  it('overwrites nothing that somebody else has changed since, and says so', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page }) => {
      await rename(page, 'Eve');
      await change(before.id, '/traits/name/first', 'Zoe');
      const patches = writes().length;
      await undo(page).click();
      await page.getByText('Not undone').waitFor();
      await page.getByText('Somebody has changed traits.name.first since.').waitFor();
      await becomes(() => page.getByRole('status').getByRole('button').allInnerTexts(), ['']);
      assert.equal(writes().length, patches);
      await assertAccessibleInAllLooks(page, 'an undo that was refused');
      await page.getByRole('heading', { level: 1, name: 'Zoe Old' }).waitFor();
    });
    assert.equal(((await read(before.id)).traits.name as { first: string }).first, 'Zoe');
  });

  it('says what failed, stays, and can be tried again', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page, expect }) => {
      await rename(page, 'Eve');
      expect(503, new RegExp(before.id));
      intercepted.upstream.before = ({ method }) =>
        method === 'PATCH' ? { status: 503, body: '{"error":{"message":"busy"}}' } : undefined;
      await undo(page).click();
      await page.getByText('The undo failed').waitFor();
      intercepted.upstream.calm();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Undone', { exact: true }).waitFor();
      await becomes(async () => (await read(before.id)).traits, before.traits);
    });
  });

  it('says before it is pressed that an address does not come back as verified', async () => {
    const somebody = await person(intercepted);
    await change(somebody.id, '/verifiable_addresses/0/verified', true);
    await onPersonPage(
      intercepted,
      somebody,
      async ({ page }) => {
        await page.getByLabel('E-mail').fill(`other-${somebody.email}`);
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText(`Undo brings back ${somebody.email}, but not as verified.`).waitFor();
      },
      { tab: '/traits/edit' },
    );
  });

  it('activates again who was deactivated, by keyboard alone, and deactivates again who was activated', async () => {
    const somebody = await person(intercepted);
    const state = async () => (await read(somebody.id)).state;
    await onPersonPage(intercepted, somebody, async ({ page, expect }) => {
      expect(404, /\/sessions$/);
      await deactivate(page);
      await becomes(state, 'inactive');
      await becomes(
        () => undo(page).evaluate((button) => button.closest('[aria-live]')?.textContent),
        /Press u to get to Undo/,
      );
      await page.keyboard.press('u');
      await becomes(() => undo(page).evaluate((button) => button === document.activeElement), true);
      await page.keyboard.press('Enter');
      await page.getByText('Undone', { exact: true }).waitFor();
      await becomes(state, 'active');
      await page.getByText('Active', { exact: true }).first().waitFor();
      assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), 'BODY', 'focus is somewhere');

      await change(somebody.id, '/state', 'inactive');
      await page.reload();
      await chooseAction(page, /Activate/);
      await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
      await undo(page).click();
      await page.getByText('Undone', { exact: true }).waitFor();
      await becomes(state, 'inactive');
      assert.deepEqual(writes().slice(-2), [
        `PATCH /admin/identities/${somebody.id}`,
        `DELETE /admin/identities/${somebody.id}/sessions`,
      ]);
    });
  });

  it('ends with the second attempt the sessions that the first one could not end', async () => {
    const somebody = await person(intercepted);
    await change(somebody.id, '/state', 'inactive');
    await onPersonPage(intercepted, somebody, async ({ page, expect }) => {
      expect(404, /\/sessions$/);
      expect(503, /\/sessions$/);
      await chooseAction(page, /Activate/);
      await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
      intercepted.upstream.before = ({ method, path }) =>
        method === 'DELETE' && path.endsWith('/sessions')
          ? { status: 503, body: '{"error":{"message":"busy"}}' }
          : undefined;
      await undo(page).click();
      await page.getByText('It is deactivated again, but its sessions could not be ended').waitFor();
      intercepted.upstream.calm();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('It is as it was before.').waitFor();
      assert.deepEqual(writes().slice(-1), [`DELETE /admin/identities/${somebody.id}/sessions`]);
    });
  });

  it('is offered for ten seconds, of which none pass while the pointer or the focus is there', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page }) => {
      await page.clock.install();
      await rename(page, 'Eve');
      await page.clock.fastForward(9_000);
      assert.ok(await undo(page).isVisible());
      await undo(page).hover();
      await page.clock.fastForward(60_000);
      assert.ok(await undo(page).isVisible(), 'under the pointer');
      await page.keyboard.press('u');
      await page.mouse.move(0, 0);
      await page.clock.fastForward(60_000);
      assert.ok(await undo(page).isVisible(), 'with the focus');
      await assertAccessibleInAllLooks(page, 'the offer to undo');
      await undo(page).blur();
      await page.clock.fastForward(1_000);
      await undo(page).waitFor({ state: 'detached' });
    });
    assert.notDeepEqual((await read(before.id)).traits, before.traits);
  });

  it('is offered in the timeline for the last change of the state, as long as it stands', async () => {
    const somebody = await person(intercepted);
    for (const state of ['inactive', 'active', 'inactive']) await change(somebody.id, '/state', state);
    const history = { tab: '/history' };
    await onPersonPage(
      intercepted,
      somebody,
      async ({ page, expect }) => {
        const offers = lines(page).getByRole('button', { name: 'Undo the deactivation' });
        await offers.waitFor();
        await becomes(() => offers.count(), 1);
        const deactivated = lines(page).filter({ hasText: /You deactivated/ });
        await becomes(() => deactivated.first().getByRole('button').count(), 1);
        await assertAccessibleInAllLooks(page, 'the timeline with an undo');
        expect(404, /\/sessions$/);
        await change(somebody.id, '/state', 'active');
        await offers.press('Enter');
        const dialog = page.getByRole('dialog', { name: `Undo: activate ${somebody.email}?` });
        await dialog.getByRole('button', { name: 'Activate' }).click();
        await dialog.getByText('Somebody has changed the state since: it is now active.').waitFor();
        await page.keyboard.press('Escape');
        await offers.waitFor({ state: 'detached' });
        await change(somebody.id, '/state', 'inactive');
        await page.reload();
        await offers.click();
        await dialog.getByRole('button', { name: 'Activate' }).click();
        await becomes(async () => (await read(somebody.id)).state, 'active');
        await undo(page).waitFor();
      },
      history,
    );
  });
});
