import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPERATOR_SCHEMA, operatorSchema, rolesOf } from '../../server/registration.ts';
import { rolesWith } from '../../shared/capabilities.ts';
import { TEST_KEYS } from '../support/context.ts';
import { startFaultingUpstream } from '../support/faulting-upstream.ts';
import { HEALTH_CHECK, STOP_SECONDS, smokeTest } from '../support/image-smoke.ts';
import { freePort } from '../support/loopback.ts';
import { startNginxServers } from '../support/nginx.ts';
import { folderOfTest } from '../support/of-suite.ts';
import { startNode, startProgram } from '../support/processes.ts';
import { readText, root } from '../support/repository-files.ts';
import { SHARED_FOLDER } from '../support/shared-folder.ts';
import { describeWhere, describeWith } from '../support/tools.ts';

const NOBODY = 65_534;
/** The image runs as an unprivileged user; only root can become another user. */
const unprivileged = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

describeWhere(
  unprivileged.uid === undefined || SHARED_FOLDER !== undefined,
  'a folder for temporary files that every user can enter',
  'the image assembled in a folder',
  () => {
    let folder: string;
    let data: string;
    let bin: string;
    before(() => {
      [folder = '', data = '', bin = ''] = ['image-', 'image-data-', 'image-node-'].map((name) =>
        mkdtempSync(join(SHARED_FOLDER ?? tmpdir(), name)),
      );
      chmodSync(data, 0o777);
      // The image has its own Node; the one that runs the tests may be in a folder that only its owner can enter.
      copyFileSync(process.execPath, join(bin, 'node'));
      for (const path of [bin, join(bin, 'node')]) chmodSync(path, 0o755);
      const [, script = ''] = /^RUN node (deploy\/assemble\.mjs) \/image$/m.exec(readText('deploy/Dockerfile')) ?? [];
      execFileSync(process.execPath, [script, folder], { cwd: root });
      execFileSync('chmod', ['-R', 'a+rX,a-w', folder]);
    });
    after(() => {
      execFileSync('chmod', ['-R', 'u+w', folder]);
      for (const path of [folder, data, bin]) rmSync(path, { recursive: true });
    });

    smokeTest(async () => {
      const metricsPort = await freePort();
      const env = {
        ...TEST_KEYS,
        NODE_ENV: 'production',
        PORT: '0',
        METRICS_HOST: '127.0.0.1',
        METRICS_PORT: String(metricsPort),
        BASE_URL: 'http://localhost:3000',
        DATABASE_URL: `sqlite:${join(data, 'dashboard.sqlite')}`,
        AUTH_URL: 'http://127.0.0.1:1',
        OAUTH_CLIENT_ID: 'dashboard',
      };
      const start = (...args: string[]) => startProgram(join(bin, 'node'), args, env, folder, unprivileged);
      const service = start('dist/server/main.js');
      return {
        httpPort: Number((await service.untilPrinted(/"port":(\d+),"msg":"listening"/))[1]),
        metricsPort,
        async node(...args) {
          const program = start(...args);
          return { code: await program.ended(), output: program.output() };
        },
        async stop() {
          const timer = setTimeout(() => void service.stop('SIGKILL'), STOP_SECONDS * 1000);
          return service.stop('SIGTERM').finally(() => clearTimeout(timer));
        },
      };
    });

    it('contains no package for building, installing or development', () => {
      const packages = readdirSync(join(folder, 'node_modules'));
      assert.ok(packages.includes('better-sqlite3'));
      for (const name of ['knex', 'express', 'react', 'node-addon-api', 'rolldown', 'oidc-provider'])
        assert.ok(!packages.includes(name), name);
      assert.deepEqual(readdirSync(folder).sort(), ['dist', 'node_modules', 'package.json']);
    });
  },
);

describe('the Kratos schema of operators', () => {
  it('equals the schema that setup and posture expect', () => {
    assert.deepEqual(JSON.parse(readText('deploy/kratos/operator.schema.json')), OPERATOR_SCHEMA);
  });

  it('allows the extra roles that are enabled where setup writes it', () => {
    const schema = operatorSchema({ roleFrom: 'traits.role', roles: rolesWith(['support']) });
    assert.deepEqual(rolesOf(schema), ['admin', 'support', 'viewer']);
  });
});

describe('the Dockerfile', () => {
  it('bases the image on Node without a shell, for an unprivileged user, and runs no command in it', () => {
    const [, last = ''] = readText('deploy/Dockerfile').split(/^FROM (?=\$RUNTIME)/m);
    assert.match(readText('deploy/Dockerfile'), /^ARG RUNTIME=gcr\.io\/distroless\/nodejs\d+-debian12:nonroot\n/m);
    assert.doesNotMatch(last, /^(?:RUN|USER|ADD) /m);
  });

  it('defines a health check that passes only if the liveness probe on the metrics port responds 200', async () => {
    const [program, flag, script = ''] = HEALTH_CHECK;
    assert.deepEqual([program, flag], ['/nodejs/bin/node', '-e']);
    let status = 200;
    const service = await startFaultingUpstream();
    service.before = ({ path }) => ({ status: path === '/api/health?probe=live' ? status : 500 });
    // ALLOWED_NETWORKS does not restrict the metrics port.
    const env = { PORT: '1', METRICS_PORT: new URL(service.url).port, METRICS_HOST: '0.0.0.0' };
    try {
      assert.equal(await startNode(['-e', script], env).ended(), 0);
      status = 503;
      assert.equal(await startNode(['-e', script], env).ended(), 1);
    } finally {
      await service.close();
    }
  });
});

