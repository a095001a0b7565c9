import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Statistics } from '../../../../shared/dashboard.ts';
import type { CursorPage } from '../../../api/cursor-page.ts';
import { placesQuery } from '../../../api/places.ts';
import { sessionLocationsQuery } from '../../../api/session-locations.ts';
import { bulkActions } from '../../../resource/bulk/bulk-actions.tsx';
import { IconClockPlus, IconUserX } from '../../../resource/icons.ts';
import { TotalAtEnd } from '../../../resource/list/page-line.tsx';
import { pageParams, usePagesWalked } from '../../../resource/list/page-step.ts';
import { orRefused } from '../../../resource/list/refused-search.ts';
import { ResourceList } from '../../../resource/list/resource-list.tsx';
import { useCursorList } from '../../../resource/list/use-cursor-list.ts';
import { IconLogout } from '../../../ui/icons.ts';
import { type ListedSession, SESSION_PAGES_KEY } from '../session-queries.ts';
import { needsIndex } from '../session-question.ts';
import { SESSIONS } from '../session-resource.ts';
import { describeFilters } from './describe-filters.ts';
import { NewSessions } from './new-sessions.tsx';
import { NoSessionMatches } from './no-session-matches.tsx';
import { sessionPageQuery } from './session-page-query.ts';
import { SESSION_ROWS } from './session-rows.tsx';
import { SessionSearch } from './session-search.tsx';

type Page = CursorPage<ListedSession>;

const route = getRouteApi('/signed-in/sessions');

const sessionActs = bulkActions(
  {
    end: { label: 'End', icon: IconLogout },
    endAll: { label: 'End all sessions of these people', icon: IconUserX },
    extend: { label: 'Extend', icon: IconClockPlus },
  },
  () => import('../bulk/session-acts.ts'),
);

const SEARCH = <SessionSearch />;
const whole = ({ sessions }: Statistics) => (sessions?.truncated === false ? sessions : undefined);
function countAll(statistics: Statistics) {
  const sessions = whole(statistics);
  return sessions && { total: sessions.sample, as_of: sessions.as_of };
}
function countActive(statistics: Statistics) {
  const sessions = whole(statistics);
  return sessions && { total: sessions.active, as_of: sessions.as_of };
}

export function SessionList() {
  const search = route.useSearch();
  const params = pageParams(search, usePagesWalked());
  const result = useQuery(sessionPageQuery(params));
  const page = useWithPlaces(result.data);
  const { list, refused } = orRefused(
    useCursorList({ params, result: { ...result, data: page }, pagesKey: SESSION_PAGES_KEY }),
  );
  const { data: locations } = useQuery(sessionLocationsQuery({ active: search.active === 'true' }));
  // Of the shown page, whose rows are chosen; while another one loads, the address is already that one's.
  const { pageSize: _, token: __, ...shown } = list.shown?.params ?? params;
  const words = describeFilters(shown, locations)
    .map(({ label }) => label)
    .join(', ');
  const matches = list.shown?.page.matches;
  return (
    <ResourceList
      resource={SESSIONS}
      service="The identity service"
      list={list}
      rows={SESSION_ROWS}
      search={SEARCH}
      noMatch={() =>
        shown.active !== undefined || needsIndex(shown) ? (
          <NoSessionMatches
            search={{ ...shown, page_size: search.page_size }}
            words={words}
            refused={refused}
            complete={matches?.complete ?? true}
          />
        ) : undefined
      }
      noData="Sessions appear here when people sign in."
      newer={<NewSessions list={list} />}
      total={
        <TotalAtEnd shown={list.shown} what="sessions" countIn={shown.active === undefined ? countAll : countActive} />
      }
      order={
        matches === undefined
          ? 'Newest first. The identity service offers no other order.'
          : 'Latest sign-ins first, each as the identity service has it now.'
      }
      actions={(selection) =>
        sessionActs(selection, matches && { search: { search: shown, words }, total: matches.total })
      }
    />
  );
}

/** Adds the places of the page's addresses once they have loaded; until then the addresses are shown. */
function useWithPlaces(page: Page | undefined): Page | undefined {
  const addresses = useMemo(() => (page?.matches === undefined ? addressesOf(page?.rows ?? []) : []), [page]);
  const { data: places } = useQuery(placesQuery(addresses));
  return useMemo(
    () =>
      page === undefined || places === undefined || page.matches !== undefined
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
