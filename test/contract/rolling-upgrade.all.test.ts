import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describeOnDatabases } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { head, sendRaw } from '../support/raw-client.ts';
import { issuedSession, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { assertTrailIsWhole, recordsOf } from '../support/vault.ts';

/** What stands in front of replicas: it passes requests in turn to those whose health is good. */
interface Balancer {
  port: number;
  /** Ports of replicas, which may change. */
  replicas: number[];
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 500;

/** Listens on loopback. A reading request whose replica dies goes to another one; a writing one is answered with 502. */
async function startBalancer(port: number, replicas: number[]): Promise<Balancer> {
  let healthy = [...replicas];
  let turn = 0;
  let over = false;

  function pass(req: IncomingMessage, res: ServerResponse, tries = 3): void {
    turn += 1;
    const target = healthy[turn % healthy.length];
    const to = request({ host: '127.0.0.1', port: target, method: req.method, path: req.url, headers: req.headers });
    to.on('response', (response) => {
      res.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.on('error', () => res.destroy());
      response.pipe(res);
    });
    to.on('error', () => {
      healthy = healthy.filter((each) => each !== target);
      if (res.headersSent) res.destroy();
      else if (req.method === 'GET' && tries > 0 && healthy.length > 0) pass(req, res, tries - 1);
      else res.writeHead(502).end();
    });
    req.pipe(to);
  }
  const server = createServer((req, res) => pass(req, res)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const isHealthy = (each: number): Promise<boolean> =>
    sendRaw(each, head('GET /api/health')).then(
      ({ status }) => status === 200,
      () => false,
    );
  const balancer: Balancer = {
    port,
    replicas,
    async close() {
      over = true;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, looking]);
    },
  };
  async function look(): Promise<void> {
    while (!over) {
      const states = await Promise.all(balancer.replicas.map(async (each) => ({ each, good: await isHealthy(each) })));
      healthy = states.filter(({ good }) => good).map(({ each }) => each);
      await sleep(LOOK_EVERY_MS);
    }
  }
  const looking = look();
  return balancer;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Installs the service of 0.1.0 in a temporary folder, which goes with this process, with a page that is empty. It takes
 * its packages from the repository: their releases are those it had.
 * @returns Node's arguments that start it
 */
function earlierRelease(): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'release-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const client = join(directory, 'dist', 'client');
  mkdirSync(client, { recursive: true });
  writeFileSync(join(client, 'index.html'), '<!doctype html><title>0.1.0</title>');
  writeFileSync(join(client, 'first-files.json'), '{}');
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module', version: '0.1.0' }));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  const main = join(directory, 'main.js');
  const bundle = gunzipSync(readFileSync(join(root, 'test/fixtures/releases/0.1.0.mjs.gz'))).toString();
  // It was installed with two releases of the driver, this one by another name.
  writeFileSync(main, bundle.replaceAll('better-sqlite3-13', 'better-sqlite3'));
  return [main];
}

const LANES = 3;

const page = readFileSync(fileURLToPath(new URL('../../docs/upgrade.md', import.meta.url)), 'utf8');
const [, wayBack = ''] = /```sql\n *(delete from knex_migrations .*);\n *```/.exec(page) ?? [];

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
    (await sendRaw(port, head('GET /api/auth/session', [cookie]))).status;
  const write = async (port: number, key: string): Promise<number> =>
    (await sendRaw(port, post('/api/settings', admin.cookie, { key, value: `value of ${key}` }))).status;
  const valueAt = async (port: number, key: string): Promise<unknown> =>
    JSON.parse(String((await sendRaw(port, head(`GET /api/settings/${key}`, [admin.cookie]))).body)).value;

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
