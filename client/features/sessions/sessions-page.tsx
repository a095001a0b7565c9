import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Statistics } from '../../../shared/dashboard.ts';
import { formatDevice } from '../../../shared/format-device.ts';
import { isObject, text } from '../../../shared/json.ts';
import type { LocatedSessions } from '../../../shared/locations.ts';
import { type CursorPage, nextToken } from '../../api/cursor-page.ts';
import { identityAdmin, request, send, unreadableResponse } from '../../api/request.ts';
import { placesQuery, sessionLocationsQuery } from '../../api/sessions.ts';
import { formatPlace, SESSION_STATES } from '../../lib/session-labels.ts';
import { bulkActions } from '../../list/bulk-actions.tsx';
import { type Columns, Unknown } from '../../list/columns.tsx';
import { useList } from '../../list/cursor-list.ts';
import { ListPage } from '../../list/list-page.tsx';
import type { FirstRows, NewerRowsQuery, RowMark } from '../../list/newer-rows.tsx';
import { TotalAtEnd } from '../../list/pager.tsx';
import { NoMatch, type Offer } from '../../list/search.tsx';
import { RelativeTime, StatusDot } from '../../ui/facts.tsx';
import { IconClockPlus } from '../../ui/icons.tsx';
import { Person } from '../../ui/person.tsx';
import { IconLogout, IconUserX } from '../../ui/shell-icons.tsx';
import { MapButton, MapStrip } from './map-strip.tsx';
import {
  type ListedSession,
  needsIndex,
  pointIn,
  SESSION_PAGES_KEY,
  type SessionPageParams,
  type SessionsSearch,
  sessionPageQuery,
  sessionParams,
} from './session-queries.ts';
import { SESSIONS, sessionName } from './session-resource.ts';
import { describeFilters, SessionSearch } from './session-search.tsx';

type Page = CursorPage<ListedSession>;

const COLUMNS: Columns<ListedSession> = {
  person: {
    label: 'Person',
    width: 1.5,
    cell: ({ name, identifier, identityId }) => (
      <Person name={name} identifier={identifier} id={identityId ?? 'unknown'} />
    ),
  },
  device: {
    label: 'Device',
    width: 1.1,
    cell: ({ userAgent }) => <span title={userAgent ?? undefined}>{formatDevice(userAgent)}</span>,
  },
  place: {
    label: 'Location',
    cell: ({ place, address }) => <span title={address}>{formatPlace(place, address)}</span>,
  },
  address: {
    label: 'IP address',
    optional: 'wide',
    // IPv6 addresses fit.
    width: 1.5,
    cell: ({ address }) => address ?? <Unknown>unknown</Unknown>,
  },
  since: {
    label: 'Signed in',
    width: '9rem',
    cell: ({ authenticatedAt }) => <RelativeTime at={authenticatedAt} />,
  },
  state: {
    label: 'State',
    width: '9.5rem',
    cell: ({ state }) => <StatusDot status={SESSION_STATES[state].dot}>{SESSION_STATES[state].label}</StatusDot>,
  },
  expires: {
    label: 'Expires',
    optional: 'wide',
    width: '9rem',
    cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
  },
};

const ROWS = 50;
/** Few, because each row of the index costs a request to the identity service. */
const FOUND_ROWS = 5;

const mark = (id: string, authenticatedAt: string | null): RowMark => ({ id, at: Date.parse(authenticatedAt ?? '') });

const NEWER: NewerRowsQuery<ListedSession, SessionPageParams> = {
  one: 'session',
  many: 'sessions',
  markOf: ({ id, authenticatedAt }) => mark(id, authenticatedAt),
  readFirst,
  isFree: ({ q, ip }) => q === undefined && ip === undefined,
};

async function readFirst(
  { pageSize: _, token: __, ...search }: SessionPageParams,
  signal: AbortSignal,
): Promise<FirstRows> {
  if (needsIndex(search)) {
    const params = sessionParams(search);
    params.set('page_size', String(FOUND_ROWS));
    const { sessions, has_more } = await request<LocatedSessions>(`/api/security/sessions?${params}`, { signal });
    return { marks: sessions.map(({ id, authenticated_at: at }) => mark(id, at)), more: has_more };
  }
  const query = new URLSearchParams({ page_size: String(ROWS), ...(search.active && { active: 'true' }) });
  const response = await send(`${identityAdmin('/sessions')}?${query}`, { signal });
  const body: unknown = await response.json().catch(() => undefined);
  if (!Array.isArray(body) || !body.every(isObject)) throw unreadableResponse('identity service', 'a list of sessions');
  return {
    marks: body.map(({ id, authenticated_at: at }) => mark(text(id), text(at))),
    more: nextToken(response.headers.get('Link') ?? '') !== undefined,
  };
}

