import assert from 'node:assert/strict';
import type { Message } from '../../server/sandbox/identity-service/courier/courier.ts';
import { sandboxBrowser } from '../support/sandbox-browser.ts';
import { DASHBOARD, type SandboxFixture, sandboxFixture } from '../support/sandbox-fixture.ts';
import { CALLBACK, openidOracle } from '../support/sandbox-sign-in.ts';

describe("the sandbox's recovery", () => {
  let fixture: SandboxFixture;
  let now = Date.UTC(2026, 5, 1);
  beforeEach(async () => {
    now = Date.UTC(2026, 5, 1);
    fixture = await sandboxFixture({ now: () => now });
  });
  afterEach(() => fixture.close());

  const viewerId = async () => {
    const path = '/admin/identities?credentials_identifier=viewer@example.com';
    return (await fixture.admin<{ id: string }[]>('GET', path)).json[0]?.id;
  };
  const signsIn = async (password: string) => {
    const { landed } = await (await openidOracle(fixture)).signIn('viewer@example.com', password);
    return landed.url.startsWith(CALLBACK);
  };

  it('sets a new password by the code that an operator was given, once', async () => {
    const body = { identity_id: await viewerId() };
    const { json } = await fixture.admin<{ recovery_link: string; recovery_code: string }>(
      'POST',
      '/admin/recovery/code',
      body,
    );
    const browser = sandboxBrowser();
    const page = await browser.open(json.recovery_link);
    const wrong = await browser.submit(page, {
      code: json.recovery_code === '000000' ? '000001' : '000000',
      password: 'a-new-password',
    });
    assert.match(wrong.body, /role="alert"/);
    assert.match(
      (await browser.submit(page, { code: json.recovery_code, password: 'short' })).body,
      /at least 8 characters/,
    );
    const done = await browser.submit(page, { code: json.recovery_code, password: 'a-new-password' });
    assert.match(done.body, /The password is set/);
    assert.equal((await browser.open(json.recovery_link)).status, 400);
    assert.equal(await signsIn('sandbox-viewer'), false);
    assert.equal(await signsIn('a-new-password'), true);
  });

  it('sets a new password by the link, which leads from the identity service to the page', async () => {
    const body = { identity_id: await viewerId(), expires_in: '15m' };
    const { json } = await fixture.admin<{ recovery_link: string }>('POST', '/admin/recovery/link', body);
    const browser = sandboxBrowser();
    const away = await browser.open(json.recovery_link);
    assert.ok(away.url.startsWith(`${fixture.url('oauth')}/recovery?`), away.url);
    const page = await browser.open(away.url);
    const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    assert.match((await browser.submit(page, { token, password: 'a-new-password' })).body, /The password is set/);
    assert.equal(await signsIn('a-new-password'), true);
  });

  it('ends when its time is over', async () => {
    const body = { identity_id: await viewerId(), expires_in: '15m' };
    const { json } = await fixture.admin<{ recovery_link: string }>('POST', '/admin/recovery/code', body);
    now += 15 * 60_000;
    assert.equal((await sandboxBrowser().open(json.recovery_link)).status, 400);
  });

  it('mails a code to those who forgot their password, and nothing to strangers', async () => {
    const browser = sandboxBrowser();
    for (const email of ['Viewer@Example.com', 'stranger@example.com']) {
      const ask = await browser.open(`${fixture.url('oauth')}/recovery`);
      assert.ok(
        ask.body.includes(`<a href="${DASHBOARD}/messages">`),
        'the code is on the dashboard’s page of messages',
      );
      const page = await browser.submit(ask, { email });
      assert.match(page.body, /name="code"/);
      if (email.startsWith('Viewer')) {
        const [mail] = (await fixture.admin<Message[]>('GET', '/admin/courier/messages')).json;
        assert.equal(mail?.recipient, 'viewer@example.com');
        const code = /\d{6}/.exec(mail?.subject ?? '')?.[0] ?? '';
        assert.match((await browser.submit(page, { code, password: 'a-new-password' })).body, /The password is set/);
      }
    }
    assert.equal((await fixture.admin<Message[]>('GET', '/admin/courier/messages')).json.length, 1);
  });

  it('queues verification mails from the native flow', async () => {
    const base = `${fixture.url('identity')}/self-service/verification`;
    const { id } = (await (await fetch(`${base}/api`)).json()) as { id: string };
    const body = JSON.stringify({ method: 'code', email: 'admin@example.com' });
    const answer = await fetch(`${base}?flow=${id}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.status, 200);
    const [mail] = (await fixture.admin<Message[]>('GET', '/admin/courier/messages')).json;
    assert.equal(mail?.template_type, 'verification_code_valid');
  });

  it('lets page tokens of messages expire after an hour', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      const browser = sandboxBrowser();
      await browser.submit(await browser.open(`${fixture.url('oauth')}/recovery`), { email: 'admin@example.com' });
    }
    const { headers } = await fixture.admin('GET', '/admin/courier/messages?page_size=1');
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    assert.equal((await fixture.admin('GET', next)).status, 200);
    now += 3_600_000;
    const { status, json } = await fixture.admin<{ error: { message: string } }>('GET', next);
    assert.equal(status, 400);
    assert.equal(json.error.message, 'page token expired, do not persist page tokens');
  });
});
