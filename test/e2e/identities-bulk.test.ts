import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';
import { READING_MS } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { storedIdentities, storeIdentities } from '../support/stored-identities.ts';
import { download, textOf } from '../support/transfer-pages.ts';

/** More than a page. */
const PEOPLE = 30;
const emailOf = (index: number): string => `many-${index}@b.example`;

describe('bulk actions on all identities that match, in a browser', () => {
  const here = interceptedDashboardOfSuite();
  before(async function () {
    this.timeout(READING_MS);
    const people = Array.from({ length: PEOPLE }, (_, index) => ({
      schema_id: 'customer',
      state: 'inactive',
      traits: { email: emailOf(index) },
    }));
    await storeIdentities(here.upstream.target, people);
    const session = here.sessions.admin;
    const counted = async (): Promise<unknown> => {
      const response = await here.dashboard.call('/api/identities/search/count?q=many-', { session });
      return ((await response.json()) as { count?: number }).count;
    };
    await becomes(counted, PEOPLE, 'the index', READING_MS);
  });

  it('delete over all pages, but not who has changed since the dialog opened', async () => {
    const people = async (): Promise<Map<string, string>> =>
      new Map(
        (await storedIdentities(here.upstream.target)).map(({ id, traits }) => [
          (traits as { email: string }).email,
          id,
        ]),
      );
    await onPage(here, '/identities?q=many-&state=inactive', async ({ page, expect }) => {
      expect(404, /\/identities\//);
      await page.getByLabel('Select all rows on this page').click();
      await page.getByRole('button', { name: `Select all ${PEOPLE} that match` }).click();
      await page.getByText(`All ${PEOPLE} that match are selected`).waitFor();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: `Delete ${PEOPLE} identities?` });
      await dialog.getByText('All that match: “many-”, inactive').waitFor();
      const listed = dialog.getByText(/^many-\d+@b\.example$/);
      await becomes(() => listed.count(), 5);

      // Ids are random, and so are the five: whom the dialog has named the report names, too, once they are gone.
      const named = await listed.allTextContents();
      const unnamed = [...Array(PEOPLE).keys()].filter((index) => !named.includes(emailOf(index)));
      const before = await people();
      const [awake = '', gone = ''] = unnamed.slice(0, 2).map((index) => before.get(emailOf(index)));
      await fetch(`${here.upstream.target}/admin/identities/${awake}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([{ op: 'replace', path: '/state', value: 'active' }]),
      });
      await fetch(`${here.upstream.target}/admin/identities/${gone}`, { method: 'DELETE' });
      here.upstream.seen = [];
      await dialog.getByRole('textbox').fill(String(PEOPLE));
      await page.getByRole('button', { name: `Delete ${PEOPLE}`, exact: true }).click();
      await page.getByText(`${PEOPLE - 2} deleted, 2 no longer match.`).waitFor({ timeout: 30_000 });
      assert.deepEqual(
        [...(await people())].filter(([email]) => email.startsWith('many-')).map(([, id]) => id),
        [awake],
      );
      const deletions = here.upstream.seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
      assert.ok(deletions.every((path) => !path.endsWith(awake) && !path.endsWith(gone)));
      const report = (await textOf(await download(page, 'Save as CSV'))).trim().split('\r\n');
      assert.equal(report.length, PEOPLE + 1);
      assert.ok(report.some((line) => line.startsWith(awake) && line.endsWith(',left out,It no longer matches.')));
      assert.ok(report.includes(`${gone},${gone},left out,It no longer exists.`), report.join('\n'));
    });
  });
});
