import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RequestError } from '../../api/request.ts';
import { sessionLocationsQuery } from '../../api/sessions.ts';
import { counted, formatLatest, formatLeast } from '../../lib/format-count.ts';
import { isSamePlace } from '../../lib/session-labels.ts';
import { LocationCredit, SessionMap, UnknownLocationMark } from '../../map/session-map.tsx';
import { DataAge } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { type PlaceFilter, pointIn, pointSearch } from './session-queries.ts';
import classes from './sessions.module.css';

const route = getRouteApi('/signed-in/sessions');

/** Locations of the listed sessions. A circle, or the button for unknown locations, filters the list. */
export function MapPanel() {
  const search = route.useSearch();
  const point = pointIn({ ...search });
  const { data, error, refetch } = useQuery(sessionLocationsQuery({ active: search.active === 'true' }));
  const navigate = route.useNavigate();
  const filterBy = (place: PlaceFilter | undefined): void =>
    void navigate({
      search: ({ lat: _, lng: __, unknown: ___, ...search }) => ({ ...search, ...pointSearch(place) }),
      state: {},
      resetScroll: false,
    });
  if (data === undefined) {
    if (error === null) return <Skeleton height="18rem" aria-hidden />;
    if (error instanceof RequestError && error.code === 'search_not_supported')
      return <Text size="sm">{error.message}</Text>;
    return <FailurePanel error={error} title="The map is unavailable" onRetry={() => void refetch()} />;
  }
  const { points, unknown, sessions, truncated, as_of, clockAheadMs } = data;
  const selected =
    point === undefined || point === 'unknown' ? undefined : points.find((one) => isSamePlace(one, point));
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <div className={classes.mapFrame}>
          <SessionMap points={points} isLeast={truncated} selected={selected} onSelect={filterBy} />
        </div>
        <Group justify="space-between" gap="xs" fz="sm">
          <span aria-live="polite">
            {selected === undefined
              ? formatLeast(truncated, counted(points.length, 'place', 'places'))
              : `${selected.label}: ${formatLeast(truncated, counted(selected.count, 'session', 'sessions'))}`}
          </span>
          <Button
            size="xs"
            variant={point === 'unknown' ? 'light' : 'subtle'}
            c="inherit"
            data-printed
            leftSection={<UnknownLocationMark />}
            aria-pressed={point === 'unknown'}
            onClick={() => filterBy(point === 'unknown' ? undefined : 'unknown')}
          >
            Unknown location: {formatLeast(truncated, counted(unknown, 'session', 'sessions'))}
          </Button>
        </Group>
        <Group justify="space-between" gap="xs" fz="sm">
          <DataAge of={formatLatest(sessions, truncated)} asOf={as_of} clockAheadMs={clockAheadMs} />
          <LocationCredit />
        </Group>
      </Stack>
    </Paper>
  );
}
