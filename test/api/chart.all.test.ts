import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withCommands } from '../../docs/openapi/commands.ts';
import { folderOfSuite } from '../support/of-suite.ts';
import { readText, root } from '../support/repository-files.ts';
import { describeWith } from '../support/tools.ts';

const CHART = join(root, 'deploy/chart');
const CONFIG = {
  BASE_URL: 'https://admin.example.com',
  AUTH_URL: 'https://auth.example.com',
  OAUTH_CLIENT_ID: 'dashboard',
};
const { AUTH_URL: _, ...OTHERS } = CONFIG;
const PROVIDER = { ...OTHERS, AUTH_ISSUER: 'https://login.example.com/', OPERATORS_FROM: 'claims' };
const MINIMAL = { deployment: 'customer', secret: { name: 'dashboard-secrets' }, config: CONFIG };
const PEER = [{ namespaceSelector: { matchLabels: { name: 'front' } } }];

const VALUES: Record<string, object> = {
  'only required values': MINIMAL,
  'TLS to the database and a separate database user for migrations, in a workforce deployment': {
    ...MINIMAL,
    deployment: 'workforce',
    config: { ...CONFIG, ALLOWED_NETWORKS: '10.0.0.0/8', PROXY_TIMEOUT_MS: 5000 },
    databaseCa: { configMap: 'database-ca' },
    migrations: { secret: 'dashboard-migrations' },
  },
  'an OpenID provider, the secret of a client and the sign-in log': {
    ...MINIMAL,
    config: PROVIDER,
    secret: { name: 'dashboard-secrets', keys: ['DATABASE_URL', 'OAUTH_CLIENT_SECRET', 'EVENTS_KEY'] },
    events: { enabled: true },
    networkPolicy: { eventsFrom: PEER },
  },
  'everything enabled that is disabled by default': {
    ...MINIMAL,
    networkPolicy: { ingressFrom: PEER, metricsFrom: PEER, egress: [{ cidr: '10.96.0.0/12', ports: [80, 3306] }] },
    ingress: { enabled: true, className: 'nginx', host: 'a.example', tlsSecret: 'tls', annotations: { a: 'b' } },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, docsUrl: 'https://git.example.com/docs/' },
  },
  'one pod that runs migrations itself, and no network policy': {
    ...MINIMAL,
    replicas: 1,
    migrations: { enabled: false },
    networkPolicy: { enabled: false },
    disruptionBudget: { maxUnavailable: '50%' },
  },
  'a pinned image, IPv6, a rotated key and selected nodes': {
    ...MINIMAL,
    image: { repository: 'registry.example/a', digest: `sha256:${'a'.repeat(64)}`, pullSecrets: [{ name: 'r' }] },
    secret: {
      name: 'dashboard-secrets',
      keys: ['SESSION_SIGNING_KEY', 'SESSION_SIGNING_KEY_PREVIOUS', 'ENCRYPTION_KEY', 'DATABASE_URL'],
    },
    listen: '::',
    nodeSelector: { pool: 'front' },
    tolerations: [{ key: 'front', operator: 'Exists' }],
    podLabels: { team: 'identity' },
    podAnnotations: { note: 'x' },
  },
};

const run = (tool: string, args: readonly string[], input?: string) => {
  const { status, stdout, stderr } = spawnSync(tool, args, { input, encoding: 'utf8', maxBuffer: 10_000_000 });
  return { status, text: stdout + stderr };
};
const render = (values: object, release = 'front') =>
  run('helm', ['template', release, CHART, '--kube-version', '1.30', '-f', '-'], JSON.stringify(values));

