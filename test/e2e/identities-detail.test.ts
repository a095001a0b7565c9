import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/axe.ts';
import { needsChromium, type Visit, type VisitOptions } from '../support/browser.ts';
import { signedInVisit } from '../support/browser-sign-in.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { type IdentityUpstream, startIdentityUpstream } from '../support/identity-upstream.ts';

const ADMIN = '/api/identity-admin/admin';

describe('the page of an identity, in a browser', function () {
  this.timeout(60_000);
  let upstream: IdentityUpstream;
  let dashboard: Dashboard;
  let session: string;
  let people = 0;
  before(async function () {
    needsChromium(this);
    upstream = await startIdentityUpstream();
    dashboard = await startDashboard({
      env: { IDENTITY_ADMIN_URL: upstream.url, PROXY_TIMEOUT_MS: '1000' },
      storeFromSandbox: true,
      sandbox: { people: 0 },
    });
    upstream.target = dashboard.sandbox.environment.IDENTITY_ADMIN_URL ?? '';
    session = await dashboard.signIn('admin');
  });
  after(async () => {
    await dashboard?.close();
    await upstream?.close();
  });
  afterEach(() => {
    upstream.fault = undefined;
    upstream.requests.length = 0;
  });

  interface Person {
    id: string;
    email: string;
  }

  /** Somebody who has a password, and an account at a provider. */
  async function person(): Promise<Person> {
    people += 1;
    const email = `person-${people}@example.org`;
    const answer = await dashboard.call(`${ADMIN}/identities`, {
      session,
      json: {
        schema_id: 'customer',
        traits: { email, name: { first: 'Person', last: String(people) }, locale: 'en' },
        metadata_admin: { note: 'kept' },
        credentials: {
          password: { config: { password: 'a-long-password-of-somebody' } },
          oidc: { config: { providers: [{ provider: 'google', subject: `subject-${people}` }] } },
        },
      },
    });
    assert.equal(answer.status, 201, await answer.clone().text());
    return { id: ((await answer.json()) as Person).id, email };
  }

  const stored = (id: string): Promise<Response> => dashboard.call(`${ADMIN}/identities/${id}`, { session });

  const visitOf = (
    { id }: Person,
    work: (visit: Visit) => Promise<void>,
    options: { tab?: string; heading?: string } & Pick<VisitOptions, 'colorScheme' | 'viewport'> = {},
  ): Promise<void> => {
    const { tab = '', heading = `Person ${people}`, ...look } = options;
    return signedInVisit(dashboard, session, { path: `/identities/${id}${tab}`, heading, ...look }, work);
  };
  const choose = async (page: Page, action: RegExp): Promise<void> => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is accessible on every tab, in its menu and in its dialogs, in ${colorScheme} colours`, async () =>
      visitOf(
        await person(),
        async ({ page }) => {
          await page.getByRole('heading', { name: 'At a glance' }).waitFor();
          await assertAccessible(page, 'the overview tab');
          for (const [tab, content] of [
            ['Traits and metadata', 'Admin metadata'],
            ['Credentials', 'Hashes, seeds and tokens stay'],
            ['Sessions', 'No sessions'],
            ['JSON', 'As the identity service gave it'],
          ] as const) {
            await page.getByRole('link', { name: tab, exact: true }).click();
            await page.getByText(content).waitFor();
            assert.equal(await page.getByRole('link', { name: tab, exact: true }).getAttribute('aria-current'), 'page');
            await assertAccessible(page, `the tab ${tab}`);
          }
          await page.getByRole('button', { name: 'More actions' }).click();
          await page.getByRole('menuitem', { name: /Delete/ }).waitFor();
          await assertAccessible(page, 'the menu');
          await page.getByRole('menuitem', { name: /Delete/ }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).waitFor();
          await assertAccessible(page, 'the deletion');
          await page.keyboard.press('Escape');
          await choose(page, /Recovery/);
          await page.getByRole('button', { name: 'Create a code' }).click();
          await page.getByText('Shown once').waitFor();
          await assertAccessible(page, 'the recovery code');
        },
        { colorScheme },
      ));
  }

  it('fits a screen 360 pixels wide on every tab', async () =>
    visitOf(
      await person(),
      async ({ page }) => {
        for (const tab of ['Overview', 'Traits and metadata', 'Credentials', 'Sessions', 'JSON']) {
          await page
            .getByRole('navigation', { name: 'Identity' })
            .getByRole('link', { name: tab, exact: true })
            .click();
          await page.locator(`[aria-current="page"]`, { hasText: tab }).waitFor();
          assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, tab);
        }
      },
      { viewport: { width: 360, height: 740 } },
    ));

  it('shows what credentials there are and never asks for what they hide', async () => {
    const somebody = await person();
    await visitOf(
      somebody,
      async ({ page }) => {
        await page.getByText(`Password · ${somebody.email}`).waitFor();
        await page.getByText(`Social sign-in · google:subject-${people}`).waitFor();
        await page.getByRole('link', { name: 'JSON', exact: true }).click();
        const json = await page.getByRole('region', { name: 'Identity as JSON' }).textContent();
        const { credentials } = JSON.parse(json ?? '') as { credentials: Record<string, { config?: object }> };
        assert.deepEqual(Object.keys(credentials).sort(), ['oidc', 'password']);
        assert.deepEqual(
          Object.values(credentials).map(({ config }) => config),
          [undefined, undefined],
        );
      },
      { tab: '/credentials' },
    );
    assert.ok(upstream.requests.every(({ url }) => !url.includes('include_credential')));
  });

  it("deletes one of two ways in, and shows the store's reason for keeping the last", async () => {
    const somebody = await person();
    await visitOf(
      somebody,
      async ({ page, expect }) => {
        await page.getByRole('button', { name: `Delete Social sign-in google:subject-${people}` }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await page.getByText(`Social sign-in google:subject-${people} is deleted`).waitFor();
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
    const somebody = await person();
    const { IDENTITY_URL: publicUrl } = dashboard.env;
    const signIn = async (userAgent: string): Promise<void> => {
      const flow = (await (await fetch(`${publicUrl}/self-service/login/api`)).json()) as { ui: { action: string } };
      const answer = await fetch(flow.ui.action, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': userAgent, 'x-real-ip': '203.0.113.7' },
        body: JSON.stringify({
          method: 'password',
          identifier: somebody.email,
          password: 'a-long-password-of-somebody',
        }),
      });
      assert.equal(answer.status, 200, await answer.text());
    };
    await signIn('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36');
    await signIn('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0');
    await visitOf(
      somebody,
      async ({ page, expect }) => {
        expect(404, /\/sessions$/);
        await page.getByText('2 sessions, 2 active').waitFor();
        await page.getByText('Chrome on macOS · 203.0.113.7 · just now').waitFor();
        await page.getByText('By password').first().waitFor();
        await assertAccessible(page, 'the sessions');
        await page.getByRole('button', { name: 'End the session of Firefox on Linux' }).click();
        await page.getByText('2 sessions, 1 active').waitFor();
        await page.getByText('no longer active').waitFor();
        await page.getByRole('button', { name: 'End all sessions…' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
        await page.getByText('No sessions').waitFor();
        // That there is none any more is no failure.
        await choose(page, /End all sessions/);
        await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      },
      { tab: '/sessions' },
    );
  });

  it('deactivates and ends the sessions in one act, and activates again', async () => {
    const somebody = await person();
    await visitOf(somebody, async ({ page, expect }) => {
      expect(404, /\/sessions$/);
      await choose(page, /Deactivate/);
      await page.getByRole('dialog').getByText('All of its sessions are ended').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
      await page.getByText('Deactivated, and its sessions are ended').waitFor();
      const writes = upstream.requests
        .filter(({ method }) => method !== 'GET')
        .map(({ method, url }) => `${method} ${url}`);
      assert.deepEqual(writes.slice(-2), [
        `PATCH /admin/identities/${somebody.id}`,
        `DELETE /admin/identities/${somebody.id}/sessions`,
      ]);
      assert.equal(((await (await stored(somebody.id)).json()) as { state: string }).state, 'inactive');
      await page.getByText('Inactive', { exact: true }).first().waitFor();
      await choose(page, /Activate/);
      await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
      await page.getByText('Active again').waitFor();
      assert.equal(((await (await stored(somebody.id)).json()) as { state: string }).state, 'active');
    });
  });

  it('says so when it deactivated but could not end the sessions', async () => {
    const somebody = await person();
    await visitOf(somebody, async ({ page, expect }) => {
      expect(503, /\/sessions$/);
      upstream.fault = ({ method, url }) =>
        method === 'DELETE' && url.endsWith('/sessions')
          ? { status: 503, body: '{"error":{"message":"busy"}}' }
          : undefined;
      await choose(page, /Deactivate/);
      await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
      await page.getByRole('dialog').getByText('It is deactivated, but its sessions could not be ended').waitFor();
      assert.equal(((await (await stored(somebody.id)).json()) as { state: string }).state, 'inactive');
    });
  });

  it('deletes only after the identifier was typed, and stays open until the store has answered', async () => {
    const somebody = await person();
    await visitOf(somebody, async ({ page, expect }) => {
      await choose(page, /Delete/);
      const dialog = page.getByRole('dialog');
      const button = dialog.getByRole('button', { name: 'Delete' });
      assert.ok(await button.isDisabled());
      await dialog.getByRole('textbox').fill(somebody.email.toUpperCase());
      assert.ok(await button.isDisabled());
      await dialog.getByRole('textbox').fill(somebody.email);
      expect(504, new RegExp(somebody.id));
      upstream.fault = ({ method }) => (method === 'DELETE' ? 'silence' : undefined);
      await button.click();
      await page.keyboard.press('Escape');
      await dialog.getByText('did not respond within').waitFor();
      upstream.fault = undefined;
      await button.click();
      await page.getByText(`${somebody.email} is deleted`).waitFor();
      await page.waitForURL('**/identities');
    });
    assert.equal((await stored(somebody.id)).status, 404);
  });

  it('makes a recovery code and a link, shown once', async () => {
    const somebody = await person();
    await visitOf(somebody, async ({ page }) => {
      await choose(page, /Recovery/);
      await page.getByLabel('Valid for').selectOption('15m');
      await page.getByRole('button', { name: 'Create a code' }).click();
      const code = await page
        .getByRole('dialog')
        .getByText(/^\d{6}$/)
        .textContent();
      await page.getByText(/It ends in 1[45] minutes/).waitFor();
      const request = upstream.requests.find(({ url }) => url === '/admin/recovery/code');
      assert.deepEqual(JSON.parse(request?.body ?? ''), { identity_id: somebody.id, expires_in: '15m' });
      await page.getByRole('button', { name: 'I have passed it on' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.ok(!(await page.content()).includes(code ?? ''));
      await choose(page, /Recovery/);
      await page.getByRole('button', { name: 'Create a link' }).click();
      await page
        .getByRole('dialog')
        .getByText(/\/self-service\/recovery\?/)
        .waitFor();
    });
  });

  it('says that there is no such identity, for an unknown id and for what is none', async () => {
    const unknown: Person = { id: '11111111-1111-4111-8111-111111111111', email: '' };
    await signedInVisit(dashboard, session, { path: '/dashboard', heading: 'Overview' }, async ({ page, expect }) => {
      expect(404, /\/identities\//);
      await page.goto(`${dashboard.baseUrl}/identities/${unknown.id}`);
      await page.getByText('No identity has this id. It may have been deleted.').waitFor();
      const before = upstream.requests.length;
      await page.goto(`${dashboard.baseUrl}/identities/nonsense`);
      await page.getByText('What stands in this address is not an identity id.').waitFor();
      assert.equal(upstream.requests.length, before);
      await assertAccessible(page, 'the page without an identity');
    });
  });

  for (const [circumstance, answer] of [
    ['an HTML page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hello</h1>' }],
    ['half a JSON', { status: 200, body: '{"id":"0' }],
    ['something else', { status: 200, body: '{"id":"x","traits":null}' }],
    ['silence', 'silence'],
  ] as const) {
    it(`shows a failure with the request's id when the store answers with ${circumstance}`, async () => {
      const somebody = await person();
      await signedInVisit(dashboard, session, { path: '/dashboard', heading: 'Overview' }, async ({ page, expect }) => {
        expect(504, /\/identities\//);
        upstream.fault = ({ url }) => (url.includes(somebody.id) ? answer : undefined);
        await page.goto(`${dashboard.baseUrl}/identities/${somebody.id}`);
        await page.getByRole('alert').waitFor();
        upstream.fault = undefined;
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('heading', { level: 1, name: `Person ${people}` }).waitFor();
      });
    });
  }
});
