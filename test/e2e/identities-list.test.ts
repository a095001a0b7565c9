import assert from 'node:assert/strict';
import type { IdentityPage } from '../../shared/identities.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { rows, search } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, type Looks, onPage } from '../support/intercepted-dashboard.ts';

const PEOPLE = 60;
/** Including the sandbox's operators: three pages of 25. */
const ALL = PEOPLE + 2;

describe('the list of identities, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: PEOPLE });

  const onList = (work: (visit: Visit) => Promise<void>, looks: Looks = {}): Promise<void> =>
    onPage(intercepted, '/identities', work, { heading: 'Identities', ...looks });
  /** What a page asks: rows by their ids, an identifier, or how many there are. The index reads pages for itself. */
  const storeAsked = (): string[] =>
    intercepted.upstream.seen
      .map(({ path }) => path)
      .filter((path) => /^\/admin\/identities\?(?:ids=|credentials_identifier=|page=0&per_page=1$)/.test(path));
  const first = async (): Promise<IdentityPage['identities'][number] | undefined> => {
    const answer = await intercepted.dashboard.call('/api/identities?page_size=1', {
      session: intercepted.sessions.admin,
    });
    return ((await answer.json()) as IdentityPage).identities[0];
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
      await becomes(() => page.evaluate('document.activeElement.dataset.row'), '2');
      await page.keyboard.press('n');
      await page.getByText('Page 2, rows 26–50').waitFor();
      await rows(page).nth(24).waitFor();
      await becomes(() => page.evaluate('document.activeElement.dataset.row'), '0');
      await note();
      await page.keyboard.press('n');
      await page.getByText(`Page 3, rows 51–${ALL}`).waitFor();
      await rows(page)
        .nth(ALL - 50 - 1)
        .waitFor();
      await note();
      assert.equal(new Set(seen.flat()).size, ALL);
      await becomes(() => page.getByRole('button', { name: 'Next page' }).getAttribute('aria-disabled'), 'true');
      for (const shown of ['Page 2, rows 26–50', 'Page 1, rows 1–25']) {
        await page.keyboard.press('p');
        await page.getByText(shown).waitFor();
        await becomes(() => page.evaluate('document.activeElement.dataset.row'), '0');
      }
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
      await page.getByRole('main').getByRole('link', { name: 'Identities' }).click();
      await page.getByText('Page 3, rows 51').waitFor();
    }));

  it('asks the store once for a click, and once more for the total', () =>
    onList(async ({ page }) => {
      const asked = async (act: () => Promise<unknown>, settled: string): Promise<string[]> => {
        intercepted.upstream.seen = [];
        await act();
        await page.getByText(settled).waitFor();
        return storeAsked();
      };
      await page.getByText('Page 1, rows 1–25').waitFor();
      await page.getByText(`${ALL} in total`).waitFor();
      const first = storeAsked();
      assert.equal(first.filter((path) => path.includes('ids=')).length, 1, first.join('\n'));
      assert.ok(first.length <= 2, first.join('\n'));
      const next = page.getByRole('button', { name: 'Next page' });
      assert.equal((await asked(() => next.dblclick(), 'Page 2, rows 26–50')).length, 1);
      await page.getByRole('link', { name: 'Overview' }).hover();
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Identities' }).hover();
      await search(page).fill('zz');
      await becomes(() => storeAsked().length, 1, 'pointing at links and typing two characters asks nothing');
      const missed = await asked(() => page.keyboard.press('Enter'), 'Nobody matches');
      assert.deepEqual(missed, ['/admin/identities?credentials_identifier=zz&page_size=1']);
    }));

  it(`is accessible with rows, with a selection and without a hit, in all colours and widths`, () =>
    onList(async ({ page }) => {
      await rows(page).nth(24).waitFor();
      await assertAccessibleInAllLooks(page, 'the list');
      await page.getByLabel('Select all rows on this page').check();
      await page.getByText('25 selected on this page').waitFor();
      await assertAccessibleInAllLooks(page, 'the selection');
      await search(page).fill('nobody@example.org');
      await page.keyboard.press('Enter');
      await page.getByText('Nobody matches').waitFor();
      await assertAccessibleInAllLooks(page, 'the search without a hit');
    }));

  it('fits a screen 360 pixels wide, with the same controls', () =>
    onList(
      async ({ page }) => {
        await rows(page).nth(24).waitFor();
        await becomes(() => page.evaluate('document.documentElement.scrollWidth'), 360);
        await rows(page).first().getByRole('checkbox').check();
        await page.getByText('1 selected on this page').waitFor();
        await becomes(() => page.evaluate('document.documentElement.scrollWidth'), 360);
        await page.getByRole('button', { name: 'Next page' }).click();
        await page.getByText('Page 2, rows 26–50').waitFor();
      },
      { viewport: { width: 360, height: 740 } },
    ));

  it('tells a viewer what they need, and asks the store nothing', async () => {
    const person = await first();
    await onPage(
      intercepted,
      '/dashboard',
      async ({ page, expect }) => {
        expect(403, /^\/api\/identities/);
        await page.getByRole('link', { name: 'Identities (for administrators)' }).click();
        await page.getByText('Contact your administrator to request access.').waitFor();
        const create = page.getByRole('button', { name: 'New identity' });
        await becomes(() => create.getAttribute('title'), 'Only administrators can do this.');
        await page.goto(`${intercepted.dashboard.baseUrl}/identities/${person?.id}`);
        await page.getByText('Contact your administrator to request access.').waitFor();
        await page.goto(`${intercepted.dashboard.baseUrl}/identities/new`);
        await page.getByText('Contact your administrator to request access.').waitFor();
      },
      { role: 'viewer', heading: 'Overview' },
    );
    // The overview, where they started, reads figures and service states, which contain no personal data.
    const ofTheOverview =
      /^\/(?:version|health\/ready|admin\/sessions\?.*|admin\/identities\?(?:page_size=(?:1|50|500)(?:&.*)?|page=0&per_page=1))$/;
    assert.deepEqual(
      intercepted.upstream.seen.map(({ path }) => path).filter((path) => !ofTheOverview.test(path)),
      [],
    );
  });
});
