import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addressesOf,
  attack,
  callers,
  HOLDS,
  type Hold,
  largeOrSmall,
  openSockets,
  residentMb,
} from '../support/process-usage.ts';
import { type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const ATTACKER = '127.0.0.66';
const OTHERS = addressesOf(20);
const GROWN_MB = 150;

describe('an attacker beside 20 other callers', () => {
  let upstream: RawUpstream;
  let service: ServiceProcess;
  let resting: number;
  let attacks: (() => void)[];

  before(async () => {
    upstream = await startRawUpstream(largeOrSmall, { keepBodies: false });
    // On a busy machine, the others may have to wait for their turn.
    service = await startServiceProcess({ IDENTITY_URL: upstream.url, PROXY_TIMEOUT_MS: '30000' });
    resting = openSockets(service.running.pid);
  });
  beforeEach(() => {
    attacks = [];
  });
  afterEach(async () => {
    for (const end of attacks) end();
    while (openSockets(service.running.pid) > resting) await sleep(50);
  });
  after(async () => {
    await service.close();
    await upstream.close();
  });

  const hold = async (how: Hold, connections: number, from = ATTACKER): Promise<void> => {
    attacks.push(await attack(how, { port: service.port, from, connections }));
  };
  async function assertAllServed(): Promise<void> {
    const { port } = service;
    const { milliseconds, failures } = await callers(
      { port, path: '/api/identity/y', addresses: OTHERS },
      (done) => done < 3,
    );
    assert.deepEqual(failures, []);
    assert.equal(milliseconds.length, 60);
  }

  it('1,200 connections that are silent, dribble, idle or do not read: all are served', async () => {
    for (const how of Object.keys(HOLDS) as Hold[]) await hold(how, 200);
    while (upstream.open() < 128) await sleep(10);
    while (openSockets(service.running.pid) < 1_200) await sleep(50);
    await assertAllServed();
    assert.ok(await service.isHealthy());
  });

  it('140 answers of a gigabyte that are never read: all are served, in bounded memory', async () => {
    const before = residentMb(service.running.pid);
    const assertBounded = (): void => {
      const grown = residentMb(service.running.pid) - before;
      assert.ok(grown < GROWN_MB, `${grown} MB`);
    };
    await hold('answers never read', 140);
    // Fails if the service reads everything it is sent and has no time left for others.
    while (upstream.open() < 128) {
      assertBounded();
      await sleep(10);
    }
    await assertAllServed();
    assertBounded();
  });

  for (const addresses of [3, 132])
    it(`${addresses} addresses that fill all connections with uploads that crawl: all are served`, async () => {
      for (let index = 0; index < addresses; index += 1)
        await hold('uploads that crawl', Math.ceil(128 / addresses), `127.0.2.${index + 1}`);
      while (upstream.open() < 128) await sleep(10);
      await assertAllServed();
    });
});
