import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import express from 'express';
import { createCipher } from '../../server/crypto/cipher.ts';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { layoutStore, ownDocumentRouter, parseLayout } from '../../server/features/own-documents.ts';
import { settingsRoutes } from '../../server/features/settings.ts';
import { socialConnectionsHandler } from '../../server/features/social-connections.ts';
import { type Needs, requireCapability } from '../../server/gate/require-session.ts';
import { jsonBody } from '../../server/http/bodies.ts';
import { errorHandler, methodNotAllowed } from '../../server/http/errors.ts';
import { createLog } from '../../server/log.ts';
import { memoryBudgets, usableMemory } from '../../server/memory.ts';
import type { Session } from '../../server/session/session-token.ts';
import { setSession } from '../../server/session/session-verifier.ts';
import { cachedSettings } from '../../server/settings/cache.ts';
import { createSettingsVault } from '../../server/settings/vault.ts';
import type { Capability } from '../../shared/capabilities.ts';
import { auditOn, ENCRYPTION_KEY } from './audit-trail.ts';
import { silentLog } from './context.ts';
import { DATABASE_FOLDER } from './databases.ts';
import { listenOnLoopback } from './loopback.ts';
import { newFolder } from './of-suite.ts';

export const ADMIN: Session = {
  identityId: 'd1b2c3d4-0000-4000-8000-000000000001',
  email: 'ada@example.com',
  role: 'admin',
  deployment: 'customer',
  issuedAt: 0,
  expiresAt: 9_999_999_999,
  sessionId: 'session-of-ada',
  epoch: 0,
};

export type SettingsApp = Awaited<ReturnType<typeof startSettingsApp>>;

/** What a route needs if viewers have one more capability. */
const grantedTo = (needs: Needs, viewerMay?: Capability): Needs =>
  JSON.parse(JSON.stringify(needs).replaceAll(`"${viewerMay}"`, '"statistics.read"'));

/**
 * Starts the routers that read and write the database: every request is one of an administrator.
 * @param options.viewerMay one more capability of viewers, for a role that the product does not have
 */
export async function startSettingsApp(
  database: Database,
  options: { encryptionKey?: string; viewerMay?: Capability } = {},
) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const now = (): number => clock.now;
  const session: { current: Session | undefined } = { current: ADMIN };
  const logged: string[] = [];
  const log = createLog({ level: 'trace', production: false }, { write: (line) => void logged.push(line) });
  const cipher = createCipher({ current: options.encryptionKey ?? ENCRYPTION_KEY });
  const settings = cachedSettings({ database, cipher, ttlSeconds: 60, monotonic: now, log });
  const { audit } = auditOn(database, undefined, now);
  const vault = createSettingsVault({ database, cipher, audit, onChange: settings.invalidate, now });

  const app = express();
  app.use((_req, res, next) => {
    setSession(res, session.current ?? ADMIN);
    next();
  });
  app.route('/api/connections/social').get(socialConnectionsHandler(settings)).all(methodNotAllowed('GET, HEAD'));
  app.use('/api', jsonBody());
  const context = { vault, memory: memoryBudgets(usableMemory()), clock: { now, monotonic: now } };
  for (const [path, needs, router] of settingsRoutes({ ...context, limitConcurrency: () => undefined }))
    app.use(path, requireCapability(grantedTo(needs, options.viewerMay)), router);
  app.use(
    '/api/dashboard/layout',
    ownDocumentRouter(layoutStore(database, now), parseLayout, async () => session.current ?? 'none'),
  );
  app.use(errorHandler(log, isUnavailable));

  const { url, close } = await listenOnLoopback(createServer(app));
  return {
    url,
    vault,
    /** The session of the next requests; if undefined, requests for the layout have no session. */
    session,
    clock,
    logged,
    call: (
      path: string,
      options: { method?: string; headers?: Record<string, string>; json?: unknown; signal?: AbortSignal } = {},
    ): Promise<Response> => {
      const { json, headers, ...init } = options;
      if (json === undefined) return fetch(url + path, { ...init, headers });
      return fetch(url + path, {
        ...init,
        method: init.method ?? 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(json),
      });
    },
    close,
  };
}

/** A new SQLite database in a folder of its own, with all tables. */
export async function newSqlite() {
  const folder = newFolder(DATABASE_FOLDER);
  const database = openDatabase({ client: 'sqlite', path: join(folder.path, 'test.sqlite') }, silentLog);
  await migrate(database, silentLog);
  return {
    database,
    close: () => database.close().then(folder.close),
  };
}

/** Asserts that a response is an error with this status and code. */
export async function assertError(response: Response, status: number, error: string): Promise<{ message: string }> {
  assert.equal(response.status, status);
  assert.equal(response.headers.get('content-type'), 'application/json');
  const body = (await response.json()) as { error: string; message: string };
  assert.equal(body.error, error);
  return body;
}
