import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import {
  type NamedSubject,
  OPERATOR_NAMES_MAX,
  type OperatorName,
  type OperatorNames,
  SUBJECT_NAMES_MAX,
  type SubjectNames,
} from '../../shared/security.ts';
import { refreshEvery } from './polling.ts';
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

/** The server caches a name for as long. */
/** Servers accept addresses of at least twice this. */
const QUERY_CHARACTERS = 6_000;

/** The subjects in questions that a server accepts, each as a query. */
export function questionsFor(subjects: readonly NamedSubject[]): string[] {
  const questions: string[][] = [];
  let characters = 0;
  for (const subject of subjects) {
    const parameter = `subject=${encodeURIComponent(subject)}`;
    const last = questions.at(-1);
    if (last === undefined || last.length === SUBJECT_NAMES_MAX || characters + parameter.length > QUERY_CHARACTERS) {
      questions.push([parameter]);
      characters = parameter.length;
    } else {
      last.push(parameter);
      characters += 1 + parameter.length;
    }
  }
  return questions.map((parameters) => parameters.join('&'));
}

const subjectNamesQuery = (subjects: readonly NamedSubject[]) =>
  queryOptions({
    queryKey: ['security', 'subject-names', subjects],
    async queryFn({ signal }) {
      const found = new Map<string, string>();
      for (const question of questionsFor(subjects)) {
        const { names } = await request<SubjectNames>(`/api/security/subject-names?${question}`, { signal });
        for (const { subject, name } of names) if (name !== null) found.set(subject, name);
      }
      return found;
    },
    staleTime: FRESH_MS,
    refetchInterval: refreshEvery(FRESH_MS),
    retry: false,
  });

/** Names of people and clients, as far as they are known and the operator may read them. Where a lookup fails, the id is shown. */
export function useSubjectNames(subjects: Iterable<NamedSubject>): ReadonlyMap<string, string> {
  const may = useCan();
  const distinct = [...new Set(subjects)].sort();
  const { data } = useQuery({
    ...subjectNamesQuery(distinct),
    enabled: may('upstreams.read') && distinct.length > 0,
    placeholderData: keepPreviousData,
  });
  return data ?? NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();
