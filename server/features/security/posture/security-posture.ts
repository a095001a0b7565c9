import type { OperatorList } from '../../../../shared/security.ts';
import type { UpstreamName } from '../../../../shared/upstreams.ts';
import type { AuditChain } from '../../../audit/audit-chain.ts';
import { auditKeyUse } from '../../../audit/key-use.ts';
import type { Config } from '../../../config/config.ts';
import { clusterState } from '../../../db/cluster-state.ts';
import type { Database } from '../../../db/database.ts';
import { missingRights } from '../../../db/rights.ts';
import { sessionDeviations } from '../../../db/session-deviations.ts';
import { stateAtStart } from '../../../db/state-at-start.ts';
import type { GeoFileState } from '../../../geo/geo-file.ts';
import type { Log } from '../../../log/log.ts';
import { type AdminClientOptions, adminClient } from '../../../upstream/admin-client.ts';
import type { Authorization } from '../../../upstream/credentials.ts';
import type { IdentityStore } from '../../../upstream/identity-store.ts';
import { addressChecks } from './addresses.ts';
import { administratorCheck } from './administrators.ts';
import type { Check } from './check.ts';
import { identityIndexCheck } from './identity-index.ts';
import { keyAgeChecks } from './key-age.ts';
import { type KeyNeed, keyEvidence } from './key-evidence.ts';
import { keySightings, noteKey } from './key-sightings.ts';
import { keyChecks } from './keys.ts';
import { networkChecks } from './network.ts';
import { oauthChecks } from './oauth.ts';
import { operatorSchemas } from './operator-schemas.ts';
import { operatorChecks } from './operators.ts';
import { type PostureReport, postureReport } from './posture.ts';
import { signInChecks } from './sign-in.ts';
import { softwareChecks } from './software.ts';
import { storageChecks } from './storage.ts';
import { upstreamChecks } from './upstreams.ts';

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
