import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseConfig } from '../../server/config/parse-config.ts';
import { FILE_VARIABLES } from '../../server/config/variables.ts';
import { networkChecks } from '../../server/features/security/posture/network.ts';
import { accessFor } from '../../server/gate/access.ts';
import { LEAST_BYTES } from '../../server/memory.ts';
import { DEPLOYMENTS } from '../../shared/upstreams.ts';
import { below, filledIn, pairsOf } from '../support/repository-files.ts';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

describe('compose.yaml', () => {
  const text = read('deploy/compose.yaml');
  const compose = text.replaceAll(/: &[\w-]+$/gm, ':');
  const services = below(compose, 'services');
  const networks = below(compose, 'networks');
  const networksOf = (service: string): string[] =>
    /\[(.*)\]/.exec(pairsOf(below(services, service))['networks'] ?? '')?.[1]?.split(', ') ?? assert.fail(service);
  const environmentOf = (service: string): Record<string, string> =>
    pairsOf(below(below(services, service), 'environment'));
  const secretsOf = (service: string): string[] =>
    below(below(services, service), 'secrets').match(/(?<=^- )\w+$/gm) ?? [];
  const documented = [...(read('docs/configure.md').match(/^\| `[A-Z_]+` \|/gm) ?? [])].map((row) => row.slice(3, -3));

  const variableOf = (name: string): string => name.replace(/_FILE$/, '');

  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'compose-'));
    // The very commands of its header.
    const commands = text.match(/^# {3}.*$/gm)?.map((line) => line.slice(1)) ?? [];
    execFileSync('sh', ['-e'], { cwd: folder, input: commands.join('\n') });
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has secrets that the users of the containers can read, in a folder that nobody else here enters', () => {
    assert.equal(statSync(join(folder, 'secrets')).mode & 0o777, 0o700);
    const made = ['session_signing_key', 'encryption_key', 'database_url', 'database_password'];
    for (const path of DEPLOYMENTS.flatMap((deployment) => made.map((name) => `secrets/${deployment}/${name}`)))
      assert.equal(statSync(join(folder, path)).mode & 0o444, 0o444, path);
  });

  it('limits memory as the chart does, and no deployment has less than the service needs', () => {
    const chart = /limits: \{ memory: (\d+)Mi \}/.exec(read('deploy/chart/values.yaml'))?.[1];
    for (const service of ['x-dashboard', 'x-database']) {
      const { mem_limit: limit, cpus } = pairsOf(below(compose, service));
      assert.deepEqual([limit, cpus], [`${chart}m`, '1'], service);
    }
    assert.ok(Number(chart) * 1024 * 1024 >= LEAST_BYTES);
  });

  for (const deployment of DEPLOYMENTS) {
    const prefix = deployment.toUpperCase();
    const own = deployment === 'customer' ? 'IDENTITY' : 'IAM_IDENTITY';
    /** A file `.env` with what is demanded and no more. */
    const demanded = {
      [`${prefix}_BASE_URL`]: `https://${deployment}.example`,
      [`${prefix}_AUTH_URL`]: 'https://login.example',
      [`${prefix}_OAUTH_CLIENT_ID`]: 'dashboard',
      [`${prefix}_OPERATOR_SCHEMA_IDS`]: 'operator',
      [`${prefix}_${own}_URL`]: 'http://kratos:4433',
      [`${prefix}_${own}_ADMIN_URL`]: 'http://kratos:4434',
      [`${prefix}_OAUTH_URL`]: 'http://hydra:4444',
      [`${prefix}_OAUTH_ADMIN_URL`]: 'http://hydra:4445',
    };
    /** Where Compose takes a file of /run/secrets from. */
    const sourceOf = (path: string, env: Record<string, string>): string => {
      const source = pairsOf(below(compose, 'secrets'))[path.replace('/run/secrets/', '')] ?? assert.fail(path);
      return join(folder, filledIn(/^\{ file: "?(.*?)"? \}$/.exec(source)?.[1] ?? assert.fail(source), env));
    };
    const configuration = (env: Record<string, string>) =>
      parseConfig(
        Object.fromEntries(
          Object.entries(environmentOf(deployment)).map(([name, value]) => {
            const filled = filledIn(value, env);
            return [name, filled.startsWith('/run/secrets/') ? sourceOf(filled, env) : filled];
          }),
        ),
      );

    it(`passes every documented variable through to ${deployment}, by its own name`, () => {
      const environment = environmentOf(deployment);
      assert.deepEqual(Object.keys(environment).map(variableOf).sort(), documented.toSorted());
      const ours = ['NODE_ENV', 'DEPLOYMENT', 'HOST', 'PORT'];
      for (const [name, value] of Object.entries(environment))
        if (!ours.includes(name) && variableOf(name) === name)
          assert.ok(value.startsWith(`\${${prefix}_${name}:`), `${name}: ${value}`);
    });

    it(`passes secrets to ${deployment} as files alone, and none that it does not use`, () => {
      const environment = environmentOf(deployment);
      const path = (variable: string): string => `/run/secrets/${deployment}_${variable.toLowerCase()}`;
      for (const { variable, file } of FILE_VARIABLES) {
        assert.equal(filledIn(environment[file] ?? '', { [`${prefix}_${file}`]: 'x' }), path(variable));
        assert.equal(environment[variable], undefined);
      }
      assert.deepEqual(
        secretsOf(deployment).sort(),
        FILE_VARIABLES.map(({ variable }) => path(variable).slice('/run/secrets/'.length)).sort(),
      );
      const database = `${deployment}-database`;
      const password = `${deployment}_database_password`;
      assert.equal(pairsOf(below(services, database))['secrets'], `[${password}]`);
      assert.equal(environmentOf(database)['MARIADB_PASSWORD_FILE'], `/run/secrets/${password}`);
      const rotated = { ...demanded, [`${prefix}_ENCRYPTION_KEY_PREVIOUS_FILE`]: `secrets/${deployment}/old` };
      writeFileSync(join(folder, 'secrets', deployment, 'old'), 'k2Wq9ZtB6xMv4RnC8yHs1PfJ5dLg7TaE');
      const { previous } = configuration(rotated).encryptionKeys;
      assert.equal(previous, 'k2Wq9ZtB6xMv4RnC8yHs1PfJ5dLg7TaE');
    });

    it(`gives ${deployment} a configuration that is valid, and whose front the posture finds nothing wrong with`, () => {
      const config = configuration(demanded);
      assert.equal(config.production, true);
      assert.equal(config.deployment, deployment);
      // The image probes itself there.
      assert.ok(config.metrics);
      const { allowed_networks: _, ...checks } = networkChecks({ config, adminAccess: accessFor(config) });
      for (const [id, { look }] of Object.entries(checks)) assert.equal(look().status, 'pass', id);
    });

    it(`keeps the database of ${deployment} to it, and trusts the gateway of its network`, () => {
      const [shared = '', ...others] = networksOf(`${deployment}-database`);
      assert.deepEqual(others, []);
      assert.equal(pairsOf(networks)[shared], '{ internal: true }');
      const everybody = Object.keys(pairsOf(services.replace(/:\n/g, ': _\n')));
      assert.deepEqual(everybody.filter((service) => networksOf(service).includes(shared)).sort(), [
        deployment,
        `${deployment}-database`,
      ]);
      const front = networksOf(deployment).filter((network) => network !== shared);
      assert.equal(front.length, 1);
      const [, gateway] = /gateway: ([\d.]+)/.exec(below(networks, front[0] ?? '')) ?? [];
      assert.deepEqual(configuration(demanded).trustProxy, [gateway]);
      // Docker gives out these by itself: the next network could have it already.
      assert.doesNotMatch(gateway ?? '', /^(?:172\.(?:1[6-9]|2\d|3[01])|192\.168)\./);
    });
  }
});

