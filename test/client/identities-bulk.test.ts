import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { IdentityCount } from '../../shared/identities.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { SYNC_TIMEOUT_MS } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { ReceivedRequest } from '../support/faulting-upstream.ts';
import {
  closeDialog,
  findDialog,
  listedIdentifiers,
  savedFileOf,
  waitForNoDialog,
  waitForText,
} from '../support/identity-dom.ts';
import { createIdentities, readIdentities, type StoredIdentity } from '../support/sandbox-fixture.ts';

type Suite = ReturnType<typeof appOfSuite>;
const emailIn = ({ traits }: StoredIdentity): string => String((traits as { email?: string }).email);
const emailOf = (group: string, index: number): string => `${group}-${index}@b.example`;
/** Returns the stored people of a group, whose addresses begin with its name. */
const identitiesOf = async ({ upstream }: Suite, group: string): Promise<StoredIdentity[]> =>
  (await readIdentities(upstream.target)).filter((identity) => emailIn(identity).startsWith(`${group}-`));
const idOf = async (suite: Suite, group: string, index: number): Promise<string> =>
  (await identitiesOf(suite, group)).find((identity) => emailIn(identity) === emailOf(group, index))?.id ?? '';
/** Changes an identity directly in Kratos, so that the dashboard does not notice. */
const changeInStore = ({ upstream }: Suite, method: string, id: string, state?: string): Promise<Response> =>
  fetch(`${upstream.target}/admin/identities/${id}`, {
    method,
    ...(state !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ op: 'replace', path: '/state', value: state }]),
    }),
  });

