import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { Role } from '../../shared/capabilities.ts';
import type { Visit } from './browser.ts';
import { eventually } from './eventually.ts';
import type { InterceptedDashboard } from './intercepted-dashboard.ts';
import { chooseFile } from './transfer-pages.ts';

type PageState = (page: Page, visit: Visit) => Promise<unknown>;

/** A page to check, and its further states. */
export interface PageRow {
  /** A path of the router; `$id` is replaced by the id of the first record. */
  page: string;
  query?: string;
  role?: Role;
  /** Runs before the page is opened. */
  prepare?: (visit: Visit) => Promise<unknown>;
  /** Each is opened from the previous state. An open dialog or menu is closed with Escape first. */
  states?: Readonly<Record<string, PageState>>;
  /** Layout shifts are allowed, because an error message is smaller than the skeleton it replaces. */
  mayShift?: boolean;
}

/** Opens the further states of the page one after another. */
export async function inStates(visit: Visit, { states = {} }: PageRow, check: (state: string) => Promise<void>) {
  const { page } = visit;
  for (const [state, open] of Object.entries(states)) {
    const onTop = page.locator('[role=dialog]:visible, [role=menu]:visible, dialog[open]');
    if ((await onTop.count()) > 0) await page.keyboard.press('Escape');
    await eventually(() => onTop.count(), 0);
    await open(page, visit);
    await check(state);
  }
}

export const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).first().click();

export const dialogOf = (page: Page): Locator => page.getByRole('dialog');

/** Opens a dialog by a button, and waits for an element in it. */
export const dialog =
  (button: string | RegExp, role: 'textbox' | 'button', name?: string): PageState =>
  async (page) => {
    await press(page, button);
    await dialogOf(page).getByRole(role, { name }).first().waitFor();
  };

/** Makes requests for the path fail with 500 and a request id. */
export const fails = ({ context, expect }: Visit, path: string): Promise<unknown> => {
  expect(500, path);
  return context.route(
    (url) => url.pathname === path,
    (route) =>
      route.fulfill({
        status: 500,
        headers: { 'x-request-id': 'r-17' },
        json: { error: 'internal_error', message: 'Something went wrong.' },
      }),
  );
};

/** Waits until the lists are indexed, and stores settings with a history. */
export async function prepared({ indexReady, call }: InterceptedDashboard): Promise<void> {
  await indexReady();
  for (const json of [
    { key: 'mail.from', value: 'a@example.org', category: 'mail' },
    { key: 'mail.password', value: 'x', encrypted: true, category: 'mail' },
    { key: 'mail.from', value: 'b@example.org' },
    { key: 'social.google.client_id', value: 'x' },
  ])
    assert.ok((await call('/api/settings', { json })).ok);
}

const CONSENT = {
  consent_request_id: 'c1',
  handled_at: '2026-01-01T00:00:00Z',
  grant_scope: ['openid'],
  consent_request: { subject: 'ada', client: { client_id: 'app', client_name: 'App' } },
};
const consents = ({ context }: Visit): Promise<unknown> =>
  context.route(/\/auth\/sessions\/consent\?/, (route) => route.fulfill({ json: [CONSENT] }));
const locks = ({ context }: Visit): Promise<unknown> =>
  context.route(/\/api\/security\/locked-accounts$/, (route) => {
    const lock = { id: 'l1', identifier: 'ada@example.org', reason: 'wrong_password', attempts: 5 };
    const data = [{ ...lock, trigger_ip: null, locked_at: '2026-01-01T00:00:00Z', locked_until: null }];
    return route.fulfill({ json: { data, total: 1, truncated: false } });
  });

const plain = (...pages: string[]): PageRow[] => pages.map((page) => ({ page }));

/** Pages that the table omits, because they have the layout of the JSON page of an identity. */
export const JSON_PAGES = ['/oauth/clients', '/messages', '/schemas', '/sessions'].map((list) => `${list}/$id/json`);

