import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxOptions } from '../../server/sandbox/parts.ts';
import { newSigningKey, openSandboxDatabase } from '../../server/sandbox/sandbox-database.ts';
import { type Sandbox, sandboxFile, startSandbox } from '../../server/sandbox/start-sandbox.ts';

export const DASHBOARD_URL = 'http://localhost:3000';
const ANY_PORTS = { identityPublic: 0, identityAdmin: 0, oauthPublic: 0, oauthAdmin: 0 };

export type SandboxFixture = Awaited<ReturnType<typeof startSandboxFixture>>;

/** Starts a sandbox in a folder of its own, on free ports; by default with its two operators alone. */
export async function startSandboxFixture(options: Partial<SandboxOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'sandbox-'));
  const fixed = {
    deployment: 'customer',
    dataDirectory: directory,
    dashboardUrl: DASHBOARD_URL,
    production: false,
  } as const;
  const start = (changed: Partial<SandboxOptions> = {}) =>
    startSandbox({ ...fixed, ports: ANY_PORTS, people: 0, ...options, ...changed });
  shareSigningKey(sandboxFile(directory, options.deployment ?? 'customer'));
  let sandbox = await start();
  const url = (port: 'identity' | 'identityAdmin' | 'oauth' | 'oauthAdmin'): string => {
    const prefix = sandbox.environment.IDENTITY_URL === undefined ? 'IAM_' : '';
    const names = {
      identity: `${prefix}IDENTITY_URL`,
      identityAdmin: `${prefix}IDENTITY_ADMIN_URL`,
      oauth: 'OAUTH_URL',
      oauthAdmin: 'OAUTH_ADMIN_URL',
    };
    return sandbox.environment[names[port]] ?? assert.fail(`the sandbox has no port ${port}`);
  };
  return {
    directory,
    /** The base address of a port, without a trailing slash. */
    url,
    /** The running sandbox, which `restart` replaces. */
    sandbox: (): Sandbox => sandbox,
    /** Sends a request to an admin port, with JSON in both directions. */
    async admin<T>(
      method: string,
      path: string,
      body?: unknown,
    ): Promise<{ status: number; headers: Headers; json: T }> {
      const base = url(/^\/admin\/(?:clients|oauth2)/.test(path) ? 'oauthAdmin' : 'identityAdmin');
      const init =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await fetch(base + path, { method, ...init });
      const { status, headers } = response;
      const text = await response.text();
      return { status, headers, json: (text === '' ? undefined : JSON.parse(text)) as T };
    },
    async restart(changed?: Partial<SandboxOptions>): Promise<void> {
      await sandbox.close();
      sandbox = await start(changed);
    },
    async close(): Promise<void> {
      await sandbox.close();
      rmSync(directory, { recursive: true });
    },
  };
}

let signingKey: string | undefined;

/** Gives a new sandbox the signing key of all sandboxes of this process: to generate one takes longer than all the rest. */
export function shareSigningKey(file: string): void {
  signingKey ??= newSigningKey();
  const database = openSandboxDatabase(file);
  database.prepare('INSERT OR IGNORE INTO installation (name, value) VALUES (?, ?)').run('signing-key', signingKey);
  database.close();
}

export type StoredIdentity = Record<string, unknown> & { id: string };

/** Reads every identity of a store, page by page. */
export async function readIdentities(adminUrl: string): Promise<StoredIdentity[]> {
  const all: StoredIdentity[] = [];
  for (let token: string | undefined, more = true; more; more = token !== undefined) {
    const response = await fetch(
      `${adminUrl}/admin/identities?page_size=500${token === undefined ? '' : `&page_token=${token}`}`,
    );
    assert.equal(response.status, 200);
    all.push(...((await response.json()) as StoredIdentity[]));
    token = /page_token=([^&>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return all;
}

/** Creates identities in a store, 500 at a time. */
export async function createIdentities(adminUrl: string, identities: readonly object[]): Promise<void> {
  for (let start = 0; start < identities.length; start += 500) {
    const response = await fetch(`${adminUrl}/admin/identities`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ identities: identities.slice(start, start + 500).map((create) => ({ create })) }),
    });
    const { identities: results } = (await response.json()) as { identities: { action: string }[] };
    assert.ok(
      results.every(({ action }) => action === 'create'),
      JSON.stringify(results.find(({ action }) => action !== 'create')),
    );
  }
}
