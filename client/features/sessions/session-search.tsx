import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import type { SessionLocations } from '../../../shared/locations.ts';
import { sessionLocationsQuery } from '../../api/sessions.ts';
import { digits, formatLeast } from '../../lib/format-count.ts';
import { isSamePlace } from '../../lib/session-labels.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { choicesIn, explainWords, FilterBar, type Filters } from '../../list/filters.tsx';
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
  'Each word may be any part of a name, an e-mail or another trait. Searches are recorded in the audit trail.',
);

const ON_ENTER = 'Searches for an IP address are recorded in the audit trail. Press Enter to search.';

/** Locations are also listed by name, because their circles on the map may overlap. */
function useSessionFilters(address: Record<string, unknown>, change: ChangeSearch): Filters {
  const search = parseSessionsSearch(address);
  const point = pointIn({ ...search });
  const { data } = useQuery(sessionLocationsQuery({ active: search.active }));
  const filters = [
    { name: 'active', label: 'State', choices: choicesIn({ '': 'Any', true: 'Active', false: 'Ended' }) },
    { name: 'place', label: 'Location', words: point && placeName(data, point), choices: placeChoices(data) },
    ...(hasCities(data) || search.city !== undefined ? [{ name: 'city', label: 'City', example: 'Oslo' }] : []),
    { name: 'device', label: 'Device', example: 'Chrome on macOS' },
    { name: 'ip', label: 'IP address', example: '203.0.113.7', onEnter: ON_ENTER },
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
 * The active filters in words: “active, Oslo, Norway”.
 * @param locations undefined until loaded: until then, coordinates name a location
 */
export function describeFilters(
  search: SessionsSearch,
  locations: Pick<SessionLocations, 'points'> | undefined,
): string {
  const { q, ip, device, active, city } = search;
  const point = pointIn({ ...search });
  return [
    q && `person “${visibleText(q)}”`,
    active && (active === 'true' ? 'active' : 'ended'),
    point && placeName(locations, point),
    city && `city “${visibleText(city)}”`,
    device && `device “${visibleText(device)}”`,
    ip && `IP address ${visibleText(ip)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Some geolocation files have countries only. A location with a city is named `Oslo, Norway`. */
const hasCities = (locations: Pick<SessionLocations, 'points'> | undefined): boolean =>
  locations?.points.some(({ label }) => label.includes(', ')) ?? false;

function placeChoices(
  locations: Pick<SessionLocations, 'points' | 'unknown' | 'truncated'> | undefined,
): { value: string; label: string }[] {
  const { points = [], unknown, truncated = false } = locations ?? {};
  const withCount = (label: string, count: number): string => `${label} (${formatLeast(truncated, digits(count))})`;
  return [
    { value: '', label: 'Everywhere' },
    ...points.map((place) => ({ value: placeValue(place), label: withCount(place.label, place.count) })),
    { value: 'unknown', label: unknown === undefined ? 'Unknown location' : withCount('Unknown location', unknown) },
  ];
}

const placeValue = (point: PlaceFilter | undefined): string =>
  point === undefined || point === 'unknown' ? (point ?? '') : `${point.lat},${point.lng}`;

function searchAt(place = '') {
  const [lat, lng] = place.split(',');
  const point = pointIn(place === 'unknown' ? { unknown: 'true' } : { lat, lng });
  return { lat: undefined, lng: undefined, unknown: undefined, ...pointSearch(point) };
}

/** A location in running text: `Oslo, Norway`, `near 1.5°, 2°`, `unknown location`. */
function placeName(locations: Pick<SessionLocations, 'points'> | undefined, point: PlaceFilter): string {
  if (point === 'unknown') return 'unknown location';
  return locations?.points.find((one) => isSamePlace(one, point))?.label ?? `near ${point.lat}°, ${point.lng}°`;
}
