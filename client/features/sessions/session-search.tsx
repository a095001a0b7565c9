import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import type { SessionLocations } from '../../../shared/locations.ts';
import { sessionLocationsQuery } from '../../api/sessions.ts';
import { digits, formatLeast } from '../../lib/format-count.ts';
import { isSamePlace } from '../../lib/session-labels.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { explainWords, FilterBar, type Filters } from '../../list/filters.tsx';
import type { ChangeSearch } from '../../list/search.tsx';
import { type PlaceFilter, parseSessionsSearch, pointIn, pointSearch, type SessionsSearch } from './session-queries.ts';

/** Memoized, because it does not depend on the list. */
export const SessionSearch = memo(() => (
  <FilterBar
    label="Person: any part of a name, an e-mail or another trait"
    explanation={EXPLAIN}
    useFilters={useSessionFilters}
  />
));

const EXPLAIN = explainWords(
  'Each word may be any part of a name, an e-mail or another trait. The audit trail records each search.',
);

/** Places are listed by name, because their circles on the map may overlap. */
function useSessionFilters(address: Record<string, unknown>, change: ChangeSearch): Filters {
  const search = parseSessionsSearch(address);
  const point = pointIn({ ...search });
  const { data } = useQuery(sessionLocationsQuery({ active: search.active === 'true' }));
  const filters = [
    {
      name: 'active',
      label: 'State',
      choices: [
        { value: '', label: 'Any' },
        { value: 'true', label: 'Active' },
      ],
    },
    { name: 'place', label: 'Place', words: point && placeName(data, point), choices: placeChoices(data, point) },
    ...(hasCities(data) || search.city !== undefined ? [{ name: 'city', label: 'City', example: 'Oslo' }] : []),
    { name: 'device', label: 'Device', example: 'Chrome on macOS' },
  ];
  return {
    filters,
    search: { ...search, place: placeValue(point) },
    change(values, replace) {
      const { place, ...others } = values;
      change({ ...others, ...('place' in values && searchAt(place)) }, replace);
    },
  };
}

/**
 * Describes the active filters in words.
 * @param locations undefined until loaded; until then, coordinates name a place
 */
export function describeFilters(
  search: SessionsSearch,
  locations: Pick<SessionLocations, 'points'> | undefined,
): { name: 'q' | 'active' | 'place' | 'city' | 'device'; label: string }[] {
  const { q, device, active, city } = search;
  const point = pointIn({ ...search });
  const labels = {
    q: q && `person “${visibleText(q)}”`,
    active: active && 'active',
    place: point && placeName(locations, point),
    city: city && `city “${visibleText(city)}”`,
    device: device && `device “${visibleText(device)}”`,
  };
  return Object.entries(labels).flatMap(([name, label]) =>
    label === undefined ? [] : [{ name: name as keyof typeof labels, label }],
  );
}

/** Files of locations may have countries only; places with a city are named `Oslo, Norway`. */
const hasCities = (locations: Pick<SessionLocations, 'points'> | undefined): boolean =>
  locations?.points.some(({ label }) => label.includes(', ')) ?? false;

/** @param point the place in the URL, which is a choice even if it is not (yet) on the map */
function placeChoices(
  locations: Pick<SessionLocations, 'points' | 'unknown' | 'truncated'> | undefined,
  point: PlaceFilter | undefined,
): { value: string; label: string }[] {
  const { points = [], unknown, truncated = false } = locations ?? {};
  const withCount = (label: string, count: number): string => `${label} (${formatLeast(truncated, digits(count))})`;
  const choices = [
    { value: '', label: 'Everywhere' },
    ...points.map((place) => ({ value: placeValue(place), label: withCount(place.label, place.count) })),
    { value: 'unknown', label: unknown === undefined ? 'Unknown location' : withCount('Unknown location', unknown) },
  ];
  const isListed = choices.some(({ value }) => value === placeValue(point));
  return isListed || point === undefined || point === 'unknown'
    ? choices
    : choices.toSpliced(1, 0, { value: placeValue(point), label: `Near ${degrees(point)}` });
}

const placeValue = (point: PlaceFilter | undefined): string =>
  point === undefined || point === 'unknown' ? (point ?? '') : `${point.lat},${point.lng}`;

function searchAt(place = '') {
  const [lat, lng] = place.split(',');
  const point = pointIn(place === 'unknown' ? { unknown: 'true' } : { lat, lng });
  return { lat: undefined, lng: undefined, unknown: undefined, ...pointSearch(point) };
}

/** A place in running text: `Oslo, Norway`, `near 1.5°, 2°`, `unknown location`. */
function placeName(locations: Pick<SessionLocations, 'points'> | undefined, point: PlaceFilter): string {
  if (point === 'unknown') return 'unknown location';
  return locations?.points.find((one) => isSamePlace(one, point))?.label ?? `near ${degrees(point)}`;
}

const degrees = ({ lat, lng }: { lat: number; lng: number }): string => `${lat}°, ${lng}°`;
