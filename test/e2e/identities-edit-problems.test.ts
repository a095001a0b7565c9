import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { assertAccessible, assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { ada, editing, save, sentPatches } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';

interface CustomerTraits {
  properties: Record<string, object>;
  required: string[];
}

describe('an edit that is refused, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite();

  it('shows what the schema objects to at its field, before anything is sent, and lets the store decide on request', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page, expect }) => {
      await page.getByLabel('E-mail').fill('nonsense');
      await page.getByLabel('Phone').fill('12');
      await save(page);
      await page.getByText('This is not a valid e-mail address.').first().waitFor();
      await becomes(
        () => page.evaluate('document.activeElement === document.querySelector("[aria-invalid=true]")'),
        true,
      );
      assert.deepEqual(sentPatches(intercepted), []);
      await assertAccessible(page, 'the form with problems');
      expect(400, new RegExp(before.id));
      await page.getByRole('button', { name: 'Send anyway' }).click();
      const field = page.getByRole('form', { name: 'Edit the identity' }).getByLabel('E-mail');
      await page.getByText('is not valid').first().waitFor();
      await becomes(() => field.getAttribute('aria-invalid'), 'true');
      assert.equal(sentPatches(intercepted).length, 1);
    });
  });

  it("shows the store's own reason at its field, one for each", async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page, expect }) => {
      expect(400, new RegExp(before.id));
      const reason =
        'I[#/traits/locale] S[#/properties/traits/properties/locale/type] expected string, but got number\n' +
        'I[#/traits] S[#/properties/traits/required] missing properties: "phone"';
      intercepted.upstream.before = ({ method }) =>
        method === 'PATCH'
          ? {
              status: 400,
              body: JSON.stringify({ error: { code: 400, reason, message: 'The request was malformed' } }),
            }
          : undefined;
      await page.getByLabel('First name').fill('Else');
      await save(page);
      await page.getByText('Expected string, but got number').first().waitFor();
      await becomes(() => page.getByLabel('Language').getAttribute('aria-invalid'), 'true');
      await becomes(() => page.getByLabel('Phone').getAttribute('aria-invalid'), 'true');
      await becomes(() => page.getByLabel('E-mail').getAttribute('aria-invalid'), null);
    });
  });

  /** Changes the schema in the identity service. */
  async function changeSchema({ context }: Visit, change: (traits: CustomerTraits) => void): Promise<void> {
    const original = await fetch(`${intercepted.dashboard.env.IDENTITY_URL}/schemas/customer`);
    const schema = (await original.json()) as { properties: { traits: CustomerTraits } };
    change(schema.properties.traits);
    await context.route('**/api/identity/schemas/customer', (route) => route.fulfill({ json: schema }));
    await context.route('**/api/identity/schemas', (route) => route.fulfill({ json: [{ id: 'customer', schema }] }));
  }
  const refusal = (reason: string) => ({
    status: 400,
    body: JSON.stringify({ error: { code: 400, reason, message: 'The request was malformed' } }),
  });
  const isFocused = (field: Locator) => field.evaluate((one) => one === document.activeElement);

  it('reads a schema that changed under the form again: the new field is there with its problem, and all that was typed', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async (visit) => {
      const { page } = visit;
      visit.expect(400, new RegExp(before.id));
      await changeSchema(visit, (traits) => {
        traits.properties.department = { type: 'string', title: 'Department' };
        traits.properties.locale = { type: 'string', title: 'Language', enum: ['en', 'de'] };
        traits.required.push('department');
      });
      intercepted.upstream.before = ({ method, body }) => {
        if (method !== 'PATCH') return undefined;
        return body.includes('/traits/department')
          ? { status: 200, body: JSON.stringify({ ...before, traits: { ...before.traits, department: 'Sales' } }) }
          : refusal('I[#/traits] S[#/properties/traits/required] missing properties: "department"');
      };
      await page.getByLabel('First name').fill('Else');
      await page.getByLabel('Admin metadata').fill('{"typed": true}');
      await save(page);
      const department = page.getByLabel('Department');
      await becomes(() => department.getAttribute('aria-invalid'), 'true');
      await becomes(() => isFocused(department), true);
      assert.equal(await page.getByLabel('First name').inputValue(), 'Else');
      assert.equal(await page.getByLabel('Admin metadata').inputValue(), '{"typed": true}');
      // A field of another kind is rendered as that kind.
      await becomes(() => page.getByLabel('Language').evaluate((one) => one.tagName), 'SELECT');
      await assertAccessibleInAllLooks(page, 'the form of a schema that has changed');
      await department.fill('Sales');
      await save(page);
      await page.getByRole('link', { name: 'Edit' }).waitFor();
      const paths = sentPatches(intercepted).map((patch) => (patch as { path: string }[]).map(({ path }) => path));
      assert.deepEqual(paths[1]?.toSorted(), [...(paths[0] ?? []), '/traits/department'].toSorted());
    });
  });

  it('says when a trait is no longer in the schema', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async (visit) => {
      const { page } = visit;
      visit.expect(400, new RegExp(before.id));
      await changeSchema(visit, ({ properties }) => {
        delete properties.locale;
      });
      intercepted.upstream.before = ({ method }) =>
        method === 'PATCH'
          ? refusal('I[#/traits] S[#/properties/traits/additionalProperties] additionalProperties "locale" not allowed')
          : undefined;
      await page.getByLabel('First name').fill('Else');
      await save(page);
      await page.getByText('Not in the schema, kept unchanged: locale.').waitFor();
      await page.getByText('AdditionalProperties "locale" not allowed').waitFor();
      assert.equal(await page.getByLabel('First name').inputValue(), 'Else');
    });
  });

  it('does not reload the schema for problems that have a field, and keeps the form if reloading fails', async () => {
    const before = await ada(intercepted);
    await editing(intercepted, before, async (visit) => {
      const { page, context } = visit;
      visit.expect(400, new RegExp(before.id));
      visit.expect(502, '/api/identity/schemas/customer');
      let read = 0;
      await context.route('**/api/identity/schemas/customer', (route) => {
        read += 1;
        return route.fulfill({ status: 502, json: { error: 'bad_gateway', message: 'Away.' } });
      });
      const given = { reason: 'I[#/traits/locale] S[#/…/type] expected string, but got number' };
      intercepted.upstream.before = ({ method }) => (method === 'PATCH' ? refusal(given.reason) : undefined);
      await page.getByLabel('First name').fill('Else');
      await save(page);
      await page.getByText('Expected string, but got number').first().waitFor();
      assert.equal(read, 0);
      given.reason = 'I[#/traits] S[#/…/required] missing properties: "department"';
      await save(page);
      await page.getByText('department: This is required.').waitFor();
      assert.ok(read > 0);
      assert.equal(await page.getByLabel('First name').inputValue(), 'Else');
    });
  });

  it('says at the form that an identifier is taken by another identity', async () => {
    const other = await ada(intercepted);
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page, expect }) => {
      expect(409, new RegExp(before.id));
      await page.getByLabel('E-mail').fill(String(other.traits.email));
      await save(page);
      await page.getByText('Taken by another identity').first().waitFor();
      await becomes(() => page.getByLabel('E-mail').inputValue(), other.traits.email);
    });
  });

  it('leaves the focus at the field at fault, though the browser draws a frame before the page has its answer', async () => {
    const other = await ada(intercepted);
    const before = await ada(intercepted);
    await editing(intercepted, before, async ({ page, expect }) => {
      expect(409, new RegExp(before.id));
      await page.evaluate(() => {
        window.requestAnimationFrame = (act) => {
          queueMicrotask(() => act(performance.now()));
          return 0;
        };
      });
      await page.getByLabel('E-mail').fill(String(other.traits.email));
      // The last edited field is a different one; the second time it is the field at fault.
      await page.getByLabel('First name').fill('Else');
      const field = page.getByLabel('E-mail');
      for (let turn = 0; turn < 2; turn += 1) {
        await save(page);
        await becomes(() => field.getAttribute('aria-invalid'), 'true');
        await becomes(() => page.getByRole('button', { name: 'Save' }).isEnabled(), true);
        await becomes(() => field.evaluate((one) => one === document.activeElement), true);
        await field.fill(String(other.traits.email).toUpperCase());
      }
    });
  });
});
