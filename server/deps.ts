import type { Request, Response } from 'express';
import { identityService } from '../shared/upstreams.ts';
import { apiRoutes } from './api-routes.ts';
import type { AppDeps } from './app.ts';
import type { ChainWatch } from './audit/chain-watch.ts';
import { type TrailCommands, trailCommands } from './audit/commands.ts';
import { subjectOf } from './audit/event.ts';
import { auditSearch } from './audit/search.ts';
import type { AuditTrail } from './audit/trail.ts';
import type { Config } from './config/config.ts';
import { packageRoot } from './config/package-root.ts';
import { openStorage, platformClients } from './context.ts';
import { createSigner, keyBytes } from './crypto/signer.ts';
import { writeProbe } from './db/checks.ts';
import { deadlockCounts, isUnavailable } from './db/errors.ts';
import { authentication } from './features/auth/authentication.ts';
import { healthHandler } from './features/health.ts';
import { identityDirectory } from './features/identities/identity-directory.ts';
import { operatorsIn } from './features/security/operators.ts';
import { noteEncryptionKey } from './features/security/posture/keys.ts';
import { type PostureReport, postureChecks, postureReport } from './features/security/posture/posture.ts';
import { security } from './features/security/security.ts';
import { watchedServices } from './features/services/services.ts';
import { socialConnectionsHandler } from './features/social-connections.ts';
import { accessFor, clientAddresses } from './gate/access.ts';
import { geoFiles } from './geo/geo-file.ts';
import { geoLookup } from './geo/geo-lookup.ts';
import { admission } from './http/limits.ts';
import type { Log } from './log.ts';
import { peerKey } from './networks.ts';
import { type MemoryBudgets, memoryBudgets, usableMemory } from './process/memory.ts';
import type { Measured, Observers } from './process/metrics.ts';
import { watchWallClock } from './process/wall-clock.ts';
import { indexLocation } from './search-index/file.ts';
import { identityIndex } from './search-index/index.ts';
import { indexSources } from './search-index/sources.ts';
import { operatorCheck } from './session/operator-check.ts';
import { sessionCookies } from './session/session-cookie.ts';
import { sessionTokens } from './session/session-token.ts';
import { sessionIfAny, sessionVerifier } from './session/session-verifier.ts';
import { type RekeyReport, rekeySettings } from './settings/rekey.ts';
import type { SettingsVault } from './settings/vault.ts';
import { spa } from './spa.ts';
import { bodyCopies } from './upstream/proxy/body.ts';
import { type ProxyDeps, proxyTo } from './upstream/proxy/proxy.ts';

export interface Deps {
  app: AppDeps;
  memory: MemoryBudgets;
  vault: SettingsVault;
  audit: AuditTrail;
  trail: TrailCommands;
  chain: ChainWatch;
  posture: PostureReport;
  /** Encrypts every setting with the current key; reports the number done so far. */
  rekeySettings(onProgress: (rekeyed: number) => void): Promise<RekeyReport>;
  /** For metrics. */
  measured: Measured;
  /** What begins with the service, not with a command. @throws ConfigurationError for an index file that must not be used */
  start(): Promise<void>;
  /** From here on, health responds with 503. */
  startDraining(): void;
  isDraining(): boolean;
  close(): Promise<void>;
}

/**
 * The composition root: everything is built here, once, and passed to its users.
 * @param now milliseconds since the epoch, for times that are displayed, stored or exchanged
 * @param monotonic milliseconds on a monotonic clock, for durations
 * @param observers are told what happens, for metrics
 * @param signal ends the wait for a database that is away, or for another process that runs migrations
 * @throws DatabaseNotReady if the database stays away, or lacks the tables of this release
 */
