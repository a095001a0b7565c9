import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { exactly } from '../../client/format/english-time.ts';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { openDatabase } from '../../server/db/open-database.ts';
import type { AuditChainState } from '../../shared/audit.ts';
import type { Setting } from '../../shared/settings.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { visitedPageOfSuite } from '../support/security-pages.ts';

const DAY_MS = 86_400_000;
const SECRET = 'a-secret-that-nobody-guesses';
const EARLIER_SECRET = 'the-secret-before-that-one';

describe('what settings were, in a browser', function () {
  this.timeout(90_000);
  const visited = visitedPageOfSuite('/settings', 'Settings');
  let database: Database;
  before(() => {
    database = openDatabase(parseDatabaseUrl(visited.dashboard.env.DATABASE_URL ?? ''), { warn: () => {} });
  });
  after(() => database?.close());

  const call = (path: string, options: object = {}) =>
    visited.dashboard.call(path, { session: visited.sessions.admin, ...options });
  async function store(key: string, ...changes: object[]): Promise<void> {
    for (const change of changes) assert.ok((await call('/api/settings', { json: { key, ...change } })).ok);
  }
  const stored = async (key: string): Promise<Setting> =>
    (await (await call(`/api/settings/${encodeURIComponent(key)}`)).json()) as Setting;
  const versions = (page: Page): Locator =>
    page.getByRole('list', { name: 'Earlier versions, the latest first' }).getByRole('listitem');
  async function openHistory(page: Page, key: string): Promise<void> {
    await page.goto(`${visited.dashboard.baseUrl}/settings?key=${encodeURIComponent(key)}`);
    await page.getByRole('dialog').getByRole('button', { name: 'History' }).click();
    await versions(page).first().waitFor();
  }
  const compare = (row: Locator): Promise<void> => row.getByRole('button', { name: /^Compare / }).click();

  it('puts a setting back to Tuesday’s value in at most eight steps from the overview; the trail stays whole', async () => {
    await store('mail.relay', { value: 'smtp.monday.example' }, { value: 'smtp.tuesday.example' });
    await store('mail.relay', { value: 'smtp.wednesday.example' }, { value: 'smtp.now.example' });
    const days = [6, 5, 4].map((ago) => new Date(Date.now() - ago * DAY_MS));
    const [tuesday = '', wednesday = ''] = days.map((day) => exactly(day));
    const kept = await database.knex('setting_versions').where({ key: 'mail.relay' }).orderBy('version');
    assert.equal(kept.length, days.length);
    for (const [index, { version }] of kept.entries())
      await database.knex('setting_versions').where({ version }).update({ replaced_at: days[index]?.toISOString() });
    await visited.visit(
      async ({ page }) => {
        let steps = 0;
        const step = async (target: Locator): Promise<void> => {
          steps += 1;
          await target.click();
        };
        await step(page.getByRole('link', { name: 'Settings', exact: true }));
        await step(page.getByRole('link', { name: 'mail.relay', exact: true }));
        await step(page.getByRole('dialog').getByRole('button', { name: 'History' }));
        const inForce = versions(page).filter({ hasText: `${tuesday} to ${wednesday}` });
        await step(inForce.getByRole('button', { name: /^Compare / }));
        await becomes(() => inForce.locator('mark').allTextContents(), ['tuesday', 'now']);
        await step(inForce.getByRole('button', { name: 'Restore this version' }));
        await page.getByText('mail.relay is restored').waitFor();
        await page.getByRole('row').getByText('smtp.tuesday.example').waitFor();
        assert.ok(steps <= 8, `${steps} steps`);
      },
      { path: '/', heading: 'Overview' },
    );
    assert.equal((await stored('mail.relay')).value, 'smtp.tuesday.example');
    await becomes(
      async () => ((await (await call('/api/security/audit/chain')).json()) as AuditChainState).status,
      'whole',
    );
    const told = await (await call('/api/security/audit?action=setting_restore')).text();
    assert.ok(told.includes('mail.relay') && !told.includes('tuesday'));
  });

  it('shows versions beside what is stored now, for everybody and on any screen', () =>
    visited.visit(async ({ page }) => {
      await store('brand.name', { value: 'Example', category: 'brand' }, { value: '', category: null });
      await store('brand.name', { value: 'Beispiel' });
      await openHistory(page, 'brand.name');
      const row = versions(page).nth(1);
      await row.getByText('You changed it').waitFor();
      await compare(row);
      const fields = row.locator('dl');
      await becomes(
        () => fields.locator('dt').allTextContents(),
        ['Value then', 'Value now', 'Category then', 'Category now'],
      );
      await becomes(() => fields.locator('dd').allTextContents(), ['Example', 'Beispiel', 'brand', 'none']);
      await assertAccessibleInAllLooks(page, 'the comparison');
    }));

  it('reveals an earlier secret by one recorded request, and has it nowhere else', () =>
    visited.visit(async ({ page, context }) => {
      const [reveals, lists]: [string[], string[]] = [[], []];
      context.on('request', (request) => {
        if (request.url().includes('decrypt=true')) reveals.push(request.url());
      });
      context.on('response', async (response) => {
        const url = response.url();
        if (url.includes('/api/setting') && !url.includes('decrypt=true')) lists.push(await response.text());
      });
      const key = 'mail.password';
      await store(key, { value: EARLIER_SECRET, encrypted: true }, { value: SECRET });
      await openHistory(page, key);
      await compare(versions(page).first());
      await page.getByRole('button', { name: /^Reveal mail\.password, Until / }).click();
      await page.getByText(EARLIER_SECRET).waitFor();
      assert.equal(reveals.length, 1);
      await page.getByRole('button', { name: /^Hide mail\.password, Until / }).click();
      await becomes(() => page.getByText(EARLIER_SECRET).count(), 0);
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]),
      );
      for (const secret of [SECRET, EARLIER_SECRET])
        assert.ok(![await page.content(), kept, ...lists].some((text) => text.includes(secret)));
      assert.ok(lists.some((text) => text.includes('"versions"')));
      await versions(page).first().getByRole('button', { name: 'Restore this version' }).click();
      await page.getByText('mail.password is restored').waitFor();
      const answer = await call(`/api/settings/${key}?decrypt=true`);
      const { value, encrypted } = (await answer.json()) as Setting;
      assert.deepEqual([value, encrypted], [EARLIER_SECRET, true]);
    }));

  it('overwrites nothing that somebody changed meanwhile, and shows that instead', () =>
    visited.visit(async ({ page, expect }) => {
      expect(412, '/api/setting-history/restore');
      await store('limit', { value: '10' }, { value: '20' });
      await openHistory(page, 'limit');
      await compare(versions(page).first());
      await store('limit', { value: '30' });
      await page.getByRole('button', { name: 'Restore this version' }).click();
      await page.getByText('Somebody changed the setting after you opened its history.').waitFor();
      assert.equal((await stored('limit')).value, '30');
      const open = versions(page).filter({ has: page.getByRole('button', { name: 'Restore this version' }) });
      await becomes(() => open.locator('dd').allTextContents(), ['10', '30']);
      await becomes(() => versions(page).count(), 2);
      await assertAccessibleInAllLooks(page, 'the refusal');
      await page.getByRole('button', { name: 'Restore this version' }).click();
      await page.getByText('limit is restored').waitFor();
      assert.equal((await stored('limit')).value, '10');
    }));

  it('brings a deleted setting back, found by its deletion', () =>
    visited.visit(async ({ page, expect }) => {
      expect(404, '/api/settings/gone.but.kept');
      await store('gone.but.kept', { value: 'still here', category: 'kept' });
      await page.reload();
      await page.getByRole('button', { name: 'Delete gone.but.kept' }).click();
      await page.getByRole('dialog').getByText('It can be restored for a year').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('gone.but.kept is deleted').waitFor();
      await page.getByRole('button', { name: 'Deleted settings' }).click();
      const deleted = page.getByRole('list', { name: 'Deleted settings, the latest first' });
      await deleted.getByText('You deleted it').waitFor();
      await assertAccessibleInAllLooks(page, 'the deleted settings');
      await deleted.getByRole('link', { name: 'gone.but.kept' }).click();
      await compare(versions(page).first());
      await page.getByText('Restoring creates the setting again.').waitFor();
      await page.getByRole('button', { name: 'Restore this version' }).click();
      await page.getByText('gone.but.kept is restored').waitFor();
      const { value, category } = await stored('gone.but.kept');
      assert.deepEqual([value, category], ['still here', 'kept']);
    }));

  it('removes earlier versions by keyboard, after a second thought', () =>
    visited.visit(async ({ page }) => {
      await store('forgettable', { value: 'one' }, { value: 'two' });
      await openHistory(page, 'forgettable');
      await page.getByRole('button', { name: 'Remove earlier versions' }).press('Enter');
      await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Keep them');
      await page.keyboard.press('Enter');
      await becomes(() => page.evaluate(() => document.activeElement?.textContent), 'Remove earlier versions');
      await page.keyboard.press('Enter');
      await assertAccessibleInAllLooks(page, 'the second thought');
      await page.getByRole('button', { name: 'Remove 1 version' }).press('Enter');
      await page.getByText('No earlier version is kept.').waitFor();
      assert.equal((await stored('forgettable')).value, 'two');
      const { versions: left } = (await (await call('/api/setting-history?key=forgettable')).json()) as {
        versions: unknown[];
      };
      assert.deepEqual(left, []);
    }));
});
