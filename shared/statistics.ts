/** How many on a local day, `2026-01-31`. */
export interface DayCount {
  day: string;
  count: number;
}

/**
 * `GET /api/dashboard/statistics?time_zone=`: the overview's numbers, of the deployment's own store. A part that is not
 * known is null. Lists of days leave none out, and go back `STATISTICS_DAYS` days at most.
 */
export interface Statistics {
  identities: IdentityStatistics | null;
  sessions: SessionStatistics | null;
  clients: ClientStatistics | null;
}

export interface IdentityStatistics {
  /** Null when the identity service does not say. */
  total: number | null;
  /** How many were looked at; all other numbers are of these. Their identifiers are random, so it is a fair sample. */
  sample: number;
  /** Whether the sample is all there are. */
  complete: boolean;
  /** Identities with an address that can be verified, and those of them with one that is. */
  verifiable: number;
  verified: number;
  /** Largest count first. */
  by_schema: { schema_id: string; count: number }[];
  /** From the first day of the span with a new identity. */
  created: DayCount[];
  /** When the sample was taken, ISO 8601. */
  as_of: string;
}

export interface SessionStatistics {
  /** How many were looked at, the latest first. */
  sample: number;
  /** True when there are more. */
  truncated: boolean;
  /** From when on sign-ins are counted: before it not all of them were looked at. Null without a session. */
  since: string | null;
  /** Neither ended nor expired at `as_of`. */
  active: number;
  sign_ins: DayCount[];
  /** Sign-ins by hour of the local day, 0 to 23. */
  hours: number[];
  as_of: string;
}

export interface ClientStatistics {
  sample: number;
  /** True when there are more clients than were looked at. */
  truncated: boolean;
  /** Largest count first. A client with several grants counts for each. */
  by_grant: { grant: string; count: number }[];
  as_of: string;
}

export const STATISTICS_DAYS = 365;
