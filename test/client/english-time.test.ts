import assert from 'node:assert/strict';
import { digits } from '../../client/format/counted.ts';
import { exactly, offset, timeAgo } from '../../client/format/english-time.ts';
import { formatPage, formatTotal } from '../../client/resource/list/format-page.ts';

const NOW = Date.parse('2026-03-08T12:34:56.789Z');

describe('numbers and times', () => {
  it('are worded as Intl words them in English, from a minute to decades away, behind and ahead', () => {
    const intl = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
    const sizes = { minute: 60, hour: 3_600, day: 86_400, month: 2_629_800, year: 31_557_600 };
    for (const [unit, size] of Object.entries(sizes)) {
      // Each step stays within one unit: 59 minutes, 23 hours, 30 days, 11 months, and as many years.
      const most = { minute: 59, hour: 23, day: 30, month: 11, year: 1_200 }[unit] as number;
      for (let steps = 1; steps <= most; steps += 1) {
        for (const direction of [-1, 1]) {
          const expected = intl.format(direction * steps, unit as Intl.RelativeTimeFormatUnit);
          assert.equal(timeAgo(new Date(NOW + direction * steps * size * 1_000), NOW), expected);
        }
      }
    }
    assert.equal(timeAgo(new Date(NOW - 59_000), NOW), 'just now');
    assert.equal(timeAgo(new Date(NOW - 90_000), NOW), '1 minute ago');
  });

  it('say a day and its time as Intl does, in the zone of the browser, which it names', () => {
    const intl = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
    for (let day = 0; day < 800; day += 1) {
      const date = new Date(NOW + day * 86_400_000 + day * 7_654_321);
      assert.equal(exactly(date), `${intl.format(date)} ${offset(-date.getTimezoneOffset())}`);
    }
  });

  it('are grouped by thousands as Intl does', () => {
    const intl = new Intl.NumberFormat('en');
    for (const count of [0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890, -1, -12_345])
      assert.equal(digits(count), intl.format(count));
  });

  it('ask Intl for nothing, whose first formatter would stand before the first row of a list', () => {
    const { toLocaleString: grouped } = Number.prototype;
    const { Intl: formatters } = globalThis;
    Number.prototype.toLocaleString = () => assert.fail('a number in words of Intl');
    Reflect.deleteProperty(globalThis, 'Intl');
    try {
      const date = new Date(NOW);
      const words = [digits(1_234), timeAgo(date, NOW - 7_200_000), exactly(date)];
      words.push(formatPage({ pages: [], page: { rows: [1, 2], next: undefined } }, { one: 'x', many: 'xs' }, false));
      words.push(formatTotal({ total: 5_000, as_of: date.toISOString() }, NOW));
      assert.ok(words.every((word) => word !== ''));
    } finally {
      Number.prototype.toLocaleString = grouped;
      Object.defineProperty(globalThis, 'Intl', { value: formatters, configurable: true, writable: true });
    }
  });
});
