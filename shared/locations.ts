/** A circle on the map: a count around a location. */
export interface MapPoint {
  /** Degrees, rounded to 0.5. */
  lat: number;
  lng: number;
  /** `Oslo, Norway`, or only the country. */
  label: string;
  count: number;
}

/** The location of an address; all members but `ip` are null if it is unknown. */
export interface GeoLocation {
  ip: string;
  found: boolean;
  /** Also null if only the country is known. */
  city: string | null;
  /** In English. */
  country: string | null;
  /** ISO 3166-1 alpha-2. */
  country_code: string | null;
  /** Degrees; without a city, the centre of the country. */
  lat: number | null;
  lng: number | null;
}

/** `GET /api/geo?ip=…` */
export interface GeoResponse {
  /** In the order of the request. */
  locations: GeoLocation[];
  /** Largest count first. */
  points: MapPoint[];
}

export const GEO_ADDRESSES_MAX = 100;

/** `GET /api/session-locations`: where sessions began, without addresses or identities. */
export interface SessionLocations {
  /** Largest count first; their counts and `unknown` add up to `sessions`. */
  points: MapPoint[];
  unknown: number;
  /** The number of sessions read that match the query. */
  sessions: number;
  /** Whether there are more sessions than were read. */
  truncated: boolean;
  /** When they were read, ISO 8601. */
  as_of: string;
}

/** A session behind a circle of the map. */
export interface LocatedSession {
  id: string;
  identity_id: string | null;
  active: boolean;
  /** ISO 8601; null if the identity service does not report it. */
  authenticated_at: string | null;
  expires_at: string | null;
  ip: string | null;
  /** The start of the User-Agent. */
  device: string | null;
  /** `Oslo, Norway`, or only the country; null if unknown. */
  place: string | null;
}

/** `GET /api/security/sessions` */
export interface LocatedSessions {
  /** Latest sign-in first, as the identity service has them now. */
  sessions: LocatedSession[];
  next_page_token: string | null;
  has_more: boolean;
  total: number;
  /** True if there are more sessions than were read, so that `total` is a lower bound. */
  truncated: boolean;
  as_of: string;
}

/** `GET /api/security/sessions/ids`: the ids of all matches, latest sign-in first. */
export interface SessionIds {
  ids: string[];
  truncated: boolean;
  as_of: string;
}

export const LOCATED_SESSIONS_MAX = 250;
/** Small, since Kratos needs quadratic time for a page of expanded sessions, and other requests wait for it. */
export const EXPANDED_SESSIONS_PAGE = 250;
export const SESSION_DAYS_MAX = 365;
