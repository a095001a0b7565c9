import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { IdentitySearchPage } from '../../shared/identity-search.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { becomes } from '../support/becomes.ts';
import { listed, reads } from '../support/identity-dom.ts';
import { create } from '../support/identity-pages.ts';
import { indexIsRead } from '../support/index-is-read.ts';

const SEARCH = /^Any part of an e-mail/;

describe('what identities are searched, filtered and sorted by', () => {
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
    await indexIsRead(suite.dashboard, suite.sessions.admin);
  });

  const onList = (query: string, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/identities${query}`, { heading: 'Identities' }, work);
  const search = async (app: App, text: string): Promise<void> => {
    await app.fill(SEARCH, text);
    await app.user.keyboard('{Enter}');
  };
  const both = ['Aurora@example.org', 'Zebedee@example.org'];

  it('finds by a part in the middle while somebody types, and replaces the address', () =>
    onList('', async (app) => {
      await reads(/Page 1, rows 1–25, 64 in total/);
      const entries = app.window.history.length;
      await app.fill(SEARCH, 'LLFEÁTH');
      await reads(/2 identities match, counted/);
      await becomes(() => listed().toSorted(), both);
      assert.equal(app.address(), `/identities?q=${encodeURIComponent('LLFEÁTH')}`);
      assert.equal(app.window.history.length, entries);
      await app.press('Clear the search');
      await reads(/Page 1, rows 1–25/);
      assert.equal(app.address(), '/identities');
    }));

  it('searches for no more than 255 characters', () =>
    onList('', async (app) => {
      await app.fill(SEARCH, 'x'.repeat(256));
      await app.shows('At most 255 characters.');
      await app.user.keyboard('{Enter}');
      assert.equal(app.address(), '/identities');
    }));

  it('sorts by the heads of columns, over all pages', () =>
    onList('', async (app) => {
      await becomes(() => listed().length, 25);
      const head = (name: string): HTMLElement => app.screen.getByRole('columnheader', { name });
      const sortBy = (name: string): Promise<void> => app.user.click(within(head(name)).getByRole('button'));
      assert.equal(head('Created').getAttribute('aria-sort'), 'descending');
      await sortBy('Identifier');
      await becomes(() => app.address(), '/identities?sort=identifier');
      const isSorted = (all: string[]): boolean => all.length === 25 && String(all) === String(all.toSorted(compare));
      await becomes(() => isSorted(listed()), true);
      assert.equal(head('Identifier').getAttribute('aria-sort'), 'ascending');
      const first = listed();
      await app.press('Next page');
      await reads(/Page 2, rows 26–50/);
      await becomes(() => isSorted([...first.slice(1), listed()[0] ?? '']), true);
      await sortBy('Identifier');
      await becomes(() => app.address(), '/identities?sort=-identifier');
      await reads(/Page 1, rows 1–25/);
      await becomes(() => isSorted(listed().toReversed()), true);
      await sortBy('Last sign-in');
      await becomes(() => app.address(), '/identities?sort=-last_session');
    }));
  const compare = (one: string, other: string): number => (one.toLowerCase() < other.toLowerCase() ? -1 : 1);

  it('opens an identity by its external id or its id', () =>
    onList('', async (app) => {
      await search(app, 'crm/Zebedee 7');
      await reads(/Asked for: “crm\/Zebedee 7”\./);
      await app.press('Look up as external id');
      await becomes(() => app.address(), `/identities/${zebedee}`);
      await app.user.click(app.screen.getAllByRole('link', { name: 'Identities' }).at(-1) as HTMLElement);
      await app.fill(SEARCH, `"${zebedee.toUpperCase()}"`);
      await app.shows(/^This is an identity id/);
      await app.user.keyboard('{Enter}');
      await becomes(() => app.address(), `/identities/${zebedee}`);
    }));

  it('offers other ways where nothing is found', () =>
    onList('?q=subject-118', async (app) => {
      await app.press('Look up as external id');
      await app.shows('No identity has this external id either.');
      await app.fill('Provider', 'google');
      await app.press('Search as provider:subject');
      await reads(/Searched as provider:subject, which must match including case\./);
      assert.equal(app.address(), '/identities?q=google%3Asubject-118');
    }));

  it('keeps the rows and the address when the store fails for the next page', () =>
    onList('', async (app) => {
      await becomes(() => listed().length, 25);
      suite.upstream.before = ({ path }) =>
        path.startsWith('/admin/identities?ids=') ? { status: 500, body: '{}' } : undefined;
      await app.press('Next page');
      await app.screen.findByRole('alert');
      await reads(/Page 1, rows 1–25/);
      assert.equal(listed().length, 25);
      suite.upstream.before = () => undefined;
      await app.press('Next page');
      await reads(/Page 2, rows 26–50/);
      await waitFor(() => assert.equal(app.screen.queryAllByRole('alert').length, 0));
    }));

  it('has the columns that the operator chose, and reads external ids only for theirs', () =>
    onList('?q=quillf', async (app) => {
      await becomes(() => listed().length, 2);
      const external = (): number =>
        suite.upstream.seen.filter(({ path }) => path.startsWith('/admin/identities?page_size=500&ids=')).length;
      assert.equal(external(), 0);
      await app.press('Columns');
      for (const label of ['Schema', 'External id', 'Id', 'Created'])
        await app.user.click(await app.screen.findByLabelText(label));
      await app.shows('crm/Zebedee 7');
      assert.equal(external(), 1);
      const heads = (): (string | null)[] =>
        app.screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
      assert.deepEqual(heads(), ['', 'Identifier', 'Name', 'State', 'Schema', 'External id', 'Last sign-in', 'Id']);
      await app.press('Reset');
      await app.hides('crm/Zebedee 7');
    }));

  async function found(query: string): Promise<IdentitySearchPage> {
    const path = `/api/identities/search?${query}&page_size=25`;
    return (await (await suite.dashboard.call(path, { session: suite.sessions.admin })).json()) as IdentitySearchPage;
  }

  it('marks who no longer matches', async () => {
    const both = await found('q=quillf');
    const identities = both.identities.slice(1).map((row) => ({ ...row, changed: true }));
    await onList('?q=quillf', async (app) => {
      await reads(/2 identities match/);
      app.respond = ({ path }) =>
        path.startsWith('/api/identities/search?') ? Response.json({ ...both, total: 1, identities }) : undefined;
      await app.press('Read again');
      await reads(/1 identity matches/);
      await reads(/changed since/);
    });
  });

  it('says how much of the index is read, that more than 10,000 match, and that a search takes too long', async () => {
    const everybody = await found('sort=created');
    const index = { ...everybody.index, complete: false, identities: 12_000 };
    await onList('', async (app) => {
      await reads(/Page 1, rows 1–25/);
      app.respond = ({ path }) => {
        if (path.includes('q=many')) return Response.json({ ...everybody, total: null, index });
        return path.includes('q=slow')
          ? Response.json({ error: 'gateway_timeout', message: 'The question took too long.' }, { status: 504 })
          : undefined;
      };
      await app.fill(SEARCH, 'many');
      await reads(/more than 10,000 match, counted .*, 12,000 of 64 read so far/);
      await app.fill(SEARCH, 'slow');
      await reads(/The question took too long\./);
    });
  });
});
