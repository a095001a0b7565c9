import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { IdentityPage } from '../../shared/identities.ts';
import { assertAccessible } from '../support/axe.ts';
import { needsChromium, type Visit, type VisitOptions } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { type IdentityUpstream, startIdentityUpstream } from '../support/identity-upstream.ts';

const PEOPLE = 60;
/** With the sandbox's operators: three pages of 25. */
const ALL = PEOPLE + 2;

describe('the list of identities, in a browser', function () {
  this.timeout(60_000);
  let upstream: IdentityUpstream;
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    upstream = await startIdentityUpstream();
    dashboard = await startDashboard({
      env: { IDENTITY_ADMIN_URL: upstream.url, PROXY_TIMEOUT_MS: '1000' },
      storeFromSandbox: true,
      sandbox: { people: PEOPLE, seed: 1 },
    });
    upstream.target = dashboard.sandbox.environment.IDENTITY_ADMIN_URL ?? '';
    session = await dashboard.signIn('admin');
  });
  after(async () => {
    await dashboard?.close();
    await upstream?.close();
  });
  afterEach(() => {
    upstream.fault = undefined;
    upstream.requests.length = 0;
  });

  const onList = (
    work: (visit: Visit) => Promise<void>,
    options: { path?: string } & Pick<VisitOptions, 'colorScheme' | 'viewport'> = {},
  ): Promise<void> =>
    signedInVisit(dashboard, session, { path: '/identities', heading: 'Identities', ...options }, work);
  const rows = (page: Page) => page.locator('tr[data-row]');
  const search = (page: Page) => page.getByLabel('E-mail, username, provider:subject or identity id');
  const storeAsked = (): string[] => upstream.requests.map(({ url }) => url);
  const listed = async (pageSize = 250): Promise<IdentityPage['identities']> => {
    const answer = await dashboard.call(`/api/identities?page_size=${pageSize}`, { session });
    return ((await answer.json()) as IdentityPage).identities;
  };

  it('walks to the last page and back by keys alone, each row once', () =>
    onList(async ({ page }) => {
      await page.getByText(`Page 1, rows 1–25, ${ALL} in total, counted`).waitFor();
      const seen: string[][] = [];
      const note = async () =>
        seen.push(await rows(page).evaluateAll((all) => all.map((row) => row.querySelector('a')?.href ?? '')));
      await rows(page).nth(24).waitFor();
      await note();
      await rows(page).first().focus();
      await page.keyboard.press('j');
      await page.keyboard.press('ArrowDown');
      assert.equal(await page.evaluate('document.activeElement.dataset.row'), '2');
      await page.keyboard.press('n');
      await page.getByText('Page 2, rows 26–50').waitFor();
      await rows(page).nth(24).waitFor();
      assert.equal(await page.evaluate('document.activeElement.dataset.row'), '0');
      await note();
      await page.keyboard.press('n');
      await page.getByText(`Page 3, rows 51–${ALL}`).waitFor();
      await note();
      assert.equal(new Set(seen.flat()).size, ALL);
      assert.equal(await page.getByRole('button', { name: 'Next page' }).getAttribute('aria-disabled'), 'true');
      await page.keyboard.press('p');
      await page.getByText('Page 2, rows 26–50').waitFor();
      await page.keyboard.press('p');
      await page.getByText('Page 1, rows 1–25').waitFor();
      await page.keyboard.press('x');
      await page.getByText('1 selected on this page').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/identities\/[0-9a-f-]{36}$/);
    }));

  it('keeps the page over Back, Forward, a reload and a visit to an identity', () =>
    onList(async ({ page }) => {
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 2, rows 26–50').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 3, rows 51').waitFor();
      await page.goBack();
      await page.getByText('Page 2, rows 26–50').waitFor();
      await page.goForward();
      await page.getByText('Page 3, rows 51').waitFor();
      await page.reload();
      await page.getByText('Page 3, rows 51').waitFor();
      await rows(page).first().getByRole('link').click();
      await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      await page.getByRole('link', { name: 'Identities' }).last().click();
      await page.getByText('Page 3, rows 51').waitFor();
    }));

  it('shows the same search and page size to whoever opens the link', async () => {
    const [person] = await listed(1);
    const email = String(person?.traits.email);
    await onList(
      async ({ page }) => {
        await page.getByText('1 identity matches').waitFor();
        assert.equal(await rows(page).count(), 1);
        assert.equal(await search(page).inputValue(), email);
        assert.equal(await page.getByLabel('Rows on a page').inputValue(), '50');
        await page.getByRole('link', { name: email }).waitFor();
      },
      { path: `/identities?identifier=${encodeURIComponent(email)}&page_size=50` },
    );
  });

  it('asks the store once for a click, and once more for the total', () =>
    onList(async ({ page }) => {
      const asked = async (act: () => Promise<unknown>, settled: string): Promise<string[]> => {
        upstream.requests.length = 0;
        await act();
        await page.getByText(settled).waitFor();
        return storeAsked();
      };
      await page.getByText('Page 1, rows 1–25').waitFor();
      await page.getByText(`${ALL} in total`).waitFor();
      const first = storeAsked();
      assert.equal(first.filter((url) => url.includes('page_size=25')).length, 1, first.join('\n'));
      assert.ok(first.length <= 2, first.join('\n'));
      const next = page.getByRole('button', { name: 'Next page' });
      assert.equal((await asked(() => next.dblclick(), 'Page 2, rows 26–50')).length, 1);
      await page.getByRole('link', { name: 'Overview' }).hover();
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Identities' }).hover();
      await search(page).fill('nobody@example.org');
      assert.equal(upstream.requests.length, 1, 'pointing at links and typing asks nothing');
      const missed = await asked(() => page.keyboard.press('Enter'), 'No identity signs in with this');
      assert.deepEqual(missed, ['/admin/identities?page_size=25&credentials_identifier=nobody%40example.org']);
    }));

  it('finds by exact identifier in any case, and offers other ways where nothing is found', async () => {
    const created = await dashboard.call('/api/identity-admin/admin/identities', {
      session,
      json: { schema_id: 'customer', traits: { email: 'Lookup.Me@example.org' }, external_id: 'crm/7 7' },
    });
    assert.equal(created.status, 201);
    const { id } = (await created.json()) as { id: string };
    await onList(async ({ page, expect }) => {
      await search(page).fill('  lookup.me@EXAMPLE.org ');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Lookup.Me@example.org' }).waitFor();

      await search(page).fill('crm/7 7');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Look up as external id' }).click();
      await page.waitForURL(`**/identities/${id}`);
      await page.goBack();

      expect(404, /\/by\/external\//);
      await search(page).fill('118');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Look up as external id' }).click();
      await page.getByText('No identity has this external id either.').waitFor();
      await page.getByLabel('Provider', { exact: true }).fill('google');
      await page.getByRole('button', { name: 'Search as provider:subject' }).click();
      await page.getByText('As provider:subject, upper and lower case must match too.').waitFor();
      assert.equal(new URL(page.url()).searchParams.get('identifier'), 'google:118');
      await page.getByRole('button', { name: 'Clear the search', exact: true }).last().click();
      await page.getByText('Page 1, rows 1–25').waitFor();

      await search(page).fill(`"${id.toUpperCase()}"`);
      await page.getByText('This is an identity id').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/identities/${id}`);
      await page.getByRole('heading', { level: 1, name: 'Lookup.Me@example.org' }).waitFor();
    });
    assert.equal(
      (await dashboard.call(`/api/identity-admin/admin/identities/${id}`, { session, method: 'DELETE' })).status,
      204,
    );
  });

  it('keeps the rows when a cursor is refused in mid-walk, and starts again on request', () =>
    onList(async ({ page, expect }) => {
      expect(400, '/api/identities');
      await page.getByText('Page 1, rows 1–25').waitFor();
      const first = await rows(page).first().textContent();
      upstream.fault = ({ url }) =>
        url.includes('page_token')
          ? { status: 400, body: '{"error":{"code":400,"message":"page token expired, do not persist page tokens"}}' }
          : undefined;
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('This page link is too old').waitFor();
      assert.equal(await rows(page).first().textContent(), first);
      await page.getByText('Page 1, rows 1–25').waitFor();
      assert.equal(upstream.requests.filter(({ url }) => url.includes('page_token')).length, 1);
      upstream.fault = undefined;
      upstream.requests.length = 0;
      await page.getByRole('button', { name: 'Start again from page 1' }).click();
      await page.getByText('This page link is too old').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 2, rows 26–50').waitFor();
      assert.equal(upstream.requests.length, 2);
    }));

  const identity = (n: number, more: object = {}) => ({
    id: `00000000-0000-4000-8000-00000000000${n}`,
    traits: { email: `somebody-${n}@example.org` },
    state: 'active',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    ...more,
  });
  const next = (token: string, host = '') => ({
    link: `<${host}/admin/identities?page_size=25&page_token=${token}>; rel="next"`,
  });
  const thousandFields = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field_${n}`, { n }]));

  for (const [circumstance, answer, shown] of [
    [
      'an HTML page',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hello</h1>' },
      'Unable to reach',
    ],
    ['half a JSON', { status: 200, body: '[{"id":"00000000-0000-4000-' }, 'Unable to reach'],
    ['an error of its own', { status: 500, body: '{"error":{"message":"at 10.0.0.1:4434"}}' }, 'Unable to reach'],
    ['silence', 'silence', 'did not respond within'],
  ] as const) {
    it(`says that the store failed when it answers with ${circumstance}, and tries again on request`, () =>
      onList(
        async ({ page, expect }) => {
          expect(answer === 'silence' ? 504 : 502, /^\/api\/identities/);
          upstream.fault = ({ url }) => (url.includes('credentials_identifier') ? answer : undefined);
          await search(page).fill('somebody@example.org');
          await page.keyboard.press('Enter');
          const alert = page.getByRole('alert').filter({ hasText: shown });
          await alert.waitFor();
          await alert.getByText('Request').waitFor();
          assert.equal(await rows(page).count(), 0);
          assert.equal(upstream.requests.filter(({ url }) => url.includes('credentials_identifier')).length, 1);
          upstream.fault = undefined;
          await page.getByRole('button', { name: 'Try again' }).click();
          await page.getByText('No identity signs in with this').waitFor();
        },
        { path: '/identities?page_size=50' },
      ));
  }

  it('ends the walk where the next page is the same page, and leaves no way to go round', () =>
    onList(async ({ page }) => {
      upstream.fault = ({ url }) =>
        url.includes('page_size=100')
          ? { status: 200, headers: next('same'), body: JSON.stringify([identity(url.includes('page_token') ? 2 : 1)]) }
          : undefined;
      await page.getByLabel('Rows on a page').selectOption('100');
      await page.getByText('somebody-1@example.org').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('somebody-2@example.org').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Next page' }).getAttribute('aria-disabled'), 'true');
      await page.getByText('Page 2, row 2').waitFor();
    }));

  it('ends the walk where a later page leads back to an earlier one', () =>
    onList(async ({ page }) => {
      upstream.fault = ({ url }) => {
        if (!url.includes('page_size=100')) return undefined;
        const n = url.includes('page_token=two') ? 3 : url.includes('page_token=one') ? 2 : 1;
        return { status: 200, headers: next(n === 2 ? 'two' : 'one'), body: JSON.stringify([identity(n)]) };
      };
      await page.getByLabel('Rows on a page').selectOption('100');
      await page.getByText('somebody-1@example.org').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('somebody-2@example.org').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('somebody-3@example.org').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Next page' }).getAttribute('aria-disabled'), 'true');
    }));

  it('shows rows with a thousand extra fields, odd traits and a link to another host without a foreign request', () =>
    onList(async ({ page }) => {
      upstream.fault = ({ url }) =>
        url.includes('page_size=100')
          ? {
              status: 200,
              headers: next('more', 'http://elsewhere.example'),
              body: JSON.stringify([
                identity(1, thousandFields),
                identity(2, { traits: null, state: null, created_at: 'yesterday' }),
                identity(3, { traits: { email: { deep: true }, name: ['x'] }, state: 'banned' }),
                identity(4, { traits: { email: '<img src=x onerror=alert(1)>‮' } }),
              ]),
            }
          : undefined;
      await page.getByLabel('Rows on a page').selectOption('100');
      await page.getByText('somebody-1@example.org').waitFor();
      await page.getByText('banned').waitFor();
      await page.getByText('<img src=x').waitFor();
      assert.equal(await page.getByText('no identifier').count(), 2);
      assert.equal(await page.getByRole('button', { name: 'Next page' }).getAttribute('aria-disabled'), 'false');
    }));

  it('shows rows where the total is not known', () =>
    onList(async ({ page }) => {
      upstream.fault = ({ url }) => (url.includes('per_page=1') ? { status: 200, body: '[]' } : undefined);
      await dashboard.restart();
      await page.reload();
      await page.getByText('Page 1, rows 1–25, total not known').waitFor();
    }));

  it('tells a store without identities from a search without a hit', () =>
    onList(async ({ page }) => {
      upstream.fault = ({ url }) => (url.includes('page_size=100') ? { status: 200, body: '[]' } : undefined);
      await page.getByLabel('Rows on a page').selectOption('100');
      await page.getByText('No identities yet').waitFor();
    }));

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible with rows, with a selection and without a hit, in ${colorScheme} colours`, () =>
      onList(
        async ({ page }) => {
          await rows(page).nth(24).waitFor();
          await assertAccessible(page, 'the list');
          await page.getByLabel('Select all rows of this page').check();
          await page.getByText('25 selected on this page').waitFor();
          await assertAccessible(page, 'the selection');
          await search(page).fill('nobody@example.org');
          await page.keyboard.press('Enter');
          await page.getByText('No identity signs in with this').waitFor();
          await assertAccessible(page, 'the search without a hit');
        },
        { colorScheme },
      ));
  }

  it('fits a screen 360 pixels wide, with the same controls', () =>
    onList(
      async ({ page }) => {
        await rows(page).nth(24).waitFor();
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
        await rows(page).first().getByRole('checkbox').check();
        await page.getByText('1 selected on this page').waitFor();
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
        await page.getByRole('button', { name: 'Next page' }).click();
        await page.getByText('Page 2, rows 26–50').waitFor();
        await assertAccessible(page, 'the narrow list');
      },
      { viewport: { width: 360, height: 740 } },
    ));

  it('tells a viewer what they need, and asks the store nothing', async () => {
    const viewer = await dashboard.signIn('viewer');
    const [person] = await listed(1);
    upstream.requests.length = 0;
    await signedInVisit(dashboard, viewer, { path: '/dashboard', heading: 'Overview' }, async ({ page, expect }) => {
      expect(403, /^\/api\/identities/);
      await page.getByRole('link', { name: 'Identities (for administrators)' }).click();
      await page.getByText('Contact your administrator to request access.').waitFor();
      const create = page.getByRole('button', { name: 'New identity' });
      assert.equal(await create.getAttribute('title'), 'Only administrators may do this.');
      await page.goto(`${dashboard.baseUrl}/identities/${person?.id}`);
      await page.getByText('Contact your administrator to request access.').waitFor();
      await page.goto(`${dashboard.baseUrl}/identities/new`);
      await page.getByText('Contact your administrator to request access.').waitFor();
      await assertAccessible(page, 'the panel for viewers');
    });
    assert.deepEqual(storeAsked(), []);
  });
});
