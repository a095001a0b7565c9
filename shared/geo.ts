/** A circle on the map: a count near a place. */
export interface MapPoint {
  /** Degrees, rounded to 0.5. */
  lat: number;
  lng: number;
  /** `Oslo, Norway`, or only the country. */
  label: string;
  count: number;
}

/** The location of an address; all members but `ip` are null if it is unknown. */
export interface GeoLocation {
  /** As requested. */
  ip: string;
  found: boolean;
  /** Null also if only the country is known. */
  city: string | null;
  /** In English. */
  country: string | null;
  /** ISO 3166-1 alpha-2. */
  country_code: string | null;
  /** Degrees; without a city, the centre of the country. */
  lat: number | null;
  lng: number | null;
}

/** `GET /api/geo?ip=…` */
export interface GeoAnswer {
  /** In the order of the request. */
  locations: GeoLocation[];
  /** Largest count first. */
  points: MapPoint[];
}

/** How many `ip` parameters a request may have. */
export const GEO_ADDRESSES_MAX = 100;
