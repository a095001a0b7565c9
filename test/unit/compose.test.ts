import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { networkChecks } from '../../server/checks/network.ts';
import type { OpenidProvider } from '../../server/config/config.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { FILE_VARIABLES } from '../../server/config/variables.ts';
import { LEAST_BYTES } from '../../server/memory.ts';
import { DEPLOYMENTS } from '../../shared/upstreams.ts';
import { folderOfSuite } from '../support/of-suite.ts';
import { readText, readYaml, root } from '../support/repository-files.ts';

/** What these tests read of a compose file. */
interface ComposeFile {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean; ipam?: { config: { gateway: string }[] } } | null>;
  secrets: Record<string, { file: string }>;
}
interface Service {
  environment: Record<string, string>;
  networks: string[];
  secrets: string[];
  mem_limit: string;
  cpus: number;
}

/** Fills in variables as Compose: `${X:?}` is required, `${X?}` may be empty, `${X:-y}` is else y, `${X:+y}` y if set. */
function filledIn(value: string, env: Record<string, string>): string {
  const orFail = (name: string): string => assert.fail(`${name} is required`);
  const filled = value
    .replace(/\$\{(\w+)\?\}/g, (_all, name) => env[name] ?? orFail(name))
    .replace(/\$\{(\w+):([?+-])([^${}]*)\}/g, (_all, name, kind, word) =>
      kind === '+' ? (env[name] ? word : '') : env[name] || (kind === '-' ? word : orFail(name)),
    );
  return filled === value ? value : filledIn(filled, env);
}

/** Parses the configuration of a service in a compose file, with its secrets at other paths. */
const configOf = ({ environment }: Service, variables: Record<string, string>, sourceOf: (path: string) => string) =>
  parseConfig(
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => {
        const filled = filledIn(value, variables);
        return [name, filled.startsWith('/run/secrets/') ? sourceOf(filled) : filled];
      }),
    ),
  );

const servicesOn = ({ services }: ComposeFile, network: string): string[] =>
  Object.keys(services).filter((name) => services[name]?.networks.includes(network));

