import assert from 'node:assert/strict';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { ada, editing, save, sentPatches } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';

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
      // The last field that was typed in is another one; the second time it is the one at fault.
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
