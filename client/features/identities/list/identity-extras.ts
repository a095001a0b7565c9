import { queryOptions } from '@tanstack/react-query';
import { isObject } from '../../../../shared/json.ts';
import { IDENTITY_PAGES_KEY } from '../../../api/identities.ts';
import { request } from '../../../api/request.ts';
import { identityAdmin } from '../../../api/upstream-api.ts';

/** What the lists leave out. */
export interface StoredExtras {
  schemaId: string;
  externalId: string | undefined;
}

/**
 * The identity service repeats the ids in both directions of its `Link` header: more ids exceed clients' header
 * limits.
 */
const IDS_AT_ONCE = 100;

export const storedExtrasQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, 'extras', ids],
    queryFn: async ({ signal }) => {
      const found = new Map<string, StoredExtras>();
      for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
        const query = new URLSearchParams({ page_size: '500' });
        for (const id of ids.slice(start, start + IDS_AT_ONCE)) query.append('ids', id);
        for (const { id, schema_id, external_id } of objectsIn(
          await request(identityAdmin(`/identities?${query}`), { signal }),
        ))
          found.set(String(id), {
            schemaId: String(schema_id),
            externalId: typeof external_id === 'string' && external_id !== '' ? external_id : undefined,
          });
      }
      return found;
    },
    retry: false,
  });

const objectsIn = (body: unknown): Record<string, unknown>[] => (Array.isArray(body) ? body.filter(isObject) : []);