/** Every page and its further states, by section. */
export const PAGES: Readonly<Record<string, readonly PageRow[]>> = {
  'the overview, sign-in pages and a missing page': [
    {
      page: '/dashboard',
      states: {
        'the time zone dialog': async (page) => {
          await press(page, /@example\.com/);
          await page.getByRole('menuitem', { name: /^Time zone/ }).click();
          await dialogOf(page).getByLabel('Time zone').waitFor();
        },
        'the keyboard shortcuts': async (page) => {
          await page.keyboard.press('?');
          await dialogOf(page).getByText('Search or jump to').waitFor();
        },
        'the account menu': async (page) => press(page, /@example\.com/),
        'the palette with results': async (page) => {
          await page.keyboard.press('Control+k');
          await page.getByPlaceholder('Page or action').fill('viewer@');
          await dialogOf(page).getByRole('option').first().waitFor();
        },
        arranging: async (page) => {
          await press(page, 'Arrange');
          await page.getByRole('region', { name: 'Arrange the overview' }).waitFor();
        },
      },
    },
    { page: '/$' },
    { page: '/sign-in-failed', query: '?reason=store_key' },
    { page: '/signed-out' },
  ],
  'the list of identities': [
    {
      page: '/identities',
      states: {
        'the filters': async (page) => {
          await press(page, '+ Created');
          await page.getByRole('option', { name: 'Choose dates…' }).click();
          await page.getByLabel('First day').fill('30 Feb 2026');
          await page.keyboard.press('Tab');
          await page.getByText('30 Feb 2026 does not exist.').waitFor();
        },
        'the columns': async (page) => {
          await press(page, 'Columns');
          await page.getByLabel('External ID', { exact: true }).check();
          await page.locator('[data-busy]').waitFor({ state: 'detached' });
        },
        'the views': async (page) => {
          await press(page, 'Views');
          await page.getByRole('dialog', { name: /^Views of / }).waitFor();
        },
        'a selection': async (page) => {
          // The first row may be the operator, who cannot be selected.
          await page.locator('tr[data-row]').last().focus();
          await page.keyboard.press('x');
          await page.getByText('1 selected on this page').waitFor();
        },
        'a bulk deletion': dialog('Delete', 'textbox'),
        'no matching identity': async (page) => {
          await page.keyboard.press('/');
          await page.keyboard.type('zzzz');
          await page.getByText('Nobody matches').waitFor();
        },
      },
    },
  ],
  'creating, importing and exporting identities': [
    {
      page: '/identities/new',
      query: '?schema=customer',
      states: {
        'a form with problems': async (page) => {
          await press(page, 'Create');
          await page.getByText('This is required.').first().waitFor();
        },
      },
    },
    {
      page: '/identities/import',
      states: {
        'the meanings of columns': async (page) => {
          await chooseFile(page, { name: 'a.csv', content: 'Mail;Shoe size\r\na@example.org;38' });
          await page.getByRole('heading', { name: 'Columns of a.csv' }).waitFor();
        },
        'the meanings of states': async (page) => {
          await press(page, 'Choose another file');
          await chooseFile(page, { name: 'b.csv', content: 'traits.email,state\r\na@example.org,asleep' });
          await page.getByLabel('“asleep” means').waitFor();
          await page.getByText('None of these people exist yet').waitFor();
        },
      },
    },
    { page: '/identities/export' },
  ],
  'the pages of a person': [
    {
      page: '/identities/$id',
      states: {
        'the menu': (page) => press(page, 'More actions'),
        'a deletion': async (page) => {
          await press(page, 'More actions');
          await page.getByRole('menuitem', { name: /^Delete/ }).click();
          await dialogOf(page).getByRole('button', { name: 'Cancel' }).waitFor();
        },
        'a recovery link': dialog('Create recovery code…', 'button'),
      },
    },
    ...plain(
      '/identities/$id/traits',
      '/identities/$id/credentials',
      '/identities/$id/sessions',
      '/identities/$id/messages',
      '/identities/$id/history',
      '/identities/$id/json',
    ),
    {
      page: '/identities/$id/traits/edit',
      states: {
        'form problems after the session has ended': async (page, { context, expect }) => {
          expect(401, /^\/api\//);
          await page.getByLabel('E-mail').fill('nonsense');
          await press(page, 'Save');
          await page.getByText('This is not a valid e-mail address.').first().waitFor();
          await context.clearCookies({ name: 'dashboard-session' });
          await press(page, 'Send anyway');
          await page.getByText('You are signed out').waitFor();
        },
      },
    },
    {
      page: '/identities/$id/consents',
      prepare: consents,
      states: { 'a revocation': dialog(/^Revoke the consent from/, 'button', 'Cancel') },
    },
  ],
  'OAuth clients, consents and tokens': [
    { page: '/oauth/clients' },
    {
      page: '/oauth/clients/new',
      states: {
        'the form': async (page) => {
          await page.getByLabel('Machine to machine').check();
          await page.getByLabel('Name', { exact: true }).fill('Made here');
        },
        'the secret': async (page) => {
          await press(page, 'Create');
          await dialogOf(page).getByLabel('I have stored the secret').waitFor();
        },
      },
    },
    ...plain('/oauth/clients/$id', '/oauth/clients/$id/configuration', '/oauth/clients/$id/developer'),
    ...plain('/oauth/clients/$id/history', '/oauth/clients/$id/edit'),
    { page: '/oauth/consents', query: '?subject=ada', prepare: consents },
    {
      page: '/oauth/introspect',
      states: {
        'a token': async (page) => {
          await page.getByLabel('Token', { exact: true }).fill('nonsense');
          await press(page, 'Introspect');
          await page.getByText('This token is not valid.').waitFor();
        },
      },
    },
  ],
  'messages and schemas': [
    ...plain('/messages', '/messages/$id'),
    ...plain('/schemas', '/schemas/$id', '/schemas/$id/form'),
  ],
  sessions: [
    {
      page: '/sessions',
      states: {
        'the filters': async (page) => {
          await press(page, '+ Location');
          await page.getByRole('option').first().waitFor();
        },
        'the enlarged map': async (page) => {
          await press(page, 'Map');
          await press(page, 'Zoom in');
        },
        'an extension': async (page) => {
          await page.locator('tr[data-row]').first().focus();
          await page.keyboard.press('x');
          await press(page, 'Extend');
          await dialogOf(page).getByRole('button', { name: 'Extend 1' }).waitFor();
        },
      },
    },
    { page: '/sessions/$id' },
  ],
  'settings, connections and the system': [
    {
      page: '/settings',
      states: {
        'the form': async (page) => {
          await page.getByRole('link', { name: 'Edit mail.password' }).click();
          await dialogOf(page).getByLabel('New value').waitFor();
        },
        'the history': async (page) => {
          await page.getByRole('link', { name: 'Edit mail.from' }).click();
          await dialogOf(page)
            .getByRole('button', { name: /^Compare / })
            .first()
            .click();
          await dialogOf(page).getByText('Who did what').click();
        },
        'the encryption dialog': async (page) => {
          await press(page, 'Encrypt a value');
          await dialogOf(page).getByLabel('Value to encrypt').fill('x');
          await dialogOf(page).getByRole('button', { name: 'Encrypt', exact: true }).click();
          await dialogOf(page).getByRole('button', { name: 'Copy ciphertext' }).waitFor();
        },
      },
    },
    { page: '/connections', states: { 'the form': dialog('Add provider', 'textbox', 'Client ID') } },
    { page: '/system' },
  ],
  security: [
    { page: '/security' },
    {
      page: '/security/audit',
      states: {
        'a record with its details': (page) => page.locator('main ol > li button[aria-expanded]').first().click(),
        'the export options': async (page) => {
          await press(page, 'Export…');
          await page.getByText(/^Export .* records as CSV$/).waitFor();
        },
      },
    },
    { page: '/security/sign-ins' },
    { page: '/security/locked-accounts', prepare: locks },
    {
      page: '/security/operators',
      states: {
        'ending sessions, which fails': async (page, visit) => {
          await fails(visit, '/api/security/revocations');
          await press(page, /^End (your )?dashboard sessions/);
          await dialogOf(page).getByRole('button', { name: 'End dashboard sessions' }).click();
          await dialogOf(page).getByText('r-17').waitFor();
        },
      },
    },
  ],
};
