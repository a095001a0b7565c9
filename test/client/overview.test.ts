import assert from 'node:assert/strict';
import { waitFor } from '@testing-library/dom';
import type { DashboardLayout } from '../../shared/dashboard.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { BUSY } from '../support/overview-responses.ts';
import { placeOf, storedLayout, storeLayout } from '../support/overview-visit.ts';

const LAYOUT = '/api/dashboard/layout';
const responding: App['respond'] = ({ path }) => {
  const response = BUSY[path.split('?')[0] ?? ''];
  return response && Response.json(response());
};
const widget = (id: string): HTMLElement =>
  document.querySelector<HTMLElement>(`[data-widget="${id}"]`) ?? assert.fail(`no widget ${id}`);
const shown = (): (string | undefined)[] =>
  [...document.querySelectorAll<HTMLElement>('[data-widget]')].map(({ dataset }) => dataset['widget']);

describe('the overview', () => {
  const suite = appOfSuite();
  const stored = (): Promise<DashboardLayout['layout']> => storedLayout(suite.dashboard, suite.sessions.admin);
  const onOverview = (work: (app: App) => Promise<void>, role: 'admin' | 'viewer' = 'admin'): Promise<void> =>
    suite.open('/dashboard', { heading: 'Overview', respond: responding, role }, async (app) => {
      await waitFor(() => assert.ok(shown().length > 0));
      await work(app);
    });
  beforeEach(() => storeLayout(suite.dashboard, suite.sessions.admin, null));

  it('says what each number covers, how old they all are, and which one is much older', () =>
    onOverview(async (app) => {
      const caption = (id: string) => widget(id).querySelector('[data-caption]')?.textContent ?? '';
      await waitFor(() => assert.equal(caption('verification-rate'), 'of 20,000 checked, 18,400 verifiable'));
      await waitFor(() =>
        assert.match(caption('sign-ins'), /^of the latest 20,000 sessions that still exist, since [^,]+$/),
      );
      await waitFor(() => assert.equal(caption('clients-by-grant'), 'of all 37'));
      const age = () => document.querySelector('[data-page-age]')?.textContent ?? '';
      const clock = (before: number) => new Date(Date.now() - before).toTimeString().slice(0, 5);
      // The posture is the oldest reading.
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
      assert.ok(age() >= before, 'the others are as new as they are');
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

  it('offers a viewer only what a viewer may see, and requests nothing else', () =>
    onOverview(async (app) => {
      await waitFor(() => assert.equal(shown().length, 10));
      await app.shows('48,213');
      assert.ok(!shown().some((id) => ['recent-audit', 'locked-accounts', 'posture'].includes(id ?? '')));
      await app.press('Arrange');
      await app.shows('All widgets are on the overview.');
      const links = [...document.querySelectorAll('[data-widget] h2 a')].map((link) => link.getAttribute('href'));
      assert.deepEqual(links, ['/system']);
      assert.ok(!app.requests.some(({ path }) => /^\/api\/(security|config)/.test(path)));
    }, 'viewer'));

  describe('is arranged', () => {
    const arranging = (work: (app: App) => Promise<void>): Promise<void> =>
      onOverview(async (app) => {
        await app.press('Arrange');
        await app.screen.findByLabelText('Arrange the overview');
        await waitFor(() => assert.match(document.activeElement?.id ?? '', /^drag-handle-/));
        await work(app);
      });

    it('by single presses, which move, resize and remove the chosen widget', () =>
      arranging(async (app) => {
        await app.press('Arrange Services');
        await app.press('Move Services left');
        await app.press('taller');
        await app.shows('Services is 4 columns wide, 3 rows high.');
        await waitFor(async () => assert.equal(placeOf(await stored(), 'services')?.h, 3));
        await app.press('Remove Services');
        await waitFor(async () => assert.deepEqual((await stored())?.hidden, ['services']));
      }));

    it('not by an impossible step, and says why', () =>
      arranging(async (app) => {
        await app.user.keyboard('{ArrowLeft}');
        await app.shows('Identities cannot move further left.');
        await app.user.keyboard('{Shift>}{ArrowUp}{/Shift}');
        await app.shows('Identities cannot be shorter.');
        await app.press('Undo');
        await app.shows('There is nothing to undo.');
        assert.equal(await stored(), null);
      }));

    it('over a layout that was changed elsewhere only if the operator chooses to', () =>
      arranging(async (app) => {
        await storeLayout(suite.dashboard, suite.sessions.admin, { widgets: [], hidden: ['posture'] });
        await app.press('Remove Services');
        await app.shows(/was changed elsewhere/);
        await waitFor(() => assert.equal(document.activeElement?.textContent, 'Use the other version'));
        assert.deepEqual((await stored())?.hidden, ['posture'], 'nothing is overwritten unnoticed');
        await app.press('Keep this version');
        await app.hides(/was changed elsewhere/);
        await waitFor(async () => assert.deepEqual((await stored())?.hidden, ['services']));
      }));

    it('and kept on the page, with the reason, until it can be saved', () =>
      arranging(async (app) => {
        app.respond = (request) =>
          request.path === LAYOUT && request.method === 'PUT'
            ? Response.json({ error: 'service_unavailable', message: 'Not now.' }, { status: 503 })
            : responding(request);
        await app.press('Remove Services');
        await app.shows(/Not now\./);
        assert.ok(!shown().includes('services'));
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
});
