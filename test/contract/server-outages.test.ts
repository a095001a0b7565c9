import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditPage } from '../../shared/audit.ts';
import { startDashboard } from '../support/dashboard.ts';
import { skipWithoutOwnMariadb, startMariadb } from '../support/databases.ts';
import { type CallOptions, callAt, sessionIn, signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { ofSuite } from '../support/of-suite.ts';
import { assertError } from '../support/settings-app.ts';

/** The time-outs for the queue, a connection and a transaction add up to 18 seconds. */
const LIMIT_MS = 60_000;

describe('a service whose MariaDB server is frozen, stopped and killed under load', () => {
  before(function () {
    skipWithoutOwnMariadb(this);
  });
  const server = ofSuite(startMariadb);
  const dashboard = ofSuite(async () => startDashboard({ env: { DATABASE_URL: await server.createDatabase() } }));

  /** Fails if there is no response in time. */
  async function call(path: string, options?: CallOptions): Promise<Response> {
    const response = await Promise.race([
      callAt(dashboard.url, path, options),
      sleep(LIMIT_MS, undefined, { ref: false }),
    ]);
    assert.ok(response, `no response to ${path}`);
    return response;
  }

  it('responds in time, loses nothing that it acknowledged, and recovers without a restart', async () => {
    const session = await dashboard.signIn('admin');
    const acknowledged: string[] = [];
    const sessions: string[] = [];
    /** Successful calls of each kind since the counts were reset. */
    const succeeded: Record<string, number> = { write: 0, read: 0, 'sign-in': 0 };
    /** Calls of each kind that got 503 since the counts were reset. */
    const refused = { ...succeeded };
    let over = false;

    /** @param attempt returns whether it succeeded, and fails the test unless it succeeds or gets 503 */
    async function repeat(kind: string, attempt: () => Promise<boolean>): Promise<void> {
      while (!over) {
        const counts = (await attempt()) ? succeeded : refused;
        counts[kind] = (counts[kind] ?? 0) + 1;
        await sleep(20);
      }
    }
    async function isOk(response: Response): Promise<boolean> {
      if (!response.ok) await assertError(response, 503, 'service_unavailable');
      return response.ok;
    }
    async function write(): Promise<boolean> {
      const key = `key.${acknowledged.length}`;
      const ok = await isOk(await call('/api/settings', { session, json: { key, value: key, encrypted: true } }));
      if (ok) acknowledged.push(key);
      return ok;
    }
    const read = async (): Promise<boolean> => isOk(await call('/api/settings/before', { session }));
    async function signIn(): Promise<boolean> {
      const { callback, jar } = await signInUpToCallback(
        dashboard.url,
        dashboard.baseUrl,
        dashboard.operator('viewer'),
      );
      const response = await Promise.race([visit(callback, jar), sleep(LIMIT_MS, undefined, { ref: false })]);
      assert.ok(response, 'no response to a sign-in');
      const own = jar.get('dashboard-session');
      if (own === undefined) assert.equal(response.status, 503);
      else sessions.push(own);
      return own !== undefined;
    }
    async function untilEach(counts: Record<string, number>): Promise<void> {
      for (const kind of Object.keys(counts)) counts[kind] = 0;
      while (Object.values(counts).includes(0)) {
        await sleep(20);
        // Sessions are served from memory, whatever the state of the database.
        assert.equal((await call('/api/auth/session', { session })).status, 200);
      }
    }

    assert.equal((await call('/api/settings', { session, json: { key: 'before', value: 'v' } })).status, 201);
    const load = Promise.all([repeat('write', write), repeat('read', read), repeat('sign-in', signIn)]);
    const faults: (() => Promise<void>)[] = [
      async () => {
        await server.freeze();
        await untilEach(refused);
        server.signal('SIGCONT');
      },
      ...(['SIGTERM', 'SIGKILL'] as const).map((signal) => async () => {
        server.signal(signal);
        await server.ended();
        await untilEach(refused);
        assert.equal((await call('/api/health')).status, 503);
        await server.start();
      }),
    ];
    const recovered = (async () => {
      for (const fault of faults) {
        await untilEach(succeeded);
        await fault();
      }
      await untilEach(succeeded);
      over = true;
    })();
    // An unexpected response rejects `load`, which ends the test at once.
    await Promise.race([load, recovered.then(() => load)]);
    await recovered;

    while ((await call('/api/health')).status !== 200) await sleep(100);
    for (const key of acknowledged)
      assert.equal((await call(`/api/settings/${key}`, { session })).status, 200, `${key} is lost`);
    for (const own of sessions) assert.equal((await call('/api/auth/session', { session: own })).status, 200);
    for (;;) {
      const response = await call('/api/security/audit/chain', { session });
      const { status } = (await response.json()) as { status: string };
      assert.notEqual(status, 'broken');
      if (status === 'whole') break;
    }
    for (const own of [sessions[0] ?? assert.fail(), ...sessions.slice(-5)]) {
      const { sessionId } = sessionIn(own);
      const records = await call(`/api/security/audit?action=login&subject=session:${sessionId}`, { session });
      assert.equal(((await records.json()) as AuditPage).events.length, 1, 'a sign-in has no record');
    }
  });
});
