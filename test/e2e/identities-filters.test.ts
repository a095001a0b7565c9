import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { create, rows, search } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

/** Operators of full-text search and SQL, markup, signs alone, scripts of both directions. */
const HOSTILE = [
  '"',
  'a" OR "b',
  'NEAR(a b, 2) AND NOT texts:c*',
  '^a + -b',
  "'; DROP TABLE people; --",
  '%_%',
  '**',
  '{}[]\\',
  '\u0000a\u0007b',
  '<img src=x onerror=alert(1)>',
  '\u202eabc',
  '\u0301',
  'مرحبا',
  '東京都',
  '😀😀😀',
  'é'.repeat(255),
];

describe('what identities are searched, filtered and sorted by, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 60 });

  before(async () => {
    for (const [name, state] of [
      ['Zebedee Quillfeather', 'active'],
      ['Aurora Quillfeather', 'inactive'],
    ]) {
      const [first = '', last = ''] = name?.split(' ') ?? [];
      await create(intercepted, {
        schema_id: 'customer',
        state,
        traits: { email: `${first.toLowerCase()}@example.org`, name: { first, last } },
      });
    }
  });

  const onList = (work: (visit: Visit) => Promise<void>, query = ''): Promise<void> =>
    onPage(intercepted, `/identities${query}`, work, { heading: 'Identities' });
  const inAddress = ({ page }: Visit) => Object.fromEntries(new URL(page.url()).searchParams);
  const shown = ({ page }: Visit): Promise<string[]> =>
    rows(page).evaluateAll((all) => all.map((row) => row.querySelector('a')?.textContent ?? ''));
  const both = ['aurora@example.org', 'zebedee@example.org'];

  it('finds by a part in the middle while somebody types, and replaces the address', () =>
    onList(async (visit) => {
      const { page } = visit;
      await rows(page).nth(24).waitFor();
      const entries = await page.evaluate('history.length');
      await search(page).pressSequentially('LLFEÁTH');
      await page.getByText('2 identities match, counted').waitFor();
      await becomes(async () => (await shown(visit)).sort(), both);
      await becomes(() => inAddress(visit), { q: 'LLFEÁTH' });
      assert.equal(await page.evaluate('history.length'), entries);
      await page.getByRole('button', { name: 'Clear the search' }).click();
      await page.getByText('Page 1, rows 1–25').waitFor();
      await becomes(() => inAddress(visit), {});
    }));

  it('filters by chips that stand in the address, are taken off one by one, and follow Back and Forward', () =>
    onList(async (visit) => {
      const { page } = visit;
      await rows(page).first().waitFor();
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByLabel('State', { exact: true }).selectOption('Inactive');
      await page.getByRole('button', { name: 'inactive', exact: true }).waitFor();
      await page.getByText('1 identity matches').waitFor();
      await becomes(() => shown(visit), ['aurora@example.org']);
      await page.getByLabel('Created', { exact: true }).selectOption('Last 7 days');
      await page.getByLabel('Schema', { exact: true }).selectOption('customer');
      await becomes(() => inAddress(visit), { q: 'quillf', schema: 'customer', state: 'inactive', created: '7d' });
      for (const chip of ['inactive', 'schema customer', 'created in the last 7 days'])
        await page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: chip, exact: true }).waitFor();
      await page.goBack();
      await becomes(() => inAddress(visit), { q: 'quillf', state: 'inactive', created: '7d' });
      await page.goForward();
      await becomes(() => inAddress(visit), { q: 'quillf', schema: 'customer', state: 'inactive', created: '7d' });
      await page.reload();
      await becomes(() => shown(visit), ['aurora@example.org']);
      await page.getByRole('button', { name: 'inactive', exact: true }).click();
      await page.getByText('2 identities match').waitFor();
      await becomes(() => inAddress(visit), { q: 'quillf', schema: 'customer', created: '7d' });
      await page.getByRole('button', { name: 'Clear all' }).click();
      await becomes(() => inAddress(visit), { q: 'quillf' });
      await becomes(() => page.getByRole('group', { name: 'Filters' }).count(), 0);
    }, '?q=quillf'));

  it('filters by local days, and asks once a day is whole', () =>
    onList(async (visit) => {
      const { page } = visit;
      await page.getByText('2 identities match').waitFor();
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByLabel('Created', { exact: true }).selectOption('Between days…');
      const days = page.getByRole('group', { name: 'Created', exact: true });
      await days.getByLabel('First day').fill('2001-01-31');
      await becomes(() => inAddress(visit), { q: 'quillf', created: '2001-01-31..' });
      await days.getByLabel('Last day').fill('2000-01-01');
      await days.getByText('After the last day').waitFor();
      await becomes(() => inAddress(visit), { q: 'quillf', created: '2001-01-31..' });
      await days.getByLabel('Last day').fill('2001-02-01');
      await page.getByRole('button', { name: 'created from 31 Jan 2001 to 1 Feb 2001' }).waitFor();
      await page.getByText('Nobody matches').waitFor();
      await page.getByText('Asked for: “quillf”, created from 31 Jan 2001 to 1 Feb 2001.').waitFor();
      await assertAccessibleInAllLooks(page, 'the filters, where nobody matches');
      await page.getByRole('button', { name: 'Clear the filters' }).click();
      await page.getByText('2 identities match').waitFor();
      await becomes(() => inAddress(visit), { q: 'quillf' });
    }, '?q=quillf'));

  it('is led to from a schema', () =>
    onPage(intercepted, '/schemas/customer', async (visit) => {
      const { page } = visit;
      await page.getByRole('link', { name: 'Identities with this schema' }).click();
      await page.getByRole('button', { name: 'schema customer', exact: true }).waitFor();
      await becomes(() => inAddress(visit), { schema: 'customer' });
      await rows(page).first().waitFor();
    }));

  it('filters by sessions that are known', () =>
    onList(async (visit) => {
      const { page } = visit;
      await page.getByRole('button', { name: 'no session known for 90 days' }).waitFor();
      await page.getByText('2 identities match').waitFor();
      await becomes(() => rows(page).getByText('none known').count(), 2);
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByLabel('Last session', { exact: true }).selectOption('Last 30 days');
      await page.getByText('Nobody matches').waitFor();
    }, '?q=quillf&session=none-90d'));

  it('sorts by the heads of columns, over all pages, and keeps the focus there', () =>
    onList(async (visit) => {
      const { page } = visit;
      await rows(page).nth(24).waitFor();
      const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
      await becomes(() => head('Created').getAttribute('aria-sort'), 'descending');
      await head('Identifier').getByRole('button').focus();
      await page.keyboard.press('Enter');
      await becomes(() => inAddress(visit), { sort: 'identifier' });
      await becomes(() => head('Identifier').getAttribute('aria-sort'), 'ascending');
      await becomes(() => page.evaluate('document.activeElement.textContent'), 'Identifier');
      // The rows before stay, dimmed, until the next are read; then these grow to their number.
      const page25 = async (isExpected: (all: string[]) => boolean): Promise<string[]> => {
        await becomes(async () => {
          const all = await shown(visit);
          return all.length === 25 && isExpected(all);
        }, true);
        return shown(visit);
      };
      const first = await page25((all) => String(all) === String(all.toSorted()));
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 2, rows 26–50').waitFor();
      const second = await page25((all) => String(all[0]) > String(first.at(-1)));
      await head('Identifier').getByRole('button').click();
      await becomes(() => inAddress(visit), { sort: '-identifier' });
      await page.getByText('Page 1, rows 1–25').waitFor();
      const reversed = await page25((all) => String(all[0]) > String(second.at(-1)));
      assert.deepEqual(reversed, reversed.toSorted().reverse());
      await head('Created').getByRole('button').click();
      await becomes(() => inAddress(visit), {});
      await becomes(() => head('Created').getAttribute('aria-sort'), 'descending');
      await head('Last sign-in').getByRole('button').click();
      await becomes(async () => (await shown(visit)).length, 25);
      await becomes(() => inAddress(visit), { sort: '-last_session' });
      await rows(page)
        .first()
        .getByText(/ago|just now/)
        .first()
        .waitFor();
    }));

  it('is reached by keys: the slash for words, f for filters, Escape out of these', () =>
    onList(async ({ page }) => {
      await rows(page).nth(2).focus();
      await page.keyboard.press('/');
      await becomes(() => search(page).evaluate((field) => field === document.activeElement), true);
      await page.keyboard.type('f');
      await becomes(() => search(page).inputValue(), 'f');
      await rows(page).nth(2).focus();
      await page.keyboard.press('f');
      const state = page.getByLabel('State', { exact: true });
      await becomes(() => state.evaluate((field) => field === document.activeElement), true);
      await page.keyboard.press('Escape');
      await becomes(() => state.count(), 0);
      await rows(page).nth(2).focus();
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Filter this page').waitFor();
    }));

  it('is asked whatever hostile text is searched for, and never fails', () =>
    onList(async (visit) => {
      const { page, expect } = visit;
      // Without a letter, a digit or a sign there is nothing to search for.
      expect(400, '/api/identities/search');
      for (const text of HOSTILE) {
        await page.goto(`${intercepted.dashboard.baseUrl}/identities?q=${encodeURIComponent(text)}`);
        await page
          .getByText(/^(?:Nobody matches|Page 1, rows|\d+ identit(?:y|ies) match|q must contain)/)
          .first()
          .waitFor();
      }
      await search(page).fill('x'.repeat(256));
      await page.getByText('At most 255 characters.').waitFor();
      await page.keyboard.press('Enter');
      await becomes(() => inAddress(visit).q !== 'x'.repeat(256), true);
    }));

  it('keeps the rows and the address when the store fails for the next page', () =>
    onList(async ({ page, expect }) => {
      expect(502, '/api/identities/search');
      await page.getByText('Page 1, rows 1–25').waitFor();
      await rows(page).nth(24).waitFor();
      intercepted.upstream.before = ({ path }) =>
        path.startsWith('/admin/identities?ids=') ? { status: 500, body: '{}' } : undefined;
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByText('Page 1, rows 1–25').waitFor();
      await becomes(() => rows(page).count(), 25);
      intercepted.upstream.before = () => undefined;
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 2, rows 26–50').waitFor();
      await page.getByRole('alert').waitFor({ state: 'detached' });
    }));
});
