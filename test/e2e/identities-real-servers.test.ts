import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';
import type { GivenAnswer } from '../support/faulting-upstream.ts';
import { create } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { batches, chooseFile, count, ofGroup, people } from '../support/transfer-pages.ts';

const answerOf = (status: number, reason: string): GivenAnswer => ({
  status,
  body: JSON.stringify({ error: { code: status, reason, message: reason } }),
});

/** Undocumented behaviour of Kratos v26.2.0, simulated by the sandbox. */
describe('identities where the identity service behaves as Kratos does, in a browser', function () {
  this.timeout(120_000);
  const intercepted = interceptedDashboardOfSuite();

  it('imports the others where a batch is refused for one that is already there', () =>
    onPage(intercepted, '/identities/import', async ({ page, expect }) => {
      expect(409, /\/admin\/identities$/);
      const taken = { schema_id: 'customer', traits: { email: 'refuser-3@b.example' } };
      await create(intercepted, taken);
      intercepted.upstream.seen = [];
      intercepted.upstream.before = ({ method, body }) =>
        method === 'PATCH' && body.includes('refuser-3@')
          ? answerOf(409, 'This identity conflicts with another identity that already exists.')
          : undefined;
      await chooseFile(page, people('refuser', 6));
      await page.getByRole('button', { name: 'Import 6 identities' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      await becomes(async () => [await count(page, 'Created'), await count(page, 'Already existing')], ['5', '1']);
      await becomes(async () => (await ofGroup(intercepted, 'refuser')).length, 5);
    }));

  it('halves a batch that is not answered in time, and shows what is done', () =>
    onPage(intercepted, '/identities/import', async ({ page, expect }) => {
      expect(504, /\/admin\/identities$/);
      intercepted.upstream.before = () => {
        const sizes = batches(intercepted);
        return (sizes.at(-1) ?? 0) > 20 ? answerOf(504, 'too slow') : undefined;
      };
      await chooseFile(page, people('slow', 60));
      await page.getByRole('button', { name: 'Import 60 identities' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      await becomes(() => count(page, 'Created'), '60');
      assert.deepEqual(batches(intercepted), [60, 30, 15, 15, 30, 15, 15]);
    }));

  it('sends what only its own check refuses, when it is told to', () =>
    onPage(intercepted, '/identities/import', async ({ page }) => {
      const [first, second] = people('strict', 2).content.split('\n');
      const odd = '{"schema_id":"customer","traits":{"email":"no address"},"external_id":"strict-9"}';
      await chooseFile(page, { name: 'strict.ndjson', content: [first, odd, second, 'not json'].join('\n') });
      await page.getByText('4 identities, 2 without problems').waitFor();
      await page.getByRole('checkbox', { name: /^Also send 1 identity / }).check();
      await page.getByRole('button', { name: 'Import 3 identities' }).click();
      await page.getByRole('heading', { name: 'The import is complete' }).waitFor();
      assert.deepEqual(batches(intercepted), [3]);
      // The sandbox does not find its address either.
      await becomes(async () => [await count(page, 'Created'), await count(page, 'Failed')], ['2', '1']);
    }));

  for (const path of ['/identities/import', '/identities/new']) {
    it(`knows the schemas in use on ${path} where the list of schemas fails`, async () => {
      await create(intercepted, { schema_id: 'partner', traits: { email: `of${path}@b.example`, company: 'ACME' } });
      await create(intercepted, { schema_id: 'customer', traits: { email: `also-of${path}@b.example` } });
      await onPage(intercepted, '/identities', async ({ page, expect }) => {
        expect(500, /\/schemas$/);
        await page.route('**/api/identity/schemas', (route) =>
          route.fulfill({ status: 500, json: { error: { code: 500, message: 'Internal Server Error' } } }),
        );
        await page.goto(`${intercepted.dashboard.baseUrl}${path}`);
        await page.getByText('The identity service cannot list its schemas').waitFor();
        if (path === '/identities/new') {
          await page.getByLabel('Schema', { exact: true }).selectOption('partner');
          await page.getByLabel('Company').waitFor();
        } else {
          await chooseFile(page, people('fallback', 2));
          await page.getByText('2 identities, 2 without problems').waitFor();
        }
      });
    });
  }
});
