import type { FoundIdentity, IdentitySearchPage } from '../../shared/identities.ts';
import { request } from './request.ts';
import { RequestError } from './request-error.ts';

/** How many are looked at of those who have a part in common. */
const EACH_MAX = 100;

/**
 * People with one of these parts in an identifier or trait. Each part is a search that leaves an audit record.
 * @returns null where nothing is indexed
 */
export async function similarIdentities(parts: readonly string[]): Promise<FoundIdentity[] | null> {
  const found = new Map<string, FoundIdentity>();
  for (const q of parts) {
    const query = new URLSearchParams({ q, page_size: String(EACH_MAX) });
    try {
      const { identities } = await request<IdentitySearchPage>(`/api/identities/search?${query}`);
      for (const identity of identities) found.set(identity.id, identity);
    } catch (error) {
      if (error instanceof RequestError && error.code === 'search_not_supported') return null;
      throw error;
    }
  }
  return [...found.values()];
}
