import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';
import type { GivenAnswer, SeenRequest } from '../support/faulting-upstream.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { identity, idOf } from '../support/index-rig.ts';
import { listedPage } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';
import { type Replica, replicaOf } from '../support/replica.ts';

const STORE = '/api/identity-admin/admin';
type Person = ReturnType<typeof identity>;

describe('the index after a write', () => {
  let mapped: MappedDashboard;
  let people: Person[];
  /** What the store answers to what is no GET. */
  let onWrite: (seen: SeenRequest) => GivenAnswer;
  let replica: Replica | undefined;

  before(async () => {
    mapped = await startMappedDashboard();
  });
  beforeEach(async () => {
    await mapped.restart();
    people = Array.from({ length: 60 }, (_, number) => identity(number));
    onWrite = () => ({ status: 500, body: '{}' });
    mapped.identityAdmin.before = answer;
  });
  afterEach(async () => {
    await replica?.close();
    replica = undefined;
  });
  after(() => mapped.close());

  function answer(seen: SeenRequest): GivenAnswer | undefined {
    if (seen.method !== 'GET') return onWrite(seen);
    const url = new URL(seen.path, 'http://store');
    if (url.pathname !== '/admin/identities') return undefined;
    const ids = url.searchParams.getAll('ids');
    return listedPage(seen, ids.length > 0 ? people.filter(({ id }) => ids.includes(id)) : people);
  }

  const get = async <T>(path: string, at: { call: Replica['call'] } = mapped.dashboard): Promise<T> => {
    const response = await at.call(path, { session: mapped.sessions.admin });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as T;
  };
  const counted = async (q: string, at?: { call: Replica['call'] }): Promise<number> =>
    (await get<{ count: number }>(`/api/identities/search/count?q=${q}`, at)).count;
  const write = (method: string, path: string, json: object = {}): Promise<Response> =>
    mapped.dashboard.call(path, { session: mapped.sessions.admin, method, ...(method !== 'DELETE' && { json }) });
  /** How often the store was asked for these people alone. */
  const readsById = (): number => mapped.identityAdmin.seen.filter(({ path }) => path.includes('ids=')).length;

  it('learns in another replica’s records what was written, deleted and created there', async () => {
    await indexIsRead(mapped.dashboard, mapped.sessions.admin);
    replica = await replicaOf(mapped.dashboard);
    await becomes(() => counted('person', replica).catch(() => 0), 60, undefined, 60_000);
    onWrite = ({ method }) => {
      if (method === 'DELETE') people = people.filter(({ id }) => id !== idOf(6));
      if (method === 'PUT') people[4] = identity(4, { traits: { email: 'renamed@example.org' } });
      if (method === 'DELETE') return { status: 204 };
      if (method === 'PUT') return { status: 200, body: '{}' };
      people.push(identity(500, { traits: { email: 'created@example.org' } }));
      return { status: 201, headers: { Location: `/admin/identities/${idOf(500)}` }, body: '{}' };
    };
    mapped.identityAdmin.seen = [];
    await write('PUT', `${STORE}/identities/${idOf(4)}`);
    await write('DELETE', `${STORE}/identities/${idOf(6)}`);
    await write('POST', `${STORE}/identities`);
    await becomes(() => counted('renamed', replica), 1);
    await becomes(() => counted('person6@', replica), 0);
    await becomes(() => counted('created', replica), 1);
    assert.ok(readsById() <= 4, 'each replica asks for each of them once at most');
  });
});
