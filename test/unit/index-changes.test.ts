import assert from 'node:assert/strict';
import { subjectOf } from '../../server/audit/event.ts';
import type { Database } from '../../server/db/database.ts';
import {
  changeOf,
  followTrail,
  indexChanges,
  type Trail,
  type WriteRecord,
} from '../../server/search-index/changes.ts';
import type { Kind } from '../../server/search-index/database.ts';
import { IndexUnavailable, type RemoteCommands } from '../../server/search-index/thread.ts';
import type { AuditRecord } from '../../shared/audit.ts';
import { searchTerms } from '../../shared/text.ts';
import { silentLog } from '../support/context.ts';
import { until } from '../support/eventually.ts';
import { DAY, type IndexRig, identity, idOf, indexRig, keyOf, session } from '../support/index-rig.ts';

const ID = idOf(1);
const STORE = '/api/identity-admin/admin';

function record(method: string, target: string, status: number | null = 200, location?: string): WriteRecord {
  const details = { method, status, peer: null, ...(location !== undefined && { location }) };
  const event = { action: 'proxy_write' as const, actor: 'anonymous', target, details };
  return { ...event, subject: subjectOf(event) };
}

describe('what a recorded write changes in the index', () => {
  const PERSON = `${STORE}/identities/${ID}`;
  const CLIENT = '/api/oauth-admin/admin/clients/a%3Ab';
  const written = { how: 'written', kind: 'people', id: ID } as const;
  const unknown = (listed: boolean) => ({ how: 'unknown', listed }) as const;
  const CHANGES: [name: string, write: WriteRecord, change: ReturnType<typeof changeOf>][] = [
    ['a person', record('PUT', PERSON), written],
    ['a credential', record('DELETE', `${PERSON}/credentials/totp`, 204), written],
    ['a creation', record('POST', `${STORE}/identities`, 201, PERSON), written],
    ['a deletion', record('DELETE', PERSON, 204), { ...written, how: 'removed' }],
    ['a deletion without a response', record('DELETE', PERSON, null), written],
    ['a refusal', record('PUT', PERSON, 409), undefined],
    ['a batch', record('PATCH', `${STORE}/identities`), unknown(true)],
    ['a batch without a response', record('PATCH', `${STORE}/identities`, null), unknown(false)],
    ['another store', record('PUT', PERSON.replace('identity', 'iam-identity')), undefined],
    ['the sessions of a person', record('DELETE', `${PERSON}/sessions`, 404), { how: 'ended-of', person: ID }],
    ['a session', record('DELETE', `${STORE}/sessions/${ID}`, 204), { how: 'ended', session: ID }],
    ['a longer session', record('PATCH', `${STORE}/sessions/${ID}/extend`), { ...written, kind: 'sessions' }],
    ['a client', record('PATCH', CLIENT), { how: 'written', kind: 'clients', id: 'a:b' }],
    ['a deleted client', record('DELETE', CLIENT, 204), { how: 'removed', kind: 'clients', id: 'a:b' }],
  ];
  it('is what must be read again or removed', () => {
    for (const [name, write, change] of CHANGES) assert.deepEqual(changeOf(write, 'identity-admin'), change, name);
  });
});

describe('the watch over the audit trail', () => {
  let records: AuditRecord[];
  let head: number | undefined;
  let noted: number[];
  let missed: number;
  let reads: number;
  let watch: ReturnType<typeof followTrail>;
  const written = (sequence: number, id = sequence): AuditRecord => ({
    sequence,
    timestamp: '',
    actor: '',
    ...record('PUT', `${STORE}/identities/${idOf(id)}`),
  });
  const trail: Trail = {
    async head() {
      reads += 1;
      if (head === undefined) throw new Error('away');
      return head;
    },
    after: async (sequence, most) => records.filter((one) => one.sequence > sequence).slice(0, most),
  };
  const watching = () =>
    followTrail({
      trail,
      isUsed: () => false,
      onRecord: ({ sequence }) => void noted.push(sequence),
      onGap: () => {
        missed += 1;
      },
      monotonic: () => 0,
      log: silentLog,
      pollMs: 1,
    });
  /** One more look, at once. */
  async function look(): Promise<void> {
    const before = reads;
    watch.wake();
    await until(() => reads > before);
    await new Promise(setImmediate);
  }
  const add = (...added: AuditRecord[]): void => {
    records.push(...added);
    head = records.at(-1)?.sequence ?? 0;
  };

  beforeEach(() => {
    [records, head, noted, missed, reads] = [[], 0, [], 0, 0];
    watch = watching();
  });
  afterEach(() => watch.stop());

  it('starts at the end of the trail, and reports each later record once', async () => {
    add(written(1), written(2));
    await look();
    assert.deepEqual([noted, missed], [[], 0]);
    add(...Array.from({ length: 450 }, (_, number) => written(3 + number)));
    await look();
    assert.deepEqual(
      noted,
      Array.from({ length: 450 }, (_, number) => 3 + number),
    );
    await look();
    assert.deepEqual([noted.length, missed], [450, 0]);
  });

  it('has everyone read again if it fell behind, could not read, or the trail was restored from a backup', async () => {
    await look();
    add(written(5_000));
    await look();
    assert.deepEqual([noted, missed], [[], 1]);
    head = 10;
    await look();
    assert.deepEqual([noted, missed], [[], 2]);
    watch.stop();
    watch = watching();
    head = undefined;
    await look();
    head = 10;
    await look();
    assert.equal(missed, 3);
  });
});