describeWith('helm', 'the Helm chart', () => {
  for (const [title, values] of Object.entries(VALUES))
    it(`passes the linter and renders restricted pods with ${title}`, () => {
      const lint = run('helm', ['lint', CHART, '--strict', '-f', '-'], JSON.stringify(values));
      assert.equal(lint.status, 0, lint.text);
      const { status, text } = render(values);
      assert.equal(status, 0, text);
      const pods = text.split(/^---$/m).filter((document) => /^kind: (?:Deployment|Job)$/m.test(document));
      for (const pod of pods)
        for (const line of [
          /readOnlyRootFilesystem: true/,
          /runAsNonRoot: true/,
          /allowPrivilegeEscalation: false/,
          /drop: \[ALL\]/,
          /enableServiceLinks: false/,
          /automountServiceAccountToken: false/,
          /name: DATABASE_URL_FILE, value: \/etc\/dashboard\/secrets\/DATABASE_URL/,
        ])
          assert.match(pod, line, title);
      assert.equal(pods.length, 'migrations' in values && 'enabled' in (values.migrations as object) ? 1 : 2);
      assert.doesNotMatch(text, /<no value>|secretKeyRef/);
    });

  it('mounts the Secret for migrations only in the job that runs them', () => {
    const { text } = render({ ...MINIMAL, migrations: { secret: 'dashboard-migrations' } });
    const [deployment, job] = ['Deployment', 'Job'].map((kind) =>
      text.split(/^---$/m).find((document) => new RegExp(`^kind: ${kind}$`, 'm').test(document)),
    );
    assert.doesNotMatch(deployment ?? '', /dashboard-migrations/);
    assert.match(job ?? '', /name: dashboard-migrations\s+items: \[\{ key: DATABASE_URL/);
    assert.match(deployment ?? '', /name: MIGRATIONS, value: wait/);
  });

  it('names the Deployment as the documented kubectl commands do', () => {
    const { text } = render(MINIMAL, 'customer');
    const [, name = ''] = /^kind: Deployment\nmetadata:\n {2}name: (\S+)$/m.exec(text) ?? [];
    const page = withCommands('<!-- command: doctor -->\n<!-- /command -->');
    assert.match(page, new RegExp(`^kubectl -n dashboard-customer exec deploy/${name} -- `, 'm'));
  });

  it('rejects secrets in its config, variables that it sets itself, and missing, invalid or unknown values', () => {
    for (const values of [
      { ...MINIMAL, config: { ...CONFIG, SESSION_SIGNING_KEY: 'x' } },
      { ...MINIMAL, config: { ...CONFIG, MIGRATIONS: 'run' } },
      { ...MINIMAL, config: { ...CONFIG, ...PROVIDER } },
      { ...MINIMAL, config: { ...PROVIDER, OAUTH_CLIENT_SECRET: 'x' } },
      { ...MINIMAL, config: { BASE_URL: 'https://admin.example.com' } },
      { ...MINIMAL, deployment: 'both' },
      { ...MINIMAL, secret: {} },
      { ...MINIMAL, unknown: true },
    ])
      assert.notEqual(render(values).status, 0, JSON.stringify(values));
  });

  describeWith('kubernetesValidate', 'for Kubernetes 1.30', () => {
    it('renders documents that match the schemas of its API', () => {
      for (const [title, values] of Object.entries(VALUES)) {
        const documents = render(values).text.split(/^---$/m);
        // The API has no schemas for the resources of the Prometheus operator.
        const ofTheApi = documents.filter((document) => !document.includes('monitoring.coreos.com')).join('---');
        const { status, text } = run('kubernetes-validate', ['--strict', '-k', '1.30', '-'], ofTheApi);
        assert.equal(status, 0, `${title}: ${text}`);
      }
    });
  });
});

/** A counter that increases steadily for two hours. */
const counter = (series: string, perMinute: number) => ({ series, values: `0+${perMinute}x120` });
const requests = (route: string, status: string, perMinute: number) =>
  counter(
    `dashboard_http_request_duration_seconds_count{job="dashboard-admin",deployment="customer",route="${route}",status="${status}"}`,
    perMinute,
  );
const upstream = (outcome: string, perMinute: number) =>
  counter(
    `dashboard_upstream_request_duration_seconds_count{job="dashboard-admin",deployment="customer",upstream="oauth",outcome="${outcome}"}`,
    perMinute,
  );
const signIns = (outcome: string, perMinute: number) =>
  counter(`dashboard_sign_ins_total{job="dashboard-admin",deployment="customer",outcome="${outcome}"}`, perMinute);
const constant = (series: string, value: number) => ({ series, values: `${value}+0x120` });
const UP = constant('up{job="dashboard-admin",instance="a"}', 1);

/** Kinds of traffic, with the alerts that fire after an hour of each. */
const TRAFFIC: Record<string, { series: object[]; alerts: string[] }> = {
  'successful requests': {
    series: [UP, requests('/api/settings', '200', 60), upstream('2xx', 60), signIns('ok', 1)],
    alerts: [],
  },
  'failing requests, upstreams, sign-ins and replicas': {
    series: [
      constant('up{job="dashboard-admin",instance="a"}', 0),
      requests('/api/settings', '200', 60),
      requests('/api/settings', '503', 6),
      upstream('2xx', 30),
      upstream('timeout', 30),
      signIns('ok', 1),
      signIns('provider_unreachable', 3),
      constant('dashboard_audit_queue_failing{instance="a"}', 1),
      constant('dashboard_change_poll_age_seconds{instance="a"}', 31),
      constant('dashboard_events_age_seconds{instance="a"}', 86_401),
      counter('dashboard_event_requests_total{instance="a",outcome="key"}', 12),
    ],
    alerts: [
      'DashboardAuditRecordsAtRisk',
      'DashboardDown',
      'DashboardErrors',
      'DashboardEventsMissing',
      'DashboardEventsRefused',
      'DashboardRevocationsStale',
      'DashboardSignInsFailing',
      'DashboardUpstreamFailing',
    ],
  },
  'failing probes and single errors': {
    series: [UP, requests('/api/health', '503', 60), requests('/api/settings', '500', 1), upstream('timeout', 1)],
    alerts: [],
  },
  'operators without a role': { series: [UP, signIns('no_role', 5)], alerts: [] },
  'no target': { series: [], alerts: ['DashboardAbsent'] },
};

describeWith('promtool', 'the file of alert rules', () => {
  const inFolder = folderOfSuite();

  it('triggers alerts for failing requests, upstreams, sign-ins and replicas, and for nothing else', () => {
    const names = [...readText('deploy/chart/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const tests = Object.entries(TRAFFIC).map(([name, { series, alerts }]) => ({
      name,
      interval: '1m',
      input_series: series,
      promql_expr_test: names.map((alertname) => ({
        expr: `count by (alertname) (ALERTS{alertname="${alertname}",alertstate="firing"})`,
        eval_time: '1h',
        exp_samples: alerts.includes(alertname) ? [{ labels: `{alertname="${alertname}"}`, value: 1 }] : [],
      })),
    }));
    const rules = { rule_files: [join(CHART, 'alerts.yml')], evaluation_interval: '1m', tests };
    // Every JSON document is also a YAML document.
    writeFileSync(inFolder('test.yml'), JSON.stringify(rules));
    const { status, text } = run('promtool', ['test', 'rules', inFolder('test.yml')]);
    assert.equal(status, 0, text);
  });
});
