import assert from 'node:assert/strict';
import { formatPosture, worstCheck } from '../../client/audit-view/format-posture.ts';
import { axisTicks, axisTop } from '../../client/features/overview/charts/axis.ts';
import { formatChange, formatWeek, lastWeek } from '../../client/features/overview/charts/change.ts';
import {
  buckets,
  formatBucket,
  formatDay,
  lastDay,
  shortDay,
  total,
} from '../../client/features/overview/charts/day-series.ts';
import {
  formatDays,
  formatGrants,
  formatHours,
  formatSchemas,
  formatVerification,
  percent,
} from '../../client/features/overview/charts/summaries.ts';
import {
  formatAdded,
  formatMoved,
  formatOrder,
  formatPlace,
  formatRefused,
  formatResized,
} from '../../client/features/overview/grid/announcements.ts';
import { stepOf } from '../../client/features/overview/grid/keys.ts';
import { formatPlaces } from '../../client/features/overview/widgets/format-places.ts';
import { formatAge } from '../../client/format/age.ts';
import { formatAmong, formatLatest, formatLeast, formatSample } from '../../client/format/sample.ts';
import { formatServices, formatState } from '../../client/format/services.ts';
import type { PostureCheck, PostureStatus } from '../../shared/posture.ts';
import type { ServiceState } from '../../shared/services.ts';
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

  it('is called by the day that it says, in whatever zone the browser is', () => {
    assert.equal(formatDay('2024-02-29'), 'Thu 29 Feb');
    assert.equal(shortDay('2025-01-01'), '1 Jan');
    assert.equal(formatBucket({ day: '2024-12-25', count: 1, days: 7 }), 'the week from 25 Dec 2024');
    assert.equal(formatBucket({ day: '2024-01-02', count: 1, days: 3 }), 'the 3 days from 2 Jan 2024');
  });

  it('is summed up in a sentence', () => {
    const of = (days: DayCount[], span: 30 | 90 | 365 = 30): string => formatDays(buckets(days, span), SIGN_INS);
    assert.equal(
      of(series(60, (index) => (index === 40 ? 100 : 10))),
      '390 sign-ins in the last 30 days, 13 a day; most on Thu 12 Dec (100).',
    );
    assert.equal(of(series(30, () => 0)), 'No sign-ins in the last 30 days.');
    assert.equal(of(series(1, () => 0)), 'No sign-ins today.');
    assert.equal(of(series(1, () => 1)), '1 sign-in today.');
    assert.equal(
      of(series(10, (index) => (index === 0 ? 1 : 0))),
      '1 sign-in in the last 10 days, fewer than one a day; most on Sun 22 Dec (1).',
    );
    assert.equal(
      of(
        series(365, (index) => (index > 360 ? 50 : 1)),
        365,
      ),
      '561 sign-ins in the last 365 days, 2 a day; most in the week from 25 Dec 2024 (203).',
    );
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

  it('is not told of sign-ins unless both weeks are known whole', () => {
    const fourteen = series(14, (index) => (index < 7 ? 1 : 2));
    assert.equal(formatWeek(fourteen, true), '14 in the last 7 days, +100% against the 7 days before.');
    assert.equal(formatWeek(fourteen, false), '');
    assert.equal(formatWeek(fourteen.slice(1), true), '');
    assert.equal(formatWeek([], true), '');
  });
});