describe('the index, after a write through the service', () => {
  let rig: IndexRig;
  let changes: ReturnType<typeof indexChanges>;
  let clock: number;
  let isFull: boolean;
  let asked: { kind: Kind; ids: readonly string[] }[];
  /** Called when rows are asked for by id, once they have been read and before they arrive. */
  let onById: () => unknown;

  beforeEach(async () => {
    rig = indexRig();
    [asked, onById, clock, isFull] = [[], () => {}, 0, false];
    rig.lists.people = Array.from({ length: 300 }, (_, number) => identity(number));
    rig.lists.sessions = [session(1), session(2), session(3)];
    rig.lists.clients = [{ client_id: 'shop:1', client_name: 'Shop' }];
    const index = new Proxy(rig.index, {
      get: (thread, name: keyof RemoteCommands) =>
        isFull && name === 'remove' ? async () => Promise.reject(new IndexUnavailable()) : thread[name],
    });
    changes = indexChanges(index, {
      // Of the database only the lease is used, and nobody else wants it.
      database: { client: 'sqlite', transaction: async () => true } as unknown as Database,
      sources: {
        async page(kind) {
          const text = JSON.stringify(rig.lists[kind]);
          return { text, bytes: text.length, nextPageToken: undefined };
        },
        async byId(kind, ids) {
          asked.push({ kind, ids });
          const text = JSON.stringify(rig.lists[kind].filter((row) => ids.includes(keyOf(row))));
          await onById();
          return text;
        },
        marks: async () => ({}),
        newestMessages: async () => '[]',
        byIdentifier: async () => '[]',
        placesOf: async (addresses) => addresses.map(() => undefined),
      },
      onChange: () => {},
      trail: { head: async () => 0, after: async () => [] },
      store: 'identity-admin',
      now: () => DAY,
      monotonic: () => clock,
      log: silentLog,
    });
    changes.onQuery();
    await until(() => (['people', 'sessions', 'clients'] as const).every((kind) => changes.state(kind).fullAt));
  });
  afterEach(() => changes.stop());

  function note(method: string, target: string, status: number): void {
    const event = { action: 'proxy_write' as const, actor: '', target, details: { method, status } };
    changes.written({ ...event, subject: subjectOf(event) });
  }
  async function wrote(method: string, target: string, status = 200): Promise<void> {
    note(method, target, status);
    await changes.settled();
  }
  const found = (text: string): Promise<string[]> => rig.index.peopleIds({ words: searchTerms(text) }, 1_000);
  const sizes = () => rig.index.sizes();
  const change = (kind: Kind, at: number, row: unknown): void => void rig.lists[kind].splice(at, 1, row);

  it('removes deleted people with their sessions, without a request, even while they are being read again', async () => {
    await wrote('DELETE', `${STORE}/identities/${idOf(1)}`, 204);
    assert.deepEqual(await found('person1@'), []);
    assert.equal((await sizes()).sessions, 2);
    assert.deepEqual(asked, []);
    onById = () => note('DELETE', `${STORE}/identities/${idOf(2)}`, 204);
    await wrote('PUT', `${STORE}/identities/${idOf(2)}`);
    assert.deepEqual(await found('person2@'), []);
  });

  it('reads everyone again soon if a deletion failed', async () => {
    isFull = true;
    rig.lists.people.shift();
    await wrote('DELETE', `${STORE}/identities/${idOf(0)}`, 204);
    assert.deepEqual(await found('person0@'), [idOf(0)]);
    isFull = false;
    clock += 61_000;
    changes.onQuery();
    await until(async () => (await found('person0@')).length === 0);
  });

  it('ends a session, removes those of a person, and reads one that was changed', async () => {
    const active = async (): Promise<number> => (await rig.index.numbers(DAY)).sessions.active;
    await wrote('DELETE', `${STORE}/sessions/${idOf(1, '5e55')}`, 204);
    assert.deepEqual([await active(), (await sizes()).sessions], [2, 3]);
    await wrote('DELETE', `${STORE}/identities/${idOf(2)}/sessions`, 204);
    assert.deepEqual([await active(), (await sizes()).sessions], [1, 2]);
    assert.deepEqual(asked, []);
    change('sessions', 2, session(3, { active: false }));
    await wrote('PATCH', `${STORE}/sessions/${idOf(3, '5e55')}/extend`);
    assert.equal(await active(), 0);
    rig.lists.sessions.pop();
    await wrote('PATCH', `${STORE}/sessions/${idOf(3, '5e55')}/extend`);
    assert.equal((await sizes()).sessions, 1);
  });
});
