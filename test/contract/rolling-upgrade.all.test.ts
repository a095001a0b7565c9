import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { assertTrailIsIntact, auditRecords } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { freePort } from '../support/loopback.ts';
import { issueSession, type ServiceProcess, startServiceProcess } from '../support/processes.ts';
import { requestHead, sendRaw } from '../support/raw-client.ts';

const CHECK_EVERY_MS = 500;

/**
 * Passes requests in turn to the replicas that are healthy. The GET requests of one that dies go to another, and all other
 * requests get 502.
 * @param replicas their ports
 */
async function startBalancer(port: number, replicas: readonly number[]) {
  let healthy = [...replicas];
  let turn = 0;
  let over = false;

  function forward(req: IncomingMessage, res: ServerResponse, tries = 3): void {
    turn += 1;
    const target = healthy[turn % healthy.length];
    const to = request({ host: '127.0.0.1', port: target, method: req.method, path: req.url, headers: req.headers });
    to.on('response', (response) => {
      res.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.on('error', () => res.destroy());
      response.pipe(res);
    });
    to.on('error', () => {
      healthy = healthy.filter((replica) => replica !== target);
      if (res.headersSent) res.destroy();
      else if (req.method === 'GET' && tries > 0 && healthy.length > 0) forward(req, res, tries - 1);
      else res.writeHead(502).end();
    });
    req.pipe(to);
  }
  const server = createServer((req, res) => forward(req, res)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const isHealthy = (replica: number): Promise<boolean> =>
    sendRaw(replica, requestHead('GET /api/health')).then(
      ({ status }) => status === 200,
      () => false,
    );
  const balancer = {
    /** The ports of the current replicas, which a test may change. */
    replicas,
    async close() {
      over = true;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, checking]);
    },
  };
  async function check(): Promise<void> {
    while (!over) {
      const { replicas } = balancer;
      const states = await Promise.all(replicas.map(isHealthy));
      healthy = replicas.filter((_, index) => states[index]);
      await sleep(CHECK_EVERY_MS);
    }
  }
  const checking = check();
  return balancer;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Installs the service of 0.1.0 with an empty page in a temporary folder, which is removed when this process exits. It uses
 * the packages of the repository, which have the versions that it was released with.
 * @returns the arguments of Node that start it
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
  // It was released with two versions of the driver, of which this one had another name.
  writeFileSync(main, bundle.replaceAll('better-sqlite3-13', 'better-sqlite3'));
  return [main];
}

const page = readFileSync(fileURLToPath(new URL('../../docs/upgrade.md', import.meta.url)), 'utf8');
const [, rollback = ''] = /```sql\n *(delete from knex_migrations .*);\n *```/.exec(page) ?? [];

describeOnDatabases('replicas of 0.1.0 and of this release on one database', (databases) => {
  const admin = issueSession();
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
  afterEach(() => Promise.all(started.map((service) => service.close())));

  async function start(program?: readonly string[]): Promise<ServiceProcess> {
    const service = await startServiceProcess({ DATABASE_URL: url }, program === undefined ? {} : { program });
    started.push(service);
    return service;
  }
  async function write(port: number, key: string): Promise<number> {
    const body = JSON.stringify({ key, value: `value of ${key}` });
    const headers = [admin.cookie, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    return (await sendRaw(port, requestHead('POST /api/settings', headers) + body)).status;
  }
  const valueAt = async (port: number, key: string): Promise<unknown> =>
    JSON.parse(String((await sendRaw(port, requestHead(`GET /api/settings/${key}`, [admin.cookie]))).body)).value;

  it('read each other’s settings after an upgrade, the rollback in docs/upgrade.md and another upgrade', async () => {
    const database = databases.open(url);
    const programs = [release, undefined, release, undefined];
    for (const [turn, program] of programs.entries()) {
      if (turn === 2) {
        await assert.rejects(start(program), /migration directory is corrupt/);
        await database.knex.raw(rollback);
      }
      const service = await start(program);
      assert.equal(await write(service.port, `turn.${turn}`), 201);
      for (let earlier = 0; earlier <= turn; earlier += 1)
        assert.equal(await valueAt(service.port, `turn.${earlier}`), `value of turn.${earlier}`);
      assert.equal(await service.running.stop('SIGTERM'), 0);
    }
    await assertTrailIsIntact(database);
  });

  it('drop no request while the old replicas are replaced one after another', async () => {
    const old = [await start(release), await start(release)];
    const port = await freePort();
    const ports = old.map((replica) => replica.port);
    const balancer = await startBalancer(port, ports);
    const refused: string[] = [];
    const acknowledged: string[] = [];
    let over = false;
    async function use(client: number): Promise<void> {
      for (let number = 0; !over; number += 1) {
        const key = `${client}.${number}`;
        const status = await write(port, key);
        if (status === 201) acknowledged.push(key);
        else refused.push(`${status} ${key}`);
        const read = await sendRaw(port, requestHead('GET /api/auth/session', [admin.cookie]));
        if (read.status !== 200) refused.push(`${read.status} session`);
      }
    }
    const using = Array.from({ length: 3 }, (_, client) => use(client));
    const moreWrites = async (): Promise<void> => {
      const before = acknowledged.length;
      while (acknowledged.length < before + 20) await sleep(5);
    };
    try {
      await moreWrites();
      // The third replica belongs to this release.
      for (const index of [0, 1, 2]) {
        const replaced = started[index] as ServiceProcess;
        balancer.replicas = [...balancer.replicas, (await start()).port];
        await moreWrites();
        assert.equal(await replaced.running.stop('SIGTERM'), 0);
        balancer.replicas = balancer.replicas.filter((replica) => replica !== replaced.port);
        await moreWrites();
      }
    } finally {
      over = true;
      await Promise.all(using);
      await balancer.close();
    }
    assert.deepEqual(refused, []);
    const database = databases.open(url);
    const written = (await auditRecords(database)).filter(({ action }) => action === 'setting_write');
    assert.deepEqual(written.map(({ target }) => target).sort(), acknowledged.sort());
    await assertTrailIsIntact(database);
  });
});
