import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { failing, visitedPageOfSuite } from '../support/security-pages.ts';

const ROUTE = '/api/security/operators/names';
const TRAIL = '/security/audit';

describe('the names of other operators, in a browser', function () {
  this.timeout(90_000);
  const visited = visitedPageOfSuite(TRAIL, 'Audit trail', { storeFromSandbox: true });
  let email: string;
  let id: string;
  let client: string;

  before(async () => {
    const { dashboard } = visited;
    email = dashboard.operator('viewer').email;
    const own = await dashboard.call('/api/auth/session', { session: visited.sessions.viewer });
    id = ((await own.json()) as { user: { identityId: string } }).user.identityId;
    // The other operator becomes an administrator too, and changes everything that has a history.
    const path = `/api/identity-admin/admin/identities/${id}`;
    const json = [{ op: 'replace', path: '/traits/role', value: 'admin' }];
    await dashboard.call(path, { session: visited.sessions.admin, method: 'PATCH', json });
    const session = await dashboard.signIn('viewer');
    await dashboard.call('/api/settings', { session, json: { key: 'mail.from', value: 'x' } });
    await dashboard.call(path, {
      session,
      method: 'PATCH',
      json: [{ op: 'add', path: '/traits/name', value: 'Kwame' }],
    });
    const made = await dashboard.call('/api/oauth-admin/admin/clients', { session, json: { client_name: 'Shop' } });
    client = ((await made.json()) as { client_id: string }).client_id;
  });

  const goTo = (page: Page, path: string) => page.goto(`${visited.dashboard.baseUrl}${path}`);
  const records = (page: Page) => page.getByRole('list', { name: 'Records, the latest first' }).getByRole('listitem');
  const actor = (page: Page): string | null => new URL(page.url()).searchParams.get('actor');
  const show = (page: Page) => page.getByRole('button', { name: 'Show', exact: true });

  it('stand in the trail, by one question, with the id a click away', () =>
    visited.visit(async ({ page }) => {
      const asked: string[] = [];
      await records(page).getByText(`${email} created the setting mail.from`).waitFor();
      page.on('request', (request) => void (request.url().includes(ROUTE) && asked.push(request.url())));
      await page.reload();
      await records(page).getByText(`${email} created the setting mail.from`).waitFor();
      await records(page).getByText('You signed in as admin').waitFor();
      assert.deepEqual(
        asked.map((url) => new URL(url).search),
        [`?id=${id}`],
      );
      await records(page).getByRole('link', { name: email }).first().click();
      await page.getByText(`Records of Kwame, ${email}`).waitFor();
      await page.getByText(id, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Copy the id' }).waitFor();
      await becomes(() => actor(page), id);
      await assertAccessibleInAllLooks(page, 'what one operator did');
    }));

  it('are shown once loaded; until then, and without them, ids are shown', () =>
    visited.visit(async (visit) => {
      const { context, page } = visit;
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const matches = (url: URL): boolean => url.pathname === ROUTE;
      await context.route(matches, async (route) => {
        await held;
        await route.continue();
      });
      await page.reload();
      const record = (called: string) => records(page).getByText(`${called} created the setting mail.from`);
      await record(id.slice(0, 8)).waitFor();
      release();
      await record(email).waitFor();
      await context.unroute(matches);
      const { mend } = await failing(visit, ROUTE);
      await page.reload();
      await record(id.slice(0, 8)).waitFor();
      await becomes(() => page.getByRole('alert').count(), 0);
      await mend();
    }));

  it('stand in the histories of an identity, a setting and a client, on the overview and among the operators', () =>
    visited.visit(async ({ page }) => {
      await goTo(page, `/identities/${id}/history`);
      await page.getByText(`${email} changed name of Kwame`).waitFor();
      await goTo(page, '/settings?key=mail.from');
      await page.getByRole('dialog').getByRole('button', { name: 'History' }).click();
      await page.getByText(`${email} created the setting`).waitFor();
      await goTo(page, `/oauth/clients/${client}/history`);
      await page.getByText(`${email} created Shop`).waitFor();
      await goTo(page, '/dashboard');
      await page.getByText(`${email} created Shop`).first().waitFor();
      await goTo(page, '/security/operators');
      const row = page.getByRole('list', { name: 'Operators' }).getByRole('listitem').filter({ hasText: 'Kwame' });
      await row.getByRole('link', { name: email }).waitFor();
      await row.getByRole('button', { name: `Copy the id of ${email}` }).waitFor();
      await row.getByRole('button', { name: `End dashboard sessions of ${email}` }).click();
      await page.getByText(`${email} is signed out of this dashboard in every browser.`).waitFor();
    }));

  it('are looked for by an e-mail address, which the address of the page never holds', () =>
    visited.visit(async (visit) => {
      const { page } = visit;
      const addresses: string[] = [];
      page.on('framenavigated', (frame) => addresses.push(frame.url()));
      await page.getByLabel('Who').fill(` ${email.toUpperCase()} `);
      await page.keyboard.press('Enter');
      await becomes(() => actor(page), id);
      await records(page).getByText(`${email} created the setting mail.from`).waitFor();
      await page.getByLabel('Who').fill('nobody@example.org');
      await show(page).click();
      await page.getByText('No operator signs in with this address.').waitFor();
      await assertAccessibleInAllLooks(page, 'an address that is nobody’s');
      const { mend } = await failing(visit, ROUTE);
      await show(page).click();
      await page.getByText('The operators’ store is unavailable.').waitFor();
      await mend();
      assert.equal(actor(page), id);
      assert.ok(addresses.length > 0 && addresses.every((address) => !/@|%40/.test(address)), addresses.join(' '));
    }));

  it('can be searched in a quick range too, without navigating away from where the operator has gone meanwhile', () =>
    visited.visit(async ({ context, page }) => {
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const isSearch = (url: URL): boolean => url.pathname === ROUTE && url.searchParams.has('identifier');
      await context.route(isSearch, async (route) => {
        await held;
        await route.continue().catch(() => {});
      });
      await page.getByLabel('Who').fill(email);
      const asked = page.waitForRequest((request) => isSearch(new URL(request.url())));
      await page.keyboard.press('Enter');
      await asked;
      await page.getByRole('button', { name: 'What I did' }).click();
      await becomes(() => actor(page), /^[0-9a-f-]{36}$/);
      const own = actor(page);
      assert.notEqual(own, id);
      release();
      await context.unroute(isSearch);
      await page.getByLabel('Who').fill(email);
      await page.getByRole('button', { name: 'Last hour' }).click();
      await becomes(() => actor(page), id);
      assert.ok(new URL(page.url()).searchParams.has('from'));
      await page.goBack();
      await becomes(() => actor(page), own);
    }));
});
