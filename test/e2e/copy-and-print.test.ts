import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit, type VisitOptions } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

const SECRET = 'not-for-anybody';

describe('what is shown, copied and on paper, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  let person: { id: string };
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard({ storeFromSandbox: true, sandbox: { people: 40 } });
    session = await dashboard.signIn('admin');
    const listed = await dashboard.call('/api/identity-admin/admin/identities?page_size=1', { session });
    [person = assert.fail('nobody')] = (await listed.json()) as { id: string }[];
    for (const json of [
      { key: "mail.o'brien", value: SECRET, encrypted: true },
      { key: 'mail.from', value: 'no-reply@example.org' },
    ])
      await dashboard.call('/api/settings', { session, json });
  });
  after(() => dashboard?.close());

  const at = (path: string, work: (visit: Visit) => Promise<void>, look: Pick<VisitOptions, 'colorScheme'> = {}) =>
    signedInVisit(dashboard, session, { path, ...look }, async (visit) => {
      await visit.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: dashboard.baseUrl });
      await work(visit);
    });
  const copied = async (page: Page, label: string): Promise<string> => {
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: label }).click();
    await becomes(() => page.evaluate(() => navigator.clipboard.readText()), /./);
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const command = (path: string): string =>
    `curl --fail-with-body ${path} \\\n  --cookie "dashboard-session=$DASHBOARD_COOKIE"`;

  it('is a request for a terminal, or JSON, of a person and of a client', async () => {
    for (const [page, path] of [
      [`/identities/${person.id}`, `/api/identity-admin/admin/identities/${person.id}`],
      ['/oauth/clients/web-shop', '/api/oauth-admin/admin/clients/web-shop'],
    ] as const)
      await at(page, async (visit) => {
        assert.equal(await copied(visit.page, 'Copy as a curl command'), command(`${dashboard.baseUrl}${path}`));
        const stored = await (await dashboard.call(path, { session })).json();
        assert.deepEqual(JSON.parse(await copied(visit.page, 'Copy as JSON')), stored);
      });
  });

  it('is the same of a setting, whose secret is in neither', () =>
    at(`/settings?key=${encodeURIComponent("mail.o'brien")}`, async ({ page }) => {
      const drawer = page.getByRole('dialog', { name: 'Edit setting' });
      const pressed = async (label: string): Promise<string> => {
        await page.evaluate(() => navigator.clipboard.writeText(''));
        await drawer.getByRole('button', { name: label }).click();
        await becomes(() => page.evaluate(() => navigator.clipboard.readText()), /./);
        return page.evaluate(() => navigator.clipboard.readText());
      };
      const asked = await pressed('Copy as a curl command');
      assert.equal(asked, command(`'${dashboard.baseUrl}/api/settings/mail.o'\\''brien'`));
      const { value, key, encrypted } = JSON.parse(await pressed('Copy as JSON'));
      assert.deepEqual({ value, key, encrypted }, { value: '••••••••', key: "mail.o'brien", encrypted: true });
    }));

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is printed without navigation and buttons, with every fact to read, from ${colorScheme} colours`, () =>
      at(
        `/identities/${person.id}`,
        async ({ page }) => {
          await page.getByRole('heading', { name: 'Addresses' }).waitFor();
          const facts = await page.locator('main dd').allInnerTexts();
          assert.ok(facts.length > 3);
          await page.emulateMedia({ media: 'print' });
          for (const gone of ['nav', 'button', 'header', '[role="menu"]', 'main a[class*="button"]'])
            await becomes(() => page.locator(`${gone}:visible`).count(), 0, gone);
          assert.deepEqual(
            (await page.locator('main dd').allInnerTexts()).map((text) => text.trim()),
            facts.map((text) => text.trim()),
          );
          // The exact time stands beside the one in words.
          const beside = await page
            .locator('main time')
            .first()
            .evaluate((time) => getComputedStyle(time, '::after').content);
          assert.notEqual(beside, 'none');
          const darkness = (selector: string) =>
            page
              .locator(selector)
              .first()
              .evaluate((element) =>
                Math.max(...(getComputedStyle(element).color.match(/\d+/g) ?? []).slice(0, 3).map(Number)),
              );
          assert.ok((await darkness('main dd')) < 90 && (await darkness('main h1')) < 90);
          const { x = 99 } = (await page.getByRole('heading', { level: 1 }).boundingBox()) ?? {};
          assert.ok(x < 20, `${x}`);
          await page.emulateMedia({ media: null });
        },
        { colorScheme },
      ));
  }
});
