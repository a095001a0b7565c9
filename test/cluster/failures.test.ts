import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeOnCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { head, type RawResponse, sendRaw } from '../support/raw-client.ts';
import { issuedSession, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { recordsOf } from '../support/vault.ts';

/** For what an operator would wait: a node is given up after five seconds without a sign of life. */
const PATIENCE_MS = 20_000;
const FROZEN_MS = 30_000;
/** Nodes that are started again take as long as they need. */
const STARTS_MS = 400_000;

describeOnCluster('replicas on the nodes of a cluster that fail', (cluster) => {
  const admin = issuedSession();
  let replicas: ServiceProcess[] = [];
  /** Keys whose writing was answered with 201. */
  let acknowledged: string[] = [];
  /** Answers that are neither 201 nor 503. */
  let unexpected: string[] = [];
  /** How many writes each replica has acknowledged. */
  let counts: number[] = [];
  /** Whether a replica writes nothing at the moment. */
  let rests = (_index: number): boolean => false;
  let over = false;
  let writing: Promise<void>[] = [];

  const start = (index: number): Promise<ServiceProcess> =>
    startServiceProcess({ DATABASE_URL: cluster.urls()[index] ?? '' });

  beforeEach(async function () {
    this.timeout(STARTS_MS);
    [acknowledged, unexpected, counts, over] = [[], [], [0, 0, 0], false];
    // At once, on an empty database.
    replicas = await Promise.all([0, 1, 2].map(start));
    writing = replicas.map((_, index) => write(index));
    await goesOn(0, 1, 2);
  });
  afterEach(async () => {
    over = true;
    await Promise.all(writing);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  const json = (line: string, body: object): string => {
    const text = JSON.stringify(body);
    return head(line, [admin.cookie, 'Content-Type: application/json', `Content-Length: ${text.length}`]) + text;
  };
  /** Undefined if the replica is dead, or died before it answered. */
  const asked = (index: number, text: string): Promise<RawResponse | undefined> =>
    sendRaw(replicas[index]?.port ?? 0, text).then(
      (response) => (response.complete ? response : undefined),
      () => undefined,
    );

  async function write(index: number): Promise<void> {
    for (let number = 0; !over; number += 1) {
      while (rests(index) && !over) await sleep(50);
      const key = `${index}.${number}`;
      const response = await asked(index, json('POST /api/settings', { key, value: `value of ${key}` }));
      if (response?.status === 201) {
        acknowledged.push(key);
        counts[index] = (counts[index] ?? 0) + 1;
      } else {
        if (response !== undefined && response.status !== 503) unexpected.push(`${response.line} ${response.body}`);
        await sleep(50);
      }
    }
  }
  /**
   * Waits until each of these replicas has written something more. One that has then leaves room for the others, which
   * could lose to it for as long as it went on.
   */
  async function goesOn(...indexes: number[]): Promise<void> {
    const before = [...counts];
    rests = (index) => (counts[index] ?? 0) > (before[index] ?? 0) + 3;
    await eventually(() => indexes.every(rests), true, `writes through ${indexes}`, PATIENCE_MS);
    rests = () => false;
  }

  const statusOf = async (index: number, cookie: string): Promise<number | undefined> =>
    (await asked(index, head('GET /api/auth/session', [cookie])))?.status;

  /** Signs somebody out at one replica: the others know soon. */
  async function assertSignOutReaches(from: number, ...others: number[]): Promise<void> {
    rests = () => true;
    const { cookie } = issuedSession();
    for (const index of [from, ...others]) assert.equal(await statusOf(index, cookie), 200);
    assert.equal((await asked(from, head('POST /api/auth/logout', [cookie])))?.status, 204);
    for (const index of [from, ...others])
      await eventually(() => statusOf(index, cookie), 401, `signed out at ${index}`, PATIENCE_MS);
    rests = () => false;
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
      const written = (await recordsOf(database)).filter(({ action }) => action === 'setting_write');
      assert.deepEqual(written.map(({ target }) => target).sort(), stored.sort());
    }
    await cluster.assertTrailIsWhole();
  }

  it('lose nothing when a node is killed, and use it again', async function () {
    this.timeout(STARTS_MS);
    cluster.node(1).signal('SIGKILL');
    await cluster.node(1).ended();
    await goesOn(0, 2);
    await assertSignOutReaches(0, 2);
    await cluster.node(1).start();
    await goesOn(0, 1, 2);
    await assertSignOutReaches(1, 0, 2);
    await assertNothingIsLost();
  });

  it('lose nothing when a node freezes', async function () {
    this.timeout(STARTS_MS);
    await cluster.node(2).freeze();
    const frozen = sleep(FROZEN_MS);
    await goesOn(0, 1);
    await assertSignOutReaches(1, 0);
    await frozen;
    cluster.node(2).signal('SIGCONT');
    await cluster.node(2).synced();
    await goesOn(0, 1, 2);
    await assertSignOutReaches(0, 1, 2);
    await assertNothingIsLost();
  });

  it('answer 503 when the majority is lost, and write again when it is back', async function () {
    this.timeout(STARTS_MS);
    for (const index of [1, 2]) cluster.node(index).signal('SIGKILL');
    for (const index of [1, 2]) await cluster.node(index).ended();
    const list = async (): Promise<number | undefined> =>
      (await asked(0, head('GET /api/settings', [admin.cookie])))?.status;
    await eventually(list, 503, undefined, PATIENCE_MS);
    assert.equal(await statusOf(0, admin.cookie), 200);
    assert.equal((await replicas[0]?.get('/api/health?probe=live'))?.status, 200);
    await eventually(() => replicas[0]?.isHealthy(), false, undefined, PATIENCE_MS);
    await Promise.all([1, 2].map((index) => cluster.node(index).start()));
    await goesOn(0, 1, 2);
    await assertNothingIsLost();
  });
});