describe('the platform to click through', () => {
  const compose = read('deploy/platform/compose.yaml').replaceAll(/: &[\w-]+$/gm, ':');
  const services = below(compose, 'services');

  it('gives each deployment a configuration that is valid, with its secrets as files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'platform-'));
    try {
      cpSync(fileURLToPath(new URL('../../deploy/platform/make-secrets.sh', import.meta.url)), join(folder, 'make.sh'));
      execFileSync('sh', [join(folder, 'make.sh'), 'customer']);
      const environment = Object.entries(pairsOf(below(below(services, 'dashboard'), 'environment')));
      for (const deployment of DEPLOYMENTS) {
        const config = parseConfig(
          Object.fromEntries(
            environment.map(([name, value]) => [
              name,
              filledIn(value, { DEPLOYMENT: deployment }).replace(/^\/run\/secrets\//, `${folder}/secrets/customer/`),
            ]),
          ),
        );
        assert.deepEqual([config.production, config.deployment], [true, deployment]);
        // A cookie knows no port: on one host, each deployment would sign operators out of the other.
        assert.equal(new URL(config.baseUrl).hostname, `dashboard.${deployment}.localhost`);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('keeps the database to the dashboard, and the admin ports behind a key', () => {
    const on = (network: string): string[] =>
      [...services.matchAll(/^([\w-]+):$/gm)]
        .map(([, name = '']) => name)
        .filter((name) => /^networks: \[(.*)\]$/m.exec(below(services, name))?.[1]?.split(', ').includes(network));
    assert.deepEqual(on('data'), ['dashboard', 'database']);
    assert.deepEqual(on('keyed'), ['dashboard', 'admin-ports']);
    assert.ok(!on('admin').includes('dashboard') && !on('admin').includes('tls'));
    for (const network of ['data', 'keyed', 'admin', 'mail'])
      assert.equal(pairsOf(below(compose, 'networks'))[network], '{ internal: true }');
  });
});

describe('what is said of Kratos’ configuration', () => {
  for (const path of ['deploy/platform/kratos.yml', 'docs/getting-started.md'])
    it(`lets nobody change their own role, and registers nobody as an operator, in ${path}`, () => {
      const text = read(path);
      assert.match(text, /\bprofile: \{ enabled: false \}/);
      const [, registered] = /^ *default_schema_id: (\w+)$/m.exec(text) ?? [];
      assert.ok(registered !== undefined && registered !== 'operator', registered);
    });
});
