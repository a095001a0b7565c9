import type { UpstreamName } from './upstreams.ts';

/** What the service depends on: the six upstreams, the operators' store, its database, and the geolocation files. */
export type ServiceName = UpstreamName | 'operators' | 'database' | 'geo';

/** `degraded`: reachable, but not ready or not usable. `down`: unreachable, or no response in time. */
export type ServiceStatus = 'up' | 'down' | 'degraded' | 'not_configured';

export type ServiceProblem =
  /** No connection, or name not resolved; for files: missing. */
  | 'unreachable'
  /** TLS failed because one side refused the other's certificate, or the lack of one. */
  | 'certificate'
  /** `up`, but slower than `SLOW_MS`, or `down` without a response in time. */
  | 'slow'
  /** It rejects the stored key, or the lack of one. */
  | 'refuses_key'
  /** The stored key cannot be decrypted or sent. */
  | 'key_unreadable'
  | 'too_many_requests'
  /** It reports that it is not ready, or breaks off its responses. */
  | 'failing'
  /** It responds, but is not the expected service. */
  | 'nonsense';

export interface ServiceState {
  name: ServiceName;
  status: ServiceStatus;
  /** As reported by an admin port; null for all others. */
  version: string | null;
  /** Whole milliseconds until it responded; null without a response, and for files. */
  latency_ms: number | null;
  /** ISO 8601. */
  checked_at: string;
  problem: ServiceProblem | null;
  /** Only with the problem `certificate`: why, as a code of Node or OpenSSL: `CERT_HAS_EXPIRED`. */
  code?: string | undefined;
  /** When it entered this status, ISO 8601; null before the first check and while the database is unavailable. */
  since: string | null;
}

/** `GET /api/services`; `GET /api/services/:name` returns one `ServiceState`. */
export interface Services {
  services: ServiceState[];
}

export interface ServiceChange {
  status: ServiceStatus;
  problem: ServiceProblem | null;
  /** ISO 8601. */
  at: string;
  /** Recorded by one replica while the database was unavailable: others may have seen a different state. */
  one_replica: boolean;
}

/**
 * `GET /api/services/:name/history`: the changes of the last `SERVICE_HISTORY_DAYS` days, newest first. The oldest entry
 * is the change before them, which is the state at the start of that time, or the first change ever recorded.
 */
export interface ServiceHistory {
  name: ServiceName;
  changes: ServiceChange[];
}

export const SERVICE_HISTORY_DAYS = 7;
export const SERVICE_CHANGES_MAX = 500;

export const SLOW_MS = 1_000;
