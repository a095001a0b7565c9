import assert from 'node:assert/strict';
import { subjectOf } from '../../server/audit/event.ts';
import type { Database } from '../../server/db/database.ts';
import { noteIdentities } from '../../server/events/event-store.ts';
import {
  type ChangesOptions,
  changeOf,
  followTrail,
  indexChanges,
  reportedChanges,
  type Trail,
  type WriteRecord,
} from '../../server/search-index/changes.ts';
import { IndexUnavailable, type RemoteCommands } from '../../server/search-index/thread.ts';
import type { AuditRecord } from '../../shared/audit.ts';
import { searchTerms } from '../../shared/text.ts';
import { silentLog } from '../support/context.ts';
import { eventually, until } from '../support/eventually.ts';
import { type IndexRig, identity, idOf, indexRig, START, session } from '../support/index-rig.ts';
import { ofTest } from '../support/of-suite.ts';
import { newSqlite } from '../support/settings-app.ts';

const STORE = '/api/identity-admin/admin';

function write(method: string, target: string, status: number | null = 200, location?: string): WriteRecord {
  const details = { method, status, peer: null, ...(location !== undefined && { location }) };
  const event = { action: 'proxy_write' as const, actor: 'anonymous', target, details };
  return { ...event, subject: subjectOf(event) };
}

describe('the index change for a recorded write', () => {
  const ID = idOf(1);
  const IDENTITY = `${STORE}/identities/${ID}`;
  const CLIENT = '/api/oauth-admin/admin/clients/a%3Ab';
  const written = { how: 'written', kind: 'identities', id: ID } as const;
  const unknown = (listed: boolean) => ({ how: 'unknown', listed }) as const;
  const CHANGES: [title: string, record: WriteRecord, change: ReturnType<typeof changeOf>][] = [
    ['update of a person', write('PUT', IDENTITY), written],
    ['deleted credential', write('DELETE', `${IDENTITY}/credentials/totp`, 204), written],
    ['created person', write('POST', `${STORE}/identities`, 201, IDENTITY), written],
    ['deleted person', write('DELETE', IDENTITY, 204), { ...written, how: 'removed' }],
    ['deletion without a response', write('DELETE', IDENTITY, null), written],
    ['refused update', write('PUT', IDENTITY, 409), undefined],
    ['batch', write('PATCH', `${STORE}/identities`), unknown(true)],
    ['batch without a response', write('PATCH', `${STORE}/identities`, null), unknown(false)],
    ['write to another store', write('PUT', IDENTITY.replace('identity', 'iam-identity')), undefined],
    ['deleted sessions of a person', write('DELETE', `${IDENTITY}/sessions`, 404), { how: 'ended-of', identity: ID }],
    ['deleted session', write('DELETE', `${STORE}/sessions/${ID}`, 204), { how: 'ended', session: ID }],
    ['extended session', write('PATCH', `${STORE}/sessions/${ID}/extend`), { ...written, kind: 'sessions' }],
    ['update of a client', write('PATCH', CLIENT), { how: 'written', kind: 'clients', id: 'a:b' }],
    ['deleted client', write('DELETE', CLIENT, 204), { how: 'removed', kind: 'clients', id: 'a:b' }],
  ];
  it('reads or removes the named row, and is absent for a refused write or a write to another store', () => {
    for (const [title, record, change] of CHANGES) assert.deepEqual(changeOf(record, 'identity-admin'), change, title);
  });
});

