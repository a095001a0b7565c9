import assert from 'node:assert/strict';
import { RequestError, request } from '../../client/api/request.ts';
import { deleteSetting, readTagged, saveSetting } from '../../client/api/settings.ts';
import { applied, memberChanges } from '../../client/record/member-changes.ts';
import type { EditableRecord } from '../../client/record/record-edit.tsx';
import {
  canBeUndone,
  isExact,
  type SavedChange,
  type SettingWrite,
  savedChange,
  settingsUndo,
  settingWrite,
  undoChange,
} from '../../client/record/undo.ts';
import { UndoRefused } from '../../client/ui/toasts.tsx';
import type { SettingPage } from '../../shared/settings.ts';
import { appOfSuite } from '../support/app-in-dom.tsx';
import { simulateBrowser } from '../support/dom.ts';
import { changeIdentity, createPerson, type Identity, requestIdentity } from '../support/identity-pages.ts';
import { ofTest } from '../support/of-suite.ts';
import { newSqlite, startSettingsApp } from '../support/settings-app.ts';

describe('undoing a change to a person', () => {
  const suite = appOfSuite();
  const setState = (id: string, state: string) => changeIdentity(suite, id, { '/state': state });

  it('deactivates a person who was activated, and ends their sessions', async () => {
    const { id, name } = await createPerson(suite);
    await setState(id, 'inactive');
    await suite.open(`/identities/${id}`, { heading: name }, async (app) => {
      await app.press('More actions');
      await app.user.click(await app.screen.findByRole('menuitem', { name: /Activate/ }));
      await app.press('Activate', await app.screen.findByRole('dialog'));
      await app.user.click(await app.screen.findByText('Undo'));
      await app.shows(`Reverted: ${name} is inactive again`);
      const { method, path } = app.requests.findLast((request) => request.method !== 'GET') ?? assert.fail();
      assert.equal(`${method} ${path}`, `DELETE /api/identity-admin/admin/identities/${id}/sessions`);
    });
    assert.equal(((await (await requestIdentity(suite, id)).json()) as Identity).state, 'inactive');
  });

  it('is offered in the timeline only for the latest change of the state, until another operator changes the state', async () => {
    const somebody = await createPerson(suite);
    for (const state of ['inactive', 'active', 'inactive']) await setState(somebody.id, state);
    await suite.open(`/identities/${somebody.id}/history`, { heading: somebody.name }, async (app) => {
      await app.screen.findByLabelText('Undo the deactivation');
      // The buttons are counted before the dialog opens, because in tests Mantine renders it within the line.
      assert.equal(document.querySelectorAll('[data-timeline] li button').length, 1);
      await app.press('Undo the deactivation');
      await setState(somebody.id, 'active');
      const dialog = await app.screen.findByRole('dialog');
      await app.press('Activate', dialog);
      await app.shows(/^Somebody has since changed the state: it is now active\./, dialog);
      await app.user.keyboard('{Escape}');
      await app.hides('Undo the deactivation');
    });
  });
});

interface StoredRecord {
  created_at: string;
  updated_at: string;
  members: Record<string, unknown>;
}

const at = (second: number): string => `2026-11-23T10:00:0${second}Z`;
const record = (members: Record<string, unknown>, updated = 1): StoredRecord => ({
  created_at: at(0),
  updated_at: at(updated),
  members,
});
const missing = new RequestError({ status: 404, code: 'not_found', message: 'Not found.' });
const refused = (message: RegExp) => (error: Error) => error instanceof UndoRefused && message.test(error.message);

describe('undoing a write of a record', () => {
  const OLD = { name: { first: 'Ada', last: 'Old' }, tags: ['a'], note: null };
  const NEW = { name: { first: 'Eve', last: 'Old' }, tags: ['a', 'b'], note: null, locale: 'en' };
  let stored: StoredRecord;
  let writes: number;
  let change: SavedChange<StoredRecord>;

  beforeEach(() => {
    const saved = record(NEW);
    stored = saved;
    writes = 0;
    const access: EditableRecord<StoredRecord> = {
      what: 'identity',
      documentOf: ({ members }) => members,
      read: async () => stored,
      write: async (now, changes) => {
        writes += 1;
        stored = { ...now, updated_at: at(9), members: applied(now.members, changes) };
        return stored;
      },
    };
    change = savedChange(access, saved, memberChanges(OLD, NEW));
  });

  it('restores the previous value of each changed member, and removes added ones', async () => {
    assert.equal(await undoChange(change), '');
    assert.deepEqual(stored.members, OLD);
    assert.equal(writes, 1);
  });

  it('preserves later changes by others to other members, and reports this', async () => {
    stored = record({ ...NEW, note: 'called', name: { ...NEW.name, last: 'New' } }, 2);
    assert.match(await undoChange(change), /Later changes by others were kept/);
    assert.deepEqual(stored.members, { name: { first: 'Ada', last: 'New' }, tags: ['a'], note: 'called' });
  });

  it('writes nothing if somebody has since changed one of the members, or removed, replaced or extended it', async () => {
    for (const members of [
      { ...NEW, name: { first: 'Zoe', last: 'Old' } },
      { ...NEW, name: undefined },
      { ...NEW, name: 'Eve' },
      { ...NEW, tags: ['a', 'b', 'c'] },
    ]) {
      stored = record(members, 2);
      const reason = /Somebody has since changed (?:name\.first|tags).*Nothing was overwritten/;
      await assert.rejects(undoChange(change), refused(reason));
    }
    assert.equal(writes, 0);
  });

  it('writes nothing if the record already has its previous values', async () => {
    await undoChange(change);
    assert.equal(await undoChange(change), 'It already has its previous values.');
    assert.equal(writes, 1);
  });

  it('is rejected with an explanation if another record has its ID, or if it has been deleted', async () => {
    stored = { ...record(NEW, 2), created_at: at(2) };
    await assert.rejects(undoChange(change), refused(/another one has its ID/));
    change.read = () => Promise.reject(missing);
    await assert.rejects(undoChange(change), refused(/The identity has since been deleted/));
    assert.equal(writes, 0);
  });
});

