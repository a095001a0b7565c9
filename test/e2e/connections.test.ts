import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Setting, SettingList } from '../../shared/settings.ts';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import type { Looks } from '../support/intercepted-dashboard.ts';

const SECRET = 'the-secret-of-the-tests';

describe('the social connections, in a browser', () => {
  let dashboard: Dashboard;
  let sessions: Record<'admin' | 'viewer', string>;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
    sessions = { admin: await dashboard.signIn('admin'), viewer: await dashboard.signIn('viewer') };
  });
  after(() => dashboard?.close());

  const settings = async (): Promise<Setting[]> => {
    const answer = await dashboard.call('/api/settings', { session: sessions.admin });
    return ((await answer.json()) as SettingList).settings.filter(({ key }) => key.startsWith('social.'));
  };
  const stored = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await settings()).map(({ key, value, encrypted }) => [key, encrypted ? '(encrypted)' : value]));
  const store = (key: string, value: string, encrypted = false) =>
    dashboard.call('/api/settings', { session: sessions.admin, json: { key, value, encrypted, category: 'social' } });
  beforeEach(async () => {
    for (const { key } of await settings())
      await dashboard.call(`/api/settings/${key}`, { session: sessions.admin, method: 'DELETE' });
    for (const name of ['google', 'github']) {
      await store(`social.${name}.client_id`, `id-of-${name}`);
      await store(`social.${name}.client_secret`, SECRET, true);
      await store(`social.${name}.enabled`, 'true');
    }
    await store('social.order', 'google,github');
  });
  const onConnections = (
    work: (visit: Visit) => Promise<void>,
    { role = 'admin', ...looks }: Looks = {},
  ): Promise<void> =>
    signedInVisit(dashboard, sessions[role], { path: '/connections', heading: 'Connections', ...looks }, work);
  const offered = (page: Page) => page.getByRole('list', { name: 'Login buttons' }).getByRole('listitem');

  it(`stand in order beside what a login page would show, and are accessible in all colours and widths`, () =>
    onConnections(async ({ page }) => {
      await offered(page).nth(1).waitFor();
      await becomes(() => offered(page).allInnerTexts(), ['Continue with google', 'Continue with github']);
      await page.getByText('The login page must read these settings').waitFor();
      await assertAccessibleInAllLooks(page, 'the connections');
      assert.ok(!(await page.content()).includes(SECRET));
    }));

  it('are added from a list of known ones, by keyboard, the secret encrypted and enabled last', () =>
    onConnections(async ({ page }) => {
      const writes: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') writes.push((request.postDataJSON() as { key: string }).key);
      });
      await page.getByRole('button', { name: 'Add provider' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Add a provider' });
      await dialog.getByLabel('Provider').selectOption('GitLab');
      await dialog.getByLabel('Client id').fill('id-of-gitlab');
      await dialog.getByRole('textbox', { name: 'Client secret' }).fill(SECRET);
      await assertAccessibleInAllLooks(page, 'the form of a provider');
      await dialog.getByLabel('Scopes').press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await offered(page).nth(2).waitFor();
      await becomes(() => offered(page).nth(2).innerText(), 'Continue with GitLab');
      assert.deepEqual(writes, [
        'social.gitlab.client_id',
        'social.gitlab.client_secret',
        'social.gitlab.display_name',
        'social.gitlab.scopes',
        'social.order',
        'social.gitlab.enabled',
      ]);
      await becomes(async () => (await stored())['social.gitlab.client_secret'], '(encrypted)');
      await becomes(async () => (await stored())['social.order'], 'google,github,gitlab');
      await page.waitForFunction(() => document.activeElement?.textContent?.includes('Add provider'));
    }));

  it('stay disabled when a step of adding one fails, say which step, and go on from there', () =>
    onConnections(async ({ page, context, expect }) => {
      expect(503, '/api/settings');
      await context.route('**/api/settings', (route) =>
        route.request().postData()?.includes('social.gitlab.scopes')
          ? route.fulfill({ status: 503, json: { error: 'service_unavailable', message: 'The database is away.' } })
          : route.fallback(),
      );
      await page.getByRole('button', { name: 'Add provider' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Provider').selectOption('GitLab');
      await dialog.getByLabel('Client id').fill('id-of-gitlab');
      await dialog.getByRole('textbox', { name: 'Client secret' }).fill(SECRET);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('Step 4 of 6 (the scopes) failed: The database is away.').waitFor();
      await assertAccessibleInAllLooks(page, 'the form after a step that failed');
      await becomes(async () => (await stored())['social.gitlab.enabled'], undefined);
      await context.unroute('**/api/settings');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await becomes(async () => (await stored())['social.gitlab.enabled'], 'true');
    }));

  it('keep their secret when the field stays blank', () =>
    onConnections(async ({ page }) => {
      const before = (await settings()).find(({ key }) => key === 'social.google.client_secret')?.value;
      await page.getByRole('button', { name: 'Edit Google' }).press('Enter');
      await page.getByLabel('Display name').fill('Example Workspace');
      await assertAccessibleInAllLooks(page, 'the form of a stored provider');
      await page.getByRole('button', { name: 'Save' }).press('Enter');
      await offered(page).filter({ hasText: 'Continue with Example Workspace' }).waitFor();
      await becomes(
        async () => (await settings()).find(({ key }) => key === 'social.google.client_secret')?.value,
        before,
      );
    }));

  it('change their order by keyboard, the focus staying on the button, and the ends doing nothing', () =>
    onConnections(async ({ page }) => {
      await page.getByRole('button', { name: 'Move GitHub up' }).press('Enter');
      await offered(page).first().filter({ hasText: 'github' }).waitFor();
      await page.getByRole('status').filter({ hasText: 'GitHub is now 1 of 2' }).waitFor();
      await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Move GitHub up');
      await page.keyboard.press('Enter');
      await becomes(async () => (await stored())['social.order'], 'github,google');
    }));

  it('are disabled and enabled in place, and say why they failed to be', () =>
    onConnections(async ({ page, context, expect }) => {
      expect(503, '/api/settings');
      await page.getByRole('button', { name: 'Disable Google' }).press('Enter');
      await page.getByRole('button', { name: 'Enable Google' }).waitFor();
      await offered(page).nth(1).waitFor({ state: 'detached' });
      await context.route('**/api/settings', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({ status: 503, json: { error: 'service_unavailable', message: 'The database is away.' } })
          : route.fallback(),
      );
      await page.getByRole('button', { name: 'Enable Google' }).press('Enter');
      await page.getByRole('alert').filter({ hasText: 'The database is away.' }).waitFor();
      await assertAccessibleInAllLooks(page, 'a provider that could not be enabled');
      await becomes(async () => (await stored())['social.google.enabled'], 'false');
    }));

  it('are enabled again while what a login page offers is still being read', () =>
    onConnections(async ({ page, context }) => {
      await offered(page).nth(1).waitFor();
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await context.route('**/api/connections/social', async (route) => {
        await held;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Disable Google' }).press('Enter');
      await page.getByRole('button', { name: 'Enable Google' }).press('Enter');
      await page.getByRole('button', { name: 'Disable Google' }).waitFor();
      await becomes(async () => (await stored())['social.google.enabled'], 'true');
      letGo();
      await offered(page).nth(1).waitFor();
    }));

  it('are removed after their name is typed, disabled first, and stay so when a later step fails', () =>
    onConnections(async ({ page, context, expect }) => {
      expect(503, /^\/api\/settings\//);
      await context.route('**/api/settings/social.google.client_secret', (route) =>
        route.fulfill({ status: 503, json: { error: 'service_unavailable', message: 'The database is away.' } }),
      );
      await page.getByRole('button', { name: 'Remove Google' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Remove Google?' });
      await dialog.getByRole('textbox').fill('google');
      await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
      await dialog.getByText('Step 2 of 4 (the client secret) failed').waitFor();
      await assertAccessibleInAllLooks(page, 'the removal that failed');
      await becomes(async () => (await stored())['social.google.enabled'], undefined);
      await context.unroute('**/api/settings/social.google.client_secret');
      await dialog.getByRole('button', { name: 'Remove' }).press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await becomes(async () => Object.keys(await stored()).filter((key) => key.includes('google')), []);
      await becomes(async () => (await stored())['social.order'], 'github');
      await page.waitForFunction(() => document.activeElement !== document.body);
      for (const { key } of await settings())
        await dashboard.call(`/api/settings/${key}`, { session: sessions.admin, method: 'DELETE' });
      await page.reload();
      await page.getByText('No social providers yet').waitFor();
      await assertAccessibleInAllLooks(page, 'the connections without a provider');
    }));

  it('fail in place where the settings cannot be read, and are closed to a viewer, who asks for nothing', async () => {
    await onConnections(async ({ page, context, expect }) => {
      expect(503, '/api/settings');
      await context.route('**/api/settings?*', (route) =>
        route.fulfill({ status: 503, json: { error: 'service_unavailable', message: 'The database is away.' } }),
      );
      await page.reload();
      await page.getByRole('alert').filter({ hasText: 'The database is away.' }).waitFor({ timeout: 20_000 });
      await assertAccessibleInAllLooks(page, 'the connections that cannot be read');
      await context.unroute('**/api/settings?*');
      await page.getByRole('button', { name: 'Try again' }).press('Enter');
      await offered(page).first().waitFor();
    });
    await onConnections(
      async ({ page }) => {
        await page.getByText('Admin access required.').waitFor();
        await becomes(() => page.getByRole('button', { name: 'Add provider' }).getAttribute('aria-disabled'), 'true');
      },
      { role: 'viewer' },
    );
  });
});
