import assert from 'node:assert/strict';
import { assertAccessibleInAllLooks } from '../support/axe.ts';
import { becomes } from '../support/becomes.ts';
import { askWhatChanged, records, STEPS_MAX, sentences, stepper } from '../support/questions.ts';
import { visitedPageOfSuite } from '../support/security-pages.ts';

const NAME = 'Ada Byron';

describe('what was changed, and by whom, in a browser', function () {
  this.timeout(90_000);
  const visited = visitedPageOfSuite('/', 'Overview', { storeFromSandbox: true });
  /** Another operator, who became an administrator. */
  let other: string;
  let person: string;

  before(async () => {
    const { dashboard, sessions } = visited;
    other = dashboard.operator('viewer').email;
    const { user } = (await (await dashboard.call('/api/auth/session', { session: sessions.viewer })).json()) as {
      user: { identityId: string };
    };
    const patch = (session: string, id: string, ...operations: [path: string, value: unknown][]) =>
      dashboard.call(`/api/identity-admin/admin/identities/${id}`, {
        session,
        method: 'PATCH',
        json: operations.map(([path, value]) => ({ op: 'replace', path, value })),
      });
    await patch(sessions.admin, user.identityId, ['/traits/role', 'admin']);
    const session = await dashboard.signIn('viewer');
    const create = async (email: string, first: string, last: string): Promise<string> => {
      const json = { schema_id: 'customer', traits: { email, name: { first, last } } };
      const answer = await dashboard.call('/api/identity-admin/admin/identities', { session: sessions.admin, json });
      return ((await answer.json()) as { id: string }).id;
    };
    person = await create('ada.byron@example.org', 'Ada', 'King');
    const bystander = await create('bystander@example.org', 'By', 'Stander');
    await patch(session, person, ['/traits/name/last', 'Byron']);
    await patch(session, bystander, ['/state', 'inactive']);
    await patch(sessions.admin, person, ['/traits/email', 'ada.b@example.org']);
    await patch(session, person, ['/state', 'inactive']);
    const client = { client_id: 'web-shop', client_name: 'Web shop', redirect_uris: ['https://shop.example/a'] };
    await dashboard.call('/api/oauth-admin/admin/clients', { session: sessions.admin, json: client });
    await dashboard.call('/api/oauth-admin/admin/clients/web-shop', {
      session,
      method: 'PATCH',
      json: [{ op: 'replace', path: '/redirect_uris', value: ['https://shop.example/b'] }],
    });
    // What is only read must not hide it.
    for (let search = 0; search < 12; search += 1) await dashboard.call('/api/identities', { session: sessions.admin });
  });

  it('by another operator on a person last week is answered in eight steps', () =>
    visited.visit(async ({ page }) => {
      const { step, taken } = stepper();
      await askWhatChanged(page, step, { email: 'ada.b@example.org', typed: 'ada.b@', by: other });
      await becomes(() => sentences(page), [`${other} deactivated ${NAME}`, `${other} changed name.last of ${NAME}`]);
      await step(records(page).nth(1).locator('summary').click());
      await records(page).nth(1).getByText(`PATCH /api/identity-admin/admin/identities/${person}`).waitFor();
      assert.ok(taken() <= STEPS_MAX, `${taken()} steps`);
      await records(page).nth(1).getByText('name.last', { exact: true }).waitFor();
      await records(page).nth(1).getByText(`identity:${person}`).waitFor();
      await assertAccessibleInAllLooks(page, 'a record with its details');
      await records(page).first().getByRole('link', { name: NAME }).click();
      await becomes(() => new URL(page.url()).pathname, new RegExp(`^/identities/${person}`));
    }));

  it('stands on the overview in the place of what was only read, and leads to all changes', () =>
    visited.visit(async ({ page }) => {
      const widget = page.getByRole('list', { name: 'Latest changes in the audit trail' });
      await widget.getByText(`${other} changed the redirect addresses of Web shop`).waitFor();
      await widget.getByText('You created Web shop').waitFor();
      await widget.getByText(`${other} deactivated ${NAME}`).waitFor();
      assert.equal(await widget.getByText(/listed identities|signed in/).count(), 0);
      await page.getByRole('link', { name: 'Recent audit' }).click();
      await becomes(() => page.getByLabel('What').inputValue(), 'changes');
      await becomes(async () => (await sentences(page))[0], `${other} changed the redirect addresses of Web shop`);
      assert.ok(!(await sentences(page)).some((sentence) => /listed|signed|searched/.test(sentence)));
      await page.getByLabel('What').selectOption('');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await records(page).getByText('You listed identities').first().waitFor();
      await page.getByLabel('What').selectOption('Changes only');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await becomes(() => new URL(page.url()).searchParams.get('changes'), 'true');
    }));

  it('opens and closes by keyboard, with a request in it and none in the sentence', () =>
    visited.visit(
      async ({ page }) => {
        const first = records(page).first();
        const summary = first.locator('summary');
        await summary.focus();
        await page.keyboard.press('Enter');
        await first.getByText('PATCH /api/oauth-admin/admin/clients/web-shop').waitFor();
        await first.getByText('the redirect addresses', { exact: true }).waitFor();
        await page.keyboard.press('Enter');
        await first.getByText('PATCH /api/oauth-admin/admin/clients/web-shop').waitFor({ state: 'hidden' });
        for (const sentence of await sentences(page)) assert.doesNotMatch(sentence, /PATCH|POST|\/api\//);
      },
      { path: '/security/audit?changes=true', heading: 'Audit trail' },
    ));

  it('is told by ids where names cannot be read', () =>
    visited.visit(
      async ({ context, page }) => {
        await context.route('**/api/security/subject-names?*', (route) => route.fulfill({ json: { names: [] } }));
        await page.reload();
        await becomes(
          async () => (await sentences(page)).slice(0, 2),
          [`${other} changed the redirect addresses of the client web-shop`, 'You created the client web-shop'],
        );
      },
      { path: '/security/audit?changes=true', heading: 'Audit trail' },
    ));
});
