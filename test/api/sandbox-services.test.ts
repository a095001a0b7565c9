import assert from 'node:assert/strict';
import type { Message } from '../../server/sandbox/identity-service/courier/courier.ts';
import type { IdentityDocument } from '../../server/sandbox/identity-service/identities/identity-document.ts';
import { type SandboxFixture, sandboxFixture } from '../support/sandbox-fixture.ts';

const PORTS = ['identity', 'identityAdmin', 'oauth', 'oauthAdmin'] as const;

describe("the sandbox's services", () => {
  let fixture: SandboxFixture;
  let ready = true;
  before(async () => {
    fixture = await sandboxFixture({ people: 40, redactMessages: true, ready: () => ready });
  });
  after(() => fixture.close());

  it('report when they are not ready, but remain alive', async () => {
    const statuses = (path: string) =>
      Promise.all(PORTS.map(async (port) => (await fetch(fixture.url(port) + path)).status));
    assert.deepEqual(await statuses('/health/ready'), [200, 200, 200, 200]);
    ready = false;
    assert.deepEqual(await statuses('/health/ready'), [503, 503, 503, 503]);
    assert.deepEqual(await statuses('/health/alive'), [200, 200, 200, 200]);
    ready = true;
  });

  it('hide what messages say where they were told to, in the list and in one', async () => {
    const [first] = (await fixture.admin<Message[]>('GET', '/admin/courier/messages')).json;
    assert.ok(first);
    const { json } = await fixture.admin<Message>('GET', `/admin/courier/messages/${first.id}`);
    for (const { subject, body } of [first, json])
      assert.deepEqual([subject, body], ['<redacted-unless-dev-mode>', '<redacted-unless-dev-mode>']);
  });

  it('break the connection over a page token that is too short, and refuse a long one in words', async () => {
    for (const path of [
      '/admin/clients?',
      '/admin/courier/messages?',
      '/admin/oauth2/auth/sessions/consent?subject=a&',
    ])
      for (const token of ['nope', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa']) {
        const asked = fixture.admin('GET', `${path}page_token=${token}`);
        await assert.rejects(asked, /fetch failed/, path + token);
      }
    assert.equal(
      (await fixture.admin('GET', '/admin/clients?page_token=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')).status,
      400,
    );
  });

  it('refuse more than 500 ids, and answer 500', async () => {
    const ids = (count: number) => {
      const query = Array.from({ length: count }, () => `ids=${crypto.randomUUID()}`).join('&');
      return fetch(`${fixture.url('identityAdmin')}/admin/identities?${query}`, { method: 'HEAD' });
    };
    // Node's client rejects the `Link` header for this many ids; a refusal has none.
    assert.equal((await ids(501)).status, 400);
    await assert.rejects(ids(500), /fetch failed/);
    assert.equal((await ids(150)).status, 200);
  });
});

describe("the sandbox's messages", () => {
  let fixture: SandboxFixture;
  beforeEach(async () => {
    fixture = await sandboxFixture();
  });
  afterEach(() => fixture.close());

  const list = async (query = '') => (await fixture.admin<Message[]>('GET', `/admin/courier/messages${query}`)).json;
  const ask = async (kind: 'recovery' | 'verification', email: string) => {
    const base = `${fixture.url('identity')}/self-service/${kind}`;
    const { id } = (await (await fetch(`${base}/api`)).json()) as { id: string };
    const body = JSON.stringify({ method: 'code', email });
    await fetch(`${base}?flow=${id}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  };

  it('arise from recoveries and verifications, newest first, and are found by status and recipient', async () => {
    await ask('recovery', 'viewer@example.com');
    await ask('verification', 'admin@example.com');
    await ask('recovery', 'nobody@example.com');
    assert.deepEqual(
      (await list()).map(({ recipient, template_type, status }) => [recipient, template_type, status]),
      [
        ['admin@example.com', 'verification_code_valid', 'queued'],
        ['viewer@example.com', 'recovery_code_valid', 'queued'],
      ],
    );
    assert.equal((await list('?recipient=admin@example.com&status=queued')).length, 1);
    assert.equal((await list('?recipient=Admin@example.com')).length, 0, 'case counts');
    assert.equal((await list('?status=sent')).length, 0);
  });

  it('leave their mark on an address that is to be verified', async () => {
    const { json } = await fixture.admin<IdentityDocument>('POST', '/admin/identities', {
      schema_id: 'customer',
      traits: { email: 'new@example.com' },
    });
    assert.equal(json.verifiable_addresses[0]?.status, 'pending');
    await ask('verification', 'new@example.com');
    const after = await fixture.admin<IdentityDocument>('GET', `/admin/identities/${json.id}`);
    assert.equal(after.json.verifiable_addresses[0]?.status, 'sent');
  });
});
