import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { TEST_KEYS } from '../support/dashboard.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type Running, SERVICE, startNode } from '../support/processes.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';
import { issuedSession } from '../support/service-process.ts';
import { severable } from '../support/severable.ts';

const PERIOD_MS = 50;
/** Long enough for several probes of each kind. */
const WHILE_MS = 20 * PERIOD_MS;

/** A process under the probes of a kubelet: by its status codes, it decides about restarts and traffic. */
interface Pod {
  process: Running;
  port: number;
  /** Whether it gets traffic. */
  ready: boolean;
  /** Since the first probe that succeeded. */
  livenessFailures: number;
  stop(): Promise<number | null>;
}

describeOnDatabases(
  'probes as of a kubelet',
  (databases) => {
    const { cookie } = issuedSession();
    let upstream: RawUpstream;
    let pods: Pod[] = [];
    let over = new AbortController();
    before(async () => {
      upstream = await startRawUpstream((_request, socket) => void socket.write(rawResponse('200 OK', [], 'proxied')));
    });
    after(() => upstream.close());
    beforeEach(() => {
      pods = [];
      over = new AbortController();
    });
    afterEach(async () => {
      over.abort();
      await Promise.all(pods.map(({ process }) => process.stop('SIGKILL')));
    });

    async function pod(databaseUrl: string, env: Record<string, string> = {}): Promise<Pod> {
      const port = await freePort();
      const process = startNode(SERVICE, {
        ...TEST_KEYS,
        PORT: String(port),
        DATABASE_URL: databaseUrl,
        AUTH_URL: 'http://127.0.0.1:1',
        OAUTH_CLIENT_ID: 'dashboard',
        IDENTITY_URL: upstream.url,
        LOG_LEVEL: 'info',
        ...env,
      });
      const own: Pod = {
        ...{ process, port, ready: false, livenessFailures: 0 },
        stop: () => process.stop('SIGTERM'),
      };
      pods.push(own);
      const { signal } = over;
      const isOk = (probe: string): Promise<boolean> =>
        statusOf(own, `/api/health?probe=${probe}`).then((s) => s === 200);
      void (async () => {
        let alive = false;
        for (; !signal.aborted; await sleep(PERIOD_MS)) {
          const lives = await isOk('live');
          if (alive && !lives) own.livenessFailures += 1;
          alive ||= lives;
          own.ready = await isOk('ready');
        }
      })();
      return own;
    }
    /** Undefined if nothing listens. */
    const statusOf = ({ port }: Pod, path: string): Promise<number | undefined> =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { Cookie: cookie.slice('Cookie: '.length) } }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => undefined,
      );
    const becomesReady = (own: Pod): Promise<void> => eventually(() => own.ready, true, own.process.output(), 60_000);

    if (databases.client === 'mysql') {
      it('see a long migration as a live process without traffic, and a signal ends it after the current step', async () => {
        const { url, database } = await databases.migrated();
        await database.knex('knex_migrations').where('name', '>=', '016').delete();
        // Until its end, no migration can be recorded.
        const locking = await database.knex.transaction();
        await locking.raw('lock tables knex_migrations read');
        const waiting = locking('information_schema.processlist').where('state', 'like', '%metadata lock%');
        try {
          const migrating = await pod(url);
          await eventually(async () => (await waiting.clone().pluck('id')).length, 1, undefined, 30_000);
          const live = (): Promise<number | undefined> => statusOf(migrating, '/api/health?probe=live');
          await eventually(live, 200);
          for (const path of [
            '/api/health?probe=ready',
            '/api/health',
            '/api/settings',
            '/dashboard',
            '/api/identity/x',
          ])
            assert.equal(await statusOf(migrating, path), 503, path);
          const refused = await fetch(`http://127.0.0.1:${migrating.port}/api/settings`);
          assert.equal(refused.headers.get('retry-after'), '5');
          assert.equal((await refused.json()).error, 'service_unavailable');
          const ended = migrating.stop();
          await sleep(WHILE_MS);
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
        const next = await pod(url);
        await becomesReady(next);
      });

      it('keep the traffic on a service whose database is away, and proxied requests do not fail', async () => {
        const way = await severable((await databases.migrated()).url);
        try {
          const own = await pod(way.url);
          await becomesReady(own);
          assert.equal(await statusOf(own, '/api/identity/x'), 200);
          await way.sever();
          await eventually(() => statusOf(own, '/api/health'), 503);
          const end = performance.now() + WHILE_MS;
          while (performance.now() < end) {
            assert.equal(await statusOf(own, '/api/identity/x'), 200);
            assert.equal(await statusOf(own, '/api/auth/session'), 200);
            assert.equal(own.ready, true);
          }
          await way.restore();
          await eventually(() => statusOf(own, '/api/health'), 200);
          assert.equal(own.livenessFailures, 0);
        } finally {
          await way.close();
        }
      });
    }

    it('replace a service by another without a failed request', async () => {
      const { url } = await databases.migrated();
      const before = await pod(url);
      await becomesReady(before);
      const statuses: (number | undefined)[] = [];
      const { signal } = over;
      // A balancer sends each request to a process that is ready.
      const clients = [1, 2].map(async () => {
        for (; !signal.aborted; await sleep(5)) {
          const target = pods.findLast(({ ready }) => ready);
          if (target !== undefined) statuses.push(await statusOf(target, '/api/identity/x'));
        }
      });
      const after = await pod(url);
      await becomesReady(after);
      assert.equal(await before.stop(), 0);
      await sleep(WHILE_MS);
      over.abort();
      await Promise.all(clients);
      assert.ok(statuses.length > 10);
      assert.deepEqual([...new Set(statuses)], [200]);
      assert.equal(after.livenessFailures, 0);
    });
  },
  { server: true },
);
