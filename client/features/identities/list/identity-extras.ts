import { queryOptions } from '@tanstack/react-query';
import { isObject } from '../../../../shared/json.ts';
import { EXPANDED_SESSIONS_PAGE } from '../../../../shared/session-locations.ts';
import { nextToken } from '../../../api/cursor-page.ts';
import { IDENTITY_PAGES_KEY } from '../../../api/identities.ts';
import { bodyOf, request, send } from '../../../api/request.ts';
import { identityAdmin } from '../../../api/upstream-api.ts';

/** What the list endpoint leaves out, by identity id; undefined when not requested or not loaded yet. */
export interface IdentityExtras {
  stored: ReadonlyMap<string, StoredExtras> | undefined;
  /** Last sign-ins, as far as the most recent sessions show. ISO 8601. */
  signIns: ReadonlyMap<string, string> | undefined;
}

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

/** Sessions must be read with their identities to know whose they are: only a few pages, at most once a minute. */
const SIGN_INS_FRESH_MS = 60_000;
const SIGN_IN_PAGES = 4;

export const lastSignInsQuery = queryOptions({
  queryKey: ['identities', 'last-sign-ins'],
  queryFn: async ({ signal }) => {
    const last = new Map<string, string>();
    for (const { identity, authenticated_at } of await newestSessions(signal)) {
      const id = isObject(identity) ? String(identity.id) : '';
      if (typeof authenticated_at !== 'string') continue;
      if (Date.parse(authenticated_at) > Date.parse(last.get(id) ?? '1970')) last.set(id, authenticated_at);
    }
    return last;
  },
  staleTime: SIGN_INS_FRESH_MS,
  retry: false,
});

async function newestSessions(signal: AbortSignal): Promise<Record<string, unknown>[]> {
  const sessions: Record<string, unknown>[] = [];
  const query = new URLSearchParams({ page_size: String(EXPANDED_SESSIONS_PAGE), expand: 'identity' });
  for (let page = 0; page < SIGN_IN_PAGES; page += 1) {
    const answer = await send(identityAdmin(`/sessions?${query}`), { signal });
    sessions.push(...objectsIn(await bodyOf(answer)));
    const next = nextToken(answer.headers.get('Link') ?? '');
    if (next === undefined) break;
    query.set('page_token', next);
  }
  return sessions;
}

const objectsIn = (body: unknown): Record<string, unknown>[] => (Array.isArray(body) ? body.filter(isObject) : []);
