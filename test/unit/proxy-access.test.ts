import assert from 'node:assert/strict';
import type { Request, Response } from 'express';
import { adminAccess, proxyAccess } from '../../server/gate/access.ts';
import type { SessionGate } from '../../server/gate/require-session.ts';
import { ApiError } from '../../server/http/errors.ts';
import { createCredentials, keyPresence } from '../../server/upstream/credentials.ts';
import { upstreamsAt } from '../support/proxy-app.ts';

type Rules = Parameters<typeof adminAccess>[0];
type Headers = Record<string, string>;

const INSIDE = '10.1.2.3';
const OUTSIDE = '203.0.113.9';

/**
 * Passes a request of a peer to the gate. It is not a real request, because no test has a public address.
 * @returns what the gate did with the session, and then how the request ended
 */
async function accessOf(
  name: 'identity' | 'identity-admin',
  remoteAddress: string | undefined,
  headers: Headers = {},
  { hasKey = false, ...rules }: Partial<Rules> & { hasKey?: boolean } = {},
  failure?: Error,
): Promise<string[]> {
  const steps: string[] = [];
  const upstream = upstreamsAt({}).find((other) => other.name === name) ?? assert.fail(name);
  const step =
    (what: string): SessionGate['noteSession'] =>
    (_req, _res, next) => {
      steps.push(what);
      next(failure);
    };
  const handler = proxyAccess(upstream, {
    config: { baseUrl: 'https://dashboard.example', deployment: 'customer', proxyTimeoutMs: 1000 },
    adminAccess: adminAccess({ proxyRequireSession: 'outside', trustProxy: undefined, production: false, ...rules }),
    noteForwarding: () => {},
    hasKey: async () => hasKey,
    gate: {
      noteSession: step('note'),
      requireSession: step('session'),
    } as SessionGate,
  });
  const req = { headers, socket: { remoteAddress } };
  const res = { locals: { session: { role: 'admin' } } };
  await new Promise<void>((resolve) => {
    void handler(req as unknown as Request, res as unknown as Response, (error?: unknown) => {
      steps.push(error === undefined ? 'pass' : error instanceof ApiError ? error.code : 'error');
      resolve();
    });
  });
  return steps;
}

describe('a request on an admin prefix', () => {
  const open = ['note', 'pass'];
  const closed = ['session', 'pass'];
  for (const [from, peer, headers, steps] of [
    ['a private address', INSIDE, {}, open],
    ['a public address', OUTSIDE, {}, closed],
    ['a peer that has disconnected', undefined, {}, closed],
    ['a browser at a private address', INSIDE, { 'sec-fetch-site': 'same-origin' }, closed],
  ] as const)
    it(`needs ${steps === open ? 'no session' : 'a session'} if it comes from ${from}`, async () => {
      assert.deepEqual(await accessOf('identity-admin', peer, headers), steps);
    });

  it('is forbidden if it comes from a page of another site, even with a session', async () => {
    const steps = await accessOf('identity-admin', INSIDE, { origin: 'https://evil.test' });
    assert.deepEqual(steps, ['session', 'forbidden']);
  });

  it('fails if its session cannot be read', async () => {
    const unreadable = new Error('unreadable');
    assert.deepEqual(await accessOf('identity-admin', INSIDE, {}, {}, unreadable), ['note', 'error']);
    assert.deepEqual(await accessOf('identity-admin', OUTSIDE, {}, {}, unreadable), ['session', 'error']);
  });
});

describe('a request on a public prefix', () => {
  it('records the session of its cookie, fails if it cannot be read, and is forbidden across sites if a key is stored', async () => {
    const cookie = { cookie: 'dashboard-session=x' };
    const unreadable = new Error('unreadable');
    assert.deepEqual(await accessOf('identity', OUTSIDE, cookie), ['note', 'pass']);
    assert.deepEqual(await accessOf('identity', OUTSIDE, { cookie: 'other=x' }), ['pass']);
    assert.deepEqual(await accessOf('identity', OUTSIDE, cookie, {}, unreadable), ['note', 'error']);
    const foreign = { ...cookie, 'sec-fetch-site': 'cross-site' };
    assert.deepEqual(await accessOf('identity', OUTSIDE, foreign, { hasKey: true }), ['note', 'forbidden']);
  });
});

describe('a stored key that cannot be used', () => {
  const plain = createCredentials({ get: async () => ({ value: 'secret', encrypted: false }) });
  const unsendable = createCredentials({ get: async () => ({ value: 'secret\n', encrypted: true }) });
  const unreadable = createCredentials({ get: () => Promise.reject(new Error('no key decrypts it')) });

  it('causes an error that does not contain the key', async () => {
    for (const authorization of [plain, unsendable])
      await assert.rejects(authorization('identity-admin'), ({ message }: Error) => {
        assert.match(message, /^upstream\.identity-admin\.api_key (?:is stored in plain text|cannot be sent)/);
        assert.doesNotMatch(message, /secret/);
        return true;
      });
  });

  it('counts as a stored key, so that the gate stays strict', async () => {
    for (const authorization of [plain, unreadable]) assert.equal(await keyPresence(authorization)('identity'), true);
  });
});
