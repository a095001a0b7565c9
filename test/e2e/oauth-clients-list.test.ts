import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { indexIsRead, READING_MS } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { CLIENTS, createClient, readStored } from '../support/oauth-client-pages.ts';

const searchField = (page: Page) => page.getByLabel('Any part of name, owner or client id');

describe('the list of OAuth2 clients, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({
    people: 1,
    service: 'OAUTH_ADMIN_URL',
    env: { PROXY_TIMEOUT_MS: '1000' },
  });
  const onList = (work: (visit: Visit) => Promise<void>, query = '', looks = {}): Promise<void> =>
    onPage(intercepted, `/oauth/clients${query}`, work, { heading: 'OAuth2 clients', ...looks });
  const pagesAsked = (): string[] =>
    intercepted.upstream.seen.map(({ path }) => path).filter((path) => path.startsWith('/admin/clients?page_size=25'));
  before(async function () {
    this.timeout(READING_MS + 30_000);
    const seeded = await intercepted.dashboard.call(`${CLIENTS}?page_size=500`, {
      session: intercepted.sessions.admin,
    });
    // Three pages of 25, the last one not full.
    for (let n = ((await seeded.json()) as unknown[]).length; n < 60; n += 1)
      await createClient(intercepted, { client_name: `Made ${n}`, owner: 'The makers' });
    await indexIsRead(intercepted.dashboard, intercepted.sessions.admin);
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
      await page.getByText('Page 2, rows 26–50').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText(/Page 3, rows 51–(\d+), \1 in total/).waitFor();
      assert.equal(pagesAsked().length, 3);
      await becomes(() => new URL(page.url()).search, '', 'a cursor is good for an hour: no link carries it');
      await page.getByRole('button', { name: 'Previous page' }).click();
      await page.getByText('Page 2, rows 26–50').waitFor();
    }));

  it('finds by any part of name, owner or client id while somebody types, in any case', () =>
    onList(async ({ page }) => {
      await page.getByText('Page 1').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('EB SHO');
      await page.getByText('1 client matches').waitFor();
      await page.getByRole('row').filter({ hasText: 'Web shop' }).waitFor();
      await becomes(() => new URL(page.url()).search, '?q=EB+SHO');
      await searchField(page).fill('inanc');
      await page.getByText('2 clients match').waitFor();
      await searchField(page).fill('ing-work');
      await page.getByText('1 client matches').waitFor();
      await page.getByRole('link', { name: 'Billing worker' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the clients that match');
      await page.getByRole('button', { name: 'Clear the search' }).click();
      await page.getByText('Page 1, rows 1–25').waitFor();
    }));

  it('walks over all that match, of which it says how many', () =>
    onList(async ({ page }) => {
      await page.getByText(/Page 1, rows 1–25, \d\d match/).waitFor();
      await page.getByText(', counted ').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText(/Page 2, rows 26–(\d\d), \1 match/).waitFor();
      await page.reload();
      await page.getByText('Page 2').waitFor();
      assert.deepEqual(pagesAsked(), []);
    }, '?owner=makers'));

  it('opens a client that the index does not know yet by its whole id', () =>
    onList(async ({ page }) => {
      const body = JSON.stringify({ client_id: 'brand-new', client_name: 'Brand new' });
      const headers = { 'Content-Type': 'application/json' };
      const made = await fetch(`${intercepted.upstream.target}/admin/clients`, { method: 'POST', headers, body });
      assert.equal(made.status, 201);
      await searchField(page).fill('brand-new');
      await page.keyboard.press('Enter');
      await page.getByText('No client matches').waitFor();
      await assertAccessibleInAllLooks(page, 'no client that matches');
      await page.getByRole('button', { name: 'Open as client id' }).click();
      await page.getByRole('heading', { level: 1, name: 'Brand new' }).waitFor();
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
        intercepted.upstream.before = ({ path }) => (path.includes('page_size=50') ? answer : undefined);
        await page.getByLabel('Rows per page').selectOption('50');
        await page.getByRole('alert').filter({ hasText: shown }).waitFor();
        assert.equal(await page.getByText('10.0.0.1').count(), 0);
        intercepted.upstream.before = () => undefined;
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByText('Page 1, rows 1–50').waitFor();
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

describe('the list of OAuth2 clients without an index, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({
    people: 1,
    service: 'OAUTH_ADMIN_URL',
    env: { IDENTITY_INDEX: 'off' },
  });
  const onList = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    onPage(
      intercepted,
      '/oauth/clients',
      async (visit) => {
        visit.expect(400, '/api/oauth-clients/search');
        await visit.page.getByText('Page 1').waitFor();
        await work(visit);
      },
      { heading: 'OAuth2 clients' },
    );
  const search = async (page: Page, text: string): Promise<void> => {
    await searchField(page).fill(text);
    await page.keyboard.press('Enter');
  };

  it('is searched by whole name and owner, which the page says, and offers what else the text may be', () =>
    onList(async ({ page }) => {
      await search(page, 'Web shop');
      await page.getByText('1 client matches').waitFor();
      await page.getByText('The index of clients is off').waitFor();
      await assertAccessibleInAllLooks(page, 'the clients found without an index');
      await search(page, 'finance');
      await page.getByText('2 clients match').waitFor();
      await search(page, 'web-shop');
      await page.getByText('No client has this name or owner').waitFor();
      await page.getByRole('button', { name: 'Open as client id' }).click();
      await page.getByRole('heading', { level: 1, name: 'Web shop' }).waitFor();
    }));

  it('walks over those with the name and then over those with the owner, each once', () =>
    onList(async ({ page }) => {
      const both = Array.from({ length: 33 }, (_, n) => ({
        ...(n < 28 && { client_name: 'Twin' }),
        ...(n > 26 && { owner: 'Twin' }),
      }));
      for (const members of both) await createClient(intercepted, members);
      await search(page, 'Twin');
      await page.getByText('Page 1, rows 1–25').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 2, rows 26–33').waitFor();
      await becomes(() => page.getByRole('button', { name: 'Next page' }).getAttribute('aria-disabled'), 'true');
    }));
});
