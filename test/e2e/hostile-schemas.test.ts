import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { ada, save, sentPatches } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { chooseFile } from '../support/transfer-pages.ts';

type Members = Record<string, Record<string, unknown>>;
interface CustomerSchema {
  properties: { traits: { properties: Members } };
}

describe('a hostile schema, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();
  /** Opens a page with members added to the store's customer schema. */
  const onChanged = (members: Members, work: (visit: Visit) => Promise<void>): Promise<void> =>
    onPage(intercepted, '/dashboard', async (visit) => {
      const changed = (schema: CustomerSchema): CustomerSchema => {
        for (const [name, member] of Object.entries(members)) {
          const { properties } = schema.properties.traits;
          properties[name] = member.$ref === undefined ? { ...properties[name], ...member } : member;
        }
        return schema;
      };
      await visit.page.route('**/api/identity/schemas', async (route) => {
        const all = (await (await route.fetch()).json()) as { id: string; schema: CustomerSchema }[];
        await route.fulfill({
          json: all.map(({ id, schema }) => ({ id, schema: id === 'customer' ? changed(schema) : schema })),
        });
      });
      await visit.page.route('**/api/identity/schemas/customer', async (route) =>
        route.fulfill({ json: changed((await (await route.fetch()).json()) as CustomerSchema) }),
      );
      await work(visit);
    });
  const goto = ({ page }: Visit, path: string) => page.goto(`${intercepted.dashboard.baseUrl}${path}`);
  const endless = { phone: { pattern: '^(a+)+$', format: undefined } };
  const LETTERS = `${'a'.repeat(60)}!`;

  it('with a pattern that never ends does not prevent saving: the traits are not checked here', async () => {
    const { id } = await ada(intercepted);
    await onChanged(endless, async (visit) => {
      const { page, expect } = visit;
      await goto(visit, `/identities/${id}/traits/edit`);
      await page.getByLabel('Phone').fill('b');
      await save(page);
      await page.getByText('This does not match the pattern ^(a+)+$').first().waitFor();
      await page.getByLabel('Phone').fill(LETTERS);
      expect(400, new RegExp(id));
      await save(page);
      await page.getByText('The traits were not checked here').waitFor();
      await becomes(() => sentPatches(intercepted).length, 1);
      await assertAccessible(page, 'a form whose traits are not checked here');
    });
  });

  it('with a pattern that never ends does not hold up an import, which counts what it did not check', () =>
    onChanged(endless, async (visit) => {
      const { page } = visit;
      await goto(visit, '/identities/import');
      const person = (index: number, phone: string): string =>
        JSON.stringify({ schema_id: 'customer', traits: { email: `p${index}@b.example`, phone } });
      const content = Array.from({ length: 500 }, (_, index) => person(index, index === 7 ? LETTERS : 'aa')).join('\n');
      await chooseFile(page, { name: 'people.ndjson', content });
      await page.getByText('The traits of 1 were not checked here').waitFor();
      await page.getByText('500 identities, 500 without problems').waitFor();
    }));

  it('by a reference that leads nowhere is shown, with what is wrong, and what it refers to is edited as JSON', async () => {
    const { id } = await ada(intercepted);
    await onChanged({ phone: { $ref: '#/%' } }, async (visit) => {
      const { page } = visit;
      await goto(visit, '/schemas/customer');
      await page.getByText('The schema refers to “#/%”, which is not in it.').waitFor();
      await goto(visit, '/schemas/customer/form');
      await page.getByLabel('phone').waitFor();
      await goto(visit, `/identities/${id}/traits/edit`);
      await page.getByLabel('phone').fill('"+49123456789"');
      await save(page);
      await page.getByText('Saved', { exact: true }).waitFor();
    });
  });

  it('by references to itself is edited as JSON where it begins anew', async () => {
    const { id } = await ada(intercepted);
    const itself = { $ref: '#/properties/traits' };
    await onChanged({ name: itself }, async (visit) => {
      const { page } = visit;
      await goto(visit, '/schemas/customer/form');
      await page.getByLabel('phone').waitFor();
      await becomes(() => page.getByLabel('name').count(), 1);
      await goto(visit, `/identities/${id}/traits/edit`);
      await page.getByLabel('name').waitFor();
      await assertAccessible(page, 'a form of a schema that refers to itself');
    });
  });

  it('rejects a file whose first row never ends', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      for (const name of ['people.csv', 'people.ndjson']) {
        await chooseFile(page, { name, content: 'a'.repeat(2_000_000) });
        await page.getByText('The first row of this file is longer than 1 MB.').waitFor();
      }
    }));
});
