import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { countedWork, type Work } from '../support/counted-work.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

const WARM = 30;
const TIMES = 200;

/**
 * What each request may cost at most, Node's own share included: it sets a timer for the idle connection, and listeners. A
 * change that needs more says why; one that needs less lowers it.
 */
const BUDGETS: Record<string, { line: string; headers?: string[]; body?: string; status: string; work: Work }> = {
  'GET /api/health': {
    line: 'GET /api/health',
    status: '200',
    work: { promises: 0, timers: 0, listeners: 4, headersSet: 0, layers: 2, handles: 0 },
  },
  'a 401': {
    line: 'GET /api/config',
    status: '401',
    work: { promises: 0, timers: 0, listeners: 4, headersSet: 0, layers: 12, handles: 0 },
  },
  'GET /api/config': {
    line: 'GET /api/config',
    headers: ['COOKIE'],
    status: '200',
    work: { promises: 0, timers: 0, listeners: 4, headersSet: 0, layers: 16, handles: 0 },
  },
  'GET /api/settings/:key': {
    line: 'GET /api/settings/budget',
    headers: ['COOKIE'],
    status: '200',
    work: { promises: 0, timers: 0, listeners: 4, headersSet: 0, layers: 15, handles: 0 },
  },
  'a proxied GET': {
    line: 'GET /api/identity-admin/small',
    status: '200',
    work: { promises: 7, timers: 0, listeners: 25, headersSet: 11, layers: 6, handles: 1 },
  },
  'a proxied POST': {
    line: 'POST /api/identity/small',
    headers: ['Content-Type: application/json'],
    body: '{"a":1}',
    status: '200',
    work: { promises: 7, timers: 0, listeners: 33, headersSet: 14, layers: 5, handles: 1 },
  },
};

describe('the work for one request', () => {
  let dashboard: Dashboard;
  let thread: Worker;
  let cookie: string;

  before(async () => {
    thread = new Worker(new URL('../support/request-thread.mjs', import.meta.url), { execArgv: [] });
    const [port] = (await once(thread, 'message')) as [number];
    const url = `http://127.0.0.1:${port}`;
    dashboard = await startDashboard({
      env: { IDENTITY_ADMIN_URL: url, IDENTITY_URL: url },
      storeFromSandbox: true,
    });
    const session = await dashboard.signIn('admin');
    cookie = `Cookie: dashboard-session=${session}`;
    const stored = await dashboard.call('/api/settings', { session, json: { key: 'budget', value: 'of a request' } });
    assert.equal(stored.status, 201);
  });
  after(async () => {
    await thread.terminate();
    await dashboard.close();
  });

  async function send(name: string, times: number): Promise<void> {
    const { line, headers = [], body = '', status } = BUDGETS[name] ?? assert.fail();
    const lines = headers.map((header) => (header === 'COOKIE' ? cookie : header));
    if (body !== '') lines.push(`Content-Length: ${body.length}`);
    const request = `${[`${line} HTTP/1.1`, `Host: localhost:${dashboard.port}`, ...lines].join('\r\n')}\r\n\r\n${body}`;
    thread.postMessage({ port: dashboard.port, request, times });
    const [answered] = (await once(thread, 'message')) as [string];
    assert.equal(answered, status);
  }

  for (const [name, { work }] of Object.entries(BUDGETS))
    it(`of ${name} stays within its budget`, async () => {
      await send(name, WARM);
      const counted = await countedWork(() => send(name, TIMES));
      const over = Object.entries(counted).filter(
        ([kind, count]) => Math.round(count / TIMES) > work[kind as keyof Work],
      );
      assert.deepEqual(over, []);
    });
});
