import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { chooseAction, create } from '../support/identity-pages.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { placeOf, saved, storedLayout, storeLayout } from '../support/overview-visit.ts';
import { COUNT, storeViews, VIEWS, viewOf } from '../support/view-pages.ts';

const OWN = viewOf('identities', 'mine', 'Counted ones', 'q=counted&sort=identifier');
const widget = (page: Page, title: string): Locator => page.getByRole('region', { name: title, exact: true });
const placed = (...ids: string[]) => ({
  widgets: ids.map((id, index) => ({ id, x: index * 3, y: 0, w: 3, h: 2 })),
  hidden: [],
});
const arranging = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Arrange', exact: true }).click();
  await page.getByRole('region', { name: 'Arrange the overview' }).waitFor();
};

describe('the widgets of views, in a browser', function () {
  this.timeout(90_000);
  const intercepted = interceptedDashboardOfSuite({ people: 20 });
  before(async () => {
    for (const name of ['one', 'two'])
      await create(intercepted, {
        schema_id: 'customer',
        traits: { email: `counted-${name}@example.org`, name: { first: 'Counted', last: name } },
      });
    await indexIsRead(intercepted.dashboard, intercepted.sessions.admin);
  });
  beforeEach(async () => {
    await storeViews(intercepted, OWN);
    await storeLayout(intercepted.dashboard, intercepted.sessions.admin, null);
  });

  const stored = () => storedLayout(intercepted.dashboard, intercepted.sessions.admin);
  const onOverview = (work: Parameters<typeof onPage>[2], looks: Parameters<typeof onPage>[3] = {}): Promise<void> =>
    onPage(intercepted, '/dashboard', work, { heading: 'Overview', ...looks });

  it('are added one by one, and their number is that of the list that they lead to', () =>
    onOverview(async ({ page }) => {
      await page.locator('[data-widget="identities-total"]').waitFor();
      assert.equal(await page.locator('[data-widget^="view-"]').count(), 0, 'none is there by itself');
      await arranging(page);
      await page.getByText('Every widget is shown.').waitFor();
      await page.getByRole('button', { name: 'Add Counted ones' }).click();
      await page.getByRole('button', { name: 'Add New this week' }).click();
      await saved(page);
      assert.ok(placeOf(await stored(), 'view-mine'));
      await page.getByRole('button', { name: 'Done' }).click();
      await widget(page, 'Counted ones').getByRole('link', { name: '2 identities' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the overview with views');
      for (const title of ['New this week', 'Counted ones']) {
        const number = widget(page, title).getByRole('link', { name: /^\d+ identit(?:y|ies)$/ });
        const counted = Number.parseInt((await number.getAttribute('aria-label')) ?? '', 10);
        await number.click();
        await page.getByRole('heading', { level: 1, name: 'Identities' }).waitFor();
        await becomes(() => page.getByTitle('The view that is shown').textContent(), title);
        await page
          .getByRole('status')
          .getByText(new RegExp(`\\b${counted} (?:identities )?match`))
          .waitFor();
        await page.goBack();
        await widget(page, title).waitFor();
      }
    }));

  it('change at once with what is done here', async () => {
    const { id } = await create(intercepted, {
      schema_id: 'customer',
      traits: { email: 'counted-three@example.org', name: { first: 'Counted', last: 'Three' } },
    });
    await storeLayout(intercepted.dashboard, intercepted.sessions.admin, placed('view-mine'));
    await onOverview(async ({ page }) => {
      await widget(page, 'Counted ones').getByRole('link', { name: '3 identities' }).click();
      await page.getByRole('link', { name: 'counted-three@example.org' }).click();
      await page.waitForURL(`**/identities/${id}`);
      await chooseAction(page, /^Delete/);
      await page.getByLabel(/^Type/).fill('counted-three@example.org');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.waitForURL(/\/identities(\?.*)?$/);
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await widget(page, 'Counted ones').getByRole('link', { name: '2 identities' }).waitFor();
    });
  });

  it('say that their view is gone, and can be removed', async () => {
    await storeLayout(
      intercepted.dashboard,
      intercepted.sessions.admin,
      placed('view-mine', 'view-inactive', 'services'),
    );
    await storeViews(intercepted);
    await onOverview(async ({ page }) => {
      await widget(page, 'Deleted view').getByText('Its view was deleted. “Arrange” removes this widget.').waitFor();
      await widget(page, 'Inactive')
        .getByRole('link', { name: /^\d+ identit(?:y|ies)$/ })
        .waitFor();
      await arranging(page);
      await page.getByRole('button', { name: 'Remove Deleted view' }).click();
      await saved(page);
      await becomes(async () => placeOf(await stored(), 'view-mine'), undefined);
      assert.ok(placeOf(await stored(), 'view-inactive'));
      assert.deepEqual((await stored())?.hidden, []);
    });
  });

  it('read the operator’s views only where one of these is needed', async () => {
    await storeLayout(intercepted.dashboard, intercepted.sessions.admin, placed('view-inactive', 'services'));
    await onOverview(async ({ page }) => {
      const number = widget(page, 'Inactive').getByRole('link', { name: /^\d+ identit(?:y|ies)$/ });
      // What the first visit asks is not counted.
      await number.waitFor();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.reload();
      await number.waitFor();
      assert.ok(!asked.includes(VIEWS));
      assert.equal(asked.filter((path) => path === COUNT).length, 1);
    });
  });

  it('are not offered to a viewer', async () => {
    const { viewer } = intercepted.sessions;
    await storeLayout(intercepted.dashboard, viewer, placed('services', 'view-inactive'));
    await onOverview(
      async ({ page }) => {
        const asked: string[] = [];
        page.on('request', (request) => asked.push(new URL(request.url()).pathname));
        await page.locator('[data-widget="services"]').waitFor();
        await arranging(page);
        await page.getByText('Every widget is shown.').waitFor();
        assert.equal(await page.getByText('Add a view').count(), 0);
        assert.equal(await page.locator('[data-widget^="view-"]').count(), 0);
        assert.ok(!asked.includes(COUNT) && !asked.includes(VIEWS), String(asked));
      },
      { role: 'viewer' },
    );
    await storeLayout(intercepted.dashboard, viewer, null);
  });
});

describe('the widgets of views without an index, in a browser', function () {
  this.timeout(90_000);
  const intercepted = interceptedDashboardOfSuite({ people: 3, env: { IDENTITY_INDEX: 'off' } });

  it('say that there is no number, and why', async () => {
    await storeLayout(intercepted.dashboard, intercepted.sessions.admin, placed('view-inactive'));
    await onPage(
      intercepted,
      '/dashboard',
      async ({ page, expect }) => {
        expect(400, COUNT);
        await widget(page, 'Inactive')
          .getByText('Identities are counted by their index, which is off or has read nothing yet.')
          .waitFor();
      },
      { heading: 'Overview' },
    );
  });

  it('and the menu shows the names alone', () =>
    onPage(
      intercepted,
      '/system',
      async ({ page, expect }) => {
        expect(400, '/api/identities/search');
        await page.getByRole('link', { name: 'Identities', exact: true }).first().click();
        await page.getByText('Ordered by id.').waitFor();
        await page.getByRole('button', { name: 'Views', exact: true }).click();
        await becomes(() => page.getByRole('link', { name: 'Inactive', exact: true }).textContent(), 'Inactive');
      },
      { heading: 'System' },
    ));
});