describe('compose.yaml', () => {
  const text = readText('deploy/compose.yaml');
  const compose = readYaml('deploy/compose.yaml') as ComposeFile;
  const service = (name: string): Service => compose.services[name] ?? assert.fail(name);
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
    const values = readYaml('deploy/chart/values.yaml') as { resources: { limits: { memory: string } } };
    const chart = /^(\d+)Mi$/.exec(values.resources.limits.memory)?.[1];
    for (const [name, { mem_limit: limit, cpus }] of Object.entries(compose.services))
      assert.deepEqual([limit, cpus], [`${chart}m`, 1], name);
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
      const { file } = compose.secrets[path.replace('/run/secrets/', '')] ?? assert.fail(path);
      return inFolder(filledIn(file, env));
    };
    const configuration = (env: Record<string, string>) =>
      configOf(service(deployment), env, (path) => sourceOf(path, env));

    it(`passes every documented variable to the ${deployment} service, from a variable with the prefix ${prefix}_`, () => {
      const { environment } = service(deployment);
      assert.deepEqual(Object.keys(environment).map(withoutSuffix).sort(), documented.toSorted());
      const fixed = ['NODE_ENV', 'DEPLOYMENT', 'HOST', 'PORT'];
      for (const [name, value] of Object.entries(environment))
        if (!fixed.includes(name) && withoutSuffix(name) === name)
          assert.match(value, new RegExp(`^\\$\\{${prefix}_${name}[:?]`), `${name}: ${value}`);
    });

    it(`gives the ${deployment} service only its own secrets, and only as files`, () => {
      const { environment } = service(deployment);
      const path = (variable: string): string => `/run/secrets/${deployment}_${variable.toLowerCase()}`;
      for (const { variable, file } of FILE_VARIABLES) {
        assert.equal(filledIn(environment[file] ?? '', { [`${prefix}_${file}`]: 'x' }), path(variable));
        assert.equal(environment[variable], undefined);
      }
      assert.deepEqual(
        service(deployment).secrets.toSorted(),
        FILE_VARIABLES.map(({ variable }) => path(variable).slice('/run/secrets/'.length)).sort(),
      );
      const database = service(`${deployment}-database`);
      const password = `${deployment}_database_password`;
      assert.deepEqual(database.secrets, [password]);
      assert.equal(database.environment['MARIADB_PASSWORD_FILE'], `/run/secrets/${password}`);
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

    it(`gives the ${deployment} service a valid configuration with an OpenID provider, and without Kratos and Hydra`, () => {
      writeFileSync(inFolder('secrets', deployment, 'client'), 'the secret of the client');
      const variables = `AUTH_ISSUER=https://login.example/ OAUTH_CLIENT_SECRET_FILE=secrets/${deployment}/client
        OPERATORS_FROM=claims OPERATOR_ROLE_CLAIM=/groups OPERATOR_ROLE_VALUES=admin=platform-admins OPERATOR_SCHEMA_IDS=
        AUTH_URL= OAUTH_URL= OAUTH_ADMIN_URL= ${identity}_URL= ${identity}_ADMIN_URL=`;
      const given = parseEnv(variables.replace(/\s+|^/g, `\n${prefix}_`)) as Record<string, string>;
      const { provider } = configuration({ ...required, ...given }).auth;
      const { issuer, clientSecret } = provider as OpenidProvider;
      assert.deepEqual([issuer, clientSecret], ['https://login.example/', 'the secret of the client']);
    });

    it(`gives only the ${deployment} service access to its database, and makes it trust only its gateway as a proxy`, () => {
      const [internal = '', ...others] = service(`${deployment}-database`).networks;
      assert.deepEqual(others, []);
      assert.deepEqual(compose.networks[internal], { internal: true });
      assert.deepEqual(servicesOn(compose, internal), [deployment, `${deployment}-database`]);
      const [front = '', ...further] = service(deployment).networks.filter((network) => network !== internal);
      assert.deepEqual(further, []);
      const gateway = compose.networks[front]?.ipam?.config[0]?.gateway;
      assert.deepEqual(configuration(required).trustProxy, [gateway]);
      // Docker assigns addresses of these ranges to other networks.
      assert.doesNotMatch(gateway ?? '', /^(?:172\.(?:1[6-9]|2\d|3[01])|192\.168)\./);
    });
  }
});

describe('deploy/platform/compose.yaml', () => {
  const compose = readYaml('deploy/platform/compose.yaml') as ComposeFile;
  const inFolder = folderOfSuite();

  it('gives each deployment a valid configuration with its own host name and with secrets as files', () => {
    cpSync(join(root, 'deploy/platform/make-secrets.sh'), inFolder('make.sh'));
    execFileSync('sh', [inFolder('make.sh'), 'customer']);
    const dashboard = compose.services['dashboard'] ?? assert.fail();
    const sourceOf = (path: string): string => path.replace('/run/secrets', inFolder('secrets/customer'));
    for (const deployment of DEPLOYMENTS) {
      const config = configOf(dashboard, { DEPLOYMENT: deployment }, sourceOf);
      assert.deepEqual([config.production, config.deployment], [true, deployment]);
      const header = `TRACING_PROVIDERS_OTLP_AUTHORIZATION_HEADER=Bearer ${config.events?.key}\n`;
      assert.ok(readFileSync(inFolder('secrets/customer/ory.env'), 'utf8').includes(header));
      assert.match(readText('deploy/platform/kratos.yml'), new RegExp(`"dashboard:${config.events?.port}"`));
      // Cookies ignore ports: on one host, each deployment would sign operators out of the other.
      assert.equal(new URL(config.baseUrl).hostname, `dashboard.${deployment}.localhost`);
    }
  });

  it('gives only the dashboard access to the database, and lets it reach the admin ports only with a key', () => {
    assert.deepEqual(servicesOn(compose, 'data'), ['dashboard', 'database']);
    assert.deepEqual(servicesOn(compose, 'keyed'), ['dashboard', 'admin-ports']);
    const onAdmin = servicesOn(compose, 'admin');
    assert.ok(onAdmin.length > 0 && !onAdmin.includes('dashboard') && !onAdmin.includes('tls'));
    for (const network of ['data', 'keyed', 'admin', 'mail'])
      assert.deepEqual(compose.networks[network], { internal: true });
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
