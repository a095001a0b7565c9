import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Response } from 'express';
import { createSigner, derivedKeys, keyBytes } from '../../server/crypto/signer.ts';
import { type SessionCookies, sessionCookieOf, sessionCookies } from '../../server/session/session-cookie.ts';
import { type Session, sessionTokens } from '../../server/session/session-token.ts';
import { sessionVerifier } from '../../server/session/session-verifier.ts';
import { ROLES, rolesWith } from '../../shared/capabilities.ts';

describe('a session token', () => {
  const KEY = 'a-signing-key-of-more-than-thirty-two-bytes';
  const OTHER_KEY = 'another-key-of-more-than-thirty-two-bytes!!';
  const NOW = 1_800_000_000_000;
  const session: Session = {
    identityId: '9f425a8d-7efc-4768-8f23-7647a74fdf13',
    email: 'ada@example.com',
    role: 'viewer',
    deployment: 'customer',
    issuedAt: NOW / 1000,
    expiresAt: NOW / 1000 + 60,
    sessionId: 'b0c1c0de-0000-4000-8000-000000000000',
    epoch: 0,
  };
  const tokens = (key = KEY, deployment: Session['deployment'] = 'customer', now = () => NOW, previous?: string) =>
    sessionTokens(createSigner(keyBytes({ current: key, previous })), { deployment, roles: rolesWith([]) }, now);
  const token = tokens().issue(session);

  it('consists of JSON and an HMAC-SHA256 in base64url, and is read as the issued session', () => {
    assert.match(token, /^[\w-]+\.[\w-]{43}$/);
    assert.deepEqual(tokens().read(token), session);
  });

  it('is rejected if any single character is changed', () => {
    const reader = tokens();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    for (let index = 0; index < token.length; index += 1)
      for (const character of alphabet) {
        if (character === token[index]) continue;
        const changed = token.slice(0, index) + character + token.slice(index + 1);
        assert.equal(reader.read(changed), undefined, `${index} ${character}`);
      }
  });

  it('is rejected if its parts are not those that were signed', () => {
    const [payload = '', tag = ''] = token.split('.');
    const edited = Buffer.from(JSON.stringify({ ...session, role: 'admin' })).toString('base64url');
    for (const value of [`${edited}.${tag}`, payload, `${payload}.`, `.${tag}`, `${token}.x`, `e30.${token}`, '', '.'])
      assert.equal(tokens().read(value), undefined, value);
  });

  it('is rejected from the second in which it expires, also if it was read and cached before', () => {
    let now = NOW;
    const reader = tokens(KEY, 'customer', () => now);
    assert.ok(reader.read(token));
    now = session.expiresAt * 1000 - 1;
    assert.ok(reader.read(token));
    now = session.expiresAt * 1000;
    assert.equal(reader.read(token), undefined);
  });

  it('is rejected if its role is unknown, although its signature is valid', () => {
    for (const role of ['owner', 'Admin', '', undefined, ['admin']]) {
      const signed = tokens().issue({ ...session, role: role as Session['role'] });
      assert.equal(tokens().read(signed), undefined, String(role));
    }
  });

  it('of one deployment is rejected by the other, even if both have the same key', () => {
    assert.equal(tokens(KEY, 'workforce').read(token), undefined);
  });

  it('is accepted if it was signed with the previous key, and rejected with any other key', () => {
    assert.equal(tokens(OTHER_KEY).read(token), undefined);
    const rotated = tokens(OTHER_KEY, 'customer', () => NOW, KEY);
    assert.deepEqual(rotated.read(token), session);
    assert.equal(rotated.read(`${token.split('.')[0]}.${'A'.repeat(43)}`), undefined);
  });

  it('is rejected if it was signed with a key that is derived for another purpose', () => {
    const forger = sessionTokens(
      createSigner(derivedKeys({ current: KEY }, 'login-cookie')),
      { deployment: 'customer', roles: ROLES },
      () => NOW,
    );
    assert.equal(tokens().read(forger.issue(session)), undefined);
  });
});

const requestWith = (cookie: string | undefined): IncomingMessage => {
  const req = new IncomingMessage(new Socket());
  if (cookie !== undefined) req.headers.cookie = cookie;
  return req;
};

