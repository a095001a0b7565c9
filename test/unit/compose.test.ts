import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { networkChecks } from '../../server/checks/network.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { FILE_VARIABLES } from '../../server/config/variables.ts';
import { LEAST_BYTES } from '../../server/memory.ts';
import { DEPLOYMENTS } from '../../shared/upstreams.ts';
import { folderOfSuite } from '../support/of-suite.ts';
import { below, filledIn, pairsOf, readText, root } from '../support/repository-files.ts';

/** Parses the configuration of a service in a compose file, with its secrets at other paths. */
const configOf = (
  environment: Record<string, string>,
  variables: Record<string, string>,
  sourceOf: (path: string) => string,
) =>
  parseConfig(
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => {
        const filled = filledIn(value, variables);
        return [name, filled.startsWith('/run/secrets/') ? sourceOf(filled) : filled];
      }),
    ),
  );

describe('compose.yaml', () => {
  const text = readText('deploy/compose.yaml');
  const compose = text.replaceAll(/: &[\w-]+$/gm, ':');
  const services = below(compose, 'services');
  const networks = below(compose, 'networks');
  const networksOf = (service: string): string[] =>
    /\[(.*)\]/.exec(pairsOf(below(services, service))['networks'] ?? '')?.[1]?.split(', ') ?? assert.fail(service);
  const environmentOf = (service: string): Record<string, string> =>
    pairsOf(below(below(services, service), 'environment'));
  const secretsOf = (service: string): string[] =>
    below(below(services, service), 'secrets').match(/(?<=^- )\w+$/gm) ?? [];
  const documented = [...(readText('docs/configure.md').match(/^\| `[A-Z_]+` \|/gm) ?? [])].map((row) =>
    row.slice(3, -3),
  );

  const withoutSuffix = (name: string): string => name.replace(/_FILE$/, '');

  const inFolder = folderOfSuite();
  before(() => {
    const commandsOfHeader = text.match(/^# {3}.*$/gm)?.map((line) => line.slice(1)) ?? [];
    execFileSync('sh', ['-e'], { cwd: inFolder(), input: commandsOfHeader.join('\n') });
  });

  it('documents commands that create secrets readable in the containers, in a folder that only its owner can enter', () => {
    assert.equal(statSync(inFolder('secrets')).mode & 0o777, 0o700);
    for (const deployment of DEPLOYMENTS)
      for (const name of ['session_signing_key', 'encryption_key', 'database_url', 'database_password'])
        assert.equal(statSync(inFolder('secrets', deployment, name)).mode & 0o444, 0o444, `${deployment} ${name}`);
  });

  it('limits each service to one CPU and to the memory limit of the chart, which is enough for the service', () => {
    const chart = /limits: \{ memory: (\d+)Mi \}/.exec(readText('deploy/chart/values.yaml'))?.[1];
    for (const service of ['x-dashboard', 'x-database']) {
      const { mem_limit: limit, cpus } = pairsOf(below(compose, service));
      assert.deepEqual([limit, cpus], [`${chart}m`, '1'], service);
    }
    assert.ok(Number(chart) * 1024 * 1024 >= LEAST_BYTES);
  });

  for (const deployment of DEPLOYMENTS) {
    const prefix = deployment.toUpperCase();
    const identity = deployment === 'customer' ? 'IDENTITY' : 'IAM_IDENTITY';
    /** A file `.env` with the required variables only. */
    const required = {
      [`${prefix}_BASE_URL`]: `https://${deployment}.example`,
      [`${prefix}_AUTH_URL`]: 'https://login.example',
      [`${prefix}_OAUTH_CLIENT_ID`]: 'dashboard',
      [`${prefix}_OPERATOR_SCHEMA_IDS`]: 'operator',
      [`${prefix}_${identity}_URL`]: 'http://kratos:4433',
      [`${prefix}_${identity}_ADMIN_URL`]: 'http://kratos:4434',
      [`${prefix}_OAUTH_URL`]: 'http://hydra:4444',
      [`${prefix}_OAUTH_ADMIN_URL`]: 'http://hydra:4445',
    };
    /** The file on the host that Compose mounts at a path below /run/secrets. */
    const sourceOf = (path: string, env: Record<string, string>): string => {
      const source = pairsOf(below(compose, 'secrets'))[path.replace('/run/secrets/', '')] ?? assert.fail(path);
      return inFolder(filledIn(/^\{ file: "?(.*?)"? \}$/.exec(source)?.[1] ?? assert.fail(source), env));
    };
    const configuration = (env: Record<string, string>) =>
      configOf(environmentOf(deployment), env, (path) => sourceOf(path, env));

    it(`passes every documented variable to the ${deployment} service, from a variable with the prefix ${prefix}_`, () => {
      const environment = environmentOf(deployment);
      assert.deepEqual(Object.keys(environment).map(withoutSuffix).sort(), documented.toSorted());
      const fixed = ['NODE_ENV', 'DEPLOYMENT', 'HOST', 'PORT'];
      for (const [name, value] of Object.entries(environment))
        if (!fixed.includes(name) && withoutSuffix(name) === name)
          assert.ok(value.startsWith(`\${${prefix}_${name}:`), `${name}: ${value}`);
    });

    it(`gives the ${deployment} service only its own secrets, and only as files`, () => {
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
      const rotated = { ...required, [`${prefix}_ENCRYPTION_KEY_PREVIOUS_FILE`]: `secrets/${deployment}/old` };
      writeFileSync(inFolder('secrets', deployment, 'old'), 'k2Wq9ZtB6xMv4RnC8yHs1PfJ5dLg7TaE');
      const { previous } = configuration(rotated).encryptionKeys;
      assert.equal(previous, 'k2Wq9ZtB6xMv4RnC8yHs1PfJ5dLg7TaE');
    });

    it(`gives the ${deployment} service a valid configuration that passes all network checks except allowed_networks`, () => {
      const config = configuration(required);
      assert.equal(config.production, true);
      assert.equal(config.deployment, deployment);
      // The health check of the image uses the metrics port.
      assert.ok(config.metrics);
      const checks = networkChecks({ config });
      for (const id of ['cookie_secure', 'base_url', 'auth_url', 'admin_proxies', 'trusted_proxies'] as const)
        assert.equal(checks[id].look().status, 'pass', id);
    });

    it(`gives only the ${deployment} service access to its database, and makes it trust only its gateway as a proxy`, () => {
      const [internal = '', ...others] = networksOf(`${deployment}-database`);
      assert.deepEqual(others, []);
      assert.equal(pairsOf(networks)[internal], '{ internal: true }');
      const allServices = Object.keys(pairsOf(services.replace(/:\n/g, ': _\n')));
      assert.deepEqual(allServices.filter((service) => networksOf(service).includes(internal)).sort(), [
        deployment,
        `${deployment}-database`,
      ]);
      const [front = '', ...further] = networksOf(deployment).filter((network) => network !== internal);
      assert.deepEqual(further, []);
      const [, gateway] = /gateway: ([\d.]+)/.exec(below(networks, front)) ?? [];
      assert.deepEqual(configuration(required).trustProxy, [gateway]);
      // Docker assigns addresses of these ranges to other networks.
      assert.doesNotMatch(gateway ?? '', /^(?:172\.(?:1[6-9]|2\d|3[01])|192\.168)\./);
    });
  }
});

describe('deploy/platform/compose.yaml', () => {
  const compose = readText('deploy/platform/compose.yaml').replaceAll(/: &[\w-]+$/gm, ':');
  const services = below(compose, 'services');
  const inFolder = folderOfSuite();

  it('gives each deployment a valid configuration with its own host name and with secrets as files', () => {
    cpSync(join(root, 'deploy/platform/make-secrets.sh'), inFolder('make.sh'));
    execFileSync('sh', [inFolder('make.sh'), 'customer']);
    const environment = pairsOf(below(below(services, 'dashboard'), 'environment'));
    const sourceOf = (path: string): string => path.replace('/run/secrets', inFolder('secrets/customer'));
    for (const deployment of DEPLOYMENTS) {
      const config = configOf(environment, { DEPLOYMENT: deployment }, sourceOf);
      assert.deepEqual([config.production, config.deployment], [true, deployment]);
      // Cookies ignore ports: on one host, each deployment would sign operators out of the other.
      assert.equal(new URL(config.baseUrl).hostname, `dashboard.${deployment}.localhost`);
    }
  });

  it('gives only the dashboard access to the database, and lets it reach the admin ports only with a key', () => {
    const servicesOn = (network: string): string[] =>
      [...services.matchAll(/^([\w-]+):$/gm)]
        .map(([, name = '']) => name)
        .filter((name) => /^networks: \[(.*)\]$/m.exec(below(services, name))?.[1]?.split(', ').includes(network));
    assert.deepEqual(servicesOn('data'), ['dashboard', 'database']);
    assert.deepEqual(servicesOn('keyed'), ['dashboard', 'admin-ports']);
    assert.ok(!servicesOn('admin').includes('dashboard') && !servicesOn('admin').includes('tls'));
    for (const network of ['data', 'keyed', 'admin', 'mail'])
      assert.equal(pairsOf(below(compose, 'networks'))[network], '{ internal: true }');
  });
});

for (const path of ['deploy/platform/kratos.yml', 'docs/getting-started.md'])
  describe(`the Kratos configuration in ${path}`, () => {
    it('lets no user change their own role or register as an operator', () => {
      const text = readText(path);
      assert.match(text, /\bprofile: \{ enabled: false \}/);
      const [, schema] = /^ *default_schema_id: (\w+)$/m.exec(text) ?? [];
      assert.ok(schema !== undefined && schema !== 'operator', schema);
    });
  });
