import {
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ClientSearchPage } from '../../../shared/client-search.ts';
import type { IdentitySearchPage } from '../../../shared/identities.ts';
import type { Setting } from '../../../shared/settings.ts';
import { foundClientsQuery, foundIdentitiesQuery } from '../../api/found.ts';
import { useCan } from '../../api/session.ts';
import { settingPagesQuery } from '../../api/settings.ts';
import { identityIdIn } from '../../format/identity-id.ts';
import { questionIn } from './best-first.ts';

/** After the last key. */
const ASKED_AFTER_MS = 400;

/** What the services say to the typed text; of each kind undefined until they have. */
export interface Found {
  /** Without the stars at its end; undefined where nothing is asked. */
  text: string | undefined;
  /** A question is waiting or under way. */
  pending: boolean;
  /** Asks without waiting for another key. */
  askNow: () => void;
  identities: IdentitySearchPage | undefined;
  clients: ClientSearchPage | undefined;
  settings: { rows: readonly Setting[]; hasMore: boolean } | undefined;
  failures: readonly { of: string; error: Error }[];
}

/**
 * Finds identities, OAuth2 clients and settings by any part, those that the operator may read: 400 ms after the last key
 * or at once on request. What was asked before the text changed is aborted and never shown.
 */
export function useFound(typed: string): Found {
  const may = useCan();
  const text = questionIn(typed);
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ASKED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isAsked = text !== undefined && settled === text;
  const wanted = text ?? '';

  // An id is nothing that traits contain, and has a command of its own.
  const isId = identityIdIn(wanted) !== undefined;
  const identities = useIndexed(foundIdentitiesQuery(wanted), isAsked && !isId && may('identities.read'));
  const clients = useIndexed(foundClientsQuery(wanted), isAsked && may('upstreams.read'));
  const settings = useInfiniteQuery({
    ...settingPagesQuery({ q: wanted }),
    enabled: isAsked && may('settings.read'),
  });
  const page = isAsked ? settings.data?.pages[0] : undefined;
  const answers = { identities, 'OAuth2 clients': clients, settings };
  return {
    text,
    pending: text !== undefined && (!isAsked || Object.values(answers).some(({ isLoading }) => isLoading)),
    askNow: () => setSettled(text),
    identities: (isAsked && identities.data) || undefined,
    clients: (isAsked && clients.data) || undefined,
    settings: page && { rows: page.settings, hasMore: page.has_more },
    failures: Object.entries(answers).flatMap(([of, { error }]) => (isAsked && error !== null ? [{ of, error }] : [])),
  };
}

/** Asks until the answer is that nothing is indexed, and then no more while the palette is open. */
function useIndexed<T, Key extends QueryKey>(
  query: UseQueryOptions<T | null, Error, T | null, Key>,
  enabled: boolean,
): UseQueryResult<T | null> {
  const [isOff, setOff] = useState(false);
  const answer = useQuery({ ...query, enabled: enabled && !isOff });
  if (answer.data === null && !isOff) setOff(true);
  return answer;
}
