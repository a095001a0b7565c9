import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_KEYS } from './dashboard.ts';
import { DATABASE_FOLDER } from './database-folder.ts';
import { type Running, startNode } from './processes.ts';
import { ask, head, type RawAnswer } from './raw-client.ts';
import { SERVICE } from './service-program.ts';

/** The service as a process of its own: what ends it ends no test. */
export interface ServiceProcess {
  port: number;
  running: Running;
  /** Whether health answers 200. */
  isHealthy(): Promise<boolean>;
  get(path: string, headers?: readonly string[]): Promise<RawAnswer>;
  /** Ends it. @returns the exit code, null after a signal */
  close(): Promise<number | null>;
}

/**
 * Starts the service on a free loopback port, with an empty database and no sandbox.
 * @param options.nodeArguments of Node itself: a limit of its memory
 * @param options.program Node's arguments that start another release
 */
export async function startServiceProcess(
  env: Record<string, string> = {},
  options: { nodeArguments?: readonly string[]; program?: readonly string[] } = {},
): Promise<ServiceProcess> {
  const directory = await mkdtemp(join(DATABASE_FOLDER, 'service-'));
  const running = startNode([...(options.nodeArguments ?? []), ...(options.program ?? SERVICE)], {
    ...TEST_KEYS,
    PORT: '0',
    DATABASE_URL: `sqlite:${join(directory, 'dashboard.sqlite')}`,
    AUTH_URL: 'http://127.0.0.1:1',
    OAUTH_CLIENT_ID: 'dashboard',
    LOG_LEVEL: 'info',
    ...env,
  });
  const port = Number((await running.printed(/"port":(\d+),"msg":"listening"/))[1]);
  const get: ServiceProcess['get'] = (path, headers) => ask(port, head(`GET ${path}`, headers));
  return {
    port,
    running,
    get,
    isHealthy: () =>
      get('/api/health').then(
        ({ status }) => status === 200,
        () => false,
      ),
    async close() {
      const code = await running.stop('SIGKILL');
      await rm(directory, { recursive: true, force: true });
      return code;
    },
  };
}
