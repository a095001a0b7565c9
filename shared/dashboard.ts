import type { RecordReference } from './records.ts';

/** A widget's position on the 12-column grid of the overview, in grid units. */
export interface WidgetPlacement {
  id: string;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** `GET` and `PUT /api/dashboard/layout`: null until the operator has customised it. */
export interface DashboardLayout {
  layout: null | { widgets: WidgetPlacement[]; hidden: string[] };
}

export const GRID_COLUMNS = 12;
export const GRID_ROWS_MAX = 1000;
export const WIDGETS_MAX = 64;
export const WIDGET_ID_MAX_CHARACTERS = 64;

/** The lists whose views can be saved. */
export const VIEW_RESOURCES = ['identities', 'sessions', 'clients', 'audit'] as const;
export type ViewResource = (typeof VIEW_RESOURCES)[number];

/** A search or filter of a list, saved under a name. */
export interface SavedView {
  /** Chosen by the client, unique among the operator's views. */
  id: string;
  resource: ViewResource;
  name: string;
  /** The query of the list's URL, without the question mark. */
  search: string;
}

/** `GET` and `PUT /api/dashboard/views`: the operator's own views and favourites, in their order. */
export interface SavedViews {
  views: SavedView[];
  /** A PUT without them keeps the stored ones. */
  favourites?: RecordReference[];
}

export const FAVOURITES_MAX = 50;

export const VIEWS_MAX = 50;
export const VIEW_ID = /^[a-z0-9-]{1,64}$/;
export const VIEW_NAME_MAX_CHARACTERS = 60;
export const VIEW_SEARCH_MAX_CHARACTERS = 2_000;

/** A count for a local day, `2026-01-31`. */
export interface DayCount {
  day: string;
  count: number;
}

/**
 * `GET /api/dashboard/statistics?time_zone=`: the overview's numbers for the deployment's own store. Parts that are
 * unknown are null. Lists of days have no gaps and go back at most `STATISTICS_DAYS` days.
 */
export interface Statistics {
  identities: IdentityStatistics | null;
  sessions: SessionStatistics | null;
  clients: ClientStatistics | null;
}

export interface IdentityStatistics {
  /** Null if the identity service does not report it. */
  total: number | null;
  /** How many identities were read; all other numbers refer to them. Ids are random, so the sample is unbiased. */
  sample: number;
  /** Whether the sample contains all identities. */
  complete: boolean;
  /** Identities with a verifiable address, and with a verified one. */
  verifiable: number;
  verified: number;
  /** Largest count first. */
  by_schema: { schema_id: string; count: number }[];
  /** Starts with the first day that has a new identity. */
  created: DayCount[];
  /** When the sample was taken, ISO 8601. */
  as_of: string;
}

export interface SessionStatistics {
  /** How many were read, latest first. */
  sample: number;
  /** Whether there are more. */
  truncated: boolean;
  /** Counts start here, since not all earlier sessions were read. Null if there are no sessions. */
  since: string | null;
  /** Neither ended nor expired at `as_of`. */
  active: number;
  /** Sessions by the day they began. Does not count deleted sessions and those of deleted identities. */
  sign_ins: DayCount[];
  /** The same sessions by local hour, 0 to 23. */
  hours: number[];
  as_of: string;
}

export interface ClientStatistics {
  sample: number;
  /** Whether there are more clients than were read. */
  truncated: boolean;
  /** Largest count first. A client counts once for each of its grants. */
  by_grant: { grant: string; count: number }[];
  as_of: string;
}

export const STATISTICS_DAYS = 365;
