import assert from 'node:assert/strict';
import type { Request, Response } from 'express';
import { proxyAccess } from '../../server/gate/proxy-access.ts';
import type { SessionGate } from '../../server/gate/require-session.ts';
import { ApiError } from '../../server/http/api-error.ts';
import { upstreamsAt } from '../support/proxy-app.ts';

type Options = Parameters<typeof proxyAccess>[1];

describe('who may use a proxy', () => {
  const INSIDE = '10.1.2.3';
  const OUTSIDE = '203.0.113.9';
  const BROWSER = { 'sec-fetch-site': 'same-origin' };

  interface Asked {
    /** What was asked of the session, in order; then how it ended. */
    steps: string[];
    noted: string[];
  }

  /** A request of that peer; a fake, since no test has a public address. */
  async function ask(
    name: 'identity' | 'identity-admin',
    peer: { remoteAddress?: string | undefined; ip?: string },
    headers: Record<string, string> = {},
    options: Partial<Options> = {},
    failure?: Error,
  ): Promise<Asked> {
    const asked: Asked = { steps: [], noted: [] };
    const upstream = upstreamsAt({}).find((other) => other.name === name) ?? assert.fail(name);
    const step =
      (what: string): SessionGate['noteSession'] =>
      (_req, _res, next) => {
        asked.steps.push(what);
        next(failure);
      };
    const handler = proxyAccess(upstream, {
      rule: 'outside',
      ownOrigin: 'https://dashboard.example',
      behindProxies: false,
      distrustForwarding: false,
      noteForwarding: (header) => asked.noted.push(header),
      hasKey: async () => false,
      gate: { noteSession: step('note'), demandAdmin: step('demand') } as unknown as SessionGate,
      ...options,
    });
    const req = { headers, socket: { remoteAddress: peer.remoteAddress }, ip: peer.ip ?? peer.remoteAddress };
    await handler(req as unknown as Request, {} as Response, (error?: unknown) => {
      asked.steps.push(error === undefined ? 'pass' : error instanceof ApiError ? error.code : 'error');
    });
    return asked;
  }

  const open = ['note', 'pass'];
  const closed = ['demand', 'pass'];
  const behindProxies = { behindProxies: true };
  const cases: [string, Parameters<typeof ask>[1], Record<string, string>, Partial<Options>, string[]][] = [
    ['a peer in a private network', { remoteAddress: INSIDE }, {}, {}, open],
    ['a peer on the same machine', { remoteAddress: '::1' }, {}, {}, open],
    ['a peer with a public address', { remoteAddress: OUTSIDE }, {}, {}, closed],
    ['a peer that is gone', { remoteAddress: undefined }, {}, {}, closed],
    ['a public caller of a trusted proxy', { remoteAddress: INSIDE, ip: OUTSIDE }, {}, behindProxies, closed],
    ['a private caller of a trusted proxy', { remoteAddress: INSIDE, ip: INSIDE }, {}, behindProxies, open],
    ['a public peer that names a private caller', { remoteAddress: OUTSIDE, ip: INSIDE }, {}, behindProxies, closed],
    ['what a peer says where no proxy is trusted', { remoteAddress: INSIDE, ip: OUTSIDE }, {}, {}, open],
    ['a public peer where the rule is never', { remoteAddress: OUTSIDE }, {}, { rule: 'never' }, open],
    ['a private peer where the rule is always', { remoteAddress: INSIDE }, {}, { rule: 'always' }, closed],
    ['a browser in a private network', { remoteAddress: INSIDE }, BROWSER, {}, closed],
    ['a browser where the rule is never', { remoteAddress: INSIDE }, BROWSER, { rule: 'never' }, closed],
    ['a page by its origin', { remoteAddress: INSIDE }, { origin: 'https://dashboard.example' }, {}, closed],
    [
      'a page of another site, with a session',
      { remoteAddress: INSIDE },
      { origin: 'https://evil.test' },
      {},
      ['demand', 'forbidden'],
    ],
  ];
  for (const [who, peer, headers, options, steps] of cases)
    it(`an admin one: ${who} ${steps === open ? 'may' : 'is asked for an admin session'}`, async () => {
      assert.deepEqual((await ask('identity-admin', peer, headers, options)).steps, steps);
    });

  for (const header of ['x-forwarded-for', 'forwarded', 'via'])
    it(`an admin one: ${header} of a proxy that nobody named makes a caller one from outside, and is told`, async () => {
      const distrusting = { distrustForwarding: true };
      const { steps, noted } = await ask('identity-admin', { remoteAddress: INSIDE }, { [header]: 'x' }, distrusting);
      assert.deepEqual(steps, closed);
      assert.deepEqual(noted, [header]);
      const named = await ask(
        'identity-admin',
        { remoteAddress: INSIDE },
        { [header]: 'x' },
        { ...distrusting, ...behindProxies },
      );
      assert.deepEqual(named, { steps: open, noted: [] });
    });

  it('an admin one: a session that cannot be read is a failure, never a way in', async () => {
    const away = new Error('away');
    assert.deepEqual((await ask('identity-admin', { remoteAddress: INSIDE }, {}, {}, away)).steps, ['note', 'error']);
    assert.deepEqual((await ask('identity-admin', { remoteAddress: OUTSIDE }, {}, {}, away)).steps, [
      'demand',
      'error',
    ]);
  });

  it('a public one: whoever asks, but no foreign page where our key would be sent along', async () => {
    const foreign = { origin: 'https://evil.test' };
    const peer = { remoteAddress: OUTSIDE };
    const hasKey = { hasKey: async () => true };
    assert.deepEqual((await ask('identity', peer)).steps, ['pass']);
    assert.deepEqual((await ask('identity', peer, BROWSER, hasKey)).steps, ['pass']);
    assert.deepEqual((await ask('identity', peer, foreign)).steps, ['pass']);
    assert.deepEqual((await ask('identity', peer, foreign, hasKey)).steps, ['forbidden']);
  });

  it('a public one: the session behind a cookie is noted, and a failure to read it is one', async () => {
    const cookie = { cookie: 'dashboard-session=x' };
    const peer = { remoteAddress: OUTSIDE };
    assert.deepEqual((await ask('identity', peer, cookie)).steps, ['note', 'pass']);
    assert.deepEqual((await ask('identity', peer, { cookie: 'other=x' })).steps, ['pass']);
    assert.deepEqual((await ask('identity', peer, cookie, {}, new Error('away'))).steps, ['note', 'error']);
    const foreign = { ...cookie, 'sec-fetch-site': 'cross-site' };
    const noted = await ask('identity', peer, foreign, { hasKey: async () => true });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(noted.steps, ['note', 'forbidden']);
  });
});
