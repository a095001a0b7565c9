import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import type { Role } from '../../shared/capabilities.ts';
import type { Note, Notes } from '../../shared/notes.ts';
import { knexOf } from '../support/dashboard.ts';
import { sessionIn } from '../support/http-sign-in.ts';
import { createPerson } from '../support/identity-pages.ts';
import { startInterceptedDashboard } from '../support/intercepted-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { assertError } from '../support/settings-app.ts';

const UNKNOWN = '11111111-1111-4111-8111-111111111111';
/** As the list has them: the newest first, and those of the same millisecond by ID. */
const newestFirst = (...notes: Note[]): Note[] =>
  notes.toSorted((a, b) => (a.created_at + a.id < b.created_at + b.id ? 1 : -1));
const REFUSED = [undefined, null, 7, '', ' \n ', 'y'.repeat(2_001), 'y\0', 'y\ty', 'y\x1b[m', 'y\x85', 'y\ud800'];

describe('the notes on a person', () => {
  const suite = ofSuite(() => startInterceptedDashboard({ env: { EXTRA_ROLES: 'support,auditor' } }));
  beforeEach(() => suite.upstream.reset());

  const call = (role: Role, method: string, path: string, json?: object, reason = ''): Promise<Response> => {
    const headers = { 'dashboard-reason': reason };
    return suite.dashboard.call(`/api/identities/${path}`, { session: suite.sessions[role], method, json, headers });
  };
  const add = async (id: string, text: string, role: Role = 'support'): Promise<Note> =>
    (await call(role, 'POST', `${id}/notes`, { text })).json() as Promise<Note>;
  const notesOf = async (id: string): Promise<Note[]> =>
    ((await (await call('auditor', 'GET', `${id}/notes`)).json()) as Notes).notes;

  it('can be read by auditors too, changed by their author, and deleted by their author or an administrator', async () => {
    const { id } = await createPerson(suite);
    const logged = suite.dashboard.logged.length;
    const first = await add(id.toUpperCase(), '  Called back.\r\n\nSee https://tickets.example/1 \n');
    const author = sessionIn(suite.sessions.support).identityId;
    const text = 'Called back.\n\nSee https://tickets.example/1';
    assert.deepEqual(first, { id: first.id, author, text, created_at: first.created_at, updated_at: first.created_at });
    const second = await add(id, '🙂'.repeat(2_000), 'admin');
    assert.deepEqual(await notesOf(id), newestFirst(first, second));

    const path = `${id}/notes/${first.id}`;
    const refusal = await assertError(await call('admin', 'PUT', path, { text: 'Secret' }), 403, 'forbidden');
    assert.match(refusal.message, /^Only its author/);
    const changed = (await (await call('support', 'PUT', path, { text: 'Sent a code.' })).json()) as Note;
    assert.deepEqual(changed, { ...first, text: 'Sent a code.', updated_at: changed.updated_at });
    await assertError(await call('support', 'DELETE', `${id}/notes/${second.id}`), 403, 'forbidden');
    assert.deepEqual(await notesOf(id), newestFirst(changed, second));
    const third = await add(id, 'x');
    assert.equal((await call('admin', 'DELETE', path)).status, 204);
    assert.equal((await call('support', 'DELETE', `${id}/notes/${third.id}`, undefined, 'T-1')).status, 204);
    assert.deepEqual(await notesOf(id), [second]);

    const { events } = await suite.read<AuditPage>(`/api/security/audit?subject=identity:${id}&page_size=6`);
    const written = [
      [true, first],
      [true, second],
      [false, first],
      [true, third],
    ] as const;
    assert.deepEqual(
      events.toReversed().map(({ action, details }) => [action, details]),
      [
        ...written.map(([created, note]) => ['note_write', { created, note: note.id }]),
        ['note_delete', { note: first.id }],
        ['note_delete', { note: third.id, reason: 'T-1' }],
      ],
    );
    const lines = suite.dashboard.logged.slice(logged).join('');
    assert.doesNotMatch(lines + JSON.stringify(events), /Called|Sent|Secret|🙂/u);
    assert.ok(lines.includes('"/api/identities/:id/notes/:note"'));
  });

  it('refuse other texts, unknown people and the notes of others, and stay as they are while the store or the trail fails', async () => {
    const [{ id }, other] = [await createPerson(suite), await createPerson(suite)];
    const note = await add(id, 'x');
    const own = `${id}/notes/${note.id}`;
    for (const text of REFUSED)
      for (const [method, path] of [
        ['POST', `${id}/notes`],
        ['PUT', own],
      ] as const) {
        const { message } = await assertError(await call('support', method, path, { text }), 400, 'bad_request');
        assert.match(message, /^text (?!.*y\W)/);
      }
    const more = { text: 'y', author: UNKNOWN };
    await assertError(await call('support', 'PUT', own, more), 400, 'bad_request');
    for (const path of [
      `${other.id}/notes/${note.id}`,
      `${id}/notes/${UNKNOWN}`,
      `${id}/notes/x`,
      `x/notes/${note.id}`,
    ]) {
      await assertError(await call('support', 'PUT', path, { text: 'y' }), 404, 'not_found');
      await assertError(await call('support', 'DELETE', path), 404, 'not_found');
    }
    await assertError(await call('support', 'POST', `${UNKNOWN}/notes`, { text: 'y' }), 404, 'not_found');
    suite.upstream.before = () => ({ status: 404, body: 'no such page' });
    await assertError(await call('support', 'POST', `${id}/notes`, { text: 'y' }), 502, 'bad_gateway');
    suite.upstream.reset();

    const knex = knexOf(suite.dashboard);
    await knex.schema.renameTable('audit_log', 'renamed');
    for (const [method, path] of [
      ['POST', `${id}/notes`],
      ['PUT', own],
      ['DELETE', own],
    ] as const)
      await assertError(await call('support', method, path, { text: 'y' }), 503, 'service_unavailable');
    await knex.schema.renameTable('renamed', 'audit_log');
    await knex.destroy();
    assert.deepEqual([await notesOf(id), await notesOf(other.id), await notesOf(UNKNOWN)], [[note], [], []]);
  });
});
