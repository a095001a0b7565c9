import type { RequestHandler } from 'express';
import { isExtraRole } from '../shared/capabilities.ts';
import { identityService, type UpstreamName } from '../shared/upstreams.ts';
import type { AppDeps, Route } from './app.ts';
import { trailCommands } from './audit/commands.ts';
import { subjectOf } from './audit/event.ts';
import { noteEncryptionKey } from './checks/keys.ts';
import { allChecks, postureReport } from './checks/posture.ts';
import type { Config } from './config/config.ts';
import { packageRoot } from './config/package-root.ts';
import { buildContext, type Clock, type Context, type Observers, openStorage, SYSTEM_CLOCK } from './context.ts';
import { deadlockCounts, isUnavailable } from './db/errors.ts';
import { authentication } from './features/auth/authentication.ts';
import { configRoutes } from './features/configuration.ts';
import { geoRoutes } from './features/geo.ts';
import { healthHandler } from './features/health.ts';
import { identitiesRoutes } from './features/identities/identities-router.ts';
import { identityDirectory } from './features/identities/identity-directory.ts';
import { notesOnPeople } from './features/identities/notes.ts';
import { messageRoutes } from './features/messages.ts';
import { findClient, isClientGone, oauthClientsRoutes } from './features/oauth-clients.ts';
import { ownDocumentRoutes } from './features/own-documents.ts';
import { recordRoutes } from './features/records.ts';
import { security } from './features/security/security.ts';
import type { WatchPace } from './features/services/service-watch.ts';
import { services } from './features/services/services.ts';
import { sessionLocationsRoutes } from './features/session-locations.ts';
import { settingsRoutes } from './features/settings.ts';
import { socialConnectionsHandler } from './features/social-connections.ts';
import { statisticsRoutes } from './features/statistics.ts';
import { concernedBy } from './gate/admin-acts.ts';
import { noSuchRoute } from './http/errors.ts';
import type { Log } from './log.ts';
import { changeOf } from './search-index/changes.ts';
import { sessionIfAny, sessionOf } from './session/session-verifier.ts';
import { rekeySettings } from './settings/rekey.ts';
import { spa } from './spa.ts';
import { bodyCopies } from './upstream/proxy/body.ts';
import { hostsOf, redactor } from './upstream/proxy/errors.ts';
import { type ProxyDeps, proxyTo } from './upstream/proxy/proxy.ts';
import { writeTurns } from './upstream/proxy/write-turns.ts';

export interface DepsOptions {
  clock?: Clock;
  /** When services are checked; as in production by default. */
  watchPace?: WatchPace;
  /** Ends the wait for an unavailable database, or for another process that runs migrations. */
  signal?: AbortSignal;
  /** For metrics. */
  observers?: Observers;
}

/**
 * The composition root: everything is built here, once, and passed to its users.
 * @throws DatabaseNotReady if the database remains unavailable, or lacks the tables of this release
 */
