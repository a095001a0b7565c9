import assert from 'node:assert/strict';
import { clientStatistics, identityStatistics, sessionStatistics } from '../../server/features/activity/statistics.ts';
import { QUARTER_MS, type Quarters } from '../../server/identity-index/quarters.ts';

const at = (text: string): number => Date.parse(text);
const quartersOf = (times: readonly number[]): Quarters =>
  times.map((time) => ({ quarter: Math.floor(time / QUARTER_MS), count: 1 }));

/** Sign-ins at these times, of sessions that began then. */
const sessionsAt = (asOf: string, times: readonly string[], since = Math.min(...times.map(at)), complete = true) => ({
  value: { sessions: times.length, active: 0, since, quarters: quartersOf(times.map(at)) },
  complete,
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
  ];

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
    const of = (zone: string) => sessionStatistics(sessionsAt('2026-01-01T10:00:00Z', rows), zone).sign_ins;
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
    // The oldest read was begun on the 5th, in the middle of a quarter; others before it were not read.
    const times = ['2026-01-08T12:00:00Z', '2026-01-07T12:00:00Z', '2026-01-05T06:10:00Z', '2026-01-04T12:00:00Z'];
    const since = at('2026-01-05T06:05:00Z');
    const statistics = sessionStatistics(sessionsAt('2026-01-08T18:00:00Z', times, since, false), 'UTC');
    assert.equal(statistics.since, '2026-01-05T06:05:00.000Z');
    assert.equal(statistics.truncated, true);
    assert.equal(statistics.sample, 4);
    assert.deepEqual(statistics.sign_ins, [
      { day: '2026-01-05', count: 1 },
      { day: '2026-01-06', count: 0 },
      { day: '2026-01-07', count: 1 },
      { day: '2026-01-08', count: 1 },
    ]);
    assert.deepEqual(hoursOf(statistics.hours), { 6: 1, 12: 2 });
  });

  it('go back a year and no further, and leave out what lies in the future', () => {
    const times = ['2020-06-01T12:00:00Z', '2025-02-01T11:00:00Z', '2026-01-31T12:00:00Z', '2099-01-01T00:00:00Z'];
    const statistics = sessionStatistics(sessionsAt('2026-01-31T18:00:00Z', times), 'UTC');
    assert.equal(statistics.since, '2025-01-31T18:00:00.000Z');
    assert.equal(statistics.sign_ins.length, 366);
    assert.deepEqual(statistics.sign_ins[1], { day: '2025-02-01', count: 1 });
    assert.deepEqual(statistics.sign_ins.at(-1), { day: '2026-01-31', count: 1 });
    assert.deepEqual(hoursOf(statistics.hours), { 11: 1, 12: 1 });
  });

  // Offsets of 5:30, 5:45 and 10:30 hours, and one whose summer time is half an hour.
  for (const [zone, midnight] of [
    ['Asia/Kolkata', '2026-01-14T18:30:00Z'],
    ['Asia/Kathmandu', '2026-01-14T18:15:00Z'],
    ['Australia/Lord_Howe', '2026-01-14T13:00:00Z'],
  ] as const)
    it(`count by the days and hours of ${zone} to the minute`, () => {
      const times = [at(midnight) - 60_000, at(midnight)].map((time) => new Date(time).toISOString());
      const { sign_ins, hours } = sessionStatistics(sessionsAt('2026-01-15T12:00:00Z', times), zone);
      assert.deepEqual(sign_ins.slice(0, 2), [
        { day: '2026-01-14', count: 1 },
        { day: '2026-01-15', count: 1 },
      ]);
      assert.deepEqual(hoursOf(hours), { 0: 1, 23: 1 });
    });

  it('of none are empty, and so are those without times', () => {
    const none = {
      truncated: false,
      since: null,
      active: 0,
      sign_ins: [],
      hours: Array(24).fill(0),
      as_of: '2026-01-01T12:00:00.000Z',
    };
    assert.deepEqual(sessionStatistics(sessionsAt('2026-01-01T12:00:00Z', [], 0), 'UTC'), { sample: 0, ...none });
    const { value, ...known } = sessionsAt('2026-01-01T12:00:00Z', [], 0);
    const withoutTimes = { ...known, value: { ...value, sessions: 1 } };
    assert.deepEqual(sessionStatistics(withoutTimes, 'UTC'), { sample: 1, ...none });
  });
});

describe('statistics of identities', () => {
  const times = ['2026-03-28T23:30:00Z', '2026-03-29T21:59:59Z', '2026-03-29T22:00:00Z', '2019-01-01T00:00:00Z'].map(
    at,
  );
  const counted = {
    value: {
      people: 4,
      verifiable: 3,
      verified: 2,
      bySchema: [
        { schemaId: 'operator', count: 1 },
        { schemaId: 'person', count: 2 },
        { schemaId: 'device', count: 1 },
      ],
      quarters: quartersOf(times),
    },
    complete: false,
    asOf: at('2026-03-30T12:00:00Z'),
  };

  it('are what was counted, schemas by size, and days of the zone over the beginning of summer time', () => {
    const { created, ...numbers } = identityStatistics(counted, 31_000, 'Europe/Berlin');
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
    const recently = { ...counted, value: { ...counted.value, quarters: quartersOf(times.slice(0, 3)) } };
    const recent = identityStatistics(recently, undefined, 'America/New_York');
    assert.deepEqual(recent.created, [
      { day: '2026-03-28', count: 1 },
      { day: '2026-03-29', count: 2 },
      { day: '2026-03-30', count: 0 },
    ]);
  });

  it('are as many as were read where the store does not say, once all of them were', () => {
    assert.equal(identityStatistics(counted, undefined, 'UTC').total, null);
    assert.equal(identityStatistics({ ...counted, complete: true }, undefined, 'UTC').total, 4);
  });
});

describe('statistics of clients', () => {
  it('are grants by size', () => {
    const byGrant = [
      { grant: 'refresh_token', count: 1 },
      { grant: 'authorization_code', count: 3 },
    ];
    assert.deepEqual(clientStatistics({ value: { clients: 3, byGrant }, complete: true, asOf: 0 }), {
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
