import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditRecords } from '../support/audit-trail.ts';
import { describeOnCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { issueSession, type ServiceProcess, startServiceProcess } from '../support/processes.ts';
import { type RawResponse, requestHead, sendRaw } from '../support/raw-client.ts';

/** The cluster drops a node that has been silent for five seconds. */
const TIMEOUT_MS = 20_000;
const FROZEN_MS = 30_000;

describeOnCluster('replicas on different nodes of a cluster under load', (cluster) => {
  const admin = issueSession();
  let replicas: ServiceProcess[] = [];
  /** Keys whose writes got 201. */
  let acknowledged: string[] = [];
  /** Responses with neither 201 nor 503. */
  let unexpected: string[] = [];
  /** How many writes each replica has acknowledged. */
  let counts: number[] = [];
  /** Whether the writes through a replica are paused. */
  let isPaused = (_index: number): boolean => false;
  let over = false;
  let writing: Promise<void>[] = [];

  const start = (index: number): Promise<ServiceProcess> =>
    startServiceProcess({ DATABASE_URL: cluster.urls()[index] ?? '' });

  beforeEach(async () => {
    [acknowledged, unexpected, counts, over] = [[], [], [0, 0, 0], false];
    // All of them start at the same time on an empty database.
    replicas = await Promise.all([0, 1, 2].map(start));
    writing = replicas.map((_, index) => write(index));
    await untilWritten(0, 1, 2);
  });
  afterEach(async () => {
    over = true;
    await Promise.all(writing);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  /** @returns undefined without a complete response */
  const send = (index: number, text: string): Promise<RawResponse | undefined> =>
    sendRaw(replicas[index]?.port ?? 0, text).then(
      (response) => (response.complete ? response : undefined),
      () => undefined,
    );

  async function write(index: number): Promise<void> {
    for (let number = 0; !over; number += 1) {
      while (isPaused(index) && !over) await sleep(50);
      const key = `${index}.${number}`;
      const body = JSON.stringify({ key, value: `value of ${key}` });
      const headers = [admin.cookie, 'Content-Type: application/json', `Content-Length: ${body.length}`];
      const response = await send(index, requestHead('POST /api/settings', headers) + body);
      if (response?.status === 201) {
        acknowledged.push(key);
        counts[index] = (counts[index] ?? 0) + 1;
      } else {
        if (response !== undefined && response.status !== 503) unexpected.push(`${response.line} ${response.body}`);
        await sleep(50);
      }
    }
  }
  /** Waits for writes through each of these replicas. Those that succeeded pause, so that others do not lose to them. */
  async function untilWritten(...indexes: number[]): Promise<void> {
    const before = [...counts];
    isPaused = (index) => (counts[index] ?? 0) > (before[index] ?? 0) + 3;
    await eventually(() => indexes.every(isPaused), true, `writes through ${indexes}`, TIMEOUT_MS);
    isPaused = () => false;
  }

  const statusOf = async (index: number, cookie: string): Promise<number | undefined> =>
    (await send(index, requestHead('GET /api/auth/session', [cookie])))?.status;

  async function assertSignOutReaches(from: number, ...others: number[]): Promise<void> {
    isPaused = () => true;
    const { cookie } = issueSession();
    for (const index of [from, ...others]) assert.equal(await statusOf(index, cookie), 200);
    assert.equal((await send(from, requestHead('POST /api/auth/logout', [cookie])))?.status, 204);
    for (const index of [from, ...others])
      await eventually(() => statusOf(index, cookie), 401, `signed out at ${index}`, TIMEOUT_MS);
    isPaused = () => false;
  }

  async function assertNothingIsLost(): Promise<void> {
    over = true;
    await Promise.all(writing);
    assert.deepEqual(unexpected, []);
    for (const index of [0, 1, 2]) {
      await cluster.node(index).synced();
      const database = cluster.open(index);
      const stored: string[] = await database.knex('settings').pluck('key');
      const keys = new Set(stored);
      assert.deepEqual(
        acknowledged.filter((key) => !keys.has(key)),
        [],
      );
      const written = (await auditRecords(database)).filter(({ action }) => action === 'setting_write');
      assert.deepEqual(written.map(({ target }) => target).sort(), stored.sort());
    }
    await cluster.assertTrailIsIntact();
  }

  it('lose no write when a node is killed, and use the node again once it is back', async () => {
    cluster.node(1).signal('SIGKILL');
    await cluster.node(1).ended();
    await untilWritten(0, 2);
    await assertSignOutReaches(0, 2);
    await cluster.node(1).start();
    await untilWritten(0, 1, 2);
    await assertSignOutReaches(1, 0, 2);
    await assertNothingIsLost();
  });

  it('lose no write when a node freezes, and use the node again once it continues', async () => {
    await cluster.node(2).freeze();
    const frozen = sleep(FROZEN_MS);
    await untilWritten(0, 1);
    await assertSignOutReaches(1, 0);
    await frozen;
    cluster.node(2).signal('SIGCONT');
    await cluster.node(2).synced();
    await untilWritten(0, 1, 2);
    await assertSignOutReaches(0, 1, 2);
    await assertNothingIsLost();
  });

  it('respond 503 without a majority of nodes, and have lost no write once there is a majority again', async () => {
    for (const index of [1, 2]) cluster.node(index).signal('SIGKILL');
    for (const index of [1, 2]) await cluster.node(index).ended();
    const list = async (): Promise<number | undefined> =>
      (await send(0, requestHead('GET /api/settings', [admin.cookie])))?.status;
    await eventually(list, 503, undefined, TIMEOUT_MS);
    assert.equal(await statusOf(0, admin.cookie), 200);
    assert.equal((await replicas[0]?.get('/api/health?probe=live'))?.status, 200);
    await eventually(() => replicas[0]?.isHealthy(), false, undefined, TIMEOUT_MS);
    await Promise.all([1, 2].map((index) => cluster.node(index).start()));
    await untilWritten(0, 1, 2);
    await assertNothingIsLost();
  });
});
