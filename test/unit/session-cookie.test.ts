import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Response } from 'express';
import { type SessionCookies, sessionCookieOf, sessionCookies } from '../../server/session/session-cookie.ts';
import type { Session } from '../../server/session/session-token.ts';
import { sessionVerifier } from '../../server/session/session-verifier.ts';

const requestWith = (cookie: string | undefined): IncomingMessage => {
  const req = new IncomingMessage(new Socket());
  if (cookie !== undefined) req.headers.cookie = cookie;
  return req;
};

describe('the dashboard’s cookies', () => {
  /** The `Set-Cookie` lines of what is done, without the time at which Max-Age ends. */
  function lines(cookies: SessionCookies, act: (cookies: SessionCookies, res: Response) => unknown): string[] {
    const res = new ServerResponse(requestWith(undefined));
    Object.setPrototypeOf(res, express.response);
    act(cookies, res as Response);
    return [res.getHeader('Set-Cookie') ?? []]
      .flat()
      .map((line) => String(line).replace(/(?<=Max-Age=.*)Expires=[^;]+; /, ''));
  }
  let laptop: SessionCookies;
  let production: SessionCookies;
  beforeEach(() => {
    laptop = sessionCookies({ secure: false, production: false });
    production = sessionCookies({ secure: true, production: true });
  });
  const GONE = 'Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly';

  it('carry the session strictly, as it is, for as long as it lasts', () => {
    const act = (cookies: SessionCookies, res: Response) => cookies.setSession(res, 'a=+/%.b', 3600);
    assert.deepEqual(lines(laptop, act), [
      'dashboard-session=a=+/%.b; Max-Age=3600; Path=/; HttpOnly; SameSite=Strict',
    ]);
    assert.deepEqual(lines(production, act), [
      'dashboard-session=a=+/%.b; Max-Age=3600; Path=/; HttpOnly; Secure; SameSite=Strict',
    ]);
    assert.deepEqual(
      lines(production, (cookies, res) => cookies.clearSession(res)),
      [`dashboard-session=; ${GONE}; Secure; SameSite=Strict`],
    );
  });

  it('carry a sign-in over the provider’s redirect for ten minutes, in production by a name that no other host can set', () => {
    const act = (cookies: SessionCookies, res: Response) => cookies.setLogin(res, 'state', 'sealed');
    assert.deepEqual(lines(laptop, act), [
      'oauth_state=state; Max-Age=600; Path=/; HttpOnly; SameSite=Lax',
      'dashboard-login=sealed; Max-Age=600; Path=/; HttpOnly; SameSite=Lax',
    ]);
    assert.deepEqual(lines(production, act), [
      'oauth_state=state; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax',
      '__Host-dashboard-login=sealed; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
    assert.deepEqual(
      lines(production, (cookies, res) => cookies.clearLogin(res)),
      [`oauth_state=; ${GONE}; Secure; SameSite=Lax`, `__Host-dashboard-login=; ${GONE}; Secure; SameSite=Lax`],
    );
    assert.deepEqual([laptop.loginCookie, production.loginCookie], ['dashboard-login', '__Host-dashboard-login']);
  });

  it('are all named for the proxies, those of either way to run', () => {
    for (const { names } of [laptop, production])
      assert.deepEqual([...names].sort(), [
        '__Host-dashboard-login',
        'dashboard-login',
        'dashboard-session',
        'dashboard-signed-out',
        'oauth_state',
      ]);
  });

  const headers: [string | undefined, string | undefined | 'conflict'][] = [
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
    ['dashboard-session=a; dashboard-session=b', 'conflict'],
  ];
  it('give the session of a Cookie header, exactly as it is', () => {
    for (const [header, expected] of headers)
      assert.deepEqual(sessionCookieOf(requestWith(header)), expected === 'conflict' ? { conflict: true } : expected);
  });
});

describe('what a cookie amounts to', () => {
  const session = { identityId: 'ada', sessionId: 'one' } as Session;
  const verify = async (cookie: string | undefined, has: { revoked?: boolean; present?: boolean } = {}) => {
    const { revoked = false, present = true } = has;
    const tokens = { issue: () => '', read: (token: string) => (token === 'good' ? session : undefined) };
    const revocations = { isRevoked: (one: Session) => one === session && revoked };
    const check = { isPresent: async (id: string) => id === 'ada' && present };
    return sessionVerifier(tokens, revocations, check)(requestWith(cookie));
  };

  it('is its session, where it holds', async () => {
    assert.equal(await verify('dashboard-session=good'), session);
  });

  it('is not deleted when there is none, or when two of them contradict each other', async () => {
    for (const cookie of [undefined, 'other=1', 'dashboard-session=good; dashboard-session=bad'])
      assert.equal(await verify(cookie), 'none', cookie);
  });

  it('is stale when it does not verify, was revoked, or its operator is gone', async () => {
    assert.equal(await verify('dashboard-session=bad'), 'stale');
    assert.equal(await verify('dashboard-session='), 'stale');
    assert.equal(await verify('dashboard-session=good', { revoked: true }), 'stale');
    assert.equal(await verify('dashboard-session=good', { present: false }), 'stale');
  });
});
