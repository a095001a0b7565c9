import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes, until } from '../support/becomes.ts';
import { needsChromium, type Visit, type VisitOptions } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

const SECRET = 'a-secret-that-nobody-guesses';

describe('the settings page, in a browser', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
    session = await dashboard.signIn('admin');
    await store({ key: 'mail.smtp.host', value: 'smtp.example.org', category: 'mail' });
    await store({ key: 'mail.smtp.password', value: SECRET, encrypted: true, category: 'mail' });
    await store({ key: 'brand.name', value: 'Example' });
  });
  after(() => dashboard?.close());

  async function store(setting: object): Promise<void> {
    assert.ok((await dashboard.call('/api/settings', { session, json: setting })).ok);
  }

  const onSettings = (
    work: (visit: Visit) => Promise<void>,
    options: { path?: string } & Pick<VisitOptions, 'colorScheme' | 'viewport'> = {},
  ): Promise<void> => signedInVisit(dashboard, session, { path: '/settings', heading: 'Settings', ...options }, work);
  const field = (page: Page, name: string) => page.getByRole('dialog').getByLabel(name);
  const row = (page: Page, key: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name: key, exact: true }) });

  it(`is accessible as a list, as a form and before a deletion, in all colours and widths`, () =>
    onSettings(async ({ page }) => {
      await row(page, 'brand.name').waitFor();
      await assertAccessibleInAllLooks(page, 'the list');
      await page.getByRole('link', { name: 'Edit mail.smtp.password' }).click();
      await field(page, 'New value').waitFor();
      await assertAccessibleInAllLooks(page, 'the form');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Delete mail.smtp.password' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the deletion');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Encrypt a value' }).click();
      await field(page, 'Value to encrypt').fill('x');
      await page.getByRole('button', { name: 'Encrypt', exact: true }).click();
      await page.getByRole('button', { name: 'Copy the ciphertext' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the encryption');
    }));

  it('stores an encrypted setting, reveals it by one request for 30 seconds, and finds it after a reload', () =>
    onSettings(async ({ page, context }) => {
      const decryptions: string[] = [];
      context.on('request', (request) => {
        if (request.url().includes('decrypt=true')) decryptions.push(request.url());
      });
      await page.clock.install();
      await page.getByRole('link', { name: 'New setting' }).click();
      await field(page, 'Key').fill('stored.here');
      await field(page, 'Value').fill(SECRET);
      await page.getByRole('switch', { name: 'Store encrypted' }).check();
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('stored.here is saved, encrypted').waitFor();
      assert.ok(!(await page.content()).includes(SECRET));

      await page.getByRole('button', { name: 'Reveal stored.here' }).click();
      await page.getByText(SECRET).waitFor();
      assert.equal(decryptions.length, 1);
      await until(async () => {
        // The timer starts once the value is rendered, which a test cannot observe.
        await page.clock.fastForward(31_000);
        return (await page.getByText(SECRET).count()) === 0;
      });

      await page.reload();
      await row(page, 'stored.here').waitFor();
      assert.ok(!(await page.content()).includes(SECRET));
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]),
      );
      assert.ok(!kept.includes(SECRET));
    }));

  it('copies an encrypted value without showing it', () =>
    onSettings(async ({ page, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy the value of mail.smtp.password' }).click();
      await page.getByText('Copied').waitFor();
      await becomes(() => page.evaluate(() => navigator.clipboard.readText()), SECRET);
      assert.ok(!(await page.content()).includes(SECRET));
    }));

  it('never puts a mask or the ciphertext where a value is typed, and asks for a value before it saves', () =>
    onSettings(async ({ page }) => {
      await page.getByRole('link', { name: 'Edit mail.smtp.password' }).click();
      await becomes(() => field(page, 'New value').inputValue(), '');
      await field(page, 'Category').fill('post');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Type the new value, or fill in the stored one.').waitFor();
      await page.getByRole('button', { name: 'Fill in the stored value' }).click();
      await page.waitForFunction(
        (secret) => [...document.querySelectorAll('textarea')].some(({ value }) => value === secret),
        SECRET,
      );
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('mail.smtp.password is saved, encrypted').waitFor();
      const stored = await dashboard.call('/api/settings/mail.smtp.password?decrypt=true', { session });
      const { value, encrypted, category } = (await stored.json()) as Record<string, unknown>;
      assert.deepEqual({ value, encrypted, category }, { value: SECRET, encrypted: true, category: 'post' });
      await store({ key: 'mail.smtp.password', value: SECRET, category: 'mail' });
    }));

  it('sends one request for a double click on save', () =>
    onSettings(async ({ page, context }) => {
      let posts = 0;
      context.on('request', (request) => {
        if (request.method() === 'POST') posts += 1;
      });
      await page.goto(`${dashboard.baseUrl}/settings?key=brand.name`);
      await field(page, 'Value').fill('Changed');
      await page.getByRole('button', { name: 'Save' }).dblclick();
      await page.getByText('brand.name is saved').waitFor();
      assert.equal(posts, 1);
    }));

  it('shows the reason of the server at the field', () =>
    onSettings(async ({ page, expect }) => {
      expect(400, '/api/settings');
      await page.getByRole('link', { name: 'New setting' }).click();
      await field(page, 'Key').fill(' begins.with.a.space');
      await page.getByRole('button', { name: 'Create' }).click();
      const problem = page.locator('[id$="-error"]');
      await problem.waitFor();
      await becomes(() => problem.textContent(), /^Key /);
      await becomes(() => field(page, 'Key').getAttribute('aria-invalid'), 'true');
    }));

  it('does not overwrite an existing setting from the form of a new one', () =>
    onSettings(async ({ page, expect }) => {
      expect(412, '/api/settings');
      await page.getByRole('link', { name: 'New setting' }).click();
      await field(page, 'Key').fill('mail.smtp.host');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('A setting with this key already exists.').waitFor();
    }));

  it('encrypts a new setting whose key looks like a secret, unless it is told not to', () =>
    onSettings(async ({ page }) => {
      const requests: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') requests.push(request.postData() ?? '');
      });
      for (const [key, decide] of [
        ['hands.api_token', false],
        ['hands.public_key', true],
      ] as const) {
        await page.getByRole('link', { name: 'New setting' }).click();
        await field(page, 'Key').fill(key);
        const encrypted = page.getByRole('switch', { name: 'Store encrypted' });
        await becomes(() => encrypted.isChecked(), true);
        await page.getByText('This key looks like a secret’s.').waitFor();
        if (decide) await encrypted.uncheck({ force: true });
        await field(page, 'Value').fill('value');
        await page.getByRole('button', { name: 'Create' }).click();
        await row(page, key).waitFor();
      }
      assert.deepEqual(
        requests.map((body) => (JSON.parse(body) as { encrypted: boolean }).encrypted),
        [true, false],
      );
    }));

  it('creates a setting by keyboard alone', () =>
    onSettings(async ({ page }) => {
      await page.getByRole('link', { name: 'New setting' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
      await page.keyboard.type('typed.only');
      await page.keyboard.press('Tab');
      await page.keyboard.type('by keyboard');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.type('typed');
      await page.keyboard.press('Enter');
      await page.getByText('typed.only is saved').waitFor();
      const stored = (await (await dashboard.call('/api/settings/typed.only', { session })).json()) as object;
      assert.deepEqual(
        { ...stored, updated_at: '' },
        { key: 'typed.only', value: 'by keyboard', encrypted: false, category: 'typed', updated_at: '' },
      );
    }));

  it('goes from row to row with the arrow keys', () =>
    onSettings(async ({ page }) => {
      const focused = () => page.evaluate(() => document.activeElement?.textContent);
      await page.getByRole('link', { name: 'brand.name', exact: true }).focus();
      await page.keyboard.press('ArrowDown');
      await becomes(() => focused(), 'hands.api_token');
      await page.keyboard.press('ArrowUp');
      await becomes(() => focused(), 'brand.name');
    }));

  it('deletes an encrypted setting only after its key was typed', () =>
    onSettings(async ({ page }) => {
      await store({ key: 'to.delete', value: SECRET, encrypted: true });
      await page.reload();
      await page.getByRole('button', { name: 'Delete to.delete' }).click();
      const dialog = page.getByRole('dialog');
      const button = dialog.getByRole('button', { name: 'Delete' });
      await becomes(() => button.isDisabled(), true);
      await field(page, 'Type to.delete to confirm').fill('to.delete');
      await button.click();
      await page.getByText('to.delete is deleted').waitFor();
      assert.equal((await dashboard.call('/api/settings/to.delete', { session })).status, 404);
    }));

  it('filters by category in the address, and tells an empty match from an empty store', () =>
    onSettings(
      async ({ page }) => {
        await page.getByText(/^\d+ settings found$/).waitFor();
        await becomes(() => row(page, 'brand.name').count(), 0);
        await page.getByLabel('Key contains').fill('no such key');
        await page.keyboard.press('Enter');
        await page.getByText('No setting matches').waitFor();
        await page.getByRole('button', { name: 'Show all settings' }).click();
        await row(page, 'brand.name').waitFor();
        await becomes(() => new URL(page.url()).search, '');
      },
      { path: '/settings?category=mail' },
    ));

  it('opens a setting whose key holds what addresses cannot', () =>
    onSettings(async ({ page }) => {
      const key = 'a/b %2F;#?&=+ ü😀';
      await store({ key, value: SECRET, encrypted: true });
      await page.reload();
      await row(page, key).getByRole('button', { name: 'Reveal' }).click();
      await page.getByText(SECRET).waitFor();
      await row(page, key).getByRole('link', { name: 'Edit' }).click();
      await page.reload();
      await becomes(() => field(page, 'Key').inputValue(), key);
    }));

  it('fits 360 pixels without scrolling sideways, with no hidden link in the tab order', () =>
    onSettings(
      async ({ page }) => {
        await row(page, 'brand.name').waitFor();
        await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), 360);
        assert.equal(await page.getByRole('link', { name: 'System' }).count(), 0);
        await page.getByRole('button', { name: 'Navigation' }).click();
        await page.getByRole('link', { name: 'System' }).click();
        await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
        assert.equal(await page.getByRole('link', { name: 'Overview' }).count(), 0);
        await becomes(() => page.evaluate(() => document.documentElement.scrollWidth), 360);
      },
      { viewport: { width: 360, height: 740 } },
    ));
});
