import assert from 'node:assert/strict';
import { assertAccessible, assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { onPersonPage, openRecovery, person } from '../support/identity-pages.ts';
import { interceptedDashboardOfSuite, onPage } from '../support/intercepted-dashboard.ts';
import { listedSession } from '../support/listed-pages.ts';

describe('the page of an identity, in a browser', () => {
  const intercepted = interceptedDashboardOfSuite({ env: { PROXY_TIMEOUT_MS: '1000' } });

  it('is accessible while it is not known yet how the person signs in', async () =>
    onPersonPage(intercepted, await person(intercepted), async ({ page, context }) => {
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await context.route('**/api/identities/*/credentials', async (route) => {
        await held;
        await route.continue();
      });
      await page.reload();
      const loading = page.getByLabel('Loading', { exact: true });
      await loading.waitFor();
      await assertAccessible(page, 'the overview tab without the ways to sign in');
      letGo();
      await loading.waitFor({ state: 'detached' });
    }));

  it('shows whose organization somebody belongs to, and no such line for others', async () => {
    const organization = '5b0e4b1c-9d1f-4a55-8d5a-5d0c5f3a7b22';
    const member = await person(intercepted);
    await intercepted.dashboard.call(`/api/identity-admin/admin/identities/${member.id}`, {
      session: intercepted.sessions.admin,
      method: 'PATCH',
      json: [{ op: 'replace', path: '/organization_id', value: organization }],
    });
    await onPersonPage(intercepted, member, async ({ page }) => {
      await page.getByRole('term').filter({ hasText: 'Organization' }).waitFor();
      await page.getByRole('definition').filter({ hasText: organization }).waitFor();
      await page.getByRole('button', { name: 'Copy the organization’s id' }).waitFor();
    });
    await onPersonPage(intercepted, await person(intercepted), async ({ page }) => {
      await page.getByRole('term').filter({ hasText: 'Schema' }).waitFor();
      await becomes(() => page.getByRole('term').filter({ hasText: 'Organization' }).count(), 0);
    });
  });

  it(`is accessible on every tab, in its menu and in its dialogs, in all colours and widths`, async () =>
    onPersonPage(intercepted, await person(intercepted), async ({ page }) => {
      await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the overview tab');
      for (const [tab, content] of [
        ['Traits and metadata', 'Admin metadata'],
        ['Credentials', 'Hashes, seeds and tokens never reach'],
        ['Sessions', 'No sessions'],
        ['JSON', 'As the identity service returned it'],
      ] as const) {
        await page.getByRole('navigation', { name: 'Identity' }).getByRole('link', { name: tab, exact: true }).click();
        await page.getByText(content).waitFor();
        await becomes(
          () =>
            page
              .getByRole('navigation', { name: 'Identity' })
              .getByRole('link', { name: tab, exact: true })
              .getAttribute('aria-current'),
          'page',
        );
        await assertAccessibleInAllLooks(page, `the tab ${tab}`);
      }
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: /Delete/ }).waitFor();
      await assertAccessibleInAllLooks(page, 'the menu');
      await page.getByRole('menuitem', { name: /Delete/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).waitFor();
      await assertAccessibleInAllLooks(page, 'the deletion');
      await page.keyboard.press('Escape');
      await openRecovery(page);
      await page.getByRole('button', { name: 'Create a code' }).click();
      await page.getByText('Shown once').waitFor();
      await assertAccessibleInAllLooks(page, 'the recovery code');
    }));

  it('shows the latest 250 of more sessions, and says how many there are', async () => {
    const somebody = await person(intercepted);
    const path = `/admin/identities/${somebody.id}/sessions`;
    const latest = Array.from({ length: 250 }, (_, index) => listedSession(index, { active: index < 17 }));
    await onPersonPage(
      intercepted,
      somebody,
      async ({ page }) => {
        intercepted.upstream.before = (request) =>
          request.path.startsWith(path)
            ? { status: 200, headers: { 'X-Total-Count': '1203' }, body: JSON.stringify(latest) }
            : undefined;
        await page.reload();
        await page.getByText('The latest 250 of 1,203 sessions, 17 of them active').waitFor();
        const asked = intercepted.upstream.seen.filter((request) => request.path.startsWith(path));
        assert.deepEqual([...new Set(asked.map((request) => request.path))], [`${path}?per_page=250&page=1`]);
      },
      { tab: '/sessions' },
    );
  });

  it('says that there is no such identity, for an unknown id and for text that is not an id', async () => {
    await onPage(intercepted, '/dashboard', async ({ page, expect }) => {
      expect(404, /\/identities\//);
      await page.goto(`${intercepted.dashboard.baseUrl}/identities/11111111-1111-4111-8111-111111111111`);
      await page.getByText('No identity has this id. It may have been deleted.').waitFor();
      // Not all that is asked: the overview's reading may still go on.
      const ofOne = () => intercepted.upstream.seen.filter(({ path }) => path.startsWith('/admin/identities/')).length;
      const before = ofOne();
      await page.goto(`${intercepted.dashboard.baseUrl}/identities/nonsense`);
      await page.getByText('This address does not contain an identity id.').waitFor();
      assert.equal(ofOne(), before);
      await assertAccessibleInAllLooks(page, 'the page without an identity');
    });
  });

  for (const [circumstance, answer] of [
    ['an HTML page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hello</h1>' }],
    ['half a JSON', { status: 200, body: '{"id":"0' }],
    ['something else', { status: 200, body: '{"id":"x","traits":null}' }],
    ['silence', 'silence'],
  ] as const) {
    it(`shows a failure with the request's id when the store answers with ${circumstance}`, async () => {
      const somebody = await person(intercepted);
      await onPage(intercepted, '/dashboard', async ({ page, expect }) => {
        expect(504, /\/identities\//);
        intercepted.upstream.before = ({ path }) => (path.includes(somebody.id) ? answer : undefined);
        await page.goto(`${intercepted.dashboard.baseUrl}/identities/${somebody.id}`);
        await page.getByRole('alert').waitFor();
        intercepted.upstream.before = () => undefined;
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('heading', { level: 1, name: somebody.name }).waitFor();
      });
    });
  }
});
