import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseConfig } from '../../server/config/parse-config.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { networkChecks } from '../../server/features/security/posture/network.ts';
import { imaginedAccess } from '../../server/gate/admin-access.ts';
import { DEPLOYMENTS } from '../../shared/deployment.ts';
import { below, filledIn, pairsOf } from '../support/repository-files.ts';

const folder = fileURLToPath(new URL('../../deploy/platform/', import.meta.url));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('the platform to click through', () => {
  const compose = read('compose.yaml').replaceAll(/: &[\w-]+$/gm, ':');
  const services = below(compose, 'services');
  const names = [...services.matchAll(/^([\w-]+):$/gm)].map(([, name = '']) => name);
  const service = (name: string): string => below(services, name);
  const networksOf = (name: string): string[] => /^networks: \[(.*)\]$/m.exec(service(name))?.[1]?.split(', ') ?? [];
  let copy: string;
  before(() => {
    copy = mkdtempSync(join(tmpdir(), 'platform-'));
    cpSync(folder, copy, { recursive: true, filter: (path) => !path.includes('/secrets') });
    execFileSync('sh', [join(copy, 'make-secrets.sh'), 'customer']);
  });
  after(() => rmSync(copy, { recursive: true }));
  const secret = (name: string): string => join(copy, 'secrets/customer', name);

  for (const deployment of DEPLOYMENTS)
    it(`gives ${deployment} a configuration that is valid, with its secrets as files`, async () => {
      const env = Object.fromEntries(
        Object.entries(pairsOf(below(service('dashboard'), 'environment'))).map(([name, value]) => [
          name,
          filledIn(value, { DEPLOYMENT: deployment }).replace(/^\/run\/secrets\//, `${copy}/secrets/customer/`),
        ]),
      );
      const config = parseConfig(env);
      assert.equal(config.production, true);
      assert.equal(config.deployment, deployment);
      // A cookie knows no port: on one host, each deployment would sign operators out of the other.
      assert.equal(new URL(config.baseUrl).hostname, `dashboard.${deployment}.localhost`);
      assert.match(read('Caddyfile'), /^dashboard\.\{\$DEPLOYMENT\}\.localhost \{$/m);
      assert.deepEqual(
        config.database,
        parseDatabaseUrl(`mysql://dashboard:${readFileSync(secret('database_password'), 'utf8')}@database/dashboard`),
      );
      for (const { id, look } of networkChecks(config, imaginedAccess(config)))
        if (id === 'admin_proxies') assert.equal((await look()).status, 'pass');
      const given = [...service('dashboard').matchAll(/\/run\/secrets\/(\w+)$/gm)].map(([, name]) => name);
      assert.deepEqual(/^secrets: \[(.*)\]$/m.exec(service('dashboard'))?.[1]?.split(', '), given);
    });

  it('keeps the database to the dashboard, and the admin ports behind a key', () => {
    const on = (network: string): string[] => names.filter((name) => networksOf(name).includes(network));
    assert.deepEqual(on('data'), ['dashboard', 'database']);
    assert.deepEqual(on('keyed'), ['dashboard', 'admin-ports']);
    assert.ok(!on('admin').includes('dashboard') && !on('admin').includes('tls'));
    for (const network of ['data', 'keyed', 'admin', 'mail'])
      assert.equal(pairsOf(below(compose, 'networks'))[network], '{ internal: true }');
    const published = names.filter((name) => /^ports: /m.test(service(name)));
    assert.deepEqual(published, ['tls', 'mail']);
    for (const name of published) assert.match(service(name), /^ports: \["127\.0\.0\.1:/m);
    const admin = read('Caddyfile.admin');
    assert.equal(admin.match(/reverse_proxy/g)?.length, 1);
    assert.match(admin, /handle @keyed \{\n.*\n\t\treverse_proxy \{args\[0\]\}\n\t\}\n\trespond 401\n/);
  });
});
