import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { listed, reads } from '../support/identity-dom.ts';
import { create } from '../support/identity-pages.ts';
import { indexReady } from '../support/index-ready.ts';

const SEARCH = /^Any part of an e-mail/;

describe('searching, filtering and sorting identities', () => {
  const suite = appOfSuite({ people: 60 });
  let zebedee: string;
  before(async () => {
    const people = await Promise.all(
      [
        ['Zebedee', 'active'],
        ['Aurora', 'inactive'],
      ].map(([first = '', state]) =>
        create(suite, {
          schema_id: 'customer',
          state,
          external_id: `crm/${first} 7`,
          traits: { email: `${first}@example.org`, name: { first, last: 'Quillfeather' } },
        }),
      ),
    );
    zebedee = people[0]?.id ?? '';
    await indexReady(suite.dashboard, suite.sessions.admin);
  });

  const onList = (query: string, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/identities${query}`, { heading: 'Identities' }, work);
  const search = async (app: App, text: string): Promise<void> => {
    await app.fill(SEARCH, text);
    await app.user.keyboard('{Enter}');
  };
  const both = ['Aurora@example.org', 'Zebedee@example.org'];

  it('finds any part of a text while the operator types, and replaces the URL', () =>
    onList('', async (app) => {
      await reads(/Page 1, rows 1–25 of 64, people as of \d\d:\d\d/);
      const entries = app.window.history.length;
      await app.fill(SEARCH, 'LLFEÁTH');
      await reads(/2 identities match, people as of \d\d:\d\d/);
      app.screen.getByLabelText(SEARCH).blur();
      await app.user.keyboard('r');
      await eventually(
        () => app.requests.some(({ path }) => /search\?.*q=.*refresh=true/.test(path)),
        true,
        'r asks for the newest',
      );
      await eventually(() => listed().toSorted(), both);
      assert.equal(app.address(), `/identities?q=${encodeURIComponent('LLFEÁTH')}`);
      assert.equal(app.window.history.length, entries);
      await app.press('Clear the search');
      await reads(/Page 1, rows 1–25/);
      assert.equal(app.address(), '/identities');
    }));

  it('sorts by column headers, across all pages', () =>
    onList('', async (app) => {
      await eventually(() => listed().length, 25);
      const head = (name: string): HTMLElement => app.screen.getByRole('columnheader', { name });
      const sortBy = (name: string): Promise<void> => app.user.click(within(head(name)).getByRole('button'));
      assert.equal(head('Created').getAttribute('aria-sort'), 'descending');
      await sortBy('Identity');
      await eventually(() => app.address(), '/identities?sort=identifier');
      const isSorted = (all: string[]): boolean => all.length === 25 && String(all) === String(all.toSorted(compare));
      await eventually(() => isSorted(listed()), true);
      assert.equal(head('Identity').getAttribute('aria-sort'), 'ascending');
      const first = listed();
      await app.press('Next page');
      await reads(/Page 2, rows 26–50/);
      await eventually(() => isSorted([...first.slice(1), listed()[0] ?? '']), true);
      await sortBy('Identity');
      await eventually(() => app.address(), '/identities?sort=-identifier');
      await reads(/Page 1, rows 1–25/);
      await eventually(() => isSorted(listed().toReversed()), true);
      await sortBy('Last sign-in');
      await eventually(() => app.address(), '/identities?sort=-last_session');
    }));
  const compare = (one: string, other: string): number => (one.toLowerCase() < other.toLowerCase() ? -1 : 1);

  it('opens an identity by its external id or its id', () =>
    onList('', async (app) => {
      await search(app, 'crm/Zebedee 7');
      await reads(/Searched for: “crm\/Zebedee 7”\./);
      await app.press('Look up as external ID');
      await app.screen.findByRole('heading', { level: 1, name: /Zebedee/ });
      assert.equal(app.address(), `/identities/${zebedee}`);
      await app.user.click((await app.screen.findAllByRole('link', { name: 'Identities' })).at(-1) as HTMLElement);
      await app.fill(SEARCH, `"${zebedee.toUpperCase()}"`);
      await app.shows(/^This is an identity ID/);
      await app.user.keyboard('{Enter}');
      await eventually(() => app.address(), `/identities/${zebedee}`);
    }));
});
