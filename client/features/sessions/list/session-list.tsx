import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { formatDevice } from '../../../../shared/format-device.ts';
import { formatPlace } from '../../../format/place.ts';
import { SESSION_STATES } from '../../../format/session-state-label.ts';
import { bulkActions } from '../../../resource/bulk/bulk-actions.tsx';
import { IconClockPlus, IconUserX } from '../../../resource/icons.ts';
import { Total } from '../../../resource/list/page-line.tsx';
import { pageParams, usePagesWalked } from '../../../resource/list/page-step.ts';
import { ResourceList } from '../../../resource/list/resource-list.tsx';
import { resourceRows } from '../../../resource/list/resource-rows.ts';
import { useCursorList } from '../../../resource/list/use-cursor-list.ts';
import { NoMatch } from '../../../resource/search/no-match.tsx';
import { IconLogout } from '../../../ui/icons.ts';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { StatusDot } from '../../../ui/status-dot.tsx';
import { placesQuery } from '../places-query.ts';
import { sessionName } from '../session-name.ts';
import { type ListedSession, SESSION_PAGES_KEY, type SessionPage } from '../session-queries.ts';
import { SESSIONS } from '../session-resource.ts';
import { pointIn, sessionsQuery } from './search-params.ts';
import { SessionFilter } from './session-filter.tsx';
import classes from './sessions-page.module.css';

const route = getRouteApi('/signed-in/sessions');

/** The map takes some of the width, so the layout depends on the width of the list, not of the window. */
const ROWS = resourceRows({
  nameOf: sessionName,
  inContainer: true,
  columns: {
    person: {
      label: 'Person',
      wide: '1.5fr',
      medium: '1.6fr',
      card: '1fr',
      cell: ({ person, identityId }) => person ?? <em>{identityId ?? 'unknown'}</em>,
    },
    device: {
      label: 'Device',
      wide: '1.1fr',
      medium: { line: 2, under: 'person' },
      card: { line: 2, under: 'person' },
      cell: ({ userAgent }) => <span title={userAgent ?? undefined}>{formatDevice(userAgent)}</span>,
    },
    place: {
      label: 'Place',
      wide: '1fr',
      medium: '1fr',
      card: { line: 3, under: 'person' },
      cell: ({ place, address }) => <span title={address}>{formatPlace(place, address)}</span>,
    },
    since: {
      label: 'Signed in',
      wide: '7.5rem',
      medium: { line: 2, under: 'place' },
      card: { line: 3, under: 'state' },
      cell: ({ authenticatedAt }) => RelativeTime({ at: authenticatedAt }),
    },
    state: {
      label: 'State',
      wide: '9.5rem',
      medium: '7rem',
      card: '6.75rem',
      cell: ({ state }) => (
        <div className={classes.state}>
          {StatusDot({ status: SESSION_STATES[state].dot, children: SESSION_STATES[state].label })}
        </div>
      ),
    },
  },
});

const sessionActs = bulkActions(
  {
    end: { label: 'End', icon: IconLogout },
    endAll: { label: 'End all sessions of these people', icon: IconUserX },
    extend: { label: 'Extend', icon: IconClockPlus },
  },
  () => import('../bulk/session-acts.ts'),
);

export function SessionList() {
  const search = route.useSearch();
  const params = pageParams(search, usePagesWalked());
  const result = useQuery(sessionsQuery(params));
  const page = useWithPlaces(result.data);
  const list = useCursorList({ params, result: { ...result, data: page }, pagesKey: SESSION_PAGES_KEY });
  return (
    <ResourceList
      resource={SESSIONS}
      service="The identity service"
      list={list}
      rows={ROWS}
      search={<SessionFilter located={page?.located} />}
      noMatch={({ active, ...place }) => {
        const point = pointIn(place);
        if (point === undefined && !active) return undefined;
        return (
          <NoMatch
            title={point === undefined ? 'No active sessions' : 'No sessions match'}
            text={
              point === undefined
                ? 'Nobody is signed in. There may be ended sessions.'
                : 'They may have ended since the map was loaded, or the link is too old.'
            }
            offers={[
              active !== undefined && {
                label: 'Include ended sessions',
                to: { search: { ...search, active: undefined } },
                first: true,
              },
              point !== undefined && {
                label: 'Show sessions from everywhere',
                to: { search: { active, page_size: search.page_size } },
              },
            ]}
          />
        );
      }}
      noData="Sessions appear here when people sign in."
      total={<Total counted={undefined} pending={false} />}
      order={
        pointIn({ ...params }) === undefined
          ? 'Newest first. The identity service offers no other order.'
          : 'Latest sign-ins first. Sessions that you end or extend are updated here within a minute.'
      }
      actions={sessionActs}
    />
  );
}

/** Adds the places of the page's addresses once they have loaded; until then the addresses are shown. */
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
