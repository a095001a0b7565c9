import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Statistics } from '../../../shared/dashboard.ts';
import { formatDevice } from '../../../shared/format-device.ts';
import { isObject, text } from '../../../shared/json.ts';
import type { LocatedSessions } from '../../../shared/locations.ts';
import { type CursorPage, nextToken } from '../../api/cursor-page.ts';
import { identityAdmin, request, send, unreadableAnswer } from '../../api/request.ts';
import { placesQuery, sessionLocationsQuery } from '../../api/sessions.ts';
import { formatPlace, SESSION_STATES } from '../../lib/labels.ts';
import { bulkActions } from '../../list/bulk-actions.tsx';
import { type CursorList, orRefused, pageParams, useCursorList, usePagesWalked } from '../../list/cursor-list.ts';
import { ResourceList } from '../../list/list-page.tsx';
import { type FirstRows, type NewerQuestion, NewerRowsButton, type RowMark } from '../../list/newer-rows.tsx';
import { TotalAtEnd } from '../../list/pager.tsx';
import { resourceRows } from '../../list/rows.ts';
import { NoMatch, type Offer } from '../../list/search.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { IconClockPlus, IconLogout, IconUserX } from '../../ui/icons.tsx';
import {
  type ListedSession,
  needsIndex,
  pointIn,
  SESSION_PAGES_KEY,
  type SessionPageParams,
  type SessionsSearch,
  sessionPageQuery,
  sessionQuestion,
} from './session-queries.ts';
import { SESSIONS, sessionName } from './session-resource.ts';
import { describeFilters, SessionSearch } from './session-search.tsx';
import classes from './sessions.module.css';

type Page = CursorPage<ListedSession>;

const route = getRouteApi('/signed-in/sessions');

const sessionActs = bulkActions(
  {
    end: { label: 'End', icon: IconLogout },
    endAll: { label: 'Sign people out', icon: IconUserX },
    extend: { label: 'Extend', icon: IconClockPlus },
  },
  () => import('./session-acts.ts'),
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

/** The map takes some of the width, so the layout depends on the width of the list, not of the window. */
export const SESSION_ROWS = resourceRows({
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
      card: '7.75rem',
      cell: ({ state }) => (
        <div className={classes.state}>
          {StatusDot({ status: SESSION_STATES[state].dot, children: SESSION_STATES[state].label })}
        </div>
      ),
    },
  },
});

const ROWS = 50;
/** Behind each that the index finds stands a request to the identity service. */
const FOUND_ROWS = 5;

const mark = (id: string, authenticatedAt: string | null): RowMark => ({ id, at: Date.parse(authenticatedAt ?? '') });

async function ask({ pageSize: _, token: __, ...search }: SessionPageParams, signal: AbortSignal): Promise<FirstRows> {
  if (needsIndex(search)) {
    const question = sessionQuestion(search);
    question.set('page_size', String(FOUND_ROWS));
    const { sessions, has_more } = await request<LocatedSessions>(`/api/security/sessions?${question}`, { signal });
    return { marks: sessions.map(({ id, authenticated_at: at }) => mark(id, at)), more: has_more };
  }
  const query = new URLSearchParams({ page_size: String(ROWS), ...(search.active && { active: 'true' }) });
  const response = await send(`${identityAdmin('/sessions')}?${query}`, { signal });
  const body: unknown = await response.json().catch(() => undefined);
  if (!Array.isArray(body) || !body.every(isObject)) throw unreadableAnswer('identity service', 'a list of sessions');
  return {
    marks: body.map(({ id, authenticated_at: at }) => mark(text(id), text(at))),
    more: nextToken(response.headers.get('Link') ?? '') !== undefined,
  };
}

const QUESTION: NewerQuestion<ListedSession, SessionPageParams> = {
  one: 'session',
  many: 'sessions',
  markOf: ({ id, authenticatedAt }) => mark(id, authenticatedAt),
  ask,
};

/** Not for a person's sessions: a search for a person leaves an audit record each time. */
export const NewSessions = ({ list }: { list: CursorList<ListedSession, SessionPageParams> }) =>
  list.shown?.params.q === undefined && <NewerRowsButton list={list} question={QUESTION} />;

/**
 * Shown when a search finds nothing.
 * @param words its filters
 * @param refused there is no index
 * @param complete all sessions are indexed
 */
export function NoSessionMatches(props: {
  search: SessionsSearch;
  words: string;
  refused: boolean;
  complete: boolean;
}) {
  const { search, words } = props;
  const { q, device, active, page_size } = search;
  const point = pointIn({ ...search });
  const offers: readonly (Offer | false)[] = [
    active !== undefined &&
      !props.refused && {
        label: 'Include ended sessions',
        to: { search: { ...search, active: undefined } },
        first: true,
      },
    (device !== undefined || point !== undefined) && { label: 'Clear the filters', to: { search: { q, page_size } } },
    q !== undefined && { label: 'Show everybody’s sessions', to: { search: { ...search, q: undefined } } },
  ];
  if (props.refused)
    return (
      <NoMatch
        title="Sessions cannot be searched"
        text={`The index is off or still empty, so sessions cannot be found by person, device or place. Search: ${words}.`}
        offers={offers}
      />
    );
  if (!needsIndex(search))
    return (
      <NoMatch title="No active sessions" text="Nobody is signed in. There may be ended sessions." offers={offers} />
    );
  return (
    <NoMatch
      title="No sessions match"
      text={`Search: ${words}. ${reasonOf(point !== undefined, props.complete)}`}
      offers={offers}
    />
  );
}

function reasonOf(ofPlace: boolean, complete: boolean): string {
  if (!complete) return 'Sessions are still being indexed.';
  return ofPlace
    ? 'They may have ended since the map was loaded, or the link is too old.'
    : 'A session that just started may not be found yet.';
}
