import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withCommands } from '../../docs/openapi/commands.ts';
import { describeWith } from '../support/tools.ts';

const CHART = fileURLToPath(new URL('../../deploy/chart', import.meta.url));
const CONFIG = {
  BASE_URL: 'https://admin.example.com',
  AUTH_URL: 'https://auth.example.com',
  OAUTH_CLIENT_ID: 'dashboard',
};
const MINIMAL = { deployment: 'customer', secret: { name: 'dashboard-secrets' }, config: CONFIG };
const PEER = [{ namespaceSelector: { matchLabels: { name: 'front' } } }];

const VALUES: Record<string, object> = {
  'the least': MINIMAL,
  'the workforce, with TLS to the database and a user for migrations': {
    ...MINIMAL,
    deployment: 'workforce',
    config: { ...CONFIG, ALLOWED_NETWORKS: '10.0.0.0/8', PROXY_TIMEOUT_MS: 5000 },
    databaseCa: { configMap: 'database-ca' },
    migrations: { secret: 'dashboard-migrations' },
  },
  'everything that is off by default': {
    ...MINIMAL,
    networkPolicy: {
      ingressFrom: PEER,
      metricsFrom: PEER,
      egress: [{ cidr: '10.96.0.0/12', ports: [80, 3306] }],
    },
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'admin.example.com',
      tlsSecret: 'tls',
      annotations: { a: 'b' },
    },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, docsUrl: 'https://git.example.com/docs/' },
  },
  'one pod that migrates by itself, under the policies of its namespace': {
    ...MINIMAL,
    replicas: 1,
    migrations: { enabled: false },
    networkPolicy: { enabled: false },
    disruptionBudget: { maxUnavailable: '50%' },
  },
  'a pinned image, IPv6, a rotation and chosen nodes': {
    ...MINIMAL,
    image: {
      repository: 'registry.example/dashboard',
      digest: `sha256:${'a'.repeat(64)}`,
      pullSecrets: [{ name: 'r' }],
    },
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

const run = (tool: string, args: readonly string[], input: string) => {
  const { status, stdout, stderr } = spawnSync(tool, args, { input, encoding: 'utf8', maxBuffer: 10_000_000 });
  return { status, text: stdout + stderr };
};
const render = (values: object, release = 'front') =>
  run('helm', ['template', release, CHART, '--kube-version', '1.30', '-f', '-'], JSON.stringify(values));

describeWith('helm', 'the Helm chart', () => {
  for (const [title, values] of Object.entries(VALUES))
    it(`is linted and rendered with ${title}`, () => {
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
      assert.equal(pods.length, /migrates by itself/.test(title) ? 1 : 2);
      assert.doesNotMatch(text, /<no value>|secretKeyRef/);
    });

  it('names the database of the migrations only to their job', () => {
    const { text } = render(Object.values(VALUES)[1] as object);
    const [deployment, job] = ['Deployment', 'Job'].map((kind) =>
      text.split(/^---$/m).find((document) => new RegExp(`^kind: ${kind}$`, 'm').test(document)),
    );
    assert.doesNotMatch(deployment ?? '', /dashboard-migrations/);
    assert.match(job ?? '', /name: dashboard-migrations\s+items: \[\{ key: DATABASE_URL/);
    assert.match(deployment ?? '', /name: MIGRATIONS, value: wait/);
  });

  it('has the names that the documented commands use', () => {
    const { text } = render(MINIMAL, 'customer');
    const [, name = ''] = /^kind: Deployment\nmetadata:\n {2}name: (\S+)$/m.exec(text) ?? [];
    const page = withCommands('<!-- command: doctor -->\n<!-- /command -->');
    assert.match(page, new RegExp(`^kubectl -n dashboard-customer exec deploy/${name} -- `, 'm'));
  });

  it('rejects what belongs into the Secret, is set by the chart itself, or is missing', () => {
    for (const values of [
      { ...MINIMAL, config: { ...CONFIG, SESSION_SIGNING_KEY: 'x' } },
      { ...MINIMAL, config: { ...CONFIG, MIGRATIONS: 'run' } },
      { ...MINIMAL, config: { BASE_URL: 'https://admin.example.com' } },
      { ...MINIMAL, deployment: 'both' },
      { ...MINIMAL, secret: {} },
      { ...MINIMAL, unknown: true },
    ])
      assert.notEqual(render(values).status, 0, JSON.stringify(values));
  });

  describeWith('kubernetesValidate', 'renders documents', () => {
    it('that fit the schemas of the Kubernetes API', () => {
      for (const [title, values] of Object.entries(VALUES)) {
        const documents = render(values).text.split(/^---$/m);
        // The schemas of the Prometheus operator are not part of the API.
        const own = documents.filter((document) => !document.includes('monitoring.coreos.com')).join('---');
        const { status, text } = run('kubernetes-validate', ['--strict', '-k', '1.30', '-'], own);
        assert.equal(status, 0, `${title}: ${text}`);
      }
    });
  });
});
