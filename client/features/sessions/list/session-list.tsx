import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { placesQuery } from '../../../api/places.ts';
import { type ListedSession, SESSION_PAGES_KEY, type SessionPage, sessionPageQuery } from '../../../api/sessions.ts';
import { Total } from '../../../resource/list/page-line.tsx';
import { usePagesWalked } from '../../../resource/list/page-step.ts';
import { ResourceList } from '../../../resource/list/resource-list.tsx';
import { useCursorList } from '../../../resource/list/use-cursor-list.ts';
import { SessionBulkActions } from '../bulk/session-bulk-actions.tsx';
import { SESSION } from '../session-resource.ts';
import { NoMatch } from './no-match.tsx';
import { pageParams } from './search-params.ts';
import { SESSION_ROWS } from './session-columns.tsx';
import { SessionFilter } from './session-filter.tsx';

const route = getRouteApi('/signed-in/sessions');

export function SessionList() {
  const question = pageParams(route.useSearch(), usePagesWalked());
  const result = useQuery(sessionPageQuery(question));
  const page = useWithPlaces(result.data);
  const list = useCursorList({ question, result: { ...result, data: page }, pagesKey: SESSION_PAGES_KEY });
  const navigate = route.useNavigate();
  return (
    <ResourceList
      name={SESSION}
      list={list}
      rows={SESSION_ROWS}
      open={(id, fromList) => void navigate({ to: '/sessions/$id', params: { id }, state: { fromList } })}
      search={<SessionFilter located={page?.located} />}
      noMatch={({ active, circle }) => (active || circle !== undefined ? <NoMatch circle={circle} /> : undefined)}
      noData="A session appears here when somebody signs in."
      total={<Total counted={undefined} pending={false} />}
      order={
        question.circle === undefined
          ? 'The latest first; the identity service offers no other order.'
          : 'The latest sign-ins first. What you end or extend shows here within a minute.'
      }
      actions={(selection) => <SessionBulkActions selection={selection} />}
    />
  );
}

/** The page with the places of its addresses, as soon as they are known. Without an answer the addresses stand there. */
function useWithPlaces(page: SessionPage | undefined): SessionPage | undefined {
  const addresses = useMemo(() => (page?.located === undefined ? addressesOf(page?.rows ?? []) : []), [page]);
  const { data: places } = useQuery(placesQuery(addresses));
  return useMemo(
    () =>
      page === undefined || places === undefined || page.located !== undefined
        ? page
        : {
            ...page,
            rows: page.rows.map((row) => ({ ...row, place: places.get(row.address ?? '') ?? null })),
          },
    [page, places],
  );
}

const addressesOf = (rows: readonly ListedSession[]): string[] => [
  ...new Set(rows.flatMap(({ address }) => address ?? [])),
];
