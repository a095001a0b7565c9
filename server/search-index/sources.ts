import { setImmediate } from 'node:timers/promises';
import type { ListedIdentity } from '../../shared/identities.ts';
import { type EntryFilter, fits, identityEntry } from '../../shared/identity-entry.ts';
import { attempt, membersOf, text, texts } from '../../shared/json.ts';
import { type GeoLookup, placeLabel } from '../geo/geo-lookup.ts';
import type { AdminClient } from '../upstream/admin-client.ts';
import { UpstreamFailure } from '../upstream/failure.ts';
import type { IdentityStore } from '../upstream/identity-store.ts';
import type { Kind } from './database.ts';
import type { SessionEntry } from './sessions.ts';

/** Enough for a page with large traits, metadata and device lists. */
const LIMITS = { maxBytes: 16 * 1024 * 1024 };
/** The size of a page of messages, each with its text. */
const MESSAGES = 100;
/** After this many lookups, the event loop can handle other requests. */
const LOOKUPS_AT_ONCE = 50;
/** Without these, Kratos omits identity and address, and reports sessions of deactivated identities as active. */
const EXPAND = ['identity', 'devices'];

export type IndexSources = ReturnType<typeof indexSources>;

/**
 * Reads lists from an identity store (Kratos) and an OAuth 2.0 server (Hydra) for the index. They are returned as JSON
 * text, because the worker parses them. Every method rejects with an UpstreamFailure.
 */
export function indexSources(store: IdentityStore, oauthAdmin: AdminClient, geo: GeoLookup) {
  return {
    /** The traits that identify people; empty if the schemas cannot be read. Never rejects. */
    marks: store.marks,
    /** A page of a list; sessions are ordered latest first. */
    page(
      kind: Kind,
      page_size: number,
      page_token: string | undefined,
    ): Promise<{ text: string; bytes: number; nextPageToken: string | undefined }> {
      const query = { page_size, page_token };
      if (kind === 'identities') return store.text('/admin/identities', query, LIMITS);
      if (kind === 'sessions') return store.text('/admin/sessions', { ...query, expand: EXPAND }, LIMITS);
      return oauthAdmin.text('/admin/clients', query, LIMITS);
    },
    /** Rows by id: up to 100 identities, or one session or client. Rows that do not exist are omitted. */
    async byId(kind: Kind, ids: readonly string[]): Promise<string> {
      // Kratos limits a query by ids to one page as well.
      if (kind === 'identities') return (await store.text('/admin/identities', { ids, page_size: 500 }, LIMITS)).text;
      const id = encodeURIComponent(ids[0] ?? '');
      try {
        const { text } = await (kind === 'sessions'
          ? store.text(`/admin/sessions/${id}`, { expand: EXPAND }, LIMITS)
          : oauthAdmin.text(`/admin/clients/${id}`, {}, LIMITS));
        return `[${text}]`;
      } catch (error) {
        if (error instanceof UpstreamFailure && error.response?.status === 404) return '[]';
        throw error;
      }
    },
    newestMessages: async (): Promise<string> =>
      (await store.text('/admin/courier/messages', { page_size: MESSAGES }, LIMITS)).text,
    byIdentifier: async (credentials_identifier: string): Promise<string> =>
      (await store.text('/admin/identities', { credentials_identifier, page_size: 1 }, LIMITS)).text,
    async placesOf(addresses: readonly string[]): Promise<SessionEntry['place'][]> {
      const lookUp = await geo.open();
      const places: SessionEntry['place'][] = [];
      for (const address of addresses) {
        const place = address === '' ? undefined : lookUp(address);
        places.push(place && { label: placeLabel(place), lat: place.lat, lng: place.lng });
        if (places.length % LOOKUPS_AT_ONCE === 0) await setImmediate();
      }
      return places;
    },
  };
}

/** The target size of a page: parsing it takes about 20 milliseconds. */
const PAGE_BYTES = 1024 * 1024;

/** Kratos' time for a page of expanded sessions grows quadratically, so 250 is the maximum. */
const PAGE_SIZES = { first: 50, least: 25, most: 250 };

