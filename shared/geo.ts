/** A circle on the map: how many are near a place. */
export interface MapPoint {
  /** Degrees, rounded to 0.5. */
  lat: number;
  lng: number;
  /** `Oslo, Norway`, or the country alone. */
  label: string;
  count: number;
}

/** Where an address is; all members but `ip` are null when it is not found. */
export interface GeoLocation {
  /** As it was asked. */
  ip: string;
  found: boolean;
  /** Null also where the country alone is known. */
  city: string | null;
  /** In English. */
  country: string | null;
  /** ISO 3166-1 alpha-2. */
  country_code: string | null;
  /** Degrees; of a country alone its middle. */
  lat: number | null;
  lng: number | null;
}

/** `GET /api/geo?ip=…` */
export interface GeoAnswer {
  /** In the order of the question. */
  locations: GeoLocation[];
  /** Largest count first. */
  points: MapPoint[];
}

/** How often `ip` may stand in one question. */
export const GEO_ADDRESSES_MAX = 100;