export async function createDeps(config: Config, log: Log, options: DepsOptions = {}) {
  const { clock = SYSTEM_CLOCK, signal } = options;
  const { version, clientDirectory } = packageRoot();
  let draining = false;
  // First, since it fails if the app is not built.
  const { deployment, environmentLabel } = config;
  const upstreams = config.upstreams.filter(({ url }) => url !== undefined).map(({ name }) => name);
  const pages = spa({
    ...{ directory: clientDirectory, deployment, environmentLabel, upstreams, version },
    signIn: config.auth.provider.kind,
    extraRoles: config.auth.roles.filter(isExtraRole),
    requireReason: config.requireReason,
    hasSignInLog: config.events !== undefined,
  });

  const storage = openStorage(config, log, clock);
  await storage.prepare(signal);
  const { database, cipher, settings, vault, audit, chain } = storage;
  const context = buildContext(storage, version, options.observers);
  const { index } = context;
  const features = buildFeatures(context, options);
  const signIns = await signInFeature(context, features, options.observers);
  await noteEncryptionKey(storage).catch((error) =>
    log.warn({ error }, 'the age of the encryption key could not be recorded'),
  );

  return {
    app: appDeps(context, { ...features, signIns }, pages, () => draining),
    ...{ vault, audit, posture: features.posture },
    trail: trailCommands({ database, chain, audit, now: clock.now }),
    /** For metrics. */
    measured: {
      auditQueue: audit.queueState,
      deadlocks: deadlockCounts,
      settingsCache: settings.counts,
      secondsSincePoll: () => storage.sincePollMs() / 1000,
      indexAges: () => index.ages(clock.now()),
      eventAge: signIns?.log.age,
      isDraining: () => draining,
    },
    /** Encrypts every setting with the current key; reports the number done so far. */
    rekeySettings: (onProgress: (rekeyed: number) => void) => rekeySettings({ database, cipher, audit, onProgress }),
    /**
     * Starts what only the service needs, not a command.
     * @returns the port of the listener for events, if it is on
     * @throws ConfigurationError for an index file that must not be used
     */
    async start(): Promise<number | undefined> {
      await index.start();
      features.services.start();
      features.notes.start();
      return signIns?.log.start();
    },
    /** Makes health respond with 503. */
    startDraining() {
      draining = true;
    },
    isDraining: () => draining,
    async close() {
      await Promise.all([index.stop(), features.services.stop(), features.notes.stop(), signIns?.log.stop()]);
      // Sign-in hands its last records to the trail before the trail is drained.
      await Promise.all([
        features.auth.close(),
        context.operatorCheck.close(),
        audit.drain(),
        features.security.stop(),
      ]);
      await storage.close();
    },
  };
}
export type Deps = Awaited<ReturnType<typeof createDeps>>;

type Features = ReturnType<typeof buildFeatures> & { signIns: Awaited<ReturnType<typeof signInFeature>> };

/** The sign-in log, whose code is loaded only if it is on. */
async function signInFeature(
  context: Context,
  { services }: ReturnType<typeof buildFeatures>,
  observers: Observers | undefined,
) {
  const { config, database, log, clock, geo } = context;
  if (config.events === undefined) return undefined;
  const [{ signInLog }, { signInRoutes }] = await Promise.all([
    import('./events/sign-in-log.ts'),
    import('./features/sign-ins.ts'),
  ]);
  const identityApi = identityService(config.deployment).adminApi;
  const signIns = signInLog({
    ...{ config: config.events, database, log, ...clock },
    openGeo: geo.open,
    redact: redactor(hostsOf(config.upstreams)),
    answersSince: (api) => services.upSince(api === 'identity' ? identityApi : 'oauth-admin'),
    isClientGone: (id) => isClientGone(context, id),
    observe: observers?.events,
  });
  return { log: signIns, routes: signInRoutes(context, signIns) };
}

/** The features that have more than routes. */
function buildFeatures(context: Context, { observers, watchPace }: DepsOptions) {
  const { clock, identities, index } = context;
  const auth = authentication(context, observers?.signIn);
  const securityFeature = security(context);
  const serviceStates = services(context, watchPace);
  const posture = postureReport(
    allChecks({
      ...context,
      chainState: securityFeature.chain.state,
      listOperators: securityFeature.operators,
      started: true,
    }),
    context,
  );
  const directory = identityDirectory(identities, index, clock.now, clock.monotonic);
  const notes = notesOnPeople(context);
  return { auth, security: securityFeature, services: serviceStates, posture, directory, notes };
}

