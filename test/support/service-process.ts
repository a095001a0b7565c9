import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSigner, keyBytes } from '../../server/crypto/signer.ts';
import { sessionTokens } from '../../server/session/session-token.ts';
import { TEST_KEYS } from './context.ts';
import { DATABASE_FOLDER } from './mariadb-server.ts';
import { SERVICE_ARGUMENTS, startNode } from './processes.ts';
import { type RawResponse, requestHead, sendRaw } from './raw-client.ts';

export type ServiceProcess = Awaited<ReturnType<typeof startServiceProcess>>;

/**
 * Starts the service as a process on a free loopback port, with an empty database and without a sandbox.
 * @param options.nodeArguments options of Node, such as a limit of its memory
 * @param options.program Node's arguments that start another release
 */
export async function startServiceProcess(
  env: Record<string, string> = {},
  options: { nodeArguments?: readonly string[]; program?: readonly string[] } = {},
) {
  const directory = await mkdtemp(join(DATABASE_FOLDER, 'service-'));
  const running = startNode([...(options.nodeArguments ?? []), ...(options.program ?? SERVICE_ARGUMENTS)], {
    ...TEST_KEYS,
    PORT: '0',
    DATABASE_URL: `sqlite:${join(directory, 'dashboard.sqlite')}`,
    AUTH_URL: 'http://127.0.0.1:1',
    OAUTH_CLIENT_ID: 'dashboard',
    LOG_LEVEL: 'info',
    ...env,
  });
  const port = Number((await running.untilPrinted(/"port":(\d+),"msg":"listening"/))[1]);
  const get = (path: string, headers?: readonly string[]): Promise<RawResponse> =>
    sendRaw(port, requestHead(`GET ${path}`, headers));
  return {
    port,
    running,
    get,
    /** Whether the health check responds 200. */
    isHealthy: (): Promise<boolean> =>
      get('/api/health').then(
        ({ status }) => status === 200,
        () => false,
      ),
    /** Kills it. @returns the exit code; null after a signal */
    async close(): Promise<number | null> {
      const code = await running.stop('SIGKILL');
      await rm(directory, { recursive: true, force: true });
      return code;
    },
  };
}

/** A session of an administrator, as a service with the keys of the tests issues it. */
export function issueSession(): { identityId: string; cookie: string } {
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
