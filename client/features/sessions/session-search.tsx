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

/** The person and the filters. Memoized, since they do not depend on the list. */
export const SessionSearch = memo(() => (
  <FilterBar
    label="Person: any part of a name, an e-mail or another trait"
    explanation={EXPLAIN}
    useFilters={useSessionFilters}
    refusal={undefined}
  />
));

const EXPLAIN = explainWords(
  'Each word is any part of what is known about a person. The audit trail records each search.',
);

const EVERYWHERE = { lat: undefined, lng: undefined, unknown: undefined };

/** State, place and device. Places are listed by name, because their circles on the map may overlap. */
function useSessionFilters(address: Record<string, unknown>, change: ChangeSearch): Filters {
  const search = parseSessionsSearch(address);
  const { data } = useQuery(sessionLocationsQuery({ active: search.active === 'true' }));
  const places = placeChoices(data, pointIn({ ...search }));
  // The first one, everywhere, is no filter.
  const placeValue = (index: number): string => (index === 0 ? '' : String(index));
  const filters = [
    {
      name: 'active',
      label: 'State',
      choices: [
        { value: '', label: 'Any' },
        { value: 'true', label: 'Active' },
      ],
    },
    {
      name: 'place',
      label: 'Place',
      choices: places.map(({ label }, index) => ({ value: placeValue(index), label })),
    },
    { name: 'device', label: 'Device', example: 'Chrome on macOS' },
  ];
  return {
    chips: describeFilters(search, data).filter(({ name }) => name !== 'q'),
    filters,
    search: { ...search, place: placeValue(places.findIndex(({ chosen }) => chosen)) },
    change(values, replace) {
      const { place, ...others } = values;
      const point = 'place' in values && { ...EVERYWHERE, ...pointSearch(places[Number(place)]?.point) };
      change({ ...others, ...point }, replace);
    },
  };
}

/**
 * What narrows a search, in words, each with the name of its filter.
 * @param locations undefined until they have loaded; then a place is named by its degrees
 */
export function describeFilters(
  search: SessionsSearch,
  locations: Pick<SessionLocations, 'points'> | undefined,
): { name: 'q' | 'active' | 'place' | 'device'; label: string }[] {
  const { q, device, active } = search;
  const point = pointIn({ ...search });
  const labels = {
    q: q && `person “${visibleText(q)}”`,
    active: active && 'active',
    place: point && placeName(locations, point),
    device: device && `device “${visibleText(device)}”`,
  };
  return Object.entries(labels).flatMap(([name, label]) =>
    label === undefined ? [] : [{ name: name as keyof typeof labels, label }],
  );
}

/**
 * The places that the list can be filtered by: everywhere, the places on the map, unknown.
 * @param point from the URL; it is among the choices even if it is not (yet) on the map
 */
export function placeChoices(
  locations: Pick<SessionLocations, 'points' | 'unknown' | 'truncated'> | undefined,
  point: PlaceFilter | undefined,
): { label: string; point: PlaceFilter | undefined; chosen: boolean }[] {
  const { points = [], unknown, truncated = false } = locations ?? {};
  const many = (count: number): string => formatLeast(truncated, digits(count));
  const isChosen = (place: { lat: number; lng: number }): boolean =>
    point !== undefined && point !== 'unknown' && isSamePlace(place, point);
  const places = points.map(({ label, count, lat, lng }) => ({
    label: `${label} (${many(count)})`,
    point: { lat, lng },
    chosen: isChosen({ lat, lng }),
  }));
  const elsewhere =
    point === undefined || point === 'unknown' || points.some(isChosen)
      ? []
      : [{ label: `Near ${degrees(point)}`, point, chosen: true }];
  return [
    { label: 'Everywhere', point: undefined, chosen: point === undefined },
    ...elsewhere,
    ...places,
    {
      label: unknown === undefined ? 'Unknown location' : `Unknown location (${many(unknown)})`,
      point: 'unknown',
      chosen: point === 'unknown',
    },
  ];
}

/** A place in running text: `Oslo, Norway`, `near 1.5°, 2°`, `unknown location`. */
export function placeName(locations: Pick<SessionLocations, 'points'> | undefined, point: PlaceFilter): string {
  if (point === 'unknown') return 'unknown location';
  return locations?.points.find((one) => isSamePlace(one, point))?.label ?? `near ${degrees(point)}`;
}

const degrees = ({ lat, lng }: { lat: number; lng: number }): string => `${lat}°, ${lng}°`;