describe('a change that can be undone', () => {
  it('contains the values that the service stored, not those that were sent', () => {
    const mine = memberChanges({ lifespan: null, scope: 'a', kept: 1 }, { lifespan: '1h', scope: 'a b', kept: 2 });
    const access = { documentOf: (stored: object) => stored } as EditableRecord<object>;
    assert.deepEqual(savedChange(access, { lifespan: '1h0m0s', scope: 'a b', kept: 1 }, mine).changes, [
      { path: '/lifespan', before: null, after: '1h0m0s' },
      { path: '/scope', before: 'a', after: 'a b' },
    ]);
  });

  it('contains only numbers that JavaScript represents exactly', () => {
    for (const value of [9_007_199_254_740_991, 0.1, '12345678901234567890', null, { ids: [1, 2] }])
      assert.ok(isExact(value), JSON.stringify(value));
    for (const value of [2 ** 60, 0.1234567890123456, 1e21, { ids: [1, { id: 2 ** 60 }] }])
      assert.ok(!isExact(value), JSON.stringify(value));
  });
});

describe('undoing changes of settings', () => {
  const sqlite = ofTest(newSqlite);
  const service = ofTest(() => startSettingsApp(sqlite.database));
  ofTest(() => simulateBrowser(`${service.url}/`));
  /** Whether the response to a successful request is lost. */
  let isLost: (request: string) => boolean | Promise<boolean>;
  /** Whether a proxy drops entity tags. */
  let dropsTags: boolean;

  const put = (key: string, value: string, encrypted = false) => saveSetting({ key, value, encrypted });
  const stored = async (key: string) => (await readTagged(key))?.setting;
  const written = async (...[key, value, encrypted]: Parameters<typeof put>): Promise<SettingWrite> =>
    settingWrite(await stored(key), await put(key, value, encrypted));
  const deleted = async (key: string): Promise<SettingWrite> => ({
    key,
    before: await stored(key),
    undoVersion: await deleteSetting(key),
    after: null,
  });
  async function values(): Promise<Record<string, string>> {
    const { settings } = await request<SettingPage>('/api/settings');
    return Object.fromEntries(settings.map(({ key, value }) => [key, value]));
  }

  beforeEach(async () => {
    [isLost, dropsTags] = [() => false, false];
    await put('a', 'old');
    const { fetch } = globalThis;
    globalThis.fetch = async (path, init) => {
      const response = await fetch(path, init);
      if (init?.method !== 'GET' && response.ok && (await isLost(`${init?.method} ${path}`)))
        throw new TypeError('lost');
      const headers = new Headers(response.headers);
      if (dropsTags) headers.delete('etag');
      return new Response(response.body, { status: response.status, headers });
    };
  });

  it('restores changed or deleted settings, and deletes new ones', async () => {
    await settingsUndo([await written('a', 'new')])();
    assert.deepEqual(await values(), { a: 'old' });
    await settingsUndo([await deleted('a'), await written('b', 'new')])();
    assert.deepEqual(await values(), { a: 'old' });
  });

  it('proceeds from the last change to the first, even for a setting that was changed twice', async () => {
    await put('enabled', 'true');
    const changes = [await written('enabled', 'false'), await written('a', 'new'), await written('enabled', 'true')];
    const states: object[] = [];
    isLost = async () => states.push(await values()) < 0;
    await settingsUndo(changes)();
    assert.deepEqual(states, [
      { a: 'new', enabled: 'false' },
      { a: 'old', enabled: 'false' },
      { a: 'old', enabled: 'true' },
    ]);
  });

  it('continues on a retry where it failed, even if only the response was lost', async () => {
    const undo = settingsUndo([await deleted('a'), await written('b', 'new')]);
    isLost = (request) => request.startsWith('DELETE');
    await assert.rejects(undo(), (error) => !(error instanceof UndoRefused));
    isLost = (request) => request.startsWith('POST');
    await assert.rejects(undo(), (error) => !(error instanceof UndoRefused));
    isLost = () => false;
    await undo();
    assert.deepEqual(await values(), { a: 'old' });
  });

  it('stops at a setting that somebody has since changed, and reports how many changes were undone', async () => {
    const undo = settingsUndo([await written('a', 'new'), await written('b', 'new')]);
    await put('a', 'theirs');
    await assert.rejects(undo(), refused(/1 of 2 changes were undone before that/));
    assert.deepEqual(await values(), { a: 'theirs' });
  });

  it('compares the stored setting instead of sending a condition if a proxy drops entity tags', async () => {
    dropsTags = true;
    await settingsUndo([await written('a', 'new'), await written('b', 'new')])();
    assert.deepEqual(await values(), { a: 'old' });
    const undo = settingsUndo([await written('a', 'new')]);
    await put('a', 'theirs');
    await assert.rejects(undo(), refused(/Somebody has since changed a/));
    assert.deepEqual(await values(), { a: 'theirs' });
  });

  it('is not offered if the service discarded the previous version, as when a plain value is encrypted', async () => {
    assert.equal(canBeUndone(await written('a', 'plain')), true);
    assert.equal(canBeUndone(await written('a', 'hidden', true)), false);
  });
});
