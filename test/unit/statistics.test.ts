import assert from 'node:assert/strict';
import fc from 'fast-check';
import { identityStatistics, sessionStatistics } from '../../server/features/statistics.ts';
import { zoneCalendar } from '../../server/http/time-zone.ts';
import { QUARTER_MS, type Quarters } from '../../server/search-index/database.ts';
import { seeded } from '../support/seeded.ts';

const at = (text: string): number => Date.parse(text);
const quartersOf = (times: readonly number[]): Quarters =>
  times.map((time) => ({ quarter: Math.floor(time / QUARTER_MS), count: 1 }));

/** Sign-ins at these times, of sessions that began then. */
const sessionsAt = (asOf: string, times: readonly string[], since = Math.min(...times.map(at)), complete = true) => ({
  value: { sessions: times.length, active: 0, since, quarters: quartersOf(times.map(at)) },
  complete,
  asOf: at(asOf),
});
/** Hours as `{hour: count}`, without zeros. */
const hoursOf = (hours: number[]): Record<number, number> =>
  Object.fromEntries(hours.flatMap((count, hour) => (count === 0 ? [] : [[hour, count]])));

describe('the statistics of sessions', () => {
  const AUTUMN = [
    '2025-10-25T21:59:59Z', // 25th, 23:59 in Berlin; 17:59 in New York
    '2025-10-25T22:00:00Z', // 26th, 00:00
    '2025-10-26T00:30:00Z', // 26th, 02:30 for the first time; 25th, 20:30 in New York
    '2025-10-26T01:30:00Z', // 26th, 02:30 once more
    '2025-10-26T22:59:59Z', // 26th, 23:59; 18:59 in New York
    '2025-10-26T23:00:00Z', // 27th, 00:00
  ];

  it('count sign-ins by the days and hours of the time zone, across the end of summer time', () => {
    const berlin = sessionStatistics(sessionsAt('2025-10-28T12:00:00Z', AUTUMN), 'Europe/Berlin');
    assert.deepEqual(berlin.sign_ins, [
      { day: '2025-10-25', count: 1 },
      { day: '2025-10-26', count: 4 },
      { day: '2025-10-27', count: 1 },
      { day: '2025-10-28', count: 0 },
    ]);
    assert.deepEqual(hoursOf(berlin.hours), { 0: 2, 2: 2, 23: 2 });
    const newYork = sessionStatistics(sessionsAt('2025-10-28T12:00:00Z', AUTUMN), 'America/New_York');
    const counts = newYork.sign_ins.map(({ count }) => count);
    assert.deepEqual(counts, [4, 2, 0, 0]);
    assert.deepEqual(hoursOf(newYork.hours), { 17: 1, 18: 2, 19: 1, 20: 1, 21: 1 });
  });

  it('begin with the oldest session that was read if the list is incomplete', () => {
    // The oldest session that was read began in the middle of a quarter of an hour.
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
});

describe('the statistics of identities', () => {
  it('list schemas by size and name, and count identities by the days of the time zone, across the start of summer time', () => {
    const times = ['2026-03-28T23:30:00Z', '2026-03-29T21:59:59Z', '2026-03-29T22:00:00Z', '2019-01-01T00:00:00Z'];
    const counted = {
      value: {
        identities: 4,
        verifiable: 3,
        verified: 2,
        bySchema: [
          { schemaId: 'operator', count: 1 },
          { schemaId: 'person', count: 2 },
          { schemaId: 'device', count: 1 },
        ],
        quarters: quartersOf(times.map(at)),
      },
      complete: false,
      asOf: at('2026-03-30T12:00:00Z'),
    };
    const { total, complete, by_schema, created, as_of } = identityStatistics(counted, 31_000, 'Europe/Berlin');
    assert.deepEqual([total, complete, as_of], [31_000, false, '2026-03-30T12:00:00.000Z']);
    assert.deepEqual(
      by_schema.map(({ schema_id, count }) => [schema_id, count]),
      [
        ['person', 2],
        ['device', 1],
        ['operator', 1],
      ],
    );
    assert.equal(created.length, 366);
    assert.deepEqual(created.slice(-3), [
      { day: '2026-03-28', count: 0 },
      { day: '2026-03-29', count: 2 },
      { day: '2026-03-30', count: 1 },
    ]);
  });
});

describe('the calendar of a time zone', () => {
  it('agrees with Intl at random times of a year, in a selection of time zones', () => {
    const from = at('2025-01-01T00:00:00Z');
    const to = at('2026-01-01T00:00:00Z');
    const calendars = new Map(
      Intl.supportedValuesOf('timeZone')
        .filter((_, index) => index % 12 === 0)
        .map((zone) => [zone, zoneCalendar(zone, from, to)]),
    );
    fc.assert(
      fc.property(fc.constantFrom(...calendars.keys()), fc.integer({ min: from, max: to }), (zone, time) => {
        const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
        const [day, hour] = format.format(time).split(/[ :]/);
        const calendar = calendars.get(zone);
        assert.equal(calendar?.days[calendar.dayOf(time)], day);
        assert.equal(calendar?.hourOf(time), Number(hour));
      }),
      seeded(300),
    );
  });
});
