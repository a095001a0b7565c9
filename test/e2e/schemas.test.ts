import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, type Looks, onPage } from '../support/intercepted-dashboard.ts';

const SCHEMAS = '/api/identity/schemas';
const ODD = 'org/person v2';

describe('the schemas of identities, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 20 });
  const on = (path: string, work: (visit: Visit) => Promise<void>, looks: Looks = {}): Promise<void> =>
    onPage(intercepted, path, work, looks);
  const widens = ({ page }: Visit): Promise<boolean> =>
    page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

  it(`stand with what signs in and how many have them, are read as tree, form and JSON, and are accessible in all colours and widths`, () =>
    on('/schemas', async (visit) => {
      const { page } = visit;
      const row = page.getByRole('list', { name: 'Schemas' }).getByRole('listitem').filter({ hasText: 'partner' });
      await row.getByText('Signs in with E-mail, Username').waitFor();
      await row.getByText(/^\d+ identit(?:y|ies)/).waitFor();
      await row.getByText(/^of all 22, /).waitFor();
      await assertAccessibleInAllLooks(page, 'the schemas');
      await row.getByRole('link', { name: 'Partner' }).press('Enter');
      await page.waitForFunction(() => document.activeElement?.hasAttribute('data-page-heading'));
      const traits = page.getByRole('region', { name: 'Traits' });
      await traits.getByText('Recovers by e-mail').waitFor();
      await traits.getByText('one of bronze, silver, gold').waitFor();
      await assertAccessibleInAllLooks(page, 'the traits of a schema');
      await page.getByRole('link', { name: 'Form', exact: true }).click();
      await page.getByLabel('Company').fill('Example');
      await page.getByRole('region', { name: 'The traits as JSON' }).getByText('"company": "Example"').waitFor();
      await assertAccessibleInAllLooks(page, 'the form of a schema');
      await page.getByRole('link', { name: 'JSON', exact: true }).click();
      await page.getByRole('region', { name: 'Schema as JSON' }).getByText('"ory.sh/kratos"').waitFor();
      await becomes(
        () => intercepted.upstream.seen.filter(({ method }) => method !== 'GET'),
        [],
        'nothing of the preview is sent',
      );
      await page.getByRole('link', { name: 'New identity with this schema' }).click();
      await page.getByRole('heading', { level: 1, name: 'New identity' }).waitFor();
      await becomes(() => new URL(page.url()).search, '?schema=partner');
    }));

  it('are those in use, and any by its id, where the service cannot list them', () =>
    on('/dashboard', async ({ page, expect }) => {
      expect(500, SCHEMAS);
      expect(404, `${SCHEMAS}/nobody`);
      await page.route(`**${SCHEMAS}`, (route) => route.fulfill({ status: 500, json: { error: 'upstream_error' } }));
      await page.goto(`${intercepted.dashboard.baseUrl}/schemas`);
      await page.getByText('The identity service cannot list its schemas').waitFor();
      await page.getByRole('link', { name: 'Partner' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the schemas that are in use');
      await page.getByLabel('Schema id').fill('nobody');
      await page.keyboard.press('Enter');
      await page.getByText('Schema not found').waitFor();
      await page.goto(`${intercepted.dashboard.baseUrl}/schemas`);
      await page.getByLabel('Schema id').fill('operator');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Dashboard operator' }).waitFor();
    }));

  it('show a failure in place, with a retry', () =>
    on('/dashboard', async ({ page, expect }) => {
      expect(502, SCHEMAS);
      expect(502, `${SCHEMAS}/partner`);
      let failing = true;
      await page.route(`**${SCHEMAS}{,/partner}`, (route) =>
        failing ? route.fulfill({ status: 502, json: { error: 'upstream_error' } }) : route.continue(),
      );
      intercepted.upstream.before = ({ path }) =>
        path.startsWith('/admin/identities?') ? { status: 500, body: '{}' } : undefined;
      expect(500, '/api/identity-admin/admin/identities');
      await page.goto(`${intercepted.dashboard.baseUrl}/schemas/partner`);
      await page.getByRole('alert').waitFor();
      failing = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { level: 1, name: 'Partner' }).waitFor();
      failing = true;
      await page.goto(`${intercepted.dashboard.baseUrl}/schemas`);
      await page.getByRole('alert').filter({ hasText: 'The schemas are unavailable' }).waitFor();
      failing = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('link', { name: 'Partner' }).waitFor();
    }));

  it('are read whatever they hold: ids with blanks and slashes, hostile text, no end, no traits', () =>
    on('/dashboard', async (visit) => {
      const { page } = visit;
      const odd = {
        title: 'Person \u202enosreP',
        properties: {
          traits: { properties: { self: { $ref: '#/$defs/x' }, [`${'k'.repeat(300)}`]: { enum: ['<b>'] } } },
        },
        $defs: { x: { title: '<img src=x onerror=alert(1)>', properties: { again: { $ref: '#/$defs/x' } } } },
      };
      const asked: string[] = [];
      await page.route(`**${SCHEMAS}{,/*}`, (route) => {
        const { pathname } = new URL(route.request().url());
        asked.push(pathname);
        if (pathname !== SCHEMAS) return route.fulfill({ json: odd });
        return route.fulfill({
          json: [
            { id: ODD, schema: odd },
            { id: 'empty', schema: {} },
          ],
        });
      });
      await page.goto(`${intercepted.dashboard.baseUrl}/schemas`);
      await page.getByText('No way to sign in').first().waitFor();
      await becomes(() => widens(visit), false);
      await page.getByRole('link', { name: 'Person ⟨U+202E⟩nosreP' }).click();
      await page.getByText('Not everything is shown').waitFor();
      await page.getByText('<img src=x').first().waitFor();
      await becomes(() => widens(visit), false);
      const encoded = Buffer.from(ODD).toString('base64url');
      await becomes(() => new URL(page.url()).pathname, `/schemas/~${encoded}`);
      assert.ok(asked.includes(`${SCHEMAS}/${encoded}`));
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'U+202E' }).waitFor();
      await page.goto(`${intercepted.dashboard.baseUrl}/schemas/~%25`);
      await page.getByText('does not contain a schema id').waitFor();
    }));

  for (const path of ['/schemas', '/schemas/partner', '/schemas/partner/form'])
    it(`are closed to a viewer, who is told why: ${path}`, () =>
      on(
        path,
        async ({ page }) => {
          await page.getByText('Admin access required.').waitFor();
          await page.getByText('Contact your administrator to request access.').waitFor();
        },
        { role: 'viewer' },
      ));
});
