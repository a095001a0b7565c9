import assert from 'node:assert/strict';
import { formatPosture, worstCheck } from '../../client/audit-view/format-posture.ts';
import { axisTicks, axisTop } from '../../client/features/overview/charts/axis.ts';
import { formatChange, lastWeek } from '../../client/features/overview/charts/change.ts';
import { buckets, lastDay, total } from '../../client/features/overview/charts/day-series.ts';
import {
  formatDays,
  formatGrants,
  formatSchemas,
  formatVerification,
  percent,
} from '../../client/features/overview/charts/summaries.ts';
import { stepOf } from '../../client/features/overview/grid/keys.ts';
import { formatAmong, formatLatest, formatLeast, formatSample } from '../../client/format/sample.ts';
import type { PostureCheck, PostureStatus } from '../../shared/posture.ts';
import type { DayCount } from '../../shared/statistics.ts';

const SIGN_INS = { one: 'sign-in', many: 'sign-ins' };
/** Days up to New Year's Eve 2026, over a leap day and the changes of clocks. */
const series = (length: number, countOf: (index: number) => number): DayCount[] =>
  Array.from({ length }, (_, index) => ({
    day: new Date(Date.UTC(2024, 11, 31 - (length - 1 - index))).toISOString().slice(0, 10),
    count: countOf(index),
  }));

describe('a series of days', () => {
  it('is limited to the span and drawn by day, or by week for a year, ending today', () => {
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
    assert.deepEqual(buckets([], 365), []);
    assert.deepEqual(weeks.slice(0, 2).map(lastDay), ['2024-01-02', '2024-01-09']);
    assert.equal(lastDay({ day: '2024-02-28', count: 0, days: 2 }), '2024-02-29');
  });
});

describe('the change against the week before', () => {
  const of = (count: number, before: number): string => formatChange({ from: '', to: '', count, before });

  it('is a percentage only where one says something', () => {
    assert.equal(of(112, 100), '+12% against the 7 days before');
    assert.equal(of(75, 100), '−25% against the 7 days before');
    assert.equal(of(0, 100), '−100% against the 7 days before');
    assert.equal(of(50_000, 100), '+49,900% against the 7 days before');
    assert.equal(of(7, 7), 'as many as in the 7 days before');
    assert.equal(of(7, 0), 'none in the 7 days before');
    assert.equal(of(0, 0), 'none in the 7 days before either');
    assert.equal(of(1_003, 1_000), 'slightly more than in the 7 days before');
    assert.equal(of(997, 1_000), 'slightly fewer than in the 7 days before');
  });

  it('is of the last seven days, today included, and the seven before', () => {
    const days = series(30, (index) => index);
    assert.deepEqual(lastWeek(days), { from: '2024-12-25', to: '2024-12-31', count: 182, before: 133 });
    assert.deepEqual(lastWeek(series(2, () => 1)), { from: '2024-12-30', to: '2024-12-31', count: 2, before: 0 });
    assert.equal(lastWeek([]), undefined);
  });
});

describe('numbers in words', () => {
  it('never say all or none unless it is exact', () => {
    assert.deepEqual(
      [percent(0, 10), percent(1, 1000), percent(1, 3), percent(999, 1000), percent(10, 10), percent(0, 0)],
      ['0%', 'under 1%', '33%', 'over 99%', '100%', '0%'],
    );
  });

  it('say first what they cover, unless that is everything', () => {
    const sentence = formatDays([{ day: '2024-12-31', count: 412, days: 1 }], SIGN_INS);
    assert.equal(formatAmong(formatSample(20_000, true), true, sentence), '412 sign-ins today.');
    assert.equal(formatAmong(formatSample(20_000, false), false, sentence), 'Of 20,000 checked: 412 sign-ins today.');
    assert.equal(
      formatAmong(formatLatest(20_000, true), false, sentence),
      'Of the latest 20,000 sessions: 412 sign-ins today.',
    );
    assert.deepEqual([formatLeast(true, '5'), formatLeast(false, '5')], ['at least 5', '5']);
  });

  it('have a calm top above them', () => {
    assert.deepEqual(
      [0, 1, 3, 4, 5, 7, 9, 10, 11, 99, 101, 322, 1_633].map(axisTop),
      [1, 1, 3, 4, 5, 8, 10, 10, 15, 100, 150, 400, 2_000],
    );
    for (let largest = 1; largest < 5_000; largest += 7) {
      const top = axisTop(largest);
      assert.ok(top >= largest && top <= largest * 2 && axisTicks(top).every(Number.isInteger), String(largest));
    }
  });
});

describe('announcements', () => {
  it('come from arrows alone and with Shift, and from no key that the browser has a use for', () => {
    const key = { key: 'ArrowLeft', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
    assert.deepEqual(stepOf(key), { act: 'move', direction: 'left' });
    assert.deepEqual(stepOf({ ...key, shiftKey: true }), { act: 'resize', direction: 'left' });
    for (const other of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { key: 'a' }])
      assert.equal(stepOf({ ...key, ...other }), undefined);
  });
});