describe('bulk actions on the list of identities', () => {
  // People are stored directly in Kratos. Without an index, the list shows them at once.
  const suite = appOfSuite({ env: { IDENTITY_INDEX: 'off' } });

  /** Stores a group of people and opens the list. */
  async function onList(
    group: string,
    count: number,
    work: (app: App) => Promise<void>,
    respond?: App['respond'],
  ): Promise<void> {
    const people = Array.from({ length: count }, (_, index) => ({
      schema_id: 'customer',
      traits: { email: emailOf(group, index), name: { first: 'Ada', last: 'Lovelace' } },
    }));
    await createIdentities(suite.upstream.target, people);
    await suite.open(
      '/identities?page_size=250',
      { heading: 'Identities', ...(respond && { respond }) },
      async (app) => {
        await app.screen.findByLabelText(`Select ${emailOf(group, 0)}`);
        suite.upstream.reset();
        await work(app);
      },
    );
  }
  async function choose(app: App, group: string, ...indices: number[]): Promise<void> {
    for (const index of indices)
      await app.user.click(await app.screen.findByLabelText(`Select ${emailOf(group, index)}`));
    await app.shows(`${indices.length} selected on this page`);
  }
  const nothingSelected = (): Promise<void> =>
    waitFor(() => assert.ok(!document.body.textContent?.includes('selected on this page')));
  const deletions = (): string[] =>
    suite.upstream.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('/').at(-1) ?? '');

  it('delete the selected identities, report which deletions failed and why, and retry only those', () =>
    onList('seven', 7, async (app) => {
      const failing = await idOf(suite, 'seven', 3);
      const error = { code: 409, reason: 'Locked by another request.', message: 'broken' };
      suite.upstream.before = ({ method, path }) =>
        method === 'DELETE' && path.endsWith(failing) ? { status: 409, body: JSON.stringify({ error }) } : undefined;
      await choose(app, 'seven', 0, 1, 2, 3, 4, 5, 6);
      await app.press('Delete…');
      const dialog = within(await findDialog(app));
      await dialog.findByText('and 2 others');
      const button = (): HTMLButtonElement => dialog.getByRole('button', { name: 'Delete 7 identities' });
      await app.user.type(dialog.getByLabelText(/^Type /), '6');
      assert.equal(button().disabled, true);
      await app.user.clear(dialog.getByLabelText(/^Type /));
      await app.user.type(dialog.getByLabelText(/^Type /), '7');
      await app.fill('Reason or ticket', 'SUP-1');
      await app.user.dblClick(button());
      await app.shows('6 deleted, 1 failed. Unfinished items stay selected.');
      assert.equal(deletions().length, 7);
      await waitForText(/seven-3@b\.example.*Locked by another request\./);
      const report = await savedFileOf(app, 'Save as CSV');
      assert.match(report.name, /^identities-deleted-.*\.csv$/);
      const lines = report.text.replace('\uFEFF', '').trim().split('\r\n');
      assert.equal(lines[0], 'id,identifier,outcome,reason');
      assert.equal(lines.filter((line) => line.includes(',deleted,')).length, 6);
      assert.ok(lines.includes(`${failing},${emailOf('seven', 3)},failed,Locked by another request.`));

      suite.upstream.reset();
      await app.press('Try again');
      await app.shows('Deleted 7 identities');
      assert.deepEqual(deletions(), [failing]);
      assert.ok(app.requests.filter(({ method }) => method === 'DELETE').every(({ reason }) => reason === 'SUP-1'));
      await waitForNoDialog(app);
      await eventually(() => listedIdentifiers().includes(emailOf('seven', 3)), false);
      assert.equal((await identitiesOf(suite, 'seven')).length, 0);
    }));

  it('deactivate people and end their sessions, and activate them again', () =>
    onList('states', 2, async (app) => {
      const states = async () => (await identitiesOf(suite, 'states')).map(({ state }) => state);
      for (const [act, done, expected] of [
        ['Deactivate', 'Deactivated 2 identities', 'inactive'],
        ['Activate', 'Activated 2 identities', 'active'],
      ] as const) {
        await choose(app, 'states', 0, 1);
        await app.press(`${act}…`);
        await app.shows(`Ada Lovelace, ${emailOf('states', 0)}`);
        if (act === 'Deactivate') await app.fill('Reason or ticket', 'SUP-1', await findDialog(app));
        await app.press(`${act} 2 identities`);
        await app.shows(done);
        assert.deepEqual(await states(), [expected, expected]);
        await waitForNoDialog(app);
        await nothingSelected();
        await eventually(() => document.activeElement?.textContent, 'Identities');
      }
      assert.deepEqual(deletions(), ['sessions', 'sessions']);
      const reasons = app.requests.flatMap(({ method, reason }) => (method === 'GET' ? [] : [reason]));
      assert.deepEqual(reasons.sort(), [...Array(4).fill('SUP-1'), undefined, undefined]);
    }));

  it('report whose state another write has overwritten, and deactivate those again', () =>
    onList('raced', 2, async (app) => {
      const raced = await idOf(suite, 'raced', 1);
      suite.upstream.after = async ({ method, path }) => {
        if (method === 'PATCH' && path.endsWith(raced)) await changeInStore(suite, 'PATCH', raced, 'active');
        return undefined;
      };
      await choose(app, 'raced', 0, 1);
      await app.press('Deactivate…');
      await app.press('Deactivate 2 identities');
      await app.shows('1 deactivated, 1 overwritten. Unfinished items stay selected.');
      suite.upstream.reset();
      await app.press('Try again');
      await app.shows('Deactivated 2 identities');
    }));

  it('skip the operator’s own account and identities already in the requested state, even in an outdated list', () =>
    onList(
      'own',
      4,
      async (app) => {
        const [own, inactive] = [await idOf(suite, 'own', 0), await idOf(suite, 'own', 1)];
        await changeInStore(suite, 'PATCH', inactive, 'inactive');
        await choose(app, 'own', 0, 1, 2, 3);
        await app.press('Deactivate…');
        await app.shows('You are among them: your own account is skipped.', await findDialog(app));
        await app.press('Deactivate 3 identities');
        await app.shows('2 deactivated, 1 already inactive.');
        const writes = suite.upstream.requests.filter(({ method }) => method !== 'GET');
        assert.equal(writes.length, 4);
        assert.ok(writes.every(({ path }) => !path.includes(own) && !path.includes(inactive)));
        const { text } = await savedFileOf(app, 'Save as CSV');
        assert.match(text, new RegExp(`${inactive},${emailOf('own', 1)},already inactive,`));
        await closeDialog(app);
        await choose(app, 'own', 0);
        await app.press('Delete…');
        const dialog = await findDialog(app);
        await app.shows('You are among them: your own account is skipped.', dialog);
        assert.equal(within(dialog).queryByRole('button', { name: /^Delete/ }), null);
      },
      async ({ path }) =>
        path === '/api/auth/session'
          ? Response.json({
              user: { identityId: await idOf(suite, 'own', 0), email: emailOf('own', 0), role: 'admin' },
            })
          : undefined,
    ));

  it('save the current data of the selected identities as CSV, and report a failure', () =>
    onList('chosen', 3, async (app) => {
      await choose(app, 'chosen', 0, 1, 2);
      suite.upstream.before = ({ path }) => (path.includes('ids=') ? { status: 500, body: '{}' } : undefined);
      await app.press('Save CSV…');
      await waitForText(/Nothing was saved/);
      suite.upstream.reset();
      const [first, second, removed] = await Promise.all([0, 1, 2].map((index) => idOf(suite, 'chosen', index)));
      await changeInStore(suite, 'DELETE', removed ?? '');
      const saved = await savedFileOf(app, 'Try again');
      await app.shows('Saved 2 identities; 1 no longer exists');
      assert.match(saved.name, /^identities-customer-.*\.csv$/);
      const [head = '', ...rows] = saved.text.trim().split('\r\n');
      assert.match(head, /^id,schema_id,state,external_id,.*email/);
      assert.deepEqual(rows.map((row) => row.split(',')[0]).sort(), [first, second].sort());
      await app.shows('3 selected on this page');
    }));
});

