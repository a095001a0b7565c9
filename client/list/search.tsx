import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { type FoundIdentity, SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { lookUpNote } from '../api/identities.ts';
import { foundIdentitiesQuery, identityCountQuery } from '../api/identity-search.ts';
import { RequestError } from '../api/request.ts';
import { useCan } from '../api/session.ts';
import { hasPeople } from '../deployment.ts';
import { counted } from '../lib/format-count.ts';
import { identifierOf, nameOf } from '../lib/identity-name.ts';
import { useAfterTyping } from '../lib/keys.ts';
import { visibleText } from '../lib/visible-text.ts';
import { StatePanel } from '../ui/state-panel.tsx';

/** While typing, fewer characters would match too much. */
const MIN_CHARACTERS = 3;

/**
 * The text of a search field that searches while the operator types.
 * @param searched the text in the URL
 * @param search called while typing or on request
 * @param waits true for texts that only Enter searches for
 * @returns the text, its setter, and a function that searches at once
 */
export function useTypedSearch(
  searched: string,
  search: (text: string, typing: boolean) => void,
  waits: (text: string) => boolean,
): [text: string, type: (text: string) => void, searchNow: (text: string) => void] {
  const [state, setState] = useState({ searched, text: searched, requested: searched });
  let current = state;
  if (state.searched !== searched) {
    // After a search from this field, keep newer input. Otherwise the URL has changed in another way, such as Back.
    const text = state.requested === searched ? state.text : searched;
    current = { searched, text, requested: searched };
    setState(current);
  }
  const { text, requested } = current;
  const start = (typed: string, typing: boolean): void => {
    setState({ ...current, text: typing ? text : typed, requested: typed.trim() });
    if (typed.trim() !== searched) search(typed.trim(), typing);
  };
  const trimmed = text.trim();
  const isDue = trimmed !== requested && (trimmed === '' || [...trimmed].length >= MIN_CHARACTERS) && !waits(trimmed);
  useAfterTyping(isDue, () => start(text, true), [text, searched]);
  return [text, (typed) => setState({ ...current, text: typed }), (typed) => start(typed, false)];
}

/** Changes search parameters; undefined removes one. @param replace whether to replace the history entry */
export type ChangeSearch = (values: Record<string, string | undefined>, replace?: boolean) => void;

/** The returned function also goes to the first page. */
export function useChangeSearch(): ChangeSearch {
  const navigate = useNavigate();
  return useCallback(
    (values, replace = false) =>
      void navigate({ to: '.', search: (old) => ({ ...old, invalid: '', ...values }), state: {}, replace }),
    [navigate],
  );
}

/**
 * Finds identities in the search index, for a list that has only their ids or addresses.
 * @param isNeeded whether to send a request, which leaves an audit record
 */
export function useFoundIdentities(text: string, isNeeded: boolean) {
  const may = useCan();
  const enabled = isNeeded && may('identities.read') && [...text].length <= SEARCH_MAX_CHARACTERS;
  const { data, error, isFetching, refetch } = useQuery({ ...foundIdentitiesQuery(text), enabled });
  const page = (enabled && data) || undefined;
  // Omits identities that have changed since indexing and no longer match.
  const matches = page?.identities.filter(({ changed }) => !changed) ?? [];
  const total = page?.total === null ? 'more than 10,000 people' : counted(page?.total ?? 0, 'person', 'people');
  const all: Offer = { label: `All ${total}`, to: { to: '/identities', search: { q: text } } };
  return {
    pending: enabled && isFetching && page === undefined,
    /** The first matches; empty without a search index. */
    matches,
    /** `12 people`; undefined without matches. */
    count: matches.length === 0 ? undefined : page?.has_more ? total : counted(matches.length, 'person', 'people'),
    /** A link to all matches, if there are more. */
    rest: page?.has_more === true && all,
    /** A sentence if the search may lack somebody, otherwise empty. */
    missing:
      page?.index.complete === false
        ? 'Identities are still being indexed, so more people may be found soon.'
        : lookUpNote(page),
    error: enabled ? error : null,
    refetch: () => void refetch(),
  };
}

/** “Ada Lovelace, ada@example.org”: enough to recognise a person. */
export const identityLabel = (found: Pick<FoundIdentity, 'id' | 'traits'>): string =>
  visibleText([nameOf(found), identifierOf(found) ?? found.id].filter((part) => part !== undefined).join(', '));

/** Explains a field that also finds identities. @param exact a sentence about exact matches */
export function SearchExplanation({ exact }: { exact: string }): string {
  const may = useCan()('identities.read') && hasPeople();
  // Check whether the index is ready by counting, which leaves no audit record.
  const { error } = useQuery({ ...identityCountQuery({}), enabled: may, retryOnMount: true });
  const isOff = error instanceof RequestError && error.code === 'search_not_supported';
  if (!may) return `Press Enter to search. ${exact}`;
  return isOff
    ? `Press Enter to search. ${exact} The index of identities is off or still empty, so people cannot be found by name or e-mail.`
    : `Press Enter to search. ${exact} Anything else finds people by any part of a name, e-mail or other trait; the audit trail records each search.`;
}

export interface Offer {
  label: string;
  /** A page; or only search parameters for the same list. */
  to: NavigateOptions | { search: Record<string, string | number | undefined> };
  /** Whether this is the most likely offer. */
  first?: true;
}

/** For a search without results. @param offers `false` entries are ignored */
export function NoMatch({ title, text, offers }: { title: string; text: string; offers: readonly (Offer | false)[] }) {
  const navigate = useNavigate();
  return (
    <StatePanel
      kind="no-match"
      title={title}
      text={text}
      actions={
        <Group gap="xs" justify="center">
          {offers
            .filter((offer) => offer !== false)
            .map(({ label, to, first }) => (
              <Button
                key={label}
                size="xs"
                variant={first ? 'filled' : 'default'}
                onClick={() => void navigate({ to: '.', ...to } as NavigateOptions)}
              >
                {label}
              </Button>
            ))}
        </Group>
      }
    />
  );
}
