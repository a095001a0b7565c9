import assert from 'node:assert/strict';
import type { IdentitySample } from '../../server/features/activity/identity-crawl.ts';
import type { SessionRow, Sessions } from '../../server/features/activity/session-crawl.ts';
import { clientStatistics, identityStatistics, sessionStatistics } from '../../server/features/activity/statistics.ts';

const at = (text: string): number => Date.parse(text);

function session(authenticated: string | undefined, more: Partial<SessionRow> = {}): SessionRow {
  const time = authenticated === undefined ? undefined : at(authenticated);
  return {
    id: 's',
    identityId: 'i',
    active: true,
    issuedAt: time,
    authenticatedAt: time,
    expiresAt: undefined,
    ip: undefined,
    device: undefined,
    place: undefined,
    ...more,
  };
}
const sessionsAt = (asOf: string, rows: SessionRow[], truncated = false): Sessions => ({
  rows,
  truncated,
  asOf: at(asOf),
});
/** Hours as `{hour: count}`, without those of none. */
const hoursOf = (hours: number[]): Record<number, number> =>
  Object.fromEntries(hours.flatMap((count, hour) => (count === 0 ? [] : [[hour, count]])));

describe('statistics of sessions', () => {
  /** The night in which Berlin's clocks go back, and the one after. */
  const AUTUMN = [
    '2025-10-25T21:59:59Z', // 25th, 23:59 in Berlin; 17:59 in New York
    '2025-10-25T22:00:00Z', // 26th, 00:00
    '2025-10-26T00:30:00Z', // 26th, 02:30 for the first time; 25th, 20:30 in New York
    '2025-10-26T01:30:00Z', // 26th, 02:30 once more
    '2025-10-26T22:59:59Z', // 26th, 23:59; 18:59 in New York
    '2025-10-26T23:00:00Z', // 27th, 00:00
  ].map((time) => session(time));

  it('count sign-ins by the days and hours of the zone, over the end of summer time', () => {
    const berlin = sessionStatistics(sessionsAt('2025-10-28T12:00:00Z', AUTUMN), 'Europe/Berlin');
    assert.deepEqual(berlin.sign_ins, [
      { day: '2025-10-25', count: 1 },
      { day: '2025-10-26', count: 4 },
      { day: '2025-10-27', count: 1 },
      { day: '2025-10-28', count: 0 },
    ]);
    assert.deepEqual(hoursOf(berlin.hours), { 0: 2, 2: 2, 23: 2 });
    const newYork = sessionStatistics(sessionsAt('2025-10-28T12:00:00Z', AUTUMN), 'America/New_York');
    assert.deepEqual(
      newYork.sign_ins.map(({ count }) => count),
      [4, 2, 0, 0],
    );
    assert.deepEqual(hoursOf(newYork.hours), { 17: 1, 18: 2, 19: 1, 20: 1, 21: 1 });
  });

  it('count them by the days of the zone over the turn of the year', () => {
    const rows = ['2025-12-31T14:59:59Z', '2025-12-31T15:00:00Z', '2026-01-01T04:59:59Z', '2026-01-01T05:00:00Z'];
    const of = (zone: string) =>
      sessionStatistics(
        sessionsAt(
          '2026-01-01T10:00:00Z',
          rows.map((time) => session(time)),
        ),
        zone,
      ).sign_ins;
    assert.deepEqual(of('Asia/Tokyo'), [
      { day: '2025-12-31', count: 1 },
      { day: '2026-01-01', count: 3 },
    ]);
    assert.deepEqual(of('America/New_York'), [
      { day: '2025-12-31', count: 3 },
      { day: '2026-01-01', count: 1 },
    ]);
  });

  it('cover nothing before the oldest session that was read', () => {
    // The oldest looked at was begun on the 5th; others before it were not looked at.
    const rows = [
      session('2026-01-08T12:00:00Z', { issuedAt: at('2026-01-05T06:00:00Z') }),
      session('2026-01-07T12:00:00Z'),
      session('2026-01-04T12:00:00Z', { issuedAt: at('2026-01-06T06:00:00Z') }),
    ];
    const statistics = sessionStatistics(sessionsAt('2026-01-08T18:00:00Z', rows, true), 'UTC');
    assert.equal(statistics.since, '2026-01-05T06:00:00.000Z');
    assert.equal(statistics.truncated, true);
    assert.equal(statistics.sample, 3);
    assert.deepEqual(statistics.sign_ins, [
      { day: '2026-01-05', count: 0 },
      { day: '2026-01-06', count: 0 },
      { day: '2026-01-07', count: 1 },
      { day: '2026-01-08', count: 1 },
    ]);
    assert.deepEqual(hoursOf(statistics.hours), { 12: 2 });
  });

  it('go back a year and no further, and leave out what lies in the future', () => {
    const rows = ['2020-06-01T12:00:00Z', '2025-02-01T11:00:00Z', '2026-01-31T12:00:00Z', '2099-01-01T00:00:00Z'];
    const statistics = sessionStatistics(
      sessionsAt(
        '2026-01-31T18:00:00Z',
        rows.map((time) => session(time)),
      ),
      'UTC',
    );
    assert.equal(statistics.since, '2025-01-31T18:00:00.000Z');
    assert.equal(statistics.sign_ins.length, 366);
    assert.deepEqual(statistics.sign_ins[1], { day: '2025-02-01', count: 1 });
    assert.deepEqual(statistics.sign_ins.at(-1), { day: '2026-01-31', count: 1 });
    assert.deepEqual(hoursOf(statistics.hours), { 11: 1, 12: 1 });
  });

  it('call those active that are neither ended nor expired when they were read', () => {
    const rows = [
      session('2026-01-01T00:00:00Z', { expiresAt: at('2026-01-02T00:00:00Z') }),
      session('2026-01-01T00:00:00Z', { expiresAt: at('2026-01-01T12:00:00Z') }),
      session('2026-01-01T00:00:00Z', { expiresAt: at('2026-01-02T00:00:00Z'), active: false }),
      session('2026-01-01T00:00:00Z'),
    ];
    assert.equal(sessionStatistics(sessionsAt('2026-01-01T12:00:00Z', rows), 'UTC').active, 2);
  });

  it('of none are empty', () => {
    assert.deepEqual(sessionStatistics(sessionsAt('2026-01-01T12:00:00Z', []), 'UTC'), {
      sample: 0,
      truncated: false,
      since: null,
      active: 0,
      sign_ins: [],
      hours: Array(24).fill(0),
      as_of: '2026-01-01T12:00:00.000Z',
    });
  });

  it('count a session without times, on no day', () => {
    const statistics = sessionStatistics(sessionsAt('2026-01-01T12:00:00Z', [session(undefined)]), 'UTC');
    assert.equal(statistics.sample, 1);
    assert.deepEqual(statistics.sign_ins, []);
  });
});

