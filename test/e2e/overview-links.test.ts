import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { IdentityCount } from '../../shared/identity-search.ts';
import { needsChromium } from '../support/browser.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { hasRead, onOverview } from '../support/overview-visit.ts';

/** What the service is asked for the list's search parameters. */
function questionOf(search: string): URLSearchParams {
  const parameters = new URLSearchParams(search);
  const [schema, verified, created] = ['schema', 'verified', 'created'].map((name) => parameters.get(name));
  const [first = '', last = ''] = created?.split('..') ?? [];
  const [from, to] = [new Date(`${first}T00:00`), new Date(`${last}T00:00`)];
  to.setDate(to.getDate() + 1);
  return new URLSearchParams({
    ...(schema && { schema_id: schema }),
    ...(verified && { verified: String(verified === 'yes') }),
    ...(created && { created_from: from.toISOString(), created_to: to.toISOString() }),
  });
}

describe('the numbers on the overview lead to who they count, in a browser', function () {
  this.timeout(90_000);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  let dashboard: Dashboard;
  const sessions = {} as Record<'admin' | 'viewer', string>;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard({ sandbox: { people: 120 } });
    for (const role of ['admin', 'viewer'] as const) sessions[role] = await dashboard.signIn(role);
    await hasRead(dashboard, sessions.admin);
  });
  after(() => dashboard?.close());

  const widget = (page: Page, id: string) => page.locator(`[data-widget="${id}"]`);
  const charts = ['Identities by schema', 'Verification rate', 'New identities'];
  /** Every link to a list of identities that is narrowed, with the number that it stands beside. */
  async function links(page: Page): Promise<[search: string, count: number][]> {
    const found: [string, number][] = [];
    for (const link of await page.locator('[data-widget] a[href^="/identities?"]').all()) {
      const href = (await link.getAttribute('href')) ?? '';
      const row = page.locator('tr').filter({ has: page.locator(`a[href="${href}"]`) });
      const count = (await row.count()) > 0 ? row.first().locator('td') : link;
      found.push([
        new URL(href, 'http://app').search,
        Number(/^[\d,]+/.exec(await count.innerText())?.[0].replace(',', '')),
      ]);
    }
    return found;
  }

  it('as many as the search finds for the address of each link', () =>
    onOverview(
      dashboard,
      sessions.admin,
      async ({ page }) => {
        await widget(page, 'identities-total').getByRole('link', { name: 'new in 7 days' }).waitFor();
        for (const title of charts) await page.getByRole('button', { name: `${title} as a table` }).click();
        await page.getByLabel('How far back, new identities').selectOption('a year');
        await widget(page, 'new-identities').getByRole('link', { name: /week/ }).first().waitFor();
        const found = await links(page);
        for (const of of ['schema=', 'verified=yes', 'verified=no', 'created='])
          assert.ok(
            found.some(([search]) => search.includes(of)),
            of,
          );
        for (const [search, count] of found) {
          const answer = await dashboard.call(`/api/identities/search/count?${questionOf(search)}`, {
            session: sessions.admin,
          });
          assert.equal(((await answer.json()) as IdentityCount).count, count, search);
        }
      },
      { answers: {}, timeZone },
    ));

  it('from a bar of the chart as well', () =>
    onOverview(
      dashboard,
      sessions.admin,
      async ({ page }) => {
        const field = widget(page, 'new-identities').locator('[data-plot]');
        await field.waitFor();
        const { width = 0, height = 0 } = (await field.boundingBox()) ?? {};
        // Today's: whoever may sign in was created with the sandbox.
        await field.click({ position: { x: width - 3, y: height - 3 } });
        await page.getByRole('heading', { level: 1, name: 'Identities' }).waitFor();
      },
      { answers: {}, timeZone },
    ));

  it('nowhere for a viewer, who sees the same numbers', () =>
    onOverview(
      dashboard,
      sessions.viewer,
      async ({ page }) => {
        await widget(page, 'identities-total').getByText('new in 7 days').waitFor();
        for (const title of charts) await page.getByRole('button', { name: `${title} as a table` }).click();
        await widget(page, 'verification-rate').getByText('No verified address').waitFor();
        const hrefs = await page
          .locator('[data-widget] a')
          .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
        assert.deepEqual(
          hrefs.filter((href) => href?.startsWith('/')),
          ['/system'],
        );
      },
      { answers: {}, timeZone },
    ));
});
