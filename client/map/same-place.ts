interface Place {
  lat: number;
  lng: number;
}

/** Exact, since places lie on a half-degree grid. */
export const isSamePlace = (one: Place, other: Place): boolean => one.lat === other.lat && one.lng === other.lng;
