import assert from 'node:assert/strict';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { create, rows, search } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, type Looks, onPage } from '../support/intercepted-dashboard.ts';

const PEOPLE = 120;

describe('the rows of the list of identities, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: PEOPLE });
  const onList = (path: string, work: (visit: Visit) => Promise<void>, looks: Looks = {}): Promise<void> =>
    onPage(
      intercepted,
      path,
      async (visit) => {
        await rows(visit.page).nth(19).waitFor();
        await work(visit);
      },
      { heading: 'Identities', ...looks },
    );

  it('open by a click anywhere on them, but not where it chooses, copies or marks text', () =>
    onList('/identities', async ({ page }) => {
      const row = rows(page).nth(3);
      await row.locator('[data-choose]').click({ position: { x: 4, y: 4 } });
      await page.getByText('1 selected on this page').waitFor();
      await page.getByRole('button', { name: 'Columns', exact: true }).click();
      await page.getByLabel('Id', { exact: true }).check();
      await row.getByRole('button', { name: /^Copy the id/ }).click();
      await page.getByText(/^Copied|did not allow copying/).waitFor();
      const text = await row.getByText(/Active|Inactive/).boundingBox();
      assert.ok(text !== null);
      await page.mouse.move(text.x + text.width - 2, text.y + text.height / 2);
      await page.mouse.down();
      await page.mouse.move(text.x + text.width / 3, text.y + text.height / 2, { steps: 5 });
      await page.mouse.up();
      assert.notEqual(await page.evaluate('getSelection().toString()'), '');
      await becomes(() => new URL(page.url()).pathname, '/identities');
      await page.evaluate('getSelection().empty()');
      const href = await row.getByRole('link').getAttribute('href');
      await row.getByText(/Active|Inactive/).click();
      await page.waitForURL(`**${href}`);
    }));

  it('are chosen from one to another by clicks and by arrows with the shift key', () =>
    onList('/identities', async ({ page }) => {
      const chosen = async (): Promise<number[]> =>
        rows(page).evaluateAll((all) =>
          all.flatMap((row, index) => (row.getAttribute('aria-selected') === 'true' ? [index] : [])),
        );
      const settled = async (expected: number[]): Promise<void> => {
        await page.getByText(`${expected.length} selected on this page`, { exact: true }).waitFor();
        await becomes(() => chosen(), expected);
      };
      await rows(page).nth(2).getByRole('checkbox').check();
      await rows(page)
        .nth(5)
        .getByText(/Active|Inactive/)
        .click({ modifiers: ['Shift'] });
      await settled([2, 3, 4, 5]);
      await rows(page)
        .nth(3)
        .getByRole('checkbox')
        .click({ modifiers: ['Shift'] });
      await settled([2, 3]);
      await rows(page).nth(10).focus();
      await page.keyboard.press('x');
      await settled([2, 3, 10]);
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press('Shift+ArrowDown');
      await settled([2, 3, 10, 11, 12]);
      await page.keyboard.press('Shift+ArrowUp');
      await settled([2, 3, 10, 11]);
      await becomes(() => page.evaluate('document.activeElement.dataset.row'), '11');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Shift+ArrowDown');
      await settled([2, 3, 10, 11, 13, 14]);
      await becomes(() => page.evaluate('getSelection().toString()'), '');
    }));

  it('stand where they stood after Back', () =>
    onList('/identities?page_size=250', async ({ page }) => {
      await rows(page)
        .nth(PEOPLE - 1)
        .waitFor();
      const row = rows(page).nth(90);
      await row.scrollIntoViewIfNeeded();
      const top = async (): Promise<number> => Math.round((await row.boundingBox())?.y ?? Number.NaN);
      const before = { scroll: await page.evaluate('scrollY'), top: await top() };
      assert.ok(Number(before.scroll) > 1_000, JSON.stringify(before));
      await row.getByRole('link').click();
      await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      await page.goBack();
      await row.waitFor();
      await becomes(async () => Math.abs(Number(await page.evaluate('scrollY')) - Number(before.scroll)) < 3, true);
      await becomes(async () => Math.abs((await top()) - before.top) < 60, true);
      await page.goForward();
      await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Identities' }).click();
      await row.waitFor();
      await becomes(async () => Math.abs(Number(await page.evaluate('scrollY')) - Number(before.scroll)) < 3, true);
    }));

  it('are counted right after some of them were deleted', () =>
    onList('/identities', async ({ page }) => {
      const line = page.getByText(/ in total, counted/);
      await line.waitFor();
      const total = async () => Number(/([\d,]+) in total/.exec((await line.textContent()) ?? '')?.[1]);
      const before = await total();
      await search(page).focus();
      for (const index of [20, 21]) await rows(page).nth(index).getByRole('checkbox').check();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByLabel(/Type the number/).fill('2');
      await page.getByRole('button', { name: 'Delete 2' }).click();
      await page.getByRole('button', { name: 'Close', exact: true }).last().click();
      await page.getByText(`${before - 2} in total`).waitFor();
    }));

  it('have the columns that the operator chose, also after a reload, on wide and on narrow screens', async () => {
    await create(intercepted, {
      schema_id: 'partner',
      traits: { email: 'columns@example.org', company: 'ACME' },
      external_id: 'crm-columns',
    });
    await onPage(
      intercepted,
      '/identities?q=columns%40example.org',
      async ({ page }) => {
        await rows(page).first().waitFor();
        // The page itself asks for external ids by a page of these; the service for its rows by ids alone.
        const external = (): number =>
          intercepted.upstream.seen.filter(({ path }) => path.startsWith('/admin/identities?page_size=500&ids='))
            .length;
        assert.equal(external(), 0);
        await page.getByRole('button', { name: 'Columns', exact: true }).click();
        await assertAccessible(page, 'the choice of columns');
        for (const label of ['Schema', 'External id', 'Id']) await page.getByLabel(label, { exact: true }).check();
        await page.getByLabel('Created', { exact: true }).uncheck();
        const look = async (): Promise<void> => {
          const row = rows(page).first();
          await row.getByText('partner', { exact: true }).waitFor();
          await row.getByText('crm-columns').waitFor();
          await row.getByText('none known').waitFor();
          const { scrollWidth, width } = (await page.evaluate(
            '({ scrollWidth: document.documentElement.scrollWidth, width: innerWidth })',
          )) as { scrollWidth: number; width: number };
          assert.equal(scrollWidth, width);
        };
        await look();
        await becomes(
          () => page.getByRole('columnheader').allTextContents(),
          ['', 'Identifier', 'Name', 'State', 'Schema', 'External id', 'Last sign-in', 'Id'],
        );
        await page.reload();
        await look();
        await page.setViewportSize({ width: 390, height: 800 });
        await look();
        await assertAccessible(page, 'the cards with chosen columns');
        await page.getByRole('button', { name: 'Columns', exact: true }).click();
        await page.getByRole('button', { name: 'Reset' }).click();
        await page.getByText('crm-columns').waitFor({ state: 'detached' });
      },
      { heading: 'Identities' },
    );
  });
});
