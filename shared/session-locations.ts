import type { MapPoint } from './geo.ts';

/** `GET /api/session-locations`: where people are signed in. No addresses, no identities. */
export interface SessionLocations {
  /** Largest count first; their counts and `unknown` add up to `sessions`. */
  points: MapPoint[];
  /** Sessions whose address has no known place. */
  unknown: number;
  /** Sessions looked at that fit the question. */
  sessions: number;
  /** True when there are more sessions than were looked at. */
  truncated: boolean;
  /** When they were read, ISO 8601. */
  as_of: string;
}

/** One of the people behind a circle of the map. */
export interface LocatedSession {
  id: string;
  identity_id: string | null;
  active: boolean;
  /** ISO 8601; null where the identity service does not say. */
  authenticated_at: string | null;
  expires_at: string | null;
  ip: string | null;
  /** The beginning of its User-Agent. */
  device: string | null;
  /** `Oslo, Norway`, or the country alone; null where it is not known. */
  place: string | null;
}

/** `GET /api/security/sessions?lat=&lng=` */
export interface LocatedSessions {
  /** The latest sign-ins first, at most `LOCATED_SESSIONS_MAX`. */
  sessions: LocatedSession[];
  /** All that fit the question. */
  total: number;
  /** True when there are more sessions than were looked at, so that `total` is a lower bound. */
  truncated: boolean;
  as_of: string;
}

export const LOCATED_SESSIONS_MAX = 250;
/** Kratos fills a page of expanded sessions at the cost of its size's square, while all others wait. */
export const EXPANDED_SESSIONS_PAGE = 250;
export const SESSION_DAYS_MAX = 365;
