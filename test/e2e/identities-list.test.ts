import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { createIdentity, listRows, searchField } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage, type PageOptions } from '../support/intercepted-dashboard.ts';

const PEOPLE = 118;
/** All identities, including the sandbox's two operators and two that are created below: five pages of 25. */
const ALL = PEOPLE + 4;

describe('a list', () => {
  const intercepted = interceptedDashboardOfSuite({ people: PEOPLE });
  before(async () => {
    for (const [first, state] of [
      ['Zebedee', 'active'],
      ['Aurora', 'inactive'],
    ] as const)
      await createIdentity(intercepted, {
        schema_id: 'customer',
        state,
        external_id: `crm-${first}`,
        traits: { email: `${first}@example.org`, name: { first, last: 'Quillfeather' } },
      });
  });

  const onList = (
    query: string,
    work: (visit: Visit) => Promise<void>,
    options: Partial<PageOptions> = {},
  ): Promise<void> => onPage(intercepted, { path: `/identities${query}`, heading: 'Identities', ...options }, work);
  const inAddress = ({ page }: Visit) => Object.fromEntries(new URL(page.url()).searchParams);
  const links = (page: Page): Promise<string[]> =>
    listRows(page).evaluateAll((all) => all.map((row) => row.querySelector('a')?.href ?? ''));
  const focusedRow = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.dataset.row');

  it('pages to the end and back by keyboard, and displays each row once', () =>
    onList('?page_size=50', async ({ page }) => {
      await page.getByText(`Page 1, rows 1–50 of ${ALL}, as of`).waitFor();
      const displayed: string[] = [];
      const readRows = async (count: number): Promise<void> => {
        await eventually(() => listRows(page).count(), count);
        displayed.push(...(await links(page)));
      };
      await readRows(50);
      await page.keyboard.press('j');
      await eventually(() => focusedRow(page), '0');
      await page.keyboard.press('j');
      await page.keyboard.press('ArrowDown');
      await eventually(() => focusedRow(page), '2');
      for (const [text, count] of [
        ['Page 2, rows 51–100', 50],
        [`Page 3, rows 101–${ALL}`, ALL - 100],
      ] as const) {
        await page.keyboard.press('n');
        await page.getByText(text).waitFor();
        await eventually(() => focusedRow(page), '0');
        await readRows(count);
      }
      assert.equal(new Set(displayed).size, ALL);
      await eventually(() => page.getByRole('button', { name: 'Next page' }).getAttribute('aria-disabled'), 'true');
      await page.keyboard.press('p');
      await page.getByText('Page 2, rows 51–100').waitFor();
      await eventually(() => focusedRow(page), '0');
      await page.keyboard.press('x');
      await page.getByText('1 selected on this page').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/identities\/[0-9a-f-]{36}$/);
    }));

  it('can be searched and filtered by keyboard, and restores both on Back, Forward and reload', () =>
    onList('', async (visit) => {
      const { page } = visit;
      await listRows(page).nth(2).focus();
      await page.keyboard.press('/');
      await eventually(() => searchField(page).evaluate((field) => field === document.activeElement), true);
      await page.keyboard.type('quillf');
      await page.getByText('2 identities match').waitFor();
      await eventually(() => listRows(page).count(), 2);
      await listRows(page).first().focus();
      const focusIs = (text: string): Promise<void> =>
        eventually(() => page.evaluate(() => document.activeElement?.textContent ?? ''), text);
      await page.keyboard.press('f');
      await focusIs('State');
      await page.keyboard.press('Enter');
      await focusIs('Any');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByText('1 identity matches').waitFor();
      await focusIs('State: Inactive');
      await page.keyboard.press('Tab');
      await focusIs('+ Created');
      await page.keyboard.press('Space');
      await page.keyboard.press('l');
      await page.keyboard.press('l');
      await focusIs('Last 7 days');
      await page.keyboard.press('Enter');
      const all = { q: 'quillf', state: 'inactive', created: '7d' };
      await eventually(() => inAddress(visit), all);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await eventually(() => page.getByRole('dialog').count(), 0);
      await focusIs('Created: Last 7 days');
      await page.goBack();
      await eventually(() => inAddress(visit), { q: 'quillf', state: 'inactive' });
      await page.goForward();
      await eventually(() => inAddress(visit), all);
      await page.reload();
      await listRows(page).getByRole('link', { name: 'Aurora@example.org' }).waitFor();
      await eventually(() => listRows(page).count(), 1);
      await page.getByRole('button', { name: 'Created: Last 7 days' }).press('Backspace');
      await eventually(() => inAddress(visit), { q: 'quillf', state: 'inactive' });
      await focusIs('+ Created');
    }));

  it('opens a row that is clicked, unless the click is on its checkbox or copy button, or selects text', () =>
    onList('', async ({ page }) => {
      const row = listRows(page).nth(3);
      await listRows(page).nth(24).waitFor();
      await row.locator('[data-choose]').click({ position: { x: 4, y: 4 } });
      await page.getByText('1 selected on this page').waitFor();
      await page.getByRole('button', { name: 'Columns', exact: true }).click();
      await page.getByLabel('ID', { exact: true }).check();
      await row.getByRole('button', { name: /^Copy the ID/ }).click();
      await page.getByText(/^Copied|blocked copying/).waitFor();
      const text = await row.getByText(/Active|Inactive/).boundingBox();
      assert.ok(text !== null);
      await page.mouse.move(text.x + text.width - 2, text.y + text.height / 2);
      await page.mouse.down();
      await page.mouse.move(text.x + text.width / 3, text.y + text.height / 2, { steps: 5 });
      await page.mouse.up();
      await eventually(async () => (await page.evaluate('getSelection().toString()')) !== '', true);
      await eventually(() => new URL(page.url()).pathname, '/identities');
      await page.evaluate('getSelection().empty()');
      const href = await row.getByRole('link').getAttribute('href');
      await row.getByText(/Active|Inactive/).click();
      await page.waitForURL(`**${href}`);
    }));

  it('ticks the boxes of exactly the selected rows, however they are selected', () =>
    onList('', async ({ page }) => {
      const { keyboard } = page;
      const box = (index: number) => listRows(page).nth(index).getByRole('checkbox');
      const shifted = { modifiers: ['Shift' as const] };
      const all = [...Array(25).keys()];
      const button = (name: string | RegExp) => page.getByRole('button', { name }).click();
      const add = async () => {
        await createIdentity(intercepted, { schema_id: 'customer', traits: { email: 'later@example.org' } });
        await keyboard.press('r');
        await listRows(page).getByRole('link', { name: 'later@example.org' }).waitFor();
      };
      await listRows(page).nth(24).waitFor();
      for (const [how, select, selected] of [
        ['a click', () => box(2).click(), [2]],
        ['a range', () => box(6).click(shifted), [2, 3, 4, 5, 6]],
        ['a shorter range', () => box(4).click(shifted), [2, 3, 4]],
        [
          'a range that ends in another cell',
          () => listRows(page).nth(5).getByText('ctive').click(shifted),
          [2, 3, 4, 5],
        ],
        ['a range that ends on a link', () => listRows(page).nth(3).getByRole('link').click(shifted), [2, 3]],
        ['a click on a selected row', () => box(2).click(), [3]],
        ['a refresh', () => keyboard.press('r'), [3]],
        ['clearing', () => button('Clear'), []],
        ['a range after clearing', () => box(4).click(shifted), [2, 3, 4]],
        ['keys', () => listRows(page).nth(8).press('x'), [2, 3, 4, 8]],
        ['a range by keys', () => keyboard.press('Shift+ArrowDown'), [2, 3, 4, 8, 9]],
        ['the head', () => page.getByLabel('Select all rows on this page').click(), all],
        ['all matching rows', () => button(/^Select all/), all],
        ['all matching rows, with a new one', add, all],
        ['one less', () => box(0).click(), all.slice(1)],
      ] as const) {
        await select();
        const ticked = () =>
          listRows(page).evaluateAll((rows) =>
            rows.flatMap<number | string>((row, index) => {
              const { checked } = row.querySelector('input') as HTMLInputElement;
              if (String(checked) !== row.ariaSelected) return [`row ${index} is not as its box`];
              return checked ? [index] : [];
            }),
          );
        await eventually(ticked, [...selected]);
        const bar = page.getByText(/selected on this page/);
        assert.equal(await bar.count(), selected.length === 0 || how.startsWith('all matching rows') ? 0 : 1, how);
      }
    }));

  for (const path of ['/identities', '/messages', '/oauth/clients', '/sessions', '/security/audit?changes=false']) {
    const isTrail = path.startsWith('/security');
    const scrolling = isTrail ? '' : ', and keeps its head, pager and focused row visible while scrolling';
    it(`starts within 200 px and fits 14 rows at 1440×900${scrolling}: ${path}`, () =>
      onPage(intercepted, { path, viewport: { width: 1440, height: 900 } }, async ({ page }) => {
        const box = async (selector: string) =>
          (await page.locator(selector).first().boundingBox()) ?? assert.fail(selector);
        await page.getByLabel('Paging').waitFor();
        const { y, height } = await box(isTrail ? 'main ol > li' : 'tr[data-row]');
        assert.ok(y <= 200 && y + 14 * height <= 900 - 44, `${y} px, rows of ${height} px`);
        if (isTrail) return;
        await page.keyboard.press('j');
        await page.keyboard.press('End');
        const last = (await listRows(page).count()) - 1;
        for (let row = last; row >= 0; row -= 1) {
          await eventually(() => focusedRow(page), String(row));
          const isCovered = (): Promise<boolean> =>
            page.evaluate(() => {
              const { activeElement } = document;
              const { left, top, bottom } = activeElement?.getBoundingClientRect() ?? new DOMRect();
              return [top + 2, bottom - 2].some(
                (y) => document.elementFromPoint(left + 200, y)?.closest('tr') !== activeElement,
              );
            });
          await eventually(isCovered, false, `row ${row}`);
          await page.keyboard.press('k');
        }
        await page.evaluate(() => scrollTo(0, 150));
        const head = await box('thead');
        const paging = await box('[aria-label=Paging]');
        assert.ok(head.y >= 56 && paging.y + paging.height <= 900, `${head.y}, ${paging.y}`);
      }));
  }

  it('displays a right-to-left name next to its initials', () =>
    onList('', async ({ page }) => {
      await listRows(page).first().waitFor();
      const indent = await page.evaluate(() => {
        const name = document.querySelector('tbody bdi') as HTMLElement;
        name.textContent = 'مريم';
        const text = document.createRange();
        text.selectNodeContents(name);
        return text.getBoundingClientRect().left - name.getBoundingClientRect().left;
      });
      assert.ok(indent < 2, `${indent} px`);
    }));

  it('restores the scroll position after Back and a link back', () =>
    onList('?page_size=250', async ({ page }) => {
      const row = listRows(page).nth(90);
      await listRows(page)
        .nth(ALL - 1)
        .waitFor();
      await row.scrollIntoViewIfNeeded();
      const scrolled = async (): Promise<number> => Number(await page.evaluate('scrollY'));
      const before = await scrolled();
      assert.ok(before > 1_000, String(before));
      await row.getByRole('link').click();
      await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      await page.goBack();
      await row.waitFor();
      await eventually(async () => Math.abs((await scrolled()) - before) < 3, true);

      // The key `k` may scroll its row into view, so the position is measured again.
      await row.focus();
      await page.keyboard.press('k');
      const beforeEnter = await scrolled();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      await page.goBack();
      await row.waitFor();
      await page.locator('h1:focus').waitFor();
      await eventually(async () => Math.abs((await scrolled()) - beforeEnter) < 3, true);

      await row.getByRole('link').click();
      await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      const firstRendered = page.evaluate(
        () =>
          new Promise<number>((resolve) =>
            new MutationObserver(() => {
              const { length } = document.querySelectorAll('[data-row]');
              if (length > 0) resolve(length);
            }).observe(document.body, { subtree: true, childList: true }),
          ),
      );
      await page.getByRole('main').getByRole('link', { name: 'Identities', exact: true }).click();
      assert.ok((await firstRendered) >= ALL, 'the rows at the position come later');
      await eventually(async () => Math.abs((await scrolled()) - beforeEnter) < 3, true);
    }));
});
