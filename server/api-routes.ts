import type { Request, RequestHandler, Router } from 'express';
import type { Route } from './app.ts';
import { auditSearch } from './audit/search.ts';
import type { AuditTrail } from './audit/trail.ts';
import type { Config } from './config/config.ts';
import type { Database } from './db/database.ts';
import { configRouter } from './features/configuration.ts';
import { geoRouter } from './features/geo.ts';
import { identitiesRouter } from './features/identities/identities-router.ts';
import type { IdentityDirectory } from './features/identities/identity-directory.ts';
import { identitySearch } from './features/identities/identity-search.ts';
import { oauthClientsRouter } from './features/oauth-clients.ts';
import { LAYOUT_MAX_KIB, layoutRouter, layoutStore } from './features/own-documents/layout.ts';
import { VIEWS_MAX_KIB, viewStore, viewsRouter } from './features/own-documents/views.ts';
import { subjectNames, subjectNamesRouter } from './features/security/names.ts';
import type { PostureReport } from './features/security/posture/posture.ts';
import { postureRouter } from './features/security/posture/posture.ts';
import type { Security } from './features/security/security.ts';
import { locatedSessionsRouter, sessionLocationsRouter } from './features/session-locations.ts';
import { statisticsRouter } from './features/statistics.ts';
import type { GeoLookup } from './geo/geo-lookup.ts';
import { noSuchRoute } from './http/errors.ts';
import { rateLimit } from './http/limits.ts';
import type { IdentityIndex } from './search-index/index.ts';
import type { SessionVerifier } from './session/session-verifier.ts';
import { parseSettingKey, parseSettingValue } from './settings/input.ts';
import { encryptRouter, settingHistoryRouter, settingsRouter } from './settings/router.ts';
import type { SettingsVault } from './settings/vault.ts';
import type { AdminClient } from './upstream/admin-client.ts';
import type { KeyPresence } from './upstream/credentials.ts';
import type { IdentityStore } from './upstream/identity-store.ts';

const DECRYPTIONS_A_MINUTE = 60;

/**
 * The API behind the session: what is mounted where, and which capability it takes.
 * @param parts what `deps.ts` has built
 * @param parts.identities the deployment's own
 */
export function apiRoutes(parts: {
  config: Config;
  version: string;
  database: Database;
  audit: AuditTrail;
  vault: SettingsVault;
  verify: SessionVerifier;
  hasKey: KeyPresence;
  identities: IdentityStore;
  directory: IdentityDirectory;
  oauthAdmin: AdminClient;
  index: IdentityIndex;
  security: Security;
  posture: PostureReport;
  geo: GeoLookup;
  services: Router;
  /** How many lists of all settings are let on at once; undefined: any number. */
  settingLists: RequestHandler | undefined;
  clientAddress: (req: Request) => string | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
}): readonly Route[] {
  const { config, version, database, audit, vault, verify, hasKey, now, monotonic } = parts;
  const { identities: store, directory, oauthAdmin, index, security, posture, geo, services, clientAddress } = parts;
  const decryptions = rateLimit({ limit: DECRYPTIONS_A_MINUTE, windowMs: 60_000, monotonic });
  const settingParsers = { parseKey: parseSettingKey, parseValue: parseSettingValue };
  const nameSubjects = subjectNames({ search: auditSearch(database), store, oauthAdmin, elapsed: monotonic });
  return [
    [
      '/api/settings',
      { read: 'settings.read', write: 'settings.write' },
      settingsRouter(vault, decryptions, parts.settingLists),
    ],
    ['/api/encrypt', 'settings.write', encryptRouter({ ...settingParsers, encrypt: vault.encryptValue })],
    ['/api/config', 'configuration.read', configRouter({ config, version, hasKey })],
    [
      '/api/setting-history',
      { read: 'settings.read', write: 'settings.write' },
      settingHistoryRouter(vault.history, decryptions),
    ],
    [
      '/api/identities',
      'identities.read',
      identitiesRouter({ directory, search: identitySearch(index, store), store, audit }),
    ],
    [
      '/api/oauth-clients',
      'upstreams.read',
      oauthClientsRouter({ index, oauthAdmin, timeoutMs: config.proxyTimeoutMs, monotonic }),
    ],
    ['/api/dashboard/layout', 'layout.own', layoutRouter(layoutStore(database, now), verify), LAYOUT_MAX_KIB],
    ['/api/dashboard/views', 'views.own', viewsRouter(viewStore(database, now), verify), VIEWS_MAX_KIB],
    ['/api/security/audit', 'audit.read', security.audit],
    ['/api/security/locked-accounts', { read: 'locks.read', write: 'locks.write' }, security.lockedAccounts],
    ['/api/security/operators', 'operators.read', security.operators],
    ['/api/security/posture', 'posture.read', postureRouter(posture)],
    ['/api/security/revocations', 'operators.write', security.revocations],
    ['/api/security/subject-names', 'upstreams.read', subjectNamesRouter(nameSubjects)],
    ['/api/dashboard/statistics', 'statistics.read', statisticsRouter(index, directory.total, monotonic)],
    ['/api/session-locations', 'session-locations.read', sessionLocationsRouter(index, now)],
    ['/api/geo', 'geo.read', geoRouter(geo, clientAddress)],
    ['/api/services', 'services.read', services],
    ['/api/security/sessions', 'upstreams.read', locatedSessionsRouter({ index, store, geo, audit, now })],
    // Refuses before paths below are looked up, so that a refusal does not reveal which ones exist.
    ['/api/security', 'paths.any', noSuchRoute],
  ];
}
