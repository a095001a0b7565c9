import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { IdentityPage, IdentitySearchPage, IdentityTotal, ListedIdentity } from '../../shared/identities.ts';
import { marksIn } from '../../shared/identity-name.ts';
import { isObject, membersOf } from '../../shared/json.ts';
import { bareIdentifier } from '../../shared/text.ts';
import { learnMarks } from '../lib/identity-name.ts';
import { exactBody } from '../lib/json.ts';
import type { CursorPage } from './cursor-page.ts';
import { identitySchemasQuery } from './identity-schemas.ts';
import { statisticsQuery } from './overview.ts';
import {
  identityAdmin,
  type PatchOperation,
  type RequestOptions,
  request,
  send,
  unreadableResponse,
  withQuery,
} from './request.ts';

export const IDENTITY_PAGES_KEY = ['identities', 'page'] as const;

/** A sentence for a search whose exact look-up did not finish, otherwise empty. */
export const lookUpNote = (page: IdentitySearchPage | null | undefined): string =>
  page?.exact === undefined ? '' : 'The identity service could not look up the whole identifier.';

export interface IdentityPageParams {
  pageSize: number;
  /** Exact login identifier. Without it and `prefix`, all identities match. */
  identifier?: string | undefined;
  /** Start of a login identifier; never combined with `identifier`. */
  prefix?: string | undefined;
  /** Cursor from the previous page; undefined for the first page. */
  token: string | undefined;
}

/**
 * Search without an index: a text that only ends in a star is a prefix, any other an exact login identifier.
 * @param text undefined for all identities
 */
export function plainSearch(text: string | undefined): { identifier?: string; prefix?: string } {
  const prefix = text && /^([^*].*(?<!\*))\*+$/.exec(text)?.[1]?.trim();
  if (prefix) return { prefix };
  return text === undefined ? {} : { identifier: bareIdentifier(text) };
}

export function listIdentities(
  { pageSize, identifier, prefix, token }: IdentityPageParams,
  signal: AbortSignal,
): Promise<IdentityPage> {
  const path = withQuery('/api/identities', {
    page_size: pageSize,
    page_token: token,
    credentials_identifier: identifier,
    credentials_identifier_prefix: prefix,
  });
  return request<IdentityPage>(path, { signal });
}

export const asCursorPage = <T extends ListedIdentity>({
  identities,
  has_more,
  next_page_token,
}: Omit<IdentityPage, 'identities'> & { identities: readonly T[] }): CursorPage<T> => ({
  rows: identities.map(asListed),
  next: (has_more && next_page_token) || undefined,
});

/** A malformed row must not break the whole list. */
const asListed = <T extends ListedIdentity>(row: T): T => ({ ...row, traits: isObject(row.traits) ? row.traits : {} });

const TOTAL_FRESH_MS = 60_000;

/** Total number of identities. Fresh for a minute, since the store counts all rows for each request. */
export const identityTotalQuery = queryOptions({
  queryKey: ['identities', 'total'],
  queryFn: () => request<IdentityTotal>('/api/identities/total'),
  staleTime: TOTAL_FRESH_MS,
  retry: false,
});

/**
 * Call after creating, changing or deleting identities. Refreshes lists, totals and the overview's counts; resolves
 * when the visible lists are up to date.
 */
export function identitiesChanged(queryClient: QueryClient): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: statisticsQuery.queryKey });
  return queryClient.invalidateQueries({ queryKey: ['identities'] });
}

/** How long to wait for the schemas; without them, names come from the usual traits. */
const WAIT_MS = 2_000;

/**
 * Waits for the schemas, which mark the traits that identify a person: without them, some people would first appear
 * unnamed. Slow or failing schemas do not block the identities.
 */
export async function withMarks<T>(client: QueryClient, reading: Promise<T>): Promise<T> {
  const marks = client.fetchQuery(identitySchemasQuery).then(
    ({ schemas }) => learnMarks(marksIn(schemas)),
    () => undefined,
  );
  const late = new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  const [read] = await Promise.all([reading, Promise.race([marks, late])]);
  return read;
}

export interface Identity {
  id: string;
  schema_id: string;
  state: string;
  state_changed_at?: string;
  external_id?: string;
  /** Set only when the identity service has organizations. */
  organization_id?: string | null;
  traits: Record<string, unknown>;
  metadata_public: unknown;
  metadata_admin: unknown;
  verifiable_addresses?: VerifiableAddress[];
  recovery_addresses?: { id: string; value: string; via: string }[];
  /** By type, including types that are not set up. Not validated. */
  credentials?: unknown;
  created_at: string;
  updated_at: string;
}

export interface VerifiableAddress {
  value: string;
  via: string;
  verified: boolean;
  verified_at?: string | null;
  created_at?: string;
}

export const identityPath = (id: string): string => identityAdmin(`/identities/${encodeURIComponent(id)}`);

/** Reads the stored version, bypassing the cache. */
export const readIdentity = (id: string, signal?: AbortSignal): Promise<Identity> =>
  identityFrom(identityPath(id), { signal });

export const identityQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity', id],
    queryFn: ({ client, signal }) => withMarks(client, readIdentity(id, signal)),
    retry: false,
    // Structural sharing copies members and would break the exact representation of long numbers.
    structuralSharing: false,
  });

/** The identity with this external id; rejects with status 404 if there is none. */
export const findByExternalId = (externalId: string): Promise<Identity> =>
  identityFrom(identityAdmin(`/identities/by/external/${encodeURIComponent(externalId)}`));

/** @param identity without `schema_id` for the identity service's default */
export const createIdentity = (identity: Partial<Omit<Identity, 'traits'>> & { traits: unknown }): Promise<Identity> =>
  identityFrom(identityAdmin('/identities'), { method: 'POST', body: identity });

export const patchIdentity = (id: string, operations: readonly PatchOperation[], reason?: string): Promise<Identity> =>
  identityFrom(identityPath(id), { method: 'PATCH', body: operations, reason });

export async function deleteIdentity(id: string, reason?: string): Promise<void> {
  await send(identityPath(id), { method: 'DELETE', reason });
}

/** Validates a response: proxied data is untrusted and must not crash the page. Long numbers keep all digits. */
async function identityFrom(path: string, options: RequestOptions = {}): Promise<Identity> {
  const body = await exactBody(await send(path, options));
  const { id, traits, verifiable_addresses, recovery_addresses } = membersOf(body);
  const listOrNone = (value: unknown) => value === undefined || Array.isArray(value);
  if (typeof id === 'string' && isObject(traits) && listOrNone(verifiable_addresses) && listOrNone(recovery_addresses))
    return body as Identity;
  throw unreadableResponse('identity service', 'an identity');
}
