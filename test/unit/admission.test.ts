import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Response as ExpressResponse } from 'express';
import { admission } from '../../server/http/limits.ts';
import { eventually } from '../support/eventually.ts';
import { type GateApp, startGateApp } from '../support/gate-app.ts';

describe('requests that are let on a few at a time', () => {
  let app: GateApp;
  let held: ExpressResponse[];
  const LIMITS = { places: 2, waiting: 1, waitMs: 600_000 };

  async function start(): Promise<void> {
    held = [];
    app = await startGateApp({
      admission: admission(LIMITS, (req) => String(req.query['key'])),
      routes: [['/api/config', 'configuration.read', (_req, res) => void held.push(res)]],
    });
  }
  afterEach(() => app.close());

  const ask = (key = 'ada') => app.call(`/api/config?key=${key}`, { session: 'admin' });
  const letOn = (count: number): Promise<void> => eventually(() => held.length, count);
  const end = (index: number): void => void held[index]?.json('done');

  async function assertRefused(response: Response): Promise<void> {
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1']);
    assert.equal(((await response.json()) as { error: string }).error, 'service_unavailable');
  }

  it('wait for a place, and get it when another ends', async () => {
    await start();
    const first = [ask(), ask()];
    await letOn(2);
    const next = ask();
    await assertRefused(await Promise.race([next, ask()]));
    end(0);
    await letOn(3);
    end(1);
    end(2);
    assert.deepEqual(
      (await Promise.all([...first])).map(({ status }) => status),
      [200, 200],
    );
  });

  it('give their place up when their caller leaves', async () => {
    await start();
    for (let round = 1; round <= 3; round += 1) {
      const leaving = new AbortController();
      const gone = [1, 2].map(() =>
        fetch(`${app.url}/api/config?key=ada`, {
          headers: { cookie: 'dashboard-session=admin' },
          signal: leaving.signal,
        }).catch(() => {}),
      );
      await letOn(2 * round);
      const closed = held.slice(-2).map((res) => once(res, 'close'));
      leaving.abort();
      await Promise.all([...gone, ...closed]);
    }
  });

  it('are not counted where there is no session, and health never is', async () => {
    await start();
    const first = [ask(), ask()];
    await letOn(2);
    assert.equal((await app.call('/api/health')).status, 200);
    assert.equal((await app.call('/api/config')).status, 401);
    end(0);
    end(1);
    await Promise.all(first);
  });
});
