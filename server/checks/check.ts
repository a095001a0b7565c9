import type { AuditChainState } from '../../shared/audit.ts';
import type { OperatorList, PostureId, PostureStatus } from '../../shared/security.ts';
import type { adminClients, Storage } from '../context.ts';
import type { GeoLookup } from '../geo/geo-lookup.ts';

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

/** What a check requires. A running service has everything except `from`, an address to test it at from outside. */
export type Need = 'service' | 'from' | 'database' | 'tables' | 'trail' | 'store key' | 'OAuth admin key';

/** One aspect of how this deployment is set up. */
export interface Check {
  title: string;
  why: string;
  /** `doctor` does not run a check that lacks what it requires, and says so. */
  needs?: Need;
  /** A rejection or a timeout counts as `unknown`. */
  look: () => Finding | Promise<Finding>;
}

/** The checks of the posture, and those that only `doctor` runs. */
export type CheckId = PostureId | 'pkce' | 'registration' | `outside_${'address' | 'admin_proxies' | 'metrics'}`;
/** Undefined is a check of something that this configuration does not have. */
export type Checks = Partial<Record<CheckId, Check | undefined>>;

export interface CheckSources extends Storage, Pick<ReturnType<typeof adminClients>, 'operators' | 'signInApi'> {
  chainState: () => Promise<Omit<AuditChainState, 'as_of'>>;
  listOperators: () => Promise<OperatorList>;
  geo: Pick<GeoLookup, 'states'>;
  /** False in `doctor`, before the service runs. */
  started: boolean;
  /** The public origin at which `doctor` tests a running service from outside. */
  from?: string | undefined;
}

export const DAY_MS = 86_400_000;

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
 * The most severe of several findings, with the details and actions of all that did not pass. `false` is none.
 * @param whenNone returned if there are no findings
 */
export function worst(candidates: readonly (Finding | false)[], whenNone: Finding = pass('')): Finding {
  const findings = candidates.filter((found) => found !== false);
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
