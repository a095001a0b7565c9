import assert from 'node:assert/strict';
import { type App, appOfSuite, withApp } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { indexReady, SYNC_TIMEOUT_MS } from '../support/index-ready.ts';
import { CLIENTS, createClient, readStored } from '../support/oauth-client-pages.ts';

/** Waits for text that may stand in several elements. */
const reads = (text: RegExp): Promise<void> => eventually(() => document.body.textContent, text);
const SEARCH = 'Any part of name, owner or client ID';

describe('the list of OAuth2 clients', () => {
  const suite = appOfSuite({ people: 1, service: 'OAUTH_ADMIN_URL' });
  before(async function () {
    this.timeout(SYNC_TIMEOUT_MS + 30_000);
    const seeded = await suite.dashboard.call(`${CLIENTS}?page_size=500`, { session: suite.sessions.admin });
    // Three pages of 25, the last one not full.
    for (let n = ((await seeded.json()) as unknown[]).length; n < 60; n += 1)
      await createClient(suite, { client_name: `Made ${n}`, owner: 'The makers' });
    await indexReady(suite.dashboard, suite.sessions.admin);
  });
  const onList = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/oauth/clients', { heading: 'Clients' }, work);
  const pagesRequested = (): string[] =>
    suite.upstream.seen.map(({ path }) => path).filter((path) => path.startsWith('/admin/clients?page_size=25'));

  it('requests one page per click, without a cursor in the URL, and shows the total of the overview', () =>
    onList(async (app) => {
      await reads(/Page 1, rows 1–25 of 60/);
      const row = (await app.shows('Billing worker')).closest('tr') ?? assert.fail();
      for (const text of ['finance', 'Client credentials', 'Secret, in a header', 'billing-worker'])
        await app.shows(text, row);
      assert.deepEqual(pagesRequested(), ['/admin/clients?page_size=25']);
      await app.press('Next page');
      await reads(/Page 2, rows 26–50 of 60/);
      await app.press('Next page');
      await reads(/Page 3, rows 51–60 of 60/);
      assert.equal(pagesRequested().length, 3);
      assert.equal(app.address(), '/oauth/clients');
      await app.press('Previous page');
      await app.shows(/^Page 2, rows 26–50/);
    }));

  it('finds clients by any part of name, owner or id as the operator types, in any case', () =>
    onList(async (app) => {
      await app.shows(/^Page 1/);
      await app.fill(SEARCH, 'HOP, WEB');
      await app.shows('1 client matches');
      await app.shows('Web shop');
      assert.equal(app.address(), '/oauth/clients?q=HOP%2C+WEB');
      await app.fill(SEARCH, 'inanc');
      await app.shows('2 clients match');
      await app.fill(SEARCH, 'ing-work');
      await app.shows('1 client matches');
      await app.shows('Billing worker');
      await app.press('Clear the search');
      await app.shows(/^Page 1, rows 1–25/);
    }));

  it('deletes the selected clients once their number is typed, and warns before it deletes its own', async () => {
    const made = [await createClient(suite), await createClient(suite)];
    await onList(async (app) => {
      await app.choose('Rows per page', '100 rows');
      for (const { client_name } of made)
        await app.user.click(await app.screen.findByLabelText(`Select ${client_name}`));
      await app.user.click(await app.shows('Delete'));
      const dialog = await app.screen.findByRole('dialog', { name: 'Delete 2 clients?' });
      await app.shows(/Tokens and consents are deleted with the client/, dialog);
      await app.fill(/Type the number/, '2', dialog);
      await app.press('Delete 2 clients', dialog);
      await app.shows('Deleted 2 clients');
    });
    for (const { client_id } of made) await eventually(async () => (await readStored(suite, client_id)).status, 404);
    // The redirect address of the dashboard itself has its public origin.
    await withApp(suite.dashboard.baseUrl, '/oauth/clients', { session: suite.sessions.admin }, async (app) => {
      await app.choose('Rows per page', '100 rows');
      await app.user.click(await app.screen.findByLabelText('Select Dashboard'));
      await app.user.click(await app.shows('Delete'));
      await app.shows(/nobody can sign in here/);
    });
  });
});

describe('the list of OAuth2 clients without an index', () => {
  const suite = appOfSuite({ people: 1, service: 'OAUTH_ADMIN_URL', env: { IDENTITY_INDEX: 'off' } });

  it('is searched by whole name and owner, says so, and opens any text as an id', () =>
    suite.open('/oauth/clients', { heading: 'Clients' }, async (app) => {
      await app.shows(/^Page 1/);
      await app.fill(SEARCH, 'finance');
      await app.user.keyboard('{Enter}');
      await app.shows('2 clients match');
      await app.shows(/The index of clients is off/);
      await app.fill(SEARCH, 'web-shop');
      await app.user.keyboard('{Enter}');
      await app.shows('No client has this name or owner');
      await app.press('Open the client with this ID');
      await app.screen.findByRole('heading', { level: 1, name: 'Web shop' });
    }));
});
