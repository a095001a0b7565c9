import { isIP } from 'node:net';
import { membersOf, text } from '../../shared/json.ts';
import { whileRunning } from '../caches.ts';
import { networkTest, PRIVATE_NETWORKS, withoutMapping } from '../networks.ts';
import { geoFile } from './geo-file.ts';
import { centroidOf } from './map-points.ts';

/** Addresses without a location: private, loopback, link-local, carrier-grade NAT (RFC 6598) and unspecified ones. */
const isPrivate = networkTest([...PRIVATE_NETWORKS, '100.64.0.0/10', '0.0.0.0/8', '::/128']);

/** Whether a text is an address without port, brackets or zone (`isIP` accepts a zone). */
export const isBareAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');

/**
 * Extracts the address from a logged peer: `203.0.113.7:51234`, `[2001:db8::1]:443`, `fe80::1%eth0`.
 * @returns undefined if there is none
 */
export function addressIn(text: string): string | undefined {
  const host = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  const address = host.replace(/%.*$/s, '');
  return isIP(address) === 0 ? undefined : address;
}

/** The location of an address, as precisely as it is known. */
export interface Place {
  /** In English or the database's own language; null if only the country is known. */
  city: string | null;
  /** In English. */
  country: string;
  /** ISO 3166-1 alpha-2. */
  countryCode: string;
  /** Degrees. Without a city, the centre of the country. */
  lat: number;
  lng: number;
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });

/** `Oslo, Norway`, or only the country. */
export const placeLabel = ({ city, country }: Place): string => (city === null ? country : `${city}, ${country}`);

/**
 * Reads a record of a country or city database, in MaxMind's and DB-IP's nested form (`country.iso_code`,
 * `city.names.en`, `location.latitude`) or the flat one (`country_code`, `city`, `latitude`).
 * @returns undefined for a record without a country, or if the position of the country is unknown
 */
export function placeOf(record: unknown): Place | undefined {
  const fields = membersOf(record);
  const code = text(membersOf(fields.country).iso_code) || text(fields.country_code);
  if (!/^[A-Z]{2}$/.test(code)) return undefined;
  const city = cityName(fields.city);
  const location = coordinates(membersOf(fields.location)) ?? coordinates(fields);
  // Without a city, databases give varying points in the country, so the same point is always used.
  const exact = city !== undefined && location !== undefined;
  const [lat, lng] = (exact ? location : (centroidOf(code) ?? location)) ?? [];
  if (lat === undefined || lng === undefined) return undefined;
  return { city: exact ? city : null, country: countryNames.of(code) ?? code, countryCode: code, lat, lng };
}

function cityName(city: unknown): string | undefined {
  const { en, ...others } = membersOf(membersOf(city).names);
  return text(city) || text(en) || Object.values(others).map(text).find(Boolean);
}

function coordinates({ latitude, longitude }: Record<string, unknown>): [lat: number, lng: number] | undefined {
  const within = (value: unknown, limit: number): value is number =>
    typeof value === 'number' && Math.abs(value) <= limit;
  return within(latitude, 90) && within(longitude, 180) ? [latitude, longitude] : undefined;
}

/**
 * @param address a bare address
 * @returns undefined for private and unknown addresses
 */
export type LookUp = (address: string) => Place | undefined;

/** How long a changed file may go unnoticed. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Locates addresses with files on this machine; no other service is queried.
 * @param files paths of MaxMind DB files; the first one that has the address wins
 */
export function geoLookup(files: readonly string[], monotonic: () => number) {
  const opened = files.map(geoFile);
  let lookedAt = Number.NEGATIVE_INFINITY;

  const lookUp: LookUp = (address) => {
    const plain = withoutMapping(address);
    if (isPrivate(plain)) return undefined;
    for (const file of opened) {
      const place = placeOf(file.find(plain));
      if (place !== undefined) return place;
    }
    return undefined;
  };

  const look = whileRunning(async () => {
    if (monotonic() - lookedAt < LOOK_AGAIN_MS) return;
    await Promise.all(opened.map((file) => file.refresh()));
    lookedAt = monotonic();
  });

  return {
    /** A lookup in the files, at most a minute out of date. The first call opens them. */
    async open() {
      await look();
      return lookUp;
    },
    /** One state per file, in order; empty if geolocation is off. */
    async states() {
      await look();
      return opened.map((file) => file.state());
    },
  };
}

export type GeoLookup = ReturnType<typeof geoLookup>;
