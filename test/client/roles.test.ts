import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import { ROLES, type Role } from '../../shared/capabilities.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { addressesOf, pagePaths } from '../support/every-page.ts';

/** The `fetch` of Node, which the app in a simulated DOM replaces. */
const { fetch } = globalThis;

const EVERY_PAGE = [
  'Overview',
  'Identities',
  'Sessions',
  'Messages',
  'Schemas',
  'Clients',
  'Consents',
  'Introspect',
  'Connections',
  'Settings',
  'Security',
  'Audit trail',
  'Sign-ins',
  'Locked accounts',
  'Operators',
  'System',
];
/** The pages that each role may open, in the order of the navigation. */
const PAGES: Record<Role, readonly string[]> = {
  admin: EVERY_PAGE,
  support: EVERY_PAGE.filter(
    (page) =>
      !['Clients', 'Introspect', 'Connections', 'Settings', 'Audit trail', 'Operators', 'Security'].includes(page),
  ),
  auditor: EVERY_PAGE.filter((page) => !['Introspect', 'Connections', 'Settings'].includes(page)),
  viewer: ['Overview', 'System'],
};

/** What a page says to those who may not open it. */
const CLOSED = /^(?:Admin access required|Only .+ have access)\.$/;

const withRoles = { env: { EXTRA_ROLES: 'support,auditor' } };

/** Opens a page. `refused` lists every path to which the service has responded 403. */
function openRecording(
  { dashboard, sessions, open }: ReturnType<typeof appOfSuite>,
  path: string,
  role: Role,
  work: (app: App, refused: string[]) => Promise<void>,
): Promise<void> {
  const refused: string[] = [];
  const respond: App['respond'] = async ({ path }) => {
    const headers = { cookie: `dashboard-session=${sessions[role]}` };
    const response = await fetch(`${dashboard.url}${path}`, { headers });
    if (response.status === 403) refused.push(path);
    return response;
  };
  return open(path, { role, respond, heading: null }, async (app) => {
    await waitFor(() => assert.ok(document.querySelector('main h1')));
    await work(app, refused);
  });
}

describe('the navigation', () => {
  const suite = appOfSuite(withRoles);

  const linksOf = async (app: App): Promise<HTMLElement[]> =>
    within(await app.screen.findByRole('navigation', { name: 'Pages' })).findAllByRole('link');
  /** Opens a page by its link, and waits until everything on it is loaded. */
  async function openPage(app: App, name: string): Promise<void> {
    const link = (await linksOf(app)).find(({ textContent }) => textContent === name) ?? assert.fail(name);
    await app.user.click(link);
    await waitFor(() => assert.equal(link.getAttribute('aria-current'), 'page'));
    await waitFor(() => assert.equal(document.querySelectorAll('[aria-busy=true]').length, 0));
  }

  for (const role of ROLES)
    it(`opens exactly the pages of the role ${role}, without sending a forbidden request`, () =>
      openRecording(suite, '/dashboard', role, async (app, refused) => {
        const names = (await linksOf(app)).map(({ textContent }) => textContent ?? '');
        const open = names.filter((name) => !name.includes('(for '));
        assert.deepEqual(open, PAGES[role]);
        assert.equal(names.length, EVERY_PAGE.length);
        const onlyAdministrators = role === 'auditor' ? 'The locked pages require the administrator role.' : undefined;
        const hint = onlyAdministrators ?? (role === 'admin' ? undefined : 'Each locked page says who can open it.');
        assert.equal(app.screen.queryByText(/locked page/)?.textContent, hint);
        // On focus, the app loads the data of a page in advance.
        for (const link of await linksOf(app)) link.focus();
        for (const name of names) {
          await openPage(app, name);
          const isClosed = (): boolean => app.screen.queryAllByText(CLOSED).length > 0;
          await waitFor(() => assert.equal(isClosed(), !open.includes(name), name));
        }
        assert.deepEqual(refused, []);
      }));
});

/** The paths that a viewer may open; all others are for administrators. */
const OPEN_TO_VIEWERS = ['/', '/dashboard', '/system', '/$', '/sign-in-failed', '/signed-out'];

