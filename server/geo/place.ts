import { membersOf, text } from '../../shared/json.ts';
import { centroidOf } from './country-centroids.ts';

/** The location of an address, as far as known. */
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
 * @returns undefined for a record without a country, or with one that has no known position
 */
export function placeOf(record: unknown): Place | undefined {
  const fields = membersOf(record);
  const code = text(membersOf(fields.country).iso_code) || text(fields.country_code);
  if (!/^[A-Z]{2}$/.test(code)) return undefined;
  const city = cityName(fields.city);
  const location = coordinates(membersOf(fields.location)) ?? coordinates(fields);
  // Without a city, databases give various points in the country: always use the same one.
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
