import type { OperatorList, PostureId, PostureStatus } from '../../shared/security.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import type { AuditChain } from '../audit/chain.ts';
import type { ChainWatch } from '../audit/chain-watch.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Config } from '../config/config.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { Database } from '../db/database.ts';
import type { GeoFileState } from '../geo/geo-file.ts';
import type { Log } from '../log.ts';
import type { AdminClientOptions } from '../upstream/admin-client.ts';
import type { Authorization } from '../upstream/credentials.ts';
import type { IdentityStore } from '../upstream/identity-store.ts';

/** The result of a check, and what to do about it. */
export interface Finding {
  status: PostureStatus;
  detail: string;
  action: string;
  /** Shown only in a terminal: they may contain addresses, but no secrets. */
  commands?: readonly string[];
  /** Nobody can sign in until this is corrected. */
  critical?: boolean;
}

/** What a check requires. `doctor` skips checks whose requirements are not met; a running service meets all of them. */
export type Need = 'service' | 'database' | 'tables' | 'store key' | 'OAuth admin key';

/** One aspect of how this deployment is set up. */
export interface Check {
  title: string;
  why: string;
  needs?: Need;
  /** A rejection or a timeout counts as `unknown`. */
  look: () => Finding | Promise<Finding>;
}

export type Checks = Partial<Record<PostureId, Check>>;

export interface CheckSources {
  config: Config;
  /** The gate's decision about a caller of the admin prefixes. */
  adminAccess: (peer: string, headers: Record<string, string>) => { open: boolean };
  database: Database;
  cipher: Pick<Cipher, 'keyIds'>;
  chain: Pick<AuditChain, 'keyIds' | 'isGenuine'>;
  chainState: ChainWatch['state'];
  audit: Pick<AuditTrail, 'queueState'>;
  authorization: Authorization;
  hasKey: (name: UpstreamName) => Promise<boolean>;
  listOperators: () => Promise<OperatorList>;
  geoFiles: () => Promise<readonly GeoFileState[]>;
  /** `operators` is undefined if no store is configured; `signInApi` is the admin API of the operators' OAuth server. */
  platform: { operators: IdentityStore | undefined; signInApi: AdminClientOptions };
  /** False in `doctor`, before the service runs. */
  started: boolean;
  now: () => number;
  monotonic: () => number;
  log: Pick<Log, 'warn'>;
}

const finding =
  (status: PostureStatus) =>
  (detail: string, action: string): Finding => ({ status, detail, action });
/** There is evidence that all is well. */
export const pass = (detail: string): Finding => ({ status: 'pass', detail, action: 'Nothing to do.' });
/** The checked aspect works, but should be improved. */
export const warn = finding('warn');
/** The checked aspect is unsafe or about to fail. */
export const fail = finding('fail');
/** There is no evidence either way. */
export const unknown = finding('unknown');
/** The problem prevents operators from signing in. */
export const critical = (detail: string, action: string, ...commands: string[]): Finding => ({
  ...fail(detail, action),
  commands,
  critical: true,
});

const WORST_FIRST: readonly PostureStatus[] = ['fail', 'warn', 'unknown', 'pass'];

/**
 * The most severe of several findings, with the details and actions of all that did not pass.
 * @param whenNone returned if there are no findings
 */
export function worst(findings: readonly Finding[], whenNone: Finding): Finding {
  const status = WORST_FIRST.find((one) => findings.some((found) => found.status === one));
  if (status === undefined) return whenNone;
  const reported = findings.filter((found) => (found.status === 'pass') === (status === 'pass'));
  const joined = (part: 'detail' | 'action'): string => [...new Set(reported.map((found) => found[part]))].join(' ');
  return {
    status,
    detail: joined('detail'),
    action: joined('action'),
    commands: [...new Set(reported.flatMap(({ commands = [] }) => commands))],
    critical: reported.some((found) => found.critical),
  };
}
