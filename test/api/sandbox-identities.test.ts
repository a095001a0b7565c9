import assert from 'node:assert/strict';
import type { Message } from '../../server/sandbox/identity-service/courier/courier.ts';
import type { IdentityDocument } from '../../server/sandbox/identity-service/identities/identity-document.ts';
import { sandboxBrowser } from '../support/sandbox-browser.ts';
import { CALLBACK, openidOracle, type SandboxFixture, sandboxFixture } from '../support/sandbox-fixture.ts';

interface SessionAnswer {
  active: boolean;
  devices: { ip_address: string; user_agent: string | null }[] | null;
}
interface BatchAnswer {
  identities: { action: string; error?: { code: number } }[];
  error?: { code: number; reason?: string };
}

/** What the console's pages need and no recording of a real server shows. */
describe("the sandbox's identities", () => {
  let fixture: SandboxFixture;
  let now: number;
  beforeEach(async () => {
    now = Date.now();
    fixture = await sandboxFixture({ now: () => now });
  });
  afterEach(() => fixture.close());

  const create = async (email: string, more: Record<string, unknown> = {}): Promise<IdentityDocument> => {
    const { status, json } = await fixture.admin<IdentityDocument>('POST', '/admin/identities', {
      schema_id: 'customer',
      traits: { email },
      credentials: { password: { config: { password: 'a-good-password' } } },
      ...more,
    });
    assert.equal(status, 201);
    return json;
  };
  const signIn = async (email: string, password = 'a-good-password') =>
    (await (await openidOracle(fixture)).signIn(email, password)).landed;
  const sessionsOf = async (id: string) =>
    (await fixture.admin<SessionAnswer[]>('GET', `/admin/identities/${id}/sessions`)).json;

  it('have a session with the real browser and address once somebody signs in on the page, also after a restart', async () => {
    const { id } = await create('maria@example.com');
    const oracle = await openidOracle(fixture);
    const browser = sandboxBrowser({ 'user-agent': 'Testfox/1.0' });
    await oracle.signIn('maria@example.com', 'a-good-password', browser);
    await fixture.restart();
    const [session, ...others] = await sessionsOf(id);
    assert.equal(others.length, 0);
    assert.equal(session?.active, true);
    assert.equal(session?.devices?.[0]?.user_agent, 'Testfox/1.0');
    assert.match(session?.devices?.[0]?.ip_address ?? '', /^127\.0\.0\.1:\d+$/);
  });

  it('that are inactive cannot sign in on the page', async () => {
    await create('paused@example.com', { state: 'inactive' });
    assert.match((await signIn('paused@example.com')).body, /This account is not active/);
  });

  it('keep a social sign-in apart from others by how its provider spells it, and lose one of two ways in', async () => {
    const { id } = await create('octo@example.com', {
      credentials: {
        password: { config: { password: 'a-good-password' } },
        oidc: { config: { providers: [{ provider: 'github', subject: 'Octo' }] } },
      },
    });
    const found = async (identifier: string) =>
      (await fixture.admin<unknown[]>('GET', `/admin/identities?credentials_identifier=${identifier}`)).json.length;
    assert.deepEqual([await found('github%3AOcto'), await found('github%3Aocto')], [1, 0]);
    const remove = async (credential: string) =>
      (await fixture.admin('DELETE', `/admin/identities/${id}/credentials/${credential}`)).status;
    assert.equal(await remove('oidc?identifier=github%3Aocto'), 404);
    assert.equal(await remove('password'), 204);
    assert.equal(await remove('oidc?identifier=github%3AOcto'), 400, 'the last way in stays');
  });

  describe('in a batch', () => {
    const item = (email: string, config?: object) => ({
      create: {
        schema_id: 'customer',
        traits: { email },
        ...(config && { credentials: { password: { config } } }),
      },
    });
    const batch = (...identities: object[]) => fixture.admin<BatchAnswer>('PATCH', '/admin/identities', { identities });

    it('are a conflict as a whole where the only one that fits its schema exists', async () => {
      await create('taken@example.com');
      const { status, json } = await batch(item('taken@example.com'), item('no address'));
      assert.deepEqual([status, json.error?.code], [409, 409]);
    });

    it('are refused as a whole for more plain passwords than two hundred', async () => {
      const items = (config: object) =>
        Array.from({ length: 201 }, (_, index) => item(`p${index}@example.com`, config));
      assert.equal((await batch(...items({ password: 'a-good-password' }))).status, 400);
      assert.equal((await batch(...items({ password: '', hashed_password: '$2b$10$abc' }))).status, 200);
    });

    for (const [hashed_password, status] of [
      ['$2a$10$abcdefghijklmnopqrstuv', 200],
      ['$argon2id$v=19$m=16,t=2,p=1$c2FsdA$aGFzaA', 200],
      ['$scrypt$ln=16384,r=8,p=1$c2FsdA$aGFzaA', 200],
      ['$pbkdf2-sha256$i=100000,l=32$c2FsdA$aGFzaA', 200],
      ['{SSHA512}aGFzaA==', 200],
      ['$md5$CY9rzUYh03PK3k6DJie09g==', 200],
      ['$hmac-sha256$aGFzaA$a2V5', 200],
      ['$1$salt$hash', 400],
      ['plain', 400],
      ['', 400],
    ] as const)
      it(`may ${status === 200 ? '' : 'not '}have the hash ${JSON.stringify(hashed_password)}`, async () => {
        const answer = await batch(item('one@example.com'), item('two@example.com', { hashed_password }));
        assert.equal(answer.status, status);
        const stored = (await fixture.admin<unknown[]>('GET', '/admin/identities')).json.length;
        assert.equal(stored, status === 200 ? 4 : 2, 'with the two operators');
      });
  });

  describe('recover', () => {
    const recovery = async (kind: 'code' | 'link') => {
      const { id } = await create('lost@example.com');
      const body = { identity_id: id, expires_in: '15m' };
      const answer = await fixture.admin<{ recovery_link: string; recovery_code: string }>(
        'POST',
        `/admin/recovery/${kind}`,
        body,
      );
      return answer.json;
    };

    it('with a new password by the code that an operator was given, once', async () => {
      const { recovery_link, recovery_code: code } = await recovery('code');
      const browser = sandboxBrowser();
      const page = await browser.open(recovery_link);
      const wrong = { code: code === '000000' ? '000001' : '000000', password: 'a-new-password' };
      assert.match((await browser.submit(page, wrong)).body, /role="alert"/);
      assert.match((await browser.submit(page, { code, password: 'a-new-password' })).body, /The password is set/);
      assert.equal((await browser.open(recovery_link)).status, 400);
      assert.ok(!(await signIn('lost@example.com')).url.startsWith(CALLBACK));
      assert.ok((await signIn('lost@example.com', 'a-new-password')).url.startsWith(CALLBACK));
    });

    it('by the link, as long as it lasts', async () => {
      const { recovery_link } = await recovery('link');
      const browser = sandboxBrowser();
      const page = await browser.open((await browser.open(recovery_link)).url);
      const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
      now += 15 * 60_000;
      const isSet = /The password is set/;
      assert.doesNotMatch((await browser.submit(page, { token, password: 'a-new-password' })).body, isSet);
      now -= 1;
      assert.match((await browser.submit(page, { token, password: 'a-new-password' })).body, isSet);
    });

    it('by a code that is mailed to those who exist', async () => {
      for (const email of ['Viewer@Example.com', 'stranger@example.com']) {
        const browser = sandboxBrowser();
        await browser.submit(await browser.open(`${fixture.url('oauth')}/recovery`), { email });
      }
      const mails = (await fixture.admin<Message[]>('GET', '/admin/courier/messages')).json;
      assert.deepEqual(
        mails.map(({ recipient, subject }) => [recipient, /\d{6}/.test(subject)]),
        [['viewer@example.com', true]],
      );
    });
  });
});
