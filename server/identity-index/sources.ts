import { setImmediate } from 'node:timers/promises';
import type { GeoLookup } from '../geo/geo-lookup.ts';
import type { AdminClient } from '../upstream/admin-client.ts';
import { UpstreamFailure } from '../upstream/upstream-failure.ts';
import type { IndexSources } from './passes.ts';
import { clientEntry, sessionEntry } from './session-entry.ts';

/** Fits a page with large traits, metadata and device lists. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;
/** After this many items the event loop gets to handle requests and other upstreams' responses. */
const ITEMS_AT_ONCE = 100;

/** The lists of an identity store (Kratos) and an OAuth 2.0 server (Hydra). */
export function indexSources(store: AdminClient, oauthAdmin: AdminClient, geo: GeoLookup): IndexSources {
  const limits = { maxBytes: PAGE_MAX_BYTES };

  async function entries<T>(items: readonly unknown[], read: (item: unknown) => T | undefined): Promise<T[]> {
    const all: T[] = [];
    for (const item of items) {
      const entry = read(item);
      if (entry === undefined) throw new UpstreamFailure('nonsense');
      all.push(entry);
      if (all.length % ITEMS_AT_ONCE === 0) await setImmediate();
    }
    return all;
  }

  return {
    people: (page_size, page_token) => store.text('/admin/identities', { page_size, page_token }, limits),
    // Kratos limits a question by ids to a page, too.
    peopleBy: async (ids) => (await store.text('/admin/identities', { ids, page_size: 500 }, limits)).text,
    async sessions(page_size, page_token) {
      // Without `expand`, Kratos omits identity and address, and reports sessions of deactivated identities as active.
      const query = { page_size, page_token, expand: ['identity', 'devices'] };
      const { items, nextPageToken } = await store.list('/admin/sessions', query, limits);
      const lookUp = await geo.open();
      return { entries: await entries(items, (item) => sessionEntry(item, lookUp)), nextPageToken };
    },
    async clients(page_size, page_token) {
      const { items, nextPageToken } = await oauthAdmin.list('/admin/clients', { page_size, page_token }, limits);
      return { entries: await entries(items, clientEntry), nextPageToken };
    },
  };
}
