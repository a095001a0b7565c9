import assert from 'node:assert/strict';
import { waitFor } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { typedIn } from '../support/identity-dom.ts';
import { create } from '../support/identity-pages.ts';

describe('the form of a new identity', () => {
  const suite = appOfSuite();
  const creating = (work: (app: App) => Promise<void>, respond?: App['respond']): Promise<void> =>
    suite.open('/identities/new', { heading: 'New identity', ...(respond && { respond }) }, async (app) => {
      await app.screen.findByLabelText('Schema');
      await work(app);
    });
  const sent = (): unknown[] =>
    suite.upstream.seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

  it('creates an identity by its schema, with metadata, sends nothing that was not typed, and names who has an address', () =>
    creating(async (app) => {
      assert.equal(typedIn(app, 'Schema'), '');
      await app.user.selectOptions(app.screen.getByLabelText('Schema'), 'partner');
      await app.screen.findByLabelText(/^Company/);
      assert.equal(app.address(), '/identities/new?schema=partner');
      await app.press('Create');
      await app.shows('This is required.');
      await app.fill(/^E-mail/, 'Partner.One@example.org');
      await app.fill(/^Company/, 'ACME');
      await app.user.selectOptions(app.screen.getByLabelText('Tier'), 'gold');
      await app.fill('Seats', '12');
      await app.fill('Admin metadata', '{"source": "form"}');
      await app.press('Create');
      await app.screen.findByRole('heading', { level: 1, name: 'Partner.One@example.org' });
      assert.deepEqual(sent(), [
        {
          schema_id: 'partner',
          traits: { email: 'Partner.One@example.org', company: 'ACME', tier: 'gold', seats: 12 },
          metadata_admin: { source: 'form' },
        },
      ]);

      await app.user.click(app.screen.getAllByRole('link', { name: 'Identities' }).at(-1) as HTMLElement);
      await app.user.click(await app.screen.findByRole('link', { name: 'New identity' }));
      // The last choice is preselected next time.
      await app.screen.findByLabelText(/^Company/);
      assert.equal(typedIn(app, 'Schema'), 'partner');
      await app.fill(/^E-mail/, 'partner.one@example.org');
      await app.fill(/^Company/, 'ACME');
      await app.press('Create');
      await app.shows(/^Taken by another identity\./);
      await waitFor(() => assert.equal(app.screen.getByLabelText(/^E-mail/).getAttribute('aria-invalid'), 'true'));
      const [link] = await app.screen.findAllByRole('link', { name: 'Partner.One@example.org has it' });
      assert.equal(link?.getAttribute('target'), '_blank');
      // Another address is looked up again.
      await app.fill(/^E-mail/, 'partner.two@example.org');
      assert.equal(app.screen.queryAllByText(/has it$/).length, 0);
      await app.press('Create');
      await app.screen.findByRole('heading', { level: 1, name: 'partner.two@example.org' });
    }));

  it('keeps what was typed when the schema changed under the form, and shows the new field', () =>
    creating(async (app) => {
      await app.user.selectOptions(app.screen.getByLabelText('Schema'), 'customer');
      await app.screen.findByLabelText('First name');
      await app.fill('First name', 'Typed');
      await app.fill(/^E-mail/, 'typed@example.org');
      const session = suite.sessions.admin;
      const schemas = await (await suite.dashboard.call('/api/identity/schemas', { session })).text();
      const department = '"department":{"title":"Department","type":"string"},"phone":{';
      const changed = schemas.replaceAll('"phone":{', department);
      app.respond = ({ path }) => (path === '/api/identity/schemas' ? Response.json(JSON.parse(changed)) : undefined);
      const reason = 'I[#/traits] S[#/properties/traits/required] missing properties: "department"';
      suite.upstream.before = ({ method }) =>
        method === 'POST' ? { status: 400, body: JSON.stringify({ error: { code: 400, reason } }) } : undefined;
      await app.press('Create');
      const field = await app.screen.findByLabelText('Department');
      await waitFor(() => assert.equal(field.getAttribute('aria-invalid'), 'true'));
      assert.equal(typedIn(app, 'First name'), 'Typed');
    }));

  it('offers the schemas in use where the identity service cannot list them', async () => {
    suite.upstream.calm();
    await create(suite, { schema_id: 'partner', traits: { email: 'in-use@b.example', company: 'ACME' } });
    await creating(
      async (app) => {
        await app.shows(/^The identity service cannot list its schemas/);
        await app.user.selectOptions(app.screen.getByLabelText('Schema'), 'partner');
        await app.screen.findByLabelText(/^Company/);
      },
      ({ path }) => (path === '/api/identity/schemas' ? Response.json({ error: {} }, { status: 500 }) : undefined),
    );
  });
});
