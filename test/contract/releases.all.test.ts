import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { earlierRelease } from '../support/earlier-release.ts';
import { freePort } from '../support/free-port.ts';
import { issuedSession } from '../support/issued-session.ts';
import { ask, head } from '../support/raw-client.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { assertTrailIsWhole, recordsOf } from '../support/vault.ts';

const LANES = 3;

const runbook = readFileSync(fileURLToPath(new URL('../../docs/runbook.md', import.meta.url)), 'utf8');
const [, wayBack = ''] = /```sql\n(delete from knex_migrations .*);\n```/.exec(runbook) ?? [];

describeOnDatabases('replicas of 0.1.0 and of this release on one database', (databases) => {
  const admin = issuedSession();
  let url: string;
  let started: ServiceProcess[] = [];
  let release: string[];
  before(() => {
    release = earlierRelease();
  });
  beforeEach(async () => {
    url = await databases.create();
    started = [];
  });
  afterEach(() => Promise.all(started.map((each) => each.close())));

  async function start(program?: readonly string[]): Promise<ServiceProcess> {
    const service = await startServiceProcess({ DATABASE_URL: url }, program === undefined ? {} : { program });
    started.push(service);
    return service;
  }
  const startOld = (): Promise<ServiceProcess> => start(release);

  const post = (path: string, cookie: string, body?: object): string => {
    const text = body === undefined ? '' : JSON.stringify(body);
    return head(`POST ${path}`, [cookie, 'Content-Type: application/json', `Content-Length: ${text.length}`]) + text;
  };
  const statusAt = async (port: number, cookie: string): Promise<number> =>
    (await ask(port, head('GET /api/auth/session', [cookie]))).status;
  const write = async (port: number, key: string): Promise<number> =>
    (await ask(port, post('/api/settings', admin.cookie, { key, value: `value of ${key}` }))).status;
  const valueAt = async (port: number, key: string): Promise<unknown> =>
    JSON.parse(String((await ask(port, head(`GET /api/settings/${key}`, [admin.cookie]))).body)).value;

  it('take turns: what is stored by one is there for the other', async function () {
    this.timeout(60_000);
    const database = databases.open(url);
    const turns = [release, undefined, release, undefined];
    for (const [turn, program] of turns.entries()) {
      if (turn === 2) {
        await assert.rejects(start(program), /migration directory is corrupt/);
        await database.knex.raw(wayBack);
      }
      const service = await start(program);
      assert.equal(await write(service.port, `turn.${turn}`), 201);
      for (let earlier = 0; earlier <= turn; earlier += 1)
        assert.equal(await valueAt(service.port, `turn.${earlier}`), `value of turn.${earlier}`);
      assert.equal(await service.running.stop('SIGTERM'), 0);
    }
    await assertTrailIsWhole(database);
  });

  it('drop no request while one after another is replaced', async function () {
    this.timeout(120_000);
    const old = [await startOld(), await startOld()];
    const balancer: Balancer = await startBalancer(
      await freePort(),
      old.map(({ port }) => port),
    );
    const refused: string[] = [];
    const acknowledged: string[] = [];
    let over = false;
    async function use(lane: number): Promise<void> {
      for (let number = 0; !over; number += 1) {
        const key = `${lane}.${number}`;
        const status = await write(balancer.port, key);
        if (status === 201) acknowledged.push(key);
        else refused.push(`${status} ${key}`);
        const read = await statusAt(balancer.port, admin.cookie);
        if (read !== 200) refused.push(`${read} session`);
      }
    }
    const using = Array.from({ length: LANES }, (_, lane) => use(lane));
    const some = async (): Promise<void> => {
      const before = acknowledged.length;
      while (acknowledged.length < before + 20) await sleep(5);
    };
    try {
      await some();
      // In the end one of this release by another.
      for (const replaced of [0, 1, 2]) {
        const each = started[replaced] as ServiceProcess;
        balancer.replicas = [...balancer.replicas, (await start()).port];
        await some();
        assert.equal(await each.running.stop('SIGTERM'), 0);
        balancer.replicas = balancer.replicas.filter((port) => port !== each.port);
        await some();
      }
    } finally {
      over = true;
      await Promise.all(using);
      await balancer.close();
    }
    assert.deepEqual(refused, []);
    const database = databases.open(url);
    const written = (await recordsOf(database)).filter(({ action }) => action === 'setting_write');
    assert.deepEqual(written.map(({ target }) => target).sort(), acknowledged.sort());
    await assertTrailIsWhole(database);
  });
});
