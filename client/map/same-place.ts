interface Place {
  lat: number;
  lng: number;
}

/** Circles are places on a grid of half degrees: two of the same place are the same circle. */
export const isSamePlace = (one: Place, other: Place): boolean => one.lat === other.lat && one.lng === other.lng;
