import type { JsonObject } from '../../shared/json.ts';
import { type CursorPage, readUpstreamPage } from './cursor-page.ts';
import { identityAdmin, type QueryParameters } from './request.ts';
import { chunksOf } from './sessions.ts';

/** Identities as the service returns them. Long numbers keep all digits. */
export type StoredPage = CursorPage<JsonObject>;

const PAGE_SIZE = 250;

/** A page of full identities: `GET /api/identities` omits schema, metadata and external id. */
export const readStoredPage = (token: string | undefined, signal?: AbortSignal): Promise<StoredPage> =>
  readStored('/identities', { page_size: PAGE_SIZE, page_token: token }, signal);

/** Limited, since the response repeats all ids in its `Link` header. */
export const IDS_AT_ONCE = 100;

/** The identities with these ids, in this order; unknown ids are left out. All requests are sent at the same time. */
export async function readStoredByIds(ids: readonly string[], signal?: AbortSignal): Promise<JsonObject[]> {
  // Never a request without an id: the identity service would return all identities.
  const pages = chunksOf(ids, IDS_AT_ONCE).map((some) => {
    const query = new URLSearchParams(some.map((id) => ['ids', id]));
    return readStored(`/identities?page_size=500&${query}`, {}, signal);
  });
  const rows = (await Promise.all(pages)).flatMap((page) => page.rows);
  const found = new Map(rows.map((identity) => [String(identity.id).toLowerCase(), identity]));
  return ids.map((id) => found.get(id.toLowerCase())).filter((identity) => identity !== undefined);
}

const readStored = (path: string, parameters: QueryParameters, signal: AbortSignal | undefined): Promise<StoredPage> =>
  readUpstreamPage(
    identityAdmin(path),
    parameters,
    (identity) => 'traits' in identity,
    ['identity service', 'a list of identities'],
    signal,
  );
