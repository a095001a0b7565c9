import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { reads } from '../support/identity-dom.ts';
import { type Person, person } from '../support/identity-pages.ts';

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

  it('asks for nothing that has the stored hash in its response', async () => {
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

  it('says that there is no such identity, for an unknown id and for text that is not an id', async () => {
    await suite.open('/identities/11111111-1111-4111-8111-111111111111', {}, async (app) => {
      await app.shows('No identity has this id. It may have been deleted.');
    });
    await suite.open('/identities/nonsense', {}, async (app) => {
      await app.shows('This address does not contain an identity id.');
      assert.ok(!app.requests.some(({ path }) => path.includes('nonsense')));
    });
  });
});
