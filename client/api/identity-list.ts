import { queryOptions } from '@tanstack/react-query';
import type { IdentityPage, ListedIdentity } from '../../shared/identities.ts';
import { bareIdentifier } from '../../shared/text.ts';
import { asCursorPage, IDENTITY_PAGES_KEY } from './identities.ts';
import { withMarks } from './identity-marks.ts';
import { request } from './request.ts';

/** Parameters of a page of the plain list. */
export interface IdentityPageParams {
  pageSize: number;
  /** Exact login identifier; undefined for all identities. */
  identifier?: string | undefined;
  /** The beginning of one, never together with a whole one. */
  prefix?: string | undefined;
  /** Cursor from the previous page; undefined for the first page. */
  token: string | undefined;
}

/**
 * What the plain list looks for: a login identifier, or with a star at the end the beginning of one.
 * @param text undefined for all identities
 */
export function plainSearch(text: string | undefined): { identifier?: string; prefix?: string } {
  const prefix = text && /^(.*[^*])\*+$/.exec(text)?.[1]?.trim();
  if (prefix) return { prefix };
  return text === undefined ? {} : { identifier: bareIdentifier(text) };
}

export function listIdentities(
  { pageSize, identifier, prefix, token }: IdentityPageParams,
  signal: AbortSignal,
): Promise<IdentityPage> {
  const query = new URLSearchParams({ page_size: String(pageSize) });
  if (token !== undefined) query.set('page_token', token);
  if (identifier !== undefined) query.set('credentials_identifier', identifier);
  if (prefix !== undefined) query.set('credentials_identifier_prefix', prefix);
  return request<IdentityPage>(`/api/identities?${query}`, { signal });
}

/** Each page is one upstream request and one audit record: no retry, so that one click never counts twice. */
export const identityPageQuery = ({ pageSize, identifier, prefix, token }: IdentityPageParams) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, { pageSize, identifier, prefix, token }],
    queryFn: ({ client, signal }) => withMarks(client, listIdentities({ pageSize, identifier, prefix, token }, signal)),
    select: asCursorPage,
    retry: false,
  });

/** The identity with exactly this login identifier, if any. Every call leaves an audit record. */
export async function findByIdentifier(identifier: string): Promise<readonly ListedIdentity[]> {
  const query = new URLSearchParams({ page_size: '1', credentials_identifier: identifier });
  return (await request<IdentityPage>(`/api/identities?${query}`)).identities;
}