describe('the follower of the audit trail', () => {
  let records: AuditRecord[];
  let head: number | undefined;
  let seen: number[];
  let reports: Awaited<ReturnType<ReturnType<typeof reportedChanges>['after']>>;
  let changed: string[];
  let gaps: number;
  let polls: number;
  let follower: ReturnType<typeof followTrail>;
  const trail: Trail = {
    async head() {
      polls += 1;
      if (head === undefined) throw new Error('unavailable');
      return head;
    },
    after: async (after, most) => records.filter(({ sequence }) => sequence > after).slice(0, most),
  };
  const startFollower = (more: { reported?: typeof reported } = {}) =>
    followTrail({
      ...{ trail, ...more },
      isUsed: () => false,
      onRecord: ({ sequence }) => void seen.push(sequence),
      onReported: (identity) => void changed.push(identity),
      onGap: () => {
        gaps += 1;
      },
      monotonic: () => 0,
      log: silentLog,
      pollMs: 1,
    });
  async function poll(): Promise<void> {
    const before = polls;
    follower.wake();
    await until(() => polls > before);
    await new Promise(setImmediate);
  }
  const reported: ReturnType<typeof reportedChanges> = {
    head: async () => reports.length,
    after: async (after, most) => reports.slice(after, after + most),
  };
  const report = (identity: string): void => void reports.push({ sequence: reports.length + 1, identity });
  /** Adds records to the trail. @returns their sequences */
  function add(from: number, count: number): number[] {
    const sequences = Array.from({ length: count }, (_, index) => from + index);
    for (const sequence of sequences) {
      const record = write('PUT', `${STORE}/identities/${idOf(sequence)}`);
      records.push({ sequence, timestamp: '', actor: '', ...record });
    }
    head = sequences.at(-1);
    return sequences;
  }

  beforeEach(() => {
    [records, head, seen, reports, changed, gaps, polls] = [[], 0, [], [], [], 0, 0];
    follower = startFollower();
  });
  afterEach(() => follower.stop());

  it('starts at the end of the trail, and reports each later record once', async () => {
    add(1, 2);
    await poll();
    assert.deepEqual([seen, gaps], [[], 0]);
    const added = add(3, 450);
    await poll();
    assert.deepEqual(seen, added);
    await poll();
    assert.deepEqual([seen.length, gaps], [450, 0]);
  });

  it('reports a gap if it is far behind, if it could not read, and if the trail was restored from a backup', async () => {
    await poll();
    add(5_000, 1);
    await poll();
    assert.deepEqual([seen, gaps], [[], 1]);
    head = 10;
    await poll();
    assert.deepEqual([seen, gaps], [[], 2]);
    follower.stop();
    follower = startFollower();
    head = undefined;
    await poll();
    head = 10;
    await poll();
    assert.equal(gaps, 3);
  });

  it('passes on what Kratos reports, unless it is too much or from a backup', async () => {
    follower = startFollower({ reported });
    report(idOf(9));
    await poll();
    const later = Array.from({ length: 300 }, (_, number) => idOf(number));
    later.forEach(report);
    await poll();
    await poll();
    assert.deepEqual([changed, gaps], [later, 0]);
    for (let count = 0; count <= 2_000; count += 1) report(idOf(1));
    await poll();
    assert.equal(gaps, 1);
    reports.length = 10;
    await poll();
    assert.deepEqual([changed.length, gaps], [300, 2]);
  });
});

const optionsOf = (rig: IndexRig): ChangesOptions => ({
  // Only the lease uses the database, and no other replica competes for it.
  database: { client: 'sqlite', transaction: async () => true } as unknown as Database,
  sources: rig.sources,
  onChange: () => {},
  trail: { head: async () => 0, after: async () => [] },
  store: 'identity-admin',
  now: () => START,
  monotonic: () => rig.clock,
  log: silentLog,
});

describe('the indexes of two replicas', () => {
  const sqlite = ofTest(newSqlite);

  it('find whom Kratos reports as created or renamed, and lose whom it reports as deleted', async () => {
    const { database } = sqlite;
    const rigs = [indexRig(), indexRig()];
    const started = new Set<IndexRig>();
    const replicas = rigs.map((rig) => {
      rig.lists.identities = [identity(1), identity(2)];
      const { head, after } = reportedChanges(database);
      const reported = { after, head: () => head().finally(() => started.add(rig)) };
      return indexChanges(rig.index, { ...optionsOf(rig), reported, pollMs: 5 });
    });
    const found = () => Promise.all(rigs.map(({ index }) => index.identityIds({ words: searchTerms('example') }, 9)));
    const bothFind = async (...ids: string[]) =>
      eventually(async () => (await found()).map((all) => all.sort()), [ids, ids]);
    for (const changes of replicas) changes.onQuery();
    await bothFind(idOf(1), idOf(2));
    // The first poll only finds where to start.
    await until(() => started.size === 2);
    for (const rig of rigs) rig.lists.identities = [identity(1, { traits: { email: 'ada@example.org' } }), identity(3)];
    const changes = new Map([1, 2, 3].map((number) => [idOf(number), { isDeleted: number === 2 }]));
    await database.transaction((trx) => noteIdentities(trx, changes, new Date(START).toISOString()));
    await bothFind(idOf(1), idOf(3));
    await Promise.all(replicas.map((replica) => replica.stop()));
  });
});

