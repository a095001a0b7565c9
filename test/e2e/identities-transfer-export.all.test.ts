import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';
import { interceptedDashboardOfSuite, onPage, startInterceptedDashboard } from '../support/intercepted-dashboard.ts';
import { type StoredIdentity, storedIdentities, storeIdentities } from '../support/stored-identities.ts';
import { chooseFile, count, download, textOf } from '../support/transfer-pages.ts';

const MOVED = ['schema_id', 'state', 'external_id', 'traits', 'metadata_public', 'metadata_admin'] as const;
/** The parts of an identity that must survive the move. */
const moved = (identities: readonly StoredIdentity[]): string[] =>
  identities.map((identity) => JSON.stringify(MOVED.map((name) => ordered(identity[name] ?? null))));

/** Sorts members, whose order does not matter. */
function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ordered);
  const members = Object.entries(value).map(([name, member]) => [name, ordered(member)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A few items that are only in the second list. */
const missing = (from: readonly string[], these: readonly string[]): string[] => {
  const present = new Set(from);
  return these.filter((one) => !present.has(one)).slice(0, 5);
};

describe('an export of 1,200 identities, in a browser', function () {
  this.timeout(120_000);
  const here = interceptedDashboardOfSuite({ people: 1_100 });
  before(async () => {
    // Everything that could get lost on the way.
    const odd = Array.from({ length: 100 }, (_, index) => ({
      schema_id: 'customer',
      state: index % 2 === 0 ? 'inactive' : 'active',
      external_id: `00${index}`,
      traits: {
        email: `odd-${index}@b.example`,
        name: { first: '=1+1', last: `"${index}"\r\n,;ü😀` },
        newsletter: index % 3 === 0,
      },
      metadata_public: [null, '', 'text', 42, { list: [1, '1', null, { deep: 'ÄÖ' }] }][index % 5],
      metadata_admin: { note: 'line\nbreak', index, text: String(index), empty: '' },
    }));
    await storeIdentities(here.upstream.target, odd);
  });

  for (const format of ['CSV', 'NDJSON'] as const) {
    it(`as ${format} gives the same people elsewhere: schema, traits, state, external id, both metadata; new ids, no passwords`, async () => {
      const there = await startInterceptedDashboard();
      try {
        let content = '';
        await onPage(here, '/identities/export', async ({ page }) => {
          await page.getByRole('radio', { name: format }).check();
          await page.getByRole('button', { name: 'Without ids and dates' }).click();
          const saved = await download(page, 'Export all identities');
          await page.getByRole('heading', { name: 'The export is complete' }).waitFor();
          assert.match(saved.suggestedFilename(), new RegExp(`^identities-customer-.*\\.${format.toLowerCase()}$`));
          content = await textOf(saved);
          const pages = here.upstream.seen.filter(({ path }) => path.includes('page_size=250'));
          assert.equal(pages.length, 5);
          assert.ok(pages.every(({ path }) => !path.includes('include_credential')));
        });
        const before = await storedIdentities(here.upstream.target);
        for (const { id } of before) assert.ok(!content.includes(id), 'an id is in the file');
        assert.ok(!/credentials|password|hashed/i.test(content));

        await onPage(there, '/identities/import', async ({ page }) => {
          await chooseFile(page, { name: `people.${format.toLowerCase()}`, content });
          await page
            .getByText(
              `${before.length.toLocaleString('en')} identities, ${before.length.toLocaleString('en')} without`,
            )
            .waitFor();
          await page.getByRole('button', { name: /^Import 1,2/ }).click();
          await page.getByRole('heading', { name: 'The import is complete' }).waitFor({ timeout: 60_000 });
          // Both sandboxes have the same operators.
          const operators = here.dashboard.sandbox.operators.length;
          await becomes(() => count(page, 'Created'), (before.length - operators).toLocaleString('en'));
          await becomes(() => count(page, 'Already existing'), String(operators));
        });
        const after = await storedIdentities(there.upstream.target);
        const [expected, found] = [moved(before), moved(after)];
        assert.deepEqual(missing(found, expected), []);
        assert.deepEqual(missing(expected, found), []);
        assert.equal(after.length, before.length);
        const ids = new Set(before.map(({ id }) => id));
        const operators = here.dashboard.sandbox.operators.length;
        assert.equal(after.filter(({ id }) => ids.has(id)).length, operators);
      } finally {
        await there.close();
      }
    });
  }
});
