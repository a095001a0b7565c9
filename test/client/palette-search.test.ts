import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { eventually } from '../support/eventually.ts';
import { create } from '../support/identity-pages.ts';
import { hasRead } from '../support/overview-visit.ts';
import { storeViews, viewOf } from '../support/view-pages.ts';

const SEARCH = '/api/identities/search';
/** The lists are read in turn, with pauses. */
const READING_MS = 40_000;

const palette = async (app: App): Promise<HTMLElement> => {
  await waitFor(() => assert.equal(app.screen.queryByLabelText('Search or jump to'), null));
  await app.press(/^Search or jump to/);
  return app.screen.findByLabelText('Search or jump to');
};
/** Replaces what is in the field. */
const type = async (dialog: HTMLElement, app: App, text: string): Promise<void> => {
  const field = await within(dialog).findByRole('combobox');
  await app.user.clear(field);
  await app.user.type(field, text);
};
const arrivesAt = (app: App, name: string): Promise<HTMLElement> =>
  app.screen.findByRole('heading', { level: 1, name });
const options = (dialog: HTMLElement, group: string): (string | null)[] =>
  [...dialog.querySelectorAll(`[role=group][aria-label="${group}"] [role=option] > span > bdi`)].map(
    ({ textContent }) => textContent,
  );
const status = (dialog: HTMLElement): string | null => within(dialog).getByRole('status').textContent;

describe('the palette with an index', () => {
  const suite = appOfSuite({ people: 10 });
  const onOverview = (work: (app: App) => Promise<void>, role: 'admin' | 'viewer' = 'admin'): Promise<void> =>
    suite.open('/dashboard', { heading: 'Overview', role }, work);
  before(async () => {
    for (const [first, email] of [
      ['Quentin', 'qqz@example.org'],
      ['Zoë Qqz', 'zoe.middle@example.org'],
      ['Anna', 'anna.qqzzy@example.org'],
    ])
      await create(suite, { schema_id: 'customer', traits: { email, name: { first, last: 'Tester' } } });
    const post = (path: string, json: object) => suite.dashboard.call(path, { session: suite.sessions.admin, json });
    for (const key of ['mail.qqz.host', 'qqz.first', 'other'])
      await post('/api/settings', { key, value: 'unshown-value' });
    await post('/api/oauth-admin/admin/clients', { client_id: 'shop-1', client_name: 'The qqz shop', owner: 'sales' });
    await storeViews(suite, viewOf('audit', 'b', 'Sign-ins of today', 'action=login'));
    await hasRead(suite.dashboard, suite.sessions.admin);
    const total = async (path: string): Promise<number> => {
      const response = await suite.dashboard.call(path, { session: suite.sessions.admin });
      return ((await response.json()) as { total: number }).total;
    };
    await eventually(() => total(`${SEARCH}?q=anna.qqzzy`), 1, 'the index has read them', READING_MS);
    await eventually(() => total('/api/oauth-clients/search?q=qqz'), 1, 'the index has read it', READING_MS);
  });

  it('finds identities, clients and settings by any part, best match first, and Enter opens it', () =>
    onOverview(async (app) => {
      let dialog = await palette(app);
      await type(dialog, app, 'QQZ');
      await waitFor(() => assert.equal(status(dialog), 'Found: 3 identities, 1 client, 2 settings.'));
      assert.deepEqual(options(dialog, 'Identities'), ['Quentin Tester', 'Anna Tester', 'Zoë Qqz Tester']);
      assert.deepEqual(options(dialog, 'Clients'), ['The qqz shop']);
      assert.deepEqual(options(dialog, 'Settings'), ['qqz.first', 'mail.qqz.host']);
      assert.equal(app.screen.queryByText('unshown-value'), null);
      for (const [text, group, found, heading] of [
        ['qqz@example.org', 'Identities', 'Quentin Tester', 'Quentin Tester'],
        ['shop, QQZ', 'Clients', 'The qqz shop', 'The qqz shop'],
        ['qqz.first', 'Settings', 'qqz.first', 'Settings'],
      ] as const) {
        await type(dialog, app, text);
        await waitFor(() => assert.deepEqual(options(dialog, group), [found]));
        await app.user.keyboard('{Enter}');
        await arrivesAt(app, heading);
        if (heading !== 'Settings') dialog = await palette(app);
      }
      assert.equal(app.address(), '/settings?key=qqz.first');
    }));

  it('opens a view by its name', () =>
    onOverview(async (app) => {
      const dialog = await palette(app);
      await type(dialog, app, 'of today');
      await waitFor(() => assert.match(dialog.querySelector('[aria-selected=true]')?.textContent ?? '', /^Sign-ins/));
      await app.user.keyboard('{Enter}');
      await waitFor(() => assert.equal(app.address(), '/security/audit?action=login'));
    }));

  it('sends no requests for a viewer, who may not read the results', () =>
    onOverview(async (app) => {
      const dialog = await palette(app);
      for (const text of ['qqz', 'inactive']) {
        await type(dialog, app, text);
        await app.shows('No results', dialog);
        await waitFor(() => assert.equal(status(dialog), ''));
      }
      const asked = app.requests.filter(({ path }) => /search|settings|\/total|views/.test(path));
      assert.deepEqual(asked, []);
    }, 'viewer'));
});
