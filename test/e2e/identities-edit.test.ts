import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/axe.ts';
import { needsChromium, type Visit, type VisitOptions } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { type IdentityUpstream, startIdentityUpstream } from '../support/identity-upstream.ts';

const ADMIN = '/api/identity-admin/admin';

interface Stored {
  id: string;
  schema_id: string;
  state: string;
  external_id?: string;
  traits: Record<string, unknown>;
  metadata_public: unknown;
  metadata_admin: unknown;
}

describe('creating and editing identities, in a browser', function () {
  this.timeout(60_000);
  let upstream: IdentityUpstream;
  let dashboard: Dashboard;
  let session: string;
  let people = 0;
  before(async function () {
    needsChromium(this);
    upstream = await startIdentityUpstream();
    dashboard = await startDashboard({
      env: { IDENTITY_ADMIN_URL: upstream.url, PROXY_TIMEOUT_MS: '1000' },
      storeFromSandbox: true,
      sandbox: { people: 0 },
    });
    upstream.target = dashboard.sandbox.environment.IDENTITY_ADMIN_URL ?? '';
    session = await dashboard.signIn('admin');
  });
  after(async () => {
    await dashboard?.close();
    await upstream?.close();
  });
  afterEach(() => {
    upstream.fault = undefined;
    upstream.requests.length = 0;
  });

  const PUBLIC = { plan: 'gold', seats: [1, 2, 3], nested: { deep: { null: null } } };
  const ADMIN_METADATA = { note: 'called support', 'odd/key~with': true, big: 1e21 };

  async function person(more: object = {}): Promise<Stored> {
    people += 1;
    const answer = await dashboard.call(`${ADMIN}/identities`, {
      session,
      json: {
        schema_id: 'customer',
        traits: { email: `edited-${people}@example.org`, name: { first: 'Ada', last: 'Old' }, locale: 'en' },
        metadata_public: PUBLIC,
        metadata_admin: ADMIN_METADATA,
        external_id: `crm-${people}`,
        ...more,
      },
    });
    assert.equal(answer.status, 201);
    return (await answer.json()) as Stored;
  }
  const stored = async (id: string): Promise<Stored> =>
    (await (await dashboard.call(`${ADMIN}/identities/${id}`, { session })).json()) as Stored;
  const patch = async (id: string, operations: object[]): Promise<void> => {
    const answer = await dashboard.call(`${ADMIN}/identities/${id}`, { session, method: 'PATCH', json: operations });
    assert.equal(answer.status, 200);
  };
  const sentPatches = (): unknown[] =>
    upstream.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body));

  const editing = (
    { id }: Stored,
    work: (visit: Visit) => Promise<void>,
    look: Pick<VisitOptions, 'colorScheme' | 'viewport'> = {},
  ): Promise<void> =>
    signedInVisit(
      dashboard,
      session,
      { path: `/identities/${id}/traits/edit`, heading: 'Ada Old', ...look },
      async (visit) => {
        await visit.page.getByLabel('First name').waitFor();
        await work(visit);
      },
    );
  const creating = (
    work: (visit: Visit) => Promise<void>,
    look: Pick<VisitOptions, 'colorScheme' | 'viewport'> = {},
  ): Promise<void> =>
    signedInVisit(dashboard, session, { path: '/identities/new', heading: 'New identity', ...look }, async (visit) => {
      await visit.page.getByLabel('Schema').waitFor();
      await work(visit);
    });
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();

  it('writes only the members that were changed, so that metadata survives every edit', async () => {
    const before = await person();
    await editing(before, async ({ page }) => {
      await page.getByLabel('Last name').fill('New');
      await page.getByLabel('Language').fill('');
      await page.getByLabel('Receives the newsletter').selectOption('Yes');
      await save(page);
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.waitForURL(`**/identities/${before.id}/traits`);
      await page.getByRole('heading', { level: 1, name: 'Ada New' }).waitFor();
    });
    assert.deepEqual(sentPatches(), [
      [
        { op: 'replace', path: '/traits/name/last', value: 'New' },
        { op: 'remove', path: '/traits/locale' },
        { op: 'add', path: '/traits/newsletter', value: true },
      ],
    ]);
    const after = await stored(before.id);
    assert.deepEqual(after.traits, {
      email: before.traits.email,
      name: { first: 'Ada', last: 'New' },
      newsletter: true,
    });
    assert.deepEqual(
      [after.metadata_public, after.metadata_admin, after.external_id, after.state, after.schema_id],
      [PUBLIC, ADMIN_METADATA, before.external_id, 'active', 'customer'],
    );
  });

  it('edits traits and metadata as JSON, member by member, and clears what is emptied', async () => {
    const before = await person();
    await editing(before, async ({ page }) => {
      await page.getByRole('button', { name: 'JSON', exact: true }).click();
      const traits = page.getByLabel('Traits as JSON');
      await traits.fill(`${await traits.inputValue()},`);
      await page.getByRole('button', { name: 'Form', exact: true }).waitFor();
      assert.ok(await page.getByRole('button', { name: 'Form', exact: true }).isDisabled());
      await save(page);
      await page.getByText('This is not JSON.').first().waitFor();
      assert.deepEqual(sentPatches(), []);
      await traits.fill(JSON.stringify({ ...before.traits, locale: 'de' }));
      const metadata = page.getByLabel('Admin metadata');
      await metadata.fill(JSON.stringify({ ...ADMIN_METADATA, 'odd/key~with': false }));
      await page.getByLabel('Public metadata').fill('');
      await page.getByLabel('External id').fill('');
      await save(page);
      await page.getByText('Saved', { exact: true }).waitFor();
    });
    assert.deepEqual(sentPatches(), [
      [
        { op: 'replace', path: '/traits/locale', value: 'de' },
        { op: 'replace', path: '/metadata_public', value: null },
        { op: 'replace', path: '/metadata_admin/odd~1key~0with', value: false },
        { op: 'replace', path: '/external_id', value: '' },
      ],
    ]);
    const after = await stored(before.id);
    assert.deepEqual(
      [after.metadata_public, after.metadata_admin, after.external_id],
      [null, { ...ADMIN_METADATA, 'odd/key~with': false }, undefined],
    );
  });

  it('shows both versions when somebody else changed the identity meanwhile, and keeps both where they differ', async () => {
    const before = await person();
    await editing(before, async ({ page }) => {
      await page.getByLabel('First name').fill('Mine');
      await page.getByLabel('Language').fill('fr');
      await patch(before.id, [
        { op: 'replace', path: '/traits/name/first', value: 'Theirs' },
        { op: 'replace', path: '/metadata_public/plan', value: 'silver' },
        { op: 'replace', path: '/state', value: 'inactive' },
      ]);
      upstream.requests.length = 0;
      await save(page);
      const dialog = page.getByRole('dialog', { name: 'Somebody else changed this identity' });
      await dialog.getByRole('group', { name: 'traits.name.first' }).waitFor();
      await dialog.getByText('metadata_public.plan').waitFor();
      await dialog.getByText('traits.locale').waitFor();
      await assertAccessible(page, 'the two versions');
      assert.deepEqual(sentPatches(), [], 'nothing is written before the choice');
      assert.ok(await dialog.getByRole('button', { name: 'Save the chosen' }).isDisabled());

      // A third change, while the dialog is open.
      await patch(before.id, [{ op: 'replace', path: '/traits/name/last', value: 'Third' }]);
      upstream.requests.length = 0;
      await dialog.getByLabel(/Save yours/).check();
      await dialog.getByRole('button', { name: 'Save the chosen' }).click();
      await dialog.getByText('traits.name.last').waitFor();
      assert.deepEqual(sentPatches(), []);
      await dialog.getByRole('button', { name: 'Save both' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
    });
    assert.deepEqual(sentPatches(), [
      [
        { op: 'replace', path: '/traits/name/first', value: 'Mine' },
        { op: 'replace', path: '/traits/locale', value: 'fr' },
      ],
    ]);
    const after = await stored(before.id);
    assert.deepEqual(after.traits, { ...before.traits, name: { first: 'Mine', last: 'Third' }, locale: 'fr' });
    assert.deepEqual(after.metadata_public, { ...PUBLIC, plan: 'silver' });
    assert.equal(after.state, 'inactive');
  });

  it('keeps their version where that is chosen', async () => {
    const before = await person();
    await editing(before, async ({ page }) => {
      await page.getByLabel('First name').fill('Mine');
      await page.getByLabel('Last name').fill('Also mine');
      await patch(before.id, [{ op: 'replace', path: '/traits/name/first', value: 'Theirs' }]);
      await save(page);
      await page
        .getByRole('dialog')
        .getByLabel(/Keep theirs/)
        .check();
      await page.getByRole('button', { name: 'Save the chosen' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
    });
    assert.deepEqual((await stored(before.id)).traits.name, { first: 'Theirs', last: 'Also mine' });
  });

  it('states the moment in which a change by somebody else cannot be noticed', async () =>
    editing(await person(), async ({ page }) => {
      await page.getByText('Between that reading and the write a moment remains').waitFor();
    }));

  it('shows what the schema objects to at its field, before anything is sent, and lets the store decide on request', async () => {
    const before = await person();
    await editing(before, async ({ page, expect }) => {
      await page.getByLabel('E-mail').fill('nonsense');
      await page.getByLabel('Phone').fill('12');
      await save(page);
      await page.getByText('This is not a valid e-mail address.').first().waitFor();
      assert.equal(
        await page.evaluate('document.activeElement === document.querySelector("[aria-invalid=true]")'),
        true,
      );
      assert.deepEqual(sentPatches(), []);
      await assertAccessible(page, 'the form with problems');
      expect(400, new RegExp(before.id));
      await page.getByRole('button', { name: 'Let the identity service decide' }).click();
      const field = page.getByRole('form', { name: 'Edit the identity' }).getByLabel('E-mail');
      await page.getByText('is not valid').first().waitFor();
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      assert.equal(sentPatches().length, 1);
    });
  });

  it("shows the store's own reason at its field, one for each", async () => {
    const before = await person();
    await editing(before, async ({ page, expect }) => {
      expect(400, new RegExp(before.id));
      const reason =
        'I[#/traits/locale] S[#/properties/traits/properties/locale/type] expected string, but got number\n' +
        'I[#/traits] S[#/properties/traits/required] missing properties: "phone"';
      upstream.fault = ({ method }) =>
        method === 'PATCH'
          ? {
              status: 400,
              body: JSON.stringify({ error: { code: 400, reason, message: 'The request was malformed' } }),
            }
          : undefined;
      await page.getByLabel('First name').fill('Else');
      await save(page);
      await page.getByText('Expected string, but got number').first().waitFor();
      assert.equal(await page.getByLabel('Language').getAttribute('aria-invalid'), 'true');
      assert.equal(await page.getByLabel('Phone').getAttribute('aria-invalid'), 'true');
      assert.equal(await page.getByLabel('E-mail').getAttribute('aria-invalid'), null);
    });
  });

  it('says at the form that an identifier is taken by another identity', async () => {
    const other = await person();
    const before = await person();
    await editing(before, async ({ page, expect }) => {
      expect(409, new RegExp(before.id));
      await page.getByLabel('E-mail').fill(String(other.traits.email));
      await save(page);
      await page.getByText('Taken by another identity').waitFor();
      assert.equal(await page.getByLabel('E-mail').inputValue(), other.traits.email);
    });
  });

  it('sends nothing when nothing was changed, and one write for a double click', async () => {
    const before = await person();
    await editing(before, async ({ page }) => {
      await save(page);
      await page.getByText('Nothing was changed').waitFor();
      assert.deepEqual(sentPatches(), []);
      await page.getByLabel('First name').fill('Twice');
      await page.getByRole('button', { name: 'Save', exact: true }).dblclick();
      await page.getByText('Saved', { exact: true }).waitFor();
      assert.equal(sentPatches().length, 1);
    });
  });

  it('asks before typed work is lost', async () => {
    const before = await person();
    await editing(before, async ({ page }) => {
      await page.getByLabel('First name').fill('Half done');
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Stay' }).last().click();
      assert.equal(await page.getByLabel('First name').inputValue(), 'Half done');
      await page.getByRole('link', { name: 'Sessions', exact: true }).click();
      await page.getByRole('button', { name: 'Discard the changes' }).click();
      await page.waitForURL('**/sessions');
    });
    assert.deepEqual((await stored(before.id)).traits, before.traits);
  });

  it('edits as JSON where the schema is not to be had', async () => {
    const before = await person();
    await dashboard.restart({ IDENTITY_URL: 'http://127.0.0.1:9' });
    try {
      await signedInVisit(
        dashboard,
        session,
        { path: `/identities/${before.id}/traits`, heading: 'Ada Old' },
        async ({ page, expect }) => {
          expect(502, /\/schemas\//);
          await page.getByRole('link', { name: 'Edit' }).click();
          await page.getByText('The schema is not to be had now').waitFor();
          await page.getByLabel('Traits as JSON').fill(JSON.stringify({ ...before.traits, locale: 'it' }));
          await save(page);
          await page.getByText('Saved', { exact: true }).waitFor();
        },
      );
    } finally {
      await dashboard.restart();
    }
    assert.equal((await stored(before.id)).traits.locale, 'it');
  });

  it('creates an identity by its schema, with metadata, and sends nothing that was not typed', () =>
    creating(async ({ page, expect }) => {
      await page.getByLabel('Schema').selectOption('partner');
      await page.getByLabel('Company').waitFor();
      assert.equal(new URL(page.url()).searchParams.get('schema'), 'partner');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('This is required.').first().waitFor();
      await page.getByLabel('E-mail').fill('Partner.One@example.org');
      await page.getByLabel('Company').fill('ACME');
      await page.getByLabel('Tier').selectOption('gold');
      await page.getByLabel('Seats').fill('12');
      await page.getByLabel('Admin metadata').fill('{"source": "form"}');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'Partner.One@example.org' }).waitFor();
      const request = upstream.requests.find(({ method }) => method === 'POST');
      assert.deepEqual(JSON.parse(request?.body ?? ''), {
        schema_id: 'partner',
        traits: { email: 'Partner.One@example.org', company: 'ACME', tier: 'gold', seats: 12 },
        metadata_admin: { source: 'form' },
      });
      expect(409, /\/identities$/);
      await page.getByRole('link', { name: 'Identities' }).last().click();
      await page.getByRole('link', { name: 'New identity' }).click();
      await page.getByLabel('Schema').selectOption('partner');
      await page.getByLabel('E-mail').fill('partner.one@example.org');
      await page.getByLabel('Company').fill('ACME');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('Taken by another identity').waitFor();
      await page.getByText('This identity conflicts with another identity that already exists.').waitFor();
    }));

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible as a form and as JSON, for new and stored identities, in ${colorScheme} colours`, async () => {
      await editing(
        await person(),
        async ({ page }) => {
          await assertAccessible(page, 'the form of a stored identity');
          await page.getByRole('button', { name: 'JSON', exact: true }).click();
          await page.getByLabel('Traits as JSON').waitFor();
          await assertAccessible(page, 'its JSON');
        },
        { colorScheme },
      );
      await creating(
        async ({ page }) => {
          await page.getByRole('button', { name: 'Create' }).click();
          await page.getByText('This is required.').first().waitFor();
          await assertAccessible(page, 'the form of a new identity');
        },
        { colorScheme },
      );
    });
  }

  it('fits a screen 360 pixels wide', async () =>
    editing(
      await person(),
      async ({ page }) => {
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
      },
      { viewport: { width: 360, height: 740 } },
    ));
});
