import { eventually } from '../support/eventually.ts';
import { createAda, save, sentPatches } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { chooseFile } from '../support/transfer-pages.ts';

describe('identity schemas', () => {
  const intercepted = interceptedDashboardOfSuite({ people: 20 });

  it('are listed with their identifiers and number of identities, and displayed as a tree, a form and JSON', () =>
    onPage(intercepted, '/schemas', async ({ page }) => {
      const row = page.getByRole('list', { name: 'Schemas' }).getByRole('listitem').filter({ hasText: 'partner' });
      await row.getByText('Signs in with E-mail, Username').waitFor();
      await row.getByText(/^of all 22, /).waitFor();
      await row.getByRole('link', { name: 'Partner' }).press('Enter');
      await page.waitForFunction(() => document.activeElement?.hasAttribute('data-page-heading'));
      const traits = page.getByRole('region', { name: 'Traits' });
      await traits.getByText('Account recovery by e-mail').waitFor();
      await traits.getByText('one of bronze, silver, gold').waitFor();
      await page.getByRole('link', { name: 'Form', exact: true }).click();
      await page.getByLabel('Company').fill('Example');
      await page.getByRole('region', { name: 'The traits as JSON' }).getByText('"company": "Example"').waitFor();
      await page.getByRole('link', { name: 'JSON', exact: true }).click();
      await page.getByRole('region', { name: 'Schema as JSON' }).getByText('"ory.sh/kratos"').waitFor();
      await eventually(
        () => intercepted.upstream.requests.filter(({ method }) => method !== 'GET'),
        [],
        'nothing of the preview is sent',
      );
      await page.getByRole('link', { name: 'New identity with this schema' }).click();
      await page.getByRole('heading', { level: 1, name: 'New identity' }).waitFor();
      await eventually(() => new URL(page.url()).search, '?schema=partner');
    }));

  it('do not block saving or importing if a pattern is catastrophic, because the check has a time limit', async () => {
    const { id } = await createAda(intercepted);
    const letters = `${'a'.repeat(60)}!`;
    const person = (index: number): string =>
      JSON.stringify({
        schema_id: 'customer',
        traits: { email: `p${index}@b.example`, phone: index === 7 ? letters : 'aa' },
      });
    await onPage(intercepted, '/dashboard', async ({ page, expect }) => {
      const ofPhones = String.raw`^\\+[0-9]{6,15}$`;
      await page.route(/\/api\/identity\/schemas(?:\/customer)?$/, async (route) => {
        const body = (await (await route.fetch()).text()).replaceAll(ofPhones, () => '^(a+)+$');
        await route.fulfill({ contentType: 'application/json', body });
      });
      await page.goto(`${intercepted.dashboard.baseUrl}/identities/${id}/traits/edit`);
      await page.getByLabel('Phone').fill(letters);
      expect(400, new RegExp(id));
      await save(page);
      await page.getByText('This browser could not check the traits').waitFor();
      await eventually(() => sentPatches(intercepted).length, 1);

      await page.goto(`${intercepted.dashboard.baseUrl}/identities/import`);
      const content = Array.from({ length: 50 }, (_, index) => person(index)).join('\n');
      await chooseFile(page, { name: 'people.ndjson', content });
      await page.getByText(/This browser could not check the traits of \d+/).waitFor();
      await page.getByText('50 identities, 50 without problems').waitFor();
    });
  });
});
