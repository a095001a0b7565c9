import assert from 'node:assert/strict';
import { dayOf, exactly, offset, timeAgo } from '../../client/lib/format-time.ts';
import { parsePeriod, timesOf } from '../../client/lib/period.ts';
import { chooseZone, chosenZone, momentOf, onClock, zoneName } from '../../client/lib/time-zone.ts';
import { parseDate } from '../../client/ui/date-field.tsx';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Africa/Cairo',
] as const;
const NOW = Date.parse('2026-03-08T12:34:56.789Z');

describe('the time zone', () => {
  afterEach(() => chooseZone(undefined));

  it('is the browser’s until the operator chooses one, which must exist', () => {
    assert.equal(chosenZone(), undefined);
    assert.equal(zoneName(), Intl.DateTimeFormat().resolvedOptions().timeZone);
    const date = new Date(2026, 6, 1, 9, 5, 7);
    assert.equal(exactly(date), `1 Jul 2026, 09:05:07 ${offset(-date.getTimezoneOffset())}`);
    chooseZone('Asia/Kathmandu');
    assert.throws(() => chooseZone('Mars/Olympus'), RangeError);
    assert.equal(exactly(new Date(0)), '1 Jan 1970, 05:30:00 UTC+5:30');
  });

  it('is part of every exact time, which has the format of Intl', () => {
    for (const timeZone of ZONES) {
      chooseZone(timeZone);
      const intl = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone });
      const short = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' });
      for (let day = 0; day < 800; day += 1) {
        const date = new Date(Date.UTC(2024, 0, 1) + day * 86_400_000 + day * 7_654_321);
        const zone = short.format(date).replace(/.*GMT(?:\+0)?/, 'UTC');
        assert.equal(exactly(date), `${intl.format(date)} ${zone}`, timeZone);
        assert.equal(`${dayOf(date)},`, /^.*,/.exec(intl.format(date))?.[0], timeZone);
      }
    }
  });

  it('determines when the days in a URL start and end, including days of 23 or 25 hours or without a midnight', () => {
    for (const [zone, day, from, to] of [
      ['Europe/Berlin', '2026-01-31', '2026-01-30T23:00:00.000Z', '2026-01-31T23:00:00.000Z'],
      ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
      ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
      ['Africa/Cairo', '2024-04-26', '2024-04-25T22:00:00.000Z', '2024-04-26T21:00:00.000Z'],
      ['Africa/Cairo', '2024-11-01', '2024-10-31T22:00:00.000Z', '2024-11-01T22:00:00.000Z'],
    ] as const) {
      chooseZone(zone);
      assert.deepEqual(timesOf(parsePeriod(`${day}..${day}`) ?? assert.fail(day), 0), { from, to });
    }
  });

  it('determines the moment of a local time, and the earlier one if there are two', () => {
    chooseZone('Europe/Berlin');
    for (let hour = 0; hour < 24 * 400; hour += 1) {
      const date = new Date(Date.UTC(2026, 0, 1, hour, 30));
      const moment = momentOf(onClock(date).getTime());
      assert.equal(onClock(moment).getTime(), onClock(date).getTime());
      assert.ok(moment <= date);
    }
  });
});

describe('a relative time', () => {
  it('has the English wording of Intl, from one minute to centuries in the past or future', () => {
    const intl = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
    // The largest count of each unit; 60 minutes, for example, are an hour.
    for (const [unit, size, most] of [
      ['minute', 60, 59],
      ['hour', 3_600, 23],
      ['day', 86_400, 30],
      ['month', 2_629_800, 11],
      ['year', 31_557_600, 1_200],
    ] as const)
      for (let steps = 1; steps <= most; steps += 1)
        for (const direction of [-1, 1])
          assert.equal(
            timeAgo(new Date(NOW + direction * steps * size * 1_000), NOW),
            intl.format(direction * steps, unit),
          );
    assert.equal(timeAgo(new Date(NOW - 59_000), NOW), 'just now');
  });
});

describe('a typed date or time', () => {
  it('is accepted in several formats', () => {
    for (const [text, withTime, value] of [
      [' 22  november 2026 ', false, '2026-11-22'],
      ['2026-11-22', false, '2026-11-22'],
      ['22 Nov 2026 9:30', true, '2026-11-22T09:30'],
      ['22 Nov 2026', true, '2026-11-22T00:00'],
      ['2026-11-22T09:30:15.250', true, '2026-11-22T09:30:15.250'],
      ['29 Feb 2028, 00:00', true, '2028-02-29T00:00'],
      ['  ', true, ''],
    ] as const)
      assert.deepEqual(parseDate(text, withTime), { value });
  });

  it('is rejected with an explanation if it is invalid', () => {
    for (const [text, withTime, problem] of [
      ['11/22/2026', false, /^Enter a date, such as/],
      ['22 Nov 2026, 09:30', false, /^Enter a date, such as/],
      ['yesterday', true, /^Enter a date and time, such as/],
      ['2026-02-29', false, /^29 Feb 2026 does not exist\./],
      ['22 Nov 2026, 24:00', true, /^24:00 is not a time\./],
    ] as const) {
      const parsed = parseDate(text, withTime);
      assert.match('problem' in parsed ? parsed.problem : '', problem);
    }
  });
});
