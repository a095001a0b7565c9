import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import {
  ADMIN_METADATA,
  ada,
  editing,
  PUBLIC_METADATA,
  type Stored,
  save,
  sentPatches,
  stored,
} from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('editing identities, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  const read = async (id: string): Promise<Stored> => (await (await stored(intercepted, id)).json()) as Stored;

  it('writes only the members that were changed, so that metadata survives every edit', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page }) => {
      await page.getByLabel('Last name').fill('New');
      await page.getByLabel('Language').fill('');
      await page.getByLabel('Receives the newsletter').selectOption('Yes');
      await save(page);
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.waitForURL(`**/identities/${before.id}/traits`);
      await page.getByRole('heading', { level: 1, name: 'Ada New' }).waitFor();
    });
    assert.deepEqual(sentPatches(intercepted), [
      [
        { op: 'replace', path: '/traits/name/last', value: 'New' },
        { op: 'remove', path: '/traits/locale' },
        { op: 'add', path: '/traits/newsletter', value: true },
      ],
    ]);
    const after = await read(before.id);
    assert.deepEqual(after.traits, {
      email: before.traits.email,
      name: { first: 'Ada', last: 'New' },
      newsletter: true,
    });
    assert.deepEqual(
      [after.metadata_public, after.metadata_admin, after.external_id, after.state, after.schema_id],
      [PUBLIC_METADATA, ADMIN_METADATA, before.external_id, 'active', 'customer'],
    );
  });

  it('edits traits and metadata as JSON, member by member, and clears what is emptied', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page }) => {
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      const traits = page.getByLabel('Traits as JSON');
      await traits.fill(`${await traits.inputValue()},`);
      await page.getByRole('button', { name: 'Form', exact: true }).waitFor();
      await becomes(() => page.getByRole('button', { name: 'Form', exact: true }).isDisabled(), true);
      await save(page);
      await page.getByText('This is not valid JSON.').first().waitFor();
      assert.deepEqual(sentPatches(intercepted), []);
      await traits.fill(JSON.stringify({ ...before.traits, locale: 'de' }));
      const metadata = page.getByLabel('Admin metadata');
      await metadata.fill(JSON.stringify({ ...ADMIN_METADATA, 'odd/key~with': false }));
      await page.getByLabel('Public metadata').fill('');
      await page.getByLabel('External id').fill('');
      await save(page);
      await page.getByText('Saved', { exact: true }).waitFor();
    });
    assert.deepEqual(sentPatches(intercepted), [
      [
        { op: 'replace', path: '/traits/locale', value: 'de' },
        { op: 'replace', path: '/metadata_public', value: null },
        { op: 'replace', path: '/metadata_admin/odd~1key~0with', value: false },
        { op: 'remove', path: '/external_id' },
      ],
    ]);
    const after = await read(before.id);
    assert.deepEqual(
      [after.metadata_public, after.metadata_admin, after.external_id],
      [null, { ...ADMIN_METADATA, 'odd/key~with': false }, undefined],
    );
  });

  it('sends nothing when nothing was changed, and one write for a double click', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page }) => {
      await save(page);
      await page.getByText('Nothing was changed').waitFor();
      assert.deepEqual(sentPatches(intercepted), []);
      await page.getByLabel('First name').fill('Twice');
      await page.getByRole('button', { name: 'Save', exact: true }).dblclick();
      await page.getByText('Saved', { exact: true }).waitFor();
      assert.equal(sentPatches(intercepted).length, 1);
    });
  });

  it('asks before typed work is lost', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page }) => {
      await page.getByLabel('First name').fill('Half done');
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Stay' }).last().click();
      await becomes(() => page.getByLabel('First name').inputValue(), 'Half done');
      await page
        .getByRole('navigation', { name: 'Identity' })
        .getByRole('link', { name: 'Sessions', exact: true })
        .click();
      await page.getByRole('button', { name: 'Discard changes' }).click();
      await page.waitForURL('**/sessions');
    });
    await becomes(async () => (await read(before.id)).traits, before.traits);
  });

  it('edits as JSON where the schema is unavailable', async () => {
    const before = await ada(intercepted);
    await intercepted.dashboard.restart({ IDENTITY_URL: 'http://127.0.0.1:9' });
    try {
      await onPage(
        intercepted,
        '/settings',
        async ({ page, expect }) => {
          expect(502, /\/schemas\//);
          await page.goto(`${intercepted.dashboard.baseUrl}/identities/${before.id}/traits`);
          await page.getByRole('link', { name: 'Edit' }).click();
          await page.getByText('The schema is unavailable, so').waitFor();
          await page.getByLabel('Traits as JSON').fill(JSON.stringify({ ...before.traits, locale: 'it' }));
          await save(page);
          await page.getByText('Saved', { exact: true }).waitFor();
        },
        { heading: 'Settings' },
      );
    } finally {
      await intercepted.dashboard.restart();
    }
    await becomes(async () => (await read(before.id)).traits.locale, 'it');
  });

  it(`is accessible as a form and as JSON, in all colours and widths`, async () =>
    editing(intercepted, await ada(intercepted), async ({ page }) => {
      await assertAccessibleInAllLooks(page, 'the form of a stored identity');
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      await page.getByLabel('Traits as JSON').waitFor();
      await assertAccessibleInAllLooks(page, 'its JSON');
    }));
});
