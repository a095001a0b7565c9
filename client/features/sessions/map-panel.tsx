import { Box, Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { RequestError } from '../../api/request.ts';
import { sessionLocationsQuery } from '../../api/sessions.ts';
import { counted, digits, formatLatest, formatLeast } from '../../lib/format-count.ts';
import { isSamePlace } from '../../lib/session-labels.ts';
import { LocationCredit, SessionMap, UnknownLocationMark } from '../../map/session-map.tsx';
import { DataAge } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { type PlaceFilter, pointIn, pointSearch } from './session-queries.ts';

/** How many locations are also listed beside the map, where their circles may overlap. */
const LARGEST = 12;

const route = getRouteApi('/signed-in/sessions');

/** Locations of the latest sessions, or of those that are active. A circle or button filters the list. */
export function MapPanel() {
  const search = route.useSearch();
  const point = pointIn({ ...search });
  const { data, error, refetch } = useQuery(sessionLocationsQuery({ active: search.active }));
  const navigate = route.useNavigate();
  const filterBy = (place: PlaceFilter | undefined): void =>
    void navigate({
      search: ({ lat: _, lng: __, unknown: ___, ...search }) => ({ ...search, ...pointSearch(place) }),
      state: {},
      resetScroll: false,
    });
  if (data === undefined) {
    if (error === null) return <Skeleton height="19rem" aria-hidden />;
    if (error instanceof RequestError && error.code === 'search_not_supported')
      return <Text size="sm">{error.message}</Text>;
    return <FailurePanel error={error} title="The map is unavailable" onRetry={() => void refetch()} />;
  }
  const { points, unknown, sessions, truncated, as_of, clockAheadMs } = data;
  const selected =
    point === undefined || point === 'unknown' ? undefined : points.find((one) => isSamePlace(one, point));
  return (
    <Paper withBorder p="md">
      <Group gap="lg" align="stretch">
        <Box display="flex" flex="1 1 20rem" maw="36rem" style={{ aspectRatio: '960 / 450' }}>
          <SessionMap points={points} isLeast={truncated} selected={selected} onSelect={filterBy} />
        </Box>
        <Stack flex="1 1 18rem" gap="xs" align="start">
          <Box w="100%" flex={1} display={{ base: 'none', sm: 'block' }} style={{ columns: '2 13rem' }}>
            {points.slice(0, LARGEST).map((place) => (
              <PlaceButton
                key={`${place.lat} ${place.lng}`}
                isChosen={place === selected}
                fullWidth
                justify="space-between"
                rightSection={formatLeast(truncated, digits(place.count))}
                onClick={() => filterBy(place === selected ? undefined : place)}
              >
                {place.label}
              </PlaceButton>
            ))}
          </Box>
          <PlaceButton
            isChosen={point === 'unknown'}
            data-printed
            leftSection={<UnknownLocationMark />}
            onClick={() => filterBy(point === 'unknown' ? undefined : 'unknown')}
          >
            Unknown location: {formatLeast(truncated, counted(unknown, 'session', 'sessions'))}
          </PlaceButton>
          <Group justify="space-between" gap="xs" w="100%" px={8}>
            <DataAge of={formatLatest(sessions, truncated)} asOf={as_of} clockAheadMs={clockAheadMs} />
            <LocationCredit />
          </Group>
        </Stack>
      </Group>
    </Paper>
  );
}

const PlaceButton = ({ isChosen, ...props }: ComponentProps<typeof Button<'button'>> & { isChosen: boolean }) => (
  <Button
    size="xs"
    variant={isChosen ? 'light' : 'subtle'}
    c="inherit"
    px={8}
    fw={isChosen ? undefined : 400}
    aria-pressed={isChosen}
    {...props}
  />
);
