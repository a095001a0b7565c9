import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type NamedSubject, SUBJECT_NAMES_MAX, type SubjectNames } from '../../shared/security.ts';
import { refreshEvery } from './polled.ts';
import { request } from './request.ts';
import { useCan } from './session.ts';

/** The server caches a name for as long. */
const FRESH_MS = 60_000;
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
