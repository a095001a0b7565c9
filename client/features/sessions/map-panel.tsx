import { Paper, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RequestError } from '../../api/request.ts';
import { sessionLocationsQuery } from '../../api/sessions.ts';
import { counted, formatLatest, formatLeast } from '../../lib/format-count.ts';
import { isSamePlace, LocationCredit, SessionMap } from '../../map/session-map.tsx';
import { DataAge } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { type PlaceFilter, pointIn, pointSearch } from './session-queries.ts';
import classes from './sessions.module.css';

const route = getRouteApi('/signed-in/sessions');

/** Where the listed sessions are. A circle, or the button for unknown places, filters the list. */
export function MapPanel() {
  const search = route.useSearch();
  const point = pointIn({ ...search });
  const { data, error, refetch } = useQuery(sessionLocationsQuery({ active: search.active === 'true' }));
  const navigate = route.useNavigate();
  const limitTo = (chosen: PlaceFilter | undefined): void =>
    void navigate({
      search: ({ lat: _, lng: __, unknown: ___, ...search }) => ({ ...search, ...pointSearch(chosen) }),
      state: {},
      resetScroll: false,
    });
  if (data === undefined) {
    if (error === null) return <Skeleton height="18rem" aria-hidden />;
    if (error instanceof RequestError && error.code === 'search_not_supported')
      return <p className={classes.legend}>{error.message}</p>;
    return <FailurePanel error={error} title="The map is unavailable" onRetry={() => void refetch()} />;
  }
  const { points, unknown, sessions, truncated, as_of, clockAheadMs } = data;
  const selected =
    point === undefined || point === 'unknown' ? undefined : points.find((one) => isSamePlace(one, point));
  return (
    <Paper withBorder p="md" className={classes.panel}>
      <div className={classes.mapFrame}>
        <SessionMap points={points} isLeast={truncated} selected={selected} onSelect={limitTo} />
      </div>
      <div className={classes.legend}>
        <span aria-live="polite">
          {selected === undefined
            ? formatLeast(truncated, counted(points.length, 'place', 'places'))
            : `${selected.label}: ${formatLeast(truncated, counted(selected.count, 'session', 'sessions'))}`}
        </span>
        <button
          type="button"
          data-printed
          className={classes.unknown}
          aria-pressed={point === 'unknown'}
          onClick={() => limitTo(point === 'unknown' ? undefined : 'unknown')}
        >
          Unknown location: {formatLeast(truncated, counted(unknown, 'session', 'sessions'))}
        </button>
      </div>
      <div className={classes.foot}>
        <DataAge of={formatLatest(sessions, truncated)} asOf={as_of} clockAheadMs={clockAheadMs} />
        <LocationCredit />
      </div>
    </Paper>
  );
}
