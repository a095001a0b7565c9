import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { ROLES, type Role } from '../../shared/capabilities.ts';
import { type App, appOfSuite, withApp } from '../support/app-in-dom.tsx';
import { addressesOf, pagePaths } from '../support/every-page.ts';
import { ROLE_TABLE } from '../support/roles.ts';

/** Node's own; the app in a DOM gets another. */
const { fetch } = globalThis;

describe('the app as each role sees it', () => {
  const suite = appOfSuite();

  /** Opens the overview; `refused` grows by every path that the service answers with a 403. */
  async function onOverview(role: Role, work: (app: App, refused: string[]) => Promise<void>): Promise<void> {
    const { url } = suite.dashboard;
    const session = await suite.dashboard.signIn(role);
    const refused: string[] = [];
    const respond: App['respond'] = async ({ path }) => {
      const response = await fetch(`${url}${path}`, { headers: { cookie: `dashboard-session=${session}` } });
      if (response.status === 403) refused.push(path);
      return response;
    };
    await withApp(url, '/dashboard', { session, respond, heading: 'Overview' }, (app) => work(app, refused));
  }
  const linksOf = async (app: App, list: string): Promise<HTMLElement[]> =>
    within(await app.screen.findByRole('navigation', { name: list })).findAllByRole('link');
  const namesOf = async (app: App, list: string) => (await linksOf(app, list)).map(({ textContent }) => textContent);
  /** Opens a page by its link, and waits until all that it asks for is there. */
  async function openPage(app: App, list: string, name: string): Promise<void> {
    const link = (await linksOf(app, list)).find(({ textContent }) => textContent === name);
    await app.user.click(link ?? assert.fail(name));
    await waitFor(() => assert.equal(link?.getAttribute('aria-current'), 'page'));
    await waitFor(() => assert.equal(document.querySelectorAll('[aria-busy=true]').length, 0));
  }

  for (const role of ROLES)
    it(`shows the pages of the role ${role}, and sends no request that is refused, not even on focus`, () =>
      onOverview(role, async (app, refused) => {
        const { pages } = ROLE_TABLE[role];
        const all = await namesOf(app, 'Pages');
        const open = all.filter((name) => !name?.includes('(for '));
        assert.deepEqual(open, pages === 'everything' ? all : pages);
        const adds = app.screen.queryByText(/locked pages require/)?.textContent;
        assert.equal(adds, open.length < all.length ? 'The locked pages require the administrator role.' : undefined);
        for (const link of await linksOf(app, 'Pages')) link.focus();
        for (const name of all) {
          await openPage(app, 'Pages', name ?? '');
          const closed = (): boolean => app.screen.queryAllByText('Admin access required.').length > 0;
          await waitFor(() => assert.equal(closed(), !open.includes(name), name ?? ''));
        }
        assert.deepEqual(refused, []);
      }));
});

/** What a viewer may open; all other pages are for administrators. */
const OPEN_TO_VIEWERS = ['/', '/dashboard', '/system', '/$', '/sign-in-failed', '/signed-out'];

/** Asked for along with the session, before the role is known; the service itself refuses them. */
const BEFORE_THE_SESSION =
  /^\/api\/(?:auth\/session|services|identities\/(?:search|total)|identity\/schemas|settings)(?:\?|$)/;

/** Buttons and links that a viewer sees, but cannot use. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  '/identities': ['New identity'],
  '/oauth/clients': ['New client'],
  '/connections': ['Add provider'],
  '/settings': ['Encrypt a value', 'New setting'],
};

const closed = (await pagePaths()).filter((path) => !OPEN_TO_VIEWERS.includes(path));

describe('a page for administrators', () => {
  const suite = appOfSuite({ people: 12 });
  let addressOf: (path: string) => string;
  before(async () => {
    addressOf = await addressesOf(suite.dashboard, suite.sessions.admin);
  });

  for (const path of closed)
    it(`is closed to a viewer, says why, and sends no requests: ${path}`, () =>
      suite.open(addressOf(path), { role: 'viewer' }, async (app) => {
        await app.shows('Admin access required.');
        await app.shows('Contact your administrator to request access.');
        const asked = app.requests.filter((request) => !BEFORE_THE_SESSION.test(request.path));
        assert.deepEqual([...asked, ...suite.upstream.seen], []);
        for (const name of ACTIONS[path] ?? []) {
          const action = await app.screen.findByRole('button', { name });
          assert.equal(action.getAttribute('aria-disabled'), 'true');
          assert.equal(action.title, 'Only administrators can do this.');
        }
      }));

  for (const [path, names] of Object.entries(ACTIONS))
    it(`is open to an administrator, with its actions: ${path}`, () =>
      suite.open(path, {}, async (app) => {
        for (const name of names) assert.notEqual((await app.shows(name)).ariaDisabled, 'true');
        assert.equal(app.screen.queryAllByText('Admin access required.').length, 0);
      }));

  it('may be partly open: services to viewers, the configuration to administrators only', () =>
    suite.open('/system', { role: 'viewer' }, async (app) => {
      await app.shows(/services are up/);
      await app.shows(/^Only administrators can see/);
      assert.deepEqual(
        app.requests.filter(({ path }) => path.startsWith('/api/config')),
        [],
      );
    }));
});
