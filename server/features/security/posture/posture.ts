import { setTimeout as sleep } from 'node:timers/promises';
import { Router } from 'express';
import type { OperatorList } from '../../../../shared/security.ts';
import { POSTURE_IDS, type Posture, type PostureCheck } from '../../../../shared/security.ts';
import type { UpstreamName } from '../../../../shared/upstreams.ts';
import { auditKeyUse } from '../../../audit/anchors.ts';
import type { AuditChain } from '../../../audit/chain.ts';
import type { Config } from '../../../config/config.ts';
import { missingRights, sessionDeviations } from '../../../db/checks.ts';
import type { Database } from '../../../db/database.ts';
import { clusterState } from '../../../db/mysql.ts';
import { stateAtStart } from '../../../db/open-database.ts';
import type { GeoFileState } from '../../../geo/geo-file.ts';
import { methodNotAllowed } from '../../../http/errors.ts';
import type { Log } from '../../../log.ts';
import { type AdminClientOptions, adminClient } from '../../../upstream/admin-client.ts';
import type { Authorization } from '../../../upstream/credentials.ts';
import type { IdentityStore } from '../../../upstream/identity-store.ts';
import { type Check, type Finding, unknown } from './check.ts';
import { type KeyNeed, keyEvidence, keySightings, noteKey } from './key-evidence.ts';
import { keyAgeChecks, keyChecks } from './keys.ts';
import { addressChecks, networkChecks } from './network.ts';
import { administratorCheck, operatorChecks, operatorSchemas } from './operators.ts';
import { oauthChecks, signInChecks } from './sign-in.ts';
import { identityIndexCheck, softwareChecks, storageChecks } from './storage.ts';
import { upstreamChecks } from './upstreams.ts';

export interface PostureReport {
  /** Cached for a few seconds; takes no longer than the slowest check may. Never rejects. */
  read(): Promise<Posture>;
}

/** Several viewers of the page share one run. */
const CACHE_MS = 5_000;
const CHECK_TIMEOUT_MS = 5_000;

