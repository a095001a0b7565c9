import assert from 'node:assert/strict';
import { RequestError } from '../../client/api/request.ts';
import { applied, memberChanges } from '../../client/record/member-changes.ts';
import type { EditableRecord } from '../../client/record/record-edit.tsx';
import { isExact, type SavedChange, savedChange, undoChange } from '../../client/record/undo.ts';
import { UndoRefused } from '../../client/ui/toasts.tsx';

interface Stored {
  created_at: string;
  updated_at: string;
  members: Record<string, unknown>;
}

const at = (second: number): string => `2026-11-23T10:00:0${second}Z`;
const record = (members: Record<string, unknown>, updated = 1): Stored => ({
  created_at: at(0),
  updated_at: at(updated),
  members,
});
const missing = new RequestError({ status: 404, code: 'not_found', message: 'Not found.' });

describe('undoing a write of a record', () => {
  const OLD = { name: { first: 'Ada', last: 'Old' }, tags: ['a'], note: null };
  const NEW = { name: { first: 'Eve', last: 'Old' }, tags: ['a', 'b'], note: null, locale: 'en' };
  let stored: Stored;
  let writes: number;
  let change: SavedChange<Stored>;

  beforeEach(() => {
    const saved = record(NEW);
    stored = saved;
    writes = 0;
    const access: EditableRecord<Stored> = {
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
  const refused = (message: RegExp) => (error: Error) => error instanceof UndoRefused && message.test(error.message);

  it('restores the previous value of each changed member, and removes added ones', async () => {
    assert.equal(await undoChange(change), '');
    assert.deepEqual(stored.members, OLD);
    assert.equal(writes, 1);
  });

  it('keeps later changes by others to other members, and says so', async () => {
    stored = record({ ...NEW, note: 'called', name: { ...NEW.name, last: 'New' } }, 2);
    assert.match(await undoChange(change), /Later changes by others were kept/);
    assert.deepEqual(stored.members, { name: { first: 'Ada', last: 'New' }, tags: ['a'], note: 'called' });
  });

  it('writes nothing, not even the other members, if somebody has changed one of them since', async () => {
    stored = record({ ...NEW, name: { first: 'Zoe', last: 'Old' } }, 2);
    await assert.rejects(
      undoChange(change),
      refused(/Somebody has since changed name\.first.*Nothing was overwritten/),
    );
    assert.equal(writes, 0);
  });

  it('writes nothing if somebody removed, replaced or extended what was written', async () => {
    for (const members of [
      { ...NEW, name: undefined },
      { ...NEW, name: 'Eve' },
      { ...NEW, tags: ['a', 'b', 'c'] },
    ]) {
      stored = record(members, 2);
      await assert.rejects(undoChange(change), refused(/Somebody has since changed/));
    }
    assert.equal(writes, 0);
  });

  it('writes nothing if everything is as it was: its own response may have been lost', async () => {
    await undoChange(change);
    assert.equal(await undoChange(change), 'It already has its previous values.');
    assert.equal(writes, 1);
  });

  it('says that the record has been deleted, so that nobody tries again', async () => {
    change.read = () => Promise.reject(missing);
    await assert.rejects(undoChange(change), refused(/The identity has since been deleted/));
  });

  it('does not change another record with the same id', async () => {
    stored = { ...record(NEW, 2), created_at: at(2) };
    await assert.rejects(undoChange(change), refused(/another one has its ID/));
    assert.equal(writes, 0);
  });
});

describe('a change that can be undone', () => {
  it('is what the service stored, not what was sent', () => {
    const mine = memberChanges({ lifespan: null, scope: 'a', kept: 1 }, { lifespan: '1h', scope: 'a b', kept: 2 });
    const access = { documentOf: (stored: object) => stored } as EditableRecord<object>;
    assert.deepEqual(savedChange(access, { lifespan: '1h0m0s', scope: 'a b', kept: 1 }, mine).changes, [
      { path: '/lifespan', before: null, after: '1h0m0s' },
      { path: '/scope', before: 'a', after: 'a b' },
    ]);
  });

  it('has exact numbers, or cannot be undone', () => {
    for (const value of [9_007_199_254_740_991, 0.1, '12345678901234567890', null, { ids: [1, 2] }])
      assert.ok(isExact(value), JSON.stringify(value));
    for (const value of [2 ** 60, 0.1234567890123456, 1e21, { ids: [1, { id: 2 ** 60 }] }])
      assert.ok(!isExact(value), JSON.stringify(value));
  });
});
