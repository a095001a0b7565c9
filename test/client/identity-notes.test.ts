import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { Role } from '../../shared/capabilities.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { pressInDialog } from '../support/identity-dom.ts';
import { createPerson, type Person } from '../support/identity-pages.ts';

describe('the notes on the page of a person', () => {
  const suite = appOfSuite({ env: { EXTRA_ROLES: 'support,auditor' } });
  const onPage = (
    role: Role,
    { id, name }: Person,
    respond: App['respond'] | undefined,
    work: (app: App) => Promise<void>,
  ) =>
    suite.open(
      `/identities/${id}`,
      { role, extraRoles: 'support,auditor', heading: name, ...(respond && { respond }) },
      work,
    );
  const panel = async ({ screen }: App) => within(await screen.findByRole('region', { name: 'Notes' }));

  it('are added with Ctrl+Enter, keep their text on a failure, and are changed and deleted by their author', async () => {
    let fails = true;
    const respond: App['respond'] = ({ method }) =>
      method === 'POST' && fails ? Response.json({ error: 'internal_error' }, { status: 500 }) : undefined;
    await onPage('support', await createPerson(suite), respond, async (app) => {
      await app.shows('No notes.');
      await app.press('Add note…');
      await app.shows(/^Colleagues can read this, and the person if they ask for their data\.$/);
      await app.fill('Note', 'Called <b>back</b>.\nSee https://x@tickets.example/7).');
      (await app.screen.findByLabelText('Note')).focus();
      await app.user.keyboard('{Control>}{Enter}{/Control}');
      await app.shows('The request failed');
      fails = false;
      await app.press('Save note');
      const link = await app.screen.findByRole('link', { name: 'https://tickets.example/7' });
      const attributes = ['href', 'target', 'rel'].map((name) => link.getAttribute(name));
      assert.deepEqual(attributes, ['https://x@tickets.example/7', '_blank', 'noreferrer noopener']);
      assert.equal(link.parentElement?.textContent, 'Called <b>back</b>.\nSee https://tickets.example/7).');
      await waitFor(() => assert.equal(document.activeElement?.textContent, 'Add note…'));

      await app.press('Edit…');
      await app.fill('Note', 'xx');
      await app.press('Cancel');
      await app.user.click(await app.screen.findByText('Stay'));
      await app.press('Save note');
      await (await panel(app)).findByText('xx');
      await app.shows(/, changed/);
      await app.press('Delete…', (await app.screen.findByRole('list', { name: 'Notes' })) as HTMLElement);
      await app.fill('Reason or ticket', 'SUP-7');
      await pressInDialog(app, 'Delete note');
      await app.shows('No notes.');
      const trail = await suite.call('/api/security/audit?action=note_delete&page_size=1', {
        session: suite.sessions.admin,
      });
      assert.match(await trail.text(), /"reason":"SUP-7"/);
    });
  });

  it('can only be read by auditors, and deleted but not changed by administrators', async () => {
    const somebody = await createPerson(suite);
    const path = `/api/identities/${somebody.id}/notes`;
    await suite.call(path, { session: suite.sessions.support, json: { text: 'Note 1' } });
    for (const [role, buttons] of [
      ['auditor', []],
      ['admin', ['Add note…', 'Delete…']],
    ] as const)
      await onPage(role, somebody, undefined, async (app) => {
        await app.shows('Note 1');
        const notes = await panel(app);
        await notes.findAllByText(/support@/);
        const found = new Set(notes.queryAllByRole('button').map(({ textContent }) => textContent));
        assert.deepEqual([...found], buttons);
      });
  });
});
