import { useQuery } from '@tanstack/react-query';
import type { FoundIdentity } from '../../../shared/identities.ts';
import { SEARCH_MAX_CHARACTERS } from '../../../shared/identities.ts';
import { foundIdentitiesQuery } from '../../api/found.ts';
import { identityCountQuery } from '../../api/identity-count.ts';
import { RequestError } from '../../api/request-error.ts';
import { useCan } from '../../api/session.ts';
import { counted } from '../../format/counted.ts';
import { identifierOf, nameOf } from '../../format/identity-name.ts';
import { visibleText } from '../../format/visible-text.ts';
import type { Offer } from './no-match.tsx';

/** People whom the index finds by a text, where a list knows them by something else. */
export interface FoundPeople {
  pending: boolean;
  /** The first of them; none where nothing is indexed. */
  people: readonly FoundIdentity[];
  /** `12 people`; undefined for none. */
  count: string | undefined;
  /** To the list of all, if there are more. */
  rest: Offer | false;
  /** A sentence if not everybody could be looked for yet, else empty. */
  missing: string;
  error: Error | null;
  refetch: () => void;
}

/** @param wanted false asks nothing: each question leaves an audit record */
export function useFoundPeople(text: string, wanted: boolean): FoundPeople {
  const may = useCan();
  const enabled = wanted && may('identities.read') && [...text].length <= SEARCH_MAX_CHARACTERS;
  const { data, error, isFetching, refetch } = useQuery({ ...foundIdentitiesQuery(text), enabled });
  const page = (enabled && data) || undefined;
  // Who has changed since and no longer matches was not looked for.
  const people = page?.identities.filter(({ changed }) => !changed) ?? [];
  const total = page?.total === null ? 'more than 10,000 people' : counted(page?.total ?? 0, 'person', 'people');
  return {
    pending: enabled && isFetching && page === undefined,
    people,
    count: people.length === 0 ? undefined : page?.has_more ? total : counted(people.length, 'person', 'people'),
    rest: page?.has_more === true && { label: `All ${total}`, to: { to: '/identities', search: { q: text } } },
    missing:
      page?.index.complete === false ? 'The identities are still being read: more people may be found soon.' : '',
    error: enabled ? error : null,
    refetch: () => void refetch(),
  };
}

/** “Ada Lovelace, ada@example.org”: enough to choose by. */
export const personLabel = (person: FoundIdentity): string =>
  visibleText([nameOf(person), identifierOf(person) ?? person.id].filter((part) => part !== undefined).join(', '));

/** Explains a field that takes people, too. @param exact what has to match exactly, as a sentence */
export function PeopleExplanation({ exact }: { exact: string }): string {
  const may = useCan()('identities.read');
  // Counting names nobody. The index may have read something since.
  const { error } = useQuery({ ...identityCountQuery({}), enabled: may, retryOnMount: true });
  const isOff = error instanceof RequestError && error.code === 'search_not_supported';
  if (!may) return `Press Enter to search. ${exact}`;
  return isOff
    ? `Press Enter to search. ${exact} The index of identities is off, or has read nothing yet: people are not found by name or e-mail.`
    : `Press Enter to search. ${exact} Anything else finds people by any part of a name, an e-mail or another trait; the audit trail records that.`;
}
