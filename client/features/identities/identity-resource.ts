import { queryOptions } from '@tanstack/react-query';
import type { FoundIdentity, IdentityPage, IdentitySearchPage, ListedIdentity } from '../../../shared/identities.ts';
import type { SessionInformation } from '../../../shared/session.ts';
import { type CursorPage, refusedToken } from '../../api/cursor-page.ts';
import {
  asCursorPage,
  IDENTITY_PAGES_KEY,
  type Identity,
  identityQuery,
  identityTotalQuery,
  listIdentities,
  lookUpNote,
  patchIdentity,
  plainSearch,
  withMarks,
} from '../../api/identities.ts';
import {
  type IdentityFilters,
  identitySearchParams,
  needsIndex,
  parseIdentityFilters,
} from '../../api/identity-filters.ts';
import { RequestError, request, reworded } from '../../api/request.ts';
import { revokeSessions } from '../../api/sessions.ts';
import { identityIdIn } from '../../lib/identity-name.ts';
import { defineResource, type PagedSearch, type ParamsOf, pagedSearch } from '../../list/resource.ts';
import type { MemberChange } from '../../record/member-changes.ts';
import { timelineSearch } from '../../record/timeline-kinds.ts';
import { IconUsers } from '../../ui/shell-icons.tsx';

export interface IdentitiesSearch extends IdentityFilters, PagedSearch {}

export const parseIdentitiesSearch = (search: Record<string, unknown>): IdentitiesSearch => ({
  ...parseIdentityFilters(search),
  ...pagedSearch(search),
});

/** A row of the list. Without an index, members that only the index returns are missing. */
export type IdentityRow = ListedIdentity & Partial<FoundIdentity> & { external_id?: string };
export type FoundPageParams = ParamsOf<IdentitiesSearch>;

/** Marks cursors of the Kratos list, which the index does not understand. */
const PLAIN = 'plain:';

/**
 * A page of matches from the index, or else from the Kratos list, which searches login identifiers only. Each page
 * leaves an audit record, so there are no retries: one click must not be recorded twice.
 */
export const foundPageQuery = (params: ParamsOf<IdentitiesSearch>) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, 'found', params],
    queryFn: ({ client, queryKey, signal }) =>
      // A refetch makes the index look for new identities.
      withMarks(client, foundPage(params, client.getQueryData(queryKey) !== undefined, signal)),
    select: asFoundPage,
    retry: false,
  });

async function foundPage(
  { pageSize, token, ...search }: ParamsOf<IdentitiesSearch>,
  refresh: boolean,
  signal: AbortSignal,
): Promise<IdentitySearchPage | IdentityPage> {
  const plainPage = async (cursor?: string): Promise<IdentityPage> => {
    const page = await listIdentities({ ...plainSearch(search.q), pageSize, token: cursor }, signal);
    return { ...page, next_page_token: page.next_page_token && PLAIN + page.next_page_token };
  };
  if (token?.startsWith(PLAIN)) return plainPage(token.slice(PLAIN.length));
  const params = identitySearchParams(search, Date.now());
  params.set('page_size', String(pageSize));
  if (token !== undefined) params.set('page_token', token);
  if (refresh) params.set('refresh', 'true');
  try {
    return await request<IdentitySearchPage>(`/api/identities/search?${params}`, { signal });
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'search_not_supported') throw error;
    // The cursor belongs to an index that no longer exists.
    if (token !== undefined) throw refusedToken(error);
    if (needsIndex(search)) throw error;
    return plainPage();
  }
}

function asFoundPage(found: IdentitySearchPage | IdentityPage): CursorPage<IdentityRow> {
  const page = asCursorPage<IdentityRow>(found);
  if (!('index' in found)) return page;
  const { complete, identities, as_of } = found.index;
  return { ...page, matches: { total: found.total, complete, read: identities, asOf: as_of, note: lookUpNote(found) } };
}

export const IDENTITIES = defineResource({
  to: '/identities',
  one: 'identity',
  many: 'identities',
  title: 'Identity',
  label: 'Identities',
  about: 'Find people, and view or edit their identities.',
  icon: IconUsers,
  letter: 'i',
  needs: ['identities.read'],
  search: parseIdentitiesSearch,
  recordSearch: timelineSearch,
  preload: {
    list: (params) => [foundPageQuery(params), identityTotalQuery],
    record: (id) => (identityIdIn(id) === undefined ? undefined : identityQuery(id)),
    beforeSession: true,
  },
});

/** Falls back to the raw state, since later versions of Kratos may add states. */
export const formatState = (state: string): string =>
  ({ active: 'Active', inactive: 'Inactive' })[state] ?? (state === '' ? 'unknown' : state);

/** Deactivates an identity and ends its sessions, which would otherwise work again after the next activation. */
export async function deactivateIdentity(id: string, reason?: string, patch = patchIdentity): Promise<Identity> {
  const saved = await setState(id, 'inactive', patch, reason);
  await endSessionsAfter('The identity is deactivated', id, reason);
  return saved;
}

/** @throws an error that names what has already succeeded */
export async function endSessionsAfter(done: string, id: string, reason?: string): Promise<void> {
  await revokeSessions(id, reason).catch((error: Error) => {
    throw reworded(error, `${done}, but its sessions could not be ended: ${error.message}`);
  });
}

export const activateIdentity = (id: string, patch = patchIdentity): Promise<Identity> => setState(id, 'active', patch);

const setState = (
  id: string,
  state: 'active' | 'inactive',
  patch: typeof patchIdentity,
  reason?: string,
): Promise<Identity> => patch(id, [{ op: 'replace', path: '/state', value: state }], reason);

export const OWN_ACCOUNT =
  'This is you. You cannot deactivate or delete the account you are signed in with, or change its role. Ask another administrator.';

/** The path of a change that would remove the operator's own role; undefined if the role stays. */
export const ownRoleIn = (changes: readonly MemberChange[], { role }: SessionInformation['user']): string | undefined =>
  changes.find(({ path, before }) => /^\/(?:traits|metadata_admin)\/role$/.test(path) && before === role)?.path;
