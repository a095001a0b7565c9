import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, callAt, type Dashboard, startDashboard } from '../support/dashboard.ts';
import { skipWithoutOwnMariadb } from '../support/databases.ts';
import { signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { type OwnMariadb, startMariadb } from '../support/mariadb-server.ts';
import { answered } from '../support/settings-app.ts';

/** Waiting for a turn, a connection and a transaction each have a time-out, together 18 seconds. */
const LIMIT_MS = 60_000;

describe('a MariaDB server that is frozen, stopped and killed under the service', () => {
  let server: OwnMariadb;
  let dashboard: Dashboard;
  before(async function () {
    skipWithoutOwnMariadb(this);
    server = await startMariadb();
    dashboard = await startDashboard({ env: { DATABASE_URL: await server.createDatabase() } });
  });
  after(async () => {
    await dashboard?.close();
    await server?.close();
  });

  /** Fails if an answer is late. */
  async function call(path: string, options?: CallOptions): Promise<Response> {
    const answer = await Promise.race([
      callAt(dashboard.url, path, options),
      sleep(LIMIT_MS, undefined, { ref: false }),
    ]);
    assert.ok(answer, `${path} has no answer`);
    return answer;
  }

  it('makes requests fail in time, loses nothing that was acknowledged, and is used again without a restart', async function () {
    this.timeout(300_000);
    const session = await dashboard.signIn('admin');
    const acknowledged: string[] = [];
    const sessions: string[] = [];
    /** By caller: how many calls succeeded and were refused since the last fault. */
    const done: Record<string, number> = { 'write 0': 0, 'write 1': 0, read: 0, 'sign-in': 0 };
    const refused = { ...done };
    let over = false;

    const count = (counts: Record<string, number>, who: string): void => {
      counts[who] = (counts[who] ?? 0) + 1;
    };
    async function write(lane: number): Promise<void> {
      for (let index = 0; !over; index += 1) {
        const key = `${lane}.${index}`;
        const answer = await call('/api/settings', { session, json: { key, value: key, encrypted: true } });
        if (answer.ok) {
          acknowledged.push(key);
          count(done, `write ${lane}`);
        } else {
          await answered(answer, 503, 'service_unavailable');
          count(refused, `write ${lane}`);
          await sleep(50);
        }
      }
    }
    async function read(): Promise<void> {
      while (!over) {
        const answer = await call('/api/settings/before', { session });
        if (answer.ok) count(done, 'read');
        else {
          await answered(answer, 503, 'service_unavailable');
          count(refused, 'read');
        }
        await sleep(20);
      }
    }
    async function signIn(): Promise<void> {
      while (!over) {
        const { callback, jar } = await signInUpToCallback(
          dashboard.url,
          dashboard.baseUrl,
          dashboard.operator('viewer'),
        );
        const answer = await Promise.race([visit(callback, jar), sleep(LIMIT_MS, undefined, { ref: false })]);
        assert.ok(answer, 'a sign-in has no answer');
        const made = jar.get('dashboard-session');
        if (made !== undefined) {
          sessions.push(made);
          count(done, 'sign-in');
        } else {
          assert.equal(answer.status, 503);
          count(refused, 'sign-in');
        }
        await sleep(100);
      }
    }
    async function untilEach(counts: Record<string, number>): Promise<void> {
      for (const who of Object.keys(counts)) counts[who] = 0;
      while (Object.values(counts).includes(0)) {
        await sleep(20);
        // Answered from memory, whatever the state of the database.
        assert.equal((await call('/api/auth/session', { session })).status, 200);
      }
    }

    assert.equal((await call('/api/settings', { session, json: { key: 'before', value: 'v' } })).status, 201);
    const load = Promise.all([write(0), write(1), read(), signIn()]);
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
    const survived = (async () => {
      for (const fault of faults) {
        await untilEach(done);
        await fault();
      }
      await untilEach(done);
      over = true;
    })();
    // A lane that fails ends the test at once.
    await Promise.race([load, survived.then(() => load)]);
    await survived;

    while ((await call('/api/health')).status !== 200) await sleep(100);
    for (const key of acknowledged)
      assert.equal((await call(`/api/settings/${key}`, { session })).status, 200, `${key} is lost`);
    for (const made of sessions) assert.equal((await call('/api/auth/session', { session: made })).status, 200);
    for (;;) {
      const answer = await call('/api/security/audit/chain', { session });
      const { status } = (await answer.json()) as { status: string };
      assert.notEqual(status, 'broken');
      if (status === 'whole') break;
    }
    const signIns = await call('/api/security/audit?action=login&page_size=250', { session });
    const { events } = (await signIns.json()) as { events: { target: string }[] };
    const recorded = new Set(events.map(({ target }) => target));
    for (const made of sessions) {
      const { sessionId } = JSON.parse(Buffer.from(made.split('.')[0] ?? '', 'base64url').toString());
      assert.ok(recorded.has(sessionId), 'a sign-in has no record');
    }
  });
});