describe('a bulk action on search results', () => {
  const suite = appOfSuite();
  before(async () => {
    const groupOf = (group: string, state: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        schema_id: 'customer',
        state,
        traits: { email: emailOf(group, index), name: { last: `Müller ${group}` } },
      }));
    const people = [...groupOf('asleep', 'active', 4), ...groupOf('file', 'inactive', 130)];
    await createIdentities(suite.upstream.target, people);
    const matchCount = async (): Promise<number | undefined> =>
      (await suite.read<Partial<IdentityCount>>('/api/identities/search/count?q=@b.example')).count;
    await eventually(matchCount, people.length, 'the index', SYNC_TIMEOUT_MS);
  });

  const onList = (query: string, work: (app: App) => Promise<void>): Promise<void> =>
    suite.open(`/identities?${query}`, { heading: 'Identities' }, async (app) => {
      await waitForText(/ match, as of/);
      await work(app);
    });
  const writes = (): ReceivedRequest[] =>
    suite.upstream.requests.filter(({ method }) => method === 'DELETE' || method === 'PATCH');

  it('cannot delete identities filtered by sign-in, and reads each one again with its sessions before any other action', () =>
    onList('q=asleep-&state=active&session=none-90d', async (app) => {
      const awake = await idOf(suite, 'asleep', 2);
      await app.user.click(await app.screen.findByLabelText('Select all rows on this page'));
      await app.shows('4 selected on this page');
      const deleteButton = app.screen.getByRole('button', { name: 'Delete…' });
      assert.equal(deleteButton.getAttribute('aria-disabled'), 'true');
      await waitForText(/cannot be deleted in bulk/);
      await app.user.click(deleteButton);
      await waitForNoDialog(app);

      // The first page of sessions is full, and the recent session is on the second.
      suite.upstream.before = ({ method, path }) => {
        const { pathname, searchParams } = new URL(path, 'http://store');
        if (method !== 'GET' || pathname !== `/admin/identities/${awake}/sessions`) return undefined;
        const count = searchParams.get('page') === '1' ? 250 : 1;
        const authenticated_at = new Date(count === 1 ? Date.now() : 0).toISOString();
        return {
          status: 200,
          body: JSON.stringify(Array.from({ length: count }, () => ({ id: 'x', authenticated_at }))),
        };
      };
      await app.press('Deactivate…');
      await waitForText(/Each identity is checked again, with its sessions/);
      const changed = await idOf(suite, 'asleep', 1);
      await changeInStore(suite, 'PATCH', changed, 'inactive');
      await app.press('Deactivate 4 identities');
      await app.shows(/^2 deactivated, 2 no longer match\./);
      await app.shows('It has a session that the search did not find.');
      await app.shows('It no longer matches.');
      assert.ok(writes().every(({ path }) => !path.includes(awake) && !path.includes(changed)));
    }));

  it('covers all rows even immediately after their selection, and skips identities already in the requested state', () =>
    onList('q=file-1', async (app) => {
      await app.user.click(await app.screen.findByLabelText('Select all rows on this page'));
      const all = await app.screen.findByRole('button', { name: 'Select all 41 matching rows' });
      const deactivate = app.screen.getByRole('button', { name: 'Deactivate…' });
      all.click();
      // Between two clicks in a browser, React renders only urgent updates.
      await null;
      deactivate.click();
      await app.screen.findByRole('heading', { name: 'Deactivate 41 identities?' });
      await app.press('Deactivate 41 identities');
      await app.shows(/^41 already inactive\./);
      assert.deepEqual(writes(), []);
    }));

  it('exports the current data of the identities, without those that no longer match', () =>
    onList('q=MULLER file&state=inactive', async (app) => {
      await app.user.click(await app.screen.findByLabelText('Select all rows on this page'));
      await app.press('Select all 130 matching rows');
      await app.shows('All 130 matching rows selected');
      await app.user.click((await app.screen.findAllByRole('link', { name: 'Export' })).at(-1) as HTMLElement);
      await waitForText(/130 identities that match: “MULLER file”, inactive/);
      const [active, removed] = [await idOf(suite, 'file', 99), await idOf(suite, 'file', 17)];
      suite.upstream.requests = [];
      let changed = false;
      suite.upstream.before = async ({ path }) => {
        if (changed || !path.includes('ids=')) return undefined;
        changed = true;
        await changeInStore(suite, 'PATCH', active, 'active');
        await changeInStore(suite, 'DELETE', removed);
        return undefined;
      };
      await app.user.click(await app.screen.findByRole('radio', { name: /^NDJSON/ }));
      const { text } = await savedFileOf(app, 'Export all matching identities');
      await waitForText(/128 identities were exported\. 2 no longer match and are left out\./);
      const written = text
        .trim()
        .split('\n')
        .map((line) => emailIn(JSON.parse(line) as StoredIdentity));
      const expected = (await identitiesOf(suite, 'file')).filter(({ state }) => state === 'inactive').map(emailIn);
      assert.deepEqual(written.toSorted(), expected.toSorted());
    }));
});
