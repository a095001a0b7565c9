import assert from 'node:assert/strict';
import type { Request, RequestHandler, Response } from 'express';
import { inSequence } from '../../server/http/in-sequence.ts';

describe('handlers in sequence', () => {
  /** Which handlers ran, and what the last `next` was given. */
  async function run(...handlers: RequestHandler[]): Promise<unknown> {
    return new Promise((resolve) => inSequence(...handlers)({} as Request, {} as Response, resolve));
  }
  const passes: RequestHandler = (_req, _res, next) => next();
  const never: RequestHandler = () => assert.fail('was called after an error');
  const failure = new Error('of a handler');

  it('run one after the other, and then what comes after them', async () => {
    const ran: string[] = [];
    const noting =
      (name: string): RequestHandler =>
      (_req, _res, next) => {
        ran.push(name);
        setImmediate(next);
      };
    assert.equal(await run(noting('a'), noting('b'), noting('c')), undefined);
    assert.deepEqual(ran, ['a', 'b', 'c']);
  });

  for (const [how, handler] of [
    ['passes on', (_req, _res, next) => next(failure)],
    [
      'throws',
      () => {
        throw failure;
      },
    ],
    ['rejects with', async () => Promise.reject(failure)],
  ] as [string, RequestHandler][])
    it(`are passed over by an error that one of them ${how}, also in a later turn`, async () => {
      assert.equal(await run(passes, handler, never), failure);
      const later: RequestHandler = (_req, _res, next) => void setImmediate(next);
      assert.equal(await run(later, handler, never), failure);
    });

  it('end where one of them answers', async () => {
    let passed = false;
    inSequence(passes, () => {})({} as Request, {} as Response, () => {
      passed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(passed, false);
  });
});
