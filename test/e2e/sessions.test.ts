import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { filter, writesSeen } from '../support/session-pages.ts';
import { sessionVisitsOfSuite } from '../support/session-visits.ts';

const LIST = '/api/identity-admin/admin/sessions';

describe('the sessions, in a browser', () => {
  const { mapped, sessionAt, visit } = sessionVisitsOfSuite();
  const pagesAsked = (): string[] =>
    mapped.identityAdmin.seen
      .map(({ path }) => path)
      .filter((path) => /^\/admin\/sessions\?.*page_size=25(?:&|$)/.test(path));

  it(`stand with person, device and place in words beside their map, and are accessible in all colours and widths`, () =>
    visit('/sessions', async ({ page }) => {
      const row = page.locator('tr[data-row="0"]');
      await row.getByText('p0@example.test').waitFor();
      await row.getByText('A program on Linux').waitFor();
      await row.getByText('Oslo, Norway').waitFor();
      await page.locator('tr[data-row="4"]').getByText('Unknown location').waitFor();
      await page.getByRole('button', { name: 'Oslo, Norway: 20 sessions' }).waitFor();
      await page.getByRole('button', { name: 'Unknown location: 20 sessions' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the sessions');
    }));

  it('are walked by cursor, one upstream request a page, and limited to the active ones', () =>
    visit('/sessions', async ({ page }) => {
      await page.getByText('Page 1, rows 1–25').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('Page 2, rows 26–50').waitFor();
      assert.deepEqual(pagesAsked(), [
        '/admin/sessions?expand=identity&expand=devices&page_size=25',
        '/admin/sessions?expand=identity&expand=devices&page_size=25&page_token=25',
      ]);
      await filter(page, 'State', 'Active');
      await page.getByText('Page 1, rows 1–25').waitFor();
      await becomes(() => new URL(page.url()).search, '?active=true');
      assert.match(pagesAsked().at(-1) ?? '', /active=true/);
      await page.getByRole('button', { name: 'Oslo, Norway: 10 sessions' }).waitFor();
      await page.getByText('Ended', { exact: true }).waitFor({ state: 'detached' });
    }));

  it('show the people behind a circle by name, also from a link, and then all again', () =>
    visit('/sessions?active=true', async ({ page }) => {
      await page.getByRole('button', { name: 'Oslo, Norway: 10 sessions' }).press('Enter');
      await page.getByText('10 sessions match').waitFor();
      await becomes(() => new URL(page.url()).search, '?active=true&lat=60&lng=11');
      await page.getByText(', counted ').waitFor();
      await page.getByRole('button', { name: 'active', exact: true }).waitFor();
      for (const person of ['p0@', 'p6@', 'p54@'])
        await page.getByRole('link', { name: `${person}example.test` }).waitFor();
      await assertAccessibleInAllLooks(page, 'the people behind a circle');
      await page.reload();
      await page.getByText('10 sessions match').waitFor();
      await page.getByRole('button', { name: 'Oslo, Norway', exact: true }).press('Enter');
      await page.getByText('Page 1, rows 1–25').waitFor();
      await page.getByRole('button', { name: 'Unknown location: 10 sessions' }).click();
      await page.getByText('10 sessions match').waitFor();
      await becomes(() => page.url(), /unknown=true/);
    }));

  it('of an inactive person are marked as such until they end, also in the list of active ones', () =>
    visit('/sessions', async ({ page }) => {
      const session = sessionAt(0);
      session.identity.state = 'inactive';
      const row = page.locator('tr[data-row="0"]');
      for (const query of ['?active=true', '?lat=60&lng=11', '']) {
        await page.goto(`${mapped.dashboard.baseUrl}/sessions${query}`);
        await row.getByText('Person inactive', { exact: true }).waitFor();
      }
      await assertAccessibleInAllLooks(page, 'a session of somebody inactive');
      const isCut = () =>
        row
          .getByRole('gridcell')
          .last()
          .evaluate((cell) => cell.scrollWidth > cell.clientWidth);
      for (const width of [1900, 1440, 390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await becomes(isCut, false, `the state is cut at ${width} px`);
      }
      await page.getByRole('link', { name: 'p0@example.test' }).click();
      await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      await page.getByText('Person inactive', { exact: true }).waitFor();
      await page.getByText('Those that have not ended work again once the person is active.').waitFor();
      await becomes(() => page.getByRole('button', { name: 'Extend' }).count(), 0);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'End this session…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
      await page.getByText('Ended', { exact: true }).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Sessions', exact: true }).click();
      await row.getByText('Ended', { exact: true }).waitFor();
    }));

  it('name people by their ids where the names cannot be read', () =>
    visit('/sessions', async ({ page, expect }) => {
      expect(500, '/api/identity-admin/admin/identities');
      mapped.identityAdmin.before = (request) =>
        request.path.includes('ids=') ? { status: 500 } : mapped.stored.answer(request);
      await page.getByRole('button', { name: 'Bergen, Norway: 10 sessions' }).waitFor();
      await filter(page, 'Place', 'Bergen, Norway (10)');
      await page.getByRole('link', { name: '-0000-4000-8000-000000001de7' }).first().waitFor();
    }));

  it('are opened by keyboard alone, from the map as from the list', () =>
    visit('/sessions', async ({ page }) => {
      await page.getByRole('button', { name: 'Oslo, Norway: 20 sessions' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.getByText('10 sessions match').waitFor();
      await page.locator('tr[data-row="0"]').focus();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Sessions', exact: true }).press('Enter');
      await page.getByText('10 sessions match').waitFor();
    }));

  it('are ended after typing their number, and extended with a note on each that did not change', () =>
    visit('/sessions', async ({ page }) => {
      mapped.stored.extendsByMs = 0;
      await page.locator('tr[data-row="0"]').focus();
      await page.keyboard.press('x');
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await assertAccessibleInAllLooks(page, 'the chosen sessions');
      await page.getByRole('button', { name: 'Extend', exact: true }).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Extend 2' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the dialog before an extension');
      await dialog.getByRole('button', { name: 'Extend 2' }).press('Enter');
      await dialog.getByRole('cell', { name: /^Not extended/ }).waitFor();
      await dialog.getByRole('cell', { name: /^It is no longer active/ }).waitFor();
      await assertAccessibleInAllLooks(page, 'what became of the extension');
      await dialog.getByRole('button', { name: 'Close' }).last().press('Enter');
      assert.deepEqual(writesSeen(mapped.identityAdmin), [`PATCH /admin/sessions/${sessionAt(0).id}/extend`]);
      // A box that is still ticked cannot be chosen again.
      await page.getByText('selected on this page').waitFor({ state: 'hidden' });
      await page.getByLabel('Select p0@example.test').check();
      await page.getByRole('button', { name: 'End', exact: true }).press('Enter');
      await dialog.getByRole('button', { name: /^End/ }).waitFor();
      await dialog.getByRole('button', { name: /^End/ }).press('Enter');
      await dialog.getByText('1 ended.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().press('Enter');
      await page.locator('tr[data-row="0"]').getByText('Ended').waitFor();
      assert.equal(writesSeen(mapped.identityAdmin).at(-1), `DELETE /admin/sessions/${sessionAt(0).id}`);
    }));

  it('are ended with all others of the people behind the chosen ones, by the ids of these people', () =>
    visit('/sessions', async ({ page }) => {
      const people = [sessionAt(0), sessionAt(1)].map(({ identity }) => identity.id);
      await page.getByLabel('Select p0@example.test').check();
      await page.getByLabel('Select p1@example.test').check();
      await page.getByRole('button', { name: 'End all sessions of these people' }).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: /^End .*2$/ }).press('Enter');
      await dialog.getByText('2 signed out in every browser.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().press('Enter');
      await page.getByRole('link', { name: 'p0@example.test' }).waitFor({ state: 'detached' });
      assert.deepEqual(
        new Set(writesSeen(mapped.identityAdmin)),
        new Set(people.map((id) => `DELETE /admin/identities/${id}/sessions`)),
      );
    }));

  it('fail in place with the request id, the rows being tried again on request', () =>
    visit('/sessions', async ({ page, expect }) => {
      expect(500, LIST);
      await page.getByText('Page 1, rows 1–25').waitFor();
      mapped.identityAdmin.before = ({ path }) => (path.includes('active=') ? { status: 500, body: '{}' } : undefined);
      await filter(page, 'State', 'Active');
      await page.getByRole('alert').filter({ hasText: 'Request' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the failed list of sessions');
      mapped.identityAdmin.before = (request) => mapped.stored.answer(request);
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByText('Page 1, rows 1–25').waitFor();
    }));

  it('keep their list when places and map cannot be loaded', () =>
    visit(
      '/dashboard',
      async ({ page, context, expect }) => {
        expect(502, '/api/session-locations');
        expect(500, '/api/geo');
        await context.route('**/api/session-locations*', (route) =>
          route.fulfill({ status: 502, json: { error: 'bad_gateway', message: 'The upstream cannot be reached.' } }),
        );
        await context.route('**/api/geo*', (route) =>
          route.fulfill({ status: 500, json: { error: 'internal_error' } }),
        );
        await page
          .getByRole('navigation', { name: 'Pages' })
          .getByRole('link', { name: 'Sessions', exact: true })
          .click();
        await page.locator('tr[data-row="0"]').getByText('203.0.113.7').waitFor();
        await page.getByText('The map is unavailable').waitFor({ timeout: 20_000 });
        await assertAccessibleInAllLooks(page, 'the sessions without a map');
      },
      { heading: 'Overview' },
    ));

  it('tell a service without sessions from one without active ones', () =>
    visit('/sessions', async ({ page }) => {
      mapped.identityAdmin.before = ({ path }) =>
        /page_size=(?:25&active|50)/.test(path) || /active=true.*page_size=25(?:&|$)/.test(path)
          ? { status: 200, body: '[]' }
          : undefined;
      await page.getByLabel('Rows per page').selectOption('50');
      await page.getByText('No sessions yet').waitFor();
      await assertAccessibleInAllLooks(page, 'a service without sessions');
      await page.goto(`${mapped.dashboard.baseUrl}/sessions?active=true`);
      await page.getByText('No active sessions').waitFor();
      await assertAccessibleInAllLooks(page, 'no active sessions');
      await page.getByRole('button', { name: 'Include ended sessions' }).press('Enter');
      await page.getByText('Page 1, rows 1').waitFor();
    }));

  for (const path of ['/sessions', '/sessions/00000000-0000-4000-8000-000000005e55'])
    it(`are closed to a viewer, and nobody's are asked for: ${path}`, () =>
      visit(
        path,
        async ({ page }) => {
          await page.getByText('Admin access required.').waitFor();
          await page.getByRole('link', { name: 'Sessions (for administrators)' }).waitFor();
          assert.deepEqual(mapped.identityAdmin.seen, []);
        },
        { role: 'viewer', heading: path === '/sessions' ? 'Sessions' : 'Session' },
      ));
});
