import assert from 'node:assert/strict';
import { assertAccessible } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import {
  chooseAction,
  onPersonPage,
  openRecovery,
  PASSWORD,
  person,
  signInAs,
  stored,
} from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite } from '../support/intercepted-dashboard.ts';

describe('what is done to an identity on its page, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ env: { PROXY_TIMEOUT_MS: '1000' } });

  it("deletes one of two ways in, and shows the store's reason for keeping the last", async () => {
    const somebody = await person(intercepted);
    await onPersonPage(
      intercepted,
      somebody,
      async ({ page, expect }) => {
        await page.getByRole('button', { name: `Delete Social sign-in google:${somebody.subject}` }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await page.getByText(`Social sign-in google:${somebody.subject} is deleted`).waitFor();
        await page.getByText(`Social sign-in · google`).waitFor({ state: 'detached' });
        expect(400, /\/credentials\/password$/);
        await page.getByRole('button', { name: 'Delete Password' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await page.getByText('You cannot remove the last first factor credential.').waitFor();
      },
      { tab: '/credentials' },
    );
  });

  it('tells sessions in words, and ends one or all of them', async () => {
    const somebody = await person(intercepted);
    const signIn = async (userAgent: string): Promise<void> => {
      const headers = { 'user-agent': userAgent, 'x-real-ip': '203.0.113.7' };
      assert.equal(await signInAs(intercepted, somebody.email, PASSWORD, headers), 200);
    };
    await signIn('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36');
    await signIn('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0');
    await onPersonPage(
      intercepted,
      somebody,
      async ({ page, expect }) => {
        expect(404, /\/sessions$/);
        await page.getByText('2 sessions, 2 active').waitFor();
        await page.getByText('Chrome on macOS · 203.0.113.7 · just now').waitFor();
        await page.getByText('By password').first().waitFor();
        await assertAccessible(page, 'the sessions');
        await page.getByRole('button', { name: 'End session: Firefox on Linux' }).click();
        const asked = page.getByRole('dialog', { name: `End the session of ${somebody.email} on Firefox on Linux?` });
        await asked.getByRole('button', { name: 'Cancel' }).click();
        await page.getByText('2 sessions, 2 active').waitFor();
        await page.getByRole('button', { name: 'End session: Firefox on Linux' }).click();
        await asked.getByRole('button', { name: 'End the session' }).click();
        await page.getByText('2 sessions, 1 active').waitFor();
        await page.getByText('no longer active').waitFor();
        await page.getByRole('button', { name: 'End all sessions…' }).click();
        const all = page.getByRole('dialog', { name: `End all sessions of ${somebody.email}?` });
        await all.getByRole('button', { name: 'End all sessions' }).click();
        await page.getByText('No sessions').waitFor();
        // Having no sessions left is not an error.
        await chooseAction(page, /End all sessions/);
        await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      },
      { tab: '/sessions' },
    );
  });

  it('deactivates and ends the sessions in one act, and activates again', async () => {
    const somebody = await person(intercepted);
    await onPersonPage(intercepted, somebody, async ({ page, expect }) => {
      expect(404, /\/sessions$/);
      await chooseAction(page, /Deactivate/);
      await page.getByRole('dialog', { name: `Deactivate ${somebody.email}?` }).waitFor();
      await page.getByRole('dialog').getByText('Its sessions end as well').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
      await page.getByText('Deactivated and signed out').waitFor();
      const writes = intercepted.upstream.seen
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path}`);
      assert.deepEqual(writes.slice(-2), [
        `PATCH /admin/identities/${somebody.id}`,
        `DELETE /admin/identities/${somebody.id}/sessions`,
      ]);
      await becomes(
        async () => ((await (await stored(intercepted, somebody.id)).json()) as { state: string }).state,
        'inactive',
      );
      await page.getByText('Inactive', { exact: true }).first().waitFor();
      await openRecovery(page);
      await page.getByRole('dialog').getByText('This identity is inactive').waitFor();
      await page.keyboard.press('Escape');
      await chooseAction(page, /Activate/);
      await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
      await page.getByText('Activated', { exact: true }).waitFor();
      await becomes(
        async () => ((await (await stored(intercepted, somebody.id)).json()) as { state: string }).state,
        'active',
      );
    });
  });

  it('says when it deactivated the identity but could not end the sessions, which can still be ended', async () => {
    const somebody = await person(intercepted);
    assert.equal(await signInAs(intercepted, somebody.email, PASSWORD), 200);
    await onPersonPage(intercepted, somebody, async ({ page, expect }) => {
      expect(503, /\/sessions$/);
      intercepted.upstream.before = ({ method, path }) =>
        method === 'DELETE' && path.endsWith('/sessions')
          ? { status: 503, body: '{"error":{"message":"busy"}}' }
          : undefined;
      await chooseAction(page, /Deactivate/);
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
      await page.getByRole('dialog').getByText('It is deactivated, but its sessions could not be ended').waitFor();
      await becomes(
        async () => ((await (await stored(intercepted, somebody.id)).json()) as { state: string }).state,
        'inactive',
      );
      intercepted.upstream.calm();
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Sessions', exact: true }).last().click();
      await page.getByText('1 session, 0 active').waitFor();
      await page.getByText('· person inactive · would end').waitFor();
      await page.getByText('their sessions do not work').waitFor();
      await page.getByRole('button', { name: /^End session:/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
      await page.getByText('no longer active').waitFor();
      await page.getByRole('button', { name: /^End session:/ }).waitFor({ state: 'detached' });
    });
  });

  it('deletes only after the identifier was typed, and stays open until the store has answered', async () => {
    const somebody = await person(intercepted);
    await onPersonPage(intercepted, somebody, async ({ page, expect }) => {
      await chooseAction(page, /Delete/);
      const dialog = page.getByRole('dialog');
      const button = dialog.getByRole('button', { name: 'Delete' });
      await becomes(() => button.isDisabled(), true);
      await dialog.getByRole('textbox').fill(somebody.email.toUpperCase());
      await becomes(() => button.isDisabled(), true);
      await dialog.getByRole('textbox').fill(somebody.email);
      expect(504, new RegExp(somebody.id));
      intercepted.upstream.before = ({ method }) => (method === 'DELETE' ? 'silence' : undefined);
      await button.click();
      await page.keyboard.press('Escape');
      await dialog.getByText('failed a moment ago').waitFor();
      intercepted.upstream.before = () => undefined;
      await button.click();
      await page.getByText(`${somebody.email} is deleted`).waitFor();
      await page.waitForURL('**/identities');
    });
    await becomes(async () => (await stored(intercepted, somebody.id)).status, 404);
  });

  it('makes a recovery code and a link, shown once', async () => {
    const somebody = await person(intercepted);
    await onPersonPage(intercepted, somebody, async ({ page }) => {
      await openRecovery(page);
      await page.getByLabel('Valid for').selectOption('15m');
      await page.getByRole('button', { name: 'Create a code' }).click();
      const code = await page
        .getByRole('dialog')
        .getByText(/^\d{6}$/)
        .textContent();
      await page.getByText(/It expires in 1[45] minutes/).waitFor();
      // A key press must not lose what is shown only once.
      await page.keyboard.press('Escape');
      await page.mouse.click(5, 5);
      await page.getByText(code ?? '').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Close' }).count(), 0);
      const request = intercepted.upstream.seen.find(({ path }) => path === '/admin/recovery/code');
      assert.deepEqual(JSON.parse(request?.body ?? ''), { identity_id: somebody.id, expires_in: '15m' });
      await page.getByRole('button', { name: 'I have passed it on' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.ok(!(await page.content()).includes(code ?? ''));
      await openRecovery(page);
      await page.getByRole('button', { name: 'Create a link' }).click();
      await page
        .getByRole('dialog')
        .getByText(/\/self-service\/recovery\?/)
        .waitFor();
    });
  });
});
