import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { IdentityCount } from '../../shared/identity-search.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { SeenRequest } from '../support/faulting-upstream.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { type StoredIdentity, storedIdentities, storeIdentities } from '../support/stored-identities.ts';
import { download, textOf } from '../support/transfer-pages.ts';

/** Groups of people, by the beginning of their addresses. */
const GROUPS = { many: 60, half: 3, asleep: 4, chosen: 3, file: 130, looks: 30, warned: 30 };
type Group = keyof typeof GROUPS;
const ACTIVE: readonly Group[] = ['half', 'asleep'];

describe('all identities that match, in a browser', () => {
  const here = interceptedDashboardOfSuite();
  before(async function () {
    this.timeout(60_000);
    const people = Object.entries(GROUPS).flatMap(([group, count]) =>
      Array.from({ length: count }, (_, index) => ({
        schema_id: 'customer',
        state: ACTIVE.includes(group as Group) ? 'active' : 'inactive',
        traits: { email: `${group}-${index}@b.example`, name: { last: `Müller ${group}` } },
      })),
    );
    await storeIdentities(here.upstream.target, people);
    await becomes(counted, people.length, 'the index', 30_000);
  });

  /** How many of these people the index has; it reads the store once it is asked. */
  async function counted(): Promise<number | undefined> {
    const response = await here.dashboard.call('/api/identities/search/count?q=@b.example', {
      session: here.sessions.admin,
    });
    return ((await response.json()) as Partial<IdentityCount>).count;
  }
  const of = async (group: Group): Promise<Map<string, StoredIdentity>> =>
    new Map(
      (await storedIdentities(here.upstream.target))
        .map((identity) => [String((identity.traits as { email?: string }).email), identity] as const)
        .filter(([email]) => email.startsWith(`${group}-`)),
    );
  const idOf = async (group: Group, index: number): Promise<string> =>
    (await of(group)).get(`${group}-${index}@b.example`)?.id ?? assert.fail(`${group}-${index}`);
  /** Past the service, which therefore does not know of it. */
  const changeInStore = (method: string, id: string, operations?: object[]): Promise<Response> =>
    fetch(`${here.upstream.target}/admin/identities/${id}`, {
      method,
      ...(operations && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(operations) }),
    });
  const setState = (id: string, value: 'active' | 'inactive'): Promise<Response> =>
    changeInStore('PATCH', id, [{ op: 'replace', path: '/state', value }]);
  const writes = (): SeenRequest[] =>
    here.upstream.seen.filter(({ method }) => method === 'DELETE' || method === 'PATCH');
  async function selectAll(page: Page, count: number): Promise<void> {
    await page.getByLabel('Select all rows on this page').click();
    await page.getByRole('button', { name: `Select all ${count} that match` }).click();
    await page.getByText(`All ${count} that match are selected`).waitFor();
  }
  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

  it('are deleted over all pages, but for who has changed since the dialog opened', () =>
    onPage(here, '/identities?q=many-&state=inactive', async ({ page, expect }) => {
      expect(404, /\/identities\//);
      await selectAll(page, 60);
      await press(page, 'Delete');
      const dialog = page.getByRole('dialog', { name: 'Delete 60 identities?' });
      await dialog.getByText('All that match: “many-”, inactive').waitFor();
      await dialog.getByText('and 55 others').waitFor();
      const listed = dialog.getByText(/^many-\d+@b\.example$/);
      await becomes(() => listed.count(), 5);

      const named = await listed.allTextContents();
      // Ids are random, and so are the five: whom the dialog has named the report names, too, once they are gone.
      const unnamed = [41, 42, 43, 44, 45, 46].find((number) => !named.includes(`many-${number}@b.example`)) ?? 0;
      const [awake, gone] = [await idOf('many', 7), await idOf('many', unnamed)];
      await setState(awake, 'active');
      await changeInStore('DELETE', gone);
      here.upstream.seen = [];
      await dialog.getByRole('textbox').fill('60');
      await press(page, 'Delete 60');
      await page.getByText('58 deleted, 2 no longer match.').waitFor();
      assert.deepEqual(
        [...(await of('many')).values()].map(({ id }) => id),
        [awake],
      );
      assert.ok(writes().every(({ path }) => !path.includes(awake) && !path.includes(gone)));
      await page.getByRole('cell', { name: 'It no longer matches.', exact: true }).waitFor();
      const report = (await textOf(await download(page, 'Save as CSV'))).trim().split('\r\n');
      assert.equal(report.length, 61);
      assert.ok(report.includes(`${awake},many-7@b.example,left out,It no longer matches.`), report.join('\n'));
      assert.ok(report.includes(`${gone},${gone},left out,It no longer exists.`), report.join('\n'));
      assert.equal(report.filter((line) => /many-\d+@b\.example,deleted,$/.test(line)).length, 58);
    }));

  it('are acted on again where the act failed halfway, though they no longer match by then', () =>
    onPage(here, '/identities?q=half-&state=active', async ({ page, expect }) => {
      // Nobody has a session, which the store answers with 404.
      expect(404, /\/sessions$/);
      expect(409, /\/sessions$/);
      const failing = await idOf('half', 1);
      here.upstream.before = ({ method, path }) =>
        method === 'DELETE' && path.includes(failing) ? { status: 409, body: '{}' } : undefined;
      await page.getByLabel('Select half-0@b.example').check();
      await press(page, 'Select all 3 that match');
      await press(page, 'Deactivate');
      await press(page, 'Deactivate 3');
      await page.getByText('2 deactivated, 1 failed.', { exact: true }).waitFor();
      here.upstream.calm();
      await press(page, 'Retry the 1 not done');
      await page.getByText('3 deactivated.', { exact: true }).waitFor();
      assert.deepEqual(
        writes().map(({ method, path }) => [method, path.includes(failing), path.endsWith('/sessions')]),
        [
          ['PATCH', true, false],
          ['DELETE', true, true],
        ],
      );
    }));

  it('by sign-in are not deleted, and their sessions are read again before any other act', () =>
    onPage(here, '/identities?q=asleep-&session=none-90d', async ({ page, expect }) => {
      expect(404, /\/sessions$/);
      const awake = await idOf('asleep', 2);
      await page.getByLabel('Select all rows on this page').click();
      await page.getByText('4 selected on this page').waitFor();
      const refused = page.getByRole('button', { name: 'Delete', exact: true });
      await becomes(() => refused.getAttribute('aria-disabled'), 'true');
      assert.match((await refused.getAttribute('title')) ?? '', /do not prove/);
      await page.getByText('Delete is not offered').first().waitFor();
      await refused.click({ force: true });
      await becomes(() => page.getByRole('dialog').count(), 0);

      // The second page of sessions, the first of which is full.
      here.upstream.before = ({ method, path }) => {
        const { pathname, searchParams } = new URL(path, 'http://store');
        if (method !== 'GET' || pathname !== `/admin/identities/${awake}/sessions`) return undefined;
        const count = searchParams.get('page') === '1' ? 250 : 1;
        const authenticated_at = new Date(count === 1 ? Date.now() : 0).toISOString();
        return {
          status: 200,
          body: JSON.stringify(Array.from({ length: count }, () => ({ id: 'x', authenticated_at }))),
        };
      };
      await press(page, 'Deactivate');
      await page.getByText('Each is read again with its sessions').waitFor();
      await press(page, 'Deactivate 4');
      await page.getByText('3 deactivated, 1 no longer matches.').waitFor();
      await page.getByRole('cell', { name: 'It has a session that was not known.', exact: true }).waitFor();
      assert.ok(writes().every(({ path }) => !path.includes(awake)));
      assert.equal((await of('asleep')).get('asleep-2@b.example')?.state, 'active');
    }));

  it('are refused in words if they are more than 10,000', () =>
    onPage(here, '/identities?q=looks-', async ({ page, expect }) => {
      expect(400, /\/search\/ids/);
      await page.route('**/api/identities/search/ids?*', (route) =>
        route.fulfill({
          status: 400,
          json: { error: 'bad_request', message: 'More than 10,000 identities match. Narrow the question.' },
        }),
      );
      await selectAll(page, GROUPS.looks);
      await press(page, 'End sessions');
      await page.getByRole('alert').getByText('More than 10,000 identities match. Narrow the question.').waitFor();
      await page.getByText('Nothing was done').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      await page.getByText('All 30 that match are selected').waitFor();
    }));

  it('may be fewer than there are while the index is being read, which the dialog says', () =>
    onPage(here, '/identities?q=warned-', async ({ page }) => {
      await page.route('**/api/identities/search/ids?*', async (route) => {
        const answer = (await (await route.fetch()).json()) as { ids: string[]; index: object };
        await route.fulfill({ json: { ...answer, index: { ...answer.index, complete: false, identities: 12_000 } } });
      });
      await selectAll(page, GROUPS.warned);
      await press(page, 'Activate');
      await page.getByText('Only 12,000 identities are in the index so far').waitFor();
    }));

  it('are selected no more once a row is taken out, or another page is shown', () =>
    onPage(here, '/identities?q=looks-', async ({ page }) => {
      await selectAll(page, GROUPS.looks);
      await page.keyboard.press('Enter');
      await page.getByText('25 selected on this page').waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('All 30 that match are selected').waitFor();
      await page.getByRole('row').nth(3).getByRole('checkbox').uncheck();
      await page.getByText('24 selected on this page').waitFor();
      await page.getByRole('button', { name: 'Select all 30 that match' }).click();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText('selected').waitFor({ state: 'hidden' });
    }));

  it('are exported as they are now: who has changed since they were found is left out', () =>
    onPage(here, '/identities?q=MULLER file&state=inactive', async ({ page }) => {
      await selectAll(page, GROUPS.file);
      await page.getByRole('link', { name: 'Export', exact: true }).last().click();
      await page.getByRole('heading', { name: 'Export identities' }).waitFor();
      await page.getByText('The 130 that match: “MULLER file”, inactive').waitFor();
      await assertAccessibleInAllLooks(page, 'the choice of a format for all that match');
      const awake = await idOf('file', 99);
      const gone = await idOf('file', 17);
      here.upstream.seen = [];
      let changed = false;
      here.upstream.before = async ({ path }) => {
        if (!changed && path.includes('ids=')) {
          changed = true;
          await setState(awake, 'active');
          await changeInStore('DELETE', gone);
        }
        return undefined;
      };
      await page.getByRole('radio', { name: 'NDJSON' }).check();
      const saved = await download(page, 'Export all that match');
      await page.getByText('128 identities were read. 2 no longer match and are left out.').waitFor();
      const lines = (await textOf(saved)).trim().split('\n');
      const written = lines.map((line) => (JSON.parse(line) as { traits: { email: string } }).traits.email);
      const expected = [...(await of('file')).values()].filter(({ state }) => state === 'inactive');
      assert.deepEqual(written.toSorted(), expected.map(({ traits }) => (traits as { email: string }).email).sort());
      const asked = here.upstream.seen.filter(({ path }) => path.includes('ids='));
      assert.deepEqual(
        asked.map(({ path }) => new URL(path, 'http://store').searchParams.getAll('ids').length),
        [100, 30],
      );
    }));

  it('are not everybody: the page of the export offers everybody instead', () =>
    onPage(here, '/identities/export?state=inactive&session=none', async ({ page }) => {
      await page.getByText('Sessions are not read again').waitFor();
      await page.getByRole('link', { name: 'Export all identities instead' }).click();
      await page.getByRole('button', { name: 'Export all identities' }).waitFor();
    }));

  it('or only the chosen rows, are saved as CSV with the columns of an export', () =>
    onPage(here, '/identities?q=chosen-', async ({ page }) => {
      const gone = await idOf('chosen', 2);
      await page.getByLabel('Select all rows on this page').click();
      await page.getByText('3 selected on this page').waitFor();
      await changeInStore('DELETE', gone);
      const saved = await download(page, 'Save CSV');
      await page.getByText('2 identities saved; 1 no longer there').waitFor();
      assert.match(saved.suggestedFilename(), /^identities-customer-.*\.csv$/);
      const [head = '', ...rows] = (await textOf(saved)).trim().split('\r\n');
      assert.match(head, /^id,schema_id,state,external_id,.*email/);
      assert.deepEqual(
        rows.map((row) => row.split(',')[0]).sort(),
        [await idOf('chosen', 0), await idOf('chosen', 1)].sort(),
      );
      await page.getByText('3 selected on this page').waitFor();
    }));

  it('or only the chosen rows, are not saved where the store fails, which the dialog says', () =>
    onPage(here, '/identities?q=chosen-', async ({ page, expect }) => {
      expect(500, /\/admin\/identities/);
      await page.getByLabel('Select chosen-0@b.example').check();
      here.upstream.before = ({ path }) => (path.includes('ids=') ? { status: 500, body: '{}' } : undefined);
      await press(page, 'Save CSV');
      await page.getByRole('alert').getByText('Nothing was saved').waitFor();
      here.upstream.calm();
      await download(page, 'Try again');
    }));

  it('stand in a bar and a dialog that are accessible in all colours and widths', () =>
    onPage(here, '/identities?q=looks-&session=none', async ({ page }) => {
      await selectAll(page, GROUPS.looks);
      await page.mouse.move(0, 0);
      await assertAccessibleInAllLooks(page, 'the bar');
      await press(page, 'Deactivate');
      await page.getByText('All that match: “looks-”, no session known').waitFor();
      await assertAccessibleInAllLooks(page, 'the dialog');
    }));
});
