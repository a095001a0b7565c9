import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATOR_SCHEMA } from '../../server/platform.ts';
import { TEST_KEYS } from '../support/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { HEALTH_CHECK, STOP_SECONDS, smokeTest } from '../support/image-smoke.ts';
import { startNginxServers } from '../support/nginx.ts';
import { startProgram } from '../support/processes.ts';
import { SHARED_FOLDER } from '../support/shared-folder.ts';
import { describeWhere, describeWith } from '../support/tools.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');
const NOBODY = 65_534;
/** The user of the image has no rights; only root can become another user. */
const unprivileged = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const NEEDED = 'a folder for temporary files that every user may enter';
describeWhere(
  unprivileged.uid === undefined || SHARED_FOLDER !== undefined,
  NEEDED,
  'the contents of the image',
  () => {
    let folder: string;
    let data: string;
    let bin: string;
    before(() => {
      assert.ok(existsSync(join(root, 'dist/server/main.js')), 'dist is missing: npm run build');
      [folder = '', data = '', bin = ''] = ['image-', 'image-data-', 'image-node-'].map((name) =>
        mkdtempSync(join(SHARED_FOLDER ?? tmpdir(), name)),
      );
      chmodSync(data, 0o777);
      // The image has a Node of its own; this one may be below a folder that only its owner may enter.
      copyFileSync(process.execPath, join(bin, 'node'));
      for (const path of [bin, join(bin, 'node')]) chmodSync(path, 0o755);
      // The very step of the image.
      const [, step = ''] = /^RUN (node deploy\/assemble\.mjs) \/image$/m.exec(read('Dockerfile')) ?? [];
      const [program = '', ...args] = step.split(' ');
      assert.equal(program, 'node');
      execFileSync(process.execPath, [...args, folder], { cwd: root });
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
      const startHere = (...args: string[]) => startProgram(join(bin, 'node'), args, env, folder, unprivileged);
      const running = startHere('dist/server/main.js');
      return {
        httpPort: Number((await running.printed(/"port":(\d+),"msg":"listening"/))[1]),
        metricsPort,
        async node(...args) {
          const beside = startHere(...args);
          return { code: await beside.ended(), output: beside.output() };
        },
        async stop() {
          const killing = setTimeout(() => void running.stop('SIGKILL'), STOP_SECONDS * 1000);
          return running.stop('SIGTERM').finally(() => clearTimeout(killing));
        },
      };
    });

    it('are what this Node loads, and nothing to build, install or develop with', () => {
      const packages = readdirSync(join(folder, 'node_modules'));
      assert.ok(packages.includes('better-sqlite3'));
      for (const name of ['knex', 'express', 'react', 'node-addon-api', 'tsx', 'oidc-provider'])
        assert.ok(!packages.includes(name), name);
      assert.deepEqual(readdirSync(folder).sort(), ['dist', 'node_modules', 'package.json']);
    });
  },
);

describe('the schema of operators for Kratos', () => {
  it('is the one that the service knows', () => {
    assert.deepEqual(JSON.parse(read('kratos/operator.schema.json')), OPERATOR_SCHEMA);
  });
});

describe('the image', () => {
  const [, last = ''] = read('Dockerfile').split(/^FROM (?=\$RUNTIME)/m);
  it('ends with Node alone, for a user without rights, and asks itself whether it lives', () => {
    assert.match(read('Dockerfile'), /^ARG RUNTIME=gcr\.io\/distroless\/nodejs\d+-debian12:nonroot\n/m);
    assert.doesNotMatch(last, /^(?:RUN|USER|ADD) /m);
    const [program, flag, script = ''] = HEALTH_CHECK;
    assert.deepEqual([program, flag], ['/nodejs/bin/node', '-e']);
    // ALLOWED_NETWORKS does not restrict the metrics port.
    for (const environment of [{ PORT: '1', METRICS_PORT: 'ITS', METRICS_HOST: '0.0.0.0' }])
      for (const [status, code] of [
        [200, 0],
        [503, 1],
      ] as const) {
        const env = JSON.stringify(environment).replace('"ITS"', 'String(s.address().port)');
        const server = `const s = require('http').createServer((q, r) => { r.statusCode = q.url === '/api/health?probe=live' ? ${status} : 500; r.end(); }).listen(0, '127.0.0.1', () => {
        require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(script)}], { env: ${env} }).on('exit', (code) => process.exit(code)); });`;
        assert.equal(spawnSync(process.execPath, ['-e', server]).status, code);
      }
  });
});

describeWith('nginx', 'nginx', () => {
  it('in front of the admin ports passes on nothing without the key, and nothing of the key', async () => {
    const seen: string[] = [];
    const server = createServer((req, res) => {
      seen.push(`${req.method} ${req.url} ${req.headers.authorization}`);
      res.end('[]');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const target = String((server.address() as AddressInfo).port);
    const [identity, oauth] = [await freePort(), await freePort()];
    const servers = read('nginx/admin-ports.conf')
      .replaceAll(/^#.*$/gm, '')
      .replace('ADMIN_KEY', 'right')
      .replace('5434', String(identity))
      .replace('5445', String(oauth))
      .replaceAll(/:44[34][45]/g, `:${target}`);
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
      assert.deepEqual(seen, [`GET ${path} undefined`, `GET ${path} undefined`]);
    } finally {
      await nginx.close();
      server.closeAllConnections();
      server.close();
    }
  });
});

describeWith('systemdAnalyze', 'systemd', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'systemd-'));
    mkdirSync(join(folder, 'bin'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A unit is verified with a program that every system has: it names where most have Node. */
  function verify(name: string, unit: string): string {
    const file = join(folder, name);
    writeFileSync(file, unit.replace('=/usr/bin/node', '=/bin/sh'));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    return `${status} ${stdout}${stderr}`.trim();
  }
  const unit = read('systemd/dashboard-admin@.service');
  const settingsOf = (text: string): string[] => text.split('\n').filter((line) => /^[A-Z]\w+=/.test(line));

  it('accepts the unit', () => {
    assert.equal(verify('dashboard-admin@customer.service', unit), '0');
  });

  /** The script beside the unit, with a drop-in. */
  function run(dropIn: string, ...args: string[]) {
    writeFileSync(join(folder, 'cat'), `${unit}\n${dropIn}\n`);
    const programs = { systemctl: `cat "${join(folder, 'cat')}"`, 'systemd-run': `printf '%s\\n' "$@"` };
    for (const [name, script] of Object.entries(programs))
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` };
    return spawnSync(join(root, 'deploy/systemd/dashboard-admin'), args, { env, encoding: 'utf8' });
  }

  it('runs a command as the unit and its drop-ins run the service, and never again by itself', () => {
    assert.equal(run('', 'customer').status, 2);
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

    const words = run(dropIn, 'customer', 'audit:verify', '--expect', '1:x').stdout.trimEnd().split('\n');
    assert.deepEqual(words.slice(-5), [
      '/opt/node/bin/node',
      '/opt/dashboard-admin/dist/server/main.js',
      'audit:verify',
      '--expect',
      '1:x',
    ]);
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
    it(`runs nothing if it cannot follow ${setting}`, () => {
      const { status, stdout, stderr } = run(`[Service]\n${setting}`, 'customer', 'audit:verify');
      assert.deepEqual([status, stdout], [1, '']);
      assert.ok(stderr.includes(message), stderr);
    });
});
