import type { JsonObject } from '../../shared/json.ts';
import { type CursorPage, readUpstreamPage } from './cursor-page.ts';
import { identityAdmin, type QueryParameters } from './request.ts';

/** Identities as the service returns them. Long numbers keep all digits. */
export type StoredPage = CursorPage<JsonObject>;

const PAGE_SIZE = 250;

/** A page of full identities: `GET /api/identities` omits schema, metadata and external id. */
export const readStoredPage = (token: string | undefined, signal?: AbortSignal): Promise<StoredPage> =>
  readStored('/identities', { page_size: PAGE_SIZE, page_token: token }, signal);

/** Limited, since the response repeats all ids in its `Link` header. */
export const IDS_AT_ONCE = 100;

/**
 * The identities with these ids, in this order; unknown ids are left out.
 * @param ids at most `IDS_AT_ONCE`
 */
export async function readStoredByIds(ids: readonly string[], signal?: AbortSignal): Promise<JsonObject[]> {
  // Without an id, the identity service would return all identities.
  if (ids.length === 0) return [];
  const query = new URLSearchParams(ids.map((id) => ['ids', id]));
  const { rows } = await readStored(`/identities?page_size=500&${query}`, {}, signal);
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
