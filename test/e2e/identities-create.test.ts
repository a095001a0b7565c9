import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, type Looks, onPage } from '../support/intercepted-dashboard.ts';

describe('creating identities, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  const creating = (work: (visit: Visit) => Promise<void>, looks: Looks = {}): Promise<void> =>
    onPage(
      intercepted,
      '/identities/new',
      async (visit) => {
        await visit.page.getByLabel('Schema', { exact: true }).waitFor();
        await becomes(() => visit.page.getByLabel('Schema', { exact: true }).inputValue(), '');
        await work(visit);
      },
      { heading: 'New identity', ...looks },
    );

  it('reads a schema that changed under the form again, and keeps what was typed', () =>
    creating(async ({ page, context, expect }) => {
      expect(400, '/api/identity-admin/admin/identities');
      await page.getByLabel('Schema', { exact: true }).selectOption('customer');
      await page.getByLabel('First name').fill('Typed');
      await page.getByLabel('E-mail').fill('typed@example.org');
      await context.route('**/api/identity/schemas', async (route) => {
        const schemas = (await (await route.fetch()).json()) as { id: string; schema: Record<string, unknown> }[];
        const text = JSON.stringify(schemas).replaceAll(
          '"phone":{',
          '"department":{"title":"Department","type":"string"},"phone":{',
        );
        await route.fulfill({ body: text, contentType: 'application/json' });
      });
      const reason = 'I[#/traits] S[#/properties/traits/required] missing properties: "department"';
      intercepted.upstream.before = ({ method }) =>
        method === 'POST' ? { status: 400, body: JSON.stringify({ error: { code: 400, reason } }) } : undefined;
      await page.getByRole('button', { name: 'Create' }).click();
      const department = page.getByLabel('Department');
      await becomes(() => department.getAttribute('aria-invalid'), 'true');
      await becomes(() => department.evaluate((field) => field === document.activeElement), true);
      assert.equal(await page.getByLabel('First name').inputValue(), 'Typed');
      // Leaving an empty form asks nothing.
      await page.getByLabel('First name').fill('');
      await page.getByLabel('E-mail').fill('');
    }));

  it('creates an identity by its schema, with metadata, and sends nothing that was not typed', () =>
    creating(async ({ page, expect }) => {
      await page.getByLabel('Schema', { exact: true }).selectOption('partner');
      await page.getByLabel('Company').waitFor();
      await becomes(() => new URL(page.url()).searchParams.get('schema'), 'partner');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('This is required.').first().waitFor();
      await page.getByLabel('E-mail').fill('Partner.One@example.org');
      await page.getByLabel('Company').fill('ACME');
      await page.getByLabel('Tier').selectOption('gold');
      await page.getByLabel('Seats').fill('12');
      await page.getByLabel('Admin metadata').fill('{"source": "form"}');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'Partner.One@example.org' }).waitFor();
      const request = intercepted.upstream.seen.find(({ method }) => method === 'POST');
      assert.deepEqual(JSON.parse(request?.body ?? ''), {
        schema_id: 'partner',
        traits: { email: 'Partner.One@example.org', company: 'ACME', tier: 'gold', seats: 12 },
        metadata_admin: { source: 'form' },
      });
      expect(409, /\/identities(?:\/[0-9a-f-]+)?$/);
      await page.getByRole('main').getByRole('link', { name: 'Identities' }).click();
      await page.getByRole('link', { name: 'New identity' }).click();
      // The last choice is preselected next time.
      await becomes(() => page.getByLabel('Schema', { exact: true }).inputValue(), 'partner');
      await page.getByLabel('E-mail').fill('partner.one@example.org');
      await page.getByLabel('Company').fill('ACME');
      await page.getByRole('button', { name: 'Create' }).click();
      const email = page.getByLabel('E-mail');
      await page.getByText('Taken by another identity.').first().waitFor();
      await becomes(() => email.getAttribute('aria-invalid'), 'true');
      await becomes(() => email.evaluate((field) => field === document.activeElement), true);
      const link = page.getByRole('link', { name: 'Partner.One@example.org has it' }).first();
      await becomes(() => link.getAttribute('target'), '_blank');
      await assertAccessibleInAllLooks(page, 'the form with a taken address');
      // Another address is looked up again.
      await email.fill('partner.two@example.org');
      assert.equal(await page.getByRole('link', { name: /has it$/ }).count(), 0);
      await page.getByLabel('External id').fill('taken-1');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'partner.two@example.org' }).waitFor();
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await page.getByLabel('E-mail').fill('partner.one@example.org');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'Partner.One@example.org has it' }).first().waitFor();
    }));

  it(`is accessible with its problems shown, in all colours and widths`, () =>
    creating(async ({ page }) => {
      await page.getByLabel('Schema', { exact: true }).selectOption('customer');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('This is required.').first().waitFor();
      await assertAccessibleInAllLooks(page, 'the form of a new identity');
    }));
});