/** Requests that are sent along with the one for the session, before the role is known; the service refuses them. */
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

describe('the page', () => {
  const suite = appOfSuite({ people: 12 });
  let addressOf: (path: string) => string;
  before(async () => {
    addressOf = await addressesOf(suite);
  });

  for (const path of closed)
    it(`${path} shows a viewer that admin access is required, and loads no data`, () =>
      suite.open(addressOf(path), { role: 'viewer' }, async (app) => {
        await app.shows('Admin access required.');
        await app.shows('Contact your administrator to request access.');
        await app.shows('The locked pages require the administrator role.');
        const sent = app.requests.filter((request) => !BEFORE_THE_SESSION.test(request.path));
        assert.deepEqual([...sent, ...suite.upstream.requests], []);
        for (const name of ACTIONS[path] ?? []) {
          const action = await app.screen.findByRole('button', { name });
          assert.equal(action.getAttribute('aria-disabled'), 'true');
          assert.equal(action.title, 'Only administrators can do this.');
        }
      }));

  it('/system shows a viewer the services, but not the configuration', () =>
    suite.open('/system', { role: 'viewer' }, async (app) => {
      await app.shows(/services are up/);
      await app.shows(/^Only administrators can see/);
      assert.deepEqual(
        app.requests.filter(({ path }) => path.startsWith('/api/config')),
        [],
      );
    }));
});

/** Pages that a role may not open, besides those that edit or create something. */
const NOT_FOR: Record<'support' | 'auditor', RegExp> = {
  support: /^\/(?:oauth\/(?:clients|introspect)|connections|settings|security(?:$|\/(?:audit|operators)$))/,
  auditor: /^\/(?:oauth\/introspect|connections|settings)/,
};

/** The beginnings of what buttons and links that change something say. */
const ACTS =
  /^(?:New|Add|Create|Edit|Delete|Remove(?! filter)|Restore|Encrypt|Move|Enable|Disable|Activate|Deactivate|Import|Extend|Mark|Rotate|Revoke|Undo|Unlock|End|Sign out everywhere|Send|Save$)(?!\w)/;

/** What the page offers to change, with all rows selected and its menu open. */
async function actsOffered({ user, screen }: App): Promise<string[]> {
  const [rows] = screen.queryAllByLabelText('Select all rows on this page');
  if (rows !== undefined) await user.click(rows);
  const [menu] = screen.queryAllByRole('button', { name: 'More actions' });
  if (menu !== undefined) await user.click(menu);
  if (menu !== undefined) await screen.findAllByRole('menuitem');
  return [...document.querySelectorAll('button, main a, [role=dialog] a')]
    .filter((element) => element.getAttribute('aria-disabled') !== 'true')
    .map((element) => element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '')
    .filter((name) => ACTS.test(name));
}

describe('with all roles, the page', () => {
  const suite = appOfSuite({ people: 12, ...withRoles });
  let addressOf: (path: string) => string;
  before(async () => {
    addressOf = await addressesOf(suite);
  });

  for (const role of ['support', 'auditor'] as const)
    for (const path of [...closed, '/system'])
      it(`${path} sends no forbidden request for the role ${role}, and offers an auditor no act`, () =>
        openRecording(suite, addressOf(path), role, async (app, refused) => {
          await waitFor(() => assert.equal(document.querySelectorAll('[aria-busy=true]').length, 0));
          const isClosed = NOT_FOR[role].test(path) || /\/(?:new|import|export|edit)$/.test(path);
          const others = role === 'support' && /^\/(?:oauth\/clients|security)(?!.*\/(?:new|edit)$)/.test(path);
          const reason = others ? 'Only administrators and auditors have access.' : 'Admin access required.';
          const reasons = (): unknown[] => app.screen.queryAllByText(CLOSED).map(({ textContent }) => textContent);
          await waitFor(() => assert.deepEqual(reasons(), isClosed ? [reason] : []));
          if (role === 'auditor') assert.deepEqual(await actsOffered(app), []);
          const unexpected = refused.filter((request) => !(isClosed && BEFORE_THE_SESSION.test(request)));
          assert.deepEqual(unexpected, []);
        }));
});