function appDeps(context: Context, features: Features, pages: RequestHandler, isDraining: () => boolean): AppDeps {
  const { log, clock, version, cookies, verify, hasKey, memory, settings, checkDatabase } = context;
  const forwarding = proxyDeps(context, features);
  return {
    ...{ log, cookies, verify, routes: mountedRoutes(context, features), spa: pages },
    hasKey: (upstream) => hasKey(upstream.name),
    isDatabaseUnavailable: isUnavailable,
    proxyTo: (upstream) => proxyTo(upstream, forwarding),
    admission: context.limitConcurrency(memory.ownRequests),
    publicRoutes: {
      health: healthHandler({ version, ping: checkDatabase, isDraining, now: clock.monotonic }),
      auth: features.auth.router,
      socialConnections: socialConnectionsHandler(settings),
    },
  };
}

/** Every route behind the session, in the order in which they are matched. */
const mountedRoutes = (
  context: Context,
  { directory, notes, services, security, posture, signIns }: Features,
): readonly Route[] => [
  ...(signIns?.routes ?? []),
  ...settingsRoutes(context),
  ...configRoutes(context),
  // Before the routes of identities, which are less specific.
  ...notes.routes,
  ...identitiesRoutes(context, directory),
  ...messageRoutes(context),
  ...oauthClientsRoutes(context, signIns?.log),
  ...ownDocumentRoutes(context),
  ...recordRoutes(context, (id, limits) => findClient(context, id, limits)),
  ...statisticsRoutes(context, directory.total),
  ...sessionLocationsRoutes(context),
  ...geoRoutes(context),
  ...services.routes,
  ...security.routes,
  ['/api/security/posture', 'posture.read', posture.router],
  // Comes after all others below it. It refuses before paths are looked up, so that a refusal does not reveal which
  // exist.
  ['/api/security', 'paths.any', noSuchRoute],
];

function proxyDeps(context: Context, { directory, notes, signIns }: Features): ProxyDeps {
  const { config, log, memory, authorization, audit, index, cookies, clientAddress, shareKey, observe } = context;
  const { refuseOperators } = context;
  const { roleFrom, operatorSchemaIds, operators } = config.auth;
  const ownStore = identityService(config.deployment).adminApi;
  return {
    ...{ log, authorization, ownStore, clientAddress, shareKey, observe },
    upstreams: config.upstreams,
    baseUrl: config.baseUrl,
    timeoutMs: config.proxyTimeoutMs,
    sampleTraces: config.events !== undefined,
    operator: (res) => sessionIfAny(res)?.identityId,
    operatorAccounts: {
      roleFrom,
      schemaIds: operatorSchemaIds === 'any' ? undefined : operatorSchemaIds,
      // An operator by claims has no identity to keep.
      signedIn: (res) => (operators.from === 'claims' ? undefined : sessionIfAny(res)),
    },
    mayForward(res) {
      const concerned = concernedBy(res);
      return concerned && refuseOperators(concerned, sessionOf(res).identityId);
    },
    writeTurns: writeTurns(config.proxyTimeoutMs),
    copyBody: bodyCopies(memory.copiedBytes),
    recordWrite(event) {
      const record = { ...event, subject: subjectOf(event) };
      index.written(record);
      const api = event.target.split('/')[2] as UpstreamName;
      // Both stores may report to the log.
      const change = changeOf(record, api);
      if (change?.how === 'removed') {
        const forget = change.kind === 'clients' ? signIns?.log.clientDeleted : signIns?.log.identityDeleted;
        forget?.(change.id).catch((error) => log.warn({ error }, 'events of what was deleted could not be deleted'));
        // Notes are only on people of the own store.
        if (change.kind === 'identities' && api === ownStore)
          notes
            .forget(change.id)
            .catch((error) => log.warn({ error }, 'notes on a deleted person could not be deleted'));
      }
      return audit.queue(event);
    },
    batchWritten(upstream, ids) {
      if (upstream === ownStore) index.batchWritten(ids);
    },
    identitiesChanged() {
      context.operatorCheck.forgetAll();
      directory.forgetTotal();
    },
    cookieNames: cookies.names,
    limits: memory.proxy,
  };
}
