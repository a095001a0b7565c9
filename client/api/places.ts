import { queryOptions } from '@tanstack/react-query';
import { GEO_ADDRESSES_MAX, type GeoAnswer, type GeoLocation } from '../../shared/locations.ts';
import { request } from './request.ts';

/** Geolocation files change rarely. */
const FRESH_MS = 10 * 60_000;

/** Locations by IP address; an address without a known location is omitted. @param addresses distinct and valid */
export const placesQuery = (addresses: readonly string[]) =>
  queryOptions({
    queryKey: ['places', addresses],
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(
        inPieces(addresses, GEO_ADDRESSES_MAX).map((some) =>
          request<GeoAnswer>(`/api/geo?${new URLSearchParams(some.map((ip) => ['ip', ip]))}`, { signal }),
        ),
      );
      return new Map(answers.flatMap(({ locations }) => locations.filter(({ found }) => found).map(named)));
    },
    enabled: addresses.length > 0,
    staleTime: FRESH_MS,
  });

/** `Oslo, Norway`, or just the country. */
const named = ({ ip, city, country }: GeoLocation): [string, string] => [
  ip,
  [city, country].filter((part) => part !== null).join(', '),
];

export const inPieces = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, piece) => items.slice(piece * size, (piece + 1) * size));
