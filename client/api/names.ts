import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Capability } from '../../shared/capabilities.ts';
import {
  type NamedSubject,
  OPERATOR_NAMES_MAX,
  type OperatorName,
  type OperatorNames,
  SUBJECT_NAMES_MAX,
  type SubjectName,
} from '../../shared/security.ts';
import { refreshEvery } from './polling.ts';
import { request } from './request.ts';
import { useCan } from './session.ts';

const OPERATORS = '/api/security/operators/names';

/** Names of operators by id. Unknown names are absent; so are all names if the signed-in operator may not read them. */
export const useOperatorNames = (ids: Iterable<string>): ReadonlyMap<string, OperatorName> =>
  useNames<OperatorName>(
    { path: OPERATORS, parameter: 'id', most: OPERATOR_NAMES_MAX, needs: 'operators.names' },
    ids,
    (name) => [name.identity_id, name],
  );

/** Names of identities and clients by subject, under the same conditions. */
export const useSubjectNames = (subjects: Iterable<NamedSubject>): ReadonlyMap<string, string> =>
  useNames<SubjectName, string>(
    { path: '/api/security/subject-names', parameter: 'subject', most: SUBJECT_NAMES_MAX, needs: 'identities.read' },
    subjects,
    ({ subject, name }) => [subject, name],
  );

export async function findOperator(identifier: string): Promise<OperatorName | undefined> {
  const query = new URLSearchParams({ identifier });
  const { names } = await request<OperatorNames>(`${OPERATORS}?${query}`);
  return names.find(({ email }) => email?.toLowerCase() === identifier.toLowerCase()) ?? names[0];
}

/** The server caches names for the same time. */
const FRESH_MS = 60_000;

/** Looks up names in as few requests as possible. Unknown names are absent. */
function useNames<Found, Name = Found>(
  { path, parameter, most, needs }: { path: string; parameter: string; most: number; needs: Capability },
  ids: Iterable<string>,
  entryOf: (found: Found) => [id: string, name: Name | null],
): ReadonlyMap<string, Name> {
  const may = useCan();
  const distinct = [...new Set(ids)].sort();
  const { data = NONE } = useQuery({
    queryKey: ['security', 'names', parameter, distinct],
    async queryFn({ signal }) {
      const found = new Map<string, Name>();
      for (const query of queriesFor(parameter, distinct, most)) {
        const { names } = await request<{ names: Found[] }>(`${path}?${query}`, { signal });
        for (const [id, name] of names.map(entryOf)) if (name !== null) found.set(id, name);
      }
      return found;
    },
    enabled: may(needs) && distinct.length > 0,
    staleTime: FRESH_MS,
    refetchInterval: refreshEvery(FRESH_MS),
    retry: false,
    placeholderData: keepPreviousData,
  });
  return data;
}

// biome-ignore lint/suspicious/noExplicitAny: the map is empty
const NONE: ReadonlyMap<string, any> = new Map();

/** Below the limit: servers accept URLs of at least twice this length. */
const QUERY_CHARACTERS = 6_000;

/** Splits the ids into queries within the server's limits of number and length. */
function queriesFor(parameter: string, ids: readonly string[], most: number): string[] {
  const queries: string[][] = [];
  let characters = 0;
  for (const id of ids) {
    const text = `${parameter}=${encodeURIComponent(id)}`;
    const last = queries.at(-1);
    if (last === undefined || last.length === most || characters + text.length > QUERY_CHARACTERS) {
      queries.push([text]);
      characters = text.length;
    } else {
      last.push(text);
      characters += 1 + text.length;
    }
  }
  return queries.map((parts) => parts.join('&'));
}
