import assert from 'node:assert/strict';
import { fireEvent, waitFor, within } from '@testing-library/dom';
import { axisTicks, axisTop } from '../../client/features/overview/charts.tsx';
import {
  buckets,
  formatChange,
  formatDays,
  formatWeek,
  lastWeek,
  percent,
  total,
} from '../../client/features/overview/day-series.ts';
import { stepOf } from '../../client/features/overview/use-arranging.ts';
import { formatAmong, formatLeast, formatSample } from '../../client/lib/format-count.ts';
import type { DashboardLayout, DayCount } from '../../shared/dashboard.ts';
import type { IdentityCount } from '../../shared/identities.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import {
  COUNT,
  placementOf,
  statisticsReady,
  storedLayout,
  storeLayout,
  storeViews,
  viewOf,
} from '../support/dashboard-resources.ts';
import { createIdentity } from '../support/identity-pages.ts';
import { BUSY_RESPONSES } from '../support/overview-responses.ts';

const LAYOUT = '/api/dashboard/layout';
const responding: App['respond'] = ({ path }) => {
  const response = BUSY_RESPONSES[path.split('?')[0] ?? ''];
  return response && Response.json(response());
};
const widget = (id: string): HTMLElement =>
  document.querySelector<HTMLElement>(`[data-widget="${id}"]`) ?? assert.fail(`no widget ${id}`);
const displayed = (): (string | undefined)[] =>
  [...document.querySelectorAll<HTMLElement>('[data-widget]')].map(({ dataset }) => dataset['widget']);

