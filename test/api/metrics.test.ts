import assert from 'node:assert/strict';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type FaultingUpstream, startFaultingUpstream } from '../support/faulting-upstream.ts';
import { sendRaw } from '../support/raw-client.ts';
import { read } from '../support/repository-files.ts';

type Sample = { name: string; labels: Record<string, string>; value: number };

/** Prometheus' text format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
function samplesIn(page: string): Sample[] {
  return page
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] =
        /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? assert.fail(line);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)].map(
        ([, key, text]) => [key, text] as const,
      );
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

describe('metrics', () => {
  let dashboard: Dashboard;
  let upstream: FaultingUpstream;
  let port: number;
  let session: string;
  before(async () => {
    upstream = await startFaultingUpstream();
    dashboard = await startDashboard({ env: { METRICS_PORT: '0', OAUTH_URL: upstream.url } });
    upstream.target = dashboard.sandbox.environment.OAUTH_URL ?? '';
    port = Number(/"metricsPort":(\d+)/.exec(dashboard.logged.join(''))?.[1]);
    session = await dashboard.signIn('admin');
  });
  after(async () => {
    await dashboard.close();
    await upstream.close();
  });

  const scrape = async (): Promise<Sample[]> =>
    samplesIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  /** The sum of all samples that match. */
  const sumOf = async (name: string, labels: Record<string, string>): Promise<number> =>
    (await scrape())
      .filter(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
      )
      .reduce((sum, { value }) => sum + value, 0);
  async function growth(name: string, labels: Record<string, string>, act: () => Promise<unknown>): Promise<number> {
    const before = await sumOf(name, labels);
    await act();
    return (await sumOf(name, labels)) - before;
  }
  const REQUESTS = 'dashboard_http_request_duration_seconds_count';

  it('count requests by route, method and status', async () => {
    const setting = () => dashboard.call('/api/settings/some-key-of-a-caller', { session });
    assert.equal(await growth(REQUESTS, { route: '/api/settings/:key', method: 'GET', status: '404' }, setting), 1);
    assert.equal(await growth(REQUESTS, { route: '(page)' }, () => dashboard.call('/identities')), 1);
    const proxied = () => dashboard.call('/api/oauth/.well-known/openid-configuration', { session });
    assert.equal(await growth(REQUESTS, { route: '/api/oauth', status: '200' }, proxied), 1);
    assert.ok((await scrape()).every(({ labels }) => labels.deployment === 'customer'));
  });

  it('are exported by the names that the alerts, the dashboard for Grafana and the page use', async () => {
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const exported = new Set([...page.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
    for (const path of ['deploy/chart/alerts.yml', 'deploy/monitoring/grafana-dashboard.json', 'docs/observe.md']) {
      const used = new Set(read(path).match(/\bdashboard_\w+/g));
      assert.ok(used.size > 3, path);
      const unknown = [...used].filter((name) => !exported.has(name.replace(/_(?:count|bucket|sum)$/, '')));
      assert.deepEqual(unknown, [], path);
    }
  });

  it('count what upstreams answer, and how they fail, forwarded or asked by the service itself', async () => {
    const UPSTREAMS = 'dashboard_upstream_request_duration_seconds_count';
    const proxied = () => dashboard.call('/api/oauth/.well-known/openid-configuration', { session });
    assert.equal(await growth(UPSTREAMS, { upstream: 'oauth', by: 'proxy', outcome: '2xx' }, proxied), 1);
    upstream.before = () => ({ status: 503 });
    assert.equal(await growth(UPSTREAMS, { upstream: 'oauth', by: 'proxy', outcome: '5xx' }, proxied), 1);
    upstream.calm();
    upstream.after = () => 'lost';
    assert.equal(await growth(UPSTREAMS, { upstream: 'oauth', by: 'proxy', outcome: 'broken' }, proxied), 1);
    upstream.calm();
    const own = () => dashboard.call('/api/identities', { session });
    assert.ok((await growth(UPSTREAMS, { upstream: 'identity-admin', by: 'dashboard', outcome: '2xx' }, own)) >= 1);
  });

  it('count sign-ins by outcome, and requests that have no response yet', async () => {
    const SIGN_INS = 'dashboard_sign_ins_total';
    const viewer = (): Promise<string> => dashboard.signIn('viewer');
    assert.equal(await growth(SIGN_INS, { outcome: 'ok' }, viewer), 1);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    upstream.before = async () => void (await held);
    const IN_FLIGHT = 'dashboard_http_requests_in_flight';
    const proxied = dashboard.call('/api/oauth/.well-known/openid-configuration', { session });
    await eventually(() => sumOf(IN_FLIGHT, {}), 1);
    release();
    await proxied;
    await eventually(() => sumOf(IN_FLIGHT, {}), 0);
    upstream.calm();
  });

  it('hold nothing of what callers write, and grow with no caller', async () => {
    const made = async (number: number): Promise<void> => {
      const name = `/made-up-${number}`;
      await Promise.all([
        dashboard.call(`/api${name}/settings`, { session }),
        dashboard.call(name),
        dashboard.call(`/api/settings${name}`, { session }),
        dashboard.call(`/api/oauth${name}`, { session }),
        sendRaw(dashboard.port, `MADE-UP ${name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`).catch(
          () => {},
        ),
        dashboard.call('/api/health', { method: number % 2 ? 'LINK' : 'UNLINK' }).catch(() => {}),
      ]);
    };
    for (let number = 0; number < 5; number += 1) await made(number);
    // Not the statuses, of which one more may come: of an answer that its caller did not wait for.
    const labelsOf = (samples: Sample[]): string[] =>
      [...new Set(samples.map(({ labels }) => `${labels.route} ${labels.method}`))].sort();
    const before = labelsOf(await scrape());
    for (let number = 5; number < 25; number += 1) await made(number);
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.deepEqual(labelsOf(samplesIn(page)), before);
    assert.doesNotMatch(page, /made-up/i);
  });

  it('are on their own port alone, which has nothing else', async () => {
    const main = await (await dashboard.call('/metrics')).text();
    assert.doesNotMatch(main, /# TYPE/);
    assert.equal((await dashboard.call('/api/metrics', { session })).status, 404);
    const headers = { cookie: `dashboard-session=${session}` };
    for (const path of ['/', '/api/health', '/api/settings', '/metrics/..%2fapi'])
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status, 404);
  });
});