describeWith('nginx', 'the nginx configuration of the admin ports', () => {
  it('forwards requests only with the right key, and removes the key', async () => {
    const upstream = await startFaultingUpstream();
    upstream.before = () => ({ status: 200, body: '[]' });
    const [identity, oauth] = [await freePort(), await freePort()];
    const servers = readText('deploy/nginx/admin-ports.conf')
      .replaceAll(/^#.*$/gm, '')
      .replace('ADMIN_KEY', 'right')
      .replace('5434', String(identity))
      .replace('5445', String(oauth))
      .replaceAll(/:44[34][45]/g, `:${new URL(upstream.url).port}`);
    const nginx = await startNginxServers(servers, identity);
    try {
      const path = '/admin/identities?page_size=1';
      for (const port of [identity, oauth]) {
        const statusWith = async (headers: Record<string, string>): Promise<number> =>
          (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
        assert.equal(await statusWith({}), 401);
        for (const authorization of ['Bearer wrong', 'Bearer right2', 'Bearer RIGHT', 'Basic right'])
          assert.equal(await statusWith({ authorization }), 401, authorization);
        assert.equal(await statusWith({ authorization: 'Bearer right' }), 200);
      }
      const forwarded = { method: 'GET', path, body: '', authorization: undefined };
      assert.deepEqual(upstream.requests, [forwarded, forwarded]);
    } finally {
      await nginx.close();
      await upstream.close();
    }
  });
});

describeWith('systemdAnalyze', 'the systemd unit', () => {
  const inFolder = folderOfTest();
  beforeEach(() => mkdirSync(inFolder('bin')));

  /** Verifies a unit in which a program that every system has replaces Node. */
  function verify(name: string, unit: string): string {
    const file = inFolder(name);
    writeFileSync(file, unit.replace('=/usr/bin/node', '=/bin/sh'));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    return `${status} ${stdout}${stderr}`.trim();
  }
  const unit = readText('deploy/systemd/dashboard-admin@.service');
  const settingsOf = (text: string): string[] => text.split('\n').filter((line) => /^[A-Z]\w+=/.test(line));

  it('is valid', () => {
    assert.equal(verify('dashboard-admin@customer.service', unit), '0');
  });

  /** Runs the script for commands with a drop-in for the unit. */
  function runScript(dropIn: string, ...args: string[]) {
    writeFileSync(inFolder('cat'), `${unit}\n${dropIn}\n`);
    const programs = { systemctl: `cat "${inFolder('cat')}"`, 'systemd-run': `printf '%s\\n' "$@"` };
    for (const [name, script] of Object.entries(programs))
      writeFileSync(inFolder('bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { PATH: `${inFolder('bin')}:${process.env['PATH']}` };
    return spawnSync(join(root, 'deploy/systemd/dashboard-admin'), args, { env, encoding: 'utf8' });
  }

  it('applies to commands, too, with its drop-ins but without its restart settings', () => {
    assert.equal(runScript('', 'customer').status, 2);
    const dropIn = String.raw`[Service]
  MemoryMax = 1G
CPUQuota=150%
Environment=OAUTH_URL=https://%i.example/a%%2Fb%%20c "LABEL=x%%d y" \
# not a setting \
  FOLDER=%d
ExecStart=
ExecStart = /opt/node/bin/node \
  /opt/dashboard-admin/dist/server/main.js
RestartSec=5
[Install]
Alias=x`;

    const words = runScript(dropIn, 'customer', 'audit:verify', '--expect', '1:x').stdout.trimEnd().split('\n');
    const command = '/opt/node/bin/node /opt/dashboard-admin/dist/server/main.js audit:verify --expect 1:x';
    assert.deepEqual(words.slice(-5), command.split(' '));
    const [, name = ''] = /^--unit=(.+)$/m.exec(words.join('\n')) ?? [];
    const properties = words.flatMap((word) => /^--property=(.+)$/.exec(word)?.[1] ?? []);
    const [, service = ''] = /\[Service\]\n([\s\S]*)\n\[Install\]/.exec(unit) ?? [];
    const expected = settingsOf(service).filter((line) => !/^(?:ExecStart|Restart|RestartSec)=/.test(line));
    assert.deepEqual(properties, [
      ...expected.map((line) => line.replaceAll('%i', 'customer').replaceAll('%d', `/run/credentials/${name}.service`)),
      'MemoryMax=1G',
      'CPUQuota=150%',
      `Environment=OAUTH_URL=https://customer.example/a%2Fb%20c "LABEL=x%d y"    FOLDER=/run/credentials/${name}.service`,
    ]);
    const written = properties.join('\n').replaceAll(/%(?=\w)/g, '%%');
    assert.equal(verify('run.service', `[Service]\nExecStart=/usr/bin/node\n${written}\n`), '0');
  });

  for (const [setting, message] of [
    ['Environment=GEOIP_DATABASE=%S/geo.mmdb', 'the specifier %S'],
    ['ExecStart=-/usr/bin/node main.js', 'prefix'],
    ['ExecStart=/usr/bin/node "main.js"', 'quotes'],
  ] as const)
    it(`prevents commands if its drop-in has the unsupported setting ${setting}`, () => {
      const { status, stdout, stderr } = runScript(`[Service]\n${setting}`, 'customer', 'audit:verify');
      assert.deepEqual([status, stdout], [1, '']);
      assert.ok(stderr.includes(message), stderr);
    });
});