describe('the overview', () => {
  const suite = appOfSuite();
  const stored = (): Promise<DashboardLayout['layout']> => storedLayout(suite);
  const onOverview = (work: (app: App) => Promise<void>, role: 'admin' | 'viewer' = 'admin'): Promise<void> =>
    suite.open('/dashboard', { heading: 'Overview', respond: responding, role }, async (app) => {
      await waitFor(() => assert.ok(displayed().length > 0));
      await work(app);
    });
  beforeEach(() => storeLayout(suite, null));

  it('says what to do first while there is almost nobody, as far as the role may do it', async () => {
    const stepsOf = async (role: 'admin' | 'viewer', total: number | null): Promise<string[] | undefined> => {
      let steps: string[] | undefined;
      const respond: App['respond'] = (request) =>
        request.path === '/api/identities/total' ? Response.json({ total, as_of: null }) : responding(request);
      await suite.open('/dashboard', { heading: 'Overview', respond, role }, async () => {
        await waitFor(() => assert.match(widget('identities-total').textContent ?? '', /all identities|checked/));
        const panel = document.querySelector('[aria-label="First steps"]');
        steps = panel === null ? undefined : [...panel.querySelectorAll('a')].map(({ pathname }) => pathname);
      });
      return steps;
    };
    const all = ['/connections', '/identities/import', '/identities/new'];
    assert.deepEqual(await stepsOf('admin', 2), all);
    assert.equal(await stepsOf('admin', 1_200), undefined);
    assert.equal(await stepsOf('admin', null), undefined);
    assert.equal(await stepsOf('viewer', 2), undefined);
  });

  it('states what each number covers, the age of the numbers, and which number is much older than the rest', () =>
    onOverview(async (app) => {
      const caption = (id: string) => widget(id).querySelector('[data-caption]')?.textContent ?? '';
      await waitFor(() => assert.equal(caption('verification-rate'), 'of 20,000 checked, 18,400 verifiable'));
      await waitFor(() =>
        assert.match(caption('sign-ins'), /^of the latest 20,000 sessions that still exist, since [^,]+$/),
      );
      await waitFor(() => assert.equal(caption('clients-by-grant'), 'of all 37'));
      const age = () => document.querySelector('[data-page-age]')?.textContent ?? '';
      const clock = (before: number) => new Date(Date.now() - before).toTimeString().slice(0, 5);
      // The security checks have the oldest data, so the page states their age.
      await waitFor(() => assert.ok([50_000, 70_000, 90_000].some((before) => age() === `As of ${clock(before)}`)));
      await app.press('Verification rate as a table');
      await waitFor(() =>
        assert.match(widget('verification-rate').textContent ?? '', /Of 20,000 checked: 15,272 of 18,400 identities/),
      );
      const before = age();
      app.respond = (request) =>
        request.path === '/api/security/posture'
          ? Response.json({ checks: [], as_of: new Date(Date.now() - 3_600_000).toISOString() })
          : responding(request);
      await app.press('Refresh');
      await waitFor(() => assert.match(caption('posture'), /^as of .*\d\d:\d\d$/));
      assert.ok(age() >= before, 'one old number does not make the others older');
    }));

  it('lists the services with problems, and no others', () =>
    onOverview(async (app) => {
      await waitFor(() =>
        assert.match(
          widget('services').textContent ?? '',
          /^ServicesOAuth 2\.0 adminRejects the key since .*\d\d:\d\d$/,
        ),
      );
      app.respond = (request) =>
        request.path === '/api/services'
          ? Response.json({ services: [{ name: 'geo', status: 'up', problem: null }] })
          : responding(request);
      await app.press('Refresh');
      await app.shows('The one configured service is up', widget('services'));
    }));

  it('offers a viewer only permitted widgets, and sends no requests for others', () =>
    onOverview(async (app) => {
      await waitFor(() => assert.equal(displayed().length, 10));
      await app.shows('48,213');
      assert.ok(!displayed().some((id) => ['recent-audit', 'locked-accounts', 'posture'].includes(id ?? '')));
      await app.press('Arrange');
      await app.shows('All widgets are on the overview.');
      const links = [...document.querySelectorAll('[data-widget] h2 a')].map((link) => link.getAttribute('href'));
      assert.deepEqual(links, ['/system']);
      assert.ok(!app.requests.some(({ path }) => /^\/api\/(security|config)/.test(path)));
    }, 'viewer'));

  const arranging = (work: (app: App) => Promise<void>): Promise<void> =>
    onOverview(async (app) => {
      await app.press('Arrange');
      await app.screen.findByLabelText('Arrange the overview');
      await waitFor(() => assert.match(document.activeElement?.id ?? '', /^drag-handle-/));
      await work(app);
    });

  it('moves, resizes and removes the chosen widget with buttons', () =>
    arranging(async (app) => {
      await app.press('Move or resize Services');
      await app.press('Move Services left');
      await app.press('taller');
      await app.shows('Services is 4 columns wide, 3 rows high.');
      await waitFor(async () => assert.equal(placementOf(await stored(), 'services')?.h, 3));
      await app.press('Remove Services');
      await waitFor(async () => assert.deepEqual((await stored())?.hidden, ['services']));
    }));

  it('explains why a move, a resize or an undo is impossible, and saves nothing', () =>
    arranging(async (app) => {
      await app.user.keyboard('{ArrowLeft}');
      await app.shows('Identities cannot move further left.');
      fireEvent.keyDown(document.activeElement as Element, { key: 'я', code: 'KeyZ', ctrlKey: true });
      await app.shows('There is nothing to undo.');
      await app.user.keyboard('{Shift>}{ArrowUp}{/Shift}');
      await app.shows('Identities cannot be shorter.');
      await app.press('Undo');
      await app.shows('There is nothing to undo.');
      assert.equal(await stored(), null);
    }));

  it('shows a layout that was changed elsewhere instead of overwriting it', () =>
    arranging(async (app) => {
      await storeLayout(suite, { widgets: [], hidden: ['posture'] });
      await app.press('Remove Services');
      await app.shows(/was changed in another tab or browser/);
      await waitFor(() =>
        assert.deepEqual([displayed().includes('services'), displayed().includes('posture')], [true, false]),
      );
      assert.deepEqual((await stored())?.hidden, ['posture']);
      await app.press('Remove Services');
      await waitFor(async () => assert.deepEqual((await stored())?.hidden, ['posture', 'services']));
    }));

  it('preserves an arrangement that could not be saved, shows the reason, and saves it on a retry', () =>
    arranging(async (app) => {
      app.respond = (request) =>
        request.path === LAYOUT && request.method === 'PUT'
          ? Response.json({ error: 'service_unavailable', message: 'Not now.' }, { status: 503 })
          : responding(request);
      await app.press('Remove Services');
      await app.shows(/Not now\./);
      assert.ok(!displayed().includes('services'));
      assert.equal(await stored(), null);
      await app.press('Done');
      await app.shows('Your arrangement is not saved');
      await app.user.click(await app.screen.findByRole('link', { name: 'Schemas' }));
      await app.shows('Leave without saving?');
      await app.user.click(await app.screen.findByText('Stay'));
      await app.hides('Leave without saving?');
      app.respond = responding;
      await app.press('Try again');
      await waitFor(async () => assert.deepEqual((await stored())?.hidden, ['services']));
    }));
});

