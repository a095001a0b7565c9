import assert from 'node:assert/strict';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { ada, editing, PUBLIC_METADATA, type Stored, save, sentPatches, stored } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';

describe('an edit of what somebody else changed meanwhile, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  const read = async (id: string): Promise<Stored> => (await (await stored(intercepted, id)).json()) as Stored;
  const patch = async (id: string, operations: object[]): Promise<void> => {
    const answer = await intercepted.dashboard.call(`/api/identity-admin/admin/identities/${id}`, {
      session: intercepted.sessions.admin,
      method: 'PATCH',
      json: operations,
    });
    assert.equal(answer.status, 200);
  };

  it('shows both versions when somebody else changed the identity meanwhile, and keeps both where they differ', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page }) => {
      await page.getByLabel('First name').fill('Mine');
      await page.getByLabel('Language').fill('fr');
      await patch(before.id, [
        { op: 'replace', path: '/traits/name/first', value: 'Theirs' },
        { op: 'replace', path: '/metadata_public/plan', value: 'silver' },
        { op: 'replace', path: '/state', value: 'inactive' },
      ]);
      intercepted.upstream.seen = [];
      await save(page);
      const dialog = page.getByRole('dialog', { name: 'Somebody else changed this identity' });
      await dialog.getByRole('group', { name: 'traits.name.first' }).waitFor();
      await dialog.getByText('metadata_public.plan').waitFor();
      await dialog.getByText('traits.locale').waitFor();
      await assertAccessible(page, 'the two versions');
      assert.deepEqual(sentPatches(intercepted), [], 'nothing is written before the choice');
      await becomes(() => dialog.getByRole('button', { name: 'Save selected' }).isDisabled(), true);

      // A third change, while the dialog is open.
      await patch(before.id, [{ op: 'replace', path: '/traits/name/last', value: 'Third' }]);
      intercepted.upstream.seen = [];
      await dialog.getByLabel(/Save yours/).check();
      await dialog.getByRole('button', { name: 'Save selected' }).click();
      await dialog.getByText('traits.name.last').waitFor();
      assert.deepEqual(sentPatches(intercepted), []);
      await dialog.getByRole('button', { name: 'Save both' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
    });
    assert.deepEqual(sentPatches(intercepted), [
      [
        { op: 'replace', path: '/traits/name/first', value: 'Mine' },
        { op: 'replace', path: '/traits/locale', value: 'fr' },
      ],
    ]);
    const after = await read(before.id);
    assert.deepEqual(after.traits, { ...before.traits, name: { first: 'Mine', last: 'Third' }, locale: 'fr' });
    assert.deepEqual(after.metadata_public, { ...PUBLIC_METADATA, plan: 'silver' });
    assert.equal(after.state, 'inactive');
  });

  it('keeps their version where that is chosen', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page }) => {
      await page.getByLabel('First name').fill('Mine');
      await page.getByLabel('Last name').fill('Also mine');
      await patch(before.id, [{ op: 'replace', path: '/traits/name/first', value: 'Theirs' }]);
      await save(page);
      await page
        .getByRole('dialog')
        .getByLabel(/Keep theirs/)
        .check();
      await page.getByRole('button', { name: 'Save selected' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
    });
    await becomes(async () => (await read(before.id)).traits.name, { first: 'Theirs', last: 'Also mine' });
  });

  it('warns that a change in the instant before writing goes unnoticed', async () =>
    editing(intercepted, await ada(intercepted), async ({ page }) => {
      await page.getByText('A change in the instant between reading and writing').waitFor();
    }));
});
