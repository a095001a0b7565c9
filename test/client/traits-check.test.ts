import assert from 'node:assert/strict';
import { schemaCheck } from '../../client/features/identities/schema-check.ts';
import type { CheckRequest } from '../../client/features/identities/schema-check-worker.ts';
import {
  type CheckResult,
  type CheckWorker,
  type TraitsCheck,
  traitsCheck,
} from '../../client/features/identities/traits-check.ts';
import { threadWorker } from '../support/app-in-dom.tsx';

const MODULE = new URL('../../client/features/identities/schema-check-worker.ts', import.meta.url).href;
/** A schema with a pattern that takes a year to check against 40 letters. */
const HOSTILE = { properties: { traits: { properties: { a: { type: 'string', pattern: '^(a+)+$' } } } } };
const LETTERS = `${'a'.repeat(40)}!`;
const traits = (a: unknown): string => JSON.stringify({ a });

describe('the check of traits', () => {
  it('terminates a worker that is stuck in a pattern, and continues in another one', async () => {
    let minutes = 0;
    const check = traitsCheck(() => threadWorker(MODULE), { now: () => 60_000 * minutes++ });
    assert.deepEqual(await check(HOSTILE, [traits(LETTERS)]), [undefined]);
    const found = async (): Promise<CheckResult[]> => check(HOSTILE, [traits('aa'), traits(1), traits('b')]);
    let responses = await found();
    // A result is undefined if the machine was too busy to check the traits in time.
    while (responses.includes(undefined)) responses = await found();
    assert.deepEqual(
      responses.map((objections) => objections?.map(({ path, words }) => `${path.join('.')} ${words}`)),
      [[], ['traits.a must be text'], ['traits.a does not match the pattern ^(a+)+$']],
    );
  });

  describe('in a simulated worker', () => {
    let started = 0;
    type Response = CheckResult[] | 'never' | 'fails';
    /** A worker without a thread; a check that would take forever gets no response. */
    function start(
      respond = ({ schema, traits: all }: CheckRequest): Response =>
        all.some((text) => text.includes(LETTERS))
          ? 'never'
          : all.map((text) => schemaCheck(JSON.parse(schema))(JSON.parse(text))),
    ): CheckWorker {
      started += 1;
      const worker: CheckWorker = {
        postMessage(request: CheckRequest) {
          const response = respond(request);
          if (response === 'fails') queueMicrotask(() => worker.onerror?.call(worker as Worker, {} as ErrorEvent));
          else if (response !== 'never') respondLater(response);
        },
        terminate: () => {},
        onmessage: null,
        onerror: null,
      };
      const respondLater = (data: unknown): void =>
        queueMicrotask(() => worker.onmessage?.call(worker as Worker, { data } as MessageEvent));
      respondLater('ready');
      return worker;
    }
    /** @param first the functions that start the first workers; `start` starts the others */
    function checkIn(first: (() => CheckWorker)[] = [], now = () => 0): TraitsCheck {
      started = 0;
      return traitsCheck(() => (first.shift() ?? start)(), { checkMs: 1, now });
    }

    it('continues with the rest of a batch and with later batches after a timeout', async () => {
      const check = checkIn();
      const found = await check(HOSTILE, [traits('aa'), traits(LETTERS), traits('b')]);
      assert.deepEqual(
        found.map((objections) => objections?.length),
        [0, undefined, 1],
      );
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [[]]);
    });

    it('gives up on a schema after several timeouts within a minute, and tries it again later', async () => {
      let now = 0;
      const check = checkIn([], () => now);
      const all = await check(HOSTILE, Array(1_000).fill(traits(LETTERS)));
      assert.deepEqual([all.length, new Set(all)], [1_000, new Set([undefined])]);
      assert.ok(started < 10, `${started} workers`);
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [undefined]);
      assert.deepEqual(await check({ type: 'object' }, [traits('aa')]), [[]]);
      now = 60_000;
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [[]]);
    });

    it('skips a batch if the worker fails or does not start, and tries again with the next batch', async () => {
      const startFails = (): never => {
        throw new Error('refused');
      };
      const check = checkIn([startFails, () => start(() => 'fails')]);
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [undefined]);
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [undefined]);
      assert.deepEqual(await check(HOSTILE, [traits('aa')]), [[]]);
    });
  });
});
