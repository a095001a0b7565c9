import assert from 'node:assert/strict';
import fc from 'fast-check';
import { zoneCalendar } from '../../server/features/activity/zone-calendar.ts';
import { drawn } from '../support/drawn.ts';

const at = (text: string): number => Date.parse(text);

describe('calendar of a time zone', () => {
  /** Worked out by hand from the zones' rules. */
  const MOMENTS: [zone: string, utc: string, day: string, hour: number][] = [
    ['UTC', '2025-12-31T23:59:59.999Z', '2025-12-31', 23],
    ['UTC', '2026-01-01T00:00:00Z', '2026-01-01', 0],
    // Summer time begins at 01:00 UTC: the hour from two to three is left out.
    ['Europe/Berlin', '2025-03-29T22:59:59Z', '2025-03-29', 23],
    ['Europe/Berlin', '2025-03-29T23:00:00Z', '2025-03-30', 0],
    ['Europe/Berlin', '2025-03-30T00:59:59.999Z', '2025-03-30', 1],
    ['Europe/Berlin', '2025-03-30T01:00:00Z', '2025-03-30', 3],
    ['Europe/Berlin', '2025-03-30T21:59:59Z', '2025-03-30', 23],
    ['Europe/Berlin', '2025-03-30T22:00:00Z', '2025-03-31', 0],
    // It ends at 01:00 UTC: the hour from two to three comes twice.
    ['Europe/Berlin', '2025-10-26T00:30:00Z', '2025-10-26', 2],
    ['Europe/Berlin', '2025-10-26T01:30:00Z', '2025-10-26', 2],
    ['Europe/Berlin', '2025-10-26T02:00:00Z', '2025-10-26', 3],
    ['Europe/Berlin', '2025-10-26T22:59:59Z', '2025-10-26', 23],
    ['Europe/Berlin', '2025-10-26T23:00:00Z', '2025-10-27', 0],
    ['America/New_York', '2026-01-01T04:59:59Z', '2025-12-31', 23],
    ['America/New_York', '2026-01-01T05:00:00Z', '2026-01-01', 0],
    ['America/New_York', '2025-11-02T05:59:00Z', '2025-11-02', 1],
    ['America/New_York', '2025-11-02T06:00:00Z', '2025-11-02', 1],
    ['Asia/Tokyo', '2025-12-31T15:00:00Z', '2026-01-01', 0],
    ['Asia/Kathmandu', '2025-06-30T18:14:59Z', '2025-06-30', 23],
    ['Asia/Kathmandu', '2025-06-30T18:15:00Z', '2025-07-01', 0],
    // Half an hour only, and in the middle of a day of UTC.
    ['Australia/Lord_Howe', '2025-04-05T14:59:59Z', '2025-04-06', 1],
    ['Australia/Lord_Howe', '2025-04-05T15:00:00Z', '2025-04-06', 1],
    ['Australia/Lord_Howe', '2025-04-05T15:30:00Z', '2025-04-06', 2],
    ['Pacific/Kiritimati', '2025-12-31T10:00:00Z', '2026-01-01', 0],
    ['Pacific/Pago_Pago', '2026-01-01T10:59:59Z', '2025-12-31', 23],
    ['Europe/London', '2024-02-29T23:59:59Z', '2024-02-29', 23],
  ];
  for (const [zone, utc, day, hour] of MOMENTS)
    it(`in ${zone} ${utc} is on ${day} in hour ${hour}`, () => {
      const calendar = zoneCalendar(zone, at(utc) - 3 * 86_400_000, at(utc) + 3 * 86_400_000);
      assert.equal(calendar.days[calendar.dayOf(at(utc))], day);
      assert.equal(calendar.hourOf(at(utc)), hour);
    });

  it('has every local day of its span once, from the first to the last', () => {
    const berlin = zoneCalendar('Europe/Berlin', at('2024-02-27T23:00:00Z'), at('2024-03-01T22:59:59Z'));
    assert.deepEqual(berlin.days, ['2024-02-28', '2024-02-29', '2024-03-01']);
    const year = zoneCalendar('America/New_York', at('2024-12-31T12:00:00Z'), at('2025-12-31T12:00:00Z'));
    assert.equal(year.days.length, 366);
    assert.equal(new Set(year.days).size, 366);
    assert.equal(year.days.at(-1), '2025-12-31');
    assert.deepEqual(zoneCalendar('Asia/Tokyo', 0, 0).days, ['1970-01-01']);
  });

  it('has no day for what lies outside of its span', () => {
    const calendar = zoneCalendar('Europe/Berlin', at('2025-01-10T12:00:00Z'), at('2025-01-12T12:00:00Z'));
    for (const outside of [
      '2025-01-09T22:59:59Z',
      '2024-01-10T12:00:00Z',
      '2025-01-12T23:00:00Z',
      '2099-01-01T00:00:00Z',
    ])
      assert.equal(calendar.days[calendar.dayOf(at(outside))], undefined, outside);
  });

  it('agrees with Intl at any moment of a year, in any zone', () => {
    const from = at('2025-01-01T00:00:00Z');
    const to = at('2026-01-01T00:00:00Z');
    const calendars = new Map(
      Intl.supportedValuesOf('timeZone')
        .filter((_, index) => index % 12 === 0)
        .map((zone) => [zone, zoneCalendar(zone, from, to)]),
    );
    fc.assert(
      fc.property(fc.constantFrom(...calendars.keys()), fc.integer({ min: from, max: to }), (zone, time) => {
        const told = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
        const [day, hour] = told.format(time).split(/[ :]/);
        const calendar = calendars.get(zone);
        assert.equal(calendar?.days[calendar.dayOf(time)], day);
        assert.equal(calendar?.hourOf(time), Number(hour));
      }),
      drawn(500),
    );
  });
});
