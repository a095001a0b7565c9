import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Check, Finding } from '../../server/features/security/posture/check.ts';
import { postureReport } from '../../server/features/security/posture/posture.ts';
import { POSTURE_IDS, type Posture, type PostureId } from '../../shared/posture.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { startNode } from '../support/processes.ts';
import { SERVICE } from '../support/service-program.ts';

describe('the posture report', () => {
  let dashboard: Dashboard;
  let session: string;
  let server: Server | undefined;

  before(async () => {
    dashboard = await startDashboard();
    session = await dashboard.signIn('admin');
  });
  after(() => dashboard.close());
  afterEach(async () => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
    await dashboard.restart();
  });

  async function report(): Promise<Posture> {
    const answer = await dashboard.call('/api/security/posture', { session });
    assert.equal(answer.status, 200);
    return (await answer.json()) as Posture;
  }
  /** An upstream with scripted answers that counts its requests. */
  async function upstream(answer: (path: string) => unknown): Promise<{ url: string; seen: string[] }> {
    const seen: string[] = [];
    server = createServer((req, res) => {
      const path = String(req.url).split('?', 1)[0] ?? '';
      seen.push(path);
      const body = answer(path);
      if (body !== undefined) res.end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
  }

  it('has every check once, in order, each with all its texts', async () => {
    const { checks, as_of } = await report();
    assert.deepEqual(
      checks.map(({ id }) => id),
      POSTURE_IDS,
    );
    for (const check of checks) {
      assert.deepEqual(Object.keys(check).sort(), ['action', 'detail', 'id', 'status', 'title', 'why']);
      assert.ok(Object.values(check).every((text) => typeof text === 'string' && text !== ''));
    }
    assert.ok(Math.abs(Date.now() - Date.parse(as_of)) < 60_000);
  });

  it('names no address, no port, no identity and no key', async () => {
    const text = JSON.stringify(await report());
    const { port, env } = dashboard;
    assert.doesNotMatch(text, /127\.0\.0\.1|localhost|https?:|@/);
    for (const secret of [String(port), env.SESSION_SIGNING_KEY ?? '', env.ENCRYPTION_KEY ?? '', 'swordfish'])
      assert.ok(!text.includes(secret));
    assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  it('is returned while an upstream is silent: only checks that depend on it are unknown', async () => {
    const { url } = await upstream(() => undefined);
    await dashboard.restart({ OAUTH_ADMIN_URL: url, AUTH_INTERNAL_URL: url });
    const { checks } = await report();
    const statusOf = (id: string) => checks.find((check) => check.id === id)?.status;
    for (const id of ['oauth_client', 'clock']) assert.equal(statusOf(id), 'unknown');
    for (const id of ['audit_chain', 'database_session', 'migrations', 'operator_schemas'])
      assert.equal(statusOf(id), 'pass');
  });

  it('stops waiting for a check after its timeout, and reports a failing one as unknown', async () => {
    const logged: object[] = [];
    const sound = { status: 'pass', detail: 'Well.', action: 'Nothing to do.' } as const;
    const check = (id: PostureId, look: () => Promise<Finding>): Check => ({ id, title: id, why: id, look });
    const own = postureReport({
      checks: [
        check('geo_data', () => Promise.reject(new Error('no'))),
        check('clock', () => new Promise(() => {})),
        check('base_url', async () => sound),
      ],
      log: { warn: (fields: object) => void logged.push(fields) },
      now: Date.now,
      elapsed: () => performance.now(),
      timeoutMs: 50,
    });
    const { checks } = await own.read();
    assert.deepEqual(
      checks.map(({ id, status }) => [id, status]),
      [
        ['base_url', 'pass'],
        ['clock', 'unknown'],
        ['geo_data', 'unknown'],
      ],
    );
    assert.equal(logged.length, 1);
  });

  it('runs the checks once for all who ask at the same time or a moment later', async () => {
    const { url, seen } = await upstream(() => ({}));
    await dashboard.restart({ OAUTH_ADMIN_URL: url });
    await Promise.all([report(), report(), report()]);
    await report();
    assert.equal(seen.filter((path) => path.startsWith('/admin/clients/')).length, 1);
  });

  it('is printed by a command, which fails when a check does', async () => {
    const { checks } = await report();
    const command = startNode([...SERVICE, 'posture'], {
      ...dashboard.env,
      LOG_LEVEL: 'silent',
    });
    assert.equal(await command.ended(), 1);
    const headlines = command.output().match(/^(?:pass|warn|fail|unknown) .*$/gm) ?? [];
    assert.deepEqual(
      headlines.map((line) => line.split(':', 1)[0]),
      checks.map(({ status, title }) => `${status.padEnd(7)} ${title}`),
    );
  });
});