/** What one check finds in time. Never rejects: a failure is logged, and counts as `unknown`. */
export async function examine<Id extends string>(
  { id, look }: Check<Id>,
  log: Pick<Log, 'warn'>,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<Finding> {
  const ending = new AbortController();
  const tooLate = sleep(timeoutMs, unknown('The check took too long.', 'Check again later.'), {
    ref: false,
    signal: ending.signal,
  });
  tooLate.catch(() => {});
  try {
    return await Promise.race([look(), tooLate]);
  } catch (error) {
    log.warn({ check: id, error }, 'a posture check failed');
    return unknown('The check failed: a service it depends on did not respond.', 'Check again later.');
  } finally {
    ending.abort();
  }
}

/**
 * @param options.now milliseconds since the epoch
 * @param options.elapsed milliseconds on a monotonic clock
 */
export function postureReport(options: {
  checks: readonly Check[];
  log: Pick<Log, 'warn'>;
  now: () => number;
  elapsed: () => number;
  timeoutMs?: number;
}): PostureReport {
  const { log, now, elapsed, timeoutMs } = options;
  const checks = options.checks.toSorted((a, b) => POSTURE_IDS.indexOf(a.id) - POSTURE_IDS.indexOf(b.id));
  let known: { posture: Posture; until: number } | undefined;
  let running: Promise<Posture> | undefined;

  async function run(): Promise<Posture> {
    const as_of = new Date(now()).toISOString();
    const all = checks.map(async (check): Promise<PostureCheck> => {
      const { id, title, why } = check;
      const { status, detail, action } = await examine(check, log, timeoutMs);
      return { id, title, why, status, detail, action };
    });
    return { as_of, checks: await Promise.all(all) };
  }

  return {
    async read() {
      if (known !== undefined && known.until > elapsed()) return known.posture;
      running ??= run().finally(() => {
        running = undefined;
      });
      const posture = await running;
      known = { posture, until: elapsed() + CACHE_MS };
      return posture;
    },
  };
}

/** `GET /api/security/posture`. */
export function postureRouter(report: PostureReport): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .get(async (_req, res) => {
      res.json(await report.read());
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}

/** The posture as terminal output: one line per check, followed by advice if it did not pass. */
export const printedPosture = ({ checks }: Posture): string =>
  checks.map((check) => `${headline(check)}${check.status === 'pass' ? '' : advice(check)}`).join('');

/** Whether the command should exit with an error. */
export const hasFailed = ({ checks }: Posture): boolean => checks.some(({ status }) => status === 'fail');

const headline = ({ status, title, detail }: PostureCheck): string => `${status.padEnd(7)} ${title}: ${detail}\n`;
const advice = ({ why, action }: PostureCheck): string => `${' '.repeat(8)}${why}\n${' '.repeat(8)}${action}\n`;

export interface SecurityPosture extends PostureReport {
  /** Must be called at each start: nothing else records since when a key has been in use. */
  noteKey(): Promise<void>;
}

export interface PostureSources {
  config: Config;
  /** The gate's decision about a caller of the admin prefixes. */
  adminAccess: Parameters<typeof networkChecks>[1];
  database: Database;
  auditChain: Pick<AuditChain, 'keyIds' | 'isGenuine'>;
  encryptionKeyIds: { current: string; previous: readonly string[] };
  /** Encrypted settings by the id of their key. */
  keyNeeds: () => Promise<ReadonlyMap<string, KeyNeed>>;
  authorization: Authorization;
  hasKey: (name: UpstreamName) => Promise<boolean>;
  operators: () => Promise<OperatorList>;
  chain: Parameters<typeof storageChecks>[0]['chain'];
  queue: Parameters<typeof storageChecks>[0]['queue'];
  geoFiles: () => Promise<readonly GeoFileState[]>;
  /** The operators' identities, if a store is configured. */
  store: IdentityStore | undefined;
  /** The admin API of the OAuth server that they sign in at. */
  signIn: AdminClientOptions;
  /** False while the service is only about to start. */
  started: boolean;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
  log: Pick<Log, 'warn'>;
}

/** All checks, with what they need to know about this deployment. */
export function securityPosture(sources: PostureSources): SecurityPosture {
  const { database, keyNeeds, now, monotonic, log } = sources;
  const sightings = keySightings(database);
  return {
    ...postureReport({ checks: allChecks(sources, sightings), log, now, elapsed: monotonic }),
    noteKey: () => noteKey(sightings, sources.encryptionKeyIds.current, async (id) => (await keyNeeds()).has(id), now),
  };
}

/** All checks, in no order. */
export function allChecks(sources: PostureSources, sightings = keySightings(sources.database)): Check[] {
  const { config, database, encryptionKeyIds, authorization, now } = sources;
  const evidence = keyEvidence({
    sessionKeyIds: sources.auditChain.keyIds,
    encryptionKeyIds: { current: encryptionKeyIds.current, previous: encryptionKeyIds.previous[0] },
    keyUse: auditKeyUse(database, sources.auditChain),
    sightings,
    needs: sources.keyNeeds,
  });
  return [
    ...keyAgeChecks(evidence, now),
    ...keyChecks(config, evidence, now),
    ...addressChecks(config),
    ...networkChecks(config, sources.adminAccess),
    ...upstreamChecks(config, authorization, sources.hasKey),
    ...operatorChecks(config, operatorSchemas(config.auth.store.publicUrl), sources.operators),
    administratorCheck(config, sources.store, sources.operators),
    ...signInChecks(config, sources.monotonic),
    ...oauthChecks(config, adminClient(sources.signIn), now),
    ...storageChecks({
      chain: sources.chain,
      queue: sources.queue,
      deviations: () => sessionDeviations(database, sources),
      cluster: () => clusterState(database),
      migrations: () => stateAtStart(database),
      rights: () => missingRights(database, config.database),
      migrates: config.migrations === 'run',
      started: sources.started,
    }),
    identityIndexCheck(config.identityIndex),
    ...softwareChecks({ geoFiles: sources.geoFiles, node: process.version, now }),
  ];
}
