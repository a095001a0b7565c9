import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { startProgram } from './processes.ts';
import { findTool } from './tools.ts';

/**
 * `describe` for a suite that needs nginx: without it the suite is named as skipped. `npm test` does not install it, so a
 * run that forbids skipping only says so.
 */
export function describeWithNginx(title: string, suite: () => void): void {
  if (findTool('nginx') !== undefined) describe(title, suite);
  else if (process.env['CI'] === 'true') process.stdout.write(`  ${title}: skipped, nginx is not installed\n`);
  else describe(title, () => void it('needs nginx, which is not installed'));
}

export interface Nginx {
  port: number;
  close(): Promise<void>;
}

/**
 * Starts nginx on a free port of every address, with files and processes of its own.
 * @param location what stands inside `server`
 */
export async function startNginx(location: string): Promise<Nginx> {
  const port = await freePort();
  return startNginxServers(`server { listen 0.0.0.0:${port}; listen [::]:${port}; ${location} }`, port);
}

/** @param servers what stands inside `http` @param port one that it listens on */
export async function startNginxServers(servers: string, port: number): Promise<Nginx> {
  const directory = await mkdtemp(join(tmpdir(), 'nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  const configuration = join(directory, 'nginx.conf');
  await writeFile(
    configuration,
    `daemon off; master_process off; pid ${directory}/pid; error_log stderr;
    events {}
    http { access_log off; ${temporary.join(' ')} ${servers} }`,
  );
  const running = startProgram(findTool('nginx') ?? '', ['-p', directory, '-c', configuration]);
  const end = (): void => void running.stop('SIGKILL');
  process.once('exit', end);
  let over = false;
  void running.ended().then(() => {
    over = true;
  });
  while (!(await isListening(port))) if (over) throw new Error(`nginx ended: ${running.output()}`);
  return {
    port,
    async close() {
      process.off('exit', end);
      await running.stop('SIGTERM');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