export async function createDeps(
  config: Config,
  log: Log,
  now: () => number,
  monotonic: () => number = () => performance.now(),
  watchPace?: Parameters<typeof watchedServices>[0]['pace'],
  signal?: AbortSignal,
  observers?: Observers,
): Promise<Deps> {
  const { version, clientDirectory } = packageRoot();
  const memory = memoryBudgets(usableMemory());
  let draining = false;
  // First, since it fails if the app is not built.
  const pages = spa({
    directory: clientDirectory,
    deployment: config.deployment,
    environmentLabel: config.environmentLabel,
    version,
  });

  const storage = openStorage(config, { memory, log, now, monotonic });
  await storage.prepare(signal);
  const { database, cipher, settings, vault, audit, chain, revocations, authorization, hasKey } = storage;
  const checkDatabase = writeProbe({ database, now, monotonic });
  const platform = platformClients(config, authorization, memory, observers?.upstream);
  const { operators, identities, oauthAdmin } = platform;
  const ownStore = identityService(config.deployment).adminApi;
  const { store: own, roleFrom } = config.auth;
  const check = operatorCheck({
    lookUp: operators && (async (id) => ((await operators.identity(id))?.active ? 'present' : 'gone')),
    endSessions: (identityId) => revocations.raiseEpoch(identityId),
    ...{ monotonic, log },
  });
  const cookies = sessionCookies({ secure: config.secureCookies, production: config.production });
  const tokens = sessionTokens(createSigner(keyBytes(config.sessionKeys)), config.deployment, now);
  const verify = sessionVerifier(tokens, revocations, check, observers?.refusedSession);
  const clientAddress = clientAddresses(config, log, monotonic);
  const peerOf = (req: Request) => peerKey(clientAddress(req) ?? '');
  const auth = authentication({
    config,
    store: operators,
    database,
    revocations,
    cookies,
    tokens,
    verify,
    peerOf,
    audit,
    ...{ now, monotonic, log },
    observe: observers?.upstream,
  });

  const geo = geoLookup(geoFiles(config.geoDatabase), monotonic);
  const index = identityIndex({
    database,
    sources: indexSources(identities, oauthAdmin, geo),
    trail: auditSearch(database),
    store: ownStore,
    location: indexLocation({
      where: config.identityIndex,
      maxMegabytes: config.identityIndexMaxMegabytes,
      owner: { store: platform.address, deployment: config.deployment },
      database: config.database.client === 'sqlite' ? config.database.path : undefined,
      port: config.port,
      memory,
    }),
    ...{ now, monotonic, log },
  });
  const securityFeature = security({
    ...{ database, audit, chain, revocations, store: operators },
    withRole: operatorsIn(index, config),
    ...{ now, monotonic, log },
  });
  const posture = postureReport(
    postureChecks({
      ...{ ...storage, config, platform, log, now, monotonic },
      adminAccess: accessFor(config),
      chainState: securityFeature.chain.state,
      listOperators: securityFeature.operatorList.list,
      geoFiles: geo.states,
      started: true,
    }),
    { log, now, monotonic },
  );
  const directory = identityDirectory(identities, index, now, monotonic);
  await noteEncryptionKey({ database, cipher, now }).catch((error) =>
    log.warn({ error }, 'the age of the encryption key could not be recorded'),
  );
  const endWatch = watchWallClock({ now, monotonic, log });
  const services = watchedServices({
    upstreams: config.upstreams,
    authorization,
    operators: platform.operatorsApi,
    pingDatabase: checkDatabase,
    geoFiles: geo.states,
    ...{ database, now, monotonic, log, pace: watchPace },
  });
  const shareKey = (req: Request, res: Response): string => sessionIfAny(res)?.sessionId ?? peerOf(req);
  const few = (most: MemoryBudgets['ownRequests']) =>
    most && admission({ ...most, waitMs: config.proxyTimeoutMs }, shareKey);
  const proxyDeps: ProxyDeps = {
    upstreams: config.upstreams,
    baseUrl: config.baseUrl,
    timeoutMs: config.proxyTimeoutMs,
    log,
    authorization,
    operator: (res) => sessionIfAny(res)?.identityId,
    operatorAccounts: {
      // Two of them may have the same address.
      stores: config.upstreams
        .filter(({ name, holdsIdentities, url }) => name === own.upstream || (holdsIdentities && url === own.url))
        .map(({ name }) => name),
      roleFrom,
      signedIn: sessionIfAny,
    },
    ownStore,
    copyBody: bodyCopies(memory.copiedBytes),
    recordWrite(event) {
      index.written({ ...event, subject: subjectOf(event) });
      return audit.queue(event);
    },
    batchWritten(upstream, ids) {
      if (upstream === ownStore) index.batchWritten(ids);
    },
    identitiesChanged() {
      check.forgetAll();
      directory.forgetTotal();
    },
    ...{ clientAddress, shareKey },
    cookieNames: cookies.names,
    limits: memory.proxy,
    observe: observers?.upstream,
  };

  const app: AppDeps = {
    log,
    cookies,
    verify,
    hasKey: (upstream) => hasKey(upstream.name),
    isDatabaseUnavailable: isUnavailable,
    proxyTo: (upstream) => proxyTo(upstream, proxyDeps),
    spa: pages,
    admission: few(memory.ownRequests),
    publicRoutes: {
      health: healthHandler({ version, ping: checkDatabase, isDraining: () => draining, now: monotonic }),
      auth: auth.router,
      socialConnections: socialConnectionsHandler(settings),
    },
    routes: apiRoutes({
      ...{ config, version, database, audit, vault, verify, hasKey },
      ...{ identities, directory, oauthAdmin, index },
      security: securityFeature,
      posture,
      geo,
      services: services.router,
      settingLists: few(memory.settingLists),
      clientAddress,
      ...{ now, monotonic },
    }),
  };

  return {
    app,
    memory,
    vault,
    audit,
    trail: trailCommands({ database, chain, audit, now }),
    chain: securityFeature.chain,
    posture,
    measured: {
      auditQueue: audit.queueState,
      deadlocks: deadlockCounts,
      settingsCache: settings.counts,
      secondsSincePoll: () => storage.sincePollMs() / 1000,
      indexAges: () => index.ages(now()),
      isDraining: () => draining,
    },
    rekeySettings: (onProgress) => rekeySettings({ database, cipher, audit, onProgress }),
    start: () => index.start().then(services.start),
    startDraining: () => {
      draining = true;
    },
    isDraining: () => draining,
    async close() {
      endWatch();
      await Promise.all([index.stop(), services.stop()]);
      // Sign-in hands its last records to the trail before the trail is drained.
      await Promise.all([auth.close(), check.close(), audit.drain(), securityFeature.stop()]);
      await storage.close();
    },
  };
}
