import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createMetrics } from '../../server/process/metrics.ts';
import { listenForMetrics } from '../../server/process/metrics-listener.ts';
import { startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { startFaultingUpstream } from '../support/faulting-upstream.ts';
import { ofSuite } from '../support/of-suite.ts';
import { sendRaw } from '../support/raw-client.ts';
import { readText } from '../support/repository-files.ts';

type Labels = Record<string, string>;
type Sample = { name: string; labels: Labels; value: number };

/** Prometheus' text format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
function samplesIn(page: string): Sample[] {
  return page
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const parts = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? assert.fail(line);
      const [, name = '', labels = '', value = ''] = parts;
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)];
      return { name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: Number(value) };
    });
}

describe('the metrics', () => {
  const upstream = ofSuite(startFaultingUpstream);
  const dashboard = ofSuite(() =>
    startDashboard({ env: { METRICS_PORT: '0', EVENTS_PORT: '0', OAUTH_URL: upstream.url } }),
  );
  const portOf = (name: string) => new RegExp(`"${name}":(\\d+)`).exec(dashboard.logged.join(''))?.[1];
  let metricsUrl: string;
  let session: string;
  before(async () => {
    upstream.target = dashboard.sandbox.environment.OAUTH_URL ?? '';
    metricsUrl = `http://127.0.0.1:${portOf('metricsPort')}`;
    session = await dashboard.signIn('admin');
  });
  beforeEach(() => upstream.reset());

  const metricsPage = async (): Promise<string> => (await fetch(`${metricsUrl}/metrics`)).text();
  /** The sum of all samples that have this name and these labels. */
  const sumOf = async (name: string, labels: Labels): Promise<number> =>
    samplesIn(await metricsPage())
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
      .reduce((sum, { value }) => sum + value, 0);
  async function growth(name: string, labels: Labels, act: () => Promise<unknown>): Promise<number> {
    const before = await sumOf(name, labels);
    await act();
    return (await sumOf(name, labels)) - before;
  }
  const proxied = () => dashboard.call('/api/oauth/.well-known/openid-configuration', { session });

  it('count requests by route, method and status', async () => {
    const REQUESTS = 'dashboard_http_request_duration_seconds_count';
    const setting = () => dashboard.call('/api/settings/some-key-of-a-caller', { session });
    assert.equal(await growth(REQUESTS, { route: '/api/settings/:key', method: 'GET', status: '404' }, setting), 1);
    assert.equal(await growth(REQUESTS, { route: '(page)' }, () => dashboard.call('/identities')), 1);
    assert.equal(await growth(REQUESTS, { route: '/api/oauth', status: '200' }, proxied), 1);
    assert.ok(samplesIn(await metricsPage()).every(({ labels }) => labels['deployment'] === 'customer'));
  });

  it('have the names that the alerts, the Grafana dashboard and docs/observe.md use', async () => {
    const exported = new Set([...(await metricsPage()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
    for (const path of ['deploy/chart/alerts.yml', 'deploy/monitoring/grafana-dashboard.json', 'docs/observe.md']) {
      const used = new Set(readText(path).match(/\bdashboard_\w+/g));
      assert.ok(used.size > 3, path);
      const unknown = [...used].filter((name) => !exported.has(name.replace(/_(?:count|bucket|sum)$/, '')));
      assert.deepEqual(unknown, [], path);
    }
  });

  it('count the responses and failures of upstreams, to proxied requests and to requests of the service itself', async () => {
    const RESPONSES = 'dashboard_upstream_request_duration_seconds_count';
    const ofProxy = (outcome: string) => growth(RESPONSES, { upstream: 'oauth', by: 'proxy', outcome }, proxied);
    assert.equal(await ofProxy('2xx'), 1);
    upstream.before = () => ({ status: 503 });
    assert.equal(await ofProxy('5xx'), 1);
    upstream.reset();
    upstream.after = () => 'lost';
    assert.equal(await ofProxy('broken'), 1);
    const own = () => dashboard.call('/api/identities', { session });
    assert.ok((await growth(RESPONSES, { upstream: 'identity-admin', by: 'dashboard', outcome: '2xx' }, own)) >= 1);
  });

  it('count sign-ins by outcome, and requests in flight', async () => {
    const viewer = (): Promise<string> => dashboard.signIn('viewer');
    assert.equal(await growth('dashboard_sign_ins_total', { outcome: 'ok' }, viewer), 1);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    upstream.before = async () => void (await released);
    const IN_FLIGHT = 'dashboard_http_requests_in_flight';
    const response = proxied();
    await eventually(() => sumOf(IN_FLIGHT, {}), 1);
    release();
    await response;
    await eventually(() => sumOf(IN_FLIGHT, {}), 0);
  });

  it('count requests of Kratos and Hydra, the events stored of them, and the time since the last', async () => {
    const url = `http://127.0.0.1:${portOf('eventsPort')}/v1/traces`;
    for (const [outcome, type] of Object.entries({ stored: 'application/x-protobuf', type: 'application/json' })) {
      const send = () => fetch(url, { method: 'POST', headers: { 'content-type': type } });
      assert.equal(await growth('dashboard_event_requests_total', { outcome }, send), 1);
    }
    const age = await sumOf('dashboard_events_age_seconds', {});
    assert.ok(age >= 0 && age < 600, `${age}`);
    const { observers, page } = createMetrics({ deployment: 'customer', version: '1' });
    observers.events?.(3);
    assert.match(await page(), /^dashboard_events_stored_total\{.*\} 3$/m);
  });

  it('contain no text that a caller sends, and get no new labels from invented paths and methods', async () => {
    const sendInvented = async (number: number): Promise<void> => {
      const name = `/made-up-${number}`;
      const raw = `MADE-UP ${name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      const paths = [`/api${name}/settings`, name, `/api/settings${name}`, `/api/oauth${name}`];
      await Promise.all([
        ...paths.map((path) => dashboard.call(path, { session })),
        sendRaw(dashboard.port, raw).catch(() => {}),
        dashboard.call('/api/health', { method: number % 2 ? 'LINK' : 'UNLINK' }).catch(() => {}),
      ]);
    };
    for (let number = 0; number < 5; number += 1) await sendInvented(number);
    // The status is left out: a caller that disconnects before its response may add one.
    const labelsOf = (page: string): string[] =>
      [...new Set(samplesIn(page).map(({ labels }) => `${labels['route']} ${labels['method']}`))].sort();
    const before = labelsOf(await metricsPage());
    for (let number = 5; number < 25; number += 1) await sendInvented(number);
    const page = await metricsPage();
    assert.deepEqual(labelsOf(page), before);
    assert.doesNotMatch(page, /made-up/i);
  });

  it('are served only on their own port, which responds 404 to requests for pages and the API', async () => {
    assert.doesNotMatch(await (await dashboard.call('/metrics')).text(), /# TYPE/);
    assert.equal((await dashboard.call('/api/metrics', { session })).status, 404);
    const headers = { cookie: `dashboard-session=${session}` };
    for (const path of ['/', '/api/health', '/api/settings', '/metrics/..%2fapi'])
      assert.equal((await fetch(`${metricsUrl}${path}`, { headers })).status, 404);
  });
});

describe('the listener for metrics', () => {
  const REQUEST = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';
  let readings = 0;
  let ready = false;
  const largePage = async (): Promise<string> => {
    readings += 1;
    return 'x'.repeat(1_000_000);
  };
  let listener: Awaited<ReturnType<typeof listenForMetrics>>;
  async function listen(page = largePage, connectionMs?: number): Promise<void> {
    const options = { host: '127.0.0.1', port: 0, isReady: () => ready, log: { warn: assert.fail } };
    const metrics = { contentType: 'text/plain', page };
    listener = await listenForMetrics(metrics, { ...options, ...(connectionMs && { connectionMs }) });
  }
  afterEach(() => listener.close());

  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${listener.port}${path}`);
  async function sendUnread(text: string): Promise<Socket> {
    const socket = connect(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }

  it('reads the metrics once for a thousand pipelined requests, and at most once for each concurrent caller', async () => {
    await listen();
    const socket = await sendUnread(REQUEST.repeat(1_000));
    await eventually(() => readings > 0, true);
    const pages = await Promise.all(Array.from({ length: 8 }, async () => (await get('/metrics')).text()));
    assert.ok(pages.every((page) => page.length === 1_000_000));
    assert.ok(readings <= 9, `${readings}`);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.resume();
    await once(socket, 'close');
    assert.equal(received.match(/HTTP\/1\.1 200 /g)?.length, 1);
  });

  it('responds to the probes, and with 404 to any other path of the service', async () => {
    await listen();
    const statusOf = async (path: string) => (await get(path)).status;
    assert.equal(await statusOf('/api/health?probe=live'), 200);
    assert.equal(await statusOf('/api/health?probe=ready'), 503);
    ready = true;
    assert.equal(await statusOf('/api/health?probe=ready'), 200);
    for (const path of ['/api/health', '/api/health?probe=other', '/']) assert.equal(await statusOf(path), 404, path);
  });

  it('closes every connection after a fixed time, even while its request is incomplete or waits for the metrics', async () => {
    // Node itself would wait forever for a response.
    await listen(() => new Promise(() => {}), 200);
    for (const text of ['', 'GET /met', REQUEST, REQUEST.repeat(100)]) {
      const socket = await sendUnread(text);
      socket.resume();
      await once(socket, 'close');
    }
  });
});
