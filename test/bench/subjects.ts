import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSigner } from '../../server/crypto/signer.ts';
import { type Session, sessionTokens } from '../../server/session/session-token.ts';
import { ROLES } from '../../shared/capabilities.ts';
import { SESSION_MAX_AGE_SECONDS } from '../../shared/session.ts';
import { freePort } from '../support/loopback.ts';
import { type PinnedProcess, SERVER_CORE, startPinned, waitForServer } from './pinned-process.ts';

/** A running server under test. */
export interface Subject {
  process: PinnedProcess;
  /** The address of an upstream's path through this server. */
  through(path: string): string;
  url: string;
}

export interface Environment {
  directory: string;
  upstream: string;
}

export const OPERATOR_ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';
const SIGNING_KEY = 'bench signing key 0123456789 abcdefgh';

/** The session cookie of an administrator, as a sign-in sets it. */
export function adminCookie(): string {
  const now = Math.floor(Date.now() / 1000);
  const session: Session = {
    identityId: OPERATOR_ID,
    email: 'ada@corp.example',
    role: 'admin',
    deployment: 'customer',
    issuedAt: now,
    expiresAt: now + SESSION_MAX_AGE_SECONDS,
    sessionId: 'bench',
    epoch: 0,
  };
  return `dashboard-session=${sessionTokens(createSigner({ current: Buffer.from(SIGNING_KEY) }), { deployment: 'customer', roles: ROLES }, Date.now).issue(session)}`;
}

/** The root of this checkout. */
const HERE = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a file of a checkout with installed packages on the server's core, with `PORT` set. */
export async function startScript(
  file: string,
  env: Record<string, string>,
  options: { path?: string; root?: string } = {},
): Promise<Subject> {
  const port = await freePort();
  const script = join(options.root ?? HERE, file);
  const process = startPinned(SERVER_CORE, ['node', script], {
    NODE_ENV: 'production',
    ...env,
    PORT: String(port),
  });
  const url = `http://127.0.0.1:${port}`;
  await waitForServer(`${url}${options.path ?? '/'}`);
  return { process, url, through: (path) => url + path };
}

/** Starts the service as in production, including its log. @param root the root of its checkout */
export async function startOurs(at: Environment, root = HERE): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), 'dashboard-bench-'));
  const ours = await startScript(
    'server/main.ts',
    {
      BASE_URL: 'http://localhost:3000',
      SESSION_SIGNING_KEY: SIGNING_KEY,
      ENCRYPTION_KEY: 'bench encryption key 0123456789 ijklmnop',
      DATABASE_URL: `sqlite:${join(directory, 'bench.sqlite')}`,
      AUTH_URL: at.upstream,
      OAUTH_CLIENT_ID: 'bench',
      IDENTITY_ADMIN_URL: at.upstream,
      IDENTITY_URL: at.upstream,
    },
    { path: '/api/health', root },
  );
  const prefix = (path: string): string => (path === '/sink' ? '/api/identity' : '/api/identity-admin');
  return { ...ours, through: (path) => ours.url + prefix(path) + path };
}

/** Starts http-proxy-middleware in plain Express. */
export async function startLibrary(at: Environment): Promise<Subject> {
  const subject = await startScript('test/bench/servers/library.ts', { UPSTREAM: at.upstream });
  return { ...subject, through: (target) => `${subject.url}/api/identity-admin${target}` };
}