export const SessionsPage = () => (
  <ListPage
    resource={SESSIONS}
    about="Who is signed in, or was recently, on which device and where."
    actions={<MapButton />}
    service="The identity service"
    query={sessionPageQuery}
    pagesKey={SESSION_PAGES_KEY}
    useExtras={useLocations}
    newer={NEWER}
    search={<SessionSearch />}
    columns={COLUMNS}
    twoLines
    nameOf={sessionName}
    order={(indexed) =>
      indexed
        ? 'Newest sign-ins first, as the identity service has them now.'
        : 'Newest first. The identity service offers no other order.'
    }
    isSearch={(params) => params.active !== undefined || needsIndex(params)}
    noMatch={<NoSessionMatches />}
    noData="Sessions appear here when people sign in."
    total={<SessionTotal />}
    bulkActions={<SessionBar />}
    bulkNeeds={['sessions.end', 'upstreams.write']}
  >
    <MapStrip />
  </ListPage>
);

/**
 * The search of the visible page, also in words. The URL may already have the search of a page that is still loading.
 */
function useSessionSearch() {
  const { params, loaded } = useList<ListedSession, SessionPageParams>();
  const { pageSize: _, token: __, ...search } = loaded?.params ?? params;
  const { data: locations } = useQuery(sessionLocationsQuery({ active: search.active }));
  return { search, words: describeFilters(search, locations) };
}

const SessionActs = bulkActions(
  {
    end: { label: 'End sessions', icon: IconLogout, needs: 'sessions.end', main: true },
    endAll: { label: 'End all sessions of owners', icon: IconUserX, needs: 'sessions.end' },
    extend: { label: 'Extend sessions', icon: IconClockPlus },
  },
  () => import('./session-acts.ts'),
);

function SessionBar() {
  const { search, words } = useSessionSearch();
  const matches = useList().loaded?.page.matches;
  return <SessionActs matching={matches && { search: { search, words }, total: matches.total }} />;
}

function SessionTotal() {
  const { params } = useList<ListedSession, SessionPageParams>();
  return <TotalAtEnd countIn={COUNTS[params.active === undefined ? 'all' : 'true']} />;
}

const countOf =
  (which: 'sample' | 'active') =>
  ({ sessions }: Statistics) =>
    sessions?.truncated === false ? { total: sessions[which], as_of: sessions.as_of } : undefined;
const COUNTS = { all: countOf('sample'), true: countOf('active') };

/** Adds the locations of the IP addresses once they have loaded. Until then, rows show only the addresses. */
function useLocations(page: Page | undefined): Page | undefined {
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

function NoSessionMatches() {
  const { loaded, unsupported } = useList();
  const { search: all, words } = useSessionSearch();
  const { page_size }: SessionsSearch = useSearch({ strict: false });
  const search: SessionsSearch = { ...all, page_size };
  const { q, ip, device, city, active } = search;
  const isOfPlace = city !== undefined || pointIn({ ...search }) !== undefined;
  const reason =
    loaded?.page.matches?.complete === false
      ? 'Not all sessions are indexed.'
      : isOfPlace
        ? 'The sessions may have ended since the map was loaded, or the link is too old.'
        : 'A session that just started may not be found yet.';
  const offers: readonly (Offer | false)[] = [
    active === 'true' &&
      !unsupported && {
        label: 'Include ended sessions',
        to: { search: { ...search, active: undefined } },
        first: true,
      },
    (device !== undefined || ip !== undefined || active === 'false' || isOfPlace) && {
      label: 'Clear the filters',
      to: { search: { q, page_size } },
    },
    q !== undefined && { label: 'Show everybody’s sessions', to: { search: { ...search, q: undefined } } },
  ];
  const [title, text] = unsupported
    ? [
        'Sessions cannot be searched',
        `The index of sessions is off or still empty, so they cannot be found by person, device, address, location or end. Searched for: ${words}.`,
      ]
    : needsIndex(search)
      ? ['No sessions match', `Searched for: ${words}. ${reason}`]
      : ['No active sessions', 'Nobody is signed in. There may be ended sessions.'];
  return <NoMatch title={title} text={text} offers={offers} />;
}
