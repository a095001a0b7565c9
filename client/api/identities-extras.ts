import { queryOptions } from '@tanstack/react-query';
import { isObject } from '../../shared/json.ts';
import { EXPANDED_SESSIONS_PAGE } from '../../shared/session-locations.ts';
import { nextToken } from './cursor-page.ts';
import { IDENTITY_PAGES_KEY } from './identities.ts';
import { identityAdmin } from './identities-prefix.ts';
import { bodyOf, request, send } from './request.ts';

/** What our own list does not carry, by identity id; undefined where it was not asked for or is not there yet. */
export interface IdentityExtras {
  stored: ReadonlyMap<string, StoredExtras> | undefined;
  /** When each signed in last, as far as the newest sessions tell. ISO 8601. */
  signIns: ReadonlyMap<string, string> | undefined;
}

export interface StoredExtras {
  schemaId: string;
  externalId: string | undefined;
}

/** The identity service puts the ids into its `Link` once for each direction: more make a header that no client takes. */
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

/** Every session has to be read with its identity to know whose it is: a few pages, and once a minute. */
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
