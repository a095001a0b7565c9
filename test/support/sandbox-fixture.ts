import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxOptions } from '../../server/sandbox/parts.ts';
import { newSigningKey, openSandboxDatabase } from '../../server/sandbox/sandbox-database.ts';
import { type Sandbox, sandboxFile, startSandbox } from '../../server/sandbox/start-sandbox.ts';

/** A sandbox in a folder of its own, on free ports. */
export interface SandboxFixture {
  directory: string;
  /** The one that runs; another after `restart`. */
  sandbox(): Sandbox;
  /** The base address of a port, without trailing slash. */
  url(port: 'identity' | 'identityAdmin' | 'oauth' | 'oauthAdmin'): string;
  /** Asks an admin port for JSON; the body goes as JSON. */
  admin<T>(method: string, path: string, body?: unknown): Promise<{ status: number; headers: Headers; json: T }>;
  restart(options?: Partial<SandboxOptions>): Promise<void>;
  close(): Promise<void>;
}

export const DASHBOARD = 'http://localhost:3000';
const ANY_PORTS = { identityPublic: 0, identityAdmin: 0, oauthPublic: 0, oauthAdmin: 0 };

/** Without `people` there are the two operators only. */
export async function sandboxFixture(options: Partial<SandboxOptions> = {}): Promise<SandboxFixture> {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const fixed = {
    deployment: 'customer',
    dataDirectory: directory,
    dashboardUrl: DASHBOARD,
    production: false,
  } as const;
  const start = (changed: Partial<SandboxOptions> = {}) =>
    startSandbox({ ...fixed, ports: ANY_PORTS, people: 0, ...options, ...changed });
  keepSigningKey(sandboxFile(directory, options.deployment ?? 'customer'));
  let sandbox = await start();
  const url: SandboxFixture['url'] = (port) => {
    const prefix = sandbox.environment.IDENTITY_URL === undefined ? 'IAM_' : '';
    const names = {
      identity: `${prefix}IDENTITY_URL`,
      identityAdmin: `${prefix}IDENTITY_ADMIN_URL`,
      oauth: 'OAUTH_URL',
      oauthAdmin: 'OAUTH_ADMIN_URL',
    };
    const found = sandbox.environment[names[port]];
    assert.ok(found);
    return found;
  };
  return {
    directory,
    url,
    sandbox: () => sandbox,
    async admin<T>(method: string, path: string, body?: unknown) {
      const base = url(/^\/admin\/(?:clients|oauth2)/.test(path) ? 'oauthAdmin' : 'identityAdmin');
      const init =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await fetch(base + path, { method, ...init });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        json: (text === '' ? undefined : JSON.parse(text)) as T,
      };
    },
    async restart(changed) {
      await sandbox.close();
      sandbox = await start(changed);
    },
    async close() {
      await sandbox.close();
      rmSync(directory, { recursive: true });
    },
  };
}

let signingKey: string | undefined;

/** An RSA key takes longer to make than all else in a new sandbox: those of one process share it. */
export function keepSigningKey(file: string): void {
  signingKey ??= newSigningKey();
  const database = openSandboxDatabase(file);
  database.prepare('INSERT OR IGNORE INTO installation (name, value) VALUES (?, ?)').run('signing-key', signingKey);
  database.close();
}
