import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { ActEvent } from '../../server/audit/event.ts';
import { refusalRecords } from '../../server/features/auth/sign-in.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('records of refused sign-ins', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  function recordsWith(record: () => Promise<void> = async () => {}) {
    const chained: (readonly [string, ActEvent['details']])[] = [];
    const queued: (readonly [string, ActEvent['details']])[] = [];
    let now = NOW;
    const refusals = refusalRecords({
      audit: {
        record: async (event) => {
          const { actor, details } = event as ActEvent;
          await record();
          chained.push([actor, details]);
        },
        queue: async ({ actor, details }) => void queued.push([actor, details]),
      },
      now: () => now,
    });
    const at = (seconds: number): void => {
      now = NOW + seconds * 1000;
    };
    return { refusals, chained, queued, at };
  }
  const sum = (reason: string, count: number, from: string, to: string) => ({
    reason,
    count,
    from: `2026-01-01T00:00:${from}.000Z`,
    to: `2026-01-01T00:00:${to}.000Z`,
  });

  for (const [callers, identityId, actor] of [
    ['anonymous callers', undefined, 'anonymous'],
    ['an identity', 'customer', 'customer'],
  ] as const)
    it(`of ${callers} are summed up at the end of the minute, and the next one is recorded singly again`, async () => {
      const { refusals, chained, queued, at } = recordsWith();
      for (const second of [0, 10, 20, 30]) {
        at(second);
        await refusals.record('no_role', identityId);
      }
      await refusals.record('inactive', identityId);
      await refusals.record('no_role', 'another');
      mock.timers.tick(59_999);
      assert.deepEqual(queued, []);
      mock.timers.tick(1);
      assert.deepEqual(queued, [[actor, sum('no_role', 3, '10', '30')]]);
      await refusals.record('no_role', identityId);
      const alone = [actor, { reason: 'no_role' }];
      assert.deepEqual(chained, [alone, [actor, { reason: 'inactive' }], ['another', { reason: 'no_role' }], alone]);
      refusals.flush();
      assert.equal(queued.length, 1);
    });

  it('are counted apart for a thousand identities a minute, and for all others together', async () => {
    const { refusals, chained, queued } = recordsWith();
    await refusals.record('no_role', undefined);
    for (let number = 0; number < 1_500; number += 1) await refusals.record('no_role', `customer-${number}`);
    assert.equal(chained.length, 1_001);
    await refusals.record('no_role', 'customer-0');
    refusals.flush();
    assert.deepEqual(queued, [
      ['anonymous', sum('no_role', 500, '00', '00')],
      ['customer-0', sum('no_role', 1, '00', '00')],
    ]);
    await refusals.record('no_role', 'customer-1499');
    assert.deepEqual(chained.at(-1), ['customer-1499', { reason: 'no_role' }]);
  });

  it('are not forgotten when the first of a minute cannot be written, which fails the refusal', async () => {
    const { refusals, queued } = recordsWith(() => Promise.reject(new Error('away')));
    await assert.rejects(refusals.record('denied', undefined), { message: 'away' });
    await refusals.record('denied', undefined);
    refusals.flush();
    assert.deepEqual(queued, [['anonymous', sum('denied', 2, '00', '00')]]);
  });
});
