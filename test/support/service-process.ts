import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSigner, keyBytes } from '../../server/crypto/signer.ts';
import { sessionTokens } from '../../server/session/session-token.ts';
import { TEST_KEYS } from './context.ts';
import { DATABASE_FOLDER } from './mariadb-server.ts';
import { type Running, SERVICE, startNode } from './processes.ts';
import { head, type RawResponse, sendRaw } from './raw-client.ts';

/** The service as a process of its own: what ends it ends no test. */
export interface ServiceProcess {
  port: number;
  running: Running;
  /** Whether health answers 200. */
  isHealthy(): Promise<boolean>;
  get(path: string, headers?: readonly string[]): Promise<RawResponse>;
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
  const get: ServiceProcess['get'] = (path, headers) => sendRaw(port, head(`GET ${path}`, headers));
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

/** An administrator's session, as a service with the tests' keys would have issued it. */
export function issuedSession(): { identityId: string; cookie: string } {
  const signer = createSigner(keyBytes({ current: TEST_KEYS.SESSION_SIGNING_KEY }));
  const second = Math.floor(Date.now() / 1000);
  const identityId = randomUUID();
  const token = sessionTokens(signer, 'customer', Date.now).issue({
    email: 'ada@example.com',
    role: 'admin',
    deployment: 'customer',
    epoch: 0,
    identityId,
    sessionId: randomUUID(),
    issuedAt: second,
    expiresAt: second + 3_600,
  });
  return { identityId, cookie: `Cookie: dashboard-session=${token}` };
}
