import assert from 'node:assert/strict';
import type { IdentitySearchPage } from '../../shared/identity-search.ts';
import { becomes, until } from '../support/becomes.ts';
import type { GivenAnswer, SeenRequest } from '../support/faulting-upstream.ts';
import { identity, idOf } from '../support/index-rig.ts';
import { listedPage, listedSession } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';
import { type Replica, replicaOf } from '../support/replica.ts';

const STORE = '/api/identity-admin/admin';
type Person = ReturnType<typeof identity>;

describe('the index after a write', () => {
  let mapped: MappedDashboard;
  let people: Person[];
  let sessions: Record<string, unknown>[];
  /** What the store answers to what is no GET. */
  let onWrite: (seen: SeenRequest) => GivenAnswer;
  let replica: Replica | undefined;

  before(async () => {
    mapped = await startMappedDashboard();
  });
  beforeEach(async () => {
    await mapped.restart();
    people = Array.from({ length: 60 }, (_, number) => identity(number));
    sessions = Array.from({ length: 5 }, (_, number) => listedSession(number));
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
    if (url.pathname === '/admin/sessions') return listedPage(seen, sessions);
    if (url.pathname !== '/admin/identities') return undefined;
    const identifier = url.searchParams.get('credentials_identifier');
    if (identifier !== null)
      return listedPage(
        seen,
        people.filter(({ traits }) => traits.email === identifier),
      );
    const ids = url.searchParams.getAll('ids');
    return listedPage(seen, ids.length > 0 ? people.filter(({ id }) => ids.includes(id)) : people);
  }

  const get = async <T>(path: string, at: { call: Replica['call'] } = mapped.dashboard): Promise<T> => {
    const response = await at.call(path, { session: mapped.sessions.admin });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as T;
  };
  const found = async (q: string, at?: { call: Replica['call'] }): Promise<string[]> =>
    (await get<IdentitySearchPage>(`/api/identities/search?q=${q}`, at)).identities.map(({ id }) => id);
  const counted = async (q: string, at?: { call: Replica['call'] }): Promise<number> =>
    (await get<{ count: number }>(`/api/identities/search/count?q=${q}`, at)).count;
  const write = (method: string, path: string, json: object = {}): Promise<Response> =>
    mapped.dashboard.call(path, { session: mapped.sessions.admin, method, ...(method !== 'DELETE' && { json }) });
  /** How often the store was asked for these people alone. */
  const rereadings = (): number => mapped.identityAdmin.seen.filter(({ path }) => path.includes('ids=')).length;

  it('no longer holds who was deleted, in the very next answer, without asking the store', async () => {
    assert.equal((await found('person')).length, 25);
    onWrite = () => ({ status: 204 });
    mapped.identityAdmin.seen = [];
    assert.equal((await write('DELETE', `${STORE}/identities/${idOf(6)}`)).status, 204);
    assert.equal(await counted('person6@'), 0);
    assert.equal(await counted('person'), 59);
    assert.equal(rereadings(), 0);
  });

  it('holds who was created in the very next answer', async () => {
    await found('person');
    onWrite = () => {
      people.push(identity(500, { traits: { email: 'created@example.org' } }));
      return { status: 201, headers: { Location: `/admin/identities/${idOf(500)}` }, body: '{}' };
    };
    assert.equal((await write('POST', `${STORE}/identities`)).status, 201);
    assert.deepEqual(await found('created'), [idOf(500)]);
    assert.equal(await counted('created'), 1);
  });

  it('keeps who could not be deleted', async () => {
    await found('person');
    onWrite = () => ({ status: 409, body: '{}' });
    assert.equal((await write('DELETE', `${STORE}/identities/${idOf(6)}`)).status, 409);
    assert.equal(await counted('person6@'), 1);
  });

  describe('of a batch', () => {
    const created = (numbers: readonly number[]): object[] =>
      numbers.map((number) => ({ action: 'create', identity: idOf(number), patch_id: idOf(number, '9a7c') }));
    const create = (numbers: readonly number[]): void => {
      for (const number of numbers) people.push(identity(number, { traits: { email: `batch${number}@example.org` } }));
    };
    it('reads the ids in its answer as they pass, and leaves the answer as it is', async () => {
      await found('person');
      const numbers = Array.from({ length: 240 }, (_, number) => 1_000 + number);
      const body = JSON.stringify({
        identities: [
          ...created(numbers),
          null,
          { action: 'error', error: { code: 409 } },
          { action: 'create', identity: identity(2_000) },
        ],
      });
      onWrite = () => {
        create([...numbers, 2_000]);
        return { status: 200, body };
      };
      mapped.identityAdmin.seen = [];
      assert.equal(await (await write('PATCH', `${STORE}/identities`)).text(), body);
      await becomes(() => counted('batch'), 241);
      assert.equal(rereadings(), 3);
    });
  });

  it('does not bring back who is deleted while they are read again', async () => {
    await found('person');
    let reached: () => void = () => {};
    let go: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    mapped.identityAdmin.before = async (seen) => {
      const given = answer(seen);
      if (seen.method !== 'GET' || !seen.path.includes(`ids=${idOf(6)}`)) return given;
      reached();
      await gate;
      return given;
    };
    onWrite = ({ method }) => ({ status: method === 'DELETE' ? 204 : 200, body: method === 'DELETE' ? '' : '{}' });
    await write('PUT', `${STORE}/identities/${idOf(6)}`);
    await asked;
    await write('DELETE', `${STORE}/identities/${idOf(6)}`);
    go();
    await until(() => mapped.identityAdmin.seen.length > 0);
    assert.equal(await counted('person6@'), 0);
  });

  it('knows at once that somebody’s sessions are gone', async () => {
    await found('person');
    const without = async (): Promise<number> =>
      (await get<{ count: number }>('/api/identities/search/count?no_session=true')).count;
    await becomes(without, 55);
    onWrite = () => ({ status: 204 });
    await write('DELETE', `${STORE}/identities/${idOf(2)}/sessions`);
    assert.equal(await without(), 56);
    await write('DELETE', `${STORE}/sessions/${String(sessions[3]?.['id'])}`);
    assert.equal(await without(), 56, 'who signed out was there nevertheless');
  });

  it('learns in another replica’s records what was written, deleted and created there', async () => {
    await found('person');
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
    assert.ok(rereadings() <= 4, 'each replica asks for each of them once at most');
  });
});
