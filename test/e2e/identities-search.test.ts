import assert from 'node:assert/strict';
import type { IdentityPage } from '../../shared/identities.ts';
import { becomes } from '../support/becomes.ts';
import type { Visit } from '../support/browser.ts';
import { create, rows, search } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';

describe('the search for an identity, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 30 });

  const onList = (work: (visit: Visit) => Promise<void>, query = ''): Promise<void> =>
    onPage(intercepted, `/identities${query}`, work, { heading: 'Identities' });
  const first = async (): Promise<IdentityPage['identities'][number] | undefined> => {
    const answer = await intercepted.dashboard.call('/api/identities?page_size=1', {
      session: intercepted.sessions.admin,
    });
    return ((await answer.json()) as IdentityPage).identities[0];
  };

  it('shows the same search and page size to whoever opens the link', async () => {
    const person = await first();
    const email = String(person?.traits.email);
    await onList(
      async ({ page }) => {
        await page.getByText('1 identity matches').waitFor();
        await becomes(() => rows(page).count(), 1);
        await becomes(() => search(page).inputValue(), email);
        await becomes(() => page.getByLabel('Rows per page').inputValue(), '50');
        await page.getByRole('link', { name: email }).waitFor();
      },
      `?q=${encodeURIComponent(email)}&page_size=50`,
    );
  });

  it('draws nothing but its own field while somebody types', () =>
    onList(async ({ page }) => {
      await becomes(() => rows(page).count(), 25);
      await page.evaluate(() => {
        const outside: string[] = [];
        const seen = new MutationObserver((records) => {
          for (const { target } of records) {
            const element = target instanceof Element ? target : target.parentElement;
            // The age of the list goes on by itself.
            if (element?.closest('search, [aria-label=Paging]') === null) outside.push(element.outerHTML);
          }
        });
        seen.observe(document.querySelector('main') ?? document.body, {
          attributes: true,
          childList: true,
          subtree: true,
        });
        Object.assign(globalThis, { drawnOutside: outside });
      });
      // Fewer characters than are searched for by themselves.
      for (let times = 0; times < 10; times += 1) {
        await search(page).pressSequentially('so');
        for (const _ of 'so') await page.keyboard.press('Backspace');
      }
      assert.deepEqual(
        await page.evaluate(() => (globalThis as unknown as { drawnOutside: string[] }).drawnOutside),
        [],
      );
    }));

  it('finds by exact identifier in any case, and offers other ways where nothing is found', async () => {
    const { id } = await create(intercepted, {
      schema_id: 'customer',
      traits: { email: 'Lookup.Me@example.org' },
      external_id: 'crm/7 7',
    });
    await onList(async ({ page, expect }) => {
      await search(page).fill('  lookup.me@EXAMPLE.org ');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Lookup.Me@example.org' }).waitFor();

      await search(page).fill('crm/7 7');
      await page.keyboard.press('Enter');
      await page.getByText('Asked for: “crm/7 7”.').waitFor();
      await page.getByRole('button', { name: 'Look up as external id' }).click();
      await page.waitForURL(`**/identities/${id}`);
      await page.goBack();
      await page.getByRole('button', { name: 'Clear the search', exact: true }).last().click();
      await page.getByText('Page 1, rows 1–25').waitFor();

      expect(404, /\/by\/external\//);
      await search(page).fill('subject-118');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Look up as external id' }).click();
      await page.getByText('No identity has this external id either.').waitFor();
      await page.getByLabel('Provider', { exact: true }).fill('google');
      await page.getByRole('button', { name: 'Search as provider:subject' }).click();
      await page.getByText('Searched as provider:subject, which must match including case.').waitFor();
      await becomes(() => new URL(page.url()).searchParams.get('q'), 'google:subject-118');
      await page.getByRole('button', { name: 'Clear the search', exact: true }).last().click();
      await page.getByText('Page 1, rows 1–25').waitFor();

      await search(page).fill(`"${id.toUpperCase()}"`);
      await page.getByText('This is an identity id').waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/identities/${id}`);
      await page.getByRole('heading', { level: 1, name: 'Lookup.Me@example.org' }).waitFor();
    });
    assert.equal(
      (
        await intercepted.dashboard.call(`/api/identity-admin/admin/identities/${id}`, {
          session: intercepted.sessions.admin,
          method: 'DELETE',
        })
      ).status,
      204,
    );
  });
});
