import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes, until } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { interceptedDashboardOfSuite, type Looks, onPage } from '../support/intercepted-dashboard.ts';
import { storedIdentities, storeIdentities } from '../support/stored-identities.ts';
import { download, textOf } from '../support/transfer-pages.ts';

describe('bulk actions on the list of identities, in a browser', () => {
  // People are stored past the service, which only the plain list shows at once.
  const intercepted = interceptedDashboardOfSuite({ env: { IDENTITY_INDEX: 'off' } });

  /** Stores a group of people and opens the list filtered to them. */
  async function onList(
    group: string,
    count: number,
    work: (visit: Visit) => Promise<void>,
    looks: Looks = {},
  ): Promise<void> {
    const people = Array.from({ length: count }, (_, index) => ({
      schema_id: 'customer',
      traits: { email: emailOf(group, index) },
    }));
    await storeIdentities(intercepted.upstream.target, people);
    const opened = async (visit: Visit): Promise<void> => {
      visit.expect(400, '/api/identities/search');
      await visit.page.goto(`${intercepted.dashboard.baseUrl}/identities?page_size=250`);
      await visit.page.getByLabel(`Select ${emailOf(group, 0)}`).waitFor();
      intercepted.upstream.calm();
      await work(visit);
    };
    await onPage(intercepted, '/identities/import', opened, looks);
  }
  const emailOf = (group: string, index: number): string => `${group}-${index}@b.example`;
  async function choose(page: Page, group: string, count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await page.getByLabel(`Select ${emailOf(group, index)}`).check();
    await page.getByText(`${count} selected on this page`).waitFor();
  }
  /** Checkboxes are cleared some time after the dialog: one that is still checked cannot be checked again. */
  const nothingChosen = (page: Page): Promise<void> =>
    page.getByText('selected on this page').waitFor({ state: 'hidden' });
  async function confirmDeletion(page: Page, count: number): Promise<void> {
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(String(count));
    await dialog.getByRole('button', { name: `Delete ${count}` }).click();
  }
  const idsOf = async (group: string): Promise<Map<string, string>> =>
    new Map(
      (await storedIdentities(intercepted.upstream.target))
        .map(({ id, traits }) => [(traits as { email: string }).email, id] as const)
        .filter(([email]) => email.startsWith(`${group}-`)),
    );
  const deletions = (): string[] =>
    intercepted.upstream.seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path);

  it('deletes 30 of which 3 fail, tells which and why, and retries those 3 alone', () =>
    onList('thirty', 30, async ({ page, expect }) => {
      expect(409, /\/identities\//);
      const ids = await idsOf('thirty');
      const failing = new Set([3, 14, 29].map((index) => ids.get(emailOf('thirty', index))));
      // Of deletions alone: the service reads the store, too.
      let [underWay, mostAtOnce] = [0, 0];
      intercepted.upstream.before = ({ method, path }) => {
        if (method !== 'DELETE') return undefined;
        mostAtOnce = Math.max(mostAtOnce, underWay + 1);
        if (failing.has(path.split('/').at(-1)))
          return {
            status: 409,
            body: JSON.stringify({ error: { code: 409, reason: 'It is held by another.', message: 'broken' } }),
          };
        underWay += 1;
        return undefined;
      };
      intercepted.upstream.after = ({ method }) => {
        if (method === 'DELETE') underWay -= 1;
        return undefined;
      };
      await choose(page, 'thirty', 30);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('and 25 others').waitFor();
      const button = dialog.getByRole('button', { name: 'Delete 30' });
      await becomes(() => button.isDisabled(), true);
      await dialog.getByRole('textbox').fill('29');
      await becomes(() => button.isDisabled(), true);
      await dialog.getByRole('textbox').fill('30');
      await button.dblclick();

      await dialog.getByText('27 deleted, 3 failed. Items not done stay selected.').waitFor();
      assert.equal(deletions().length, 30);
      assert.ok(mostAtOnce > 1 && mostAtOnce <= 4, `${mostAtOnce} at once`);
      const rows = dialog.getByRole('row').filter({ hasText: 'failed' });
      await becomes(() => rows.count(), 3);
      await becomes(() => rows.filter({ hasText: 'It is held by another.' }).count(), 3);
      await becomes(() => rows.filter({ hasText: emailOf('thirty', 14) }).count(), 1);

      const saved = await download(page, 'Save as CSV');
      assert.match(saved.suggestedFilename(), /^identities-deleted-.*\.csv$/);
      const report = (await textOf(saved)).replace('\uFEFF', '').trim().split('\r\n');
      assert.equal(report[0], 'id,identifier,outcome,reason');
      assert.equal(report.filter((line) => line.includes(',deleted,')).length, 27);
      assert.ok(
        report.includes(`${ids.get(emailOf('thirty', 3))},${emailOf('thirty', 3)},failed,It is held by another.`),
      );

      intercepted.upstream.before = () => undefined;
      intercepted.upstream.seen = [];
      await dialog.getByRole('button', { name: 'Retry the 3 not done' }).click();
      await dialog.getByText('30 deleted.').waitFor();
      assert.deepEqual(
        deletions()
          .map((path) => path.split('/').at(-1))
          .sort(),
        [...failing].sort(),
      );
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByLabel(`Select ${emailOf('thirty', 3)}`).waitFor({ state: 'detached' });
      await becomes(async () => (await idsOf('thirty')).size, 0);
    }));

  it('keeps the failed ones selected when the dialog is closed, and asks for the list once', () =>
    onList('kept', 6, async ({ page, expect }) => {
      expect(409, /\/identities\//);
      const ids = await idsOf('kept');
      const failing = ids.get(emailOf('kept', 2)) ?? '';
      intercepted.upstream.before = ({ method, path }) =>
        method === 'DELETE' && path.endsWith(failing) ? { status: 409, body: '{}' } : undefined;
      await choose(page, 'kept', 6);
      await confirmDeletion(page, 6);
      await page.getByText('5 deleted, 1 failed').waitFor();
      intercepted.upstream.seen = [];
      await page.keyboard.press('Escape');
      await page.getByText('1 selected on this page').waitFor();
      await becomes(() => page.getByLabel(`Select ${emailOf('kept', 2)}`).isChecked(), true);
      await becomes(
        () =>
          intercepted.upstream.seen.filter(({ method, path }) => method === 'GET' && path.includes('page_size=250'))
            .length,
        1,
      );
    }));

  it('goes on in its dialog though the list comes back without the chosen rows', () =>
    onList('gone', 3, async ({ page }) => {
      await choose(page, 'gone', 1);
      await confirmDeletion(page, 1);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('1 deleted.').waitFor();
      const held: (() => void)[] = [];
      intercepted.upstream.before = async ({ method, path }) => {
        const isList = method === 'GET' && path.includes('page_size=250');
        if (!isList && method !== 'DELETE') return undefined;
        await new Promise<void>((letGo) => held.push(letGo));
        return isList ? { status: 200, body: '[]' } : undefined;
      };
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await nothingChosen(page);
      for (const index of [1, 2]) await page.getByLabel(`Select ${emailOf('gone', index)}`).check();
      await confirmDeletion(page, 2);
      await until(() => held.length === 3);
      // First the list's response, which was requested before.
      held[0]?.();
      await page.getByLabel(`Select ${emailOf('gone', 1)}`).waitFor({ state: 'detached' });
      for (const letGo of held) letGo();
      await dialog.getByText('2 deleted.').waitFor();
      assert.equal(deletions().length, 3);
    }));

  it('waits as long as the store asks, and does it again', () =>
    onList('patient', 2, async ({ page, expect }) => {
      expect(429, /\/identities\//);
      let refusals = 2;
      intercepted.upstream.before = ({ method }) => {
        if (method !== 'DELETE' || refusals === 0) return undefined;
        refusals -= 1;
        return { status: 429, headers: { 'Retry-After': '1' }, body: '{}' };
      };
      await choose(page, 'patient', 2);
      await confirmDeletion(page, 2);
      await page.getByText('2 deleted.').waitFor();
      assert.equal(deletions().length, 4);
    }));

  it('ends after what is under way when it is cancelled, and goes on with the others', () =>
    onList('cancelled', 12, async ({ page }) => {
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      intercepted.upstream.before = async ({ method }) => {
        if (method === 'DELETE') await held;
        return undefined;
      };
      await choose(page, 'cancelled', 12);
      await confirmDeletion(page, 12);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('0 of 12').waitFor();
      await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.getByText('Ending after the current request').waitFor();
      letGo();
      await dialog.getByText('4 deleted, 8 not started').waitFor();
      await dialog.getByRole('button', { name: 'Retry the 8 not done' }).click();
      await dialog.getByText('12 deleted.').waitFor();
      assert.equal(deletions().length, 12);
    }));

  it('deactivates with the sessions, activates again, and counts who was gone already as done', () =>
    onList('states', 3, async ({ page, expect }) => {
      // Nobody has a session, which the store answers with 404.
      expect(404, /\/sessions$/);
      expect(404, /\/identities\//);
      const stateOf = async () =>
        (await storedIdentities(intercepted.upstream.target))
          .filter(({ traits }) => (traits as { email: string }).email.startsWith('states-'))
          .map(({ state }) => state);
      await choose(page, 'states', 3);
      await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
      await page.getByRole('button', { name: 'Deactivate 3' }).click();
      await page.getByText('3 deactivated.').waitFor();
      await becomes(() => stateOf(), ['inactive', 'inactive', 'inactive']);
      assert.equal(deletions().filter((path) => path.endsWith('/sessions')).length, 3);
      await page.keyboard.press('Escape');
      await nothingChosen(page);

      await choose(page, 'states', 3);
      await page.getByRole('button', { name: 'Activate', exact: true }).click();
      await page.getByRole('button', { name: 'Activate 3' }).click();
      await page.getByText('3 activated.').waitFor();
      await becomes(() => stateOf(), ['active', 'active', 'active']);
      await page.keyboard.press('Escape');
      await nothingChosen(page);

      await choose(page, 'states', 3);
      const gone = (await idsOf('states')).get(emailOf('states', 1));
      await fetch(`${intercepted.upstream.target}/admin/identities/${gone}`, { method: 'DELETE' });
      await confirmDeletion(page, 3);
      await page.getByText('2 deleted, 1 nothing to do.').waitFor();
      await page.getByRole('cell', { name: 'It was already deleted.', exact: true }).waitFor();
    }));

  it('warns operators who are among those chosen', () =>
    onList('self', 1, async ({ page }) => {
      await page.getByLabel(`Select ${intercepted.dashboard.operator('admin').email}`).check();
      await page.getByRole('button', { name: 'End sessions' }).click();
      await page.getByText('You are among them').waitFor();
    }));

  it(`is accessible in all colours and widths`, () =>
    onList('axe', 3, async ({ page, expect }) => {
      expect(404, /\/sessions$/);
      await choose(page, 'axe', 3);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('dialog').getByRole('textbox').waitFor();
      await assertAccessibleInAllLooks(page, 'the confirmation');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'End sessions' }).click();
      await page.getByRole('button', { name: 'End sessions 3' }).click();
      await page.getByText('3 signed out in every browser.').waitFor();
      await assertAccessibleInAllLooks(page, 'the results');
    }));
});