/** Some releases of Hydra use page numbers as cursors: if the size changed, clients would be skipped. */
const CLIENT_PAGE_SIZES: typeof PAGE_SIZES = { first: 250, least: 250, most: 250 };

/** How many rows to request next. Starts small, since rows may be large, and never returns to a size that timed out. */
export function pageSize(kind: Kind) {
  const { first, least, most } = kind === 'clients' ? CLIENT_PAGE_SIZES : PAGE_SIZES;
  let limit = most;
  let size = first;
  return {
    get rows() {
      return size;
    },
    /** Called after a page: aims at a megabyte for the next one, assuming that its rows are as large. */
    follow({ rows, bytes }: { rows: number; bytes: number }): void {
      if (rows > 0) size = Math.min(limit, Math.max(least, Math.floor((PAGE_BYTES * rows) / bytes)));
    },
    /** Called after a timeout. @returns false if the page cannot be smaller */
    halve(): boolean {
      if (size <= least) return false;
      limit = Math.max(Math.floor(size / 2), least);
      size = limit;
      return true;
    },
  };
}

/**
 * Parses the rows of a page. Invalid rows are skipped, so that one of them does not hide all others. A list with only
 * invalid rows is refused, so that indexed rows are not removed.
 * @param page JSON as the store sent it
 * @throws SyntaxError
 */
export function entriesOf<T>(page: string, read: (row: unknown) => T | undefined): T[] {
  const list: unknown = JSON.parse(page);
  const entries = Array.isArray(list) ? list.map(read).filter((entry) => entry !== undefined) : [];
  if (!Array.isArray(list) || (entries.length === 0 && list.length > 0))
    throw new SyntaxError('not a list of such rows');
  return entries;
}

/** @returns undefined if it is not a message */
export function messageEntry(message: unknown): { id: string; recipient: string } | undefined {
  const { id, recipient } = membersOf(message);
  return text(id) === '' ? undefined : { id: text(id), recipient: text(recipient) };
}

export interface RowFilter {
  query?: EntryFilter | undefined;
  /** A prefix of one of the identifiers. */
  prefix?: string | undefined;
}

/** @param page JSON as the store sent it. @throws SyntaxError */
export function listedIdentities(page: string, { query, prefix }: RowFilter) {
  const list: unknown = JSON.parse(page);
  if (!Array.isArray(list)) throw new SyntaxError('not a list');
  return list.map((identity) => {
    const { id, schema_id: schemaId, traits, state, created_at, updated_at } = membersOf(identity);
    if (typeof id !== 'string') throw new SyntaxError('not an identity');
    const entry = query && identityEntry(identity);
    const listed: ListedIdentity = {
      id,
      traits: membersOf(traits),
      state: text(state),
      created_at: text(created_at),
      updated_at: text(updated_at),
    };
    return {
      id: id.toLowerCase(),
      schemaId: typeof schemaId === 'string' ? schemaId : '',
      /**
       * The JSON of exactly the five fields of docs/api.md#identities, even if the store returns more. People write their
       * own traits, perhaps nested more deeply than can be serialised; the rest of the page is fine.
       */
      json: attempt(() => JSON.stringify(listed)) ?? JSON.stringify({ ...listed, traits: {} }),
      isMatch:
        (query === undefined || (entry !== undefined && fits(entry, query))) &&
        (prefix === undefined || hasIdentifierWith(identity, prefix)),
    };
  });
}

export type ListedRow = ReturnType<typeof listedIdentities>[number];

/** The store trims and lower-cases the prefix. */
function hasIdentifierWith(identity: unknown, prefix: string): boolean {
  const normalised = (text: string): string => text.trim().toLowerCase();
  return Object.values(membersOf(membersOf(identity)['credentials'])).some((credential) =>
    texts(membersOf(credential)['identifiers']).some((one) => normalised(one).startsWith(normalised(prefix))),
  );
}

/** The JSON of a page, made of rows that are already serialised. */
export const pageOf = (rows: readonly string[], rest: object): string =>
  withMembers(`{"identities":[${rows.join(',')}]}`, rest);

/** Adds members to the JSON of an object. */
export const withMembers = (json: string, members: object): string =>
  `${json.slice(0, -1)},${JSON.stringify(members).slice(1)}`;
