import { Paper, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { sessionLocationsQuery } from '../../../api/session-locations.ts';
import { counted } from '../../../format/counted.ts';
import { formatLeast } from '../../../format/sample.ts';
import { LocationCredit } from '../../../map/location-credit.tsx';
import { isSamePlace } from '../../../map/same-place.ts';
import { SessionMap } from '../../../map/session-map.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { Note } from '../../../ui/feedback/note.tsx';
import type { Circle } from '../session-queries.ts';
import classes from './map-panel.module.css';
import { circleIn, circleSearch } from './search-params.ts';

const route = getRouteApi('/signed-in/sessions');

/** Where the listed sessions are: a circle, or the button for those without a known place, limits the list to itself. */
export function MapPanel() {
  const search = route.useSearch();
  const circle = circleIn({ ...search });
  const { data, error, refetch } = useQuery(sessionLocationsQuery({ active: search.active === 'true' }));
  const navigate = route.useNavigate();
  const limitTo = (chosen: Circle | undefined): void =>
    void navigate({
      search: ({ active, page_size }) => ({ active, page_size, ...circleSearch(chosen) }),
      state: {},
      resetScroll: false,
    });
  if (data === undefined) {
    if (error === null) return <Skeleton height="18rem" aria-hidden />;
    return <FailurePanel error={error} title="The map is not known" onRetry={() => void refetch()} />;
  }
  const { points, unknown, sessions, truncated, as_of, clockAheadMs } = data;
  const selected =
    circle === undefined || circle === 'unknown' ? undefined : points.find((point) => isSamePlace(point, circle));
  return (
    <Paper withBorder p="md" className={classes.panel}>
      <div className={classes.map}>
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
          className={classes.unknown}
          aria-pressed={circle === 'unknown'}
          onClick={() => limitTo(circle === 'unknown' ? undefined : 'unknown')}
        >
          Unknown location: {formatLeast(truncated, counted(unknown, 'session', 'sessions'))}
        </button>
      </div>
      <div className={classes.foot}>
        <Note
          of={`of ${truncated ? '' : 'all '}${counted(sessions, 'session', 'sessions')}${truncated ? ' among the latest looked at' : ''}`}
          asOf={as_of}
          clockAheadMs={clockAheadMs}
        />
        <LocationCredit />
      </div>
    </Paper>
  );
}
