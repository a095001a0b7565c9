import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { typedIn } from '../support/identity-dom.ts';

describe('the form of a new identity', () => {
  const suite = appOfSuite();
  const creating = (work: (app: App) => Promise<void>, respond?: App['respond']): Promise<void> =>
    suite.open('/identities/new', { heading: 'New identity', ...(respond && { respond }) }, work);
  const sent = (): unknown[] =>
    suite.upstream.seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

  it('creates an identity from its schema, with metadata, sends nothing that was not typed, and names the owner of a taken address', () =>
    creating(async (app) => {
      await app.screen.findByLabelText('Schema');
      // The first one.
      assert.equal(typedIn(app, 'Schema'), 'customer');
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

      await app.user.click((await app.screen.findAllByRole('link', { name: 'Identities' })).at(-1) as HTMLElement);
      await app.user.click(await app.screen.findByRole('link', { name: 'New identity' }));
      // The last choice is preselected next time.
      await app.screen.findByLabelText(/^Company/);
      assert.equal(typedIn(app, 'Schema'), 'partner');
      await app.fill(/^E-mail/, 'partner.one@example.org');
      await app.fill(/^Company/, 'ACME');
      await app.press('Create');
      await app.shows(/^Taken by another identity\./);
      await waitFor(() => assert.equal(app.screen.getByLabelText(/^E-mail/).getAttribute('aria-invalid'), 'true'));
      const [link] = await app.screen.findAllByRole('link', { name: 'Used by Partner.One@example.org' });
      assert.equal(link?.getAttribute('target'), '_blank');
      // Another address is looked up again.
      await app.fill(/^E-mail/, 'partner.two@example.org');
      assert.equal(app.screen.queryAllByText(/^Used by/).length, 0);
      await app.press('Create');
      await app.screen.findByRole('heading', { level: 1, name: 'partner.two@example.org' });
    }));

  it('says that the identity may exist if the response was lost', () => {
    let isLost = true;
    return creating(
      async (app) => {
        await app.fill(/^E-mail/, 'twice@example.org');
        await app.press('Create');
        await app.shows(/ The identity may have been created: check the list before you try again\.$/);
        isLost = false;
        await app.press('Create');
        await app.screen.findByRole('heading', { level: 1, name: 'twice@example.org' });
      },
      ({ method }) => (method === 'POST' && isLost ? Promise.reject(new TypeError('offline')) : undefined),
    );
  });

  it('has a field for a trait that is named like a member of every object', () => {
    const schema = { properties: { traits: { properties: { constructor: { type: 'string', title: 'Builder' } } } } };
    return creating(
      async (app) => {
        await app.screen.findByLabelText('Builder');
        assert.equal(typedIn(app, 'Builder'), '');
      },
      ({ path }) => (path.endsWith('/identity/schemas') ? Response.json([{ id: 'only', schema }]) : undefined),
    );
  });

  it('does not ask for the schema if there is only one, and leads back to the list', () => {
    const schema = { properties: { traits: { properties: { nick: { type: 'string', title: 'Nickname' } } } } };
    return creating(
      async (app) => {
        await app.screen.findByLabelText('Nickname');
        assert.equal(app.screen.queryByLabelText('Schema'), null);
        await app.user.click(within(document.querySelector('main') ?? document.body).getByText('Identities'));
        await app.screen.findByRole('heading', { level: 1, name: 'Identities' });
      },
      ({ path }) => (path.endsWith('/identity/schemas') ? Response.json([{ id: 'only', schema }]) : undefined),
    );
  });
});
