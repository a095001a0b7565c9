import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { create, rows, search } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('what the list of identities says of its index, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 60 });

  before(async () => {
    for (const [name, state] of [
      ['Zebedee Quillfeather', 'active'],
      ['Aurora Quillfeather', 'inactive'],
    ]) {
      const [first = '', last = ''] = name?.split(' ') ?? [];
      await create(intercepted, {
        schema_id: 'customer',
        state,
        traits: { email: `${first.toLowerCase()}@example.org`, name: { first, last } },
      });
    }
  });

  const onList = (work: (visit: Visit) => Promise<void>, query = ''): Promise<void> =>
    onPage(intercepted, `/identities${query}`, work, { heading: 'Identities' });
  const inAddress = ({ page }: Visit) => Object.fromEntries(new URL(page.url()).searchParams);
  const shown = ({ page }: Visit): Promise<string[]> =>
    rows(page).evaluateAll((all) => all.map((row) => row.querySelector('a')?.textContent ?? ''));
  it('marks who no longer matches', () =>
    onList(async (visit) => {
      const { page, context } = visit;
      await page.getByText('2 identities match').waitFor();
      await context.route('**/api/identities/search?*', async (route) => {
        const answer = await route.fetch();
        const found = await answer.json();
        const [row] = found.identities;
        await route.fulfill({ json: { ...found, total: 1, identities: [{ ...row, changed: true }] } });
      });
      await page.getByRole('button', { name: 'Read again' }).click();
      await page.getByText('1 identity matches').waitFor();
      await rows(page).getByText('changed since').waitFor();
    }, '?q=quillf'));

  it('says how much is read, that more than 10,000 match, and that a question takes too long', () =>
    onList(async ({ page, context, expect }) => {
      await page.getByText('Page 1, rows 1–25').waitFor();
      await context.route('**/api/identities/search?*', async (route) => {
        if (route.request().url().includes('q=slow')) {
          await route.fulfill({
            status: 504,
            json: { error: 'gateway_timeout', message: 'The question took too long. Narrow it.' },
          });
          return;
        }
        const found = await (await route.fetch({ url: route.request().url().replace(/q=\w+/, 'q=example') })).json();
        const index = { ...found.index, complete: false, identities: 12_000 };
        await route.fulfill({ json: { ...found, total: null, index } });
      });
      await search(page).fill('many');
      await page.getByText(/rows 1–25, more than 10,000 match, counted .*, 12,000 of 64 read so far/).waitFor();
      expect(504, '/api/identities/search');
      await search(page).fill('slow');
      await page.getByText('The question took too long. Narrow it.').waitFor();
    }));

  it('is a plain list while there is no index, which filters nothing and says why', async () => {
    await intercepted.dashboard.restart({ IDENTITY_INDEX: 'off' });
    await onPage(intercepted, '/no/such/page', async (visit) => {
      const { page, expect } = visit;
      const open = async (query: string): Promise<void> => {
        await page.goto(`${intercepted.dashboard.baseUrl}/identities${query}`);
      };
      expect(400, '/api/identities/search');
      await open('');
      await page.getByText('The index of identities is off, or has read nothing yet').waitFor();
      await page.getByText('Ordered by id. The identity service offers no other order.').waitFor();
      await becomes(() => page.getByRole('columnheader').getByRole('button').count(), 0);
      await becomes(
        () => page.getByRole('button', { name: 'Filter', exact: true }).getAttribute('aria-disabled'),
        'true',
      );
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 2, rows 26–50').waitFor();
      await search(page).fill('zebedee@example.org');
      await page.keyboard.press('Enter');
      await page.getByText('1 identity matches').waitFor();
      await assertAccessibleInAllLooks(page, 'the list without an index');
      await search(page).fill('zebe*');
      await page.keyboard.press('Enter');
      await becomes(() => shown(visit), ['zebedee@example.org']);
      await open('?q=zebedee@example.org&state=active');
      await page.getByText('Nothing can be filtered now').waitFor();
      await page.getByRole('button', { name: 'Clear the filters' }).click();
      await page.getByText('1 identity matches').waitFor();
      await intercepted.dashboard.restart({ IDENTITY_INDEX: 'memory' });
      await page.reload();
      await page.getByText('Finds any part of an identifier').waitFor();
      await page.getByRole('button', { name: 'Filter', exact: true }).waitFor();
      await becomes(() => inAddress(visit), { q: 'zebedee@example.org' });
      await page.getByText('1 identity matches, counted').waitFor();
    });
  });
});