describe('statistics of identities', () => {
  const sample: IdentitySample = {
    total: 31_000,
    sample: 4,
    complete: false,
    verifiable: 3,
    verified: 2,
    bySchema: new Map([
      ['operator', 1],
      ['person', 2],
      ['device', 1],
    ]),
    createdAt: ['2026-03-28T23:30:00Z', '2026-03-29T21:59:59Z', '2026-03-29T22:00:00Z', '2019-01-01T00:00:00Z'].map(at),
    asOf: at('2026-03-30T12:00:00Z'),
  };

  it('are what was counted, schemas by size, and days of the zone over the beginning of summer time', () => {
    const { created, ...numbers } = identityStatistics(sample, 'Europe/Berlin');
    assert.deepEqual(numbers, {
      total: 31_000,
      sample: 4,
      complete: false,
      verifiable: 3,
      verified: 2,
      by_schema: [
        { schema_id: 'person', count: 2 },
        { schema_id: 'device', count: 1 },
        { schema_id: 'operator', count: 1 },
      ],
      as_of: '2026-03-30T12:00:00.000Z',
    });
    assert.equal(created.length, 366);
    assert.deepEqual(created.slice(-3), [
      { day: '2026-03-28', count: 0 },
      { day: '2026-03-29', count: 2 },
      { day: '2026-03-30', count: 1 },
    ]);
    const recent = identityStatistics({ ...sample, createdAt: sample.createdAt.slice(0, 3) }, 'America/New_York');
    assert.deepEqual(recent.created, [
      { day: '2026-03-28', count: 1 },
      { day: '2026-03-29', count: 2 },
      { day: '2026-03-30', count: 0 },
    ]);
  });
});

describe('statistics of clients', () => {
  it('are grants by size', () => {
    const byGrant = new Map([
      ['refresh_token', 1],
      ['authorization_code', 3],
    ]);
    assert.deepEqual(clientStatistics({ sample: 3, truncated: false, byGrant, asOf: 0 }), {
      sample: 3,
      truncated: false,
      by_grant: [
        { grant: 'authorization_code', count: 3 },
        { grant: 'refresh_token', count: 1 },
      ],
      as_of: '1970-01-01T00:00:00.000Z',
    });
  });
});
