import assert from 'node:assert/strict';
import { subjectOf } from '../../server/audit/audit-subject.ts';
import type { Database } from '../../server/db/database.ts';
import { type IndexUpkeep, indexUpkeep } from '../../server/identity-index/index-upkeep.ts';
import type { Kind } from '../../server/identity-index/sources.ts';
import { UpstreamFailure } from '../../server/upstream/upstream-failure.ts';
import { until } from '../support/becomes.ts';
import { DAY, type IndexRig, identity, idOf, indexRig, session } from '../support/index-rig.ts';
import { silentLog } from '../support/silent-log.ts';

const ADMIN = '/api/identity-admin/admin';

describe('the index, after a write through the service', () => {
  let rig: IndexRig;
  let upkeep: IndexUpkeep;
  let clock: number;
  let failing: boolean;
  let asked: { kind: Kind; ids: readonly string[] }[];
  /** Called when rows are asked for by id, once they have been read and before they arrive. */
  let onById: () => unknown;
  let pages: Record<Kind, number>;

  beforeEach(async () => {
    rig = indexRig();
    [clock, failing, asked, onById, pages] = [0, false, [], () => {}, { people: 0, sessions: 0, clients: 0 }];
    rig.lists.people = Array.from({ length: 300 }, (_, number) => identity(number));
    rig.lists.sessions = [session(1), session(2), session(3)];
    rig.lists.clients = [{ client_id: 'shop:1', client_name: 'Shop' }];
    const keyOf = (row: unknown): string => {
      const { id, client_id } = row as { id?: string; client_id?: string };
      return id ?? client_id ?? '';
    };
    upkeep = indexUpkeep(rig.index, {
      // Of the database only the lease is used, and nobody else wants it.
      database: { client: 'sqlite', transaction: async () => true } as unknown as Database,
      sources: {
        async page(kind) {
          pages[kind] += 1;
          const text = JSON.stringify(rig.lists[kind]);
          return { text, bytes: text.length, nextPageToken: undefined };
        },
        async byId(kind, ids) {
          asked.push({ kind, ids });
          const text = JSON.stringify(rig.lists[kind].filter((row) => ids.includes(keyOf(row))));
          await onById();
          if (failing) throw new UpstreamFailure('unreachable');
          return text;
        },
        placesOf: async (addresses) => addresses.map(() => undefined),
      },
      onChange: () => {},
      trail: { head: async () => 0, after: async () => [] },
      store: 'identity-admin',
      now: () => DAY + clock,
      monotonic: () => clock,
      log: silentLog,
    });
    upkeep.asked();
    await until(() => (['people', 'sessions', 'clients'] as const).every((kind) => upkeep.state(kind).wholeAt));
  });
  afterEach(() => upkeep.stop());

  function note(method: string, target: string, status: number): void {
    const event = { action: 'proxy_write' as const, actor: '', target, details: { method, status } };
    upkeep.noted({ ...event, subject: subjectOf(event) });
  }
  async function wrote(method: string, target: string, status = 200): Promise<void> {
    note(method, target, status);
    await upkeep.settled();
  }
  const found = async (text: string): Promise<string[]> => (await rig.index.ids({ text }, 1_000)) as string[];
  const sizes = () => rig.index.sizes();
  const change = (kind: Kind, at: number, row: unknown): void => void rig.lists[kind].splice(at, 1, row);

  it('holds people as the store has them now, or no more', async () => {
    change('people', 7, identity(7, { traits: { email: 'renamed@example.org' } }));
    await wrote('PUT', `${ADMIN}/identities/${idOf(7)}`);
    assert.deepEqual(await found('renamed'), [idOf(7)]);
    assert.deepEqual(await found('person7@'), []);
    rig.lists.people.splice(8, 1);
    await wrote('PATCH', `${ADMIN}/identities/${idOf(8)}`, 404);
    assert.deepEqual(await found('person8@'), []);
  });

  it('asks for many in calls of a hundred, one after the other, and for each once', async () => {
    upkeep.batchWritten(Array.from({ length: 250 }, (_, number) => idOf(number)));
    upkeep.batchWritten([idOf(249), idOf(250)]);
    await upkeep.settled();
    assert.deepEqual(
      asked.map(({ ids }) => ids.length),
      [100, 100, 51],
    );
  });

  it('forgets who was deleted, with their sessions, without asking, also while they are read again', async () => {
    await wrote('DELETE', `${ADMIN}/identities/${idOf(1)}`, 204);
    assert.deepEqual(await found('person1@'), []);
    assert.equal((await sizes()).sessions, 2);
    assert.deepEqual(asked, []);
    onById = () => note('DELETE', `${ADMIN}/identities/${idOf(2)}`, 204);
    await wrote('PUT', `${ADMIN}/identities/${idOf(2)}`);
    assert.deepEqual(await found('person2@'), []);
  });

  it('ends a session, forgets those of a person, and reads one that was changed', async () => {
    const active = async (): Promise<number> => (await rig.index.numbers(DAY)).sessions.active;
    await wrote('DELETE', `${ADMIN}/sessions/${idOf(1, '5e55')}`, 204);
    assert.deepEqual([await active(), (await sizes()).sessions], [2, 3]);
    await wrote('DELETE', `${ADMIN}/identities/${idOf(2)}/sessions`, 204);
    assert.deepEqual([await active(), (await sizes()).sessions], [1, 2]);
    assert.deepEqual(asked, []);
    change('sessions', 2, session(3, { active: false }));
    await wrote('PATCH', `${ADMIN}/sessions/${idOf(3, '5e55')}/extend`);
    assert.equal(await active(), 0);
    rig.lists.sessions.pop();
    await wrote('PATCH', `${ADMIN}/sessions/${idOf(3, '5e55')}/extend`);
    assert.equal((await sizes()).sessions, 1);
  });

  it('holds clients as they are now, or no more', async () => {
    const clients = async (text: string) => (await rig.index.findClients(text, 10)).ids;
    change('clients', 0, { client_id: 'shop:1', client_name: 'Bakery' });
    await wrote('PATCH', '/api/oauth-admin/admin/clients/shop%3A1');
    assert.deepEqual([await clients('bakery'), await clients('Shop')], [['shop:1'], ['shop:1']]);
    await wrote('DELETE', '/api/oauth-admin/admin/clients/shop%3A1', 204);
    assert.deepEqual(await clients('bakery'), []);
    assert.deepEqual(
      asked.map(({ kind, ids }) => [kind, ...ids]),
      [['clients', 'shop:1']],
    );
  });

  it('brings the next pass forward where it cannot ask, does not know whom to ask for, or would have to ask for too many', async () => {
    for (const write of [
      async () => {
        failing = true;
        await wrote('PUT', `${ADMIN}/identities/${idOf(7)}`);
      },
      async () => upkeep.batchWritten(undefined),
      async () => wrote('PATCH', `${ADMIN}/identities`, 504),
      async () => upkeep.batchWritten(Array.from({ length: 10_001 }, (_, number) => idOf(number))),
    ]) {
      const before = pages.people;
      await write();
      failing = false;
      assert.ok(upkeep.state('people').dueAt <= clock + 60_000);
      clock += 61_000;
      upkeep.asked();
      await until(() => pages.people === before + 1 && upkeep.state('people').dueAt > clock + 60_000);
    }
  });
});
