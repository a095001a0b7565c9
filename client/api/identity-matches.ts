import { queryOptions } from '@tanstack/react-query';
import type { IdentityCount, IdentitySearchIds } from '../../shared/identities.ts';
import { request } from './request.ts';

/**
 * All who match a question at this moment, by id. Leaves an audit record.
 * @param question parameters of `GET /api/identities/search`
 * @throws RequestError 400 if they are more than `SEARCH_IDS_MAX`
 */
export const idsThatMatch = (question: URLSearchParams, signal: AbortSignal): Promise<IdentitySearchIds> =>
  request(`/api/identities/search/ids?${question}`, { signal });

/** How many match. Names nobody, so it leaves no record. */
export const matchCountQuery = (question: URLSearchParams) =>
  queryOptions({
    queryKey: ['identities', 'count', question.toString()],
    queryFn: ({ signal }) => request<IdentityCount>(`/api/identities/search/count?${question}`, { signal }),
    retry: false,
  });
