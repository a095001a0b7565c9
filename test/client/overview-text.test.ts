import assert from 'node:assert/strict';
import {
  buckets,
  formatChange,
  formatDays,
  formatWeek,
  lastWeek,
  percent,
  total,
} from '../../client/features/overview/day-series.ts';
import { axisTicks, axisTop } from '../../client/features/overview/plot.tsx';
import { stepOf } from '../../client/features/overview/use-arranging.ts';
import { formatAmong, formatLeast, formatSample } from '../../client/lib/format-count.ts';
import type { DayCount } from '../../shared/dashboard.ts';

const STARTED = { one: 'session started', many: 'sessions started', among: 'of those that still exist' };
/** Days up to New Year's Eve 2026, over a leap day and the changes of clocks. */
const series = (length: number, countOf: (index: number) => number): DayCount[] =>
  Array.from({ length }, (_, index) => ({
    day: new Date(Date.UTC(2024, 11, 31 - (length - 1 - index))).toISOString().slice(0, 10),
    count: countOf(index),
  }));

describe('a series of days', () => {
  it('is limited to the span and grouped by day, or by week for a year, ending today', () => {
    const year = series(400, () => 1);
    assert.deepEqual(
      buckets(year, 30).map(({ day }) => day),
      year.slice(-30).map(({ day }) => day),
    );
    const weeks = buckets(year, 365);
    assert.equal(weeks.length, 53);
    assert.deepEqual(weeks.at(-1), { day: '2024-12-25', count: 7, days: 7 });
    assert.deepEqual(weeks[0], { day: '2024-01-02', count: 1, days: 1 });
    assert.equal(total(weeks), 365);
  });
});

describe('the change compared with the week before', () => {
  it('is a percentage from 20 and up to ten times as many, otherwise the earlier count', () => {
    for (const [count, before, words] of [
      [112, 100, '+12%'],
      [75, 100, '−25%'],
      [199, 20, '+895%'],
      [200, 20, '20 before'],
      [12, 19, '19 before'],
      [7, 0, '0 before'],
      [1_003, 1_000, '1,000 before'],
    ] as const)
      assert.equal(formatChange({ count, before }), words);
    const days = [...series(7, () => 10), ...series(7, () => 20)];
    assert.equal(formatWeek(days, true), '140 in the last 7 days, +100% compared with the 7 days before.');
    assert.equal(formatWeek([...series(14, (index) => Number(index > 6))], true), '7 in the last 7 days, 0 before.');
  });

  it('compares the last seven days, including today, with the seven before', () => {
    const days = series(30, (index) => index);
    assert.deepEqual(lastWeek(days), { from: '2024-12-25', to: '2024-12-31', count: 182, before: 133 });
    assert.equal(lastWeek([]), undefined);
  });
});

describe('numbers in words', () => {
  it('never say all or none unless that is exact', () => {
    assert.deepEqual(
      [percent(0, 10), percent(1, 1000), percent(1, 3), percent(999, 1000), percent(10, 10), percent(0, 0)],
      ['0%', 'under 1%', '33%', 'over 99%', '100%', '0%'],
    );
  });

  it('say first what they cover, unless that is everything', () => {
    const sentence = formatDays([{ day: '2024-12-31', count: 412, days: 1 }], STARTED);
    assert.equal(
      formatAmong(formatSample(20_000, true), true, sentence),
      '412 sessions started today, of those that still exist.',
    );
    assert.equal(formatAmong(formatSample(20_000, false), false, sentence), `Of 20,000 checked: ${sentence}`);
    assert.deepEqual([formatLeast(true, '5'), formatLeast(false, '5')], ['at least 5', '5']);
  });

  it('have an axis with a round top', () => {
    for (let largest = 1; largest < 5_000; largest += 7) {
      const top = axisTop(largest);
      assert.ok(top >= largest && top <= largest * 2 && axisTicks(top).every(Number.isInteger), String(largest));
    }
  });
});

describe('a step by keyboard', () => {
  it('comes from arrow keys, alone or with Shift, but not from shortcuts of the browser', () => {
    const key = { key: 'ArrowLeft', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
    assert.deepEqual(stepOf(key), { act: 'move', direction: 'left' });
    assert.deepEqual(stepOf({ ...key, shiftKey: true }), { act: 'resize', direction: 'left' });
    for (const other of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { key: 'a' }])
      assert.equal(stepOf({ ...key, ...other }), undefined);
  });
});
