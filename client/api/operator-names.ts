import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { OPERATOR_NAMES_MAX, type OperatorName, type OperatorNames } from '../../shared/security.ts';
import { refreshEvery } from './polled.ts';
import { request } from './request.ts';
import { useCan } from './session.ts';

/** The server caches a name for as long. */
const FRESH_MS = 60_000;

const ask = (parameters: string[][], signal: AbortSignal): Promise<OperatorNames> =>
  request<OperatorNames>(`/api/security/operators/names?${new URLSearchParams(parameters)}`, { signal });

/** Names of operators by id, in one request per hundred ids. */
const operatorNamesQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['security', 'operators', 'names', ids],
    async queryFn({ signal }) {
      const found = new Map<string, OperatorName>();
      for (let from = 0; from < ids.length; from += OPERATOR_NAMES_MAX) {
        const some = ids.slice(from, from + OPERATOR_NAMES_MAX);
        const { names } = await ask(
          some.map((id) => ['id', id]),
          signal,
        );
        for (const name of names) found.set(name.identity_id, name);
      }
      return found;
    },
    staleTime: FRESH_MS,
    refetchInterval: refreshEvery(FRESH_MS),
    retry: false,
  });

/** Names of operators by id, as far as they are known and the operator may read them. Where a lookup fails, the id is shown. */
export function useOperatorNames(ids: Iterable<string>): ReadonlyMap<string, OperatorName> {
  const may = useCan();
  const distinct = [...new Set(ids)].sort();
  const { data } = useQuery({
    ...operatorNamesQuery(distinct),
    enabled: may('operators.read') && distinct.length > 0,
    placeholderData: keepPreviousData,
  });
  return data ?? NOBODY;
}

const NOBODY: ReadonlyMap<string, OperatorName> = new Map();

/**
 * The operator with exactly this login identifier, if any.
 * @throws RequestError when the store cannot be queried
 */
export async function findOperator(identifier: string, signal: AbortSignal): Promise<OperatorName | undefined> {
  const { names } = await ask([['identifier', identifier]], signal);
  return names.find(({ email }) => email?.toLowerCase() === identifier.toLowerCase()) ?? names[0];
}
