import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { create, type Stored } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

const LONG = 'x'.repeat(250);
const TURNED = 'Ada\u202egnp.exe';

describe('long and hostile text, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  let long: Stored;
  let turned: Stored;
  before(async () => {
    const email = `${'e'.repeat(60)}@${'d'.repeat(60)}.${'d'.repeat(60)}.example`;
    long = await create(intercepted, {
      schema_id: 'customer',
      traits: { email, name: { first: 'y'.repeat(100), last: 'z'.repeat(100) } },
      metadata_public: { [LONG]: LONG },
      external_id: LONG,
    });
    turned = await create(intercepted, {
      schema_id: 'customer',
      traits: { email: 'turned@example.org', name: { first: TURNED, last: 'Old' } },
    });
    await intercepted.dashboard.call('/api/settings', {
      session: intercepted.sessions.admin,
      json: { key: `upstream.${LONG.slice(0, 200)}`, value: LONG, encrypted: true, category: LONG.slice(0, 40) },
    });
  });
  const widthOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);

  for (const width of [390, 1440]) {
    it(`widens no page of ${width} pixels`, () =>
      onPage(
        intercepted,
        '/identities',
        async ({ page, expect }) => {
          expect(404, `/api/settings/${LONG}`);
          for (const path of [
            '/identities',
            `/identities?q=${LONG}`,
            `/identities/${long.id}`,
            `/identities/${long.id}/traits`,
            `/identities/${long.id}/json`,
            `/identities/${long.id}/credentials`,
            `/identities/${long.id}/traits/edit`,
            '/settings',
            `/settings?key=${LONG}`,
          ]) {
            await page.goto(`${intercepted.dashboard.baseUrl}${path}`);
            await page.getByRole('heading', { level: 1 }).waitFor();
            await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
            await becomes(() => widthOf(page), width, path);
          }
          await page.getByText('No setting has the key').waitFor();
          await becomes(() => widthOf(page), width);
        },
        { viewport: { width, height: 900 } },
      ));
  }

  it('shows all of what must be typed before a deletion', () =>
    onPage(
      intercepted,
      `/identities/${long.id}`,
      async ({ page }) => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: /^Delete/ }).click();
        const dialog = page.getByRole('dialog');
        const code = dialog.locator('label code');
        await code.waitFor();
        const cut = await dialog.evaluate((element) =>
          [element, ...element.querySelectorAll('*')].some(
            (part) => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== 'visible',
          ),
        );
        assert.equal(cut, false);
        const [inner, outer] = [await code.boundingBox(), await dialog.boundingBox()];
        assert.ok(inner && outer && inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width);
        await dialog.getByRole('textbox').fill((await code.textContent()) ?? '');
        await becomes(() => dialog.getByRole('button', { name: 'Delete' }).isEnabled(), true);
      },
      { viewport: { width: 390, height: 800 } },
    ));

  it('shows characters that would reverse a name, in heading, tab title, list and dialog', () =>
    onPage(intercepted, `/identities/${turned.id}`, async ({ page }) => {
      const heading = page.getByRole('heading', { level: 1, name: 'U+202E' });
      await heading.waitFor();
      await becomes(() => heading.locator('bdi').count(), 1);
      const raw = (): Promise<boolean> =>
        page.evaluate(() => `${document.title}${document.body.innerText}`.includes('\u202e'));
      assert.equal(await raw(), false);
      await page.goto(`${intercepted.dashboard.baseUrl}/identities?q=turned@example.org`);
      await page.locator('tr[data-row]').getByText('U+202E').waitFor();
      assert.equal(await raw(), false);
    }));

  it('shows a list in which one identity has no traits and no dates', () =>
    onPage(intercepted, '/dashboard', async ({ page, context }) => {
      const whole = {
        id: long.id,
        traits: { email: 'whole@example.org' },
        state: 'active',
        created_at: '2024-01-01T00:00:00Z',
        updated_at: '2024-01-01T00:00:00Z',
      };
      const rest = { ...whole, created_at: null, updated_at: '0001-01-01T00:00:00Z' };
      await context.route('**/api/identities/search?*', (route) =>
        route.fulfill({
          json: {
            identities: [
              whole,
              { ...rest, id: '00000000-0000-4000-8000-000000000001', traits: null },
              { id: '00000000-0000-4000-8000-000000000002' },
              { ...rest, id: '00000000-0000-4000-8000-000000000003', traits: { email: 7, name: ['x'] } },
            ],
            next_page_token: null,
            has_more: false,
            total: 4,
            index: { complete: true, identities: 4, as_of: '2024-01-01T00:00:00Z' },
          },
        }),
      );
      await page.getByRole('link', { name: 'Identities', exact: true }).first().click();
      await page.getByText('whole@example.org').waitFor();
      await page.locator('tr[data-row]').nth(3).waitFor();
      const text = (await page.locator('tbody').innerText()).replaceAll(/\s+/g, ' ');
      assert.doesNotMatch(text, /5\d years ago|2,0\d\d years ago/);
      assert.match(text, /unknown/);
    }));
});
