import { eventually } from '../support/eventually.ts';
import { createAda, save, sentPatches } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { chooseFile } from '../support/transfer-pages.ts';

describe('identity schemas', () => {
  const intercepted = interceptedDashboardOfSuite();

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
