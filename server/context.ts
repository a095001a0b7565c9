import type { Request, Response } from 'express';
import type { SignInFailure } from '../shared/session.ts';
import type { EventRefusal } from '../shared/sign-ins.ts';
import { identityService, type UpstreamName } from '../shared/upstreams.ts';
import { auditChain } from './audit/chain.ts';
import { auditSearch } from './audit/search.ts';
import { createAuditTrail } from './audit/trail.ts';
import { type Config, type OperatorsApi, signInSource } from './config/config.ts';
import { createCipher } from './crypto/cipher.ts';
import { createSigner, derivedKeys, keyBytes } from './crypto/signer.ts';
import { changePoll } from './db/change-poll.ts';
import { writeProbe } from './db/checks.ts';
import { noticingFullDisk, withoutDriverText } from './db/errors.ts';
import { openDatabase, prepareDatabase } from './db/open-database.ts';
import { clientAddresses } from './gate/access.ts';
import { geoFiles } from './geo/geo-file.ts';
import { geoLookup } from './geo/geo-lookup.ts';
import { admission } from './http/limits.ts';
import type { Log } from './log.ts';
import { type MemoryBudgets, memoryBudgets, usableMemory } from './memory.ts';
import { peerKey } from './networks.ts';
import { reportedChanges } from './search-index/changes.ts';
import { indexLocation } from './search-index/file.ts';
import { identityIndex } from './search-index/search-index.ts';
import { indexSources } from './search-index/sources.ts';
import { claimsOperators } from './session/claims-operators.ts';
import { operatorCheck } from './session/operator-check.ts';
import { createRevocations } from './session/revocations.ts';
import { sessionCookies } from './session/session-cookie.ts';
import { sessionTokens } from './session/session-token.ts';
import { type RefusedSession, sessionIfAny, sessionVerifier } from './session/session-verifier.ts';
import { cachedSettings } from './settings/cache.ts';
import { createSettingsVault } from './settings/vault.ts';
import { type AdminClientOptions, adminClient } from './upstream/admin-client.ts';
import { createCredentials, keyPresence, operatorsAuthorization } from './upstream/credentials.ts';
import type { ObserveUpstream } from './upstream/failure.ts';
import { bodyBudget } from './upstream/fetch.ts';
import { identityStore } from './upstream/identity-store.ts';
import { operatorGuard } from './upstream/operator-guard.ts';

export interface Clock {
  /** Milliseconds since the epoch, for times that are displayed, stored or exchanged. */
  now: () => number;
  /** Milliseconds on a clock that only goes forward, for durations. */
  monotonic: () => number;
}

export const SYSTEM_CLOCK: Clock = { now: Date.now, monotonic: () => performance.now() };

/**
 * The database, and everything that depends only on it, the configuration and the keys. Nothing is connected yet, so a
 * command that does not call `prepare` can inspect a database without changing it.
 */
export function openStorage(config: Config, log: Log, clock: Clock) {
  const memory = memoryBudgets(usableMemory());
  const database = noticingFullDisk(openDatabase(config.database, log), clock.monotonic);
  const parts = { database, log, ...clock };
  const auditKeys = derivedKeys(config.sessionKeys, 'audit-trail');
  const audit = createAuditTrail({ ...parts, keys: auditKeys, capacity: memory.auditRecords });
  const revocations = createRevocations(parts);
  const cipher = createCipher(config.encryptionKeys);
  const settings = cachedSettings({ ...parts, cipher, ttlSeconds: config.settingsCacheTtlSeconds });
  const changes = changePoll({ database, log, settings: settings.follow, revocations: revocations.follow });
  const authorization = createCredentials(settings);
  return {
    ...{ config, log, clock, memory, database, cipher, settings, audit, revocations },
    claimsOperators: claimsOperators(parts),
    vault: createSettingsVault({ ...parts, cipher, audit, onChange: settings.invalidate }),
    auditSearch: auditSearch(database),
    chain: auditChain(auditKeys),
    /** The stored keys of the upstreams. */
    authorization,
    hasKey: keyPresence(authorization),
    /**
     * Migrates the tables to this release, or waits until another process has, and then follows the changes of other
     * replicas. Closes the database on failure.
     * @throws DatabaseNotReady if the database remains unavailable, or lacks the tables of this release
     */
    async prepare(signal?: AbortSignal): Promise<void> {
      try {
        await prepareDatabase(database, { address: config.database, migrations: config.migrations, log, signal });
        await changes.start();
      } catch (error) {
        await database.close();
        throw withoutDriverText(error);
      }
    },
    /** Milliseconds since the changes of other processes were last read. */
    sincePollMs: changes.sinceMs,
    /** Closes everything except the audit trail, which is drained first. */
    async close(): Promise<void> {
      changes.close();
      revocations.close();
      await database.close();
    },
  };
}
export type Storage = ReturnType<typeof openStorage>;

/**
 * Clients of the admin APIs that the dashboard itself uses.
 * @param observe called with how each request ended
 */
