import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { IdentityCount } from '../../shared/identities.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { create } from '../support/identity-pages.ts';
import { hasRead, placeOf, storedLayout, storeLayout } from '../support/overview-visit.ts';
import { COUNT, storeViews, viewOf } from '../support/view-pages.ts';

const widget = (id: string): HTMLElement =>
  document.querySelector<HTMLElement>(`[data-widget="${id}"]`) ?? assert.fail(`no widget ${id}`);
const reads = (id: string, text: RegExp): Promise<void> =>
  waitFor(() => assert.match(widget(id).textContent ?? '', text));

/** What the service is asked for the list's search parameters. */
function questionOf(search: string): URLSearchParams {
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
      await create(suite, {
        schema_id: 'customer',
        traits: { email: `counted-${name}@example.org`, name: { first: 'Counted', last: name } },
      });
    await hasRead(suite.dashboard, suite.sessions.admin);
  });
  beforeEach(async () => {
    await storeViews(suite, viewOf('identities', 'mine', 'Counted ones', 'q=counted&sort=identifier'));
    await storeLayout(suite.dashboard, suite.sessions.admin, null);
  });

  it('lead to as many as they say, and are counted in the operator’s zone', () =>
    onOverview(async (app) => {
      await reads('identities-total', /new in 7 days/);
      for (const title of ['Identities by schema', 'Verification rate', 'New identities'])
        await app.press(`${title} as a table`);
      await app.choose('Period for new identities', 'a year');
      await within(widget('new-identities')).findAllByRole('link', { name: /week/ });
      const found = [...document.querySelectorAll<HTMLAnchorElement>('[data-widget] a[href^="/identities?"]')].map(
        (link) => {
          const count = link.closest('tr')?.querySelector('td') ?? link;
          return [link.search, Number(/^[\d,]+/.exec(count.textContent ?? '')?.[0].replace(',', ''))] as const;
        },
      );
      for (const part of ['schema=', 'verified=yes', 'verified=no', 'created='])
        assert.ok(
          found.some(([search]) => search.includes(part)),
          part,
        );
      for (const [search, count] of found) {
        const response = await suite.dashboard.call(`${COUNT}?${questionOf(search)}`, {
          session: suite.sessions.admin,
        });
        assert.equal(((await response.json()) as IdentityCount).count, count, search);
      }
      const zone = new URLSearchParams({ time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
      assert.ok(app.requests.some(({ path }) => path === `/api/dashboard/statistics?${zone}`));
    }));

  it('of views are added one by one, and equal those of the linked lists', () =>
    onOverview(async (app) => {
      await app.press('Arrange');
      await app.screen.findByLabelText('Arrange the overview');
      assert.equal(document.querySelector('[data-widget^="view-"]'), null, 'none is there by itself');
      await app.press('Add Counted ones');
      await waitFor(async () =>
        assert.ok(placeOf(await storedLayout(suite.dashboard, suite.sessions.admin), 'view-mine')),
      );
      await app.press('Done');
      await app.user.click(await within(widget('view-mine')).findByLabelText('2 identities'));
      await app.screen.findByRole('heading', { level: 1, name: 'Identities' });
      await app.shows(/\b2 (identities )?match/);
      assert.equal(app.address(), '/identities?q=counted&sort=identifier');
    }));
});
