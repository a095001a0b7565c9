import assert from 'node:assert/strict';
import { within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { listed, reads, typedIn } from '../support/identity-dom.ts';
import { create } from '../support/identity-pages.ts';

const SEARCH = /^E-mail, username, provider:subject/;

describe('without an index', () => {
  const suite = appOfSuite({ people: 50, env: { IDENTITY_INDEX: 'off' } });

  const onList = (work: (app: App) => Promise<void>, query = ''): Promise<void> =>
    suite.open(`/identities${query}`, { heading: 'Identities' }, work);
  const isOff = async ({ screen }: App, button: string): Promise<boolean> =>
    (await screen.findByRole('button', { name: button })).getAttribute('aria-disabled') === 'true';
  const search = async (app: App, text: string): Promise<void> => {
    await app.fill(SEARCH, text);
    await app.user.keyboard('{Enter}');
  };

  it('the overview and the session map say why they have no numbers', async () => {
    await suite.open('/', { heading: 'Overview' }, async (app) => {
      await app.screen.findAllByText(/^There are no numbers: the index is off/);
      await app.shows(/^The index is off \(IDENTITY_INDEX=off\)/);
    });
    await suite.open('/sessions', { heading: 'Sessions' }, async (app) => {
      await app.press('Map');
      await app.shows(/^The index is off \(IDENTITY_INDEX=off\)/);
    });
  });

  it('the list of identities says why it cannot filter or sort, and searches for whole identifiers and prefixes', () =>
    onList(async (app) => {
      await app.shows(/^The index of identities is off or still empty/);
      await reads(/Ordered by ID\. The identity service offers no other order\./);
      assert.equal(await isOff(app, '+ State'), true);
      for (const head of app.screen.getAllByRole('columnheader'))
        assert.equal(within(head).queryAllByRole('button').length, 0);
      await create(suite, { schema_id: 'customer', traits: { email: 'zebulon.pike@example.org' } });
      await search(app, 'Zebulon');
      await app.shows('No identity signs in with this');
      await app.press('Search as prefix');
      await eventually(listed, ['zebulon.pike@example.org']);
      assert.equal(app.address(), '/identities?q=Zebulon*');
      assert.equal(typedIn(app, SEARCH), 'Zebulon*');
      await search(app, 'pike*');
      await app.shows('No identifier begins with this');
    }));

  it('the list cannot be filtered, and says so if a URL has filters', () =>
    onList(async (app) => {
      await app.shows('Filters are unavailable');
      await app.press('Clear the filters');
      await reads(/1 identity matches/);
    }, '?q=admin@example.com&state=active'));

  it('the list keeps its rows if a cursor is rejected, and starts again on request', () =>
    onList(async (app) => {
      await eventually(() => listed().length, 25);
      const first = listed();
      const error = { code: 400, message: 'page token expired, do not persist page tokens' };
      suite.upstream.before = ({ path }) =>
        path.includes('page_token') ? { status: 400, body: JSON.stringify({ error }) } : undefined;
      await app.press('Next page');
      await app.shows('This page has expired');
      assert.deepEqual(listed(), first);
      await reads(/Page 1, rows 1–25/);
      suite.upstream.before = () => undefined;
      await app.press('Start again from page 1');
      await app.hides('This page has expired');
      await app.press('Next page');
      await reads(/Page 2, rows 26–50/);
    }));

  it('a later page that has become empty has a way back to the previous page', () =>
    onList(async (app) => {
      suite.upstream.before = ({ path }) => (path.includes('page_token') ? { status: 200, body: '[]' } : undefined);
      await app.press('Next page');
      await reads(/Page 2, no identities/);
      suite.upstream.before = () => undefined;
      await app.press('Previous page');
      await reads(/Page 1, rows 1–25/);
    }));
});