export function adminClients(
  { config, authorization, memory }: Pick<Storage, 'config' | 'authorization' | 'memory'>,
  observe?: ObserveUpstream,
) {
  const { store, oauthAdmin } = config.auth;
  const own = identityService(config.deployment);
  const timeoutMs = config.proxyTimeoutMs;
  const budget = memory.answerBytes === undefined ? undefined : bodyBudget(memory.answerBytes);
  const apiOf = (name: UpstreamName): AdminClientOptions => ({
    url: config.upstreams.find((upstream) => upstream.name === name)?.url,
    timeoutMs,
    budget,
    authorization: () => authorization(name),
    observe: observe && ((outcome, seconds) => observe(name, 'dashboard', outcome, seconds)),
  });
  const publicApi = (url: string | undefined): AdminClientOptions => {
    const upstream = config.upstreams.find((candidate) => candidate.url === url);
    if (upstream !== undefined) return apiOf(upstream.name);
    return { ...apiOf(own.adminApi), url, authorization: async () => undefined };
  };
  const operatorsOf = (api: OperatorsApi, counted: UpstreamName): AdminClientOptions => ({
    ...apiOf(api.upstream ?? counted),
    url: api.url,
    authorization: operatorsAuthorization(api, authorization),
  });
  const operatorsApi = operatorsOf(store, own.adminApi);
  return {
    /** The operators' store, and the OAuth server that they sign in at. */
    operatorsApi,
    signInApi: operatorsOf(oauthAdmin, 'oauth-admin'),
    /** Undefined if no store is configured. */
    operators: store.url === undefined ? undefined : identityStore(operatorsApi, publicApi(store.publicUrl)),
    /** The deployment's own identities, and the public API of their service. */
    identities: identityStore(apiOf(own.adminApi), apiOf(own.publicApi)),
    publicIdentities: adminClient(apiOf(own.publicApi)),
    oauthAdmin: adminClient(apiOf('oauth-admin')),
    /** Identifies the store and the OAuth server, as one text. */
    address: `${apiOf(own.adminApi).url} ${apiOf('oauth-admin').url}`,
  };
}

/** How a sign-in ended; `error` is a bug or an unavailable database. */
export type SignInOutcome = 'ok' | SignInFailure | 'error';

/** Called when something happens, if metrics are on. Every text comes from a fixed set, never from a caller. */
export interface Observers {
  upstream: ObserveUpstream;
  refusedSession(reason: RefusedSession): void;
  signIn(outcome: SignInOutcome): void;
  /** A request to the listener for events: how many rows of the sign-in log it added, or why it was refused. */
  events(outcome: number | EventRefusal): void;
}

/** What features and proxies need. @param observers for metrics */
export function buildContext(storage: Storage, version: string, observers?: Observers) {
  const { config, log, clock, memory, database, auditSearch, revocations } = storage;
  const observe = observers?.upstream;
  const clients = adminClients(storage, observe);
  const { operators, identities, oauthAdmin } = clients;
  const check = operatorCheck({
    lookUp: operators && (async (id) => ((await operators.identity(id))?.active ? 'present' : 'gone')),
    endSessions: (identityId) => revocations.raiseEpoch(identityId),
    ...{ monotonic: clock.monotonic, log },
  });
  const signer = createSigner(keyBytes(config.sessionKeys));
  const tokens = sessionTokens(
    signer,
    { deployment: config.deployment, roles: config.auth.roles, source: signInSource(config.auth) },
    clock.now,
  );
  /** The client's address, from the socket or a trusted proxy. */
  const clientAddress = clientAddresses(config, log, clock.monotonic);
  /** The key under which a caller without a session is counted, derived from its address. */
  const peerOf = (req: Request): string => peerKey(clientAddress(req) ?? '');
  /** The key by which a caller's connections and requests are counted: its session, otherwise `peerOf`. */
  const shareKey = (req: Request, res: Response): string => sessionIfAny(res)?.sessionId ?? peerOf(req);
  const geo = geoLookup(geoFiles(config.geoDatabase), clock.monotonic);
  const index = identityIndex({
    ...{ database, log, ...clock, trail: auditSearch, store: identityService(config.deployment).adminApi },
    sources: indexSources(identities, oauthAdmin, geo),
    reported: config.events && reportedChanges(database),
    location: indexLocation({
      where: config.identityIndex,
      maxMegabytes: config.identityIndexMaxMegabytes,
      owner: { store: clients.address, deployment: config.deployment },
      database: config.database.client === 'sqlite' ? config.database.path : undefined,
      port: config.port,
      memory,
    }),
  });
  return {
    ...{ ...storage, ...clients, version, geo, index, tokens, clientAddress, peerOf, shareKey, observe },
    operatorCheck: check,
    refuseOperators: operatorGuard({ auth: config.auth, operators, identities }),
    cookies: sessionCookies({ secure: config.secureCookies, production: config.production }),
    verify: sessionVerifier(tokens, revocations, check, observers?.refusedSession),
    /** Rejects if the database is unavailable or does not accept writes. */
    checkDatabase: writeProbe({ database, ...clock }),
    /** Limits how many requests are handled at a time, shared fairly among callers; undefined: no limit. */
    limitConcurrency: (budget: MemoryBudgets['ownRequests']) =>
      budget && admission({ ...budget, waitMs: config.proxyTimeoutMs }, shareKey),
  };
}
export type Context = ReturnType<typeof buildContext>;
