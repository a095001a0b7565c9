import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the fields for days and times, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30 });
  const inAddress = ({ page }: Visit) => Object.fromEntries(new URL(page.url()).searchParams);
  /** The panel of the identities' filters, with the two days when they were created. */
  const onDays = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    onPage(
      intercepted,
      '/identities',
      async (visit) => {
        const { page } = visit;
        await page.getByText('Page 1, rows 1–25').waitFor();
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        await page.getByLabel('Created', { exact: true }).selectOption('Between days…');
        await work(visit);
      },
      { heading: 'Identities' },
    );

  it('take a day as the app writes it, whatever the browser’s language, and say it so', () =>
    onDays(async (visit) => {
      const { page } = visit;
      const first = page.getByLabel('First day');
      await first.pressSequentially('5 november 2001');
      await becomes(() => inAddress(visit), { created: '2001-11-05..' });
      await becomes(() => first.inputValue(), '5 november 2001', 'it is rewritten while somebody types');
      await page.keyboard.press('Tab');
      await becomes(() => first.inputValue(), '5 Nov 2001');
      await page.getByLabel('Last day').fill('2001-11-06');
      await page.getByRole('button', { name: 'created from 5 Nov 2001 to 6 Nov 2001' }).waitFor();
      await becomes(() => inAddress(visit), { created: '2001-11-05..2001-11-06' });
      await page.reload();
      await page.getByRole('button', { name: 'created from 5 Nov 2001 to 6 Nov 2001' }).waitFor();
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await becomes(() => page.getByLabel('Last day').inputValue(), '6 Nov 2001');
      await page.getByLabel('Last day').fill('');
      await becomes(() => inAddress(visit), { created: '2001-11-05..' });
    }));

  it('say in words what is wrong once they are left, and keep what was asked for', () =>
    onDays(async (visit) => {
      const { page } = visit;
      const first = page.getByLabel('First day');
      await first.fill('2001-11-05');
      await becomes(() => inAddress(visit), { created: '2001-11-05..' });
      await first.fill('30 Feb 2026');
      assert.equal(await page.getByText('There is no 30 Feb 2026.').count(), 0, 'somebody still types');
      await page.keyboard.press('Tab');
      await page.getByText('There is no 30 Feb 2026.').waitFor();
      await becomes(() => first.getAttribute('aria-invalid'), 'true');
      assert.match(await described(visit, 'First day'), /There is no 30 Feb 2026/);
      assert.deepEqual(inAddress(visit), { created: '2001-11-05..' });
      await assertAccessibleInAllLooks(page, 'a day that is none');
      await first.fill('28 Feb 2026');
      await page.getByText('There is no 30 Feb 2026.').waitFor({ state: 'detached' });
      await becomes(() => inAddress(visit), { created: '2026-02-28..' });
    }));

  it('open the browser’s calendar by keyboard, and take what is chosen there', () =>
    onDays(async (visit) => {
      const { page } = visit;
      await page.evaluate(`HTMLInputElement.prototype.showPicker = function () {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(this, '2001-11-05');
        this.dispatchEvent(new Event('input', { bubbles: true }));
      }`);
      await page.getByLabel('First day').focus();
      await page.keyboard.press('Tab');
      await becomes(() => page.locator(':focus').getAttribute('title'), 'Calendar for “First day”');
      await page.keyboard.press('Enter');
      await becomes(() => page.getByLabel('First day').inputValue(), '5 Nov 2001');
      await becomes(() => inAddress(visit), { created: '2001-11-05..' });
    }));

  it('take times for the trail, of which the form sends no wrong one', () =>
    onPage(
      intercepted,
      '/security/audit',
      async (visit) => {
        const { page } = visit;
        const [from, before] = [page.getByLabel('From'), page.getByLabel('Before')];
        await page.getByRole('list', { name: 'Records, the latest first' }).waitFor();
        await before.fill('2020-02-01');
        await from.fill('31 Jan 2020, 24:00');
        await page.keyboard.press('Enter');
        await page.getByText('There is no time 24:00. An example is 31 Jan 2026, 09:30.').waitFor();
        assert.deepEqual(inAddress(visit), {});
        await from.fill('31 jan 2020 9:30');
        await page.keyboard.press('Enter');
        const times = await page.evaluate(() => ({
          from: new Date(2020, 0, 31, 9, 30).toISOString(),
          to: new Date(2020, 1, 1).toISOString(),
        }));
        await becomes(() => inAddress(visit), times);
        await becomes(() => from.inputValue(), '31 Jan 2020, 09:30');
        await page.getByText('No record matches').waitFor();
        await becomes(() => before.inputValue(), '1 Feb 2020, 00:00');
        await assertAccessibleInAllLooks(page, 'the times of the trail');
      },
      { heading: 'Audit trail' },
    ));
});

const described = async ({ page }: Visit, label: string): Promise<string> =>
  page.getByLabel(label).evaluate((field) =>
    (field.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent)
      .join(' '),
  );