const displays = (id: string, text: RegExp): Promise<void> =>
  waitFor(() => assert.match(widget(id).textContent ?? '', text));

/** Translates the search parameters of a list into those of the API. */
function apiParameters(search: string): URLSearchParams {
  const parameters = new URLSearchParams(search);
  const [schema, verified, created] = ['schema', 'verified', 'created'].map((name) => parameters.get(name));
  const [first = '', last = ''] = created?.split('..') ?? [];
  const [from, to] = [new Date(`${first}T00:00`), new Date(`${last}T00:00`)];
  to.setDate(to.getDate() + 1);
  return new URLSearchParams({
    ...(schema && { schema_id: schema }),
    ...(verified && { verified: String(verified === 'yes') }),
    ...(created && { created_from: from.toISOString(), created_to: to.toISOString() }),
  });
}

describe('the numbers on the overview', () => {
  const suite = appOfSuite({ people: 120 });
  const onOverview = (work: (app: App) => Promise<void>): Promise<void> =>
    suite.open('/dashboard', { heading: 'Overview' }, work);
  before(async () => {
    for (const name of ['one', 'two'])
      await createIdentity(suite, {
        schema_id: 'customer',
        traits: { email: `counted-${name}@example.org`, name: { first: 'Counted', last: name } },
      });
    await statisticsReady(suite);
  });
  beforeEach(async () => {
    await storeViews(suite, viewOf('identities', 'mine', 'Counted ones', 'q=counted&sort=identifier'));
    await storeLayout(suite, null);
  });

  it('link to lists with the same number of rows, and are counted in the operator’s time zone', () =>
    onOverview(async (app) => {
      await displays('identities-total', /new in 7 days/);
      for (const title of ['Identities by schema', 'Verification rate', 'New identities'])
        await app.press(`${title} as a table`);
      await app.choose('Period for new identities', 'a year');
      await within(widget('new-identities')).findAllByRole('link', { name: /week/ });
      const links = [...document.querySelectorAll<HTMLAnchorElement>('[data-widget] a[href^="/identities?"]')].map(
        (link) => {
          const count = link.closest('tr')?.querySelector('td') ?? link;
          return [link.search, Number(/^[\d,]+/.exec(count.textContent ?? '')?.[0].replace(',', ''))] as const;
        },
      );
      for (const part of ['schema=', 'verified=yes', 'verified=no', 'created='])
        assert.ok(
          links.some(([search]) => search.includes(part)),
          part,
        );
      for (const [search, count] of links) {
        const counted = await suite.read<IdentityCount>(`${COUNT}?${apiParameters(search)}`);
        assert.equal(counted.count, count, search);
      }
      const zone = new URLSearchParams({ time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
      assert.ok(app.requests.some(({ path }) => path === `/api/dashboard/statistics?${zone}`));
    }));

  it('include the count of a saved view once it is added, as in the list of that view', () =>
    onOverview(async (app) => {
      await app.press('Arrange');
      await app.screen.findByLabelText('Arrange the overview');
      assert.equal(document.querySelector('[data-widget^="view-"]'), null, 'no view is displayed before it is added');
      await app.press('Add Counted ones');
      await waitFor(async () => assert.ok(placementOf(await storedLayout(suite), 'view-mine')));
      await app.press('Done');
      await app.user.click(await within(widget('view-mine')).findByLabelText('2 identities'));
      await app.screen.findByRole('heading', { level: 1, name: 'Identities' });
      await app.shows(/\b2 (identities )?match/);
      assert.equal(app.address(), '/identities?q=counted&sort=identifier');
    }));
});

const STARTED = { one: 'session started', many: 'sessions started', among: 'of those that still exist' };
/** Days up to New Year's Eve 2024; a year of them includes a leap day and both clock changes. */
const series = (length: number, countOf: (index: number) => number): DayCount[] =>
  Array.from({ length }, (_, index) => ({
    day: new Date(Date.UTC(2024, 11, 31 - (length - 1 - index))).toISOString().slice(0, 10),
    count: countOf(index),
  }));

describe('a series of days', () => {
  it('is limited to the chosen period up to today, and grouped by week if the period is a year', () => {
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

describe('the comparison with the week before', () => {
  it('is a percentage, or the earlier count if that is under 20, about equal, or at most a tenth of the later one', () => {
    for (const [count, before, text] of [
      [112, 100, '+12%'],
      [75, 100, '−25%'],
      [199, 20, '+895%'],
      [200, 20, '20 before'],
      [12, 19, '19 before'],
      [7, 0, '0 before'],
      [1_003, 1_000, '1,000 before'],
    ] as const)
      assert.equal(formatChange({ count, before }), text);
    const days = [...series(7, () => 10), ...series(7, () => 20)];
    assert.equal(formatWeek(days, true), '140 in the last 7 days, +100% compared with the 7 days before.');
    assert.equal(formatWeek([...series(14, (index) => Number(index > 6))], true), '7 in the last 7 days, 0 before.');
  });

  it('covers the last seven days, including today, and the seven days before', () => {
    const days = series(30, (index) => index);
    assert.deepEqual(lastWeek(days), { from: '2024-12-25', to: '2024-12-31', count: 182, before: 133 });
    assert.equal(lastWeek([]), undefined);
  });
});

describe('the text of a number', () => {
  it('states 0% or 100% only if that is exact', () => {
    assert.deepEqual(
      [percent(0, 10), percent(1, 1000), percent(1, 3), percent(999, 1000), percent(10, 10), percent(0, 0)],
      ['0%', 'under 1%', '33%', 'over 99%', '100%', '0%'],
    );
  });

  it('starts with how many records were checked, unless all of them were', () => {
    const sentence = formatDays([{ day: '2024-12-31', count: 412, days: 1 }], STARTED);
    assert.equal(
      formatAmong(formatSample(20_000, true), true, sentence),
      '412 sessions started today, of those that still exist.',
    );
    assert.equal(formatAmong(formatSample(20_000, false), false, sentence), `Of 20,000 checked: ${sentence}`);
    assert.deepEqual([formatLeast(true, '5'), formatLeast(false, '5')], ['at least 5', '5']);
  });
});

describe('the axis of a chart', () => {
  it('ends at one to two times the largest value, and has ticks at whole numbers', () => {
    for (let largest = 1; largest < 5_000; largest += 7) {
      const top = axisTop(largest);
      assert.ok(top >= largest && top <= largest * 2 && axisTicks(top).every(Number.isInteger), String(largest));
    }
  });
});

describe('the arrow keys of the overview', () => {
  it('move a widget, resize it with Shift, and do nothing with Ctrl, Meta or Alt', () => {
    const key = { key: 'ArrowLeft', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
    assert.deepEqual(stepOf(key), { act: 'move', direction: 'left' });
    assert.deepEqual(stepOf({ ...key, shiftKey: true }), { act: 'resize', direction: 'left' });
    for (const change of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { key: 'a' }])
      assert.equal(stepOf({ ...key, ...change }), undefined);
  });
});
