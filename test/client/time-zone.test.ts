import assert from 'node:assert/strict';
import { localTime, utcTime } from '../../client/features/security/audit/audit-choices.ts';
import { dayOf, exactly, offset } from '../../client/format/english-time.ts';
import { formatPeriod } from '../../client/format/period.ts';
import { parsePeriod } from '../../client/lib/period.ts';
import { timesOf } from '../../client/lib/period-times.ts';
import { chooseZone, chosenZone, momentOf, onClock, zoneName } from '../../client/lib/time-zone.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Africa/Cairo',
] as const;

/** What days of an address ask for. */
const between = (days: string): { from: string | undefined; to: string | undefined } =>
  timesOf(parsePeriod(days) ?? assert.fail(days), 0);

describe('the time zone', () => {
  afterEach(() => chooseZone(undefined));

  it('is the browser’s until one is chosen', () => {
    assert.equal(chosenZone(), undefined);
    assert.equal(zoneName(), Intl.DateTimeFormat().resolvedOptions().timeZone);
    const date = new Date(2026, 6, 1, 9, 5, 7);
    assert.equal(exactly(date), `1 Jul 2026, 09:05:07 ${offset(-date.getTimezoneOffset())}`);
    assert.equal(between('2026-03-08..').from, new Date(2026, 2, 8).toISOString());
  });

  it('is said with every exact time, which is what its clocks showed then', () => {
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

  it('is not taken if there is none of that name', () => {
    chooseZone('Asia/Kathmandu');
    assert.throws(() => chooseZone('Mars/Olympus'), RangeError);
    assert.equal(zoneName(), 'Asia/Kathmandu');
    assert.equal(exactly(new Date(0)), '1 Jan 1970, 05:30:00 UTC+5:30');
  });

  it('decides when the days of an address begin and end, also where clocks change', () => {
    chooseZone('Europe/Berlin');
    assert.deepEqual(between('2026-01-31..2026-01-31'), {
      from: '2026-01-30T23:00:00.000Z',
      to: '2026-01-31T23:00:00.000Z',
    });
    // Days of 23 and 25 hours.
    assert.deepEqual(between('2026-03-29..2026-03-29'), {
      from: '2026-03-28T23:00:00.000Z',
      to: '2026-03-29T22:00:00.000Z',
    });
    assert.deepEqual(between('2026-10-25..2026-10-25'), {
      from: '2026-10-24T22:00:00.000Z',
      to: '2026-10-25T23:00:00.000Z',
    });
    chooseZone('UTC');
    assert.deepEqual(between('2026-03-29..2026-03-29'), {
      from: '2026-03-29T00:00:00.000Z',
      to: '2026-03-30T00:00:00.000Z',
    });
    // This day has no midnight: its clocks went on from 23:59 to 01:00.
    chooseZone('Africa/Cairo');
    assert.deepEqual(between('2024-04-26..2024-04-26'), {
      from: '2024-04-25T22:00:00.000Z',
      to: '2024-04-26T21:00:00.000Z',
    });
    // This one has two.
    assert.equal(between('2024-11-01..').from, '2024-10-31T22:00:00.000Z');
  });

  it('is that of the days in words, and of the fields for times', () => {
    for (const timeZone of ZONES) {
      chooseZone(timeZone);
      assert.equal(
        formatPeriod(parsePeriod('2026-01-05..2026-01-06') ?? assert.fail()),
        'from 5 Jan 2026 to 6 Jan 2026',
      );
      const at = '2026-07-01T12:34:00.000Z';
      assert.equal(utcTime(localTime(at)), at, timeZone);
    }
    chooseZone('Asia/Kathmandu');
    assert.equal(localTime('2026-01-31T20:00:00Z'), '2026-02-01T01:45');
    assert.equal(utcTime('2026-02-01T01:45'), '2026-01-31T20:00:00.000Z');
    assert.equal(utcTime(''), undefined);
  });

  it('finds the moment that clocks show, of two the first', () => {
    chooseZone('Europe/Berlin');
    for (let hour = 0; hour < 24 * 400; hour += 1) {
      const date = new Date(Date.UTC(2026, 0, 1, hour, 30));
      const shown = momentOf(onClock(date).getTime());
      assert.equal(onClock(shown).getTime(), onClock(date).getTime());
      assert.ok(shown <= date);
    }
  });

  it('names offsets from UTC', () => {
    assert.deepEqual([0, 60, -60, 330, -210, 845].map(offset), [
      'UTC',
      'UTC+1',
      'UTC-1',
      'UTC+5:30',
      'UTC-3:30',
      'UTC+14:05',
    ]);
  });
});
