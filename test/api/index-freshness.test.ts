import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';
import type { GivenAnswer, SeenRequest } from '../support/faulting-upstream.ts';
import { indexIsRead } from '../support/index-is-read.ts';
import { identity, idOf } from '../support/index-rig.ts';
import { listedPage } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';
import { type Replica, replicaOf } from '../support/replica.ts';

const STORE = '/api/identity-admin/admin';

describe('the index after a write', () => {
  let mapped: MappedDashboard;
  let people = Array.from({ length: 60 }, (_, number) => identity(number));
  let replica: Replica | undefined;

  before(async () => {
    mapped = await startMappedDashboard();
    mapped.identityAdmin.before = (seen) => {
      if (seen.method !== 'GET') return written(seen);
      const url = new URL(seen.path, 'http://store');
      if (url.pathname !== '/admin/identities') return undefined;
      const ids = url.searchParams.getAll('ids');
      return listedPage(seen, ids.length > 0 ? people.filter(({ id }) => ids.includes(id)) : people);
    };
  });
  after(async () => {
    await replica?.close();
    await mapped.close();
  });

  function written({ method }: SeenRequest): GivenAnswer {
    if (method === 'DELETE') {
      people = people.filter(({ id }) => id !== idOf(6));
      return { status: 204 };
    }
    if (method === 'PUT') {
      people[4] = identity(4, { traits: { email: 'renamed@example.org' } });
      return { status: 200, body: '{}' };
    }
    people.push(identity(500, { traits: { email: 'created@example.org' } }));
    return { status: 201, headers: { Location: `/admin/identities/${idOf(500)}` }, body: '{}' };
  }
  async function counted(q: string): Promise<number> {
    const response = await replica?.call(`/api/identities/search/count?q=${q}`, { session: mapped.sessions.admin });
    assert.equal(response?.status, 200);
    return ((await response.json()) as { count: number }).count;
  }
  const write = (method: string, path: string, json?: object): Promise<Response> =>
    mapped.dashboard.call(path, { session: mapped.sessions.admin, method, json });

  it('learns in another replica’s records what was written, deleted and created there', async () => {
    await indexIsRead(mapped.dashboard, mapped.sessions.admin);
    replica = await replicaOf(mapped.dashboard);
    await becomes(() => counted('person').catch(() => 0), 60, undefined, 60_000);
    await write('PUT', `${STORE}/identities/${idOf(4)}`, {});
    await write('DELETE', `${STORE}/identities/${idOf(6)}`);
    await write('POST', `${STORE}/identities`, {});
    await becomes(() => counted('renamed'), 1);
    await becomes(() => counted('person6@'), 0);
    await becomes(() => counted('created'), 1);
  });
});
