import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/loopback.ts';
import { ofSuite } from '../support/of-suite.ts';
import { issueSession, type Running, runningOfTest, startMain } from '../support/processes.ts';
import { rawResponse, startRawUpstream } from '../support/raw-upstream.ts';
import { severable } from '../support/severable.ts';

const PERIOD_MS = 50;

/** A process that is probed as a kubelet does. */
interface Pod {
  process: Running;
  port: number;
  /** Pairs of a liveness and a readiness probe so far. */
  probes: number;
  /** Whether the last readiness probe succeeded. */
  ready: boolean;
  /** Failed liveness probes since the first one that succeeded. */
  livenessFailures: number;
  stop(): Promise<number | null>;
}

describeOnDatabases(
  'a service with liveness and readiness probes',
  (databases) => {
    const { cookie } = issueSession();
    const upstream = ofSuite(() =>
      startRawUpstream((_request, socket) => void socket.write(rawResponse('200 OK', [], 'proxied'))),
    );
    let over = new AbortController();
    beforeEach(() => {
      over = new AbortController();
    });
    afterEach(() => over.abort());
    const running = runningOfTest();

    async function startPod(databaseUrl: string): Promise<Pod> {
      const port = await freePort();
      const process = running(startMain(databaseUrl, { PORT: String(port), IDENTITY_URL: upstream.url }));
      const pod: Pod = { process, port, probes: 0, ready: false, livenessFailures: 0, stop: () => process.stop() };
      const { signal } = over;
      const isOk = async (probe: string): Promise<boolean> =>
        (await statusOf(pod, `/api/health?probe=${probe}`)) === 200;
      void (async () => {
        let hasLived = false;
        for (; !signal.aborted; await sleep(PERIOD_MS)) {
          const lives = await isOk('live');
          if (hasLived && !lives) pod.livenessFailures += 1;
          hasLived ||= lives;
          pod.ready = await isOk('ready');
          pod.probes += 1;
        }
      })();
      return pod;
    }
    /** @returns undefined if the port is closed */
    const statusOf = ({ port }: Pod, path: string): Promise<number | undefined> =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { Cookie: cookie.slice('Cookie: '.length) } }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => undefined,
      );

    const untilReady = (pod: Pod): Promise<void> => eventually(() => pod.ready, true, pod.process.output(), 60_000);

    if (databases.client === 'mysql') {
      it('is live but not ready during a long migration, and ends after the current step on SIGTERM', async () => {
        const { url, database } = await databases.createMigrated();
        await database.knex('knex_migrations').where('name', '>=', '016').delete();
        // While this transaction is open, no migration can be recorded.
        const locking = await database.knex.transaction();
        await locking.raw('lock tables knex_migrations read');
        const waiting = locking('information_schema.processlist').where('state', 'like', '%metadata lock%');
        try {
          const migrating = await startPod(url);
          await eventually(async () => (await waiting.clone().pluck('id')).length, 1, undefined, 30_000);
          const live = (): Promise<number | undefined> => statusOf(migrating, '/api/health?probe=live');
          await eventually(live, 200);
          const paths = ['/api/health?probe=ready', '/api/health', '/api/settings', '/dashboard', '/api/identity/x'];
          for (const path of paths) assert.equal(await statusOf(migrating, path), 503, path);
          const refused = await fetch(`http://127.0.0.1:${migrating.port}/api/settings`);
          assert.equal(refused.headers.get('retry-after'), '5');
          assert.equal((await refused.json()).error, 'service_unavailable');
          const ended = migrating.stop();
          const { probes } = migrating;
          await eventually(() => migrating.probes > probes + 10, true, undefined, 30_000);
          assert.equal(await live(), 200, migrating.process.output());
          assert.equal(migrating.livenessFailures, 0);
          await locking.raw('unlock tables');
          assert.equal(await ended, 1);
          assert.match(
            migrating.process.output(),
            /The migrations were stopped before 017-\S+: the next start continues/,
          );
        } finally {
          await locking.raw('unlock tables');
          await locking.rollback();
        }
        await untilReady(await startPod(url));
      });

      it('stays ready and proxies requests while its database is unavailable', async () => {
        const connection = await severable((await databases.createMigrated()).url);
        try {
          const pod = await startPod(connection.url);
          await untilReady(pod);
          assert.equal(await statusOf(pod, '/api/identity/x'), 200);
          await connection.sever();
          await eventually(() => statusOf(pod, '/api/health'), 503);
          for (const { probes } = pod; pod.probes < probes + 10; ) {
            assert.equal(await statusOf(pod, '/api/identity/x'), 200);
            assert.equal(await statusOf(pod, '/api/auth/session'), 200);
            assert.equal(pod.ready, true);
          }
          await connection.restore();
          await eventually(() => statusOf(pod, '/api/health'), 200);
          assert.equal(pod.livenessFailures, 0);
        } finally {
          await connection.close();
        }
      });
    }
  },
  { server: true },
);