describe('numbers in words', () => {
  it('never say all or none unless it is exact', () => {
    assert.deepEqual(
      [percent(0, 10), percent(1, 1000), percent(1, 3), percent(999, 1000), percent(10, 10), percent(0, 0)],
      ['0%', 'under 1%', '33%', 'over 99%', '100%', '0%'],
    );
  });

  it('tell hours by their beginning and end, also the last one', () => {
    const hours = Array<number>(24).fill(5);
    assert.equal(formatHours(Array(24).fill(0)), 'No sign-ins yet.');
    assert.equal(formatHours(hours), 'Sign-ins are spread evenly over the day.');
    assert.equal(
      formatHours(hours.with(23, 1_000).with(3, 0)),
      'Most sign-ins come at 23:00–00:00 (1,000 of 1,110), fewest at 03:00–04:00 (0).',
    );
  });

  it('tell shares', () => {
    assert.equal(formatSchemas([], 0), 'There are no identities yet.');
    assert.equal(formatSchemas([{ schema_id: 'x', count: 4 }], 4), 'All identities have the schema x.');
    assert.equal(
      formatSchemas(
        [
          { schema_id: 'x', count: 3 },
          { schema_id: 'y', count: 1 },
        ],
        4,
      ),
      'x makes up 75% of the identities, the largest of 2 schemas.',
    );
    assert.equal(formatGrants([], 0), 'There are no OAuth2 clients yet.');
    assert.equal(formatGrants([], 1), 'None of 1 client may use a grant.');
    assert.equal(
      formatGrants([{ grant: 'refresh_token', count: 3 }], 4),
      'Refresh token is the most common grant; 3 of 4 clients may use it.',
    );
    assert.equal(formatVerification(0, 0), 'No identity has an address that can be verified.');
    assert.equal(formatVerification(1, 1_200), '1 of 1,200 identities with an address to verify has verified one.');
  });

  it('tell places, and how many are nowhere', () => {
    const norway = { label: 'Norway', lat: 61, lng: 9, count: 412 };
    assert.equal(formatPlaces([], 0, 0), 'There are no active sessions.');
    assert.equal(formatPlaces([], 3, 3), '3 active sessions, the location of none is known.');
    assert.equal(formatPlaces([norway], 0, 412), '412 active sessions in 1 place; most in Norway (412).');
    assert.equal(
      formatPlaces([norway, { ...norway, count: 1 }], 7, 420),
      '420 active sessions in 2 places, 7 of them at an unknown location; most in Norway (412).',
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

  it('give ages in whole units, rounded down', () => {
    assert.deepEqual(
      [-90_000, 4_999, 40_000, 59_999, 60_000, 3_599_000, 7_200_000, 86_400_000, 200_000_000].map(formatAge),
      ['just now', 'just now', '40 s ago', '59 s ago', '1 min ago', '59 min ago', '2 h ago', '1 day ago', '2 days ago'],
    );
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

describe('what is wrong, in words', () => {
  const service = (state: Partial<ServiceState>): ServiceState => ({
    name: 'database',
    status: 'up',
    version: null,
    latency_ms: null,
    checked_at: '2026-01-31T09:00:00.000Z',
    problem: null,
    since: null,
    ...state,
  });

  it('names the services that are not up', () => {
    const off = service({ status: 'not_configured' });
    assert.equal(formatServices([off]), 'No service is configured.');
    assert.equal(formatServices([off, service({})]), 'The one configured service is up.');
    assert.equal(
      formatServices([off, service({}), service({ status: 'down' }), service({ status: 'degraded', name: 'oauth' })]),
      '2 of 3 configured services are not up: Database, OAuth 2.0.',
    );
  });

  it('say the state of each, and beside it why and how fast', () => {
    for (const [words, state] of [
      ['Not configured', { status: 'not_configured' }],
      ['Up', {}],
      ['Up, 55 ms', { latency_ms: 55 }],
      ['Degraded, slow, 1,204 ms', { status: 'degraded', latency_ms: 1_204, problem: 'slow' }],
      ['Down, not reachable', { status: 'down', problem: 'unreachable' }],
    ] as const)
      assert.equal(formatState(service(state)), words);
  });

  it('counts checks, the worst first', () => {
    const check = (status: PostureStatus): PostureCheck => ({
      id: 'clock',
      title: status,
      status,
      detail: '',
      why: '',
      action: '',
    });
    assert.equal(formatPosture([check('pass'), check('pass')]), 'All 2 checks pass');
    assert.equal(formatPosture([]), '');
    const mixed = [check('pass'), check('unknown'), check('warn'), check('fail'), check('warn')];
    assert.equal(formatPosture(mixed), '1 fails, 2 warn, 1 unknown, 1 passes');
    assert.equal(worstCheck(mixed)?.title, 'fail');
    assert.equal(worstCheck([check('pass')]), undefined);
  });
});

describe('announcements', () => {
  const placement = { id: 'a', x: 3, y: 1, w: 3, h: 2 };
  it('count columns and rows from one', () => {
    assert.equal(formatPlace(placement), 'columns 4 to 6, row 2');
    assert.equal(formatPlace({ ...placement, w: 1 }), 'column 4, row 2');
    assert.equal(formatPlace({ ...placement, x: 0, w: 12 }), 'all columns, row 2');
  });

  it('say what was done, or why nothing was', () => {
    assert.equal(formatMoved('Services', placement), 'Services moved to columns 4 to 6, row 2.');
    assert.equal(formatResized('Services', placement), 'Services is 3 columns wide, 2 rows high.');
    assert.equal(
      formatAdded('Services', placement),
      'Services added at columns 4 to 6, row 2, 3 columns wide, 2 rows high.',
    );
    assert.equal(formatOrder('Services', 2, 13), 'Services is widget 2 of 13.');
    assert.equal(formatRefused('Services', { act: 'move', direction: 'up' }), 'Services is at the top already.');
    assert.equal(formatRefused('Services', { act: 'resize', direction: 'right' }), 'Services cannot be wider.');
  });

  it('come from arrows alone and with Shift, and from no key that the browser has a use for', () => {
    const key = { key: 'ArrowLeft', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
    assert.deepEqual(stepOf(key), { act: 'move', direction: 'left' });
    assert.deepEqual(stepOf({ ...key, shiftKey: true }), { act: 'resize', direction: 'left' });
    for (const other of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { key: 'a' }])
      assert.equal(stepOf({ ...key, ...other }), undefined);
  });
});
