import assert from 'node:assert/strict';
import type { Request, Response } from 'express';
import { adminAccess, proxyAccess } from '../../server/gate/access.ts';
import type { SessionGate } from '../../server/gate/require-session.ts';
import { ApiError } from '../../server/http/errors.ts';
import { upstreamsAt } from '../support/proxy-app.ts';

type Rules = Parameters<typeof adminAccess>[0];

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
    remoteAddress: string | undefined,
    headers: Record<string, string> = {},
    { hasKey = false, ...rules }: Partial<Rules> & { hasKey?: boolean } = {},
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
      ownOrigin: 'https://dashboard.example',
      adminAccess: adminAccess({ proxyRequireSession: 'outside', trustProxy: undefined, production: false, ...rules }),
      noteForwarding: (header) => asked.noted.push(header),
      hasKey: async () => hasKey,
      gate: {
        noteSession: step('note'),
        demand: (needs) => step(typeof needs === 'string' ? needs : `${needs.read}, ${needs.write}`),
      } as SessionGate,
    });
    const req = { headers, socket: { remoteAddress } };
    const res = { locals: {} };
    await handler(req as unknown as Request, res as Response, (error?: unknown) => {
      asked.steps.push(error === undefined ? 'pass' : error instanceof ApiError ? error.code : 'error');
    });
    return asked;
  }

  const open = ['note', 'pass'];
  const DEMANDED = 'upstreams.read, upstreams.write';
  const closed = [DEMANDED, 'pass'];
  const cases: [string, string | undefined, Record<string, string>, Partial<Rules>, string[]][] = [
    ['a peer in a private network', INSIDE, {}, {}, open],
    ['a peer with a public address', OUTSIDE, {}, {}, closed],
    ['a peer that is gone', undefined, {}, {}, closed],
    ['a public peer where the rule is never', OUTSIDE, {}, { proxyRequireSession: 'never' }, open],
    ['a private peer where the rule is always', INSIDE, {}, { proxyRequireSession: 'always' }, closed],
    ['a browser in a private network', INSIDE, BROWSER, {}, closed],
    ['a page by its origin', INSIDE, { origin: 'https://dashboard.example' }, {}, closed],
    ['a page of another site, with a session', INSIDE, { origin: 'https://evil.test' }, {}, [DEMANDED, 'forbidden']],
  ];
  for (const [who, peer, headers, rules, steps] of cases)
    it(`an admin one: ${who} ${steps === open ? 'may' : 'is asked for a session that may'}`, async () => {
      assert.deepEqual((await ask('identity-admin', peer, headers, rules)).steps, steps);
    });

  it('an admin one: the header of an unconfigured proxy is reported', async () => {
    const via = { via: '1.1 proxy' };
    assert.deepEqual(await ask('identity-admin', INSIDE, via, { production: true }), { steps: closed, noted: ['via'] });
    assert.deepEqual(await ask('identity-admin', INSIDE, via), { steps: open, noted: [] });
  });

  it('an admin one: a session that cannot be read is a failure, never a way in', async () => {
    const away = new Error('away');
    assert.deepEqual((await ask('identity-admin', INSIDE, {}, {}, away)).steps, ['note', 'error']);
    assert.deepEqual((await ask('identity-admin', OUTSIDE, {}, {}, away)).steps, [DEMANDED, 'error']);
  });

  it('a public one: the session behind a cookie is noted, and a failure to read it is one', async () => {
    const cookie = { cookie: 'dashboard-session=x' };
    const peer = OUTSIDE;
    assert.deepEqual((await ask('identity', peer, cookie)).steps, ['note', 'pass']);
    assert.deepEqual((await ask('identity', peer, { cookie: 'other=x' })).steps, ['pass']);
    assert.deepEqual((await ask('identity', peer, cookie, {}, new Error('away'))).steps, ['note', 'error']);
    const foreign = { ...cookie, 'sec-fetch-site': 'cross-site' };
    const noted = await ask('identity', peer, foreign, { hasKey: true });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(noted.steps, ['note', 'forbidden']);
  });
});
