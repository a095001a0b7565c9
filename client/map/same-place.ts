interface Place {
  lat: number;
  lng: number;
}

/** Circles are places on a half-degree grid: two at the same place are the same circle. */
export const isSamePlace = (one: Place, other: Place): boolean => one.lat === other.lat && one.lng === other.lng;
