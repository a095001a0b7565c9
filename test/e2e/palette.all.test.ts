import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { type Person, person } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, type Looks, onPage as onPageOf } from '../support/intercepted-dashboard.ts';
import { hasRead } from '../support/overview-visit.ts';

describe('the palette without an index, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30, env: { IDENTITY_INDEX: 'off' } });
  /** The palette asks the index once and then no more. */
  const onPage = (path: string, work: (visit: Visit) => Promise<void>, looks?: Looks) =>
    onPageOf(
      intercepted,
      path,
      (visit) => {
        visit.expect(400, /^\/api\/(?:identities|oauth-clients)\/search$/);
        return work(visit);
      },
      looks,
    );
  let somebody: Person;
  before(async () => {
    somebody = await person(intercepted);
    await hasRead(intercepted.dashboard, intercepted.sessions.admin);
  });
  /** What the store was asked, but for the whole identifier that every search asks it for. */
  const asked = (): URLSearchParams[] =>
    intercepted.upstream.seen
      .map(({ path }) => new URL(path, 'http://upstream').searchParams)
      .filter((query) => query.get('page_size') !== '1');
  const field = (page: Page) => page.getByPlaceholder('Page or action');
  const typed = async (page: Page, text: string): Promise<void> => {
    // A previous palette stays until the page that it leads to has loaded.
    await field(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await field(page).fill(text);
    await page.keyboard.press('Enter');
  };
  const arrivesAt = (page: Page, name: string): Promise<void> =>
    page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

  it('opens the person whose id is pasted, as it stands in a log', () =>
    onPage('/dashboard', async ({ page }) => {
      await typed(page, ` "${somebody.id.toUpperCase()}", `);
      await arrivesAt(page, somebody.name);
    }));

  it('finds people by the beginning of what they sign in with, and opens the only one', () =>
    onPage('/dashboard', async ({ page }) => {
      const beginning = somebody.email.slice(0, -3);
      await page.keyboard.press('Control+k');
      await field(page).fill(beginning);
      await page.getByRole('option', { name: `Find identities that begin with: ${beginning}` }).click();
      await arrivesAt(page, somebody.name);
      // A star means the same, as in the list's own field.
      await typed(page, `${beginning.toUpperCase()}*`);
      await field(page).waitFor({ state: 'detached' });
      await arrivesAt(page, somebody.name);
      assert.ok(!asked().some((query) => query.has('credentials_identifier')));
      assert.ok(asked().some((query) => query.get('preview_credentials_identifier_similar') === beginning));
      const another = await person(intercepted);
      await typed(page, 'person-*');
      await arrivesAt(page, 'Identities');
      await becomes(() => new URL(page.url()).search, /=person-\**$/);
      for (const { email } of [somebody, another]) await page.locator('tr[data-row]').getByText(email).waitFor();
    }));

  it('looks for the beginning first unless the text may be the whole of something', () =>
    onPage('/dashboard', async ({ page }) => {
      await person(intercepted);
      await page.keyboard.press('Control+k');
      const first = () => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first().textContent();
      const whole = [somebody.email, 'google:subject', '+49 151 2345678'];
      for (const [texts, label] of [
        [['person-', 'ada', '12'], 'Find identities that begin with'],
        [whole, 'Find identity'],
        [[somebody.id], 'Open identity'],
      ] as const)
        for (const text of texts) {
          await field(page).fill(text);
          await becomes(first, `${label}: ${text}`);
        }
      await page.keyboard.press('Escape');
      intercepted.upstream.seen = [];
      await typed(page, 'person-');
      await becomes(() => new URL(page.url()).search, /=person-\**$/);
      await page.locator('tr[data-row]').getByText(somebody.email).waitFor();
      assert.ok(!asked().some((query) => query.has('credentials_identifier')));
      assert.ok(!intercepted.upstream.seen.some(({ path }) => path.includes('by/external')));
    }));

  it('leads to the search where nobody begins like it, or the service cannot tell', () =>
    onPage('/dashboard', async ({ page, expect }) => {
      expect(400, '/api/identities');
      await typed(page, 'nobody-at-all*');
      await page.getByText('No identifier begins with this').waitFor();
      intercepted.upstream.before = ({ path }) =>
        path.includes('similar') ? { status: 400, body: '{"error":{"code":400}}' } : undefined;
      await typed(page, 'somebody-else*');
      await page.getByText('This identity service does not support prefix search').waitFor();
    }));

  it('knows what can be begun: “new setting” is not a person', () =>
    onPage('/dashboard', async ({ page }) => {
      await typed(page, 'new setting');
      await page.getByRole('dialog').getByLabel('Key').waitFor();
      await page.goto(`${intercepted.dashboard.baseUrl}/dashboard`);
      await arrivesAt(page, 'Overview');
      await typed(page, 'new identity');
      await arrivesAt(page, 'New identity');
      await becomes(() => intercepted.upstream.seen.filter(({ path }) => path.includes('credentials_identifier')), []);
    }));
});