describe('the cookies of the dashboard', () => {
  const laptop = sessionCookies({ secure: false, production: false });
  const production = sessionCookies({ secure: true, production: true });
  const EXPIRED = 'Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly';

  /** The `Set-Cookie` headers that `act` sets, without the Expires that Express derives from Max-Age. */
  function linesOf(act: (res: Response) => unknown): string[] {
    const res = new ServerResponse(requestWith(undefined));
    Object.setPrototypeOf(res, express.response);
    act(res as Response);
    return [res.getHeader('Set-Cookie') ?? []]
      .flat()
      .map((line) => String(line).replace(/(?<=Max-Age=.*)Expires=[^;]+; /, ''));
  }

  it('carry a session unchanged, with SameSite=Strict and HttpOnly, until it expires', () => {
    const set = (cookies: SessionCookies) => linesOf((res) => cookies.setSession(res, 'a=+/%.b', 3600));
    const [name, attributes] = ['dashboard-session=a=+/%.b', 'Max-Age=3600; Path=/; HttpOnly'];
    assert.deepEqual(set(laptop), [`${name}; ${attributes}; SameSite=Strict`]);
    assert.deepEqual(set(production), [`${name}; ${attributes}; Secure; SameSite=Strict`]);
    const cleared = linesOf((res) => production.clearSession(res));
    assert.deepEqual(cleared, [`dashboard-session=; ${EXPIRED}; Secure; SameSite=Strict`]);
  });

  it('carry a sign-in across its redirect for ten minutes, in production under a name that no other host can set', () => {
    const set = (cookies: SessionCookies) => linesOf((res) => cookies.setLogin(res, 'state', 'sealed'));
    const attributes = 'Max-Age=600; Path=/; HttpOnly';
    assert.deepEqual(set(laptop), [
      `oauth_state=state; ${attributes}; SameSite=Lax`,
      `dashboard-login=sealed; ${attributes}; SameSite=Lax`,
    ]);
    assert.deepEqual(set(production), [
      `oauth_state=state; ${attributes}; Secure; SameSite=Lax`,
      `__Host-dashboard-login=sealed; ${attributes}; Secure; SameSite=Lax`,
    ]);
    assert.deepEqual(
      linesOf((res) => production.clearLogin(res)),
      [`oauth_state=; ${EXPIRED}; Secure; SameSite=Lax`, `__Host-dashboard-login=; ${EXPIRED}; Secure; SameSite=Lax`],
    );
    assert.deepEqual([laptop.loginCookie, production.loginCookie], ['dashboard-login', '__Host-dashboard-login']);
  });

  it('are all listed for the proxies, with their names both in production and elsewhere', () => {
    const NAMES = '__Host-dashboard-login dashboard-login dashboard-session dashboard-signed-out oauth_state';
    for (const { names } of [laptop, production]) assert.equal([...names].sort().join(' '), NAMES);
  });

  const HEADERS: [header: string | undefined, value: string | undefined | { conflict: true }][] = [
    [undefined, undefined],
    ['other=1', undefined],
    ['dashboard-session=', ''],
    ['dashboard-session=a.b', 'a.b'],
    ['x=1;dashboard-session=a=b ; y=2', 'a=b'],
    [' dashboard-session =  a ', 'a'],
    ['xdashboard-session=a; dashboard-sessionx=b; x=dashboard-session=c', undefined],
    ['=dashboard-session=a', undefined],
    ['Dashboard-Session=a', undefined],
    ['dashboard-session=a; dashboard-session=a', 'a'],
    ['dashboard-session=a; dashboard-session=b', { conflict: true }],
  ];
  it('provide the exact session value of a Cookie header, and a conflict if it has two different ones', () => {
    for (const [header, value] of HEADERS) assert.deepEqual(sessionCookieOf(requestWith(header)), value, header);
  });
});

describe('the session verifier', () => {
  const session = { identityId: 'ada', sessionId: 'one' } as Session;
  const verify = async (cookie: string | undefined, { revoked = false, present = true } = {}) => {
    const tokens = { issue: () => '', read: (token: string) => (token === 'good' ? session : undefined) };
    const revocations = { isRevoked: (candidate: Session) => candidate === session && revoked };
    const check = { isPresent: async (id: string) => id === 'ada' && present };
    return sessionVerifier(tokens, revocations, check)(requestWith(cookie));
  };

  it('returns the session of a valid cookie', async () => {
    assert.equal(await verify('dashboard-session=good'), session);
  });

  it('returns "none" without a session cookie, and for two that differ', async () => {
    for (const cookie of [undefined, 'other=1', 'dashboard-session=good; dashboard-session=bad'])
      assert.equal(await verify(cookie), 'none', cookie);
  });

  it('returns "stale" for an invalid or revoked session, and for one whose operator no longer exists', async () => {
    assert.equal(await verify('dashboard-session=bad'), 'stale');
    assert.equal(await verify('dashboard-session='), 'stale');
    assert.equal(await verify('dashboard-session=good', { revoked: true }), 'stale');
    assert.equal(await verify('dashboard-session=good', { present: false }), 'stale');
  });
});
