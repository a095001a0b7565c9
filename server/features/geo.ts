import { GEO_ADDRESSES_MAX, type GeoLocation, type GeoResponse } from '../../shared/locations.ts';
import type { Route } from '../app.ts';
import type { Context } from '../context.ts';
import { addressIn, isBareAddress, type Place, placeLabel } from '../geo/geo-lookup.ts';
import { mapPoints } from '../geo/map-points.ts';
import { badRequest } from '../http/errors.ts';
import { readRoutes } from '../http/response.ts';

/** `GET /api/geo?ip=…`: the locations of these addresses, or of the caller's if none is given. */
export function geoRoutes({ geo, clientAddress }: Context): Route[] {
  const router = readRoutes({
    '/': async (req, res) => {
      const addresses = parseAddresses(req.query['ip']) ?? [addressIn(clientAddress(req) ?? '') ?? []].flat();
      const lookUp = await geo.open();
      const found = addresses.map((ip) => ({ ip, place: lookUp(ip) }));
      const places = found.flatMap(({ place }) => place ?? []);
      res.json({
        locations: found.map(location),
        points: mapPoints(places.map((place) => [{ ...place, label: placeLabel(place) }, 1] as const)),
      } satisfies GeoResponse);
    },
  });
  return [['/api/geo', 'geo.read', router]];
}

/**
 * @returns undefined if none is given
 * @throws 400 for more than 100, and for anything but bare addresses
 */
function parseAddresses(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  const addresses: unknown[] = [value].flat();
  if (addresses.length > GEO_ADDRESSES_MAX) throw badRequest('ip', `must be given at most ${GEO_ADDRESSES_MAX} times`);
  return addresses.map((address) => {
    if (typeof address !== 'string' || !isBareAddress(address))
      throw badRequest('ip', 'must be an IPv4 or IPv6 address without port, brackets and zone');
    return address;
  });
}

const location = ({ ip, place }: { ip: string; place: Place | undefined }): GeoLocation => ({
  ip,
  found: place !== undefined,
  city: place?.city ?? null,
  country: place?.country ?? null,
  country_code: place?.countryCode ?? null,
  lat: place?.lat ?? null,
  lng: place?.lng ?? null,
});
