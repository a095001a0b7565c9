import { queryOptions } from '@tanstack/react-query';
import type { IdentityCount } from '../../shared/identities.ts';
import { identityQuestion } from './filter-parameters.ts';
import { parseIdentityFilters } from './identity-filters.ts';
import { type Dated, requestDated } from './polled.ts';

const FRESH_MS = 60_000;

/**
 * How many identities match what an address of their list asks. Names nobody and leaves no audit record.
 * @param search the address's search parameters
 * @throws RequestError with the code `search_not_supported` where there is no index, or it has read nothing yet
 */
export const identityCountQuery = (search: Record<string, string>) => {
  const { sort: _, ...filters } = parseIdentityFilters(search);
  return queryOptions({
    queryKey: ['identities', 'count', filters],
    queryFn: ({ signal }): Promise<Dated<IdentityCount>> =>
      requestDated(`/api/identities/search/count?${identityQuestion(filters, Date.now())}`, { signal }),
    staleTime: FRESH_MS,
    retry: false,
  });
};
