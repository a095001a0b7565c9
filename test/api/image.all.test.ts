import { execFileSync, spawnSync } from 'node:child_process';
import { TEST_KEYS } from '../support/context.ts';
import { eventually } from '../support/eventually.ts';
import { STOP_SECONDS, smokeTest } from '../support/image-smoke.ts';
import { root } from '../support/repository-files.ts';
import { describeWhere } from '../support/tools.ts';

const docker = (...args: string[]) => spawnSync('docker', args, { cwd: root, encoding: 'utf8' });
const succeed = (...args: string[]): string =>
  execFileSync('docker', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).trim();
const hasDocker = docker('version', '--format', '{{.Server.Version}}').status === 0;

// test/api/deploy.test.ts runs the same tests without Docker.
describeWhere(
  hasDocker,
  'a Docker daemon',
  'the image in a read-only container with the privileges of compose.yaml',
  () => {
    const name = `dashboard-admin-test-${process.pid}`;
    after(() => {
      docker('rm', '--force', '--volumes', name);
      docker('rmi', name);
    });

    smokeTest(async () => {
      succeed('build', '--file', 'deploy/Dockerfile', '--tag', name, '.');
      const env = {
        ...TEST_KEYS,
        BASE_URL: 'http://localhost:3000',
        DATABASE_URL: 'sqlite:/data/dashboard.sqlite',
        AUTH_URL: 'http://127.0.0.1:1',
        OAUTH_CLIENT_ID: 'dashboard',
      };
      succeed(
        ...['run', '--detach', '--name', name, '--read-only', '--cap-drop', 'ALL', '--memory', '512m'],
        ...['--security-opt', 'no-new-privileges', '--tmpfs', '/data:mode=1777'],
        ...['--publish', '127.0.0.1::3000', '--publish', '127.0.0.1::9464'],
        ...Object.entries(env).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
        name,
      );
      const log = (): string => docker('logs', name).stdout;
      await eventually(() => log().includes('"msg":"listening"'), true, log(), 60_000);
      const portOf = (port: number): number => Number(succeed('port', name, String(port)).split(':').at(-1));
      return {
        httpPort: portOf(3000),
        metricsPort: portOf(9464),
        async node(...args) {
          const { status, stdout, stderr } = docker('exec', name, '/nodejs/bin/node', ...args);
          return { code: status, output: stdout + stderr };
        },
        async stop() {
          succeed('stop', '--time', String(STOP_SECONDS), name);
          return Number(succeed('inspect', '--format', '{{.State.ExitCode}}', name));
        },
      };
    });
  },
);
