import assert from 'node:assert/strict';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { create, rows, search } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the list of identities without an index, before a store that misbehaves, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({
    people: 50,
    env: { IDENTITY_INDEX: 'off', PROXY_TIMEOUT_MS: '1000' },
  });

  const onList = (work: (visit: Visit) => Promise<void>, query = ''): Promise<void> =>
    onPage(intercepted, '/no/such/page', async (visit) => {
      // Each search asks for an index first.
      visit.expect(400, '/api/identities/search');
      await visit.page.goto(`${intercepted.dashboard.baseUrl}/identities${query}`);
      await visit.page.getByRole('heading', { level: 1, name: 'Identities' }).waitFor();
      intercepted.upstream.seen = [];
      await work(visit);
    });

  it('keeps the rows when a cursor is refused in mid-walk, and starts again on request', () =>
    onList(async ({ page, expect }) => {
      expect(400, '/api/identities');
      await page.getByText('Page 1, rows 1–25').waitFor();
      const first = await rows(page).first().textContent();
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_token')
          ? { status: 400, body: '{"error":{"code":400,"message":"page token expired, do not persist page tokens"}}' }
          : undefined;
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('This page has expired').waitFor();
      await becomes(() => rows(page).first().textContent(), first);
      await page.getByText('Page 1, rows 1–25').waitFor();
      await becomes(() => intercepted.upstream.seen.filter(({ path }) => path.includes('page_token')).length, 1);
      intercepted.upstream.before = () => undefined;
      intercepted.upstream.seen = [];
      await page.getByRole('button', { name: 'Start again from page 1' }).click();
      await page.getByText('This page has expired').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 2, rows 26–50').waitFor();
      await becomes(() => intercepted.upstream.seen.filter(({ path }) => path.includes('page_size=25')).length, 2);
    }));

  it('keeps the shown page in the address when the next one fails, and continues from there', () =>
    onList(async ({ page, expect }) => {
      expect(502, '/api/identities');
      const [next, previous] = ['Next page', 'Previous page'].map((name) => page.getByRole('button', { name }));
      assert.ok(next && previous);
      const walked = () => page.evaluate(() => history.state.pages?.length ?? 0);
      const asked = () => intercepted.upstream.seen.filter(({ path }) => path.includes('page_token')).length;
      await page.getByText('Page 1, rows 1–25').waitFor();
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_token') ? { status: 500, body: '{}' } : undefined;
      for (const button of [next, page.getByRole('button', { name: 'Try again' }), next]) {
        const before = asked();
        await button.click();
        await becomes(asked, before + 1);
        await page.getByText('The identity store failed').or(page.getByText('failed a moment ago')).first().waitFor();
        await page.getByText('Page 1, rows 1–25').waitFor();
        await becomes(walked, 0);
        await becomes(() => previous.getAttribute('aria-disabled'), 'true');
        await becomes(() => next.getAttribute('aria-disabled'), 'false');
      }
      intercepted.upstream.before = () => undefined;
      await next.click();
      await page.getByText('Page 2, rows 26–50').waitFor();
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await becomes(walked, 1);
      await page.goBack();
      await page.getByText('Page 1, rows 1–25').waitFor();
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await becomes(() => previous.getAttribute('aria-disabled'), 'true');
    }));

  it('shows the page that was loaded, and no failure of another, when it is opened anew after a failed Next', () =>
    onList(async ({ page, expect }) => {
      expect(502, '/api/identities');
      await page.getByText('Page 1, rows 1–25').waitFor();
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_token') ? { status: 500, body: '{}' } : undefined;
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByRole('alert').waitFor();
      await becomes(() => page.evaluate(() => history.state.pages?.length ?? 0), 0);
      await page.reload();
      await page.getByText('Page 1, rows 1–25').waitFor();
      await becomes(() => page.getByRole('alert').count(), 0);
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

  for (const [circumstance, answer] of [
    ['an HTML page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hello</h1>' }],
    ['half a JSON', { status: 200, body: '[{"id":"00000000-0000-4000-' }],
    ['an error of its own', { status: 500, body: '{"error":{"message":"at 10.0.0.1:4434"}}' }],
    ['silence', 'silence'],
  ] as const) {
    it(`says that the store failed when it answers with ${circumstance}, and tries again on request`, () =>
      onList(async ({ page, expect }) => {
        expect(answer === 'silence' ? 504 : 502, /^\/api\/identities/);
        intercepted.upstream.before = ({ path }) => (path.includes('credentials_identifier') ? answer : undefined);
        await search(page).fill('somebody@example.org');
        await page.keyboard.press('Enter');
        const alert = page.getByRole('alert').filter({ hasText: 'failed a moment ago' });
        await alert.waitFor();
        await alert.getByText(/^Request /).waitFor();
        await becomes(() => rows(page).count(), 0);
        const asked = () =>
          intercepted.upstream.seen.filter(({ path }) => /page_size=50&credentials_identifier/.test(path)).length;
        await becomes(asked, 1);
        intercepted.upstream.before = () => undefined;
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByText('No identity signs in with this').waitFor();
      }, '?page_size=50'));
  }

  it('ends the walk where the next page is the same page, and leaves no way to go round', () =>
    onList(async ({ page }) => {
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_size=100')
          ? {
              status: 200,
              headers: next('same'),
              body: JSON.stringify([identity(path.includes('page_token') ? 2 : 1)]),
            }
          : undefined;
      await page.getByLabel('Rows per page').selectOption('100');
      await page.getByText('somebody-1@example.org').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('somebody-2@example.org').waitFor();
      await becomes(() => page.getByRole('button', { name: 'Next page' }).getAttribute('aria-disabled'), 'true');
      await page.getByText('Page 2, row 2').waitFor();
    }));

  it('ends the walk where a later page leads back to an earlier one', () =>
    onList(async ({ page }) => {
      intercepted.upstream.before = ({ path }) => {
        if (!path.includes('page_size=100')) return undefined;
        const n = path.includes('page_token=two') ? 3 : path.includes('page_token=one') ? 2 : 1;
        return { status: 200, headers: next(n === 2 ? 'two' : 'one'), body: JSON.stringify([identity(n)]) };
      };
      await page.getByLabel('Rows per page').selectOption('100');
      await page.getByText('somebody-1@example.org').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('somebody-2@example.org').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('somebody-3@example.org').waitFor();
      await becomes(() => page.getByRole('button', { name: 'Next page' }).getAttribute('aria-disabled'), 'true');
    }));

  it('shows rows with a thousand extra fields, odd traits and a link to another host without a foreign request', () =>
    onList(async ({ page }) => {
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_size=100')
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
      await page.getByLabel('Rows per page').selectOption('100');
      await page.getByText('somebody-1@example.org').waitFor();
      await page.getByText('banned').waitFor();
      await page.getByText('<img src=x').waitFor();
      await becomes(() => page.getByText('no identifier').count(), 2);
      await becomes(() => page.getByRole('button', { name: 'Next page' }).getAttribute('aria-disabled'), 'false');
    }));

  describe('searched by the beginning of an identifier', () => {
    it('are found after a search for the whole one found nobody', () =>
      onList(async ({ page }) => {
        await create(intercepted, { schema_id: 'customer', traits: { email: 'zebulon.pike@example.org' } });
        await search(page).fill('Zebulon');
        await page.keyboard.press('Enter');
        await page.getByText('No identity signs in with this').waitFor();
        await page.getByRole('button', { name: 'Search as prefix' }).click();
        await page.getByText('1 identity matches').waitFor();
        await rows(page).getByText('zebulon.pike@example.org').waitFor();
        await becomes(() => new URL(page.url()).searchParams.get('q'), 'Zebulon*');
        await becomes(() => search(page).inputValue(), 'Zebulon*');
        await search(page).fill('pike*');
        await page.keyboard.press('Enter');
        await page.getByText('No identifier begins with this').waitFor();
        await assertAccessible(page, 'no identifier that begins so');
      }));

    it('are not found, with an explanation, when the identity service has no such search', () =>
      onList(async ({ page, expect }) => {
        expect(400, '/api/identities');
        intercepted.upstream.before = ({ path }) =>
          path.includes('_similar') ? { status: 400, body: '{"error":{"code":400,"reason":"unknown"}}' } : undefined;
        await search(page).fill('zebulon*');
        await page.keyboard.press('Enter');
        await page.getByText('This identity service does not support prefix search').waitFor();
        await page.getByRole('button', { name: 'Search for the whole identifier' }).click();
        await page.getByText('No identity signs in with this').waitFor();
      }));
  });

  it('shows rows where the total is not known', () =>
    onList(async ({ page }) => {
      intercepted.upstream.before = ({ path }) =>
        path.includes('per_page=1') ? { status: 200, body: '[]' } : undefined;
      const list = page.url();
      // What the page asks for by itself would not be answered.
      await page.goto('about:blank');
      await intercepted.dashboard.restart();
      await page.goto(list);
      await page.getByText('Page 1, rows 1–25, total unknown').waitFor();
    }));

  it('tells a store without identities from a search without a hit', () =>
    onList(async ({ page }) => {
      intercepted.upstream.before = ({ path }) =>
        path.includes('page_size=100') ? { status: 200, body: '[]' } : undefined;
      await page.getByLabel('Rows per page').selectOption('100');
      await page.getByText('No identities yet').waitFor();
    }));
});
