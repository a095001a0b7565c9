import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { reads } from '../support/identity-dom.ts';
import { type Person, person } from '../support/identity-pages.ts';

const identifier = { type: 'string', 'ory.sh/kratos': { credentials: { password: { identifier: true } } } };

describe('the page of an identity', () => {
  const suite = appOfSuite();
  const onPerson = (
    { id, name }: Person,
    tab: string,
    work: (app: App) => Promise<void>,
    respond?: App['respond'],
  ): Promise<void> => suite.open(`/identities/${id}${tab}`, { heading: name, ...(respond && { respond }) }, work);
  const goTo = async ({ screen, user }: App, tab: string): Promise<void> =>
    user.click(within(screen.getByRole('navigation', { name: 'Identity' })).getByText(tab));

  it('requests nothing whose response contains the stored hash', async () => {
    const somebody = await person(suite);
    const withHash = `${suite.upstream.target}/admin/identities/${somebody.id}?include_credential=password`;
    const { credentials } = (await (await fetch(withHash)).json()) as {
      credentials: { password: { config: { hashed_password: string } } };
    };
    const hash = credentials.password.config.hashed_password;
    await onPerson(somebody, '', async (app) => {
      await app.shows('Social sign-in, Password');
      for (const [tab, text] of [
        ['Credentials', new RegExp(`Password · ${somebody.email}`)],
        ['JSON', new RegExp(somebody.subject)],
        ['Sessions', /No sessions/],
        ['Traits and metadata', /Admin metadata/],
      ] as const) {
        await goTo(app, tab);
        await reads(text);
      }
      const paths = [...new Set(app.requests.map(({ path }) => path))];
      const session = suite.sessions.admin;
      const texts = await Promise.all(
        paths.map(async (path) => (await suite.dashboard.call(path, { session })).text()),
      );
      assert.ok(texts.some((text) => text.includes(somebody.subject)));
      assert.ok(!texts.some((text) => text.includes(hash.slice(-20))));
    });
    assert.ok(suite.upstream.seen.some(({ path }) => path.includes('include_credential=password')));
  });

  it('passes the focus from the search for similar identifiers to its result', async () =>
    onPerson(await person(suite), '', async (app) => {
      await app.press('Look for similar identifiers');
      const result = await app.shows(/^(?:Found no other identifier like|The person may mean|The index is off)/);
      await waitFor(() => assert.ok(document.activeElement === result.closest('[role=status]')));
    }));

  it('is named by the trait that the schema marks, as in the list', async () => {
    const { id } = await person(suite);
    const identity = {
      id,
      schema_id: 'agents',
      state: 'active',
      traits: { agent_name: 'zora' },
      created_at: '',
      updated_at: '',
    };
    const schema = { properties: { traits: { properties: { agent_name: identifier } } } };
    const respond: App['respond'] = ({ path }) => {
      if (path === '/api/identity/schemas') return Response.json([{ id: 'agents', schema }]);
      if (path === `/api/identity-admin/admin/identities/${id}`) return Response.json(identity);
      if (path.startsWith('/api/identities/search?'))
        return Response.json({ identities: [identity], has_more: false, next_page_token: null, total: 1, index: {} });
      return undefined;
    };
    await suite.open(`/identities/${id}`, { heading: 'zora', respond }, async () => {});
    await suite.open('/identities', { heading: 'Identities', respond }, async ({ screen }) => {
      await screen.findByRole('link', { name: 'zora' });
    });
  });

  it('offers text to copy by hand if the browser refuses to copy', async () => {
    const somebody = await person(suite);
    await onPerson(somebody, '', async (app) => {
      // As on an address without TLS, in a browser without the old command.
      Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
      await app.press('Copy identity ID');
      await app.press('Show text');
      const field = await app.screen.findByLabelText<HTMLTextAreaElement>(/Copy the text by hand/);
      await waitFor(() => assert.equal(field.value.slice(field.selectionStart, field.selectionEnd), somebody.id));
      await app.press('Dismiss');
    });
  });

  it('says that there is no such identity, for an unknown id and for an invalid one', async () => {
    await suite.open('/identities/11111111-1111-4111-8111-111111111111', {}, async (app) => {
      await app.shows('No identity has this ID. It may have been deleted.');
    });
    await suite.open('/identities/nonsense', {}, async (app) => {
      await app.shows('This address does not contain a valid identity ID.');
      assert.ok(!app.requests.some(({ path }) => path.includes('nonsense')));
    });
  });
});
