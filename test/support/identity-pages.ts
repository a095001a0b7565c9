import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { Visit } from './browser.ts';
import { type InterceptedDashboard, onPage } from './intercepted-dashboard.ts';
import { sandboxBrowser } from './sandbox-browser.ts';

const IDENTITIES = '/api/identity-admin/admin/identities';

/** An identity as Kratos returns it. */
export interface Identity {
  id: string;
  schema_id: string;
  state: string;
  external_id?: string;
  traits: Record<string, unknown>;
  metadata_public: unknown;
  metadata_admin: unknown;
}

export const PASSWORD = 'a-long-password-of-somebody';

export interface Person {
  id: string;
  email: string;
  /** The heading of the person's page. */
  name: string;
  /** The subject of the account at the provider `google`. */
  subject: string;
}

let count = 0;

/** Creates an identity through the dashboard. */
export async function createIdentity({ call }: InterceptedDashboard, json: object): Promise<Identity> {
  const response = await call(IDENTITIES, { json });
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as Identity;
}

/** Changes an identity as another operator would. @param changes values by JSON Pointer */
export async function changeIdentity({ call }: InterceptedDashboard, id: string, changes: object) {
  const json = Object.entries(changes).map(([path, value]) => ({ op: 'replace', path, value }));
  const response = await call(`${IDENTITIES}/${id}`, { method: 'PATCH', json });
  assert.equal(response.status, 200);
}

/** Creates a person with a password and an account at a provider. */
export async function createPerson(intercepted: InterceptedDashboard): Promise<Person> {
  count += 1;
  const [email, subject] = [`person-${count}@example.org`, `subject-${count}`];
  const { id } = await createIdentity(intercepted, {
    schema_id: 'customer',
    traits: { email, name: { first: 'Person', last: String(count) }, locale: 'en' },
    metadata_admin: { note: 'kept' },
    credentials: {
      password: { config: { password: PASSWORD } },
      oidc: { config: { providers: [{ provider: 'google', subject }] } },
    },
  });
  return { id, email, name: `Person ${count}`, subject };
}

/** Tries to sign in on the sandbox's page. @returns whether it succeeded */
export async function trySignIn(
  { dashboard }: InterceptedDashboard,
  identifier: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<boolean> {
  const browser = sandboxBrowser(headers);
  const login = await dashboard.call('/api/auth/login');
  const page = await browser.open(login.headers.get('location') ?? '');
  const { url } = await browser.submit(page, { identifier, password });
  return new URL(url).searchParams.has('code');
}

export const requestIdentity = ({ call }: InterceptedDashboard, id: string): Promise<Response> =>
  call(`${IDENTITIES}/${id}`);

/** Chooses an action in the menu beside the name. */
export async function chooseAction(page: Page, action: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Values that a form might lose. */
export const PUBLIC_METADATA = { plan: 'gold', seats: [1, 2, 3], nested: { deep: { null: null } } };
export const ADMIN_METADATA = { note: 'called support', 'odd/key~with': true, big: 1e21 };

/** Creates a person called Ada Old, with metadata and an external id. */
export function createAda(intercepted: InterceptedDashboard): Promise<Identity> {
  count += 1;
  return createIdentity(intercepted, {
    schema_id: 'customer',
    traits: { email: `edited-${count}@example.org`, name: { first: 'Ada', last: 'Old' }, locale: 'en' },
    metadata_public: PUBLIC_METADATA,
    metadata_admin: ADMIN_METADATA,
    external_id: `crm-${count}`,
  });
}

/** Opens the edit form of an identity that `createAda` has created. */
export const onEditForm = (
  intercepted: InterceptedDashboard,
  { id }: Identity,
  work: (visit: Visit) => Promise<void>,
): Promise<void> => onPage(intercepted, { path: `/identities/${id}/traits/edit`, heading: 'Ada Old' }, work);

export const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();

export const sentPatches = ({ upstream }: InterceptedDashboard): unknown[] =>
  upstream.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body));

export const listRows = (page: Page): Locator => page.locator('tr[data-row]');
export const searchField = (page: Page): Locator =>
  page.getByLabel(/^Any part of an e-mail|^E-mail, username, provider:subject/);
