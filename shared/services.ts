import type { UpstreamName } from './upstreams.ts';

/**
 * What the service needs: the six upstreams, the store that holds the operators, its database, and the files that place
 * addresses.
 */
export type ServiceName = UpstreamName | 'operators' | 'database' | 'geo';

/**
 * `up`: answers as it should. `degraded`: reachable, and not ready or not usable. `down`: not reachable, or no answer
 * in time.
 */
export type ServiceStatus = 'up' | 'down' | 'degraded' | 'not_configured';

/** Why a service does not do what it should. */
export type ServiceProblem =
  /** Refused or unresolved; of files: not there. */
  | 'unreachable'
  /** `up` and later than `SLOW_MS`, or `down` without an answer in time. */
  | 'slow'
  /** It refuses the stored key, or the lack of one. */
  | 'refuses_key'
  /** The stored key cannot be decrypted, or not be sent. */
  | 'key_unreadable'
  | 'too_many_requests'
  /** It answers that it is not ready, or breaks off. */
  | 'failing'
  /** It answers something else than the service that should be there. */
  | 'nonsense';

export interface ServiceState {
  name: ServiceName;
  status: ServiceStatus;
  /** As an admin port says; null of all others. */
  version: string | null;
  /** Whole milliseconds until it answered; null without an answer, and of files. */
  latency_ms: number | null;
  /** ISO 8601. */
  checked_at: string;
  problem: ServiceProblem | null;
}

/** `GET /api/services`; `GET /api/services/:name` answers one `ServiceState`. */
export interface Services {
  services: ServiceState[];
}

/** An answer that takes longer is slow. */
export const SLOW_MS = 1_000;
