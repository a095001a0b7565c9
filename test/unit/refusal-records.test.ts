import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { ActEvent } from '../../server/audit/audit-event.ts';
import { refusalRecords } from '../../server/features/auth/refusal-records.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('records of refused sign-ins', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  function recordsWith(record: () => Promise<void> = async () => {}) {
    const chained: (readonly [string, ActEvent['details']])[] = [];
    const queued: ActEvent['details'][] = [];
    let now = NOW;
    const refusals = refusalRecords({
      audit: {
        record: async (event) => {
          const { actor, details } = event as ActEvent;
          await record();
          chained.push([actor, details]);
        },
        queue: async ({ details }) => void queued.push(details),
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

  it('of anonymous callers are summed up at the end of the minute, and the next one is recorded singly again', async () => {
    const { refusals, chained, queued, at } = recordsWith();
    for (const second of [0, 10, 20, 30]) {
      at(second);
      await refusals.record('provider_refused', undefined);
    }
    await refusals.record('denied', undefined);
    mock.timers.tick(59_999);
    assert.deepEqual(queued, []);
    mock.timers.tick(1);
    assert.deepEqual(queued, [sum('provider_refused', 3, '10', '30')]);
    await refusals.record('provider_refused', undefined);
    const alone = [['anonymous', { reason: 'provider_refused' }] as const];
    assert.deepEqual(chained, [...alone, ['anonymous', { reason: 'denied' }], ...alone]);
    refusals.flush();
    assert.equal(queued.length, 1);
  });

  it('are not forgotten when the first of a minute cannot be written, which fails the refusal', async () => {
    const { refusals, queued } = recordsWith(() => Promise.reject(new Error('away')));
    await assert.rejects(refusals.record('denied', undefined), { message: 'away' });
    await refusals.record('denied', undefined);
    refusals.flush();
    assert.deepEqual(queued, [sum('denied', 2, '00', '00')]);
  });
});
