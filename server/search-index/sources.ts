import { setImmediate } from 'node:timers/promises';
import type { MarksBySchema } from '../../shared/identity-name.ts';
import { type GeoLookup, placeLabel } from '../geo/geo-lookup.ts';
import type { AdminClient } from '../upstream/admin-client.ts';
import { UpstreamFailure } from '../upstream/failure.ts';
import type { IdentityStore } from '../upstream/identity-store.ts';
import type { SessionEntry } from './sessions.ts';

export type Kind = 'people' | 'sessions' | 'clients';

export interface ListPage {
  /** The JSON of a list as it was sent: the worker parses it. */
  text: string;
  bytes: number;
  nextPageToken: string | undefined;
}

/** What the index reads. All reject with an UpstreamFailure. */
export interface IndexSources {
  /** A page of a list; of sessions the latest first. */
  page(kind: Kind, size: number, token: string | undefined): Promise<ListPage>;
  /** These alone, as the JSON of a list; those that do not exist are missing. Up to 100 people, else one. */
  byId(kind: Kind, ids: readonly string[]): Promise<string>;
  /** The latest messages to people, as the JSON of a list. */
  newestMessages(): Promise<string>;
  /** Who signs in with this, as the JSON of a list. */
  byIdentifier(identifier: string): Promise<string>;
  /** Where these addresses are, each undefined if nobody knows. */
  placesOf(addresses: readonly string[]): Promise<SessionEntry['place'][]>;
  /** Which traits identify people; of no schema if that cannot be read. Never rejects. */
  marks(): Promise<MarksBySchema>;
}

/** Fits a page with large traits, metadata and device lists. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;
const LIMITS = { maxBytes: PAGE_MAX_BYTES };
/** Of messages, with the texts of each. */
const MESSAGES = 100;
/** After this many lookups the event loop gets to handle requests. */
const LOOKUPS_AT_ONCE = 50;
/** Without it, Kratos omits identity and address, and reports sessions of deactivated identities as active. */
const EXPAND = ['identity', 'devices'];

/** The lists of an identity store (Kratos) and an OAuth 2.0 server (Hydra). */
export function indexSources(store: IdentityStore, oauthAdmin: AdminClient, geo: GeoLookup): IndexSources {
  const one = (question: Promise<{ text: string }>): Promise<string> =>
    question.then(
      ({ text }) => `[${text}]`,
      (error) => {
        if (error instanceof UpstreamFailure && error.answer?.status === 404) return '[]';
        throw error;
      },
    );

  return {
    marks: store.marks,
    page(kind, page_size, page_token) {
      const query = { page_size, page_token };
      if (kind === 'people') return store.text('/admin/identities', query, LIMITS);
      if (kind === 'sessions') return store.text('/admin/sessions', { ...query, expand: EXPAND }, LIMITS);
      return oauthAdmin.text('/admin/clients', query, LIMITS);
    },
    async byId(kind, ids) {
      // Kratos limits a question by ids to a page, too.
      if (kind === 'people') return (await store.text('/admin/identities', { ids, page_size: 500 }, LIMITS)).text;
      const id = encodeURIComponent(ids[0] ?? '');
      return kind === 'sessions'
        ? one(store.text(`/admin/sessions/${id}`, { expand: EXPAND }, LIMITS))
        : one(oauthAdmin.text(`/admin/clients/${id}`, {}, LIMITS));
    },
    newestMessages: async () => (await store.text('/admin/courier/messages', { page_size: MESSAGES }, LIMITS)).text,
    byIdentifier: async (credentials_identifier) =>
      (await store.text('/admin/identities', { credentials_identifier, page_size: 1 }, LIMITS)).text,
    async placesOf(addresses) {
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
