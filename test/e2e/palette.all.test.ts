import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import type { IdentitySearchPage } from '../../shared/identity-search.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { chooseAction, create } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { hasRead } from '../support/overview-visit.ts';

const SEARCH = '/api/identities/search';
const NUMBER = /^(\d[\d,]*) identities\b/;

describe('the palette with an index, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30 });
  before(async () => {
    for (const [first, email] of [
      ['Quentin', 'qqz@example.org'],
      ['Zoë Qqz', 'zoe.middle@example.org'],
      ['Anna', 'anna.qqzzy@example.org'],
    ])
      await create(intercepted, { schema_id: 'customer', traits: { email, name: { first, last: 'Tester' } } });
    const { call } = intercepted.dashboard;
    const session = intercepted.sessions.admin;
    for (const key of ['mail.qqz.host', 'qqz.first', 'other'])
      await call('/api/settings', { session, json: { key, value: 'unshown-value' } });
    const client = { client_name: 'The qqz shop', owner: 'sales', grant_types: ['authorization_code'] };
    const made = await call('/api/oauth-admin/admin/clients', { session, json: { ...client, client_id: 'shop-1' } });
    assert.equal(made.status, 201);
    await hasRead(intercepted.dashboard, session);
    for (const path of [`${SEARCH}?q=anna.qqzzy`, '/api/oauth-clients/search?q=qqz'])
      await becomes(async () => ((await (await call(path, { session })).json()) as IdentitySearchPage).total, 1);
  });

  const field = (page: Page) => page.getByPlaceholder('Page or action');
  const open = async (page: Page): Promise<void> => {
    await field(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
  };
  const options = (page: Page, group: string): Promise<string[]> =>
    page.getByRole('group', { name: group }).getByRole('option').locator('span > bdi').allTextContents();
  const status = (page: Page): Promise<string | null> => page.getByRole('dialog').getByRole('status').textContent();
  const arrivesAt = (page: Page, name: string): Promise<void> =>
    page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  /** What is asked of the searches from now on. */
  const watched = (page: Page): string[] => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === SEARCH) asked.push(searchParams.get('q') ?? '');
    });
    return asked;
  };
  /** Holds these requests back. @returns lets them through */
  async function holdBack(context: BrowserContext, isHeld: (url: URL) => boolean): Promise<() => void> {
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await context.route(isHeld, async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    return letGo;
  }

  it('finds identities, clients and settings by any part, the best first, and Enter goes there', () =>
    onPage(intercepted, '/dashboard', async ({ page }) => {
      await open(page);
      await field(page).fill('QQZ');
      await becomes(() => status(page), 'Found: 3 identities, 1 OAuth2 client, 2 settings.');
      await becomes(() => options(page, 'Identities'), ['Quentin Tester', 'Anna Tester', 'Zoë Qqz Tester']);
      await becomes(() => options(page, 'OAuth2 clients'), ['The qqz shop']);
      await becomes(() => options(page, 'Settings'), ['qqz.first', 'mail.qqz.host']);
      assert.equal(await page.getByText('unshown-value').count(), 0);
      await assertAccessibleInAllLooks(page, 'the palette with results');
      const first = page.getByRole('dialog').getByRole('option').first();
      await becomes(() => first.getAttribute('aria-selected'), 'true');
      await field(page).fill('qqz@example.org');
      await becomes(() => options(page, 'Identities'), ['Quentin Tester']);
      await page.keyboard.press('Enter');
      await arrivesAt(page, 'Quentin Tester');
      await open(page);
      await field(page).fill('qqz shop');
      await becomes(() => options(page, 'OAuth2 clients'), ['The qqz shop']);
      await page.keyboard.press('Enter');
      await arrivesAt(page, 'The qqz shop');
      await open(page);
      await field(page).fill('qqz.first');
      await becomes(() => options(page, 'Settings'), ['qqz.first']);
      await page.keyboard.press('Enter');
      await arrivesAt(page, 'Settings');
      await becomes(() => new URL(page.url()).searchParams.get('key'), 'qqz.first');
    }));

  it('asks nothing for fewer than three characters, and once for what is typed without a pause', () =>
    onPage(intercepted, '/dashboard', async ({ page }) => {
      // Before the palette opens: a clock cannot clear the timers that were there before it.
      await page.clock.install();
      await open(page);
      const asked = watched(page);
      await page.clock.pauseAt(Date.now() + 60_000);
      await field(page).fill('qq');
      await page.clock.runFor(1_000);
      await page.keyboard.type('z@ex');
      await page.clock.runFor(399);
      await page.keyboard.type('a');
      await page.clock.runFor(399);
      assert.deepEqual(asked, []);
      await page.clock.runFor(1);
      await page.clock.resume();
      await becomes(() => options(page, 'Identities'), ['Quentin Tester']);
      assert.deepEqual(asked, ['qqz@exa']);
    }));

  it('asks at once on Enter, and shows several before it goes to one of them', () =>
    onPage(intercepted, '/dashboard', async ({ page, context }) => {
      // One service answers before the others: what it says is not taken for all there is.
      const letGo = await holdBack(
        context,
        ({ pathname, search }) => [SEARCH, '/api/settings'].includes(pathname) && search.includes('=qqz'),
      );
      await open(page);
      await field(page).fill('dle@exam');
      await page.keyboard.press('Enter');
      await arrivesAt(page, 'Zoë Qqz Tester');
      await open(page);
      await field(page).fill('qqz*');
      const client = page.waitForResponse((answer) => answer.url().includes('/api/oauth-clients/search?q=qqz'));
      await page.keyboard.press('Enter');
      await (await client).finished();
      await becomes(() => options(page, 'OAuth2 clients'), ['The qqz shop']);
      letGo();
      await becomes(() => options(page, 'Identities'), ['Quentin Tester', 'Anna Tester', 'Zoë Qqz Tester']);
      assert.equal(await page.getByRole('dialog').count(), 1);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await arrivesAt(page, 'Anna Tester');
    }));

  it('drops a question when typing goes on: its answer never shows', () =>
    onPage(intercepted, '/dashboard', async ({ page, context }) => {
      const letGo = await holdBack(
        context,
        ({ pathname, searchParams }) => pathname === SEARCH && searchParams.get('q') === 'quentin',
      );
      await open(page);
      const asked = page.waitForRequest((request) => request.url().includes('q=quentin'));
      await field(page).fill('quentin');
      await asked;
      const aborted = page.waitForEvent('requestfailed', (request) => request.url().includes('q=quentin'));
      await field(page).fill('quentin-nobody');
      await aborted;
      letGo();
      await becomes(() => status(page), 'Found: 0 identities, 0 OAuth2 clients, 0 settings.');
      assert.deepEqual(await options(page, 'Identities'), []);
    }));

  it('leaves the list where it was scrolled when a late answer comes, and follows the arrow keys', () =>
    onPage(
      intercepted,
      '/dashboard',
      async ({ page, context }) => {
        const letGo = await holdBack(
          context,
          ({ pathname, search }) => pathname === '/api/settings' && search.includes('=qqz'),
        );
        await open(page);
        await field(page).fill('qqz');
        await becomes(() => options(page, 'OAuth2 clients'), ['The qqz shop']);
        await becomes(async () => (await options(page, 'Identities')).length, 3);
        const list = page.getByRole('listbox', { name: 'Suggestions' });
        const selected = list.locator('[aria-selected=true] bdi').first();
        /** Where the last option is on the screen. */
        const place = async () => (await list.getByRole('option').last().boundingBox())?.y ?? 0;
        assert.equal(await selected.textContent(), 'Quentin Tester');
        const unscrolled = await place();
        await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        const scrolled = await place();
        assert.ok(scrolled < unscrolled, 'there is more than fits');
        letGo();
        await becomes(() => options(page, 'Settings'), ['qqz.first', 'mail.qqz.host']);
        await becomes(() => status(page), 'Found: 3 identities, 1 OAuth2 client, 2 settings.');
        assert.equal(await selected.textContent(), 'Quentin Tester');
        assert.ok(Math.abs((await place()) - scrolled) < 1, `${await place()} is not ${scrolled}`);
        await page.keyboard.press('ArrowDown');
        await becomes(() => selected.textContent(), 'Anna Tester');
        await becomes(async () => (await place()) > scrolled, true);
      },
      { viewport: { width: 1_000, height: 300 } },
    ));

  it('keeps what one service says when another fails, and says which', () =>
    onPage(intercepted, '/dashboard', async ({ page, context, expect }) => {
      expect(500, '/api/settings');
      await context.route('**/api/settings?*', (route) =>
        route.fulfill({ status: 500, json: { error: 'internal_error', message: 'Something went wrong.' } }),
      );
      await open(page);
      await field(page).fill('qqzzy');
      await becomes(
        () => status(page),
        'Found: 1 identity, 0 OAuth2 clients. No answer about settings: Something went wrong.',
      );
      await becomes(() => options(page, 'Identities'), ['Anna Tester']);
    }));

  it('leads to all that match, where there are more', () =>
    onPage(intercepted, '/dashboard', async ({ page }) => {
      await open(page);
      await field(page).fill('example');
      await becomes(async () => (await options(page, 'Identities')).length, 6);
      await page.getByRole('option', { name: /^All \d+ identities that match$/ }).click();
      await arrivesAt(page, 'Identities');
    }));

  it('asks nothing for a viewer, who may not read any of it', () =>
    onPage(
      intercepted,
      '/dashboard',
      async ({ page }) => {
        const asked: string[] = [];
        page.on('request', (request) => asked.push(new URL(request.url()).pathname));
        await open(page);
        await page.clock.install();
        await field(page).fill('qqz');
        await page.clock.runFor(1_000);
        await page.getByText('No results').waitFor();
        assert.deepEqual(
          asked.filter((path) => /search|settings|total/.test(path)),
          [],
        );
      },
      { role: 'viewer' },
    ));

  it('shows the same number as overview and list, also after somebody is created and deleted', () =>
    onPage(intercepted, '/dashboard', async ({ page }) => {
      const palette = async (): Promise<string> => {
        await open(page);
        const option = page.getByRole('option', { name: /^Identities/ });
        await option.getByText(NUMBER).waitFor();
        const [, number = ''] = NUMBER.exec((await option.locator('small').textContent()) ?? '') ?? [];
        await page.keyboard.press('Escape');
        return number;
      };
      const go = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      const everywhere = async (number: number): Promise<void> => {
        await go('Identities');
        await page.getByText(`${number} in total`).waitFor();
        assert.equal(await palette(), String(number));
        await go('Overview');
        await page.getByRole('link', { name: `${number} identities`, exact: true }).waitFor();
        assert.equal(await palette(), String(number));
      };
      const number = Number(await palette());
      await everywhere(number);
      await go('Identities');
      await page.getByRole('link', { name: 'New identity' }).click();
      await page.getByLabel('Schema', { exact: true }).selectOption('customer');
      await page.getByLabel('E-mail').fill('brand-new@example.org');
      await page.getByRole('button', { name: 'Create' }).click();
      await arrivesAt(page, 'brand-new@example.org');
      await everywhere(number + 1);
      await open(page);
      await field(page).fill('nd-new@');
      await becomes(() => options(page, 'Identities'), ['brand-new@example.org']);
      await page.keyboard.press('Enter');
      await arrivesAt(page, 'brand-new@example.org');
      await chooseAction(page, /Delete/);
      await page.getByRole('dialog').getByRole('textbox').fill('brand-new@example.org');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('brand-new@example.org is deleted').waitFor();
      await everywhere(number);
      await open(page);
      await field(page).fill('nd-new@');
      await becomes(() => status(page), 'Found: 0 identities, 0 OAuth2 clients, 0 settings.');
    }));
});