describe('the index after a write through the service', () => {
  let rig: IndexRig;
  let changes: ReturnType<typeof indexChanges>;
  let canRemove: boolean;

  beforeEach(async () => {
    rig = indexRig();
    rig.pageMs = 0;
    canRemove = true;
    rig.lists.identities = Array.from({ length: 300 }, (_, number) => identity(number));
    rig.lists.sessions = [session(1), session(2), session(3)];
    rig.lists.clients = [{ client_id: 'shop:1', client_name: 'Shop' }];
    const index = new Proxy(rig.index, {
      get: (thread, name: keyof RemoteCommands) =>
        !canRemove && name === 'remove' ? async () => Promise.reject(new IndexUnavailable()) : thread[name],
    });
    changes = indexChanges(index, optionsOf(rig));
    changes.onQuery();
    await until(() => (['identities', 'sessions', 'clients'] as const).every((kind) => changes.state(kind).fullAt));
  });
  afterEach(() => changes.stop());

  const note = (method: string, path: string, status = 200): void =>
    changes.written(write(method, `${STORE}/${path}`, status));
  async function apply(method: string, path: string, status?: number): Promise<void> {
    note(method, path, status);
    await changes.settled();
  }
  const find = (text: string): Promise<string[]> => rig.index.identityIds({ words: searchTerms(text) }, 1_000);
  const sessionCount = async (): Promise<number> => (await rig.index.sizes()).sessions;

  it('removes deleted people and their sessions without a request to Kratos, even while they are being read again', async () => {
    await apply('DELETE', `identities/${idOf(1)}`, 204);
    assert.deepEqual(await find('person1@'), []);
    assert.equal(await sessionCount(), 2);
    assert.deepEqual(rig.refreshes, []);
    rig.onById = () => note('DELETE', `identities/${idOf(2)}`, 204);
    await apply('PUT', `identities/${idOf(2)}`);
    assert.deepEqual(await find('person2@'), []);
  });

  it('brings the next full sync forward if a person could not be removed', async () => {
    canRemove = false;
    rig.lists.identities.shift();
    await apply('DELETE', `identities/${idOf(0)}`, 204);
    assert.deepEqual(await find('person0@'), [idOf(0)]);
    canRemove = true;
    rig.clock += 61_000;
    changes.onQuery();
    await until(async () => (await find('person0@')).length === 0);
  });

  it('marks a deleted session as ended, removes all sessions of a person, and reads an extended session again', async () => {
    const active = async (): Promise<number> => (await rig.index.numbers(START)).sessions.active;
    await apply('DELETE', `sessions/${idOf(1, '5e55')}`, 204);
    assert.deepEqual([await active(), await sessionCount()], [2, 3]);
    await apply('DELETE', `identities/${idOf(2)}/sessions`, 204);
    assert.deepEqual([await active(), await sessionCount()], [1, 2]);
    assert.deepEqual(rig.refreshes, []);
    rig.lists.sessions[2] = session(3, { active: false });
    await apply('PATCH', `sessions/${idOf(3, '5e55')}/extend`);
    assert.equal(await active(), 0);
    rig.lists.sessions.pop();
    await apply('PATCH', `sessions/${idOf(3, '5e55')}/extend`);
    assert.equal(await sessionCount(), 1);
  });
});
