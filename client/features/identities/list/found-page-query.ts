import { queryOptions } from '@tanstack/react-query';
import type { FoundIdentity, IdentityPage, IdentitySearchPage, ListedIdentity } from '../../../../shared/identities.ts';
import { type CursorPage, refusedToken } from '../../../api/cursor-page.ts';
import { identityQuestion } from '../../../api/filter-parameters.ts';
import { asCursorPage, IDENTITY_PAGES_KEY, searchIdentities } from '../../../api/identities.ts';
import { listIdentities, plainSearch } from '../../../api/identity-list.ts';
import { withMarks } from '../../../api/identity-marks.ts';
import { RequestError } from '../../../api/request-error.ts';
import type { ParamsOf } from '../../../resource/list/page-step.ts';
import { type IdentitiesSearch, needsIndex } from '../identity-question.ts';

/** A row of the list; the plain list does not know what only an index has. */
export type IdentityRow = ListedIdentity & Partial<FoundIdentity>;
export type FoundPageParams = ParamsOf<IdentitiesSearch>;

/** Cursors of the plain list, which mean nothing to the index. */
const PLAIN = 'plain:';

/**
 * A page of those who match, found by the index. Where there is none, the plain list answers, if it can: it knows login
 * identifiers only. Each page is an audit record: no retry, so that one click never counts twice.
 */
export const foundPageQuery = (params: FoundPageParams) =>
  queryOptions({
    queryKey: [...IDENTITY_PAGES_KEY, 'found', params],
    queryFn: async ({ client, queryKey, signal }) => {
      // Reading again what is shown asks for who is new.
      return withMarks(client, foundPage(params, client.getQueryData(queryKey) !== undefined, signal));
    },
    select: asFoundPage,
    retry: false,
  });

async function foundPage(
  { pageSize, token, ...search }: FoundPageParams,
  again: boolean,
  signal: AbortSignal,
): Promise<IdentitySearchPage | IdentityPage> {
  const plain = async (cursor?: string): Promise<IdentityPage> => {
    const page = await listIdentities({ ...plainSearch(search.q), pageSize, token: cursor }, signal);
    return { ...page, next_page_token: page.next_page_token && PLAIN + page.next_page_token };
  };
  if (token?.startsWith(PLAIN)) return plain(token.slice(PLAIN.length));
  const question = identityQuestion(search, Date.now());
  question.set('page_size', String(pageSize));
  if (token !== undefined) question.set('page_token', token);
  if (again) question.set('refresh', 'true');
  try {
    return await searchIdentities(question, signal);
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'search_not_supported') throw error;
    // Of an index that is gone.
    if (token !== undefined) throw refusedToken(error);
    if (needsIndex(search)) throw error;
    return plain();
  }
}

function asFoundPage(answer: IdentitySearchPage | IdentityPage): CursorPage<IdentityRow> {
  const page = asCursorPage<IdentityRow>(answer);
  if (!('index' in answer)) return page;
  const { complete, identities, as_of } = answer.index;
  return { ...page, matches: { total: answer.total, complete, read: identities, asOf: as_of } };
}
