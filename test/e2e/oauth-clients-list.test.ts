import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { CLIENTS, createClient, readStored } from '../support/oauth-client-pages.ts';

describe('the list of OAuth2 clients, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({
    people: 1,
    service: 'OAUTH_ADMIN_URL',
    env: { PROXY_TIMEOUT_MS: '1000' },
  });
  const onList = (work: (visit: Visit) => Promise<void>, query = '', looks = {}): Promise<void> =>
    onPage(intercepted, `/oauth/clients${query}`, work, { heading: 'OAuth2 clients', ...looks });
  const pagesAsked = (): string[] =>
    intercepted.upstream.seen.map(({ path }) => path).filter((path) => path.startsWith('/admin/clients?'));
  before(async () => {
    const seeded = await intercepted.dashboard.call(`${CLIENTS}?page_size=500`, {
      session: intercepted.sessions.admin,
    });
    // Two pages of 25, the second one not full.
    for (let n = ((await seeded.json()) as unknown[]).length; n < 40; n += 1)
      await createClient(intercepted, { client_name: `Made ${n}`, owner: 'makers' });
  });

  it(`shows name, owner, grants, authentication and id, and is accessible in all colours and widths`, () =>
    onList(async ({ page }) => {
      const row = page.getByRole('row').filter({ hasText: 'billing-worker' });
      await row.getByText('Billing worker').waitFor();
      await row.getByText('finance').waitFor();
      await row.getByText('Client credentials').waitFor();
      await row.getByText('Secret, in a header').waitFor();
      await assertAccessibleInAllLooks(page, 'the list of clients');
    }, ''));

  it('asks one page for one click and says how many there are once it stands on the last', () =>
    onList(async ({ page }) => {
      await page.getByText('Page 1, rows 1–25, total unknown').waitFor();
      assert.deepEqual(pagesAsked(), ['/admin/clients?page_size=25']);
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText(/Page 2, rows 26–(\d+), \1 in total/).waitFor();
      assert.equal(pagesAsked().length, 2);
      await becomes(() => new URL(page.url()).search, '', 'a cursor is good for an hour: no link carries it');
      await page.getByRole('button', { name: 'Previous page' }).click();
      await page.getByText('Page 1, rows 1–25').waitFor();
    }));

  it('searches by whole name and by owner, and offers what else the text may be', () =>
    onList(async ({ page }) => {
      await page.getByText('Page 1').waitFor();
      await page.getByLabel('Name', { exact: true }).fill('Web shop');
      await page.keyboard.press('Enter');
      await page.getByText('1 client matches').waitFor();
      await becomes(() => new URL(page.url()).search, '?name=Web+shop');
      await page.getByLabel('Owner', { exact: true }).fill('nobody');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page.getByText('No client has this name or owner').waitFor();
      await page.getByRole('button', { name: 'Clear the search' }).click();
      await page.getByText('Page 1').waitFor();
      await becomes(() => page.getByLabel('Name', { exact: true }).inputValue(), '');
      await page.getByLabel('Name', { exact: true }).fill('finance');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Search as owner' }).click();
      await page.getByText('2 clients match').waitFor();
      await page.getByLabel('Name', { exact: true }).fill('web-shop');
      await page.getByLabel('Owner', { exact: true }).fill('');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Open as client id' }).click();
      await page.getByRole('heading', { level: 1, name: 'Web shop' }).waitFor();
    }));

  it('is walked and opened by keyboard alone, and the way back leads to the same page', () =>
    onList(async ({ page }) => {
      await page.getByText('Page 1, rows 1–25').waitFor();
      await page.locator('tr[data-row="0"]').focus();
      await page.keyboard.press('n');
      await page.getByText('Page 2').waitFor();
      await page.waitForFunction(() => (document.activeElement as HTMLElement).dataset.row === '0');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Configuration' }).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'OAuth2 clients' }).press('Enter');
      await page.getByText('Page 2').waitFor();
    }));

  it('deletes the chosen ones after their number is typed', () =>
    onList(async ({ page }) => {
      const [one, two] = [await createClient(intercepted), await createClient(intercepted)];
      await page.getByLabel('Rows per page').selectOption('100');
      for (const { client_name } of [one, two]) await page.getByLabel(`Select ${client_name}`, { exact: true }).check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete 2 clients?' });
      await dialog.getByText('Its tokens and the consents').waitFor();
      await dialog.getByLabel('Type the number').fill('2');
      await dialog.getByRole('button', { name: 'Delete 2' }).click();
      await page.getByText('deleted').first().waitFor();
      for (const { client_id } of [one, two])
        await becomes(async () => (await readStored(intercepted, client_id)).status, 404);
    }));

  it('warns before this dashboard itself would be locked out', () =>
    onList(async ({ page }) => {
      await page.getByLabel('Rows per page').selectOption('100');
      await page.getByLabel('Select Dashboard', { exact: true }).check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('nobody can sign in here any more').waitFor();
    }));

  it('keeps the rows when a cursor is refused, and starts again on request', () =>
    onList(async ({ page, expect }) => {
      expect(400, CLIENTS);
      await page.getByText('Page 1, rows 1–25').waitFor();
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_token')
          ? { status: 400, body: '{"error":"x","error_description":"token expired"}' }
          : undefined;
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('This page has expired').waitFor();
      await page.getByText('Page 1, rows 1–25').waitFor();
      intercepted.upstream.before = () => undefined;
      await page.getByRole('button', { name: 'Start again from page 1' }).click();
      await page.getByText('This page has expired').waitFor({ state: 'detached' });
    }));

  for (const [circumstance, answer, status, shown] of [
    ['an HTML page', { status: 200, body: '<h1>Hello</h1>' }, 200, 'not a list of clients'],
    ['an object', { status: 200, body: '{"clients":[]}' }, 200, 'not a list of clients'],
    ['an error of its own', { status: 500, body: '{"error":"at 10.0.0.1:4445"}' }, 500, 'Request'],
    ['silence', 'silence', 504, 'Request'],
  ] as const)
    it(`says that the server failed when it answers with ${circumstance}, and tries again on request`, () =>
      onList(async ({ page, expect }) => {
        if (status !== 200) expect(status, CLIENTS);
        await page.getByText('Page 1').waitFor();
        intercepted.upstream.before = ({ path }) => (path.includes('owner=') ? answer : undefined);
        await page.getByLabel('Owner', { exact: true }).fill('finance');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').filter({ hasText: shown }).waitFor();
        assert.equal(await page.getByText('10.0.0.1').count(), 0);
        intercepted.upstream.before = () => undefined;
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByText('2 clients match').waitFor();
      }));

  it('shows odd clients without a fault: other types, hostile names, an id that is an address', () =>
    onList(async ({ page }) => {
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_size=100')
          ? {
              status: 200,
              body: JSON.stringify([
                { client_id: 'odd', client_name: 5, owner: null, grant_types: 'x', created_at: 'yesterday' },
                { client_id: 'https://app.example/#?', client_name: '<img src=x onerror=alert(1)>' },
              ]),
            }
          : undefined;
      await page.getByLabel('Rows per page').selectOption('100');
      await page.getByText('<img src=x').waitFor();
      await becomes(
        () => page.getByRole('link', { name: '<img src=x' }).getAttribute('href'),
        '/oauth/clients/~aHR0cHM6Ly9hcHAuZXhhbXBsZS8jPw',
      );
    }));

  it('tells a server without clients from a search without a hit', () =>
    onList(async ({ page }) => {
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_size=100') ? { status: 200, body: '[]' } : undefined;
      await page.getByLabel('Rows per page').selectOption('100');
      await page.getByText('No clients yet').waitFor();
    }));

  it('shows a viewer why it is closed, and asks the server nothing', () =>
    onList(
      async ({ page }) => {
        await page.getByText('Admin access required.').waitFor();
        await page.getByText('Contact your administrator to request access.').waitFor();
        await page.getByRole('link', { name: 'OAuth2 clients (for administrators)' }).waitFor();
        const action = page.getByRole('button', { name: 'New client' });
        await becomes(() => action.getAttribute('aria-disabled'), 'true');
        await becomes(() => action.getAttribute('title'), /./);
        await becomes(() => intercepted.upstream.seen, []);
      },
      '',
      { role: 'viewer' },
    ));

  for (const path of ['/oauth/clients/new?kind=web', '/oauth/clients/web-shop', '/oauth/clients/web-shop/edit'])
    it(`shows a viewer why it is closed: ${path}`, () =>
      onPage(
        intercepted,
        path,
        async ({ page }) => {
          await page.getByText('Admin access required.').waitFor();
          await becomes(() => intercepted.upstream.seen, []);
        },
        { role: 'viewer' },
      ));
});
