import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Setting } from '../../shared/settings.ts';
import { becomes } from '../support/becomes.ts';
import { needsChromium, type Visit } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

const SECRET = 'a-secret-that-nobody-guesses';

describe('undoing a change of a setting or of a provider, in a browser', function () {
  this.timeout(90_000);
  let dashboard: Dashboard;
  let session: string;
  before(async function () {
    needsChromium(this);
    dashboard = await startDashboard();
    session = await dashboard.signIn('admin');
  });
  after(() => dashboard?.close());

  const store = async (setting: object): Promise<void> => {
    assert.ok((await dashboard.call('/api/settings', { session, json: setting })).ok);
  };
  /** The value, decrypted; undefined for none. */
  const value = async (key: string): Promise<string | undefined> => {
    const answer = await dashboard.call(`/api/settings/${key}?decrypt=true`, { session });
    return answer.status === 404 ? undefined : ((await answer.json()) as Setting).value;
  };
  const undo = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Undo', exact: true });
  const undone = (page: Page) => page.getByText('Undone', { exact: true }).waitFor();
  const onSettings = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    signedInVisit(dashboard, session, { path: '/settings', heading: 'Settings' }, work);
  const onConnections = (work: (visit: Visit) => Promise<void>): Promise<void> =>
    signedInVisit(dashboard, session, { path: '/connections', heading: 'Connections' }, work);
  const edit = async (page: Page, key: string, wanted: string): Promise<void> => {
    await page.getByRole('link', { name: `Edit ${key}` }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: /value/i }).fill(wanted);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText(new RegExp(`^${key} is saved`)).waitFor();
  };

  it('brings back a plain value, and an encrypted one that the page never had', async () => {
    await store({ key: 'plain.key', value: 'old' });
    await store({ key: 'secret.key', value: SECRET, encrypted: true });
    await onSettings(async ({ page, context }) => {
      const decryptions: string[] = [];
      context.on('request', (request) => {
        if (request.url().includes('decrypt')) decryptions.push(request.url());
      });
      await edit(page, 'plain.key', 'new');
      assert.equal(await value('plain.key'), 'new');
      await undo(page).click();
      await undone(page);
      assert.equal(await value('plain.key'), 'old');
      await page.getByRole('row').filter({ hasText: 'plain.key' }).getByText('old', { exact: true }).waitFor();

      await edit(page, 'secret.key', 'another');
      assert.equal(await value('secret.key'), 'another');
      await undo(page).click();
      await becomes(() => value('secret.key'), SECRET);
      assert.deepEqual(decryptions, []);
      assert.ok(!(await page.content()).includes(SECRET));
    });
  });

  it('brings a deleted one back, and takes a new one away', async () => {
    await store({ key: 'deleted.key', value: SECRET, encrypted: true, category: 'kept' });
    await onSettings(async ({ page }) => {
      await page.getByRole('button', { name: 'Delete deleted.key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('It can be restored').waitFor();
      await dialog.getByRole('textbox').fill('deleted.key');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('deleted.key is deleted').waitFor();
      assert.equal(await value('deleted.key'), undefined);
      await undo(page).click();
      await page.getByRole('link', { name: 'deleted.key', exact: true }).waitFor();
      assert.equal(await value('deleted.key'), SECRET);

      await page.getByRole('link', { name: 'New setting' }).click();
      await dialog.getByLabel('Key').fill('new.key');
      await dialog.getByLabel('Value').fill('x');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('link', { name: 'new.key', exact: true }).waitFor();
      await undo(page).last().click();
      await page.getByRole('link', { name: 'new.key', exact: true }).waitFor({ state: 'detached' });
      assert.equal(await value('new.key'), undefined);
    });
  });

  it('overwrites nothing that somebody else has stored since', async () => {
    await store({ key: 'theirs.key', value: 'old' });
    await onSettings(async ({ page, expect }) => {
      expect(412, '/api/setting-history/restore');
      await edit(page, 'theirs.key', 'mine');
      await store({ key: 'theirs.key', value: 'theirs' });
      await undo(page).click();
      await page.getByText('Somebody has changed theirs.key since.').waitFor();
      assert.equal(await value('theirs.key'), 'theirs');
      await page.getByRole('row').filter({ hasText: 'theirs.key' }).getByText('theirs', { exact: true }).waitFor();
    });
  });

  it('is not offered where a plain value is encrypted: the service forgets it on purpose', async () => {
    await store({ key: 'encrypted.later', value: 'plain' });
    await onSettings(async ({ page }) => {
      await page.getByRole('link', { name: 'Edit encrypted.later' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('switch', { name: 'Store encrypted' }).check();
      await dialog.getByText('cannot be undone').waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('encrypted.later is saved, encrypted').waitFor();
      assert.equal(await undo(page).count(), 0);
    });
  });

  describe('of providers', () => {
    beforeEach(async () => {
      await store({ key: 'social.google.client_id', value: 'id-of-google', category: 'social' });
      await store({ key: 'social.google.client_secret', value: SECRET, encrypted: true, category: 'social' });
      await store({ key: 'social.google.enabled', value: 'true', category: 'social' });
      await store({ key: 'social.order', value: 'google', category: 'social' });
    });
    const google = (page: Page) => page.getByRole('listitem', { name: 'Google' });

    it('switches one on again, and off again', () =>
      onConnections(async ({ page }) => {
        await page.getByRole('button', { name: 'Disable Google' }).click();
        await page.getByText('Google is disabled', { exact: true }).waitFor();
        await undo(page).click();
        await undone(page);
        await google(page).getByText('Enabled', { exact: true }).waitFor();
        assert.equal(await value('social.google.enabled'), 'true');

        await store({ key: 'social.google.enabled', value: 'false' });
        await page.reload();
        await page.getByRole('button', { name: 'Enable Google' }).click();
        await page.getByText('Google is enabled', { exact: true }).waitFor();
        await undo(page).click();
        await google(page).getByText('Disabled', { exact: true }).waitFor();
        assert.equal(await value('social.google.enabled'), 'false');
      }));

    it('does not switch one on again that somebody has taken the secret away from', () =>
      onConnections(async ({ page }) => {
        await page.getByRole('button', { name: 'Disable Google' }).click();
        await undo(page).waitFor();
        await dashboard.call('/api/settings/social.google.client_secret', { session, method: 'DELETE' });
        await undo(page).click();
        await page.getByText('It would be enabled again, but cannot work. It has no client secret yet.').waitFor();
        assert.equal(await value('social.google.enabled'), 'false');
      }));

    it('brings a removed one back with its secret, enabled last, and a changed one as it was', () =>
      onConnections(async ({ page }) => {
        const writes: string[] = [];
        page.on('request', (request) => {
          if (request.url().endsWith('/restore')) writes.push((request.postDataJSON() as { key: string }).key);
        });
        await page.getByRole('button', { name: 'Edit Google' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Client id').fill('another');
        await dialog.getByRole('textbox', { name: 'Client secret' }).fill('another-secret');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Google is saved').waitFor();
        await undo(page).click();
        await undone(page);
        assert.deepEqual(writes.splice(0), [
          'social.google.enabled',
          'social.google.client_secret',
          'social.google.client_id',
          'social.google.enabled',
        ]);
        await page.getByRole('button', { name: 'Remove Google' }).click();
        await dialog.getByRole('textbox').fill('google');
        await dialog.getByRole('button', { name: 'Remove' }).click();
        await page.getByText('Google is removed').waitFor();
        await undo(page).click();
        await google(page).getByText('Enabled', { exact: true }).waitFor();
        await becomes(() => writes.at(-1), 'social.google.enabled');
        assert.equal(await value('social.google.client_secret'), SECRET);
        assert.equal(await value('social.google.client_id'), 'id-of-google');
        assert.equal(await value('social.order'), 'google');
      }));
  });
});
